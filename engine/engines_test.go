package engine

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"replay/engine/random"
	"replay/engine/record"
	"replay/engine/scenario"
	"replay/engine/scenario/scenariotest"
	"replay/trace"
)

var (
	firstSeed = flag.Uint64("first", 0, "first seed of TestEnginesDecideAlike")
	seeds     = flag.Uint64("seeds", 100, "how many seeds of TestEnginesDecideAlike")
)

// TestEnginesDecideAlike replays random clusters of the FairScheduler with both engines: queues with limits of every kind, delay
// scheduling, reservations, preemption, unequal nodes that come and go and change their size. More of them:
//
//	go test ./engine -run TestEnginesDecideAlike -args -first 100 -seeds 100000
func TestEnginesDecideAlike(t *testing.T) {
	executed, passed := decideAlike(t, randomFair, append([]uint64{2358, 2659, 11754, 15000036}, more(*seeds)...)) // the first ones have failed
	if executed*2 > passed {
		t.Errorf("%d of %d heartbeats were executed, want less than half", executed, passed)
	}
}

// TestEnginesDecideAlikeWithABacklog has many more applications than queues may run, with masters of several sizes.
func TestEnginesDecideAlikeWithABacklog(t *testing.T) {
	decideAlike(t, randomBacklog, more((*seeds+4)/5))
}

// TestSchedulersDecideAlike has clusters of every scheduler with short intervals.
func TestSchedulersDecideAlike(t *testing.T) {
	decideAlike(t, func(_ *rand.Rand, seed uint64) (func() scenario.Input, scenario.Options) {
		c := scenariotest.Random(seed)
		return c.Input, c.Options
	}, append([]uint64{5025, 15000033, 27001008, 43001609}, more((*seeds+1)/2)...)) // the first ones have failed
}

// decideAlike replays clusters with both engines and returns how many heartbeats the fast one executed, and how many there were.
func decideAlike(t *testing.T, cluster func(*rand.Rand, uint64) (func() scenario.Input, scenario.Options), seeds []uint64) (executed, passed int64) {
	at := *firstSeed
	defer func() {
		if p := recover(); p != nil {
			t.Errorf("seed %d: %v\n%s", at, p, debug.Stack())
		}
	}()
	for _, at = range seeds {
		if t.Failed() {
			break
		}
		in, o := cluster(random.Stream(at, "engines"), at)
		if expiry := [...]string{"", "3s", "8s", "31s"}[at/4%4]; expiry != "" { // sooner than nodes are missed, or later
			o.Conf = maps.Clone(o.Conf)
			if o.Conf == nil {
				o.Conf = map[string]string{}
			}
			o.Conf["yarn.am.liveness-monitor.expiry-interval-ms"] = expiry
		}
		fast := replayTo(t, disorderly{&keep{}}, in(), o)
		o.Engine = scenario.Dense
		_, dense := replay(t, in(), o)
		if fast.DecisionHash != dense.DecisionHash {
			t.Errorf("seed %d: decision hash is %s, that of the dense engine %s", at, fast.DecisionHash, dense.DecisionHash)
		}
		executed, passed = executed+fast.Totals.ExecutedHeartbeats, passed+dense.Totals.ExecutedHeartbeats
	}
	t.Logf("%d of %d heartbeats were executed", executed, passed)
	return executed, passed
}

// more are the first n seeds that the flags name.
func more(n uint64) (out []uint64) {
	for seed := *firstSeed; seed < *firstSeed+n; seed++ {
		out = append(out, seed)
	}
	return out
}

// randomBacklog is a cluster of randomFair with many small jobs in two queues.
func randomBacklog(r *rand.Rand, seed uint64) (func() scenario.Input, scenario.Options) {
	in, o := randomFair(r, seed)
	jobs := make([]trace.Job, 20+r.IntN(40))
	at := int64(0)
	for i := range jobs {
		j := sparkJob(int64(i), at, 1+r.Int32N(3), stage(0, 1+r.IntN(4), int64(1+r.IntN(20_000)), nil))
		j.Queue, j.ExecMemMiB, j.ExecVCores = r.Int32N(2), 2048, 1
		j.AMMemMiB = []int64{700, 1024, 3000}[r.IntN(3)]
		jobs[i] = *j
		at += r.Int64N(2000)
	}
	return func() scenario.Input {
		var list []*trace.Job
		for i := range jobs {
			j := jobs[i]
			list = append(list, &j)
		}
		like := in()
		out := input(like.Nodes, like.Events, list...)
		out.Queues = like.Queues
		return out
	}, o
}

// randomFair makes a trace, each time anew, and options for it.
func randomFair(r *rand.Rand, seed uint64) (func() scenario.Input, scenario.Options) {
	pick := func(s ...string) string { return s[r.IntN(len(s))] }
	nodes := cluster(1+r.IntN(14), 1+r.IntN(3))
	if r.IntN(2) == 0 {
		for i := range nodes {
			nodes[i].MemMiB = int64(3+r.IntN(14)) << 10
			nodes[i].VCores = int32(2 + r.IntN(12))
		}
	}
	n := int32(len(nodes))
	queues := []string{"root.a", "root.b", "root.c.x", "root.c.y"}
	var jobs []*trace.Job
	at := int64(0)
	for i := range int64(1 + r.IntN(9)) {
		var stages []trace.Stage
		for s := range int32(1 + r.IntN(3)) {
			var prefs, parents []int32
			if r.IntN(2) == 0 {
				prefs = []int32{r.Int32N(n), r.Int32N(n)}
			} else if s > 0 {
				parents = []int32{s - 1}
			}
			stages = append(stages, stage(s, 1+r.IntN(25), int64(1+r.IntN(20_000)), parents, prefs...))
		}
		j := sparkJob(i, at, 1+r.Int32N(8), stages...)
		j.Queue = r.Int32N(int32(len(queues)))
		j.ExecMemMiB = []int64{1024, 2048, 2048, 4096, 7168}[r.IntN(5)]
		j.ExecVCores = 1 + r.Int32N(3)
		jobs = append(jobs, j)
		at += r.Int64N([]int64{2000, 20_000, 200_000}[r.IntN(3)])
	}
	var events []trace.NodeEvent
	for when := int64(0); n > 2 && r.IntN(2) == 0; {
		when += 1 + r.Int64N(60_000)
		node := r.Int32N(n - 1)
		switch r.IntN(3) {
		case 0:
			events = append(events, nodeEvent(when, int32(len(events)), node, trace.Fail), nodeEvent(when+15_000, int32(len(events)+1), node, trace.Recover))
			when += 15_000
		case 1:
			events = append(events, nodeEvent(when, int32(len(events)), node, trace.Drain), nodeEvent(when+9000, int32(len(events)+1), node, trace.Undrain))
			when += 9000
		default:
			e := nodeEvent(when, int32(len(events)), node, trace.Capacity)
			e.MemMiB, e.VCores = int64(2+r.IntN(14))<<10, 2+r.Int32N(10)
			events = append(events, e)
		}
	}
	o := scenario.Options{Seed: seed, Sharing: pick("", "fair", "drf"), Placement: pick("locality-ratio", "none", "per-task"),
		Files: scenario.Files{"fair-scheduler.xml": {Text: []byte(randomAllocations(r))}},
		Conf: map[string]string{
			"yarn.nm.liveness-monitor.expiry-interval-ms":             "10000",
			"yarn.scheduler.fair.locality.threshold.node":             pick("-1", "0", "0.3", "1.0"),
			"yarn.scheduler.fair.locality.threshold.rack":             pick("-1", "0.5", "1.0"),
			"yarn.scheduler.fair.assignmultiple":                      pick("true", "false"),
			"yarn.scheduler.fair.max.assign":                          pick("-1", "2"),
			"yarn.scheduler.fair.dynamic.max.assign":                  pick("true", "false"),
			"yarn.scheduler.fair.sizebasedweight":                     pick("true", "false", "false"),
			"yarn.scheduler.fair.preemption":                          pick("true", "false", "false"),
			"yarn.scheduler.fair.reservable-nodes":                    pick("0.05", "0.5", "1"),
			"yarn.scheduler.reservation-threshold.increment-multiple": pick("0.5", "2", "5"),
			"yarn.scheduler.fair.continuous-scheduling-enabled":       pick("false", "false", "false", "false", "true"),
			"yarn.scheduler.fair.continuous-scheduling-sleep-ms":      "170",
			"yarn.resourcemanager.work-preserving-recovery.enabled":   pick("false", "false", "false", "true"),
			"spark.dynamicAllocation.executorIdleTimeout":             pick("2s", "10s", "60s"),
			"spark.locality.wait":                                     pick("0s", "3s"),
		}}
	o.Conf["yarn.scheduler.fair.waitTimeBeforeKill"] = []string{"15000", "2000", "100"}[random.Stream(seed, "kills").IntN(3)]
	make := func() scenario.Input {
		in := input(nodes, events, jobs...)
		in.Queues = nil
		for i, q := range queues {
			in.Queues = append(in.Queues, trace.NewQueue(int32(i), q))
		}
		return in
	}
	return make, o
}

// randomAllocations makes an allocation file for the queues of randomFair.
func randomAllocations(r *rand.Rand) string {
	var b strings.Builder
	some := func(name, format string, value int) {
		if r.IntN(3) == 0 {
			fmt.Fprintf(&b, "<%s>"+format+"</%s>", name, value, name)
		}
	}
	queue := func(name string) {
		fmt.Fprintf(&b, "<queue name=%q>", name)
		some("weight", "%d", 1+r.IntN(5))
		some("minResources", "%d mb,2 vcores", 1024*(1+r.IntN(20)))
		some("maxResources", "%d mb,9 vcores", 2048*(1+r.IntN(12)))
		some("maxRunningApps", "%d", 1+r.IntN(3))
		some("maxAMShare", "0.%d", 1+r.IntN(9))
		if r.IntN(3) == 0 {
			fmt.Fprintf(&b, "<schedulingPolicy>%s</schedulingPolicy>", []string{"fair", "drf", "fifo"}[r.IntN(3)])
		}
		some("fairSharePreemptionTimeout", "%d", 1+r.IntN(9))
		b.WriteString("</queue>")
	}
	b.WriteString("<allocations>")
	queue("a")
	queue("b")
	b.WriteString("<queue name=\"c\" type=\"parent\">")
	some("maxResources", "%d mb,9 vcores", 2048*(1+r.IntN(12)))
	queue("x")
	queue("y")
	b.WriteString("</queue></allocations>")
	return b.String()
}

// An application whose master is preempted before it has got further than the last time ends the replay, with that reason.
func TestMastersPreemptedForEver(t *testing.T) {
	in, o := randomFair(random.Stream(11754, "engines"), 11754)
	k, m := replay(t, in(), o)
	i := slices.IndexFunc(k.jobs, func(j record.Job) bool { return j.ID == 4 })
	want := "388 attempts of its application master got no further than 2 of its 42 tasks; the last one ended: it was preempted"
	if j := k.jobs[i]; j.Outcome != record.JobUnfinished || j.Reason != want {
		t.Errorf("job ended as %q: %q, want unfinished: %q", j.Outcome, j.Reason, want)
	}
	if !slices.ContainsFunc(m.Warnings, func(w record.Warning) bool {
		return w.Code == "no-progress" && w.Voids && strings.Contains(w.Text, "got further for 2h0m8s of trace time")
	}) {
		t.Errorf("warnings %+v, want one that no job got further", m.Warnings)
	}
	if m.Totals.EndMS > 4*3600_000 {
		t.Errorf("the replay ends at %d ms", m.Totals.EndMS)
	}
}
