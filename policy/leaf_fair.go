package policy

import (
	"cmp"
	"math"

	"replay/policy/resource"
)

// leafFair orders applications by used memory, then by start, those without any demand last, then by number. With
// size-based weights usage counts less in applications that want more.
//
// Source: FairOrderingPolicy.
type leafFair struct{ sizeBased bool }

func newLeafFair(s LeafOrderSettings) LeafOrder { return leafFair{s.SizeBasedWeight} }

func (leafFair) LooksAtUsage() {}

func (o leafFair) Compare(a, b *LeafApp) int {
	if c := resource.Signum(o.magnitude(a) - o.magnitude(b)); c != 0 {
		return c
	}
	if a.Start != b.Start {
		return cmp.Compare(a.Start, b.Start)
	}
	switch {
	case a.Demand == 0 && b.Demand > 0:
		return 1
	case b.Demand == 0 && a.Demand > 0:
		return -1
	}
	return cmp.Compare(a.ID, b.ID)
}

// magnitude is FairOrderingPolicy.FairComparator's getMagnitude.
func (o leafFair) magnitude(a *LeafApp) float64 {
	used := float64(a.Used)
	if o.sizeBased && used != 0 {
		used /= math.Log1p(float64(a.Demand)) / math.Log(2)
	}
	return used
}
