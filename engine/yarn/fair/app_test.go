package fair

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/engine/yarn/conf"
	"replay/policy"
	"replay/policy/resource"
)

// A node on rack /r1 is offered to an application that asks as said and accepts containers up to a level.
func TestWhichAskANodeAnswers(t *testing.T) {
	tests := []struct {
		name  string
		asks  string // separated by ";"
		level policy.Level
		look  bool
		want  string
	}{
		{"the host", "n1 x1 1024,1;/r1 x1 1024,1;* x1 1024,1", policy.NodeLevel, true, "NODE_LOCAL"},
		{"the host, whatever is accepted", "n1 x1 1024,1;/r1 x1 1024,1;* x1 1024,1", policy.AnyLevel, true, "NODE_LOCAL"},
		{"another host, too near", "n2 x1 1024,1;/r1 x1 1024,1;* x1 1024,1", policy.NodeLevel, true, "-"},
		{"another host, rack accepted", "n2 x1 1024,1;/r1 x1 1024,1;* x1 1024,1", policy.RackLevel, true, "RACK_LOCAL"},
		{"another host, all accepted", "n2 x1 1024,1;/r1 x1 1024,1;* x1 1024,1", policy.AnyLevel, true, "RACK_LOCAL"},
		{"another rack, its level only", "n3 x1 1024,1;/r2 x1 1024,1;* x1 1024,1", policy.RackLevel, true, "-"},
		{"another rack", "n3 x1 1024,1;/r2 x1 1024,1;* x1 1024,1", policy.AnyLevel, true, "OFF_SWITCH"},
		{"the host with nothing left for the rack", "n1 x1 1024,1;/r1 x0 1024,1;* x1 1024,1", policy.NodeLevel, true, "-"},
		{"the same, rack accepted", "n1 x1 1024,1;/r1 x0 1024,1;* x1 1024,1", policy.RackLevel, true, "-"},
		{"the same, all accepted", "n1 x1 1024,1;/r1 x0 1024,1;* x1 1024,1", policy.AnyLevel, true, "OFF_SWITCH"},
		{"nothing left for the host", "n1 x0 1024,1;/r1 x1 1024,1;* x1 1024,1", policy.NodeLevel, true, "-"},
		{"nothing left for the host, rack accepted", "n1 x0 1024,1;/r1 x1 1024,1;* x1 1024,1", policy.RackLevel, true, "RACK_LOCAL"},
		{"anywhere alone", "* x1 1024,1", policy.NodeLevel, true, "OFF_SWITCH"},
		{"anywhere beside another place", "n2 x1 1024,1;* x1 1024,1", policy.RackLevel, true, "-"},
		{"strictly this rack", "/r1 x1 1024,1;* x1 1024,1 strict", policy.RackLevel, true, "RACK_LOCAL"},
		{"strictly this rack, and all accepted", "/r1 x1 1024,1;* x1 1024,1 strict", policy.AnyLevel, true, "RACK_LOCAL"},
		{"strictly this rack, too near", "/r1 x1 1024,1;* x1 1024,1 strict", policy.NodeLevel, true, "-"},
		{"strictly another rack", "/r2 x1 1024,1;* x1 1024,1 strict", policy.AnyLevel, false, ""},
		{"strictly anywhere, nothing left for the rack", "/r1 x0 1024,1;* x1 1024,1 strict", policy.AnyLevel, false, ""},
		{"strictly this host", "n1 x1 1024,1;/r1 x1 1024,1 strict;* x1 1024,1 strict", policy.NodeLevel, true, "NODE_LOCAL"},
		{"strictly another host", "n2 x1 1024,1;/r1 x1 1024,1 strict;* x1 1024,1", policy.AnyLevel, false, ""},
		{"strictly this host, nothing left", "n1 x0 1024,1;/r1 x1 1024,1 strict;* x1 1024,1", policy.AnyLevel, false, ""},
		{"the rack is strict and has nothing left", "n1 x1 1024,1;/r1 x0 1024,1 strict;* x1 1024,1", policy.AnyLevel, true, "-"},
		{"nothing for anywhere", "n1 x1 1024,1;/r1 x1 1024,1", policy.AnyLevel, false, ""},
		{"as large as the node", "* x1 8192,8", policy.AnyLevel, true, "OFF_SWITCH"},
		{"larger than the node", "* x1 8193,1", policy.AnyLevel, false, ""},
		{"more vcores than the node", "* x1 1024,9", policy.AnyLevel, false, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := newGolden(t, halfThresholds, "")
			g.fourNodes()
			g.app(1, "root.q")
			g.ask(1, 1, strings.Split(tt.asks, ";")...)
			a := g.f.attempt(1)
			table := a.Table(yarn.Key{Priority: 1, Request: -1})
			table.Level = tt.level
			o, ok := a.look(table, g.f.cluster.Node(0))
			if ok != tt.look {
				t.Fatalf("the node is looked at: %v, want %v", ok, tt.look)
			}
			if !ok {
				return
			}
			got := "-"
			if rec, level := g.f.match(table, &o); rec != nil {
				got = level.String()
			}
			if got != tt.want || table.Offers != 1 {
				t.Errorf("%s after %d offers, want %s after 1", got, table.Offers, tt.want)
			}
		})
	}
}

func TestMaximumOfTheQueueBoundsTheAsk(t *testing.T) {
	for ask, want := range map[string]string{"* x1 2048,1": "a1c3", "* x1 2049,1": "-", "* x1 1024,3": "-", "* x1 1024,2": "a1c3"} {
		g := newGolden(t, many, `<queue name="p"><maxResources>4096 mb,4 vcores</maxResources><queue name="q"/></queue>`)
		g.fourNodes()
		g.app(1, "root.p.q")
		g.ask(1, 1, "* x2 1024,1")
		g.f.Update()
		g.wantHB("a1c1 a1c2", "n1")
		g.ask(1, 1, ask)
		g.f.Update()
		if got := g.hb("n2"); got != want {
			t.Errorf("%s with half of the maximum used: %s, want %s", ask, got, want)
		}
	}
}

// managed submits an application with an application master and asks for its container.
func (g *golden) managed(id protocol.AppID, queue string, size resource.Resource) {
	g.t.Helper()
	if err := g.f.AddApp(yarn.AppSpec{ID: id, User: "u", Queue: queue, AMSize: size}); err != nil {
		g.t.Fatal(err)
	}
	g.f.AddAttempt(id)
	g.ask(id, 0, fmt.Sprintf("* x1 %d,%d", size[0], size[1]))
}

func TestShareOfApplicationMasters(t *testing.T) {
	const half = `<queue name="q"><maxAMShare>0.5</maxAMShare></queue>`
	for _, tt := range []struct {
		name, queues  string
		first, second resource.Resource
		want          string // what the second master gets after the first
	}{
		// The queue has all of 8192 MiB. It has no fair share of vcores, so that those count that are free.
		{"half of the memory for two", half, resource.R(2048, 1), resource.R(2048, 1), "a2c1"},
		{"a little more", half, resource.R(2048, 1), resource.R(2049, 1), "-"},
		{"half of 6 free vcores", half, resource.R(1024, 2), resource.R(1024, 1), "a2c1"},
		{"one more", half, resource.R(1024, 2), resource.R(1024, 2), "-"},
		{"rounded up", `<queue name="q"><maxAMShare>0.4999</maxAMShare></queue>`, resource.R(1024, 2), resource.R(1024, 1), "a2c1"},
		{"no more vcores than the maximum", `<queue name="q"><maxAMShare>0.5</maxAMShare><maxResources>8192 mb,4 vcores</maxResources></queue>`,
			resource.R(1024, 2), resource.R(1024, 1), "-"},
		{"no limit", `<queue name="q"><maxAMShare>-1.0</maxAMShare></queue>`, resource.R(2048, 4), resource.R(4096, 2), "a2c1"},
		{"nearly no limit is a limit of nothing", `<queue name="q"><maxAMShare>-0.999</maxAMShare></queue>`, resource.R(1024, 1), resource.R(1024, 1), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := newGolden(t, nil, tt.queues)
			g.node("n1", "/r1", 8192, 8)
			g.managed(1, "root.q", tt.first)
			g.managed(2, "root.q", tt.second)
			g.f.Update()
			q := g.queue("root.q")
			if tt.want == "" {
				g.wantHB("-, -", "n1", "n1")
				return
			}
			g.wantHB("a1c1, "+tt.want, "n1", "n1")
			used := tt.first
			if tt.want != "-" {
				used = used.Add(tt.second)
			}
			g.wantShare("used by masters", q.amUsed, used)
			// The first goes on without its master: other containers count for nothing.
			g.ask(1, 1, "* x1 512,1")
			g.f.Update()
			g.wantHB("a1c2", "n1")
			g.wantShare("used by masters", q.amUsed, used)
			g.f.RemoveApp(1)
			g.wantShare("used by masters", q.amUsed, used.Sub(tt.first))
			g.f.Update()
			if tt.want == "-" {
				g.wantHB("a2c1", "n1")
			}
		})
	}
}

// Masters that others run are not counted.
func TestUnmanagedMastersAreNotCounted(t *testing.T) {
	g := newGolden(t, nil, `<queue name="q"><maxAMShare>0.1</maxAMShare></queue>`)
	g.node("n1", "/r1", 8192, 8)
	g.app(1, "root.q")
	g.ask(1, 1, "* x1 8192,8")
	g.f.Update()
	g.wantHB("a1c1", "n1")
	g.wantShare("used by masters", g.queue("root.q").amUsed, resource.Resource{})
}

func TestHeadroom(t *testing.T) {
	g := newGolden(t, nil, `<queue name="q"><maxResources>20480 mb,10 vcores</maxResources></queue>`)
	g.fourNodes()
	g.app(1, "root.q")
	g.app(2, "root.z")
	g.ask(1, 1, "* x1 1024,1")
	g.ask(2, 1, "* x1 2048,4")
	g.f.Update()
	g.wantHB("a1c1, a2c1", "n1", "n2")
	g.f.Update()
	g.queue("root.q").fair = resource.R(18_000, 0)
	headroom := func(add, remove []string) resource.Resource {
		t.Helper()
		var req protocol.AllocateRequest
		for _, n := range add {
			req.BlacklistAdd = append(req.BlacklistAdd, g.names.Intern(n))
		}
		for _, n := range remove {
			req.BlacklistRemove = append(req.BlacklistRemove, g.names.Intern(n))
		}
		var resp protocol.AllocateResponse
		if err := g.f.Allocate(1, &req, &resp); err != nil {
			t.Fatal(err)
		}
		if resp.Nodes != 4 {
			t.Errorf("%d nodes, want 4", resp.Nodes)
		}
		return resp.Headroom
	}
	// 32768 MiB and 32 vcores less 3072 and 5 are free; the queue has 19456 and 9 left, of its fair share 16976.
	g.wantShare("headroom", headroom(nil, nil), resource.R(16_976, 9))
	// Without n1 (7168, 7) and n2 (6144, 4) 16384 MiB and 16 vcores are free.
	g.wantShare("without two nodes", headroom([]string{"/r1"}, nil), resource.R(16_384, 9))
	g.wantShare("without three", headroom([]string{"n3"}, nil), resource.R(8192, 8))
	// What is free on them is looked at again.
	g.kill(2, 1)
	g.wantShare("the node has more, which is refused too", headroom(nil, nil), resource.R(8192, 8))
	g.wantShare("a node back", headroom(nil, []string{"n3"}), resource.R(16_384, 9))
	g.wantShare("all back", headroom(nil, []string{"/r1"}), resource.R(16_976, 9))
}

// Applications of one queue differ by what they demand when weights go by size.
func TestSizeBasedWeight(t *testing.T) {
	for size, want := range map[string]float64{"": 1, "true": math.Log1p(3072) / math.Ln2} {
		site := map[string]string{}
		if size != "" {
			site["yarn.scheduler.fair.sizebasedweight"] = size
		}
		g := newGolden(t, site, "")
		g.fourNodes()
		g.app(1, "root.q")
		g.ask(1, 1, "* x3 1024,1")
		g.f.Update()
		if got := g.f.attempt(1).Weight; got != float32(want) {
			t.Errorf("sizebasedweight %q: weight %v, want %v", size, got, want)
		}
	}
}

// Of applications that ask alike the earlier goes first, then the smaller number; fifo leaves keep to the start, too.
func TestOrderOfEqualApplications(t *testing.T) {
	for _, queues := range []string{
		"", `<defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy>`, `<queue name="q"><schedulingPolicy>fifo</schedulingPolicy></queue>`,
	} {
		g := newGolden(t, nil, queues)
		g.fourNodes()
		for i, id := range []protocol.AppID{7, 3, 12, 5} {
			g.f.SetClock(2000 + int64(i/2))
			g.app(id, "root.q")
			g.ask(id, 1, "* x1 1024,1")
		}
		g.f.Update()
		g.wantHB("a3c1, a7c1, a5c1, a12c1", hosts("n1", 4)...)
	}
}

func TestContainersToBePreemptedAreRemembered(t *testing.T) {
	g := newGolden(t, many, "")
	g.fourNodes()
	g.app(1, "root.q")
	g.ask(1, 1, "* x3 1024,1")
	g.f.Update()
	g.wantHB("a1c1 a1c2 a1c3", "n1")
	a := g.f.attempt(1)
	c := func(n int64) *yarn.Container { return a.Live(protocol.ContainerID{App: 1, N: n}) }
	preempt := func() string {
		t.Helper()
		var resp protocol.AllocateResponse
		if err := g.f.Allocate(1, &protocol.AllocateRequest{}, &resp); err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(resp.Preempt)
	}
	for _, n := range []int64{1, 3, 1} {
		a.remember(c(n))
	}
	g.wantShare("marked", a.markedSize, resource.R(2048, 2))
	if got := preempt(); got != "[{1 1} {1 3}]" {
		t.Errorf("the master is told %s", got)
	}
	a.forget(c(2))
	a.forget(c(1))
	g.wantShare("marked", a.markedSize, resource.R(1024, 1))
	g.kill(1, 3)
	g.wantShare("marked", a.markedSize, resource.Resource{})
	if got := preempt(); got != "[]" {
		t.Errorf("the master is told %s", got)
	}
}

// A leaf whose policy becomes fifo and whose share changes at once: those behind the first keep what the last update had given them.
func TestSharesThatAreKept(t *testing.T) {
	g := newGolden(t, nil, `<queue name="a"/><queue name="b"/>`)
	g.fourNodes()
	g.app(1, "root.a")
	g.f.Update()
	g.app(2, "root.a")
	g.f.Update()
	g.app(3, "root.b")
	next, err := conf.ParseAllocations([]byte(`<allocations><queue name="a"><schedulingPolicy>fifo</schedulingPolicy></queue><queue name="b"/></allocations>`), g.f.site)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.f.Reload(next); err != nil {
		t.Fatal(err)
	}
	g.f.Update()
	for id, mem := range map[protocol.AppID]int64{1: 16384, 2: 16384, 3: 16384} {
		if got := g.f.share(g.f.attempt(id))[resource.Memory]; got != mem {
			t.Errorf("share of application %d is %d MiB, want %d", id, got, mem)
		}
	}
}

// The memory of an attempt that has left is that of another one only when nothing speaks of it any more: no container on a node, and no list.
func TestMemoryOfAttemptsThatHaveLeft(t *testing.T) {
	g := newGolden(t, nil, "")
	g.node("n1", "/r1", 4096, 4)
	g.app(1, "root.q")
	g.ask(1, 1, "* x1 1024,1")
	g.f.Update()
	g.wantHB("a1c1", "n1")
	g.f.attempt(1).Pull()
	id := protocol.ContainerID{App: 1, N: 1}
	g.f.Launched(0, []protocol.ContainerID{id})
	old := g.f.attempt(1)
	g.f.RemoveApp(1)
	next := protocol.AppID(1)
	taken := func(what string, want bool) {
		t.Helper()
		next++
		g.app(next, "root.q")
		if got := g.f.attempt(next) == old; got != want {
			t.Errorf("%s: the next attempt has its memory: %v, want %v", what, got, want)
		}
	}
	taken("a node holds a container", false)
	g.f.Update()
	taken("a node holds a container as of an update", false)
	g.f.NodeUpdate(0, nil, []protocol.Status{{ID: id}})
	g.f.Update()
	q := old.queue
	for _, tt := range []struct {
		what    string
		in, out func()
	}{
		{"its usage is news for the next update", func() { old.outdated = true }, func() { old.outdated = false }},
		{"it has a place to be settled", func() { old.moved = true }, func() { old.moved = false }},
		{"it stands in the list of runnable ones once more", func() { old.listed = 1 }, func() { old.listed = 0 }},
		{"it counts in what its queue wants", func() { old.counted = 1 }, func() { old.counted = 0 }},
		{"offers are counted for its table", func() { old.had[0].Leaf = new(int64) }, func() { old.had[0].Leaf = nil }},
		{"its leaf was found to want what it asks for", func() { q.found.named = []named{{app: old}} }, func() { q.found.named = nil }},
		{"a survey found so", func() { g.f.elision.named = []named{{app: old}} }, func() { g.f.elision.named = nil }},
		{"it stands in a partial order", func() { q.ordered = []*app{old} }, func() { q.ordered = nil }},
		{"it waits for preemption", func() { g.f.starving.add(old) }, func() { g.f.starving = newStarvedApps() }},
	} {
		tt.in()
		taken(tt.what, false)
		tt.out()
	}
	table := old.had[0]
	taken("nothing speaks of it", true)
	if a := g.f.attempt(next); a.ID() != next || a.Stopped || !a.Used.IsNone() || !a.Usage.IsNone() || len(a.had) > 0 || a.amRunning || a.Live(id) != nil || a.NextContainer().Number() != 1 {
		t.Errorf("the attempt has something of the one whose memory it has: %+v", a)
	}
	g.ask(next, 1, "* x2 1024,1")
	if got := g.f.attempt(next).Active(); len(got) != 1 || got[0] != table || table.AnyCount() != 2 || table.Offers != 0 {
		t.Errorf("the attempt asks with the tables %v, want one in the memory of the other's", got)
	}
}

// What an attempt has asked by is the memory of another one's asks as soon as nothing is asked for, and nothing that was found speaks of it.
func TestAsksAreForgotten(t *testing.T) {
	g := newGolden(t, nil, "")
	g.node("n1", "/r1", 4096, 4)
	g.node("n2", "/r1", 4096, 4)
	g.f.Epoch([]protocol.NodeID{0, 1})
	g.f.Beats(0, true)
	g.f.Beats(1, true)
	g.app(1, "root.q")
	g.ask(1, 1, "n1 x1 1024,1", "/r1 x1 1024,1", "* x1 1024,1")
	g.f.Update()
	a := g.f.attempt(1)
	table := a.Active()[0]
	g.f.placesOf(a, table)
	kept := func(what string) {
		t.Helper()
		g.f.ForgetAsks(1)
		if tables := a.AppendTables(nil); len(tables) != 1 || a.asked == nil || len(g.f.asked) > 0 || len(a.had) > 0 {
			t.Errorf("%s, and its tables are %v", what, tables)
		}
	}
	kept("it asks for a container")
	g.wantHB("a1c1", "n1")
	q := a.queue
	for _, tt := range []struct {
		what    string
		in, out func()
	}{
		{"offers are counted for its table", func() { table.Leaf = new(int64) }, func() { table.Leaf = nil }},
		{"its leaf was found to want what it asked for", func() { q.found.named = []named{{app: a}} }, func() { q.found.named = nil }},
		{"a survey found so", func() { g.f.elision.named = []named{{app: a}} }, func() { g.f.elision.named = nil }},
		{"it has reserved a node", func() { a.reserved = make([]*yarn.Container, 1) }, func() { a.reserved = nil }},
		{"its order is the literal one", func() { g.f.literally = true }, func() { g.f.literally = false }},
		{"preemption has chosen containers", func() { g.f.chose = true }, func() { g.f.chose = false }},
	} {
		tt.in()
		kept(tt.what)
		tt.out()
	}
	asked := &a.asked[0]
	g.f.ForgetAsks(1)
	g.f.ForgetAsks(2) // which there is not
	g.app(2, "root.q")
	g.ask(2, 1, "n2 x2 1024,1", "/r1 x2 1024,1", "* x2 1024,1")
	b := g.f.attempt(2)
	if got := b.Active(); len(got) != 1 || got[0] != table || table.AnyCount() != 2 || table.Offers != 0 {
		t.Fatalf("another attempt asks with %v, want one table in the memory of the other's", got)
	}
	if p := g.f.placesOf(b, table); p != asked || p.hosts.Has(0) || !p.hosts.Has(1) {
		t.Errorf("another attempt asks for the nodes %v, want the second one, in the memory of the other's", p.hosts)
	}
	g.f.Update()
	g.wantHB("a2c1", "n2")
	if g.f.RemoveApp(1); g.f.attempt(2).Active()[0].AnyCount() != 1 {
		t.Errorf("an attempt that leaves takes what another one asks for with it")
	}
}
