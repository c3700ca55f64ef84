package engine

import (
	"fmt"
	"slices"
	"testing"

	"replay/engine/protocol"
	"replay/engine/random"
	"replay/engine/record"
	"replay/engine/scenario"
	"replay/trace"
)

// every is a ResourceManager in which every heartbeat and update can change something.
type every struct{}

func (every) Epoch([]protocol.NodeID)           {}
func (every) Beats(int, bool)                   {}
func (every) NextHeartbeat(h, _, _ int64) int64 { return h }
func (every) Still() bool                       { return false }
func (every) CreditHeartbeats(h, end int64)     {}
func (every) Quiet() bool                       { return false }
func (every) UpdateDue() bool                   { return true }
func (every) FetchNode(protocol.NodeID)         {}
func (every) CreditUpdate(int64)                {}

// set has just these nodes send heartbeats.
func (b *beats) set(now int64, on []protocol.NodeID) {
	var off []protocol.NodeID
	for n := range b.phase {
		if id := protocol.NodeID(n); !slices.Contains(on, id) {
			off = append(off, id)
		}
	}
	b.change(now, 0, on, off)
}

// step takes the next heartbeat or update before limit and returns it as "time kind", "" without one.
func (b *beats) step(limit int64) string {
	at, ord, ok := b.next(limit, 0)
	if !ok {
		return ""
	}
	if ord == order(classUpdate, 0, evUpdate, 0) {
		b.passUpdate()
		return fmt.Sprintf("%d update", at)
	}
	node := b.ranks[b.h%int64(len(b.ranks))]
	b.pass(b.h + 1)
	return fmt.Sprintf("%d node%d", at, node)
}

// steps lists the next n heartbeats and updates.
func steps(b *beats, n int) (out []string) {
	for range n {
		out = append(out, b.step(never))
	}
	return out
}

func TestDenseBeats(t *testing.T) {
	ids := func(n ...protocol.NodeID) []protocol.NodeID { return n }
	tests := []struct {
		name string
		run  func(d *beats) []string
		want string
	}{
		{"by phase, then node; updates first in their millisecond", func(d *beats) []string {
			d.set(0, ids(0, 1, 2))
			return steps(d, 6)
		}, "[0 node1 500 update 500 node0 500 node2 1000 update 1000 node1]"},
		{"a node that joins sends its first heartbeat at its next phase", func(d *beats) []string {
			d.set(0, ids(0, 2))
			steps(d, 3)
			d.set(700, ids(0, 1, 2))
			return steps(d, 3)
		}, "[1000 update 1000 node1 1500 update]"},
		{"joining at its phase it is heard at once", func(d *beats) []string {
			d.set(0, ids(0))
			steps(d, 2)
			d.set(1000, ids(0, 1))
			return steps(d, 2)
		}, "[1000 update 1000 node1]"},
		{"removed within a millisecond, the others are not heard twice", func(d *beats) []string {
			d.set(0, ids(0, 2))
			steps(d, 2) // update and node 0, both at 500
			d.set(500, ids(0, 2))
			return steps(d, 2)
		}, "[500 node2 1000 update]"},
		{"joining at its phase behind the heartbeats of the millisecond it is heard the next time", func(d *beats) []string {
			d.set(0, ids(0, 1))
			steps(d, 3) // up to node 0 at 500
			d.change(500, afterBeats, ids(2), nil)
			return steps(d, 5)
		}, "[1000 update 1000 node1 1500 update 1500 node0 1500 node2]"},
		{"no node, updates only", func(d *beats) []string {
			d.set(0, nil)
			return steps(d, 2)
		}, "[500 update 1000 update]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := newBeats(true, every{}, 1000, 500, []int64{500, 0, 500})
			if got := fmt.Sprint(tt.run(d)); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// calm is a ResourceManager in which no heartbeat matters.
type calm struct{ every }

func (calm) NextHeartbeat(_, _, far int64) int64 { return far }
func (calm) Still() bool                         { return true }
func (calm) UpdateDue() bool                     { return false }

// A heartbeat that has passed has passed, also where an event leads to one that comes before it in the order of its millisecond; and one that an application has run
// ahead from may be the place up to which they pass.
func TestHeartbeatsPassInOrder(t *testing.T) {
	b := newBeats(false, calm{}, 1000, 0, []int64{0, 500, 500, 700})
	b.set(0, []protocol.NodeID{0, 1, 2, 3})
	for _, place := range []struct {
		at   int64
		ord  uint64
		want int64 // the first heartbeat that has not passed then, -1 for nobody who asks
	}{
		{400, 0, 1},
		{500, order(classAM, 0, 0, 0), 1},
		{500, order(classInbox, 0, 0, 0), -1},
		{500, order(classAM, 1, 0, 0), 3},
		{1500, order(classNodeBeat, 0, evNodeBeat, 2), 6},
		{1500, order(classTimer, 0, 0, 0), 7},
		{1500, order(classAM, 0, 0, 0), 7},
	} {
		if at, _, ok := b.next(place.at, place.ord); ok {
			t.Fatalf("a heartbeat at %d is executed", at)
		}
		if place.want >= 0 && b.nextBeat() != place.want {
			t.Errorf("at %d, %x: heartbeat %d is the first that has not passed, want %d", place.at, place.ord, b.nextBeat(), place.want)
		}
	}
}

// some is a ResourceManager for which a heartbeat or update matters when its hash says so, which changes with each event; at
// times nothing does.
type some struct {
	t                 *testing.T
	salt, asked       uint64 // asked: that of the last answer
	still             int    // how often an answer was found to hold
	ranks             []protocol.NodeID
	sends             []bool // by rank
	credited, updates int64
	epochs            int
}

func (s *some) Quiet() bool { return s.salt%5 == 0 }

func (s *some) matters(n int64) bool {
	return !s.Quiet() && (uint64(n)*0x9e3779b97f4a7c15^s.salt)%7 == 0
}

func (s *some) Epoch(ranks []protocol.NodeID) {
	s.ranks, s.sends = ranks, make([]bool, len(ranks))
	s.epochs++
}

func (s *some) Beats(rank int, on bool) { s.sends[rank] = on }

func (s *some) NextHeartbeat(h, limit, far int64) int64 {
	if limit <= h || far < limit {
		s.t.Fatalf("asked for heartbeats from %d before %d, or %d", h, limit, far)
	}
	s.asked = s.salt
	for ; h < far && !s.matters(h); h++ {
	}
	return h
}

func (s *some) Still() bool {
	if s.salt == s.asked {
		s.still++
	}
	return s.salt == s.asked
}

func (s *some) CreditHeartbeats(h, end int64) {
	for n := h; n < end; n++ {
		if !s.sends[n%int64(len(s.sends))] {
			s.credited--
		} else if s.matters(n) {
			s.t.Errorf("heartbeat %d is credited, though it matters", n)
		}
	}
	s.credited += end - h
}

func (s *some) UpdateDue() bool    { return !s.Quiet() && s.salt%3 == 0 }
func (s *some) CreditUpdate(int64) { s.updates++ }

func (s *some) FetchNode(protocol.NodeID) {}

// TestFastBeatsPassAsDenseOnes has both loops go through the same random events, at which nodes come and go and what matters
// changes: the dense one executes the heartbeats of the nodes that send some, the fast one a part of what the dense one does, at the same times, and
// counts all of it. Where most of many nodes send nothing they have no ranks.
func TestFastBeatsPassAsDenseOnes(t *testing.T) {
	epochs := 0
	for seed := range uint64(200) {
		r := random.Stream(seed, "beats")
		count, missing := 1+r.IntN(7), 4
		if seed%8 == 0 {
			count, missing = 200, 2+r.IntN(20)
		}
		phase := make([]int64, count)
		for i := range phase {
			phase[i] = r.Int64N(40) * 25
		}
		rm := &some{t: t}
		dense, fast := newBeats(true, every{}, 1000, 500, phase), newBeats(false, rm, 1000, 500, phase)
		now := int64(0)
		for range 30 {
			var nodes []protocol.NodeID
			for n := range phase {
				if missing == 4 && r.IntN(4) > 0 || missing != 4 && r.IntN(missing) == 0 {
					nodes = append(nodes, protocol.NodeID(n))
				}
			}
			dense.set(now, nodes)
			fast.set(now, nodes)
			rm.salt = r.Uint64()
			from := now
			now += r.Int64N(160) * 25
			var all []string
			for s := dense.step(now); s != ""; s = dense.step(now) {
				all = append(all, s)
			}
			if want := literally(phase, nodes, from, now); !slices.Equal(all, want) {
				t.Fatalf("seed %d: the dense loop executes %v, want %v", seed, all, want)
			}
			rest := all
			for limit := from; limit < now; { // there are events at which nothing changes
				limit = min(now, limit+r.Int64N(20)*25)
				for s := fast.step(limit); s != ""; s = fast.step(limit) {
					i := slices.Index(rest, s)
					if i < 0 {
						t.Fatalf("seed %d: the fast loop executes %s, the dense one has %v left", seed, s, rest)
					}
					rest = rest[i+1:]
				}
			}
			if fast.count() != dense.count() || fast.updates != dense.updates {
				t.Fatalf("seed %d at %d: %d heartbeats and %d updates have passed, in the dense loop %d and %d", seed, now,
					fast.heartbeats, fast.updates, dense.heartbeats, dense.updates)
			}
		}
		if rm.credited == 0 && len(phase) > 3 {
			t.Errorf("seed %d: no heartbeat was left out", seed)
		}
		if rm.still == 0 && len(phase) > 3 {
			t.Errorf("seed %d: no answer held", seed)
		}
		epochs = max(epochs, rm.epochs)
	}
	if epochs < 5 {
		t.Errorf("at most %d epochs: nodes without ranks were not tried", epochs)
	}
}

// literally lists the heartbeats of nodes and the updates from a time to before another.
func literally(phase []int64, nodes []protocol.NodeID, from, to int64) (out []string) {
	for at := from; at < to; at += 25 {
		if at > 0 && at%500 == 0 {
			out = append(out, fmt.Sprintf("%d update", at))
		}
		for _, n := range nodes {
			if at%1000 == phase[n] {
				out = append(out, fmt.Sprintf("%d node%d", at, n))
			}
		}
	}
	return out
}

// A node that comes or goes brings the fair-share update forward, and the wait for the next one begins anew. The other schedulers have none.
func TestNodesBringUpdatesForward(t *testing.T) {
	const interval = 60_000
	for _, engine := range []string{"", "dense"} {
		run := func(scheduler string, events ...trace.NodeEvent) (*keep, *record.Manifest) {
			nodes := cluster(3, 1)
			nodes[2].Present = false
			conf := map[string]string{"yarn.nm.liveness-monitor.expiry-interval-ms": "6000"}
			if scheduler == "fair" {
				conf["yarn.scheduler.fair.update-interval-ms"] = fmt.Sprint(interval)
			}
			return replay(t, input(nodes, events, sparkJob(0, 1000, 2, stage(0, 4, 100_000, nil))), scenario.Options{Scheduler: scheduler, Engine: engine, Conf: conf})
		}
		shrinks := nodeEvent(5000, 0, 1, trace.Capacity)
		shrinks.MemMiB = 4096
		for _, tt := range []struct {
			what   string
			events []trace.NodeEvent
			at     int64 // of the update that sees the ask for the master, and of the one that sees those of executors
			next   int64
		}{
			{"none", nil, interval, 2 * interval},
			{"a node joins", []trace.NodeEvent{nodeEvent(5000, 0, 2, trace.Join)}, 5000, 5000 + interval},
			{"a node leaves", []trace.NodeEvent{nodeEvent(5000, 0, 1, trace.Leave)}, 5000, 5000 + interval},
			{"a node is missed", []trace.NodeEvent{nodeEvent(5000, 0, 1, trace.Fail)}, 12_000, 12_000 + interval},
			{"a node is drained", []trace.NodeEvent{nodeEvent(5000, 0, 1, trace.Drain)}, 5000, 5000 + interval}, // it goes with its next heartbeat
			{"a node comes back before it is missed", []trace.NodeEvent{nodeEvent(3000, 0, 1, trace.Fail), nodeEvent(5000, 1, 1, trace.Recover)}, 5000, 5000 + interval},
			{"a node shrinks", []trace.NodeEvent{shrinks}, interval, 2 * interval},
			{"two nodes", []trace.NodeEvent{nodeEvent(5000, 0, 1, trace.Leave), nodeEvent(40_000, 1, 2, trace.Join)}, 5000, 40_000},
		} {
			k, _ := run("fair", tt.events...)
			j := &k.jobs[0]
			if j.AMAllocated < tt.at || j.AMAllocated > tt.at+2000 {
				t.Errorf("%s %s: the master is allocated at %d, want at most two heartbeats after %d", engine, tt.what, j.AMAllocated, tt.at)
			}
			if j.FirstAllocated < tt.next || j.FirstAllocated > tt.next+2000 {
				t.Errorf("%s %s: the first executor is allocated at %d, want at most two heartbeats after %d", engine, tt.what, j.FirstAllocated, tt.next)
			}
		}
		_, calm := run("capacity")
		if _, m := run("capacity", nodeEvent(5000, 0, 2, trace.Join)); m.Totals.Updates != calm.Totals.Updates {
			t.Errorf("%s: a node that joined has changed %d updates under the CapacityScheduler to %d", engine, calm.Totals.Updates, m.Totals.Updates)
		}
	}
}

// Masters that their queue has no share left for are not looked at, however much room there is: each visit of an application allocates.
func TestMastersThatWaitForTheirShareAreNotVisited(t *testing.T) {
	var jobs []*trace.Job
	for i := range int64(40) {
		j := sparkJob(i, i*100, 2, stage(0, 8, 10_000, nil))
		j.AMMemMiB = []int64{1024, 2048, 3072}[i%3]
		jobs = append(jobs, j)
	}
	in := input(cluster(20, 2), nil, jobs...)
	in.Queues[0].AMShare = 0.05 // 8 GiB of 160
	k, m := replay(t, in, scenario.Options{Seed: 1})
	if last := k.jobs[len(k.jobs)-1]; last.AMAllocated-last.Submit < 60_000 {
		t.Fatalf("the last master waited for %d ms: it has to wait for its share", last.AMAllocated-last.Submit)
	}
	if got, want := m.Totals.Visits, int64(len(k.containers)); got != want {
		t.Errorf("%d visits for %d containers", got, want)
	}
}
