package engine

// furtherSpark, furtherMapReduce, furtherTez and furtherYARN are keys with values that the other lists lack.
var furtherSpark = [][]string{
	{"spark.task.cpus", "1"},
	{"spark.executor.memoryOverhead", "300m", "2g"},
	{"spark.yarn.isPython", "true"},
	{"spark.yarn.am.memory", "1g"},
	{"spark.yarn.am.cores", "2"},
	{"spark.driver.memoryOverhead", "700m"},
	{"spark.yarn.scheduler.reporterThread.maxFailures", "1"},
	{"spark.dynamicAllocation.initialExecutors", "1"},
	{"spark.dynamicAllocation.minExecutors", "1"},
	{"spark.dynamicAllocation.cachedExecutorIdleTimeout", "1s"},
	{"spark.dynamicAllocation.shuffleTracking.enabled", "true", "false"},
	{"spark.scheduler.executorTaskExcludeOnFailureTime", "0", "4s"},
	{"spark.excludeOnFailure.enabled", "true"},
	{"spark.excludeOnFailure.task.maxTaskAttemptsPerNode", "1"},
	{"spark.excludeOnFailure.killExcludedExecutors", "true"},
	{"spark.scheduler.barrier.maxConcurrentTasksCheck.interval", "1s"},
	{"spark.scheduler.barrier.maxConcurrentTasksCheck.maxFailures", "1", "3"},
	{"spark.speculation.efficiency.enabled", "false"},
	{"spark.speculation.task.duration.threshold", "300ms", "5s"},
	{"spark.decommission.enabled", "true"},
	{"spark.storage.decommission.enabled", "true"},
	{"spark.stage.maxConsecutiveAttempts", "1", "30"},
	{"spark.locality.wait.node", "-1"},
	{"spark.scheduler.minRegisteredResourcesRatio", "3"},
}

var furtherMapReduce = [][]string{
	{"mapreduce.job.speculative.speculative-cap-running-tasks", "0", "0.9"},
	{"mapreduce.job.speculative.speculative-cap-total-tasks", "0", "0.5"},
	{"mapreduce.job.speculative.retry-after-no-speculate", "100", "4000"},
	{"mapreduce.job.speculative.minimum-allowed-tasks", "0", "2"},
	{"mapreduce.reduce.speculative", "false"},
	{"mapreduce.task.stuck.timeout-ms", "4000"},
	{"mapreduce.task.timeout", "0", "9000"},
	{"mapreduce.job.ubertask.enable", "true"},
	{"mapreduce.job.ubertask.maxmaps", "1", "20"},
	{"mapreduce.job.ubertask.maxreduces", "0", "1"},
	{"mapreduce.job.ubertask.maxbytes", "1"},
	{"yarn.app.mapreduce.am.scheduler.connection.wait.interval-ms", "0", "5000"},
	{"yarn.app.mapreduce.am.resource.mb", "3000"},
	{"mapreduce.map.memory.mb", "700", "3000"},
	{"mapreduce.reduce.memory.mb", "700", "5000"},
	{"mapreduce.map.cpu.vcores", "2"},
	{"mapreduce.reduce.cpu.vcores", "2"},
	{"mapreduce.job.num-opportunistic-maps-percent", "50"},
	{"mapreduce.job.reducer.preempt.delay.sec", "0", "1"},
	{"mapreduce.job.reducer.unconditional-preempt.delay.sec", "0", "1"},
	{"yarn.app.mapreduce.am.job.reduce.rampup.limit", "0.2"},
}

var furtherTez = [][]string{
	{"tez.am.container.idle.release-timeout-max.millis", "0", "1000", "20000"},
	{"tez.am.container.idle.release-timeout-min.millis", "0", "900"},
	{"tez.am.container.reuse.enabled", "true", "false"},
	{"tez.am.container.reuse.rack-fallback.enabled", "true"},
	{"tez.am.container.reuse.non-local-fallback.enabled", "true"},
	{"tez.am.container.reuse.locality.delay-allocation-millis", "1", "700"},
}

var furtherYARN = map[string][][]string{
	"": {
		{"yarn.am.liveness-monitor.expiry-interval-ms", "2s", "9s"},
		{"yarn.scheduler.minimum-allocation-vcores", "2"},
		{"yarn.scheduler.maximum-allocation-mb", "8192"},
		{"yarn.scheduler.maximum-allocation-vcores", "5"},
		{"yarn.nm.liveness-monitor.expiry-interval-ms", "3000", "9000"},
		{"yarn.resourcemanager.nodemanagers.heartbeat-interval-ms", "1", "17"},
		{"yarn.resourcemanager.rm.container-allocation.expiry-interval-ms", "100", "900"},
	},
	"fair": {
		{"yarn.scheduler.reservation-threshold.increment-multiple", "0", "0.2", "9"},
		{"yarn.scheduler.fair.locality.threshold.node", "0.1", "1.0"},
		{"yarn.scheduler.fair.locality.threshold.rack", "0.1", "1.0"},
		{"yarn.scheduler.fair.locality-delay-node-ms", "500"},
		{"yarn.scheduler.fair.max.assign", "0"},
		{"yarn.scheduler.fair.update-interval-ms", "1", "17", "60000"},
		{"yarn.scheduler.fair.continuous-scheduling-sleep-ms", "1"},
		{"yarn.scheduler.increment-allocation-mb", "1"},
		{"yarn.scheduler.fair.reservable-nodes", "1"},
	},
	"capacity": {
		{"yarn.scheduler.capacity.root.a.maximum-allocation-mb", "4096"},
		{"yarn.scheduler.capacity.root.c.maximum-allocation-vcores", "2"},
		{"yarn.scheduler.capacity.maximum-am-resource-percent", "0.05", "1"},
		{"yarn.scheduler.capacity.root.a.ordering-policy", "fifo-with-partitions", "fifo-for-pending-apps"},
		{"yarn.scheduler.capacity.root.c.priority", "3"},
		{"yarn.scheduler.capacity.root.b.minimum-user-limit-percent", "3", "25"},
		{"yarn.scheduler.capacity.root.b.user-limit-factor", "0.3", "0.01"},
		{"yarn.scheduler.capacity.per-node-heartbeat.multiple-assignments-enabled", "true", "false"},
		{"yarn.scheduler.capacity.per-node-heartbeat.maximum-offswitch-assignments", "1"},
		{"yarn.scheduler.capacity.root.maximum-applications", "4"},
		{"yarn.scheduler.capacity.root.c.maximum-capacity", "100"},
		{"yarn.scheduler.capacity.root.a.maximum-capacity", "100"},
	},
}

// furtherQueueElements are elements of a queue with queues below it.
var furtherQueueElements = []string{"<maxChildResources>5000 mb,4 vcores</maxChildResources>", "<maxChildResources>30.0%</maxChildResources>", "<maxRunningApps>2</maxRunningApps>", "<minResources>9000 mb,6 vcores</minResources>",
	"<schedulingPolicy>drf</schedulingPolicy>", "<fairSharePreemptionTimeout>1</fairSharePreemptionTimeout><fairSharePreemptionThreshold>1</fairSharePreemptionThreshold>", "<minSharePreemptionTimeout>1</minSharePreemptionTimeout>",
	"<weight>0.01</weight>", "<allowPreemptionFrom>false</allowPreemptionFrom>"}

// furtherScripts are policies in Starlark by the names of their files.
var furtherScripts = map[string]string{
	"newest.star": "def compare(a, b, cluster):\n    return b.start - a.start\n",
	"least.star":  "def compare(a, b, cluster):\n    return a.usage.memory - b.usage.memory\n\ndef total(c, cluster):\n    return False\n",
	"equal.star": `like = "drf"
def shares(total, claims):
    return [[None if c.idle else t // max(len(claims), 1) for t in total] for c in claims]
`,
	"greedy.star": "def headroom(fair, used, available):\n    return available\n",
	"leaf.star":   "def compare_in_leaf(a, b, size_based):\n    return b.demand - a.demand\n",
	"first.star":  "def requests(n, hints):\n    return [[i for i in range(len(hints.tasks)) if hints.tasks[i] > 0][:1] for _ in range(n)]\n",
	"single.star": "def requests_of_tasks(n, hints, tasks):\n    return [sorted({h: 0 for h in tasks[i % len(tasks)]}.keys()) if tasks else [] for i in range(n)]\n",
}
