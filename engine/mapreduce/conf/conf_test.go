package conf

import (
	"slices"
	"strings"
	"testing"

	"replay/engine/mapreduce/allocator"
	"replay/engine/remark"
	"replay/policy/resource"
)

func read(values map[string]string) (*Conf, error) {
	return New(func(k string) (string, bool) { v, ok := values[k]; return v, ok })
}

func TestDefaults(t *testing.T) {
	c, err := read(nil)
	if err != nil {
		t.Fatal(err)
	}
	if c.Allocator != allocator.Default {
		t.Errorf("allocator %+v, want %+v", c.Allocator, allocator.Default)
	}
	if c.Map.Size != resource.R(1024, 1) || c.Reduce.Size != resource.R(1024, 1) || c.AMSize != resource.R(1536, 1) {
		t.Errorf("sizes %v, %v, %v", c.Map.Size, c.Reduce.Size, c.AMSize)
	}
}

// The size of a container, in the order in which the keys count.
func TestSizes(t *testing.T) {
	tests := []struct {
		name   string
		values map[string]string
		want   resource.Resource
	}{
		{"memory.mb", map[string]string{"mapreduce.map.memory.mb": "3072", "mapreduce.map.cpu.vcores": "2"}, resource.R(3072, 2)},
		{"resource.memory-mb goes before", map[string]string{"mapreduce.map.memory.mb": "3072", "mapreduce.map.resource.memory-mb": "2048"}, resource.R(2048, 1)},
		{"resource.memory with a unit", map[string]string{"mapreduce.map.resource.memory": "4 Gi", "mapreduce.map.resource.vcores": "3"}, resource.R(4096, 3)},
		{"decimal units", map[string]string{"mapreduce.map.resource.memory-mb": "2G", "mapreduce.map.resource.vcores": "1k"}, resource.R(1907, 1000)},
		{"parts of a MiB", map[string]string{"mapreduce.map.resource.memory-mb": "1500Ki", "mapreduce.map.resource.vcores": "2500 m"}, resource.R(1, 2)},
		{"resource.vcores goes before", map[string]string{"mapreduce.map.cpu.vcores": "2", "mapreduce.map.resource.vcores": "3"}, resource.R(1024, 3)},
		{"heap of the options", map[string]string{"mapreduce.map.java.opts": "-ea -Xmx1000m -Dx=1"}, resource.R(1250, 1)},
		{"the last heap counts", map[string]string{"mapreduce.map.java.opts": "-Xmx1g -Xmx2g"}, resource.R(2560, 1)},
		{"heap and another ratio", map[string]string{"mapreduce.map.java.opts": "-Xmx1000m", "mapreduce.job.heap.memory-mb.ratio": "0.5"}, resource.R(2000, 1)},
		{"options of both types", map[string]string{"mapred.child.java.opts": "-Xmx200m"}, resource.R(250, 1)},
		{"-1 is not set", map[string]string{"mapreduce.map.memory.mb": "-1"}, resource.R(1024, 1)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, err := read(tt.values)
			if err != nil || c.Map.Size != tt.want {
				t.Errorf("size %v, %v, want %v", c.Map.Size, err, tt.want)
			}
		})
	}
}

func TestWrongValues(t *testing.T) {
	for _, tt := range []struct{ key, value, want string }{
		{"mapreduce.map.memory.mb", "lots", `mapreduce.map.memory.mb is "lots", want a whole number`},
		{"mapreduce.job.reduce.slowstart.completedmaps", "half", "want a number"},
		{"yarn.app.mapreduce.am.preemption.policy", "org.example.Mine", "want one of Hadoop's own classes"},
		{"yarn.app.mapreduce.am.job.node-blacklisting.ignore-threshold-node-percent", "101", "want 0 to 100, or -1"},
		{"mapreduce.reduce.maxattempts", "${attempts}", "this is a template whose variables are not filled in"},
		{"mapreduce.reduce.maxattempts", "0", "want 1 or more"},
		{"mapreduce.map.resource.memory", "3 pounds", "want a whole number, alone or with a unit"},
		{"mapreduce.map.resource.vcores", "-1", "want a whole number, alone or with a unit"},
		{"mapreduce.map.resource.memory-mb", "9999999999999 Pi", "want 0 to 2147483647"},
	} {
		if _, err := read(map[string]string{tt.key: tt.value}); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s=%s: %v, want %q", tt.key, tt.value, err, tt.want)
		}
	}
}

// Both names of memory at a time are refused, as by MapReduce.
func TestBothNamesOfMemory(t *testing.T) {
	_, err := read(map[string]string{"mapreduce.reduce.resource.memory": "1024", "mapreduce.reduce.resource.memory-mb": "1024"})
	if err == nil || !strings.Contains(err.Error(), `mapreduce.reduce.resource.memory is "1024", want this or mapreduce.reduce.resource.memory-mb, not both`) {
		t.Error(err)
	}
}

// The application master's container, and what of it counts where it may run the tasks.
func TestSizeOfTheMaster(t *testing.T) {
	const prefix = "yarn.app.mapreduce.am.resource."
	for _, tt := range []struct {
		values     map[string]string
		size, uber resource.Resource
	}{
		{map[string]string{prefix + "mb": "2048", prefix + "cpu-vcores": "2"}, resource.R(2048, 2), resource.R(2048, 2)},
		{map[string]string{prefix + "mb": "2048", prefix + "memory-mb": "3Gi", prefix + "cpu-vcores": "2", prefix + "vcores": "4"}, resource.R(3072, 4), resource.R(2048, 2)},
		{map[string]string{prefix + "memory": "3072"}, resource.R(3072, 1), resource.R(1536, 1)},
	} {
		if c, err := read(tt.values); err != nil || c.AMSize != tt.size || c.Uber.Room != tt.uber {
			t.Errorf("%v: size %v, room %v, %v, want %v and %v", tt.values, c.AMSize, c.Uber.Room, err, tt.size, tt.uber)
		}
	}
}

// A resource of tasks that is named as that of the application master is no resource.
func TestMisnamedResources(t *testing.T) {
	for key, want := range map[string]string{
		"mapreduce.map.resource.cpu-vcores": `mapreduce.map.resource.cpu-vcores is "2", want mapreduce.map.cpu.vcores: MapReduce fails a job whose tasks ask for a resource named cpu-vcores`,
		"mapreduce.reduce.resource.mb":      `mapreduce.reduce.resource.mb is "2", want mapreduce.reduce.memory.mb: MapReduce fails`,
	} {
		if _, err := Remarks(map[string]string{key: "2"}); err == nil || !strings.Contains(err.Error(), want) || Follows(key) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// What is said of keys that change nothing, or mean something else than they look. A name that MapReduce takes for another is for Configuration to replace.
func TestRemarks(t *testing.T) {
	for _, tt := range []struct {
		key, value string
		want       remark.List
	}{
		{"mapreduce.map.memory.mb", "2048", nil},
		{"mapreduce.map.memory.md", "2048", remark.List{{Kind: remark.Odd, Of: "mapreduce.map.memory.md", Text: "unknown, so it has no effect; probably mapreduce.map.memory.mb is meant"}}},
		{"mapreduce.am.resource.mb", "2048", remark.List{{Kind: remark.Odd, Of: "mapreduce.am.resource.mb", Text: "unknown, so it has no effect; probably yarn.app.mapreduce.am.resource.mb is meant"}}},
		{"mapreduce.job.reduce.slowstart.completedmaps", "1.0", nil},
		{"mapreduce.job.reduce.slowstart.completedmaps", "5", remark.List{{Kind: remark.Odd, Of: "mapreduce.job.reduce.slowstart.completedmaps=5",
			Text: "more than all maps, so reduces are never asked for, as in MapReduce, and jobs with reduces do not end"}}},
		{"mapred.job.map.memory.md", "2048", remark.List{{Kind: remark.Odd, Of: "mapred.job.map.memory.md", Text: "unknown, so it has no effect; probably mapred.job.map.memory.mb is meant"}}},
		{"mapreduce.task.io.sort.mb", "512", remark.List{{Kind: remark.NoEffect, Of: "mapreduce.task.io.sort.mb",
			Text: "it has no part in scheduling, or the trace has its effect"}}},
		{"mapreduce.reduce.resource.yarn.io/gpu", "1", remark.List{{Kind: remark.Unmodelled, Of: "mapreduce.reduce.resource.yarn.io/gpu=1", Text: "containers ask for memory and vcores by the keys that are followed"}}},
		{"mapreduce.job.node-label-expression", "ssd", remark.List{{Kind: remark.Unmodelled, Of: "mapreduce.job.node-label-expression=ssd", Text: "nodes have no labels"}}},
		{"mapreduce.job.queuename", "etl", remark.List{{Kind: remark.Unmodelled, Of: "mapreduce.job.queuename=etl", Text: "applications are submitted to the queues that the trace has"}}},
		{"yarn.app.mapreduce.am.job.task.estimator.class", "org.apache.hadoop.mapreduce.v2.app.speculate.ExponentiallySmoothedTaskRuntimeEstimator", remark.List{{Kind: remark.Unmodelled,
			Of:   "yarn.app.mapreduce.am.job.task.estimator.class=org.apache.hadoop.mapreduce.v2.app.speculate.ExponentiallySmoothedTaskRuntimeEstimator",
			Text: "LegacyTaskRuntimeEstimator estimates how long tasks take, whatever the key says"}}},
		{"yarn.app.mapreduce.am.job.task.estimator.class", "org.apache.hadoop.mapreduce.v2.app.speculate.LegacyTaskRuntimeEstimator", remark.List{{Kind: remark.NoEffect,
			Of: "yarn.app.mapreduce.am.job.task.estimator.class", Text: "it has no part in scheduling, or the trace has its effect"}}},
		{"mapreduce.reduce.shuffle.max-fetch-failures-fraction", "0.1", remark.List{{Kind: remark.Unmodelled, Of: "mapreduce.reduce.shuffle.max-fetch-failures-fraction=0.1",
			Text: "outputs of maps can be fetched as long as their node is there"}}},
		{"mapreduce.map.speculative", "no", remark.List{{Kind: remark.Odd, Of: "mapreduce.map.speculative=no", Text: "neither true nor false, which MapReduce takes for false"}}},
		{"mapreduce.job.ubertask.enable", "no", remark.List{{Kind: remark.Odd, Of: "mapreduce.job.ubertask.enable=no", Text: "neither true nor false, so it is taken for the default, false"}}},
	} {
		if got, err := Remarks(map[string]string{tt.key: tt.value}); err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%s=%s: %+v, %v, want %+v", tt.key, tt.value, got, err, tt.want)
		}
	}
	if text := (&UnknownKey{"mapreduce.am.resource.mb"}).Error(); !strings.HasSuffix(text, "; did you mean yarn.app.mapreduce.am.resource.mb?") {
		t.Errorf("an unknown key that a known one ends with: %s", text)
	}
	for older, newer := range Renamed {
		if Follows(older) || !Follows(newer) {
			t.Errorf("%s stands for %s: want a key that is followed in place of one that is not", older, newer)
		}
	}
}

// What keys decide beside their own setting.
func TestDerived(t *testing.T) {
	for _, tt := range []struct {
		values                    map[string]string
		reportMS, timeoutMS, most int64
	}{
		{nil, 6000, 600_000, 2},
		{map[string]string{"mapreduce.task.timeout": "0"}, 0, 0, 2},
		{map[string]string{"mapreduce.task.timeout": "1000000"}, 10_000, 1_000_000, 2},
		{map[string]string{"mapreduce.task.timeout": "5000", "mapreduce.task.progress-report.interval": "3000"}, 3000, 6000, 2},
		{map[string]string{"mapreduce.job.encrypted-intermediate-data": "true", "mapreduce.am.max-attempts": "3"}, 6000, 600_000, 1},
	} {
		c, err := read(tt.values)
		if err != nil || c.ReportMS != tt.reportMS || c.TaskTimeoutMS != tt.timeoutMS || int64(c.AMMaxAttempts) != tt.most {
			t.Errorf("%v: reports every %d ms, time-out %d ms, %d attempts (%v); want %d, %d and %d", tt.values, c.ReportMS, c.TaskTimeoutMS, c.AMMaxAttempts, err, tt.reportMS, tt.timeoutMS, tt.most)
		}
	}
	for key, want := range map[string]string{"mapreduce.task.progress-report.interval": "want 0 or more", "mapreduce.task.timeout.check-interval-ms": "want 1 or more"} {
		if _, err := read(map[string]string{key: "-1"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s=-1: %v, want %q", key, err, want)
		}
	}
}
