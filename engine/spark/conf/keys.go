package conf

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// key is one key of Spark: how its value gets into a [Conf], or why it does not.
type key struct {
	name     string
	fallback string // Spark's default; "" = as in newConf; the name of a key before it in the table = that key's value
	parse    func(c *Conf, text string) error
	note     string   // what a replay does instead; a key that has it and parse decides in package conform's cases alone
	idle     bool     // with a note: it decides nothing as long as nothing goes wrong
	older    []string // accepted when name is not set
	unset    bool     // the fallback is no default of the key in Spark, so others can't refer to it
	bare     bool     // Spark reads it as it is written, also where it refers to others, and knows no default of it
}

// setter makes the parse function of a field; ok says what values are wanted (nil: all), in words want.
func setter[T any](parse func(string) (T, error), field func(*Conf) *T, ok func(T) bool, want string) func(*Conf, string) error {
	return func(c *Conf, text string) error {
		v, err := parse(text)
		if err != nil {
			return err
		}
		if ok != nil && !ok(v) {
			return fmt.Errorf("want %s", want)
		}
		*field(c) = v
		return nil
	}
}

func nonNegative[T cmp.Ordered](v T) bool { var zero T; return v >= zero }

func count(field func(*Conf) *int) func(*Conf, string) error {
	return setter(parseCount, field, nonNegative, "0 or more")
}

// number takes what is less than 0 too.
func number(field func(*Conf) *int) func(*Conf, string) error {
	return setter(parseCount, field, nil, "")
}

func positive(field func(*Conf) *int) func(*Conf, string) error {
	return setter(parseCount, field, func(v int) bool { return v > 0 }, "1 or more")
}

func flag(field func(*Conf) *bool) func(*Conf, string) error {
	return setter(parseBool, field, nil, "")
}

func fraction(field func(*Conf) *float64) func(*Conf, string) error {
	return setter(parseFraction, field, nonNegative, "0 or more")
}

// share is a fraction that Spark does not take as 0.
func share(field func(*Conf) *float64) func(*Conf, string) error {
	return setter(parseFraction, field, func(v float64) bool { return v > 0 }, "more than 0")
}

func duration(field func(*Conf) *int64) func(*Conf, string) error {
	return setter(func(s string) (int64, error) { return parseTime(s, millisecond) }, field, nonNegative, "0 or more")
}

// period is a duration between two turns of something, which Spark's timers do not take as 0.
func period(field func(*Conf) *int64) func(*Conf, string) error {
	return setter(func(s string) (int64, error) { return parseTime(s, millisecond) }, field, func(v int64) bool { return v > 0 }, "1ms or more")
}

// wait is a duration that Spark takes negative too; it then never waits.
func wait(field func(*Conf) *int64) func(*Conf, string) error {
	return setter(func(s string) (int64, error) { return parseTime(s, millisecond) }, field, nil, "")
}

// seconds is a duration whose key is in whole seconds: finer values lose their rest.
func seconds(field func(*Conf) *int64) func(*Conf, string) error {
	return setter(parseSeconds, field, nonNegative, "0 or more")
}

// parseSeconds returns a time in ms whose key is in whole seconds.
func parseSeconds(text string) (int64, error) {
	n, err := parseTime(text, second)
	return mulSaturated(n, second/millisecond), err
}

func mib(field func(*Conf) *int64) func(*Conf, string) error {
	return setter(func(s string) (int64, error) { return parseSize(s, mebibyte) }, field, nil, "")
}

func inBytes(field func(*Conf) *int64) func(*Conf, string) error {
	return setter(func(s string) (int64, error) { return parseSize(s, byteUnit) }, field, nil, "")
}

func text(field func(*Conf) *string) func(*Conf, string) error {
	return func(c *Conf, s string) error { *field(c) = s; return nil }
}

// oneOf makes the parse function of a choice of two words, each spelled as it is here after spelled; the field is whether yes was chosen.
func oneOf(field func(*Conf) *bool, spelled func(string) string, yes, no string) func(*Conf, string) error {
	return func(c *Conf, text string) error {
		if text = spelled(text); text != yes && text != no {
			return fmt.Errorf("want %s or %s", no, yes)
		}
		*field(c) = text == yes
		return nil
	}
}

// asIs is for choices whose words are in small letters.
func asIs(text string) string { return text }

const (
	exclude     = "spark.excludeOnFailure."
	blacklist   = "spark.blacklist."
	dynamic     = "spark.dynamicAllocation."
	speculation = "spark.speculation."
	streaming   = "spark.streaming.dynamicAllocation."
)

// streamed is what a replay does instead of Spark Streaming's own allocation of executors by the times of batches.
const streamed = "executors are asked for as spark.dynamicAllocation.enabled and spark.executor.instances say, not by the times of batches"

// unread is why the efficiency of speculation is not looked at.
const unread = "a trace does not say how many records tasks have read"

// keys is the table of Spark's keys that have to do with scheduling.
var keys = slices.Concat(containerKeys, dynamicKeys, taskKeys, unmodelledKeys)

var containerKeys = []key{
	{name: "spark.submit.deployMode", fallback: "client", parse: oneOf(func(c *Conf) *bool { return &c.ClusterMode }, asIs, "cluster", "client")},
	{name: "spark.yarn.isPython", fallback: "false", parse: flag(func(c *Conf) *bool { return &c.Python })},
	{name: "spark.yarn.priority", fallback: "0", unset: true, parse: number(func(c *Conf) *int { return &c.YarnPriority })},
	{name: "spark.executor.instances", parse: count(func(c *Conf) *int { return &c.Instances })},
	{name: "spark.executor.cores", fallback: "1", parse: positive(func(c *Conf) *int { return &c.ExecutorCores })},
	{name: "spark.task.cpus", fallback: "1", parse: positive(func(c *Conf) *int { return &c.TaskCPUs })},
	{name: "spark.executor.memory", fallback: "1g", parse: mib(func(c *Conf) *int64 { return &c.ExecutorMiB })},
	{name: "spark.executor.memoryOverhead", older: []string{"spark.yarn.executor.memoryOverhead"},
		parse: mib(func(c *Conf) *int64 { return &c.ExecutorOverhead })},
	{name: "spark.executor.memoryOverheadFactor", fallback: "0.1", parse: share(func(c *Conf) *float64 { return &c.OverheadFactor })},
	{name: "spark.memory.offHeap.enabled", fallback: "false", older: []string{"spark.unsafe.offHeap"}, parse: flag(func(c *Conf) *bool { return &c.OffHeap })},
	{name: "spark.memory.offHeap.size", fallback: "0b", parse: inBytes(func(c *Conf) *int64 { return &c.OffHeapBytes })},
	{name: "spark.executor.pyspark.memory", parse: mib(func(c *Conf) *int64 { return &c.PySparkMiB })},
	{name: "spark.driver.cores", fallback: "1", parse: count(func(c *Conf) *int { return &c.DriverCores })},
	{name: "spark.driver.memory", fallback: "1g", parse: mib(func(c *Conf) *int64 { return &c.DriverMiB })},
	{name: "spark.driver.memoryOverhead", older: []string{"spark.yarn.driver.memoryOverhead"},
		parse: mib(func(c *Conf) *int64 { return &c.DriverOverhead })},
	{name: "spark.driver.memoryOverheadFactor", fallback: "0.1", parse: share(func(c *Conf) *float64 { return &c.DriverFactor })},
	{name: "spark.yarn.am.cores", fallback: "1", parse: count(func(c *Conf) *int { return &c.AMCores })},
	{name: "spark.yarn.am.memory", fallback: "512m", parse: mib(func(c *Conf) *int64 { return &c.AMMiB })},
	{name: gpuKey, fallback: gpuName, parse: text(func(c *Conf) *string { return &c.GPUDevice })},
	{name: fpgaKey, fallback: fpgaName, parse: text(func(c *Conf) *string { return &c.FPGADevice })},
	{name: "spark.yarn.am.memoryOverhead", parse: mib(func(c *Conf) *int64 { return &c.AMOverhead })},
	{name: "spark.yarn.maxAppAttempts", parse: positive(func(c *Conf) *int { return &c.MaxAppAttempts })},
	{name: "spark.yarn.am.attemptFailuresValidityInterval", parse: wait(func(c *Conf) *int64 { return &c.AttemptFailuresValidity })},
	{name: "spark.yarn.scheduler.heartbeat.interval-ms", fallback: "3s", parse: period(func(c *Conf) *int64 { return &c.HeartbeatInterval })},
	{name: "spark.yarn.scheduler.initial-allocation.interval", fallback: "200ms", parse: period(func(c *Conf) *int64 { return &c.InitialInterval })},
	{name: "spark.yarn.containerLauncherMaxThreads", fallback: "25", parse: positive(func(c *Conf) *int { return &c.LauncherThreads })},
	{name: "spark.executor.maxNumFailures", older: []string{"spark.yarn.max.executor.failures"},
		parse: count(func(c *Conf) *int { return &c.MaxExecutorFailures })},
	{name: "spark.executor.failuresValidityInterval", older: []string{"spark.yarn.executor.failuresValidityInterval"},
		parse: wait(func(c *Conf) *int64 { return &c.FailuresValidity })},
	{name: "spark.yarn.executor.launch.excludeOnFailure.enabled", fallback: "false", older: []string{"spark.yarn.blacklist.executor.launch.blacklisting.enabled"},
		parse: flag(func(c *Conf) *bool { return &c.LaunchExclude })},
	{name: "spark.yarn.exclude.nodes", parse: func(c *Conf, s string) error {
		c.ExcludeNodes = nil
		for _, host := range strings.Split(s, ",") {
			if host = strings.TrimSpace(host); host != "" {
				c.ExcludeNodes = append(c.ExcludeNodes, host)
			}
		}
		return nil
	}},
	{name: "spark.yarn.scheduler.reporterThread.maxFailures", fallback: "5", parse: number(func(c *Conf) *int { return &c.ReporterFailures })},
	{name: "spark.scheduler.minRegisteredResourcesRatio", fallback: "0.8", unset: true, parse: func(c *Conf, s string) (err error) { // above 1 is all
		c.MinRegisteredRatio, err = parseFraction(s)
		c.MinRegisteredRatio = min(c.MinRegisteredRatio, 1)
		return err
	}},
	{name: "spark.scheduler.maxRegisteredResourcesWaitingTime", fallback: "30s", parse: wait(func(c *Conf) *int64 { return &c.MaxRegisteredWait })},
	// The general timeout gives the others their defaults.
	{name: "spark.network.timeout", fallback: "120s", parse: func(c *Conf, s string) error {
		err := seconds(func(c *Conf) *int64 { return &c.NetworkTimeout })(c, s)
		c.AskTimeout, c.SilenceTimeout = c.NetworkTimeout, c.NetworkTimeout
		return err
	}},
	{name: "spark.rpc.askTimeout", fallback: "spark.network.timeout", bare: true, parse: seconds(func(c *Conf) *int64 { return &c.AskTimeout })},
	{name: "spark.storage.blockManagerHeartbeatTimeoutMs", older: []string{"spark.storage.blockManagerSlaveTimeoutMs"}, parse: duration(func(c *Conf) *int64 { return &c.SilenceTimeout })},
	{name: "spark.network.timeoutInterval", fallback: "60s", parse: period(func(c *Conf) *int64 { return &c.SilenceInterval })},
	{name: "spark.executor.heartbeatInterval", fallback: "10s", parse: period(func(c *Conf) *int64 { return &c.ExecutorHeartbeat })},
}

var dynamicKeys = []key{
	{name: dynamic + "enabled", fallback: "false", parse: flag(func(c *Conf) *bool { return &c.DynamicAllocation })},
	{name: dynamic + "minExecutors", fallback: "0", parse: number(func(c *Conf) *int { return &c.MinExecutors })},
	{name: dynamic + "maxExecutors", fallback: "2147483647", parse: number(func(c *Conf) *int { return &c.MaxExecutors })},
	{name: dynamic + "initialExecutors", fallback: dynamic + "minExecutors", parse: number(func(c *Conf) *int { return &c.InitialExecutors })},
	{name: dynamic + "executorAllocationRatio", fallback: "1.0", parse: setter(parseFraction, func(c *Conf) *float64 { return &c.AllocationRatio }, nil, "")},
	{name: dynamic + "schedulerBacklogTimeout", fallback: "1000ms", parse: setter(parseSeconds, func(c *Conf) *int64 { return &c.BacklogTimeout }, nil, "")},
	{name: dynamic + "sustainedSchedulerBacklogTimeout", fallback: dynamic + "schedulerBacklogTimeout", parse: setter(parseSeconds, func(c *Conf) *int64 { return &c.SustainedTimeout }, nil, "")},
	{name: dynamic + "executorIdleTimeout", fallback: "60000ms", parse: seconds(func(c *Conf) *int64 { return &c.IdleTimeout })},
	{name: dynamic + "cachedExecutorIdleTimeout", fallback: "2147483647000ms", parse: seconds(func(c *Conf) *int64 { return &c.CachedIdleTimeout })},
	{name: dynamic + "shuffleTracking.enabled", fallback: "true", parse: flag(func(c *Conf) *bool { return &c.ShuffleTracking })},
	{name: dynamic + "shuffleTracking.timeout", fallback: "9223372036854775807ms", parse: duration(func(c *Conf) *int64 { return &c.ShuffleTimeout })},
	{name: "spark.shuffle.service.enabled", fallback: "false", parse: flag(func(c *Conf) *bool { return &c.ShuffleService })},
	{name: "spark.shuffle.service.fetch.rdd.enabled", fallback: "false", parse: flag(func(c *Conf) *bool { return &c.ShuffleServiceFetchRDD }),
		note: "cached blocks are in memory, where the shuffle service does not serve them"},
	{name: "spark.decommission.enabled", fallback: "false", parse: flag(func(c *Conf) *bool { return &c.Decommission })},
	{name: "spark.storage.decommission.enabled", fallback: "false", parse: flag(func(c *Conf) *bool { return &c.DecommissionStorage })},
	{name: "spark.storage.decommission.shuffleBlocks.enabled", fallback: "true", parse: flag(func(c *Conf) *bool { return &c.DecommissionShuffle })},
	{name: "spark.executor.decommission.killInterval", parse: seconds(func(c *Conf) *int64 { return &c.DecommissionKillAfter }),
		note: "executors are decommissioned when no task runs on them"},
}

var taskKeys = []key{
	{name: "spark.scheduler.mode", fallback: "FIFO", parse: oneOf(func(c *Conf) *bool { return &c.FairMode }, strings.ToUpper, "FAIR", "FIFO")},
	{name: "spark.scheduler.allocation.file", parse: text(func(c *Conf) *string { return &c.AllocationFile })},
	{name: "spark.scheduler.revive.interval", fallback: "1s", unset: true, parse: period(func(c *Conf) *int64 { return &c.ReviveInterval })},
	{name: "spark.task.maxFailures", fallback: "4", parse: positive(func(c *Conf) *int { return &c.MaxTaskFailures })},
	// The general wait only gives the others their default.
	{name: "spark.locality.wait", fallback: "3s", parse: wait(func(c *Conf) *int64 { return &c.WaitProcess })},
	{name: "spark.locality.wait.process", fallback: "spark.locality.wait", parse: wait(func(c *Conf) *int64 { return &c.WaitProcess })},
	{name: "spark.locality.wait.node", fallback: "spark.locality.wait", parse: wait(func(c *Conf) *int64 { return &c.WaitNode })},
	{name: "spark.locality.wait.rack", fallback: "spark.locality.wait", parse: wait(func(c *Conf) *int64 { return &c.WaitRack })},
	{name: "spark.locality.wait.legacyResetOnTaskLaunch", fallback: "false", parse: flag(func(c *Conf) *bool { return &c.LegacyLocalityReset })},
	{name: "spark.speculation", fallback: "false", parse: flag(func(c *Conf) *bool { return &c.Speculation.Enabled })},
	{name: speculation + "interval", fallback: "100ms", parse: period(func(c *Conf) *int64 { return &c.Speculation.Interval })},
	{name: speculation + "quantile", fallback: "0.75", parse: fraction(func(c *Conf) *float64 { return &c.Speculation.Quantile })},
	{name: speculation + "multiplier", fallback: "1.5", parse: fraction(func(c *Conf) *float64 { return &c.Speculation.Multiplier })},
	{name: speculation + "minTaskRuntime", fallback: "100ms", parse: duration(func(c *Conf) *int64 { return &c.Speculation.MinTaskRuntime })},
	{name: speculation + "task.duration.threshold", parse: duration(func(c *Conf) *int64 { return &c.Speculation.DurationThreshold })},
	{name: speculation + "efficiency.enabled", fallback: "true", parse: flag(func(c *Conf) *bool { return &c.Speculation.Efficiency })},
	{name: speculation + "efficiency.processRateMultiplier", fallback: "0.75", parse: setter(parseFraction, func(c *Conf) *float64 { return &c.Speculation.ProcessRateMultiplier }, func(v float64) bool { return v > 0 && v <= 1 }, "more than 0 and at most 1"), note: unread},
	{name: speculation + "efficiency.longRunTaskFactor", fallback: "2.0", parse: setter(parseFraction, func(c *Conf) *float64 { return &c.Speculation.LongRunTaskFactor }, func(v float64) bool { return v >= 1 }, "1 or more"), note: unread},
	{name: "spark.scheduler.executorTaskExcludeOnFailureTime", older: []string{"spark.scheduler.executorTaskBlacklistTime"},
		parse: func(c *Conf, s string) error { // the older way to switch exclusion on
			ms, err := parseTime(s, millisecond)
			c.Exclude.Enabled, c.Exclude.Timeout = ms != 0, ms
			return err
		}},
	{name: exclude + "enabled", older: []string{blacklist + "enabled"}, parse: flag(func(c *Conf) *bool { return &c.Exclude.Enabled })},
	{name: exclude + "timeout", older: []string{blacklist + "timeout"}, parse: wait(func(c *Conf) *int64 { return &c.Exclude.Timeout })},
	{name: exclude + "task.maxTaskAttemptsPerExecutor", fallback: "1", older: []string{blacklist + "task.maxTaskAttemptsPerExecutor"}, parse: number(func(c *Conf) *int { return &c.Exclude.TaskPerExecutor })},
	{name: exclude + "task.maxTaskAttemptsPerNode", fallback: "2", older: []string{blacklist + "task.maxTaskAttemptsPerNode"}, parse: number(func(c *Conf) *int { return &c.Exclude.TaskPerNode })},
	{name: exclude + "stage.maxFailedTasksPerExecutor", fallback: "2", older: []string{blacklist + "stage.maxFailedTasksPerExecutor"}, parse: number(func(c *Conf) *int { return &c.Exclude.StagePerExecutor })},
	{name: exclude + "stage.maxFailedExecutorsPerNode", fallback: "2", older: []string{blacklist + "stage.maxFailedExecutorsPerNode"}, parse: number(func(c *Conf) *int { return &c.Exclude.StageExecutorsOnNode })},
	{name: exclude + "application.maxFailedTasksPerExecutor", fallback: "2", older: []string{blacklist + "application.maxFailedTasksPerExecutor"}, parse: number(func(c *Conf) *int { return &c.Exclude.AppPerExecutor })},
	{name: exclude + "application.maxFailedExecutorsPerNode", fallback: "2", older: []string{blacklist + "application.maxFailedExecutorsPerNode"}, parse: number(func(c *Conf) *int { return &c.Exclude.AppExecutorsOnNode })},
	{name: exclude + "killExcludedExecutors", fallback: "false", older: []string{blacklist + "killBlacklistedExecutors"}, parse: flag(func(c *Conf) *bool { return &c.Exclude.Kill })},
	{name: exclude + "application.fetchFailure.enabled", fallback: "false", older: []string{blacklist + "application.fetchFailure.enabled"}, parse: flag(func(c *Conf) *bool { return &c.Exclude.FetchFailure })},
	{name: "spark.scheduler.excludeOnFailure.unschedulableTaskSetTimeout", fallback: "120000ms", older: []string{"spark.scheduler.blacklist.unschedulableTaskSetTimeout"}, parse: seconds(func(c *Conf) *int64 { return &c.Exclude.UnschedulableTimeout })},
	{name: "spark.stage.maxConsecutiveAttempts", fallback: "4", bare: true, parse: func(c *Conf, s string) error { // no ConfigEntry, so nothing around it is cut off
		if s != strings.TrimSpace(s) {
			return errors.New("want a whole number without spaces")
		}
		return positive(func(c *Conf) *int { return &c.MaxConsecutiveAttempts })(c, s)
	}},
	{name: "spark.stage.maxAttempts", fallback: "2147483647", parse: positive(func(c *Conf) *int { return &c.MaxStageAttempts })},
	{name: "spark.stage.ignoreDecommissionFetchFailure", fallback: "false", parse: flag(func(c *Conf) *bool { return &c.IgnoreDecommissionFetch })},
	{name: "spark.files.fetchFailure.unRegisterOutputOnHost", fallback: "false", parse: flag(func(c *Conf) *bool { return &c.UnregisterOutputOnHost })},
	{name: "spark.shuffle.reduceLocality.enabled", fallback: "true", parse: flag(func(c *Conf) *bool { return &c.ReduceLocality })},
	{name: "spark.scheduler.barrier.maxConcurrentTasksCheck.interval", fallback: "15s", parse: seconds(func(c *Conf) *int64 { return &c.BarrierCheckInterval })},
	{name: "spark.scheduler.barrier.maxConcurrentTasksCheck.maxFailures", fallback: "40", parse: positive(func(c *Conf) *int { return &c.BarrierCheckFailures })},
}

var unmodelledKeys = []key{
	// Pools are local properties of Spark jobs. Source: SchedulableBuilder.addTaskSetManager; SQLExecution.withSQLConfPropagated copies the key there.
	{name: "spark.scheduler.pool", fallback: "default", note: "it names the pool of SQL queries and of no other Spark jobs, which a trace does not tell apart; the pools are those that the trace gives"},
	{name: "spark.storage.decommission.rddBlocks.enabled", fallback: "true", note: "cached blocks of decommissioned executors are lost, whether they would move or not", idle: true},
	{name: "spark.storage.decommission.fallbackStorage.path", note: "shuffle blocks of decommissioned executors move to other executors alone"},
	{name: "spark.yarn.am.waitTime", fallback: "100s", note: "a driver is always ready in time", idle: true},
	{name: "spark.yarn.report.interval", fallback: "1s", note: "the submitting client decides nothing", idle: true},
	{name: "spark.yarn.executor.nodeLabelExpression", note: "the cluster has no node labels"},
	{name: "spark.yarn.am.nodeLabelExpression", note: "the cluster has no node labels"},
	{name: "spark.rpc.message.maxSize", fallback: "128", note: "tasks are never too large to send", idle: true},
	{name: "spark.task.maxDirectResultSize", fallback: "1m", note: "results are fetched in no time of their own", idle: true},
	{name: "spark.resultGetter.threads", fallback: "4", note: "no result waits for a thread", idle: true},
	{name: "spark.driver.maxResultSize", fallback: "1g", note: "results are never too large", idle: true},
	{name: "spark.shuffle.push.enabled", fallback: "false", note: "shuffle blocks are not pushed"},
	{name: "spark.shuffle.sort.io.plugin.class", fallback: "org.apache.spark.shuffle.sort.io.LocalDiskShuffleDataIO", note: "shuffle output is on the disks of nodes and is lost with them, also where this keeps it elsewhere"},
	{name: streaming + "enabled", fallback: "false", note: streamed},
	{name: streaming + "minExecutors", note: streamed},
	{name: streaming + "maxExecutors", fallback: "2147483647", note: streamed},
	{name: streaming + "scalingInterval", fallback: "60", note: streamed},
	{name: streaming + "scalingUpRatio", fallback: "0.9", note: streamed},
	{name: streaming + "scalingDownRatio", fallback: "0.3", note: streamed},
	{name: "spark.barrier.sync.timeout", fallback: "365d", note: "barriers do not time out"},
	{name: "spark.scheduler.resource.profileMergeConflicts", fallback: "false", note: "the profile of a stage is given by the trace"},
	{name: "spark.scheduler.listenerbus.eventqueue.capacity", fallback: "10000", note: "listener events are never dropped", idle: true},
	{name: exclude + "killExcludedExecutors.decommission", fallback: "false", note: "excluded executors are killed"},
	{name: "spark.executor.decommission.forceKillTimeout", note: "a decommissioned executor goes when its tasks are done"},
	{name: "spark.executor.decommission.signal", fallback: "PWR", note: "signals are not sent", idle: true},
	{name: "spark.scheduler.maxRetainedRemovedDecommissionExecutors", fallback: "0", note: "decommissioned executors that have gone are forgotten"},
	{name: "spark.yarn.unmanagedAM.enabled", fallback: "false", note: "the application master has a container of its own"},
	{name: "spark.yarn.launchContainers", fallback: "true", note: "a switch of Spark's own tests", idle: true},
	{name: "spark.dynamicAllocation.testing", fallback: "false", note: "a switch of Spark's own tests", idle: true},
}

// outsidePrefixes are families of keys that have no part in scheduling, or whose effect is in the
// trace already.
var outsidePrefixes = []string{
	"spark.app.", "spark.master", "spark.ui.", "spark.history.", "spark.eventLog.", "spark.sql.", "spark.hadoop.", "spark.hive.",
	"spark.serializer", "spark.kryo", "spark.jars", "spark.files", "spark.archives", "spark.submit.", "spark.executorEnv.",
	"spark.yarn.queue", "spark.yarn.app.", "spark.yarn.submit.", "spark.yarn.user.", "spark.yarn.appMasterEnv.", "spark.yarn.am.extra",
	"spark.yarn.dist.", "spark.yarn.jar", "spark.yarn.archive", "spark.yarn.secondary.", "spark.yarn.historyServer.", "spark.yarn.config.",
	"spark.yarn.stagingDir", "spark.yarn.preserve.", "spark.yarn.tags", "spark.yarn.access.", "spark.yarn.kerberos.", "spark.kerberos.",
	"spark.yarn.am.clientMode", "spark.yarn.am.finalMessageLimit", "spark.yarn.applicationType", "spark.yarn.cache.", "spark.yarn.clientLaunchMonitorInterval",
	"spark.yarn.report.loggingFrequency", "spark.shuffle.accurateBlock", "spark.shuffle.checksum.", "spark.shuffle.detectCorrupt", "spark.shuffle.mapOutput.",
	"spark.shuffle.mapStatus.", "spark.shuffle.maxAccurateSkewedBlockNumber", "spark.shuffle.maxAttemptsOnNettyOOM", "spark.shuffle.minNumPartitionsToHighlyCompress",
	"spark.shuffle.push.", "spark.shuffle.registration.", "spark.shuffle.service.db.", "spark.shuffle.service.name", "spark.shuffle.service.removeShuffle",
	"spark.shuffle.sync", "spark.shuffle.unsafe.", "spark.shuffle.useOldFetchProtocol", "spark.storage.cleanupFilesAfterExecutorExit", "spark.storage.decommission.",
	"spark.storage.exceptionOnPinLeak", "spark.storage.localDiskByExecutors.", "spark.task.reaper.", "spark.taskMetrics.", "spark.scheduler.listenerbus.logSlowEvent",
	"spark.scheduler.listenerbus.metrics.", "spark.scheduler.maxRetainedUnknownDecommissionExecutors", "spark.network.maxRemoteBlockSizeFetchToMem",
	"spark.network.remoteReadNioBufferConversion", "spark.block.", "spark.blockManager.", "spark.diskStore.", "spark.driver.blockManager.", "spark.driver.log.",
	"spark.driver.resourcesFile", "spark.driver.supervise", "spark.executor.allowSparkContext", "spark.executor.heartbeat.", "spark.executor.killOnFatalError.",
	"spark.executor.python.", "spark.file.", "spark.hadoopRDD.", "spark.resources.", "spark.rpc.netty.", "spark.appStateStore.", "spark.connect.", "spark.sparkr.",
	"spark.standalone.", "spark.dead.worker.",
	"spark.org.apache.", "spark.home", "spark.job.", "spark.driver.extra", "spark.executor.extra", "spark.driver.defaultJavaOptions",
	"spark.executor.defaultJavaOptions", "spark.driver.host", "spark.driver.port", "spark.driver.bindAddress", "spark.driver.appUIAddress",
	"spark.executor.id", "spark.executor.processTreeMetrics.", "spark.executor.metrics.",
	"spark.ssl.", "spark.authenticate", "spark.network.crypto.", "spark.acls", "spark.admin.acls", "spark.metrics.", "spark.python.",
	"spark.pyspark.", "spark.r.", "spark.streaming.", "spark.kubernetes.", "spark.mesos.", "spark.default.parallelism", "spark.cleaner.",
	"spark.log", "spark.repl.", "spark.rdd.", "spark.broadcast.", "spark.io.", "spark.reducer.", "spark.shuffle.io.", "spark.shuffle.file.",
	"spark.shuffle.service.port", "spark.shuffle.readHostLocalDisk", "spark.unsafe.", "spark.memory.fraction", "spark.memory.storageFraction",
	"spark.extraListeners", "spark.local.dir", "spark.port.", "spark.plugins", "spark.checkpoint.", "spark.redaction.", "spark.lineage.",
	"spark.shuffle.compress", "spark.shuffle.spill", "spark.shuffle.sort.", "spark.shuffle.manager", "spark.shuffle.memoryFraction", "spark.shuffle.consolidateFiles",
	"spark.storage.memory", "spark.storage.replication", "spark.storage.cached", "spark.storage.unroll", "spark.storage.blockManager", "spark.storage.maxReplication",
	"spark.rpc.retry", "spark.rpc.numRetries", "spark.rpc.lookupTimeout", "spark.rpc.io.", "spark.rpc.connect.", "spark.security.", "spark.modify.acls", "spark.buffer.",
	"spark.memory.useLegacyMode", "spark.executor.logs.", "spark.executor.userClassPathFirst", "spark.driver.userClassPathFirst", "spark.deploy.", "spark.worker.", "spark.cores.max",
	"spark.executor.uri", "spark.thriftserver.", "spark.yarn.security.", "spark.yarn.cluster.", "spark.yarn.populateHadoopClasspath", "spark.yarn.rolledLog.", "spark.yarn.shuffle.",
	"spark.yarn.metrics.", "spark.yarn.includeDriverLogsLink", "spark.yarn.am.tokenConfRegex", "spark.yarn.principal", "spark.yarn.keytab", "spark.yarn.credentials.",
}

// family reports whether a key with the first two words of name is known.
func family(name string) bool {
	words := strings.SplitAfterN(name, ".", 3)
	if len(words) < 3 {
		return false
	}
	i, _ := slices.BinarySearch(keyNames, words[0]+words[1])
	return i < len(keyNames) && strings.HasPrefix(keyNames[i], words[0]+words[1])
}

func outside(name string) bool {
	if knownKey(name) {
		return false
	}
	resource := strings.HasPrefix(name, "spark.executor.resource.") || strings.HasPrefix(name, "spark.driver.resource.")
	return resource && (strings.HasSuffix(name, ".discoveryScript") || strings.HasSuffix(name, ".vendor")) ||
		slices.ContainsFunc(outsidePrefixes, func(p string) bool { return strings.HasPrefix(name, p) })
}

// keyNames is every name of every key, sorted.
var keyNames = func() (names []string) {
	for _, k := range keys {
		names = append(append(names, k.name), k.older...)
	}
	slices.Sort(names)
	return names
}()

// Followed returns the names of the keys that a replay follows, without older ones; those of resources are as PREFIX<name>.amount.
func Followed() (names []string) {
	for i := range keys {
		if keys[i].note == "" {
			names = append(names, keys[i].name)
		}
	}
	for _, family := range resourceKeys {
		names = append(names, family.prefix+"<name>.amount")
	}
	return names
}

// Known reports whether a key is one of Spark's that this program knows by its name, followed or not. A name of the user's own in it is at most one of a resource.
func Known(name string) bool { return knownKey(name) }

func knownKey(name string) bool {
	_, ok := slices.BinarySearch(keyNames, name)
	return ok || isResourceKey(name)
}
