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

// Kinds of rows.
const (
	ofJob = iota + 1
	ofContainer
	ofTask
)

// Event adds one thing that the scheduler did; the numbers are in a fixed order.
func (d *Digest) Event(n *[8]int64) {
	d.order = both(both(both(both(d.order, n[0], n[1]), n[2], n[3]), n[4], n[5]), n[6], n[7])
}

// Job adds the life of a job.
func (d *Digest) Job(r *Job) {
	h := mix(ofJob, r.ID, text(r.Queue), text(r.Outcome), r.Submit, r.AMScheduled, r.AMAllocated, r.AMRegistered, r.FirstAsked,
		r.FirstAllocated, r.FirstRegistered, r.FirstTask, r.Finish, r.TasksSucceeded, r.TasksFailed, r.Attempts, r.StageAttempts,
		r.TasksPreferring, r.TasksPreferred, r.Containers, r.ContainersPreferring, r.ContainersPreferred, r.ContainersRackPreferred,
		r.ContainersHinting, r.ContainersHinted, r.MemMiBMS, r.VCoreMS, r.TaskMS, r.WastedTaskMS+r.RunningTaskMS)
	d.rows += mix(h, r.TaskLevels[:]...)
}

// Container adds the life of a container.
func (d *Digest) Container(r *Container) { d.rows += r.mix() }

// Containers adds the lives of containers; see [Digest.Tasks].
func (d *Digest) Containers(rows []Container) {
	sum := uint64(0)
	for i := range rows {
		sum += rows[i].mix()
	}
	d.rows += sum
}

func (r *Container) mix() uint64 {
	small := flag(r.AM) | flag(r.Hinting)<<1 | flag(r.Hinted)<<2 | flag(r.Reserved)<<3 | int64(r.Match)<<8 | int64(r.Miss)<<16
	h := both(both(ofContainer, r.Job, r.Number), Pair(r.Node, r.Exit), Pair(r.Priority, 0)|small<<32)
	h = both(both(h, textOfType(r.Type), textOfEnd(r.End)), r.MemMiB, r.VCores)
	h = both(both(h, r.Asked, r.Allocated), r.Acquired, r.Started)
	return both(both(h, r.Registered, r.Ended), r.Tasks, r.BusyMS)
}

// Task adds a task attempt.
func (d *Digest) Task(r *Task) { d.rows += r.mix(r.mixStage()) }

// Tasks adds task attempts. Each number of one waits for the multiplication before it, and none of the next one, which the processor begins meanwhile.
func (d *Digest) Tasks(rows []Task) {
	if len(rows) == 0 {
		return
	}
	last, stage, sum := &rows[0], rows[0].mixStage(), uint64(0)
	for i := range rows {
		r := &rows[i]
		if r.Job != last.Job || r.Stage != last.Stage || r.StageAttempt != last.StageAttempt {
			last, stage = r, r.mixStage()
		}
		sum += r.mix(stage)
	}
	d.rows += sum
}

// Wave adds the task attempts of a wave.
func (d *Digest) Wave(w *Wave) {
	t := w.Task
	stage := t.mixStage()
	for i := range w.Nodes {
		w.attempt(i, &t)
		d.rows += t.mix(stage)
	}
}

// mixStage folds what is the same of all attempts of a stage attempt, mix all else into that.
func (r *Task) mixStage() uint64 { return both(ofTask, r.Job, Pair(r.Stage, r.StageAttempt)) }

func (r *Task) mix(h uint64) uint64 {
	small := flag(r.Preferring) | flag(r.Preferred)<<1 | flag(r.Speculative)<<2 | int64(r.Level)<<8 | int64(r.Miss)<<16
	end := success
	if r.End != TaskSuccess {
		end = text(r.End)
	}
	h = both(both(h, Pair(r.Index, r.Attempt), Pair(r.Node, 0)|small<<32), r.Container, r.Ready)
	return both(both(both(h, r.Launch, r.Finish), r.DurationMS, r.PenaltyMS), r.OverheadMS, end)
}

// textOfEnd is text, worked out before for the end of most containers; textOfType for the types that there are.
func textOfEnd(end string) int64 {
	switch end {
	case EndCompleted:
		return completed
	case EndReleased:
		return released
	}
	return text(end)
}

func textOfType(level string) int64 {
	switch level {
	case onNode:
		return nodeLocal
	case onRack:
		return rackLocal
	case anywhere:
		return offSwitch
	}
	return text(level)
}

const onNode, onRack, anywhere = "NODE_LOCAL", "RACK_LOCAL", "OFF_SWITCH"

var success, completed, released = text(TaskSuccess), text(EndCompleted), text(EndReleased)

var nodeLocal, rackLocal, offSwitch = text(onNode), text(onRack), text(anywhere)

// Hash returns the decision hash of a replay with these totals: 16 hexadecimal digits.
func (d *Digest) Hash(t *Totals) string {
	h := mix(d.order, int64(d.rows), t.Jobs, t.JobsSucceeded, t.JobsFailed, t.JobsUnfinished, t.TaskAttempts,
		t.ContainersAllocated, t.ContainersEnded, t.Reservations, t.NodeHeartbeats, t.AMHeartbeats, t.Updates, t.EndMS)
	return fmt.Sprintf("%016x", h)
}

// mix folds numbers into h.
func mix(h uint64, numbers ...int64) uint64 {
	for ; len(numbers) > 1; numbers = numbers[2:] {
		h = both(h, numbers[0], numbers[1])
	}
	if len(numbers) > 0 {
		h = both(h, numbers[0], 0)
	}
	return h
}

// both folds two numbers into h, by a multiplication of 64 by 64 bits whose halves are joined: a change of one bit spreads over all. The
// constants keep small numbers from being the factor 0, beside which the other one does not count.
func both(h uint64, a, b int64) uint64 {
	hi, lo := bits.Mul64(uint64(a)^0x9e3779b97f4a7c15, uint64(b)^h^0xbf58476d1ce4e5b9)
	return hi ^ lo
}

// Pair returns two numbers as one.
func Pair(low, high int32) int64 { return int64(uint32(low)) | int64(high)<<32 }

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
