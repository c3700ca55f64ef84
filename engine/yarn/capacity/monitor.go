package capacity

import (
	"math"
	"slices"

	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/engine/yarn/capacity/ideal"
	"replay/engine/yarn/conf"
	"replay/engine/yarn/jvm"
	"replay/policy/resource"
)

// A monitor is the preemption of the CapacityScheduler. At each look it finds out which leaves have more than they should while others lack what is theirs, and
// marks containers of those. One that is chosen again when it has been marked for long enough is killed.
//
// Source: ProportionalCapacityPreemptionPolicy.
type monitor struct {
	s         *Scheduler
	cfg       *conf.CapacityPreemption
	shares    []share        // by number in the configuration
	leaves    []*ideal.Share // in the order in which YARN visits them
	selectors []selector
	soonest   int64 // the shortest wait of these
	sized     int64 // as of which the shares are measured

	skipped []*yarn.Container // scratch: masters
	live    []*yarn.Container // scratch: of an application
}

// share is what a look sees of a queue.
type share struct {
	ideal.Share
	q      *queue
	parent *share

	tolerated resource.Resource // what it may have before anything is taken from it
	wakes     bool              // it is not content
	lacks     bool              // stands in [round.needy]

	apps  []*part         // of a leaf, those that are to give first come first; see [round.withinQueues]
	users map[*user]*part // of the same
}

// of is what the monitor has of a queue.
func (m *monitor) of(t *ideal.Share) *share { return &m.shares[t.N] }

// newShares builds the tree of shares over the queues.
func newShares(s *Scheduler) []share {
	shares := make([]share, len(s.queues))
	for i, q := range s.queues {
		t := &shares[i]
		t.N, t.q, t.NonPreemptable = i, q, q.cfg.NonPreemptable
		for _, c := range q.children {
			child := &shares[c.index]
			if child.parent = t; q.cfg.PriorityFirst {
				child.Priority = c.cfg.Priority
			}
			t.Children = append(t.Children, &child.Share)
		}
	}
	return shares
}

// inHashOrder returns the leaves below a queue in the order in which YARN visits them: that of the names in a hash set, made of those of the children.
//
// Source: ProportionalCapacityPreemptionPolicy.getLeafQueueNames.
func (m *monitor) inHashOrder(of *ideal.Share) (list []*ideal.Share) {
	if len(of.Children) == 0 {
		return []*ideal.Share{of}
	}
	var names jvm.HashMap[string, *ideal.Share]
	for _, c := range of.Children {
		for _, leaf := range m.inHashOrder(c) {
			path := m.of(leaf).q.cfg.Path
			names.Put(path, jvm.StringHash(path), leaf)
		}
	}
	for _, leaf := range names.All {
		list = append(list, leaf)
	}
	return list
}

// A selector chooses containers that are to be taken. What it chooses is killed when it has been marked for so long, ms.
//
// Source: PreemptionCandidatesSelector.
type selector struct {
	choose func(*round)
	wait   int64
}

// round is what one look has come to so far.
type round struct {
	*monitor
	allowed resource.Resource // that may still be taken
	all     chosen            // by the selectors before, and by this one
	now     *chosen           // by this one
	drops   []*yarn.Container // reservations that are given back
	needy   []*share          // queues that lacked something, each once, in the order of YARN's list
	failed  bool              // an exception ends the look: YARN logs it, and nothing is marked
}

// mark is when a container was marked, ms on the scheduler's clock.
type mark struct {
	id protocol.ContainerID
	at int64
}

// chosen are containers by attempt, in the orders of YARN's maps.
type chosen struct {
	apps jvm.HashMap[protocol.AppID, *victims]
}

type victims struct {
	app *app
	set jvm.HashMap[protocol.ContainerID, *yarn.Container]
}

func (c *chosen) has(x *yarn.Container) bool {
	v, ok := c.apps.Get(x.ID.App, x.App.Hash)
	if ok {
		_, ok = v.set.Get(x.ID, x.Hash)
	}
	return ok
}

func (c *chosen) add(a *app, x *yarn.Container) {
	v, ok := c.apps.Get(x.ID.App, x.App.Hash)
	if !ok {
		v = &victims{app: a}
		c.apps.Put(x.ID.App, x.App.Hash, v)
	}
	v.set.Put(x.ID, x.Hash, x)
}

// watch returns the monitor. All that it remembers from one look to the next is with the scheduler and its applications, so that it is made when it is first needed.
func (s *Scheduler) watch() *monitor {
	if s.monitor != nil {
		return s.monitor
	}
	cfg := &s.cfg.Preemption
	m := &monitor{s: s, cfg: cfg, shares: newShares(s), soonest: math.MaxInt64, sized: -1}
	m.leaves = m.inHashOrder(&m.shares[0].Share)
	shares := func(ofReserved, balances bool) *byShares {
		return &byShares{ideal.New(s.calc, s.types, ofReserved, balances)}
	}
	add := func(wait int64, choose func(*round)) {
		m.selectors = append(m.selectors, selector{choose, wait})
		m.soonest = min(m.soonest, wait)
	}
	if cfg.ByPriority {
		add(cfg.WaitBeforeKill, (*round).byPriority)
	}
	if cfg.ForReserved {
		add(cfg.WaitBeforeKill, shares(true, false).forReserved)
	}
	add(cfg.WaitBeforeKill, shares(cfg.OfReserved, false).fromQueues)
	if cfg.Balances {
		wait := cfg.BalanceWait
		if wait <= 0 {
			wait = cfg.WaitBeforeKill
		}
		add(wait, shares(false, true).fromQueues)
	}
	if cfg.IntraQueue {
		add(cfg.WaitBeforeKill, (*round).withinQueues)
	}
	s.monitor = m
	return m
}

// Monitoring is part of [yarn.Monitored].
func (s *Scheduler) Monitoring() int64 {
	if !s.cfg.Preemption.On {
		return 0
	}
	return s.cfg.Preemption.Interval
}

// Look is part of [yarn.Monitored].
//
// Source: ProportionalCapacityPreemptionPolicy.containerBasedPreemptOrKill.
func (s *Scheduler) Look() { s.watch().look() }

// Spares is part of [yarn.Sparing]: a container has to be chosen twice.
func (s *Scheduler) Spares(id protocol.AppID, now int64) int64 {
	a, m := s.appOf(id), s.watch()
	if m.cfg.ObserveOnly || a == nil || a.q.cfg.NonPreemptable && !m.cfg.ByPriority { // which does not ask
		return math.MaxInt64
	}
	first := now + (m.cfg.Interval-(now-s.timestamp)%m.cfg.Interval)%m.cfg.Interval
	at := first + max(m.soonest, m.cfg.Interval)
	for _, k := range a.marks {
		at = min(at, max(k.at+m.soonest, first))
	}
	return at
}

// What a monitor does with a container.
const (
	Mark = "mark"
	Kill = "kill"
	Drop = "drop" // of a reservation
)

// ObserveMonitor has f called with what looks do, in order.
func (s *Scheduler) ObserveMonitor(f func(what string, c protocol.Container)) { s.observeMonitor = f }

func (s *Scheduler) tellMonitor(what string, c *yarn.Container) {
	if s.observeMonitor != nil {
		s.observeMonitor(what, c.Protocol())
	}
}

// Shares yields of each queue what it had and wanted at the last look, what it should have had, what it had beyond that, and what was to be obtained.
func (s *Scheduler) Shares(yield func(path string, amounts [5]resource.Resource)) {
	m := s.watch()
	for i := range m.shares {
		t := &m.shares[i]
		yield(t.q.cfg.Path, [5]resource.Resource{t.Used, t.Pending, t.Ideal, t.Excess, t.Obtain})
	}
}

func (m *monitor) look() {
	m.hear()
	m.measure()
	if all := m.s.literally || m.s.observeMonitor != nil || m.cfg.IntraQueue || m.cfg.ByPriority; m.clone(all) || all {
		m.choose()
	} else {
		m.forget()
	}
}

// choose has containers chosen, and marks or kills them.
func (m *monitor) choose() {
	s := m.s
	r := round{monitor: m, allowed: s.cluster().Clone().Mul(float64(m.cfg.PerRound))}
	lists := make([]chosen, len(m.selectors))
	for i := range m.selectors {
		if r.now = &lists[i]; !r.failed {
			m.selectors[i].choose(&r)
		}
	}
	if m.cfg.ObserveOnly {
		return
	}
	for _, c := range r.drops {
		if s.tellMonitor(Drop, c); c.Node.Reserved == c { // two selectors may have passed it
			s.end(c, protocol.ExitAborted, yarn.EventKill)
		}
	}
	if r.failed {
		return
	}
	for i := range lists {
		for _, v := range lists[i].apps.All {
			for _, c := range v.set.All {
				m.preempt(v.app, c, m.selectors[i].wait)
			}
		}
	}
	m.forget()
}

// lacks notes that a queue has lacked something.
//
// Source: ProportionalCapacityPreemptionPolicy.addPartitionToUnderServedQueues.
func (r *round) lacks(of *ideal.Share) {
	if t := r.of(of); !t.lacks {
		t.lacks = true
		r.needy = append(r.needy, t)
	}
}

// preempt marks a container that was chosen, or kills it if it has been marked for so long.
//
// Source: ProportionalCapacityPreemptionPolicy.preemptOrkillSelectedContainerAfterWait, CapacityScheduler.markContainerForKillable.
func (m *monitor) preempt(a *app, c *yarn.Container, wait int64) {
	s := m.s
	i := slices.IndexFunc(a.marks, func(k mark) bool { return k.id == c.ID })
	switch {
	case i < 0:
		if len(a.marks) == 0 {
			s.marked = append(s.marked, a)
		}
		a.marks = append(a.marks, mark{c.ID, s.now})
		s.tellMonitor(Mark, c)
		if a.Live(c.ID) != nil && !slices.Contains(a.recalled, c.ID) {
			a.recalled = append(a.recalled, c.ID)
		}
	case a.marks[i].at+wait <= s.now:
		a.marks = slices.Delete(a.marks, i, i+1)
		s.tellMonitor(Kill, c)
		s.end(c, protocol.ExitPreempted, yarn.EventKill)
	}
}

// forget forgets marks of containers that have not been chosen for long.
//
// Source: ProportionalCapacityPreemptionPolicy.cleanupStaledPreemptionCandidates.
func (m *monitor) forget() {
	m.s.marked = slices.DeleteFunc(m.s.marked, func(a *app) bool {
		a.marks = slices.DeleteFunc(a.marks, func(k mark) bool { return k.at+2*m.cfg.WaitBeforeKill < m.s.now })
		return len(a.marks) == 0
	})
}

// hear does what a look does to the queues: limits of users are computed, and applications whose usage has changed get their places.
//
// Source: AbstractLeafQueue.getTotalPendingResourcesConsideringUserLimit, AbstractComparatorOrderingPolicy.getPreemptionIterator.
func (m *monitor) hear() {
	for _, t := range m.leaves {
		q := m.of(t).q
		if len(q.activeApps) > 0 && (q.slipped || q.users.computed != q.users.version) {
			for _, a := range q.activeApps {
				q.users.add(a.user)
				q.users.userLimit(a.user)
			}
		}
		if len(q.stale) > 0 && !q.cfg.NonPreemptable {
			q.served()
		}
	}
}

// guaranteed is what a queue has of its own.
//
// Source: TempQueuePerPartition.getGuaranteed.
func guaranteed(q *queue) resource.Resource {
	if r := q.cfg.EffectiveMin; !r.Equal(resource.Resource{}) {
		return r.Clone()
	}
	return q.s.cluster().Clone().Mul(float64(q.cfg.AbsoluteCapacity))
}

// most is what a queue may have.
//
// Source: TempQueuePerPartition.getMax.
func most(q *queue) resource.Resource {
	if r := q.cfg.EffectiveMax; !r.Equal(resource.Resource{}) {
		return r.Clone()
	}
	return q.s.cluster().Clone().Mul(float64(q.cfg.AbsoluteMaxCapacity))
}

// measure finds what is guaranteed to each queue, which depends on the size of the cluster.
func (m *monitor) measure() {
	if m.sized == m.s.sized {
		return
	}
	m.sized = m.s.sized
	for i := range m.shares {
		t := &m.shares[i]
		t.Guaranteed, t.Most, t.Capacity = guaranteed(t.q), most(t.q), t.q.cfg.AbsoluteCapacity
		t.tolerated = t.Guaranteed.Mul(1 + m.cfg.MaxIgnored)
	}
}

// clone takes over what the queues have and want, and reports whether a leaf has more than is tolerated: else nothing is taken, whatever others lack. Queues that want nothing and
// have no more than is guaranteed are content, and as good as left out, where all are not wanted.
//
// Source: ProportionalCapacityPreemptionPolicy.cloneQueues.
func (m *monitor) clone(all bool) (tempted bool) {
	cluster := m.s.cluster()
	for i := range m.s.types {
		all = all || cluster[i] <= 0
	}
	for i := len(m.shares) - 1; i >= 0; i-- { // children come behind their parents
		t := &m.shares[i]
		q := t.q
		t.Begin()
		t.Lively = t.Lively[:0]
		t.apps, t.users, t.lacks = nil, nil, false
		for _, c := range t.Children {
			if m.of(c).wakes {
				t.Lively = append(t.Lively, c)
			}
		}
		t.Used = q.used.Clone()
		if t.wakes = all || i == 0 || len(t.Lively) > 0 || !q.pending.IsNone() || !t.Used.Within(&t.Guaranteed); !t.wakes {
			t.Tempting = false
			continue
		}
		if q.leaf {
			t.Tempting = !t.NonPreemptable && m.s.calc.Compare(cluster, t.Used, t.tolerated, false) > 0
			tempted = tempted || t.Tempting
			t.Pending, t.Unreserved = q.wants()
			continue
		}
		t.Pending, t.Unreserved = resource.Resource{}, resource.Resource{}
		for _, c := range t.Lively {
			t.Pending, t.Unreserved = t.Pending.Add(c.Pending), t.Unreserved.Add(c.Unreserved)
		}
	}
	return tempted
}

// wants is what the applications of a leaf want, each user up to his limit, and the same without what has been reserved for them. Of each user and
// type it is the smaller of what his applications want and what he may still have, whatever their order.
//
// Source: AbstractLeafQueue.getTotalPendingResourcesConsideringUserLimit.
func (q *queue) wants() (pending, unreserved resource.Resource) {
	if q.pending.IsNone() && q.reserved.IsNone() {
		return
	}
	for _, a := range q.wishing {
		if a.pending.IsNone() {
			continue
		}
		u := a.user
		u.wants = u.wants.Add(a.pending.Max(resource.Resource{}))
		u.wantsMore = u.wantsMore.Add(a.pending.Sub(a.reserved).Max(resource.Resource{}))
	}
	for _, a := range q.wishing {
		u := a.user
		if u.wants.IsNone() && u.wantsMore.IsNone() {
			continue
		}
		room := q.users.userLimit(u).Sub(u.used).Max(resource.Resource{})
		pending, unreserved = pending.Add(u.wants.Min(room)), unreserved.Add(u.wantsMore.Min(room))
		u.wants, u.wantsMore = resource.Resource{}, resource.Resource{}
	}
	return pending, unreserved
}
