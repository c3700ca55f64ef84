package capacity

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"replay/engine/yarn"
)

// What is left out of a scheduler's heartbeats, and of its searches, leaves it as if they had been executed.
func TestTwinThatLeavesHeartbeatsOut(t *testing.T) { testTwin(t, false) }

// So it does where many applications have reserved the same and are passed by together.
func TestTwinInACrowd(t *testing.T) { testTwin(t, true) }

func testTwin(t *testing.T, crowded bool) {
	executed, passed, peers := int64(0), int64(0), 0
	run := func(t *rapid.T) {
		w := newWorld(t)
		if crowded {
			w.props["yarn.scheduler.capacity.root.a.maximum-capacity"] = "100"
			w.props["yarn.scheduler.capacity.root.a.user-limit-factor"] = fmt.Sprint(rapid.IntRange(1, 4).Draw(t, "factor of a"))
			w.s = w.scheduler(w.props, w.observe)
		}
		w.twin = w.scheduler(w.props, func(*yarn.Event) {})
		w.s.Literally()
		longest := int64(40)
		if crowded {
			w.crowd()
			longest = 120
		}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			w.step()
			if len(w.nodes) > 0 && rapid.IntRange(0, 2).Draw(t, "let heartbeats pass") == 0 {
				end := rapid.Int64Range(1, longest).Draw(t, "heartbeats")
				executed += w.pass(end)
				passed += end
			}
			w.compare()
			peers += w.peers()
		}
	}
	for range 3 {
		rapid.Check(t, run)
	}
	if executed*4 > passed*3 {
		t.Errorf("%d of %d heartbeats were executed: too few are left out to show anything", executed, passed)
	}
	if crowded && peers == 0 && !testing.Short() { // which draws so few that there may be none
		t.Error("nobody was passed by for a peer")
	}
}

// crowd fills most nodes by more than half, and has applications whose masters run.
func (w *world) crowd() {
	w.crowded = true
	for range rapid.IntRange(4, 20).Draw(w.t, "nodes at first") {
		w.do("node")
	}
	for range rapid.IntRange(4, 20).Draw(w.t, "applications at first") {
		w.do("app")
	}
	for range 2 {
		for _, n := range w.nodes {
			w.beat(n, nil)
		}
		for range w.apps {
			w.do("ask")
		}
	}
}

// peers returns how many applications of the twin were passed by in its last search for one that is like them.
func (w *world) peers() (n int) {
	for _, a := range w.twin.apps {
		if a != nil && a.among != nil && a.among.peers.passed == w.twin.searches && a.among.peers.n > 1 {
			n++
		}
	}
	return n
}

// pass lets heartbeats of all nodes in turn pass: the scheduler executes them all, its twin those that it has to.
func (w *world) pass(end int64) (executed int64) {
	n := int64(len(w.nodes))
	w.twin.Epoch(w.nodes)
	for i := range w.nodes {
		w.twin.Beats(i, true)
	}
	for h := int64(0); h < end; {
		next := w.twin.NextHeartbeat(h, end, end)
		w.twin.CreditHeartbeats(h, next)
		for ; h < next; h++ {
			id := w.nodes[h%n]
			launched := w.launch(id)
			w.s.NodeUpdate(id, launched, nil)
			w.twin.Launched(id, launched)
		}
		if h < end {
			w.beat(w.nodes[h%n], nil)
			executed++
			h++
		}
	}
	return executed
}

// compare finds what differs between the scheduler and its twin.
func (w *world) compare() {
	for id, a := range w.s.apps {
		b := w.twin.apps[id]
		if (a == nil) != (b == nil) {
			w.t.Fatalf("application %d is there in one of them", id)
		}
		if a == nil {
			continue
		}
		if a.Used != b.Used || a.reserved != b.reserved || a.pending != b.pending {
			w.t.Fatalf("application %d: used %v, reserved %v, pending %v; its twin %v, %v, %v", id, a.Used, a.reserved, a.pending, b.Used, b.reserved, b.pending)
		}
		for i, k := range a.keys {
			if k == nil || i >= len(b.keys) || b.keys[i] == nil {
				continue
			}
			if o := b.keys[i]; k.t.Offers != o.t.Offers || k.rereserved != o.rereserved {
				w.t.Fatalf("application %d, table %d: %d offers, reserved again %d times; its twin %d, %d", id, i, k.t.Offers, k.rereserved, o.t.Offers, o.rereserved)
			}
		}
	}
	for _, id := range w.nodes {
		a, b := w.s.nodes.Node(id), w.twin.nodes.Node(id)
		if a.Free != b.Free || (a.Reserved == nil) != (b.Reserved == nil) || a.Reserved != nil && a.Reserved.ID != b.Reserved.ID {
			w.t.Fatalf("node %d has %v free; its twin %v", id, a.Free, b.Free)
		}
	}
}
