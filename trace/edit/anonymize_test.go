package edit

import (
	"testing"

	"replay/engine/spark/conf"
	"replay/trace"
)

// What says when a job ran goes with the names, and so does a key that may have a name in itself; sizes, limits and lengths of time stay.
func TestAnonymizedConf(t *testing.T) {
	list := []struct {
		key, value string
		stays      bool
	}{
		{"spark.app.startTime", "1795246641263", false},
		{"spark.app.submitTime", "17", false},
		{"spark.locality.wait", "1795246641", false},
		{"spark.locality.wait", "1795246641.263", false},
		{"spark.locality.wait", "1795246641263ms", false},
		{"spark.locality.wait", "1795246641263000", false},
		{"spark.locality.wait", "1795246641263000000", false},
		{"spark.locality.wait", "20210305", false},
		{"spark.locality.wait", "20210305112233", false},
		{"spark.acme.name", "acme", false},
		{"spark.hadoop.fs.s3a.bucket.acme.fast.upload", "true", false},
		{"spark.executorEnv.ACME", "1", false},
		{"spark.yarn.queue", "2026", false},
		{"spark.scheduler.pool", "7", false},
		{"spark.scheduler.mode", "FAIR", true},
		{"spark.submit.deployMode", "client", true},
		{"spark.submit.deployMode", "acme", false},
		{"spark.acme.mode", "client", false},
		{"spark.submit.deployMode", "cluster", true},
		{"spark.executor.cores", "4", true},
		{"spark.task.maxFailures", "20210", true},
		{"spark.executor.memory", "4294967296", true},
		{"spark.executor.memory", "4g", true},
		{"spark.dynamicAllocation.maxExecutors", "2147483647", true},
		{"spark.locality.wait", "3600000ms", true},
		{"spark.task.maxFailures", "20211305", true},
		{"spark.task.maxFailures", "123456789012345678901234567890", true},
		{"spark.dynamicAllocation.enabled", "true", true},
	}
	for _, c := range list {
		a := &anonymizing{known: conf.Known}
		j := &trace.Job{Conf: []trace.KeyValue{{Key: c.key, Value: c.value}}}
		if a.job(j); len(j.Conf) == 1 != c.stays || a.keys == 1 == c.stays {
			t.Errorf("%s=%s: %v stays, want that it does: %v", c.key, c.value, j.Conf, c.stays)
		}
	}
}
