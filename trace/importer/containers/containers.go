// Package containers makes applications that run each task in a container of its own, of what formats say of tasks: sizes,
// durations, and which groups of tasks come after which.
package containers

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync"

	"replay/trace"
	"replay/trace/importer/workload"
)

// Size is what the container of a task has.
type Size struct {
	MilliVCores int64 // rounded up to whole vcores where the scheduler counts those
	MemMiB      int64
	Extra       trace.NamedValue // a further resource; the zero value is none
}

// Task is one task. Times are ms, trace.Unset = unknown.
type Task struct {
	DurationMS int64
	WaitMS     int64  // from when it was asked for to its start, as recorded
	Retries    int32  // attempts before it
	Host       string // on which it ran; "" = unknown
}

// Job is an application while its tasks are added. App is for what is no task: ids, times, user, queue.
type Job struct {
	App    *workload.Application
	groups map[string]*group // nil as long as there is one at most
	order  []*group
	tasks  int64
	b      *workload.Builder

	// What jobs before this one had, see Done.
	spareGroups []*group
	spareSizes  []*sized
}

// mostParents is how many groups one may wait for.
const mostParents = 10_000

// group is tasks that a source calls by one name. Those that differ in more than memory are stages of their own.
type group struct {
	name    string
	parents []string
	sizes   map[like]*sized // nil as long as there are a few, which are compared one after another
	order   []*sized
	state   int
	looked  int // parents that were looked at
}

// like is what the tasks of a stage have in common.
type like struct {
	milliVCores int64
	extra       trace.NamedValue
	priority    int32
}

type sized struct {
	like
	tasks  []Task
	memMiB []int64
}

// New returns an application of a kind without a task. Its application master has the size of the default, which is counted.
func New(b *workload.Builder, kind, id string, submitMS int64) *Job {
	j := jobs.Get().(*Job)
	a := j.App
	stages := a.Job.Stages
	*a = workload.Application{Job: *trace.NewJob(kind)}
	a.Job.Stages = stages
	a.Job.ExternalID, a.Job.SubmitMS = id, submitMS
	a.Job.AMMemMiB, a.Job.AMVCores = 1024, 1
	j.b = b
	b.Counts.Defaulted["application_master_sizes"]++
	return j
}

// jobs are those that are done.
var jobs = sync.Pool{New: func() any { return &Job{App: &workload.Application{}} }}

// mostKept is how many stages, groups and sizes, and tasks of a size, a job leaves memory for.
const mostKept = 1 << 10

// Done gives the memory of the job to others. Neither the job nor its application is used after it, which nobody has to call.
func (j *Job) Done() {
	stages := j.App.Job.Stages[:0]
	if cap(stages) > mostKept {
		stages = nil
	}
	*j.App = workload.Application{Job: trace.Job{Stages: stages}}
	for _, g := range j.order {
		for _, s := range g.order {
			if cap(s.tasks) <= mostKept && len(j.spareSizes) < mostKept {
				j.spareSizes = append(j.spareSizes, &sized{tasks: s.tasks[:0], memMiB: s.memMiB[:0]})
			}
		}
		if cap(g.order) <= mostKept && len(j.spareGroups) < mostKept {
			j.spareGroups = append(j.spareGroups, &group{order: g.order[:0]})
		}
	}
	j.groups, j.order, j.tasks, j.b = nil, j.order[:0], 0, nil
	if cap(j.order) > mostKept {
		j.order = nil
	}
	jobs.Put(j)
}

// spare takes the last of a list, or makes one.
func spare[T any](list *[]*T) *T {
	n := len(*list)
	if n == 0 {
		return new(T)
	}
	x := (*list)[n-1]
	*list = (*list)[:n-1]
	return x
}

// named is the group of a name, or nil.
func (j *Job) named(name string) *group {
	if j.groups != nil {
		return j.groups[name]
	}
	if len(j.order) > 0 && j.order[0].name == name {
		return j.order[0]
	}
	return nil
}

func (j *Job) group(name string) *group {
	g := j.named(name)
	if g != nil {
		return g
	}
	g = spare(&j.spareGroups)
	g.name = name
	if len(j.order) == 1 {
		j.groups = map[string]*group{j.order[0].name: j.order[0]}
	}
	if j.order = append(j.order, g); j.groups != nil {
		j.groups[name] = g
	}
	return g
}

// few is how many sizes are compared one after another.
const few = 16

// size is the tasks of one size of a group.
func (j *Job) size(g *group, key like) *sized {
	if g.sizes != nil {
		if s := g.sizes[key]; s != nil {
			return s
		}
	} else {
		for _, s := range g.order {
			if s.like == key {
				return s
			}
		}
	}
	s := spare(&j.spareSizes)
	s.like = key
	if g.order = append(g.order, s); g.sizes != nil {
		g.sizes[key] = s
	} else if len(g.order) > few {
		g.sizes = map[like]*sized{}
		for _, s := range g.order {
			g.sizes[s.like] = s
		}
	}
	return s
}

// Room tells whether the application may have n tasks more.
func (j *Job) Room(n int64) error {
	if err := j.b.CheckTasks(j.tasks + n); err != nil {
		return fmt.Errorf("job %s: %w", j.App.Job.ExternalID, err)
	}
	return nil
}

// Add adds n like tasks to a group, in the order of the source. The error is that of more than an application may have.
func (j *Job) Add(name string, size Size, priority int32, n int64, t Task) error {
	if err := j.Room(n); err != nil {
		return err
	}
	j.tasks += n
	s := j.size(j.group(name), like{size.MilliVCores, size.Extra, priority})
	for range n {
		s.tasks, s.memMiB = append(s.tasks, t), append(s.memMiB, size.MemMiB)
	}
	return nil
}

// After says that a group waits for another one, which may come to be later, or never.
func (j *Job) After(name, parent string) {
	g := j.group(name)
	g.parents = append(g.parents, parent)
}

// forgetHosts leaves out where tasks ran, as the trace has other nodes.
func (j *Job) forgetHosts(b *workload.Builder) {
	forgotten := int64(0)
	for _, g := range j.order {
		for _, s := range g.order {
			for i := range s.tasks {
				if t := &s.tasks[i]; t.Host != "" {
					t.Host = ""
					forgotten++
				}
			}
		}
	}
	if forgotten > 0 {
		b.Counts.Dropped["recorded_hosts_of_tasks"] += forgotten
	}
}

// states of a group while its parents are looked for
const (
	fresh = iota
	open
	done
)

// Finish returns the application with its stages, parents before children, otherwise in the order in which groups came. Parents without a task
// are counted as dropped. The error is a cycle among the groups.
func (j *Job) Finish(b *workload.Builder) (*workload.Application, error) {
	var sorted []*group
	for _, g := range j.order {
		if len(g.parents) > mostParents {
			return nil, fmt.Errorf("job %s: %s has %d parents, want at most %d", j.App.Job.ExternalID, g.name, len(g.parents), mostParents)
		}
		var err error
		if sorted, err = j.visit(g, sorted); err != nil {
			return nil, err
		}
	}
	if b.Options.Nodes > 0 {
		j.forgetHosts(b)
	}
	stages := 0
	for _, g := range sorted {
		stages += len(g.order)
	}
	j.App.Job.Stages = slices.Grow(j.App.Job.Stages, stages)
	first := map[string][]int32{} // group -> its stages
	kind := trace.StageInput
	if j.App.Job.Kind == trace.KindGang {
		kind = trace.StageGang
	}
	for _, g := range sorted {
		var parents []int32
		for _, p := range g.parents {
			if len(first[p]) == 0 {
				b.Odd("parents_that_are_not_in_the_job", 1, "job %s: %s comes after %s, want one of the job", j.App.Job.ExternalID, g.name, p)
			}
			parents = append(parents, first[p]...)
		}
		slices.Sort(parents)
		parents = slices.Compact(parents)
		for _, s := range g.order {
			stage := trace.NewStage(int32(len(j.App.Job.Stages)), kind, slices.Clone(parents)...)
			if len(parents) > 0 && kind == trace.StageInput {
				stage.Kind = trace.StageShuffle
			}
			s.fill(&stage, j.App)
			stage.Name, stage.ExternalID = g.name, g.name
			first[g.name] = append(first[g.name], stage.ID)
			j.App.Job.Stages = append(j.App.Job.Stages, stage)
		}
	}
	return j.App, nil
}

// visit appends g after its parents. The depth of a graph may be as large as its number of groups, so it has a stack of its own.
func (j *Job) visit(g *group, sorted []*group) ([]*group, error) {
	stack := []*group{g}
	for len(stack) > 0 {
		g := stack[len(stack)-1]
		if g.state == done {
			stack = stack[:len(stack)-1]
			continue
		}
		g.state = open
		ready := true
		for ; g.looked < len(g.parents); g.looked++ {
			p := j.named(g.parents[g.looked])
			if p == nil || p.state == done {
				continue
			}
			if p.state == open {
				return nil, fmt.Errorf("job %s: %s comes after itself, want stages without a cycle", j.App.Job.ExternalID, p.name)
			}
			stack = append(stack, p)
			ready = false
			break
		}
		if ready {
			g.state = done
			sorted = append(sorted, g)
			stack = stack[:len(stack)-1]
		}
	}
	return sorted, nil
}

// fill gives a stage the tasks of one size.
func (s *sized) fill(stage *trace.Stage, a *workload.Application) {
	stage.TaskMemMiB, stage.TaskVCores = s.memMiB[0], int32((s.milliVCores+999)/1000)
	if s.milliVCores%1000 != 0 {
		stage.TaskMilliVCores = int32(s.milliVCores)
	}
	if s.extra.Name != "" && s.extra.Value > 0 {
		stage.Extra = []trace.NamedValue{s.extra}
	}
	stage.Priority = s.priority
	n := len(s.tasks)
	stage.Tasks = trace.NewTasks(n)
	t := &stage.Tasks
	for i, x := range s.tasks {
		t.DurationMS[i] = x.DurationMS
		if m := s.memMiB[i]; m != stage.TaskMemMiB {
			t.MemMiB = optional(t.MemMiB, n, i, m)
		}
		t.RecordedWaitMS = optional(t.RecordedWaitMS, n, i, x.WaitMS)
		t.Retries = optional(t.Retries, n, i, cmp.Or(x.Retries, trace.Unset))
		if node := int32(trace.Unset); x.Host != "" || t.RecordedNode != nil {
			if x.Host != "" {
				node = a.Host(x.Host)
			}
			t.RecordedNode = optional(t.RecordedNode, n, i, node)
		}
	}
}

// optional sets element i of a column of n that is nil as long as all before it are unset.
func optional[T int32 | int64](column []T, n, i int, v T) []T {
	if column == nil && v == trace.Unset {
		return nil
	}
	if column == nil {
		column = make([]T, n)
		for k := range column {
			column[k] = trace.Unset
		}
	}
	column[i] = v
	return column
}

// Milli is a number of vcores in thousandths, at least one, as numbers of vcores with a fraction are taken.
func Milli(vcores float64) int64 { return max(int64(math.Round(vcores*1000)), 1) }

// MiB is a share of a memory, at least 1 MiB.
func MiB(share float64, memMiB int64) int64 {
	return max(int64(math.Ceil(float64(share*float64(memMiB))-1e-6)), 1)
}

// GPUMilli is the resource of shares of GPUs, in thousandths of one. YARN has no name for it.
const GPUMilli = "gpu-milli"
