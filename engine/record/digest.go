package record

import (
	"fmt"
	"math/bits"
)

// A Digest sums a replay up in 64 bits, the decision hash: two replays that decided alike have the same one, and any
// decision, time, node or count that differs gives another. What the scheduler does enters in its order. Rows of jobs,
// containers and task attempts carry their times and enter as a set, so it does not matter in which order a replay
// writes them. Samples, names, texts and the counts of work done by an engine (Totals.Events, ExecutedHeartbeats)
// do not enter. The zero value is an empty replay.
//
// The mapping is part of the output: it changes only together with all pinned hashes.
type Digest struct {
	order uint64 // of the scheduler's events
	rows  uint64 // sum over the rows
}

// Event adds one thing that the scheduler did; the numbers are those of its kind, in a fixed order.
func (d *Digest) Event(numbers ...int64) { d.order = mix(d.order, numbers...) }

// Job adds the life of a job.
func (d *Digest) Job(r *Job) {
	h := mix(1, r.ID, text(r.Queue), text(r.Outcome), r.Submit, r.AMScheduled, r.AMAllocated, r.AMRegistered, r.FirstAsked,
		r.FirstAllocated, r.FirstRegistered, r.FirstTask, r.Finish, r.TasksSucceeded, r.TasksFailed, r.Attempts, r.StageAttempts,
		r.TasksPreferring, r.TasksPreferred, r.Containers, r.ContainersPreferring, r.ContainersPreferred, r.ContainersRackPreferred,
		r.ContainersHinting, r.ContainersHinted, r.MemMiBMS, r.VCoreMS, r.TaskMS, r.WastedTaskMS)
	d.rows += mix(h, r.TaskLevels[:]...)
}

// Container adds the life of a container.
func (d *Digest) Container(r *Container) {
	d.rows += mix(2, r.Job, r.Number, flag(r.AM), int64(r.Node), r.MemMiB, r.VCores, int64(r.Priority), text(r.Type), int64(r.Match),
		int64(r.Miss), flag(r.Hinting), flag(r.Hinted), flag(r.Reserved), r.Asked, r.Allocated, r.Acquired, r.Started, r.Registered,
		r.Ended, text(r.End), int64(r.Exit), r.Tasks, r.BusyMS)
}

// Task adds a task attempt.
func (d *Digest) Task(r *Task) {
	d.rows += mix(3, r.Job, int64(r.Stage), int64(r.StageAttempt), int64(r.Index), int64(r.Attempt), r.Container, int64(r.Node),
		r.Ready, r.Launch, r.Finish, int64(r.Level), flag(r.Preferring), flag(r.Preferred), int64(r.Miss), flag(r.Speculative),
		text(r.End), r.DurationMS, r.PenaltyMS, r.OverheadMS)
}

// Hash returns the decision hash of a replay with these totals: 16 hexadecimal digits.
func (d *Digest) Hash(t *Totals) string {
	h := mix(d.order, int64(d.rows), t.Jobs, t.JobsSucceeded, t.JobsFailed, t.JobsUnfinished, t.TaskAttempts,
		t.ContainersAllocated, t.ContainersEnded, t.Reservations, t.NodeHeartbeats, t.AMHeartbeats, t.Updates, t.EndMS)
	return fmt.Sprintf("%016x", h)
}

// mix folds numbers into h, each by a multiplication of 64 by 64 bits whose halves are joined: a change of one bit
// spreads over all.
func mix(h uint64, numbers ...int64) uint64 {
	for _, n := range numbers {
		hi, lo := bits.Mul64(h^0x9e3779b97f4a7c15, uint64(n)^0xbf58476d1ce4e5b9)
		h = hi ^ lo + bits.RotateLeft64(h, 23)
	}
	return h
}

func text(s string) int64 {
	h := uint64(len(s))
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 0x100000001b3
	}
	return int64(h)
}

func flag(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
