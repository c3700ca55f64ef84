package engine

import (
	"testing"

	"replay/engine/record"
	"replay/engine/scenario"
	"replay/engine/spark/driver"
	"replay/trace"
)

// An application whose recorded executors have all gone can't finish: the replay says so after the time of a stall.
func TestRecordedExecutorsThatAreGoneEndInAStall(t *testing.T) {
	x := driver.RecordedExecutor{ReadyMS: trace.Unset, LeaveMS: trace.Unset, CausedBy: trace.Unset}
	x.VCores, x.MemMiB, x.AddedMS, x.RemovedMS, x.Reason = 2, 2048, 1000, 9000, "Container from a bad node"
	o := scenario.Options{StallMS: 60_000, Recorded: driver.Recorded{Executors: []driver.RecordedExecutor{x}, CodeMS: map[int64]int64{0: 500}}}
	k, m := replay(t, input(cluster(1, 1), nil, sparkJob(0, 0, 1, stage(0, 10, 5000, nil))), o)
	if len(m.Warnings) == 0 || m.Warnings[0].Code != "stalled" {
		t.Errorf("warnings %+v, want the first to be stalled", m.Warnings)
	}
	if j := k.jobs[0]; j.Outcome != record.JobUnfinished || j.TasksSucceeded == 0 {
		t.Errorf("job ended as %s with %d tasks done, want unfinished with some", j.Outcome, j.TasksSucceeded)
	}
	if m.Totals.EndMS > 20_000 {
		t.Errorf("the replay ends at %d ms, want it where nothing happened any more", m.Totals.EndMS)
	}
}
