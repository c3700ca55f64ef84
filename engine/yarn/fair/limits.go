package fair

import (
	"math"
	"slices"

	"replay/engine/yarn"
	"replay/engine/yarn/jvm"
	"replay/policy/resource"
)

// userApps are the applications of one user: how many run and which wait for a limit.
type userApps struct {
	running int32
	waiting []*app
}

func (f *Scheduler) user(name string) *userApps {
	u := f.users[name]
	if u == nil {
		u = &userApps{}
		f.users[name] = u
	}
	return u
}

// mayRun reports whether the limits of user and queues let the application run.
//
// Source: MaxRunningAppsEnforcer.canAppBeRunnable.
func (f *Scheduler) mayRun(a *app) bool {
	if a.user.running >= f.alloc.UserLimit(a.User) {
		return false
	}
	for q := a.queue; q != nil; q = q.parent {
		if q.numRunnable() >= q.maxRunning {
			return false
		}
	}
	return true
}

// countRunnable changes the counts of runnable applications of the parents and of the user.
//
// Source: MaxRunningAppsEnforcer.trackRunnableApp, untrackRunnableApp.
func (f *Scheduler) countRunnable(a *app, by int32) {
	for q := a.queue.parent; q != nil; q = q.parent {
		q.running += by
	}
	a.user.running += by
	f.relisted(a.queue.parent)
}

// freed makes waiting applications runnable after a runnable one has gone.
//
// Source: MaxRunningAppsEnforcer.updateRunnabilityOnAppRemoval.
func (f *Scheduler) freed(a *app) {
	var top *queue
	for q := a.queue; q != nil; q = q.parent {
		if q.numRunnable() == q.maxRunning-1 {
			top = q
		}
	}
	var lists [][]*app
	if top != nil {
		lists = gatherWaiting(top, nil)
	}
	if u := a.user; u.running == f.alloc.UserLimit(a.User)-1 {
		lists = append(lists, u.waiting)
	}
	f.makeRunnable(lists, len(lists))
}

// gatherWaiting appends the waiting applications of the queues below their limits, a list for each leaf.
//
// Source: MaxRunningAppsEnforcer.gatherPossiblyRunnableAppLists.
func gatherWaiting(q *queue, lists [][]*app) [][]*app {
	if q.numRunnable() >= q.maxRunning {
		return lists
	}
	if q.leaf {
		return append(lists, q.waiting)
	}
	for _, c := range q.children {
		lists = gatherWaiting(c, lists)
	}
	return lists
}

// head is a list of waiting applications and the start of the first one left, MaxInt64 at its end.
//
// Source: MaxRunningAppsEnforcer.MultiListStartTimeIterator.
type head struct {
	list  []*app
	start int64
}

func (h *head) look() {
	h.start = math.MaxInt64
	if len(h.list) > 0 {
		h.start = h.list[0].Contender.Start
	}
}

// makeRunnable lets applications of the lists run, the earliest first, limit of them at most.
//
// Source: MaxRunningAppsEnforcer.updateAppsRunnability.
func (f *Scheduler) makeRunnable(lists [][]*app, limit int) {
	heads := jvm.NewPriorityQueue(func(a, b *head) int {
		switch {
		case a.start < b.start:
			return -1
		case a.start > b.start:
			return 1
		}
		return 0
	})
	for _, l := range lists {
		h := &head{list: l}
		h.look()
		heads.Add(h)
	}
	var last *app
	var made []*app
	for {
		h, ok := heads.Poll()
		if !ok || h.start == math.MaxInt64 {
			break
		}
		a := h.list[0]
		h.list = h.list[1:]
		h.look()
		heads.Add(h)
		if a == last {
			continue
		}
		if f.mayRun(a) {
			f.countRunnable(a, 1)
			a.queue.addApp(a, true)
			if made = append(made, a); len(made) >= limit {
				break
			}
		}
		last = a
	}
	for _, a := range made {
		if remove(&a.queue.waiting, a) {
			a.uncount()
		}
		remove(&a.user.waiting, a)
		f.emit(yarn.Event{Kind: yarn.Runnable, App: a.ID()})
	}
}

// remove takes the first entry that is a out of a list and reports whether there was one.
func remove(list *[]*app, a *app) bool {
	i := slices.Index(*list, a)
	if i >= 0 {
		*list = slices.Delete(*list, i, i+1)
	}
	return i >= 0
}

// addApp puts an application into the leaf.
//
// Source: FSLeafQueue.addApp.
func (q *queue) addApp(a *app, runnable bool) {
	if runnable {
		q.runnable = append(q.runnable, a)
		q.changed = true
		if a.listed++; a.listed == 1 {
			a.f.entered++
			a.entered = a.f.entered
		}
		a.changed()
	} else {
		q.waiting = append(q.waiting, a)
	}
	a.count()
	a.f.relisted(q)
	a.f.charge(q, &a.Usage)
}

// removeApp takes an application out of the leaf and reports whether it was runnable.
//
// Source: FSLeafQueue.removeApp.
func (q *queue) removeApp(a *app) (runnable bool) {
	runnable = remove(&q.runnable, a)
	q.changed = true
	if runnable {
		a.listed--
		a.changed()
	}
	if runnable || remove(&q.waiting, a) {
		a.uncount()
	}
	if runnable && a.amRunning {
		q.amUsed = q.amUsed.Sub(a.amSize)
	}
	a.f.relisted(q)
	less := resource.Resource{}.Sub(a.Usage)
	a.f.charge(q, &less)
	return runnable
}
