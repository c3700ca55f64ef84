// Package driver is what a Spark application's driver and application master decide and know.
package driver

import "replay/trace"

// Recorded is what a recording says beside its trace, for replays that are set beside it. The zero
// value says nothing.
type Recorded struct {
	// Executors of all jobs. With them no ResourceManager and no application master takes part: the
	// driver gets these executors at these times, relative to the recorded start of its application, and
	// dynamic allocation does not decide.
	Executors []RecordedExecutor
	// CodeMS says when the application's own code could begin, ms after the recorded start; needed with Executors.
	CodeMS map[int64]int64
	// Failures asks for the failures of task attempts that the trace counts as retries. An attempt that fails
	// takes as long as the one that succeeds. The last attempt that Spark allows succeeds, even where the
	// recorded one did not: the end of a Spark job by a failed task is not modelled, only its time.
	Failures bool
	// Latencies are those of the containers of a job, instead of the model's.
	Latencies map[int64]*Latencies
}

// RecordedExecutor is an executor with what was recorded of its beginning.
type RecordedExecutor struct {
	trace.Executor
	ReadyMS int64 // from its registration until it can take tasks; trace.Unset = as the model has it
	LeaveMS int64 // when the driver had decided to have it killed, so that it gets no more tasks; trace.Unset = not known
	// CausedBy is the stage during which its process failed by what its tasks did, trace.Unset for none: it
	// fails as long after the submission of that stage as it did then, AfterMS.
	CausedBy int32
	AfterMS  int64
	First    []FirstTask // the first task of each of its slots, in order of launch
}

// FirstTask is a task that was the first in a slot of its executor. What it took longer than usual, for
// classes to load and connections to open, belongs to the executor: whatever tasks it runs first in a
// replay take longer by that, and this one does not when it comes later.
type FirstTask struct {
	Stage, Index int32
	MoreMS       int64 // part of the task's recorded time
}

// Latencies are the recorded launch latencies of one application, ms.
type Latencies struct {
	AMMS       int64   // from the allocation of the AM container to its registration, or trace.Unset
	ExecutorMS []int64 // of the k-th container that the application master started, from its acquisition to its registration with the driver; trace.Unset where it never registered
}
