package fifo

import (
	"math"

	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/policy/resource"
)

// assign gives the node to the applications in turn, each key by key, as long as it has room.
//
// Source: FifoScheduler.assignContainers.
func (s *Scheduler) assign(n *yarn.Node) {
	s.settle()
	made, least := 0, int64(math.MaxInt64)
	for _, app := range s.asking.apps {
		a := app.attempt
		least = min(least, app.least)
		if app.least > n.Free[resource.Memory] || a.Blacklisted(n) {
			continue
		}
		s.scratch = append(s.scratch[:0], a.Active()...)
		for _, t := range s.scratch {
			some := s.assignKey(a, t, n)
			if made += some; some == 0 {
				break
			}
		}
		s.asking.changed(app)
		if !s.hasRoom(n) {
			break
		}
	}
	if made == 0 {
		s.passed(n, least)
	}
	s.told, s.newcomer = s.unallocated(), false
	s.looks++
}

// assignKey serves one key at all three levels and returns how many containers it made.
//
// Source: FifoScheduler.assignContainersOnNode, getMaxAllocatableContainers.
func (s *Scheduler) assignKey(a *yarn.Attempt, t *yarn.Table, n *yarn.Node) int {
	made := 0
	if host, rack := t.Host(n), t.Rack(n); host != nil && rack.Asked() > 0 {
		offered := min(t.AnyCount(), host.Count)
		if asked := t.Addressed(n).Asked(); asked > 0 {
			offered = min(offered, asked)
		}
		if room := int32(n.Free[resource.Memory] / host.Size[resource.Memory]); min(offered, room) > rack.Count {
			// Rack-local containers count the rack down and not its hosts, so a host may be asked for more often than its rack.
			s.tell(yarn.Event{Kind: yarn.Averted, App: a.ID, Text: "FifoScheduler.assignContainersOnNode throws a NullPointerException when a host is asked for more often than its rack; the rack's count was taken"})
			offered = rack.Count
		}
		made += s.allocate(a, t, n, protocol.NodeLocal, offered, host.Size)
	}
	if rack := t.Rack(n); rack != nil {
		made += s.allocate(a, t, n, protocol.RackLocal, min(t.AnyCount(), rack.Count), rack.Size)
	}
	if r := t.Any(); r != nil {
		made += s.allocate(a, t, n, protocol.OffSwitch, r.Count, r.Size)
	}
	return made
}

// allocate makes as many containers of one size as are offered and as the node's memory holds.
//
// Source: FifoScheduler.assignContainer.
func (s *Scheduler) allocate(a *yarn.Attempt, t *yarn.Table, n *yarn.Node, kind protocol.NodeType, offered int32, size resource.Resource) (made int) {
	room := offered
	if of := size[resource.Memory]; of > 0 {
		room = min(offered, int32(n.Free[resource.Memory]/of))
	} else if offered > 0 {
		s.tell(yarn.Event{Kind: yarn.Averted, App: a.ID, Text: "FifoScheduler.assignContainer throws an ArithmeticException for a container of no memory, to which the ask for an application master is cut while no node has any; it was allocated"})
	}
	for range room {
		if len(a.Bars) > 0 && a.Blacklisted(n) {
			return made
		}
		made++
		c := a.NewContainer(a.NextContainer(), n, t.Key, size, s.now)
		a.Allocated(c, t, kind)
		n.Place(c)
		s.used = s.used.Add(size)
		s.allocated = s.allocated.Add(size)
		s.tell(yarn.Event{Kind: yarn.Allocated, Container: c.Protocol(), App: a.ID})
	}
	return made
}

// end ends a container; nil is ignored.
//
// Source: AbstractYarnScheduler.completedContainer, FifoScheduler.completedContainerInternal.
func (s *Scheduler) end(c *yarn.Container, exit int32, e yarn.ContainerEvent) {
	if c == nil {
		return
	}
	app, a := s.app(c.ID.App), c.App
	if app == nil || app.attempt == nil {
		return
	}
	launched := c.Launched()
	acquired := c.State == yarn.ContainerAcquired || c.State == yarn.ContainerRunning
	if a.RemoveLive(c.ID) {
		ended := c.Handle(e)
		a.Used = a.Used.Sub(c.Size)
		s.allocated = s.allocated.Sub(c.Size)
		if ended {
			s.tell(yarn.Event{
				Kind: yarn.Completed, Container: c.Protocol(), App: a.ID, Exit: exit,
				Launched: launched, Acquired: acquired,
			})
		}
	}
	c.Node.Release(c.ID, c.Hash, false)
	s.used = s.used.Sub(c.Size)
	if c.Asks != nil {
		a.PutBack(c.Key(), c.Asks)
		s.asking.changed(app)
	}
}

func (s *Scheduler) tell(e yarn.Event) {
	if s.observe != nil {
		s.event = e
		s.observe(&s.event)
	}
}
