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
	rows  uint64 // sum over the rows, but for those that wait

	tasks, containers waiting
}

// Kinds of rows.
const (
	ofJob = iota + 1
	ofContainer
	ofTask
)

// Event adds one thing that the scheduler did; the numbers are in a fixed order.
func (d *Digest) Event(n *[11]int64) {
	h := fold(fold(fold(fold(d.order, n[0]), n[1]), n[2]), n[3])
	h = fold(fold(fold(fold(h, n[4]), n[5]), n[6]), n[7])
	d.order = fold(fold(fold(h, n[8]), n[9]), n[10])
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
func (d *Digest) Container(r *Container) {
	n := &d.containers.rows[d.containers.n]
	n[0], n[1], n[2], n[3], n[4], n[5] = r.Job, r.Number, flag(r.AM), int64(r.Node), r.MemMiB, r.VCores
	n[6], n[7], n[8], n[9] = int64(r.Priority), textOfType(r.Type), int64(r.Match), int64(r.Miss)
	n[10], n[11], n[12], n[13], n[14] = flag(r.Hinting), flag(r.Hinted), flag(r.Reserved), r.Asked, r.Allocated
	n[15], n[16], n[17], n[18], n[19] = r.Acquired, r.Started, r.Registered, r.Ended, textOfEnd(r.End)
	n[20], n[21], n[22] = int64(r.Exit), r.Tasks, r.BusyMS
	if d.containers.more() {
		d.mixContainers()
	}
}

// mixContainers adds the containers that wait, mixTasks the task attempts.
func (d *Digest) mixContainers() { d.rows += d.containers.mix(ofAContainer, ofContainer) }
func (d *Digest) mixTasks()      { d.rows += d.tasks.mix(ofAttempt, ofTask) }

// Task adds a task attempt.
func (d *Digest) Task(r *Task) {
	d.tasks.rows[d.tasks.n].of(r)
	d.waits()
}

// waits counts a task attempt more that waits.
func (d *Digest) waits() {
	if d.tasks.more() {
		d.mixTasks()
	}
}

// Wave adds the task attempts of a wave.
func (d *Digest) Wave(w *Wave) {
	var some lanes
	left := len(w.Nodes)
	if left >= len(some) {
		some[0].of(&w.Task)
		some[1], some[2], some[3] = some[0], some[0], some[0]
		stage := mix(ofTask, some[0][:ofStage]...)
		for ; left >= len(some); left -= len(some) {
			for i := range some {
				some[i].ofWave(w, len(w.Nodes)-left+i)
			}
			for _, h := range some.mix(ofStage, ofAttempt, stage) {
				d.rows += h
			}
		}
	}
	for ; left > 0; left-- {
		n := &d.tasks.rows[d.tasks.n]
		n.of(&w.Task)
		n.ofWave(w, len(w.Nodes)-left)
		d.waits()
	}
}

// numbers are those of a task attempt or a container. Of an attempt the first are the same in all of its stage attempt.
type numbers [ofAContainer]int64

const (
	ofAContainer = 23
	ofAttempt    = 19
	ofStage      = 3
)

func (n *numbers) of(r *Task) {
	n[0], n[1], n[2], n[3], n[4] = r.Job, int64(r.Stage), int64(r.StageAttempt), int64(r.Index), int64(r.Attempt)
	n[5], n[6], n[7], n[8], n[9] = r.Container, int64(r.Node), r.Ready, r.Launch, r.Finish
	n[10], n[11], n[12], n[13], n[14] = int64(r.Level), flag(r.Preferring), flag(r.Preferred), int64(r.Miss), flag(r.Speculative)
	n[15], n[16], n[17], n[18] = textOfEnd(r.End), r.DurationMS, r.PenaltyMS, r.OverheadMS
}

// ofWave are those in which an attempt of a wave differs from the others.
func (n *numbers) ofWave(w *Wave, i int) {
	ms, level := w.DurationMS[i], w.Task.Level
	if w.Levels != nil {
		level = w.Levels[i]
	}
	preferring, preferred := Preferences(level)
	n[3], n[5], n[6], n[9] = int64(w.Task.Index)+int64(i), w.Task.Container+int64(i), int64(w.Nodes[i]), w.Task.Launch+ms
	n[10], n[11], n[12], n[16] = int64(level), flag(preferring), flag(preferred), ms
}

// lanes are rows of a kind that are mixed side by side: each number of one waits for the multiplication before it, and none of another.
type lanes [4]numbers

// mix folds the numbers of each, from one of them on and up to another, into h. More than two at a time are more than the registers hold.
func (t *lanes) mix(from, to int, h uint64) [4]uint64 {
	a, b := mixTwo(&t[0], &t[1], from, to, h)
	c, e := mixTwo(&t[2], &t[3], from, to, h)
	return [...]uint64{a, b, c, e}
}

func mixTwo(p, q *numbers, from, to int, h uint64) (a, b uint64) {
	a, b = h, h
	x, y := p[from:to], q[from:to]
	y = y[:len(x)]
	i := 0
	for ; i < len(x)-1; i += 2 {
		a, b = fold(a, x[i]), fold(b, y[i])
		a, b = fold(a, x[i+1]), fold(b, y[i+1])
	}
	if i < len(x) {
		a, b = fold(a, x[i]), fold(b, y[i])
	}
	return a, b
}

// waiting are rows of a kind until there are as many as are mixed side by side.
type waiting struct {
	rows lanes
	n    int // how many there are
}

// more counts a row more, and reports whether there is room for none after it.
func (w *waiting) more() (full bool) {
	w.n++
	return w.n == len(w.rows)
}

// mix returns the sum over the rows, of which none are left.
func (w *waiting) mix(to int, kind uint64) (sum uint64) {
	for i, h := range w.rows.mix(0, to, kind) {
		if i < w.n {
			sum += h
		}
	}
	w.n = 0
	return sum
}

// textOfEnd is text, worked out before for the end of most task attempts and containers; textOfType for the type of most containers.
func textOfEnd(end string) int64 {
	switch end {
	case TaskSuccess:
		return success
	case EndCompleted:
		return completed
	case EndReleased:
		return released
	}
	return text(end)
}

func textOfType(level string) int64 {
	if level == anywhere {
		return offSwitch
	}
	return text(level)
}

const anywhere = "OFF_SWITCH"

var success, completed, released, offSwitch = text(TaskSuccess), text(EndCompleted), text(EndReleased), text(anywhere)

// Hash returns the decision hash of a replay with these totals: 16 hexadecimal digits.
func (d *Digest) Hash(t *Totals) string {
	d.mixTasks()
	d.mixContainers()
	h := mix(d.order, int64(d.rows), t.Jobs, t.JobsSucceeded, t.JobsFailed, t.JobsUnfinished, t.TaskAttempts,
		t.ContainersAllocated, t.ContainersEnded, t.Reservations, t.NodeHeartbeats, t.AMHeartbeats, t.Updates, t.EndMS)
	return fmt.Sprintf("%016x", h)
}

// mix folds numbers into h.
func mix(h uint64, numbers ...int64) uint64 {
	for _, n := range numbers {
		h = fold(h, n)
	}
	return h
}

// fold folds a number into h, by a multiplication of 64 by 64 bits whose halves are joined: a change of one bit spreads over all.
func fold(h uint64, n int64) uint64 {
	hi, lo := bits.Mul64(h^0x9e3779b97f4a7c15, uint64(n)^0xbf58476d1ce4e5b9)
	return hi ^ lo + bits.RotateLeft64(h, 23)
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
