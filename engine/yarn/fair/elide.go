package fair

import (
	"slices"

	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/policy"
	"replay/policy/resource"
)

// elision knows at which node heartbeats the scheduler could do more than count an offer. A node is of interest when it has room
// for what a candidate asks for and accepts there, or when it holds a reservation or a claim. What candidates want is surveyed
// after each change of anything that it depends on; what nodes have room for is kept.
//
// A survey of many candidates takes time, which heartbeats pay for at which nothing happens: it waits until they have wasted as much since surveys were
// paid for last. A cluster in which many wait and something happens at each heartbeat makes none.
//
// Each answer may be too generous: a heartbeat at which nothing happens is executed. None may be too strict.
type elision struct {
	ranks     []protocol.NodeID         // of the epoch, in the order of heartbeats
	rank      []int32                   // by node: its place there plus 1, 0 for none and while it sends no heartbeats
	epoch     int64                     // as of which names are known
	linked    yarn.Ranks                // those whose names are known
	hosts     []int32                   // by name: the rank of its node plus 1, 0 for none
	more      map[protocol.Name][]int32 // ranks of the other nodes of a name
	racks     []*rack                   // by name
	rackAt    []protocol.Name           // by rank
	rackCount int                       // of racks
	spots     []*spots                  // room for those of a table
	free      []*spots                  // of no table

	changed bool  // something that a survey looks at
	changes int64 // how often anything but a count of offers has
	cost    int64 // of the survey: reservations, tables, and names of tables that have a record for each and changed
	wasted  int64 // at heartbeats at which nothing happened, in the unit of cost, less what surveys have cost since
	dirty   bool  // something that an update looks at

	room    []*roomFor // for the sizes that were asked for of late
	special yarn.Ranks // nodes with a reservation or claims, which are offered to nobody while they do not wake
	awake   yarn.Ranks // those that do
	unsure  yarn.Ranks // those of which it is not known whether they do
	scratch yarn.Ranks

	// Delay scheduling: whether offers are counted at all, and what tells their effect, nil when that depends on more.
	counts   bool
	foreseen policy.Foreseen

	// What the survey found. Rooms and special nodes are followed between surveys, so that a node which has changed asks for none unless
	// it was special or is, or settled says that some of the rest was found from them.
	all     bool       // every heartbeat is to be executed
	every   bool       // of nodes that are not special, too
	open    []*roomFor // sizes that are accepted on any node
	named   []named    // sizes that are accepted on some nodes
	near    yarn.Ranks // other nodes of interest: those that candidates accept, and special ones that wake
	marked  bool       // near is not empty
	settled bool
	counted []*yarn.Table
	until   int64               // which of the next offers is the first at which one of counted may accept more; each heartbeat makes one at most
	totals  []resource.Resource // capabilities by rank
	least   least
}

// named is what one candidate accepts on nodes that it asks for by the name of their host or rack: those with room for a size.
type named struct {
	room  *roomFor
	nodes *yarn.Ranks // nil for those on racks that a table by localities asks for
	table *yarn.Table
}

// mostNamed is how many of these are looked at one by one; what more candidates accept is put together in one set.
const mostNamed = 8

// roomFor is the nodes, by rank, with room for a container of a size.
type roomFor struct {
	size resource.Resource
	yarn.Ranks
}

// What a heartbeat costs at which nothing happens, and each visit of a candidate at it, in the unit of the cost of a survey.
const (
	beatCost  = 32
	visitCost = 8
)

// mostSizes is how many sizes rooms are kept for.
const mostSizes = 32

var _ yarn.Elider = (*Scheduler)(nil)

// watch tells the elision which delay scheduling it is about.
func (e *elision) watch(d policy.Delay) {
	e.foreseen, _ = d.(policy.Foreseen)
	e.counts = e.foreseen == nil || e.foreseen.Until(&policy.Patience{}, 1) != policy.Always
	e.changed, e.dirty = true, true
}

// touch notes a change that shares and candidates may follow.
func (f *Scheduler) touch() {
	f.elision.dirty = true
	f.elision.change()
}

// everything notes a change of the cluster or of the configuration, which all shares and every order follow.
func (f *Scheduler) everything() {
	f.touch()
	f.outdated.all = true
	f.tree.root.each(func(q *queue) { q.moved = true })
}

// change notes a change that candidates may follow.
func (e *elision) change() {
	e.changed = true
	e.changes++
}

// executed notes a heartbeat that is executed; claims on the node may bring offers of their own.
func (e *elision) executed(claims bool) {
	if e.until != policy.Always {
		e.until--
	}
	e.changed = e.changed || e.until <= 0 || claims && e.counts
}

// special reports whether the node is not simply offered to the queues.
func (n *node) special() bool { return n.Reserved != nil || len(n.claims) > 0 }

// serves reports whether the node has room for a size and is offered to the queues.
func (n *node) serves(size *resource.Resource) bool { return n.Reserved == nil && size.FitsIn(n.Free) }

// roomFor returns the nodes with room for a size.
func (f *Scheduler) roomFor(size resource.Resource) *roomFor {
	e := &f.elision
	for _, r := range e.room {
		if r.size == size {
			return r
		}
	}
	r := &roomFor{size: size}
	r.Reset(len(e.ranks))
	for i, id := range e.ranks {
		r.Set(i, e.rank[id] > 0 && f.nodes[id].serves(&size))
	}
	e.room = append(e.room, r)
	return r
}

// follow brings what is known of nodes up to date.
func (f *Scheduler) follow() {
	e := &f.elision
	f.cluster.Touched(func(n *yarn.Node) {
		if f.site.Continuous {
			f.freest.look(n)
		}
		if int(n.ID) >= len(e.rank) || e.rank[n.ID] == 0 || n.Gone() {
			e.changed = true
			return
		}
		i := int(e.rank[n.ID] - 1)
		k := f.at(n)
		e.changed = e.changed || e.settled || e.special.Has(i) || k.special() || e.totals[i] != n.Total
		f.found(i, k)
		if e.totals[i] != n.Total {
			f.resized(i, n.Total)
		}
	})
}

// survey finds what the candidates would accept.
func (f *Scheduler) survey() {
	e := &f.elision
	e.changed, e.all, e.every, e.until = false, false, false, policy.Always
	e.open, e.named, e.counted = e.open[:0], e.named[:0], e.counted[:0]
	e.cost, e.settled = 0, false
	if len(e.room) > mostSizes {
		e.room = e.room[:0]
	}
	if e.marked || e.near.Room() != len(e.ranks) {
		e.near.Reset(len(e.ranks))
		e.marked = false
	}
	if f.recovering() || f.available != f.unallocated() { // the next heartbeat may end the one and refreshes the other
		e.all, e.changed = true, true
		return
	}
	f.findAwake()
	if !e.awake.Empty() {
		e.near.Add(&e.awake)
		e.marked = true
	}
	f.tree.root.eachWanting(func(q *queue) {
		if !e.enough() && q.open() {
			f.surveyLeaf(q)
		}
	})
}

// enough reports whether no further candidate would change what the survey finds.
func (e *elision) enough() bool { return e.all || e.every && !e.counts }

// open reports whether a node that is offered to the root reaches the queue.
func (q *queue) open() bool {
	for ; q != nil; q = q.parent {
		if !q.Usage.FitsIn(q.maxShare) {
			return false
		}
	}
	return true
}

func (f *Scheduler) surveyLeaf(q *queue) {
	f.settleApps(q)
	if q.partial {
		f.keptApps(q, false, func(a *app) bool {
			f.surveyApp(a)
			return true
		})
		return
	}
	for p := q.started.first(); p != nil; p = p.next() {
		f.surveyApp(p.of)
	}
	for _, m := range q.masters {
		if m.top == nil || !f.canRunAM(q, m.size) {
			continue
		}
		alike := m.plain && !f.elision.counts && !f.mayBeReserved(q, m.size)
		for p := m.first(); p != nil; p = p.next() {
			if f.surveyApp(p.of); alike {
				break
			}
		}
	}
}

func (f *Scheduler) surveyApp(a *app) {
	if a.listed > 1 && f.elision.counts {
		f.elision.all = true // how often a node is offered to it is not known here
		return
	}
	active := a.Active()
	for _, t := range active {
		if f.elision.enough() {
			return
		}
		f.elision.cost++
		f.surveyTable(a, t, len(active) == 1)
	}
}

// surveyTable adds what is asked for under one key; only tells that it is the application's only one.
func (f *Scheduler) surveyTable(a *app, t *yarn.Table, only bool) {
	e := &f.elision
	ask := t.Any()
	if ask == nil || ask.Count <= 0 || !a.queue.fits(&ask.Size) {
		return
	}
	level := policy.AnyLevel
	if e.counts {
		if e.foreseen == nil || !only || t.Update != (protocol.ContainerID{}) || a.HasBlacklist() || !ask.Size.FitsIn(e.least.size) || !f.relaxed(a, t) {
			e.all = true // whether an offer is counted depends on the node
			return
		}
		e.counted = append(e.counted, t)
		e.until = min(e.until, e.foreseen.Until(&t.Patience, f.cluster.Len()))
		level = max(t.Level, policy.NodeLevel)
	}
	if !t.Located() {
		level = policy.AnyLevel
	}
	room := f.roomFor(ask.Size)
	if level == policy.AnyLevel && !slices.Contains(e.open, room) {
		e.open = append(e.open, room)
	}
	reserves := f.reservable(a, ask.Size)
	if level == policy.AnyLevel && !reserves {
		return
	}
	p := f.placesOf(a, t)
	e.accepted(named{room, p.hosts, t})
	if level == policy.RackLevel && !reserves && len(e.named) < mostNamed && f.onMany(t) {
		e.named = append(e.named, named{room, nil, t})
		return
	}
	if level >= policy.RackLevel || reserves {
		p.findRacks(e, t)
	}
	if level >= policy.RackLevel {
		e.accepted(named{room, &p.racks, t})
	}
	if !reserves {
		return
	}
	e.marked, e.settled = true, true
	e.near.AddOnly(p.hosts, &e.special)
	if level >= policy.RackLevel {
		e.addReservable(a, p, f)
	}
	if level == policy.AnyLevel && p.racks.Len() < len(e.ranks) && !f.tooManyReserved(a, nil, protocol.OffSwitch) {
		e.near.AddAllBut(&e.special) // one without room would be reserved
		e.every = true
	}
}

// relaxed reports whether all that a table asks for may be placed elsewhere.
func (f *Scheduler) relaxed(a *app, t *yarn.Table) bool {
	_, ok := t.Localities()
	return ok || f.placesOf(a, t).relaxed
}

// accepted notes what a candidate accepts.
func (e *elision) accepted(n named) {
	if len(e.named) < mostNamed {
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
			racks += len(groups[i].Racks)
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
		slices.ContainsFunc(e.named, func(n named) bool {
			return n.room.Has(i) && (n.nodes != nil && n.nodes.Has(i) || n.nodes == nil && n.table.Count(e.rackAt[i]) > 0)
		})
}

// addReservable adds the nodes without a reservation on racks that are asked for, except where the application has as many reservations
// as it may have.
func (e *elision) addReservable(a *app, p *asked, f *Scheduler) {
	if f.mayReserve(1) == 0 || p.racks.Empty() {
		return
	}
	e.scratch.Reset(len(e.ranks))
	e.scratch.AddOnly(&p.racks, &e.special)
	for _, n := range a.reservedOn {
		if k := e.rackOf(n.Rack); k != nil {
			k.reserved++
		}
	}
	for _, n := range a.reservedOn {
		if k := e.rackOf(n.Rack); k != nil && k.reserved > 0 {
			if k.reserved >= f.mayReserve(len(f.cluster.Rack(n.Rack))) {
				k.mark(&e.scratch, false)
			}
			k.reserved = 0
		}
	}
	e.near.Add(&e.scratch)
}

// known brings what the survey found up to date; false says that nothing is known, and the next heartbeat is to be executed.
func (f *Scheduler) known() bool {
	e := &f.elision
	f.follow()
	if e.changed {
		if e.wasted < e.cost {
			return false
		}
		f.survey()
		e.wasted = max(e.wasted-e.cost, 0)
	}
	return !e.all
}

// NextHeartbeat is part of [yarn.Elider].
func (f *Scheduler) NextHeartbeat(h, limit int64) int64 {
	if !f.known() {
		return h
	}
	e, next := &f.elision, limit
	if e.until != policy.Always {
		next = e.offered(h, next)
	}
	from := int(h % int64(len(e.ranks)))
	see := func(s *yarn.Ranks) {
		if far, ok := s.After(from); ok {
			next = min(next, h+int64(far))
		}
	}
	if e.marked {
		see(&e.near)
	}
	for _, r := range e.open {
		see(&r.Ranks)
	}
	for i := range e.named {
		most := int(min(next-h, int64(len(e.ranks))))
		if far := e.after(&e.named[i], from, most); far < most {
			next = h + int64(far)
		}
	}
	return next
}

// offered returns the heartbeat from h on with the offer that may be accepted for their number alone, or limit if it is not before that. It is
// the same one however many heartbeats are asked for at a time.
func (e *elision) offered(h, limit int64) int64 {
	at := h + e.until - 1
	for at < limit {
		missing := e.until - (at + 1 - h - e.special.Within(h, at+1))
		if missing <= 0 {
			return at
		}
		at += missing
	}
	return limit
}

// CreditHeartbeats is part of [yarn.Elider].
func (f *Scheduler) CreditHeartbeats(h, end int64) {
	if e := &f.elision; e.until != policy.Always || len(e.counted) > 0 {
		e.credit(end - h - e.special.Within(h, end))
	}
}

// credit counts offers at which nothing happens.
func (e *elision) credit(offers int64) {
	for _, t := range e.counted {
		e.foreseen.Pass(&t.Patience, offers)
	}
	if e.until != policy.Always {
		e.until -= offers
	}
}

// passes reports whether a heartbeat that is executed for the node's own sake can do no more than count an offer, which is then counted.
func (f *Scheduler) passes(n *node) bool {
	e := &f.elision
	if f.literally || int(n.ID) >= len(e.rank) || e.rank[n.ID] == 0 || !f.known() {
		return false
	}
	i := int(e.rank[n.ID] - 1)
	if e.until <= 1 || e.accepts(i) {
		return false
	}
	if !e.special.Has(i) {
		e.credit(1)
	}
	return true
}

// UpdateDue is part of [yarn.Elider].
func (f *Scheduler) UpdateDue() bool { return f.elision.dirty || f.site.Preemption }

// CreditUpdate is part of [yarn.Elider].
func (f *Scheduler) CreditUpdate(int64) {}

// Settle is part of [yarn.Elider]: nothing is left for later.
func (f *Scheduler) Settle() {}
