package capacity

import (
	"cmp"
	"math"

	"replay/engine/yarn/conf"
	"replay/engine/yarn/jvm"
)

// runner counts the running applications of one user over all queues and lists those that wait for a limit.
type runner struct {
	limit   int32
	running int32
	waiting []*app
}

// running enforces max-parallel-apps of queues and users.
//
// Source: CSMaxRunningAppsEnforcer.
type running struct {
	byUser map[string]*runner
	cfg    *conf.Capacity // for max-parallel-apps of a user
}

func (r *running) of(name string) *runner {
	u := r.byUser[name]
	if u == nil {
		u = &runner{limit: r.cfg.MaxParallelOfUser(name)}
		r.byUser[name] = u
	}
	return u
}

// check sets whether an attempt may run, given the limits of its user and of all its queues.
func (r *running) check(a *app) bool {
	u := r.of(a.user.name)
	a.runnable = u.running < u.limit
	for q := a.q; q != nil && a.runnable; q = q.parent {
		a.runnable = q.running < q.cfg.MaxParallel
	}
	return a.runnable
}

// track counts a new attempt among those that run or that wait.
func (r *running) track(a *app) {
	u := r.of(a.user.name)
	if !a.runnable {
		u.waiting = append(u.waiting, a)
		return
	}
	for q := a.q.parent; q != nil; q = q.parent {
		q.running++
	}
	u.running++
}

// untrack forgets an attempt that was removed from its queue and returns the attempts which may run now,
// made runnable and counted; each has to enter its queue.
func (r *running) untrack(a *app) []*app {
	u := r.of(a.user.name)
	if !a.runnable {
		u.waiting = remove(u.waiting, a)
		return nil
	}
	u.running--
	for q := a.q.parent; q != nil; q = q.parent {
		q.running--
	}
	return r.freed(a)
}

// freed looks where the removal of a made room: below the highest of its queues that were at their limit, and
// among its user's applications. At most as many attempts start as lists were looked at, earliest first. An attempt that
// is in two lists with another one between is counted and entered twice, as in YARN; where there is no room for it a second time it runs, and is taken
// for one that waits when it ends.
//
// Source: CSMaxRunningAppsEnforcer.updateRunnabilityOnAppRemoval.
func (r *running) freed(a *app) []*app {
	var top *queue
	for q := a.q; q != nil; q = q.parent {
		if q.running == q.cfg.MaxParallel-1 {
			top = q
		}
	}
	var lists [][]*app
	if top != nil {
		lists = top.waitingLists(nil)
	}
	if u := r.of(a.user.name); u.running == u.limit-1 {
		lists = append(lists, u.waiting)
	}
	var started []*app
	var prev *app
	for next := range byStart(lists) {
		if next == prev {
			continue
		}
		if r.check(next) {
			r.track(next)
			next.q.addAttempt(next)
			started = append(started, next)
			if len(started) >= len(lists) {
				break
			}
		}
		prev = next
	}
	for _, s := range started {
		s.q.waiting = remove(s.q.waiting, s)
		u := r.of(s.user.name)
		u.waiting = remove(u.waiting, s)
	}
	return started
}

// waitingLists collects the waiting applications of each leaf at or below q that has room. The lists are the queues' own.
func (q *queue) waitingLists(lists [][]*app) [][]*app {
	if q.running >= q.cfg.MaxParallel {
		return lists
	}
	if q.leaf {
		return append(lists, q.waiting)
	}
	for _, c := range q.children {
		lists = c.waitingLists(lists)
	}
	return lists
}

// byStart merges lists by the start time of their heads; equal times come in the order of Java's heap.
//
// Source: CSMaxRunningAppsEnforcer.MultiListStartTimeIterator.
func byStart(lists [][]*app) func(yield func(*app) bool) {
	type head struct {
		list int
		time int64
	}
	return func(yield func(*app) bool) {
		heads := jvm.NewPriorityQueue(func(a, b head) int { return cmp.Compare(a.time, b.time) })
		at := make([]int, len(lists))
		push := func(i int) {
			t := int64(math.MaxInt64)
			if at[i] < len(lists[i]) {
				t = lists[i][at[i]].rank.Start
			}
			heads.Add(head{i, t})
		}
		for i := range lists {
			push(i)
		}
		for {
			h, ok := heads.Poll()
			if !ok || h.time == math.MaxInt64 {
				return
			}
			a := lists[h.list][at[h.list]]
			at[h.list]++
			push(h.list)
			if !yield(a) {
				return
			}
		}
	}
}
