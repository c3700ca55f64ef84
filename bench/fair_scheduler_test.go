// Package bench_test measures what the replay is made of, in its own units.
package bench_test

import (
	"fmt"
	"testing"

	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/engine/yarn/conf"
	"replay/engine/yarn/fair"
	"replay/policy/resource"
)

// fairCluster is a FairScheduler on nodes of 16 containers, with applications spread over ten queues.
type fairCluster struct {
	*fair.Scheduler
	names *protocol.Names
	nodes int
	apps  int
	held  [][]protocol.ContainerID // by node, in the order of allocation
	count int                      // allocations
}

func newFairCluster(b *testing.B, nodes, apps int) *fairCluster {
	site, err := conf.NewSite(map[string]string{
		"yarn.resourcemanager.work-preserving-recovery.enabled": "false",
		"yarn.scheduler.fair.locality.threshold.node":           "0.2",
		"yarn.scheduler.fair.locality.threshold.rack":           "0.4",
	})
	if err != nil {
		b.Fatal(err)
	}
	c := &fairCluster{names: protocol.NewNames(), nodes: nodes, apps: apps, held: make([][]protocol.ContainerID, nodes)}
	observe := func(e *yarn.Event) {
		if e.Kind == yarn.Allocated {
			c.count++
			c.held[e.Container.Node] = append(c.held[e.Container.Node], e.Container.ID)
		}
	}
	if c.Scheduler, err = fair.New(site, conf.DefaultAllocations(site), c.names, 0, observe); err != nil {
		b.Fatal(err)
	}
	for n := range nodes {
		c.AddNode(yarn.NodeSpec{
			ID: protocol.NodeID(n), Host: c.host(n), Rack: c.rack(n), Port: 8041, Total: resource.R(16*1024, 16),
		})
	}
	for a := 1; a <= apps; a++ {
		id := protocol.AppID(a)
		if err := c.AddApp(yarn.AppSpec{ID: id, User: "u", Queue: fmt.Sprintf("root.q%d", a%10), Unmanaged: true}); err != nil {
			b.Fatal(err)
		}
		c.SetClock(int64(a))
		c.AddAttempt(id)
	}
	return c
}

func (c *fairCluster) host(n int) protocol.Name { return c.names.Intern(fmt.Sprintf("host%04d", n)) }
func (c *fairCluster) rack(n int) protocol.Name {
	return c.names.Intern(fmt.Sprintf("/rack%02d", n%20))
}

// ask gives every application asks for count containers, on eight hosts and their racks.
func (c *fairCluster) ask(b *testing.B, count int32) {
	var resp protocol.AllocateResponse
	for a := 1; a <= c.apps; a++ {
		req := protocol.AllocateRequest{Asks: []protocol.Ask{{Priority: 1, Name: protocol.Any, Count: count}}}
		for i := range 8 {
			n := (a*7 + i*131) % c.nodes
			req.Asks = append(req.Asks, protocol.Ask{Priority: 1, Name: c.host(n), Count: count}, protocol.Ask{Priority: 1, Name: c.rack(n), Count: count})
		}
		for i := range req.Asks {
			req.Asks[i].Size, req.Asks[i].Relax = resource.R(1024, 1), true
		}
		if err := c.Allocate(protocol.AppID(a), &req, &resp); err != nil {
			b.Fatal(err)
		}
	}
	c.Update()
}

// fill sends heartbeats until every node is full.
func (c *fairCluster) fill(b *testing.B) {
	for range 1000 {
		for n := range c.nodes {
			c.NodeUpdate(protocol.NodeID(n), nil, nil)
		}
		if c.count == 16*c.nodes {
			return
		}
	}
	b.Fatalf("%d containers on %d nodes after 1000 rounds", c.count, c.nodes)
}

var appCounts = []int{10, 100, 1000}

// BenchmarkIdleHeartbeat is a node heartbeat while nobody wants anything.
func BenchmarkIdleHeartbeat(b *testing.B) {
	for _, apps := range appCounts {
		b.Run(fmt.Sprintf("apps=%d", apps), func(b *testing.B) {
			c := newFairCluster(b, 1000, apps)
			c.Update()
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				c.NodeUpdate(protocol.NodeID(n), nil, nil)
				if n++; n == c.nodes {
					n = 0
				}
			}
			if c.count > 0 {
				b.Fatalf("%d containers were allocated, want none", c.count)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "heartbeats/s")
		})
	}
}

// BenchmarkFullHeartbeat is a heartbeat of a full node while every application wants containers.
func BenchmarkFullHeartbeat(b *testing.B) {
	for _, apps := range appCounts {
		b.Run(fmt.Sprintf("apps=%d", apps), func(b *testing.B) {
			c := newFairCluster(b, 100, apps)
			c.ask(b, 10000)
			c.fill(b)
			want := c.count
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				c.NodeUpdate(protocol.NodeID(n), nil, nil)
				if n++; n == c.nodes {
					n = 0
				}
			}
			if c.count != want {
				b.Fatalf("%d containers were allocated, want none", c.count-want)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "heartbeats/s")
		})
	}
}

// BenchmarkAllocation is the life of a container: a heartbeat that ends one on its node and allocates another.
func BenchmarkAllocation(b *testing.B) {
	for _, apps := range appCounts {
		b.Run(fmt.Sprintf("apps=%d", apps), func(b *testing.B) {
			c := newFairCluster(b, 1000, apps)
			c.ask(b, 1<<30)
			c.fill(b)
			before := c.count
			var resp protocol.AllocateResponse
			var ended []protocol.Status
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				ended = ended[:0]
				if held := c.held[n]; len(held) > 0 {
					ended = append(ended, protocol.Status{ID: held[0]})
					c.held[n] = append(held[:0], held[1:]...)
				}
				c.NodeUpdate(protocol.NodeID(n), nil, ended)
				if n++; n == c.nodes {
					n = 0
					for a := 1; a <= apps; a++ {
						if err := c.Allocate(protocol.AppID(a), &protocol.AllocateRequest{}, &resp); err != nil {
							b.Fatal(err)
						}
					}
				}
			}
			if c.count == before {
				b.Fatal("nothing was allocated")
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(c.count-before), "ns/allocation")
		})
	}
}

// BenchmarkBacklog is the life of a container in a queue in which so many applications wait for their master, which the queue's share of
// masters does not permit: an application master asks again, an update, and a heartbeat that ends a container and allocates another.
func BenchmarkBacklog(b *testing.B) {
	for _, waiting := range []int{10, 100, 1000, 10_000, 100_000} {
		b.Run(fmt.Sprintf("waiting=%d", waiting), func(b *testing.B) {
			c := newFairCluster(b, 100, 0)
			ask := func(id protocol.AppID, priority, count int32) {
				req := protocol.AllocateRequest{Asks: []protocol.Ask{{Priority: priority, Name: protocol.Any, Count: count, Size: resource.R(1024, 1), Relax: true}}}
				if err := c.Allocate(id, &req, &protocol.AllocateResponse{}); err != nil {
					b.Fatal(err)
				}
			}
			add := func(s yarn.AppSpec) {
				s.User, s.Queue = "u", "root.q"
				if err := c.AddApp(s); err != nil {
					b.Fatal(err)
				}
				c.SetClock(int64(s.ID))
				c.AddAttempt(s.ID)
			}
			add(yarn.AppSpec{ID: 1, Unmanaged: true})
			for i := range waiting {
				id := protocol.AppID(2 + i)
				add(yarn.AppSpec{ID: id, AMSize: resource.R(1024, 1)})
				ask(id, 0, 1)
			}
			c.Update()
			for n := range c.nodes * 8 { // masters, as many as may run
				c.NodeUpdate(protocol.NodeID(n%c.nodes), nil, nil)
			}
			masters := c.count
			ask(1, 1, 1<<20)
			c.Update()
			c.fill(b)
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				ended := []protocol.Status{{ID: c.held[n][len(c.held[n])-1]}}
				c.held[n] = c.held[n][:len(c.held[n])-1]
				ask(1, 1, 1<<20)
				c.Update()
				c.NodeUpdate(protocol.NodeID(n), nil, ended)
				if n++; n == c.nodes {
					n = 0
				}
			}
			if masters > 900 || c.count < 1600+b.N {
				b.Fatalf("%d masters run, %d containers were allocated in %d rounds", masters, c.count-1600, b.N)
			}
		})
	}
}

// BenchmarkUpdate is one run of the fair share computation.
func BenchmarkUpdate(b *testing.B) {
	for _, apps := range appCounts {
		b.Run(fmt.Sprintf("apps=%d", apps), func(b *testing.B) {
			c := newFairCluster(b, 1000, apps)
			c.ask(b, 100)
			b.ReportAllocs()
			for b.Loop() {
				c.Update()
			}
		})
	}
}
