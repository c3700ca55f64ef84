// Package metric computes the values of a replay from its [result.Data], a file for each metric of docs/metrics.md, and writes their summary as text and JSON.
// A value has a name, a unit, a population, and where there is no number the reason of it.
package metric

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"replay/report/dist"
	"replay/report/quantity"
	"replay/report/result"
)

// A Metric is a group of values with one definition in docs/metrics.md, under the heading Name.
type Metric struct {
	Name   string // first part of the names of its values
	Title  string
	values func(*pass) func() []Value // says what it takes of each job, and returns what gives its values when all have passed
}

// Values computes the metric alone.
func (m *Metric) Values(d *result.Data) []Value { return of(d, []Metric{*m}).Values }

// Ranking are the metrics that several choices are put in order by: times that users of a cluster feel.
var Ranking = []string{"wait_job_first_task_mean_ms", "duration_job_mean_ms"}

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
	cost,
	modelled,
}

// A Value is the number of one quantity in a replay.
type Value struct {
	quantity.Quantity
	Number float64
	Absent string  // why there is no number; then Number is NaN
	N      int64   // how many things it is about
	Things string  // what they are called: jobs, containers, task attempts; empty when it is about none in particular
	Whole  int64   // how many such things the replay has; 0 when it is not about a part of them
	Ends   bool    // an end that was asked for decides what it is about: when the last jobs end, or waits that are over and none that go on
	Open   int64   // how many of N are not over: they count with at least the time so far
	Still  string  // what they are: "still waiting"
	Beyond float64 // of a mean over open ones: the part of the things that last longer than any that is over, which it knows no end of
	PerJob *PerJob // how it follows from jobs; nil when it does not
}

// headline puts the value among those that are shown first and tested together: in words within a sentence, and
// short beside an axis.
func (v *Value) headline(plain, short string) {
	v.Family, v.Plain, v.Short = quantity.Headline, plain, short
}

// movedBy says of the value what moves it by itself.
func (v Value) movedBy(by quantity.MovedBy) Value {
	v.MovedBy = by
	return v
}

// Words is what one of values is called: in words where it is told first, or is a part of one that is ("p95 wait for the first task, queue root.a"), else by its name.
func Words(values []Value, at int) string {
	v := &values[at]
	name, part, ok := strings.Cut(strings.TrimSuffix(v.Name, "]"), "[")
	if i := slices.IndexFunc(values, func(o Value) bool { return o.Name == name }); ok && v.Plain == "" && i >= 0 && values[i].Plain != "" {
		return values[i].Plain + ", " + strings.Replace(part, "=", " ", 1)
	}
	return cmp.Or(v.Plain, v.Name)
}

// Queue is the queue that the value is about, "" for none.
func (v *Value) Queue() string {
	_, queue, _ := strings.Cut(v.Name, "[queue=")
	return strings.TrimSuffix(queue, "]")
}

// thin is the part of a whole below which a number says little about the whole.
const thin = 0.05

// Least reports whether the value is a mean of which so much is open that it is known to be at least its number, and not how much more.
func (v *Value) Least() bool { return v.Beyond > thin }

// Thin reports whether the value is about so few of the things of the replay that it is no news: the share of a
// single container out of 173.
func (v *Value) Thin() bool { return v.Whole > 0 && float64(v.N) < thin*float64(v.Whole) }

// percentiles are those of which hardly one lies beyond, of fewer things than these.
var percentiles = []struct {
	name  string
	least int64
}{{"p90", int64(dist.LeastOf(90))}, {"p95", int64(dist.LeastOf(95))}, {"p99", int64(dist.LeastOf(99))}}

// few is the place in percentiles of one of so few things that it is about the largest of them, -1 of other values.
func (v *Value) few() int {
	for i, q := range percentiles {
		if strings.Contains(v.Name, "_"+q.name) && v.N > 0 && v.N < q.least {
			return i
		}
	}
	return -1
}

// Few says of a percentile of so few things that hardly one lies beyond it that it is about the largest; empty of others.
func (v *Value) Few() string {
	if i := v.few(); i >= 0 {
		return "of so few, " + percentiles[i].name + " is about the largest"
	}
	return ""
}

// FewAmong says what [Value.Few] says, of several values in a sentence; empty where it is about none.
func FewAmong(values []*Value) string {
	var said []string
	for i, q := range percentiles {
		if slices.ContainsFunc(values, func(v *Value) bool { return v.few() == i }) {
			said = append(said, fmt.Sprintf("%s of fewer than %d is about the largest of them", q.name, q.least))
		}
	}
	if said == nil {
		return ""
	}
	return "The " + strings.Join(said, ", the ") + "."
}

// Of says how many things the value is about, and of how many when those are a part: "173 containers", "160 of 173 containers".
func (v *Value) Of() string {
	switch {
	case v.Things == "":
		return ""
	case v.Whole > 0 && v.N < v.Whole:
		return quantity.Thousands(v.N) + " of " + quantity.Counted(v.Whole, v.Things) + v.open()
	}
	return quantity.Counted(v.N, v.Things) + v.open()
}

// open says how many are not over, empty when all are.
func (v *Value) open() string {
	if v.Open == 0 {
		return ""
	}
	return ", " + quantity.Thousands(v.Open) + " of them " + v.Still
}

// Amount returns a value for people, with its unit; a dash and the reason when absent.
func (v *Value) Amount() string {
	if v.Absent != "" {
		return "- (" + v.Absent + ")"
	}
	return v.Unit.Amount(v.Number)
}

// Text is [Value.Amount] and, for a share, of how many.
func (v *Value) Text() string {
	if of := v.Of(); v.Absent == "" && v.Unit == quantity.Share && of != "" {
		return v.Amount() + " of " + of
	}
	return v.Amount()
}
