package fair

import (
	"math"
	"slices"

	"replay/engine/lineup"
	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/engine/yarn/jvm"
	"replay/policy"
	"replay/policy/resource"
)

// app is an application attempt in the FairScheduler; Contender holds usage and demand.
//
// Source: FSAppAttempt.
type app struct {
	policy.Contender
	*yarn.Attempt
	f     *Scheduler
	queue *queue
	user  *userApps
	fair  resource.Resource // share, see [Scheduler.share]

	outdated bool  // stands in [outdated.apps]
	listed   int   // how often it stands in the queue's list of runnable ones
	counted  int   // how often in that and the list of those that wait: it counts as often in what the queue wants
	entered  int64 // when it became runnable, by [Scheduler.entered]; 0 before
	moved    bool  // stands in the queue's list of those
	ordered  bool  // scratch of [queue.reorder]

	wantingAt int // place in the queue's list of those plus 1, 0 when it is not there
	place     lineup.Place[*app]

	amRunning    bool // a first container was allocated; never for an unmanaged application master
	amSize       resource.Resource
	amPreemption bool // the application master may be preempted

	reserved    []*yarn.Container // reservations in the order of their making
	reservedFor *yarn.Table       // that all of them have answered since there were none; nil for several
	reservedOn  []hostOnRack      // of their nodes, each once
	crowded     *crowded          // nil until it matters; of one without reservations, too
	holding     holding           // as of the last survey

	blackChanged bool
	blackNodes   []*yarn.Node // of the headroom, as of the last change of the blacklist

	asked []asked       // by number of the table
	had   []*yarn.Table // of an attempt that has left, see [Scheduler.departs]

	// Preemption.
	marked         []*yarn.Container
	markedSize     resource.Resource
	fairStarvation resource.Resource
	minStarvation  resource.Resource
	lastAtFair     int64 // ms
	nextCheck      int64 // ms
}

func (f *Scheduler) newApp(s yarn.AppSpec, number int32, q *queue) *app {
	a := f.spareApp()
	a.Attempt.Renew(s, number, f.timestamp, f.now, f.cluster.Places)
	a.queue, a.user = q, f.user(s.User)
	a.Contender.Start, a.Rank, a.Contender.Priority = f.now, jvm.AppRank(int32(s.ID)), 1
	a.lastAtFair, a.place.Member = f.now, a
	a.amPreemption = f.site.AMPreemption(q.name)
	f.setDemand(a, resource.Resource{})
	return a
}

// setDemand sets the demand and the weight that may depend on it.
//
// Source: FSAppAttempt.getWeight.
func (f *Scheduler) setDemand(a *app, demand resource.Resource) {
	weight := float32(1)
	if f.site.SizeBasedWeight {
		weight = float32(math.Log1p(float64(demand[resource.Memory])) / math.Ln2)
	}
	if weight != a.Weight {
		a.Weight = weight
		f.reshare(a.queue)
	} else if demand == a.Demand {
		return
	}
	more := demand.Sub(a.Demand)
	a.Demand = demand
	for range a.counted {
		a.queue.wanted = a.queue.wanted.Add(more)
	}
	a.changed()
	f.spoiled(a, false)
}

// count notes that the application stands once more in its queue's lists; uncount that it does once less.
func (a *app) count() {
	a.counted++
	a.queue.wanted = a.queue.wanted.Add(a.Demand)
}

func (a *app) uncount() {
	a.counted--
	a.queue.wanted = a.queue.wanted.Sub(a.Demand)
}

// uses carries a change of the application's usage on to its queues and the cluster; with more set it has got something.
func (f *Scheduler) uses(a *app, r *resource.Resource, more bool) {
	f.used(a)
	more = more && a.wantingAt > 0
	a.Usage.CopyFrom(&a.Used)
	a.changed()
	f.allocated.AddTo(r)
	f.charged = true
	f.charge(a.queue, r)
	f.spoiled(a, more)
}

// belowShare reports whether usage is below share by the measure of the leaf's policy.
//
// Source: FSAppAttempt.isUsageBelowShare.
func (a *app) belowShare(usage, share resource.Resource) bool {
	return a.queue.sharing.Measure(a.f.cluster.Capacity, usage, share, true) < 0
}

// starved is FSAppAttempt.isStarved.
func (a *app) starved() bool {
	return !a.minStarvation.IsNone() || a.belowShare(a.Usage, a.f.share(a))
}

// overAMShare reports whether the application still has to get its application master and may not have it now.
//
// Source: FSAppAttempt.isOverAMShareLimit, FSLeafQueue.canRunAppAM.
func (f *Scheduler) overAMShare(a *app) bool {
	size, needs := a.master()
	return needs && !f.canRunAM(a.queue, size)
}

// master returns the size of the application master that the application still needs, if it does.
func (a *app) master() (size resource.Resource, needs bool) {
	if a.amRunning || a.Unmanaged {
		return size, false
	}
	keys := a.Active()
	if len(keys) == 0 {
		return size, false
	}
	return keys[0].Any().Size, true
}

func (f *Scheduler) canRunAM(q *queue, size resource.Resource) bool {
	if math.Abs(float64(float32(q.maxAMShare+1))) < 0.0001 {
		return true
	}
	return q.amUsed.Add(size).FitsIn(f.amLimit(q))
}

// amLimit is what the application masters of a leaf may have together.
func (f *Scheduler) amLimit(q *queue) resource.Resource {
	limit := q.fair.Clone()
	for t := range f.types {
		if limit[t] == 0 {
			limit[t] = min(f.available[t], q.maxShare[t])
		}
	}
	return limit.MulUp(float64(q.maxAMShare))
}

// findBlack finds the nodes on which the application wants nothing, where that has changed.
func (f *Scheduler) findBlack(a *app) {
	if !a.blackChanged {
		return
	}
	a.blackChanged = false
	a.blackNodes = a.blackNodes[:0]
	for n := range f.cluster.All {
		if a.Blacklisted(n) {
			a.blackNodes = append(a.blackNodes, n)
		}
	}
}

// headroom is what the application is told that it may still get.
//
// Source: FSAppAttempt.getHeadroom.
func (f *Scheduler) headroom(a *app) resource.Resource {
	free := f.unallocated()
	for _, n := range a.blackNodes {
		free = free.SubNonNegative(n.Free)
	}
	q := a.queue
	return q.sharing.Headroom(q.fair, q.Usage, free.Min(q.maxShare.Clone().Sub(q.Usage)))
}

// offer is a node offered to a key: the records that concern it, nil where there are none.
type offer struct{ host, rack, anywhere *yarn.Record }

// look finds the records and reports whether the node could take a container of the key: something is wanted there, it
// would fit the empty node, and the queue's maximum permits it.
//
// Source: FSAppAttempt.hasContainerForNode.
func (a *app) look(t *yarn.Table, n *yarn.Node) (o offer, ok bool) {
	o.anywhere = t.Any()
	if o.anywhere == nil || o.anywhere.Count <= 0 {
		return o, false
	}
	if t.Located() {
		o.host, o.rack = t.At(n)
	}
	if !o.anywhere.Relax && o.rack.Asked() <= 0 || o.rack.Asked() > 0 && !o.rack.Relax && o.host.Asked() <= 0 {
		return o, false
	}
	return o, o.anywhere.Size.Within(&n.Total) && a.queue.fits(&o.anywhere.Size)
}

// assign tries to place one container of the application on a node. The result is the size asked for, [reservedMark]
// for a reservation, nil for nothing; a container without size is nothing, too.
//
// Source: FSAppAttempt.assignContainer(FSSchedulerNode).
func (f *Scheduler) assign(a *app, n *node) *resource.Resource {
	if f.overAMShare(a) {
		return nil
	}
	for _, t := range a.Active() {
		o, ok := a.look(t, n.Node)
		if !ok {
			continue
		}
		if ask, level := f.match(t, &o); ask != nil {
			return f.place(a, t, n, ask, level, nil)
		}
	}
	return nil
}

// match counts an offer to the key and returns the record that the node may answer now, or nil.
//
// Source: FSAppAttempt.assignContainer(FSSchedulerNode, boolean).
func (f *Scheduler) match(t *yarn.Table, o *offer) (ask *yarn.Record, level protocol.NodeType) {
	f.elision.fold(t)
	t.Offers++
	allowed := f.delay.Level(&t.Patience, f.cluster.Len(), f.now)
	if o.rack.Asked() > 0 && o.host.Asked() > 0 {
		return o.host, protocol.NodeLocal
	}
	if !o.rack.Relaxed() {
		return nil, 0
	}
	if o.rack.Asked() > 0 && allowed >= policy.RackLevel {
		return o.rack, protocol.RackLocal
	}
	if o.anywhere.Relax && (!t.Located() || allowed == policy.AnyLevel) {
		return o.anywhere, protocol.OffSwitch
	}
	return nil, 0
}

// place allocates a container for the ask, or reserves the node when there is no room now. reserved is the reservation
// that is being filled, or nil.
//
// Source: FSAppAttempt.assignContainer(FSSchedulerNode, PendingAsk, NodeType, boolean, SchedulerRequestKey).
func (f *Scheduler) place(a *app, t *yarn.Table, n *node, ask *yarn.Record, level protocol.NodeType, reserved *yarn.Container) *resource.Resource {
	size := ask.Size
	if size.Within(&n.Free) {
		c := f.allocate(a, t, n.Node, &size, level, reserved)
		if reserved != nil {
			f.unreserve(a, n)
			f.spare(reserved)
		}
		if c == nil {
			return nil
		}
		n.placeFor(c, a)
		e := f.about(yarn.Allocated, c)
		e.Update = t.Update
		f.tell(e)
		if !a.amRunning && !a.Unmanaged {
			a.amSize, a.amRunning = size, true
			a.queue.amUsed = a.queue.amUsed.Add(size)
		}
		if size.IsNone() {
			return nil
		}
		return &c.Size
	}
	if f.reservable(a, size) && !n.claimedBy(a) && f.reserve(a, t, n, size, level, reserved) {
		return reservedMark
	}
	return nil
}

// ID is the application's number.
func (a *app) ID() protocol.AppID { return a.Attempt.ID }

// allocate takes the ask from the table and starts the container, under the reservation's number if there is one.
//
// Source: FSAppAttempt.allocate.
func (f *Scheduler) allocate(a *app, t *yarn.Table, n *yarn.Node, size *resource.Resource, level protocol.NodeType, reserved *yarn.Container) *yarn.Container {
	f.elision.fold(t)
	t.Got(policy.NodeLevel + policy.Level(level))
	if t.AnyCount() <= 0 {
		return nil
	}
	var c *yarn.Container
	if reserved != nil {
		c = a.NewContainer(reserved.ID, n, t.Key, reserved.Size, f.now)
	} else {
		c = a.NewContainer(a.NextContainer(), n, t.Key, *size, f.now)
	}
	if a.Allocated(c, t, level); !t.Wanted() {
		f.stale(a.queue)
	}
	f.uses(a, &c.Size, true)
	return c
}

// remember and forget keep the containers that are going to be preempted.
//
// Source: FSAppAttempt.trackContainerForPreemption, untrackContainerForPreemption.
func (a *app) remember(c *yarn.Container) {
	if !slices.Contains(a.marked, c) {
		a.marked = append(a.marked, c)
		a.markedSize = a.markedSize.Add(c.Size)
	}
}

func (a *app) forget(c *yarn.Container) {
	if i := slices.Index(a.marked, c); i >= 0 {
		a.marked = slices.Delete(a.marked, i, i+1)
		a.markedSize = a.markedSize.Sub(c.Size)
	}
}

// An attempt that has left gives its memory to one that is to come, as soon as nothing is left that speaks of it: the containers of it that nodes still hold, and lists of
// applications whose members are looked at when somebody reads them. The literal way, by which the other is checked, and preemption, whose claims outlive an attempt,
// from its first choice on, make each anew.

// mostLeaving is how many wait for that.
const mostLeaving = 256

// departs keeps the memory of an attempt that has left.
func (f *Scheduler) departs(a *app) {
	if f.literally || f.chose || len(f.leaving) == mostLeaving {
		return
	}
	if q := a.queue; a.moved && !q.moved && !q.partial { // of no place in an order there is nothing to settle
		q.movedApps = slices.DeleteFunc(q.movedApps, func(o *app) bool { return o == a })
		a.moved = false
	}
	f.leaving = append(f.leaving, a)
}

// spareApp returns the memory of an attempt that left long ago, or new one: all is zero but for lists to be filled.
func (f *Scheduler) spareApp() *app {
	n := len(f.leaving)
	for i := range min(n, 4) {
		a := f.leaving[i]
		if f.speaksOf(a) {
			continue
		}
		f.leaving[i] = f.leaving[0]
		f.leaving = f.leaving[:copy(f.leaving, f.leaving[1:])]
		f.cluster.SpareTables(a.had)
		clear(a.had)
		*a = app{f: f, Attempt: a.Attempt, asked: a.asked[:0], had: a.had[:0], reserved: a.reserved[:0], reservedOn: a.reservedOn[:0], crowded: a.crowded, blackNodes: a.blackNodes[:0]}
		return a
	}
	if n == mostLeaving { // the first ones may never be free
		f.leaving = f.leaving[:copy(f.leaving, f.leaving[4:])]
	}
	return &app{f: f, Attempt: new(yarn.Attempt)}
}

// ForgetAsks is part of [yarn.Forgetter].
func (f *Scheduler) ForgetAsks(id protocol.AppID) {
	a := f.attempt(id)
	if a == nil || f.literally || f.chose || len(a.Active()) > 0 || len(a.reserved) > 0 {
		return
	}
	if a.had = a.AppendTables(a.had[:0]); f.speaksOfAsks(a) {
		a.had = a.had[:0]
		return
	}
	a.Requests.Stop()
	f.cluster.SpareTables(a.had)
	clear(a.had)
	a.had = a.had[:0]
	f.elision.freeSpots(a)
	if a.asked != nil {
		f.asked = append(f.asked, a.asked[:0])
		a.asked = nil
	}
}

// takeAsked returns an empty list that another attempt had, nil if there is none.
func (f *Scheduler) takeAsked() (list []asked) {
	if n := len(f.asked); n > 0 {
		list, f.asked = f.asked[n-1], f.asked[:n-1]
	}
	return list
}

// speaksOfAsks reports whether anything that was found speaks of what an attempt asks for.
func (f *Scheduler) speaksOfAsks(a *app) bool {
	counted := func(t *yarn.Table) bool { return t.Leaf != nil }
	is := func(n named) bool { return n.app == a }
	return slices.ContainsFunc(a.had, counted) || slices.ContainsFunc(a.queue.found.named, is) || slices.ContainsFunc(f.elision.named, is)
}

// speaksOf reports whether anything is left that speaks of an attempt that has left.
func (f *Scheduler) speaksOf(a *app) bool {
	if a.Placed() || a.outdated || a.moved || a.listed > 0 || a.counted > 0 || a.wantingAt > 0 || a.place.In() != nil || len(a.reserved) > 0 {
		return true
	}
	return f.speaksOfAsks(a) || slices.Contains(a.queue.ordered, a) || f.starving.waits(a)
}
