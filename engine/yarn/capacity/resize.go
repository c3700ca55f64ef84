package capacity

import (
	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/policy/resource"
)

// requestResizes checks and notes requests of other sizes: increases become asks for the difference on the container's
// node, decreases are carried out when the answer is made.
//
// Source: AbstractYarnScheduler.handleContainerUpdates.
func (s *Scheduler) requestResizes(a *app, reqs []protocol.Update, out *protocol.AllocateResponse) {
	if len(reqs) == 0 {
		return
	}
	most := s.MaxAllocation(a.q.cfg.Path)
	reqs, out.UpdateErrors = yarn.CheckUpdates(reqs, s.container, most, out.UpdateErrors)
	for _, u := range reqs {
		c := s.container(u.Container)
		if c == nil {
			continue
		}
		ok := false
		if target := s.calc.Normalize(u.Size, s.least, most, s.least); u.Increase {
			_, ok = a.Increase(c, target)
		} else {
			ok = s.decrease(a, c, target)
		}
		if !ok {
			out.UpdateErrors = append(out.UpdateErrors, yarn.Outstanding(u.Container))
		}
	}
	a.requestsChanged()
}

// decrease notes a smaller size and reports whether it can.
//
// Source: AbstractYarnScheduler.handleDecreaseRequests, createDecreasedRMContainer.
func (s *Scheduler) decrease(a *app, c *yarn.Container, target resource.Resource) bool {
	helper, _, ok := a.Decrease(c, target, s.now)
	if !ok {
		return false
	}
	a.live.Put(helper.ID, helper.Hash, c)
	c.Node.Place(helper)
	s.tell(yarn.Event{Kind: yarn.Helper, Container: helper.Protocol(), App: a.ID, Update: c.ID})
	return true
}

// pullResizes gives out the containers whose size has changed. What held the differences is released by
// [Scheduler.releaseLeftovers].
//
// Source: FiCaSchedulerApp.getAllocation.
func (s *Scheduler) pullResizes(a *app, out *protocol.AllocateResponse) error {
	for _, c := range a.PullIncreased() {
		out.Increased = append(out.Increased, c.Protocol())
	}
	decreased, err := a.PullDecreased()
	for _, c := range decreased {
		out.Decreased = append(out.Decreased, c.Protocol())
		s.tell(yarn.Event{Kind: yarn.NodeToldSize, Container: c.Protocol(), App: a.ID})
	}
	return err
}

// releaseLeftovers releases what is left of resizes once the answer is made: usage goes down by the differences of decreases.
// No end of a container is reported.
func (s *Scheduler) releaseLeftovers(a *app) {
	for _, c := range a.PullDiscarded() {
		s.end(c, protocol.ExitAborted, yarn.EventReleased)
	}
}

// NodeResized is described at [yarn.Resizer]: it takes effect within the next heartbeat.
func (s *Scheduler) NodeResized(id protocol.NodeID, done []protocol.Container) {
	s.resized = append(s.resized[:0], done...)
}

// confirmResizes compares the sizes that a node reports with those that were given out. A node that
// knows more than it should is told the size.
//
// Source: RMContainerImpl.NMReportedContainerChangeIsDoneTransition.
func (s *Scheduler) confirmResizes() {
	for _, r := range s.resized {
		s.touch()
		c := s.container(r.ID)
		if c == nil || c.State != yarn.ContainerRunning {
			continue
		}
		switch {
		case c.Size == r.Size:
			c.Knows(c.Size)
		case c.Size.FitsIn(r.Size):
			c.Knows(c.Size)
			s.tell(yarn.Event{Kind: yarn.NodeToldSize, Container: c.Protocol(), App: c.ID.App})
		case r.Size.FitsIn(c.Size):
			c.Knows(c.Known().Max(r.Size))
		}
	}
	s.resized = s.resized[:0]
}

// ExpireIncrease is described at [yarn.Resizer]: the container goes back to the size that its node is known to grant.
//
// Source: CapacityScheduler.rollbackContainerUpdate.
func (s *Scheduler) ExpireIncrease(id protocol.ContainerID) {
	s.touch()
	c := s.container(id)
	if c == nil || !c.Known().FitsIn(c.Size) {
		return
	}
	a := s.appOf(id.App)
	s.decrease(a, c, c.Known())
	a.requestsChanged()
}
