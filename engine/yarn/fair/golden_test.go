package fair

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/engine/yarn/conf"
	"replay/policy/resource"
)

// golden drives a FairScheduler as the scenarios of YARN's own class were driven: unmanaged application masters,
// cluster timestamp 1, NodeManagers on port 123.
type golden struct {
	t     *testing.T
	f     *Scheduler
	names *protocol.Names
	hosts []string
	did   []protocol.ContainerID
	ran   []protocol.AppID // told that they may run
	marks []string
}

func newGolden(t *testing.T, site map[string]string, queues string) *golden {
	t.Helper()
	props := map[string]string{
		"yarn.scheduler.maximum-allocation-mb":                  "65536",
		"yarn.scheduler.maximum-allocation-vcores":              "64",
		"yarn.resourcemanager.work-preserving-recovery.enabled": "false",
	}
	maps.Copy(props, site)
	s, err := conf.NewSite(props)
	if err != nil {
		t.Fatal(err)
	}
	alloc, err := conf.ParseAllocations([]byte("<allocations>"+queues+"</allocations>"), s)
	if err != nil {
		t.Fatal(err)
	}
	g := &golden{t: t, names: protocol.NewNames()}
	g.f, err = New(s, alloc, g.names, 1, func(e *yarn.Event) {
		switch e.Kind {
		case yarn.Allocated:
			g.did = append(g.did, e.Container.ID)
		case yarn.Runnable:
			g.ran = append(g.ran, e.App)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	g.f.ObservePreemption(func(p *Preemption) {
		var chosen []string
		for _, c := range p.Marked {
			chosen = append(chosen, fmt.Sprintf("a%dc%d", c.ID.App, c.ID.N))
		}
		g.marks = append(g.marks, fmt.Sprintf("a%d: %s", p.App, strings.Join(chosen, " ")))
	})
	g.f.SetClock(2000)
	return g
}

func (g *golden) node(host, rack string, mem, vcores int64) {
	g.f.AddNode(yarn.NodeSpec{
		ID: protocol.NodeID(len(g.hosts)), Host: g.names.Intern(host), Rack: g.names.Intern(rack), Port: 123, Total: resource.R(mem, vcores),
	})
	g.hosts = append(g.hosts, host)
}

func (g *golden) app(id protocol.AppID, queue string) { g.appOf("u", id, queue) }

func (g *golden) appOf(user string, id protocol.AppID, queue string) {
	g.t.Helper()
	if err := g.f.AddApp(yarn.AppSpec{ID: id, User: user, Queue: queue, Unmanaged: true}); err != nil {
		g.t.Fatal(err)
	}
	g.f.AddAttempt(id)
}

// ask updates the table of an application: "n1 x1 1024,1" each, with "strict" behind it for relaxLocality false.
func (g *golden) ask(id protocol.AppID, priority int32, asks ...string) {
	g.t.Helper()
	req := protocol.AllocateRequest{}
	for _, text := range asks {
		a := protocol.Ask{Priority: priority, RequestID: -1, Relax: !strings.HasSuffix(text, " strict")}
		var name string
		if _, err := fmt.Sscanf(text, "%s x%d %d,%d", &name, &a.Count, &a.Size[0], &a.Size[1]); err != nil {
			g.t.Fatalf("%s: %v", text, err)
		}
		a.Name = g.names.Intern(name)
		req.Asks = append(req.Asks, a)
	}
	g.f.attempt(id).Update(req.Asks, false)
	g.f.outdate(g.f.attempt(id))
}

func (g *golden) host(name string) protocol.NodeID {
	return protocol.NodeID(slices.Index(g.hosts, name))
}

// hb is a heartbeat: the containers that it allocated, by application, and the node's reservation.
func (g *golden) hb(host string) string {
	g.did = g.did[:0]
	g.f.NodeUpdate(g.host(host), nil, nil)
	slices.SortFunc(g.did, func(a, b protocol.ContainerID) int { return cmp.Or(cmp.Compare(a.App, b.App), cmp.Compare(a.N, b.N)) })
	var out []string
	for _, id := range g.did {
		out = append(out, fmt.Sprintf("a%dc%d", id.App, id.N))
	}
	if r := g.f.cluster.Node(g.host(host)).Reserved; r != nil {
		out = append(out, fmt.Sprintf("[res c%d a%d]", r.ID.N, r.ID.App))
	}
	if len(out) == 0 {
		return "-"
	}
	return strings.Join(out, " ")
}

func (g *golden) wantHB(want string, hosts ...string) {
	g.t.Helper()
	var got []string
	for _, h := range hosts {
		got = append(got, g.hb(h))
	}
	if s := strings.Join(got, ", "); s != want {
		g.t.Errorf("heartbeats of %v: %s, want %s", hosts, s, want)
	}
}

// wantTable compares level, opportunities and table of a key.
func (g *golden) wantTable(id protocol.AppID, priority int32, want string) {
	g.t.Helper()
	t := g.f.attempt(id).Table(yarn.Key{Priority: priority, Request: -1})
	var rows []string
	for name, r := range t.Records {
		rows = append(rows, fmt.Sprintf("%s=%d", g.names.Text(name), r.Count))
	}
	slices.Sort(rows)
	if got := fmt.Sprintf("%v %d: %s", t.Level, t.Offers, strings.Join(rows, " ")); got != want {
		g.t.Errorf("key is %q, want %q", got, want)
	}
}

func (g *golden) kill(id protocol.AppID, n int64) {
	c := protocol.ContainerID{App: id, N: n}
	g.f.completedAs(g.f.live(c), c, protocol.ExitAborted, yarn.EventKill)
}

func (g *golden) queue(path string) *queue { return g.f.tree.byName[path] }

func (g *golden) wantShare(what string, got, want resource.Resource) {
	g.t.Helper()
	if got != want {
		g.t.Errorf("%s is %v, want %v", what, got, want)
	}
}

func hosts(name string, times int) []string { return slices.Repeat([]string{name}, times) }

var (
	halfThresholds = map[string]string{"yarn.scheduler.fair.locality.threshold.node": "0.5", "yarn.scheduler.fair.locality.threshold.rack": "0.5"}
	many           = map[string]string{"yarn.scheduler.fair.assignmultiple": "true", "yarn.scheduler.fair.dynamic.max.assign": "false"}
)

func (g *golden) fourNodes() {
	for i, rack := range []string{"/r1", "/r1", "/r2", "/r2"} {
		g.node(fmt.Sprintf("n%d", i+1), rack, 8192, 8)
	}
}

func TestG1StaleDemand(t *testing.T) {
	g := newGolden(t, nil, "")
	g.node("n1", "/r1", 8192, 8)
	g.app(1, "root.q")
	g.ask(1, 1, "* x2 1024,1")
	g.wantHB("-", "n1")
	g.f.Update()
	g.wantHB("a1c1, a1c2, -", hosts("n1", 3)...)
	g.wantShare("share of the application", g.f.attempt(1).fair, resource.R(8192, 0))
	g.wantShare("share of the leaf", g.queue("root.q").fair, resource.R(8192, 0))
	g.wantTable(1, 1, "none 2: ")
}

func TestG2LocalityByOpportunities(t *testing.T) {
	g := newGolden(t, halfThresholds, "")
	g.fourNodes()
	g.app(1, "root.q")
	asks := []string{"n1 x1 1024,1", "/r1 x1 1024,1", "* x1 1024,1"}
	g.ask(1, 1, asks...)
	g.f.Update()
	for _, s := range []struct{ host, did, table string }{
		{"n2", "-", "NODE_LOCAL 1: *=1 /r1=1 n1=1"},
		{"n3", "-", "NODE_LOCAL 2: *=1 /r1=1 n1=1"},
		{"n4", "-", "RACK_LOCAL 0: *=1 /r1=1 n1=1"},
		{"n2", "a1c1", "RACK_LOCAL 1: n1=1"},
		{"", "", ""},
		{"n3", "-", "RACK_LOCAL 2: *=1 /r1=1 n1=1"},
		{"n3", "a1c2", "OFF_SWITCH 0: /r1=1 n1=1"},
		{"n3", "-", "OFF_SWITCH 0: /r1=1 n1=1"},
	} {
		if s.host == "" {
			g.ask(1, 1, asks...)
			g.f.Update()
			continue
		}
		g.wantHB(s.did, s.host)
		g.wantTable(1, 1, s.table)
	}
}

func TestG3SuccessKeepsOpportunities(t *testing.T) {
	g := newGolden(t, halfThresholds, "")
	g.fourNodes()
	g.app(1, "root.q")
	g.ask(1, 1, "n1 x3 1024,1", "/r1 x3 1024,1", "* x3 1024,1")
	g.f.Update()
	for _, s := range []struct{ host, did, table string }{
		{"n1", "a1c1", "NODE_LOCAL 1: *=2 /r1=2 n1=2"},
		{"n1", "a1c2", "NODE_LOCAL 2: *=1 /r1=1 n1=1"},
		{"n1", "a1c3", "NODE_LOCAL 0: "},
		{"", "", ""},
		{"n3", "-", "NODE_LOCAL 1: *=1 /r1=0 n1=0"},
		{"n4", "-", "NODE_LOCAL 2: *=1 /r1=0 n1=0"},
		{"n3", "-", "RACK_LOCAL 0: *=1 /r1=0 n1=0"},
		{"n4", "-", "RACK_LOCAL 1: *=1 /r1=0 n1=0"},
	} {
		if s.host == "" {
			g.ask(1, 1, "n1 x0 1024,1", "/r1 x0 1024,1", "* x1 1024,1")
			g.f.Update()
			continue
		}
		g.wantHB(s.did, s.host)
		g.wantTable(1, 1, s.table)
	}
}

func TestG4ThresholdIsFloat(t *testing.T) {
	g := newGolden(t, map[string]string{"yarn.scheduler.fair.locality.threshold.node": "0.7", "yarn.scheduler.fair.locality.threshold.rack": "0.7"}, "")
	for i := 1; i <= 10; i++ {
		g.node(fmt.Sprintf("n%d", i), fmt.Sprintf("/r%d", i%2), 8192, 8)
	}
	g.app(1, "root.q")
	g.ask(1, 1, "n1 x1 1024,1", "/r1 x1 1024,1", "* x1 1024,1")
	g.f.Update()
	g.wantHB("-, -, -, -, -, -", hosts("n3", 6)...)
	g.wantTable(1, 1, "NODE_LOCAL 6: *=1 /r1=1 n1=1")
	g.wantHB("a1c1", "n3")
	g.wantTable(1, 1, "RACK_LOCAL 0: n1=1")
}

func TestG5SharesAndOrder(t *testing.T) {
	g := newGolden(t, nil, `<queue name="a"><minResources>4096 mb,4 vcores</minResources></queue><queue name="b"><weight>3.0</weight></queue><queue name="c"/>`)
	g.node("n1", "/r1", 16384, 16)
	for i, q := range []string{"a", "b", "c"} {
		g.app(protocol.AppID(i+1), "root."+q)
		g.ask(protocol.AppID(i+1), 1, "* x16 1024,1")
	}
	g.f.Update()
	for q, want := range map[string]int64{"root.a": 4096, "root.b": 9216, "root.c": 3072} {
		g.wantShare(q, g.queue(q).fair, resource.R(want, 0))
		g.wantShare("steady "+q, g.queue(q).steady, resource.R(want, 0))
	}
	g.wantHB("a1c1, a1c2, a1c3, a1c4, a2c1, a3c1, a2c2, a2c3, a2c4, a3c2, a2c5, a2c6, a2c7, a3c3, a2c8, a2c9", hosts("n1", 16)...)
}

func TestG6AssignMultiple(t *testing.T) {
	g := newGolden(t, map[string]string{"yarn.scheduler.fair.assignmultiple": "true"}, "")
	g.node("n1", "/r1", 10240, 10)
	for i, q := range []string{"root.a", "root.b", "root.c"} {
		g.app(protocol.AppID(i+1), q)
		g.ask(protocol.AppID(i+1), 1, "* x20 1024,1")
	}
	g.f.Update()
	g.wantShare("root.a", g.queue("root.a").fair, resource.R(3414, 0))
	g.wantHB("a1c1 a1c2 a2c1 a2c2 a3c1 a3c2, a1c3 a2c3 a3c3, a1c4, -", hosts("n1", 4)...)
}

func TestG7ReservationThreshold(t *testing.T) {
	for ask, want := range map[string]string{"* x1 2048,1": "[res c1 a2]", "* x1 1024,1": "-"} {
		g := newGolden(t, nil, "")
		g.node("n1", "/r1", 4096, 4)
		g.app(1, "root.a")
		g.ask(1, 1, "* x4 1024,1")
		g.f.Update()
		g.wantHB("a1c1, a1c2, a1c3, a1c4", hosts("n1", 4)...)
		g.app(2, "root.b")
		g.ask(2, 1, ask)
		g.f.Update()
		g.wantHB(want, "n1")
	}
}

func TestG8NumberOfReservations(t *testing.T) {
	g := newGolden(t, nil, "")
	for _, n := range []string{"n1 /r1", "n2 /r1", "n3 /r1", "n4 /r2"} {
		g.node(n[:2], n[3:], 2048, 2)
	}
	g.app(1, "root.a")
	g.ask(1, 1, "* x4 2048,1")
	g.f.Update()
	g.wantHB("a1c1, a1c2, a1c3, a1c4", "n1", "n2", "n3", "n4")
	g.app(2, "root.b")
	g.ask(2, 1, "* x4 2048,1")
	g.f.Update()
	g.wantHB("[res c1 a2], -, -, -", "n1", "n2", "n3", "n4")
	g.kill(1, 3)
	g.f.Update()
	g.wantHB("a2c2, [res c1 a2]", "n3", "n1")
	g.kill(1, 1)
	g.wantHB("a2c1, -", "n1", "n1")
}

// A reservation goes when nothing more is asked for: the node is free for others.
//
// Source: FSAppAttempt.assignReservedContainer.
func TestReservationForWhatIsNoMoreWanted(t *testing.T) {
	for _, left := range []string{"* x0 2048,1", "* x1 2048,1"} {
		g := newGolden(t, nil, "")
		g.node("n1", "/r1", 3072, 4)
		g.app(1, "root.a")
		g.ask(1, 1, "* x2 1024,1")
		g.f.Update()
		g.wantHB("a1c1, a1c2", "n1", "n1")
		g.app(2, "root.b")
		g.ask(2, 1, "* x1 2048,1")
		g.app(3, "root.c")
		g.ask(3, 1, "* x1 1024,1")
		g.f.Update()
		g.wantHB("[res c1 a2]", "n1")
		g.ask(2, 1, left)
		want := "a3c1"
		if left != "* x0 2048,1" {
			want = "[res c1 a2]"
		}
		g.wantHB(want, "n1")
	}
}

func TestG9FirstKeyBlocks(t *testing.T) {
	g := newGolden(t, nil, "")
	g.node("n1", "/r1", 2048, 4)
	g.app(1, "root.q")
	g.ask(1, 1, "* x1 1024,1")
	g.f.Update()
	g.wantHB("a1c1", "n1")
	g.ask(1, 2, "* x1 2048,1")
	g.ask(1, 3, "* x1 1024,1")
	g.f.Update()
	g.wantHB("[res c2 a1]", "n1")
	g.wantTable(1, 2, "none 1: *=1")
	g.wantTable(1, 3, "none 0: *=1")
}

func TestG10RecoveryAndRelease(t *testing.T) {
	g := newGolden(t, many, "")
	g.node("n1", "/r1", 8192, 8)
	g.app(1, "root.q")
	g.ask(1, 1, "n1 x3 1024,1", "/r1 x3 1024,1", "* x3 1024,1")
	g.f.Update()
	g.wantHB("a1c1 a1c2 a1c3", "n1")
	g.wantTable(1, 1, "none 3: ")
	g.kill(1, 2)
	g.wantTable(1, 1, "none 3: *=1 /r1=1 n1=1")
	g.wantShare("free", g.f.cluster.Node(0).Free, resource.R(6144, 6))
	g.wantShare("usage", g.f.attempt(1).Usage, resource.R(2048, 2))

	g = newGolden(t, nil, "")
	g.node("n1", "/r1", 8192, 8)
	g.app(1, "root.q")
	g.ask(1, 1, "* x1 1024,1")
	g.f.Update()
	g.wantHB("a1c1", "n1")
	id := protocol.ContainerID{App: 1, N: 1}
	g.f.NodeUpdate(0, []protocol.ContainerID{id}, nil)
	g.kill(1, 1)
	g.wantShare("free before the node's report", g.f.cluster.Node(0).Free, resource.R(7168, 7))
	g.wantShare("usage of the queue", g.queue("root.q").Usage, resource.Resource{})
	g.f.attempt(1).Requests.Update([]protocol.Ask{{Priority: 1, RequestID: -1}}, false)
	g.f.Update()
	g.f.NodeUpdate(0, nil, []protocol.Status{{ID: id, Exit: 143}})
	g.wantShare("free after it", g.f.cluster.Node(0).Free, resource.R(8192, 8))
}

func TestG11LimitsFIFONewStyleMaximum(t *testing.T) {
	g := newGolden(t, nil, `<queue name="x"><maxRunningApps>1</maxRunningApps></queue><queue name="y"><schedulingPolicy>fifo</schedulingPolicy></queue>`+
		`<queue name="z"><maxResources>memory-mb=4096</maxResources></queue><queueMaxAppsDefault>50</queueMaxAppsDefault>`)
	g.node("n1", "/r1", 8192, 8)
	for i, user := range []string{"u", "u", "v"} {
		g.f.SetClock(2000 + int64(i))
		g.appOf(user, protocol.AppID(i+1), "root.x")
	}
	x := g.queue("root.x")
	if len(x.runnable) != 1 || len(x.waiting) != 2 || g.f.tree.root.maxRunning != 50 {
		t.Errorf("%d run and %d wait, root's limit is %d", len(x.runnable), len(x.waiting), g.f.tree.root.maxRunning)
	}
	g.f.RemoveApp(1)
	if len(x.runnable) != 1 || x.runnable[0].ID() != 2 || len(x.waiting) != 1 {
		t.Errorf("after the first left, %d run and %d wait", len(x.runnable), len(x.waiting))
	}
	g.app(11, "root.y")
	g.f.SetClock(2005)
	g.app(12, "root.y")
	g.ask(11, 1, "* x2 1024,1")
	g.ask(12, 1, "* x2 1024,1")
	g.f.Update()
	for what, got := range map[string]resource.Resource{"y": g.queue("root.y").fair, "app 11": g.f.attempt(11).fair} {
		g.wantShare(what, resource.R(got[0], 0), resource.R(4096, 0))
	}
	g.wantShare("app 12", g.f.attempt(12).fair, resource.Resource{})
	g.wantHB("a11c1, a11c2, a12c1", hosts("n1", 3)...)
	if err := g.f.AddApp(yarn.AppSpec{ID: 21, User: "u", Queue: "root.z", Unmanaged: true}); err != nil {
		t.Fatal(err)
	}
	g.f.AddAttempt(21)
	g.ask(21, 1, "* x2 1024,1")
	g.f.Update()
	z := g.queue("root.z")
	g.wantShare("maximum of z", z.maxShare, resource.R(4096, 0))
	g.wantShare("demand of z", z.Demand, resource.R(2048, 0))
	g.wantShare("share of z", z.fair, resource.R(2731, 0))
	g.wantHB("a12c2, -, -", hosts("n1", 3)...)
}

func TestG12DRFLeaf(t *testing.T) {
	g := newGolden(t, many, `<defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy>`)
	g.node("n1", "/r1", 20480, 20)
	g.app(1, "root.d")
	g.app(2, "root.d")
	g.ask(1, 1, "* x9 4096,1")
	g.ask(2, 1, "* x9 1024,4")
	g.f.Update()
	for id := protocol.AppID(1); id <= 2; id++ {
		g.wantShare("share", g.f.attempt(id).fair, resource.R(10240, 10))
	}
	if did := strings.Fields(g.hb("n1")); len(did) != 8 {
		t.Errorf("%v were allocated, want eight containers", did)
	}
	g.wantShare("app 1", g.f.attempt(1).Usage, resource.R(16384, 4))
	g.wantShare("app 2", g.f.attempt(2).Usage, resource.R(4096, 16))
	g.wantShare("free", g.f.cluster.Node(0).Free, resource.Resource{})
}

func TestG14ContinuousScheduling(t *testing.T) {
	g := newGolden(t, map[string]string{"yarn.scheduler.fair.continuous-scheduling-enabled": "true"}, "")
	for i := 1; i <= 6; i++ {
		g.node(fmt.Sprintf("n%d", i), "/r1", 8192, 8)
	}
	g.app(1, "root.q")
	g.ask(1, 1, "* x12 1024,1")
	g.f.Update()
	for _, want := range []string{"0 1 0 0 0 0", "0 2 0 1 0 0", "0 3 1 2 0 0", "0 4 2 3 0 1"} {
		g.f.ContinuousPass()
		var counts []string
		for i := range 6 {
			counts = append(counts, fmt.Sprint(g.f.cluster.Node(protocol.NodeID(i)).Count()))
		}
		if got := strings.Join(counts, " "); got != want {
			t.Errorf("containers by node %s, want %s", got, want)
		}
	}
}

var backwards = []string{"n4", "n3", "n2", "n1"}

func TestG15StrictLocality(t *testing.T) {
	g := newGolden(t, nil, "")
	g.fourNodes()
	g.app(1, "root.q")
	g.ask(1, 1, "n1 x1 1024,1", "/r1 x1 1024,1 strict", "* x1 1024,1 strict")
	g.f.Update()
	g.wantHB("-, -, -, a1c1", backwards...)
	g.wantTable(1, 1, "none 1: ")

	g = newGolden(t, nil, "")
	g.fourNodes()
	g.app(1, "root.q")
	g.ask(1, 1, "/r1 x2 1024,1", "* x2 1024,1 strict")
	g.f.Update()
	g.wantHB("-, -, a1c1, a1c2", backwards...)
	g.wantTable(1, 1, "none 2: ")
}

func TestG16AnyGoverns(t *testing.T) {
	g := newGolden(t, nil, "")
	g.fourNodes()
	g.app(1, "root.q")
	g.ask(1, 1, "n1 x1 1024,1", "/r1 x1 1024,1")
	g.f.Update()
	g.wantHB("-, -, -, -", backwards...)
	if n := len(g.f.attempt(1).Active()); n != 0 {
		t.Errorf("%d keys are active", n)
	}
	g.wantTable(1, 1, "none 0: /r1=1 n1=1")
	g.ask(1, 1, "* x1 1024,1")
	g.f.Update()
	g.wantHB("a1c1", "n4")
	g.wantTable(1, 1, "none 1: /r1=1 n1=1")
	g.wantHB("-", "n1")
	g.ask(1, 1, "n1 x5 1024,1", "/r1 x5 1024,1", "* x5 1024,1")
	g.ask(1, 1, "* x0 1024,1")
	g.wantTable(1, 1, "none 1: ")
}

func TestG17KeyOrder(t *testing.T) {
	g := newGolden(t, nil, "")
	g.fourNodes()
	g.app(1, "root.q")
	g.ask(1, 5, "* x2 1024,1")
	g.ask(1, 1, "* x1 2048,1")
	g.ask(1, 3, "* x1 1024,2")
	g.f.Update()
	for _, want := range []resource.Resource{resource.R(6144, 7), resource.R(5120, 5), resource.R(4096, 4), resource.R(3072, 3)} {
		g.hb("n1")
		g.wantShare("free", g.f.cluster.Node(0).Free, want)
	}
}

func TestG18Blacklist(t *testing.T) {
	g := newGolden(t, nil, "")
	g.fourNodes()
	g.app(1, "root.q")
	g.ask(1, 1, "* x4 1024,1")
	g.f.Update()
	blacklist := func(add, remove []string) {
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
	}
	blacklist([]string{"n4", "/r1"}, nil)
	g.wantHB("-, a1c1, -, -", backwards...)
	blacklist([]string{"n3"}, []string{"n3", "/r1"})
	g.wantHB("-, a1c2, a1c3, a1c4", backwards...)
}

func TestG19ZeroWeightAndMaximum(t *testing.T) {
	g := newGolden(t, many, `<queue name="a"><weight>0</weight></queue><queue name="b"><weight>2</weight></queue><queue name="c"><maxResources>2048 mb,2 vcores</maxResources></queue>`)
	g.node("n1", "/r1", 12288, 12)
	for i, q := range []string{"a", "b", "c"} {
		g.app(protocol.AppID(i+1), "root."+q)
		g.ask(protocol.AppID(i+1), 1, "* x16 1024,1")
	}
	g.f.Update()
	for q, want := range map[string][2]resource.Resource{
		"root.a": {resource.R(0, 0), resource.R(16384, 16)}, "root.b": {resource.R(10240, 0), resource.R(16384, 16)}, "root.c": {resource.R(2048, 0), resource.R(2048, 2)},
	} {
		g.wantShare("share of "+q, g.queue(q).fair, want[0])
		g.wantShare("demand of "+q, g.queue(q).Demand, want[1])
	}
	g.hb("n1")
	for id, want := range map[protocol.AppID]int64{1: 0, 2: 10, 3: 2} {
		g.wantShare(fmt.Sprint("app ", id), g.f.attempt(id).Usage, resource.R(1024*want, want))
	}
}
