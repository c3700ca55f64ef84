package record

// A Cause says what an application waited for, in the ResourceManager or before its first task.
type Cause string

// Causes of a wait for the next container.
const (
	CauseRunningLimit Cause = "running-limit" // a queue or the user runs as many applications as it may
	CauseAMShare      Cause = "am-share"      // application masters have all that they may have
	CauseQueueLimit   Cause = "queue-limit"   // a queue has all that it may have
	CauseUserLimit    Cause = "user-limit"    // the user has all that a user of the queue may have
	CauseBehind       Cause = "behind"        // one before it in its queue waits for a limit, and none behind that one is served
	CauseNoRoom       Cause = "no-room"       // no node has room
	CausePassedOver   Cause = "passed-over"   // room was there, and others were served first
	CauseUnwanted     Cause = "unwanted"      // room is where the application takes nothing: elsewhere than asked for, or on its blacklist
	CauseDelay        Cause = "delay"         // room is farther away than delay scheduling accepts yet
	CauseReservation  Cause = "reservation"   // room is reserved for others
	CauseTurn         Cause = "turn"          // room is there, on a node whose turn has not come
	CauseGate         Cause = "gate"          // executors are there, and fewer than the application's code begins with
	CauseOrphaned     Cause = "orphaned"      // the application master was lost, and what goes on without it gets no more
)

// A Reason is a span of time in which one cause kept an application from its next container, with the numbers that held when it began.
// Times of one attempt don't overlap.
type Reason struct {
	Job       int64
	AMAttempt int64
	From, To  int64
	Cause     Cause
	AM        bool // the container is the application master's
	MemMiB    int64
	VCores    int64 // of the container

	Queue                 string // whose limit holds
	User                  string
	UsedMem, UsedVCores   int64
	LimitMem, LimitVCores int64
	Running, Most         int64 // applications, of CauseRunningLimit

	Node                int32 // that lacks least of CauseNoRoom, else one with room; [None] without
	FreeMem, FreeVCores int64 // on it
	Level               string
	Ahead               int64 // job that was served first, holds the reservation, or is waited behind, [None] without
	Passed              int64 // containers that others got, of CausePassedOver

	Ended Decision // in the millisecond in which it ended; its Kind is "" when nothing was decided then
}

// A Holder is a Sink that is told what is held when a replay goes on from a state: each container that was allocated before and has not ended, as the decision by which it was, without a number.
type Holder interface {
	Sink
	Held(*Decision)
}

// Reasons is a Sink that takes reasons too. Finding them costs time, and is done for the jobs that it wants.
type Reasons interface {
	Sink
	Explains(job int64) bool
	Reason(*Reason)
}
