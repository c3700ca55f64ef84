package fifo

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"replay/engine/protocol"
	"replay/policy/resource"
)

// What is kept of the asks is what the attempts say, whatever has happened to them.
func TestAskingIsWhatAttemptsSay(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 0))
		c := newCluster(t)
		random := func() protocol.Ask {
			name := [...]protocol.Name{protocol.Any, c.host(r.IntN(4)), c.rack(r.IntN(2))}[r.IntN(3)]
			a := ask(name, int32(r.IntN(4)), int64(1024*(1+r.IntN(3))))
			a.Priority = int32(r.IntN(2))
			return a
		}
		for i := range 4 {
			c.node(i, 4096)
		}
		for id := range protocol.AppID(6) {
			c.app(id, random(), random())
		}
		for step := range 200 {
			id, node := protocol.AppID(r.IntN(6)), protocol.NodeID(r.IntN(4))
			switch r.IntN(9) {
			case 0:
				c.RemoveAttempt(id)
			case 1:
				if a := c.Scheduler.app(id); a != nil && a.attempt == nil {
					c.AddAttempt(id)
				}
			case 2:
				if c.RemoveApp(id); r.IntN(2) == 0 {
					c.app(id, random())
				}
			case 3:
				if c.RemoveNode(node); r.IntN(4) > 0 {
					c.node(int(node), 4096)
				}
			case 4, 5:
				c.NodeUpdate(node, nil, nil)
			default:
				in := protocol.AllocateRequest{Asks: []protocol.Ask{random(), random()}}
				if n := c.Cluster().Node(node); n != nil && r.IntN(2) == 0 {
					for held := range n.Containers { // one that was not taken up comes back as an ask
						in.Releases = append(in.Releases, held.ID)
					}
				}
				if err := c.Allocate(id, &in, new(protocol.AllocateResponse)); err != nil {
					t.Fatal(err)
				}
			}
			if r.IntN(3) > 0 {
				continue
			}
			c.asking.settle()
			var apps []*app
			var pending resource.Resource
			for _, a := range c.apps {
				if a.attempt == nil || len(a.attempt.Active()) == 0 {
					continue
				}
				least := int64(math.MaxInt64)
				for _, table := range a.attempt.Active() {
					least = min(least, table.Smallest())
				}
				if a.least != least {
					t.Fatalf("seed %d, step %d: application %d asks for %d MiB at least, want %d", seed, step, a.spec.ID, a.least, least)
				}
				apps, pending = append(apps, a), pending.Add(a.attempt.Pending())
			}
			if !slices.Equal(c.asking.apps, apps) || c.asking.pending != pending {
				t.Fatalf("seed %d, step %d: %d applications ask for %v, want %d and %v", seed, step, len(c.asking.apps), c.asking.pending, len(apps), pending)
			}
		}
	}
}
