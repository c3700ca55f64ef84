package trace

import (
	"fmt"
	"math/rand/v2"
)

// A BlockPlacer places the replicas of HDFS blocks: the first on the node that writes, the second
// on a node of another rack, the third on another node of the second's rack, further ones anywhere;
// never two on one node. Where racks or nodes run out, the next replica goes to any node that has
// none yet. Nodes that are not present at the start get no blocks.
//
// Source: the default placement rule of HDFS (BlockPlacementPolicyDefault).
type BlockPlacer struct {
	replication int
	nodes       []int32   // that may hold blocks
	rack        []int32   // position in byRack, by node id
	byRack      [][]int32 // nodes of each rack
}

// NewBlockPlacer makes a placer for the nodes of a cluster; replication is at least 1.
func NewBlockPlacer(nodes []Node, replication int) (*BlockPlacer, error) {
	if replication < 1 {
		return nil, fmt.Errorf("replication is %d, want 1 or more", replication)
	}
	p := &BlockPlacer{replication: replication, rack: make([]int32, len(nodes))}
	racks := map[int32]int32{}
	for i, n := range nodes {
		if !n.Present {
			continue
		}
		r, ok := racks[n.RackID]
		if !ok {
			r = int32(len(p.byRack))
			racks[n.RackID] = r
			p.byRack = append(p.byRack, nil)
		}
		p.rack[i] = r
		p.byRack[r] = append(p.byRack[r], int32(i))
		p.nodes = append(p.nodes, int32(i))
	}
	if len(p.nodes) == 0 {
		return nil, fmt.Errorf("the cluster has no node for blocks, want 1 or more")
	}
	return p, nil
}

// Place appends the replicas of one block to out. writer is the node that writes it, or Unset for
// any node, drawn from r like the others.
func (p *BlockPlacer) Place(r *rand.Rand, writer int32, out []int32) []int32 {
	first := len(out)
	if writer == Unset {
		writer = p.nodes[r.IntN(len(p.nodes))]
	}
	out = append(out, writer)
	for len(out)-first < min(p.replication, len(p.nodes)) {
		next := int32(Unset)
		switch len(out) - first {
		case 1:
			if own := p.byRack[p.rack[writer]]; len(own) < len(p.nodes) {
				for next == Unset || p.rack[next] == p.rack[writer] {
					next = p.nodes[r.IntN(len(p.nodes))]
				}
			}
		case 2:
			next = p.pick(r, p.byRack[p.rack[out[first+1]]], out[first:])
		}
		if next == Unset {
			next = p.pick(r, p.nodes, out[first:])
		}
		out = append(out, next)
	}
	return out
}

// pick draws one of the nodes that is not in taken, or returns Unset if there is none.
func (p *BlockPlacer) pick(r *rand.Rand, nodes, taken []int32) int32 {
	free := 0
	for _, n := range nodes {
		if !contains(taken, n) {
			free++
		}
	}
	if free == 0 {
		return Unset
	}
	k := r.IntN(free)
	for _, n := range nodes {
		if contains(taken, n) {
			continue
		}
		if k == 0 {
			return n
		}
		k--
	}
	panic("unreachable: a free node was counted")
}

func contains(nodes []int32, n int32) bool {
	for _, m := range nodes {
		if m == n {
			return true
		}
	}
	return false
}
