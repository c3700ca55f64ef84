// Package hdfs places the blocks of files on the nodes of a cluster, as HDFS does by default: nodes in, the nodes of a block's replicas out. All draws
// are from the random stream that the caller gives.
package hdfs

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"replay/trace"
)

// AnyWriter makes [Topology.PlaceBlock] draw the writing node.
const AnyWriter = -1

// Topology is the nodes that hold blocks, by rack.
type Topology struct {
	nodes []int32       // ids, rack by rack
	at    map[int32]int // id -> position in nodes
	first []int         // of each position: where its rack starts in nodes
	end   []int         // of each position: where its rack ends
	racks int
}

// NewTopology takes the nodes that are in the cluster at the start; those hold the blocks.
// It is an error if there is none.
func NewTopology(nodes []trace.Node) (*Topology, error) {
	var present []trace.Node
	for _, n := range nodes {
		if n.Present {
			present = append(present, n)
		}
	}
	if len(present) == 0 {
		return nil, fmt.Errorf("no node is in the cluster at the start, of %d; want one to place blocks on", len(nodes))
	}
	slices.SortStableFunc(present, func(a, b trace.Node) int { return int(a.RackID) - int(b.RackID) })
	t := &Topology{at: make(map[int32]int)}
	start := 0
	for i, n := range present {
		if i > 0 && n.RackID != present[i-1].RackID {
			start = i
		}
		if i == start {
			t.racks++
		}
		t.at[n.ID] = i
		t.nodes = append(t.nodes, n.ID)
		t.first = append(t.first, start)
	}
	t.end = make([]int, len(present))
	end := len(present)
	for i := len(present) - 1; i >= 0; i-- {
		t.end[i] = end
		if t.first[i] == i {
			end = i
		}
	}
	return t, nil
}

// PlaceBlock returns the nodes of a block's replicas in order, as HDFS's default placement does for a new block:
// the first on the writer, or on any node if that holds no blocks; the second on a node of another rack; the
// third on another node of the second's rack; further ones anywhere, with at most (replication-1)/racks+2 on a
// rack. No node holds two. If racks or nodes run out, other nodes are taken as long as there are any, so the
// result has min(replication, nodes) entries.
//
// Source: BlockPlacementPolicyDefault.chooseTargetInOrder.
func (t *Topology) PlaceBlock(r *rand.Rand, replication int, writer int32) []int32 {
	return t.AppendBlock(nil, r, replication, writer)
}

// AppendBlock appends the nodes of [Topology.PlaceBlock] to ids.
func (t *Topology) AppendBlock(ids []int32, r *rand.Rand, replication int, writer int32) []int32 {
	n := len(t.nodes)
	replication = min(replication, n)
	if replication <= 0 {
		return ids
	}
	var few [8]int
	chosen := few[:0] // positions
	first, ok := 0, false
	if writer != AnyWriter {
		first, ok = t.at[writer]
	}
	if !ok {
		first = r.IntN(n)
	}
	chosen = append(chosen, first)
	for len(chosen) < replication {
		next := -1
		switch len(chosen) {
		case 1:
			next = t.remote(r, first)
		case 2:
			if t.first[chosen[1]] == t.first[first] {
				next = t.remote(r, first)
			} else {
				next = t.sameRack(r, chosen[1])
			}
		}
		if next < 0 {
			next = t.anywhere(r, chosen, replication)
		}
		chosen = append(chosen, next)
	}
	for _, c := range chosen {
		ids = append(ids, t.nodes[c])
	}
	return ids
}

// remote draws a node outside the rack of position p, or -1.
func (t *Topology) remote(r *rand.Rand, p int) int {
	size := t.end[p] - t.first[p]
	if len(t.nodes) == size {
		return -1
	}
	i := r.IntN(len(t.nodes) - size)
	if i >= t.first[p] {
		i += size
	}
	return i
}

// sameRack draws another node of the rack of position p, or -1.
func (t *Topology) sameRack(r *rand.Rand, p int) int {
	size := t.end[p] - t.first[p]
	if size == 1 {
		return -1
	}
	i := t.first[p] + r.IntN(size-1)
	if i >= p {
		i++
	}
	return i
}

// anywhere draws a node that is not chosen, on a rack with room by the limit, or on any if there is none.
func (t *Topology) anywhere(r *rand.Rand, chosen []int, replication int) int {
	limit := (replication-1)/t.racks + 2
	fits := func(p, limit int) bool {
		onRack := 0
		for _, c := range chosen {
			if t.first[c] == t.first[p] {
				onRack++
			}
		}
		return onRack < limit && !slices.Contains(chosen, p)
	}
	for range 16 { // nearly always the first or second draw fits
		if p := r.IntN(len(t.nodes)); fits(p, limit) {
			return p
		}
	}
	for _, limit := range []int{limit, replication} {
		var left []int
		for p := range t.nodes {
			if fits(p, limit) {
				left = append(left, p)
			}
		}
		if len(left) > 0 {
			return left[r.IntN(len(left))]
		}
	}
	panic(fmt.Sprintf("no node left: %d of %d nodes chosen, %d replicas", len(chosen), len(t.nodes), replication))
}
