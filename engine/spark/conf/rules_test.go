package conf

import (
	"math"
	"slices"
	"strings"
	"testing"

	"replay/policy/resource"
)

const dyn = "spark.dynamicAllocation."

// keysOf makes the values of a layer of pairs.
func keysOf(kv ...string) map[string]string {
	m := map[string]string{}
	for i := 0; i < len(kv); i += 2 {
		m[kv[i]] = kv[i+1]
	}
	return m
}

// ExecutorAllocationManager.validateSettings, ResourceProfile, HealthTracker.validateExcludeOnFailureConfs: what Spark
// refuses, and what is at the limit.
func TestLimitsOfTheConfiguration(t *testing.T) {
	on := []string{dyn + "enabled", "true"}
	for _, tt := range []struct {
		kv   []string
		want string // part of the error; "" = none
	}{
		{[]string{"spark.executor.cores", "2", "spark.task.cpus", "2"}, ""},
		{[]string{"spark.executor.cores", "0"}, "want 1 or more"},
		{[]string{"spark.yarn.scheduler.heartbeat.interval-ms", "0"}, "want 1ms or more"},
		{[]string{"spark.yarn.scheduler.heartbeat.interval-ms", "1"}, ""},
		{[]string{"spark.executor.resource.gpu.amount", "1", "spark.task.resource.gpu.amount", "1"}, ""},
		{[]string{"spark.executor.resource.gpu.amount", "1"}, ""},
		{[]string{"spark.task.resource.gpu.amount", "0.5"}, "spark.executor.resource.gpu.amount is 0, want at least one task's 0.5"},
		{[]string{"spark.task.resource.gpu.amount", "0"}, ""},
		{[]string{"spark.excludeOnFailure.enabled", "true", "spark.task.maxFailures", "3"}, ""},
		{[]string{"spark.excludeOnFailure.enabled", "false", "spark.task.maxFailures", "2"}, ""},
		{[]string{"spark.excludeOnFailure.enabled", "true", "spark.excludeOnFailure.timeout", "0"}, "spark.excludeOnFailure.timeout is 0 ms"},
		{[]string{"spark.excludeOnFailure.timeout", "0"}, ""},
		{[]string{"spark.scheduler.executorTaskExcludeOnFailureTime", "-1"}, "spark.excludeOnFailure.timeout is -1 ms"},
		{[]string{"spark.excludeOnFailure.enabled", "true", "spark.excludeOnFailure.timeout", "1ms"}, ""},
		{[]string{"spark.scheduler.executorTaskExcludeOnFailureTime", "-5s"}, "is -5000 ms"},
		{[]string{"spark.scheduler.executorTaskExcludeOnFailureTime", "0"}, ""},
		{[]string{"spark.network.timeout", "10s", "spark.network.timeoutInterval", "1s"}, "spark.network.timeout is 10000 ms, want more than spark.executor.heartbeatInterval (10000 ms)"},
		{[]string{"spark.network.timeout", "11s", "spark.network.timeoutInterval", "11s"}, ""},
		{[]string{"spark.executor.heartbeatInterval", "2m"}, "want more than spark.executor.heartbeatInterval (120000 ms)"},
		{[]string{"spark.network.timeout", "59s"}, "silent for 59000 ms (spark.storage.blockManagerHeartbeatTimeoutMs, else spark.network.timeout), want at least spark.network.timeoutInterval (60000 ms)"},
		{[]string{"spark.network.timeout", "60s"}, ""},
		{[]string{"spark.network.timeout", "59s", "spark.storage.blockManagerHeartbeatTimeoutMs", "60s"}, ""},
		{[]string{"spark.storage.blockManagerHeartbeatTimeoutMs", "59999"}, "silent for 59999 ms"},
		{[]string{"spark.storage.blockManagerHeartbeatTimeoutMs", "9s"}, "spark.storage.blockManagerHeartbeatTimeoutMs is 9000 ms, want at least spark.executor.heartbeatInterval (10000 ms)"},
		{[]string{"spark.memory.offHeap.enabled", "true"}, "spark.memory.offHeap.size is 0 bytes with spark.memory.offHeap.enabled, want 1m or more"},
		{[]string{"spark.unsafe.offHeap", "true", "spark.memory.offHeap.size", "1023k"}, "want 1m or more"},
		{[]string{"spark.unsafe.offHeap", "true", "spark.memory.offHeap.size", "1m"}, ""},
		{[]string{"spark.executor.memoryOverheadFactor", "0"}, "want more than 0"},
		{[]string{"spark.driver.memoryOverheadFactor", "0"}, "want more than 0"},
		{[]string{dyn + "minExecutors", "5", dyn + "maxExecutors", "4"}, ""}, // not enabled
		{append(on, dyn+"minExecutors", "-1", dyn+"initialExecutors", "0"), "minExecutors is -1, want 0 or more"},
		{append(on, dyn+"maxExecutors", "0"), "maxExecutors is 0, want 1 or more"},
		{append(on, dyn+"maxExecutors", "1"), ""},
		{append(on, dyn+"minExecutors", "4", dyn+"maxExecutors", "4"), ""},
		{append(on, dyn+"initialExecutors", "4", dyn+"maxExecutors", "4"), ""},
		{append(on, dyn+"executorAllocationRatio", "1"), ""},
		{append(on, dyn+"schedulerBacklogTimeout", "1s"), ""},
		{append(on, dyn+"sustainedSchedulerBacklogTimeout", "900ms"), "sustainedSchedulerBacklogTimeout is less than a second"},
		{append(on, dyn+"executorIdleTimeout", "-1"), "want 0 or more"},
		{append(on, dyn+"shuffleTracking.enabled", "false", "spark.shuffle.service.enabled", "true"), ""},
		{append(on, dyn+"shuffleTracking.enabled", "false", "spark.decommission.enabled", "true"), ""},
		{append(on, dyn+"shuffleTracking.enabled", "false", "spark.decommission.enabled", "true", "spark.storage.decommission.shuffleBlocks.enabled", "false"),
			"want one of spark.shuffle.service.enabled"},
	} {
		_, _, err := Parse(Layer{Name: "test", Strict: true, Values: keysOf(tt.kv...)})
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%q: error is %v, want %q", tt.kv, err, tt.want)
		}
	}
}

// SchedulerBackendUtils.getInitialTargetExecutorNumber.
func TestInitialTarget(t *testing.T) {
	on := []string{dyn + "enabled", "true"}
	for _, tt := range []struct {
		kv   []string
		want int
	}{
		{nil, 2},
		{[]string{"spark.executor.instances", "0"}, 0},
		{[]string{"spark.executor.instances", "7", dyn + "minExecutors", "9"}, 7},
		{on, 0},
		{append(on, dyn+"minExecutors", "3"), 3},
		{append(on, dyn+"minExecutors", "3", dyn+"initialExecutors", "5"), 5},
		{append(on, dyn+"minExecutors", "3", dyn+"initialExecutors", "5", "spark.executor.instances", "6"), 6},
	} {
		if got := parse(t, keysOf(tt.kv...)).InitialTarget(); got != tt.want {
			t.Errorf("%q: %d executors at first, want %d", tt.kv, got, tt.want)
		}
	}
}

func TestTracksShuffles(t *testing.T) {
	for _, tt := range []struct {
		service, tracking string
		want              bool
	}{
		{"false", "true", true}, {"false", "false", false}, {"true", "true", false}, {"true", "false", false},
	} {
		c := parse(t, keysOf("spark.shuffle.service.enabled", tt.service, dyn+"shuffleTracking.enabled", tt.tracking))
		if c.TracksShuffles() != tt.want {
			t.Errorf("service %s, tracking %s: tracks %t", tt.service, tt.tracking, !tt.want)
		}
	}
}

func TestTextsAndChoices(t *testing.T) {
	c := parse(t, keysOf("spark.scheduler.mode", "fair", "spark.scheduler.allocation.file", "f.xml", "spark.submit.deployMode", "cluster",
		"spark.yarn.exclude.nodes", " a, ,b"))
	if !c.FairMode || c.AllocationFile != "f.xml" || !c.ClusterMode || !slices.Equal(c.ExcludeNodes, []string{"a", "b"}) {
		t.Errorf("fair %t, file %q, cluster %t, without %q", c.FairMode, c.AllocationFile, c.ClusterMode, c.ExcludeNodes)
	}
}

// ResourceUtils: amounts of custom resources of an executor and of a task.
func TestAmountsOfResources(t *testing.T) {
	for _, tt := range []struct {
		executor, task string
		want           string
	}{
		{"12", "3", ""},
		{"2147483647", "1", ""},
		{"2147483648", "1", "want a whole number of 0 or more"},
		{"x", "1", "want a whole number of 0 or more"},
		{"-1", "1", "want a whole number of 0 or more"},
		{"0", "0", ""},
		{"1", "0.5", ""},
		{"1", "0.51", "want at most 0.5, or a whole number"},
		{"2", "1.5", "want at most 0.5, or a whole number"},
		{"1", "-1", "want at most 0.5, or a whole number"},
		{"1", "x", "want at most 0.5, or a whole number"},
		{"2147483647", "2147483647", ""},
		{"2147483647", "2147483648", "want at most 0.5, or a whole number"},
	} {
		_, _, err := Parse(Layer{Name: "test", Strict: true, Values: keysOf("spark.executor.resource.gpu.amount", tt.executor, "spark.task.resource.gpu.amount", tt.task)})
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s and %s a task: error is %v, want %q", tt.executor, tt.task, err, tt.want)
		}
	}
	c := parse(t, keysOf("spark.executor.resource.tpu.amount", "12", "spark.executor.resource.fpga.amount", "4", "spark.task.resource.fpga.amount", "0.25"))
	if want := []CustomResource{{Name: "fpga", Executor: 4, Task: 0.25}, {Name: "tpu", Executor: 12}}; !slices.Equal(c.Resources, want) {
		t.Errorf("resources are %v, want %v", c.Resources, want)
	}
	got, err := c.ContainerSize(DefaultProfile, []string{"memory-mb", "vcores", "tpu", "yarn.io/fpga"})
	if want := (resource.Resource{1408, 1, 0, 4}); err != nil || got != want {
		t.Errorf("the container is %v, %v, want %v", got, err, want)
	}
	for _, bad := range []string{"spark.executor.resource..amount", "spark.task.resource..amount"} {
		if _, _, err := Parse(Layer{Strict: true, Values: keysOf(bad, "1")}); err == nil {
			t.Errorf("%s is taken", bad)
		}
	}
}

// YarnAllocator.createYarnResourceForResourceProfile, yarn.Client.createApplicationSubmissionContext: what containers of the application's
// own profile and of its master ask for. Of Spark's resources YARN hears of GPUs and FPGAs alone; others go by their YARN names.
func TestFurtherResourcesOfContainers(t *testing.T) {
	base := []string{"spark.executor.resource.gpu.amount", "2", "spark.executor.resource.tpu.amount", "3", "spark.driver.resource.fpga.amount", "1", "spark.driver.resource.tpu.amount", "1"}
	types := []string{"memory-mb", "vcores", "yarn.io/fpga", "yarn.io/gpu"}
	devices := []string{"memory-mb", "vcores", "yarn.io/fpga", "acme.com/gpu"}
	units := []string{"memory-mb", "vcores", "tpu"}
	for _, tt := range []struct {
		name     string
		types    []string
		keys     []string
		exec, am resource.Resource
	}{
		{"Spark's", types, base, resource.Resource{1408, 1, 0, 2}, resource.Resource{896, 1, 1}},
		{"a device of another name", devices, append([]string{"spark.yarn.resourceGpuDeviceName", "acme.com/gpu"}, base...), resource.Resource{1408, 1, 0, 2}, resource.Resource{896, 1, 1}},
		{"YARN's", units, []string{"spark.yarn.executor.resource.tpu.amount", "4", "spark.yarn.am.resource.tpu.amount", "5k", "spark.yarn.driver.resource.tpu.amount", "6"},
			resource.Resource{1408, 1, 4}, resource.Resource{896, 1, 5000}},
		{"YARN's in cluster mode", units, []string{"spark.submit.deployMode", "cluster", "spark.yarn.am.resource.tpu.amount", "5", "spark.yarn.driver.resource.tpu.amount", "6Ki"},
			resource.Resource{1408, 1}, resource.Resource{1408, 1, 6144}},
	} {
		c := parse(t, keysOf(tt.keys...))
		exec, err := c.ContainerSize(DefaultProfile, tt.types)
		am, err2 := c.AMSize(tt.types)
		if err != nil || err2 != nil || exec != tt.exec || am != tt.am {
			t.Errorf("%s: executor %v (%v), master %v (%v); want %v and %v", tt.name, exec, err, am, err2, tt.exec, tt.am)
		}
	}
	c := parse(t, keysOf(base...))
	own := DefaultProfile
	own.Resources = []CustomResource{}
	if got, err := c.ContainerSize(own, types); err != nil || got != resource.R(1408, 1) || c.TasksPerExecutor(own) != 1 {
		t.Errorf("a profile with no resources of its own asks for %v, %v", got, err)
	}
	if _, err := c.AMSize(units); err == nil || !strings.Contains(err.Error(), `1 of "yarn.io/fpga"`) {
		t.Errorf("a master on a cluster without FPGAs: %v", err)
	}
	for _, bad := range [][2]string{
		{"spark.yarn.executor.resource.memory-mb.amount", "1"}, {"spark.yarn.am.resource.vcores.amount", "1"}, {"spark.yarn.driver.resource.yarn.io/gpu.amount", "1"},
		{"spark.yarn.am.resource.tpu.amount", "x"}, {"spark.yarn.am.resource.tpu.amount", "1q"}, {"spark.yarn.am.resource.tpu.amount", "-1"}, {"spark.yarn.am.resource.tpu.amount", "9000000000P"},
		{"spark.driver.resource.gpu.amount", "0.5"},
	} {
		if _, _, err := Parse(Layer{Strict: true, Values: keysOf(bad[:]...)}); err == nil || !strings.Contains(err.Error(), bad[0]) {
			t.Errorf("%s=%s: %v, want an error that names the key", bad[0], bad[1], err)
		}
	}
}

// ResourceProfile.calculateTasksAndLimitingResource, getResourcesForClusterManager: a profile's own resources.
func TestResourcesOfAProfile(t *testing.T) {
	c := parse(t, keysOf("spark.executor.cores", "8", "spark.executor.resource.gpu.amount", "1", "spark.task.resource.gpu.amount", "1"))
	types := []string{"memory-mb", "vcores", "yarn.io/gpu"}
	for _, tt := range []struct {
		r     CustomResource
		tasks int
		gpus  int64
	}{
		{CustomResource{Name: "gpu", Executor: 3, Task: 0.5}, 6, 3},
		{CustomResource{Name: "gpu", Executor: 3, Task: 0.4}, 6, 3},
		{CustomResource{Name: "gpu", Executor: 3, Task: 1}, 3, 3},
		{CustomResource{Name: "gpu", Executor: 3, Task: 2}, 1, 3},
		{CustomResource{Name: "gpu", Executor: 0, Task: 0}, 8, 0}, // nothing of it
		{CustomResource{Name: "none", Executor: 0, Task: 0}, 8, 0},
	} {
		o := DefaultProfile
		o.Resources = []CustomResource{tt.r}
		size, err := c.ContainerSize(o, types)
		if want := (resource.Resource{1408, 8, tt.gpus}); err != nil || size != want || c.TasksPerExecutor(o) != tt.tasks {
			t.Errorf("%+v: container %v, %v, %d tasks; want %v and %d", tt.r, size, err, c.TasksPerExecutor(o), want, tt.tasks)
		}
	}
	o := DefaultProfile
	o.Resources = []CustomResource{{Name: "vcores", Executor: 1}}
	if _, err := c.ContainerSize(o, types); err == nil {
		t.Error("cores are taken for a custom resource")
	}
	python := parse(t, keysOf("spark.yarn.isPython", "true"))
	if size, err := python.ContainerSize(DefaultProfile, types); err != nil || size != resource.R(1408, 1) {
		t.Errorf("without memory for Python the container is %v, %v", size, err)
	}
}

// Keys of other programs are not looked at, also in a layer of the user's.
func TestKeysThatAreNotSparks(t *testing.T) {
	_, notes, err := Parse(Layer{Name: "a", Strict: true, Values: keysOf("java.home", "x", "spark.ui.port", "1", "spark.submit.deployMode", "cluster")})
	if err != nil || len(notes.Warnings) > 0 {
		t.Errorf("notes %+v, error %v, want none", notes, err)
	}
	_, notes, err = Parse(Layer{Name: "log", Values: keysOf("spark.locality", "1", "spark.zzz.zzz", "1", "spark.task.zzz", "1", "spark", "1")})
	if want := []string{"spark.task.zzz"}; err != nil || !slices.Equal(notes.Unknown, want) {
		t.Errorf("unknown keys %q, error %v, want %q", notes.Unknown, err, want)
	}
	_, _, err = Parse(Layer{Name: "a", Strict: true, Values: keysOf("spark.speculation.vendor", "x")})
	if err == nil || strings.Count(err.Error(), ",") != 2 {
		t.Errorf("error is %v, want three names that are near", err)
	}
	_, _, err = Parse(Layer{Name: "a", Values: keysOf("spark.yarn.max.executor.failures", "x")})
	if err == nil || !strings.Contains(err.Error(), `a: spark.yarn.max.executor.failures is "x"`) {
		t.Errorf("error is %v, want one with the older name that was set", err)
	}
}

// JavaUtils.timeStringAs, byteStringAs at the ends of 64 bits; ConfigHelpers.
func TestNumbersAtTheirLimits(t *testing.T) {
	for text, want := range map[string]int64{
		"9223372036854775s": 9223372036854775000, "9223372036854776s": math.MaxInt64, "-9223372036854775s": -9223372036854775000, "-9223372036854776s": math.MinInt64,
	} {
		if got, err := parseTime(text, millisecond); err != nil || got != want {
			t.Errorf("parseTime(%q) = %d, %v, want %d", text, got, err, want)
		}
	}
	if got, err := parseSize("9007199254740991k", byteUnit); err != nil || got != 9007199254740991<<10 {
		t.Errorf("the largest size of kilobytes is %d, %v", got, err)
	}
	for text, want := range map[string]string{
		"5a": `unknown unit "a"`, "5z": `unknown unit "z"`, "5{": "want a whole number with an optional unit", "a5": "want a whole number with an optional unit",
		"9223372036854775808": "want a number of 64 bits",
	} {
		if _, err := parseTime(text, second); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("parseTime(%q): error is %v, want %q", text, err, want)
		}
	}
	for _, bad := range []string{"", "x", "NaN", "Inf", "-Inf", "1e999"} {
		if got, err := parseFraction(bad); err == nil {
			t.Errorf("parseFraction(%q) = %g, want an error", bad, got)
		}
	}
	if got, err := parseFraction(" 0.1 "); err != nil || got != 0.1 {
		t.Errorf("parseFraction = %g, %v, want 0.1", got, err)
	}
}
