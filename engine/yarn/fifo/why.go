package fifo

import (
	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/policy/resource"
)

var _ yarn.Explainer = (*Scheduler)(nil)

// Why is part of [yarn.Explainer]: only memory counts, and nothing is waited for but room.
func (s *Scheduler) Why(id protocol.AppID) yarn.Refusal {
	a := s.attempt(id)
	if a == nil || len(a.Active()) == 0 {
		return yarn.Refusal{}
	}
	size := a.Active()[0].Any().Size
	return s.nodes.Seek(a, size, func(free, size resource.Resource) bool { return size[resource.Memory] <= free[resource.Memory] },
		func(*yarn.Node) yarn.Acceptance { return yarn.Accepted })
}

// Alike is part of [yarn.Explainer].
func (s *Scheduler) Alike(id protocol.AppID) (like yarn.Alike, ok bool) {
	a := s.attempt(id)
	if a == nil {
		return like, false
	}
	t, ok := a.Anywhere()
	if !ok {
		return like, false
	}
	return yarn.Alike{Size: t.Any().Size, AM: a.WaitingForAM}, true
}

// Could is part of [yarn.Explainer].
func (s *Scheduler) Could(id protocol.AppID, c protocol.Container) bool {
	a, n := s.attempt(id), s.nodes.Node(c.Node)
	if a == nil || n == nil || a.Blacklisted(n) || len(a.Active()) == 0 {
		return false
	}
	return a.Active()[0].Any().Size[resource.Memory] <= n.Free[resource.Memory]+c.Size[resource.Memory]
}

// NodeChanges is part of [yarn.Explainer].
func (s *Scheduler) NodeChanges() int64 { return s.nodes.Changes() }
