package fifo

import (
	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/policy/resource"
)

// A heartbeat at which nothing is reported does something where the node has room for the smallest container, while an application asks
// for something or its headroom is not that of the cluster.

var _ yarn.Elider = (*Scheduler)(nil)

func (s *Scheduler) newSets() yarn.NodeSets {
	return yarn.NewNodeSets(s.nodes, 1, func(n *yarn.Node) int {
		if s.hasRoom(n) {
			return 0
		}
		return -1
	})
}

// hasRoom reports whether the node is offered to the applications.
func (s *Scheduler) hasRoom(n *yarn.Node) bool {
	return n.Free[resource.Memory] >= s.site.MinAllocation[resource.Memory]
}

// unallocated is the headroom of every application as of the next heartbeat that looks at them.
func (s *Scheduler) unallocated() resource.Resource {
	return s.nodes.Capacity.Sub(s.used).Max(resource.Resource{})
}

// asking reports whether an application asks for something.
func (s *Scheduler) asking() bool {
	for _, app := range s.apps {
		if app.attempt != nil && len(app.attempt.Active()) > 0 {
			return true
		}
	}
	return false
}

// Epoch is part of [yarn.Elider].
func (s *Scheduler) Epoch(ranks []protocol.NodeID) { s.sets.Epoch(ranks) }

// NextHeartbeat is part of [yarn.Elider].
func (s *Scheduler) NextHeartbeat(h, limit int64) int64 {
	if s.newcomer || s.told != s.unallocated() || s.asking() {
		return s.sets.Next(0, h, limit)
	}
	return limit
}

// CreditHeartbeats is part of [yarn.Elider].
func (s *Scheduler) CreditHeartbeats(h, end int64) {}

// UpdateDue is part of [yarn.Elider]: updates do nothing.
func (s *Scheduler) UpdateDue() bool { return false }

// CreditUpdate is part of [yarn.Elider].
func (s *Scheduler) CreditUpdate(int64) {}

// Settle is part of [yarn.Elider].
func (s *Scheduler) Settle() {}
