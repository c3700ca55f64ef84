package policy

import (
	"slices"
	"testing"

	"replay/policy/resource"
)

func TestCompareCapacityQueues(t *testing.T) {
	some := CapacityQueue{Used: 0.5, AbsoluteUsed: 0.2, Absolute: 0.4}
	with := func(change func(*CapacityQueue)) CapacityQueue {
		q := some
		change(&q)
		return q
	}
	tests := []struct {
		name       string
		a, b       CapacityQueue
		byPriority bool
		want       int
	}{
		{"equal queues keep their order", some, some, false, 0},
		{"less used first", some, with(func(q *CapacityQueue) { q.Used = 0.6 }), false, -1},
		{"a queue without capacity comes last", with(func(q *CapacityQueue) { q.Absolute, q.Used = 0, 0 }), some, false, 1},
		{
			"two without capacity go by their part of the cluster",
			with(func(q *CapacityQueue) { q.Absolute, q.Used, q.AbsoluteUsed = 0, 0, 0.3 }),
			with(func(q *CapacityQueue) { q.Absolute, q.Used = 0, 1 }), false, 1,
		},
		{"the larger of two equally used", some, with(func(q *CapacityQueue) { q.Absolute = 0.3 }), false, -1},
		{"an amount and a fraction go by the fraction", some, with(func(q *CapacityQueue) { q.Absolute, q.ConfiguredMin = 0.3, resource.R(1024, 1) }), false, -1},
		{"of equal amounts of memory the vcores", with(func(q *CapacityQueue) { q.ConfiguredMin = resource.R(1024, 2) }), with(func(q *CapacityQueue) { q.Absolute, q.ConfiguredMin = 0.9, resource.R(1024, 1) }), false, -1},
		{"equal amounts, whatever the fractions", with(func(q *CapacityQueue) { q.ConfiguredMin = resource.R(1024, 2) }), with(func(q *CapacityQueue) { q.Absolute, q.ConfiguredMin = 0.9, resource.R(1024, 2) }), false, 0},
		{"more memory and fewer vcores", with(func(q *CapacityQueue) { q.ConfiguredMin = resource.R(1025, 1) }), with(func(q *CapacityQueue) { q.ConfiguredMin = resource.R(1024, 2) }), false, -1},
		{"equal priorities leave it to use", some, with(func(q *CapacityQueue) { q.Used = 0.6 }), true, -1},
		{"priority does not count by itself", some, with(func(q *CapacityQueue) { q.Priority, q.Used = 1, 0.6 }), false, -1},
		{"priority goes first below the capacity", some, with(func(q *CapacityQueue) { q.Priority, q.Used = 1, 0.6 }), true, 1},
		{"need goes before priority", some, with(func(q *CapacityQueue) { q.Priority, q.Used = 1, 1 }), true, -1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := CompareCapacityQueues(&tt.a, &tt.b, tt.byPriority, 2); got != tt.want {
				t.Errorf("got %d, want %d", got, tt.want)
			}
			if got := CompareCapacityQueues(&tt.b, &tt.a, tt.byPriority, 2); got != -tt.want {
				t.Errorf("the other way round: got %d, want %d", got, -tt.want)
			}
		})
	}
}

func TestActiveUserLimit(t *testing.T) {
	cluster := resource.R(10240, 10)
	leaf := CapacityLeaf{Min: resource.R(4096, 4), Max: resource.R(10240, 10), Least: resource.R(1024, 1), UserLimit: 50, UserFactor: 1}
	with := func(change func(*CapacityLeaf)) CapacityLeaf {
		q := leaf
		change(&q)
		return q
	}
	tests := []struct {
		name     string
		q        CapacityLeaf
		consumed float32
		active   resource.Resource
		weights  float32
		want     resource.Resource
	}{
		{"half of the capacity for each of two", leaf, 0.2, resource.R(2048, 2), 2, resource.R(2048, 2)},
		{"alone, up to the factor times the capacity", leaf, 0.6, resource.R(6144, 6), 1, resource.R(4096, 4)},
		{"alone and one more container each time", with(func(q *CapacityLeaf) { q.UserFactor = 10 }), 0.6, resource.R(6144, 6), 1, resource.R(7168, 7)},
		{"no factor: up to the maximum", with(func(q *CapacityLeaf) { q.UserFactor = -1 }), 1, resource.R(10240, 10), 1, resource.R(10240, 10)},
		{"nobody asks: the percentage", with(func(q *CapacityLeaf) { q.UserLimit = 25 }), 0, resource.R(0, 0), 0, resource.R(1024, 1)},
		{"a queue smaller than a container", with(func(q *CapacityLeaf) { q.Min = resource.R(512, 1) }), 0, resource.R(0, 0), 1, resource.R(1024, 1)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := ActiveUserLimit(resource.NewDominant(2), cluster, &tt.q, tt.consumed, tt.active, tt.weights); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestAMLimits(t *testing.T) {
	c, cluster := resource.NewDominant(2), resource.R(102400, 100)
	q := CapacityLeaf{Min: resource.R(40960, 40), Least: resource.R(1024, 1), UserLimit: 25, UserFactor: 2, AMPercent: 0.1}
	if got, want := AMLimit(c, &q, resource.R(81920, 80)), resource.R(8192, 8); got != want {
		t.Errorf("a tenth of what the queue could use: got %v, want %v", got, want)
	}
	if got, want := AMLimit(c, &q, resource.R(20480, 80)), resource.R(4096, 4); got != want {
		t.Errorf("not less than of its capacity: got %v, want %v", got, want)
	}
	limit := resource.R(8192, 8)
	for users, want := range map[int]resource.Resource{1: resource.R(8192, 8), 2: resource.R(4096, 4), 10: resource.R(2048, 2)} {
		if got := UserAMLimit(c, cluster, &q, users, 1, limit); got != want {
			t.Errorf("%d users: got %v, want %v", users, got, want)
		}
	}
	if got, want := UserAMLimit(c, cluster, &q, 10, 2, limit), resource.R(4096, 4); got != want {
		t.Errorf("a user of weight 2: got %v, want %v", got, want)
	}
}

func TestCapacityDelay(t *testing.T) {
	tests := []struct {
		name           string
		d              CapacityDelay
		nodes, pending int32
		places         int
		rack, off      int32 // first opportunity at which it is accepted
	}{
		{"both delays", CapacityDelay{Node: 4, Rack: 3}, 20, 5, 4, 5, 8},
		{"no more than the nodes", CapacityDelay{Node: 40, Rack: 40}, 10, 5, 4, 11, 11},
		{"no delay", CapacityDelay{Node: 0, Rack: 0}, 10, 5, 4, 1, 1},
		{"old formula: pending times places by nodes", CapacityDelay{Node: 4, Rack: -1}, 20, 10, 5, 5, 3},
		{"old formula, no more than the nodes", CapacityDelay{Node: 4, Rack: -1}, 5, 100, 5, 5, 6},
		{"nothing but anywhere", CapacityDelay{Node: 4, Rack: 3}, 20, 5, 1, 5, 0},
	}
	first := func(accepts func(int32) bool) int32 {
		return int32(slices.IndexFunc([]int32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, accepts))
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := first(func(o int32) bool { return tt.d.AcceptsRack(o, tt.nodes) }); got != tt.rack {
				t.Errorf("rack at opportunity %d, want %d", got, tt.rack)
			}
			if got := first(func(o int32) bool { return tt.d.AcceptsAny(o, tt.nodes, tt.pending, tt.places) }); got != tt.off {
				t.Errorf("anywhere at opportunity %d, want %d", got, tt.off)
			}
		})
	}
}

func TestWantsMore(t *testing.T) {
	tests := []struct {
		name                         string
		wanted, reserved, rereserved int32
		ratio                        float32
		want                         bool
	}{
		{"wanted", 1, 0, 0, 0.5, true},
		{"all reserved", 2, 2, 0, 0.5, false},
		{"reserved again often enough", 2, 2, 4, 0.5, true},
		{"a large container needs more patience", 2, 2, 4, 0.9, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := WantsMore(tt.wanted, tt.reserved, tt.rereserved, tt.ratio, 0.875); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}
