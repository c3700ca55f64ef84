package main

import (
	"context"
	"fmt"
	"io"
	"math"

	"replay/engine/scenario"
	"replay/report/compare"
	"replay/report/inference"
	"replay/report/metric"
	"replay/trace/synth"
)

// perJob are the metrics of what jobs see.
var perJob = []string{
	"wait_job_first_task_mean_ms", "wait_job_first_task_p50_ms", "wait_job_first_task_p90_ms", "duration_job_mean_ms", "duration_job_p50_ms", "duration_job_p90_ms", "slowdown_mean",
}

// A doubling is a population of traces, and one on twice the nodes with twice as many jobs in the same time.
type doubling struct {
	name    string
	preset  string
	load    float64
	shorter bool // times may be shorter on the larger cluster
}

// doublings: where narrow jobs find room at once, twice the cluster changes nothing for them. Where jobs wait for each other, or could use more than half of it,
// more servers for more jobs make times shorter, as in any queue with several servers, and never longer.
var doublings = []doubling{
	{"narrow jobs", "uniform-micro", 0.2, false},
	{"queries", "tpch-decima", 0.8, true},
}

// nobody makes locality change nothing: on more nodes, fewer hold a block.
func nobody(o *scenario.Options) {
	o.Conf["spark.locality.wait"] = "0s"
	o.Parameters["rack-penalty"], o.Parameters["any-penalty"] = "1", "1"
}

// doubled asks whether jobs see the same on twice the cluster under twice the load.
func doubled(ctx context.Context, e effort, w io.Writer) (bool, error) {
	fmt.Fprintf(w, "## Twice the cluster under twice the load\n\n%d generated traces of 30 jobs on 6 nodes, and as many of 60 jobs on 12 nodes in the same time. The difference of each metric must be within its interval or within %.0f %%; of wide jobs under contention it may be lower. All intervals of a load together hold in 95 %% of such tables.\n\n", e.doubled, 100*compare.DefaultMargin)
	fmt.Fprintf(w, "| load | metric | 6 nodes | 12 nodes | difference | |\n|---|---|---|---|---|---|\n")
	all := true
	for _, d := range e.doublings {
		var sides [2][]*metric.Summary
		for i, times := range []int{1, 2} {
			wd := world{preset: d.preset, with: synth.Options{Jobs: 30 * times, Nodes: 6 * times, Load: d.load}, other: nobody, seed: uint64(i) * 1000}
			err := wd.sample(ctx, e.doubled, 1, func(s sampled) error {
				sides[i] = append(sides[i], s.b...)
				return nil
			})
			if err != nil {
				return false, err
			}
		}
		for _, name := range perJob {
			var ds []float64
			sums := [2]float64{}
			for k := range sides[0] {
				a, ok := sides[0][k].Value(name)
				b, ok2 := sides[1][k].Value(name)
				if !ok || !ok2 || math.IsNaN(a.Number) || math.IsNaN(b.Number) {
					return false, fmt.Errorf("%s: no number in trace %d", name, k+1)
				}
				ds = append(ds, b.Number-a.Number)
				sums[0] += a.Number / float64(len(sides[0]))
				sums[1] += b.Number / float64(len(sides[0]))
			}
			estimate := inference.Independent(ds)
			half := estimate.Half(inference.Level / float64(len(perJob)))
			kept := estimate.Word(half, compare.DefaultMargin*sums[0]) != inference.Real || d.shorter && estimate.Mean < 0
			all = all && kept
			fmt.Fprintf(w, "| %s, %.0f %% | %s | %.5g | %.5g | %+.3g ± %.3g | %s |\n", d.name, 100*d.load, name, sums[0], sums[1], estimate.Mean, half, mark(kept))
		}
	}
	fmt.Fprintln(w)
	return all, nil
}
