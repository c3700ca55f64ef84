package engine

import (
	"testing"

	"replay/engine/record"
	"replay/engine/scenario"
	"replay/engine/spark"
	recording "replay/engine/spark/driver"
	"replay/trace"
)

// What the text of an ExecutorRemoved event means for the tasks that ran there.
func TestLossOfReason(t *testing.T) {
	for reason, want := range map[string]spark.Loss{
		"Executor killed by driver.":                      {Kind: spark.LossKilled},
		"Executor decommission: worker decommissioned":    {Kind: spark.LossDecommissioned},
		"Container container_1 on host: h was preempted.": {Kind: spark.LossExited},
		"Container marked as failed: c on host: h. Exit status: -100. Diagnostics: Container released on a *lost* node.": {Kind: spark.LossExited},
		"Command exited with code 52":                               {Kind: spark.LossExited, ByApp: true},
		"worker lost: Not receiving heartbeat for 60 seconds":       {Kind: spark.LossProcess, Worker: true},
		"Executor heartbeat timed out after 125000 ms":              {Kind: spark.LossProcess, ByApp: true},
		"Remote RPC client disassociated. Likely due to containers": {Kind: spark.LossProcess, ByApp: true},
	} {
		if got := lossOfReason(reason); got != want {
			t.Errorf("%q is %+v, want %+v", reason, got, want)
		}
	}
}

// An application whose recorded executors have all gone can't finish: the replay says so after the time of a stall.
func TestRecordedExecutorsThatAreGoneEndInAStall(t *testing.T) {
	x := recording.RecordedExecutor{ReadyMS: trace.Unset, LeaveMS: trace.Unset, CausedBy: trace.Unset}
	x.VCores, x.MemMiB, x.AddedMS, x.RemovedMS, x.Reason = 2, 2048, 1000, 9000, "Container from a bad node"
	o := scenario.Options{StallMS: 60_000, Recorded: recording.Recorded{Executors: []recording.RecordedExecutor{x}, CodeMS: map[int64]int64{0: 500}}}
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
