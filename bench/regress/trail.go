package regress

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"

	"replay/engine/record"
)

// A Trail is a sink that keeps a running sum of all that a replay writes, row by row, thinned out to a few thousand marks. Of two trails
// the first mark that differs says where two replays part, so a baseline need not keep its decisions.
type Trail struct {
	sum   uint64
	rows  int64
	every int64 // rows to a mark, a power of 2
	marks []uint16
	want  int64 // number of a row whose text is kept, from 1
	row   string
}

// most is how many marks are kept; above it every other one goes.
const most = 4096

// NewTrail returns an empty trail that keeps the text of row want, from 1; 0 for none.
func NewTrail(want int64) *Trail { return &Trail{every: 1, want: want} }

func (t *Trail) add(kind uint64, numbers ...int64) {
	h := t.sum + kind
	for _, n := range numbers {
		h = (h ^ uint64(n)) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	t.sum = h
	t.rows++
	if t.rows%t.every != 0 {
		return
	}
	t.marks = append(t.marks, uint16(h>>48))
	if len(t.marks) > most {
		for i := range most / 2 {
			t.marks[i] = t.marks[2*i+1]
		}
		t.marks = t.marks[:most/2]
		t.every *= 2
		if t.rows%t.every == 0 {
			t.marks = append(t.marks, uint16(h>>48))
		}
	}
}

func word(s string) int64 {
	h := uint64(len(s))
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 0x100000001b3
	}
	return int64(h)
}

// Job is part of [record.Sink].
func (t *Trail) Job(r *record.Job) {
	if t.rows+1 == t.want {
		t.row = fmt.Sprintf("job %d is over at %d ms: %s", r.ID, r.Finish, r.Outcome)
	}
	t.add(1, r.ID, word(r.Queue), word(r.Outcome), r.Submit, r.FirstAllocated, r.FirstTask, r.Finish, r.Attempts, r.Containers, r.MemMiBMS, r.VCoreMS, r.WastedTaskMS+r.RunningTaskMS)
}

// Container is part of [record.Sink].
func (t *Trail) Container(r *record.Container) {
	if t.rows+1 == t.want {
		t.row = fmt.Sprintf("container %d of job %d on node %d, from %d to %d ms: %s", r.Number, r.Job, r.Node, r.Allocated, r.Ended, r.End)
	}
	t.add(2, r.Job, r.Number, int64(r.Node), r.MemMiB, r.VCores, word(r.Type), r.Asked, r.Allocated, r.Acquired, r.Started, r.Registered, r.Ended, word(r.End), r.Tasks, r.BusyMS)
}

// Task is part of [record.Sink].
func (t *Trail) Task(r *record.Task) {
	if t.rows+1 == t.want {
		t.row = fmt.Sprintf("task %d of stage %d of job %d on node %d, from %d to %d ms: %s", r.Index, r.Stage, r.Job, r.Node, r.Launch, r.Finish, r.End)
	}
	t.add(3, r.Job, int64(r.Stage), int64(r.StageAttempt), int64(r.Index), int64(r.Attempt), r.Container, int64(r.Node), r.Ready, r.Launch, r.Finish, int64(r.Level), word(r.End))
}

// Sample is part of [record.Sink]; samples decide nothing.
func (t *Trail) Sample(*record.Sample) {}

// Node is part of [record.Sink]; the states of nodes follow from the trace and from decisions.
func (t *Trail) Node(*record.Node) {}

// Decision is part of [record.Sink].
func (t *Trail) Decision(r *record.Decision) {
	if t.rows+1 == t.want {
		t.row = fmt.Sprintf("decision %d at %d ms: %s container %d of job %d on node %d %s", r.Seq, r.Time, r.Kind, r.Container, r.Job, r.Node, r.Type)
	}
	t.add(4, r.Seq, r.Time, word(r.Kind), r.Job, r.Container, int64(r.Node), word(r.Type), int64(r.Priority), r.MemMiB, r.VCores)
}

// Row is the text of the row that was wanted, "" if there was none.
func (t *Trail) Row() string { return t.row }

// Marks are a trail as a baseline keeps it.
type Marks struct {
	Rows  int64  `json:"rows"`
	Every int64  `json:"every"`
	Text  string `json:"marks"` // base64 of 16 bits each, little end first
}

// Marks returns the trail.
func (t *Trail) Marks() Marks {
	bytes := make([]byte, 0, 2*len(t.marks))
	for _, m := range t.marks {
		bytes = binary.LittleEndian.AppendUint16(bytes, m)
	}
	return Marks{t.rows, t.every, base64.StdEncoding.EncodeToString(bytes)}
}

// parts returns the rows, from 1 and from the first up to the last, among which two trails part; false if none is known.
func (m Marks) parts(o Marks) (first, last int64, ok bool) {
	a, errA := base64.StdEncoding.DecodeString(m.Text)
	b, errB := base64.StdEncoding.DecodeString(o.Text)
	if errA != nil || errB != nil || m.Every < 1 || o.Every < 1 {
		return 0, 0, false
	}
	every := max(m.Every, o.Every)
	at := func(marks []byte, own, i int64) (uint16, bool) {
		k := 2 * (i*(every/own) - 1) // mark i*every/own of its own, from 1
		if k < 0 || k+2 > int64(len(marks)) {
			return 0, false
		}
		return binary.LittleEndian.Uint16(marks[k:]), true
	}
	for i := int64(1); ; i++ {
		x, hasX := at(a, m.Every, i)
		y, hasY := at(b, o.Every, i)
		if hasX && hasY && x == y {
			continue
		}
		first, last = (i-1)*every+1, min(i*every, max(m.Rows, o.Rows))
		return first, last, first <= last
	}
}
