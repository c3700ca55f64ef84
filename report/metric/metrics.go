package metric

import (
	"replay/report/quantity"
	"replay/report/result"
)

// A Metric is a group of values with one definition in docs/metrics.md, under the heading Name.
type Metric struct {
	Name   string // first part of the names of its values
	Title  string
	Values func(*result.Data) []Value
}

// Metrics are all metrics, in the order in which they are shown.
var Metrics = []Metric{
	localityContainers,
	localityTasks,
	waitJob,
	waitContainer,
	waitTask,
	durationJob,
	slowdown,
	makespan,
	throughput,
	utilization,
	fairness,
	queueShares,
	waste,
	modelled,
}

// A Value is the number of one quantity in a replay.
type Value struct {
	quantity.Quantity
	Number float64
	Absent string  // why there is no number; then Number is NaN
	N      int64   // how many things it is about
	PerJob *PerJob // how it follows from jobs, for the bootstrap; nil when it does not
}

// headline puts the value among those that are shown first and tested together: in words within a sentence, and
// short beside an axis.
func (v *Value) headline(plain, short string) {
	v.Family, v.Plain, v.Short = quantity.Headline, plain, short
}

// Text returns a value for people, with its unit; a dash and the reason when absent.
func (v *Value) Text() string {
	if v.Absent != "" {
		return "- (" + v.Absent + ")"
	}
	return v.Unit.Amount(v.Number)
}

// PerJob computes a value from jobs: the ratio of two sums over jobs, or a percentile over them.
type PerJob struct {
	// Of returns a job's share in the numerator and the denominator; false leaves the job out.
	// For a percentile, num is the job's value and den is 1.
	Of      func(*result.Job) (num, den float64, ok bool)
	Percent float64 // the percentile, 0 for a ratio
}
