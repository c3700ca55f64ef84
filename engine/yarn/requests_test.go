package yarn

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"replay/engine/protocol"
	"replay/policy/resource"
)

// table is a test's view of an application's asks: one node on one rack.
type askTest struct {
	names *protocol.Names
	node  *Node
	app   *Attempt
}

func newAskTest() *askTest {
	names := protocol.NewNames()
	cluster := NewCluster(names, false)
	node := cluster.Add(NodeSpec{Host: names.Intern("n1"), Rack: names.Intern("/r1"), Total: resource.R(8192, 8)})
	return &askTest{names, node, NewAttempt(AppSpec{ID: 1}, 1, 1, 0, cluster.Places)}
}

// ask parses "n1 x3 /r1 x3 * x3" into asks of 1024 MiB at priority p.
func (a *askTest) ask(p int32, text string) { a.askFor(p, 1024, text) }

// askFor is ask with other sizes.
func (a *askTest) askFor(p int32, mib int64, text string) {
	var asks []protocol.Ask
	f := strings.Fields(text)
	for i := 0; i < len(f); i += 2 {
		var n int32
		fmt.Sscanf(f[i+1], "x%d", &n)
		asks = append(asks, protocol.Ask{Priority: p, Name: a.names.Intern(f[i]), Count: n, Size: resource.R(mib, 1), Relax: true})
	}
	a.app.Update(asks, false)
}

// state prints the tables by key: active ones with a star.
func (a *askTest) state() string {
	var out []string
	for _, t := range a.app.tables {
		if !t.present {
			continue
		}
		var rows []string
		for n, r := range t.Records {
			rows = append(rows, fmt.Sprintf("%s=%d", a.names.Text(n), r.Count))
		}
		slices.Sort(rows)
		mark := ""
		if t.active {
			mark = "!"
		}
		out = append(out, fmt.Sprintf("p%d%s %s", t.Priority, mark, strings.Join(rows, " ")))
	}
	return strings.Join(out, "; ")
}

func TestRequestTable(t *testing.T) {
	take := func(level protocol.NodeType) func(*askTest) {
		return func(a *askTest) { a.app.Take(a.app.Active()[0], level, a.node, nil) }
	}
	ask := func(p int32, text string) func(*askTest) { return func(a *askTest) { a.ask(p, text) } }
	tests := []struct {
		name  string
		steps []func(*askTest)
		want  string
	}{
		{"asks replace", []func(*askTest){ask(1, "* x5"), ask(1, "* x2")}, "p1! *=2"},
		{"the last of a message wins", []func(*askTest){ask(1, "* x5 n1 x1 * x7")}, "p1! *=7 n1=1"},
		{"without * nothing is active", []func(*askTest){ask(1, "n1 x1 /r1 x1")}, "p1 /r1=1 n1=1"},
		{"* of 0 deletes the table", []func(*askTest){ask(1, "n1 x1 /r1 x1 * x1"), ask(1, "* x0")}, ""},
		{"node-local takes three records", []func(*askTest){ask(1, "n1 x3 /r1 x3 * x3"), take(protocol.NodeLocal)}, "p1! *=2 /r1=2 n1=2"},
		{"rack-local leaves the host", []func(*askTest){ask(1, "n1 x1 /r1 x1 * x1"), take(protocol.RackLocal)}, "p1 n1=1"},
		{"off-switch leaves host and rack", []func(*askTest){ask(1, "n1 x1 /r1 x1 * x1"), take(protocol.OffSwitch)}, "p1 /r1=1 n1=1"},
		{"leftovers wake with *", []func(*askTest){ask(1, "n1 x1 /r1 x1 * x1"), take(protocol.OffSwitch), ask(1, "* x2")}, "p1! *=2 /r1=1 n1=1"},
		{"an empty table goes", []func(*askTest){ask(1, "n1 x1 /r1 x1 * x1"), take(protocol.NodeLocal)}, ""},
		{"zero counts are records", []func(*askTest){ask(1, "n1 x0 /r1 x0 * x1")}, "p1! *=1 /r1=0 n1=0"},
		{"keys by priority number", []func(*askTest){ask(5, "* x1"), ask(1, "* x1"), ask(3, "* x1")}, "p1! *=1; p3! *=1; p5! *=1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := newAskTest()
			for _, step := range tt.steps {
				step(a)
			}
			if got := a.state(); got != tt.want {
				t.Errorf("tables %q, want %q", got, tt.want)
			}
		})
	}
}

// A record keeps the size that it was asked for with while others of its key are asked for with another one.
func TestUneven(t *testing.T) {
	a := newAskTest()
	for _, step := range []struct {
		mib    int64
		asks   string
		uneven bool
	}{
		{1024, "n1 x3 /r1 x3 * x3", false},
		{1024, "n1 x2 /r1 x2 * x2", false},
		{2048, "* x4", true},
		{2048, "n1 x4 /r1 x4 * x4", true}, // it may be generous
		{2048, "* x0", true},
		{3072, "n1 x1 /r1 x1 * x1", false}, // nothing was left
	} {
		a.askFor(1, step.mib, step.asks)
		if got := a.app.Table(Key{Priority: 1}).Uneven(); got != step.uneven {
			t.Errorf("after %s of %d MiB: uneven %v, want %v", step.asks, step.mib, got, step.uneven)
		}
	}

	// The record of the host outlasts that of "*".
	table := a.app.Table(Key{Priority: 1})
	a.ask(1, "* x0")
	a.ask(1, "n1 x2 /r1 x2 * x1")
	a.app.Take(table, protocol.RackLocal, a.node, nil)
	if a.askFor(1, 2048, "* x1"); !table.Uneven() {
		t.Error("what was left of a host is of another size than what is asked for anywhere, and that is not said")
	}
}

func TestPutBack(t *testing.T) {
	a := newAskTest()
	a.ask(1, "n1 x2 /r1 x2 * x2")
	table := a.app.Active()[0]
	first := a.app.Take(table, protocol.NodeLocal, a.node, nil)
	a.app.Take(table, protocol.NodeLocal, a.node, nil)
	if got := a.state(); got != "" {
		t.Fatalf("tables %q after both were taken", got)
	}
	a.app.PutBack(table.Key, first)
	a.app.PutBack(table.Key, first)
	if got, want := a.state(), "p1! *=2 /r1=2 n1=2"; got != want {
		t.Errorf("tables %q, want %q", got, want)
	}
	if got, want := a.app.Pending(), resource.R(2048, 2); got != want {
		t.Errorf("pending %v, want %v", got, want)
	}
}

func TestKeyOrder(t *testing.T) {
	update := protocol.ContainerID{App: 1, N: 4}
	keys := []Key{{1, -1, protocol.ContainerID{}}, {1, 0, protocol.ContainerID{}}, {9, 0, protocol.ContainerID{}}, {0, 0, update}}
	for i := range keys[1:] {
		if keys[i].Compare(keys[i+1]) >= 0 || keys[i+1].Compare(keys[i]) <= 0 {
			t.Errorf("%v does not come before %v", keys[i], keys[i+1])
		}
	}
}

// An attempt that begins in the memory of one that has stopped sees nothing of it, and that one nothing of the new.
func TestAttemptInTheMemoryOfAnother(t *testing.T) {
	names := protocol.NewNames()
	c := NewCluster(names, false)
	n := c.Add(NodeSpec{Host: names.Intern("h"), Rack: names.Intern("/r"), Total: resource.R(8192, 8)})
	var attempts []*Attempt
	for id := range protocol.AppID(2) {
		a := NewAttempt(AppSpec{ID: id + 1}, 1, 0, 0, c.Places)
		size := resource.R(1024, 1)
		a.Update([]protocol.Ask{{Name: protocol.Any, Count: 3, Size: size, Relax: true}}, false)
		first := a.NextContainer()
		if a.Live(first) != nil || len(a.Pull()) > 0 {
			t.Fatalf("attempt of application %d has a container before there is one", a.ID)
		}
		for _, old := range attempts {
			a.Allocated(a.NewContainer(a.NextContainer(), n, Key{}, size, 0), a.Table(Key{}), protocol.OffSwitch)
			if old.Live(protocol.NewContainerID(old.ID, 1, 2)) != nil || len(old.Pull()) > 0 || old.Table(Key{}) != nil {
				t.Fatalf("application %d has what %d got after it had stopped", old.ID, a.ID)
			}
		}
		if a.Table(Key{}).Number != 0 || a.Table(Key{}).Locations() != 1 || a.Table(Key{}).AnyCount() != 3-int32(len(attempts)) {
			t.Fatalf("application %d has other records than it asked for", a.ID)
		}
		a.Allocated(a.NewContainer(first, n, Key{}, size, 0), a.Table(Key{}), protocol.OffSwitch)
		a.Stop()
		attempts = append(attempts, a)
	}
}
