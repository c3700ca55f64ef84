package fair

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/policy/resource"
)

// crowd is a scheduler with nodes of 4 GiB on one rack, full of containers of 1 GiB: a letter for each, that of its
// application, which is in root.<letter>; capitals are application masters. Nothing is owed to anybody.
func newCrowd(t *testing.T, queues string, nodes ...string) *golden {
	t.Helper()
	g := newGolden(t, preemption, queues)
	ids := map[rune]protocol.AppID{}
	for i, containers := range nodes {
		host := fmt.Sprintf("n%d", i+1)
		g.node(host, "/r1", 4096, 8)
		for _, c := range containers {
			if c == '.' {
				continue
			}
			letter := strings.ToLower(string(c))
			id, ok := ids[rune(letter[0])]
			if !ok {
				id = protocol.AppID(len(ids) + 1)
				ids[rune(letter[0])] = id
				g.app(id, "root."+letter)
			}
			g.ask(id, 1, host+" x1 1024,1", "/r1 x1 1024,1 strict", "* x1 1024,1 strict")
			g.f.Update()
			g.hb(host)
			a := g.f.attempt(id)
			a.fair = resource.Resource{} // all of it may go
			for live := range a.AllLive {
				if live.ID == g.did[0] {
					live.AM = c != rune(letter[0])
				}
			}
		}
	}
	for i := range nodes {
		if free := g.f.cluster.Node(protocol.NodeID(i)).Free[resource.Memory]; free != int64(1024*strings.Count(nodes[i], ".")) {
			t.Fatalf("node %d has %d MiB free", i, free)
		}
	}
	g.noShares()
	return g
}

// noShares leaves no application a fair share, so that all of them may be preempted.
func (g *golden) noShares() {
	for _, a := range g.f.attempts {
		if a != nil {
			a.fair = resource.Resource{}
		}
	}
}

func (g *golden) chosen(v *victims) string {
	if v == nil {
		return "-"
	}
	var out []string
	for _, c := range v.chosen {
		out = append(out, fmt.Sprintf("%s/a%dc%d", g.names.Text(c.Node.Host), c.ID.App, c.ID.N))
	}
	return strings.Join(out, " ")
}

func TestVictimsOnANode(t *testing.T) {
	tests := []struct {
		name    string
		node    string
		need    int64 // MiB
		mostAMs int
		set     func(*golden, *yarn.Node)
		want    string
	}{
		{"the last in hash order first", "aaaa", 1024, 9, nil, "n1/a1c4"},
		{"as many as are needed", "aaaa", 2048, 9, nil, "n1/a1c4 n1/a1c1"},
		{"to the last MiB", "aaaa", 2049, 9, nil, "n1/a1c4 n1/a1c1 n1/a1c3"},
		{"the whole node", "aaaa", 4096, 9, nil, "n1/a1c4 n1/a1c1 n1/a1c3 n1/a1c2"},
		{"more than the node", "aaaa", 4097, 9, nil, "-"},
		{"room counts", "aa.a", 2048, 9, nil, "n1/a1c1"},
		{"room that is held back does not", "aa.a", 2048, 9, func(g *golden, n *yarn.Node) { g.f.at(n).hold().claimed = resource.R(1024, 0) }, "n1/a1c1 n1/a1c3"},
		{"there is room, but a container is looked at first", "aa..", 1024, 9, nil, "n1/a1c1"},
		{"application masters last", "Aaaa", 1024, 9, nil, "n1/a1c4"},
		{"application masters last, if they must", "aAaa", 4096, 9, nil, "n1/a1c4 n1/a1c1 n1/a1c3 n1/a1c2"},
		{"one application master is too many", "aAaa", 4096, 1, nil, "-"},
		{"one is fewer than two", "aAaa", 4096, 2, nil, "n1/a1c4 n1/a1c1 n1/a1c3 n1/a1c2"},
		{"none is needed", "aAaa", 3072, 1, nil, "n1/a1c4 n1/a1c1 n1/a1c3"},
		{"not what is chosen already", "aaaa", 1024, 9, func(g *golden, n *yarn.Node) {
			k := g.f.at(n).hold()
			k.marked = append(k.marked, g.live(1, 4))
		}, "n1/a1c1"},
		{"not what its application loses already", "aaaa", 1024, 9, func(g *golden, n *yarn.Node) { g.f.attempt(1).remember(g.live(1, 4)) }, "n1/a1c1"},
		{"not of a queue that may not be preempted", "aabb", 3072, 9, func(g *golden, n *yarn.Node) { g.queue("root.a").preemptable = false }, "-"},
		{"what is left of others", "aabb", 2048, 9, func(g *golden, n *yarn.Node) { g.queue("root.a").preemptable = false }, "n1/a2c2 n1/a2c1"},
		{"not masters that are kept", "aAaa", 4096, 9, func(g *golden, n *yarn.Node) { g.f.attempt(1).amPreemption = false }, "-"},
		{"others of their application", "aAaa", 3072, 9, func(g *golden, n *yarn.Node) { g.f.attempt(1).amPreemption = false }, "n1/a1c4 n1/a1c1 n1/a1c3"},
		{"not below the fair share", "aaaa", 4096, 9, func(g *golden, n *yarn.Node) { g.f.attempt(1).fair = resource.R(1024, 0) }, "-"},
		{"down to the fair share", "aaaa", 3072, 9, func(g *golden, n *yarn.Node) { g.f.attempt(1).fair = resource.R(1024, 0) }, "n1/a1c4 n1/a1c1 n1/a1c3"},
		{"what is marked is gone from the share", "aaaa", 3072, 9, func(g *golden, n *yarn.Node) {
			g.f.attempt(1).fair = resource.R(1024, 0)
			g.f.attempt(1).markedSize = resource.R(1, 0)
		}, "-"},
		{"each by its own share", "abab", 2048, 9, func(g *golden, n *yarn.Node) {
			g.f.attempt(1).fair, g.f.attempt(2).fair = resource.R(1024, 0), resource.R(1024, 0)
		}, "n1/a2c2 n1/a1c1"},
		{"containers of applications that have left go by themselves", "aabb", 2048, 9, func(g *golden, n *yarn.Node) {
			g.f.NodeUpdate(n.ID, []protocol.ContainerID{{App: 1, N: 1}, {App: 1, N: 2}}, nil)
			g.f.RemoveApp(1)
		}, "n1/a2c2 n1/a2c1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := newCrowd(t, "", tt.node)
			n := g.f.cluster.Node(0)
			if tt.set != nil {
				tt.set(g, n)
			}
			size := resource.R(tt.need, 1)
			v, _ := g.f.victimsOn(g.f.at(n), &size, tt.mostAMs)
			if got := g.chosen(v); got != tt.want {
				t.Errorf("chosen %s, want %s", got, tt.want)
			}
			ams := 0
			for _, c := range strings.Fields(tt.want) {
				if c == "n1/a1c2" && tt.node == "aAaa" {
					ams++
				}
			}
			if v != nil && v.ams != ams {
				t.Errorf("%d application masters, want %d", v.ams, ams)
			}
		})
	}
}

func (g *golden) live(app protocol.AppID, n int64) *yarn.Container {
	return g.f.live(protocol.ContainerID{App: app, N: n})
}

// In the order of the cluster n2 comes first, then n3, then n1.
func TestVictimsOnTheBestNode(t *testing.T) {
	tests := []struct {
		name  string
		nodes []string
		ask   string // a name and whether other places will do
		want  string
	}{
		{"the first of equal nodes", []string{"aaaa", "bbbb", "cccc"}, "* relax", "n2/a2c2"},
		{"the first with as many masters", []string{"A", "B", "C"}, "* relax", "n2/a2c1"},
		{"one without masters", []string{"A", "B", "c"}, "* relax", "n3/a3c1"},
		{"the first without masters", []string{"a", "B", "c"}, "* relax", "n3/a3c1"},
		{"nobody", []string{"....", "....", "...."}, "* relax", "-"},
		{"on the node that is asked for", []string{"a", "b", "c"}, "n1 relax", "n1/a1c1"},
		{"elsewhere rather than a master", []string{"A", "B", "c"}, "n1 relax", "n3/a3c1"},
		{"a master here rather than one elsewhere", []string{"A", "B", "C"}, "n1 relax", "n1/a1c1"},
		{"strictly here, master or not", []string{"A", "b", "c"}, "n1 strict", "n1/a1c1"},
		{"no better place anywhere", []string{"A", "....", "...."}, "n1 relax", "n1/a1c1"},
		{"nothing on the node that is asked for", []string{"....", "b", "c"}, "n1 relax", "-"},
		{"on the rack", []string{"a", "B", "C"}, "/r1 strict", "n1/a1c1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			full := make([]string, 3)
			for i, n := range tt.nodes {
				if full[i] = n; len(n) == 1 {
					full[i] = n + "..."
				}
			}
			g := newCrowd(t, "", full...)
			for i, n := range tt.nodes {
				if len(n) == 1 { // the rest of the node is gone
					g.f.SetNodeTotal(protocol.NodeID(i), resource.R(1024, 8))
				}
			}
			g.noShares()
			var name string
			var how string
			fmt.Sscan(tt.ask, &name, &how)
			s := starvedAsk{name: g.names.Intern(name), size: resource.R(1024, 1), relax: how == "relax", count: 1}
			if got := g.chosen(g.f.bestVictims(s, g.f.cluster.Named(s.name))); got != tt.want {
				t.Errorf("chosen %s, want %s", got, tt.want)
			}
		})
	}
}

// An application gets a container for each of its asks, and nothing for the next where nothing is found.
func TestChoice(t *testing.T) {
	g := newCrowd(t, "", "abab", "cc..")
	g.f.SetNodeTotal(1, resource.R(2048, 8))
	g.app(9, "root.z")
	a := g.f.attempt(9)
	g.noShares()
	s := starvedAsk{name: protocol.Any, size: resource.R(2048, 1), relax: true, count: 3}
	var got []string
	for _, c := range g.f.choose(a, s, nil) {
		got = append(got, fmt.Sprintf("a%dc%d", c.ID.App, c.ID.N))
	}
	// By application on each node: n2 first.
	if s := strings.Join(got, " "); s != "a3c1 a3c2 a2c2 a2c1 a1c1 a1c2" {
		t.Errorf("chosen %s", s)
	}
	if !g.f.node(0).claimedBy(a) || !g.f.node(1).claimedBy(a) || g.f.node(0).claimedBy(g.f.attempt(1)) {
		t.Error("room is not held back for the application")
	}
	g.wantShare("held back on n1", g.f.node(0).reserved(), resource.R(4096, 4))
	g.wantShare("lost by the first", g.f.attempt(1).markedSize, resource.R(2048, 2))
	g.wantShare("lost by the third", g.f.attempt(3).markedSize, resource.R(2048, 2))
}

// A pass that looks at no node again in vain chooses what one does that looks at all of them each time.
func TestChoiceWithoutBarrenNodes(t *testing.T) {
	known := 0
	for seed := range uint64(200) {
		pass := func(literally bool) (chosen []protocol.ContainerID, barren int) {
			rng := rand.New(rand.NewPCG(seed, 0))
			nodes := make([]string, 6)
			for i := range nodes {
				for range 4 {
					nodes[i] += string("aabbcCdD."[rng.IntN(9)])
				}
			}
			g := newCrowd(t, "", nodes...)
			g.f.literally = literally
			g.app(9, "root.z")
			for _, a := range g.f.attempts {
				if a != nil {
					a.fair = resource.R(1024*rng.Int64N(4), 4)
				}
			}
			for range 8 {
				s := starvedAsk{name: protocol.Any, size: resource.R(1024*(1+rng.Int64N(3)), 1+rng.Int64N(3)), relax: true, count: 1 + rng.Int32N(2)}
				if node := rng.IntN(2 * len(nodes)); node < len(nodes) {
					s.name = g.names.Intern(fmt.Sprintf("n%d", node+1))
				}
				for _, c := range g.f.choose(g.f.attempt(9), s, nil) {
					chosen = append(chosen, c.ID)
				}
			}
			for _, b := range g.f.barren {
				for _, is := range b.nodes {
					if is {
						barren++
					}
				}
			}
			if g.f.Preempt(); len(g.f.barren) > 0 {
				t.Fatal("what a pass has found is kept beyond it")
			}
			return chosen, barren
		}
		want, _ := pass(true)
		got, barren := pass(false)
		if known += barren; !slices.Equal(got, want) {
			t.Fatalf("seed %d: chosen %v, want %v", seed, got, want)
		}
	}
	if known == 0 {
		t.Error("no node was known to have nothing")
	}
}

// A node that had nothing may have something once its application has lost a container elsewhere: another one of its is the first that may go.
func TestChoiceOnANodeThatHadNothing(t *testing.T) {
	later := false
	for _, sizes := range [][2]string{{"2048,1", "1024,3"}, {"1024,3", "2048,1"}} {
		var want []int
		for _, literally := range []bool{true, false} {
			g := newGolden(t, preemption, "")
			g.f.literally = literally
			g.node("n1", "/r1", 3072, 4)
			g.node("n2", "/r1", 1024, 1)
			g.app(1, "root.a")
			for i, size := range append(sizes[:], "1024,1") {
				host := fmt.Sprintf("n%d", 1+i/2)
				g.ask(1, 1, host+" x1 "+size, "/r1 x1 "+size+" strict", "* x1 "+size+" strict")
				g.f.Update()
				g.hb(host)
			}
			g.app(9, "root.z")
			a := g.f.attempt(1)
			a.fair = a.Usage.Sub(resource.R(2048, 0)) // it may lose as much
			var got []int
			for _, name := range []string{"n1", "n2", "n1"} {
				size := resource.R(1024, 3)
				if name == "n2" {
					size = resource.R(1024, 1)
				}
				got = append(got, len(g.f.choose(g.f.attempt(9), starvedAsk{name: g.names.Intern(name), size: size, count: 1}, nil)))
			}
			if literally {
				want = got
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s first: %v containers are chosen, want %v", sizes[0], got, want)
			}
			later = later || slices.Equal(got, []int{0, 1, 1})
		}
	}
	if !later {
		t.Error("no node gave later what it had not given")
	}
}

func TestKillsAreDueAfterTheWait(t *testing.T) {
	g := newCrowd(t, "", "aaaa")
	if at, ok := g.f.NextKill(); ok || at != math.MaxInt64 {
		t.Errorf("due at %d, %v", at, ok)
	}
	g.f.kills = []kill{{5000, []*yarn.Container{g.live(1, 1)}}, {4000, []*yarn.Container{g.live(1, 2)}}, {6000, []*yarn.Container{g.live(1, 3)}}}
	for _, s := range []struct {
		now, next int64
		more      bool
		left      int
	}{{3999, 4000, true, 4}, {4000, 5000, true, 3}, {7000, math.MaxInt64, false, 1}} {
		g.f.SetClock(s.now)
		g.f.KillDue()
		if at, ok := g.f.NextKill(); at != s.next || ok != s.more || g.f.cluster.Node(0).Count() != s.left {
			t.Errorf("at %d: next at %d, %v, %d containers; want %d, %v, %d", s.now, at, ok, g.f.cluster.Node(0).Count(), s.next, s.more, s.left)
		}
	}
}

func TestNextCheckAfterPreemption(t *testing.T) {
	site := map[string]string{
		"yarn.scheduler.fair.waitTimeBeforeKill": "3000", "yarn.scheduler.fair.waitTimeBeforeNextStarvationCheck": "400",
		"yarn.scheduler.fair.continuous-scheduling-sleep-ms": "7",
	}
	if got := newGolden(t, site, "").f.nextCheckAfter(); got != 3400 {
		t.Errorf("%d ms, want 3400", got)
	}
	site["yarn.scheduler.fair.continuous-scheduling-enabled"] = "true"
	if got := newGolden(t, site, "").f.nextCheckAfter(); got != 3470 {
		t.Errorf("%d ms with continuous scheduling, want 3470", got)
	}
}

// Room that was made goes to whom it was made for, before the order of the queues counts, and no further than that.
func TestRoomIsForWhomItWasMade(t *testing.T) {
	g := newCrowd(t, "", "aaaa")
	g.app(8, "root.0") // first by its name
	g.app(9, "root.z")
	g.ask(8, 1, "* x4 1024,1")
	g.ask(9, 1, "* x4 1024,1")
	g.f.Update()
	a := g.f.attempt(9)
	a.fairStarvation = resource.R(4096, 0)
	n := g.f.node(0)
	g.noShares()
	a.fair = resource.R(4096, 4)
	n.mark([]*yarn.Container{g.live(1, 1), g.live(1, 2)}, a)
	for i := int64(1); i <= 3; i++ {
		g.kill(1, i)
	}
	g.wantHB("a8c1 a9c1 a9c2", "n1")
	g.wantShare("held back", n.reserved(), resource.Resource{})
}

// Room that was made for an application that has left is anybody's.
func TestRoomForAnApplicationThatHasLeft(t *testing.T) {
	g := newCrowd(t, "", "aaaa")
	g.app(8, "root.0")
	g.app(9, "root.z")
	g.ask(8, 1, "* x4 1024,1")
	g.ask(9, 1, "* x4 1024,1")
	g.f.Update()
	a := g.f.attempt(9)
	a.fairStarvation = resource.R(4096, 0)
	n := g.f.node(0)
	g.noShares()
	n.mark([]*yarn.Container{g.live(1, 1), g.live(1, 2)}, a)
	g.kill(1, 1)
	g.kill(1, 2)
	g.f.RemoveApp(9)
	g.wantHB("a8c1 a8c2", "n1")
	g.wantShare("held back", n.reserved(), resource.Resource{})
}
