package bench_test

import (
	"fmt"
	"math"
	"strings"

	"replay/engine/scenario"
	"replay/trace"
)

// The builders of the pinned cases: clusters, jobs and stages in a line each. Times are ms, memory MiB.

// nodesOf makes n nodes of 8 GiB and 8 vcores on racks racks.
func nodesOf(n, racks int) []trace.Node {
	var nodes []trace.Node
	for i := range n {
		nodes = append(nodes, trace.Node{ID: int32(i), Host: fmt.Sprintf("host%02d", i), RackID: int32(i % racks),
			Rack: fmt.Sprintf("/rack%d", i%racks), MemMiB: 8192, VCores: 8, Present: true})
	}
	return nodes
}

// at is a node event.
func at(ms int64, node int32, kind trace.EventKind) trace.NodeEvent {
	return trace.NewNodeEvent(ms, node, kind)
}

func resized(ms int64, node int32, mem int64, vcores int32) trace.NodeEvent {
	e := at(ms, node, trace.Capacity)
	e.MemMiB, e.VCores = mem, vcores
	return e
}

func drained(ms int64, node int32, timeout int64) trace.NodeEvent {
	e := at(ms, node, trace.Drain)
	e.DrainTimeoutMS = timeout
	return e
}

// stageOf makes a stage of tasks that read the output of parents. Durations vary around ms.
func stageOf(id int32, tasks int, ms int64, parents ...int32) trace.Stage {
	st := trace.NewStage(id, trace.StageShuffle, parents...)
	st.DelayMS, st.TaskVCores, st.Tasks = 0, 1, trace.NewTasks(tasks)
	for i := range int64(tasks) {
		st.Tasks.DurationMS[i] = ms + ms*(i*7%5-2)/10
	}
	return st
}

// input makes a stage read blocks: task i prefers nodes i, i+step and i+2*step of n.
func input(st trace.Stage, n, step int) trace.Stage {
	st.Kind = trace.StageInput
	st.Tasks.PrefStart = []int32{0}
	for i := range st.Tasks.Len() {
		st.Tasks.InputBytes[i] = 64 << 20
		for r := range 3 {
			st.Tasks.Pref = append(st.Tasks.Pref, int32((i+r*step)%n))
		}
		st.Tasks.PrefStart = append(st.Tasks.PrefStart, int32(len(st.Tasks.Pref)))
	}
	return st
}

// straggler makes the last task of a stage take so much longer.
func straggler(st trace.Stage, times int64) trace.Stage {
	st.Tasks.DurationMS[st.Tasks.Len()-1] *= times
	return st
}

// retried makes every third task fail n times.
func retried(st trace.Stage, n int32) trace.Stage {
	st.Tasks.Retries = make([]int32, st.Tasks.Len())
	for i := 0; i < len(st.Tasks.Retries); i += 3 {
		st.Tasks.Retries[i] = n
	}
	return st
}

// later makes a stage wait for the end of another, and some driver time.
func later(st trace.Stage, after int32, delay int64) trace.Stage {
	st.After, st.DelayMS = []int32{after}, delay
	return st
}

// inPool puts a stage into a Spark job of its own in a pool.
func inPool(st trace.Stage, sparkJob int32, pool string) trace.Stage {
	st.SparkJob, st.Pool = sparkJob, pool
	return st
}

func with(st trace.Stage, change func(*trace.Stage)) trace.Stage {
	change(&st)
	return st
}

// jobOf makes a Spark job of executors of 2 GiB and 2 vcores with dynamic allocation, at most most of them.
func jobOf(id, submit int64, queue, most int32, stages ...trace.Stage) *trace.Job {
	j := trace.NewJob(trace.KindSpark)
	j.ID, j.SubmitMS, j.Queue, j.User, j.Name, j.Stages = id, submit, queue, queue, fmt.Sprintf("job%d", id), stages
	j.AMMemMiB, j.AMVCores, j.ExecMemMiB, j.ExecVCores, j.TaskCPUs = 1024, 1, 2048, 2, 1
	j.MinExecs, j.MaxExecs, j.InitialExecs = 0, most, 0
	return j
}

// static gives a job n executors from the start.
func static(j *trace.Job, n int, keys ...string) *trace.Job {
	j.MinExecs, j.MaxExecs, j.InitialExecs = trace.Unset, trace.Unset, trace.Unset
	return keyed(j, append([]string{"spark.executor.instances", fmt.Sprint(n)}, keys...)...)
}

// keyed records keys and values with a job; keys ascend.
func keyed(j *trace.Job, keys ...string) *trace.Job {
	for i := 0; i < len(keys); i += 2 {
		j.Conf = append(j.Conf, trace.KeyValue{Key: keys[i], Value: keys[i+1]})
	}
	return j
}

// queuesOf makes leaf queues, numbered as they are given, then their parents, and a user for each leaf.
func queuesOf(leaves ...string) (queues []trace.Queue, users []trace.User) {
	number := map[string]int32{}
	add := func(path string) {
		number[path] = int32(len(queues))
		queues = append(queues, trace.Queue{ID: number[path], Path: path, Parent: trace.Unset, Weight: 1, MinMemMiB: trace.Unset, MinVCores: trace.Unset,
			MaxMemMiB: trace.Unset, MaxVCores: trace.Unset, MaxApps: trace.Unset, AMShare: math.NaN()})
	}
	for i, p := range leaves {
		add(p)
		users = append(users, trace.User{ID: int32(i), Name: fmt.Sprintf("user%d", i), Weight: 1})
	}
	for i := range leaves {
		parent := leaves[i][:strings.LastIndexByte(leaves[i], '.')]
		if parent == "root" {
			continue
		}
		if _, ok := number[parent]; !ok {
			add(parent)
		}
		queues[i].Parent = number[parent]
	}
	return queues, users
}

// inputOf is the trace of a case.
func inputOf(nodes []trace.Node, events []trace.NodeEvent, queues []trace.Queue, users []trace.User, jobs ...*trace.Job) scenario.Input {
	m := trace.MemoryTrace{JobList: jobs}
	in := scenario.Input{Name: "case", LocalitySource: "modelled", DurationSource: "modelled", Nodes: nodes, Events: events,
		Queues: queues, Users: users, Jobs: m.Jobs(), NumJobs: int64(len(jobs))}
	for _, j := range jobs {
		in.SpanMS = max(in.SpanMS, j.SubmitMS)
		in.NumTasks += j.NumTasks()
	}
	return in
}
