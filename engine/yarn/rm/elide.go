package rm

import (
	"replay/engine/protocol"
	"replay/engine/yarn"
)

// What the fast loop asks before it has a heartbeat or an update executed. The ResourceManager knows which nodes have news for it.
// Where the scheduler is a [yarn.Elider] it knows on which of the others it would do something. Besides, nothing happens while no
// application is there, no process is left on a node and no node drains: then each cycle of heartbeats and each update leaves
// everything as the one before it did, and it is enough to run the last update for its time.

// idle is what was left out while nothing was there.
type idle struct {
	update   int64 // time of the last update that was left out, 0 for none
	stopped  []stopped
	cleanups int // clean-ups since anything was there

	paused  bool
	passes  stopped // while paused: passes of continuous scheduling, which would do nothing
	changes int64   // of the scheduler, as of which that is so
}

// stopped is a periodic timer that is not scheduled while it would do nothing.
type stopped struct {
	timer  Timer
	period int64
	next   int64 // time at which it would have run next
}

// due returns the first of the timer's times at now or after it.
func (t *stopped) due(now int64) int64 {
	return t.next + max(now-t.next+t.period-1, 0)/t.period*t.period
}

// again schedules a periodic timer for its next time, or stops it where it would do nothing.
func (r *RM) again(now int64, t Timer, period int64, stop bool) {
	if stop {
		r.idle.stopped = append(r.idle.stopped, stopped{t, period, now + period})
		return
	}
	r.host.At(now+period, t, 0, 0)
}

// pause stops passes of continuous scheduling that would do nothing until something changes, and reports whether it has.
func (r *RM) pause(now int64) bool {
	p, knows := r.sched.(yarn.Passer)
	if !knows || r.config.Dense || p.PassDue() {
		return false
	}
	r.idle.paused, r.idle.changes = true, p.Changes()
	r.idle.passes = stopped{ContinuousPass, r.config.ContinuousMS, now + r.config.ContinuousMS}
	return true
}

// PassesGoOn has passes go on if something has changed by now, with the next one at or after now that has not passed.
func (r *RM) PassesGoOn(now int64) {
	x := &r.idle
	if !x.paused || r.sched.(yarn.Passer).Changes() == x.changes {
		return
	}
	x.paused = false
	at := x.passes.due(now)
	if at == now && r.host.Passed(ContinuousPass) {
		at += x.passes.period
	}
	r.host.At(at, ContinuousPass, 0, 0)
}

// Quiet reports whether nothing is there that a heartbeat or an update could change.
func (r *RM) Quiet() bool { return r.live == 0 && r.unheard == 0 }

// leaveOut reports whether what does nothing while nothing is there may be left out.
func (r *RM) leaveOut() bool { return !r.config.Dense && r.Quiet() }

// Epoch says which nodes may send heartbeats from now on, in their order within a cycle; heartbeats are numbered as [yarn.Elider] has it.
func (r *RM) Epoch(ranks []protocol.NodeID) {
	r.settle()
	for i := range r.nodes {
		n := &r.nodes[i]
		n.rank, n.due, n.moves = 0, false, false
	}
	r.due.Reset(len(ranks))
	r.dues = 0
	r.known.begin(ranks, r.host)
	if e := r.decides; e != nil {
		e.Epoch(ranks)
	}
}

// Beats says that the node at a place of the epoch sends heartbeats from now on, or that it sends none any more.
func (r *RM) Beats(rank int, on bool) {
	r.settle()
	n := &r.nodes[r.known.ranks[rank]]
	r.isDue(n, false)
	n.rank, n.moves = 0, false
	r.known.nodes.Set(rank, false)
	r.known.none = 0 // the host looks for its next heartbeat when all this has been said
	if on {
		n.rank = int32(rank + 1)
		r.note(n)
	}
	if e := r.decides; e != nil {
		e.Beats(rank, on)
	}
}

// NextHeartbeat returns the first heartbeat from h on that is to be executed, as [yarn.Elider] has it.
func (r *RM) NextHeartbeat(h, limit, far int64) int64 {
	if r.Quiet() {
		return limit
	}
	e := r.decides
	if e == nil {
		return h
	}
	r.news = false
	from, due := r.known.cycle.Rank(h), int64(-1)
	if r.dues > 0 {
		off, _ := r.due.After(from)
		due = h + int64(off)
		far = min(far, due)
		limit = min(limit, far)
		r.fetchAt(from+off, 0)
	}
	if limit == h {
		return h
	}
	next := e.NextHeartbeat(h, limit, far)
	if r.matters = r.endsMatter(); r.matters {
		if off, ok := r.known.nodes.After(from); ok {
			next = min(next, h+int64(off))
		}
	}
	if next == due { // what was fetched is there
		r.fetchAt(from+int(due-h), 1)
	}
	return next
}

// Still reports whether the last answer of [RM.NextHeartbeat] holds, as [yarn.Elider] has it.
func (r *RM) Still() bool {
	return r.decides != nil && !r.news && !r.Quiet() && r.decides.Still() && r.endsMatter() == r.matters
}

// endsMatter reports whether heartbeats are executed for ends of which [RM.EndLate] has others left out.
func (r *RM) endsMatter() bool { return r.endLate && r.ender != nil && r.ender.EndsMatter() }

// CreditHeartbeats accounts for the heartbeats from h to before end, which are not executed.
func (r *RM) CreditHeartbeats(h, end int64) {
	if e := r.decides; e != nil && !r.Quiet() {
		e.CreditHeartbeats(h, end)
	}
}

// UpdateDue reports whether the next update is to be executed.
func (r *RM) UpdateDue() bool {
	if r.Quiet() {
		return false
	}
	if e := r.decides; e != nil {
		r.Hear()
		return e.UpdateDue()
	}
	return true
}

// CreditUpdate accounts for an update at a time, which is not executed.
func (r *RM) CreditUpdate(at int64) {
	if e := r.decides; e != nil && !r.Quiet() {
		e.CreditUpdate(at)
		return
	}
	r.idle.update = at
}

// settle brings up to date what was credited.
func (r *RM) settle() {
	if at := r.idle.update; at > 0 {
		r.idle.update = 0
		r.sched.SetClock(r.config.StartMS + at)
		r.sched.Update()
	}
	if r.decides != nil {
		r.decides.Settle()
	}
}

// CatchUp lets the scheduler tell of its queues what it would after all heartbeats and updates so far. Without it a queue of which the last
// application has ended keeps its demand for as long as nothing is there.
func (r *RM) CatchUp() {
	r.Hear()
	if r.idle.update > 0 {
		r.settle()
	}
}

// resume schedules the timers that were stopped, each for the first of its times that has not passed.
func (r *RM) resume(now int64) {
	for _, t := range r.idle.stopped {
		r.host.At(t.due(now), t.timer, 0, 0)
	}
	r.idle.stopped = r.idle.stopped[:0]
}
