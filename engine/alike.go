package engine

import (
	"replay/engine/record"
	"replay/engine/yarn"
)

// group is attempts that wait alike ([yarn.Alike]): the scheduler is asked for one of them, and for each by itself only when the answer is another one than it was. What others got is counted once for
// all of them; one leaves when that makes its cause another one.
type group struct {
	key     yarn.Alike
	place   int // in [reasons.groups]
	members []*waiting
	fresh   []*waiting // of which none has been passed since it last got a container or saw room
	found   yarn.Refusal
	passed  int64 // containers that others got in the room that these could have had
	shown   int64 // of these as of the last look
	ahead   int64 // job of the first of them, where each look forgets them
}

// cause is what all of them wait for, without regard to who was passed.
func (g *group) cause() record.Cause { return causes[g.found.Cause] }

// keeps reports whether a look leaves what others got as it is, and not at nothing; see [reasons.update].
func (g *group) keeps() bool { return g.found.Cause == yarn.NoRoom || g.found.Cause == yarn.Turn }

// same reports whether an answer leads to the same reason.
func (g *group) same(f *yarn.Refusal) bool {
	return f.Cause == g.found.Cause && f.AM == g.found.AM && f.Queue == g.found.Queue && f.User == g.found.User
}

// join has an attempt that was just asked wait with those that wait as it does, and reports whether there can be any.
func (r *reasons) join(w *waiting) bool {
	key, ok := r.why.Alike(w.a.id)
	if !ok {
		return false
	}
	g := r.groupOf[key]
	if g == nil {
		g = &group{key: key, place: len(r.groups), found: r.why.Why(w.a.id)}
		r.groups = append(r.groups, g)
		r.groupOf[key] = g
	}
	if g.cause() != w.before {
		r.s.broken("application %d waits for %q, others that wait alike for %q", w.a.id, w.before, g.cause())
	}
	w.group, w.member = g, len(g.members)
	g.members = append(g.members, w)
	if w.counted = g.passed - w.passed; g.keeps() && w.passed == 0 {
		g.fresh = append(g.fresh, w)
		w.fresh = len(g.fresh)
	}
	return true
}

// leave takes an attempt out of its group.
func (r *reasons) leave(w *waiting) {
	g := w.group
	switch {
	case g.keeps():
		w.passed = g.passed - w.counted
		if w.now.Cause == record.CausePassedOver {
			w.now.Passed = g.shown - w.counted
		}
	case g.passed > 0:
		w.passed, w.ahead = g.passed, g.ahead
	}
	last := g.members[len(g.members)-1]
	g.members[w.member], last.member = last, w.member
	g.members[len(g.members)-1] = nil
	g.members = g.members[:len(g.members)-1]
	if at := w.fresh - 1; at >= 0 {
		last := g.fresh[len(g.fresh)-1]
		g.fresh[at], last.fresh = last, at+1
		g.fresh[len(g.fresh)-1] = nil
		g.fresh, w.fresh = g.fresh[:len(g.fresh)-1], 0
	}
	w.group = nil
	if len(g.members) > 0 {
		return
	}
	delete(r.groupOf, g.key)
	n := len(r.groups) - 1
	r.groups[g.place] = r.groups[n]
	r.groups[g.place].place = g.place
	r.groups[n] = nil
	r.groups = r.groups[:n]
}

// passGroups is [reasons.pass] for all groups. One of which a member was told something stands outside by now.
func (r *reasons) passGroups(e *yarn.Event) {
	for i := len(r.groups) - 1; i >= 0; i-- { // the last one takes the place of one that goes
		g := r.groups[i]
		switch g.cause() {
		case record.CauseNoRoom, record.CauseTurn, record.CauseReservation:
		default:
			continue
		}
		if !r.why.Could(g.members[0].a.id, e.Container) {
			continue
		}
		if g.passed == 0 {
			g.ahead = r.last.Job
		}
		g.passed++
		for len(g.fresh) > 0 {
			w := g.fresh[len(g.fresh)-1]
			w.ahead = r.last.Job
			r.rise(w)
		}
	}
}

// askGroups asks for one of each group again. Those of which the answer is another one are asked each by itself.
func (r *reasons) askGroups() {
	for i := len(r.groups) - 1; i >= 0; i-- {
		g := r.groups[i]
		if f := r.why.Why(g.members[0].a.id); g.same(&f) {
			continue
		}
		for n := len(g.members); n > 0; n-- {
			r.rise(g.members[n-1])
		}
	}
}

// looked notes that a look is over.
func (g *group) looked() {
	if !g.keeps() {
		g.passed = 0
	}
	g.shown = g.passed
}
