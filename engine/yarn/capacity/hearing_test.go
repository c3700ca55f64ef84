package capacity

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/policy/resource"
)

// hearsay is what a scheduler may ask of heartbeats that were left out.
type hearsay struct {
	now   int64
	spoke map[protocol.AppID]int64
}

func (h *hearsay) Place() yarn.Place { return yarn.Place{AtMS: h.now} }

func (h *hearsay) Spoke(id protocol.AppID) yarn.Place { return yarn.Place{AtMS: h.spoke[id]} }

// A scheduler that asks when masters spoke last, if it matters, lets those run, and allows users and masters what the one does that has heard each heartbeat.
func TestTwinThatAsksWhenMastersSpoke(t *testing.T) {
	differs := 0
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		w.props["yarn.scheduler.capacity.maximum-am-resource-percent"] = rapid.SampledFrom([]string{"0.2", "0.4", "1"}).Draw(t, "masters")
		w.props["yarn.scheduler.capacity.root.a.minimum-user-limit-percent"] = "10"
		w.s = w.scheduler(w.props, w.observe)
		w.twin = w.scheduler(w.props, func(*yarn.Event) {})
		h := &hearsay{spoke: map[protocol.AppID]int64{}}
		w.twin.Listen(h)
		for i := range 2 {
			w.nodes = append(w.nodes, protocol.NodeID(i))
			w.both(func(s *Scheduler) {
				s.AddNode(yarn.NodeSpec{ID: protocol.NodeID(i), Host: w.host(i), Rack: w.rack(i), Port: 8041, Total: resource.R(10<<10, 10)})
			})
		}
		for range rapid.IntRange(20, 100).Draw(t, "steps") {
			h.now++
			switch what := rapid.SampledFrom([]string{"app", "app", "finish", "node", "heartbeat", "heartbeat", "heartbeat", "ask"}).Draw(t, "step"); {
			case what == "app" && len(w.apps) < 12:
				w.lastApp++
				spec := yarn.AppSpec{
					ID: w.lastApp, User: fmt.Sprint("u", rapid.IntRange(0, 4).Draw(t, "user")), Queue: "root.a",
					AMSize: resource.R(1024*rapid.Int64Range(1, 2).Draw(t, "master"), 1),
				}
				w.apps = append(w.apps, spec.ID)
				w.both(func(s *Scheduler) {
					if err := s.AddApp(spec); err != nil {
						t.Fatal(err)
					}
					s.AddAttempt(spec.ID)
				})
				w.allocate(spec.ID, protocol.AllocateRequest{Asks: []protocol.Ask{{Name: protocol.Any, Count: 1, Size: spec.AMSize, RequestID: -1, Relax: true}}})
			case len(w.apps) == 0:
			case what == "finish":
				i := rapid.IntRange(0, len(w.apps)-1).Draw(t, "which")
				w.both(func(s *Scheduler) { s.RemoveApp(w.apps[i]) })
				w.apps = append(w.apps[:i:i], w.apps[i+1:]...)
			case what == "node":
				w.beat(rapid.SampledFrom(w.nodes).Draw(t, "node"), nil)
			case what == "heartbeat":
				id := rapid.SampledFrom(w.apps).Draw(t, "speaking")
				if a := w.s.appOf(id); a.headroomOf != nil {
					a.headroom()
					h.spoke[id] = h.now
				}
			case what == "ask":
				id := rapid.SampledFrom(w.apps).Draw(t, "asking")
				w.allocate(id, protocol.AllocateRequest{Asks: []protocol.Ask{{Priority: 1, Name: protocol.Any, Count: rapid.Int32Range(0, 2).Draw(t, "count"), Size: resource.R(1024, 1), Relax: true}}})
			}
			w.compare()
			a, b := w.s.byName["root.a"], w.twin.byName["root.a"]
			if len(a.activeApps) != len(b.activeApps) || len(a.pendingApps) != len(b.pendingApps) {
				t.Fatalf("%d are active and %d wait; of its twin %d and %d", len(a.activeApps), len(a.pendingApps), len(b.activeApps), len(b.pendingApps))
			}
			if a.users.onlyPending != a.users.waiting {
				differs++
			}
			if rapid.IntRange(0, 4).Draw(t, "look") == 0 {
				if got, want := b.users.numActive(), a.users.numActive(); got != want {
					t.Fatalf("%d users count to the twin, want %d", got, want)
				}
			}
		}
	})
	if differs == 0 {
		t.Error("the users who wait were always those who count: the runs are too tame")
	}
}
