package fair

import (
	"testing"

	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/policy/resource"
)

// A node that will report the end of a container is of interest as soon as somebody wants what it gives back, and to nobody else. Heartbeats at which a node with a
// reservation reports one are executed.
func TestRoomThatIsToCome(t *testing.T) {
	g := newGolden(t, map[string]string{"yarn.scheduler.increment-allocation-mb": "1024"}, "")
	g.node("n1", "/r1", 4096, 4)
	g.node("n2", "/r1", 4096, 4)
	g.app(1, "root.q")
	g.ask(1, 1, "* x2 4096,4")
	g.f.Update()
	g.wantHB("a1c1, a1c2", "n1", "n2")
	g.f.Epoch([]protocol.NodeID{0, 1})
	g.f.Beats(0, true)
	g.f.Beats(1, true)
	g.f.attempt(1).Pull()
	id := protocol.ContainerID{App: 1, N: 1}
	g.f.Launched(0, []protocol.ContainerID{id})
	g.kill(1, 1)
	g.app(2, "root.p")
	next := func(what string, want int64) {
		t.Helper()
		for h := range int64(40) { // a survey waits until heartbeats have paid for it
			if g.f.NextHeartbeat(2*h, 2*h+2, 2*h+2) == 2*h+want && !g.f.elision.changed {
				return
			}
			g.wantHB("-, -", "n1", "n2")
		}
		t.Errorf("%s: the next heartbeat is %d of two, want %d", what, g.f.NextHeartbeat(0, 2, 2), want)
	}
	next("nobody asks for anything", 2)
	g.ask(2, 1, "* x1 1024,1")
	g.f.Update()
	next("no node has room", 2)
	if !g.f.Ending(0, resource.R(4096, 4)) {
		t.Fatal("the heartbeat of a node without a reservation is to be executed")
	}
	next("the first node will have room", 0)
	g.ask(2, 1, "* x0 1024,1")
	g.f.Update()
	next("nobody wants it", 2)
	g.f.Ended(0, []protocol.Status{{ID: id}})
	if n := &g.f.nodes[0]; n.Free != resource.R(4096, 4) || n.Count() != 0 || !n.ending.IsNone() {
		t.Errorf("node 0 has %v free, %d containers and %v to come, want 4096 MiB, none and nothing", n.Free, n.Count(), n.ending)
	}
	g.f.nodes[1].Reserved = &yarn.Container{}
	if g.f.Ending(1, resource.R(4096, 4)) {
		t.Error("the heartbeat of a node with a reservation is left out")
	}
}
