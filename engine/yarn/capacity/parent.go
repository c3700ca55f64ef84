package capacity

import (
	"cmp"
	"slices"

	"replay/engine/protocol"
	"replay/engine/reuse"
	"replay/engine/yarn"
	"replay/engine/yarn/jvm"
	"replay/policy"
	"replay/policy/resource"
)

// limits is what a queue may use on an offer, handed down the tree.
//
// Source: ResourceLimits.
type limits struct {
	limit     resource.Resource
	headroom  resource.Resource // limit less usage
	unreserve resource.Resource // to be given back from reservations before anything new
	blocked   resource.Resource // kept for children that wait for their limit
}

func newLimits(limit resource.Resource) limits { return limits{limit: limit, headroom: limit} }

// skip says why an offer was not taken.
type skip uint8

const (
	skipNone  skip = iota
	skipOther      // nothing for this node: the next application is tried
	skipLimit      // the queue's limit: its headroom is kept for it
)

// assignment is a proposal: what an application would get on a node. Size is none when it gets nothing.
//
// Source: CSAssignment.
type assignment struct {
	skip      skip
	size      resource.Resource
	kind      protocol.NodeType
	app       *app
	key       *key
	reserve   bool            // to be reserved, or reserved again
	fulfilled *yarn.Container // the reservation that it makes real or meets again
	excess    *yarn.Container // a reservation to be given back
}

// hasPending reports whether the queue wants more.
//
// Source: SchedulerUtils.hasPendingResourceRequest.
func (q *queue) hasPending() bool { return q.s.positive(q.pending) }

// assign offers a node to a queue.
//
// Source: AbstractParentQueue.assignContainers, AbstractLeafQueue.assignContainers.
func (q *queue) assign(n *yarn.Node, lim *limits) assignment {
	if q.leaf {
		return q.assignLeaf(n, lim)
	}
	if !q.hasPending() {
		return assignment{}
	}
	s := q.s
	if n.Reserved != nil || !s.calc.Fits(s.least, n.Free) {
		return assignment{}
	}
	reserved := resource.R(q.reserved[resource.Memory], q.reserved[resource.VCores])
	if !q.canAssign(lim, reserved) {
		return assignment{}
	}
	return q.assignChildren(n, lim)
}

// canAssign sets the headroom of lim and reports whether the queue is below its limit, or would be
// without what could be taken back from reservations.
//
// Source: AbstractCSQueue.canAssignToThisQueue.
func (q *queue) canAssign(lim *limits, reserved resource.Resource) bool {
	s := q.s
	limit := resource.Smaller(s.calc, s.cluster(), q.limits.Max, lim.limit)
	lim.headroom = limit.Sub(q.used)
	if s.calc.Compare(s.cluster(), q.used, limit, false) < 0 {
		return true
	}
	return s.keepLooking && s.positive(reserved) &&
		s.calc.Compare(s.cluster(), q.used.Sub(reserved), limit, false) < 0
}

// assignChildren offers the node to the children, the one furthest below its share first. A child that
// its limit stops keeps the headroom that it has left: the following may not use it up.
//
// Source: AbstractParentQueue.assignContainersToChildQueues.
func (q *queue) assignChildren(n *yarn.Node, lim *limits) assignment {
	s := q.s
	var result assignment
	var child limits // in a loop it would be allocated
	lim.limit = resource.Smaller(s.calc, s.cluster(), lim.limit, q.limits.Max)
	full := q.isFull(lim)
	for _, c := range q.sorted() {
		if full && c.passedWhenFull() {
			continue
		}
		child = newLimits(q.childLimit(c, lim.limit.Sub(lim.blocked)))
		a := c.assign(n, &child)
		if s.positive(a.size) {
			return a
		}
		if a.skip != skipLimit {
			continue
		}
		if result.skip != skipLimit {
			result = a
		}
		blocked := child.blocked
		if c.leaf {
			blocked = child.headroom
		}
		lim.blocked = lim.blocked.Add(resource.Larger(s.calc, s.cluster(), blocked, resource.Resource{}))
		full = q.isFull(lim)
	}
	return result
}

// isFull reports whether the limit leaves nothing for the children: each of them is at its own limit then, whatever it uses.
func (q *queue) isFull(lim *limits) bool {
	return !q.s.literally && !q.s.positive(lim.limit.Sub(lim.blocked).Sub(q.used))
}

// passedWhenFull reports whether a node that is offered to a queue at its limit leaves everything as it is: nothing that [queue.canAssign] would be asked about is
// reserved, and nobody gets another place by being looked at, see [queue.served].
func (q *queue) passedWhenFull() bool {
	if len(q.stale) > 0 {
		return false
	}
	return !q.s.keepLooking || q.reserved.IsNone() || q.leaf && (len(q.activeApps) == 0 || q.activeApps[0].reserved.IsNone())
}

// childLimit returns the part of what is left of limit that the child c may use, its usage included.
//
// Source: AbstractParentQueue.getResourceLimitsOfChild.
func (q *queue) childLimit(c *queue, limit resource.Resource) resource.Resource {
	return q.s.calc.RoundDown(limit.Sub(q.used).Add(c.used), q.s.least)
}

// sorted returns the children in the order in which they are offered a node. Those that want nothing are left out: they take nothing, and what an offer
// changes about them is set again before anybody sees it. Where some have amounts and others have not, the order can contradict itself, and all
// of them are sorted, as Java does it; else it is kept, and those that have shifted are put into it again.
//
// Source: PriorityUtilizationQueueOrderingPolicy.getAssignmentIterator.
func (q *queue) sorted() []*queue {
	if q.mixed || q.s.literally {
		q.order = append(q.order[:0], q.children...)
		jvm.Sort(q.order, q.compareChildren)
		q.order = slices.DeleteFunc(q.order, func(c *queue) bool { return !c.hasPending() })
		return q.order
	}
	if len(q.shifted) == 0 {
		return q.order
	}
	q.order = slices.DeleteFunc(q.order, func(c *queue) bool { return c.shifts })
	for _, c := range q.shifted {
		if c.shifts = false; c.hasPending() {
			i, _ := slices.BinarySearchFunc(q.order, c, func(a, b *queue) int { return cmp.Or(q.compareChildren(a, b), cmp.Compare(a.number, b.number)) })
			q.order = reuse.Insert(q.order, i, c)
		}
	}
	q.shifted = q.shifted[:0]
	return q.order
}

func (q *queue) compareChildren(a, b *queue) int {
	return policy.CompareCapacityQueues(a.stands(), b.stands(), q.cfg.PriorityFirst, q.s.types)
}

// shift notes that what gives a queue its place among its siblings has changed.
func (q *queue) shift() {
	if p := q.parent; p != nil && !q.shifts {
		q.shifts = true
		p.shifted = append(p.shifted, q)
	}
}
