package metric

import (
	"math"
	"slices"

	"replay/report/dist"
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
	slowdownMetric,
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

// distValues returns the statistics of a distribution of times, as name_<statistic>_ms.
func distValues(name, label string, d *dist.Dist, absent, about string) []Value {
	q := d.Quantiles(.5, .9, .95, .99)
	numbers := []float64{d.Mean(), q[0], q[1], q[2], q[3], d.Max()}
	out := make([]Value, len(statistics))
	for i, s := range statistics {
		out[i] = value(name+"_"+s.name+"_ms"+label, quantity.MS, quantity.Lower, numbers[i], d.N(), absent, s.text+" of "+about)
	}
	return out
}

// jobValues returns the statistics over jobs of the value that of gives, as name_<statistic><suffix>.
func jobValues(name, suffix string, unit quantity.Unit, jobs []result.Job, of func(*result.Job) (float64, bool), absent, about string) []Value {
	var xs []float64
	for i := range jobs {
		if x, ok := of(&jobs[i]); ok {
			xs = append(xs, x)
		}
	}
	p := dist.Percentiles(xs, 50, 90, 95, 99)
	largest := math.NaN()
	if len(xs) > 0 {
		largest = slices.Max(xs)
	}
	numbers := []float64{dist.Mean(xs), p[0], p[1], p[2], p[3], largest}
	out := make([]Value, len(statistics))
	for i, s := range statistics {
		out[i] = value(name+"_"+s.name+suffix, unit, quantity.Lower, numbers[i], int64(len(xs)), absent, s.text+" of "+about)
		if s.name != "max" {
			out[i].PerJob = &PerJob{func(j *result.Job) (float64, float64, bool) { x, ok := of(j); return x, 1, ok }, s.percent}
		}
	}
	return out
}

// jobRatio returns the ratio of two sums over jobs.
func jobRatio(name string, unit quantity.Unit, better quantity.Direction, jobs []result.Job, of func(*result.Job) (num, den float64, ok bool), absent, about string) Value {
	num, den := 0.0, 0.0
	for i := range jobs {
		if n, d, ok := of(&jobs[i]); ok {
			num += n
			den += d
		}
	}
	v := value(name, unit, better, quantity.Over(num, den), int64(den), absent, about)
	v.PerJob = &PerJob{Of: of}
	return v
}

// parts of jobs by which values are told apart.
type part struct {
	label string // "[queue=root.a]"
	text  string
	has   func(*result.Job) bool
}

// partsOf returns the parts of the jobs by queue and by size, without empty ones.
func partsOf(jobs []result.Job) (parts []part) {
	queues := map[string]bool{}
	sizes := map[string]bool{}
	var names []string
	for i := range jobs {
		if q := jobs[i].Queue; !queues[q] {
			queues[q] = true
			names = append(names, q)
		}
		sizes[jobs[i].Size()] = true
	}
	slices.Sort(names)
	for _, q := range names {
		parts = append(parts, part{"[queue=" + q + "]", "in queue " + q, func(j *result.Job) bool { return j.Queue == q }})
	}
	for _, c := range result.SizeClasses {
		if sizes[c.Name] {
			parts = append(parts, part{"[size=" + c.Name + "]", "of jobs of " + c.Name + " tasks", func(j *result.Job) bool { return j.Size() == c.Name }})
		}
	}
	return parts
}
