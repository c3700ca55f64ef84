package engine

import (
	"strings"
	"testing"

	"replay/engine/record"
	"replay/engine/scenario"
	"replay/engine/spark/driver"
	"replay/trace"
)

// An application whose recorded executors have all gone fails then, for a reason of Spark's.
func TestRecordedExecutorsThatAreGoneEndTheApplication(t *testing.T) {
	x := driver.RecordedExecutor{ReadyMS: trace.Unset, LeaveMS: trace.Unset, CausedBy: trace.Unset}
	x.VCores, x.MemMiB, x.AddedMS, x.RemovedMS, x.Reason = 2, 2048, 1000, 9000, "Container from a bad node"
	run := func(x ...driver.RecordedExecutor) (record.Job, *record.Manifest) {
		o := scenario.Options{StallMS: 60_000, Recorded: driver.Recorded{Executors: x, CodeMS: map[int64]int64{0: 500}}}
		k, m := replay(t, input(cluster(1, 1), nil, sparkJob(0, 0, 1, stage(0, 10, 5000, nil))), o)
		return k.jobs[0], m
	}
	j, m := run(x)
	if j.Outcome != record.JobFailed || j.TasksSucceeded == 0 || !strings.Contains(j.Reason, "the last of its 1 executors is gone (Container from a bad node)") {
		t.Errorf("job ended as %s with %d tasks done: %s", j.Outcome, j.TasksSucceeded, j.Reason)
	}
	if m.Totals.EndMS > 20_000 {
		t.Errorf("the replay ends at %d ms, want it where the last executor went", m.Totals.EndMS)
	}
	if j, _ := run([]driver.RecordedExecutor{}...); j.Outcome == record.JobSucceeded || !strings.Contains(j.Reason, "no executor") {
		t.Errorf("without an executor the job ended as %s: %s", j.Outcome, j.Reason)
	}
}
