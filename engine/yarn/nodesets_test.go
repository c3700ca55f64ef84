package yarn

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"replay/engine/protocol"
	"replay/policy/resource"
)

// TestNodeSets asks for the heartbeats of the nodes in two sets, step by step and at once.
func TestNodeSets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := NewCluster(protocol.NewNames(), false)
		n := rapid.IntRange(1, 9).Draw(t, "nodes")
		var phases []protocol.NodeID
		for i := range n {
			id := protocol.NodeID(i)
			c.Add(NodeSpec{ID: id, Host: c.names.Intern(fmt.Sprint("h", i)), Rack: c.names.Intern("/r"), Total: resource.R(1024, 1)})
			phases = append(phases, id)
		}
		phases = rapid.Permutation(phases).Draw(t, "order of heartbeats")
		in := rapid.SliceOfN(rapid.IntRange(-1, 1), n, n).Draw(t, "sets")
		s := NewNodeSets(c, 2, func(n *Node) int { return in[n.ID] })
		s.Epoch(phases)
		on := rapid.SliceOfN(rapid.Bool(), n, n).Draw(t, "on")
		for rank, id := range phases {
			s.Beats(rank, on[id])
		}
		for range 3 { // a node that is touched may be in another set
			id := protocol.NodeID(rapid.IntRange(0, n-1).Draw(t, "touched"))
			in[id] = rapid.IntRange(-1, 1).Draw(t, "set")
			c.Node(id).Touch()
		}
		h := rapid.Int64Range(0, 30).Draw(t, "first")
		end := h + rapid.Int64Range(0, 30).Draw(t, "heartbeats")
		at := func(h int64) protocol.NodeID { return phases[h%int64(n)] }
		for set := range 2 {
			next, within, times := end, int64(0), make([]int64, n)
			for i := h; i < end; i++ {
				if id := at(i); on[id] && in[id] == set {
					next = min(next, i)
					within++
					times[id]++
				}
			}
			if got := s.Next(set, h, end); got != next {
				t.Errorf("set %d: the next heartbeat is %d, step by step %d", set, got, next)
			}
			if got := s.Within(set, h, end); got != within {
				t.Errorf("set %d: %d heartbeats, step by step %d", set, got, within)
			}
			got := make([]int64, n)
			s.Each(set, h, end, func(n *Node, times int64) { got[n.ID] += times })
			if fmt.Sprint(got) != fmt.Sprint(times) {
				t.Errorf("set %d: by node %v, step by step %v", set, got, times)
			}
		}
		for id := range protocol.NodeID(n) {
			far := int64(0)
			for at(h+far) != id {
				far++
			}
			if got, ok := s.Far(id, h); ok != on[id] || ok && got != far {
				t.Errorf("node %d: its next heartbeat is %d away (%v), step by step %d (%v)", id, got, ok, far, on[id])
			}
		}
	})
}
