package compare

import (
	"math"
	"slices"

	"replay/engine/record"
	"replay/report/metric"
	"replay/report/result"
)

// What follows from jobs is compared over the same jobs: in each run, those that count for it in every variant. A mean over the
// jobs that one variant finished says nothing against a mean over those that another finished.

// pairs are the jobs of one run by all variants.
type pairs struct {
	replays []*metric.Summary
	ids     []int64         // of the jobs that any variant submitted
	jobs    [][]*result.Job // by variant, in the order of ids; nil when not submitted
	alike   bool            // the same jobs went equally far in all variants, in the same queues
	open    int64           // jobs that are unfinished in one variant or more
}

func newPairs(replays []*metric.Summary) *pairs {
	p := &pairs{replays: replays, alike: true}
	for _, r := range replays {
		for j := range r.Jobs.All() {
			p.ids = append(p.ids, j.ID)
		}
	}
	slices.Sort(p.ids)
	p.ids = slices.Compact(p.ids)
	for _, r := range replays {
		jobs := make([]*result.Job, len(p.ids))
		for i := range r.Jobs.Len() {
			j := r.Jobs.At(i)
			k, _ := slices.BinarySearch(p.ids, j.ID)
			jobs[k] = j
		}
		p.jobs = append(p.jobs, jobs)
	}
	for i := range p.ids {
		open := false
		for _, jobs := range p.jobs {
			open = open || jobs[i] != nil && jobs[i].Outcome == record.JobUnfinished
			p.alike = p.alike && alike(p.jobs[0][i], jobs[i])
		}
		if open {
			p.open++
		}
	}
	return p
}

// blindReason is why a mean has no number that is the time up to which all replays see.
const blindReason = "as long as every replay sees, no job is over"

// SameJobs returns what computes values of a metric, one of each replay, again over the jobs that count for it in all of them, as a comparison
// has them; nil where the same jobs went equally far in all.
func SameJobs(replays ...*metric.Summary) func(values []metric.Value) {
	p := newPairs(replays)
	if p.alike && p.open == 0 {
		return nil
	}
	return func(values []metric.Value) {
		if _, blind := p.pair(values); blind {
			for v := range values {
				values[v].Absent = blindReason
			}
		}
	}
}

// OthersCut reports whether the end that was asked for cuts off jobs of one replay that succeed in the other, so that what it decides says nothing
// of the two: [metric.Value.Ends].
func OthersCut(base, other *metric.Summary) bool {
	return newPairs([]*metric.Summary{base, other}).loss(1).CutOff > 0
}

// alike reports whether a job went equally far in two variants.
func alike(a, b *result.Job) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Queue == b.Queue && (a.Outcome == record.JobSucceeded) == (b.Outcome == record.JobSucceeded) &&
		result.Happened(a.AMRegistered) == result.Happened(b.AMRegistered) && result.Happened(a.FirstTask) == result.Happened(b.FirstTask)
}

// succeeded counts the jobs that succeed in every variant.
func (p *pairs) succeeded() (n int64) {
	for i := range p.ids {
		if !slices.ContainsFunc(p.jobs, func(jobs []*result.Job) bool { return !succeeds(jobs[i]) }) {
			n++
		}
	}
	return n
}

func succeeds(j *result.Job) bool { return j != nil && j.Outcome == record.JobSucceeded }

// loss counts the jobs that one of the first variant and variant v finishes alone.
func (p *pairs) loss(v int) (l Loss) {
	for i := range p.ids {
		first, other := p.jobs[0][i], p.jobs[v][i]
		switch {
		case succeeds(first) == succeeds(other):
		case first == nil && Whole(p.replays[0].Data) || other == nil && Whole(p.replays[v].Data):
			l.LeftOut++
		case succeeds(first) && cutOff(other, p.replays[v]) || succeeds(other) && cutOff(first, p.replays[0]):
			l.CutOff++
		case succeeds(first):
			l.Lost++
		default:
			l.Gained++
		}
	}
	return l
}

// Whole reports whether all jobs of a replay were submitted: one that it does not have is left out on demand.
func Whole(d *result.Data) bool {
	return d.Manifest.TraceJobs == int64(d.Jobs.Len())
}

// cutOff reports whether the end that was asked for kept a job from finishing.
func cutOff(j *result.Job, r *metric.Summary) bool {
	return r.Manifest.Until > 0 && (j == nil || j.Outcome == record.JobUnfinished)
}

// pair computes a metric, by variant, again over the jobs that count for it in all variants, where that is not all of them or some
// of them are open; and returns what the least n then is, and whether a mean is of values of which all that is known is that each is larger than what all
// replays see.
func (p *pairs) pair(values []metric.Value) (n int64, blind bool) {
	n = math.MaxInt64
	if p.alike && p.open == 0 || slices.ContainsFunc(values, func(v metric.Value) bool { return v.PerJob == nil }) {
		return n, false
	}
	kept := make([][]*result.Job, len(values))
	all, censored := true, false
	for i := range p.ids {
		counted, anyOpen := 0, false
		for v := range values {
			if j := p.jobs[v][i]; j != nil {
				counts, open := values[v].PerJob.Has(j)
				if counts {
					counted++
				}
				anyOpen = anyOpen || open
			}
		}
		all = all && (counted == 0 || counted == len(values))
		if counted == len(values) {
			censored = censored || anyOpen
			for v := range values {
				kept[v] = append(kept[v], p.jobs[v][i])
			}
		}
	}
	if all && !censored {
		return n, false // they are its jobs
	}
	horizon := math.Inf(1)
	for v := range values {
		horizon = min(horizon, values[v].PerJob.Sees(kept[v]))
	}
	blind = censored
	for v := range values {
		values[v].PerJob.Over(&values[v], kept[v], censored, horizon)
		n = min(n, values[v].N)
		blind = blind && values[v].PerJob.Percent == 0 && values[v].Number == horizon
	}
	return n, blind
}
