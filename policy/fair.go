package policy

import (
	"cmp"

	"replay/policy/resource"
)

// fair is YARN's FairSharePolicy: it divides and compares memory only.
//
// Source: FairSharePolicy.
type fair struct{ divider }

func newFair(int) Sharing { return &fair{} }

func (f *fair) Shares(total resource.Resource, claims []Claim) {
	f.divide(total[resource.Memory], claims, resource.Memory)
}

// Equal is part of [WithEqual].
func (f *fair) Equal(total resource.Resource, claim *Claim, count int64) {
	f.divideEqually(total[resource.Memory], claim, count, resource.Memory)
}

func (*fair) Parents() bool { return true }

// Allows refuses policies that count more than memory, as the queue's share says nothing about the rest.
func (*fair) Allows(child Sharing) bool {
	c, ok := child.(WithCalculator)
	return !ok || c.Calculator() == resource.Calculator(resource.DefaultCalculator{})
}

// Total is true unless a weight is not a number.
func (*fair) Total(c *Contender, _ *resource.Resource) bool { return c.Weight == c.Weight }

// Compare looks at demand, minimum share and usage over weight, in this order.
//
// Source: FairSharePolicy.FairShareComparator.
func (*fair) Compare(a, b *Contender, _ *resource.Resource) int {
	demandA, demandB := a.Demand[resource.Memory], b.Demand[resource.Memory]
	if demandA == 0 && demandB > 0 {
		return 1
	}
	if demandB == 0 && demandA > 0 {
		return -1
	}
	usedA, usedB := a.Usage[resource.Memory], b.Usage[resource.Memory]
	minA, minB := min(a.Min[resource.Memory], demandA), min(b.Min[resource.Memory], demandB)
	needyA, needyB := usedA < minA, usedB < minB
	switch {
	case needyA && !needyB:
		return -1
	case needyB && !needyA:
		return 1
	case needyA:
		ra := float64(usedA) / float64(max(minA, 1))
		rb := float64(usedB) / float64(max(minB, 1))
		if c := resource.Signum(ra - rb); c != 0 {
			return c
		}
	}
	wa, wb := float64(a.Weight), float64(b.Weight)
	var c int
	switch {
	case wa > 0 && wb > 0:
		c = resource.Signum(float64(usedA)/wa - float64(usedB)/wb)
	case wa == wb:
		c = cmp.Compare(usedA, usedB)
	default:
		c = resource.Signum(wb - wa)
	}
	return c
}
