package capacity

import (
	"replay/engine/fetch"
	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/policy/resource"
)

// Allocate notes resizes, releases containers, stores asks and hands over what was allocated and resized.
//
// Source: CapacityScheduler.allocate.
func (s *Scheduler) Allocate(id protocol.AppID, in *protocol.AllocateRequest, out *protocol.AllocateResponse) error {
	out.Reset()
	out.Nodes = s.nodes.Len()
	a := s.appOf(id)
	if a == nil {
		return nil
	}
	if len(in.Asks)+len(in.Releases)+len(in.Updates)+len(in.BlacklistAdd)+len(in.BlacklistRemove) > 0 {
		s.touch()
	}
	s.requestResizes(a, in.Updates, out)
	for _, c := range in.Releases {
		s.endAs(s.container(c), c, protocol.ExitAborted, yarn.EventReleased)
	}
	demand := s.store(a, in)
	if len(in.BlacklistAdd)+len(in.BlacklistRemove) > 0 {
		a.Blacklist(in.BlacklistAdd, in.BlacklistRemove)
		a.touchHeld()
	}
	out.Preempt = append(out.Preempt, a.recalled...)
	a.recalled = a.recalled[:0]
	for _, c := range a.Pull() {
		out.Allocated = append(out.Allocated, c.Protocol())
	}
	if err := s.pullResizes(a, out); err != nil {
		return err
	}
	out.Headroom = a.headroom()
	if demand && !a.WaitingForAM && a.q.cfg.SizeBasedWeight {
		a.q.reorderLater(a)
	}
	s.releaseLeftovers(a)
	return nil
}

// store puts asks into the application's tables, normalized, and reports whether one is for anywhere.
func (s *Scheduler) store(a *app, in *protocol.AllocateRequest) (demand bool) {
	if len(in.Asks) == 0 {
		return false
	}
	most := s.largest()
	s.asks = append(s.asks[:0], in.Asks...)
	for i := range s.asks {
		ask := &s.asks[i]
		ask.Size = s.calc.Normalize(ask.Size, s.least, most, s.least)
		demand = demand || ask.Name == protocol.Any
	}
	a.Update(s.asks, false, in.Localities...)
	a.requestsChanged()
	return demand
}

// PullAM makes the first container that was allocated the master container. It is a call like those of application masters, whose answer has the headroom: the
// user's limit is computed for it.
//
// Source: RMAppAttemptImpl.AMContainerAllocatedTransition.
func (s *Scheduler) PullAM(id protocol.AppID) (protocol.Container, bool) {
	a := s.appOf(id)
	if a == nil {
		return protocol.Container{}, false
	}
	got := a.Pull()
	a.recalled = a.recalled[:0]
	a.headroom()
	if len(got) == 0 {
		return protocol.Container{}, false
	}
	got[0].AM = true
	a.WaitingForAM = false
	s.touch()
	a.touchHeld() // another blacklist is in force
	return got[0].Protocol(), true
}

// Queues yields the queues, parents first, children as configured.
func (s *Scheduler) Queues(yield func(*yarn.QueueState)) {
	var state yarn.QueueState
	for i, q := range s.queues { // which lie all over the memory
		if next := i + 8; next < len(s.queues) {
			fetch.Of(s.queues[next])
		}
		if next := i + 4; next < len(s.queues) {
			fetch.Of(s.queues[next].cfg)
		}
		state.Path, state.Leaf, state.Weight = q.cfg.Path, q.leaf, float64(q.cfg.AbsoluteCapacity)
		state.Used = q.used // one by one: all at once they are copied twice
		state.Demand.CopyFrom(&q.used)
		state.Demand.AddTo(&q.pending)
		state.Fair = q.limits.Min
		state.Steady = q.limits.Min
		state.MaxShare = q.limits.Max
		state.AMUsed = q.amUsed
		state.Reserved = q.reserved
		state.Runnable, state.NonRunnable = q.numApps()-len(q.waiting), len(q.waiting)
		yield(&state)
	}
}

// Usage is a queue's use of its capacity, as YARN's queue metrics have it.
type Usage struct {
	Path         string
	Leaf         bool
	Used         resource.Resource // reserved containers included
	Capacity     float32           // part of its own capacity that is used
	Absolute     float32           // part of the cluster
	Applications int
	Active       int // of a leaf: with room for their masters
	Pending      int // of a leaf: without
}

// Usages yields the use of all queues in the order of [Scheduler.Queues].
func (s *Scheduler) Usages(yield func(Usage)) {
	for _, q := range s.queues {
		yield(Usage{
			Path: q.cfg.Path, Leaf: q.leaf, Used: q.used,
			Capacity: q.stands().Used, Absolute: q.stands().AbsoluteUsed,
			Applications: q.numApps(), Active: len(q.activeApps), Pending: len(q.pendingApps),
		})
	}
}
