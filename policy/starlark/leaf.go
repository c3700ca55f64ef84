package starlark

import (
	"go.starlark.net/starlark"

	"replay/policy"
)

// leafOrder is an order of the applications of leaf queues.
type leafOrder struct {
	compares *call
	a, b     leafApp
	sized    starlark.Bool
}

func (f *File) newLeafOrder(s policy.LeafOrderSettings) policy.LeafOrder {
	return &leafOrder{compares: f.call("compare_in_leaf"), sized: starlark.Bool(s.SizeBasedWeight)}
}

// LooksAtUsage is for those that do; the others get the place that they had.
func (*leafOrder) LooksAtUsage() {}

// Compare breaks ties by the number of the application.
func (o *leafOrder) Compare(a, b *policy.LeafApp) int {
	o.a.of, o.b.of = a, b
	c := o.compares
	c.args[0], c.args[1], c.args[2] = &o.a, &o.b, o.sized
	if n := c.order(c.do()); n != 0 {
		return n
	}
	return int(a.ID) - int(b.ID)
}
