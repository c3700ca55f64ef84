package fifo

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"replay/engine/protocol"
	"replay/policy/resource"
)

// twins are two schedulers to which the same happens, but for heartbeats: one executes all, the other those that it has to.
type twins struct {
	t        *rapid.T
	all, few *cluster
	nodes    []protocol.NodeID
	executed int64
	passed   int64
}

// both has something happen to both.
func (w *twins) both(do func(c *cluster)) {
	do(w.all)
	do(w.few)
}

// step has something happen: every call that there is, with asks of sizes, names and counts that fit together or not.
func (w *twins) step() {
	draw := func(n int, of string) int { return rapid.IntRange(0, n-1).Draw(w.t, of) }
	random := func() protocol.Ask {
		name := [...]protocol.Name{protocol.Any, protocol.Any, w.all.host(draw(6, "host")), w.all.rack(draw(2, "rack"))}[draw(4, "name")]
		a := ask(name, int32(draw(4, "count")), int64(1024*(1+draw(4, "GiB"))))
		a.Priority = int32(draw(2, "priority"))
		return a
	}
	id := protocol.AppID(1 + draw(6, "application"))
	switch a := w.all.Scheduler.app(id); draw(10, "step") {
	case 0:
		w.both(func(c *cluster) { c.RemoveAttempt(id) })
	case 1, 2:
		switch {
		case a == nil:
			w.both(func(c *cluster) { c.app(id) })
		case a.attempt == nil:
			w.both(func(c *cluster) { c.AddAttempt(id) })
		case draw(4, "end") == 0:
			w.both(func(c *cluster) { c.RemoveApp(id) })
		}
	case 3:
		if len(w.nodes) > 0 && draw(3, "leave") == 0 {
			i := draw(len(w.nodes), "node")
			w.both(func(c *cluster) { c.RemoveNode(w.nodes[i]) })
			w.nodes = slices.Delete(slices.Clone(w.nodes), i, i+1)
		} else if i := protocol.NodeID(draw(6, "node")); !slices.Contains(w.nodes, i) {
			mem := int64(512 * (1 + draw(16, "half GiB")))
			w.both(func(c *cluster) { c.node(int(i), mem) })
			w.nodes = append(w.nodes, i)
		}
	case 4:
		if len(w.nodes) > 0 {
			n, mem := w.nodes[draw(len(w.nodes), "node")], int64(512*(1+draw(16, "half GiB")))
			w.both(func(c *cluster) { c.SetNodeTotal(n, resource.R(mem, 4)) })
		}
	default:
		in := protocol.AllocateRequest{}
		for range draw(4, "asks") {
			in.Asks = append(in.Asks, random())
		}
		if a != nil && a.attempt != nil {
			for c := range a.attempt.AllLive { // one that has not been handed over comes back as an ask
				if draw(4, "release") == 0 {
					in.Releases = append(in.Releases, c.ID)
				}
			}
		}
		if of := protocol.AppID(1 + draw(6, "whose")); draw(4, "lose") == 0 {
			if other := w.all.Scheduler.app(of); other != nil && other.attempt != nil {
				for c := range other.attempt.AllLive {
					w.both(func(at *cluster) { at.Expire(c.ID) })
					break
				}
			}
		}
		var told []resource.Resource
		w.both(func(c *cluster) {
			var out protocol.AllocateResponse
			if err := c.Allocate(id, &in, &out); err != nil {
				w.t.Fatal(err)
			}
			told = append(told, out.Headroom)
		})
		if told[0] != told[1] {
			w.t.Fatalf("application %d has room for %v; in the twin %v", id, told[0], told[1])
		}
	}
}

// pass lets heartbeats of all nodes in turn pass.
func (w *twins) pass(end int64) {
	n := int64(len(w.nodes))
	w.few.Epoch(w.nodes)
	for i := range w.nodes {
		w.few.Beats(i, true)
	}
	for h := int64(0); h < end; {
		next := w.few.NextHeartbeat(h, end, end)
		for ; h < next; h++ {
			w.all.NodeUpdate(w.nodes[h%n], nil, nil)
		}
		if h < end {
			w.both(func(c *cluster) { c.NodeUpdate(w.nodes[h%n], nil, nil) })
			w.executed++
			h++
		}
	}
	w.passed += end
}

// What is left out of heartbeats leaves a scheduler as if they had been executed, and what is kept of asks is what the attempts say.
func TestTwinThatLeavesHeartbeatsOut(t *testing.T) {
	executed, passed := int64(0), int64(0)
	run := func(t *rapid.T) {
		w := &twins{t: t, all: newCluster(t), few: newCluster(t)}
		w.both(func(c *cluster) {
			for i := range 6 { // so that names are the same numbers
				c.host(i)
				c.rack(i)
			}
		})
		for range rapid.IntRange(1, 80).Draw(t, "steps") {
			w.step()
			if len(w.nodes) > 0 && rapid.IntRange(0, 2).Draw(t, "let heartbeats pass") == 0 {
				w.pass(rapid.Int64Range(1, 40).Draw(t, "heartbeats"))
			}
			if !slices.Equal(w.all.made, w.few.made) {
				t.Fatalf("made %v; its twin %v", w.all.made, w.few.made)
			}
			w.both(func(c *cluster) { c.kept(t) })
		}
		executed, passed = executed+w.executed, passed+w.passed
	}
	for range 10 {
		rapid.Check(t, run)
	}
	if executed*2 > passed {
		t.Errorf("%d of %d heartbeats were executed: too few are left out to show anything", executed, passed)
	}
}

// kept finds what is kept of the asks otherwise than the attempts have it.
func (c *cluster) kept(t *rapid.T) {
	c.settle()
	var apps []*app
	var pending resource.Resource
	for _, a := range c.apps {
		if a.attempt == nil || len(a.attempt.Active()) == 0 {
			continue
		}
		least := int64(math.MaxInt64)
		for _, table := range a.attempt.Active() {
			for _, rec := range table.Records {
				least = min(least, rec.Size[resource.Memory])
			}
		}
		if a.least > least {
			t.Fatalf("application %d asks for %d MiB at least, not %d", a.spec.ID, least, a.least)
		}
		apps, pending = append(apps, a), pending.Add(a.attempt.Pending())
	}
	if !slices.Equal(c.asking.apps, apps) || c.asking.pending != pending {
		t.Fatalf("%d applications ask for %v, want %d and %v", len(c.asking.apps), c.asking.pending, len(apps), pending)
	}
}
