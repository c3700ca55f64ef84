// Command random replays random cases with short intervals everywhere and verifies each result from its tables alone:
//
//	go run ./bench/random -n 10000 -seed 1
//
// It prints each seed that fails and why, and what was replayed; it exits 1 if any failed. Each case is replayed by the fast engine and by
// the dense one, which must decide alike. Every job is explained on the way, and the parts must sum to its time. Nodes have
// a price, and costs must add up.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"time"

	"replay/engine"
	"replay/engine/price"
	"replay/engine/record"
	"replay/engine/scenario"
	"replay/engine/scenario/scenariotest"
	"replay/outdir"
	"replay/report"
	"replay/report/explain"
	"replay/report/verify"
)

func main() {
	n := flag.Uint64("n", 1000, "how many cases")
	first := flag.Uint64("seed", 1, "seed of the first one")
	workers := flag.Int("jobs", runtime.GOMAXPROCS(0), "how many at once")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if !run(ctx, os.Stdout, *first, *n, *workers) {
		os.Exit(1)
	}
}

// tally is what was replayed.
type tally struct {
	cases              int
	failed             map[uint64]error // by seed
	jobs, containers   int64
	tasks, comparisons int64

	schedulers, ends, what, causes map[string]int64
}

// run replays and verifies the cases of n seeds, and prints what came of it. It reports whether all hold.
func run(ctx context.Context, w io.Writer, first, n uint64, workers int) bool {
	dir, err := outdir.Scratch("replay-random")
	if err != nil {
		fmt.Fprintln(w, err)
		return false
	}
	defer dir.Abort()
	t := &tally{failed: map[uint64]error{}, schedulers: map[string]int64{}, ends: map[string]int64{}, what: map[string]int64{}, causes: map[string]int64{}}
	var mu sync.Mutex
	var wg sync.WaitGroup
	seeds := make(chan uint64)
	start := time.Now()
	for range workers {
		wg.Go(func() {
			for seed := range seeds {
				c := scenariotest.Random(seed)
				out, err := one(ctx, c, dir.Path(fmt.Sprint(seed)))
				if ctx.Err() != nil { // it was not replayed to its end
					continue
				}
				mu.Lock()
				t.add(c, seed, out, err)
				mu.Unlock()
			}
		})
	}
feed:
	for seed := first; seed < first+n; seed++ {
		select {
		case seeds <- seed:
		case <-ctx.Done():
			break feed
		}
	}
	close(seeds)
	wg.Wait()
	t.write(w, time.Since(start))
	return len(t.failed) == 0 && ctx.Err() == nil
}

// outcome is what one case gave.
type outcome struct {
	totals record.Totals
	ends   map[string]int64
	causes map[string]int64 // jobs with a part of it
	checks int64
}

// one replays a case with both engines and verifies the result of the fast one in dir, which is removed.
func one(ctx context.Context, c *scenariotest.Case, dir string) (*outcome, error) {
	defer os.RemoveAll(dir)
	o := c.Options
	o.Decisions = true
	var err error
	if o.Prices, err = price.Read("prices", []byte("*=0.42\nminimum=60s\n")); err != nil {
		return nil, err
	}
	sc, err := scenario.New(c.Input(), o)
	if err != nil {
		return nil, err
	}
	w, err := report.NewWriter(dir, report.Options{Tasks: true, Decisions: true})
	if err != nil {
		return nil, err
	}
	defer w.Abort()
	w.Priced(sc.NodePrices())
	var explained explain.Totals
	why := &explain.Collector{Sink: w, Wants: func(int64) bool { return true }, Stages: explain.StagesOf(c.Jobs), Ideal: sc.Kind().Central,
		Tell: func(_ *explain.Life, j *explain.Job) { explained.Add(j) }}
	m, err := engine.Run(ctx, sc, why, nil)
	if err != nil {
		return nil, err
	}
	why.Close(m.Totals.EndMS)
	if explained.Wrong > 0 || explained.Jobs != m.Totals.Jobs {
		return nil, fmt.Errorf("%d of %d jobs are explained, %d of them wrongly: %s", explained.Jobs, m.Totals.Jobs, explained.Wrong, explained.FirstWrong)
	}
	r, err := w.Finish(*m)
	if err != nil {
		return nil, err
	}
	found, err := verify.Dir(dir, report.OwnChecks...)
	if err != nil {
		return nil, err
	}
	if !found.OK() {
		return nil, fmt.Errorf("%d violations, the first: %v", found.Total, found.Violations[0])
	}
	out := &outcome{totals: m.Totals, ends: r.Containers.Ends, causes: map[string]int64{}}
	for _, share := range explained.Wholes() {
		out.causes[string(share.Cause)] += share.Jobs
	}
	for _, check := range found.Checks {
		out.checks += check.N
	}
	o = c.Options
	o.Engine = scenario.Dense
	if sc, err = scenario.New(c.Input(), o); err != nil {
		return nil, err
	}
	dense, err := engine.Run(ctx, sc, report.NewMemory(), nil)
	if err != nil {
		return nil, fmt.Errorf("dense engine: %w", err)
	}
	if dense.DecisionHash != m.DecisionHash {
		return nil, fmt.Errorf("decision hash is %s, that of the dense engine %s", m.DecisionHash, dense.DecisionHash)
	}
	return out, nil
}

func (t *tally) add(c *scenariotest.Case, seed uint64, out *outcome, err error) {
	t.cases++
	t.schedulers[c.Options.Scheduler]++
	for i := range c.Events {
		t.what[string(c.Events[i].Kind)]++
	}
	if err != nil {
		t.failed[seed] = err
		return
	}
	t.jobs += out.totals.Jobs
	t.containers += out.totals.ContainersAllocated
	t.tasks += out.totals.TaskAttempts
	t.comparisons += out.checks
	for end, n := range out.ends {
		t.ends[end] += n
	}
	for cause, n := range out.causes {
		t.causes[cause] += n
	}
}

func (t *tally) write(w io.Writer, took time.Duration) {
	fmt.Fprintf(w, "%d cases, %d failed: %d jobs, %d containers, %d task attempts, %d comparisons; %.0f ms each\n",
		t.cases, len(t.failed), t.jobs, t.containers, t.tasks, t.comparisons, float64(took.Milliseconds())/float64(max(t.cases, 1)))
	for _, part := range []struct {
		name   string
		counts map[string]int64
	}{{"schedulers", t.schedulers}, {"node events", t.what}, {"containers by end", t.ends}, {"jobs by what they waited for", t.causes}} {
		fmt.Fprintf(w, "%s:", part.name)
		for _, name := range slices.Sorted(maps.Keys(part.counts)) {
			fmt.Fprintf(w, " %s %d", name, part.counts[name])
		}
		fmt.Fprintln(w)
	}
	for _, seed := range slices.Sorted(maps.Keys(t.failed)) {
		fmt.Fprintf(w, "seed %d fails: %v\n", seed, t.failed[seed])
	}
	if len(t.failed) > 0 {
		fmt.Fprintln(w, "One of them again: go run ./bench/random -n 1 -seed SEED")
	}
}
