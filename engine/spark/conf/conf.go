// Package conf reads Spark's configuration: its keys, in layers, with their units and defaults, and
// the sizes of containers that follow from them.
package conf

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"replay/engine/spelling"
)

// Unset marks an optional number or time of [Conf] that has no value.
const Unset = -1

// Conf is Spark's configuration as far as a replay follows it, with Spark's own defaults.
// Sizes are MiB and times ms, also where Spark's key is in seconds.
// The comment of a group names the section of Spark's documentation or class that reads it.
type Conf struct {
	// Application and its containers (ResourceProfile, yarn.Client).
	Queue              string
	YarnPriority       int
	ClusterMode        bool // spark.submit.deployMode is cluster: the driver runs in the AM's container
	Python             bool // spark.yarn.isPython: only then does spark.executor.pyspark.memory count
	Instances          int  // spark.executor.instances, or Unset
	ExecutorCores      int
	ExecutorMiB        int64
	ExecutorOverhead   int64 // MiB, or Unset: factor
	OverheadFactor     float64
	OffHeap            bool
	OffHeapBytes       int64
	PySparkMiB         int64 // or Unset
	TaskCPUs           int
	Resources          []CustomResource // by name
	DriverCores        int
	DriverMiB          int64
	DriverOverhead     int64 // MiB, or Unset: factor
	DriverFactor       float64
	AMCores            int
	AMMiB              int64
	AMOverhead         int64 // MiB, or Unset: 0.10
	MaxAppAttempts     int   // or Unset
	AMFailuresValidity int64 // or Unset

	// Application master (ApplicationMaster, YarnAllocator).
	HeartbeatInterval   int64
	InitialInterval     int64
	LaunchContainers    bool // spark.yarn.launchContainers; false is a switch of Spark's tests: executors start in no time
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
	DecommissionShuffle    bool
	DecommissionKillAfter  int64 // spark.executor.decommission.killInterval, or Unset

	// Task scheduling (TaskSchedulerImpl, TaskSetManager, DAGScheduler).
	FairMode                bool
	AllocationFile          string
	Pool                    string // of jobs that say nothing
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
	ResultThreads           int
	BarrierCheckInterval    int64
	BarrierCheckFailures    int
	ExecutorHeartbeat       int64 // spark.executor.heartbeatInterval
	NetworkTimeout          int64
	NetworkTimeoutInterval  int64
}

// CustomResource is one spark.{executor,task}.resource.<name>.amount.
type CustomResource struct {
	Name     string
	Executor int64
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
	KillDecommission     bool
	FetchFailure         bool
	UnschedulableTimeout int64
}

// newConf returns a configuration with the optional values not set.
func newConf() *Conf {
	return &Conf{
		Instances: Unset, ExecutorOverhead: Unset, PySparkMiB: Unset, DriverOverhead: Unset, AMOverhead: Unset,
		MaxAppAttempts: Unset, AMFailuresValidity: Unset, MaxExecutorFailures: Unset, FailuresValidity: Unset,
		DecommissionKillAfter: Unset,
		Speculation:           SpeculationConf{DurationThreshold: Unset},
		Exclude:               ExcludeConf{Timeout: 3600 * 1000},
	}
}

// A Layer is a set of keys from one place. Its values win over those of the layers before it.
type Layer struct {
	Name   string // of the place, for messages
	Strict bool   // written for this program: an unknown spark. key is an error
	Values map[string]string
}

// Notes is what [Parse] has to say besides the configuration.
type Notes struct {
	Resolved map[string]string // every modelled key, as set or as it defaults; unset ones are absent
	Warnings []string          // keys that are set and not modelled, one text each, by key
	Ignored  int               // keys of layers that are not strict and that are not known here
}

// Parse reads Spark's keys out of layers, the last one winning. Keys that do not start with
// "spark." are not looked at. An older name of a key counts when the key itself is in no layer.
//
// The error of a bad value, an unknown key in a strict layer, or values that contradict each other
// names the layer, the key, the value and what was wanted.
//
// Source: SparkConf, ConfigBuilder; the defaults are those of Spark 3.5.5 on YARN.
func Parse(layers ...Layer) (*Conf, *Notes, error) {
	c, notes, err := parseKeys(layers)
	if err != nil {
		return nil, nil, err
	}
	return c, notes, c.check()
}

// CheckKeys returns the error that [Parse] has for single keys of a layer, whatever the others say.
func CheckKeys(l Layer) error {
	_, _, err := parseKeys([]Layer{l})
	return err
}

func parseKeys(layers []Layer) (*Conf, *Notes, error) {
	type setting struct{ value, place string }
	set := map[string]setting{}
	ignored := map[string]bool{}
	for _, l := range layers {
		for _, name := range slices.Sorted(maps.Keys(l.Values)) {
			if !strings.HasPrefix(name, "spark.") {
				continue
			}
			if !knownKey(name) && !outside(name) {
				if l.Strict {
					return nil, nil, fmt.Errorf("%s: unknown key %q (nearest known: %s)", l.Name, name, strings.Join(spelling.Nearest(name, keyNames, 3), ", "))
				}
				ignored[name] = true
				continue
			}
			set[name] = setting{l.Values[name], l.Name}
		}
	}
	c, notes := newConf(), &Notes{Resolved: map[string]string{}, Ignored: len(ignored)}
	for i := range keys {
		k := &keys[i]
		name, s, ok := k.name, setting{}, false
		for _, n := range append([]string{k.name}, k.older...) {
			if s, ok = set[n]; ok {
				name = n
				break
			}
		}
		switch {
		case ok && k.parse == nil:
			if s.value != k.fallback {
				notes.Warnings = append(notes.Warnings, fmt.Sprintf("%s: %s=%s is not modelled: %s", s.place, name, s.value, k.note))
			}
			continue
		case ok:
			notes.Resolved[k.name] = s.value
		case k.parse == nil || k.fallback == "":
			continue
		case strings.HasPrefix(k.fallback, "spark."): // takes the value of another key, which stands before it
			s = setting{notes.Resolved[k.fallback], "default"}
			notes.Resolved[k.name] = s.value
		default:
			s = setting{k.fallback, "default"}
			notes.Resolved[k.name] = s.value
		}
		if err := k.parse(c, s.value); err != nil {
			return nil, nil, fmt.Errorf("%s: %s is %q, %w", s.place, name, s.value, err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(set)) {
		s := set[name]
		switch {
		case outside(name):
			for _, l := range layers {
				if _, here := l.Values[name]; here && l.Strict {
					notes.Warnings = append(notes.Warnings, fmt.Sprintf("%s: %s has no effect on a replay", s.place, name))
					break
				}
			}
		case isResourceKey(name):
			notes.Resolved[name] = s.value
			if err := c.setResource(name, s.value); err != nil {
				return nil, nil, fmt.Errorf("%s: %s is %q, %w", s.place, name, s.value, err)
			}
		}
	}
	slices.SortFunc(c.Resources, func(a, b CustomResource) int { return strings.Compare(a.Name, b.Name) })
	return c, notes, nil
}

// check refuses what Spark refuses at start.
//
// Source: ExecutorAllocationManager.validateSettings, SchedulerBackendUtils, SparkContext.
func (c *Conf) check() error {
	if c.ExecutorCores < c.TaskCPUs {
		return fmt.Errorf("spark.executor.cores is %d, want at least spark.task.cpus (%d)", c.ExecutorCores, c.TaskCPUs)
	}
	for _, r := range c.Resources {
		if r.Task > 0 && r.perExecutor() < 1 {
			return fmt.Errorf("spark.executor.resource.%s.amount is %d, want at least one task's %g", r.Name, r.Executor, r.Task)
		}
	}
	if c.Exclude.Enabled && c.Exclude.TaskPerNode >= c.MaxTaskFailures {
		return fmt.Errorf("spark.excludeOnFailure.task.maxTaskAttemptsPerNode is %d, want less than spark.task.maxFailures (%d)",
			c.Exclude.TaskPerNode, c.MaxTaskFailures)
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
	case c.IdleTimeout < 0 || c.CachedIdleTimeout < 0 || c.ShuffleTimeout < 0:
		return fmt.Errorf("a timeout of " + dyn + "* is negative, want 0 or more")
	case !c.ShuffleService && !c.ShuffleTracking && !(c.Decommission && c.DecommissionShuffle):
		return fmt.Errorf(dyn + "enabled is true, want one of spark.shuffle.service.enabled, " + dyn +
			"shuffleTracking.enabled, or spark.decommission.enabled with spark.storage.decommission.shuffleBlocks.enabled")
	}
	return nil
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
