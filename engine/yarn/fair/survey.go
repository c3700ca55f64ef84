package fair

import (
	"slices"

	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/policy"
	"replay/policy/resource"
)

// found is what a survey found of a leaf.
type found struct {
	stale    bool // something has changed since; it stands in elision.stale
	lax      bool // some accept less now; it stands in elision.lax
	doubted  bool // the maximum of a queue may permit something else; it stands in elision.doubted
	loose    bool // stands in elision.loose
	shares   bool // depends on fair shares, too: somebody may reserve who is starved
	all      bool // every heartbeat is to be executed
	reserves bool // what it adds to elision.near depends on nodes: each survey finds it again
	at       int  // place in elision.leaves plus 1, 0 for nothing found
	namingAt int  // likewise
	cost     int64
	due      int64    // the first offer, by elision.met, at which one of counted may accept more
	dueAt    int      // place in elision.dues plus 1
	judged   []judged // of the leaf, where it has a maximum, and of the queues above it that have, in this order
	open     []*roomFor
	named    []named
	counted  []*yarn.Table
}

// costs are those of surveys: reservations, tables, and names of tables that have a record for each and changed.
type costs struct {
	all     int64 // of the leaves of which something was found
	stale   int64 // of those of which something has changed
	spent   int64 // by the last survey
	doubted int64 // of those of which a maximum permits something else
	rest    int64 // of that, for what is no leaf's, or of one that reserves
}

// next is what the next survey will cost.
func (c *costs) next(whole bool) int64 {
	if whole {
		return c.all + c.rest
	}
	return c.stale + c.doubted + c.rest
}

// survey finds what the candidates would accept.
func (f *Scheduler) survey() {
	e := &f.elision
	e.changed, e.all, e.every, e.settled = false, false, false, false
	e.costs.spent, e.costs.rest = 0, 0
	if f.recovering() || !f.fresh() { // the next heartbeat may end the one and refreshes the other
		e.all, e.changed = true, true
		return
	}
	if len(e.room) > mostSizes {
		e.room, e.whole = e.room[:0], true
	}
	if e.marked || e.near.Room() != len(e.ranks) {
		e.near.Reset(len(e.ranks))
		e.marked = false
	}
	f.findAwake()
	if !e.awake.Empty() {
		e.near.Add(&e.awake)
		e.marked = true
	}
	e.costs.rest = e.costs.spent
	if e.whole || e.reserving > 0 {
		for _, q := range e.leaves {
			if e.whole || q.found.reserves {
				f.stale(q)
			}
		}
	}
	if e.whole {
		e.whole = false
		f.tree.root.eachWanting(f.stale)
	}
	for _, q := range e.overfull {
		q.eachWanting(f.stale)
		q.verdicts = verdicts{sizes: q.verdicts.sizes[:0]}
	}
	e.overfull = e.overfull[:0]
	for _, q := range e.doubted {
		q.found.doubted = false
		f.stale(q)
	}
	e.doubted, e.costs.doubted = e.doubted[:0], 0
	for e.until() <= 0 {
		q := e.dues[0]
		f.forget(q)
		f.stale(q)
	}
	n := 0
	for ; n < len(e.stale) && !(e.every && !e.counts); n++ { // what is left out would change nothing
		q := e.stale[n]
		q.found.stale = false
		q.found.judged = q.found.judged[:0]
		e.costs.stale -= q.found.cost
		f.forget(q)
		if len(q.wanting) > 0 && f.permits(q, &nothingMore) {
			f.surveyLeaf(q)
		}
	}
	e.stale = e.stale[:copy(e.stale, e.stale[n:])]
	e.changed, e.all = false, e.alls > 0
	e.open, e.named = e.open[:0], e.named[:0]
	for _, r := range e.room {
		if r.leaves > 0 {
			e.open = append(e.open, r)
		}
	}
	for _, q := range e.naming {
		for i := range q.found.named {
			f.accepted(q.found.named[i])
		}
	}
}

// forget takes what was found of a leaf out.
func (f *Scheduler) forget(q *queue) {
	e, x := &f.elision, &q.found
	if x.at == 0 {
		return
	}
	for _, t := range x.counted {
		e.fold(t)
		t.Leaf = nil
	}
	for _, r := range x.open {
		r.leaves--
	}
	if x.all {
		e.alls--
	}
	if x.reserves {
		e.reserving--
	}
	e.costs.all -= x.cost
	e.counted -= len(x.counted)
	e.notDue(q)
	e.leaves = takeOut(e.leaves, &x.at, func(q *queue) *int { return &q.found.at })
	if x.namingAt > 0 {
		e.naming = takeOut(e.naming, &x.namingAt, func(q *queue) *int { return &q.found.namingAt })
	}
	clear(x.named)
	clear(x.counted)
	x.open, x.named, x.counted = x.open[:0], x.named[:0], x.counted[:0]
	x.shares, x.all, x.reserves, x.cost, x.due = false, false, false, 0, 0 // it stands in no list but those of stale, lax and loose
}

// takeOut takes a member out of a list without an order in which each knows its place plus 1.
func takeOut(list []*queue, at *int, place func(*queue) *int) []*queue {
	last := len(list) - 1
	list[*at-1] = list[last]
	*place(list[last]) = *at
	*at = 0
	list[last] = nil
	return list[:last]
}

// nothingMore is what a queue has to permit so that a node which is offered to the root reaches it.
var nothingMore resource.Resource

// surveyLeaf finds what the candidates of a leaf would accept, of which nothing is known.
func (f *Scheduler) surveyLeaf(q *queue) {
	e, x := &f.elision, &q.found
	before := e.costs.spent
	x.due = policy.Always
	f.surveyApps(q)
	x.cost = e.costs.spent - before
	e.costs.all += x.cost
	if x.reserves {
		e.costs.rest += x.cost
		e.reserving++
	}
	if x.all {
		e.alls++
	}
	e.leaves = append(e.leaves, q)
	x.at = len(e.leaves)
	if len(x.named) > 0 {
		e.naming = append(e.naming, q)
		x.namingAt = len(e.naming)
	}
	for _, r := range x.open {
		r.leaves++
	}
	e.counted += len(x.counted)
	e.isDue(q)
}

func (f *Scheduler) surveyApps(q *queue) {
	f.settleApps(q)
	if q.partial {
		f.dependsOnAvailable(q)
		c := f.keptApps(q, false)
		for a := c.next(f); a != nil; a = c.next(f) {
			f.surveyApp(a)
		}
		return
	}
	for p := q.started.First(); p != nil; p = p.Next() {
		f.surveyApp(p.Member)
	}
	for _, m := range q.masters {
		if m.lineup.Empty() {
			continue
		}
		f.dependsOnAvailable(q)
		if m.can = f.canRunAM(q, m.size); !m.can {
			continue
		}
		alike := m.plain && !f.elision.counts && !f.mayBeReserved(q, m.size)
		for p := m.lineup.First(); p != nil; p = p.Next() {
			if f.surveyApp(p.Member); alike {
				break
			}
		}
	}
}

// dependsOnAvailable notes whether the limit of the leaf's application masters follows what is available in the cluster, see [Scheduler.amLimit].
func (f *Scheduler) dependsOnAvailable(q *queue) {
	if x := &q.found; !x.loose && slices.Contains(q.fair[:f.types], 0) {
		x.loose = true
		f.elision.loose = append(f.elision.loose, q)
	}
}

// limited notes that the limit of a leaf's application masters may have changed.
func (f *Scheduler) limited(q *queue) {
	if q.found.at == 0 || q.found.stale {
		return
	}
	if q.partial {
		f.stale(q)
		return
	}
	for _, m := range q.masters {
		if m.lineup.Empty() {
			continue
		}
		f.dependsOnAvailable(q)
		if m.can != f.canRunAM(q, m.size) {
			f.stale(q)
			return
		}
	}
}

func (f *Scheduler) surveyApp(a *app) {
	x := &a.queue.found
	if a.listed > 1 && f.elision.counts {
		x.all = true // how often a node is offered to it is not known here
		return
	}
	active := a.Active()
	for _, t := range active {
		if x.all || x.reserves && f.elision.every && !f.elision.counts {
			return
		}
		f.elision.costs.spent++
		f.surveyTable(a, t, len(active) == 1)
	}
}

// surveyTable adds what is asked for under one key; only tells that it is the application's only one.
func (f *Scheduler) surveyTable(a *app, t *yarn.Table, only bool) {
	e, x := &f.elision, &a.queue.found
	ask := t.Any()
	if ask == nil || ask.Count <= 0 {
		return
	}
	if t.Uneven() {
		x.all = true // what is asked for by name may need less room
		return
	}
	if !f.permits(a.queue, &ask.Size) {
		return
	}
	level := policy.AnyLevel
	if e.counts {
		if e.foreseen == nil || !only || t.Update != (protocol.ContainerID{}) || a.HasBlacklist() || a.Barred() || !ask.Size.FitsIn(e.least.size) || !f.relaxed(a, t) {
			x.all = true // whether an offer is counted depends on the node
			return
		}
		e.count(a.queue, t, f.cluster.Len())
		level = max(t.Level, policy.NodeLevel)
	}
	if !t.Located() {
		level = policy.AnyLevel
	}
	room := f.roomFor(ask.Size)
	if level == policy.AnyLevel && !slices.Contains(x.open, room) {
		x.open = append(x.open, room)
	}
	x.shares = x.shares || f.mayBeReserved(a.queue, ask.Size)
	reserves := f.reservable(a, ask.Size)
	if level == policy.AnyLevel && !reserves {
		return
	}
	var p *asked
	if t.Located() {
		p = f.placesOf(a, t)
		if level >= policy.RackLevel { // first, as one of these is near
			x.named = append(x.named, named{room, nil, a, t})
		}
		x.named = append(x.named, named{room, p.hosts, a, t})
	}
	if !reserves {
		return
	}
	x.reserves = true
	e.marked = true // by which nodes are special and of what name, not by what room they have
	if p != nil {
		p.findRacks(e, t)
		e.near.AddOnly(p.hosts, &e.special)
		if level >= policy.RackLevel {
			e.addReservable(a, p, f)
		}
	}
	if level == policy.AnyLevel && (p == nil || p.racks.Len() < len(e.ranks)) && !f.tooManyReserved(a, nil, protocol.OffSwitch) {
		e.near.AddAllBut(&e.special) // one without room would be reserved
		e.every = true
	}
}

// relaxed reports whether all that a table with containers wanted asks for may be placed elsewhere.
func (f *Scheduler) relaxed(a *app, t *yarn.Table) bool {
	if _, ok := t.Localities(); ok {
		return true
	}
	if !t.Located() {
		return t.Any().Relax
	}
	return f.placesOf(a, t).relaxed
}

// accepted takes in what a candidate accepts.
func (f *Scheduler) accepted(n named) {
	e := &f.elision
	few := len(e.named) < mostNamed
	if n.nodes == nil && !(few && f.onMany(n.table)) {
		p := f.placesOf(n.app, n.table)
		p.findRacks(e, n.table)
		n.nodes = &p.racks
	}
	if few {
		e.named = append(e.named, n)
		return
	}
	e.marked, e.settled = true, true
	e.near.AddBoth(n.nodes, &n.room.Ranks)
}

// onMany reports whether a table asks for more than a third of the racks by localities. Then the next node of them is found sooner than all
// of them.
func (f *Scheduler) onMany(t *yarn.Table) bool {
	groups, ok := t.Localities()
	racks := 0
	for i := range groups {
		if groups[i].Count > 0 {
			_, n := groups[i].Len()
			racks += n
		}
	}
	return ok && racks*3 > f.elision.rackCount
}

// after returns how far from a rank on the next node is that is accepted, or most when that is no nearer.
func (e *elision) after(n *named, from, most int) int {
	if n.nodes != nil {
		return n.nodes.AfterBoth(&n.room.Ranks, from, most)
	}
	for far := 0; far < most; far++ {
		at := from + far
		if at >= len(e.ranks) {
			at -= len(e.ranks)
		}
		skip, ok := n.room.After(at)
		if far += skip; !ok || far >= most {
			break
		}
		if at += skip; at >= len(e.ranks) {
			at -= len(e.ranks)
		}
		if n.table.Count(e.rackAt[at]) > 0 {
			return far
		}
	}
	return most
}

// accepts reports whether the node at a rank may be of interest.
func (e *elision) accepts(i int) bool {
	return e.marked && e.near.Has(i) ||
		slices.ContainsFunc(e.open, func(r *roomFor) bool { return r.Has(i) }) ||
		slices.ContainsFunc(e.named, func(n named) bool { return n.room.Has(i) && e.asks(&n, i) })
}

// asks reports whether the node at a rank is asked for by name. A table by localities may not know the nodes of its racks, others do.
func (e *elision) asks(n *named, i int) bool {
	if n.nodes != nil {
		return n.nodes.Has(i)
	}
	if p := &n.app.asked[n.table.Number]; p.racked {
		return p.racks.Has(i)
	}
	return n.table.Count(e.rackAt[i]) > 0
}

// addReservable adds the nodes without a reservation on racks that are asked for, except where the application has as many reservations
// as it may have.
func (e *elision) addReservable(a *app, p *asked, f *Scheduler) {
	if f.mayReserve(1) == 0 || p.racks.Empty() {
		return
	}
	e.scratch.Copy(&p.racks)
	e.scratch.Take(f.crowdedBy(a))
	e.near.AddOnly(&e.scratch, &e.special)
}
