package trace

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

func TestBlockPlacer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		racks := rapid.IntRange(1, 5).Draw(t, "racks")
		nodes := make([]Node, rapid.IntRange(1, 20).Draw(t, "nodes"))
		present := 0
		for i := range nodes {
			nodes[i] = Node{ID: int32(i), RackID: int32(i % racks), Present: rapid.IntRange(0, 4).Draw(t, "present") > 0}
			if nodes[i].Present {
				present++
			}
		}
		replication := rapid.IntRange(1, 5).Draw(t, "replication")
		p, err := NewBlockPlacer(nodes, replication)
		if present == 0 {
			if err == nil {
				t.Fatal("no node, and no error")
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(1, 2))
		for range 20 {
			got := p.Place(r, Unset, nil)
			if want := min(replication, present); len(got) != want {
				t.Fatalf("%d replicas %v, want %d", len(got), got, want)
			}
			used, inRack := map[int32]bool{}, map[int32]int{}
			for _, n := range got {
				if used[n] || !nodes[n].Present {
					t.Fatalf("replicas %v: node %d is there twice or not in the cluster", got, n)
				}
				used[n] = true
			}
			for _, n := range nodes {
				if n.Present {
					inRack[n.RackID]++
				}
			}
			if len(got) > 1 && len(inRack) > 1 && nodes[got[0]].RackID == nodes[got[1]].RackID {
				t.Fatalf("replicas %v: the second is in the rack of the first", got)
			}
			if len(got) > 2 && len(inRack) > 1 && inRack[nodes[got[1]].RackID] > 1 && nodes[got[2]].RackID != nodes[got[1]].RackID {
				t.Fatalf("replicas %v: the third is not in the rack of the second", got)
			}
		}
	})
	if _, err := NewBlockPlacer([]Node{{Present: true}}, 0); err == nil {
		t.Error("replication 0, and no error")
	}
}

func TestBlockPlacerSpreads(t *testing.T) {
	nodes := make([]Node, 12)
	for i := range nodes {
		nodes[i] = Node{ID: int32(i), RackID: int32(i % 4), Present: true}
	}
	p, err := NewBlockPlacer(nodes, 3)
	if err != nil {
		t.Fatal(err)
	}
	r, count := rand.New(rand.NewPCG(3, 4)), make([]int, len(nodes))
	const blocks = 12000
	for range blocks {
		for _, n := range p.Place(r, Unset, nil) {
			count[n]++
		}
	}
	for n, c := range count {
		if c < 2700 || c > 3300 { // 3000 expected, standard deviation 47
			t.Errorf("node %d holds %d of %d replicas, want about 3000", n, c, 3*blocks)
		}
	}
	if got := p.Place(r, 5, nil); got[0] != 5 {
		t.Errorf("the writer is 5, the first replica is on %d", got[0])
	}
}
