package capacity

import (
	"testing"

	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/policy/resource"
)

// A node that is being decommissioned gives room away to nobody, also that which becomes free in the same heartbeat. It is not reserved, and a
// reservation from before is neither met nor counted again. It serves again when the decommission is taken back.
func TestDecommissioningNodeGivesNothing(t *testing.T) {
	r := newResizing(t, 8192, 1024)
	r.s.Decommissioning(0, true)
	r.ask(1, 2048)
	r.beat([]protocol.Status{{ID: id(2)}})
	r.use("one has ended, nothing came in its place", 1024, 1024)
	r.s.Decommissioning(0, false)
	r.beat(nil)
	r.use("back in service", 3072, 3072)

	r = newResizing(t, 8192, 1024)
	r.s.AddNode(yarn.NodeSpec{ID: 1, Total: resource.R(4096, 4)}) // the queue may have more than the node
	r.s.Decommissioning(0, true)
	r.ask(1, 7168)
	r.beat(nil)
	r.use("not reserved", 2048, 2048)
	r.s.Decommissioning(0, false)
	r.beat(nil)
	r.use("reserved", 9216, 2048)
	r.s.Decommissioning(0, true)
	r.events = nil
	r.beat(nil)
	if len(r.events) > 0 {
		t.Errorf("the reservation was repeated: %v", r.events)
	}
	r.beat([]protocol.Status{{ID: id(2)}})
	r.use("the reservation is not met", 8192, 1024)
	r.s.Decommissioning(0, false)
	r.beat(nil)
	r.use("met", 8192, 8192)

	r.s.Decommissioning(7, true) // of no node
	r.s.RemoveNode(0)
	r.s.AddNode(yarn.NodeSpec{Total: resource.R(8192, 8)})
	if r.s.nodes.Node(0).Decommissioning {
		t.Error("a node that comes again is as before it went")
	}
}

// A node whose total has changed keeps no reservation; what it was reserved for is still asked for.
func TestNodeWithAnotherTotalKeepsNoReservation(t *testing.T) {
	r := newResizing(t, 8192, 1024)
	r.s.AddNode(yarn.NodeSpec{ID: 1, Total: resource.R(4096, 4)})
	r.ask(1, 7168)
	r.beat(nil)
	r.use("reserved", 9216, 2048)
	r.s.SetNodeTotal(0, resource.R(8192, 9))
	r.s.Unreserve(0)
	r.use("given back", 2048, 2048)
	r.beat(nil)
	r.use("reserved again", 9216, 2048)
	r.s.Unreserve(7) // no node
	r.use("as before", 9216, 2048)
}
