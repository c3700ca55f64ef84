package capacity

import (
	"math"
	"slices"
	"testing"

	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/policy"
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
		if got := r.s.NextHeartbeat(0, 5, 5); got != want {
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

// The heartbeat of a reserved node is left out while the container may not be one of the rack, if it would not be allocated as one either.
func TestHeartbeatOfAReservedNodeOfTheRack(t *testing.T) {
	r := newResizing(t, 4096, 2048)
	n := r.s.nodes.Node(0)
	r.s.AddNode(yarn.NodeSpec{ID: 1, Host: n.Host, Rack: n.Rack, Port: 1, Total: n.Total}) // which sends no heartbeat
	r.s.Epoch([]protocol.NodeID{0})
	r.s.Beats(0, true)
	r.ask(1, 2048)
	r.beat(nil)
	if n.Reserved == nil {
		t.Fatal("the node is not reserved")
	}
	offered := func() int32 { return r.s.appOf(n.Reserved.ID.App).Table(n.Reserved.Key()).Offers }
	for _, tt := range []struct{ size, want int64 }{{2048, 5}, {1024, 0}} { // 1,024 MiB are free
		r.call(protocol.AllocateRequest{Asks: []protocol.Ask{
			{Priority: 1, Name: protocol.Any, Count: 1, Size: resource.R(2048, 1), Relax: true},
			{Priority: 1, Name: n.Rack, Count: 1, Size: resource.R(tt.size, 1), Relax: true},
		}})
		offers := offered()
		if got := r.s.NextHeartbeat(0, 5, 5); got != tt.want {
			t.Errorf("%d MiB on the rack: the next heartbeat is %d, want %d", tt.size, got, tt.want)
		}
		if got := offered(); got != offers {
			t.Errorf("%d MiB on the rack: looking for it counts %d offers", tt.size, got-offers)
		}
	}
}

// How often is enough is the first number of repetitions at which more is wanted, whatever was looked for before.
func TestEnough(t *testing.T) {
	var e enough
	for _, tt := range []struct {
		wanted, reserved int32
		ratio, most      float32
	}{{4, 4, 0.25, 0.9}, {2, 2, 0.25, 0.9}, {2, 2, 0.5, 0.9}, {2, 2, 0.95, 0.9}, {2, 2, 0.95, 0.5}, {1, 3, 0.1, 0.9}} {
		e.find(tt.wanted, tt.reserved, tt.ratio, tt.most)
		want := int32(0)
		for !policy.WantsMore(tt.wanted, tt.reserved, want, tt.ratio, tt.most) {
			want++
		}
		if e.at != want {
			t.Errorf("%+v: %d repetitions are enough, want %d", tt, e.at, want)
		}
	}
	if e.find(0, 3, 1, 1); e.at != math.MaxInt32 {
		t.Errorf("%d repetitions are enough, want none ever", e.at)
	}
}

// At which heartbeat what is reserved has been reserved again so many times is never said too late, and by less than a cycle too early.
func TestRepeats(t *testing.T) {
	r := newResizing(t, 4096, 2048)
	s, first := r.s, r.s.nodes.Node(0)
	ranks := []protocol.NodeID{0}
	for i := range int32(9) {
		id := protocol.NodeID(i + 1)
		s.AddNode(yarn.NodeSpec{ID: id, Host: first.Host, Rack: first.Rack, Port: i + 1, Total: first.Total})
		ranks = append(ranks, id)
	}
	s.Epoch(ranks)
	for i := range ranks {
		s.Beats(i, true)
	}
	var k key
	for _, id := range []protocol.NodeID{2, 3, 5, 8, 9} {
		n := s.nodes.Node(id)
		k.reserved.Put(id, n.Hash, nil)
		for h := range int64(25) {
			at := h - 1
			for times := int64(0); times < 40; times++ {
				got := s.elision.repeats(&k, h, times)
				if got > at || got <= at-s.elision.Cycle() {
					t.Fatalf("%d reserved, heartbeats from %d on: %d of theirs have come with heartbeat %d, want %d or some before", k.reserved.Len(), h, times, got, at)
				}
				for at++; ; at++ {
					if _, is := k.reserved.Get(ranks[at%10], s.nodes.Node(ranks[at%10]).Hash); is {
						break
					}
				}
			}
		}
	}
}

// Nodes that are reserved for an application are not looked at again when it gets a container elsewhere.
func TestReservedNodesWhenOthersAreGiven(t *testing.T) {
	r := newResizing(t, 4096, 2048)
	n := r.s.nodes.Node(0)
	for i := range int32(2) {
		r.s.AddNode(yarn.NodeSpec{ID: protocol.NodeID(i + 1), Host: n.Host, Rack: n.Rack, Port: i + 1, Total: n.Total.Mul(2)})
	}
	r.ask(1, 2048)
	r.beat(nil)
	if n.Reserved == nil {
		t.Fatal("the node is not reserved")
	}
	r.call(protocol.AllocateRequest{Asks: []protocol.Ask{{Priority: 1, Name: protocol.Any, Count: 5, Size: resource.R(2048, 1), Relax: true}}})
	r.s.nodes.Touched(func(*yarn.Node) {})
	r.s.NodeUpdate(1, nil, nil)
	var touched []protocol.NodeID
	r.s.nodes.Touched(func(n *yarn.Node) { touched = append(touched, n.ID) })
	if len(r.events) == 0 || !slices.Equal(touched, []protocol.NodeID{1}) {
		t.Errorf("nodes %v are looked at again, want the one of the container: %+v", touched, r.events)
	}
}

// Where a search has found no room, nodes that have some and heartbeats of reserved ones, after which more is wanted, are looked for again when others send heartbeats than before.
func TestSearchWhereNodesBeatAgain(t *testing.T) {
	r := newResizing(t, 8192, 2048)
	n := r.s.nodes.Node(0)
	for i := range int32(2) {
		r.s.AddNode(yarn.NodeSpec{ID: protocol.NodeID(i + 1), Host: n.Host, Rack: n.Rack, Port: i + 1, Total: n.Total})
	}
	r.ask(7, 2048)
	r.s.NodeUpdate(1, nil, nil)
	r.s.Epoch([]protocol.NodeID{0, 1, 2})
	r.s.Beats(0, true)
	r.s.Beats(1, true)
	r.ask(1, 7168)
	r.beat(nil)
	for range 2 { // the first one changes what users may have
		r.s.NodeUpdate(1, nil, nil)
	}
	if n.Reserved == nil || r.s.nodes.Node(1).Reserved != nil || !r.s.elision.still {
		t.Fatalf("node 0 is reserved for %v, node 1 for %v, want a container and none, and that searches go on in vain", n.Reserved, r.s.nodes.Node(1).Reserved)
	}
	next := func(what string, limit, want int64) {
		t.Helper()
		if got := r.s.NextHeartbeat(0, limit, limit); got != want {
			t.Errorf("%s: the next heartbeat is %d, want %d", what, got, want)
		}
	}
	enough := r.s.NextHeartbeat(0, 1000, 1000)
	if enough < 3 || enough == 1000 {
		t.Fatalf("more is wanted behind heartbeat %d, want one behind the first three", enough-1)
	}
	r.s.Beats(2, true)
	next("a node with room sends heartbeats", 1000, 2)
	r.s.Beats(2, false)
	next("it sends none", 1000, enough)
	r.s.Beats(0, false)
	next("the reserved node sends none", 1000, 1000)
	r.s.Beats(0, true)
	next("it does again", 1000, enough)
}

// Heartbeats of a reserved node that cannot serve what it is reserved for are left out, and counted as if they had been executed.
func TestHeartbeatsOfAReservedNodeThatCannotServe(t *testing.T) {
	for what, change := range map[string]func(*resizing){
		"it has become too small": func(r *resizing) { r.s.SetNodeTotal(0, resource.R(1024, 100)) },
		"it drains, with room": func(r *resizing) {
			r.s.Decommissioning(0, true)
			r.beat([]protocol.Status{{ID: id(2)}})
		},
		"the application excludes it": func(r *resizing) {
			r.call(protocol.AllocateRequest{BlacklistAdd: []protocol.Name{r.s.nodes.Node(0).Host}})
		},
	} {
		t.Run(what, func(t *testing.T) {
			made := func() (r *resizing, k *key) {
				r = newResizing(t, 4096, 2048)
				n := r.s.nodes.Node(0)
				r.s.AddNode(yarn.NodeSpec{ID: 1, Host: n.Host, Rack: n.Rack, Port: 1, Total: n.Total}) // which sends no heartbeat
				r.s.Epoch([]protocol.NodeID{0})
				r.s.Beats(0, true)
				r.ask(1, 2048)
				r.beat(nil)
				change(r)
				a := r.s.appOf(n.Reserved.ID.App)
				r.events = nil
				return r, a.of(a.Table(n.Reserved.Key()))
			}
			fast, k := made()
			dense, want := made()
			if got := fast.s.NextHeartbeat(0, 5, 5); got != 5 {
				t.Errorf("the next heartbeat is %d, want none before 5", got)
			}
			fast.s.CreditHeartbeats(0, 5)
			for range 5 {
				dense.beat(nil)
			}
			if len(dense.events) > 0 || k.t.Offers != want.t.Offers || k.rereserved != want.rereserved {
				t.Errorf("%d offers, %d reservations repeated, want %d and %d as where all are executed, with events %+v", k.t.Offers, k.rereserved, want.t.Offers, want.rereserved, dense.events)
			}
		})
	}
}
