package engine

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"replay/engine/random"
	"replay/engine/record"
	"replay/engine/scenario"
	"replay/trace"
)

// randomMonitored is a cluster of randomCapacity whose monitor preempts containers soon.
func randomMonitored(r *rand.Rand, seed uint64) (func() scenario.Input, scenario.Options) {
	in, o := randomCapacity(r, seed)
	r = random.Stream(seed, "monitors")
	pick := func(s ...string) string { return s[r.IntN(len(s))] }
	c := maps.Clone(o.Conf)
	c["yarn.resourcemanager.scheduler.monitor.enable"] = "true"
	of := func(key string, of ...string) {
		if v := pick(of...); v != "" {
			c["yarn.resourcemanager.monitor.capacity.preemption."+key] = v
		}
	}
	of("observe_only", "", "", "", "", "", "true")
	of("monitoring_interval", "50", "300", "1000", "")
	of("max_wait_before_kill", "0", "0", "100", "2000")
	of("total_preemption_per_round", "1", "1", "0.3", "")
	of("max_ignored_over_capacity", "0", "0", "")
	of("natural_termination_factor", "1", "0.5", "")
	of("conservative-drf", "", "", "true")
	of("additional_res_balance_based_on_reserved_containers", "", "true")
	of("preemption-to-balance-queue-after-satisfied.enabled", "", "true")
	of("preemption-to-balance-queue-after-satisfied.max-wait-before-kill", "", "10", "1000")
	of("select_based_on_reserved_containers", "", "", "true")
	of("intra-queue-preemption.enabled", "", "", "true")
	of("intra-queue-preemption.minimum-threshold", "", "0")
	of("intra-queue-preemption.max-allowable-limit", "", "1")
	of("intra-queue-preemption.preemption-order-policy", "", "priority_first")
	of("intra-queue-preemption.conservative-drf", "", "false")
	if r.IntN(4) == 0 {
		c["yarn.scheduler.capacity.root.ordering-policy"] = "priority-utilization"
		c["yarn.scheduler.capacity.root."+pick("a", "b", "c")+".priority"] = "3"
		c["yarn.scheduler.capacity.ordering-policy.priority-utilization.underutilized-preemption.enabled"] = "true"
		c["yarn.scheduler.capacity.ordering-policy.priority-utilization.underutilized-preemption.reserved-container-delay-ms"] = pick("0", "3000")
	}
	if r.IntN(3) == 0 {
		c["yarn.scheduler.capacity.root."+pick("a", "b", "c", "c.x")+".intra-queue-preemption.disable_preemption"] = "true"
	}
	for _, q := range []string{"a", "b", "c", "c.x", "c.y"} { // so that queues have more than theirs
		c["yarn.scheduler.capacity.root."+q+".maximum-capacity"] = pick("100", "100", "100", "90")
		c["yarn.scheduler.capacity.root."+q+".user-limit-factor"] = pick("-1", "10", "10", "2")
	}
	if r.IntN(3) == 0 {
		c["yarn.scheduler.capacity.root."+pick("a", "b", "c", "c.x")+".disable_preemption"] = "true"
	}
	o.Conf = c
	if r.IntN(4) == 0 {
		return in, o
	}
	var jobs []trace.Job
	at := int64(0)
	for i := range int64(3 + r.IntN(12)) { // which want more than there is, one queue before the others
		j := sparkJob(i, at, 4+r.Int32N(30), stage(0, 10+r.IntN(60), int64(2000+r.IntN(30_000)), nil))
		if j.Queue = 0; i > 2 {
			j.Queue = r.Int32N(4)
		}
		j.ExecMemMiB, j.ExecVCores = []int64{1024, 2048, 4096}[r.IntN(3)], 1+r.Int32N(2)
		jobs = append(jobs, *j)
		at += r.Int64N([]int64{500, 5000, 40_000}[r.IntN(3)])
	}
	return func() scenario.Input {
		out := in()
		var list []*trace.Job
		for i := range jobs {
			j := jobs[i]
			list = append(list, &j)
		}
		out.Jobs = ofUsers{input(out.Nodes, nil, list...).Jobs, int64(len(out.Users))}
		return out
	}, o
}

// TestEnginesDecideAlikeWhereAMonitorLooks: the dense engine computes what each queue should have at each look, the fast one where that can come to something.
func TestEnginesDecideAlikeWhereAMonitorLooks(t *testing.T) {
	decideAlike(t, randomMonitored, append(more((*seeds+1)/2), 88900812)) // where one of a queue that disables preemption is taken
}

// TestMonitorPreempts: in some of these clusters containers are preempted.
func TestMonitorPreempts(t *testing.T) {
	preempted, of := 0, 0
	for seed := range uint64(20) {
		in, o := randomMonitored(random.Stream(seed, "engines"), seed)
		k, _ := replay(t, in(), o)
		if of++; slices.ContainsFunc(k.containers, func(c record.Container) bool { return c.End == record.EndPreempted }) {
			preempted++
		}
	}
	if preempted < of/4 {
		t.Errorf("containers are preempted in %d of %d clusters", preempted, of)
	}
}
