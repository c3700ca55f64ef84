package rm

import (
	"cmp"
	"slices"

	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/engine/yarn/jvm"
)

// expirer watches containers from their acquisition by the application master until their node has reported them as
// running or they have ended. Its monitor looks every third of the expiry interval.
//
// Source: ContainerAllocationExpirer, AbstractLivelinessMonitor; RMContainerImpl.AcquiredTransition, LaunchedTransition.
type expirer struct {
	list  []acquired // by time; those that are not watched any more go when the monitor looks
	ahead bool       // a look is scheduled
	monitor
}

// monitor is how large the hash table of a liveness monitor is.
type monitor struct {
	size, most int   // how many it watches, and did at most
	begun      int32 // how many it ever did
}

// begins begins to watch one, and returns its place among all that came.
func (m *monitor) begins() int32 {
	m.size++
	m.most = max(m.most, m.size)
	m.begun++
	return m.begun
}

type acquired struct {
	at int64
	id protocol.ContainerID
}

// watch begins to watch a container.
func (r *RM) watch(now int64, a *app, id protocol.ContainerID) {
	n := id.Number()
	for int64(len(a.watched)) <= n {
		a.watched = append(a.watched, false)
	}
	if !a.watched[n] {
		a.watched[n] = true
		r.expirer.begins()
	}
	r.expirer.list = append(r.expirer.list, acquired{now, id})
	r.lookAhead(now)
}

// lookAhead schedules the monitor's next look.
func (r *RM) lookAhead(now int64) {
	if !r.expirer.ahead {
		r.expirer.ahead = true
		look := third(r.config.ContainerExpiryMS)
		r.host.At(now-now%look+look, ExpiryCheck, 0, 0)
	}
}

// expires returns when a liveness monitor finds that more than its interval has passed since a time.
func expires(last, interval int64) int64 {
	look := third(interval)
	return (last+interval)/look*look + look
}

// third is how often a liveness monitor with this interval looks.
func third(interval int64) int64 { return max(interval/3, 1) }

// unwatch ends the watch over a container.
func (r *RM) unwatch(a *app, id protocol.ContainerID) {
	if n := id.Number(); n < int64(len(a.watched)) && a.watched[n] {
		a.watched[n] = false
		r.expirer.size--
	}
}

// unwatchAll ends the watch over the containers of an attempt that leaves.
func (r *RM) unwatchAll(a *app) {
	for n, is := range a.watched {
		if is {
			a.watched[n] = false
			r.expirer.size--
		}
	}
}

// checkExpiry ends the containers whose time is up, in the order of the monitor's hash table.
//
// Source: AbstractLivelinessMonitor.PingChecker, AllocationExpirationInfo.hashCode.
func (r *RM) checkExpiry(now int64) {
	r.expirer.ahead = false
	keep := r.expirer.list[:0]
	var late []protocol.ContainerID
	for _, c := range r.expirer.list {
		a := r.attemptOf(c.id)
		switch {
		case a == nil || !a.watched[c.id.Number()]:
		case now > c.at+r.config.ContainerExpiryMS:
			late = append(late, c.id)
		default:
			keep = append(keep, c)
		}
	}
	r.expirer.list = keep
	if len(late) > 1 {
		slot := func(id protocol.ContainerID) int {
			return jvm.Slot(yarn.ContainerHash(r.config.StartMS, id)<<16, r.expirer.most)
		}
		slices.SortStableFunc(late, func(x, y protocol.ContainerID) int { return cmp.Compare(slot(x), slot(y)) })
	}
	for _, id := range late {
		r.host.Expired(id)
		r.sched.Expire(id)
	}
	if len(keep) > 0 {
		r.lookAhead(now)
	}
}
