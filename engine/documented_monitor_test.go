package engine

import (
	"strings"

	"replay/engine/scenario"
)

// byMonitor is a key of the CapacityScheduler's preemption, with queues a and b of half the cluster each, which each may have all of it. Keys that begin with a point are the policy's.
func byMonitor(setting string, in func() scenario.Input, before, after string) effect {
	whole := func(text string) string {
		var words []string
		for _, word := range strings.Fields(text) {
			if strings.HasPrefix(word, ".") {
				word = "yarn.resourcemanager.monitor.capacity.preemption" + word
			}
			words = append(words, word)
		}
		return strings.Join(words, " ")
	}
	const always = "yarn.resourcemanager.scheduler.monitor.enable=true maximum-am-resource-percent=1 root.a.user-limit-factor=10 root.b.user-limit-factor=10 "
	if strings.HasPrefix(setting, "preemption.") {
		setting = "yarn.resourcemanager.monitor.capacity." + setting
	}
	return byQueue(setting, in, always+whole(before), whole(after))
}

// crowded is a cluster that one application of a queue has whole when others of the queue, and then of another one, ask.
func crowded() scenario.Input {
	first := sparkJob(0, 0, 40, stage(0, 200, 40_000, nil))
	second, third := sparkJob(2, 60_000, 10, stage(0, 30, 8000, nil)), sparkJob(1, 40_000, 10, stage(0, 30, 8000, nil))
	second.Priority, third.Priority = 1, 1
	return queued(cluster(3, 1), nil, first, second, third)
}

// large is hogged, and the other queue asks for containers of which few fit a node.
func large() scenario.Input {
	first, second := sparkJob(0, 0, 40, stage(0, 200, 60_000, nil)), sparkJob(1, 40_000, 6, stage(0, 30, 8000, nil))
	first.ExecMemMiB, first.ExecVCores = 1024, 1
	second.ExecMemMiB, second.ExecVCores = 6000, 3
	return queued(cluster(3, 1), nil, first, second)
}

// heavy is large with containers of much memory and few vcores.
func heavy() scenario.Input {
	in := large()
	first, _ := in.Jobs.Next()
	second, _ := in.Jobs.Next()
	second.ExecVCores = 1
	return queued(in.Nodes, nil, first, second)
}

// reserving is large with room for the other queue's master, and some on each node, which its containers reserve.
func reserving() scenario.Input {
	in := large()
	first, _ := in.Jobs.Next()
	second, _ := in.Jobs.Next()
	first.ExecMemMiB, second.SubmitMS = 2500, 1000
	return queued(in.Nodes, nil, first, second)
}

var monitorKeys = []effect{
	byMonitor("yarn.resourcemanager.scheduler.monitor.enable", hogged, "yarn.resourcemanager.scheduler.monitor.enable=false", "yarn.resourcemanager.scheduler.monitor.enable=true"),
	byMonitor("yarn.resourcemanager.scheduler.monitor.policies", hogged, "", "yarn.resourcemanager.scheduler.monitor.policies=org.example.Other"),
	byMonitor("preemption.monitoring_interval", hogged, "", ".monitoring_interval=7000"),
	byMonitor("preemption.max_wait_before_kill", hogged, "", ".max_wait_before_kill=1000"),
	byMonitor("preemption.observe_only", hogged, "", ".observe_only=true"),
	byMonitor("preemption.total_preemption_per_round", hogged, ".natural_termination_factor=1", ".total_preemption_per_round=1"),
	byMonitor("preemption.max_ignored_over_capacity", hogged, "", ".max_ignored_over_capacity=5"),
	byMonitor("preemption.natural_termination_factor", hogged, ".total_preemption_per_round=1", ".natural_termination_factor=1"),
	byMonitor("preemption.conservative-drf", heavy, "resource-calculator=org.apache.hadoop.yarn.util.resource.DominantResourceCalculator .natural_termination_factor=1 .total_preemption_per_round=1", ".conservative-drf=true"),
	byMonitor("preemption.additional_res_balance_based_on_reserved_containers", large, "", ".additional_res_balance_based_on_reserved_containers=true"),
	byMonitor("preemption.select_based_on_reserved_containers", large, "", ".select_based_on_reserved_containers=true"),
	byMonitor("preemption.preemption-to-balance-queue-after-satisfied.enabled", hogged, third, ".preemption-to-balance-queue-after-satisfied.enabled=true .preemption-to-balance-queue-after-satisfied.max-wait-before-kill=1000"),
	byMonitor("preemption.preemption-to-balance-queue-after-satisfied.max-wait-before-kill", hogged, third+" .preemption-to-balance-queue-after-satisfied.enabled=true", ".preemption-to-balance-queue-after-satisfied.max-wait-before-kill=1000"),
	byMonitor("preemption.intra-queue-preemption.enabled", crowded, within, ".intra-queue-preemption.enabled=true"),
	byMonitor("preemption.intra-queue-preemption.preemption-order-policy", crowded, withinOn, ".intra-queue-preemption.preemption-order-policy=priority_first"),
	byMonitor("preemption.intra-queue-preemption.minimum-threshold", crowded, withinOn, ".intra-queue-preemption.minimum-threshold=9"),
	byMonitor("preemption.intra-queue-preemption.max-allowable-limit", crowded, withinOn, ".intra-queue-preemption.max-allowable-limit=0.02"),
	byMonitor("preemption.intra-queue-preemption.conservative-drf", crowded, withinOn+" resource-calculator=org.apache.hadoop.yarn.util.resource.DominantResourceCalculator", ".intra-queue-preemption.conservative-drf=false"),
	byMonitor("<queue>.disable_preemption", hogged, "", "root.a.disable_preemption=true"),
	byMonitor("<queue>.intra-queue-preemption.disable_preemption", crowded, withinOn, "root.a.intra-queue-preemption.disable_preemption=true"),
	byMonitor("ordering-policy.priority-utilization.underutilized-preemption.enabled", reserving, ranked+" ordering-policy.priority-utilization.underutilized-preemption.reserved-container-delay-ms=0", "ordering-policy.priority-utilization.underutilized-preemption.enabled=true"),
	byMonitor(".reserved-container-delay-ms", reserving, ranked+" ordering-policy.priority-utilization.underutilized-preemption.enabled=true", "ordering-policy.priority-utilization.underutilized-preemption.reserved-container-delay-ms=0"),
}

const (
	within   = "yarn.cluster.max-application-priority=5 root.a.minimum-user-limit-percent=30 .natural_termination_factor=1 .total_preemption_per_round=1"
	withinOn = within + " .intra-queue-preemption.enabled=true"
	third    = "root.queues=a,b,c root.a.capacity=40 root.b.capacity=10 root.c.capacity=50"
	ranked   = "root.ordering-policy=priority-utilization root.b.priority=5 .max_ignored_over_capacity=9 .total_preemption_per_round=1"
)
