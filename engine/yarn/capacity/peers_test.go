package capacity

import (
	"slices"
	"testing"

	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/policy/resource"
)

// Of two applications of a user that want and have reserved the same, the one whose reservation has been met often enough wants another one, and is not passed by for the other.
func TestPeerThatWantsMore(t *testing.T) {
	replay := func(literally bool) (reserved [][2]int64) {
		r := newResizing(t, 8192, 5120)
		s, first := r.s, r.s.nodes.Node(0)
		if literally {
			s.Literally()
		}
		if err := s.AddApp(yarn.AppSpec{ID: 2, User: "u", Queue: "root.q"}); err != nil {
			t.Fatal(err)
		}
		s.AddAttempt(2)
		ask := func(app protocol.AppID, priority, count int32, size int64) {
			var out protocol.AllocateResponse
			in := protocol.AllocateRequest{Asks: []protocol.Ask{{Priority: priority, Name: protocol.Any, Count: count, Size: resource.R(size, 1), Relax: true}}}
			if err := s.Allocate(app, &in, &out); err != nil {
				t.Fatal(err)
			}
		}
		beat := func(id protocol.NodeID) { s.NodeUpdate(id, nil, nil) }
		ask(2, 0, 1, 1024)
		beat(0)
		if _, ok := s.PullAM(2); !ok {
			t.Fatal("no master container")
		}
		for id := range protocol.NodeID(3) { // each with 1024 MiB left
			s.AddNode(yarn.NodeSpec{ID: id + 1, Host: first.Host, Rack: first.Rack, Port: int32(id) + 1, Total: resource.R(5120, 100)})
			ask(1, 2, 1, 4096)
			beat(id + 1)
		}
		s.AddNode(yarn.NodeSpec{ID: 4, Host: first.Host, Rack: first.Rack, Port: 4, Total: resource.R(65536, 100)}) // which sends no heartbeat
		ask(1, 3, 1, 4096)
		ask(2, 3, 1, 4096)
		r.events = nil
		for _, id := range []protocol.NodeID{0, 1, 2, 2, 1, 1, 1, 1, 1, 2, 3} {
			beat(id)
		}
		for i := range r.events {
			if e := &r.events[i]; e.Kind == yarn.Reserved {
				reserved = append(reserved, [2]int64{int64(e.Container.ID.App), int64(e.Container.Node)})
			}
		}
		return reserved
	}
	want, got := replay(true), replay(false)
	if !slices.Equal(got, want) {
		t.Errorf("reserved are %v, want %v", got, want)
	}
	if !slices.Contains(want, [2]int64{2, 2}) {
		t.Errorf("reserved are %v, want node 2 for application 2 once its reservation of node 1 has been met often enough", want)
	}
}
