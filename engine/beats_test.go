package engine

import (
	"fmt"
	"testing"

	"replay/engine/protocol"
)

// steps lists the next n heartbeats and updates as "time kind".
func steps(d *denseBeats, n int) (out []string) {
	for range n {
		at, ord := d.next()
		if ord == order(classUpdate, 0, evUpdate, 0) {
			d.nextUpdate += d.update
			out = append(out, fmt.Sprintf("%d update", at))
			continue
		}
		node := d.ranks[d.pos]
		d.lastAt, d.last = at, node
		d.advance()
		out = append(out, fmt.Sprintf("%d node%d", at, node))
	}
	return out
}

func TestDenseBeats(t *testing.T) {
	ids := func(n ...protocol.NodeID) []protocol.NodeID { return n }
	tests := []struct {
		name string
		run  func(d *denseBeats) []string
		want string
	}{
		{"by phase, then node; updates first in their millisecond", func(d *denseBeats) []string {
			d.nodesChanged(0, ids(0, 1, 2))
			return steps(d, 6)
		}, "[0 node1 500 update 500 node0 500 node2 1000 update 1000 node1]"},
		{"a node that joins sends its first heartbeat at its next phase", func(d *denseBeats) []string {
			d.nodesChanged(0, ids(0, 2))
			steps(d, 3)
			d.nodesChanged(700, ids(0, 1, 2))
			return steps(d, 3)
		}, "[1000 update 1000 node1 1500 update]"},
		{"joining at its phase it is heard at once", func(d *denseBeats) []string {
			d.nodesChanged(0, ids(0))
			steps(d, 2)
			d.nodesChanged(1000, ids(0, 1))
			return steps(d, 2)
		}, "[1000 update 1000 node1]"},
		{"removed within a millisecond, the others are not heard twice", func(d *denseBeats) []string {
			d.nodesChanged(0, ids(0, 2))
			steps(d, 2) // update and node 0, both at 500
			d.nodesChanged(500, ids(0, 2))
			return steps(d, 2)
		}, "[500 node2 1000 update]"},
		{"no node, updates only", func(d *denseBeats) []string {
			d.nodesChanged(0, nil)
			return steps(d, 2)
		}, "[500 update 1000 update]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := newDenseBeats(1000, 500, []int64{500, 0, 500})
			if got := fmt.Sprint(tt.run(d)); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}
