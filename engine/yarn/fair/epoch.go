package fair

import (
	"math"
	"slices"

	"replay/engine/protocol"
	"replay/engine/reuse"
	"replay/engine/yarn"
	"replay/policy/resource"
)

// Epoch is part of [yarn.Elider].
func (f *Scheduler) Epoch(ranks []protocol.NodeID) {
	e := &f.elision
	e.ranks = ranks
	e.cycle.Reset(len(ranks))
	for _, id := range ranks { // some of which may have registered nowhere yet
		f.nodes = reuse.Reaching(f.nodes, int(id)+1)
	}
	for i := range f.nodes {
		f.nodes[i].rank = 0
	}
	e.epoch++
	e.hosts, e.more, e.racks, e.rackCount, e.alike = nil, nil, nil, 0, false
	e.rackAt = slices.Grow(e.rackAt[:0], len(ranks))[:len(ranks)]
	e.totals = slices.Grow(e.totals[:0], len(ranks))[:len(ranks)]
	for i := range e.totals {
		e.totals[i] = f.unbounded
	}
	e.room = e.room[:0]
	e.changeAll()
	e.linked.Reset(len(ranks))
	e.awake.Reset(len(ranks))
	e.unsure.Reset(len(ranks))
	e.scratch.Reset(len(ranks))
	e.special.Reset(len(ranks))
	e.special.AddAllBut(&e.scratch)
	e.none = false
	e.least.size = f.unbounded
	for t := range e.least.nodes {
		e.least.nodes[t] = len(ranks)
	}
}

// Beats is part of [yarn.Elider]. A node that sends no heartbeats is special, does not wake, and has no room.
func (f *Scheduler) Beats(rank int, on bool) {
	e := &f.elision
	e.changeAll()
	id := e.ranks[rank]
	if !on {
		f.nodes[id].rank = 0
		e.isSpecial(rank, true)
		e.awake.Set(rank, false)
		e.unsure.Set(rank, false)
		for _, r := range e.room {
			r.Set(rank, false)
		}
		f.resized(rank, f.unbounded)
		return
	}
	n := f.node(id)
	if !e.linked.Has(rank) {
		e.linked.Set(rank, true)
		e.link(rank, n)
		e.epoch++
	}
	n.rank = int32(rank + 1)
	f.resized(rank, n.Total)
	f.found(rank, n)
}

// least is the smallest capability of each type over the nodes of an epoch, and how many have just that.
type least struct {
	size  resource.Resource
	nodes [resource.MaxTypes]int
}

// resized takes in the capability of a node. One that sends no heartbeats is of unbounded size.
func (f *Scheduler) resized(rank int, total resource.Resource) {
	e := &f.elision
	was := e.totals[rank]
	e.totals[rank] = total
	for t, x := range total {
		l, n := &e.least.size[t], &e.least.nodes[t]
		if was[t] == *l {
			*n--
		}
		if x < *l {
			*l, *n = x, 0
		}
		if x == *l {
			*n++
		}
		if *n > 0 {
			continue
		}
		*l = f.unbounded[t]
		for i := range e.totals {
			if x := e.totals[i][t]; x < *l {
				*l, *n = x, 0
			}
			if e.totals[i][t] == *l {
				*n++
			}
		}
	}
}

// found takes in what there is to know of a node that sends heartbeats.
func (f *Scheduler) found(rank int, n *node) {
	e := &f.elision
	room, offered := n.roomNext()
	for _, r := range e.room {
		r.Set(rank, offered && r.size.Within(&room))
	}
	if special := n.special(); special || e.special.Has(rank) {
		e.isSpecial(rank, special)
		e.unsure.Set(rank, true)
	}
}

// isSpecial takes in whether a node is special.
func (e *elision) isSpecial(rank int, is bool) {
	if e.special.Has(rank) != is {
		e.special.Set(rank, is)
		e.none = !is && e.special.Empty()
	}
}

// link notes the names of a node.
func (e *elision) link(rank int, n *node) {
	for int(max(n.Host, n.Rack)) >= len(e.hosts) {
		e.hosts, e.racks = append(e.hosts, 0), append(e.racks, nil)
	}
	if e.hosts[n.Host] == 0 && rank < math.MaxUint16 {
		e.hosts[n.Host] = uint16(rank + 1)
	} else {
		if e.more == nil {
			e.more = map[protocol.Name][]int32{}
		}
		e.more[n.Host] = append(e.more[n.Host], int32(rank))
	}
	k := e.racks[n.Rack]
	if k == nil {
		k = &rack{number: e.rackCount}
		e.racks[n.Rack] = k
		e.rackCount++
	}
	e.rackAt[rank] = n.Rack
	e.alike = e.alike || e.racks[n.Host] != nil || e.hosts[n.Rack] != 0 || len(e.more[n.Rack]) > 0
	k.ranks = append(k.ranks, int32(rank))
	switch {
	case k.set != nil:
		k.set.Set(rank, true)
	case len(k.ranks) > e.special.Words():
		set := &yarn.Ranks{}
		set.Reset(len(e.ranks))
		k.mark(set, true)
		k.set = set
	}
}

// rack is the nodes of one, by rank.
type rack struct {
	number int // among racks
	ranks  []int32
	set    *yarn.Ranks // the same, of a rack with so many that a set is gone through sooner
}

// rackOf returns the nodes of a rack, nil for a name that is none.
func (e *elision) rackOf(name protocol.Name) *rack {
	if int(name) < len(e.racks) {
		return e.racks[name]
	}
	return nil
}
