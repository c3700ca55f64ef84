package capacity

import (
	"fmt"

	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/engine/yarn/jvm"
	"replay/policy"
	"replay/policy/resource"
)

// AddApp admits an application to its queue or refuses it.
//
// Source: CapacityScheduler.addApplication, AbstractLeafQueue.submitApplication.
func (s *Scheduler) AddApp(spec yarn.AppSpec) error {
	s.touch()
	for int(spec.ID) >= len(s.apps) {
		s.apps = append(s.apps, nil)
	}
	if s.admitted[spec.ID] != nil {
		panic(fmt.Sprintf("capacity: application %d was submitted twice", spec.ID))
	}
	refuse := func(format string, args ...any) error {
		return &yarn.Rejection{App: spec.ID, Text: fmt.Sprintf(format, args...)}
	}
	name := jvm.AppName(s.timestamp, int32(spec.ID))
	if len(s.admitted) >= int(s.cfg.MaxApplications) {
		return refuse("Maximum system application limit reached,cannot accept submission of application: %s", name)
	}
	q, known := s.byName[spec.Queue]
	if q == nil && known {
		return refuse("Application %s submitted by user %s to ambiguous queue: %s please use full queue path instead.", name, spec.User, spec.Queue)
	}
	if q == nil {
		return refuse("Application %s submitted by user %s to unknown queue: %s", name, spec.User, spec.Queue)
	}
	if !q.leaf {
		return &yarn.Rejection{App: spec.ID, Parent: q.cfg.Path, Text: fmt.Sprintf("Application %s submitted by user : %s to non-leaf queue : %s", name, spec.User, spec.Queue)}
	}
	if text := q.refuses(spec.User, name); text != "" {
		return refuse("org.apache.hadoop.security.AccessControlException: %s", text)
	}
	for p := q.parent; p != nil; p = p.parent {
		p.submitted++
	}
	s.admitted[spec.ID] = &submission{spec: spec, q: q}
	return nil
}

// Submission rounds the size of the master container. A priority of 0 is taken as none, and becomes the queue's default.
//
// Source: CapacityScheduler.checkAndGetApplicationPriority.
func (s *Scheduler) Submission(spec yarn.AppSpec) yarn.AppSpec {
	spec.AMSize = s.calc.Normalize(spec.AMSize, s.least, s.MaxAllocation(spec.Queue), s.least)
	if q := s.byName[spec.Queue]; q != nil && spec.Priority == 0 {
		spec.Priority = q.cfg.DefaultPriority
	}
	spec.Priority = min(spec.Priority, s.site.MaxAppPriority)
	return spec
}

// CutMaster is part of [yarn.Cutter].
func (s *Scheduler) CutMaster(id protocol.AppID, size resource.Resource) {
	if sub := s.admitted[id]; sub != nil {
		sub.spec.AMSize = size
	}
}

// submission is an admitted application.
type submission struct {
	spec     yarn.AppSpec
	q        *queue
	attempts int32 // ever added
	last     *app  // the latest of them, also when it was removed
}

// refuses returns why a leaf queue takes no further application of a user, "" when it does.
//
// Source: AbstractLeafQueue.validateSubmitApplication.
func (q *queue) refuses(user, app string) string {
	for p := q; p != nil; p = p.parent {
		if !p.cfg.Running {
			return fmt.Sprintf("Queue %s is STOPPED. Cannot accept submission of application: %s", p.cfg.Path, app)
		}
		if p != q {
			continue
		}
		if n := q.numApps(); n >= int(q.cfg.MaxApps) {
			return fmt.Sprintf("Queue %s already has %d applications, cannot accept submission of application: %s", q.cfg.Path, n, app)
		}
		u := q.users.named(user)
		q.users.add(u)
		if n := u.total(); n >= int(q.cfg.MaxAppsPerUser) {
			return fmt.Sprintf("Queue %s already has %d applications from user %s cannot accept submission of application: %s",
				q.cfg.Path, n, user, app)
		}
	}
	return ""
}

// numApps is how many attempts a leaf has, or how many applications were submitted below a parent.
func (q *queue) numApps() int {
	if q.leaf {
		return len(q.pendingApps) + len(q.activeApps) + len(q.waiting)
	}
	return q.submitted
}

// AddAttempt makes the application's attempt: it runs, waits for room for its master or waits for a limit of running
// applications.
//
// Source: CapacityScheduler.addApplicationAttempt.
func (s *Scheduler) AddAttempt(id protocol.AppID) {
	s.touch()
	sub := s.admitted[id]
	if sub == nil {
		return
	}
	q := sub.q
	sub.attempts++
	a := &app{
		Attempt: yarn.NewAttempt(sub.spec, sub.attempts, s.timestamp, s.now, s.nodes.Places),
		q:       q, user: q.users.named(sub.spec.User), am: sub.spec.AMSize,
	}
	if a.am.IsNone() {
		a.am = s.least
	}
	a.Watcher = a
	a.rank = policy.LeafApp{ID: int32(id), Priority: sub.spec.Priority, Start: a.Start}
	if sub.last != nil {
		a.asking = sub.last.asking // of the application, whatever its attempt
	}
	sub.last, s.apps[id] = a, a
	s.running.check(a)
	s.running.track(a)
	q.addAttempt(a)
}

// Bar is part of [yarn.Barrer].
func (s *Scheduler) Bar(id protocol.AppID, bars []yarn.Bar) bool {
	a := s.appOf(id)
	if a == nil || !a.Bar(bars) {
		return false
	}
	a.leavePeers()
	s.admitted[id].spec.Bars = bars
	return true
}

// RemoveApp ends what the application runs and has reserved, and forgets it.
//
// Source: CapacityScheduler.doneApplicationAttempt, doneApplication.
func (s *Scheduler) RemoveApp(id protocol.AppID) {
	s.touch()
	sub := s.admitted[id]
	if sub == nil {
		return
	}
	q := sub.q
	s.RemoveAttempt(id)
	if sub.last != nil {
		q.users.deactivate(sub.last)
	}
	delete(s.admitted, id)
	for p := q.parent; p != nil; p = p.parent {
		p.submitted--
	}
}

// RemoveAttempt is described at [yarn.Scheduler].
//
// Source: CapacityScheduler.doneApplicationAttempt.
func (s *Scheduler) RemoveAttempt(id protocol.AppID) {
	s.touch()
	if a := s.appOf(id); a != nil {
		s.stop(a)
		s.apps[id] = nil
	}
}

func (s *Scheduler) stop(a *app) {
	var list []*yarn.Container
	for _, c := range a.live.All {
		list = append(list, c)
	}
	for _, c := range list {
		s.end(c, protocol.ExitAborted, yarn.EventKill)
	}
	list = list[:0]
	for _, k := range a.held.All {
		for _, c := range k.reserved.All {
			list = append(list, c)
		}
	}
	for _, c := range list {
		s.end(c, protocol.ExitAborted, yarn.EventKill)
	}
	a.Stopped = true
	a.Stop()
	a.setPending(resource.Resource{})
	a.q.removeAttempt(a)
	for _, started := range s.running.untrack(a) {
		s.tell(yarn.Event{Kind: yarn.Runnable, App: started.ID})
	}
}
