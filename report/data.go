package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"replay/engine/record"
)

// Job is a job's record with sums over its containers and task attempts.
type Job struct {
	record.Job
	AskMS      int64 // sum over executor and task containers of ask to allocation
	Asks       int64 // how many that are
	TaskWaitMS int64 // sum over task attempts of ready to launch
	TaskWaits  int64 // how many that are
}

// Data is what the metrics and plots of one replay are made of.
type Data struct {
	Manifest   record.Manifest
	Jobs       []Job // by ID
	Containers Containers
	Tasks      Tasks
	Queues     *Queues
	Decisions  int64 // how many were written
}

// Containers sums up the containers of a replay: executor and task containers, unless a field says all.
type Containers struct {
	N, AMs     int64
	Ask        Dist // ask to allocation
	AskByQueue map[string]*Dist
	Start      Dist // allocation to process start
	Register   Dist // allocation to ready for tasks
	Matches    [record.Unmatched + 1]int64
	Missed     map[record.Match]*[record.Misses]int64 // by match and reason, of those that preferred hosts
	Ends       map[string]int64
	MemMS      map[string]float64 // MiB-ms allocated, by end; all containers
	AllMemMS   float64            // all containers
	AllCoreMS  float64
	CoreMS     float64 // vcore-ms allocated
	BusyCoreMS float64
	BusyMemMS  float64   // MiB-ms in proportion to the busy cores
	Over       *timeline // matches by time of allocation, columns in the order of record.Match
	Spans      []Span    // the first of all containers, by (allocated, job, number)
}

// Span is one container on the timeline.
type Span struct {
	Job, Number, From, To int64
	Node                  int32
	AM                    bool
	Match                 record.Match
	Queue                 string
}

// maxSpans is how many containers the timeline shows at most.
const maxSpans = 2000

// Tasks sums up the task attempts of a replay.
type Tasks struct {
	N           int64
	Wait        Dist                                       // ready to launch
	Run         Dist                                       // launch to finish, of those that finished
	Missed      map[record.TaskLevel]*[record.Misses]int64 // successful attempts that preferred hosts and missed them
	Ends        map[string]int64
	Speculative int64
	DurationMS  float64 // service time of the trace, successful attempts
	PenaltyMS   float64
	OverheadMS  float64
	Over        *timeline // successful attempts by level and time of launch
	ByNode      taskNodes // the same by node; empty without task rows
}

func newData() *Data {
	d := &Data{Queues: newQueues()}
	d.Containers.AskByQueue = map[string]*Dist{}
	d.Containers.Missed = map[record.Match]*[record.Misses]int64{}
	d.Containers.Ends = map[string]int64{}
	d.Containers.MemMS = map[string]float64{}
	d.Containers.Over = newTimeline("none", "host", "rack", "elsewhere", "unmatched")
	d.Tasks.Missed = map[record.TaskLevel]*[record.Misses]int64{}
	d.Tasks.Ends = map[string]int64{}
	d.Tasks.Over = newTimeline("PROCESS_LOCAL", "NODE_LOCAL", "NO_PREF", "RACK_LOCAL", "ANY")
	return d
}

// collector gathers Data from records as they come.
type collector struct {
	data *Data
	sums map[int64]*jobSums // by job
	open []openContainer    // containers without an end: their time counts up to the end of the replay
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

func newCollector() *collector { return &collector{data: newData(), sums: map[int64]*jobSums{}} }

func (c *collector) job(id int64) *jobSums {
	s := c.sums[id]
	if s == nil {
		s = &jobSums{}
		c.sums[id] = s
	}
	return s
}

func (c *collector) Job(j *record.Job) {
	c.job(j.ID).seen = true
	c.data.Jobs = append(c.data.Jobs, Job{Job: *j})
}

// at reports whether a time happened.
func at(t int64) bool { return t != record.None }

func (c *collector) Container(r *record.Container) {
	d, s := &c.data.Containers, c.job(r.Job)
	span := Span{Job: r.Job, Number: r.Number, From: r.Allocated, To: r.Ended, Node: r.Node, AM: r.AM, Match: r.Match, Queue: r.Queue}
	o := openContainer{span, r.MemMiB, r.VCores, r.BusyMS, r.End}
	if at(r.Ended) {
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
	if at(r.Asked) && at(r.Allocated) {
		wait := r.Allocated - r.Asked
		d.Ask.Add(wait)
		q := d.AskByQueue[r.Queue]
		if q == nil {
			q = &Dist{}
			d.AskByQueue[r.Queue] = q
		}
		q.Add(wait)
		s.askMS += wait
		s.asks++
	}
	if at(r.Started) {
		d.Start.Add(r.Started - r.Allocated)
	}
	if at(r.Registered) {
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
func (c *collector) occupy(o openContainer) {
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
	d.Spans = append(d.Spans, o.span)
	if len(d.Spans) > 2*maxSpans {
		c.cutSpans()
	}
}

func (c *collector) cutSpans() {
	d := &c.data.Containers
	slices.SortFunc(d.Spans, func(a, b Span) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Job, b.Job), cmp.Compare(a.Number, b.Number))
	})
	d.Spans = d.Spans[:min(len(d.Spans), maxSpans)]
}

func (c *collector) Task(r *record.Task) {
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
	if at(r.Finish) {
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

func (c *collector) Sample(r *record.Sample) { c.data.Queues.sample(r) }

func (c *collector) Decision(*record.Decision) { c.data.Decisions++ }

// finish completes the data at the end of the replay and checks that the records agree with
// each other and with the manifest's totals.
func (c *collector) finish(m record.Manifest, tasksSeen bool) (*Data, error) {
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
		if at(t) {
			if t < last {
				complain("job %d: %s at %d ms is before the step before it at %d ms", j.ID, waitParts[i].step, t, last)
			}
			last = t
		}
	}
}
