package engine

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"replay/engine/random"
	"replay/engine/record"
	"replay/engine/scenario"
	"replay/engine/scenario/scenariotest"
	"replay/trace"
)

// TestNodesComeAndGoBesideApplications replays few applications of few containers on many nodes that fail, drain, leave and come back all the time, with both engines: most events
// of nodes are nothing to most applications, which run ahead of them.
func TestNodesComeAndGoBesideApplications(t *testing.T) {
	for _, seed := range more(*seeds) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			in, o := randomGuests(random.Stream(seed, "guests"), seed)
			alike(t, in, o)
		})
	}
}

// sizes has nodes shrink and grow.
func (l *limits) sizes() {
	up := make([]bool, len(l.Nodes))
	for i := range l.Nodes {
		up[i] = l.Nodes[i].Present
	}
	var out []trace.NodeEvent
	for _, e := range l.Events {
		out = append(out, e)
		switch e.Kind {
		case trace.Join, trace.Recover, trace.Undrain:
			up[e.Node] = true
		default:
			up[e.Node] = false
		}
		if i := l.IntN(len(up)); up[i] && l.oneIn(3) {
			c := trace.NewNodeEvent(e.TimeMS, int32(i), trace.Capacity)
			c.MemMiB, c.VCores = 1024*(1+l.Int64N(8)), 1+l.Int32N(8)
			out = append(out, c)
		}
	}
	for i := range out {
		out[i].Seq = int32(i)
	}
	l.Events = out
}

func randomGuests(r *rand.Rand, seed uint64) (func() scenario.Input, scenario.Options) {
	l := &limits{draw: draw{r}, Case: *scenariotest.Random(seed)}
	l.unlimited()
	l.manyNodes(20+r.IntN(80), true)
	l.sizes()
	within := int64(1)
	if n := len(l.Events); n > 0 {
		within += l.Events[n-1].TimeMS
	}
	l.manyJobs(2+r.IntN(12), 1+r.IntN(8), within)
	l.Options.Until = 0
	l.Options.Conf = maps.Clone(l.Options.Conf)
	if l.Options.Conf == nil {
		l.Options.Conf = map[string]string{}
	}
	c := l.Options.Conf
	delete(c, "yarn.scheduler.fair.preemption") // with which nothing runs ahead
	c["yarn.nm.liveness-monitor.expiry-interval-ms"] = l.pick("2000", "5000", "20000", "60000")
	c["spark.shuffle.service.enabled"] = l.pick("true", "false")
	c["spark.dynamicAllocation.executorIdleTimeout"] = l.pick("2s", "10s", "60s")
	if l.oneIn(6) {
		c["spark.excludeOnFailure.enabled"] = "true"
	}
	if l.oneIn(4) {
		c["spark.submit.deployMode"] = "client"
	}
	for _, j := range l.Jobs {
		if j.TailMS = 0; !l.oneIn(3) {
			j.TailMS = r.Int64N(100_000)
		}
	}
	return l.Input, l.Options
}

// TestHostsThatGoAsTasksStart has the host that tasks prefer fail, or come back, in the millisecond in which they start on others, ahead of their time, and right before and behind it.
func TestHostsThatGoAsTasksStart(t *testing.T) {
	const host = 20 // without a container
	job := func() *trace.Job { return sparkJob(0, 0, 2, stage(0, 12, 2000, nil, host)) }
	o := scenario.Options{Seed: 3, Conf: map[string]string{"spark.locality.wait": "0s", "yarn.scheduler.fair.locality.threshold.node": "-1"}}
	in := func(events ...trace.NodeEvent) func() scenario.Input {
		return func() scenario.Input {
			nodes := cluster(21, 3)
			nodes[host].MemMiB, nodes[host].VCores = 1024, 1 // no room for an executor
			return input(nodes, events, job())
		}
	}
	first, _ := replay(t, in()(), o)
	misses := map[record.Miss]int{}
	for _, task := range first.tasks {
		if task.Miss != record.NoExecutor {
			t.Fatalf("task %d misses its host for %v, want no-executor", task.Index, task.Miss)
		}
		for d := int64(-1); d <= 1; d++ {
			at := task.Launch + d
			for _, events := range [][]trace.NodeEvent{
				{nodeEvent(at, 0, host, trace.Fail)},
				{nodeEvent(at-500, 0, host, trace.Fail), nodeEvent(at, 1, host, trace.Recover)},
			} {
				alike(t, in(events...), o)
				k, _ := replay(t, in(events...)(), o)
				for _, task := range k.tasks {
					misses[task.Miss]++
				}
			}
		}
	}
	if misses[record.HostAbsent] == 0 || misses[record.NoExecutor] == 0 {
		t.Errorf("tasks miss their host for %v, want no executor there and that it is gone", misses)
	}
}

// TestHostsThatDrainBesideApplications drains each node in turn while tasks run, until its time is over.
func TestHostsThatDrainBesideApplications(t *testing.T) {
	const nodes = 6
	hit := 0
	for node := range int32(nodes) {
		drain := trace.NewNodeEvent(40_000, node, trace.Drain)
		drain.DrainTimeoutMS = 30_000
		in := func() scenario.Input {
			return input(cluster(nodes, 2), []trace.NodeEvent{drain}, sparkJob(0, 0, 3, stage(0, 40, 20_000, nil)))
		}
		alike(t, in, scenario.Options{Seed: 1})
		k, _ := replay(t, in(), scenario.Options{Seed: 1})
		for _, task := range k.tasks {
			if task.End != record.TaskSuccess {
				hit++
			}
		}
	}
	if hit == 0 {
		t.Error("no task was hit, want some")
	}
}

// TestHostsOfAnAttemptBefore: in client mode the driver outlives its application master, and needs what the hosts of that attempt's executors serve.
func TestHostsOfAnAttemptBefore(t *testing.T) {
	const nodes = 8
	job := func() *trace.Job {
		return sparkJob(0, 0, 8, stage(0, 40, 5000, nil), stage(1, 120, 20_000, []int32{0}))
	}
	in := func(events ...trace.NodeEvent) func() scenario.Input {
		return func() scenario.Input { return input(cluster(nodes, 2), events, job()) }
	}
	again := 0
	for seed := range uint64(4) {
		o := scenario.Options{Seed: seed, Conf: map[string]string{"spark.submit.deployMode": "client", "spark.shuffle.service.enabled": "true", "yarn.nm.liveness-monitor.expiry-interval-ms": "5000"}}
		first, _ := replay(t, in()(), o)
		master := nodeEvent(40_000, 0, mastersOf(first)[0].Node, trace.Fail)
		for node := range int32(nodes) {
			if node == master.Node {
				continue
			}
			events := []trace.NodeEvent{master, nodeEvent(90_000, 1, node, trace.Fail)}
			alike(t, in(events...), o)
			k, _ := replay(t, in(events...)(), o)
			if !slices.ContainsFunc(k.containers, func(c record.Container) bool { return c.AMAttempt == 2 && c.Node == node }) &&
				slices.ContainsFunc(k.tasks, func(x record.Task) bool { return x.Stage == 0 && x.StageAttempt > 0 }) {
				again++
			}
		}
	}
	if again == 0 {
		t.Error("no output was lost, want that of a host without a container of the second attempt")
	}
}
