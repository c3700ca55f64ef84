package metric

import (
	"fmt"
	"math"

	"replay/report/dist"
	"replay/report/quantity"
	"replay/report/result"
)

// PerJob computes a value from jobs: the ratio of two sums over jobs, or a statistic of a time or number that each job has.
type PerJob struct {
	// Of returns a job's share in the numerator and the denominator; false leaves the job out.
	// For a percentile, num is the job's value and den is 1.
	Of func(*result.Job) (num, den float64, ok bool)
	// Open returns how large the value of a job is at least of which it is not over; nil for what is always over.
	Open    func(*result.Job) (least float64, ok bool)
	Percent float64 // the percentile, 0 for a ratio or a mean
	still   string
	endless bool // what is open never ends, as the replay went on until nothing more could happen
}

// Has reports whether a job counts, and whether its value is open.
func (p *PerJob) Has(j *result.Job) (counts, open bool) {
	if _, _, ok := p.Of(j); ok {
		return true, false
	}
	if p.Open != nil {
		_, open = p.Open(j)
	}
	return open, open
}

// Sees is the largest value that jobs tell something of: no limit when none is open.
func (p *PerJob) Sees(jobs []*result.Job) float64 {
	s := p.sample(jobs)
	if len(s.open) == 0 {
		return math.Inf(1)
	}
	return s.curve().Most()
}

// Over computes the value v again from jobs. Where some are open, or censored says that some are in what it is compared with, a
// mean counts values above horizon as horizon, and percentiles are those of Kaplan and Meier.
func (p *PerJob) Over(v *Value, jobs []*result.Job, censored bool, horizon float64) {
	s := p.sample(jobs)
	v.N, v.Open, v.Absent = int64(s.den)+int64(len(s.open)), int64(len(s.open)), ""
	switch {
	case censored && p.Open != nil:
		v.Number, v.Absent = s.censored(p.Percent, horizon, p.still)
	case p.Percent > 0:
		v.Number = dist.Percentiles(s.xs, p.Percent)[0]
	default:
		v.Number = quantity.Over(s.num, s.den)
	}
	if math.IsNaN(v.Number) && v.Absent == "" {
		v.Absent = "no job has it in every variant"
	}
}

// sample is what jobs say of a value.
type sample struct {
	num, den float64
	xs, open []float64
	endless  bool // what is open never ends
}

func (s *sample) curve() *dist.Survival { return dist.NewSurvival(s.xs, s.open, s.endless) }

func (p *PerJob) sample(jobs []*result.Job) (s sample) {
	s.endless = p.endless
	for _, j := range jobs {
		if a, b, ok := p.Of(j); ok {
			s.num += a
			s.den += b
			s.xs = append(s.xs, a)
		} else if p.Open != nil {
			if x, ok := p.Open(j); ok {
				s.open = append(s.open, x)
			}
		}
	}
	return s
}

// censored returns a percentile, or with 0 the mean up to horizon, where some values are open; or why there is none.
func (s *sample) censored(percent, horizon float64, still string) (x float64, absent string) {
	curve := s.curve()
	if percent == 0 {
		return curve.Mean(min(horizon, curve.Most())), ""
	}
	if x = curve.Quantile(percent / 100); math.IsNaN(x) && len(s.xs)+len(s.open) > 0 {
		absent = fmt.Sprintf("%s of %s jobs are %s, too many to know it", quantity.Thousands(int64(len(s.open))), quantity.Thousands(int64(len(s.xs)+len(s.open))), still)
	}
	return x, absent
}
