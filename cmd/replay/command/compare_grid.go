package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/urfave/cli/v2"

	"replay/cmd/replay/cmdline"
	"replay/engine"
	"replay/engine/record"
	"replay/engine/scenario"
	"replay/report"
	"replay/report/compare"
	"replay/report/inference"
)

// grid replays variants on sources with seeds, and gives the replays to a study in a fixed order: by source, then seed. The
// order in which they end has no influence on anything.
type grid struct {
	p        *program
	c        *cli.Context
	sources  []*traceSource
	variants []variant
	study    *compare.Study
	results  string // folder for the results of all replays, "" for none
	warnings []record.Warning

	progress []engine.Progress
	wanted   atomic.Int64 // how many of progress there are so far
	done     atomic.Int64
}

// cell is one replay.
type cell struct {
	source, variant, seed int // the seed counts from that of the variant
}

// newGrid makes room for up to seeds replays of each variant on each source.
func (p *program) newGrid(c *cli.Context, sources []*traceSource, variants []variant, seeds int, o compare.Options) (*grid, error) {
	var names []compare.Variant
	for _, v := range variants {
		names = append(names, compare.Variant{Name: v.name, Flags: v.flags})
	}
	study, err := compare.New(names, o)
	if err != nil {
		return nil, err
	}
	return &grid{p: p, c: c, sources: sources, variants: variants, study: study, progress: make([]engine.Progress, len(sources)*len(variants)*seeds)}, nil
}

// verb is the command that compares.
func (p *program) verb() string {
	if p.gate != nil {
		return "gate"
	}
	return "compare"
}

// replay replays with a fixed number of seeds.
func (g *grid) replay(seeds int) (*compare.Comparison, error) {
	defer cmdline.WatchAll(g.c, g.p.verb(), g.progress, &g.wanted, &g.done)()
	if err := g.add(0, seeds); err != nil {
		return nil, err
	}
	return g.study.Compare()
}

// replayUntil replays with more and more seeds, up to limit, until the comparison knows enough. What is replayed is kept.
func (g *grid) replayUntil(limit int) (*compare.Comparison, error) {
	defer cmdline.WatchAll(g.c, g.p.verb(), g.progress, &g.wanted, &g.done)()
	for n := 0; ; {
		next := inference.Stage(n, limit)
		if err := g.add(n, next); err != nil {
			return nil, err
		}
		n = next
		cmp, err := g.study.Compare()
		if err != nil {
			return nil, err
		}
		enough := cmp.Stop() != ""
		if g.p.gate != nil && n < limit {
			enough, err = g.p.gate.Enough(cmp)
		}
		if err != nil || enough {
			return cmp, err
		}
	}
}

// add replays with the seeds from the first to before the last, several cells at a time. The study takes in a row of cells, all
// variants, when it is complete and those before it are in: only as many replays are held as work at once needs.
func (g *grid) add(first, last int) error {
	var cells []cell
	for s := range g.sources {
		for k := first; k < last; k++ {
			for v := range g.variants {
				cells = append(cells, cell{s, v, k})
			}
		}
	}
	g.wanted.Add(int64(len(cells)))
	for _, s := range g.sources {
		s.wanted = (last - first) * len(g.variants)
		defer s.release()
	}
	ctx, cancel := context.WithCancelCause(g.c.Context)
	defer cancel(nil)
	workers := workersOf(g.c)
	var (
		mu      sync.Mutex
		moved   = sync.NewCond(&mu)
		held    = make([]*report.Result, len(cells))
		taken   = 0 // by the study
		width   = len(g.variants)
		ahead   = width + 2*workers // cells that may be begun and not taken
		begin   = int(g.wanted.Load()) - len(cells)
		numbers = make(chan int)
		wg      sync.WaitGroup
	)
	take := func(i int, r *report.Result) error {
		mu.Lock()
		defer mu.Unlock()
		defer moved.Broadcast()
		held[i] = r
		for taken < len(cells) && !slices.Contains(held[taken:taken+width], nil) {
			row := held[taken : taken+width]
			if cells[taken].seed == 0 {
				g.warn(g.sources[cells[taken].source], row)
			}
			if err := g.study.Add(row...); err != nil {
				return err
			}
			if g.p.gate != nil {
				if err := g.p.gate.Add(row[0], row[1]); err != nil {
					return cmdline.Usagef("%w", err)
				}
			}
			clear(row)
			taken += width
		}
		return nil
	}
	for range min(workers, len(cells)) {
		wg.Go(func() {
			for i := range numbers {
				r, err := g.run(ctx, cells[i], &g.progress[begin+i])
				if err == nil {
					err = take(i, r)
				}
				if err != nil {
					cancel(err)
					return
				}
				g.done.Add(1)
			}
		})
	}
	stop := context.AfterFunc(ctx, func() { mu.Lock(); defer mu.Unlock(); moved.Broadcast() })
	defer stop()
feed:
	for i := range cells {
		mu.Lock()
		for i >= taken+ahead && ctx.Err() == nil {
			moved.Wait()
		}
		mu.Unlock()
		select {
		case numbers <- i:
		case <-ctx.Done():
			break feed
		}
	}
	close(numbers)
	wg.Wait()
	return context.Cause(ctx)
}

// run replays a cell.
func (g *grid) run(ctx context.Context, x cell, progress *engine.Progress) (*report.Result, error) {
	s, v := g.sources[x.source], g.variants[x.variant]
	o := v.options
	o.Seed += uint64(x.seed)
	o.Window = s.window
	label := fmt.Sprintf("%s, seed %d", v.name, o.Seed)
	out := ""
	if g.results != "" {
		out = filepath.Join(g.results, v.name)
		if len(g.sources) > 1 {
			out = filepath.Join(out, s.name)
		}
		out = filepath.Join(out, fmt.Sprintf("seed-%d", o.Seed))
	}
	if len(g.sources) > 1 {
		label = s.name + ", " + label
	}
	t, err := s.open(g.p)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", label, err)
	}
	defer s.close()
	r, err := g.p.replayOn(ctx, t, o, out, report.Options{HTML: true}, progress, func(*scenario.Scenario) *record.Made { return g.p.madeAlone(s, v, o.Seed) })
	if err != nil {
		return nil, fmt.Errorf("%s: %w", label, err)
	}
	return r, nil
}

// forget removes the results that were kept.
func (g *grid) forget() error {
	if g.results == "" {
		return nil
	}
	kept, err := os.ReadDir(g.results)
	for _, e := range kept {
		err = errors.Join(err, os.RemoveAll(filepath.Join(g.results, e.Name())))
	}
	return err
}

// warn keeps the warnings of replays.
func (g *grid) warn(s *traceSource, row []*report.Result) {
	name := ""
	if len(g.sources) > 1 {
		name = s.name
	}
	for v, r := range row {
		list := slices.Clone(r.Manifest.Warnings)
		for i := range list {
			if list[i].Code == record.ShortOfNodes { // the others say of which variant they are, where it matters
				list[i].Text = g.variants[v].name + ": " + list[i].Text
			}
		}
		g.warnings = withWarnings(g.warnings, list, name)
	}
}

// withWarnings adds those of a replay that are not among the warnings; seeds and variants mostly warn of the same. What is about one trace says of which, if
// that has a name beside others.
func withWarnings(list, more []record.Warning, trace string) []record.Warning {
	for _, w := range more {
		if w.OfTrace() && trace != "" {
			w.Text = trace + ": " + w.Text
		}
		if !warnsOf(list, w.Text) {
			list = append(list, w)
		}
	}
	return list
}

// warnsOf reports whether a warning with this text is in the list.
func warnsOf(list []record.Warning, text string) bool {
	return slices.ContainsFunc(list, func(w record.Warning) bool { return w.Text == text })
}

// workersOf returns how many replays run at once.
func workersOf(c *cli.Context) int {
	if c.IsSet("jobs") {
		return c.Int("jobs")
	}
	return runtime.GOMAXPROCS(0)
}
