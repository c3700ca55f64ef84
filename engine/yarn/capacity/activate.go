package capacity

import (
	"slices"

	"replay/engine/reuse"
	"replay/policy"
	"replay/policy/resource"
)

// An alike is the applications of one user that wait for the queue's room for masters with masters of one size: a pass that refuses one of them refuses all behind it, as what is used only
// grows in it.
type alike struct {
	size    *amSize
	n       int
	refused int64 // the pass that refused them for their user's limit
}

// amSize is the applications that wait with masters of one size, of all users.
type amSize struct {
	am    resource.Resource
	n     int
	place int // in queue.amSizes
	open  int // of those that are still to come in this pass, how many it has not refused
}

// waits counts an application among those that are alike, by 1 or -1.
func (q *queue) waits(a *app, by int) {
	c := a.user.alike[a.am]
	if c == nil {
		z := q.amSizeOf[a.am]
		if z == nil {
			z = &amSize{am: a.am, place: len(q.amSizes)}
			if q.amSizeOf == nil {
				q.amSizeOf = map[resource.Resource]*amSize{}
			}
			q.amSizes, q.amSizeOf[a.am] = append(q.amSizes, z), z
		}
		if c = (&alike{size: z}); a.user.alike == nil {
			a.user.alike = map[resource.Resource]*alike{}
		}
		a.user.alike[a.am] = c
	}
	a.alike = c
	c.n += by
	if c.n == 0 {
		delete(a.user.alike, a.am)
	}
	z := c.size
	if z.n += by; z.n == 0 {
		last := len(q.amSizes) - 1
		q.amSizes[last].place = z.place
		q.amSizes[z.place] = q.amSizes[last]
		q.amSizes[last] = nil
		q.amSizes = q.amSizes[:last]
		delete(q.amSizeOf, a.am)
	}
}

// activate lets pending applications run as far as the queue's and their users' room for application
// masters goes. An application that doesn't fit is passed over, except that a queue in which no master
// runs takes one whatever its size. The pass ends where all that are left would be passed over.
//
// The limit of the first user that is looked at is taken for all users of one pass, as in YARN.
//
// Source: AbstractLeafQueue.activateApplications.
func (q *queue) activate() {
	s := q.s
	q.amLimit = policy.AMLimit(s.calc, &q.limits, q.currentLimit)
	q.passes++
	left := 0 // that this pass has not refused
	for _, z := range q.amSizes {
		if z.open = 0; q.hasNoMaster() || s.calc.Fits(z.am.Add(q.amUsed), q.amLimit) {
			z.open = z.n
		}
		left += z.open
	}
	var userLimit resource.Resource
	var haveUserLimit bool
	kept, i := 0, 0
	for ; left > 0; i++ {
		a := q.pendingApps[i]
		c := a.alike
		if c.size.open == 0 || c.refused == q.passes {
			q.pendingApps[kept] = a
			kept++
			continue
		}
		alone := q.hasNoMaster()
		if !s.calc.Fits(a.am.Add(q.amUsed), q.amLimit) && !alone {
			left -= c.size.open
			c.size.open = 0
			q.pendingApps[kept] = a
			kept++
			continue
		}
		u := a.user
		q.users.add(u)
		if !haveUserLimit {
			userLimit = policy.UserAMLimit(s.calc, q.lastCluster, &q.limits, q.users.numActive(), u.weight, q.amLimit)
			haveUserLimit = true
		}
		if !s.calc.Fits(a.am.Add(u.amUsed), userLimit) && !alone {
			left -= c.n
			c.size.open -= c.n
			c.refused = q.passes
			q.pendingApps[kept] = a
			kept++
			continue
		}
		left--
		c.size.open--
		q.waits(a, -1)
		q.users.enters(u, -1, 1)
		if !a.active {
			a.active = true
			q.addActive(a)
			if s.turns != nil {
				s.turns(a.ID)
			}
		}
		q.amUsed = q.amUsed.Add(a.am)
		u.amUsed = u.amUsed.Add(a.am)
	}
	q.pendingApps = slices.Delete(q.pendingApps, kept, i)
}

// hasNoMaster reports whether no master runs in the queue.
func (q *queue) hasNoMaster() bool {
	return len(q.activeApps) == 0 || q.s.calc.Compare(q.lastCluster, q.amUsed, resource.Resource{}, false) <= 0
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
		q.waits(a, 1)
	}
}

// addAttempt takes an attempt into its leaf queue. One that the running limits keep back only waits.
//
// Source: AbstractLeafQueue.addApplicationAttempt.
func (q *queue) addAttempt(a *app) {
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
	u := a.user
	q.users.add(u)
	if a.entered > 0 {
		a.entered--
		q.running--
	} else {
		q.waiting = remove(q.waiting, a)
	}
	if a.active {
		q.users.leaves(a)
		q.removeActive(a)
		q.amUsed = q.amUsed.Sub(a.am)
		u.amUsed = u.amUsed.Sub(a.am)
		q.users.enters(u, 0, -1)
	} else {
		if n := len(q.pendingApps); n > 0 {
			if q.pendingApps = remove(q.pendingApps, a); len(q.pendingApps) < n {
				q.waits(a, -1)
			}
		}
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
	switch i := slices.Index(list, a); i {
	case -1:
		return list
	case 0: // the others stay where they are
		list[0] = nil
		return list[1:]
	default:
		return slices.Delete(list, i, i+1)
	}
}
