package hdfs

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"replay/trace"
)

func clusterOf(racks ...int) (nodes []trace.Node) {
	for rack, size := range racks {
		for range size {
			id := int32(len(nodes))
			nodes = append(nodes, trace.Node{ID: id, Host: fmt.Sprint("n", id), RackID: int32(rack), Rack: fmt.Sprint("/rack", rack), Present: true})
		}
	}
	return nodes
}

func TestPlaceBlockRule(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		sizes := rapid.SliceOfN(rapid.IntRange(1, 5), 1, 5).Draw(rt, "racks")
		nodes := clusterOf(sizes...)
		topology, err := NewTopology(nodes)
		if err != nil {
			rt.Fatal(err)
		}
		replication := rapid.IntRange(1, 6).Draw(rt, "replication")
		writer := rapid.Int32Range(-1, int32(len(nodes)-1)).Draw(rt, "writer")
		r := trace.Stream(rapid.Uint64().Draw(rt, "seed"), "blocks")
		got := topology.PlaceBlock(r, replication, writer)
		if len(got) != min(replication, len(nodes)) {
			rt.Fatalf("%d replicas on %v racks: %v", replication, sizes, got)
		}
		for i, n := range got {
			if slices.Contains(got[:i], n) {
				rt.Fatalf("node twice in %v", got)
			}
		}
		rack := func(i int) int32 { return nodes[got[i]].RackID }
		if writer >= 0 && got[0] != writer {
			rt.Errorf("first of %v is not the writer %d", got, writer)
		}
		if len(got) > 1 && len(sizes) > 1 && rack(1) == rack(0) {
			rt.Errorf("second replica of %v on the rack of the first", got)
		}
		if len(got) > 2 && len(sizes) > 1 && sizes[rack(1)] > 1 && rack(2) != rack(1) {
			rt.Errorf("third replica of %v not on the rack of the second", got)
		}
	})
}

// Every choice that the rule allows is about as frequent as the others.
func TestPlaceBlockUniform(t *testing.T) {
	topology, err := NewTopology(clusterOf(3, 3, 3))
	if err != nil {
		t.Fatal(err)
	}
	r := trace.Stream(1, "blocks")
	var counts [3][9]int
	const blocks = 18000
	for range blocks {
		for i, n := range topology.PlaceBlock(r, 3, AnyWriter) {
			counts[i][n]++
		}
	}
	for i := range counts {
		for n, c := range counts[i] {
			if c < blocks/9*9/10 || c > blocks/9*11/10 {
				t.Errorf("replica %d on node %d: %d times of %d, want about %d", i, n, c, blocks, blocks/9)
			}
		}
	}
}

func TestTopologyOfAbsentNodes(t *testing.T) {
	nodes := clusterOf(2)
	nodes[1].Present = false
	topology, err := NewTopology(nodes)
	if err != nil {
		t.Fatal(err)
	}
	if got := topology.PlaceBlock(trace.Stream(1, "b"), 3, 1); !slices.Equal(got, []int32{0}) {
		t.Errorf("blocks on %v, want only the present node 0", got)
	}
	nodes[0].Present = false
	if _, err := NewTopology(nodes); err == nil {
		t.Error("a topology without nodes is no error")
	}
}
