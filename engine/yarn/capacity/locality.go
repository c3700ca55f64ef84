package capacity

import (
	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/policy"
	"replay/policy/resource"
)

// result is what trying one key of an application on a node came to.
type result uint8

const (
	nextKey    result = iota // nothing here: the next key is tried
	nextLevel                // nothing at this level: the next one is tried
	nextApp                  // nothing for this application
	queueLimit               // the queue has no room for it
	proposed                 // an allocation or a reservation
)

// assign offers a node to an application: the keys in their order until one is served or stops the search.
//
// Source: RegularContainerAllocator.assignContainers.
func (a *app) assign(n *yarn.Node, lim *limits) assignment {
	s := a.q.s
	if !s.positive(a.pending) {
		return assignment{skip: skipOther}
	}
	for _, t := range a.Active() {
		k := a.of(t)
		wanted := t.Any()
		if !s.keepLooking && !a.wantsMore(k, wanted.Size) {
			continue
		}
		room := lim.headroom
		if s.keepLooking {
			room = room.Add(a.reserved)
		}
		if !s.calc.Fits(wanted.Size, room) {
			return assignment{skip: skipLimit}
		}
		got, r := a.tryKey(n, lim, k, nil)
		switch r {
		case nextKey:
			continue
		case proposed:
			return got
		}
		return assignment{skip: skipOther}
	}
	return assignment{skip: skipOther}
}

// assignReserved offers a node to the application that holds its reservation: the container is
// allocated, the node is reserved again, or the reservation is given back when nothing is wanted any more.
//
// Source: RegularContainerAllocator.allocate.
func (a *app) assignReserved(n *yarn.Node, lim *limits, c *yarn.Container) assignment {
	t := a.Table(c.Key())
	if t == nil || t.AnyCount() <= 0 {
		return assignment{skip: skipLimit, excess: c}
	}
	got, r := a.tryKey(n, lim, a.of(t), c)
	if r == nextApp {
		got.skip = skipOther
	}
	return got
}

// tryKey tries one key on a node. Reserved is the reservation to be met, nil in a first attempt.
//
// Source: RegularContainerAllocator.tryAllocateOnNode, doAllocation.
func (a *app) tryKey(n *yarn.Node, lim *limits, k *key, reserved *yarn.Container) (assignment, result) {
	s := a.q.s
	if a.Blacklisted(n) {
		s.elision.differs()
		return assignment{}, nextApp
	}
	k.t.Offers++
	got, r := a.tryLevels(n, lim, k, reserved)
	if reserved != nil {
		return got, r
	}
	s.elision.tried(a, k.t, r)
	switch {
	case r == nextApp:
		a.joinPeers(k)
	case r == nextKey:
		k.t.Offers--
	case r == proposed && (got.kind == protocol.NodeLocal || got.kind == protocol.RackLocal && s.rackReset):
		k.t.Offers = 0
	}
	return got, r
}

// tryLevels tries the node, its rack and then anywhere, as far as the application accepts them now.
//
// Source: RegularContainerAllocator.assignContainersOnNode.
func (a *app) tryLevels(n *yarn.Node, lim *limits, k *key, reserved *yarn.Container) (assignment, result) {
	s, t := a.q.s, k.t
	nodes := int32(s.nodes.Len())
	host, rack, any := t.Host(n), t.Rack(n), t.Any()
	onRack := rack != nil && rack.Count > 0
	if host != nil && host.Count > 0 && onRack {
		if got, r := a.propose(n, lim, k, host.Size, protocol.NodeLocal, reserved); r == proposed {
			return got, r
		}
	}
	if onRack {
		if !rack.Relax {
			return assignment{}, nextKey
		}
		if s.delay.AcceptsRack(t.Offers, nodes) {
			if got, r := a.propose(n, lim, k, rack.Size, protocol.RackLocal, reserved); r == proposed {
				return got, r
			}
		}
	}
	if any == nil || any.Count <= 0 || !any.Relax {
		return assignment{}, nextKey
	}
	if reserved == nil && !s.delay.AcceptsAny(t.Offers, nodes, any.Count, t.Locations()) {
		return assignment{}, nextApp
	}
	got, r := a.propose(n, lim, k, any.Size, protocol.OffSwitch, reserved)
	if r == nextLevel {
		r = nextApp
	}
	return got, r
}

// propose makes the proposal of a container of one size on a node, or of a reservation when there is no room.
//
// Source: RegularContainerAllocator.assignContainer.
func (a *app) propose(n *yarn.Node, lim *limits, k *key, size resource.Resource, kind protocol.NodeType, reserved *yarn.Container) (assignment, result) {
	s := a.q.s
	if !s.calc.Fits(size, n.Total) {
		s.elision.differs()
		return assignment{}, nextLevel
	}
	more := a.wantsMore(k, size)
	excess := resource.Larger(s.calc, s.cluster(), size.Sub(lim.headroom), lim.unreserve)
	over := s.calc.AnyAboveZero(excess)
	needed := excess
	if !over {
		needed = size
	}
	got := assignment{size: size, kind: kind, app: a, key: k, fulfilled: reserved}
	if s.calc.Available(n.Free, size) > 0 {
		if reserved == nil && s.keepLooking && (!more || over) {
			got.excess = a.reservationToGive(k, needed)
			if got.excess == nil {
				return assignment{}, nextLevel
			}
		}
		return got, proposed
	}
	if reserved == nil && (!more || s.keepLooking && over) {
		if s.elision.alike && (!s.keepLooking || a.reservationToGive(k, needed) != nil) {
			s.elision.takes(size)
		}
		return assignment{}, nextLevel
	}
	got.reserve = true
	return got, proposed
}

// wantsMore reports whether the key needs a further container or reservation.
func (a *app) wantsMore(k *key, size resource.Resource) bool {
	q := a.q
	reserved := int32(k.reserved.Len())
	ratio := float32(0)
	if reserved > 0 {
		ratio = q.s.calc.Ratio(size, q.cfg.MaxAlloc)
	}
	if policy.WantsMore(k.t.AnyCount(), reserved, k.rereserved, ratio, q.minFactor) {
		return true
	}
	k.enough.find(k.t.AnyCount(), reserved, ratio, q.minFactor)
	q.s.elision.satisfied(k)
	return false
}

// reservationToGive returns a reservation of the key that is at least as large as what is needed, nil when there is none.
//
// Source: FiCaSchedulerApp.findNodeToUnreserve.
func (a *app) reservationToGive(k *key, needed resource.Resource) *yarn.Container {
	for id, c := range k.reserved.All {
		if a.q.s.calc.Fits(needed, c.Size) {
			if a.q.s.nodes.Node(id) == nil {
				return nil
			}
			return c
		}
	}
	return nil
}
