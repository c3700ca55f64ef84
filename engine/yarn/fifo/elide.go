package fifo

import (
	"math"

	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/policy/resource"
)

// A heartbeat at which nothing is reported does something where the node has room for the smallest container that is asked for. While the headroom of an
// application is not that of the cluster, it does where there is room for the smallest container that there may be.

var _ yarn.Elider = (*Scheduler)(nil)

// The sets of nodes with room for a container of the least size.
const (
	roomy = iota // and for one that is asked for
	tight
	sets
)

func (s *Scheduler) newSets() yarn.NodeSets {
	return yarn.NewNodeSets(s.nodes, sets, func(n *yarn.Node) int {
		switch {
		case !s.hasRoom(n):
			return -1
		case n.Free[resource.Memory] < s.least:
			return tight
		}
		return roomy
	})
}

// wants notes that no less than so many MiB may be asked for now.
func (s *Scheduler) wants(least int64) {
	if least != s.least {
		s.least, s.wasted = least, 0
		s.sets.Again()
	}
}

// passed notes a heartbeat at which nothing was allocated; least is what is asked for at least. To look at all nodes again takes time, which such heartbeats
// pay for.
func (s *Scheduler) passed(n *yarn.Node, least int64) {
	if least == math.MaxInt64 || n.Free[resource.Memory] >= least {
		return
	}
	if s.wasted++; s.wasted*16 >= s.nodes.Len() {
		s.wants(least)
	}
}

// hasRoom reports whether the node is offered to the applications.
func (s *Scheduler) hasRoom(n *yarn.Node) bool {
	return n.Free[resource.Memory] >= s.site.MinAllocation[resource.Memory]
}

// unallocated is the headroom of every application as of the next heartbeat that looks at them.
func (s *Scheduler) unallocated() resource.Resource {
	return s.nodes.Capacity.Sub(s.used).Max(resource.Resource{})
}

// Epoch is part of [yarn.Elider].
func (s *Scheduler) Epoch(ranks []protocol.NodeID) { s.sets.Epoch(ranks) }

// Beats is part of [yarn.Elider].
func (s *Scheduler) Beats(rank int, on bool) { s.sets.Beats(rank, on) }

// NextHeartbeat is part of [yarn.Elider].
func (s *Scheduler) NextHeartbeat(h, limit, _ int64) int64 {
	s.settle()
	if s.newcomer || s.told != s.unallocated() {
		limit = s.sets.Next(tight, h, limit)
	} else if len(s.asking.apps) == 0 {
		return limit
	}
	return s.sets.Next(roomy, h, limit)
}

// Still is part of [yarn.Elider].
func (s *Scheduler) Still() bool { return false }

// CreditHeartbeats is part of [yarn.Elider].
func (s *Scheduler) CreditHeartbeats(h, end int64) {}

// UpdateDue is part of [yarn.Elider]: updates do nothing.
func (s *Scheduler) UpdateDue() bool { return false }

// CreditUpdate is part of [yarn.Elider].
func (s *Scheduler) CreditUpdate(int64) {}

// Settle is part of [yarn.Elider].
func (s *Scheduler) Settle() {}
