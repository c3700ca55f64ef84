package allocator

import (
	"slices"

	"replay/engine/protocol"
)

// scheduled are the attempts that are asked for.
type scheduled struct {
	maps, reduces linked[*request]
	// failed are maps after a failure, byHost and byRack the others by what they prefer, in the order in which they came. Attempts that no
	// longer wait stay in them until they are met.
	failed         fifo
	byHost, byRack map[protocol.Name]*fifo
	requested      int // maps, modulo 100: the first of each hundred may be opportunistic
}

func (s *scheduled) of(at Attempt) *linked[*request] {
	if at.Reduce {
		return &s.reduces
	}
	return &s.maps
}

// assigned are the attempts that have a container whose end was not reported.
type assigned struct {
	maps, reduces linked[*protocol.Container]
	byContainer   map[protocol.ContainerID]Attempt
}

func (s *assigned) of(at Attempt) *linked[*protocol.Container] {
	if at.Reduce {
		return &s.reduces
	}
	return &s.maps
}

func (s *assigned) add(at Attempt, c *protocol.Container) {
	kept := *c
	s.byContainer[c.ID] = at
	s.of(at).put(at, &kept)
}

// remove forgets an attempt; false if it has no container.
func (s *assigned) remove(at Attempt) bool {
	c, ok := s.of(at).remove(at)
	if ok {
		delete(s.byContainer, c.ID)
	}
	return ok
}

func (a *Allocator) addMap(r *request, failedBefore bool) {
	s := &a.sched
	if failedBefore {
		r.priority = FailedMap
		s.failed.push(r.attempt)
		s.maps.put(r.attempt, r)
		a.asks.add(r)
		return
	}
	if s.requested < a.conf.OpportunisticMapsPercent {
		r.priority = OpportunisticMap
		s.maps.put(r.attempt, r)
		a.asks.count(r, protocol.Any, true)
	} else {
		r.priority = Map
		for _, h := range r.hosts {
			enter(s.byHost, h, r.attempt)
		}
		for _, rack := range r.racks {
			enter(s.byRack, rack, r.attempt)
		}
		s.maps.put(r.attempt, r)
		a.asks.add(r)
	}
	s.requested = (s.requested + 1) % 100
}

func enter(lists map[protocol.Name]*fifo, n protocol.Name, at Attempt) {
	if lists[n] == nil {
		lists[n] = &fifo{}
	}
	lists[n].push(at)
}

// canMap and canReduce say whether the limit of running tasks leaves room.
func (a *Allocator) canMap() bool {
	return a.conf.RunningMaps <= 0 || a.assigned.maps.len() < a.conf.RunningMaps
}

func (a *Allocator) canReduce() bool {
	return a.conf.RunningReduces <= 0 || a.assigned.reduces.len() < a.conf.RunningReduces
}

// assign gives containers to attempts: those of retried maps and of reduces by their priority, then all that are left to maps by host, by rack and by age.
// What nobody takes is released.
func (a *Allocator) assign(now int64, given []protocol.Container) {
	a.totals.Allocated += len(given)
	var left []*protocol.Container
	reduces := a.sched.reduces.len()
	for i := range given {
		c := &given[i]
		switch {
		case !a.wanted(c, &reduces):
			a.giveBack(c)
		case a.asks.isBlacklisted(c.Host):
			a.replace(now, c)
			a.giveBack(c)
		default:
			left = append(left, c)
		}
	}
	left = a.each(left, a.withoutLocality)
	left = a.maps(left, func(c *protocol.Container) bool { return a.byList(c, a.sched.byHost[c.Host], NodeLocal) })
	if a.sched.maps.len() > 0 {
		left = a.maps(left, func(c *protocol.Container) bool { return a.byList(c, a.sched.byRack[a.c.RackOf(c.Host)], RackLocal) })
	}
	left = a.each(left, func(c *protocol.Container) bool {
		return a.mapsWait() && a.give(c, a.sched.maps.removeFirst(), OffSwitch)
	})
	for _, c := range left {
		a.giveBack(c)
	}
}

// each gives containers to a taker in their order and returns those that it left.
func (a *Allocator) each(list []*protocol.Container, take func(*protocol.Container) bool) []*protocol.Container {
	return slices.DeleteFunc(list, take)
}

// maps is each for as long as maps wait, without containers of opportunistic maps, which have no locality.
func (a *Allocator) maps(list []*protocol.Container, take func(*protocol.Container) bool) []*protocol.Container {
	return a.each(list, func(c *protocol.Container) bool { return a.mapsWait() && c.Priority != OpportunisticMap && take(c) })
}

func (a *Allocator) mapsWait() bool { return a.sched.maps.len() > 0 && a.canMap() }

// wanted says whether a container is large enough for its priority and something waits there. Reduces is how many of them are left for
// the containers of this answer.
func (a *Allocator) wanted(c *protocol.Container, reduces *int) bool {
	switch c.Priority {
	case FailedMap, Map, OpportunisticMap:
		return a.room(c.Size, a.mapSize) > 0 && a.sched.maps.len() > 0
	case Reduce:
		if a.room(c.Size, a.reduceSize) <= 0 || *reduces <= 0 {
			return false
		}
		*reduces--
		return true
	}
	return false
}

// replace asks again, without blacklisted hosts, for a request that a container on a blacklisted host could be meant for.
func (a *Allocator) replace(now int64, c *protocol.Container) {
	old, ok := a.replaced(c)
	if !ok {
		return
	}
	r := *old
	r.hosts = slices.DeleteFunc(slices.Clone(old.hosts), a.asks.isBlacklisted)
	r.created = now
	a.asks.remove(old)
	a.sched.of(r.attempt).put(r.attempt, &r)
	a.asks.add(&r)
}

// replaced finds that request and takes it out of its place, but for a map after a failure.
func (a *Allocator) replaced(c *protocol.Container) (*request, bool) {
	s := &a.sched
	switch c.Priority {
	case FailedMap:
		for _, at := range s.failed.left() {
			if r, ok := s.maps.get(at); ok {
				return r, true
			}
		}
		return nil, false
	case Reduce:
		return s.reduces.removeFirst(), true
	}
	if list := s.byHost[c.Host]; list.len() > 0 {
		return s.maps.remove(list.popLast())
	}
	return s.maps.removeFirst(), true
}

func (a *Allocator) giveBack(c *protocol.Container) {
	a.totals.Released++
	a.asks.releaseContainer(c.ID)
	a.tell(Event{Kind: Unassigned, Container: *c})
}

func (a *Allocator) withoutLocality(c *protocol.Container) bool {
	s := &a.sched
	switch c.Priority {
	case FailedMap:
		for s.failed.len() > 0 && a.canMap() {
			if r, ok := s.maps.remove(s.failed.pop()); ok {
				return a.give(c, r, OffSwitch)
			}
		}
	case Reduce:
		if s.reduces.len() > 0 && a.canReduce() {
			return a.give(c, s.reduces.removeFirst(), NoLocality)
		}
	}
	return false
}

// byList gives a container to the first of a list that still waits.
func (a *Allocator) byList(c *protocol.Container, list *fifo, l Locality) bool {
	for list.len() > 0 {
		if r, ok := a.sched.maps.remove(list.pop()); ok {
			if l == NodeLocal {
				a.totals.HostLocal++
			} else {
				a.totals.RackLocal++
			}
			return a.give(c, r, l)
		}
	}
	return false
}

func (a *Allocator) give(c *protocol.Container, r *request, l Locality) bool {
	a.asks.remove(r)
	a.assigned.add(r.attempt, c)
	a.tell(Event{Kind: Assigned, Attempt: r.attempt, Container: *c, Locality: l})
	return true
}
