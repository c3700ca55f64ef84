package yarn

import "replay/engine/protocol"

// NodeSets keeps which nodes are in some sets, by the place of their heartbeats: what an [Elider] looks at. A node is in one of them at
// most. Which one may change when it is touched, and at no other time, see [Node.Touch].
type NodeSets struct {
	cluster *Cluster
	set     func(*Node) int
	sets    []Ranks
	cycle   Cycle   // of ranks
	rank    []int32 // by node: its place plus 1, 0 for none and while it sends no heartbeats
	ranks   []protocol.NodeID
}

// NewNodeSets returns so many sets of a cluster's nodes; set tells which one a node is in, -1 for none.
func NewNodeSets(c *Cluster, sets int, set func(*Node) int) NodeSets {
	return NodeSets{cluster: c, set: set, sets: make([]Ranks, sets)}
}

// Epoch begins an epoch, see [Elider].
func (s *NodeSets) Epoch(ranks []protocol.NodeID) {
	s.cycle.Reset(len(ranks))
	s.ranks = ranks
	s.rank = Unranked(s.rank, ranks)
	for i := range s.sets {
		s.sets[i].Reset(len(ranks))
	}
}

// Beats is that of [Elider]: a node that sends no heartbeats is in no set.
func (s *NodeSets) Beats(rank int, on bool) {
	id := s.ranks[rank]
	if on {
		s.rank[id] = int32(rank + 1)
		s.place(s.cluster.Node(id))
		return
	}
	s.rank[id] = 0
	for i := range s.sets {
		s.sets[i].Set(rank, false)
	}
}

// Cycle is how many heartbeats there are until it is the first node's turn again.
func (s *NodeSets) Cycle() int64 { return s.cycle.count }

// Far returns how many heartbeats behind h the next one of a node is, 0 if h is its own; ok is false if it sends none.
func (s *NodeSets) Far(id protocol.NodeID, h int64) (far int64, ok bool) {
	if int(id) >= len(s.rank) || s.rank[id] == 0 {
		return 0, false
	}
	return s.cycle.After(h, int(s.rank[id]-1)) - h, true
}

// Again asks for each node which set it is in, after a change of what tells it.
func (s *NodeSets) Again() {
	for _, id := range s.ranks {
		s.place(s.cluster.Node(id))
	}
}

func (s *NodeSets) place(n *Node) {
	if n == nil || n.Gone() || int(n.ID) >= len(s.rank) || s.rank[n.ID] == 0 {
		return
	}
	in := s.set(n)
	for i := range s.sets {
		s.sets[i].Set(int(s.rank[n.ID]-1), i == in)
	}
}

// Next returns the first heartbeat from h on and before limit of a node in a set, or limit when there is none.
func (s *NodeSets) Next(set int, h, limit int64) int64 {
	s.cluster.Touched(s.place)
	return s.NextOf(&s.sets[set], h, limit)
}

// NextOf is [NodeSets.Next] for another set.
func (s *NodeSets) NextOf(of *Ranks, h, limit int64) int64 {
	if far, ok := of.After(s.cycle.Rank(h)); ok {
		return min(limit, h+int64(far))
	}
	return limit
}

// At returns the node of a heartbeat.
func (s *NodeSets) At(h int64) *Node { return s.cluster.Node(s.ranks[s.cycle.Rank(h)]) }

// Within returns how many of the heartbeats from h to before end are of nodes in a set.
func (s *NodeSets) Within(set int, h, end int64) int64 {
	s.cluster.Touched(s.place)
	return s.sets[set].Within(h, end)
}

// Each calls yield for the nodes in a set with how many of the heartbeats from h to before end are theirs, where there are some; what it says of a node twice adds
// up. It takes time by the nodes of which there are some.
func (s *NodeSets) Each(set int, h, end int64, yield func(n *Node, times int64)) {
	s.cluster.Touched(s.place)
	in := &s.sets[set]
	between := func(from, to int, times int64) {
		for i := in.Next(from); i < to; i = in.Next(i + 1) {
			yield(s.cluster.Node(s.ranks[i]), times)
		}
	}
	if cycles := (end - h) / s.cycle.count; cycles > 0 {
		between(0, in.Room(), cycles)
	}
	first := s.cycle.Rank(h)
	last := first + int((end-h)%s.cycle.count)
	between(first, min(last, in.Room()), 1)
	between(0, last-in.Room(), 1)
}
