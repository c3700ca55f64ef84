package result

import (
	"math"
	"testing"

	"replay/engine/record"
)

// A node costs whole seconds and at least the minimum, a container its part of the memory; what is more than can be counted is an error.
func TestCosts(t *testing.T) {
	cost := func(hour, end int64) (*Costs, error) {
		c := NewCollector()
		c.Priced(&record.Prices{MinimumMS: 60_000, Types: []record.NodeType{{Name: "*", Hour: hour}}, TypeOf: []int{0}})
		c.Node(&record.Node{Time: 0, Node: 0, Registered: true, MemMiB: 4096})
		c.costs.container(&Span{Node: 0, Job: 7, Queue: "root.a", From: 0, To: 10_000}, 1024)
		return c.costs.finish(end)
	}
	c, err := cost(1000, 90_001)
	if err != nil {
		t.Fatal(err)
	}
	if c.Total != 91_000 || c.Jobs[0].Cost != 2500 || c.Queues[0].Cost != 2500 || c.Unused != 88_500 {
		t.Errorf("%+v, want 91 s at 1000, of which a quarter of 10 s for job 7", *c)
	}
	if c, err = cost(1000, 1); err != nil || c.Total != 60_000 {
		t.Errorf("%+v, %v, want the minimum of 60 s", c, err)
	}
	if c, err = cost(math.MaxInt64/1000, 2_000_000); err == nil {
		t.Errorf("%+v, want an error", *c)
	}
}
