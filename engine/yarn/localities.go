package yarn

import (
	"math/bits"
	"slices"

	"replay/engine/protocol"
	"replay/engine/reuse"
	"replay/policy/resource"
)

// A LocalityTaker is a [Scheduler] that takes asks by locality. Its request tables then have counts by group in place of a record for each
// name, as long as nothing tells the names of a group apart.
type LocalityTaker interface{ TakesLocalities() bool }

// localities are the records of a table that it was told of by groups. The count of a record is the sum over the groups that have its
// name, less what was taken since the name was last told of; all of these records are relaxed and of one size.
type localities struct {
	groupLists
	size    resource.Resource
	spelled bool // the records are in the table itself; told is what the application master counts
}

type groupLists struct {
	told  []Told
	taken []taken // by name, since it was told of
	trail trail
}

// Told is a group of an application master's requests, as the table was told of it.
type Told struct {
	*protocol.Locality
	Count   int32
	Dropped bool // the table was dropped since: no record is left of its names, but for those of other groups

	group int32
}

// bits and but are [protocol.Locality.Bits] of a group that has records.
func (g *Told) bits() (names []uint64) {
	if !g.Dropped {
		names, _ = g.Bits()
	}
	return names
}

// but is described at bits.
func (g *Told) but() (names []protocol.Name) {
	if !g.Dropped {
		_, names = g.Bits()
	}
	return names
}

type taken struct {
	name  protocol.Name
	count int32
	gone  bool // the count has come to 0, and the record has gone
}

// mostEmpty is how many groups are kept apart of which nothing but records with count 0 is left. united is the number of the group that more of them make:
// no ask is about it, so nobody but its table knows its locality.
const (
	mostEmpty = 4
	united    = -1
)

// Localities returns the groups that the table was told of. ok is false where it has a record for each name.
func (t *Table) Localities() (groups []Told, ok bool) {
	return t.told, len(t.told) > 0 && !t.spelled
}

func (t *Table) byLocality() bool { return len(t.told) > 0 && !t.spelled }

// Gone yields the names of which the last container was taken since they were told of.
func (t *Table) Gone(yield func(protocol.Name) bool) {
	for _, k := range t.taken {
		if k.gone && !yield(k.name) {
			return
		}
	}
}

// HasGone reports whether there is such a name.
func (t *Table) HasGone() bool {
	return slices.ContainsFunc(t.taken, func(k taken) bool { return k.gone })
}

// wanted returns the sum over the groups that have a name, and whether one of them has a record of it.
func (l *localities) wanted(name protocol.Name) (count int32, ok bool) {
	for i := range l.told {
		if g := &l.told[i]; g.Has(name) {
			count += g.Count
			ok = ok || !g.Dropped
		}
	}
	return count, ok
}

// count returns the count of a name's record, and whether there is one.
func (l *localities) count(name protocol.Name) (count int32, ok bool) {
	if count, ok = l.wanted(name); !ok {
		return 0, false
	}
	for i := range l.taken {
		if k := &l.taken[i]; k.name == name {
			return count - k.count, !k.gone
		}
	}
	return count, true
}

// Count returns the count of a name's record in a table by groups, 0 when there is none.
func (l *localities) Count(name protocol.Name) int32 {
	if n, ok := l.count(name); ok {
		return n
	}
	return 0
}

// names yields the names that have a record, each once.
func (l *localities) names(yield func(protocol.Name) bool) {
	for i := range l.told {
		if l.told[i].Dropped {
			continue
		}
		for n := range l.told[i].Names {
			before := slices.ContainsFunc(l.told[:i], func(g Told) bool { return !g.Dropped && g.Has(n) })
			if _, ok := l.count(n); ok && !before && !yield(n) {
				return
			}
		}
	}
}

// len returns how many names have a record.
func (l *localities) len() (n int) {
	words := 0
	for i := range l.told {
		words = max(words, len(l.told[i].bits()))
	}
	for w := range words {
		all := uint64(0)
		for i := range l.told {
			if has := l.told[i].bits(); w < len(has) {
				all |= has[w]
			}
		}
		n += bits.OnesCount64(all)
	}
	for i := range l.told {
		for _, name := range l.told[i].but() {
			before := slices.ContainsFunc(l.told[:i], func(g Told) bool { return slices.Contains(g.but(), name) })
			if _, ok := l.wanted(name); !ok && !before {
				n--
			}
		}
	}
	for i := range l.taken {
		if k := &l.taken[i]; k.gone {
			if _, ok := l.wanted(k.name); ok {
				n--
			}
		}
	}
	return n
}

// none reports whether there is no record.
func (l *localities) none() bool {
	for i := range l.told {
		if g := &l.told[i]; !g.Dropped {
			if hosts, racks := g.Len(); hosts+racks > len(l.taken) { // which are not all gone
				return false
			}
		}
	}
	for range l.names {
		return false
	}
	return true
}

// sight is what a table by localities has of the names of a node, until one of its counts changes.
type sight struct {
	table      *Table
	node       *Node
	version    int64 // of the table
	host, rack seen
}

// seen is what a table by localities has of a name.
type seen struct {
	wanted int32 // as of [localities.wanted]
	ok     bool  // likewise
	gone   bool  // as of the name in taken
	taken  int32 // likewise
	at     int32 // its place there, -1 for none
}

// sight returns what the table has of the names of a node.
func (t *Table) sight(n *Node) *sight {
	s := &t.places.sight
	if s.table == t && s.node == n && s.version == t.version {
		return s
	}
	host, rack := seen{at: -1}, seen{at: -1}
	for i := range t.told {
		g := &t.told[i]
		if g.Has(n.Host) {
			host.wanted += g.Count
			host.ok = host.ok || !g.Dropped
		}
		if g.Has(n.Rack) {
			rack.wanted += g.Count
			rack.ok = rack.ok || !g.Dropped
		}
	}
	if host.ok || rack.ok {
		for i := range t.taken {
			switch k := &t.taken[i]; k.name {
			case n.Host:
				host.at, host.taken, host.gone = int32(i), k.count, k.gone
			case n.Rack:
				rack.at, rack.taken, rack.gone = int32(i), k.count, k.gone
			}
		}
	}
	if n.Host == n.Rack {
		rack = host
	}
	s.table, s.node, s.version, s.host, s.rack = t, n, t.version, host, rack
	return s
}

// record returns the record of a name, in the place given, nil when there is none.
func (s *seen) record(t *Table, place *Record) *Record {
	if !s.ok || s.gone {
		return nil
	}
	place.Size, place.Count, place.Relax = t.size, s.wanted-s.taken, true
	return place
}

// takeAt counts one container less at the host of a node, as far as the level says so, and at its rack.
func (t *Table) takeAt(level protocol.NodeType, n *Node, asks []RememberAsk) []RememberAsk {
	s := t.sight(n)
	s.table = nil
	if level == protocol.NodeLocal {
		asks = reuse.Longer(asks)
		t.takeSeen(n.Host, &s.host, &asks[len(asks)-1])
		if n.Host == n.Rack {
			s.rack.at = s.host.at
		}
	}
	asks = reuse.Longer(asks)
	t.takeSeen(n.Rack, &s.rack, &asks[len(asks)-1])
	return asks
}

// takeSeen counts one container less at a name, and notes what it was. A record whose count comes to 0 goes.
func (t *Table) takeSeen(name protocol.Name, s *seen, was *RememberAsk) {
	if s.at < 0 {
		s.at = int32(len(t.taken))
		t.taken = append(t.taken, taken{name: name})
	}
	k := &t.taken[s.at]
	k.count++
	before := k.gone
	if k.gone = !s.ok || s.wanted == k.count; k.gone {
		counted := t.of == t.version
		t.version++
		if counted { // all others are as they were
			t.of = t.version
			if s.ok && !before {
				t.locations--
			}
		}
		if s.ok && !before {
			t.goes(name)
		}
	}
	was.Name, was.Relax, was.count = name, true, 1
	was.Size.CopyFrom(&t.size)
}

// drop drops all records. What the application master counts stays known: other names may be counted by it.
func (t *Table) drop() {
	t.forgetEmpty()
	for i := range t.told {
		t.told[i].Dropped = true
	}
	t.taken, t.spelled, t.named = t.taken[:0], false, false
	t.trail.forget()
}

// stop gives the lists to others.
func (t *Table) stop() {
	if cap(t.told) == 0 {
		return
	}
	t.places.spareUnited(t.told)
	clear(t.told)
	t.trail.forget()
	t.places.lists = append(t.places.lists, groupLists{t.told[:0], t.taken[:0], t.trail})
	t.groupLists = groupLists{}
}

// forgetEmpty takes out the groups of which the application master counts nothing.
func (t *Table) forgetEmpty() {
	t.places.spareUnited(t.told)
	t.told = slices.DeleteFunc(t.told, func(g Told) bool { return g.Count == 0 })
}

// spareUnited keeps the localities of united groups that are about to go, for others.
func (p *Places) spareUnited(groups []Told) {
	for i := range groups {
		if g := &groups[i]; g.group == united {
			p.united = append(p.united, g.Locality)
		}
	}
}

// tell replaces the records of all names of the groups that asks, all of the table, are about; the record of "*" has been replaced.
func (r *Requests) tell(t *Table, asks []protocol.LocalityAsk) {
	if len(asks) == 0 {
		return
	}
	t.version++
	t.size = t.anywhere.Size
	for _, a := range asks {
		i := slices.IndexFunc(t.told, func(g Told) bool { return g.group == a.Group })
		if i < 0 {
			i = len(t.told)
			t.told = append(t.told, Told{Locality: a.Locality, group: a.Group})
		}
		t.told[i].Count, t.told[i].Dropped = a.Count, false
	}
	if t.spelled {
		r.tellNames(t, asks)
		return
	}
	t.replaced(asks)
	t.mergeEmpty()
}

// replaced forgets what was taken from the names that asks are about.
func (l *localities) replaced(asks []protocol.LocalityAsk) {
	kept := l.taken[:0]
	for i := range l.taken {
		asked := false
		for k := range asks {
			asked = asked || asks[k].Locality.Has(l.taken[i].name)
		}
		if !asked {
			kept = append(kept, l.taken[i])
		}
	}
	l.taken = kept
}

// of returns the asks that belong to a table.
func of(t *Table, asks []protocol.LocalityAsk) []protocol.LocalityAsk {
	if len(asks) == 0 || t.Request != 0 || t.Update != (protocol.ContainerID{}) {
		return nil
	}
	other := func(a protocol.LocalityAsk) bool { return a.Priority != t.Priority }
	if !slices.ContainsFunc(asks, other) {
		return asks
	}
	return slices.DeleteFunc(slices.Clone(asks), other)
}

// has reports whether it is known that other groups have all names of g.
func (l *localities) has(g *Told) bool {
	for i := range l.told {
		if o := &l.told[i]; o != g && !o.Dropped && g.PartOf(o.Locality) {
			return true
		}
	}
	return false
}

// tellNames is [Requests.tell] for a table with a record for each name.
func (r *Requests) tellNames(t *Table, asks []protocol.LocalityAsk) {
	for _, a := range asks {
		for n := range a.Locality.Names {
			count := int32(0)
			for i := range t.told {
				if t.told[i].Has(n) {
					count += t.told[i].Count
				}
			}
			t.records.Put(n, r.places.Hash(n), Record{Size: t.size, Count: count, Relax: true})
		}
	}
	t.forgetEmpty()
	t.spelled = len(t.told) > 0
}

// spell gives a table by groups a record for each name.
func (r *Requests) spell(t *Table) {
	if r.places.ordered {
		t.records.Reset()
		replay(r.places, &t.trail, &t.records)
		t.trail.forget()
	}
	for n := range t.names {
		t.records.Put(n, r.places.Hash(n), Record{Size: t.size, Count: t.Count(n), Relax: true})
	}
	t.forgetEmpty()
	t.spelled, t.named, t.taken = len(t.told) > 0, true, t.taken[:0]
	t.version++
}

// mergeEmpty puts groups into one of which only records with count 0 are left: they still are records. One whose names are all those of another group goes.
func (t *Table) mergeEmpty() {
	empty := 0
	for i := 0; i < len(t.told); {
		switch g := &t.told[i]; {
		case g.Count != 0:
			i++
		case t.has(g):
			t.told = slices.Delete(t.told, i, i+1)
		default:
			empty++
			i++
		}
	}
	if empty <= mostEmpty {
		return
	}
	all := make([]*protocol.Locality, 0, empty)
	for i := range t.told {
		if g := &t.told[i]; g.Count == 0 {
			all = append(all, g.Locality)
		}
	}
	sum := spared(&t.places.united)
	if sum == nil {
		sum = new(protocol.Locality)
	}
	sum.Unite(all)
	t.forgetEmpty()
	t.told = append(t.told, Told{Locality: sum, group: united})
}
