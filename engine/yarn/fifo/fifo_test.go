package fifo

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/engine/yarn/conf"
	"replay/policy/resource"
)

// cluster is a scheduler whose allocations are recorded.
type cluster struct {
	*Scheduler
	names *protocol.Names
	made  []protocol.Container
}

func newCluster(t interface{ Fatal(...any) }) *cluster {
	site := conf.DefaultSite()
	site.WorkPreservingRecovery = false
	c := &cluster{names: protocol.NewNames()}
	s, err := New(site, c.names, 1_700_000_000_000, func(e *yarn.Event) {
		if e.Kind == yarn.Allocated {
			c.made = append(c.made, e.Container)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	c.Scheduler = s
	return c
}

func (c *cluster) node(i int, mem int64) {
	c.AddNode(yarn.NodeSpec{
		ID: protocol.NodeID(i), Host: c.host(i), Rack: c.rack(i), Port: 8041, Total: resource.R(mem, 4),
	})
}

func (c *cluster) host(i int) protocol.Name { return c.names.Intern(fmt.Sprintf("h%d", i)) }
func (c *cluster) rack(i int) protocol.Name { return c.names.Intern(fmt.Sprintf("/r%d", i%2)) }

func (c *cluster) app(id protocol.AppID, asks ...protocol.Ask) {
	if err := c.AddApp(yarn.AppSpec{ID: id, User: "u", Queue: "default"}); err != nil {
		panic(err)
	}
	c.AddAttempt(id)
	c.ask(id, asks...)
}

func (c *cluster) ask(id protocol.AppID, asks ...protocol.Ask) []protocol.Container {
	var out protocol.AllocateResponse
	if err := c.Allocate(id, &protocol.AllocateRequest{Asks: asks}, &out); err != nil {
		panic(err)
	}
	return out.Allocated
}

func ask(name protocol.Name, n int32, mem int64) protocol.Ask {
	return protocol.Ask{Priority: 1, Name: name, Count: n, Size: resource.R(mem, 3), Relax: true}
}

func TestOneHeartbeatFillsTheNode(t *testing.T) {
	c := newCluster(t)
	c.node(0, 8192)
	c.node(1, 8192)
	c.app(2, ask(protocol.Any, 9, 1024))
	c.app(1, ask(protocol.Any, 4, 1500), ask(c.host(0), 1, 1500), ask(c.rack(0), 2, 1500))
	c.NodeUpdate(0, nil, nil)
	var got []string
	for _, m := range c.made {
		got = append(got, fmt.Sprintf("%d %v %v", m.ID.App, m.Type, m.Size[:2]))
	}
	// 1500 is rounded up and loses its vcores; the lower number comes first, with its nearest level; the rack's record
	// has lost one to the host's.
	want := []string{"1 NODE_LOCAL [2048 1]", "1 RACK_LOCAL [2048 1]", "1 OFF_SWITCH [2048 1]", "1 OFF_SWITCH [2048 1]"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	c.made = nil
	c.NodeUpdate(1, nil, nil)
	if len(c.made) != 8 || c.made[0].ID.App != 2 {
		t.Errorf("got %v, want 8 containers of application 2", c.made)
	}
	if got := c.ask(1); len(got) != 4 {
		t.Errorf("application 1 is given %d containers, want 4", len(got))
	}
}

// A container that was given back and that its node still holds counts once in the queue's usage, but is taken from what
// headroom is made of for a second time when the node goes.
func TestNodeGoesWithAContainerGivenBack(t *testing.T) {
	c := newCluster(t)
	c.node(0, 4096)
	c.node(1, 4096)
	c.app(1, ask(protocol.Any, 4, 1024), ask(c.host(0), 1, 1024), ask(c.rack(0), 1, 1024))
	c.NodeUpdate(0, nil, nil)
	held := c.ask(1)[0].ID
	c.NodeUpdate(0, []protocol.ContainerID{held}, nil)
	var out protocol.AllocateResponse
	if err := c.Allocate(1, &protocol.AllocateRequest{Releases: []protocol.ContainerID{held}}, &out); err != nil {
		t.Fatal(err)
	}
	c.ask(1, ask(protocol.Any, 2, 1024))
	c.NodeUpdate(1, nil, nil)
	used := func() (r resource.Resource) {
		c.Queues(func(q *yarn.QueueState) { r = q.Used })
		return r
	}
	if got, want := used(), resource.R(5*1024, 5); got != want {
		t.Fatalf("usage is %v with both nodes, want %v", got, want)
	}
	c.RemoveNode(0)
	if got, want := used(), resource.R(2*1024, 2); got != want {
		t.Errorf("usage is %v after the node went, want %v", got, want)
	}
	c.NodeUpdate(1, nil, nil)
	if err := c.Allocate(1, &protocol.AllocateRequest{}, &out); err != nil {
		t.Fatal(err)
	}
	if got, want := out.Headroom[resource.Memory], int64(3*1024); got != want {
		t.Errorf("headroom is %d MiB, want %d: the container given back counts twice", got, want)
	}
}

func TestMinimumMustBePositive(t *testing.T) {
	site := conf.DefaultSite()
	site.MinAllocation = resource.Resource{}
	if _, err := New(site, protocol.NewNames(), 0, nil); err == nil {
		t.Error("a minimum of 0 was accepted")
	}
}

// No node is over its memory, and usage is the sum of the containers.
func TestInvariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := newCluster(t)
		nodes := rapid.IntRange(1, 5).Draw(t, "nodes")
		for i := range nodes {
			c.node(i, 1024*rapid.Int64Range(1, 8).Draw(t, "memory"))
		}
		running := map[protocol.NodeID][]protocol.ContainerID{}
		var apps []protocol.AppID
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			c.made = nil
			switch rapid.IntRange(0, 4).Draw(t, "step") {
			case 0:
				id := protocol.AppID(1)
				if len(apps) > 0 {
					id = apps[len(apps)-1] + 1
				}
				apps = append(apps, id)
				c.app(id)
			case 1:
				if len(apps) > 0 {
					n, i := rapid.Int32Range(0, 9).Draw(t, "count"), rapid.IntRange(0, 5).Draw(t, "wanted")
					size := 512 * rapid.Int64Range(1, 6).Draw(t, "size")
					c.ask(rapid.SampledFrom(apps).Draw(t, "asking"), ask(protocol.Any, n, size), ask(c.host(i), n, size), ask(c.rack(i), n, size))
				}
			default:
				n := protocol.NodeID(rapid.IntRange(0, nodes-1).Draw(t, "beating"))
				var ended []protocol.Status
				if l := running[n]; len(l) > 0 && rapid.Bool().Draw(t, "ends") {
					ended, running[n] = []protocol.Status{{ID: l[0]}}, l[1:]
				}
				c.NodeUpdate(n, nil, ended)
				for _, m := range c.made {
					running[n] = append(running[n], m.ID)
				}
			}
			var sum resource.Resource
			for i := range nodes {
				n := c.nodes.Node(protocol.NodeID(i))
				if n.Free[resource.Memory] < 0 || n.Used.Add(n.Free) != n.Total {
					t.Fatalf("node %d: used %v, free %v, total %v", i, n.Used, n.Free, n.Total)
				}
				for m := range n.Containers {
					sum = sum.Add(m.Size)
				}
			}
			if sum != c.used {
				t.Fatalf("containers use %v, counted %v", sum, c.used)
			}
		}
	})
}

// TestTakesLocalities: the dense engine keeps each ask, and where names of nodes have a port hosts are looked up by name.
func TestTakesLocalities(t *testing.T) {
	plain, dense, port := newCluster(t), newCluster(t), newCluster(t)
	dense.Literally()
	port.site.PortInNodeName = true
	if got := [...]bool{plain.TakesLocalities(), dense.TakesLocalities(), port.TakesLocalities()}; got != [...]bool{true, false, false} {
		t.Errorf("takes localities: %v, want only the first", got)
	}
}
