package ideal

import (
	"testing"

	"replay/policy/resource"
)

// leaf is a queue of which so many MiB are guaranteed, which has and wants so many, and may have all of 100.
func leaf(guaranteed, used, wanted int64) *Share {
	r := func(v int64) resource.Resource { return resource.R(v, 0) }
	return &Share{Capacity: float32(guaranteed) / 100, Guaranteed: r(guaranteed), Most: r(100), Used: r(used), Pending: r(wanted), Unreserved: r(wanted), Tempting: used > guaranteed}
}

// TestShares: what is unused goes to those that want it by what is guaranteed to them; a leaf takes from others what is guaranteed to it, and more than that only for balance.
func TestShares(t *testing.T) {
	for _, tt := range []struct {
		name     string
		leaves   []*Share
		balances bool
		allowed  int64
		ideal    []int64
		excess   []int64
		obtain   []int64
	}{
		{"the guarantee of the second", []*Share{leaf(40, 80, 50), leaf(40, 20, 60), leaf(20, 0, 0)}, false, 100, []int64{60, 40, 0}, []int64{20, 0, 0}, []int64{10, 0, 0}},
		{"balance", []*Share{leaf(40, 80, 50), leaf(40, 20, 60), leaf(20, 0, 0)}, true, 100, []int64{50, 50, 0}, []int64{30, 0, 0}, []int64{15, 0, 0}},
		{"a tenth of it at a time", []*Share{leaf(40, 80, 50), leaf(40, 20, 60), leaf(20, 0, 0)}, false, 10, []int64{60, 40, 0}, []int64{10, 0, 0}, []int64{5, 0, 0}},
		{"room for all", []*Share{leaf(40, 60, 10), leaf(40, 10, 20), leaf(20, 0, 0)}, false, 100, []int64{60, 30, 0}, []int64{0, 0, 0}, []int64{0, 0, 0}}, // more than it has it would get, not take
		{"a queue without a guarantee has what is left", []*Share{leaf(50, 40, 0), leaf(50, 20, 0), leaf(0, 40, 30)}, false, 100, []int64{40, 20, 40}, []int64{0, 0, 0}, []int64{0, 0, 0}},
		{"and that is what was left after the first turn of the others", []*Share{leaf(50, 60, 40), leaf(50, 0, 50), leaf(0, 40, 0)}, false, 100, []int64{50, 50, 25}, []int64{10, 0, 15}, []int64{5, 0, 8}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root := &Share{Capacity: 1, Guaranteed: resource.R(100, 0), Most: resource.R(100, 0), Children: tt.leaves, Lively: tt.leaves}
			for _, l := range tt.leaves {
				root.Used, root.Pending, root.Unreserved = root.Used.Add(l.Used), root.Pending.Add(l.Pending), root.Unreserved.Add(l.Unreserved)
			}
			lacked := 0
			New(resource.DefaultCalculator{}, 2, false, tt.balances).Compute(root, tt.leaves, &Round{
				Cluster: resource.R(100, 0), Allowed: resource.R(tt.allowed, 0), NaturalTermination: 0.5, Lacks: func(*Share) { lacked++ }})
			for i, l := range tt.leaves {
				if got := [3]int64{l.Ideal[0], l.Excess[0], l.Obtain[0]}; got != [3]int64{tt.ideal[i], tt.excess[i], tt.obtain[i]} {
					t.Errorf("queue %d should have %d, has %d beyond, of which %d are obtained; want %d, %d, %d", i, got[0], got[1], got[2], tt.ideal[i], tt.excess[i], tt.obtain[i])
				}
			}
			if lacked == 0 {
				t.Error("no queue lacked anything")
			}
		})
	}
}

// TestContentQueuesMayBeLeftOut: queues that want nothing and have no more than is guaranteed to them change nothing for the others.
func TestContentQueuesMayBeLeftOut(t *testing.T) {
	of := func(out bool) (list []resource.Resource) {
		leaves := []*Share{leaf(10, 30, 20), leaf(20, 5, 30), leaf(15, 10, 0), leaf(25, 25, 0), leaf(30, 20, 0)}
		root := &Share{Capacity: 1, Guaranteed: resource.R(100, 0), Most: resource.R(100, 0), Children: leaves, Lively: leaves, Used: resource.R(90, 0), Pending: resource.R(50, 0), Unreserved: resource.R(50, 0)}
		if out {
			root.Lively = leaves[:2]
		}
		New(resource.DefaultCalculator{}, 2, false, false).Compute(root, leaves, &Round{Cluster: resource.R(100, 0), Allowed: resource.R(100, 0), NaturalTermination: 1, Lacks: func(*Share) {}})
		for _, l := range leaves[:2] {
			list = append(list, l.Ideal, l.Excess, l.Obtain)
		}
		return list
	}
	with, without := of(false), of(true)
	for i := range with {
		if with[i] != without[i] {
			t.Errorf("with them %v, without them %v", with, without)
		}
	}
}
