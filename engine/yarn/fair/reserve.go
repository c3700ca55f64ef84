package fair

import (
	"math"
	"slices"

	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/policy/resource"
)

// reservedMark is what an assignment returns for a reservation.
//
// Source: FairScheduler.CONTAINER_RESERVED.
var reservedMark = &resource.Resource{resource.Memory: -1}

// reservable reports whether the application may reserve nodes for asks of this size.
//
// Source: FSAppAttempt.isReservable, FairScheduler.isAtLeastReservationThreshold.
func (f *Scheduler) reservable(a *app, size resource.Resource) bool {
	return f.mayBeReserved(a.queue, size) && a.starved()
}

// mayBeReserved reports whether some application of a leaf could.
func (f *Scheduler) mayBeReserved(q *queue, size resource.Resource) bool {
	return q.sharing.Measure(f.cluster.Capacity, size, f.reserveFrom, false) >= 0
}

// reserve reserves a node, or confirms a reservation, unless the application has too many.
//
// Source: FSAppAttempt.reserve.
func (f *Scheduler) reserve(a *app, t *yarn.Table, n *node, size resource.Resource, level protocol.NodeType, reserved *yarn.Container) bool {
	if n.Reserved != nil && n.Reserved.App != a.Attempt || f.tooManyReserved(a, n.Node, level) {
		return false
	}
	kind := yarn.Rereserved
	if reserved == nil {
		kind = yarn.Reserved
		reserved = a.NewContainer(a.NextContainer(), n.Node, t.Key, size, f.now)
		reserved.Handle(yarn.EventReserved)
		if len(a.reserved) == 0 {
			f.holds(a, true)
			a.reservedFor = t
		} else if a.reservedFor != t {
			a.reservedFor = nil
		}
		a.reserved = append(a.reserved, reserved)
		h := n.hold()
		n.Reserved, h.reservedBy, h.reservedFor = reserved, a, t
		a.noteReserved(n.Node)
		n.Touch()
	}
	e := f.about(kind, reserved)
	e.Update = t.Update
	f.tell(e)
	return true
}

// noteReserved and dropReserved keep the reserved nodes; two with one name on one rack count as one.
//
// Source: FSAppAttempt.setReservation, clearReservation.
func (a *app) noteReserved(n *yarn.Node) {
	if a.reservedAt(n) < 0 {
		a.reservedOn = append(a.reservedOn, hostOnRack{n.Host, n.Rack})
		a.crowds(n.Rack, 1)
	}
}

func (a *app) dropReserved(n *yarn.Node) {
	if i := a.reservedAt(n); i >= 0 {
		a.reservedOn = slices.Delete(a.reservedOn, i, i+1)
		a.crowds(n.Rack, -1)
	}
}

func (a *app) reservedAt(n *yarn.Node) int {
	return slices.IndexFunc(a.reservedOn, func(o hostOnRack) bool { return o.Host == n.Host && o.Rack == n.Rack })
}

// hostOnRack names nodes.
type hostOnRack struct{ Host, Rack protocol.Name }

// tooManyReserved applies the limit of yarn.scheduler.fair.reservable-nodes; asks for the node itself have none.
//
// Source: FSAppAttempt.reservationExceedsThreshold.
func (f *Scheduler) tooManyReserved(a *app, n *yarn.Node, level protocol.NodeType) bool {
	if level == protocol.NodeLocal {
		return false
	}
	if level == protocol.OffSwitch {
		return len(a.reservedOn) >= f.mayReserve(f.cluster.Len())
	}
	have := 0
	for _, o := range a.reservedOn {
		if o.Rack == n.Rack {
			have++
		}
	}
	return have >= f.mayReserve(len(f.cluster.Rack(n.Rack)))
}

// crowded is the nodes on whose racks an application has as many reservations as it may have, as of an epoch and the members of the cluster. It saves to
// find them out from all of its reservations.
type crowded struct {
	epoch, members int64
	on             []int32 // how many reservations, by number of the rack
	nodes          yarn.Ranks
}

// crowdedBy returns the nodes on whose racks the application has as many reservations as it may have.
func (f *Scheduler) crowdedBy(a *app) *yarn.Ranks {
	e := &f.elision
	if a.crowded == nil {
		a.crowded = &crowded{epoch: -1}
	}
	c := a.crowded
	if !c.holds(f) {
		c.epoch, c.members = e.epoch, f.cluster.Members()
		c.on = slices.Grow(c.on[:0], e.rackCount)[:e.rackCount]
		clear(c.on)
		c.nodes.Reset(len(e.ranks))
		for _, o := range a.reservedOn {
			a.crowds(o.Rack, 1)
		}
	}
	return &c.nodes
}

// holds reports whether c is as of now.
func (c *crowded) holds(f *Scheduler) bool {
	return c.epoch == f.elision.epoch && c.members == f.cluster.Members()
}

// crowds takes in that there is a reservation more on a rack, or one less.
func (a *app) crowds(name protocol.Name, more int32) {
	f, c := a.f, a.crowded
	if c == nil || !c.holds(f) {
		return
	}
	k := f.elision.rackOf(name)
	if k == nil {
		return
	}
	have, most := &c.on[k.number], int32(f.mayReserve(len(f.cluster.Rack(name))))
	was := *have >= most
	*have += more
	if is := *have >= most; is != was {
		k.mark(&c.nodes, is)
	}
}

// mayReserve is how many of so many nodes an application may reserve.
func (f *Scheduler) mayReserve(nodes int) int {
	return max(int(resource.F2I(math.Ceil(float64(float32(float32(nodes)*f.site.ReservableNodes))))), 0)
}

// unreserve drops a reservation; its container number is lost unless the caller has used it.
//
// Source: FSAppAttempt.unreserve.
func (f *Scheduler) unreserve(a *app, n *node) {
	c := n.Reserved
	if c == nil || c.App != a.Attempt {
		panic("yarn: a reservation is dropped that is not there")
	}
	i := slices.Index(a.reserved, c)
	if a.reserved = slices.Delete(a.reserved, i, i+1); len(a.reserved) == 0 {
		f.holds(a, false)
	}
	h := n.hold()
	n.Reserved, h.reservedBy, h.reservedFor = nil, nil, nil
	a.dropReserved(n.Node)
	n.Touch()
	f.tell(f.about(yarn.Unreserved, c))
}

// spare gives the memory of a container that has ended, or of a reservation that was dropped, to another one. Preemption keeps those that it has chosen.
func (f *Scheduler) spare(c *yarn.Container) {
	if !f.chose {
		c.Spare()
	}
}

// assignReserved visits a node that the application has reserved and reports whether the reservation is valid.
// A valid one takes the whole heartbeat, filled or not.
//
// Source: FSAppAttempt.assignReservedContainer.
func (f *Scheduler) assignReserved(a *app, n *node) bool {
	c, t := n.Reserved, n.held().reservedFor
	o, ok := a.look(t, n.Node)
	if !ok || f.overAMShare(a) {
		f.unreserve(a, n)
		f.spare(c)
		return false
	}
	if c.Size.FitsIn(n.Free) {
		if ask, level := f.match(t, &o); ask != nil {
			f.place(a, t, n, ask, level, c)
		}
	}
	return true
}

// reservedContainers returns the reservations, by key and in the order of their making.
func (a *app) reservedContainers() []*yarn.Container {
	if len(a.reserved) == 0 {
		return nil
	}
	return slices.SortedStableFunc(slices.Values(a.reserved), func(b, c *yarn.Container) int { return b.Key().Compare(c.Key()) })
}
