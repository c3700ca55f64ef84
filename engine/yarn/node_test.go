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
	c := NewCluster(names)
	n := c.Add(NodeSpec{Host: names.Intern("h"), Rack: names.Intern("/r"), Total: resource.R(8192, 8)})
	for i, created := range []int64{5, 9, 7, 7} { // number 2 is a master
		id := protocol.NewContainerID(1, 1, int64(i+1))
		n.Place(&Container{ID: id, Hash: int32(i), Node: n, Size: resource.R(1024, 2), Created: created, AM: i == 1})
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
