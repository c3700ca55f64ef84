package yarn

import "replay/engine/protocol"

// NodeSets keeps which nodes pass some tests, by the place of their heartbeats: what an [Elider] looks at. A test may depend on nothing but
// its node, which has to be touched when what it depends on changes, see [Node.Touch].
type NodeSets struct {
	cluster *Cluster
	tests   []func(*Node) bool
	sets    []Ranks // by test
	n       int64
	rank    []int32 // by node: its place plus 1, 0 for none
}

// NewNodeSets returns the sets of a cluster's nodes that pass each of the tests.
func NewNodeSets(c *Cluster, tests ...func(*Node) bool) NodeSets {
	return NodeSets{cluster: c, tests: tests, sets: make([]Ranks, len(tests))}
}

// Epoch begins an epoch, see [Elider].
func (s *NodeSets) Epoch(ranks []protocol.NodeID) {
	s.n = int64(len(ranks))
	clear(s.rank)
	s.cluster.Touched(func(*Node) {})
	for i := range s.sets {
		s.sets[i].Reset(len(ranks))
	}
	for i, id := range ranks {
		for int(id) >= len(s.rank) {
			s.rank = append(s.rank, 0)
		}
		s.rank[id] = int32(i + 1)
		s.place(s.cluster.Node(id))
	}
}

func (s *NodeSets) place(n *Node) {
	if n == nil || n.Gone() || int(n.ID) >= len(s.rank) || s.rank[n.ID] == 0 {
		return
	}
	for i, test := range s.tests {
		s.sets[i].Set(int(s.rank[n.ID]-1), test(n))
	}
}

// Next returns the first heartbeat from h on and before limit of a node that passes a test, or limit when there is none.
func (s *NodeSets) Next(test int, h, limit int64) int64 {
	s.cluster.Touched(s.place)
	if far, ok := s.sets[test].After(int(h % s.n)); ok {
		return min(limit, h+int64(far))
	}
	return limit
}
