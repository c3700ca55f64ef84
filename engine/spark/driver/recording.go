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
	// Attempts are the recorded task attempts of each job. They give the times of tasks that run again, and attempts that
	// fail. The last attempt that Spark allows succeeds, even where the recorded one did not: the end of a Spark job by a
	// failed task is not modelled, only its time.
	Attempts map[int64][]RecordedAttempt
	// Latencies are those of the containers of a job, instead of the model's: of each attempt of its application master, the
	// last for further ones.
	Latencies map[int64][]*Latencies
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
	// Idle says that it left because it had nothing to do: in a replay it leaves only when it has nothing to do there.
	Idle bool
	// FirstMS is by how much the first task of each of its slots took longer than usual, in order of launch: for classes
	// to load and connections to open. It belongs to the executor: whatever tasks it runs first in a replay take longer
	// by that, and those that did in the recording do not when they come later ([RecordedAttempt].FirstMS).
	FirstMS []int64
}

// RecordedAttempt is a task attempt as recorded.
type RecordedAttempt struct {
	Stage, Task  int32 // position of the stage, and of the task in it
	StageAttempt int32
	Executor     int32 // id, or trace.Unset
	LaunchMS     int64 // on the trace's time axis
	CoreMS       int64 // from launch to end
	DurationMS   int64 // of work, without dispatch and status
	SchedDelayMS int64 // the rest; trace.Unset = not known
	First        bool  // it was the first in a slot of its executor
	FirstMS      int64 // what it took longer for that, part of its duration and delay
	Speculative  bool
	End          AttemptEnd
}

// AttemptEnd is how a recorded attempt ended.
type AttemptEnd uint8

// The ends of recorded attempts.
const (
	AttemptSucceeded AttemptEnd = iota
	AttemptFailed               // by itself
	AttemptKilled
	AttemptLost        // with its executor
	AttemptFetchFailed // it could not read its input
)

// Latencies are the recorded launch latencies of one attempt of an application, ms.
type Latencies struct {
	Halts      bool      // the process of its master ended unregistered
	HaltMS     int64     // from the registration of the master until then
	HaltExit   int32     // what the process returned
	AMMS       int64     // from the allocation of the AM container to its registration, or trace.Unset
	FirstMS    [][]int64 // of the k-th executor: what its first tasks took longer, as in [RecordedExecutor]; nil = not known
	ExecutorMS []int64   // of the k-th container that the application master started, from its acquisition to its registration with the driver; trace.Unset where it never registered
}
