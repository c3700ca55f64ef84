package capacity

import (
	"slices"

	"replay/engine/yarn/conf"
	"replay/policy"
	"replay/policy/resource"
)

// queue is a queue of the tree. The members from users on belong to leaf queues.
//
// Source: AbstractCSQueue, AbstractParentQueue, AbstractLeafQueue.
type queue struct {
	s        *Scheduler
	cfg      *conf.CapacityQueue // with what follows from the size of the cluster
	index    int                 // in the configuration
	parent   *queue
	children []*queue // as configured
	leaf     bool
	mixed    bool // some of the children have a capacity given as an amount, and some have not

	limits    policy.CapacityLeaf
	minFactor float32 // (largest - least) as a part of the largest allocation
	used      resource.Resource
	reserved  resource.Resource // part of used
	pending   resource.Resource
	standing  policy.CapacityQueue // see [queue.stands]
	moved     bool                 // what is used of standing is to be computed
	number    int                  // among the siblings, as configured
	order     []*queue             // of the children, see sorted
	shifts    bool                 // stands in shifted of the parent
	shifted   []*queue             // children that have no place in order, or another one
	submitted int                  // applications, not yet finished
	running   int32                // attempts that the running limits let run

	users        *users
	appOrder     policy.LeafOrder
	byUsage      bool // appOrder looks at usage and demand
	lastCluster  resource.Resource
	offered      resource.Resource // most that the queue could use as of the last offer
	currentLimit resource.Resource // the same, as headroom is computed from it
	amLimit      resource.Resource
	amUsed       resource.Resource
	pendingApps  []*app    // runnable, wait for room for their masters; in order
	amSizes      []*amSize // of the masters of these, in no order that means anything
	amSizeOf     map[resource.Resource]*amSize
	passes       int64  // of [queue.activate]
	activeApps   []*app // in the order of service as of the last look
	stale        []*app // to be placed again in activeApps
	wishing      []*app // those of activeApps that are not [app.content], and some that are, in that order
	slipped      bool   // all of activeApps are looked at, see [queue.assignLeaf]
	waiting      []*app // kept back by running limits, in order of arrival
}

// newQueue makes the queue number i of the configuration and those below it.
func (s *Scheduler) newQueue(i int, parent *queue) *queue {
	c := &s.cfg.Queues[i]
	q := &queue{s: s, cfg: c, index: i, parent: parent, leaf: c.Leaf}
	q.limits = policy.CapacityLeaf{
		Least: s.least, UserLimit: c.UserLimit, UserFactor: c.UserLimitFactor, AMPercent: c.MaxAMShare,
	}
	q.minFactor = s.calc.Ratio(c.MaxAlloc.Sub(s.least), c.MaxAlloc)
	q.standing = policy.CapacityQueue{ConfiguredMin: c.ConfigMin, Priority: c.Priority}
	s.queues[i] = q
	for _, k := range c.Children {
		child := s.newQueue(k, q)
		child.number = len(q.children)
		q.children = append(q.children, child)
		q.mixed = q.mixed || s.cfg.Queues[k].ConfigMin.IsNone() != s.cfg.Queues[c.Children[0]].ConfigMin.IsNone()
	}
	if q.leaf {
		q.users = newUsers(q)
		var err error
		if q.appOrder, err = s.site.Policies.NewLeafOrder(c.Ordering, policy.LeafOrderSettings{SizeBasedWeight: c.SizeBasedWeight}); err != nil {
			panic(err) // the configuration knows the names
		}
		q.slipped = !slices.ContainsFunc(policy.LeafOrders, func(o policy.LeafOrderEntry) bool { return o.Name == c.Ordering }) // it may be no order
		_, q.byUsage = q.appOrder.(policy.WithUsage)
	}
	return q
}

// clusterChanged takes over what follows from the size of the cluster, from the root down. Limit is what the
// queue may use at most.
//
// Source: ParentQueue.updateClusterResource, LeafQueue.updateClusterResource.
func (q *queue) clusterChanged(limit resource.Resource) {
	s, c := q.s, q.cfg
	q.limits.Min, q.limits.Max, q.standing.Absolute = c.EffectiveMin, c.EffectiveMax, c.AbsoluteCapacity
	if q.leaf {
		q.clusterChangedLeaf(limit)
		return
	}
	limit = resource.Smaller(s.calc, s.cluster(), limit, q.limits.Max)
	for _, c := range q.children {
		c.clusterChanged(q.childLimit(c, limit))
	}
	q.updateUsedCapacity()
}

// clusterChangedLeaf is [queue.clusterChanged] for a leaf: its limits and the headroom of its applications.
func (q *queue) clusterChangedLeaf(limit resource.Resource) {
	q.users.listen()
	q.lastCluster = q.s.cluster()
	q.setCurrentLimit(limit)
	q.currentLimit = q.offered
	q.users.recount()
	q.updateUsedCapacity()
	q.activate()
	q.users.changed()
	for _, a := range q.activeApps {
		q.headroomLimit(a)
	}
}

// updateUsedCapacity notes that the part of its own capacity and of the cluster that the queue uses is another one, and with it its place. It is computed when
// somebody asks, see [queue.stands].
func (q *queue) updateUsedCapacity() {
	q.shift()
	q.moved = true
}

// stands returns where a queue stands among its siblings.
//
// Source: CSQueueUtils.updateUsedCapacity.
func (q *queue) stands() *policy.CapacityQueue {
	if !q.moved {
		return &q.standing
	}
	q.moved = false
	s := q.s
	cluster := s.cluster()
	q.standing.Used, q.standing.AbsoluteUsed = 0, 0
	if s.positive(cluster) {
		own := resource.Larger(s.calc, cluster, q.limits.Min, s.least)
		q.standing.AbsoluteUsed = s.calc.Divide(cluster, q.used, cluster)
		q.standing.Used = s.calc.Divide(cluster, q.used, own)
	}
	return &q.standing
}

// use adds r, which may be negative, to what the queue uses.
func (q *queue) use(r resource.Resource) {
	q.used = q.used.Add(r)
	q.updateUsedCapacity()
}

// charge adds r, which may be negative, to the usage of a leaf queue, its ancestors and the application's user.
//
// Source: AbstractLeafQueue.allocateResource, AbstractLeafQueue.releaseResource, AbstractParentQueue.apply.
func (q *queue) charge(a *app, r resource.Resource) {
	q.use(r)
	q.users.charge(a.user, r)
	q.reorderLater(a)
	for p := q.parent; p != nil; p = p.parent {
		p.use(r)
	}
}
