package command

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"replay/cmd/replay/cmdline"
	"replay/report/compare"
	"replay/trace"
)

// auto is the value of --windows that lets the program find their number.
const auto = "auto"

// aNumberOfWindows wants what --windows takes.
func aNumberOfWindows(value string) error {
	if n, err := strconv.Atoi(value); value != auto && (err != nil || n < 2 || n > 1000) {
		return errors.New("want 2 to 1000, or auto")
	}
	return nil
}

// windowStages are the numbers of windows that auto tries: the fewer, the longer and the less alike.
var windowStages = []int{24, 16, 12, 8, 6}

// tooAlike is from what autocorrelation of their differences on windows are too much alike.
const tooAlike = 0.3

// cut returns the windows of a trace as sources.
func (p *program) cut(c *cli.Context, whole *traceSource) ([]*traceSource, error) {
	if text := c.String("windows"); text != auto {
		n, _ := strconv.Atoi(text) // the flag takes no other
		return p.cutInto(whole, n)
	}
	var out []*traceSource
	var err error
	for _, n := range windowStages {
		if out, err = p.cutInto(whole, n); err == nil {
			break
		}
	}
	return out, err
}

// cutInto returns n windows of a trace as sources.
func (p *program) cutInto(whole *traceSource, n int) ([]*traceSource, error) {
	t, err := cmdline.OpenTrace(whole.dir)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	windows, err := trace.Windows(t.Jobs(), n)
	if err != nil {
		return nil, err
	}
	var out []*traceSource
	for i := range windows {
		w := &windows[i]
		if w.NumJobs == 0 {
			return nil, fmt.Errorf("%s: nothing is submitted in window %d of %d, from %d to %d ms: take fewer", whole.dir, i+1, n, w.FromMS, w.ToMS)
		}
		out = append(out, &traceSource{dir: whole.dir, name: fmt.Sprintf("window-%d", i+1), window: w})
	}
	if out == nil {
		return nil, fmt.Errorf("%s: has no jobs to cut into windows", whole.dir)
	}
	return out, nil
}

// replayWindows replays with fewer and longer windows until their differences are not too much alike. Those of the last grid
// count, which it returns.
func (g *grid) replayWindows(seeds int) (*grid, *compare.Comparison, error) {
	for {
		cmp, err := g.replay(seeds)
		if err != nil || cmp.Autocorrelation() < tooAlike {
			return g, cmp, err
		}
		fewer := 0
		for _, n := range windowStages {
			if n < len(g.sources) {
				fewer = n
				break
			}
		}
		if fewer == 0 {
			cmp.TooShort = true
			return g, cmp, nil
		}
		sources, err := g.p.cutInto(g.sources[0], fewer)
		if err != nil {
			return g, nil, err
		}
		next, err := g.p.newGrid(g.c, sources, g.variants, seeds, cmp.Options)
		if err != nil {
			return g, nil, err
		}
		if err := g.forget(); err != nil {
			return g, nil, err
		}
		next.results, g = g.results, next
	}
}

// aWindow wants two times.
func aWindow(value string) error {
	_, _, err := parseWindow(value)
	return err
}

// parseWindow reads FROM..TO, two times of a trace, of which the first may be 0.
func parseWindow(text string) (from, to int64, err error) {
	first, last, ok := strings.Cut(text, "..")
	if d, bad := time.ParseDuration(first); bad != nil || d != 0 {
		from, err = cmdline.ParseTime(first)
	}
	if err == nil && ok {
		to, err = cmdline.ParseTime(last)
	}
	if !ok || err != nil || first == "" || from >= to {
		return 0, 0, errors.New("want FROM..TO, two times of the trace such as 1h..2h")
	}
	return from, to, nil
}

// flag is the window as a flag of run.
func windowFlag(w *trace.Window) []string {
	if w == nil {
		return nil
	}
	return []string{"--window", fmt.Sprintf("%dms..%dms", w.FromMS, w.ToMS)}
}
