package google

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"time"

	"replay/spill"
	"replay/trace"
	"replay/trace/importer/containers"
	"replay/trace/importer/rows"
	"replay/trace/importer/workload"
)

var params = append(slices.Clone(rows.Machine),
	workload.Param{Name: "span", Default: "last", Usage: "how long a task takes that ran several times: last (its last run) or sum (all of them)"},
	rows.KeepCensored)

// latestUS is the latest time of a clock in µs: some 290 years.
const latestUS = 1 << 53

// kind is what happened to a job or task.
type kind int64

const (
	submit kind = iota
	queue
	enable
	schedule
	evict
	fail
	finish
	kill
	lost
	updatePending
	updateRunning
)

// ends tells whether a task no longer runs.
func (k kind) ends() bool { return k >= evict && k <= lost }

func (k kind) outcome() string {
	switch k {
	case finish:
		return "success"
	case fail, lost:
		return "failed"
	case kill, evict:
		return "killed"
	}
	return "censored"
}

// jobEvent is a row of job_events or collection_events.
type jobEvent struct {
	at         int64 // µs
	kind       kind
	user, name string
	after      []string // jobs that it starts after
	aside      bool     // it is no job: an allocation of resources
}

// taskEvent is a row of task_events or instance_events. Shares that it does not have are -1.
type taskEvent struct {
	at       int64 // µs
	index    int64
	kind     kind
	machine  string
	user     string
	priority int64
	cpu, mem float64
}

const (
	ofJob int64 = iota
	ofTask
)

// reader reads the tables of one trace.
type reader struct {
	b       *workload.Builder
	jobs    *spill.Groups
	memMiB  int64
	vcores  int32
	sum     bool
	keep    bool
	startUS int64 // of the trace, for what happened before it
	endUS   int64 // the latest time of the events
	large   bool  // a machine is larger than the largest, which was said
	early   bool  // there are times between 0 and startUS, where the published traces have none
	nodes   map[string]*machineState
	hosts   map[string]bool // on which tasks ran
	events  []machineEvent
	pack    spill.Packer
}

func newReader(b *workload.Builder, memMiB int64, vcores int32) (*reader, error) {
	t := &reader{b: b, jobs: spill.NewGroups("job"), nodes: map[string]*machineState{}, hosts: map[string]bool{}}
	var err error
	if t.memMiB, t.vcores, err = rows.MachineSize(b, memMiB, vcores); err != nil {
		return nil, err
	}
	span, err := b.ParamOneOf("span", "last", "sum")
	if err != nil {
		return nil, err
	}
	t.sum = span == "sum"
	t.keep, err = b.ParamBool("keep-censored")
	b.NodesIn("machine_events")
	b.NoEpoch = true
	return t, err
}

func (t *reader) addJob(job string, e *jobEvent) error {
	t.endUS = max(t.endUS, e.at)
	p := t.pack[:0]
	p.Int(ofJob)
	p.Int(e.at)
	p.Int(int64(e.kind))
	p.Text(e.user)
	p.Text(e.name)
	aside := int64(0)
	if e.aside {
		aside = 1
	}
	p.Int(aside)
	p.Int(int64(len(e.after)))
	for _, a := range e.after {
		p.Text(a)
	}
	t.pack = p
	return t.jobs.Add([]byte(job), p)
}

func (t *reader) addTask(job string, e *taskEvent) error {
	t.endUS = max(t.endUS, e.at)
	p := t.pack[:0]
	p.Int(ofTask)
	p.Int(e.at)
	p.Int(e.index)
	p.Int(int64(e.kind))
	p.Text(e.machine)
	p.Text(e.user)
	p.Int(e.priority)
	p.Int(int64(math.Float64bits(e.cpu)))
	p.Int(int64(math.Float64bits(e.mem)))
	t.pack = p
	return t.jobs.Add([]byte(job), p)
}

func unpackJob(u *spill.Unpacker) (e jobEvent) {
	e.at, e.kind, e.user, e.name, e.aside = u.Int(), kind(u.Int()), u.Text(), u.Text(), u.Int() == 1
	for range u.Int() {
		e.after = append(e.after, u.Text())
	}
	return e
}

func unpackTask(u *spill.Unpacker) (e taskEvent) {
	e.at, e.index, e.kind, e.machine, e.user, e.priority = u.Int(), u.Int(), kind(u.Int()), u.Text(), u.Text(), u.Int()
	e.cpu, e.mem = math.Float64frombits(uint64(u.Int())), math.Float64frombits(uint64(u.Int()))
	return e
}

// task is what the events of one task come to. Times are µs, -1 = not yet.
type task struct {
	index                int64
	submitted, scheduled int64 // first
	started              int64 // of the run that goes on, or -1
	last, all            int64 // lengths of the last run and of all
	runs                 int32
	end                  kind
	ended                int64
	machine              string
	cpu, mem             float64
	priority             int64
	user                 string
}

// finish makes the nodes and applications of all events.
func (t *reader) finish(ctx context.Context) error {
	if t.early {
		t.b.Warn("there are events between 0 and %d s, where the published trace has none, as it begins then: times are taken as they stand, from 0 on; the latest event is at %d µs, %s after that", t.startUS/1e6, t.endUS, time.Duration(t.endUS)*time.Microsecond)
		t.startUS = 0
	}
	for i := range t.events {
		t.events[i].at = max(t.events[i].at, t.startUS)
	}
	slices.SortStableFunc(t.events, func(x, y machineEvent) int { return cmp.Compare(x.at, y.at) })
	for i := range t.events {
		if err := t.machine(&t.events[i]); err != nil {
			return err
		}
	}
	err := t.jobs.Each(ctx, func(id []byte, records [][]byte) error { return t.job(string(id), records) })
	if len(t.nodes) == 0 && t.b.Options.Nodes == 0 {
		for _, host := range slices.Sorted(maps.Keys(t.hosts)) {
			t.b.AddNode(trace.Node{Host: host, VCores: t.vcores, MemMiB: t.memMiB, Present: true, Extra: []trace.NamedValue{}})
			t.b.Counts.Defaulted["node_sizes"]++
		}
	}
	return err
}

// job makes the application of the events of one job.
func (t *reader) job(id string, records [][]byte) error {
	var events []taskEvent
	info := jobEvent{at: -1}
	finished := int64(-1)
	end := kind(-1)
	for _, r := range records {
		u := spill.Unpacker(r)
		if u.Int() == ofTask {
			e := unpackTask(&u)
			e.at = max(e.at, t.startUS)
			events = append(events, e)
			continue
		}
		e := unpackJob(&u)
		e.at = max(e.at, t.startUS)
		info.aside = info.aside || e.aside
		info.user, info.name = cmp.Or(info.user, e.user), cmp.Or(info.name, e.name)
		if len(info.after) == 0 {
			info.after = e.after
		}
		if e.kind == submit && (info.at < 0 || e.at < info.at) {
			info.at = e.at
		}
		if e.kind.ends() && e.at >= finished {
			finished, end = e.at, e.kind
		}
	}
	t.b.Begin()
	if info.aside {
		t.b.Counts.Dropped["allocation_sets"]++
		t.b.Counts.Dropped["instances_of_allocation_sets"] += int64(len(events))
		return nil
	}
	slices.SortStableFunc(events, func(x, y taskEvent) int { return cmp.Or(cmp.Compare(x.index, y.index), cmp.Compare(x.at, y.at)) })
	tasks := t.follow(id, events)
	kept := tasks[:0]
	for _, x := range tasks {
		if t.settle(x) {
			kept = append(kept, x)
		}
	}
	if len(kept) == 0 {
		t.b.Counts.Dropped["jobs_without_a_task_that_ran"]++
		return nil
	}
	submitted, started := info.at, int64(math.MaxInt64)
	for _, x := range kept {
		if x.submitted >= 0 && (submitted < 0 || x.submitted < submitted) {
			submitted = x.submitted
		}
		started = min(started, x.scheduled)
	}
	if submitted < 0 || submitted > started {
		submitted = started
		t.b.Counts.Defaulted["submissions_of_jobs"]++
	}
	c := containers.New(t.b, trace.KindGeneric, id, submitted/1000)
	defer c.Done()
	a := c.App
	a.User, a.Job.Name, a.DependsOn = info.user, info.name, info.after
	a.Job.RecordedStartMS = started / 1000
	a.Job.RecordedOutcome = "censored"
	if finished >= started {
		a.Job.RecordedFinishMS, a.Job.RecordedOutcome = finished/1000, end.outcome()
	}
	for _, x := range kept {
		a.User = cmp.Or(a.User, x.user)
		a.Job.Priority = max(a.Job.Priority, int32(x.priority))
		if err := c.Add("", t.size(x), trace.Unset, 1, t.container(x)); err != nil {
			return t.b.Drop("jobs_with_too_many_tasks", "%v", err)
		}
	}
	app, err := c.Finish(t.b)
	if err != nil {
		return err
	}
	_, err = t.b.Add(app)
	return err
}

// fitting puts the first of the events that can happen to a task, running or not, before the others of its time: a table has those in any order.
func fitting(events []taskEvent, running bool) {
	for i := range events {
		if events[i].index != events[0].index || events[i].at != events[0].at {
			return
		}
		if k := events[i].kind; k == schedule && running || k.ends() && !running {
			continue
		}
		first := events[i]
		copy(events[1:i+1], events[:i])
		events[0] = first
		return
	}
}

// follow goes through the events of a job's tasks, of which those of a task follow each other in order of time.
func (t *reader) follow(job string, events []taskEvent) []*task {
	var order []*task
	var x *task
	for i := range events {
		if x == nil || x.index != events[i].index {
			x = &task{index: events[i].index, submitted: -1, scheduled: -1, started: -1, cpu: -1, mem: -1, end: -1, ended: -1}
			order = append(order, x)
		}
		fitting(events[i:], x.started >= 0)
		e := &events[i]
		if e.cpu >= 0 {
			x.cpu = e.cpu
		}
		if e.mem >= 0 {
			x.mem = e.mem
		}
		x.priority, x.user = e.priority, cmp.Or(x.user, e.user)
		switch {
		case e.kind == submit && x.submitted < 0:
			x.submitted = e.at
		case e.kind == schedule && x.started < 0:
			if x.scheduled < 0 {
				x.scheduled = e.at
			}
			x.started, x.machine = e.at, cmp.Or(e.machine, x.machine)
			x.runs++
		case e.kind == schedule:
			t.b.Odd("events_that_do_not_fit_the_one_before", 1, "job %s, task %d: is scheduled at %d µs, want the end of its run before: it runs since %d µs", job, e.index, e.at, x.started)
		case e.kind.ends() && x.started >= 0:
			x.last = e.at - x.started
			x.all += x.last
			x.started, x.end, x.ended = -1, e.kind, e.at
		case e.kind.ends():
			x.end, x.ended = e.kind, e.at // it was taken away while it waited
		}
	}
	return order
}

// settle tells whether a task is one of the trace, and counts why not. What still runs when the trace ends has run until then.
func (t *reader) settle(x *task) bool {
	switch {
	case x.runs == 0:
		t.b.Counts.Dropped["tasks_that_were_never_scheduled"]++
		return false
	case x.started >= 0 && !t.keep:
		t.b.Counts.Dropped["tasks_that_still_ran_at_the_end"]++
		return false
	case x.started >= 0:
		x.last = max(t.endUS-x.started, 0)
		x.all += x.last
		t.b.Counts.Modelled["durations_of_tasks_that_still_ran_at_the_end"]++
	}
	if t.startUS > 0 && x.scheduled == t.startUS {
		t.b.Counts.Modelled["starts_of_tasks_that_ran_before_the_trace"]++
	}
	return true
}

// size is what a task asks for.
func (t *reader) size(x *task) containers.Size {
	s := containers.Size{MilliVCores: 1000, MemMiB: 1024}
	if x.cpu >= 0 {
		s.MilliVCores = min(containers.Milli(x.cpu*float64(t.vcores)), 1000*trace.MostVCores)
	} else {
		t.b.Counts.Defaulted["task_vcores"]++
	}
	if x.mem >= 0 {
		s.MemMiB = min(containers.MiB(x.mem, t.memMiB), trace.MostMemMiB)
	} else {
		t.b.Counts.Defaulted["task_memory"]++
	}
	return s
}

func (t *reader) container(x *task) containers.Task {
	us := x.last
	if t.sum {
		us = x.all
	}
	c := containers.Task{DurationMS: min(us/1000, trace.LongestMS), WaitMS: trace.Unset, Retries: x.runs - 1, Host: x.machine}
	if x.submitted >= 0 && x.scheduled >= x.submitted && (x.scheduled-x.submitted)/1000 <= trace.LongestMS {
		c.WaitMS = (x.scheduled - x.submitted) / 1000
	}
	if us/1000 > trace.LongestMS {
		t.b.Counts.Modelled["durations_cut_to_a_year"]++
	}
	if x.machine != "" {
		t.hosts[x.machine] = true
	}
	return c
}

// machineKind is what happened to a machine.
type machineKind int

const (
	machineAdd machineKind = iota
	machineRemove
	machineUpdate
)

// machineEvent is a row of machine_events. Shares that it does not have are -1.
type machineEvent struct {
	at       int64 // µs
	id       string
	kind     machineKind
	rack     string
	cpu, mem float64
	file     string
	line     int
}

// machineState is how a machine is after its events so far.
type machineState struct {
	up     bool
	vcores int32
	memMiB int64
}

// machine takes an event of a machine, in order of time. Those before the trace make it part of the cluster from the start.
func (t *reader) machine(e *machineEvent) error {
	s := t.nodes[e.id]
	if most := max(e.cpu, e.mem); most > 1 && !t.large {
		t.large = true
		t.b.Warn("%s: line %d: machine %s has %v, where sizes are shares of the largest machine, want at most 1: they are taken as so many times %d vcores and %d MiB; --machine-vcores and --machine-mem say what 1 is", e.file, e.line, e.id, most, t.vcores, t.memMiB)
	}
	vcores, memMiB := int32(0), int64(0)
	if e.cpu >= 0 {
		vcores = int32(min(math.Ceil(float64(e.cpu*float64(t.vcores))-1e-6), trace.MostVCores))
	}
	if e.mem >= 0 {
		memMiB = min(containers.MiB(e.mem, t.memMiB), trace.MostMemMiB)
	}
	event := func(kind trace.EventKind, sized bool, reason string) {
		x := trace.NewNodeEvent(e.at/1000, trace.Unset, kind)
		x.Reason = reason
		if sized && (vcores != s.vcores || memMiB != s.memMiB) && vcores > 0 && memMiB > 0 {
			x.VCores, x.MemMiB = vcores, memMiB
			s.vcores, s.memMiB = vcores, memMiB
		}
		if kind == trace.Capacity && x.MemMiB == trace.Unset {
			t.b.Counts.Read["updates_of_machines_that_change_no_capacity"]++
			return
		}
		t.b.AddEvent(e.id, x)
	}
	switch {
	case s == nil && e.kind != machineAdd:
		return t.b.Drop("events_of_machines_that_are_not_there", "%s: line %d: machine %s is removed or updated, want that it was added before", e.file, e.line, e.id)
	case s == nil:
		if vcores == 0 || memMiB == 0 {
			t.b.Counts.Defaulted["node_sizes"]++
			vcores, memMiB = cmp.Or(vcores, t.vcores), cmp.Or(memMiB, t.memMiB)
		}
		s = &machineState{up: true, vcores: vcores, memMiB: memMiB}
		t.nodes[e.id] = s
		present := e.at <= t.startUS
		t.b.AddNode(trace.Node{Host: e.id, Rack: e.rack, VCores: vcores, MemMiB: memMiB, Present: present, Extra: []trace.NamedValue{}})
		if !present {
			event(trace.Join, false, "")
		}
		return nil
	case e.kind == machineAdd && !s.up:
		s.up = true
		event(trace.Recover, true, "")
	case e.kind == machineRemove && s.up:
		s.up = false
		event(trace.Fail, false, "unknown")
	case e.kind != machineRemove && s.up:
		event(trace.Capacity, true, "")
	default:
		return t.b.Drop("events_that_do_not_fit_the_one_before", "%s: line %d: machine %s is %s, want an event that can happen to it", e.file, e.line, e.id, map[bool]string{true: "there", false: "not there"}[s.up])
	}
	return nil
}
