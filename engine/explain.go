package engine

import (
	"replay/engine/master"
	"replay/engine/protocol"
	"replay/engine/record"
	"replay/engine/yarn"
	"replay/policy/resource"
)

// reasons follows why applications wait for their next containers: after each thing that may change it, the scheduler is asked. There is
// none unless the sink wants it.
type reasons struct {
	s     *sim
	sink  record.Reasons
	why   yarn.Explainer
	waits []*waiting // by the number of the application
	stale bool       // something has happened since the last look
	last  record.Decision
}

// waiting is an attempt that is followed.
type waiting struct {
	a      *app
	now    record.Reason // Cause "" while it waits for nothing
	passed int64         // containers that others got in the room that it could have had, since it last got one or saw room
	ahead  int64         // job of the first of them
	before record.Cause  // as of the last look, without regard to passed
}

// explaining returns the observer of reasons, nil when the sink wants none or the scheduler knows none.
func (s *sim) explaining(sink record.Sink) *reasons {
	to, wanted := sink.(record.Reasons)
	why, can := s.rm.Scheduler().(yarn.Explainer)
	if !wanted || !can {
		return nil
	}
	return &reasons{s: s, sink: to, why: why}
}

// enter begins to follow an attempt.
func (r *reasons) enter(a *app) {
	if !a.plan.Recorded && r.sink.Explains(a.job.ID) {
		r.waits = append(r.waits, &waiting{a: a})
	}
	r.stale = true
}

// saw takes note of what the scheduler did.
func (r *reasons) saw(e *yarn.Event) {
	r.stale = true
	r.last = r.s.decision(e)
	if e.Kind != yarn.Allocated || e.Update != (protocol.ContainerID{}) {
		return
	}
	for _, w := range r.waits {
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

// look asks again why each application waits, after something has happened.
func (r *reasons) look() {
	if !r.stale {
		return
	}
	r.stale = false
	kept, counts := r.waits[:0], false
	for _, w := range r.waits {
		if w.a.gone {
			r.close(w)
			r.gate(w.a)
			continue
		}
		kept = append(kept, w)
		r.update(w)
		counts = counts || w.before == record.CauseDelay || w.before == record.CauseReservation
	}
	clear(r.waits[len(kept):])
	r.waits = kept
	r.s.beats.watched = counts // where nodes are reserved others may be too far away for now
}

var causes = [...]record.Cause{yarn.WaitsForNone: "", yarn.RunningLimit: record.CauseRunningLimit, yarn.AMShare: record.CauseAMShare,
	yarn.QueueLimit: record.CauseQueueLimit, yarn.UserLimit: record.CauseUserLimit, yarn.Behind: record.CauseBehind, yarn.NoRoom: record.CauseNoRoom, yarn.Unwanted: record.CauseUnwanted,
	yarn.LocalityDelay: record.CauseDelay, yarn.HeldForOther: record.CauseReservation, yarn.Turn: record.CauseTurn}

func (r *reasons) update(w *waiting) {
	f := r.why.Why(w.a.id)
	cause := causes[f.Cause]
	w.before = cause
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
		Job: w.a.job.ID, AMAttempt: int64(w.a.attempt), From: r.s.now, Cause: cause, AM: f.AM,
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
			x.Ahead = b.job.ID
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

// gate gives the time in which an attempt had executors and waited for more before its own code began.
func (r *reasons) gate(a *app) {
	g, ok := a.master.(master.Gated)
	from := a.rec.FirstRegistered
	if !ok || from == record.None {
		return
	}
	if began := g.Began(); began > from {
		r.sink.Reason(&record.Reason{Job: a.job.ID, AMAttempt: int64(a.attempt), From: from, To: began, Cause: record.CauseGate, Node: record.None, Ahead: record.None})
	}
}

// finish gives the reasons that hold at the end of the replay.
func (r *reasons) finish() {
	for _, w := range r.waits {
		r.close(w)
		r.gate(w.a)
	}
	r.waits = nil
}
