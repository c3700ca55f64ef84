package resource

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// A Calculator compares and rounds resources: memory in MiB, vcores, and amounts of further types as the cluster counts them, a place of
// [Resource] for each. Cluster is the capacity that shares are measured against. Which types matter is the calculator's: it changes, rounds and
// looks at these alone.
//
// Source: org.apache.hadoop.yarn.util.resource.ResourceCalculator.
type Calculator interface {
	// Compare returns the sign of a against b, shares of the cluster. With single set only the largest share of each side
	// counts, otherwise the other types break ties.
	Compare(cluster, a, b Resource, single bool) int
	// Fits reports whether small fits in big.
	Fits(small, big Resource) bool
	// Ratio is the largest a[i]/b[i], without a unit: 0 for 0/0, infinite for another amount over 0.
	Ratio(a, b Resource) float32
	// Divide is the largest share of a over the largest one of b, of the cluster; NaN or infinite where b has no share.
	Divide(cluster, a, b Resource) float32
	// Normalize returns r raised to least, rounded up to a multiple of step, then cut to most. A step of 0 rounds nothing.
	Normalize(r, least, most, step Resource) Resource
	// RoundUp returns the smallest multiples of step that are not below r.
	RoundUp(r, step Resource) Resource
	// RoundDown returns the largest multiples of step that are not above r, of which nothing is below 0.
	RoundDown(r, step Resource) Resource
	// MulNormalizeUp returns r times by, rounded up to a multiple of step.
	MulNormalizeUp(r Resource, by float64, step Resource) Resource
	// MulNormalizeDown returns r times by, rounded down to a multiple of step.
	MulNormalizeDown(r Resource, by float64, step Resource) Resource
	// DivideCeil returns r divided by by and rounded up, nothing for by = 0.
	DivideCeil(r Resource, by int32) Resource
	// DivideCeilFloat is DivideCeil by a float.
	DivideCeilFloat(r Resource, by float32) Resource
	// Available returns how many containers of size each, which is not nothing, fit in free.
	Available(free, each Resource) int64
	// InvalidDivisor reports whether one of the types is 0.
	InvalidDivisor(r Resource) bool
	// AllInvalidDivisor reports whether all are 0.
	AllInvalidDivisor(r Resource) bool
	// AnyZeroOrNegative reports whether one of them is 0 or less.
	AnyZeroOrNegative(r Resource) bool
	// AnyAboveZero reports whether one of them is above 0.
	AnyAboveZero(r Resource) bool
}

// Larger and Smaller return the larger and the smaller of a and b as a calculator compares them, a when equal.
//
// Source: Resources.max, Resources.min.
func Larger(c Calculator, cluster, a, b Resource) Resource {
	if c.Compare(cluster, a, b, false) >= 0 {
		return a
	}
	return b
}

// Smaller is described at [Larger].
func Smaller(c Calculator, cluster, a, b Resource) Resource {
	if c.Compare(cluster, a, b, false) <= 0 {
		return a
	}
	return b
}

// DefaultCalculator looks at memory only. What it rounds comes back with 1 vcore and no other type.
//
// Source: DefaultResourceCalculator.
type DefaultCalculator struct{}

// memoryOnly is Resources.createResource with one argument.
func memoryOnly(mem int64) Resource {
	if mem > 0 {
		return R(mem, 1)
	}
	return R(mem, 0)
}

func (DefaultCalculator) Compare(_, a, b Resource, _ bool) int {
	return cmp.Compare(a[Memory], b[Memory])
}
func (DefaultCalculator) Fits(small, big Resource) bool    { return small[Memory] <= big[Memory] }
func (DefaultCalculator) Ratio(a, b Resource) float32      { return safeRatio(a[Memory], b[Memory]) }
func (DefaultCalculator) Divide(_, a, b Resource) float32  { return safeRatio(a[Memory], b[Memory]) }
func (DefaultCalculator) InvalidDivisor(r Resource) bool   { return r[Memory] == 0 }
func (DefaultCalculator) Available(free, e Resource) int64 { return free[Memory] / e[Memory] }

func (DefaultCalculator) AllInvalidDivisor(r Resource) bool { return r[Memory] == 0 }
func (DefaultCalculator) AnyZeroOrNegative(r Resource) bool { return r[Memory] <= 0 }
func (DefaultCalculator) AnyAboveZero(r Resource) bool      { return r[Memory] > 0 }

func (DefaultCalculator) Normalize(r, least, most, step Resource) Resource {
	s := step[Memory]
	if s == 0 {
		s = least[Memory]
	}
	return memoryOnly(min(RoundUp(max(r[Memory], least[Memory]), s), most[Memory]))
}

func (DefaultCalculator) RoundUp(r, step Resource) Resource {
	return memoryOnly(RoundUp(r[Memory], step[Memory]))
}

func (DefaultCalculator) RoundDown(r, step Resource) Resource {
	return memoryOnly(RoundDown(r[Memory], step[Memory]))
}

func (DefaultCalculator) MulNormalizeUp(r Resource, by float64, step Resource) Resource {
	return memoryOnly(RoundUp(F2L(float64(float64(r[Memory])*by)+0.5), step[Memory]))
}

func (DefaultCalculator) MulNormalizeDown(r Resource, by float64, step Resource) Resource {
	return memoryOnly(RoundDown(F2L(float64(r[Memory])*by), step[Memory]))
}

func (DefaultCalculator) DivideCeil(r Resource, by int32) Resource {
	return memoryOnly(CeilDiv(r[Memory], int64(by)))
}

func (DefaultCalculator) DivideCeilFloat(r Resource, by float32) Resource {
	return memoryOnly(CeilDivFloat(r[Memory], by))
}

// DominantCalculator looks at all types; Types is how many the cluster has, 2 to [MaxTypes].
//
// Source: DominantResourceCalculator.
type DominantCalculator struct{ Types int }

// NewDominant returns the calculator for a cluster with n resource types. It panics if there cannot be so many.
func NewDominant(n int) DominantCalculator {
	if n < 2 || n > MaxTypes {
		panic(fmt.Sprintf("resource: %d resource types, want 2 to %d", n, MaxTypes))
	}
	return DominantCalculator{n}
}

func (d DominantCalculator) Compare(cluster, a, b Resource, single bool) int {
	if d.Types == 2 && cluster[0] != 0 && cluster[1] != 0 {
		return compareTwo(&cluster, &a, &b, single)
	}
	return d.compare(cluster, a, b, single)
}

// compareTwo is [DominantCalculator.compare] for the two types of most clusters, which has some of both.
func compareTwo(cluster, a, b *Resource, single bool) int {
	if a[Memory] == b[Memory] && a.CPU() == b.CPU() && a[2] == b[2] && a[3] == b[3] {
		return 0
	}
	mem, cpu := float64(cluster[Memory]), float64(cluster[VCores])
	aMem, aCPU, bMem, bCPU := float64(a[Memory])/mem, float64(a[VCores])/cpu, float64(b[Memory])/mem, float64(b[VCores])/cpu
	aMost, bMost := max(aMem, aCPU), max(bMem, bCPU)
	if single {
		return Signum(max(aMost, 0) - max(bMost, 0))
	}
	if c := Signum(aMost - bMost); c != 0 {
		return c
	}
	return Signum(min(aMem, aCPU) - min(bMem, bCPU))
}

func (d DominantCalculator) compare(cluster, a, b Resource, single bool) int {
	if a.Equal(b) {
		return 0
	}
	if d.AllInvalidDivisor(cluster) {
		var more, less bool
		for i := range d.Types {
			more = more || a[i] > b[i]
			less = less || a[i] < b[i]
		}
		switch {
		case more == less:
			return 0
		case more:
			return 1
		}
		return -1
	}
	sa, sb := d.shares(cluster, a), d.shares(cluster, b)
	if single {
		return Signum(maxShare(sa[:d.Types]) - maxShare(sb[:d.Types]))
	}
	if d.Types == 2 {
		da, db := dominant(sa), dominant(sb)
		if c := Signum(sa[da] - sb[db]); c != 0 {
			return c
		}
		return Signum(sa[1-da] - sb[1-db])
	}
	slices.Sort(sa[:d.Types])
	slices.Sort(sb[:d.Types])
	for i := d.Types - 1; i >= 0; i-- {
		if math.IsInf(sa[i], 1) || math.IsInf(sb[i], 1) {
			continue
		}
		if c := Signum(sa[i] - sb[i]); c != 0 {
			return c
		}
	}
	return 0
}

// shares returns the share of each type, +Inf where the cluster has none of it.
func (d DominantCalculator) shares(cluster, r Resource) (s [MaxTypes]float64) {
	for i := range d.Types {
		if cluster[i] == 0 {
			s[i] = math.Inf(1)
		} else {
			s[i] = float64(r[i]) / float64(cluster[i])
		}
	}
	return s
}

// maxShare returns the largest share, at least 0, types without capacity left out.
func maxShare(s []float64) float64 {
	most := 0.0
	for _, v := range s {
		if !math.IsInf(v, 1) {
			most = max(most, v)
		}
	}
	return most
}

func dominant(s [MaxTypes]float64) int {
	if s[1] > s[0] {
		return 1
	}
	return 0
}

func (d DominantCalculator) Fits(small, big Resource) bool { return small.FitsIn(big) }

func (d DominantCalculator) Ratio(a, b Resource) float32 {
	most := float32(0)
	for i := range d.Types {
		if r := safeRatio(a[i], b[i]); r > most {
			most = r
		}
	}
	return most
}

func (d DominantCalculator) Divide(cluster, a, b Resource) float32 {
	if d.Types == 2 && cluster[0] != 0 && cluster[1] != 0 {
		return float32(mostOfTwo(&cluster, &a) / mostOfTwo(&cluster, &b))
	}
	sa, sb := d.shares(cluster, a), d.shares(cluster, b)
	return float32(maxShare(sa[:d.Types]) / maxShare(sb[:d.Types]))
}

// mostOfTwo is maxShare of [DominantCalculator.shares] for the two types of most clusters, which has some of both.
func mostOfTwo(cluster, r *Resource) float64 {
	return max(0, float64(r[Memory])/float64(cluster[Memory]), float64(r[VCores])/float64(cluster[VCores]))
}

func (d DominantCalculator) Normalize(r, least, most, step Resource) Resource {
	for i := range d.Types {
		v := max(r[i], least[i])
		if step[i] != 0 {
			v = RoundUp(v, step[i])
		}
		r[i] = min(v, most[i])
	}
	return r
}

func (d DominantCalculator) RoundUp(r, step Resource) Resource {
	for i := range d.Types {
		if step[i] != 0 {
			r[i] = RoundUp(r[i], step[i])
		}
	}
	return r
}

func (d DominantCalculator) RoundDown(r, step Resource) Resource {
	for i := range d.Types {
		if step[i] != 0 {
			r[i] = RoundDown(r[i], step[i])
		}
	}
	return r
}

// MulNormalizeUp narrows the product to a float before it rounds, as YARN does.
func (d DominantCalculator) MulNormalizeUp(r Resource, by float64, step Resource) Resource {
	for i := range d.Types {
		r[i] = F2L(math.Ceil(float64(float32(float64(r[i]) * by))))
	}
	return d.RoundUp(r, step)
}

func (d DominantCalculator) MulNormalizeDown(r Resource, by float64, step Resource) Resource {
	for i := range d.Types {
		r[i] = F2L(float64(r[i]) * by)
	}
	return d.RoundDown(r, step)
}

func (d DominantCalculator) DivideCeil(r Resource, by int32) Resource {
	r = r.Clone()
	for i := range d.Types {
		r[i] = CeilDiv(r[i], int64(by))
	}
	return r
}

func (d DominantCalculator) DivideCeilFloat(r Resource, by float32) Resource {
	r = r.Clone()
	for i := range d.Types {
		r[i] = CeilDivFloat(r[i], by)
	}
	return r
}

func (d DominantCalculator) Available(free, each Resource) int64 {
	least := int64(math.MaxInt64)
	for i := range d.Types {
		if each[i] != 0 {
			least = min(least, free[i]/each[i])
		}
	}
	return min(least, math.MaxInt32)
}

func (d DominantCalculator) InvalidDivisor(r Resource) bool {
	return slices.Contains(r[:d.Types], 0)
}

func (d DominantCalculator) AllInvalidDivisor(r Resource) bool {
	for _, v := range r[:d.Types] {
		if v != 0 {
			return false
		}
	}
	return true
}

func (d DominantCalculator) AnyZeroOrNegative(r Resource) bool {
	return slices.ContainsFunc(r[:d.Types], func(v int64) bool { return v <= 0 })
}

func (d DominantCalculator) AnyAboveZero(r Resource) bool {
	return slices.ContainsFunc(r[:d.Types], func(v int64) bool { return v > 0 })
}
