package fair

import (
	"slices"

	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/policy"
	"replay/policy/resource"
)

// elision knows at which node heartbeats the scheduler could do more than count an offer. A node is of interest when it has room
// for what a candidate asks for and accepts there, or when it holds a reservation or a claim. What candidates want is surveyed leaf by leaf,
// those again of which something has changed that it depends on; what nodes have room for is kept.
//
// A survey of many candidates takes time, which heartbeats pay for at which nothing happens: it waits until they have wasted as much since surveys were
// paid for last. Where many wait in one leaf and something happens at each heartbeat there is none.
//
// Each answer may be too generous: a heartbeat at which nothing happens is executed. None may be too strict.
type elision struct {
	ranks     []protocol.NodeID         // of the epoch, in the order of heartbeats
	cycle     yarn.Cycle                // of these
	epoch     int64                     // as of which names are known
	linked    yarn.Ranks                // those whose names are known
	hosts     []uint16                  // by name: the rank of its node plus 1, 0 for none
	more      map[protocol.Name][]int32 // ranks of the other nodes of a name, and of those whose rank has no place in hosts
	racks     []*rack                   // by name
	rackAt    []protocol.Name           // by rank
	rackCount int                       // of racks
	alike     bool                      // a host has the name of a rack
	spots     []*spots                  // room for those of a table
	free      []*spots                  // of no table

	changed  bool     // something that a survey looks at
	whole    bool     // of all leaves
	stale    []*queue // leaves of which something has
	doubted  []*queue // leaves of which the maximum of a queue has, as far as is known
	overfull []*queue // queues of whose verdicts not all are kept
	lax      []*queue // leaves in which some accept less than a survey found, or as much
	changes  int64    // how often anything but a count of offers has
	looked   int64    // as of which holders were looked at
	costs    costs
	wasted   int64 // at heartbeats at which nothing happened, in the unit of costs, less what surveys have cost since
	acted    bool  // something happened at the last node that was offered
	chosen   chosen
	dirty    bool // something that an update looks at

	room    []*roomFor // for the sizes that were asked for of late
	special yarn.Ranks // nodes with a reservation or claims, which are offered to nobody while they do not wake
	none    bool       // there are none of these
	awake   yarn.Ranks // those that do
	unsure  yarn.Ranks // those of which it is not known whether they do
	scratch yarn.Ranks

	// Delay scheduling: whether offers are counted at all, and what tells their effect, nil when that depends on more.
	counts   bool
	foreseen policy.Foreseen
	together

	// What surveys found. Rooms and special nodes are followed between them, so that a node which has changed asks for none unless
	// it was special or is, or settled says that some of the rest was found from them.
	leaves    []*queue   // of which something was found
	naming    []*queue   // of them, those where something is accepted on some nodes
	loose     []*queue   // those for which what is available in the cluster counts
	alls      int        // for how many every heartbeat is to be executed
	reserving int        // how many may reserve
	all       bool       // every heartbeat is to be executed
	every     bool       // of nodes that are not special, too
	open      []*roomFor // sizes that are accepted on any node
	named     []named    // sizes that are accepted on some nodes
	near      yarn.Ranks // other nodes of interest: those that candidates accept, and special ones that wake
	marked    bool       // near is not empty
	settled   bool
	totals    []resource.Resource // capabilities by rank
	least     least
}

// named is what one candidate accepts on nodes that it asks for by the name of their host or rack: those with room for a size.
type named struct {
	room  *roomFor
	nodes *yarn.Ranks // nil for those on racks that a table by localities asks for
	app   *app
	table *yarn.Table
}

// chosen is why the last answer of NextHeartbeat was that heartbeat: a candidate of a leaf accepts something of its node. It saves to find that out again, and no more: nobody may
// accept anything by then.
type chosen struct {
	rank int // of the node, -1 for another reason
	leaf *queue
}

// mostNamed is how many of these are looked at one by one, which where there are many comes to an end soon, as the next node is near; what more candidates accept is put
// together in one set, which each change of a node has made again.
const mostNamed = 512

// roomFor is the nodes, by rank, with room for a container of a size.
type roomFor struct {
	size   resource.Resource
	leaves int // in how many the size is accepted on any node
	yarn.Ranks
}

// What a heartbeat costs at which nothing happens, and each visit of a candidate at it, in the unit of the cost of a survey.
const (
	beatCost  = 32
	visitCost = 8
)

// mostSizes is how many sizes rooms are kept for.
const mostSizes = 32

var (
	_ yarn.Elider = (*Scheduler)(nil)
	_ yarn.Ender  = (*Scheduler)(nil)
)

// watch tells the elision which delay scheduling it is about.
func (e *elision) watch(d policy.Delay) {
	e.foreseen, _ = d.(policy.Foreseen)
	e.counts = e.foreseen == nil || e.foreseen.Until(&policy.Patience{}, 1) != policy.Always
}

// touch notes a change that shares and candidates may follow.
func (f *Scheduler) touch() {
	f.elision.dirty = true
	f.elision.change()
}

// everything notes a change of the cluster or of the configuration, which all shares and every order follow.
func (f *Scheduler) everything() {
	f.touch()
	f.elision.changeAll()
	f.outdated.all, f.charged = true, true
	f.tree.root.each(func(q *queue) { q.moved = true })
}

// change notes a change of something that nodes with reservations, passes of continuous scheduling or updates may follow.
func (e *elision) change() { e.changes++ }

// changeAll notes a change that candidates of all leaves may follow.
func (e *elision) changeAll() { e.changed, e.whole = true, true }

// stale notes a change that the candidates of a leaf may follow. One of which nothing was found has none while nobody in it is wanting: what makes
// an application wanting is noted afterwards.
func (f *Scheduler) stale(q *queue) {
	e, x := &f.elision, &q.found
	if x.at == 0 && len(q.wanting) == 0 {
		return
	}
	e.changed = true
	if !x.stale {
		x.stale = true
		e.stale = append(e.stale, q)
		e.costs.stale += x.cost
	}
}

// spoiled notes that the usage or the demand of an application has changed, with more set by a container that it has got. That concerns what others accept only where the order is
// partial or a maximum permits something else now, see [Scheduler.charge], and what itself does if it asks for something: once it has its master it accepts no more than before for
// having got more. So that waits until a node is offered in vain. Where offers are counted it is just what it was, or is found again.
func (f *Scheduler) spoiled(a *app, more bool) {
	e, q := &f.elision, a.queue
	switch {
	case q.partial || f.site.Preemption || a.wantingAt > 0 && !q.sharing.Total(&a.Contender, &f.cluster.Capacity):
		f.stale(q)
	case len(a.Active()) == 0:
	case !more || !a.amRunning:
		f.stale(q)
	case e.counts:
		if !a.holds() {
			f.stale(q)
		}
	case !q.found.lax:
		q.found.lax = true
		e.lax = append(e.lax, q)
	}
}

// inVain notes that nothing happened at a node that was offered: somebody may accept less than it seemed.
func (f *Scheduler) inVain() {
	for _, q := range f.elision.lax {
		q.found.lax = false
		f.stale(q)
	}
	f.elision.lax = f.elision.lax[:0]
}

// executed notes a heartbeat that is executed; claims on the node may bring offers of their own.
func (e *elision) executed(claims bool) {
	e.met++
	if claims && e.counts {
		e.changeAll()
	}
}

// sends returns the rank of a node, false while it sends no heartbeats.
func (n *node) sends() (rank int, is bool) { return int(n.rank - 1), n.rank > 0 }

// special reports whether the node is not simply offered to the queues.
func (n *node) special() bool { return n.Reserved != nil || len(n.held().claims) > 0 }

// roomNext is the room of the node at its next heartbeat; offered is whether it is offered to the queues then.
func (n *node) roomNext() (room resource.Resource, offered bool) {
	room = n.ending
	room.AddTo(&n.Free)
	return room, n.Reserved == nil
}

// serves reports whether the node has room for a size at its next heartbeat and is offered to the queues.
func (n *node) serves(size *resource.Resource) bool {
	room, offered := n.roomNext()
	return offered && size.Within(&room)
}

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
		n := &f.nodes[id]
		r.Set(i, n.rank > 0 && n.serves(&size))
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
		k := f.at(n)
		i, sends := k.sends()
		if !sends || n.Gone() {
			e.changeAll()
			return
		}
		e.changed = e.changed || e.settled || e.special.Has(i) || k.special()
		f.found(i, k)
		if n.Resized() && e.totals[i] != n.Total {
			f.resized(i, n.Total)
		}
	})
}

// known brings what surveys found up to date; false says that nothing is known, and the next heartbeat is to be executed.
func (f *Scheduler) known() bool {
	e := &f.elision
	if f.cluster.AnyTouched() {
		f.follow()
	}
	if len(e.doubted) > 0 {
		e.settleDoubts()
	}
	if f.differs() || e.until() <= 0 {
		if e.wasted < e.costs.next(e.whole) {
			return false
		}
		f.survey()
		e.wasted = max(e.wasted-e.costs.spent, 0)
	}
	return !e.all
}

// NextHeartbeat is part of [yarn.Elider].
func (f *Scheduler) NextHeartbeat(h, limit, far int64) int64 {
	e, next := &f.elision, far
	e.chosen.rank = -1
	if e.every && e.acted {
		if on, ok := f.goesOn(h, limit); ok {
			return on
		}
	}
	if !f.known() {
		return h
	}
	if until := e.until(); until != policy.Always {
		next = e.offered(h, next, until)
	}
	from := e.cycle.Rank(h)
	see := func(s *yarn.Ranks) {
		if off, ok := s.After(from); ok {
			next = min(next, h+int64(off))
		}
	}
	if e.marked {
		see(&e.near)
	}
	for _, r := range e.open {
		see(&r.Ranks)
	}
	for i := range e.named {
		w, most := &e.named[i], int(min(next-h, int64(len(e.ranks))))
		if off := e.after(w, from, most); off < most {
			next = h + int64(off)
			if e.chosen = (chosen{from + off, w.app.queue}); e.chosen.rank >= len(e.ranks) {
				e.chosen.rank -= len(e.ranks)
			}
		}
	}
	return next
}

// differs reports whether something has changed that a survey looks at. What is available in the cluster changes with what is counted as a change.
func (f *Scheduler) differs() bool {
	e := &f.elision
	if !e.changed && e.looked != e.changes {
		e.changed = !f.fresh() || f.holdersChanged()
	}
	return e.changed || len(e.doubted) > 0
}

// Still is part of [yarn.Elider].
func (f *Scheduler) Still() bool { return !f.cluster.AnyTouched() && !f.differs() }

// mostSpecial is how many special nodes are looked at one by one where the others go on to be served.
const mostSpecial = 8

// goesOn returns the next heartbeat of a node that is offered or wakes, without a survey, where somebody took or reserved any node when one last looked, and has
// done so at the last heartbeat. ok is false if nothing has changed, or there are many nodes before it.
func (f *Scheduler) goesOn(h, limit int64) (next int64, ok bool) {
	e := &f.elision
	if f.follow(); !e.changed {
		return h, false
	}
	for far := int64(0); far < mostSpecial; far++ {
		if h+far == limit {
			return limit, true
		}
		if n := &f.nodes[e.ranks[e.cycle.Rank(h+far)]]; n.rank > 0 && f.wakes(n) {
			return h + far, true
		}
	}
	return h, false
}

// offered returns the heartbeat from h on with the offer that is the until-th, or limit if it is not before that. It is the same one however many
// heartbeats are asked for at a time.
func (e *elision) offered(h, limit, until int64) int64 {
	at := h + until - 1
	for at < limit {
		missing := until - e.offers(h, at+1)
		if missing <= 0 {
			return at
		}
		at += missing
	}
	return limit
}

// offers returns how many of the heartbeats from h to before end are offers.
func (e *elision) offers(h, end int64) int64 {
	if e.none {
		return end - h
	}
	return end - h - e.special.Within(h, end)
}

// CreditHeartbeats is part of [yarn.Elider].
func (f *Scheduler) CreditHeartbeats(h, end int64) {
	if e := &f.elision; e.counts {
		e.credit(e.offers(h, end))
	}
}

// passes reports whether a heartbeat that is executed for the node's own sake can do no more than count an offer, which is then counted.
func (f *Scheduler) passes(n *node) bool {
	e := &f.elision
	i, sends := n.sends()
	if f.literally || !sends || i == e.chosen.rank || f.likely(n) || !f.known() {
		return false
	}
	if e.accepts(i) || e.until() <= 1 && (e.special.Has(i) || !f.relax(i)) {
		return false
	}
	if !e.special.Has(i) {
		e.credit(1)
	}
	return true
}

// likely reports whether a special node wakes, or another one is one that somebody took or reserved when a survey last looked: the offer finds
// out for less than another survey.
func (f *Scheduler) likely(n *node) bool {
	e := &f.elision
	if n.special() {
		return f.wakes(n)
	}
	return e.every || slices.ContainsFunc(e.open, func(r *roomFor) bool { return r.size.Within(&n.Free) })
}

// UpdateDue is part of [yarn.Elider].
func (f *Scheduler) UpdateDue() bool { return f.elision.dirty || f.shouldPreempt() }

// CreditUpdate is part of [yarn.Elider].
func (f *Scheduler) CreditUpdate(int64) {}

// Settle is part of [yarn.Elider]: nothing is left for later.
func (f *Scheduler) Settle() {}
