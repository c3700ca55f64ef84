package rm

import (
	"replay/engine/protocol"
)

// expirer watches containers from their acquisition by the application master until their node has reported them as
// running or they have ended. Its monitor looks every third of the expiry interval.
//
// Source: ContainerAllocationExpirer, AbstractLivelinessMonitor; RMContainerImpl.AcquiredTransition, LaunchedTransition.
type expirer struct {
	list  []acquired // by time; those that are not watched any more go when the monitor looks
	ahead bool       // a look is scheduled
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
	a.watched[n] = true
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
func (a *app) unwatch(id protocol.ContainerID) {
	if n := id.Number(); n < int64(len(a.watched)) {
		a.watched[n] = false
	}
}

// checkExpiry ends the containers whose time is up.
func (r *RM) checkExpiry(now int64) {
	r.expirer.ahead = false
	keep := r.expirer.list[:0]
	for _, c := range r.expirer.list {
		a := r.attemptOf(c.id)
		switch {
		case a == nil || !a.watched[c.id.Number()]:
		case now > c.at+r.config.ContainerExpiryMS:
			r.host.Expired(c.id)
			r.sched.Expire(c.id)
		default:
			keep = append(keep, c)
		}
	}
	r.expirer.list = keep
	if len(keep) > 0 {
		r.lookAhead(now)
	}
}
