package fair

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/policy/resource"
)

// TestLeafGoesOnToAsk compares what an application gets that asks for containers on some nodes, and whose others end, with every heartbeat executed and with those alone that
// the scheduler wants to have executed. What was found of its leaf mostly holds when it gets a container, but not where that changes its patience.
func TestLeafGoesOnToAsk(t *testing.T) {
	const nodes, cycles = 12, 60
	for seed := range uint64(40) {
		run := func(all bool) (got string) {
			r := rand.New(rand.NewPCG(seed, 1))
			g := newGolden(t, map[string]string{
				"yarn.scheduler.increment-allocation-mb":      "1024",
				"yarn.scheduler.fair.locality.threshold.node": fmt.Sprint(0.1 + r.Float64()),
				"yarn.scheduler.fair.locality.threshold.rack": fmt.Sprint(0.1 + r.Float64()),
			}, "")
			ranks := make([]protocol.NodeID, nodes)
			for i := range ranks {
				ranks[i] = protocol.NodeID(i)
				g.node(fmt.Sprintf("n%d", i), fmt.Sprintf("/r%d", i%4), 2048, 2)
			}
			if err := g.f.AddApp(yarn.AppSpec{ID: 1, User: "u", Queue: "root.q", AMSize: resource.R(1024, 1)}); err != nil {
				t.Fatal(err)
			}
			g.f.AddAttempt(1)
			g.f.attempt(1).amRunning = true
			if !all {
				g.f.Epoch(ranks)
				for i := range ranks {
					g.f.Beats(i, true)
				}
			}
			h := int64(0)
			for range cycles {
				switch r.IntN(4) {
				case 0, 1:
					host := r.IntN(nodes)
					count := 1 + r.IntN(6)
					g.ask(1, 1, fmt.Sprintf("n%d x%d 1024,1", host, count), fmt.Sprintf("/r%d x%d 1024,1", host%4, count), fmt.Sprintf("* x%d 1024,1", count))
				case 2:
					for c := range g.f.attempt(1).AllLive {
						if r.IntN(2) == 0 {
							g.kill(1, c.ID.Number())
						}
					}
				}
				g.f.Update()
				for end := h + 1 + r.Int64N(3*nodes); h < end; h++ {
					if !all {
						next := min(g.f.NextHeartbeat(h, end, end), end)
						g.f.CreditHeartbeats(h, next)
						if h = next; h == end {
							break
						}
					}
					g.did = g.did[:0]
					g.f.NodeUpdate(ranks[h%nodes], nil, nil)
					for _, c := range g.did {
						got += fmt.Sprintf("%d gives %d\n", h, c.N)
					}
				}
			}
			return got
		}
		if want, got := strings.Split(run(true), "\n"), strings.Split(run(false), "\n"); len(want) < 10 {
			t.Errorf("seed %d: %d containers", seed, len(want))
		} else {
			for i := range want {
				if i >= len(got) || got[i] != want[i] {
					t.Fatalf("seed %d: of %d containers number %d differs: heartbeat %s, want %s", seed, len(want), i, got[min(i, len(got)-1)], want[i])
				}
			}
		}
	}
}
