package fair

import (
	"strings"
	"testing"

	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/engine/yarn/conf"
	"replay/policy"
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

// A node that is taken out and registers anew between two of its heartbeats goes on to send them: it is found for what is asked for.
func TestNodeThatComesBackSendsHeartbeats(t *testing.T) {
	g := newGolden(t, nil, "")
	g.node("n1", "/r1", 4096, 4)
	g.f.Epoch([]protocol.NodeID{0})
	g.f.Beats(0, true)
	spec := g.f.nodes[0].NodeSpec
	g.f.RemoveNode(0)
	g.f.AddNode(spec)
	if rank, sends := g.f.nodes[0].sends(); rank != 0 || !sends {
		t.Errorf("the node has rank %d and sends heartbeats: %v, want rank 0 and that it does", rank, sends)
	}
	g.f.Beats(0, false)
	if _, sends := g.f.nodes[0].sends(); sends {
		t.Error("the node sends heartbeats after it has stopped")
	}
}

// A pass of continuous scheduling offers a node that sends no heartbeats as any other, though no survey knows who accepts it. YARN waits by time then, and a program of one's own
// may have it wait by offers.
func TestPassOffersANodeThatSendsNoHeartbeats(t *testing.T) {
	site, err := conf.NewSite(map[string]string{"yarn.scheduler.fair.continuous-scheduling-enabled": "true",
		"yarn.scheduler.fair.locality.threshold.node": "0.9", "yarn.scheduler.fair.locality.threshold.rack": "0.9", "yarn.resourcemanager.work-preserving-recovery.enabled": "false"})
	if err != nil {
		t.Fatal(err)
	}
	site.Delay = policy.DelayByOffers
	alloc, err := conf.ParseAllocations([]byte("<allocations/>"), site)
	if err != nil {
		t.Fatal(err)
	}
	g := &golden{t: t, names: protocol.NewNames()}
	if g.f, err = New(site, alloc, g.names, 1, nil); err != nil {
		t.Fatal(err)
	}
	g.f.SetClock(2000)
	g.node("n1", "/r1", 8192, 8)
	g.node("n2", "/r1", 4096, 4)
	g.f.Epoch([]protocol.NodeID{0, 1})
	g.f.Beats(0, false)
	g.f.Beats(1, true)
	g.app(1, "root.q")
	g.ask(1, 1, "n1 x1 1024,1", "n2 x1 1024,1", "/r1 x1 1024,1", "* x1 1024,1")
	g.f.Update()
	g.f.follow()
	g.f.survey()
	if x := &g.queue("root.q").found; len(x.named) == 0 || x.all || x.stale {
		t.Fatalf("found %+v, want what is accepted by name", x)
	}
	g.f.ContinuousPass()
	if n := g.f.cluster.Node(0).Count(); n != 1 {
		t.Errorf("%d containers on the silent node, want 1", n)
	}
}

// The end of a container that ends by itself concerns nobody but who wants its room if its application asks for no more and no maximum keeps others from more. It is told of later, and then
// is what it would have been.
func TestEndsOfThoseThatAskForNoMore(t *testing.T) {
	id := protocol.ContainerID{App: 1, N: 1}
	for _, tt := range []struct {
		what, queues string
		more         bool // the application asks for more
		unheard      bool // the node has not reported that the container runs
		foreseen     bool
	}{
		{what: "nothing more is asked for", foreseen: true},
		{what: "a container more is", more: true},
		{what: "it has not been reported", unheard: true},
		{what: "the queue has a maximum", queues: `<queue name="q"><maxResources>8192 mb,8 vcores</maxResources></queue>`},
		{what: "the queue above has", queues: `<queue name="p"><maxResources>8192 mb,8 vcores</maxResources><queue name="q"/></queue>`},
	} {
		g := newGolden(t, map[string]string{"yarn.scheduler.increment-allocation-mb": "1024"}, tt.queues)
		queue := "root.q"
		if strings.Contains(tt.queues, `"p"`) {
			queue = "root.p.q"
		}
		g.node("n1", "/r1", 4096, 4)
		g.app(1, queue)
		g.ask(1, 1, "* x1 4096,4")
		g.f.Update()
		g.wantHB("a1c1", "n1")
		g.f.attempt(1).Pull()
		if !tt.unheard {
			g.f.Launched(0, []protocol.ContainerID{id})
		}
		if tt.more {
			g.ask(1, 1, "* x1 1024,1")
		}
		n := &g.f.nodes[0]
		if got := g.f.Finishing(0, id); got != tt.foreseen {
			t.Errorf("%s: the heartbeat may be left out: %v, want %v", tt.what, got, tt.foreseen)
		}
		if room, _ := n.roomNext(); tt.foreseen && room != resource.R(4096, 4) {
			t.Errorf("%s: the node is seen with %v at its next heartbeat, want 4096 MiB and 4 vcores", tt.what, room)
		}
		g.f.Ended(0, []protocol.Status{{ID: id}})
		if used := g.f.attempt(1).Usage; g.f.live(id) != nil || !used.IsNone() || n.Free != resource.R(4096, 4) || !n.ending.IsNone() {
			t.Errorf("%s: it lives: %v, its application uses %v, the node has %v free and %v to come, want 4096 MiB free and nothing else", tt.what, g.f.live(id) != nil, used, n.Free, n.ending)
		}
	}
}

// While somebody waits for a master in a leaf without a share, what is available in the cluster decides, and each end changes that.
func TestEndsMatterToWhoWaitsForAMaster(t *testing.T) {
	g := newGolden(t, nil, "")
	g.node("n1", "/r1", 4096, 4)
	g.f.Epoch([]protocol.NodeID{0})
	g.f.Beats(0, true)
	if err := g.f.AddApp(yarn.AppSpec{ID: 1, User: "u", Queue: "root.q"}); err != nil {
		t.Fatal(err)
	}
	g.f.AddAttempt(1)
	look := func(what string, want bool) {
		t.Helper()
		for h := int64(0); g.f.elision.changed && h < 40; h++ { // a survey waits until heartbeats have paid for it
			g.f.NextHeartbeat(h, h+1, h+1)
			g.f.elision.wasted += beatCost
		}
		if got := g.f.EndsMatter(); got != want {
			t.Errorf("%s: ends matter: %v, want %v", what, got, want)
		}
	}
	look("nobody asks", false)
	g.ask(1, 1, "* x1 1024,1")
	g.f.updateDemands(false) // the share is that of before
	look("a master is waited for, and there is no share", true)
}
