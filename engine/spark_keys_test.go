package engine

import (
	"slices"
	"testing"

	"replay/engine/model"
	"replay/engine/scenario"
	"replay/engine/spark/conf"
	"replay/engine/spark/driver"
	"replay/trace"
)

// alone is an application that has the cluster for itself: a stage that prefers two of four nodes, and after a pause one that reads it.
func alone() scenario.Input {
	later := stage(1, 12, 4000, []int32{0})
	later.DelayMS = 20_000
	return input(cluster(4, 2), nil, sparkJob(0, 0, 6, stage(0, 20, 6000, nil, 0, 1), later))
}

// written is alone with known amounts of output.
func written() scenario.Input {
	first := stage(0, 6, 6000, nil, 0, 1)
	first.Tasks.ShuffleWriteBytes = slices.Repeat([]int64{1 << 20}, 6)
	return input(cluster(4, 2), nil, sparkJob(0, 0, 6, first, stage(1, 12, 4000, []int32{0})))
}

// few is alone with fewer tasks than an executor has cores.
func few() scenario.Input {
	return input(cluster(4, 2), nil, sparkJob(0, 0, 6, stage(0, 1, 60_000, nil)))
}

// unheard is an application with executors on a node that goes without a word and stays away.
func unheard() scenario.Input {
	return input(cluster(3, 1), []trace.NodeEvent{nodeEvent(24_000, 0, 2, trace.Fail)}, sparkJob(0, 0, 11, stage(0, 600, 20_000, nil)))
}

// oversized is an application whose second stage wants executors that no node has room for, and another one that waits for its end.
func oversized() scenario.Input {
	second := stage(1, 12, 4000, []int32{0})
	second.Profile, second.ExecMemMiB, second.ExecVCores, second.TaskVCores = 1, 9000, 1, 1
	return input(cluster(1, 1), nil, sparkJob(0, 0, 3, stage(0, 12, 20_000, nil), second), sparkJob(1, 1000, 3, stage(0, 12, 20_000, nil)))
}

// straggling is alone with a task in each stage that takes ten times as long as the others.
func straggling() scenario.Input {
	slow := func(st trace.Stage) trace.Stage {
		st.Tasks.DurationMS[3] = 60_000
		return st
	}
	return input(cluster(4, 2), nil, sparkJob(0, 0, 6, slow(stage(0, 10, 6000, nil, 0, 1)), slow(stage(1, 10, 6000, []int32{0}))))
}

// contended is alone with tasks that are fewer than the cores of the nodes that they prefer, which another application has.
func contended() scenario.Input {
	first := sparkJob(0, 0, 8, stage(0, 16, 40_000, nil, 0))
	second := sparkJob(1, 1000, 8, stage(0, 30, 3000, nil, 0), stage(1, 20, 2500, []int32{0}), stage(2, 20, 2500, nil, 0, 1))
	return input(cluster(4, 2), nil, first, second)
}

// cached is a stage whose output executors keep in memory, and much later stages that read it there.
func cached() scenario.Input {
	reads := func(id int32) trace.Stage {
		st := stage(id, 30, 4000, nil)
		st.CacheOf, st.After, st.DelayMS = 0, []int32{id - 1}, 20_000
		for i := range st.Tasks.DurationMS {
			st.Tasks.DurationMS[i] += int64(i%5) * 1500
		}
		return st
	}
	return input(cluster(4, 2), nil, sparkJob(0, 0, 6, stage(0, 30, 4000, nil), reads(1), reads(2)))
}

// flawed has a stage whose tasks fail as often as told, and others after it.
func flawed(fail ...int32) func() scenario.Input {
	return func() scenario.Input {
		st, more := stage(0, len(fail), 5000, nil, 0, 1), stage(1, 20, 3000, []int32{0})
		st.Tasks.Retries, more.Tasks.Retries = fail, make([]int32, 20)
		more.Tasks.Retries[0], more.Tasks.Retries[7] = 1, 1
		return input(cluster(3, 1), nil, sparkJob(0, 0, 4, st, more))
	}
}

// refusing is an application that loses an executor to exclusion, whose replacements find room on the excluded node alone.
func refusing() scenario.Input {
	nodes := cluster(2, 1)
	nodes[1].VCores, nodes[1].MemMiB = 3, 3072
	first, second := stage(0, 4, 2000, nil, 0), stage(1, 8, 20_000, []int32{0})
	first.Tasks.Retries, second.Tasks.Retries = []int32{1, 1, 0, 0}, make([]int32, 8)
	return input(nodes, nil, sparkJob(0, 0, 2, first, second))
}

const refuses = "spark.dynamicAllocation.enabled=false spark.executor.instances=2 spark.excludeOnFailure.enabled=true spark.excludeOnFailure.killExcludedExecutors=true " +
	"spark.excludeOnFailure.application.maxFailedTasksPerExecutor=1 spark.excludeOnFailure.application.maxFailedExecutorsPerNode=1 spark.task.maxFailures=9 "

// failed has the recorded attempts of the first job's tasks, so that they fail as often as their retries say.
func failed(e effect) effect {
	var list []driver.RecordedAttempt
	for j := range trace.All(e.in().Jobs) {
		for i := range j.Stages {
			st := &j.Stages[i]
			for task := range st.Tasks.Len() {
				a := driver.RecordedAttempt{Stage: st.ID, Task: int32(task), Executor: trace.Unset, DurationMS: 2000, SchedDelayMS: trace.Unset, End: driver.AttemptFailed}
				for range st.Tasks.Retries[task] {
					list = append(list, a)
				}
				a.End, a.DurationMS = driver.AttemptSucceeded, st.Tasks.DurationMS[task]
				list = append(list, a)
			}
		}
	}
	e.with.Recorded.Attempts = map[int64][]driver.RecordedAttempt{0: list}
	e.set.Recorded = e.with.Recorded
	return e
}

// pooled is an application with Spark jobs in pools, all at once.
func pooled() scenario.Input {
	var stages []trace.Stage
	for i := range int32(4) {
		st := stage(i, 12, 3000, nil)
		st.SparkJob, st.Pool = i, []string{"x", "", "y", "x"}[i]
		stages = append(stages, st)
	}
	return input(cluster(2, 1), nil, sparkJob(0, 0, 3, stages...))
}

const pools = "<allocations><pool name='x'><weight>3</weight></pool><pool name='y'><schedulingMode>FAIR</schedulingMode><minShare>2</minShare></pool></allocations>"

// byPools is a key of Spark with pools.
func byPools(setting, before, after string) effect {
	e := bySite(setting, pooled, before, after)
	for _, o := range []*scenario.Options{&e.with, &e.set} {
		o.Files = scenario.Files{scenario.SparkPools: {Name: "pools.xml", Text: []byte(pools)}}
	}
	return e
}

// withoutPools takes the file out of what was before.
func withoutPools(e effect) effect {
	e.with.Files = nil
	return e
}

// outputs is a stage whose output is lost with a node while others read it.
func outputs() scenario.Input {
	events := []trace.NodeEvent{nodeEvent(24_000, 0, 2, trace.Fail), nodeEvent(40_000, 1, 2, trace.Recover)}
	return input(cluster(3, 1), events, sparkJob(0, 0, 11, stage(0, 12, 4000, nil), stage(1, 200, 5000, []int32{0})))
}

// leaving is a stage whose output is lost with a node on which executors are about to leave.
func leaving() scenario.Input {
	second := stage(1, 8, 5000, []int32{0})
	second.DelayMS = 1200
	events := []trace.NodeEvent{nodeEvent(15_800, 0, 2, trace.Fail), nodeEvent(90_000, 1, 2, trace.Recover)}
	return input(cluster(4, 2), events, sparkJob(0, 0, 8, stage(0, 8, 4000, nil), second))
}

// again is an application with Spark jobs one after the other, the later ones long after the first.
func again() scenario.Input {
	first, second, third := stage(0, 12, 4000, nil), stage(1, 8, 4000, []int32{0}), stage(2, 12, 4000, nil)
	first.SparkJob, second.SparkJob, third.SparkJob = 0, 0, 1
	third.After, third.DelayMS = []int32{1}, 30_000
	return input(cluster(4, 2), nil, sparkJob(0, 0, 6, first, second, third))
}

// barriers is a static application with a stage of more tasks than it has slots at first.
func barriers() scenario.Input {
	gang := stage(1, 6, 4000, []int32{0})
	gang.Kind = trace.StageGang
	first := sparkJob(0, 0, 0, stage(0, 30, 30_000, nil))
	second := sparkJob(1, 1000, 0, stage(0, 2, 1000, nil), gang)
	first.MaxExecs, second.MaxExecs = 0, 0
	return input(cluster(1, 1), nil, first, second)
}

// accelerators is accelerated with a second kind of them.
func accelerators() scenario.Input {
	in := accelerated()
	for i := range in.Nodes {
		in.Nodes[i].Extra = append(in.Nodes[i].Extra, trace.NamedValue{Name: "yarn.io/other", Value: 2})
	}
	return in
}

const twoTypes = "yarn.resource-types=yarn.io/gpu,yarn.io/other "

// slowStarts is a replay in which start calls of NodeManagers take long.
func slowStarts(e effect) effect {
	e.with.Model = model.DefaultModel()
	e.with.Model.NMStartMS = 2000
	e.set.Model = e.with.Model
	return e
}

const (
	client     = "spark.submit.deployMode=client "
	isStatic   = "spark.dynamicAllocation.enabled=false spark.executor.instances=4 "
	noService  = "spark.shuffle.service.enabled=false spark.dynamicAllocation.executorIdleTimeout=2 "
	excludes   = "spark.excludeOnFailure.enabled=true "
	speculates = "spark.speculation=true "
	waits      = "spark.rpc.askTimeout=1h spark.network.timeoutInterval=1s "
	gone       = "spark.decommission.enabled=true spark.dynamicAllocation.executorIdleTimeout=1 "
)

var sparkKeys = []effect{
	bySite("spark.submit.deployMode", alone, "", "spark.submit.deployMode=client"),
	bySite("spark.yarn.isPython", alone, "spark.executor.pyspark.memory=1g", "spark.yarn.isPython=true"),
	{"spark.yarn.priority", priorities, scenario.Options{Scheduler: "capacity", Conf: keys("yarn.cluster.max-application-priority=10")}, scenario.Options{Scheduler: "capacity", Conf: keys("yarn.cluster.max-application-priority=10 spark.yarn.priority=5")}},
	bySite("spark.executor.instances", alone, isStatic, "spark.executor.instances=3"),
	bySite("spark.executor.cores", alone, "", "spark.executor.cores=4"),
	bySite("spark.task.cpus", alone, "", "spark.task.cpus=2"),
	bySite("spark.executor.memory", alone, "", "spark.executor.memory=5g"),
	bySite("spark.executor.memoryOverhead", alone, "", "spark.executor.memoryOverhead=3g"),
	bySite("spark.executor.memoryOverheadFactor", alone, "", "spark.executor.memoryOverheadFactor=3"),
	bySite("spark.memory.offHeap.enabled", alone, "spark.memory.offHeap.size=3g", "spark.memory.offHeap.enabled=true"),
	bySite("spark.memory.offHeap.size", alone, "spark.memory.offHeap.enabled=true spark.memory.offHeap.size=1g", "spark.memory.offHeap.size=3g"),
	bySite("spark.executor.pyspark.memory", alone, "spark.yarn.isPython=true", "spark.executor.pyspark.memory=3g"),
	bySite("spark.driver.cores", alone, "", "spark.driver.cores=7"),
	bySite("spark.driver.memory", alone, "", "spark.driver.memory=6g"),
	bySite("spark.driver.memoryOverhead", alone, "", "spark.driver.memoryOverhead=6g"),
	bySite("spark.driver.memoryOverheadFactor", alone, "", "spark.driver.memoryOverheadFactor=6"),
	bySite("spark.yarn.am.cores", alone, client, "spark.yarn.am.cores=7"),
	bySite("spark.yarn.am.memory", alone, client, "spark.yarn.am.memory=6g"),
	bySite("spark.yarn.am.memoryOverhead", alone, client, "spark.yarn.am.memoryOverhead=6g"),
	bySite("spark.yarn.resourceGpuDeviceName", accelerators, twoTypes+"spark.executor.resource.gpu.amount=1 spark.task.resource.gpu.amount=1", "spark.yarn.resourceGpuDeviceName=yarn.io/other"),
	bySite("spark.yarn.resourceFpgaDeviceName", accelerators, twoTypes+"spark.executor.resource.fpga.amount=1 spark.task.resource.fpga.amount=1 spark.yarn.resourceFpgaDeviceName=yarn.io/gpu", "spark.yarn.resourceFpgaDeviceName=yarn.io/other"),
	bySite("spark.executor.resource.<name>.amount", accelerated, "yarn.resource-types=yarn.io/gpu spark.executor.resource.gpu.amount=1", "spark.executor.resource.gpu.amount=4"),
	bySite("spark.driver.resource.<name>.amount", accelerated, "yarn.resource-types=yarn.io/gpu spark.executor.resource.gpu.amount=1", "spark.driver.resource.gpu.amount=4"),
	bySite("spark.task.resource.<name>.amount", accelerated, "yarn.resource-types=yarn.io/gpu spark.executor.resource.gpu.amount=1", "spark.task.resource.gpu.amount=1"),
	bySite("spark.yarn.executor.resource.<name>.amount", accelerators, twoTypes, "spark.yarn.executor.resource.yarn.io/other.amount=2"),
	bySite("spark.yarn.driver.resource.<name>.amount", accelerators, twoTypes+"spark.yarn.executor.resource.yarn.io/other.amount=1", "spark.yarn.driver.resource.yarn.io/other.amount=2"),
	bySite("spark.yarn.am.resource.<name>.amount", accelerators, twoTypes+client+"spark.yarn.executor.resource.yarn.io/other.amount=1", "spark.yarn.am.resource.yarn.io/other.amount=2"),
	bySite("spark.yarn.maxAppAttempts", one, "yarn.nm.liveness-monitor.expiry-interval-ms=2000", "spark.yarn.maxAppAttempts=1"),
	bySite("spark.yarn.am.attemptFailuresValidityInterval", lostTwice, "yarn.am.liveness-monitor.expiry-interval-ms=7s", "spark.yarn.am.attemptFailuresValidityInterval=30s"),
	bySite("spark.yarn.scheduler.heartbeat.interval-ms", alone, "", "spark.yarn.scheduler.heartbeat.interval-ms=700"),
	bySite("spark.yarn.scheduler.initial-allocation.interval", alone, "", "spark.yarn.scheduler.initial-allocation.interval=1s"),
	slowStarts(bySite("spark.yarn.containerLauncherMaxThreads", alone, "", "spark.yarn.containerLauncherMaxThreads=1")),
	failed(bySite("spark.executor.maxNumFailures", refusing, refuses, "spark.executor.maxNumFailures=1")),
	failed(bySite("spark.executor.failuresValidityInterval", refusing, refuses, "spark.executor.failuresValidityInterval=1s")),
	failed(bySite("spark.yarn.executor.launch.excludeOnFailure.enabled", refusing, refuses+"spark.executor.maxNumFailures=50", "spark.yarn.executor.launch.excludeOnFailure.enabled=true")),
	bySite("spark.yarn.exclude.nodes", alone, "", "spark.yarn.exclude.nodes=node01"),
	bySite("spark.yarn.scheduler.reporterThread.maxFailures", oversized, "", "spark.yarn.scheduler.reporterThread.maxFailures=1"),
	bySite("spark.scheduler.minRegisteredResourcesRatio", alone, isStatic, "spark.scheduler.minRegisteredResourcesRatio=0"),
	bySite("spark.scheduler.maxRegisteredResourcesWaitingTime", alone, isStatic, "spark.scheduler.maxRegisteredResourcesWaitingTime=1s"),
	bySite("spark.network.timeout", outputs, "spark.network.timeoutInterval=5s spark.executor.heartbeatInterval=1s", "spark.network.timeout=5s"),
	bySite("spark.rpc.askTimeout", outputs, "", "spark.rpc.askTimeout=5s"),
	bySite("spark.storage.blockManagerHeartbeatTimeoutMs", unheard, waits, "spark.storage.blockManagerHeartbeatTimeoutMs=60000"),
	bySite("spark.network.timeoutInterval", unheard, waits, "spark.network.timeoutInterval=20s"),
	bySite("spark.executor.heartbeatInterval", unheard, waits, "spark.executor.heartbeatInterval=7s"),

	bySite("spark.dynamicAllocation.enabled", alone, "", "spark.dynamicAllocation.enabled=false"),
	bySite("spark.dynamicAllocation.minExecutors", alone, "", "spark.dynamicAllocation.minExecutors=3"),
	bySite("spark.dynamicAllocation.maxExecutors", alone, "", "spark.dynamicAllocation.maxExecutors=2"),
	bySite("spark.dynamicAllocation.initialExecutors", alone, "", "spark.dynamicAllocation.initialExecutors=3"),
	bySite("spark.dynamicAllocation.executorAllocationRatio", alone, "", "spark.dynamicAllocation.executorAllocationRatio=0.3"),
	bySite("spark.dynamicAllocation.schedulerBacklogTimeout", alone, client+"spark.dynamicAllocation.sustainedSchedulerBacklogTimeout=1", "spark.dynamicAllocation.schedulerBacklogTimeout=4"),
	bySite("spark.dynamicAllocation.sustainedSchedulerBacklogTimeout", alone, "", "spark.dynamicAllocation.sustainedSchedulerBacklogTimeout=4"),
	bySite("spark.dynamicAllocation.executorIdleTimeout", alone, "", "spark.dynamicAllocation.executorIdleTimeout=5"),
	bySite("spark.dynamicAllocation.cachedExecutorIdleTimeout", cached, "spark.dynamicAllocation.executorIdleTimeout=2", "spark.dynamicAllocation.cachedExecutorIdleTimeout=4"),
	bySite("spark.dynamicAllocation.shuffleTracking.enabled", alone, noService, "spark.dynamicAllocation.shuffleTracking.enabled=false"),
	bySite("spark.dynamicAllocation.shuffleTracking.timeout", again, noService, "spark.dynamicAllocation.shuffleTracking.timeout=1s"),
	bySite("spark.shuffle.service.enabled", alone, "spark.dynamicAllocation.executorIdleTimeout=2", "spark.shuffle.service.enabled=false"),
	bySite("spark.decommission.enabled", alone, "spark.dynamicAllocation.executorIdleTimeout=2", "spark.decommission.enabled=true"),
	bySite("spark.storage.decommission.enabled", straggling, gone, "spark.storage.decommission.enabled=true"),
	bySite("spark.storage.decommission.shuffleBlocks.enabled", straggling, gone+"spark.storage.decommission.enabled=true", "spark.storage.decommission.shuffleBlocks.enabled=false"),

	byPools("spark.scheduler.mode", "spark.scheduler.allocation.file=pools.xml", "spark.scheduler.mode=FAIR"),
	withoutPools(byPools("spark.scheduler.allocation.file", "spark.scheduler.mode=FAIR", "spark.scheduler.allocation.file=pools.xml")),
	bySite("spark.scheduler.revive.interval", contended, "", "spark.scheduler.revive.interval=7s"),
	failed(bySite("spark.task.maxFailures", flawed(2, 1, 1, 1, 0, 0, 0, 0), "", "spark.task.maxFailures=2")),
	bySite("spark.locality.wait", contended, "", "spark.locality.wait=0"),
	bySite("spark.locality.wait.process", cached, "", "spark.locality.wait.process=0"),
	bySite("spark.locality.wait.node", contended, "", "spark.locality.wait.node=0"),
	bySite("spark.locality.wait.rack", contended, "", "spark.locality.wait.rack=20s"),
	bySite("spark.locality.wait.legacyResetOnTaskLaunch", contended, "", "spark.locality.wait.legacyResetOnTaskLaunch=true"),
	bySite("spark.speculation", straggling, "", "spark.speculation=true"),
	bySite("spark.speculation.interval", straggling, speculates, "spark.speculation.interval=15s"),
	bySite("spark.speculation.quantile", straggling, speculates, "spark.speculation.quantile=1"),
	bySite("spark.speculation.multiplier", straggling, speculates, "spark.speculation.multiplier=5"),
	bySite("spark.speculation.minTaskRuntime", straggling, speculates, "spark.speculation.minTaskRuntime=30s"),
	bySite("spark.speculation.task.duration.threshold", few, speculates, "spark.speculation.task.duration.threshold=20s"),
	failed(bySite("spark.scheduler.executorTaskExcludeOnFailureTime", flawed(1, 1, 1, 0, 1, 0, 0, 0), "", "spark.scheduler.executorTaskExcludeOnFailureTime=1h")),
	failed(bySite("spark.excludeOnFailure.enabled", flawed(1, 1, 1, 0, 1, 0, 0, 0), "", "spark.excludeOnFailure.enabled=true")),
	failed(bySite("spark.excludeOnFailure.timeout", flawed(1, 1, 1, 0, 1, 0, 0, 0), excludes+"spark.excludeOnFailure.application.maxFailedTasksPerExecutor=1 spark.task.maxFailures=9", "spark.excludeOnFailure.timeout=2s")),
	failed(bySite("spark.excludeOnFailure.task.maxTaskAttemptsPerExecutor", flawed(1, 0, 0, 0, 0, 0, 0, 0), excludes, "spark.excludeOnFailure.task.maxTaskAttemptsPerExecutor=3")),
	failed(bySite("spark.excludeOnFailure.task.maxTaskAttemptsPerNode", flawed(2, 1, 1, 1, 0, 0, 0, 0), excludes, "spark.excludeOnFailure.task.maxTaskAttemptsPerNode=1")),
	failed(bySite("spark.excludeOnFailure.stage.maxFailedTasksPerExecutor", flawed(1, 1, 1, 0, 1, 0, 0, 0), excludes, "spark.excludeOnFailure.stage.maxFailedTasksPerExecutor=1")),
	failed(bySite("spark.excludeOnFailure.stage.maxFailedExecutorsPerNode", flawed(1, 1, 1, 0, 1, 0, 0, 0), excludes+"spark.excludeOnFailure.stage.maxFailedTasksPerExecutor=1", "spark.excludeOnFailure.stage.maxFailedExecutorsPerNode=1")),
	failed(bySite("spark.excludeOnFailure.application.maxFailedTasksPerExecutor", flawed(1, 1, 1, 0, 1, 0, 0, 0), excludes, "spark.excludeOnFailure.application.maxFailedTasksPerExecutor=1")),
	failed(bySite("spark.excludeOnFailure.application.maxFailedExecutorsPerNode", flawed(1, 1, 1, 0, 1, 0, 0, 0), excludes+"spark.excludeOnFailure.application.maxFailedTasksPerExecutor=1", "spark.excludeOnFailure.application.maxFailedExecutorsPerNode=1")),
	failed(bySite("spark.excludeOnFailure.killExcludedExecutors", flawed(1, 1, 1, 0, 1, 0, 0, 0), excludes+"spark.excludeOnFailure.application.maxFailedTasksPerExecutor=1", "spark.excludeOnFailure.killExcludedExecutors=true")),
	bySite("spark.excludeOnFailure.application.fetchFailure.enabled", outputs, excludes, "spark.excludeOnFailure.application.fetchFailure.enabled=true"),
	failed(bySite("spark.scheduler.excludeOnFailure.unschedulableTaskSetTimeout", flawed(2, 1, 1, 1, 0, 0, 0, 0), excludes, "spark.scheduler.excludeOnFailure.unschedulableTaskSetTimeout=1s")),
	bySite("spark.stage.maxConsecutiveAttempts", outputs, "", "spark.stage.maxConsecutiveAttempts=1"),
	bySite("spark.stage.maxAttempts", leaving, gone+"spark.dynamicAllocation.initialExecutors=4 spark.stage.maxConsecutiveAttempts=1 spark.stage.ignoreDecommissionFetchFailure=true", "spark.stage.maxAttempts=1"),
	bySite("spark.stage.ignoreDecommissionFetchFailure", leaving, gone+"spark.dynamicAllocation.initialExecutors=4 spark.stage.maxConsecutiveAttempts=1", "spark.stage.ignoreDecommissionFetchFailure=true"),
	bySite("spark.files.fetchFailure.unRegisterOutputOnHost", outputs, "", "spark.files.fetchFailure.unRegisterOutputOnHost=true"),
	bySite("spark.shuffle.reduceLocality.enabled", written, "", "spark.shuffle.reduceLocality.enabled=false"),
	bySite("spark.scheduler.barrier.maxConcurrentTasksCheck.interval", barriers, isStatic, "spark.scheduler.barrier.maxConcurrentTasksCheck.interval=3s"),
	bySite("spark.scheduler.barrier.maxConcurrentTasksCheck.maxFailures", barriers, isStatic, "spark.scheduler.barrier.maxConcurrentTasksCheck.maxFailures=1"),
}

// warned decides only whether a replay with speculation says that it makes more copies than Spark.
const warned = "spark.speculation.efficiency.enabled"

// TestEffectOfSparkKeys goes through the keys of Spark that a replay follows: each changes what is decided.
func TestEffectOfSparkKeys(t *testing.T) {
	followed, shown := conf.Followed(), []string{}
	for _, e := range sparkKeys {
		shown = append(shown, e.setting)
		t.Run(e.setting, func(t *testing.T) {
			t.Parallel()
			_, before := replay(t, e.in(), e.with)
			if _, after := replay(t, e.in(), e.set); before.DecisionHash == after.DecisionHash {
				t.Errorf("the same is decided (%s) with\n%v and\n%v", before.DecisionHash, e.with.Conf, e.set.Conf)
			}
			if before.Totals.ContainersAllocated == 0 {
				t.Error("nothing is allocated")
			}
		})
	}
	for _, name := range followed {
		if name != warned && !slices.Contains(shown, name) {
			t.Errorf("%s is followed, and no situation shows it", name)
		}
	}
	for _, name := range shown {
		if !slices.Contains(followed, name) {
			t.Errorf("%s is not followed", name)
		}
	}
}
