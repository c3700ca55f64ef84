// Package resource is YARN's arithmetic of resources: amounts of several types, the calculators that compare and round
// them, and the numbers of Java underneath.
package resource

import (
	"fmt"
	"math"
	"strings"
)

// MaxTypes is the number of resource types that a [Resource] can hold: memory, vcores
// and up to two more from yarn.resource-types. A configuration with more is refused.
const MaxTypes = 4

// Index of the two mandatory types in a [Resource].
const (
	Memory = 0 // memory-mb, MiB
	VCores = 1 // vcores
)

// Resource is an amount of each resource type, raw 64-bit values as in YARN.
// Types that a cluster does not have are 0 everywhere.
//
// Source: org.apache.hadoop.yarn.api.records.Resource.
type Resource [MaxTypes]int64

// R returns the resource of mem MiB and vcores, other types 0.
func R(mem, vcores int64) Resource { return Resource{Memory: mem, VCores: vcores} }

// Unbounded is what YARN calls Resources.unbounded(): MaxInt64 of the first n types.
func Unbounded(n int) (r Resource) {
	for i := range n {
		r[i] = math.MaxInt64
	}
	return r
}

// What is asked for several times a container has its types one by one, which takes half of the time of a loop.
var _ = [1]struct{}{}[MaxTypes-4] // all of them

// Add returns a + b per type; it wraps like Java's long.
func (a Resource) Add(b Resource) Resource {
	a.AddTo(&b)
	return a
}

// Sub returns a - b per type, without clamping; it wraps like Java's long.
func (a Resource) Sub(b Resource) Resource {
	a.SubtractFrom(&b)
	return a
}

// AddTo and SubtractFrom are [Resource.Add] and [Resource.Sub] in place.
//
// Source: Resources.addTo, subtractFrom.
func (a *Resource) AddTo(b *Resource) {
	a[0] += b[0]
	a[1] += b[1]
	a[2] += b[2]
	a[3] += b[3]
}

// SubtractFrom is described at [Resource.AddTo].
func (a *Resource) SubtractFrom(b *Resource) {
	a[0] -= b[0]
	a[1] -= b[1]
	a[2] -= b[2]
	a[3] -= b[3]
}

// CopyFrom sets a to b type by type: what was just added up in this way is read without a wait, where one wider read waits until all of it is written.
func (a *Resource) CopyFrom(b *Resource) { a[0], a[1], a[2], a[3] = b[0], b[1], b[2], b[3] }

// SetRest sets a to what is left of all without used, as [Resource.CopyFrom] does.
func (a *Resource) SetRest(all, used *Resource) {
	a[0], a[1], a[2], a[3] = all[0]-used[0], all[1]-used[1], all[2]-used[2], all[3]-used[3]
}

// IsRest reports whether a is what is left of all without used, and reads them as [Resource.CopyFrom] does.
func (a *Resource) IsRest(all, used *Resource) bool {
	return a[0] == all[0]-used[0] && a[1] == all[1]-used[1] && a[2] == all[2]-used[2] && a[3] == all[3]-used[3]
}

// FitsIn reports whether every type of a is at most that of b; negative values count as they are.
//
// Source: Resources.fitsIn.
func (a Resource) FitsIn(b Resource) bool { return a.Within(&b) }

// Within is [Resource.FitsIn] in place.
func (a *Resource) Within(b *Resource) bool {
	return a[0] <= b[0] && a[1] <= b[1] && a[2] <= b[2] && a[3] <= b[3]
}

// FitsBeside reports whether used + a fits in total.
func (a *Resource) FitsBeside(used, total *Resource) bool {
	return used[0]+a[0] <= total[0] && used[1]+a[1] <= total[1] && used[2]+a[2] <= total[2] && used[3]+a[3] <= total[3]
}

// Text says in words what a is: memory, vcores, and what there is of other types, whose names are by their index.
func (a Resource) Text(types []string) string {
	return a.text(types, func(i int) bool { return i <= VCores || a[i] != 0 })
}

// Over says in words of which types a has more than b, and what b has of these, which is "" for both where a fits in b. Names of types are by their index.
func (a Resource) Over(b Resource, types []string) (more, most string) {
	over := func(i int) bool { return a[i] > b[i] }
	return a.text(types, over), b.text(types, over)
}

// text says what there is of some types.
func (a Resource) text(types []string, of func(int) bool) string {
	var parts []string
	for i, n := range a {
		switch {
		case !of(i):
		case i == Memory:
			parts = append(parts, fmt.Sprintf("%d MiB", n))
		case i == VCores && n == 1:
			parts = append(parts, "1 vcore")
		case i == VCores:
			parts = append(parts, fmt.Sprintf("%d vcores", n))
		case i < len(types):
			parts = append(parts, fmt.Sprintf("%d of %s", n, types[i]))
		default:
			parts = append(parts, fmt.Sprintf("%d of resource type %d", n, i))
		}
	}
	return strings.Join(parts, " and ")
}

// IsNone reports whether every type is exactly 0; negative values are not none.
//
// Source: Resources.isNone.
func (a Resource) IsNone() bool { return a == Resource{} }

// Min returns the smaller value per type.
//
// Source: Resources.componentwiseMin.
func (a Resource) Min(b Resource) Resource {
	return Resource{min(a[0], b[0]), min(a[1], b[1]), min(a[2], b[2]), min(a[3], b[3])}
}

// Max returns the larger value per type.
//
// Source: Resources.componentwiseMax.
func (a Resource) Max(b Resource) Resource {
	return Resource{max(a[0], b[0]), max(a[1], b[1]), max(a[2], b[2]), max(a[3], b[3])}
}

// CPU returns the vcores as the int that YARN sees: capped above, cut to 32 bits below.
//
// Source: Resource.getVirtualCores.
func (a Resource) CPU() int64 {
	if a[VCores] > math.MaxInt32 {
		return math.MaxInt32
	}
	return int64(int32(a[VCores]))
}

// Clone returns a as a copy made by YARN: its vcores pass through an int.
//
// Source: Resources.clone.
func (a Resource) Clone() Resource {
	a[VCores] = a.CPU()
	return a
}

// SubNonNegative returns a - b with memory and vcores clamped to 0; other types may go below.
//
// Source: Resources.subtractFromNonNegative.
func (a Resource) SubNonNegative(b Resource) Resource {
	a = a.Sub(b)
	a[Memory] = max(a[Memory], 0)
	a[VCores] = max(a[VCores], 0)
	return a
}

// Mul returns a times by per type, truncated.
//
// Source: Resources.multiply, multiplyAndRoundDown.
func (a Resource) Mul(by float64) Resource {
	for i, v := range a {
		a[i] = F2L(float64(v) * by)
	}
	return a
}

// MulUp returns a times by per type, rounded up.
//
// Source: Resources.multiplyAndRoundUp.
func (a Resource) MulUp(by float64) Resource {
	for i, v := range a {
		a[i] = F2L(math.Ceil(float64(v) * by))
	}
	return a
}

// Equal is YARN's equality: vcores are compared as ints.
//
// Source: Resource.equals.
func (a Resource) Equal(b Resource) bool { return a[Memory] == b[Memory] && a.Clone() == b.Clone() }
