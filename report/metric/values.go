package metric

import (
	"fmt"
	"math"
	"slices"

	"replay/report/dist"
	"replay/report/quantity"
	"replay/report/result"
)

// value checks the number: what cannot be computed is absent with a reason, never NaN without one.
func value(name string, unit quantity.Unit, better quantity.Direction, number float64, n int64, absent, about string) Value {
	v := Value{Quantity: quantity.Quantity{Name: name, Unit: unit, Better: better, About: about}, Number: number, N: n}
	if math.IsNaN(number) || math.IsInf(number, 0) {
		v.Number, v.Absent = math.NaN(), absent
		if absent == "" {
			panic("metric: " + name + " is not a number and has no reason")
		}
	}
	return v
}

// statistics of a distribution, in the order shown; percent is 0 for those that are no percentile.
var statistics = []struct {
	name    string
	text    string
	percent float64
}{{"mean", "mean", 0}, {"p50", "median", 50}, {"p90", "90th percentile", 90}, {"p95", "95th percentile", 95}, {"p99", "99th percentile", 99}, {"max", "largest", 0}}

// percents are the percentiles among the statistics, which come between the mean and the largest.
func percents() (ps []float64) {
	for _, s := range statistics {
		if s.percent > 0 {
			ps = append(ps, s.percent)
		}
	}
	return ps
}

// timeValues returns the statistics of a time, over what has it.
func timeValues(t *result.Time, d *result.Data) []Value {
	return distValues(t, "", t.Dist(d), t.About+", over "+t.Population)
}

// distValues returns the statistics of the times d, which are t or those of a part of what has it.
func distValues(t *result.Time, label string, d *dist.Dist, about string) []Value {
	ps := percents()
	for i := range ps {
		ps[i] /= 100
	}
	numbers := slices.Concat([]float64{d.Mean()}, d.Quantiles(ps...), []float64{d.Max()})
	out := statisticsOf(&t.Quantity, label, numbers, d.N(), t.None, about)
	for i := range out {
		out[i].Things = t.Things
	}
	return out
}

// jobValues returns the statistics of each of some quantities over all jobs, and of the first over the jobs of each part. Jobs of
// which one is open at the end of the replay count with at least what it is so far.
func (p *pass) jobValues(first *result.OfJobs, others ...*result.OfJobs) func() (vs, ofParts []Value) {
	d, all := p.data, append([]*result.OfJobs{first}, others...)
	fill := make([]func(*sample, *result.Job), len(all))
	for i, q := range all {
		fill[i] = adds(q, d)
	}
	p.keeps = true
	var by partSamples
	samples := p.sampled(d.Jobs.Len(), fill, &by)
	return func() (vs, ofParts []Value) {
		p.parts.all(&by, func(of part, s *sample) { ofParts = append(ofParts, statisticsOfJobs(first, d, of, s)...) })
		for i, q := range all {
			vs = append(vs, statisticsOfJobs(q, d, allJobs, &samples[i])...)
		}
		return vs, ofParts
	}
}

// adds returns what takes into a sample what a job says of q.
func adds(q *result.OfJobs, d *result.Data) func(*sample, *result.Job) {
	return func(s *sample, j *result.Job) {
		if x, ok := q.Of(j); ok {
			s.xs = append(s.xs, x)
		}
		if q.Open == nil {
			return
		}
		if x, ok := q.Open(j, d.Manifest.Totals.EndMS); ok {
			s.open, s.endless = append(s.open, x), endless(d)
		}
	}
}

// endless reports whether jobs that are unfinished never finish: the replay was not asked to end before all could.
func endless(d *result.Data) bool { return d.Manifest.Until == 0 }

// statisticsOfJobs are those of a part, whose sample it sorts.
func statisticsOfJobs(q *result.OfJobs, d *result.Data, p part, s *sample) []Value {
	xs := s.xs
	mean := dist.Mean(xs) // of values in the order of jobs: a sum in another order is another one
	slices.Sort(xs)
	about := q.About
	if q.Population != "" {
		about += ", over " + fmt.Sprintf(q.Population, p.after())
	}
	largest := math.NaN()
	if len(xs) > 0 {
		largest = xs[len(xs)-1]
	}
	numbers := slices.Concat([]float64{mean}, dist.SortedPercentiles(xs, percents()...), []float64{largest})
	out := statisticsOf(&q.Quantity, p.label, numbers, int64(len(xs)), q.None, about)
	if len(s.open) > 0 {
		countOpen(out, *s, q)
	}
	whole := int64(0)
	if p.label == "" {
		whole = int64(d.Jobs.Len())
	}
	for i, of := range statistics {
		if of.name != "max" {
			out[i].Things, out[i].Whole = "jobs", whole
			out[i].PerJob = &PerJob{Of: func(j *result.Job) (float64, float64, bool) { x, ok := q.Of(j); return x, 1, ok && p.has(j) }, Percent: of.percent, still: q.Still}
			if q.Open != nil {
				out[i].PerJob.endless = endless(d)
				out[i].PerJob.Open = func(j *result.Job) (float64, bool) {
					x, ok := q.Open(j, d.Manifest.Totals.EndMS)
					return x, ok && p.has(j)
				}
			}
		}
	}
	return out
}

// countOpen computes the statistics of q again, in their order, where it is open for some jobs.
func countOpen(out []Value, s sample, q *result.OfJobs) {
	for i, of := range statistics {
		v := &out[i]
		v.N, v.Open, v.Still = int64(len(s.xs)+len(s.open)), int64(len(s.open)), q.Still
		v.About += fmt.Sprintf(", and over jobs %s, with at least the time so far", q.Still)
		if of.name == "max" {
			v.Number, v.Absent = math.NaN(), fmt.Sprintf("%d of %d jobs are %s", v.Open, v.N, q.Still)
			continue
		}
		if of.name == "mean" && len(s.xs) == 0 { // what there is says when the replay ended, and nothing of how long they take
			v.Number, v.Absent = math.NaN(), fmt.Sprintf("%d of %d jobs are %s, and none says how long that takes", v.Open, v.N, q.Still)
			continue
		}
		v.Number, v.Absent = s.censored(of.percent, math.Inf(1), q.Still)
		if of.name == "mean" {
			v.Beyond = s.curve().Beyond()
		}
	}
}

// statisticsOf names the numbers of the statistics, over n things.
func statisticsOf(q *quantity.Quantity, label string, numbers []float64, n int64, none, about string) []Value {
	out := make([]Value, len(statistics))
	for i, s := range statistics {
		out[i] = value(q.Name+"_"+s.name+q.Unit.Suffix()+label, q.Unit, q.Better, numbers[i], n, none, s.text+" of "+about)
	}
	return out
}

// jobRatio is the ratio of two sums over jobs; the denominator counts things.
type jobRatio struct {
	name          string
	unit          quantity.Unit
	better        quantity.Direction
	of            func(*result.Job) (num, den float64)
	things        string
	absent, about string
}

// jobRatios returns ratios over all jobs, and where ofPart has a place for a part, the first of them over the jobs of each.
func (p *pass) jobRatios(ofPart string, ratios ...jobRatio) func() (vs, ofParts []Value) {
	fill := make([]func(*sample, *result.Job), len(ratios))
	for i, r := range ratios {
		fill[i] = func(s *sample, j *result.Job) {
			num, den := r.of(j)
			s.num += num
			s.den += den
		}
	}
	var by *partSamples
	if ofPart != "" {
		by = new(partSamples)
	}
	samples := p.sampled(0, fill, by)
	return func() (vs, ofParts []Value) {
		if by != nil {
			p.parts.all(by, func(of part, s *sample) {
				ofParts = append(ofParts, ratios[0].value(of, s, fmt.Sprintf(ofPart, of.text)))
			})
		}
		for i, r := range ratios {
			vs = append(vs, r.value(allJobs, &samples[i], r.about))
		}
		return vs, ofParts
	}
}

func (r *jobRatio) value(p part, s *sample, about string) Value {
	of := r.of
	v := value(r.name+p.label, r.unit, r.better, quantity.Over(s.num, s.den), int64(s.den), r.absent, about)
	v.Things, v.PerJob = r.things, &PerJob{Of: func(j *result.Job) (float64, float64, bool) { n, d := of(j); return n, d, p.has(j) }}
	return v
}

// seconds is a time as a number of things that a mean is over.
func seconds(ms float64) int64 { return int64(math.Round(ms / 1000)) }
