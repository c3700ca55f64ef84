package yarn

import (
	"cmp"
	"slices"

	"replay/engine/protocol"
	"replay/engine/yarn/jvm"
)

// trail is how the records of a table by groups came and went, as far as the order in which YARN's map yields them depends on it. It is kept where somebody asks for that order
// ([Places.KeepOrder]), from the first group on that a table is told of; what comes to a name that is there already leaves the order as it is.
//
// Source: the map of LocalityAppPlacementAllocator.
type trail struct {
	names []protocol.Name
	steps []int32 // how many of the names follow: they came with one message or, where it is negative, went one after the other
}

// longestTrail is how many names a trail may have beyond what a message brings: the table gets a record for each name then.
var longestTrail = 4096

// came notes that a message brought names, and went that a name has gone.
func (t *trail) came(names []protocol.Name) {
	t.names, t.steps = append(t.names, names...), append(t.steps, int32(len(names)))
}

// went is described at came.
func (t *trail) went(name protocol.Name) {
	t.names = append(t.names, name)
	if n := len(t.steps); n > 0 && t.steps[n-1] < 0 {
		t.steps[n-1]--
	} else {
		t.steps = append(t.steps, -1)
	}
}

// goes notes that a record of a table by groups has gone.
func (t *Table) goes(name protocol.Name) {
	if t.places.ordered && t.byLocality() {
		t.trail.went(name)
	}
}

// forget empties the trail.
func (t *trail) forget() { t.names, t.steps = t.names[:0], t.steps[:0] }

// KeepOrder has tables told of groups know the order of [Table.InOrder].
func (p *Places) KeepOrder() { p.ordered = true }

// message lists what a message asks for under one key: "*" and the names of groups.
func (p *Places) message(asks []protocol.LocalityAsk) []protocol.Name {
	p.list = append(p.list[:0], protocol.Any)
	for _, a := range asks {
		for n := range a.Locality.Names {
			p.list = append(p.list, n)
		}
	}
	return p.list
}

// seat gives those of a message's names a place in a map that have none, in the order in which YARN puts them there: that of a map made for the message, to which they
// come in the order of the asks.
//
// Source: AppSchedulingInfo.internalAddResourceRequests; AMRMClientImpl, which sorts asks by ResourceRequest.ResourceRequestComparator.
func seat[V any](p *Places, m *jvm.ConcurrentHashMap[protocol.Name, V], message []protocol.Name) {
	p.sorted = append(p.sorted[:0], message...)
	ranks := p.names.Ranks()
	slices.SortFunc(p.sorted, func(a, b protocol.Name) int { return cmp.Compare(ranks[a], ranks[b]) })
	p.seats.Reset()
	for _, n := range p.sorted {
		p.seats.Put(n, p.Hash(n), struct{}{})
	}
	var none V
	for n := range p.seats.All {
		if h := p.Hash(n); m.Ref(n, h) == nil {
			m.Put(n, h, none)
		}
	}
}

// brings reports whether groups have names of which a table has no record.
func (t *Table) brings(asks []protocol.LocalityAsk) bool {
	gone := t.HasGone()
	return slices.ContainsFunc(asks, func(a protocol.LocalityAsk) bool {
		g := Told{Locality: a.Locality}
		return gone || !slices.ContainsFunc(t.told, func(g Told) bool { return g.group == a.Group && !g.Dropped }) && !t.has(&g)
	})
}

// before looks at what a message asks for anywhere and at groups of a table, before any of it is stored: a table that cannot be by groups any more has a record for each name from
// then on.
func (r *Requests) before(t *Table, anywhere *protocol.Ask, asks []protocol.LocalityAsk) {
	if len(asks) > 0 {
		if cap(t.told) == 0 {
			t.groupLists = spared(&t.places.lists)
		}
		if t.byLocality() && anywhere.Size != t.size {
			r.spell(t)
		}
		if others := t.records.Len(); others > 1 || others == 1 && !t.hasAny || r.places.ordered && t.named {
			t.spelled = true
		}
	}
	switch {
	case !r.places.ordered:
	case t.spelled && len(asks) > 0:
		if t.records.Len() == 0 {
			t.begin(anywhere.Size)
		}
		seat(r.places, &t.records, r.places.message(asks))
	case t.brings(asks):
		if t.hasAny && len(t.trail.steps) == 0 {
			t.trail.came(onlyAny)
		}
		if t.trail.came(r.places.message(asks)); len(t.trail.names) > longestTrail+len(r.places.list) {
			r.spell(t)
			t.spelled = true
		}
	case !t.hasAny && t.byLocality():
		t.trail.came(onlyAny)
	}
}

var onlyAny = []protocol.Name{protocol.Any}

// replay puts what has come and not gone into a map, as it came and went.
func replay[V any](p *Places, t *trail, m *jvm.ConcurrentHashMap[protocol.Name, V]) {
	names := t.names
	for _, n := range t.steps {
		if n > 0 {
			seat(p, m, names[:n])
			names = names[n:]
			continue
		}
		for _, gone := range names[:-n] {
			m.Remove(gone, p.Hash(gone))
		}
		names = names[-n:]
	}
}

// InOrder yields the records in YARN's order, the hash order of the names; see [Places.KeepOrder].
func (t *Table) InOrder(yield func(protocol.Name, Record) bool) {
	if !t.byLocality() {
		t.Records(yield)
		return
	}
	p := t.places
	p.order.Reset()
	replay(p, &t.trail, &p.order)
	for name := range p.order.All {
		rec := t.anywhere
		if name != protocol.Any {
			rec = Record{Size: t.size, Count: t.Count(name), Relax: true}
		}
		if !yield(name, rec) {
			return
		}
	}
}
