package conf

import (
	"fmt"
	"math"
)

// check refuses what Spark refuses at start.
//
// Source: ExecutorAllocationManager.validateSettings, SchedulerBackendUtils, SparkContext, Utils.checkOffHeapEnabled,
// HealthTracker.validateExcludeOnFailureConfs, SparkConf.validateSettings, HeartbeatReceiver, RpcTimeout.
func (c *Conf) check() error {
	if c.ExecutorCores < c.TaskCPUs {
		return fmt.Errorf("spark.executor.cores is %d, want at least spark.task.cpus (%d)", c.ExecutorCores, c.TaskCPUs)
	}
	for _, r := range c.Resources {
		if r.Task > 0 && r.perExecutor() < 1 {
			return fmt.Errorf("spark.executor.resource.%s.amount is %d, want at least one task's %g", r.Name, r.Executor, r.Task)
		}
	}
	if c.OffHeap && c.OffHeapBytes < mebibyte {
		return fmt.Errorf("spark.memory.offHeap.size is %d bytes with spark.memory.offHeap.enabled, want 1m or more", c.OffHeapBytes)
	}
	if c.Exclude.Enabled && c.Exclude.Timeout <= 0 {
		return fmt.Errorf("spark.excludeOnFailure.timeout is %d ms with spark.excludeOnFailure.enabled, want 1ms or more", c.Exclude.Timeout)
	}
	for _, limit := range []struct {
		key   string
		value int
	}{
		{"task.maxTaskAttemptsPerExecutor", c.Exclude.TaskPerExecutor}, {"task.maxTaskAttemptsPerNode", c.Exclude.TaskPerNode},
		{"stage.maxFailedTasksPerExecutor", c.Exclude.StagePerExecutor}, {"stage.maxFailedExecutorsPerNode", c.Exclude.StageExecutorsOnNode},
		{"application.maxFailedTasksPerExecutor", c.Exclude.AppPerExecutor}, {"application.maxFailedExecutorsPerNode", c.Exclude.AppExecutorsOnNode},
	} {
		if c.Exclude.Enabled && limit.value < 1 {
			return fmt.Errorf("spark.excludeOnFailure.%s is %d with spark.excludeOnFailure.enabled, want 1 or more", limit.key, limit.value)
		}
	}
	if c.Exclude.Enabled && c.Exclude.TaskPerNode >= c.MaxTaskFailures {
		return fmt.Errorf("spark.excludeOnFailure.task.maxTaskAttemptsPerNode is %d, want less than spark.task.maxFailures (%d)",
			c.Exclude.TaskPerNode, c.MaxTaskFailures)
	}
	switch {
	case c.NetworkTimeout == math.MaxInt64:
		return fmt.Errorf("spark.network.timeout is more than %d s, want less: Spark counts it in ms", math.MaxInt64/1000)
	case c.AskTimeout > math.MaxInt64/1_000_000:
		return fmt.Errorf("spark.rpc.askTimeout, else spark.network.timeout, is %d ms, want at most %d: Spark counts it in ns", c.AskTimeout, int64(math.MaxInt64/1_000_000))
	case c.NetworkTimeout <= c.ExecutorHeartbeat:
		return fmt.Errorf("spark.network.timeout is %d ms, want more than spark.executor.heartbeatInterval (%d ms)", c.NetworkTimeout, c.ExecutorHeartbeat)
	case c.SilenceTimeout < c.ExecutorHeartbeat:
		return fmt.Errorf("spark.storage.blockManagerHeartbeatTimeoutMs is %d ms, want at least spark.executor.heartbeatInterval (%d ms)", c.SilenceTimeout, c.ExecutorHeartbeat)
	case c.SilenceTimeout < c.SilenceInterval:
		return fmt.Errorf("executors are given up that have been silent for %d ms (spark.storage.blockManagerHeartbeatTimeoutMs, else spark.network.timeout), want at least spark.network.timeoutInterval (%d ms)",
			c.SilenceTimeout, c.SilenceInterval)
	}
	if !c.DynamicAllocation {
		return nil
	}
	const dyn = "spark.dynamicAllocation."
	switch first := c.InitialTarget(); {
	case c.MinExecutors < 0:
		return fmt.Errorf(dyn+"minExecutors is %d, want 0 or more", c.MinExecutors)
	case c.MaxExecutors <= 0:
		return fmt.Errorf(dyn+"maxExecutors is %d, want 1 or more", c.MaxExecutors)
	case c.MinExecutors > c.MaxExecutors:
		return fmt.Errorf(dyn+"minExecutors is %d, want at most maxExecutors (%d)", c.MinExecutors, c.MaxExecutors)
	case first > c.MaxExecutors:
		return fmt.Errorf("initial number of executors is %d (largest of "+dyn+"minExecutors, "+dyn+
			"initialExecutors and spark.executor.instances), want at most "+dyn+"maxExecutors (%d)", first, c.MaxExecutors)
	case c.AllocationRatio <= 0 || c.AllocationRatio > 1:
		return fmt.Errorf(dyn+"executorAllocationRatio is %g, want more than 0 and at most 1", c.AllocationRatio)
	case c.BacklogTimeout <= 0:
		return fmt.Errorf(dyn + "schedulerBacklogTimeout is less than a second, want 1s or more")
	case c.SustainedTimeout <= 0:
		return fmt.Errorf(dyn + "sustainedSchedulerBacklogTimeout is less than a second, want 1s or more")
	case !c.ShuffleService && !c.ShuffleTracking && !(c.Decommission && c.DecommissionShuffle):
		return fmt.Errorf(dyn + "enabled is true, want one of spark.shuffle.service.enabled, " + dyn +
			"shuffleTracking.enabled, or spark.decommission.enabled with spark.storage.decommission.shuffleBlocks.enabled")
	}
	return nil
}
