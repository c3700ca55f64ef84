package rm

import (
	"slices"

	"replay/engine/protocol"
	"replay/engine/yarn"
)

// counts reports whether the end of an application master with this exit status counts as a failure of the application.
//
// Source: RMAppAttemptImpl.shouldCountTowardsMaxAttemptRetry.
func counts(exit int32) bool {
	switch exit {
	case protocol.ExitPreempted, protocol.ExitAborted, protocol.ExitDisksFailed, protocol.ExitKilledByRM:
		return false
	}
	return true
}

// Attempts returns how many attempts an application may have whose submission asks for so many, 0 or less for the ResourceManager's default.
//
// Source: RMAppImpl (maxAppAttempts).
func (c *Config) Attempts(asked int) int {
	switch {
	case asked <= 0:
		return c.MaxAttempts
	case asked > c.GlobalMaxAttempts:
		return c.GlobalMaxAttempts
	}
	return asked
}

// failing counts the failure of an attempt whose AM container has ended with exit, and reports whether the application gets another one. One
// with one attempt never does, whatever ended it. Failures that are too old for the application count no more.
//
// Source: RMAppImpl.AttemptFailedTransition, RMAppAttemptImpl.shouldCountTowardsMaxAttemptRetry.
func (r *RM) failing(now int64, a *app, exit int32) (again bool) {
	if v := a.spec.FailuresValidityMS; v > 0 {
		a.failures = slices.DeleteFunc(a.failures, func(at int64) bool { return at < now-v })
	}
	if counts(exit) {
		a.failures = append(a.failures, now)
	}
	limit := r.config.Attempts(a.spec.MaxAttempts)
	return limit > 1 && len(a.failures) < limit
}

// avoid keeps later attempts' masters from the node on which this one's container has ended with exit, if that may be the node's fault and it is still there. Being killed
// for the memory that it took is not.
//
// Source: Apps.shouldCountTowardsNodeBlacklisting, RMAppAttemptImpl.addAMNodeToBlackList.
func (r *RM) avoid(a *app, n *node, exit int32) {
	switch exit {
	case protocol.ExitSuccess, protocol.ExitAborted, protocol.ExitDisksFailed, protocol.ExitPreempted, protocol.ExitKilledVMem, protocol.ExitKilledPMem,
		protocol.ExitKilledByAM, protocol.ExitKilledByRM, protocol.ExitKilledAfterApp:
		return
	}
	if !r.config.AvoidsFailed || !n.registered {
		return
	}
	if name, ok := r.sched.NodeName(n.spec.ID); ok && !slices.Contains(a.avoids, name) {
		a.avoids = append(a.avoids, name)
	}
}

// startAttempt gives the scheduler an attempt of an application that it has admitted, and the ask for its AM container. What that is cut to, as the largest container is
// smaller, later attempts ask for, too; this one is counted as large as it was.
//
// Source: RMAppAttemptImpl.AttemptStartedTransition, ScheduleTransition; RMAppImpl.getAMResourceRequests, which schedulers normalize in place; the constructor of FiCaSchedulerApp.
func (r *RM) startAttempt(a *app) error {
	r.enter(a)
	r.sched.AddAttempt(a.spec.ID)
	if cut := a.spec.AMSize.Min(r.maxOf(a)); cut != a.spec.AMSize {
		a.spec.AMSize = cut
		if s, counts := r.sched.(yarn.Cutter); counts {
			s.CutMaster(a.spec.ID, cut)
		}
	}
	f := &r.first
	f.req.BlacklistAdd = f.req.BlacklistAdd[:0]
	if r.avoids(a) {
		f.req.BlacklistAdd = append(f.req.BlacklistAdd, a.avoids...)
	}
	f.req.Asks = append(f.req.Asks[:0], protocol.Ask{RequestID: -1, Name: protocol.Any, Count: 1, Size: a.spec.AMSize, Relax: true})
	return r.sched.Allocate(a.spec.ID, &f.req, &f.resp)
}

// avoids reports whether the master of an attempt is kept from the nodes on which those before have failed: while these are few of the nodes that there are.
//
// Source: SimpleBlacklistManager.getBlacklistUpdates, RMServerUtils.getApplicableNodeCountForAM.
func (r *RM) avoids(a *app) bool {
	if len(a.avoids) == 0 {
		return false
	}
	nodes := 0
	for i := range r.nodes {
		if r.nodes[i].registered {
			nodes++
		}
	}
	return float64(len(a.avoids)) < float64(r.config.AvoidsAtMost)*float64(nodes)
}

// endAttempt ends an attempt whose AM container has ended with exit: the application leaves, or its next attempt is to begin.
//
// Source: RMAppImpl.AttemptFailedTransition.
func (r *RM) endAttempt(now int64, a *app, exit int32) {
	id, unregistered := a.spec.ID, a.unregistered
	if unregistered || !r.failing(now, a, exit) {
		r.remove(id)
		r.host.AttemptEnded(id, unregistered, exit, false)
		return
	}
	r.leave(id) // the attempt's own completions are nobody's any more
	r.sched.RemoveAttempt(id)
	r.host.AttemptEnded(id, false, exit, true)
	r.work = append(r.work, work{kind: nextBegin, next: r.newAttempt(a)})
}

// begin begins an attempt that is not the first.
func (r *RM) begin(a *app) {
	if err := r.startAttempt(a); err != nil {
		r.remove(a.spec.ID)
		r.host.Refused(a.spec.ID, err)
	}
}

// attemptOf returns the attempt that a container belongs to, nil when it has ended.
func (r *RM) attemptOf(id protocol.ContainerID) *app {
	if a := r.app(id.App); a != nil && a.attempt == id.Attempt() {
		return a
	}
	return nil
}
