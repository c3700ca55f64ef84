package capacity

import (
	"slices"

	"replay/engine/yarn"
	"replay/policy"
	"replay/policy/resource"
)

// assignLeaf offers a node to a leaf queue: first to the reservation on it, then to the active
// applications in their order until one takes it or the queue's limit is met.
//
// Source: AbstractLeafQueue.assignContainers.
func (q *queue) assignLeaf(n *yarn.Node, lim *limits) assignment {
	q.setCurrentLimit(lim.limit)
	if r := n.Reserved; r != nil {
		if a := q.s.appOf(r.ID.App); a != nil && a.q == q {
			return a.assignReserved(n, lim, r)
		}
	}
	if !q.hasPending() {
		return assignment{}
	}
	s := q.s
	check, served := true, q.served()
	for i, a := range served {
		if !check && !q.slipped && !s.literally {
			return q.assignBehind(served[i-1], n, lim)
		}
		if check {
			if !q.canAssign(lim, a.reserved) {
				return assignment{}
			}
			check = s.keepLooking && !a.reserved.IsNone()
		}
		if a.passedBy() {
			continue
		}
		if got, done := q.offer(a, n, lim); done {
			return got
		}
	}
	return assignment{}
}

// assignBehind is [queue.assignLeaf] for the applications behind one, of those that are not [app.content]. For the others an offer would look at their users' limits, which hold until
// something changes: a look comes to the same at the next application of the user, as the queue's limit is that of the look at the first of all. That is not so where a user is away
// who has applications.
func (q *queue) assignBehind(last *app, n *yarn.Node, lim *limits) (got assignment) {
	from, has := slices.BinarySearchFunc(q.wishing, last, q.compareApps)
	if has {
		from++
	}
	kept, i, done := from, from, false
	for ; i < len(q.wishing) && !done; i++ {
		a := q.wishing[i]
		if a.passedBy() {
			q.wishing[kept] = a
			kept++
			continue
		}
		if got, done = q.offer(a, n, lim); !done && a.content() {
			a.wishes = false
			continue
		}
		q.wishing[kept] = a
		kept++
	}
	if q.wishing = slices.Delete(q.wishing, kept, i); !done {
		return assignment{}
	}
	return got
}

// offer offers a node to an application and reports whether the search ends with that.
func (q *queue) offer(a *app, n *yarn.Node, lim *limits) (got assignment, done bool) {
	if !q.mayTake(a, lim) {
		return assignment{}, false
	}
	got = a.assign(n, lim)
	return got, q.s.positive(got.size) || got.skip == skipLimit
}

// mayTake tests the limit of the application's user. While nothing changes that the limit depends on, the limit of the
// first look holds, and an application without a larger reservation than one that was refused is refused unseen. Leaving and coming
// back is no such change: a user who was away at the first look gets nothing until the next one.
//
// Source: AbstractLeafQueue.assignContainers, CachedUserLimit.
func (q *queue) mayTake(a *app, lim *limits) bool {
	u := a.user
	limit := q.headroomLimit(a)
	if u.look.version != q.users.version {
		u.look = look{version: q.users.version, limit: limit}
		q.s.elision.differs()
	} else if u.present {
		limit = u.look.limit
	}
	if u.look.refused && a.reserved.FitsIn(u.look.reserved) {
		return false
	}
	if q.withinUserLimit(a, limit, lim) {
		return true
	}
	if u.look.reserved.FitsIn(a.reserved) {
		u.look.refused, u.look.reserved = true, a.reserved
		q.s.elision.differs()
	}
	return false
}

// withinUserLimit tests usage against the limit; one container may go beyond. Lim learns how much must be
// taken back from reservations first.
//
// Source: AbstractLeafQueue.canAssignToUser.
func (q *queue) withinUserLimit(a *app, limit resource.Resource, lim *limits) bool {
	u := a.user
	if !u.present {
		return false
	}
	s := q.s
	lim.unreserve = resource.Resource{}
	if s.calc.Compare(s.cluster(), u.used, limit, false) <= 0 {
		return true
	}
	if s.keepLooking && s.calc.Compare(s.cluster(), u.used.Sub(a.reserved), limit, false) <= 0 {
		lim.unreserve = u.used.Sub(limit)
		return true
	}
	return false
}

// setCurrentLimit notes what the queue may use as of this offer.
//
// Source: AbstractLeafQueue.updateCurrentResourceLimits.
func (q *queue) setCurrentLimit(limit resource.Resource) {
	s := q.s
	q.offered = resource.Smaller(s.calc, s.cluster(), s.calc.RoundDown(q.limits.Max, s.least), limit)
}

// headroomLimit returns the limit of the application's user, none when he has left, and notes
// what the headroom of the queue's applications is to be computed from.
//
// Source: AbstractLeafQueue.computeUserLimitAndSetHeadroom.
func (q *queue) headroomLimit(a *app) resource.Resource {
	if !a.user.present {
		return resource.Resource{}
	}
	q.currentLimit = q.offered
	a.headroomOf = a.user.account
	return q.users.userLimit(a.user)
}

// headroom is what the application master is told that it may still get; nothing before the queue
// has looked at the application.
//
// Source: CapacityHeadroomProvider.getHeadroom.
func (a *app) headroom() resource.Resource {
	if a.headroomOf == nil {
		return resource.Resource{}
	}
	q, s := a.q, a.q.s
	h := policy.CapacityHeadroom(s.calc, s.cluster(), q.users.userLimit(a.user), a.headroomOf.used,
		q.currentLimit, q.used, s.root.used, s.least)
	h[resource.Memory] = max(h[resource.Memory], 0)
	return h
}
