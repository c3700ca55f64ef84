package eventlog

import (
	"strings"
	"testing"

	"replay/trace/importer/importtest"
)

func TestSparkConf(t *testing.T) {
	c := func(kv ...string) *sparkConf {
		m := map[string]string{}
		for i := 0; i < len(kv); i += 2 {
			m[kv[i]] = kv[i+1]
		}
		return &sparkConf{set: m}
	}
	for _, tt := range []struct {
		name string
		conf *sparkConf
		want shape
	}{
		{"4g: a tenth, truncated", c("spark.executor.memory", "4g"), shape{4096 + 409, 1}},
		{"1g: the least overhead", c(), shape{1024 + 384, 1}},
		{"overhead given", c("spark.executor.memory", "480m", "spark.executor.memoryOverhead", "1568", "spark.executor.cores", "2"), shape{2048, 2}},
		{"overhead given by its older name", c("spark.executor.memory", "1g", "spark.yarn.executor.memoryOverhead", "2048"), shape{3072, 1}},
		{"the older name is passed over", c("spark.executor.memory", "1g", "spark.executor.memoryOverhead", "1g", "spark.yarn.executor.memoryOverhead", "2048"), shape{2048, 1}},
		{"a reference", c("spark.executor.memory", "${spark.driver.memory}", "spark.driver.memory", "${spark.my.gib}g", "spark.my.gib", "2"), shape{2048 + 384, 1}},
		{"factor", c("spark.executor.memory", "10000", "spark.executor.memoryOverheadFactor", "0.4"), shape{14000, 1}},
		{"another least overhead, of Spark 4", c("spark.executor.minMemoryOverhead", "1g"), shape{1024 + 1024, 1}},
		{"off heap", c("spark.memory.offHeap.enabled", "true", "spark.memory.offHeap.size", "1g"), shape{1024 + 384 + 1024, 1}},
		{"python memory counts for python only", c("spark.executor.pyspark.memory", "1g"), shape{1024 + 384, 1}},
		{"python", c("spark.executor.pyspark.memory", "1g", "spark.yarn.isPython", "true"), shape{1024 + 384 + 1024, 1}},
	} {
		if got := tt.conf.executorShape(nil); got != tt.want || tt.conf.err != nil {
			t.Errorf("%s: %+v (%v), want %+v", tt.name, got, tt.conf.err, tt.want)
		}
	}
	p := &resourceProfile{cores: 3, memMiB: 4096, overheadMiB: absent, pysparkMiB: absent, offHeapMiB: absent}
	if got := c("spark.executor.memory", "2g").executorShape(p); got != (shape{4096 + 384, 3}) {
		t.Errorf("a profile with more memory has %+v, want the overhead of the default profile", got)
	}
	if got := c("spark.submit.deployMode", "cluster", "spark.driver.memory", "8g", "spark.driver.cores", "4").amShape(); got != (shape{8192 + 819, 4}) {
		t.Errorf("a driver in the cluster has %+v", got)
	}
	if got := c("spark.submit.deployMode", "cluster", "spark.yarn.driver.memoryOverhead", "1024").amShape(); got != (shape{2048, 1}) {
		t.Errorf("a driver whose overhead is given by its older name has %+v", got)
	}
	if got := c().amShape(); got != (shape{512 + 384, 1}) {
		t.Errorf("a launcher of executors has %+v", got)
	}
	yarn := c("spark.master", "yarn", "spark.executor.instances", "4")
	for _, tt := range []struct {
		added []int64
		want  int64
	}{{[]int64{5, 6, 7, 800, 900}, 800}, {[]int64{5}, 30100}, {[]int64{1, 2, 3, 4}, 100}} { // 0.8 x 4 executors, or 30 s
		if got := yarn.gate(100, tt.added); got != tt.want {
			t.Errorf("executors at %v open the gate at %d, want %d", tt.added, got, tt.want)
		}
	}
	for _, bad := range []*sparkConf{
		c("spark.executor.memory", "1.5g"), c("spark.executor.cores", "-1"), c("spark.executor.memory", "9999999999999999p"),
		c("spark.memory.offHeap.enabled", "maybe"), c("spark.executor.memory", "${spark.executor.memory}"), c("spark.executor.cores", "${spark.my.cores}"), c("spark.executor.memoryOverheadFactor", "NaN"),
	} {
		if bad.executorShape(nil); bad.err == nil || !strings.HasPrefix(bad.err.Error(), "spark property spark.") {
			t.Errorf("%v gives the error %v", bad.set, bad.err)
		}
	}
}

// The environment is told again when a jar is added; what it then does not say is as before.
func TestEnvironmentAgain(t *testing.T) {
	for _, again := range []string{`{"Event":"SparkListenerEnvironmentUpdate","Spark Properties":null}`, `{"Event":"SparkListenerEnvironmentUpdate","Spark Properties":{}}`, `{"Event":"SparkListenerEnvironmentUpdate","Classpath Entries":{}}`} {
		_, m, err := importtest.Import(t, Format, importtest.WriteNew(t, "app-1", strings.Replace(logText, "\n"+`{"Event":"SparkListenerJobStart"`, "\n"+again+"\n"+`{"Event":"SparkListenerJobStart"`, 1)), nil)
		if err != nil || m.JobList[0].ExecMemMiB != 2048+384 || m.Queues[m.JobList[0].Queue].Path != "root.prod" {
			t.Errorf("%s: %+v, %v", again, m, err)
		}
	}
}
