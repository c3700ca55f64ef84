package yarn

import (
	"slices"
	"testing"

	"replay/engine/protocol"
	"replay/policy/resource"
)

// What goes from a node that has become too small: no masters as long as there is anything else, the newest first, no more than needed.
func TestExcess(t *testing.T) {
	names := protocol.NewNames()
	c := NewCluster(names, false)
	n := c.Add(NodeSpec{Host: names.Intern("h"), Rack: names.Intern("/r"), Total: resource.R(8192, 8)})
	for i, created := range []int64{5, 9, 7, 7} { // number 2 is a master
		id := protocol.NewContainerID(1, 1, int64(i+1))
		n.Place(&Container{ID: id, Hash: int32(i), Node: n, App: new(Attempt), Size: resource.R(1024, 2), Created: created, AM: i == 1})
	}
	for _, tt := range []struct {
		memory, vcores int64
		calc           resource.Calculator
		want           []int64
	}{
		{4096, 8, resource.DefaultCalculator{}, nil},
		{4095, 8, resource.DefaultCalculator{}, []int64{3}},
		{3072, 1, resource.DefaultCalculator{}, []int64{3}},
		{3071, 8, resource.DefaultCalculator{}, []int64{3, 4}},
		{1024, 8, resource.DefaultCalculator{}, []int64{3, 4, 1}},
		{0, 8, resource.DefaultCalculator{}, []int64{3, 4, 1, 2}},
		{4096, 7, resource.NewDominant(2), []int64{3}},
	} {
		c.SetTotal(0, resource.R(tt.memory, tt.vcores))
		var got []int64
		for _, x := range n.Excess(tt.calc) {
			got = append(got, x.ID.Number())
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%d MiB, %d vcores: %v go, want %v", tt.memory, tt.vcores, got, tt.want)
		}
	}
}

// A container that has ended, and that its node has reported, is the memory of the next one, unless its attempt has changed sizes.
func TestSpare(t *testing.T) {
	names := protocol.NewNames()
	c := NewCluster(names, false)
	n := c.Add(NodeSpec{Host: names.Intern("h"), Rack: names.Intern("/r"), Total: resource.R(8192, 8)})
	ended := func(a *Attempt) *Container {
		x := a.NewContainer(a.NextContainer(), n, Key{}, resource.R(1024, 1), 0)
		for _, e := range []ContainerEvent{EventStart, EventAcquired, EventLaunched, EventFinished} {
			x.Handle(e)
		}
		n.Place(x)
		if got := n.Release(x.ID, x.Hash, true); got != x || n.Release(x.ID, x.Hash, true) != nil {
			t.Fatalf("released %v, want it once", got)
		}
		return x
	}
	a, b := NewAttempt(AppSpec{ID: 1}, 1, 0, 0, c.Places), NewAttempt(AppSpec{ID: 2}, 1, 0, 0, c.Places)
	lives := a.NewContainer(a.NextContainer(), n, Key{}, resource.R(1024, 1), 0)
	lives.Spare()
	first := ended(a)
	first.Spare()
	if next := b.NewContainer(b.NextContainer(), n, Key{Priority: 3}, resource.R(2048, 2), 7); next != first || next.App != b || next.Size != resource.R(2048, 2) ||
		next.State != ContainerNew || next.Launched() || lives.App != a {
		t.Errorf("%+v, want a container of its own in the memory of the one that ended", next)
	}
	b.Decrease(lives, resource.R(512, 1), 0)
	ended(b).Spare()
	if next := a.NewContainer(a.NextContainer(), n, Key{}, resource.R(1024, 1), 0); next.App != a || len(c.containers) > 0 {
		t.Errorf("a container of an attempt that has changed sizes is used again")
	}
}

// Of a node that has changed it is told whether its capability may have, once.
func TestResized(t *testing.T) {
	names := protocol.NewNames()
	c := NewCluster(names, false)
	n := c.Add(NodeSpec{Host: names.Intern("h"), Rack: names.Intern("/r"), Total: resource.R(4096, 4)})
	told := func(what string, want ...bool) {
		t.Helper()
		var got []bool
		c.Touched(func(n *Node) { got = append(got, n.Resized()) })
		if !slices.Equal(got, want) {
			t.Errorf("%s: nodes are told of as resized %v, want %v", what, got, want)
		}
	}
	told("registered", true)
	told("nothing")
	n.Touch()
	told("something else has changed", false)
	n.Touch()
	c.SetTotal(0, resource.R(2048, 4))
	told("its capability has changed, too", true)
	n.Touch()
	told("something else has changed again", false)
}

// A table in the memory of one that is gone knows nothing of what that wanted of a node.
func TestSpareTables(t *testing.T) {
	names := protocol.NewNames()
	c := NewCluster(names, false)
	n := c.Add(NodeSpec{Host: names.Intern("h"), Rack: names.Intern("/r"), Total: resource.R(8192, 8)})
	other := names.Intern("o")
	rack := protocol.RacksBy(func(host protocol.Name) protocol.Name {
		if host == n.Host {
			return n.Rack
		}
		return names.Intern("/s")
	})
	asks := func(a *Attempt, host protocol.Name) *Table {
		ask := []protocol.Ask{{Priority: 1, Name: protocol.Any, Count: 2, Size: resource.R(1024, 1), Relax: true}}
		a.Update(ask, false, protocol.LocalityAsk{Priority: 1, Group: 1, Locality: protocol.NewLocality([]protocol.Name{host}, rack), Count: 2})
		return a.Table(Key{Priority: 1})
	}
	a := NewAttempt(AppSpec{ID: 1}, 1, 0, 0, c.Places)
	first := asks(a, n.Host)
	if got := first.Host(n).Asked(); got != 2 {
		t.Fatalf("%d containers are wanted on the host, want 2", got)
	}
	tables := a.AppendTables(nil)
	a.Stop()
	c.SpareTables(tables)
	b := NewAttempt(AppSpec{ID: 2}, 1, 0, 0, c.Places)
	next := asks(b, other)
	if next != first || next.Version() == 0 || next.Host(n).Asked() != 0 || next.Rack(n).Asked() != 0 || next.AnyCount() != 2 {
		t.Errorf("%d containers are wanted on the host, %d on its rack and %d anywhere by a table in the memory of another, want 0, 0 and 2", next.Host(n).Asked(), next.Rack(n).Asked(), next.AnyCount())
	}
}

// Where ports are in the names of nodes requests find a node by host and port alone; masters see its host, and its place in the hash order stays.
func TestPortsInNames(t *testing.T) {
	names := protocol.NewNames()
	spec := NodeSpec{Host: names.Intern("h"), Rack: names.Intern("/r"), Port: 8041, Total: resource.R(8192, 8)}
	plain := NewCluster(names, false).Add(spec)
	c := NewCluster(names, true)
	n := c.Add(spec)
	if got := c.Named(names.Intern("h:8041")); len(got) != 1 || got[0] != n || len(c.Named(spec.Host)) != 0 {
		t.Errorf("nodes called h:8041 are %v, called h %v, want the one and none", got, c.Named(spec.Host))
	}
	if n.Hash != plain.Hash || n.HostHash == plain.HostHash {
		t.Errorf("hash codes of the node %d and of its name %d, without ports %d and %d, want the first alike", n.Hash, n.HostHash, plain.Hash, plain.HostHash)
	}
	if got := (&Container{Node: n}).Protocol().Host; got != spec.Host {
		t.Errorf("a master sees host %q, want h", names.Text(got))
	}
}
