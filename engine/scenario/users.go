package scenario

import (
	"fmt"
	"math"

	"replay/engine/yarn/conf"
)

// oneUser is the user of all jobs of a trace of several; ok is false where there are more users. An import whose source names none makes up one.
func (sc *Scenario) oneUser() (name string, ok bool) {
	if len(sc.Input.Users) != 1 || sc.Input.NumJobs < 2 {
		return "", false
	}
	return sc.Input.Users[0].Name, true
}

// sayLimitsOfOne warns of limits of users in files that were handed in, where all jobs are of one user: they hold back all of them together, and where the jobs are
// really of many, none.
func (sc *Scenario) sayLimitsOfOne(file string, limits []string) {
	user, ok := sc.oneUser()
	if ok && len(limits) > 0 {
		sc.warn("one-user", "%s: all %d jobs of the trace are of one user, %q, so limits of a user hold back all of them together: %s; if they are of many, as where an import found no users, waits are longer here than there (--map user=COLUMN of import names them)",
			file, sc.Input.NumJobs, user, theFirst(limits))
	}
}

// userLimits are those of leaf queues of the CapacityScheduler that have jobs of the trace, in which a user gets less than the queue may have.
//
// Source: AbstractCSQueue.getUserLimitFactor, UsersManager.computeUserLimit.
func (sc *Scenario) userLimits(queues []conf.CapacityQueue) (limits []string) {
	of := map[string]bool{}
	for i := range sc.Input.Queues {
		path := sc.Input.Queues[i].Path
		if by, ok := sc.ByName[path]; ok {
			path = by
		}
		of[path] = true
	}
	for i := range queues {
		q := &queues[i]
		if q.Leaf && of[q.Path] && q.UserLimitFactor != -1 && q.UserLimitFactor*q.AbsoluteCapacity < q.AbsoluteMaxCapacity {
			limits = append(limits, fmt.Sprintf("user-limit-factor %.4g of %s (%.4g %% of the cluster, and %.4g %% for the queue)",
				q.UserLimitFactor, q.Path, 100*float64(q.UserLimitFactor*q.AbsoluteCapacity), 100*float64(q.AbsoluteMaxCapacity)))
		}
	}
	return limits
}

// appLimits is the limit of the FairScheduler on running applications of the one user, as a list.
func (sc *Scenario) appLimits(a *conf.Allocations) (limits []string) {
	user, _ := sc.oneUser()
	if most := a.UserLimit(user); most != math.MaxInt32 {
		limits = append(limits, fmt.Sprintf("%d running applications of a user", most))
	}
	return limits
}
