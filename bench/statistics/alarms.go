package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"replay/engine/scenario"
)

// kinds are four kinds of trace: a generated and a contended one of many short jobs, long queries on a full
// cluster, and a recorded cluster of few applications.
var kinds = []string{"traces/uniform-micro", "traces/contended-logs", "traces/tpch-mixed", "traces/fair-weights"}

// mostAlarms is in how many comparisons of a variant with itself any row of the table may differ.
const mostAlarms = 0.10

// falseAlarms compares a variant with itself, with other seeds on each side. Nothing differs, so each row that is told apart is
// a false alarm, and so is the table that has one.
func falseAlarms(ctx context.Context, e effort, w io.Writer) (bool, error) {
	fmt.Fprintf(w, "## False alarms: a variant against itself, with other seeds\n\n%d comparisons a number, drawn from %d replays; at most %.0f %% may have a row that differs.\n\n", e.draws, e.pool, 100*mostAlarms)
	fmt.Fprintf(w, "| trace | seeds | comparisons with a false alarm | rows with one | seeds used, mean | |\n|---|---|---|---|---|---|\n")
	all := true
	for _, kind := range e.kinds {
		runs, err := replayed(ctx, kind, scenario.DefaultOptions(), e.pool)
		if err != nil {
			return false, err
		}
		rng := stream("alarms " + filepath.Base(kind))
		for _, rule := range rules(e.pool / 2) {
			alarms, rows, tested, used := 0, 0, 0, 0
			for range e.draws {
				places := drawn(rng, len(runs), 2*rule.most())
				a, b := runs.at(places[:rule.most()]), runs.at(places[rule.most():])
				c, err := rule.compare(a, b)
				if err != nil {
					return false, err
				}
				found := 0
				for i := range c.Rows {
					cell := &c.Rows[i].Cells[1]
					if cell.Finding.Real() {
						found++
					}
					if cell.Untested == "" {
						tested++
					}
				}
				rows += found
				used += len(c.Units)
				alarms += min(found, 1)
			}
			rate := float64(alarms) / float64(e.draws)
			kept := rate <= mostAlarms
			all = all && kept
			fmt.Fprintf(w, "| %s | %s | %.1f %% | %.2f %% of %d | %.1f | %s |\n", filepath.Base(kind), rule, 100*rate, 100*float64(rows)/float64(max(tested, 1)), tested, float64(used)/float64(e.draws), mark(kept))
		}
	}
	fmt.Fprintln(w)
	return all, nil
}
