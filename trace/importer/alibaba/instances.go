// Package alibaba imports the traces of Alibaba's clusters: batch jobs of 2017 and 2018, GPU jobs of 2020, GPU pods of 2023.
//
// Source: the schemas of the repository alibaba/clusterdata.
package alibaba

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"replay/spill"
	"replay/trace"
	"replay/trace/importer/containers"
	"replay/trace/importer/delimited"
	"replay/trace/importer/workload"
)

// What a table says of times, in seconds. In the trace of 2017 those before it are negative.
const (
	earliest = -1 << 40
	latest   = 1 << 40
	unknown  = earliest - 1
)

// begun reads when a task or instance started, at since or later. Where it did not the field is empty or 0.
func begun(r *delimited.Row, i int, since int64) int64 {
	return cmp.Or(r.IntOr(i, 0, since, latest), unknown)
}

// planned rounds a plan of vcores to whole thousandths; 0 stands for none.
func planned(milli float64) int64 {
	if milli == 0 {
		return 0
	}
	return max(int64(float64(milli)+0.5), 1)
}

// plannedMiB is a plan as a share of a memory; 0 stands for none.
func plannedMiB(share float64, memMiB int64) int64 {
	if share == 0 {
		return 0
	}
	return containers.MiB(share, memMiB)
}

// status is how a task or instance ended.
type status int64

const (
	unfinished status = iota
	terminated
	failed
)

func statusOf(text string) status {
	switch text {
	case "Terminated":
		return terminated
	case "Failed", "Interrupted", "Cancelled":
		return failed
	}
	return unfinished
}

func (s status) outcome() string {
	return map[status]string{terminated: "success", failed: "failed"}[s]
}

// What a record of a job is.
const (
	ofJob int64 = iota
	ofTask
	ofInstance
)

// task is a row of a table of tasks: like instances of one job.
type task struct {
	name     string
	n        int64 // unknown = not said
	status   status
	start    int64 // s, or unknown
	end      int64 // s; 0 = not yet
	milli    int64 // vcores of each instance; 0 = not planned
	memMiB   int64 // of each instance; 0 = not planned
	gpuMilli int64
}

func (t *task) pack(p spill.Packer) spill.Packer {
	p.Int(ofTask)
	p.Text(t.name)
	for _, v := range t.numbers() {
		p.Int(*v)
	}
	return p
}

func (t *task) numbers() []*int64 {
	return []*int64{&t.n, (*int64)(&t.status), &t.start, &t.end, &t.milli, &t.memMiB, &t.gpuMilli}
}

func (t *task) unpack(u *spill.Unpacker) {
	t.name = u.Text()
	for _, v := range t.numbers() {
		*v = u.Int()
	}
}

// instance is a row of a table of instances.
type instance struct {
	task, name string // name tells attempts of one instance from others; "" = it has no name
	status     status
	start      int64 // s, or unknown
	end        int64 // s; 0 = not yet
	asTask     bool  // its start is that of the task, as it has none
	machine    string
	seq        int64
}

func (i *instance) pack(p spill.Packer) spill.Packer {
	p.Int(ofInstance)
	p.Text(i.task)
	p.Text(i.name)
	p.Text(i.machine)
	for _, v := range i.numbers() {
		p.Int(*v)
	}
	return p
}

func (i *instance) numbers() []*int64 { return []*int64{(*int64)(&i.status), &i.start, &i.end, &i.seq} }

func (i *instance) unpack(u *spill.Unpacker) {
	i.task, i.name, i.machine = u.Text(), u.Text(), u.Text()
	for _, v := range i.numbers() {
		*v = u.Int()
	}
}

// job is all that the tables say of one job.
type job struct {
	id, user  string
	status    status
	submit    int64 // s, or unknown
	tasks     []*task
	byName    map[string]*task
	instances map[string][]instance // by task
}

// owner is what the row of a job says, besides its tasks.
type owner struct {
	user   string
	status status
	submit int64 // s, or unknown
}

func (o *owner) pack(p spill.Packer) spill.Packer {
	p.Int(ofJob)
	p.Text(o.user)
	p.Int(int64(o.status))
	p.Int(o.submit)
	return p
}

// unpackJob reads the records of a job. Of tasks with one name the first is taken; instances of a task that is not there are dropped.
func unpackJob(b *workload.Builder, id string, records [][]byte) *job {
	j := &job{id: id, submit: unknown, byName: map[string]*task{}, instances: map[string][]instance{}}
	for _, r := range records {
		u := spill.Unpacker(r)
		switch u.Int() {
		case ofJob:
			j.user, j.status, j.submit = u.Text(), status(u.Int()), u.Int()
		case ofTask:
			t := new(task)
			t.unpack(&u)
			if j.byName[t.name] != nil {
				b.Odd("tasks_that_are_there_twice", 1, "job %s: task %s is there twice, want it once", id, t.name)
				continue
			}
			j.byName[t.name] = t
			j.tasks = append(j.tasks, t)
		case ofInstance:
			var i instance
			i.unpack(&u)
			j.instances[i.task] = append(j.instances[i.task], i)
		}
	}
	n, first := int64(0), ""
	for name, list := range j.instances {
		if j.byName[name] == nil {
			if n += int64(len(list)); first == "" || name < first {
				first = name
			}
		}
	}
	if n > 0 {
		b.Odd("instances_without_their_task", n, "job %s: has instances of task %s, want a row of that task", id, first)
	}
	return j
}

// finished are the tasks that ended and of which start and plan are known, in the order of the source. The others are dropped.
func (j *job) finished(b *workload.Builder) (list []*task) {
	for _, t := range j.tasks {
		has := int64(len(j.instances[t.name]))
		if t.n == unknown {
			t.n = max(has, 1)
			b.Counts.Defaulted["numbers_of_instances"]++
		}
		switch {
		case t.status == unfinished || t.end <= 0:
			b.Counts.Dropped["tasks_that_did_not_finish"]++
		case t.milli == 0 || t.memMiB == 0:
			b.Odd("tasks_without_a_plan", 1, "job %s: task %s has ended and has no plan_cpu or no plan_mem, want both", j.id, t.name)
		case t.start == unknown:
			b.Odd("tasks_without_a_start", 1, "job %s: task %s ended at %d s and has no start, want one", j.id, t.name, t.end)
		case t.end < t.start:
			b.Odd("tasks_that_end_before_they_start", 1, "job %s: task %s goes from %d to %d s, want an end at its start or later", j.id, t.name, t.start, t.end)
		case max(t.n, has) == 0:
			b.Odd("tasks_without_an_instance", 1, "job %s: task %s has 0 instances, want one or more", j.id, t.name)
		default:
			list = append(list, t)
			continue
		}
		b.Counts.Dropped["instances_of_tasks_that_are_left_out"] += has
	}
	return list
}

// lastTries are the attempts of a task's instances that count: of each the one that ended well, else the last that ended. retries has how many came before it. An attempt
// without a start has that of the task.
func (j *job) lastTries(b *workload.Builder, t *task) (last []instance, retries []int32) {
	at := map[string]int{}
	for _, i := range j.instances[t.name] {
		if i.status == unfinished || i.end <= 0 {
			b.Counts.Dropped["instances_that_did_not_finish"]++
			continue
		}
		if i.start == unknown {
			i.start, i.asTask = t.start, true
		}
		if i.end < i.start {
			b.Odd("instances_that_end_before_they_start", 1, "job %s: an instance of task %s goes from %d to %d s, want an end at its start or later", j.id, t.name, i.start, i.end)
			continue
		}
		k, ok := at[i.name]
		if !ok || i.name == "" {
			at[i.name] = len(last)
			last, retries = append(last, i), append(retries, 0)
			continue
		}
		if i == last[k] {
			b.Counts.Dropped["instances_that_are_there_twice"]++
			continue
		}
		b.Counts.Dropped["attempts_before_the_last"]++
		retries[k]++
		if o := last[k]; i.status == terminated && o.status != terminated || (i.status == o.status && i.seq >= o.seq) {
			last[k] = i
		}
	}
	return last, retries
}

// application makes the application of a job, whose tasks come after each other as after says. It is nil if no task finished.
func (j *job) application(b *workload.Builder, kind string, after func(*containers.Job, []*task)) (*workload.Application, error) {
	b.Begin()
	tasks := j.finished(b)
	if len(tasks) == 0 {
		b.Counts.Dropped["jobs_without_a_finished_task"]++
		return nil, nil
	}
	submit, finish := int64(math.MaxInt64), int64(math.MinInt64)
	outcome := j.status
	for _, t := range tasks {
		submit, finish = min(submit, t.start), max(finish, t.end)
		if t.start == 0 {
			b.Counts.Modelled["starts_of_tasks_that_ran_before_the_trace"]++
		}
		if outcome == unfinished || t.status == failed {
			outcome = t.status
		}
	}
	c := containers.New(b, kind, j.id, 1000*j.submitted(b, kind, submit))
	a := c.App
	a.User = j.user
	a.Job.RecordedStartMS, a.Job.RecordedFinishMS, a.Job.RecordedOutcome = 1000*submit, 1000*finish, outcome.outcome()
	for _, t := range tasks {
		if err := j.fill(b, c, t); err != nil {
			return nil, b.Drop("jobs_with_too_many_tasks", "%v", err)
		}
	}
	after(c, tasks)
	app, err := c.Finish(b)
	if err != nil {
		return nil, b.Drop("jobs_with_a_cycle", "%v", err)
	}
	return app, nil
}

// submitted is when the job was submitted, s: as its own row says, else when the first of its tasks started, which is counted of traces that have such rows.
func (j *job) submitted(b *workload.Builder, kind string, start int64) int64 {
	if j.submit != unknown && j.submit <= start {
		return j.submit
	}
	j.submit = unknown
	if kind == trace.KindGang {
		b.Counts.Modelled["submissions_that_are_the_start_of_the_first_task"]++
	}
	return start
}

// fill adds the instances of a task, those that the source has no row of with durations that are made up.
func (j *job) fill(b *workload.Builder, c *containers.Job, t *task) error {
	size := containers.Size{MilliVCores: t.milli, MemMiB: t.memMiB}
	if t.gpuMilli > 0 {
		size.Extra = trace.NamedValue{Name: containers.GPUMilli, Value: t.gpuMilli}
	}
	if err := c.Room(t.n); err != nil {
		return fmt.Errorf("task %s: %w", t.name, err)
	}
	list, retries := j.lastTries(b, t)
	durations := make([]int64, 0, max(int64(len(list)), t.n))
	for _, i := range list {
		durations = append(durations, min(1000*(i.end-i.start), trace.LongestMS))
		if i.asTask {
			b.Counts.Modelled["starts_of_instances_that_are_those_of_their_task"]++
		}
	}
	if missing := t.n - int64(len(list)); missing > 0 && len(list) > 0 {
		// As those that are known: each is the duration of one of them.
		r := trace.Stream(b.Options.Seed, "alibaba/"+j.id+"/"+t.name)
		for range missing {
			durations = append(durations, durations[r.IntN(len(list))])
		}
		b.Counts.Modelled["durations_of_instances_without_a_row"] += missing
	} else if missing > 0 {
		durations = draw(b.Options.Seed, j.id+"/"+t.name, int(t.n), min(1000*(t.end-t.start), trace.LongestMS))
		b.Counts.Modelled["durations_of_instances_without_a_row"] += missing - 1
		if missing > 1 {
			b.Durations = trace.DurationModelled
		}
	}
	for i, ms := range durations {
		x := containers.Task{DurationMS: ms, WaitMS: trace.Unset}
		if i < len(list) {
			x.Host, x.Retries = list[i].machine, retries[i]
			if j.submit != unknown && list[i].start >= j.submit {
				x.WaitMS = min(1000*(list[i].start-j.submit), trace.LongestMS)
			}
		}
		if err := c.Add(t.name, size, trace.Unset, 1, x); err != nil {
			return err
		}
	}
	return nil
}

// spread is the standard deviation of the logarithm of the durations of a task's instances.
const spread = 0.45

// draw returns n durations of which the longest is given: log-normal ones, scaled. Times are ms.
func draw(seed uint64, name string, n int, longest int64) []int64 {
	durations := make([]int64, n)
	if n == 1 {
		durations[0] = longest
		return durations
	}
	r := trace.Stream(seed, "alibaba/"+name)
	x, most := make([]float64, n), 0.0
	for i := range x {
		x[i] = math.Exp(spread * r.NormFloat64())
		most = max(most, x[i])
	}
	for i := range x {
		durations[i] = int64(math.Round(x[i] / most * float64(longest)))
	}
	return durations
}

// machines are the hosts on which instances ran, where no table of machines is at hand.
type machines map[string]bool

func (m machines) add(host string) {
	if host != "" && !m[host] {
		m[host] = true
	}
}

// nodes makes a node of each, of a given size.
func (m machines) nodes(b *workload.Builder, memMiB int64, vcores int32) {
	for _, host := range slices.Sorted(maps.Keys(m)) {
		b.AddNode(trace.Node{Host: host, MemMiB: memMiB, VCores: vcores, Present: true})
		b.Counts.Defaulted["node_sizes"]++
	}
}

// errNoNodes says that neither the tables nor the options have nodes.
func errNoNodes(b *workload.Builder, has bool, tables string) error {
	if has || b.Options.Nodes > 0 {
		return nil
	}
	return errors.New("nodes is 0, want the number of nodes of a cluster (--nodes), or " + tables + " among the inputs, which has them")
}
