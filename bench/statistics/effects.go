package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"

	"replay/engine/scenario"
	"replay/report/compare"
)

// mostWrong is in how many comparisons a difference may be found with the wrong sign.
const mostWrong = 0.01

// planted are changes of the start of an executor, as parts of it: from next to nothing to what everybody sees.
var planted = []float64{0.002, 0.01, 0.05, 0.2}

// told is the metric whose power is shown.
const told = "wait_job_first_task_mean_ms"

// sure is how many standard errors of the mean over the whole pool a difference must have for its sign to be known.
const sure = 5

// effects plants differences of known size and asks how often they are found, and how often with the wrong sign.
func effects(ctx context.Context, e effort, w io.Writer) (bool, error) {
	fmt.Fprintf(w, "## Planted differences\n\nThe start of an executor takes longer. %d comparisons a number, drawn from %d replays of each side with the same seeds. The true difference of each metric is that over the whole pool; its sign counts where it is %d standard errors from 0. At most %.0f %% of comparisons may find any difference with the wrong sign.\n\n", e.draws, e.pool, sure, 100*mostWrong)
	fmt.Fprintf(w, "| trace | longer by | seeds | comparisons that find something | with a wrong sign | %s: true change | found in | expected to find, in 8 of 10 | |\n|---|---|---|---|---|---|---|---|---|\n", told)
	all := true
	for _, kind := range e.kinds {
		a, err := replayed(ctx, kind, scenario.DefaultOptions(), e.pool)
		if err != nil {
			return false, err
		}
		for _, part := range planted {
			o := scenario.DefaultOptions().Clone()
			o.Parameters["executor-start-ms"] = strconv.Itoa(int(math.Round(float64(o.Model.ExecutorStartMS) * (1 + part))))
			b, err := replayed(ctx, kind, o, e.pool)
			if err != nil {
				return false, err
			}
			rng := stream(fmt.Sprint("effects ", filepath.Base(kind), part))
			signs := map[string]float64{}
			for _, rule := range []rule{{seeds: 5}, {seeds: 10}, {seeds: 30}, {precision: compare.DefaultPrecision, limit: 30}} {
				if rule.most() > e.pool/2 {
					continue
				}
				something, wrong, found := 0, 0, 0
				detectable, tested := 0.0, 0 // summed over the comparisons that tested the metric
				for range e.draws {
					places := drawn(rng, e.pool, rule.most())
					c, err := rule.compare(a.at(places), b.at(places))
					if err != nil {
						return false, err
					}
					any, bad := 0, 0
					for i := range c.Rows {
						row := &c.Rows[i]
						cell := &row.Cells[1]
						if row.Name == told && !math.IsNaN(cell.Detectable) {
							detectable += cell.Detectable
							tested++
						}
						if !cell.Finding.Real() {
							continue
						}
						any = 1
						if row.Name == told {
							found++
						}
						sign, ok := signs[row.Name]
						if !ok {
							sign = knownSign(a, b, row.Name)
							signs[row.Name] = sign
						}
						if sign*cell.Difference < 0 {
							bad = 1
						}
					}
					something += any
					wrong += bad
				}
				rate := float64(wrong) / float64(e.draws)
				kept := rate <= mostWrong
				all = all && kept
				base, _ := a[0].Value(told)
				fmt.Fprintf(w, "| %s | %.1f %% | %s | %.1f %% | %.1f %% | %+.2f %% | %.1f %% | %s | %s |\n", filepath.Base(kind), 100*part, rule, 100*float64(something)/float64(e.draws), 100*rate,
					100*meanDifference(a, b, told)/base.Number, 100*float64(found)/float64(e.draws), expected(detectable/base.Number, tested), mark(kept))
			}
		}
	}
	fmt.Fprintln(w)
	return all, nil
}

// expected is the mean of so many shares with their sum in percent; of none there is none.
func expected(sum float64, n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f %%", 100*sum/float64(n))
}

// knownSign is the sign of the mean difference of a metric over two pools, 0 when chance may have made it.
func knownSign(a, b pool, name string) float64 {
	mean := meanDifference(a, b, name)
	squares := 0.0
	for k := range a {
		x, ok := a[k].Value(name)
		y, ok2 := b[k].Value(name)
		if !ok || !ok2 {
			return 0
		}
		squares += float64((y.Number - x.Number - mean) * (y.Number - x.Number - mean))
	}
	n := float64(len(a))
	if se := math.Sqrt(squares / (n - 1) / n); math.Abs(mean) < sure*se || mean == 0 || math.IsNaN(mean) {
		return 0
	}
	return math.Copysign(1, mean)
}
