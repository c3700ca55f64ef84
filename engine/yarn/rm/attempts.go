package rm

import (
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

// retries reports whether an application that asked for so many attempts gets another one after so many failures that count. An application
// with one attempt never does, whatever ended it.
//
// Source: RMAppImpl.AttemptFailedTransition.
func (r *RM) retries(failures, asked int) bool {
	limit := r.config.Attempts(asked)
	return limit > 1 && failures < limit
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
	f.req.Asks = append(f.req.Asks[:0], protocol.Ask{RequestID: -1, Name: protocol.Any, Count: 1, Size: a.spec.AMSize, Relax: true})
	return r.sched.Allocate(a.spec.ID, &f.req, &f.resp)
}

// endAttempt ends an attempt whose AM container has ended with exit: the application leaves, or its next attempt is to begin.
//
// Source: RMAppImpl.AttemptFailedTransition.
func (r *RM) endAttempt(a *app, exit int32) {
	spec, attempt, unregistered, failures := a.spec, a.attempt, a.unregistered, a.failures
	id := spec.ID
	if counts(exit) {
		failures++
	}
	if unregistered || !r.retries(failures, spec.MaxAttempts) {
		r.remove(id)
		r.host.AttemptEnded(id, unregistered, exit, false)
		return
	}
	r.leave(id) // the attempt's own completions are nobody's any more
	r.sched.RemoveAttempt(id)
	r.host.AttemptEnded(id, false, exit, true)
	r.work = append(r.work, work{kind: nextBegin, next: r.newApp(spec, attempt, failures)})
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
