// Package shares adds up, from the samples of a replay, what each queue and the cluster held over time, and what of its fair share
// each leaf queue received. Sums are integrals over simulated time: shares of a cluster in ms, memory in MiB ms.
package shares

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"replay/engine/record"
	"replay/report/sums"
)

// Columns of a timeline, each the integral of a sample's field over a bucket. That of a queue has the first [queueFields], that of the cluster all.
const (
	Dominant     = iota // larger of the used shares of memory and vcores
	FairDominant        // the same of the fair shares
	Present             // time that the queue was sampled
	UsedMem
	UsedVCores
	CapacityMem
	CapacityVCores
	BusyCores
	Running   // runnable applications
	Waiting   // applications that a limit keeps from being runnable
	InCluster // nodes
	fields

	queueFields = Present + 1
)

// MostQueues is of how many leaf queues the timelines are kept.
const MostQueues = 12

// belowTolerance is the share of its entitlement that a queue may lack before it counts as below it.
const belowTolerance = 0.1

// Queues are the samples of a replay, each taken to hold until the next.
type Queues struct {
	Names   []string                  // leaf queues in order of name
	Over    map[string]*sums.Timeline // of the cluster, whose name is empty, and of the [Queues.Largest]
	Cluster Totals
	ByQueue map[string]*Share
	JainMS  float64 // time with at least two leaf queues entitled to something
	JainSum float64 // integral of Jain's index of received over entitled (memory) over that time
	DomMS   float64 // time with at least two leaf queues having unmet demand
	DomSum  float64 // integral of Jain's index of dominant over steady share over that time
	End     int64
	group   []record.Sample // rows of the present instant
	held    []alike         // instants that are not counted yet
	parents map[string]bool
	known   map[string]*tracked
	rows    []*tracked // those of the rows of an instant, which come in the same order each time
	steps
}

// tracked is what is kept of a queue, or of the cluster, whose name is empty.
type tracked struct {
	name  string
	over  *sums.Timeline // nil before it is made, and while the queue has used nothing and nothing was due to it: files have thousands that no job names
	share *Share         // nil for the cluster
	leaf  bool

	since, until int64 // time in which the queue was there without a timeline
	standing
	stretches []stretch // of what is to be put into the timeline
	away      bool      // scratch of [Queues.turn]
}

// Totals are integrals over the sampled time; those of the capacity, which whole containers are set against, are over that of the replay and not from samples.
type Totals struct {
	Dominant, CapMem, CapVCores, Nodes, MS float64

	PendingMS, ContendedMS float64 // time with unmet demand in one leaf queue or more, and in two or more
}

// Share is what one leaf queue received and was entitled to, as integrals over time.
type Share struct {
	UsedMem, UsedVCores, Dominant          float64 // of the cluster's share x ms
	Entitled, Within, Below, EntitledMS    float64 // memory: MiB-ms, MiB-ms, ms, ms
	Received                               float64 // MiB-ms while entitled
	ContendedMem, ContendedVCores, ContDom float64 // share x ms while at least two queues had unmet demand
	PendingMS                              float64
	HasFair                                bool
}

// New returns queues without a sample.
func New() *Queues {
	return &Queues{Over: map[string]*sums.Timeline{}, ByQueue: map[string]*Share{}, parents: map[string]bool{}, known: map[string]*tracked{}}
}

// alike are the samples of instants one after the other that differ in their times alone.
type alike struct {
	rows    []record.Sample
	times   []int64
	counted bool // up to one of the times
}

// mostHeld is how many different instants wait to be counted. A replay of which jobs can never finish is found to have ended long ago: of the samples since then, which are not
// counted, hardly any differ.
const mostHeld = 8

// Sample takes in a row of an instant, of the cluster or of a queue. Rows come in the order of time, those of an instant one after the other.
func (q *Queues) Sample(r *record.Sample) {
	n := len(q.group)
	if n > 0 && q.group[0].Time != r.Time {
		q.hold()
		n = 0
	}
	if n == cap(q.group) {
		q.group = slices.Grow(q.group, n+1)
	}
	q.group = q.group[:n+1]
	q.group[n] = *r
}

// hold has the present instant wait to be counted.
func (q *Queues) hold() {
	at := q.group[0].Time
	if n := len(q.held); n > 0 && q.held[n-1].like(q.group) {
		q.held[n-1].times = append(q.held[n-1].times, at)
		q.group = q.group[:0]
		return
	}
	var spare []record.Sample
	if len(q.held) == mostHeld {
		spare = q.held[0].rows
		q.count(&q.held[0], q.held[1].times[0])
		q.held = slices.Delete(q.held, 0, 1)
	}
	q.held = append(q.held, alike{rows: q.group, times: []int64{at}})
	q.group = spare[:0]
}

// like reports whether rows differ from those of the instants in their time alone.
func (a *alike) like(rows []record.Sample) bool {
	if len(a.rows) != len(rows) {
		return false
	}
	for i := range rows {
		row := rows[i]
		if row.Time = a.rows[i].Time; row != a.rows[i] {
			return false
		}
	}
	return true
}

// count counts instants, the last up to a time.
func (q *Queues) count(a *alike, until int64) {
	for i, from := range a.times {
		next := until
		if i+1 < len(a.times) {
			next = min(until, a.times[i+1])
		}
		if from <= next {
			if !a.counted {
				q.turn(a.rows)
				a.counted = true
			}
			q.step(from, next)
			q.End = next
		}
	}
}

// Finish counts what is held until the end of the replay, ms. After it nothing is added.
func (q *Queues) Finish(end int64) {
	if len(q.group) > 0 {
		q.hold()
	}
	for i := range q.held {
		until := end
		if i+1 < len(q.held) {
			until = min(end, q.held[i+1].times[0])
		}
		q.count(&q.held[i], until)
		q.flushAll()
		for k := range q.held[i].rows { // of whom there is nothing to count has a name
			q.track(k, q.held[i].rows[k].Queue)
		}
	}
	q.held = nil
	q.End = max(q.End, end)
	for name := range q.ByQueue {
		if !q.parents[name] {
			q.Names = append(q.Names, name)
		}
	}
	slices.Sort(q.Names)
	shown := q.Largest(MostQueues)
	for _, name := range shown {
		t := q.known[name]
		if q.draw(t); t.over == nil {
			q.begin(t, queueFields)
		}
	}
	maps.DeleteFunc(q.Over, func(name string, _ *sums.Timeline) bool { return name != "" && !slices.Contains(shown, name) })
	q.known, q.rows, q.steps = nil, nil, steps{}
}

// Largest returns the leaf queues that used most, in order of name: n of them, at most [MostQueues], or all if there are less.
func (q *Queues) Largest(n int) []string {
	names := slices.Clone(q.Names)
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(q.ByQueue[b].Dominant, q.ByQueue[a].Dominant) })
	names = names[:min(len(names), n, MostQueues)]
	slices.Sort(names)
	return names
}

// Whole reports whether all is there that a program relies on, of queues that were read.
func (q *Queues) Whole() bool {
	if q == nil || q.End < 0 || q.End > 1<<62 || q.Over == nil || q.ByQueue == nil {
		return false
	}
	for _, share := range q.ByQueue {
		if share == nil {
			return false
		}
	}
	for name, t := range q.Over {
		columns := queueFields
		if name == "" {
			columns = fields
		}
		if !t.Has(columns) {
			return false
		}
	}
	if slices.ContainsFunc(q.Names, func(name string) bool { return q.ByQueue[name] == nil }) {
		return false
	}
	return !slices.ContainsFunc(q.Largest(MostQueues), func(name string) bool { return q.Over[name] == nil })
}

// track finds what is kept of the queue of row i, and begins it.
func (q *Queues) track(i int, name string) {
	if i < len(q.rows) && q.rows[i].name == name {
		return
	}
	t := q.known[name]
	if t == nil {
		t = &tracked{name: name, leaf: name != "" && !q.parents[name]}
		q.known[name] = t
		if name == "" {
			q.begin(t, fields)
		} else {
			t.share = &Share{}
			q.ByQueue[name] = t.share
		}
		for p := name; strings.IndexByte(p, '.') > 0; {
			p = p[:strings.LastIndexByte(p, '.')]
			q.parents[p] = true
			if above := q.known[p]; above != nil {
				above.leaf = false
			}
		}
	}
	if i == len(q.rows) {
		q.rows = append(q.rows, nil)
	}
	q.rows[i] = t
}

// begin begins a timeline, with the time in which the queue was there before.
func (q *Queues) begin(t *tracked, columns int) {
	t.over = sums.NewTimeline(columns)
	q.Over[t.name] = t.over
	t.over.HoldAll(t.since, t.until, []float64{Present: 1})
}

// ratio returns a/b, 0 when b is 0: a share of a cluster that has nothing is none.
func ratio(a, b float64) float64 {
	if a == 0 || b == 0 { // most queues have nothing, and a division takes long
		return 0
	}
	return a / b
}

// jain returns Jain's index of fairness, (sum x)^2 / (n sum x^2): 1 when all are equal, 1/n
// when one has all. It is NaN when there is nothing to compare or all are zero.
//
// Source: docs/metrics.md, "fairness".
func jain(xs []float64) float64 {
	var sum, squares float64
	for _, x := range xs {
		sum += x
		squares += float64(x * x)
	}
	if squares == 0 {
		return math.NaN()
	}
	return float64(sum*sum) / float64(float64(len(xs))*squares)
}
