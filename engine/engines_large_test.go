package engine

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"replay/engine/random"
	"replay/engine/scenario"
	"replay/engine/scenario/scenariotest"
	"replay/trace"
)

// TestEnginesDecideAlikeAtTheirLimits replays clusters that are large, long, crowded or have odd intervals, of every scheduler, with both engines: of each kind a
// few, as they take longer than those of the other tests.
func TestEnginesDecideAlikeAtTheirLimits(t *testing.T) {
	for _, seed := range more((*seeds + 15) / 16) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			in, o := randomLimits(random.Stream(seed, "limits"), seed)
			alike(t, in, o)
		})
	}
}

// limits are a cluster of [scenariotest.Random] with other nodes, jobs and intervals.
type limits struct {
	draw
	scenariotest.Case
}

// randomLimits is such a cluster, of each kind in turn.
func randomLimits(r *rand.Rand, seed uint64) (func() scenario.Input, scenario.Options) {
	l := &limits{draw: draw{r}, Case: *scenariotest.Random(seed)}
	l.Options.Conf = maps.Clone(l.Options.Conf)
	switch seed % 6 {
	case 0:
		l.unlimited()
		l.manyNodes(200+r.IntN(1800), true)
		l.manyJobs(50+r.IntN(250), 60, 20_000)
		l.Options.Until = 20_000 + r.Int64N(80_000)
	case 1:
		l.unlimited()
		l.manyJobs(500+r.IntN(2500), 1+r.IntN(4), 1_000_000)
		l.Options.Until = 2_000_000
	case 2:
		l.atOnce()
	case 3:
		l.intervals()
	case 4:
		l.manyNodes(100+r.IntN(400), false)
		l.manyJobs(5+r.IntN(20), 10, 60_000)
		l.Options.Until = 100_000
		if l.oneIn(3) { // so that nodes often join in the same millisecond as others send heartbeats
			l.Options.Conf["yarn.resourcemanager.nodemanagers.heartbeat-interval-ms"] = l.pick("3", "20")
			l.Options.Until = 20_000
		}
	default:
		l.wholeNodes()
	}
	if seed%6 != 3 && l.oneIn(2) {
		return withSettings(r, seed, l.Input, l.Options)
	}
	return l.Input, l.Options
}

// unlimited leaves queues without limits, most often.
func (l *limits) unlimited() {
	if l.Options.Scheduler == "fair" && !l.oneIn(3) {
		l.Options.Files = nil
	}
}

// manyNodes makes a cluster of n nodes on up to as many racks. Of few of them, or of most, are there at first; others join, fail, come back and leave.
func (l *limits) manyNodes(n int, present bool) {
	racks := []int{1, 7, n / 2, n}[l.IntN(4)]
	last := make([]trace.EventKind, n)
	l.Nodes, l.Events = nil, nil
	for i := range n {
		node := trace.Node{ID: int32(i), Host: fmt.Sprintf("node%04d", i), RackID: int32(i % racks), Rack: fmt.Sprintf("/rack%d", i%racks),
			MemMiB: []int64{4096, 8192}[l.IntN(2)], VCores: 4 + l.Int32N(5), Present: i == 0 || present && !l.oneIn(10) || l.oneIn(20)}
		if !node.Present {
			last[i] = trace.Leave
		}
		l.Nodes = append(l.Nodes, node)
	}
	at := int64(0)
	for range l.IntN(n) {
		at += l.Int64N(2000)
		i := 1 + l.Int32N(int32(n-1))
		can := map[trace.EventKind][]trace.EventKind{
			"": {trace.Fail, trace.Drain, trace.Leave}, trace.Leave: {trace.Join}, trace.Join: {trace.Fail, trace.Drain, trace.Leave}, trace.Fail: {trace.Recover},
			trace.Recover: {trace.Drain, trace.Leave}, trace.Drain: {trace.Undrain, trace.Leave}, trace.Undrain: {trace.Fail},
		}[last[i]]
		e := trace.NewNodeEvent(at, i, can[l.IntN(len(can))])
		e.Seq, last[i] = int32(len(l.Events)), e.Kind
		if last[i] == trace.Leave && !l.Nodes[i].Present {
			last[i] = "gone"
		}
		if last[i] == "gone" {
			last[i] = trace.Recover
			continue
		}
		l.Events = append(l.Events, e)
	}
}

// manyJobs makes n jobs within a time, each with up to so many tasks in a stage and executors.
func (l *limits) manyJobs(n, most int, within int64) {
	queues := map[string]int32{}
	for _, q := range l.Queues {
		queues[q.Path] = q.ID
	}
	l.Jobs = nil
	for i := range int64(n) {
		var stages []trace.Stage
		for s := range int32(1 + l.IntN(2)) {
			var prefs, parents []int32
			if l.oneIn(2) {
				prefs = []int32{l.Int32N(int32(len(l.Nodes))), l.Int32N(int32(len(l.Nodes)))}
			} else if s > 0 {
				parents = []int32{s - 1}
			}
			stages = append(stages, stage(s, 1+l.IntN(most), l.Int64N([]int64{1, 500, 20_000}[l.IntN(3)])+1, parents, prefs...))
		}
		j := sparkJob(i, l.Int64N(within), 1+l.Int32N(int32(most)), stages...)
		j.Queue, j.User = queues[l.pick(scenariotest.Leaves...)], l.Int32N(int32(len(l.Users)))
		j.ExecMemMiB, j.ExecVCores = []int64{512, 1024, 2048}[l.IntN(3)], 1
		if l.oneIn(4) {
			asGeneric(j, l.oneIn(2))
		}
		l.Jobs = append(l.Jobs, j)
	}
	l.inOrder()
}

// asGeneric makes of a job one that asks for a container for each task.
func asGeneric(j *trace.Job, reuse bool) {
	j.Kind = trace.KindGeneric
	j.ExecMemMiB, j.ExecVCores, j.TaskCPUs = trace.Unset, trace.Unset, trace.Unset
	j.MinExecs, j.MaxExecs, j.InitialExecs = trace.Unset, trace.Unset, trace.Unset
	for i := range j.Stages {
		j.Stages[i].TaskMemMiB, j.Stages[i].TaskVCores = 1024, 1
	}
	if reuse {
		j.Conf = []trace.KeyValue{{Key: "tez.am.container.reuse.enabled", Value: "true"}}
	}
}

// inOrder numbers the jobs by the time of their submission.
func (l *limits) inOrder() {
	slices.SortStableFunc(l.Jobs, func(a, b *trace.Job) int { return cmp.Compare(a.SubmitMS, b.SubmitMS) })
	for i, j := range l.Jobs {
		j.ID, j.Name = int64(i), fmt.Sprintf("job%d", i)
	}
}

// atOnce has a thousand tasks and more begin or end at the same time, some of which take none.
func (l *limits) atOnce() {
	l.manyNodes(3+l.IntN(60), true)
	for i := range l.Nodes {
		l.Nodes[i].MemMiB, l.Nodes[i].VCores = 64<<10, 64
	}
	l.manyJobs(1+l.IntN(6), 900, 1+l.Int64N(3))
	for _, j := range l.Jobs {
		for i := range j.Stages {
			ms := []int64{0, 0, 1, 1000}[l.IntN(4)]
			for k := range j.Stages[i].Tasks.DurationMS {
				j.Stages[i].Tasks.DurationMS[k] = ms
			}
			if j.Kind == trace.KindGeneric {
				j.Stages[i].TaskMemMiB = 128
			}
		}
	}
	l.Options.Until = 60_000
}

// intervals draws times between heartbeats, updates and looks from a millisecond to an hour.
func (l *limits) intervals() {
	for _, key := range []string{"yarn.resourcemanager.nodemanagers.heartbeat-interval-ms", "spark.yarn.scheduler.heartbeat.interval-ms", "yarn.scheduler.fair.update-interval-ms"} {
		if l.oneIn(3) || key == "yarn.scheduler.fair.update-interval-ms" && l.Options.Scheduler != "fair" {
			continue
		}
		l.Options.Conf[key] = l.pick("1", "2", "17", "9999", "10000", "10001", "60000", "3600000")
	}
	l.Options.Conf["yarn.nm.liveness-monitor.expiry-interval-ms"] = l.pick("3600000", "9000000") // no less than between two heartbeats
	delete(l.Options.Conf, "yarn.resourcemanager.rm.container-allocation.expiry-interval-ms")
	if l.oneIn(2) {
		l.Options.Model.KillMS = []int64{0, 1, 5000, 100_000}[l.IntN(4)]
	}
	if l.Options.Conf["yarn.resourcemanager.nodemanagers.heartbeat-interval-ms"] == "1" {
		l.Options.Until = 30_000
		return
	}
	l.Options.Until = []int64{200_000, 4_000_000}[l.IntN(2)]
	l.Options.StallMS = 10_000_000
}

// wholeNodes has containers that take all of a node.
func (l *limits) wholeNodes() {
	l.manyNodes(2+l.IntN(40), true)
	l.manyJobs(5+l.IntN(30), 8, 30_000)
	for _, j := range l.Jobs {
		if j.Kind == trace.KindSpark && !l.oneIn(3) {
			j.ExecMemMiB, j.ExecVCores = []int64{4096 - 384, 8192 - 819}[l.IntN(2)], 1+l.Int32N(4)
		}
	}
	l.Options.Until = 200_000
}
