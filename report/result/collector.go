package result

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"replay/engine/record"
	"replay/report/dist"
)

// Collector is a record.Sink that gathers [Data] from records as they come, and writes nothing.
type Collector struct {
	data *Data
	sums map[int64]*jobSums // by job
	open []openContainer    // containers without an end: their time counts up to the end of the replay
	cut  bool               // spans were cut to those that are shown, which come first
}

type jobSums struct {
	askMS, asks, taskMS, ready   int64
	containers, preferring, host int64
	rack, hinting, hinted        int64
	tasks                        int64
	levels                       [5]int64
	tasksPreferring              int64
	seen                         bool // its job record came
}

type openContainer struct {
	span              Span
	mem, vcores, busy int64
	end               string
}

var _ record.Sink = (*Collector)(nil)

// NewCollector returns an empty sink for one replay.
func NewCollector() *Collector { return &Collector{data: newData(), sums: map[int64]*jobSums{}} }

func (c *Collector) job(id int64) *jobSums {
	s := c.sums[id]
	if s == nil {
		s = &jobSums{}
		c.sums[id] = s
	}
	return s
}

// Job implements record.Sink.
func (c *Collector) Job(j *record.Job) {
	c.job(j.ID).seen = true
	c.data.Jobs = append(c.data.Jobs, Job{Job: *j})
}

// Container implements record.Sink.
func (c *Collector) Container(r *record.Container) {
	d, s := &c.data.Containers, c.job(r.Job)
	span := Span{Job: r.Job, Number: r.Number, From: r.Allocated, To: r.Ended, Node: r.Node, AM: r.AM, Match: r.Match, Queue: r.Queue}
	o := openContainer{span, r.MemMiB, r.VCores, r.BusyMS, r.End}
	if Happened(r.Ended) {
		c.occupy(o)
	} else {
		c.open = append(c.open, o)
	}
	if r.AM {
		d.AMs++
		return
	}
	d.N++
	s.containers++
	if Happened(r.Asked) && Happened(r.Allocated) {
		wait := r.Allocated - r.Asked
		d.Ask.Add(wait)
		q := d.AskByQueue[r.Queue]
		if q == nil {
			q = &dist.Dist{}
			d.AskByQueue[r.Queue] = q
		}
		q.Add(wait)
		s.askMS += wait
		s.asks++
	}
	if Happened(r.Started) {
		d.Start.Add(r.Started - r.Allocated)
	}
	if Happened(r.Registered) {
		d.Register.Add(r.Registered - r.Allocated)
	}
	if r.Hinting {
		s.hinting++
		if r.Hinted {
			s.hinted++
		}
	}
	d.Matches[r.Match]++
	d.Over.Count(int(r.Match), r.Allocated, 1)
	switch r.Match {
	case record.OnHost:
		s.preferring++
		s.host++
	case record.OnRack, record.Elsewhere:
		s.preferring++
		if r.Match == record.OnRack {
			s.rack++
		}
		countMiss(d.Missed, r.Match, r.Miss)
	}
	d.Ends[r.End]++
}

func countMiss[K comparable](m map[K]*[record.Misses]int64, k K, why record.Miss) {
	if m[k] == nil {
		m[k] = &[record.Misses]int64{}
	}
	m[k][why]++
}

// occupy counts the resources of a container over its time.
func (c *Collector) occupy(o openContainer) {
	d := &c.data.Containers
	ms := float64(o.span.To - o.span.From)
	mem := float64(float64(o.mem) * ms)
	cores := float64(float64(o.vcores) * ms)
	d.AllMemMS += mem
	d.AllCoreMS += cores
	d.MemMS[o.end] += mem
	if !o.span.AM {
		d.CoreMS += cores
		d.BusyCoreMS += float64(o.busy)
		if o.vcores > 0 {
			d.BusyMemMS += min(mem, float64(float64(o.mem)*float64(o.busy))/float64(o.vcores))
		}
	}
	if c.cut && o.span.compare(&d.Spans[maxSpans-1]) > 0 {
		return // behind the last of those that are shown
	}
	d.Spans = append(d.Spans, o.span)
	if len(d.Spans) > 2*maxSpans {
		c.cutSpans()
		c.cut = true
	}
}

func (s *Span) compare(o *Span) int {
	return cmp.Or(cmp.Compare(s.From, o.From), cmp.Compare(s.Job, o.Job), cmp.Compare(s.Number, o.Number))
}

func (c *Collector) cutSpans() {
	d := &c.data.Containers
	slices.SortFunc(d.Spans, func(a, b Span) int { return a.compare(&b) })
	d.Spans = d.Spans[:min(len(d.Spans), maxSpans)]
}

// Task implements record.Sink.
func (c *Collector) Task(r *record.Task) {
	d, s := &c.data.Tasks, c.job(r.Job)
	d.N++
	s.tasks++
	d.Ends[r.End]++
	if r.Speculative {
		d.Speculative++
	}
	d.Wait.Add(r.Launch - r.Ready)
	s.taskMS += r.Launch - r.Ready
	s.ready++
	if Happened(r.Finish) {
		d.Run.Add(r.Finish - r.Launch)
	}
	if r.End != record.TaskSuccess {
		return
	}
	s.levels[r.Level]++
	d.DurationMS += float64(r.DurationMS)
	d.PenaltyMS += float64(r.PenaltyMS)
	d.OverheadMS += float64(r.OverheadMS)
	d.Over.Count(int(r.Level), r.Launch, 1)
	d.ByNode.count(r.Node, r.Launch)
	if r.Preferring {
		s.tasksPreferring++
		if !r.Preferred {
			countMiss(d.Missed, r.Level, r.Miss)
		}
	}
}

// Sample implements record.Sink.
func (c *Collector) Sample(r *record.Sample) { c.data.Queues.sample(r) }

// Node implements record.Sink. Samples have the capacity of the cluster.
func (c *Collector) Node(*record.Node) {}

// Decision implements record.Sink. Nothing that is kept follows from decisions.
func (c *Collector) Decision(*record.Decision) {}

// Finish completes the data with the manifest of the replay. When the records contradict each other or the
// manifest's totals, it returns an error that says where.
func (c *Collector) Finish(m record.Manifest) (*Data, error) { return c.finish(m, true) }

// finish is Finish; the task attempts of the totals can only be checked when each was seen.
func (c *Collector) finish(m record.Manifest, tasksSeen bool) (*Data, error) {
	d := c.data
	d.Manifest = m
	for _, o := range c.open {
		o.span.To = max(m.Totals.EndMS, o.span.From)
		c.occupy(o)
	}
	c.cutSpans()
	d.Queues.finish(m.Totals.EndMS)
	slices.SortFunc(d.Jobs, func(a, b Job) int { return cmp.Compare(a.ID, b.ID) })
	var wrong []string
	complain := func(format string, args ...any) {
		if len(wrong) < 10 {
			wrong = append(wrong, fmt.Sprintf(format, args...))
		}
	}
	var tasks, succeeded, failed int64
	for i := range d.Jobs {
		j := &d.Jobs[i]
		s := c.sums[j.ID]
		j.AskMS, j.Asks, j.TaskWaitMS, j.TaskWaits = s.askMS, s.asks, s.taskMS, s.ready
		tasks += j.Tasks
		succeeded += j.TasksSucceeded
		failed += j.TasksFailed
		checkJob(j, s, tasksSeen, complain)
	}
	for _, id := range slices.Sorted(maps.Keys(c.sums)) {
		if !c.sums[id].seen {
			complain("job %d has containers or tasks but no record of its own", id)
		}
	}
	t := m.Totals
	for _, e := range []struct {
		what      string
		got, want int64
	}{
		{"jobs", int64(len(d.Jobs)), t.Jobs},
		{"tasks of jobs", tasks, t.Tasks},
		{"tasks succeeded", succeeded, t.TasksSucceeded},
		{"tasks failed", failed, t.TasksFailed},
		{"containers", d.Containers.N + d.Containers.AMs, t.ContainersAllocated},
		{"containers ended and running", t.ContainersEnded + t.ContainersRunning, t.ContainersAllocated},
		{"containers running", int64(len(c.open)), t.ContainersRunning},
	} {
		if e.got != e.want {
			complain("%s: records say %d, totals %d", e.what, e.got, e.want)
		}
	}
	if tasksSeen && d.Tasks.N != t.TaskAttempts {
		complain("task attempts: records say %d, totals %d", d.Tasks.N, t.TaskAttempts)
	}
	if len(wrong) > 0 {
		return nil, fmt.Errorf("records of the replay do not add up: %s", strings.Join(wrong, "; "))
	}
	return d, nil
}

// checkJob compares a job's own counters with its containers and tasks, and the order of its times.
func checkJob(j *Job, s *jobSums, tasksSeen bool, complain func(string, ...any)) {
	type pair struct {
		what      string
		got, want int64
	}
	pairs := []pair{
		{"containers", j.Containers, s.containers},
		{"containers with a preference", j.ContainersPreferring, s.preferring},
		{"containers on a preferred host", j.ContainersPreferred, s.host},
		{"containers on the rack of one", j.ContainersRackPreferred, s.rack},
		{"containers while tasks preferred hosts", j.ContainersHinting, s.hinting},
		{"containers on such a host", j.ContainersHinted, s.hinted},
	}
	if tasksSeen {
		pairs = append(pairs, pair{"task attempts", j.Attempts, s.tasks}, pair{"tasks with a preference", j.TasksPreferring, s.tasksPreferring})
		for l, n := range j.TaskLevels {
			pairs = append(pairs, pair{"tasks at " + record.TaskLevel(l).String(), n, s.levels[l]})
		}
	}
	for _, p := range pairs {
		if p.got != p.want {
			complain("job %d: %s: its record says %d, theirs %d", j.ID, p.what, p.got, p.want)
		}
	}
	last := j.Submit
	for i, t := range j.times() {
		if Happened(t) {
			if t < last {
				complain("job %d: %s at %d ms is before the step before it at %d ms", j.ID, WaitParts[i].Step, t, last)
			}
			last = t
		}
	}
}
