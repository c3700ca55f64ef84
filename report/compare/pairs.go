package compare

import (
	"math"
	"slices"

	"replay/engine/record"
	"replay/report/metric"
	"replay/report/result"
)

// What follows from jobs is compared over the same jobs: in each seed, those that have it in every variant. A mean over the
// jobs that one variant finished says nothing against a mean over those that another finished.

// wentAlike reports whether in each seed the same jobs went equally far in all variants, in the same queues.
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
	for k := range c.Seeds {
		base := fates(c.Variants[0].Runs[k])
		for _, v := range c.Variants[1:] {
			if !slices.Equal(base, fates(v.Runs[k])) {
				return false
			}
		}
	}
	return true
}

// common returns the jobs that have a metric in every variant, in the k-th seed.
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

// pair computes the numbers of a row again over the jobs that all variants have, where that is not all of them.
func (c *Comparison) pair(row *Row) {
	if c.alike || row.PerJob == nil {
		return
	}
	for k := range c.Seeds {
		keep := c.common(row.PerJob, k)
		for v := range row.Cells {
			jobs := c.Variants[v].Runs[k].Jobs
			n, own := 0.0, 0
			for i := range jobs {
				_, den, ok := row.PerJob.Of(&jobs[i])
				if ok {
					own++
				}
				if ok && keep[jobs[i].ID] {
					n += den
				}
			}
			if own == len(keep) {
				continue // they are its jobs
			}
			s := newSample(row.PerJob, jobs, func(id int64) bool { return keep[id] }, func(int64) int { return 0 }, 1)
			cell := &row.Cells[v]
			cell.BySeed[k] = s.at(ones(1))
			if math.IsNaN(cell.BySeed[k]) && cell.Absent == "" {
				cell.Absent = "no job has it in every variant"
			}
			row.N = min(row.N, int64(n))
		}
	}
}
