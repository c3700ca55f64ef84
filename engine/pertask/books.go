package pertask

import (
	"math"
	"slices"

	"replay/engine/master"
	"replay/engine/model"
	"replay/engine/protocol"
	"replay/engine/record"
	"replay/trace"
)

// An Attempt is a task attempt as the books have it. Of each there is one for as long as its container lives, so it is small: its row is made when it is over.
type Attempt struct {
	Launch    int64 // [record.None] before it
	Container int64 // number, 0 before it has one

	Stage      *trace.Stage
	Ready      int64
	DurationMS int64 // as [record.Task] has them
	PenaltyMS  int64
	OverheadMS int64
	Cores      int32
	Index      int32 // of its task
	Number     int32 // attempts of the task before it
	Node       int32

	Level       record.TaskLevel
	Miss        record.Miss
	Hosts       bool // it asked for the hosts that its task prefers
	Preferring  bool
	Preferred   bool
	Speculative bool

	booked bool // the core time of its container stands, as its process has gone
}

// New returns an attempt of a task that is ready now.
func New(st *trace.Stage, index, attempt, cores int32, now int64) Attempt {
	return Attempt{Stage: st, Index: index, Number: attempt, Ready: now, Launch: record.None, Cores: cores,
		Preferring: len(st.Tasks.Prefs(int(index))) > 0, DurationMS: st.Tasks.DurationMS[index]}
}

// Prefs are the nodes that the task prefers.
func (a *Attempt) Prefs() []int32 { return a.Stage.Tasks.Prefs(int(a.Index)) }

// Books keep the records of an application whose tasks have containers of their own.
type Books struct {
	Host master.Host
	Job  *record.Job
	row  record.Task // that is being written
}

// Assign gives an attempt its container, and notes on which level that serves its task. Of a container that has run a task before,
// only the level of the task is noted.
func (b *Books) Assign(a *Attempt, container int64, again bool) {
	c := b.Host.Container(container)
	a.Container, a.Node = container, c.Node
	a.Level = record.NoPref
	if !a.Preferring {
		return
	}
	prefs, racks := a.Prefs(), b.Host.Cluster().RackIndex
	match := record.Elsewhere
	a.Level = record.AnyLevel
	switch {
	case slices.Contains(prefs, c.Node):
		match, a.Level, a.Preferred = record.OnHost, record.TaskNodeLocal, true
	case slices.ContainsFunc(prefs, func(n int32) bool { return racks[n] == racks[c.Node] }):
		match, a.Level = record.OnRack, record.TaskRackLocal
	}
	if !a.Hosts || again {
		return
	}
	c.Match = match
	b.Job.ContainersPreferring++
	switch match {
	case record.OnHost:
		b.Job.ContainersPreferred++
		return
	case record.OnRack:
		b.Job.ContainersRackPreferred++
	}
	c.Miss = b.miss(prefs, container, c.Type)
	a.Miss = c.Miss
}

// miss says why a container is on none of the preferred nodes.
func (b *Books) miss(prefs []int32, container int64, scheduled string) record.Miss {
	room := b.Host.Room(container)
	switch {
	case !slices.ContainsFunc(prefs, b.Host.InCluster):
		return record.HostAbsent
	case !slices.ContainsFunc(prefs, room.Has):
		return record.HostBusy
	case scheduled != protocol.NodeLocal.String():
		return record.DelayOver
	}
	return record.MissedByOrder
}

// Unmatched notes that nobody wants a container.
func (b *Books) Unmatched(container int64) {
	if c := b.Host.Container(container); c != nil {
		c.Match, c.End = record.Unmatched, record.EndUnused
	}
}

// Launch is the start of an attempt in the process of its container.
func (b *Books) Launch(a *Attempt) {
	now := b.Host.Now()
	a.Launch = now
	c := b.Host.Container(a.Container)
	if c.Tasks == 0 {
		c.Registered = now
	}
	c.Tasks++
	b.Job.Attempts++
	if b.Job.FirstTask == record.None {
		b.Job.FirstTask, b.Job.FirstRegistered = now, now
	}
	b.Host.Busy(a.Cores)
}

// End writes an attempt: it is over, though its container may not be. One that never began leaves no record.
func (b *Books) End(a *Attempt, end string) {
	if a.Launch == record.None {
		return
	}
	now := b.Host.Now()
	b.Host.Busy(-a.Cores)
	b.Gone(a)
	switch end {
	case record.TaskSuccess:
		b.Job.TaskMS += now - a.Launch
		b.Job.TaskLevels[a.Level]++
		if a.Preferring {
			b.Job.TasksPreferring++
			if a.Preferred {
				b.Job.TasksPreferred++
			}
		}
	case record.TaskRunning:
		b.Job.RunningTaskMS += now - a.Launch
	default:
		b.Job.WastedTaskMS += now - a.Launch
	}
	b.row = record.Task{
		Job: b.Job.ID, Stage: a.Stage.ID, Index: a.Index, Attempt: a.Number, Container: a.Container, Node: a.Node,
		Ready: a.Ready, Launch: a.Launch, Freed: now, Finish: now, Cores: a.Cores, Level: a.Level, Preferring: a.Preferring, Preferred: a.Preferred,
		Miss: a.Miss, Speculative: a.Speculative, End: end, DurationMS: a.DurationMS, PenaltyMS: a.PenaltyMS, OverheadMS: a.OverheadMS,
	}
	if end == record.TaskRunning {
		b.row.Finish, b.row.Freed = record.None, record.None
	}
	b.Host.Task(&b.row)
}

// Gone books the core time of an attempt that has begun to its container: when the attempt or the process of its container is over, whichever is first.
func (b *Books) Gone(a *Attempt) {
	if a.booked || a.Launch == record.None {
		return
	}
	if c := b.Host.Container(a.Container); c != nil {
		a.booked = true
		c.BusyMS += (b.Host.Now() - a.Launch) * int64(a.Cores)
		c.Cores = max(c.Cores, int64(a.Cores))
	}
}

// Reading is what an attempt that takes ms takes longer because its input is not on its node.
func (a *Attempt) Reading(m *model.Model, ms int64) int64 {
	if !a.Preferring || a.Level == record.TaskNodeLocal {
		return 0
	}
	reading := min(float64(ms), float64(a.Stage.Tasks.InputBytes[a.Index])/(m.ReadMiBPerS*(1<<20))*1000)
	more := m.AnyPenalty
	if a.Level == record.TaskRackLocal {
		more = m.RackPenalty
	}
	return int64(math.Round(reading * max(more-1, 0)))
}

// Fails reports whether an attempt fails by itself, given how many of its task have failed before: the trace recorded so many retries.
func (a *Attempt) Fails(before int) bool {
	r := a.Stage.Tasks.Retries
	return r != nil && before < int(r[a.Index])
}
