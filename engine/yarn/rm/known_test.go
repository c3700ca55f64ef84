package rm

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/policy/resource"
)

// What a heartbeat only moves between a node and the ResourceManager is moved without it, when it has passed and before anything else.
func TestWhatIsKnownOfAHeartbeatIsNotExecuted(t *testing.T) {
	s := &elidingScheduler{next: 100}
	r, host := newQuiet(t, Config{KillsLater: true}, s)
	for id := range protocol.NodeID(3) {
		r.AddNode(0, yarn.NodeSpec{ID: id})
	}
	host.next = 3
	begin(r, 2, 0, 1)
	if err := r.Submit(0, yarn.AppSpec{ID: 1, Queue: "q", AMSize: resource.R(1, 1)}); err != nil {
		t.Fatal(err)
	}
	id := protocol.ContainerID{App: 1, N: 1}
	step := func(what string, next int64, do func(), told ...string) {
		t.Helper()
		s.log, host.kills, host.next = nil, nil, next
		do()
		wantLog(t, what, slices.DeleteFunc(slices.Concat(s.log, host.kills), func(l string) bool { return strings.HasSuffix(l, "settle") }), told...)
		if h := r.NextHeartbeat(next, 100, 100); h != 100 {
			t.Errorf("%s: heartbeat %d is executed, want none", what, h)
		}
		for i := range r.nodes {
			if n := &r.nodes[i]; n.rank > 0 && r.known.nodes.Has(int(n.rank-1)) != (n.news[knownNews] > 0) {
				t.Errorf("%s: node %d is among those of which something is known: %v", what, i, n.news[knownNews] == 0)
			}
		}
	}
	update := func() { r.Update(0) }
	step("a process starts", 3, func() { r.ContainerStarted(0, id) })
	step("before the heartbeat of node 0", 4, update, "0 update")
	step("after it", 5, update, "0 node 0 launched 1", "0 update")
	step("once", 8, update, "0 update")
	step("it is to end", 9, func() { r.MarkForCleanup(0, id) }, "kill 1 later at 10000")
	step("before the next heartbeat of node 0", 10, func() {
		if r.Told(0, id) {
			t.Error("told before its heartbeat")
		}
	})
	step("after it", 11, func() {
		if !r.Told(0, id) {
			t.Error("not told with its heartbeat")
		}
	})
	step("the node goes before the process ends", 12, func() { r.RemoveNode(0, 0) }, "kill 1 at 10000")
	if r.Told(0, id) {
		t.Error("the node has gone and is believed to end a process")
	}
	step("the node comes back and another process starts, which is to end", 12, func() {
		r.AddNode(0, yarn.NodeSpec{ID: 0})
		begin(r, 2, 0, 1)
		r.ContainerStarted(0, id)
		r.MarkForCleanup(0, id)
	}, "0 node 0", "0 epoch [2 0 1]", "kill 1 later at 13000")
	step("the node goes before it is told", 13, func() { r.NodeDown(0) })
	step("a process that is to end before it is reported as running", 14, func() {
		r.ContainerStarted(0, id)
		r.MarkForCleanup(0, id)
	}, "kill 1 later at 16000")
	step("after the heartbeat that reports it", 17, func() {
		if !r.Told(0, id) {
			t.Error("reported as running, and not told to end")
		}
	})
}

// started is a ResourceManager of nodes 0 to 2, whose heartbeats come in the order 2, 0, 1, the next one being that of node 2, with an application.
func started(t *testing.T) (*RM, *quietHost, *elidingScheduler) {
	t.Helper()
	s := &elidingScheduler{next: 100}
	r, host := newQuiet(t, Config{KillsLater: true}, s)
	r.AddNode(0, yarn.NodeSpec{ID: 0}, yarn.NodeSpec{ID: 1}, yarn.NodeSpec{ID: 2})
	host.next = 30
	begin(r, 2, 0, 1)
	if err := r.Submit(0, yarn.AppSpec{ID: 1, Queue: "q", AMSize: resource.R(1, 1)}); err != nil {
		t.Fatal(err)
	}
	return r, host, s
}

// hears wants the ResourceManager to hear of these by the next heartbeat.
func hears(t *testing.T, r *RM, host *quietHost, s *elidingScheduler, next int64, want ...string) {
	t.Helper()
	s.log, host.next = nil, next
	r.Hear()
	wantLog(t, fmt.Sprintf("with heartbeat %d the next one", next), s.log, want...)
}

// Each node is heard with its own heartbeat, however many there is something known of, and however late one asks.
func TestWhatIsKnownIsHeardInTurn(t *testing.T) {
	first, second := protocol.ContainerID{App: 1, N: 1}, protocol.ContainerID{App: 1, N: 2}
	for _, late := range []bool{false, true} {
		r, host, s := started(t)
		r.ContainerStarted(0, first)
		r.ContainerStarted(1, second)
		hears(t, r, host, s, 31)
		if late {
			hears(t, r, host, s, 40, "0 node 0 launched 1", "0 node 1 launched 1")
			continue
		}
		hears(t, r, host, s, 32, "0 node 0 launched 1")
		hears(t, r, host, s, 33, "0 node 1 launched 1")
	}

	r, host, s := started(t)
	r.ContainerStarted(0, first)
	hears(t, r, host, s, 33, "0 node 0 launched 1")
	r.MarkForCleanup(0, first)
	r.ContainerStarted(0, second)
	hears(t, r, host, s, 36, "0 node 0 launched 1") // while it is told to end the other
}

// What is known at the beginning of an epoch is heard with the first heartbeats of that, whether their numbers are higher than before or lower.
func TestWhatIsKnownAtANewEpoch(t *testing.T) {
	for _, ranks := range [][]protocol.NodeID{{1, 0}, {0}} {
		for _, first := range []int64{4, 300} {
			r, host, s := started(t)
			r.ContainerStarted(0, protocol.ContainerID{App: 1, N: 1})
			host.next = first
			begin(r, ranks...)
			last := first + int64(len(ranks)) - 1
			hears(t, r, host, s, first)
			hears(t, r, host, s, last)
			hears(t, r, host, s, last+1, "0 node 0 launched 1")
		}
	}
}

// What a heartbeat that is executed reports comes with that alone.
func TestWhatIsKnownOfAHeartbeatThatIsExecuted(t *testing.T) {
	r, host, s := started(t)
	r.ContainerStarted(0, protocol.ContainerID{App: 1, N: 1})
	s.log, host.next = nil, 32
	r.NodeHeartbeat(31_000, 0)
	wantLog(t, "asked of the scheduler", s.log, "0 settle", "31000 heartbeat")
	hears(t, r, host, s, 40)
}

// Where each heartbeat is executed nothing is heard without one: in the dense engine, and under a scheduler that cannot be told.
func TestNothingIsKnownWhereAllHeartbeatsAreExecuted(t *testing.T) {
	eliding, quiet := &elidingScheduler{next: 100}, &quietScheduler{}
	for _, tt := range []struct {
		of    yarn.Scheduler
		dense bool
		log   *[]string
	}{{eliding, true, &eliding.log}, {quiet, false, &quiet.log}} {
		r, host := newQuiet(t, Config{KillsLater: true, Dense: tt.dense}, tt.of)
		r.AddNode(0, yarn.NodeSpec{ID: 0})
		begin(r, 0)
		id := protocol.ContainerID{App: 1, N: 1}
		r.ContainerStarted(0, id)
		r.MarkForCleanup(0, id)
		host.next, *tt.log = 5, nil
		r.Hear()
		wantLog(t, "asked of the scheduler, and told", slices.Concat(*tt.log, host.kills))
		r.NodeHeartbeat(6000, 0)
		wantLog(t, "told with the heartbeat", host.kills, "kill 1 at 6000")
	}
}

// A node is told once to end a process, and that is foretold while the process runs and the node sends heartbeats.
func TestNodesAreToldOnceToEndAProcess(t *testing.T) {
	id := protocol.ContainerID{App: 1, N: 1}
	for _, tt := range []struct {
		what   string
		node   protocol.NodeID
		before func(*RM, *quietHost)
		kills  []string
		next   int64 // heartbeat that is executed
	}{
		{"it runs", 0, func(*RM, *quietHost) {}, []string{"kill 1 later at 34000"}, 100},
		{"it runs on the first node of all", 2, func(*RM, *quietHost) {}, []string{"kill 1 later at 33000"}, 100},
		{"it is to be told so", 0, func(r *RM, _ *quietHost) { r.MarkForCleanup(0, id) }, []string{"kill 1 later at 34000"}, 100},
		{"it has been told so", 0, func(r *RM, host *quietHost) {
			r.MarkForCleanup(0, id)
			host.next = 36
		}, []string{"kill 1 later at 34000"}, 100},
		{"it has been told so, which was not foretold", 0, func(r *RM, host *quietHost) {
			r.config.KillsLater = false
			r.MarkForCleanup(0, id)
			host.next = 35
			r.NodeHeartbeat(34_000, 0)
		}, []string{"kill 1 at 34000"}, 100},
		{"the process has ended", 0, func(r *RM, _ *quietHost) { r.ProcessExited(0, id, 0) }, nil, 34},
		{"the node sends no heartbeats", 0, func(r *RM, _ *quietHost) { r.Beats(1, false) }, nil, 100},
	} {
		r, host, s := started(t)
		r.ContainerStarted(tt.node, id)
		hears(t, r, host, s, 33, fmt.Sprintf("0 node %d launched 1", tt.node))
		tt.before(r, host)
		r.MarkForCleanup(tt.node, id)
		wantLog(t, tt.what, host.kills, tt.kills...)
		if h := r.NextHeartbeat(host.next, 100, 100); h != tt.next {
			t.Errorf("%s: the next heartbeat is %d, want %d", tt.what, h, tt.next)
		}
		if n := r.nodes[tt.node].news[knownNews]; host.next > 33 && n > 0 {
			t.Errorf("%s: news of %d processes, want none", tt.what, n)
		}
	}
}

// The end of a process is reported without a heartbeat where the ResourceManager has ended its container, or nobody waits to hear of it, if the scheduler takes it so and nobody looks
// at it.
func TestEndsThatAreForeseenAreNotExecuted(t *testing.T) {
	for _, tt := range []struct {
		what                       string
		alive, over, early         bool // the scheduler has not ended the container; its application has unregistered; ends are told of at their time
		master                     bool // it is that of the application's master
		refuses, show, matter, new bool // the scheduler refuses; somebody looks at it; ends matter to it; a node comes
		foreseen                   bool
	}{
		{what: "it has ended before", foreseen: true},
		{what: "the ResourceManager hears of it only now", alive: true},
		{what: "the scheduler refuses", refuses: true},
		{what: "somebody looks at the scheduler", show: true},
		{what: "ends matter", matter: true},
		{what: "a node comes", new: true, foreseen: true},
		{what: "the application has unregistered", alive: true, over: true, foreseen: true},
		{what: "it has, and ends are told of at their time", alive: true, over: true, early: true},
		{what: "it has, and its master ends", alive: true, over: true, master: true},
		{what: "it has, and the scheduler refuses", alive: true, over: true, refuses: true},
		{what: "it has, and somebody looks at the scheduler", alive: true, over: true, show: true},
		{what: "it has, and ends matter", alive: true, over: true, matter: true},
		{what: "it has, and a node comes", alive: true, over: true, new: true},
	} {
		s := &endingScheduler{elidingScheduler: elidingScheduler{next: 100}, refuses: tt.refuses, matter: tt.matter}
		r, host := newQuiet(t, Config{KillsLater: true}, s)
		r.AddNode(0, yarn.NodeSpec{ID: 0}, yarn.NodeSpec{ID: 1})
		begin(r, 0, 1)
		if err := r.Submit(0, yarn.AppSpec{ID: 1, Queue: "q", AMSize: resource.R(1, 1)}); err != nil {
			t.Fatal(err)
		}
		if tt.show {
			r.ExecuteEnds()
		}
		if !tt.early {
			r.EndLate()
		}
		id := protocol.NewContainerID(1, 1, 1)
		size := resource.R(64, 1)
		r.nodes[0].allocated = size
		r.ContainerStarted(0, id)
		host.next = 2
		r.Hear()
		end := &yarn.Event{Kind: yarn.Completed, Launched: true, Container: protocol.Container{ID: id, Size: size}}
		if tt.master {
			r.app(1).am = id
		}
		if tt.over {
			r.Unregister(0, 1)
		}
		if !tt.alive {
			r.containerEnded(end)
		} else {
			s.ends = func() { r.observe(end) }
		}
		host.next = 4
		r.Hear()
		s.log = nil
		r.ProcessExited(0, id, 143)
		var want []string
		switch {
		case tt.show:
		case !tt.alive:
			want = append(want, fmt.Sprintf("0 node 0 will have %v", size))
		case tt.over && !tt.early && !tt.master:
			want = append(want, fmt.Sprintf("0 node 0 will have what %d has", id.N))
		}
		if tt.new {
			r.AddNode(0, yarn.NodeSpec{ID: 2})
			want = append(want, "0 settle", "0 node 2")
		}
		next := int64(4)
		if tt.foreseen {
			next = 100
		}
		if h := r.NextHeartbeat(4, 100, 100); h != next {
			t.Errorf("%s: the next heartbeat is %d, want %d", tt.what, h, next)
		}
		if tt.foreseen {
			r.Hear()
			if r.Held(0) != size {
				t.Errorf("%s: before the heartbeat the node holds %v, want %v", tt.what, r.Held(0), size)
			}
			host.next = 6
			r.Hear()
			if want = append(want, "4000 node 0 ended 1"); tt.alive {
				want = append(want, "4000 seen by the host")
			}
			r.observe(&yarn.Event{Kind: yarn.Allocated})
			want = append(want, "seen by the host")
			if r.Held(0) != (resource.Resource{}) || r.unheard != 0 {
				t.Errorf("%s: after it the node holds %v, %d processes are unheard of, want nothing and none", tt.what, r.Held(0), r.unheard)
			}
		}
		wantLog(t, tt.what, slices.Concat(s.log, host.seen), want...)
	}
}

// Nor is an end foreseen that does not come with a heartbeat of which all is known, or of which the scheduler cannot be told.
func TestEndsThatAreNotForeseen(t *testing.T) {
	id, other := protocol.NewContainerID(1, 1, 1), protocol.NewContainerID(2, 1, 1)
	for _, tt := range []struct {
		what                      string
		id                        protocol.ContainerID
		unreported, silent, dense bool // its start has not been reported; the node sends no heartbeats; each of them is executed
		tells                     bool // the scheduler is told of ends
		foreseen                  bool
	}{
		{what: "all is known", id: id, tells: true, foreseen: true},
		{what: "its start has not been reported", id: id, tells: true, unreported: true},
		{what: "the node sends no heartbeats", id: id, tells: true, silent: true},
		{what: "each heartbeat is executed", id: id, tells: true, dense: true},
		{what: "the scheduler cannot be told", id: id},
		{what: "nothing is left of the application", id: other, tells: true},
	} {
		ends := &endingScheduler{elidingScheduler: elidingScheduler{next: 100}}
		var sched yarn.Scheduler = &ends.elidingScheduler
		if tt.tells {
			sched = ends
		}
		r, host := newQuiet(t, Config{Dense: tt.dense}, sched)
		r.AddNode(0, yarn.NodeSpec{ID: 0})
		begin(r, 0)
		if err := r.Submit(0, yarn.AppSpec{ID: 1, Queue: "q", AMSize: resource.R(1, 1)}); err != nil {
			t.Fatal(err)
		}
		r.EndLate()
		r.ContainerStarted(0, tt.id)
		if !tt.unreported {
			host.next = 2
			r.NodeHeartbeat(1000, 0)
		}
		if tt.silent {
			r.Beats(0, false)
		}
		r.Unregister(0, 1)
		r.ProcessExited(0, tt.id, 143)
		if got := r.nodes[0].procs[0].foreseen; got != tt.foreseen {
			t.Errorf("%s: the end is foreseen: %v", tt.what, got)
		}
	}
}
