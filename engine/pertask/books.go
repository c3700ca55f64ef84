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

// An Attempt is a task attempt as the books have it.
type Attempt struct {
	Stage     *trace.Stage
	Hosts     bool  // it asked for the hosts that its task prefers
	Container int64 // number, 0 before it has one
	Rec       record.Task

	booked bool // the core time of its container stands, as its process has gone
}

// New returns an attempt of a task that is ready now.
func New(job int64, st *trace.Stage, index, attempt, cores int32, now int64) Attempt {
	return Attempt{Stage: st, Rec: record.Task{
		Job: job, Stage: st.ID, Index: index, Attempt: attempt, Ready: now, Launch: record.None, Freed: record.None, Finish: record.None,
		Cores: cores, Preferring: len(st.Tasks.Prefs(int(index))) > 0, DurationMS: st.Tasks.DurationMS[index],
	}}
}

// Prefs are the nodes that the task prefers.
func (a *Attempt) Prefs() []int32 { return a.Stage.Tasks.Prefs(int(a.Rec.Index)) }

// Books keep the records of an application whose tasks have containers of their own.
type Books struct {
	Host master.Host
	Job  *record.Job
}

// Assign gives an attempt its container, and notes on which level that serves its task. Of a container that has run a task before,
// only the level of the task is noted.
func (b *Books) Assign(a *Attempt, container int64, again bool) {
	c := b.Host.Container(container)
	a.Container, a.Rec.Container, a.Rec.Node = container, container, c.Node
	prefs := a.Prefs()
	a.Rec.Level = record.NoPref
	if len(prefs) == 0 {
		return
	}
	racks := b.Host.Cluster().RackIndex
	match := record.Elsewhere
	a.Rec.Level = record.AnyLevel
	switch {
	case slices.Contains(prefs, c.Node):
		match, a.Rec.Level, a.Rec.Preferred = record.OnHost, record.TaskNodeLocal, true
	case slices.ContainsFunc(prefs, func(n int32) bool { return racks[n] == racks[c.Node] }):
		match, a.Rec.Level = record.OnRack, record.TaskRackLocal
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
	a.Rec.Miss = c.Miss
}

// miss says why a container is on none of the preferred nodes.
func (b *Books) miss(prefs []int32, container int64, scheduled string) record.Miss {
	room := b.Host.Room(container)
	switch {
	case !slices.ContainsFunc(prefs, b.Host.InCluster):
		return record.HostAbsent
	case !slices.ContainsFunc(prefs, func(p int32) bool { _, ok := slices.BinarySearch(room, p); return ok }):
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
	a.Rec.Launch = now
	c := b.Host.Container(a.Container)
	if c.Tasks == 0 {
		c.Registered = now
	}
	c.Tasks++
	b.Job.Attempts++
	if b.Job.FirstTask == record.None {
		b.Job.FirstTask, b.Job.FirstRegistered = now, now
	}
	b.Host.Busy(a.Rec.Cores)
}

// End writes an attempt: it is over, though its container may not be. One that never began leaves no record.
func (b *Books) End(a *Attempt, end string) {
	if a.Rec.Launch == record.None {
		return
	}
	now := b.Host.Now()
	a.Rec.Finish, a.Rec.Freed, a.Rec.End = now, now, end
	if end == record.TaskRunning {
		a.Rec.Finish, a.Rec.Freed = record.None, record.None
	}
	b.Host.Busy(-a.Rec.Cores)
	b.Gone(a)
	switch end {
	case record.TaskSuccess:
		b.Job.TaskMS += now - a.Rec.Launch
		b.Job.TaskLevels[a.Rec.Level]++
		if a.Rec.Preferring {
			b.Job.TasksPreferring++
			if a.Rec.Preferred {
				b.Job.TasksPreferred++
			}
		}
	case record.TaskRunning:
		b.Job.RunningTaskMS += now - a.Rec.Launch
	default:
		b.Job.WastedTaskMS += now - a.Rec.Launch
	}
	b.Host.Task(&a.Rec)
}

// Gone books the core time of an attempt that has begun to its container: when the attempt or the process of its container is over, whichever is first.
func (b *Books) Gone(a *Attempt) {
	if c := b.Host.Container(a.Container); c != nil && !a.booked && a.Rec.Launch != record.None {
		a.booked = true
		c.BusyMS += (b.Host.Now() - a.Rec.Launch) * int64(a.Rec.Cores)
		c.Cores = max(c.Cores, int64(a.Rec.Cores))
	}
}

// Reading is what an attempt that takes ms takes longer because its input is not on its node.
func (a *Attempt) Reading(m *model.Model, ms int64) int64 {
	if !a.Rec.Preferring || a.Rec.Level == record.TaskNodeLocal {
		return 0
	}
	reading := min(float64(ms), float64(a.Stage.Tasks.InputBytes[a.Rec.Index])/(m.ReadMiBPerS*(1<<20))*1000)
	more := m.AnyPenalty
	if a.Rec.Level == record.TaskRackLocal {
		more = m.RackPenalty
	}
	return int64(math.Round(reading * max(more-1, 0)))
}

// Fails reports whether an attempt fails by itself, given how many of its task have failed before: the trace recorded so many retries.
func (a *Attempt) Fails(before int) bool {
	r := a.Stage.Tasks.Retries
	return r != nil && before < int(r[a.Rec.Index])
}
