package conf

import (
	"math"
	"slices"
	"strings"
	"testing"

	"replay/engine/remark"
	"replay/policy/resource"
)

func parse(t *testing.T, values map[string]string) *Conf {
	t.Helper()
	c, _, err := Parse(Layer{Name: "test", Strict: true, Values: values})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestParseTime(t *testing.T) {
	tests := []struct {
		text string
		unit int64
		want int64
	}{
		{"30", second, 30},
		{"1500ms", second, 1}, // truncated to the key's unit
		{"500ms", second, 0},
		{"-1500ms", second, -1},
		{" 3S ", millisecond, 3000},
		{"2min", millisecond, 120_000},
		{"2m", millisecond, 120_000},
		{"1h", second, 3600},
		{"1d", second, 86_400},
		{"999us", millisecond, 0},
		{"9223372036854775807", millisecond, math.MaxInt64},
		{"9223372036854775807", microsecond, math.MaxInt64},
		{"9223372036854775807s", millisecond, math.MaxInt64}, // the nearest that fits
	}
	for _, tt := range tests {
		if got, err := parseTime(tt.text, tt.unit); err != nil || got != tt.want {
			t.Errorf("parseTime(%q, %d) = %d, %v, want %d", tt.text, tt.unit, got, err, tt.want)
		}
	}
	for _, bad := range []string{"", "s", "1.5s", "1 s", "10q", "+3s", "3ss", "99999999999999999999"} {
		if got, err := parseTime(bad, second); err == nil {
			t.Errorf("parseTime(%q) = %d, want an error", bad, got)
		}
	}
}

func TestParseSize(t *testing.T) {
	tests := []struct {
		text string
		unit int64
		want int64
	}{
		{"1024", mebibyte, 1024},
		{"1g", mebibyte, 1024},
		{"1GB", mebibyte, 1024},
		{"1023k", mebibyte, 0},
		{"2047k", mebibyte, 1},
		{"1t", mebibyte, 1 << 20},
		{"1p", byteUnit, 1 << 50},
		{"5b", byteUnit, 5},
	}
	for _, tt := range tests {
		if got, err := parseSize(tt.text, tt.unit); err != nil || got != tt.want {
			t.Errorf("parseSize(%q, %d) = %d, %v, want %d", tt.text, tt.unit, got, err, tt.want)
		}
	}
	for _, bad := range []string{"", "g", "1.5g", "-1g", "1x", "9223372036854775807p"} {
		if got, err := parseSize(bad, byteUnit); err == nil {
			t.Errorf("parseSize(%q) = %d, want an error", bad, got)
		}
	}
}

func TestConfDefaults(t *testing.T) {
	c := parse(t, nil)
	if c.WaitProcess != 3000 || c.WaitNode != 3000 || c.WaitRack != 3000 {
		t.Errorf("locality waits are %d, %d, %d ms, want 3000", c.WaitProcess, c.WaitNode, c.WaitRack)
	}
	if c.HeartbeatInterval != 3000 || c.InitialInterval != 200 || c.LauncherThreads != 25 {
		t.Errorf("heartbeat %d ms, first %d ms, %d threads, want 3000, 200, 25", c.HeartbeatInterval, c.InitialInterval, c.LauncherThreads)
	}
	if c.MaxExecutors != math.MaxInt32 || c.IdleTimeout != 60_000 || c.CachedIdleTimeout != math.MaxInt32*1000 || c.ShuffleTimeout != math.MaxInt64 {
		t.Errorf("dynamic allocation: max %d, idle %d, cached %d, shuffle %d", c.MaxExecutors, c.IdleTimeout, c.CachedIdleTimeout, c.ShuffleTimeout)
	}
	if c.Exclude.Enabled || c.Exclude.Timeout != 3_600_000 || c.Instances != Unset || c.FailuresValidity != Unset {
		t.Errorf("exclude %+v, instances %d, validity %d", c.Exclude, c.Instances, c.FailuresValidity)
	}
	if got := c.InitialTarget(); got != 2 {
		t.Errorf("initial target %d, want 2", got)
	}
	if got := c.ExecutorFailureLimit(); got != 3 {
		t.Errorf("executor failure limit %d, want 3: instances that are not set count as 0 here", got)
	}
}

func TestConfLayers(t *testing.T) {
	c, notes, err := Parse(
		Layer{Name: "log", Values: map[string]string{
			"spark.locality.wait": "1s", "spark.locality.wait.rack": "7s", "spark.yarn.max.executor.failures": "9",
			"spark.some.vendor.key": "x", "spark.locality.luck": "x", "spark.tasks": "x", "spark.serializer": "y", "spark.shuffle.push.enabled": "true",
			"spark.rpc.message.maxSize": "128", "java.home": "z",
			"spark.streaming.dynamicAllocation.enabled": "true", "spark.streaming.dynamicAllocation.scalingInterval": "60", "spark.streaming.backpressure.enabled": "true",
			"spark.shuffle.sort.io.plugin.class": "org.example.IO", "spark.shuffle.sort.bypassMergeThreshold": "7",
		}},
		Layer{Name: "--conf", Strict: true, Values: map[string]string{"spark.locality.wait": "0", "spark.sql.shuffle.partitions": "8"}},
	)
	if err != nil {
		t.Fatal(err)
	}
	if c.WaitProcess != 0 || c.WaitNode != 0 || c.WaitRack != 7000 {
		t.Errorf("waits are %d, %d, %d ms, want 0, 0, 7000", c.WaitProcess, c.WaitNode, c.WaitRack)
	}
	if c.MaxExecutorFailures != 9 {
		t.Errorf("the older name gives %d failures, want 9", c.MaxExecutorFailures)
	}
	if want := []string{"spark.locality.luck"}; !slices.Equal(notes.Unknown, want) {
		t.Errorf("unknown keys are %q, want %q", notes.Unknown, want)
	}
	want := []Warning{
		{"spark.shuffle.push.enabled", "log: spark.shuffle.push.enabled=true is not modelled: shuffle blocks are not pushed"},
		{"spark.shuffle.sort.io.plugin.class", "log: spark.shuffle.sort.io.plugin.class=org.example.IO is not modelled: shuffle output is on the disks of nodes and is lost with them, also where this keeps it elsewhere"},
		{"spark.streaming.dynamicAllocation.enabled", "log: spark.streaming.dynamicAllocation.enabled=true is not modelled: executors are asked for as spark.dynamicAllocation.enabled and spark.executor.instances say, not by the times of batches"},
	}
	if !slices.Equal(notes.Warnings, want) {
		t.Errorf("warnings are %q, want %q", notes.Warnings, want)
	}
}

// A general key gives the narrower ones their default, wherever it is set.
func TestConfDefaultsOfOthers(t *testing.T) {
	tests := []struct {
		values map[string]string
		field  func(*Conf) int64
		want   int64
	}{
		{nil, func(c *Conf) int64 { return c.AskTimeout }, 120_000},
		{map[string]string{"spark.network.timeout": "300"}, func(c *Conf) int64 { return c.AskTimeout }, 300_000},
		{map[string]string{"spark.network.timeout": "300", "spark.rpc.askTimeout": "60"}, func(c *Conf) int64 { return c.AskTimeout }, 60_000},
		{map[string]string{"spark.dynamicAllocation.schedulerBacklogTimeout": "7"}, func(c *Conf) int64 { return c.SustainedTimeout }, 7000},
		{map[string]string{"spark.dynamicAllocation.minExecutors": "3"}, func(c *Conf) int64 { return int64(c.InitialExecutors) }, 3},
	}
	for _, tt := range tests {
		if got := tt.field(parse(t, tt.values)); got != tt.want {
			t.Errorf("%v gives %d, want %d", tt.values, got, tt.want)
		}
	}
}

// What is said of single keys of a file or of --conf. Spark's own keys whose effect is in the trace, or which have none,
// are not taken for misspelt ones.
func TestRemarks(t *testing.T) {
	const idle, older = "it has no part in scheduling, or the trace has its effect", "spark.yarn.max.executor.failures"
	of := func(k remark.Kind, name, text string) remark.List {
		return remark.List{{Kind: k, Of: name, Text: text}}
	}
	for _, tt := range []struct {
		key, value string
		want       remark.List
	}{
		{"spark.yarn.queue", "x", of(remark.Unmodelled, "spark.yarn.queue=x", "applications are submitted to the queues that the trace has")},
		{"spark.yarn.queue", "default", of(remark.NoEffect, "spark.yarn.queue", idle)},
		{"spark.yarn.app.id", "x", of(remark.NoEffect, "spark.yarn.app.id", idle)},
		{"spark.executor.resource.gpu.discoveryScript", "x", of(remark.NoEffect, "spark.executor.resource.gpu.discoveryScript", idle)},
		{"spark.executor.resource.gpu.vendor", "x", of(remark.NoEffect, "spark.executor.resource.gpu.vendor", idle)},
		{"spark.driver.resource.gpu.discoveryScript", "x", of(remark.NoEffect, "spark.driver.resource.gpu.discoveryScript", idle)},
		{"spark.driver.resource.gpu.amount", "1", nil},
		{"spark.shuffle.service.port", "7337", of(remark.NoEffect, "spark.shuffle.service.port", idle)},
		{"spark.executor.resource.gpu.amount", "1", nil},
		{"spark.task.reaper.enabled", "true", of(remark.NoEffect, "spark.task.reaper.enabled", idle)},
		{"spark.shuffle.push.numPushThreads", "8", of(remark.NoEffect, "spark.shuffle.push.numPushThreads", idle)},
		{"spark.storage.decommission.shuffleBlocks.maxThreads", "8", of(remark.NoEffect, "spark.storage.decommission.shuffleBlocks.maxThreads", idle)},
		{"spark.storage.decommission.enabled", "true", nil},
		{"spark.storage.decommission.fallbackStorage.path", "s3a://b/", of(remark.Unmodelled, "spark.storage.decommission.fallbackStorage.path=s3a://b/", "shuffle blocks of decommissioned executors move to other executors alone")},
		{"spark.executor.cores", "2", nil},
		{older, "7", nil},
		{"spark.yarn.executor.nodeLabelExpression", "gpu", of(remark.Unmodelled, "spark.yarn.executor.nodeLabelExpression=gpu", "the cluster has no node labels")},
		{"spark.driver.maxResultSize", "4g", of(remark.NoEffect, "spark.driver.maxResultSize=4g", "results are never too large")},
		{"spark.driver.maxResultSize", "1g", of(remark.NoEffect, "spark.driver.maxResultSize", idle)}, // the default
		{"spark.shuffle.service.fetch.rdd.enabled", "true", of(remark.Unmodelled, "spark.shuffle.service.fetch.rdd.enabled=true", "cached blocks are in memory, where the shuffle service does not serve them")},
		{"spark.shuffle.service.fetch.rdd.enabled", "false", nil},
		{"spark.executor.decommission.killInterval", "5s", of(remark.Unmodelled, "spark.executor.decommission.killInterval=5s", "executors are decommissioned when no task runs on them")},
		{"spark.speculation.efficiency.longRunTaskFactor", "3", of(remark.Unmodelled, "spark.speculation.efficiency.longRunTaskFactor=3", "a trace does not say how many records tasks have read")},
		{"spark.scheduler.pool", "etl", of(remark.Unmodelled, "spark.scheduler.pool=etl", "it names the pool of SQL queries and of no other Spark jobs, which a trace does not tell apart; the pools are those that the trace gives")},
		{"spark.yarn.launchContainers", "false", of(remark.NoEffect, "spark.yarn.launchContainers=false", "a switch of Spark's own tests")},
		{"spark.executor.memory", "4", of(remark.Odd, "spark.executor.memory=4", "below 450m Spark does not start an application; is a unit missing, as in 4g?")},
		{"spark.executor.memory", "450m", nil},
		{"spark.locality.wait", "3", of(remark.Odd, "spark.locality.wait=3", "a number without a unit is in ms; is a unit missing, as in 3s?")},
		{"spark.locality.wait.node", "10", of(remark.Odd, "spark.locality.wait.node=10", "a number without a unit is in ms; is a unit missing, as in 3s?")},
		{"spark.locality.wait", "0", nil}, {"spark.locality.wait", "3ms", nil}, {"spark.locality.wait", "3000", nil}, {"spark.locality.wait", "-1", nil},
		{"spark.locality.wiat", "0s", of(remark.Odd, "spark.locality.wiat", "unknown, so it has no effect; probably spark.locality.wait is meant")},
		{"spark.of.ours", "1", of(remark.Unknown, "spark.of.ours", "")},
		{"java.home", "1", of(remark.Unknown, "java.home", "")},
		{"", "1", of(remark.Unknown, "a value without a key", "")},
	} {
		got, err := Remarks(Layer{Name: "f", Shared: true, Values: map[string]string{tt.key: tt.value}})
		if err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%s=%s: remarks %+v, error %v, want %+v", tt.key, tt.value, got, err, tt.want)
		}
	}
	// A job's own key that is read for other purposes is said, too.
	c, notes, err := Parse(Layer{Name: "job 0", Values: map[string]string{"spark.executor.decommission.killInterval": "5s"}})
	if err != nil || c.DecommissionKillAfter != 5000 || len(notes.Warnings) != 1 || notes.Warnings[0].Key != "spark.executor.decommission.killInterval" {
		t.Errorf("configuration %+v, notes %+v, error %v, want the key read and said", c, notes, err)
	}
	_, err = Remarks(Layer{Name: "--conf", Strict: true, Shared: true, Values: map[string]string{"spark.of.ours": "1"}})
	if err == nil {
		t.Error("an unknown key of a strict layer has no error")
	}
	// Of shared layers Parse says nothing.
	_, notes, err = Parse(Layer{Name: "f", Shared: true, Values: map[string]string{"spark.driver.maxResultSize": "4g", "spark.task.zzz": "1", "spark.ui.port": "1"}})
	if err != nil || len(notes.Warnings) > 0 || len(notes.Unknown) > 0 {
		t.Errorf("notes %+v, error %v, want none", notes, err)
	}
}

func TestConfErrors(t *testing.T) {
	dyn := func(kv ...string) map[string]string {
		m := map[string]string{"spark.dynamicAllocation.enabled": "true"}
		for i := 0; i < len(kv); i += 2 {
			m[kv[i]] = kv[i+1]
		}
		return m
	}
	tests := []struct {
		name   string
		values map[string]string
		want   string // part of the message
	}{
		{"unknown key", map[string]string{"spark.locality.wiat": "1s"}, `unknown key "spark.locality.wiat" (nearest known: spark.locality.wait`},
		{"bad time", map[string]string{"spark.locality.wait": "fast"}, `test: spark.locality.wait is "fast", want a whole number`},
		{"bad bool", map[string]string{"spark.speculation": "yes"}, "want true or false"},
		{"bad choice", map[string]string{"spark.scheduler.mode": "LIFO"}, "want FIFO or FAIR"},
		{"negative count", map[string]string{"spark.executor.cores": "-1"}, "want 1 or more"},
		{"count over 32 bits", map[string]string{"spark.executor.instances": "3000000000"}, "32 bits"},
		{"fewer cores than a task needs", map[string]string{"spark.executor.cores": "1", "spark.task.cpus": "2"}, "want at least spark.task.cpus (2)"},
		{"part of a resource above a half", map[string]string{"spark.task.resource.gpu.amount": "0.7"}, "at most 0.5, or a whole number"},
		{"resource too small for a task", map[string]string{"spark.executor.resource.gpu.amount": "1", "spark.task.resource.gpu.amount": "2"}, "want at least one task's 2"},
		{"minimum above maximum", dyn("spark.dynamicAllocation.minExecutors", "5", "spark.dynamicAllocation.maxExecutors", "4"), "minExecutors is 5, want at most maxExecutors (4)"},
		{"first target above maximum", dyn("spark.executor.instances", "5", "spark.dynamicAllocation.maxExecutors", "4"), "initial number of executors is 5"},
		{"backlog below a second", dyn("spark.dynamicAllocation.schedulerBacklogTimeout", "900ms"), "schedulerBacklogTimeout is less than a second"},
		{"ratio 0", dyn("spark.dynamicAllocation.executorAllocationRatio", "0"), "more than 0 and at most 1"},
		{"ratio above 1", dyn("spark.dynamicAllocation.executorAllocationRatio", "1.01"), "executorAllocationRatio is 1.01, want more than 0 and at most 1"},
		{"nothing keeps shuffle data", dyn("spark.dynamicAllocation.shuffleTracking.enabled", "false"), "want one of spark.shuffle.service.enabled"},
		{"node limit of exclusion", map[string]string{"spark.excludeOnFailure.enabled": "true", "spark.task.maxFailures": "2"}, "want less than spark.task.maxFailures (2)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := Parse(Layer{Name: "test", Strict: true, Values: tt.values})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error is %v, want one with %q", err, tt.want)
			}
		})
	}
}

func TestSizes(t *testing.T) {
	types := []string{"memory-mb", "vcores", "yarn.io/gpu"}
	tests := []struct {
		name   string
		values map[string]string
		over   Overrides
		want   resource.Resource
		tasks  int
	}{
		{"default: at least 384 MiB of overhead", nil, DefaultProfile, resource.R(1408, 1), 1},
		{"a tenth, truncated", map[string]string{"spark.executor.memory": "4g", "spark.executor.cores": "4", "spark.task.cpus": "3"}, DefaultProfile, resource.R(4505, 4), 1},
		{"overhead set", map[string]string{"spark.executor.memoryOverhead": "10"}, DefaultProfile, resource.R(1034, 1), 1},
		{"off heap counts when enabled", map[string]string{"spark.memory.offHeap.enabled": "true", "spark.memory.offHeap.size": "1535k"}, DefaultProfile, resource.R(1409, 1), 1},
		{"off heap not enabled", map[string]string{"spark.memory.offHeap.size": "1g"}, DefaultProfile, resource.R(1408, 1), 1},
		{"python memory only for python", map[string]string{"spark.executor.pyspark.memory": "1g"}, DefaultProfile, resource.R(1408, 1), 1},
		{"python", map[string]string{"spark.executor.pyspark.memory": "1g", "spark.yarn.isPython": "true"}, DefaultProfile, resource.R(2432, 1), 1},
		{"a profile's memory keeps the default overhead", map[string]string{"spark.executor.memory": "8g"},
			Overrides{Cores: 2, MiB: 1024, OverheadMiB: Unset, OffHeapMiB: Unset, PySparkMiB: Unset, TaskCPUs: Unset}, resource.R(1024+819, 2), 2},
		{"a profile's off heap when enabled", map[string]string{"spark.memory.offHeap.enabled": "true", "spark.memory.offHeap.size": "1g"},
			Overrides{Cores: Unset, MiB: Unset, OverheadMiB: Unset, OffHeapMiB: 10, PySparkMiB: Unset, TaskCPUs: Unset}, resource.R(1418, 1), 1},
		{"a profile's off heap not enabled", nil, Overrides{Cores: Unset, MiB: Unset, OverheadMiB: Unset, OffHeapMiB: 10, PySparkMiB: Unset, TaskCPUs: Unset}, resource.R(1408, 1), 1},
		{"gpus limit the tasks", map[string]string{"spark.executor.cores": "8", "spark.executor.resource.gpu.amount": "2", "spark.task.resource.gpu.amount": "0.4"},
			DefaultProfile, resource.Resource{1408, 8, 2}, 4},
		{"whole gpus", map[string]string{"spark.executor.cores": "8", "spark.executor.resource.gpu.amount": "5", "spark.task.resource.gpu.amount": "2"},
			DefaultProfile, resource.Resource{1408, 8, 5}, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := parse(t, tt.values)
			got, err := c.ContainerSize(tt.over, types)
			if err != nil || got != tt.want {
				t.Errorf("size is %v, %v, want %v", got, err, tt.want)
			}
			if got := c.TasksPerExecutor(tt.over); got != tt.tasks {
				t.Errorf("%d tasks an executor, want %d", got, tt.tasks)
			}
		})
	}
	c := parse(t, map[string]string{"spark.executor.resource.gpu.amount": "1"})
	if _, err := c.ContainerSize(DefaultProfile, types[:2]); err == nil || !strings.Contains(err.Error(), "yarn.io/gpu") {
		t.Errorf("a cluster without gpus gives %v, want an error that names the type", err)
	}
	client := map[string]string{"spark.yarn.am.memory": "1g", "spark.driver.memory": "8g", "spark.driver.cores": "2"}
	if got, err := parse(t, client).AMSize(types); err != nil || got != resource.R(1408, 1) {
		t.Errorf("application master in client mode has %v, %v", got, err)
	}
	client["spark.submit.deployMode"] = "cluster"
	if got, err := parse(t, client).AMSize(types); err != nil || got != resource.R(8192+819, 2) {
		t.Errorf("driver in cluster mode has %v, %v", got, err)
	}
}

func TestExecutorFailureLimit(t *testing.T) {
	tests := []struct {
		name   string
		values map[string]string
		want   int
	}{
		{"set", map[string]string{"spark.executor.maxNumFailures": "1"}, 1},
		{"twice the instances", map[string]string{"spark.executor.instances": "7"}, 14},
		{"at least 3", map[string]string{"spark.executor.instances": "1"}, 3},
		{"twice the maximum", map[string]string{"spark.dynamicAllocation.enabled": "true", "spark.dynamicAllocation.maxExecutors": "10"}, 20},
		{"no overflow", map[string]string{"spark.dynamicAllocation.enabled": "true"}, math.MaxInt32},
	}
	for _, tt := range tests {
		if got := parse(t, tt.values).ExecutorFailureLimit(); got != tt.want {
			t.Errorf("%s: limit is %d, want %d", tt.name, got, tt.want)
		}
	}
}

// No name stands for two keys, and each is followed or says what a replay does instead.
func TestConfKeysAreConsistent(t *testing.T) {
	for i := 1; i < len(keyNames); i++ {
		if keyNames[i] == keyNames[i-1] {
			t.Errorf("%s is in the table twice", keyNames[i])
		}
	}
	for _, k := range keys {
		if k.parse == nil && k.note == "" {
			t.Errorf("%s: want a parser or a note", k.name)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, k := range keys {
		f.Add(k.name, k.fallback)
	}
	f.Add("spark.executor.resource.gpu.amount", "1")
	f.Add("spark.task.resource.gpu.amount", "0.25")
	f.Fuzz(func(t *testing.T, key, value string) {
		c, _, err := Parse(Layer{Name: "fuzz", Values: map[string]string{key: value}})
		if err != nil {
			if c == nil && !strings.Contains(err.Error(), key) {
				t.Fatalf("error %q does not name %q", err, key)
			}
			return
		}
		if c.TasksPerExecutor(DefaultProfile) < 1 {
			t.Fatalf("%s=%q gives %+v", key, value, c)
		}
	})
}
