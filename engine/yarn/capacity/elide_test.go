package capacity

import (
	"slices"
	"testing"

	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/policy/resource"
)

// The heartbeat of a reserved node is executed even when the node has no room for the smallest container, where its reservation is dropped. Where it is
// kept it is not.
func TestHeartbeatOfAReservedNodeWithoutRoom(t *testing.T) {
	r := newResizing(t, 4096, 2048)
	n := r.s.nodes.Node(0)
	r.s.AddNode(yarn.NodeSpec{ID: 1, Host: n.Host, Rack: n.Rack, Port: 1, Total: n.Total}) // which sends no heartbeat
	r.s.Epoch([]protocol.NodeID{0})
	r.s.Beats(0, true)
	next := func(what string, want int64) {
		t.Helper()
		if got := r.s.NextHeartbeat(0, 5); got != want {
			t.Errorf("%s: the next heartbeat is %d, want %d", what, got, want)
		}
	}
	next("nothing is wanted", 5)
	r.ask(1, 2048)
	next("something is wanted and there is room for a container", 0)
	r.beat(nil)
	r.s.SetNodeTotal(0, resource.R(3584, 100))
	next("the node is reserved and without room", 5)
	r.ask(2, 2048)
	r.call(protocol.AllocateRequest{Asks: []protocol.Ask{{Priority: 1, Name: protocol.Any, Size: resource.R(2048, 1), Relax: true}}})
	next("what it is reserved for is no longer wanted, but something else", 0)
	r.events = nil
	r.beat(nil)
	if !slices.ContainsFunc(r.events, func(e yarn.Event) bool { return e.Kind == yarn.Unreserved }) {
		t.Errorf("the reservation is not dropped: %+v", r.events)
	}
	next("without a reservation there is no room for anything", 5)
}
