package capacity

import "replay/engine/yarn"

// reserve keeps a node for a container of an application, charged at once like an allocation.
//
// Source: FiCaSchedulerApp.apply, SchedulerApplicationAttempt.reserve.
func (s *Scheduler) reserve(a *app, n *yarn.Node, got *assignment) {
	k := got.key
	c := a.NewContainer(a.NextContainer(), n, k.t.Key, got.size, s.now)
	c.Handle(yarn.EventReserved)
	k.rereserved, k.content = 0, content{}
	a.leavePeers()
	k.reserved.Put(n.ID, n.Hash, c)
	a.held.Put(k.t.Key, k.hash(a), k)
	a.reserved = a.reserved.Add(c.Size)
	n.Reserved = c
	n.Touch()
	if len(a.Bars) > 0 { // others may be about the next container
		a.touchHeld()
	}
	s.tell(yarn.Event{Kind: yarn.Reserved, Container: c.Protocol(), App: a.ID, Update: c.Key().Update})
	a.q.charge(a, c.Size)
	for q := a.q; q != nil; q = q.parent {
		q.reserved = q.reserved.Add(c.Size)
	}
}

// reserveAgain notes that a reserved node still had no room.
func (s *Scheduler) reserveAgain(a *app, k *key, c *yarn.Container) {
	k.rereserved++
	c.Node.Touch()
	s.tell(yarn.Event{Kind: yarn.Rereserved, Container: c.Protocol(), App: a.ID, Update: c.Key().Update})
}

// unreserve gives a reservation back.
func (s *Scheduler) unreserve(c *yarn.Container) {
	a := s.appOf(c.ID.App)
	s.dropReservation(a, c)
	s.release(a, c.Size)
}

// dropReservation frees the node of a reservation; what it was charged for stays charged.
//
// Source: FiCaSchedulerApp.unreserve.
func (s *Scheduler) dropReservation(a *app, c *yarn.Container) {
	k := a.of(a.Ensure(c.Key()))
	k.reserved.Remove(c.Node.ID, c.Node.Hash)
	if k.reserved.Len() == 0 {
		a.held.Remove(c.Key(), k.hash(a))
		k.reserved.Reset()
	}
	k.rereserved, k.content = 0, content{}
	a.leavePeers()
	a.reserved = a.reserved.Sub(c.Size)
	c.Node.Reserved = nil
	c.Node.Touch()
	s.tell(yarn.Event{Kind: yarn.Unreserved, Container: c.Protocol(), App: a.ID})
	for q := a.q; q != nil; q = q.parent {
		q.reserved = q.reserved.Sub(c.Size)
	}
}
