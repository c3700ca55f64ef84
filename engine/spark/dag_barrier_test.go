package spark

import (
	"testing"

	"replay/trace"
)

// gang is a barrier stage of a [dagRig].
func gang(id int32, tasks int, parents ...int32) trace.Stage {
	s := rigStage(id, 0, tasks, parents...)
	s.Kind = trace.StageGang
	return s
}

// DAGScheduler.handleTaskCompletion: the failure of a task of a barrier stage fails the attempt. What of it runs is killed, and its task set goes on.
func TestBarrierTaskFails(t *testing.T) {
	r := newDAGRig(t, map[string]string{"spark.stage.maxConsecutiveAttempts": "2"}, gang(0, 2), gang(1, 2, 0))
	r.Start(0)
	r.told()
	r.end(0, 0, 0, 1, EndSuccess)
	set := r.s.Set(r.stages[0].set)
	r.now = 1000
	r.end(0, 0, 1, 2, EndException)
	r.expect("of a map stage", "0.0 failed, resubmit at 1200")
	if set.Zombie || r.availableOf(0) != 0 { // the set stops by itself when a task of it fails
		t.Errorf("stopped by the DAGScheduler: %t, %d partitions are kept", set.Zombie, r.availableOf(0))
	}
	r.end(0, 0, 0, 1, EndKilled)
	r.expect("the others are killed", "")
	r.Resubmit(1200)
	r.expect("resubmission", "0.1 submitted")
	r.end(0, -1, 0, 1, EndException)
	r.expect("of an older attempt", "")
	r.succeed(0, 1, 2)
	r.expect("the second attempt", "0.1 done, 1.0 submitted")
	r.end(1, 0, 0, 1, EndException)
	r.expect("of a result stage", "1.0 failed, given up: stage 1: a barrier stage that computes a result cannot run again")

	r = newDAGRig(t, map[string]string{"spark.stage.maxConsecutiveAttempts": "2"}, gang(0, 2), gang(1, 2, 0))
	r.Start(0)
	for range 2 {
		r.told()
		r.end(0, 0, 1, 2, EndExecutorLost)
		r.Resubmit(0)
	}
	r.expect("twice", "0.1 failed, given up: stage 0: 2 consecutive attempts failed (spark.stage.maxConsecutiveAttempts)")

	r = newDAGRig(t, nil, gang(0, 2), gang(1, 2, 0))
	r.Start(0)
	r.told()
	r.end(0, 0, 0, 1, EndSuccess)
	r.end(0, 0, 0, 1, EndResubmitted)
	r.expect("its output is lost", "0.0 failed, resubmit at 200")
	if set := r.s.Set(r.stages[0].set); set.Zombie || r.availableOf(0) != 0 { // it tells of what else is lost with other executors
		t.Errorf("stopped: %t, %d partitions are kept", set.Zombie, r.availableOf(0))
	}
	r.end(0, 0, 1, 2, EndSuccess) // before it is told to stop
	if r.availableOf(0) != 1 {
		t.Errorf("%d partitions are available after a success, want 1", r.availableOf(0))
	}
	r.end(0, 0, 0, 2, EndKilled)
	if r.availableOf(0) != 0 || len(r.stages[0].failedAttempts) != 1 {
		t.Errorf("%d partitions are available after a task was killed, %d failed attempts; want none and 1", r.availableOf(0), len(r.stages[0].failedAttempts))
	}
	r.Resubmit(200)
	r.expect("resubmission", "0.1 submitted")

	r = newDAGRig(t, nil, rigStage(0, 0, 2), rigStage(1, 0, 1, 0))
	r.Start(0)
	r.told()
	r.end(0, 0, 1, 2, EndException)
	r.end(0, 0, 0, 2, EndSuccess)
	r.end(0, 0, 0, 2, EndResubmitted)
	r.expect("of an ordinary stage", "")
}

// DAGScheduler.handleTaskCompletion: a barrier stage that cannot read its input loses all that it has written, and goes on until another of its tasks fails.
func TestBarrierTaskCannotReadItsInput(t *testing.T) {
	r := newDAGRig(t, nil, rigStage(0, 0, 2), gang(1, 3, 0), rigStage(2, 0, 1, 1))
	r.Start(0)
	r.succeed(0, 3, 4)
	r.told()
	r.end(1, 0, 0, 5, EndSuccess)
	set := r.s.Set(r.stages[1].set)
	r.end(1, 0, 1, 5, EndFetchFailed, FetchSource{0, 0, 3, 2})
	r.expect("of a map stage", "1.0 failed, resubmit at 200")
	if set.Zombie || r.availableOf(0) != 1 || r.availableOf(1) != 0 {
		t.Errorf("stopped: %t, %d and %d partitions are available, want that it goes on, 1 and none", set.Zombie, r.availableOf(0), r.availableOf(1))
	}
	r.end(1, 0, 2, 5, EndSuccess)
	r.end(1, 0, 0, 5, EndException)
	r.expect("another task fails", "")
	if r.availableOf(1) != 0 || len(r.stages[1].failedAttempts) != 1 {
		t.Errorf("%d partitions are available, %d failed attempts; want none and 1", r.availableOf(1), len(r.stages[1].failedAttempts))
	}
	r.Resubmit(200)
	r.end(0, 0, 0, 4, EndSuccess)
	r.expect("resubmission", "0.1 submitted for [0], 0.1 done, 1.1 submitted")

	r = newDAGRig(t, nil, rigStage(0, 0, 2), gang(1, 3, 0))
	r.Start(0)
	r.succeed(0, 3, 4)
	r.told()
	r.end(1, 0, 1, 5, EndFetchFailed, FetchSource{0, 0, 3, 2})
	r.expect("of a result stage", "1.0 failed, given up: stage 1: a barrier stage that computes a result cannot run again")
}
