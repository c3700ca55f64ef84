package fair

import (
	"slices"

	"replay/engine/yarn"
)

// wakes reports whether a heartbeat of a node can do something: the claims are served or dropped, the reservation
// is filled or is no longer wanted, or there is none of either and the node is offered. A reservation that only waits for room keeps the node from everybody else.
func (f *Scheduler) wakes(n *node) bool {
	if len(n.held().claims) > 0 || n.Reserved == nil || n.Reserved.Size.FitsIn(n.Free) {
		return true
	}
	a := n.held().reservedBy
	if f.overAMShare(a) {
		return true
	}
	_, wanted := a.look(n.held().reservedFor, n.Node)
	return !wanted
}

// holding is what [Scheduler.wakes] reads of an application and the table that its reservations answer: what is the same for all their nodes.
type holding struct {
	table   *yarn.Table
	version int64 // says what is asked for but for the count, of which it counts whether there is one
	wanted  bool
	over    bool // the share of application masters
	fits    bool // the queue's maximum share
}

// holdingOf returns that of an application with reservations; known is false for one with reservations under several keys.
func (f *Scheduler) holdingOf(a *app) (h holding, known bool) {
	if h.table = a.reservedFor; h.table == nil {
		return holding{}, false
	}
	h.version, h.over = h.table.Version(), f.overAMShare(a)
	if ask := h.table.Any(); ask != nil {
		h.wanted, h.fits = ask.Count > 0, a.queue.fits(&ask.Size)
	}
	return h, true
}

// findAwake brings up to date which special nodes wake: of those that were touched, and those of an application of which something has changed.
func (f *Scheduler) findAwake() {
	e := &f.elision
	for _, a := range f.holders {
		h, known := f.holdingOf(a)
		if e.costs.spent++; known && h == a.holding {
			continue
		}
		a.holding = h
		for _, c := range a.reserved {
			if i, sends := f.at(c.Node).sends(); sends {
				e.unsure.Set(i, true)
			}
		}
	}
	for i := range e.unsure.All {
		e.costs.spent++
		e.unsure.Set(i, false)
		e.awake.Set(i, e.special.Has(i) && f.wakes(&f.nodes[e.ranks[i]]))
	}
}

// holdersChanged reports whether something has changed of an application with reservations since the last survey.
func (f *Scheduler) holdersChanged() bool {
	f.elision.looked = f.elision.changes
	return slices.ContainsFunc(f.holders, func(a *app) bool {
		h, known := f.holdingOf(a)
		return !known || h != a.holding
	})
}

// holds notes that an application has reservations now, or none any more.
func (f *Scheduler) holds(a *app, some bool) {
	if some {
		f.holders = append(f.holders, a)
		return
	}
	i, last := slices.Index(f.holders, a), len(f.holders)-1
	f.holders[i], f.holders[last] = f.holders[last], nil
	f.holders = f.holders[:last]
}
