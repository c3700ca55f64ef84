package compare

import (
	"math"
	"slices"

	"replay/engine/record"
	"replay/report/dist"
	"replay/report/metric"
	"replay/report/quantity"
	"replay/report/result"
)

// What follows from jobs is compared over the same jobs: in each run, those that have it in every variant. A mean over the
// jobs that one variant finished says nothing against a mean over those that another finished.

// wentAlike reports whether in each run the same jobs went equally far in all variants, in the same queues.
func (c *Comparison) wentAlike() bool {
	type fate struct {
		id                    int64
		queue                 string
		finish, master, first bool
	}
	fates := func(r *metric.Summary) (out []fate) {
		for i := range r.Jobs {
			j := &r.Jobs[i]
			out = append(out, fate{j.ID, j.Queue, j.Outcome == record.JobSucceeded, result.Happened(j.AMRegistered), result.Happened(j.FirstTask)})
		}
		return out
	}
	for k, r := range c.Variants[0].Runs {
		base := fates(r)
		for _, v := range c.Variants[1:] {
			if !slices.Equal(base, fates(v.Runs[k])) {
				return false
			}
		}
	}
	return true
}

// common returns the jobs that have a metric in every variant, in the k-th run.
func (c *Comparison) common(p *metric.PerJob, k int) map[int64]bool {
	in := map[int64]int{}
	for _, v := range c.Variants {
		for i := range v.Runs[k].Jobs {
			if j := &v.Runs[k].Jobs[i]; has(p, j) {
				in[j.ID]++
			}
		}
	}
	out := map[int64]bool{}
	for id, n := range in {
		if n == len(c.Variants) {
			out[id] = true
		}
	}
	return out
}

func has(p *metric.PerJob, j *result.Job) bool {
	_, _, ok := p.Of(j)
	return ok
}

// pair computes the numbers of a row, by variant and run, again over the jobs that all variants have, where that is not all of them.
func (c *Comparison) pair(row *Row, values [][]value) {
	if c.alike || row.PerJob == nil {
		return
	}
	for k := range c.Variants[0].Runs {
		keep := c.common(row.PerJob, k)
		for v := range values {
			jobs := c.Variants[v].Runs[k].Jobs
			own := 0
			for i := range jobs {
				if has(row.PerJob, &jobs[i]) {
					own++
				}
			}
			if own == len(keep) {
				continue // they are its jobs
			}
			x, n := over(row.PerJob, jobs, keep)
			values[v][k].number = x
			if math.IsNaN(x) && values[v][k].absent == "" {
				values[v][k].absent = "no job has it in every variant"
			}
			row.N = min(row.N, int64(n))
		}
	}
}

// over computes a value from those jobs that are kept, and how many things they have.
func over(p *metric.PerJob, jobs []result.Job, keep map[int64]bool) (x, n float64) {
	num, den := 0.0, 0.0
	var xs []float64
	for i := range jobs {
		a, b, ok := p.Of(&jobs[i])
		if !ok || !keep[jobs[i].ID] {
			continue
		}
		num += a
		den += b
		if p.Percent > 0 {
			xs = append(xs, a)
		}
	}
	if p.Percent > 0 {
		return dist.Percentiles(xs, p.Percent)[0], den
	}
	return quantity.Over(num, den), den
}
