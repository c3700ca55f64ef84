package engine

import (
	"cmp"
	"slices"

	"replay/engine/master"
	"replay/engine/protocol"
	"replay/engine/record"
	"replay/engine/yarn"
	"replay/policy/resource"
)

// reasons follows why applications wait for their next containers: after each thing that may change it, the scheduler is asked. There is
// none unless the sink wants it.
//
// Not all are asked each time. One that wants nothing is not before its master has spoken or one of its containers has come or ended, one of many that wait alike is asked for all of them (group), and
// after a heartbeat of a node that changed nothing only those are that count offers. The dense engine asks all of them.
type reasons struct {
	s       *sim
	sink    record.Reasons
	why     yarn.Explainer
	waits   []*waiting // that are asked each by itself, in the order in which they entered
	woken   []*waiting // to be asked again by themselves, in any order
	rests   []*waiting // the others, idle or in a group, by slot
	groups  []*group
	groupOf map[yarn.Alike]*group
	offers  []*waiting // of waits, those with [yarn.Refusal.Offers]
	count   int64      // of those that have entered
	stale   bool       // something has happened since the last look
	all     bool       // and that was more than a heartbeat of a node
	nodes   int64      // changes of nodes as of the last look
	last    record.Decision
}

// waiting is an attempt that is followed.
type waiting struct {
	a      *app
	number int64         // in the order in which they entered
	wanted bool          // something, since it entered
	offers bool          // see [yarn.Refusal.Offers]
	now    record.Reason // Cause "" while it waits for nothing
	passed int64         // containers that others got in the room that it could have had, since it last got one or saw room
	ahead  int64         // job of the first of them
	before record.Cause  // as of the last look, without regard to passed

	group   *group // nil while it is asked by itself
	member  int    // place in the group
	fresh   int    // place in [group.fresh] plus 1, 0 outside of it
	counted int64  // [group.passed] less passed, as it joined
}

// explaining returns the observer of reasons, nil when the sink wants none or the scheduler knows none.
func (s *sim) explaining(sink record.Sink) *reasons {
	to, wanted := sink.(record.Reasons)
	why, can := s.rm.Scheduler().(yarn.Explainer)
	if !wanted || !can {
		return nil
	}
	r := &reasons{s: s, sink: to, why: why, groupOf: map[yarn.Alike]*group{}}
	if t, ok := why.(yarn.Turner); ok {
		t.OnTurn(r.turned)
	}
	return r
}

// changed notes that the answers may be others.
func (r *reasons) changed() { r.stale, r.all = true, true }

// enter begins to follow an attempt.
func (r *reasons) enter(a *app) {
	if !a.plan.Recorded && r.sink.Explains(a.rec.ID) {
		r.count++
		r.waits = append(r.waits, &waiting{a: a, number: r.count})
	}
	r.changed()
}

// wake has an attempt asked again by itself: one that may want something from now on, or something else, or is gone.
func (r *reasons) wake(a *app) {
	if r.all = true; int(a.slot) < len(r.rests) && r.rests[a.slot] != nil && r.rests[a.slot].a == a {
		r.rise(r.rests[a.slot])
	}
}

// turned wakes the present attempt of an application.
func (r *reasons) turned(id protocol.AppID) {
	if a := r.s.left.latest(id); a != nil {
		r.wake(a)
	}
}

// rise has one that rests asked by itself.
func (r *reasons) rise(w *waiting) {
	r.rests[w.a.slot] = nil
	if w.group != nil {
		r.leave(w)
	}
	r.woken = append(r.woken, w)
}

// rest has an attempt not asked by itself until it is woken, and reports whether it does: one that wants nothing, and one that waits as others do. What one that has entered wants is asked for by the
// ResourceManager, at its time.
func (r *reasons) rest(w *waiting) bool {
	if w.wanted = w.wanted || w.before != ""; !w.wanted || r.s.beats.dense || w.before != "" && !r.join(w) {
		return false
	}
	for int(w.a.slot) >= len(r.rests) {
		r.rests = append(r.rests, nil)
	}
	r.rests[w.a.slot] = w
	return true
}

// gather has those that were woken among those that are asked by themselves.
func (r *reasons) gather() {
	if len(r.woken) == 0 {
		return
	}
	first := func(a, b *waiting) int { return cmp.Compare(a.number, b.number) }
	slices.SortFunc(r.woken, first)
	r.waits = append(r.waits, r.woken...)
	slices.SortStableFunc(r.waits, first)
	clear(r.woken)
	r.woken = r.woken[:0]
}

// saw takes note of what the scheduler did.
func (r *reasons) saw(e *yarn.Event) {
	r.changed()
	r.last = r.s.decision(e)
	r.turned(e.App) // of a container that ends its ask may come back
	if e.Kind != yarn.Allocated || e.Update != (protocol.ContainerID{}) {
		return
	}
	r.pass(r.waits, e)
	r.pass(r.woken, e)
	r.passGroups(e)
}

// pass counts a container that was allocated for those of a list that could have had its room.
func (r *reasons) pass(list []*waiting, e *yarn.Event) {
	for _, w := range list {
		if w.a.id == e.App {
			w.passed = 0
			continue
		}
		switch w.before {
		case record.CauseNoRoom, record.CauseTurn, record.CauseReservation, record.CauseDelay:
			if r.why.Could(w.a.id, e.Container) {
				if w.passed == 0 {
					w.ahead = r.last.Job
				}
				w.passed++
			}
		}
	}
}

// look asks again why applications wait, after something has happened.
func (r *reasons) look() {
	if !r.stale {
		return
	}
	r.stale = false
	if changes := r.why.NodeChanges(); r.all || changes != r.nodes || r.s.beats.dense {
		r.all, r.nodes = false, changes
		r.lookAtAll()
	} else {
		for _, w := range r.offers {
			r.update(w)
		}
	}
	r.offers = slices.DeleteFunc(r.offers, func(w *waiting) bool { return !w.offers })
	r.s.beats.watched = len(r.offers) > 0
}

func (r *reasons) lookAtAll() {
	r.askGroups()
	r.gather()
	kept := r.waits[:0]
	r.offers = r.offers[:0]
	for _, w := range r.waits {
		if w.a.gone {
			r.close(w)
			r.gate(w.a)
			continue
		}
		if r.update(w); r.rest(w) {
			continue
		}
		kept = append(kept, w)
		if w.offers {
			r.offers = append(r.offers, w)
		}
	}
	clear(r.waits[len(kept):])
	r.waits = kept
	for _, g := range r.groups {
		g.looked()
	}
}

var causes = [...]record.Cause{yarn.WaitsForNone: "", yarn.RunningLimit: record.CauseRunningLimit, yarn.AMShare: record.CauseAMShare,
	yarn.QueueLimit: record.CauseQueueLimit, yarn.UserLimit: record.CauseUserLimit, yarn.Behind: record.CauseBehind, yarn.NoRoom: record.CauseNoRoom, yarn.Unwanted: record.CauseUnwanted,
	yarn.LocalityDelay: record.CauseDelay, yarn.HeldForOther: record.CauseReservation, yarn.Turn: record.CauseTurn}

func (r *reasons) update(w *waiting) {
	f := r.why.Why(w.a.id)
	cause := causes[f.Cause]
	w.before, w.offers = cause, f.Offers
	if w.passed > 0 && cause == record.CauseNoRoom {
		cause = record.CausePassedOver
	} else if cause != record.CauseTurn {
		w.passed = 0
	}
	x := &w.now
	if x.Cause == cause && x.AM == f.AM && x.Queue == f.Queue && x.User == f.User {
		if cause == record.CausePassedOver {
			x.Passed = w.passed
		}
		return
	}
	r.close(w)
	if cause == "" {
		return
	}
	*x = record.Reason{
		Job: w.a.rec.ID, AMAttempt: int64(w.a.attempt), From: r.s.now, Cause: cause, AM: f.AM,
		MemMiB: f.Size[resource.Memory], VCores: f.Size[resource.VCores], Queue: f.Queue, User: f.User,
		UsedMem: f.Used[resource.Memory], UsedVCores: f.Used[resource.VCores], LimitMem: f.Limit[resource.Memory], LimitVCores: f.Limit[resource.VCores],
		Running: f.Running, Most: f.Most, Node: int32(f.Node), FreeMem: f.Free[resource.Memory], FreeVCores: f.Free[resource.VCores], Ahead: record.None,
	}
	switch cause {
	case record.CauseDelay:
		x.Level = f.Level.String()
	case record.CausePassedOver:
		x.Ahead, x.Passed = w.ahead, w.passed
	case record.CauseReservation, record.CauseBehind:
		if b := r.s.left.latest(f.Ahead); b != nil {
			x.Ahead = b.rec.ID
		}
	}
}

// close gives the reason that ends now.
func (r *reasons) close(w *waiting) {
	x := &w.now
	if x.Cause != "" && r.s.now > x.From {
		x.To = r.s.now
		x.Ended = record.Decision{}
		if r.last.Time == r.s.now {
			x.Ended = r.last
		}
		r.sink.Reason(x)
	}
	*x = record.Reason{}
}

// orphaned gives the time in which the master of an attempt went on without it, until another attempt takes it over.
func (r *reasons) orphaned(a, old *app) {
	c := &old.containerAt(old.am).rec
	from := c.Exited
	if from == record.None || c.Ended != record.None && c.Ended < from {
		from = c.Ended
	}
	if r.s.now > from && r.sink.Explains(a.rec.ID) {
		r.sink.Reason(&record.Reason{Job: a.rec.ID, AMAttempt: int64(a.attempt), From: from, To: r.s.now, Cause: record.CauseOrphaned, Node: record.None, Ahead: record.None})
	}
}

// gate gives the time in which an attempt had executors and waited for more before its own code began.
func (r *reasons) gate(a *app) {
	g, ok := a.master.(master.Gated)
	from := a.rec.FirstRegistered
	if !ok || from == record.None {
		return
	}
	if began := g.Began(); began > from {
		r.sink.Reason(&record.Reason{Job: a.rec.ID, AMAttempt: int64(a.attempt), From: from, To: began, Cause: record.CauseGate, Node: record.None, Ahead: record.None})
	}
}

// finish gives the reasons that hold at the end of the replay.
func (r *reasons) finish() {
	for _, w := range r.rests {
		if w != nil {
			r.rise(w)
		}
	}
	r.gather()
	for _, w := range r.waits {
		r.close(w)
		r.gate(w.a)
	}
	r.waits, r.offers = nil, nil
}
