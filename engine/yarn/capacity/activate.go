package capacity

import (
	"slices"

	"replay/engine/reuse"
	"replay/policy"
	"replay/policy/resource"
)

// activate lets pending applications run as far as the queue's and their users' room for application
// masters goes. An application that doesn't fit is passed over, except that a queue in which no master
// runs takes one whatever its size.
//
// The limit of the first user that is looked at is taken for all users of one pass, as in YARN.
//
// Source: AbstractLeafQueue.activateApplications.
func (q *queue) activate() {
	s := q.s
	q.amLimit = policy.AMLimit(s.calc, &q.limits, q.currentLimit)
	var userLimit resource.Resource
	var haveUserLimit bool
	left := q.pendingApps[:0]
	for _, a := range q.pendingApps {
		alone := len(q.activeApps) == 0 || s.calc.Compare(q.lastCluster, q.amUsed, resource.Resource{}, false) <= 0
		if !s.calc.Fits(a.am.Add(q.amUsed), q.amLimit) && !alone {
			left = append(left, a)
			continue
		}
		u := a.user
		q.users.add(u)
		if !haveUserLimit {
			userLimit = policy.UserAMLimit(s.calc, q.lastCluster, &q.limits, q.users.numActive(), u.weight, q.amLimit)
			haveUserLimit = true
		}
		if !s.calc.Fits(a.am.Add(u.amUsed), userLimit) && !alone {
			left = append(left, a)
			continue
		}
		q.users.enters(u, -1, 1)
		if !a.active {
			a.active = true
			q.addActive(a)
		}
		q.amUsed = q.amUsed.Add(a.am)
		u.amUsed = u.amUsed.Add(a.am)
	}
	clear(q.pendingApps[len(left):])
	q.pendingApps = left
}

// addPending puts a runnable application among those that wait for the queue's room for masters,
// by priority and number. One that is there stays: an application can be made runnable twice, see [running.freed].
//
// Source: FifoOrderingPolicyForPendingApps.
func (q *queue) addPending(a *app) {
	i, found := slices.BinarySearchFunc(q.pendingApps, a, func(x, y *app) int {
		return policy.LeafFIFO{}.Compare(&x.rank, &y.rank)
	})
	if !found {
		q.pendingApps = reuse.Insert(q.pendingApps, i, a)
	}
}

// addAttempt takes an attempt into its leaf queue. One that the running limits keep back only waits.
//
// Source: AbstractLeafQueue.addApplicationAttempt.
func (q *queue) addAttempt(a *app) {
	q.users.listen()
	q.users.add(a.user)
	if !a.runnable {
		q.waiting = append(q.waiting, a)
		return
	}
	q.running++
	a.entered++
	q.users.enters(a.user, 1, 0)
	q.addPending(a)
	if q.s.calc.Compare(q.lastCluster, q.lastCluster, resource.Resource{}, false) > 0 {
		q.activate()
	}
}

// removeAttempt takes an attempt that has no containers any more out of its leaf queue.
//
// Source: AbstractLeafQueue.removeApplicationAttempt.
func (q *queue) removeAttempt(a *app) {
	q.users.listen()
	u := a.user
	q.users.add(u)
	if a.entered > 0 {
		a.entered--
		q.running--
	} else {
		q.waiting = remove(q.waiting, a)
	}
	if a.active {
		q.activeApps = remove(q.activeApps, a)
		q.stale = remove(q.stale, a)
		q.amUsed = q.amUsed.Sub(a.am)
		u.amUsed = u.amUsed.Sub(a.am)
		q.users.enters(u, 0, -1)
	} else {
		q.pendingApps = remove(q.pendingApps, a)
		q.users.enters(u, -1, 0)
	}
	a.active = false
	if u.total() == 0 {
		q.users.remove(u)
	}
	q.activate()
}

// remove returns list without its element a, in the same order.
func remove(list []*app, a *app) []*app {
	if i := slices.Index(list, a); i >= 0 {
		return slices.Delete(list, i, i+1)
	}
	return list
}
