package main

import (
	"context"
	"fmt"
	"math/rand/v2"

	"replay/engine"
	"replay/engine/record"
	"replay/engine/scenario"
	"replay/trace"
)

// master is the memory, in MiB, of an application master: next to nothing, as the claims are about tasks. slot is that of a task.
const (
	master = 1
	slot   = 1024
)

// A cluster is nodes on one rack, jobs and a configuration.
type cluster struct {
	meta trace.Meta
	jobs []*trace.Job
	opt  scenario.Options
}

// newCluster returns a cluster of nodes with so many slots each, beside room for masters.
func newCluster(nodes, slots int) *cluster {
	c := &cluster{opt: scenario.DefaultOptions()}
	c.opt.Scheduler = "fair"
	c.opt.Conf = map[string]string{
		"yarn.scheduler.minimum-allocation-mb": "1", "yarn.resource-types.memory-mb.increment-allocation": "1",
		"yarn.scheduler.reservation-threshold.increment-multiple": "100000", // no container is so large that a node is kept for it
	}
	c.meta = trace.Meta{
		OriginUnixMS: trace.Unset, LocalitySource: trace.LocalityModelled, DurationSource: trace.DurationModelled,
		Queues: trace.QueueTree([]string{"root.default"}), Users: []trace.User{trace.NewUser(0, "user0")},
	}
	for i := range nodes {
		c.meta.Nodes = append(c.meta.Nodes, trace.Node{
			ID: int32(i), Host: fmt.Sprintf("node%04d", i), Rack: "/rack0", MemMiB: int64(slots*slot + slot/2), VCores: 1000, Present: true,
		})
	}
	return c
}

// add adds a job of tasks, a container each, which takes what tasks says of each.
func (c *cluster) add(at int64, n int, task func(i int) (ms int64, prefer []int32)) *trace.Job {
	j := trace.NewJob(trace.KindGeneric)
	j.ID, j.SubmitMS, j.Queue, j.AMMemMiB, j.AMVCores = int64(len(c.jobs)), at, 1, master, 1
	s := trace.NewStage(0, trace.StageInput)
	s.TaskMemMiB, s.TaskVCores, s.Tasks = slot, 1, trace.NewTasks(n)
	prefs := make([][]int32, n)
	for i := range n {
		s.Tasks.DurationMS[i], prefs[i] = task(i)
	}
	s.Tasks.SetPrefs(prefs)
	j.Stages = []trace.Stage{s}
	c.jobs = append(c.jobs, j)
	return j
}

// someNodes draws different nodes.
func someNodes(r *rand.Rand, of, n int) []int32 {
	list := make([]int32, 0, n)
	for _, i := range r.Perm(of)[:n] {
		list = append(list, int32(i))
	}
	return list
}

// replay gives the records of the cluster's replay to take.
func (c *cluster) replay(ctx context.Context, sink record.Sink) error {
	tasks := int64(0)
	for _, j := range c.jobs {
		tasks += j.NumTasks()
	}
	in := scenario.Input{
		Name: "papers", LocalitySource: c.meta.LocalitySource, DurationSource: c.meta.DurationSource, SpanMS: c.jobs[len(c.jobs)-1].SubmitMS,
		NumJobs: int64(len(c.jobs)), NumTasks: tasks, Nodes: c.meta.Nodes, Queues: c.meta.Queues, Users: c.meta.Users, Jobs: (&trace.MemoryTrace{JobList: c.jobs}).Jobs(),
	}
	sc, err := scenario.New(in, c.opt)
	if err != nil {
		return err
	}
	_, err = engine.Run(ctx, sc, sink, nil)
	return err
}

// took is a sink for what claims look at.
type took struct {
	task      func(*record.Task)
	job       func(*record.Job)
	container func(*record.Container)
}

func (t took) Task(r *record.Task) {
	if t.task != nil {
		t.task(r)
	}
}

func (t took) Job(r *record.Job) {
	if t.job != nil {
		t.job(r)
	}
}

func (t took) Container(r *record.Container) {
	if t.container != nil {
		t.container(r)
	}
}

func (took) Sample(*record.Sample)     {}
func (took) Node(*record.Node)         {}
func (took) Decision(*record.Decision) {}

// share counts how many of what there is are so.
type share struct{ yes, all int }

func (s *share) add(is bool) {
	s.all++
	if is {
		s.yes++
	}
}

func (s *share) value() float64 { return float64(s.yes) / float64(s.all) }
