package fair

import (
	"slices"

	"replay/engine/lineup"
	"replay/engine/protocol"
	"replay/policy"
	"replay/policy/resource"
)

// The kept order: what is wanting stands in lineups, and only what has changed since the last visit is given its place again. An application that asks for
// nothing, and is wanting until the next update says so, takes nothing; it stands there only where containers may be preempted for it. The
// applications of a leaf that still need their master stand apart, by its size: whether one of that size may run now is judged once
// for all of them. Where the policy's order is partial, it is that of a TreeSet, made again after each change.

// masters is the applications of a leaf that need a master of one size; plain says that this is all they ask for, on any node.
type masters struct {
	size   resource.Resource
	plain  bool
	can    bool // one may run, as of the last survey
	lineup lineup.Of[*app]
}

func (f *Scheduler) keptChildren(q *queue) children {
	f.settleQueues(q)
	if q.partial {
		return children{list: q.orderedQueues}
	}
	return children{at: q.lineup.First()}
}

// settleQueues gives the children that have moved their places; with q.moved set, or while the order is partial, all of them.
func (f *Scheduler) settleQueues(q *queue) {
	list, again := q.shifted, q.moved || q.partial
	if !q.moved && len(list) == 0 {
		return
	}
	if again {
		list, q.partial, q.lineup = q.children, false, lineup.Of[*queue]{}
		for _, c := range list {
			c.place = lineup.Place[*queue]{Member: c}
		}
	}
	for _, c := range q.shifted {
		if c.shifts = false; !again && !c.place.Alone() {
			c.place.Leave()
		}
	}
	for _, c := range list {
		q.partial = q.partial || !q.sharing.Total(&c.Contender, &f.cluster.Capacity)
	}
	if q.partial {
		q.orderedQueues = treeSet(&f.literal, q.sharing, append(q.orderedQueues[:0], q.children...))
	} else {
		for _, c := range list {
			if c.place.In() == nil && c.wants() { // else it was alone; it leaves when it stops
				q.lineup.Enter(&c.place, func(a, b *queue) int { return q.sharing.Compare(&a.Contender, &b.Contender, &f.cluster.Capacity) })
			}
		}
	}
	q.moved, q.shifted = false, q.shifted[:0]
}

// onlyChild returns the child of a queue that alone is wanting, nil where there are more or it is not known: it needs no place in an order. Those that have moved are given
// theirs when there are more again.
func (f *Scheduler) onlyChild(q *queue) *queue {
	if f.literally || len(q.wantingQueues) != 1 {
		return nil
	}
	return q.wantingQueues[0]
}

// onlyCandidate returns the candidate of a leaf in which one application alone is wanting, nil if that is none; only is false where there are more or the order is partial.
func (f *Scheduler) onlyCandidate(q *queue) (a *app, only bool) {
	if f.literally || q.partial || q.moved || len(q.wanting) != 1 {
		return nil, false
	}
	a = q.wanting[0]
	switch {
	case !q.sharing.Total(&a.Contender, &f.cluster.Capacity):
		return nil, false
	case len(a.Active()) == 0 && !f.site.Preemption, f.overAMShare(a):
		return nil, true
	}
	return a, true
}

// keptApps returns the candidates of a leaf. Of those that stand in lineups the first of each is at f.heads.
func (f *Scheduler) keptApps(q *queue, all bool) candidates {
	f.settleApps(q)
	if q.partial {
		return candidates{list: q.ordered, some: !all}
	}
	f.heads = f.heads[:0]
	if p := q.started.First(); p != nil {
		f.heads = append(f.heads, p)
	}
	for i := range q.masters {
		if p := q.masters[i].lineup.First(); p != nil && (all || f.canRunAM(q, q.masters[i].size)) {
			f.heads = append(f.heads, p)
		}
	}
	return candidates{by: q.sharing}
}

// next returns the next candidate, nil when there is none.
func (c *candidates) next(f *Scheduler) *app {
	for len(c.list) > 0 {
		a := c.list[0]
		if c.list = c.list[1:]; !c.some || !f.overAMShare(a) {
			return a
		}
	}
	if c.by == nil {
		return nil
	}
	heads := f.heads
	if c.last != nil {
		at := slices.Index(heads, c.last)
		if heads[at] = c.last.Next(); heads[at] == nil {
			heads = slices.Delete(heads, at, at+1)
			f.heads = heads
		}
	}
	if len(heads) == 0 {
		return nil
	}
	c.last = heads[0]
	for _, p := range heads[1:] {
		if f.compareApps(c.by, p.Member, c.last.Member) < 0 {
			c.last = p
		}
	}
	return c.last.Member
}

func (f *Scheduler) compareApps(by *policy.Sharer, a, b *app) int {
	return by.Compare(&a.Contender, &b.Contender, &f.cluster.Capacity)
}

// settleApps gives the applications that have moved their places; with q.moved set, or while the order is partial, all of them.
func (f *Scheduler) settleApps(q *queue) {
	if q.moved || len(q.movedApps) > 0 {
		f.resettle(q)
	}
}

func (f *Scheduler) resettle(q *queue) {
	list := q.movedApps
	if q.moved || q.partial {
		list, q.partial, q.started = q.wanting, false, lineup.Of[*app]{}
		clear(q.masters)
		q.masters = q.masters[:0]
		for _, a := range list {
			a.place = lineup.Place[*app]{Member: a}
		}
	}
	for _, a := range q.movedApps {
		a.moved = false
		if !a.place.Alone() {
			a.place.Leave()
		}
	}
	for _, a := range list {
		q.partial = q.partial || a.wantingAt > 0 && !q.sharing.Total(&a.Contender, &f.cluster.Capacity)
	}
	if q.partial {
		q.ordered = treeSet(&f.literal, q.sharing, q.runnableWanting(q.ordered[:0]))
	} else {
		for _, a := range list {
			if a.wantingAt == 0 || len(a.Active()) == 0 && !f.site.Preemption {
				a.place.Leave()
			} else if l := f.standing(a); l != a.place.In() { // else it was alone there
				a.place.Leave()
				l.Enter(&a.place, func(a, b *app) int { return f.compareApps(q.sharing, a, b) })
			}
		}
	}
	q.moved, q.movedApps = false, q.movedApps[:0]
}

// standing returns the lineup for an application.
func (f *Scheduler) standing(a *app) *lineup.Of[*app] {
	size, needs := a.master()
	if !needs {
		return &a.queue.started
	}
	t := a.Active()[0]
	plain := len(a.Active()) == 1 && !t.Located() && t.Update == (protocol.ContainerID{})
	q, free := a.queue, (*masters)(nil)
	for _, m := range q.masters {
		if m.size == size && m.plain == plain {
			return &m.lineup
		}
		if m.lineup.Empty() {
			free = m
		}
	}
	if free == nil {
		free = &masters{}
		q.masters = append(q.masters, free)
	}
	free.size, free.plain = size, plain
	return &free.lineup
}
