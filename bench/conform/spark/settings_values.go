package spark

import (
	"fmt"
	"math"
	"strconv"

	"replay/engine/spark/conf"
)

// inSeconds is a time in ms whose key is in seconds.
type inSeconds int64

// optional is a number, or nil where it is not set.
func optional[T int | int64 | inSeconds](n T) any {
	if n == conf.Unset {
		return nil
	}
	return n
}

// sameSetting compares a value with what Spark has, in JSON and in the unit of its key.
func sameSetting(is any, text string) bool {
	switch v := is.(type) {
	case nil:
		return text == "null"
	case float64:
		x, err := strconv.ParseFloat(text, 64)
		return err == nil && x == v
	case inSeconds:
		n, err := strconv.ParseInt(text, 10, 64)
		return err == nil && max(min(n, math.MaxInt64/1000), math.MinInt64/1000) == int64(v)/1000
	case string:
		return text == strconv.Quote(v)
	}
	return text == fmt.Sprint(is)
}

// settingOf are the values of settings by their keys.
var settingOf = map[string]func(*conf.Conf) any{
	"spark.yarn.isPython":                                          func(c *conf.Conf) any { return c.Python },
	"spark.yarn.priority":                                          func(c *conf.Conf) any { return c.YarnPriority },
	"spark.executor.instances":                                     func(c *conf.Conf) any { return optional(c.Instances) },
	"spark.executor.cores":                                         func(c *conf.Conf) any { return c.ExecutorCores },
	"spark.task.cpus":                                              func(c *conf.Conf) any { return c.TaskCPUs },
	"spark.executor.memory":                                        func(c *conf.Conf) any { return c.ExecutorMiB },
	"spark.executor.memoryOverhead":                                func(c *conf.Conf) any { return optional(c.ExecutorOverhead) },
	"spark.executor.memoryOverheadFactor":                          func(c *conf.Conf) any { return c.OverheadFactor },
	"spark.memory.offHeap.enabled":                                 func(c *conf.Conf) any { return c.OffHeap },
	"spark.memory.offHeap.size":                                    func(c *conf.Conf) any { return c.OffHeapBytes },
	"spark.executor.pyspark.memory":                                func(c *conf.Conf) any { return optional(c.PySparkMiB) },
	"spark.driver.cores":                                           func(c *conf.Conf) any { return c.DriverCores },
	"spark.driver.memory":                                          func(c *conf.Conf) any { return c.DriverMiB },
	"spark.driver.memoryOverhead":                                  func(c *conf.Conf) any { return optional(c.DriverOverhead) },
	"spark.driver.memoryOverheadFactor":                            func(c *conf.Conf) any { return c.DriverFactor },
	"spark.yarn.am.cores":                                          func(c *conf.Conf) any { return c.AMCores },
	"spark.yarn.am.memory":                                         func(c *conf.Conf) any { return c.AMMiB },
	"spark.yarn.resourceGpuDeviceName":                             func(c *conf.Conf) any { return c.GPUDevice },
	"spark.yarn.resourceFpgaDeviceName":                            func(c *conf.Conf) any { return c.FPGADevice },
	"spark.yarn.am.memoryOverhead":                                 func(c *conf.Conf) any { return optional(c.AMOverhead) },
	"spark.yarn.maxAppAttempts":                                    func(c *conf.Conf) any { return optional(c.MaxAppAttempts) },
	"spark.yarn.scheduler.heartbeat.interval-ms":                   func(c *conf.Conf) any { return c.HeartbeatInterval },
	"spark.yarn.scheduler.initial-allocation.interval":             func(c *conf.Conf) any { return c.InitialInterval },
	"spark.yarn.containerLauncherMaxThreads":                       func(c *conf.Conf) any { return c.LauncherThreads },
	"spark.executor.maxNumFailures":                                func(c *conf.Conf) any { return optional(c.MaxExecutorFailures) },
	"spark.yarn.executor.launch.excludeOnFailure.enabled":          func(c *conf.Conf) any { return c.LaunchExclude },
	"spark.yarn.scheduler.reporterThread.maxFailures":              func(c *conf.Conf) any { return c.ReporterFailures },
	"spark.scheduler.maxRegisteredResourcesWaitingTime":            func(c *conf.Conf) any { return c.MaxRegisteredWait },
	"spark.network.timeout":                                        func(c *conf.Conf) any { return inSeconds(c.NetworkTimeout) },
	"spark.network.timeoutInterval":                                func(c *conf.Conf) any { return c.SilenceInterval },
	"spark.executor.heartbeatInterval":                             func(c *conf.Conf) any { return c.ExecutorHeartbeat },
	"spark.dynamicAllocation.minExecutors":                         func(c *conf.Conf) any { return c.MinExecutors },
	"spark.dynamicAllocation.maxExecutors":                         func(c *conf.Conf) any { return c.MaxExecutors },
	"spark.dynamicAllocation.initialExecutors":                     func(c *conf.Conf) any { return c.InitialExecutors },
	"spark.dynamicAllocation.executorAllocationRatio":              func(c *conf.Conf) any { return c.AllocationRatio },
	"spark.dynamicAllocation.schedulerBacklogTimeout":              func(c *conf.Conf) any { return inSeconds(c.BacklogTimeout) },
	"spark.dynamicAllocation.sustainedSchedulerBacklogTimeout":     func(c *conf.Conf) any { return inSeconds(c.SustainedTimeout) },
	"spark.dynamicAllocation.executorIdleTimeout":                  func(c *conf.Conf) any { return inSeconds(c.IdleTimeout) },
	"spark.dynamicAllocation.cachedExecutorIdleTimeout":            func(c *conf.Conf) any { return inSeconds(c.CachedIdleTimeout) },
	"spark.dynamicAllocation.shuffleTracking.enabled":              func(c *conf.Conf) any { return c.ShuffleTracking },
	"spark.dynamicAllocation.shuffleTracking.timeout":              func(c *conf.Conf) any { return c.ShuffleTimeout },
	"spark.shuffle.service.enabled":                                func(c *conf.Conf) any { return c.ShuffleService },
	"spark.shuffle.service.fetch.rdd.enabled":                      func(c *conf.Conf) any { return c.ShuffleServiceFetchRDD },
	"spark.decommission.enabled":                                   func(c *conf.Conf) any { return c.Decommission },
	"spark.storage.decommission.enabled":                           func(c *conf.Conf) any { return c.DecommissionStorage },
	"spark.storage.decommission.shuffleBlocks.enabled":             func(c *conf.Conf) any { return c.DecommissionShuffle },
	"spark.executor.decommission.killInterval":                     func(c *conf.Conf) any { return optional(inSeconds(c.DecommissionKillAfter)) },
	"spark.scheduler.revive.interval":                              func(c *conf.Conf) any { return c.ReviveInterval },
	"spark.task.maxFailures":                                       func(c *conf.Conf) any { return c.MaxTaskFailures },
	"spark.locality.wait.process":                                  func(c *conf.Conf) any { return c.WaitProcess },
	"spark.locality.wait.node":                                     func(c *conf.Conf) any { return c.WaitNode },
	"spark.locality.wait.rack":                                     func(c *conf.Conf) any { return c.WaitRack },
	"spark.locality.wait.legacyResetOnTaskLaunch":                  func(c *conf.Conf) any { return c.LegacyLocalityReset },
	"spark.speculation":                                            func(c *conf.Conf) any { return c.Speculation.Enabled },
	"spark.speculation.interval":                                   func(c *conf.Conf) any { return c.Speculation.Interval },
	"spark.speculation.quantile":                                   func(c *conf.Conf) any { return c.Speculation.Quantile },
	"spark.speculation.multiplier":                                 func(c *conf.Conf) any { return c.Speculation.Multiplier },
	"spark.speculation.minTaskRuntime":                             func(c *conf.Conf) any { return c.Speculation.MinTaskRuntime },
	"spark.speculation.task.duration.threshold":                    func(c *conf.Conf) any { return optional(c.Speculation.DurationThreshold) },
	"spark.speculation.efficiency.enabled":                         func(c *conf.Conf) any { return c.Speculation.Efficiency },
	"spark.speculation.efficiency.processRateMultiplier":           func(c *conf.Conf) any { return c.Speculation.ProcessRateMultiplier },
	"spark.speculation.efficiency.longRunTaskFactor":               func(c *conf.Conf) any { return c.Speculation.LongRunTaskFactor },
	"spark.excludeOnFailure.task.maxTaskAttemptsPerExecutor":       func(c *conf.Conf) any { return c.Exclude.TaskPerExecutor },
	"spark.excludeOnFailure.task.maxTaskAttemptsPerNode":           func(c *conf.Conf) any { return c.Exclude.TaskPerNode },
	"spark.excludeOnFailure.stage.maxFailedTasksPerExecutor":       func(c *conf.Conf) any { return c.Exclude.StagePerExecutor },
	"spark.excludeOnFailure.stage.maxFailedExecutorsPerNode":       func(c *conf.Conf) any { return c.Exclude.StageExecutorsOnNode },
	"spark.excludeOnFailure.application.maxFailedTasksPerExecutor": func(c *conf.Conf) any { return c.Exclude.AppPerExecutor },
	"spark.excludeOnFailure.application.maxFailedExecutorsPerNode": func(c *conf.Conf) any { return c.Exclude.AppExecutorsOnNode },
	"spark.excludeOnFailure.killExcludedExecutors":                 func(c *conf.Conf) any { return c.Exclude.Kill },
	"spark.excludeOnFailure.application.fetchFailure.enabled":      func(c *conf.Conf) any { return c.Exclude.FetchFailure },
	"spark.scheduler.excludeOnFailure.unschedulableTaskSetTimeout": func(c *conf.Conf) any { return inSeconds(c.Exclude.UnschedulableTimeout) },
	"spark.stage.maxConsecutiveAttempts":                           func(c *conf.Conf) any { return c.MaxConsecutiveAttempts },
	"spark.stage.maxAttempts":                                      func(c *conf.Conf) any { return c.MaxStageAttempts },
	"spark.stage.ignoreDecommissionFetchFailure":                   func(c *conf.Conf) any { return c.IgnoreDecommissionFetch },
	"spark.files.fetchFailure.unRegisterOutputOnHost":              func(c *conf.Conf) any { return c.UnregisterOutputOnHost },
	"spark.shuffle.reduceLocality.enabled":                         func(c *conf.Conf) any { return c.ReduceLocality },
	"spark.scheduler.barrier.maxConcurrentTasksCheck.interval":     func(c *conf.Conf) any { return inSeconds(c.BarrierCheckInterval) },
	"spark.scheduler.barrier.maxConcurrentTasksCheck.maxFailures":  func(c *conf.Conf) any { return c.BarrierCheckFailures },
}
