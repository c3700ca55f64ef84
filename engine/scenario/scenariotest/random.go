// Package scenariotest makes random clusters, traces and configurations with short intervals everywhere, for tests that look at whole
// replays: small nodes that fail, come back unnoticed, drain and change size, jobs of a few stages, and every scheduler with queues, limits, delays and
// preemption.
package scenariotest

import (
	"fmt"
	"math/rand/v2"

	"replay/engine/model"
	"replay/engine/random"
	"replay/engine/scenario"
	"replay/trace"
)

// Case is a random case. The same seed gives the same one.
type Case struct {
	Nodes   []trace.Node
	Events  []trace.NodeEvent
	Queues  []trace.Queue
	Users   []trace.User
	Jobs    []*trace.Job
	Options scenario.Options
}

// maker draws a case.
type maker struct {
	*rand.Rand
	Case
}

// Random makes the case of a seed. Those of seeds from 200,000,000 on have more of Spark.
func Random(seed uint64) *Case {
	m := &maker{Rand: random.Stream(seed, "random case")}
	m.cluster()
	m.work()
	m.mapReduce(random.Stream(seed, "random kinds"))
	m.generic(random.Stream(seed, "random generic jobs"))
	m.events()
	m.options(seed)
	m.patience(random.Stream(seed, "random patience"))
	m.mode(random.Stream(seed, "random deploy mode"))
	if seed >= further {
		m.spark(random.Stream(seed, "random jobs of Spark"))
		m.recorded(random.Stream(seed, "random recording"))
	}
	return &m.Case
}

// Input returns the case as the engine reads it. Jobs are read from the start.
func (c *Case) Input() scenario.Input {
	jobs := trace.MemoryTrace{JobList: c.Jobs}
	in := scenario.Input{Name: "random", LocalitySource: trace.LocalityModelled, DurationSource: trace.DurationModelled,
		Nodes: c.Nodes, Events: c.Events, Queues: c.Queues, Users: c.Users, Jobs: jobs.Jobs(), NumJobs: int64(len(c.Jobs))}
	for _, j := range c.Jobs {
		in.SpanMS = max(in.SpanMS, j.SubmitMS)
		in.NumTasks += j.NumTasks()
	}
	return in
}

func (m *maker) pick(of ...string) string        { return of[m.IntN(len(of))] }
func (m *maker) between(least, most int64) int64 { return least + m.Int64N(most-least+1) }
func (m *maker) text(least, most int64) string   { return fmt.Sprint(m.between(least, most)) }
func (m *maker) chance(of int) bool              { return m.IntN(of) == 0 }

// cluster makes nodes, queues and users.
func (m *maker) cluster() {
	unequal := m.chance(2)
	racks := 1 + m.IntN(3)
	for i := range 1 + m.IntN(10) {
		n := trace.Node{ID: int32(i), Host: fmt.Sprintf("node%02d", i), RackID: int32(i % racks), Rack: fmt.Sprintf("/rack%d", i%racks), MemMiB: 8192, VCores: 8, Present: true}
		if unequal {
			n.MemMiB, n.VCores = m.between(3, 16)<<10, int32(m.between(2, 13))
		}
		m.Nodes = append(m.Nodes, n)
	}
	m.Queues = trace.QueueTree(Leaves)
	for i := range 3 {
		m.Users = append(m.Users, trace.NewUser(int32(i), fmt.Sprintf("user%d", i)))
	}
}

// Leaves are the paths of the queues that jobs go to.
var Leaves = []string{"root.a", "root.b", "root.c.x", "root.c.y"}

// work makes jobs.
func (m *maker) work() {
	leaf := map[string]int32{}
	for _, q := range m.Queues {
		leaf[q.Path] = q.ID
	}
	at := int64(0)
	for i := range m.between(1, 9) {
		j := trace.NewJob(trace.KindSpark)
		j.ID, j.SubmitMS, j.Name = i, at, fmt.Sprintf("job%d", i)
		j.Queue, j.User = leaf[m.pick(Leaves...)], m.Int32N(int32(len(m.Users)))
		j.AMMemMiB, j.AMVCores, j.TaskCPUs = 1024, 1, 1
		j.ExecMemMiB = []int64{1024, 2048, 2048, 4096, 7168}[m.IntN(5)]
		j.ExecVCores = int32(m.between(1, 3))
		j.MinExecs, j.InitialExecs, j.MaxExecs = 0, 0, int32(m.between(1, 8))
		if m.chance(4) { // static allocation
			j.MinExecs, j.MaxExecs, j.InitialExecs = trace.Unset, trace.Unset, trace.Unset
			j.Conf = []trace.KeyValue{{Key: "spark.executor.instances", Value: m.text(1, 3)}}
		}
		for s := range int32(m.between(1, 4)) {
			j.Stages = append(j.Stages, m.stage(s))
		}
		m.Jobs = append(m.Jobs, j)
		at += m.Int64N([]int64{2000, 20_000, 100_000}[m.IntN(3)])
	}
}

// stage makes stage s of a job.
func (m *maker) stage(s int32) trace.Stage {
	var parents []int32
	if s > 0 && !m.chance(4) {
		parents = []int32{m.Int32N(s)}
	}
	st := trace.NewStage(s, trace.StageShuffle, parents...)
	st.DelayMS, st.TaskVCores = m.Int64N(2)*m.Int64N(3000), 1
	n := m.IntN(25)
	st.Tasks = trace.NewTasks(n)
	for i := range n {
		st.Tasks.DurationMS[i] = m.between(1, []int64{200, 8000, 20_000}[m.IntN(3)])
	}
	if len(parents) > 0 || m.chance(2) {
		return st
	}
	st.Kind = trace.StageInput
	prefs := make([][]int32, n)
	for i := range prefs {
		st.Tasks.InputBytes[i] = m.Int64N(1 << 28)
		for _, node := range m.Perm(len(m.Nodes))[:m.IntN(min(3, len(m.Nodes))+1)] {
			prefs[i] = append(prefs[i], int32(node))
		}
	}
	st.Tasks.SetPrefs(prefs)
	return st
}

// events lets all nodes but the last come and go, often before anybody has noticed.
func (m *maker) events() {
	next := map[trace.EventKind][]trace.EventKind{ // what can happen to a node, by what happened last
		"":            {trace.Fail, trace.Drain, trace.Capacity, trace.Leave},
		trace.Fail:    {trace.Recover, trace.Recover, trace.Leave},
		trace.Drain:   {trace.Undrain, trace.Undrain, trace.Fail, trace.Leave},
		trace.Recover: {trace.Fail, trace.Drain}, trace.Undrain: {trace.Fail, trace.Drain}, trace.Capacity: {trace.Fail, trace.Drain, trace.Capacity},
	}
	if len(m.Nodes) == 1 || m.chance(4) {
		return
	}
	last := make([]trace.EventKind, len(m.Nodes))
	for when := int64(0); len(m.Events) < 60 && !m.chance(50); {
		when += m.between(1, 8000)
		node := m.Int32N(int32(len(m.Nodes) - 1))
		can := next[last[node]]
		if len(can) == 0 {
			continue
		}
		e := trace.NewNodeEvent(when, node, can[m.IntN(len(can))])
		e.Seq = int32(len(m.Events))
		last[node] = e.Kind
		switch {
		case e.Kind == trace.Drain && m.chance(2):
			e.DrainTimeoutMS = m.Int64N(10_000)
		case e.Kind == trace.Capacity:
			e.MemMiB, e.VCores = m.between(2, 15)<<10, int32(m.between(2, 11))
		}
		m.Events = append(m.Events, e)
	}
}

// options draws scheduler, policies, intervals and latencies. Replays stop after 200 s: preemption may take an application its master again
// and again, and that never ends.
func (m *maker) options(seed uint64) {
	o := scenario.Options{Seed: seed, Until: 200_000, Placement: m.pick("locality-ratio", "none", "union", "top", "per-task"), Model: model.DefaultModel()}
	for _, at := range []*int64{&o.Model.NMStartMS, &o.Model.KillMS, &o.Model.AMStartMS, &o.Model.ExecutorStartMS, &o.Model.StopMS, &o.Model.DisconnectMS} {
		if m.chance(2) {
			*at = m.between(0, 4000)
		}
	}
	o.Conf = map[string]string{
		"yarn.resourcemanager.rm.container-allocation.expiry-interval-ms": m.text(500, 15_000),
		"yarn.nm.liveness-monitor.expiry-interval-ms":                     m.text(1500, 12_000),
		"yarn.resourcemanager.nodemanagers.heartbeat-interval-ms":         m.text(50, 1500),
		"yarn.resourcemanager.am.max-attempts":                            m.text(1, 4),
		"yarn.resourcemanager.work-preserving-recovery.enabled":           m.pick("false", "false", "false", "true"),
		"spark.yarn.scheduler.heartbeat.interval-ms":                      m.text(100, 3000),
		"spark.dynamicAllocation.executorIdleTimeout":                     m.pick("2s", "10s", "60s"),
		"spark.locality.wait":                                             m.pick("0s", "1s", "3s"),
		"spark.speculation":                                               m.pick("true", "false"),
		"spark.scheduler.mode":                                            m.pick("FIFO", "FAIR"),
		"spark.shuffle.service.enabled":                                   m.pick("true", "false"),
	}
	switch o.Scheduler = m.pick("fair", "fair", "capacity", "fifo"); o.Scheduler {
	case "fair":
		o.Sharing = m.pick("", "fair", "drf")
		o.Files = scenario.Files{"fair-scheduler.xml": {Text: []byte(m.allocations())}}
		for key, value := range map[string]string{
			"update-interval-ms": m.text(50, 1500), "locality.threshold.node": m.pick("-1", "0", "0.3", "1.0"), "locality.threshold.rack": m.pick("-1", "0.5", "1.0"),
			"assignmultiple": m.pick("true", "false"), "max.assign": m.pick("-1", "2"), "dynamic.max.assign": m.pick("true", "false"),
			"sizebasedweight": m.pick("true", "false", "false"), "preemption": m.pick("true", "false"), "waitTimeBeforeKill": m.text(0, 5000),
			"reservable-nodes": m.pick("0.05", "0.5", "1"), "continuous-scheduling-enabled": m.pick("false", "false", "false", "true"), "continuous-scheduling-sleep-ms": "170",
		} {
			o.Conf["yarn.scheduler.fair."+key] = value
		}
	case "capacity":
		o.Files = scenario.Files{"capacity-scheduler.xml": {Text: []byte(m.capacities())}}
	}
	m.Options = o
}
