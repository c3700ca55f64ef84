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

// jobValues returns the statistics of q over all jobs. Jobs of which it is open at the end of the replay count with at
// least what it is so far.
func jobValues(q *result.OfJobs, d *result.Data) []Value {
	var s sample
	add := adds(q, d)
	for j := range d.Jobs.All() {
		add(&s, j)
	}
	return statisticsOfJobs(q, d, allJobs, &s)
}

// partValues returns those over the jobs of each part.
func partValues(q *result.OfJobs, d *result.Data) (vs []Value) {
	byPart(&d.Jobs, adds(q, d), func(p part, s *sample) { vs = append(vs, statisticsOfJobs(q, d, p, s)...) })
	return vs
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
			s.open = append(s.open, x)
		}
	}
}

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
		v.About += fmt.Sprintf(", and over %s %s, with at least the time so far", quantity.Counted(v.Open, "jobs"), q.Still)
		if of.name == "max" {
			v.Number, v.Absent = math.NaN(), fmt.Sprintf("%d of %d jobs are %s", v.Open, v.N, q.Still)
			continue
		}
		v.Number, v.Absent = s.censored(of.percent, math.Inf(1), q.Still)
		if of.name == "mean" {
			v.Beyond = dist.NewSurvival(s.xs, s.open).Beyond()
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

// jobRatio returns the ratio of two sums over all jobs; the denominator counts things.
func jobRatio(name string, unit quantity.Unit, better quantity.Direction, jobs *result.Jobs, of func(*result.Job) (num, den float64), things string, absent, about string) Value {
	var s sample
	for j := range jobs.All() {
		num, den := of(j)
		s.num += num
		s.den += den
	}
	return s.ratio(name, unit, better, allJobs, of, things, absent, about)
}

// partRatios returns those over the jobs of each part, which about has a place for.
func partRatios(name string, unit quantity.Unit, better quantity.Direction, jobs *result.Jobs, of func(*result.Job) (num, den float64), things string, absent, about string) (vs []Value) {
	byPart(jobs, func(s *sample, j *result.Job) {
		num, den := of(j)
		s.num += num
		s.den += den
	}, func(p part, s *sample) {
		vs = append(vs, s.ratio(name, unit, better, p, of, things, absent, fmt.Sprintf(about, p.text)))
	})
	return vs
}

func (s *sample) ratio(name string, unit quantity.Unit, better quantity.Direction, p part, of func(*result.Job) (num, den float64), things string, absent, about string) Value {
	v := value(name+p.label, unit, better, quantity.Over(s.num, s.den), int64(s.den), absent, about)
	v.Things, v.PerJob = things, &PerJob{Of: func(j *result.Job) (float64, float64, bool) { n, d := of(j); return n, d, p.has(j) }}
	return v
}

// seconds is a time as a number of things that a mean is over.
func seconds(ms float64) int64 { return int64(math.Round(ms / 1000)) }
