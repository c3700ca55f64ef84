package policy

import "replay/policy/resource"

// drf is YARN's DominantResourceFairnessPolicy: it divides every type by itself and compares dominant
// shares. Two types are compared in doubles, three and more in floats.
//
// Source: DominantResourceFairnessPolicy.
type drf struct {
	divider
	calc resource.DominantCalculator
}

func newDRF(types int) Sharing { return &drf{calc: resource.NewDominant(types)} }

func (d *drf) Calculator() resource.Calculator { return d.calc }

func (d *drf) Shares(total resource.Resource, claims []Claim) {
	for t := range d.calc.Types {
		d.divide(total[t], claims, t)
	}
}

// Equal is part of [WithEqual].
func (d *drf) Equal(total resource.Resource, claim *Claim, count int64) {
	for t := range d.calc.Types {
		d.divideEqually(total[t], claim, count, t)
	}
}

// Headroom bounds both by the fair share. Vcores are subtracted as ints: a queue that uses less than nothing of all that there can be has none left.
//
// Source: DominantResourceFairnessPolicy.getHeadroom.
func (*drf) Headroom(fair, used, available resource.Resource) resource.Resource {
	left := int64(int32(fair.CPU() - used.CPU()))
	return resource.R(
		min(available[resource.Memory], max(fair[resource.Memory]-used[resource.Memory], 0)),
		min(available.CPU(), max(left, 0)))
}

// Total is true when no ratio that Compare forms is 0/0 and no weight turns the order around.
func (d *drf) Total(c *Contender, cluster *resource.Resource) bool {
	divided := c.Min != (resource.Resource{}) // else it is never below its minimum, so usage is not divided by it
	for t := range d.calc.Types {
		if cluster[t] <= 0 || divided && c.Usage[t] == 0 && c.Min[t] == 0 {
			return false
		}
	}
	return c.Weight > 0
}

// Compare serves those below their minimum share first, then by dominant share over weight.
//
// Source: DominantResourceFairnessComparator2, DominantResourceFairnessComparatorN.
func (d *drf) Compare(a, b *Contender, cluster *resource.Resource) int {
	if d.calc.Types == 2 {
		return compareTwoTypes(a, b, cluster)
	}
	return compareTypes(a, b, cluster, d.calc.Types)
}

// clusterShares returns the shares of the cluster and the index of the larger one.
func clusterShares(r, cluster *resource.Resource) (s [2]float64, dom int) {
	s[0] = float64(r[0]) / float64(cluster[0])
	s[1] = float64(r[1]) / float64(cluster[1])
	if s[1] > s[0] {
		dom = 1
	}
	return s, dom
}

func compareTwoTypes(a, b *Contender, cluster *resource.Resource) int {
	sa, da := clusterShares(&a.Usage, cluster)
	sb, db := clusterShares(&b.Usage, cluster)
	needyA, needyB := a.Usage[da] < a.Min[da], b.Usage[db] < b.Min[db]
	switch {
	case needyA && !needyB:
		return -1
	case needyB && !needyA:
		return 1
	case needyA:
		for i := range 2 {
			sa[i] = float64(a.Usage[i]) / float64(a.Min[i])
			sb[i] = float64(b.Usage[i]) / float64(b.Min[i])
		}
	default:
		for i := range 2 {
			sa[i] /= float64(a.Weight)
			sb[i] /= float64(b.Weight)
		}
	}
	if c := resource.Signum(sa[da] - sb[db]); c != 0 {
		return c
	}
	return resource.Signum(sa[1-da] - sb[1-db])
}

// ratios are a type's share of the cluster and the ratio by which sides are compared.
type ratios struct{ share, by float32 }

func compareTypes(a, b *Contender, cluster *resource.Resource, types int) int {
	var ra, rb [resource.MaxTypes]ratios
	needyA := fillRatios(&ra, a, cluster, types)
	needyB := fillRatios(&rb, b, cluster, types)
	switch {
	case needyA && !needyB:
		return -1
	case needyB && !needyA:
		return 1
	case needyA:
		for i := range types {
			ra[i].by = float32(a.Usage[i]) / float32(a.Min[i])
			rb[i].by = float32(b.Usage[i]) / float32(b.Min[i])
		}
	}
	sortRatios(ra[:types])
	sortRatios(rb[:types])
	for i := range types {
		if c := resource.Signum(float64(ra[i].by - rb[i].by)); c != 0 {
			return c
		}
	}
	return 0
}

// fillRatios sets shares and shares over weight, and reports whether the dominant type is below its minimum.
func fillRatios(r *[resource.MaxTypes]ratios, c *Contender, cluster *resource.Resource, types int) bool {
	dom := 0
	for i := range types {
		r[i].share = float32(c.Usage[i]) / float32(cluster[i])
		if r[i].share > r[dom].share {
			dom = i
		}
		r[i].by = r[i].share / c.Weight
	}
	return c.Usage[dom] < c.Min[dom]
}

// sortRatios sorts by share, largest first, with the moves of Java's sort of so few elements, so that
// shares that are not numbers (a type without capacity) end up where Java leaves them.
//
// Source: java.util.TimSort.countRunAndMakeAscending, binarySort.
func sortRatios(r []ratios) {
	before := func(x, y ratios) bool { return y.share-x.share < 0 }
	run := 2
	if before(r[1], r[0]) {
		for run < len(r) && before(r[run], r[run-1]) {
			run++
		}
		for i, j := 0, run-1; i < j; i, j = i+1, j-1 {
			r[i], r[j] = r[j], r[i]
		}
	} else {
		for run < len(r) && !before(r[run], r[run-1]) {
			run++
		}
	}
	for ; run < len(r); run++ {
		pivot := r[run]
		left, right := 0, run
		for left < right {
			mid := (left + right) / 2
			if before(pivot, r[mid]) {
				right = mid
			} else {
				left = mid + 1
			}
		}
		copy(r[left+1:run+1], r[left:run])
		r[left] = pivot
	}
}
