package prediction

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestGrouped(t *testing.T) {
	got := Grouped([]string{
		"logs/a: job 0: spark.driver.maxResultSize=2GB is not modelled: results are never too large",
		"logs/a: /x/logs/a: line 275: unknown event \"com.acme.A\", want one of Spark's",
		"logs/b: job 0: spark.driver.maxResultSize=4g is not modelled: results are never too large",
		"logs/b: job 0: keys that are not known here change nothing: spark.task.reaper.enabled",
		"logs/b: job 0: spark.rpc.message.maxSize=256 is not modelled: tasks are never too large to send",
		"logs/c: job 3: keys that are not known here change nothing: spark.scheduler.file, spark.shuffle.push.enabled",
		"logs/c: /x/logs/c: line 3: unknown event \"com.acme.B\", want one of Spark's",
	})
	want := []string{
		"logs/a: job 0: spark.driver.maxResultSize=2GB is not modelled: results are never too large (the first of 2 like this)",
		"logs/a: /x/logs/a: line 275: unknown event \"com.acme.A\", want one of Spark's (the first of 2 like this)",
		"logs/b: job 0: keys that are not known here change nothing: spark.task.reaper.enabled (the first of 2 like this)",
		"logs/b: job 0: spark.rpc.message.maxSize=256 is not modelled: tasks are never too large to send",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}
