// Package conf reads Spark's configuration: its keys, in layers, with their units and defaults, and
// the sizes of containers that follow from them.
package conf

import "math"

// Unset marks an optional number or time of [Conf] that has no value.
const Unset = -1

// Conf is Spark's configuration as far as a replay follows it, with Spark's own defaults.
// Sizes are MiB and times ms, also where Spark's key is in seconds.
// The comment of a group names the section of Spark's documentation or class that reads it.
type Conf struct {
	// Application and its containers (ResourceProfile, yarn.Client).
	YarnPriority     int
	ClusterMode      bool // spark.submit.deployMode is cluster: the driver runs in the AM's container
	Python           bool // spark.yarn.isPython: only then does spark.executor.pyspark.memory count
	Instances        int  // spark.executor.instances, or Unset
	ExecutorCores    int
	ExecutorMiB      int64
	ExecutorOverhead int64 // MiB, or Unset: factor
	OverheadFactor   float64
	OffHeap          bool
	OffHeapBytes     int64
	PySparkMiB       int64 // or Unset
	TaskCPUs         int
	Resources        []CustomResource // by name
	YarnExecutor     []Amount         // further resources of containers by YARN's names, of the application's own profile
	YarnDriver       []Amount
	YarnAM           []Amount
	GPUDevice        string // YARN's names of gpu and fpga
	FPGADevice       string
	DriverCores      int
	DriverMiB        int64
	DriverOverhead   int64 // MiB, or Unset: factor
	DriverFactor     float64
	AMCores          int
	AMMiB            int64
	AMOverhead       int64 // MiB, or Unset: 0.10
	MaxAppAttempts   int   // or Unset
	// AttemptFailuresValidity is for how many ms an attempt of the application that has failed counts, 0 or less, such as Unset, for ever.
	AttemptFailuresValidity int64

	// Application master (ApplicationMaster, YarnAllocator).
	HeartbeatInterval   int64
	InitialInterval     int64
	LauncherThreads     int
	MaxExecutorFailures int   // or Unset, see [Conf.ExecutorFailureLimit]
	FailuresValidity    int64 // or Unset: failures never expire
	LaunchExclude       bool
	ExcludeNodes        []string
	MinRegisteredRatio  float64
	MaxRegisteredWait   int64

	// Dynamic allocation (ExecutorAllocationManager, ExecutorMonitor).
	DynamicAllocation      bool
	MinExecutors           int
	MaxExecutors           int
	InitialExecutors       int
	AllocationRatio        float64
	BacklogTimeout         int64
	SustainedTimeout       int64
	IdleTimeout            int64
	CachedIdleTimeout      int64
	ShuffleTracking        bool // as configured; see [Conf.TracksShuffles]
	ShuffleTimeout         int64
	ShuffleService         bool
	ShuffleServiceFetchRDD bool
	Decommission           bool
	DecommissionStorage    bool // see [Conf.MigratesShuffles]
	DecommissionShuffle    bool
	DecommissionKillAfter  int64 // spark.executor.decommission.killInterval, or Unset

	// Task scheduling (TaskSchedulerImpl, TaskSetManager, DAGScheduler).
	FairMode                bool
	AllocationFile          string
	ReviveInterval          int64
	MaxTaskFailures         int
	WaitProcess             int64
	WaitNode                int64
	WaitRack                int64
	LegacyLocalityReset     bool
	Speculation             SpeculationConf
	Exclude                 ExcludeConf
	MaxConsecutiveAttempts  int
	MaxStageAttempts        int
	IgnoreDecommissionFetch bool
	UnregisterOutputOnHost  bool
	ReduceLocality          bool
	BarrierCheckInterval    int64
	BarrierCheckFailures    int
	AskTimeout              int64 // of a question to the application master
	NetworkTimeout          int64 // of anything that has no timeout of its own
	SilenceTimeout          int64 // since the last heartbeat of an executor, after which the driver gives it up
	SilenceInterval         int64 // of looking for such executors
	ExecutorHeartbeat       int64 // interval
	ReporterFailures        int   // calls to the ResourceManager in a row that it may refuse
}

// CustomResource is one spark.{executor,driver,task}.resource.<name>.amount.
type CustomResource struct {
	Name     string
	Executor int64
	Driver   int64
	Task     float64 // 0: tasks do not ask for it
}

// SpeculationConf is spark.speculation and what stands below it.
type SpeculationConf struct {
	Enabled               bool
	Interval              int64
	Quantile              float64
	Multiplier            float64
	MinTaskRuntime        int64
	DurationThreshold     int64 // or Unset
	Efficiency            bool
	ProcessRateMultiplier float64
	LongRunTaskFactor     float64
}

// ExcludeConf is spark.excludeOnFailure and what stands below it.
type ExcludeConf struct {
	Enabled              bool
	Timeout              int64
	TaskPerExecutor      int // task.maxTaskAttemptsPerExecutor
	TaskPerNode          int // task.maxTaskAttemptsPerNode
	StagePerExecutor     int // stage.maxFailedTasksPerExecutor
	StageExecutorsOnNode int // stage.maxFailedExecutorsPerNode
	AppPerExecutor       int // application.maxFailedTasksPerExecutor
	AppExecutorsOnNode   int // application.maxFailedExecutorsPerNode
	Kill                 bool
	FetchFailure         bool
	UnschedulableTimeout int64
}

// InitialTarget returns how many executors an application asks for at first.
//
// Source: SchedulerBackendUtils.getInitialTargetExecutorNumber.
func (c *Conf) InitialTarget() int {
	if c.DynamicAllocation {
		return max(c.MinExecutors, c.InitialExecutors, c.Instances, 0)
	}
	if c.Instances == Unset {
		return 2
	}
	return c.Instances
}

// ExecutorFailureLimit returns how many failed executors fail the application.
//
// Source: ExecutorFailureTracker.maxNumExecutorFailures.
func (c *Conf) ExecutorFailureLimit() int {
	if c.MaxExecutorFailures != Unset {
		return c.MaxExecutorFailures
	}
	n := max(c.Instances, 0)
	if c.DynamicAllocation {
		n = c.MaxExecutors
	}
	return max(3, min(2*n, math.MaxInt32))
}

// TracksShuffles reports whether an executor is kept for the shuffle data it holds.
func (c *Conf) TracksShuffles() bool { return !c.ShuffleService && c.ShuffleTracking }

// MigratesShuffles reports whether a decommissioned executor moves its shuffle blocks before it ends.
//
// Source: CoarseGrainedExecutorBackend.decommissionSelf, BlockManagerDecommissioner.
func (c *Conf) MigratesShuffles() bool {
	return c.Decommission && c.DecommissionStorage && c.DecommissionShuffle
}

// MayExcludeNodes reports whether the application may come not to use some nodes.
func (c *Conf) MayExcludeNodes() bool {
	return c.Exclude.Enabled || c.LaunchExclude || len(c.ExcludeNodes) > 0
}
