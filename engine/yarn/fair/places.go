package fair

import (
	"slices"

	"replay/engine/protocol"
	"replay/engine/reuse"
	"replay/engine/yarn"
)

// asked is where a table asks for containers, as of one of its versions and an epoch.
type asked struct {
	version, epoch int64
	hosts          *yarn.Ranks // nodes that are asked for by name: own, or those of the only one of spots
	own            yarn.Ranks
	racks          yarn.Ranks // nodes on racks that are; nothing is placed there as if anywhere
	racked         bool       // racks is known
	relaxed        bool       // all that is asked for may be placed elsewhere
	spots          []*spots   // of the localities that are asked for
}

// spots are the nodes of a locality, as of an epoch.
type spots struct {
	*protocol.Locality
	epoch        int64
	hosts, racks yarn.Ranks
	racked       bool // racks is known
}

// usualTables is how many tables most applications ask by: one for the container of its master, and one for its executors.
const usualTables = 2

// placesOf returns where a table asks for containers; racks are known after [asked.findRacks].
func (f *Scheduler) placesOf(a *app, t *yarn.Table) *asked {
	if a.asked == nil {
		if a.asked = f.takeAsked(); a.asked == nil {
			a.asked = make([]asked, 0, usualTables)
		}
	}
	for int(t.Number) >= len(a.asked) {
		a.asked = reuse.Longer(a.asked)
		p := &a.asked[len(a.asked)-1]
		p.own.Void()
		p.racks.Void()
		*p = asked{version: -1, own: p.own, racks: p.racks, spots: p.spots[:0]}
	}
	e, p := &f.elision, &a.asked[t.Number]
	if p.version == t.Version() && p.epoch == e.epoch {
		return p
	}
	p.version, p.epoch, p.relaxed, p.racked = t.Version(), e.epoch, true, false
	groups, ok := t.Localities()
	if !ok {
		p.own.Reset(len(e.ranks))
		p.hosts = &p.own
		p.spots, p.racked = nil, true
		p.racks.Reset(len(e.ranks))
		for name, rec := range t.Records {
			e.costs.spent++
			p.relaxed = p.relaxed && rec.Relax
			if rec.Count > 0 {
				e.markHosts(p.hosts, true, name)
				e.markRack(&p.racks, name, true)
			}
		}
		return p
	}
	old := p.spots
	p.spots = e.spots[:0]
	dropped := false
	for i := range groups {
		switch g := &groups[i]; {
		case g.Count <= 0:
		case g.Dropped:
			dropped = true
		default:
			if s := e.spotsOf(g.Locality, old); !slices.Contains(p.spots, s) {
				p.spots = append(p.spots, s)
			}
		}
	}
	if len(p.spots) == 1 && !dropped && !t.HasGone() {
		p.hosts = &p.spots[0].hosts
	} else {
		p.sum(e, t, groups)
	}
	e.spots = old[:0]
	for _, s := range old {
		if !slices.Contains(p.spots, s) {
			e.free = append(e.free, s)
		}
	}
	return p
}

// sum finds the nodes that are asked for by name where they are not those of one locality.
func (p *asked) sum(e *elision, t *yarn.Table, groups []yarn.Told) {
	p.own.Reset(len(e.ranks))
	p.hosts = &p.own
	for i := range groups {
		if g := &groups[i]; g.Count > 0 && g.Dropped {
			for n := range g.Names {
				if t.Count(n) > 0 {
					e.markHosts(p.hosts, true, n)
				}
			}
		}
	}
	for _, s := range p.spots {
		p.hosts.Add(&s.hosts)
	}
	for n := range t.Gone {
		e.markHosts(p.hosts, false, n)
	}
}

// findRacks brings the racks up to date.
func (p *asked) findRacks(e *elision, t *yarn.Table) {
	if p.racked {
		return
	}
	p.racked = true
	p.racks.Reset(len(e.ranks))
	groups, _ := t.Localities()
	for i := range groups {
		if g := &groups[i]; g.Count > 0 && g.Dropped {
			for n := range g.Names {
				if t.Count(n) > 0 {
					e.markRack(&p.racks, n, true)
				}
			}
		}
	}
	for _, s := range p.spots {
		if !s.racked {
			s.racked = true
			s.racks.Reset(len(e.ranks))
			for n := range s.Names {
				e.markRack(&s.racks, n, true)
			}
		}
		p.racks.Add(&s.racks)
	}
	for n := range t.Gone {
		e.markRack(&p.racks, n, false)
	}
}

// freeSpots gives the memory of what an attempt asked by to others.
func (e *elision) freeSpots(a *app) {
	for i := range a.asked {
		p := &a.asked[i]
		e.free = append(e.free, p.spots...)
		clear(p.spots)
		p.spots = p.spots[:0]
	}
}

// spotsOf returns the nodes of a locality, from among those that are known if it is there.
func (e *elision) spotsOf(l *protocol.Locality, known []*spots) *spots {
	for _, s := range known {
		if s.Locality == l && s.epoch == e.epoch {
			return s
		}
	}
	var s *spots
	if n := len(e.free); n > 0 {
		s, e.free = e.free[n-1], e.free[:n-1]
	} else {
		s = new(spots)
	}
	s.Locality, s.epoch, s.racked = l, e.epoch, false
	if !e.alike && e.likeOne(s, known) {
		return s
	}
	s.hosts.Reset(len(e.ranks))
	if e.alike {
		for n := range l.Names {
			e.markHosts(&s.hosts, true, n)
		}
		return s
	}
	_, hosts, without := l.Whole()
	if e.more != nil {
		e.markHosts(&s.hosts, true, hosts...)
	} else {
		s.hosts.AddNamed(e.hosts, hosts)
	}
	e.markHosts(&s.hosts, false, without...)
	return s
}

// likeOne finds the nodes of a locality by what it has more and less than one that is known, where both are known to be parts of a third one. It reports
// whether there is such a one.
func (e *elision) likeOne(s *spots, known []*spots) bool {
	all, _, without := s.Whole()
	for _, o := range known {
		if o.epoch != e.epoch {
			continue
		}
		of, _, missing := o.Whole()
		if of != all {
			continue
		}
		s.hosts.Copy(&o.hosts)
		e.markHosts(&s.hosts, true, missing...)
		e.markHosts(&s.hosts, false, without...)
		return true
	}
	return false
}

// markHosts puts the nodes into a set that names stand for as hosts, or takes them out; markRack does so for the nodes of a rack.
func (e *elision) markHosts(set *yarn.Ranks, in bool, names ...protocol.Name) {
	for _, name := range names {
		if int(name) >= len(e.hosts) {
			continue
		}
		if at := e.hosts[name]; at > 0 {
			set.Set(int(at-1), in)
		}
		if e.more != nil {
			for _, i := range e.more[name] {
				set.Set(int(i), in)
			}
		}
	}
}

func (e *elision) markRack(set *yarn.Ranks, name protocol.Name, in bool) {
	if k := e.rackOf(name); k != nil {
		k.mark(set, in)
	}
}

func (k *rack) mark(set *yarn.Ranks, in bool) {
	if k.set != nil {
		if in {
			set.Add(k.set)
		} else {
			set.Take(k.set)
		}
		return
	}
	for _, i := range k.ranks {
		set.Set(int(i), in)
	}
}
