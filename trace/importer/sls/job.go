package sls

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/valyala/fastjson"

	"replay/trace"
	"replay/trace/importer/objects"
	"replay/trace/importer/workload"
)

// task is an entry of job.tasks, which stands for count tasks that are alike.
type task struct {
	group
	count       int64
	host        string // path, "" = none
	ms          int64
	mib, vcores int64 // trace.Unset = not said
	extra       []trace.NamedValue

	opportunistic, numbered bool
}

// group is what the tasks of a stage have in common.
type group struct {
	kind     string // map, reduce or another word
	priority int32
	delay    int64 // ms from the start of the application master to the request
}

// Priorities that the simulator's MapReduce application master gives whatever is said.
//
// Source: MRAMSimulator.
const (
	mapPriority    = 20
	reducePriority = 10
)

// taskKeys are the members of a task that are no resource.
var taskKeys = []string{
	"container.host", "container.start.ms", "container.end.ms", "container.duration.ms", "container.priority", "container.type",
	"container.execution.type", "container.allocation.id", "container.request.delay", "container.memory-mb", "container.memory", "container.vcores",
}

// taskOf reads a task.
func (r *reading) taskOf(v *fastjson.Value) (t task, err error) {
	m := members{v: v}
	t.count = max(m.whole("count", 1, math.MinInt32, math.MaxInt32), 1)
	t.host = r.name(m.text("container.host"))
	t.ms = m.duration()
	t.kind = r.name(cmp.Or(m.text("container.type"), "map"))
	t.priority = int32(m.whole("container.priority", mapPriority, 0, math.MaxInt32))
	t.delay = max(m.whole("container.request.delay", 0, math.MinInt32, trace.LongestMS), 0)
	how := m.text("container.execution.type")
	t.opportunistic = how == "OPPORTUNISTIC"
	t.numbered = m.whole("container.allocation.id", -1, math.MinInt64, math.MaxInt64) != -1
	t.mib = m.whole("container.memory-mb", m.whole("container.memory", trace.Unset, 0, trace.MostMemMiB), 0, trace.MostMemMiB)
	t.vcores = m.whole("container.vcores", trace.Unset, 0, trace.MostVCores)
	switch {
	case m.err != nil:
		return t, m.err
	case how != "" && how != "GUARANTEED" && !t.opportunistic:
		return t, fmt.Errorf("container.execution.type is %q, want GUARANTEED or OPPORTUNISTIC", how)
	}
	t.extra, err = r.further(v, "container.", taskKeys)
	return t, err
}

// members are those of an object; err is the first thing that is wrong with them.
type members struct {
	v   *fastjson.Value
	err error
}

// whole is a whole number from least to most, or otherwise if there is none.
func (m *members) whole(name string, otherwise, least, most int64) int64 {
	if m.err != nil {
		return 0
	}
	n, err := objects.Int(m.v, name, otherwise)
	if err == nil && n != otherwise && (n < least || n > most) {
		err = fmt.Errorf("%s is %d, want %d to %d", name, n, least, most)
	}
	m.err = err
	return n
}

func (m *members) text(name string) (s string) {
	if m.err == nil {
		s, m.err = objects.Text(m.v, name)
	}
	return s
}

// duration is the first of the ways to say one.
//
// Source: TaskContainerDefinition.Builder.
func (m *members) duration() int64 {
	for _, name := range []string{"container.duration.ms", "duration.ms"} {
		if ms := m.whole(name, 0, 1, trace.LongestMS); ms != 0 {
			return ms
		}
	}
	start, end := m.whole("container.start.ms", trace.Unset, 0, trace.LatestMS), m.whole("container.end.ms", trace.Unset, 0, trace.LatestMS)
	ms := end - start
	if m.err == nil && (start < 0 || ms < 1 || ms > trace.LongestMS) {
		m.err = fmt.Errorf("container.end.ms is %d and container.start.ms %d (-1 is none), want an end after the start, or container.duration.ms", end, start)
	}
	return ms
}

// further are the resources of members that begin with prefix and are not known, if a node has them.
func (r *reading) further(v *fastjson.Value, prefix string, known []string) (list []trace.NamedValue, err error) {
	v.GetObject().Visit(func(key []byte, x *fastjson.Value) {
		name, ok := strings.CutPrefix(string(key), prefix)
		if !ok || err != nil || slices.Contains(known, string(key)) {
			return
		}
		if !r.nodes.resources[name] {
			r.Counts.Dropped["requests_of_resources_that_no_node_has"]++
			return
		}
		n, e := objects.IntOf(x)
		if e != nil || n < 0 || n > trace.MostAmount {
			err = fmt.Errorf("%s is %s, want 0 to %d", key, objects.Shown(x), int64(trace.MostAmount))
		} else if n > 0 {
			list = append(list, trace.NamedValue{Name: name, Value: n})
		}
	})
	slices.SortFunc(list, func(a, b trace.NamedValue) int { return strings.Compare(a.Name, b.Name) })
	return list, err
}

// name is the text in memory of its own, once for all equal ones.
func (r *reading) name(text string) string {
	if s, ok := r.names[text]; ok {
		return s
	}
	if len(r.names) > 1<<20 {
		clear(r.names)
	}
	s := strings.Clone(text)
	r.names[s] = s
	return s
}

// job adds the jobs of an object.
func (r *reading) job(o *object) error {
	number := func(name string, otherwise, least, most int64) (int64, error) {
		text, ok := o.members[name]
		if !ok || text == "" {
			return otherwise, nil
		}
		n, err := objects.WholeOf(text)
		if err != nil || n < least || n > most {
			return 0, wrong("%s is %q, want %d to %d", name, text, least, most)
		}
		return n, nil
	}
	start, err := number("job.start.ms", 0, 0, trace.LatestMS)
	if err != nil {
		return err
	}
	end, err := number("job.end.ms", 0, math.MinInt64, trace.LatestMS)
	if err != nil {
		return err
	}
	count, err := number("job.count", 1, math.MinInt32, 1_000_000)
	if err != nil {
		return err
	}
	if o.members["job.queue.name"] == "" {
		return wrong("job.queue.name is missing, want the queue of the job")
	}
	if len(o.tasks) == 0 {
		return wrong("job.tasks is empty, want one task or more")
	}
	kind := "mapreduce"
	for _, key := range []string{"am.type", "yarn.sls.am.type"} { // the simulator reads the second, its documentation names the first
		if s := o.members[key]; s != "" {
			kind = s
		}
	}
	j := jobSpec{am: kind, startMS: start, endMS: end, queue: o.members["job.queue.name"], user: o.members["job.user"], tasks: o.tasks}
	if j.amMiB, err = number("am.memory-mb", trace.Unset, 0, trace.MostMemMiB); err != nil {
		return err
	}
	if j.amVCores, err = number("am.vcores", trace.Unset, 0, trace.MostVCores); err != nil {
		return err
	}
	if o.members["job.label.expression"] != "" {
		r.Counts.Dropped["label_expressions_of_jobs"]++
	}
	count = max(count, 1)
	r.Counts.Read["jobs"]++
	for range count {
		id := o.members["job.id"]
		if count > 1 || id == "" {
			id = strconv.Itoa(r.number)
		}
		r.number++
		r.Begin()
		if err := r.add(&j, id); err != nil {
			return err
		}
	}
	return nil
}

// jobSpec is a job as the simulator sees it.
type jobSpec struct {
	am              string // kind of its application master
	startMS, endMS  int64
	queue, user     string
	name            string
	amMiB, amVCores int64 // trace.Unset = not said
	tasks           []task
}

// add makes the application of a job.
func (r *reading) add(j *jobSpec, id string) error {
	a := &workload.Application{Job: *trace.NewJob(trace.KindGeneric), User: j.user, Queue: j.queue}
	a.Job.ExternalID, a.Job.Name, a.Job.SubmitMS = id, j.name, j.startMS
	if j.endMS > j.startMS {
		a.Job.RecordedFinishMS = j.endMS
	}
	a.Job.AMMemMiB, a.Job.AMVCores = j.amMiB, int32(j.amVCores)
	if j.amMiB == trace.Unset {
		a.Job.AMMemMiB = defaultMiB
		r.Counts.Defaulted["memory_of_application_masters"]++
	}
	if j.amVCores == trace.Unset {
		a.Job.AMVCores = defaultVCores
		r.Counts.Defaulted["vcores_of_application_masters"]++
	}
	if err := r.stages(a, j); err != nil {
		return err
	}
	_, err := r.Add(a)
	return err
}

// stages makes the stages of a job as its application master asks for tasks. That of MapReduce asks for reduces when all maps are done, all at one
// priority each; that of a DAG for all tasks, each after its delay; that of a stream too, and keeps them until the job ends.
//
// Source: MRAMSimulator, DAGAMSimulator, StreamAMSimulator.
func (r *reading) stages(a *workload.Application, j *jobSpec) error {
	mapReduce := j.am == "mapreduce"
	switch j.am {
	case "mapreduce", "dag":
	case "stream":
		a.Job.Kind = trace.KindService
	default:
		r.Counts.Defaulted["application_masters_taken_as_dag"]++
	}
	var groups []group
	members := map[group][]*task{}
	for i := range j.tasks {
		t := &j.tasks[i]
		g := t.group
		if mapReduce && (g.kind == "map" || g.kind == "reduce") {
			g = group{kind: g.kind, priority: mapPriority}
			if g.kind == "reduce" {
				g.priority = reducePriority
			}
		}
		if mapReduce {
			g.delay = 0
		}
		if members[g] == nil {
			groups = append(groups, g)
		}
		members[g] = append(members[g], t)
	}
	if mapReduce {
		slices.SortStableFunc(groups, func(x, y group) int { return order(x.kind) - order(y.kind) })
	}
	shapes := true // one size for all tasks of each stage
	for _, g := range groups {
		for _, part := range byExtra(members[g]) {
			st, same, err := r.stage(a, j, g, part)
			if err != nil {
				return err
			}
			if mapReduce && g.kind == "reduce" {
				for k := range a.Job.Stages {
					if p := &a.Job.Stages[k]; p.Name == "map" {
						st.Parents = append(st.Parents, p.ID)
					}
				}
				if len(st.Parents) > 0 {
					st.Kind, st.StartFraction = trace.StageResult, 1
				}
			}
			shapes = shapes && same
			a.Job.Stages = append(a.Job.Stages, st)
		}
	}
	if mapReduce && shapes && isMapReduce(a.Job.Stages) {
		a.Job.Kind = trace.KindMapReduce
		for i := range a.Job.Stages { // durations are of containers, so the start of a process is in them. Source: TaskRunner of hadoop-sls, RumenToSLSConverter.
			t := &a.Job.Stages[i].Tasks
			t.SchedDelayMS = make([]int64, t.Len())
		}
	}
	return nil
}

// order puts maps before reduces, and both before others.
func order(kind string) int {
	switch kind {
	case "map":
		return 0
	case "reduce":
		return 1
	}
	return 2
}

// isMapReduce tells whether stages are those of a MapReduce job: maps, and perhaps reduces after them.
func isMapReduce(stages []trace.Stage) bool {
	return len(stages) <= 2 && stages[0].Name == "map" && stages[0].Extra == nil &&
		(len(stages) == 1 || stages[1].Name == "reduce" && stages[1].Extra == nil)
}

// byExtra puts tasks apart that ask for different further resources, which a stage has for all of its tasks.
func byExtra(tasks []*task) (parts [][]*task) {
	for _, t := range tasks {
		i := slices.IndexFunc(parts, func(p []*task) bool { return slices.Equal(p[0].extra, t.extra) })
		if i < 0 {
			i = len(parts)
			parts = append(parts, nil)
		}
		parts[i] = append(parts[i], t)
	}
	return parts
}

// stage makes a stage of tasks. same tells whether all have one size.
func (r *reading) stage(a *workload.Application, j *jobSpec, g group, tasks []*task) (st trace.Stage, same bool, err error) {
	st = trace.NewStage(int32(len(a.Job.Stages)), trace.StageInput)
	st.Name, st.Priority, st.Extra = g.kind, g.priority, tasks[0].extra
	if g.delay > 0 {
		st.DelayMS = g.delay
	}
	n := int64(0)
	for _, t := range tasks {
		n += t.count
	}
	st.Tasks = trace.NewTasks(int(n))
	c := &st.Tasks
	prefs, anyHost := make([][]int32, 0, n), false
	sizes, i := make([][2]int64, 0, n), 0
	for _, t := range tasks {
		size := [2]int64{t.mib, t.vcores}
		for k, otherwise := range []int64{defaultMiB, defaultVCores} {
			if size[k] == trace.Unset {
				size[k] = otherwise
				r.Counts.Defaulted[[...]string{"memory_of_tasks", "vcores_of_tasks"}[k]] += t.count
			}
		}
		var pref []int32
		if t.host != "" {
			host, err := r.nodes.taskHost(r.Builder, t.host)
			if err != nil {
				return st, false, &recordError{err}
			}
			pref, anyHost = []int32{a.Host(host)}, true
		}
		ms := t.ms
		if j.am == "stream" && j.endMS > j.startMS {
			ms = j.endMS - j.startMS
			r.Counts.Modelled["tasks_that_run_as_long_as_their_job"] += t.count
		}
		if t.opportunistic {
			r.Counts.Dropped["opportunistic_requests_taken_as_guaranteed"] += t.count
		}
		if t.numbered {
			r.Counts.Dropped["numbers_of_requests"] += t.count
		}
		r.longest = max(r.longest, ms)
		for range t.count {
			c.DurationMS[i] = ms
			prefs, sizes = append(prefs, pref), append(sizes, size)
			i++
		}
	}
	if anyHost {
		c.SetPrefs(prefs)
	}
	st.TaskMemMiB, st.TaskVCores = sizes[0][0], int32(sizes[0][1])
	same = !slices.ContainsFunc(sizes, func(s [2]int64) bool { return s != sizes[0] })
	if !same {
		c.MemMiB, c.VCores = make([]int64, n), make([]int32, n)
		for i, s := range sizes {
			c.MemMiB[i], c.VCores[i] = s[0], int32(s[1])
		}
	}
	return st, same, nil
}
