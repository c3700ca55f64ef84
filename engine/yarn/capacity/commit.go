package capacity

import (
	"slices"

	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/policy/resource"
)

// commit checks a proposal once more and carries it out. What it refuses changes nothing but the locality
// opportunities that the search has counted.
//
// Source: CapacityScheduler.tryCommit.
func (s *Scheduler) commit(n *yarn.Node, got *assignment) bool {
	if s.observeProposals == nil || !s.positive(got.size) && got.excess == nil {
		return s.carryOut(n, got)
	}
	p := s.proposal(n, got)
	p.Accepted = s.carryOut(n, got)
	s.observeProposals(&p)
	return p.Accepted
}

// carryOut is [Scheduler.commit] without an observer. A node that is being decommissioned is given no container and is not reserved, nor is it again.
//
// Source: FiCaSchedulerApp.accept, commonCheckContainerAllocation.
func (s *Scheduler) carryOut(n *yarn.Node, got *assignment) bool {
	if !s.positive(got.size) {
		if got.excess != nil {
			s.unreserve(got.excess)
		}
		return true
	}
	if n.Decommissioning {
		return false
	}
	a := got.app
	if got.reserve && got.fulfilled != nil {
		s.reserveAgain(a, got.key, got.fulfilled)
		return true
	}
	if !got.reserve && !s.calc.Fits(got.size, n.Free) {
		return false
	}
	if got.fulfilled == nil && !a.q.accepts(a, got) {
		return false
	}
	if got.reserve {
		s.reserve(a, n, got)
	} else {
		s.allocate(a, n, got)
	}
	return true
}

// accepts reports whether the user is within his limit and the container is within the maximum of each queue.
//
// Source: AbstractLeafQueue.accept, AbstractCSQueue.accept.
func (q *queue) accepts(a *app, got *assignment) bool {
	s := q.s
	limit := q.headroomLimit(a)
	if !a.user.present {
		return false
	}
	var back resource.Resource
	if got.excess != nil {
		back = got.excess.Size
	}
	if s.calc.Compare(s.cluster(), a.user.used.Sub(back), limit, false) > 0 {
		return false
	}
	net := got.size.Sub(back)
	for ; q != nil; q = q.parent {
		if !s.calc.Fits(q.used.Add(net), q.limits.Max) {
			return false
		}
	}
	return true
}

// allocate makes a container, under the number of the reservation that it meets if there is one.
//
// Source: FiCaSchedulerApp.apply.
func (s *Scheduler) allocate(a *app, n *yarn.Node, got *assignment) {
	var c *yarn.Container
	if r := got.fulfilled; r != nil {
		// A reservation keeps its size, whatever is asked for by now; the application is charged for the latter.
		c = a.NewContainer(r.ID, n, got.key.t.Key, r.Size, s.now)
		s.dropReservation(a, r)
		r.Spare()
	} else {
		c = a.NewContainer(a.NextContainer(), n, got.key.t.Key, got.size, s.now)
	}
	a.live.Put(c.ID, c.Hash, c)
	a.Allocated(c, got.key.t, got.kind)
	a.Used = a.Used.Add(got.size.Sub(c.Size))
	a.requestsChanged()
	n.Place(c)
	s.tell(yarn.Event{Kind: yarn.Allocated, Container: c.Protocol(), App: a.ID, Update: c.Key().Update})
	if got.excess != nil {
		s.unreserve(got.excess)
	}
	if got.fulfilled == nil {
		a.q.charge(a, got.size)
	}
}

// end ends a container: usage of application, user and queues goes down at once, that of the node too unless the node has
// reported it as running. Requests of one that was never given out come back.
//
// Source: AbstractYarnScheduler.completedContainer, AbstractLeafQueue.completedContainer.
func (s *Scheduler) end(c *yarn.Container, exit int32, e yarn.ContainerEvent) {
	s.endAs(c, c.ID, exit, e)
}

// endAs is [Scheduler.end] of a container that was meant by a number: its own, or that of a decrease of it. An unknown one is ignored.
func (s *Scheduler) endAs(c *yarn.Container, id protocol.ContainerID, exit int32, e yarn.ContainerEvent) {
	if c == nil {
		return
	}
	s.endOne(c, id, exit, e)
	if r := c.Node.Reserved; r != nil && r.Key().Update == id { // for the growth of this container, if it was meant by its own number
		s.endOne(r, r.ID, exit, e)
	}
	if c.Asks == nil {
		return
	}
	if a := s.appOf(c.ID.App); a != nil && !a.Stopped {
		a.PutBack(c.Key(), c.Asks)
		a.requestsChanged()
	}
	c.Asks = nil
}

// endOne is [Scheduler.endAs] without what follows from it.
//
// Source: CapacityScheduler.completedContainerInternal.
func (s *Scheduler) endOne(c *yarn.Container, id protocol.ContainerID, exit int32, e yarn.ContainerEvent) {
	a := s.appOf(c.ID.App)
	n := s.nodes.Node(c.Node.ID)
	if a == nil || n == nil {
		return
	}
	s.touch()
	if c.State == yarn.ContainerReserved {
		s.dropReservation(a, c)
		s.release(a, c.Size)
		return
	}
	launched := c.Launched()
	acquired := c.State == yarn.ContainerAcquired || c.State == yarn.ContainerRunning
	removed := a.RemoveLive(c.ID)
	if removed {
		a.live.Remove(c.ID, c.Hash)
		if len(a.recalled) > 0 {
			a.recalled = slices.DeleteFunc(a.recalled, func(id protocol.ContainerID) bool { return id == c.ID })
		}
		if c.Handle(e) {
			told := yarn.Event{
				Kind: yarn.Completed, Container: c.Protocol(), App: a.ID, Exit: exit,
				Launched: launched, Acquired: acquired,
			}
			if id != c.ID {
				told.Update = id
			}
			s.tell(told)
		}
		a.Used = a.Used.Sub(c.Size)
	}
	if !launched || c.Node != n { // one that ran stays there
		n.Release(c.ID, c.Hash, false)
	}
	if removed {
		s.release(a, c.Size)
	}
}

// release takes r off the usage of the application's queues and user.
func (s *Scheduler) release(a *app, r resource.Resource) {
	a.q.charge(a, resource.Resource{}.Sub(r))
}

// tell reports an event to the observer.
func (s *Scheduler) tell(e yarn.Event) {
	if s.observe != nil {
		s.event = e
		s.observe(&s.event)
	}
}

func (s *Scheduler) appOf(id protocol.AppID) *app {
	if int(id) >= len(s.apps) || id < 0 {
		return nil
	}
	return s.apps[id]
}
