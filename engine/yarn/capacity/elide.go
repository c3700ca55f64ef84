package capacity

import (
	"replay/engine/protocol"
	"replay/engine/yarn"
)

// A heartbeat at which nothing is reported does something where the node is reserved, or where something is wanted and the node has room for
// the smallest container. At any other the search ends before it looks at an application.

var _ yarn.Elider = (*Scheduler)(nil)

// The tests of [Scheduler.sets].
const (
	reservedNodes = iota
	offeredNodes
)

func (s *Scheduler) newSets() yarn.NodeSets {
	reserved := func(n *yarn.Node) bool { return n.Reserved != nil }
	return yarn.NewNodeSets(s.nodes, reserved, func(n *yarn.Node) bool {
		return reserved(n) || s.calc.Available(n.Free, s.least) > 0 && s.calc.Fits(s.least, n.Free)
	})
}

// Epoch is part of [yarn.Elider].
func (s *Scheduler) Epoch(ranks []protocol.NodeID) { s.sets.Epoch(ranks) }

// NextHeartbeat is part of [yarn.Elider].
func (s *Scheduler) NextHeartbeat(h, limit int64) int64 {
	switch {
	case s.root.leaf: // notes at each offer what it may use
		return h
	case s.root.hasPending():
		return s.sets.Next(offeredNodes, h, limit)
	}
	return s.sets.Next(reservedNodes, h, limit)
}

// CreditHeartbeats is part of [yarn.Elider].
func (s *Scheduler) CreditHeartbeats(h, end int64) {}

// UpdateDue is part of [yarn.Elider]: updates do nothing.
func (s *Scheduler) UpdateDue() bool { return false }

// CreditUpdate is part of [yarn.Elider].
func (s *Scheduler) CreditUpdate(int64) {}

// Settle is part of [yarn.Elider].
func (s *Scheduler) Settle() {}
