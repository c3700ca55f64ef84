package report

import (
	"math"
	"slices"
)

// A Metric is a group of values with one definition in docs/metrics.md, under the heading Name.
type Metric struct {
	Name   string // first part of the names of its values
	Title  string
	Values func(*Data) []Value
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

// Direction says which way a value is better.
type Direction int8

// Directions of a value.
const (
	Neither Direction = 0
	Higher  Direction = 1
	Lower   Direction = -1
)

// Family of values that a comparison tests together.
type Family string

// The families; values of no family get an interval and no test.
const (
	Headline Family = "headline"
	Shares   Family = "queue shares"
)

// A Value is one number of a replay.
type Value struct {
	Name   string // as in summary.json; "[queue=…]", "[size=…]" and "[reason=…]" tell the parts of a whole apart
	Unit   string // ms, share, count, …
	About  string // definition in a line
	Number float64
	Absent string // why there is no number; then Number is NaN
	N      int64  // how many things it is about
	Better Direction
	Family Family
	PerJob *PerJob // how it follows from jobs, for the bootstrap; nil when it does not
}

// PerJob computes a value from jobs: the ratio of two sums over jobs, or a percentile over them.
type PerJob struct {
	// Of returns a job's share in the numerator and the denominator; false leaves the job out.
	// For a percentile, num is the job's value and den is 1.
	Of      func(*Job) (num, den float64, ok bool)
	Percent float64 // the percentile, 0 for a ratio
}

// value checks the number: what cannot be computed is absent with a reason, never NaN without one.
func value(name, unit string, better Direction, number float64, n int64, absent, about string) Value {
	v := Value{Name: name, Unit: unit, Better: better, Number: number, N: n, About: about}
	if math.IsNaN(number) || math.IsInf(number, 0) {
		v.Number, v.Absent = math.NaN(), absent
		if absent == "" {
			panic("report: " + name + " is not a number and has no reason")
		}
	}
	return v
}

// over returns a/b, NaN when b is 0.
func over(a, b float64) float64 {
	if b == 0 {
		return math.NaN()
	}
	return a / b
}

// statistics of a distribution, in the order shown; percent is 0 for those that are no percentile.
var statistics = []struct {
	name    string
	text    string
	percent float64
}{{"mean", "mean", 0}, {"p50", "median", 50}, {"p90", "90th percentile", 90}, {"p95", "95th percentile", 95}, {"p99", "99th percentile", 99}, {"max", "largest", 0}}

// distValues returns the statistics of a distribution of times, as name_<statistic>_ms.
func distValues(name, label string, d *Dist, absent, about string) []Value {
	q := d.Quantiles(.5, .9, .95, .99)
	numbers := []float64{d.Mean(), q[0], q[1], q[2], q[3], d.Max()}
	out := make([]Value, len(statistics))
	for i, s := range statistics {
		out[i] = value(name+"_"+s.name+"_ms"+label, "ms", Lower, numbers[i], d.N(), absent, s.text+" of "+about)
	}
	return out
}

// jobValues returns the statistics over jobs of the value that of gives, as name_<statistic><suffix>.
func jobValues(name, suffix, unit string, jobs []Job, of func(*Job) (float64, bool), absent, about string) []Value {
	var xs []float64
	for i := range jobs {
		if x, ok := of(&jobs[i]); ok {
			xs = append(xs, x)
		}
	}
	p := percentiles(xs, 50, 90, 95, 99)
	largest := math.NaN()
	if len(xs) > 0 {
		largest = slices.Max(xs)
	}
	numbers := []float64{mean(xs), p[0], p[1], p[2], p[3], largest}
	out := make([]Value, len(statistics))
	for i, s := range statistics {
		out[i] = value(name+"_"+s.name+suffix, unit, Lower, numbers[i], int64(len(xs)), absent, s.text+" of "+about)
		if s.name != "max" {
			out[i].PerJob = &PerJob{func(j *Job) (float64, float64, bool) { x, ok := of(j); return x, 1, ok }, s.percent}
		}
	}
	return out
}

// jobRatio returns the ratio of two sums over jobs.
func jobRatio(name, unit string, better Direction, jobs []Job, of func(*Job) (num, den float64, ok bool), absent, about string) Value {
	num, den := 0.0, 0.0
	for i := range jobs {
		if n, d, ok := of(&jobs[i]); ok {
			num += n
			den += d
		}
	}
	v := value(name, unit, better, over(num, den), int64(den), absent, about)
	v.PerJob = &PerJob{Of: of}
	return v
}

// parts of jobs by which values are told apart.
type part struct {
	label string // "[queue=root.a]"
	text  string
	has   func(*Job) bool
}

// partsOf returns the parts of the jobs by queue and by size, without empty ones.
func partsOf(jobs []Job) (parts []part) {
	queues := map[string]bool{}
	sizes := map[string]bool{}
	var names []string
	for i := range jobs {
		if q := jobs[i].Queue; !queues[q] {
			queues[q] = true
			names = append(names, q)
		}
		sizes[jobs[i].size()] = true
	}
	slices.Sort(names)
	for _, q := range names {
		parts = append(parts, part{"[queue=" + q + "]", "in queue " + q, func(j *Job) bool { return j.Queue == q }})
	}
	for _, c := range sizeClasses {
		if sizes[c.name] {
			parts = append(parts, part{"[size=" + c.name + "]", "of jobs of " + c.name + " tasks", func(j *Job) bool { return j.size() == c.name }})
		}
	}
	return parts
}
