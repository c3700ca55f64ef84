package policy

import "math"

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

// Add returns a + b per type; it wraps like Java's long.
func (a Resource) Add(b Resource) Resource {
	for i := range a {
		a[i] += b[i]
	}
	return a
}

// Sub returns a - b per type, without clamping; it wraps like Java's long.
func (a Resource) Sub(b Resource) Resource {
	for i := range a {
		a[i] -= b[i]
	}
	return a
}

// FitsIn reports whether every type of a is at most that of b; negative values count as they are.
//
// Source: Resources.fitsIn.
func (a Resource) FitsIn(b Resource) bool {
	for i := range a {
		if a[i] > b[i] {
			return false
		}
	}
	return true
}

// IsNone reports whether every type is exactly 0; negative values are not none.
//
// Source: Resources.isNone.
func (a Resource) IsNone() bool { return a == Resource{} }

// Min returns the smaller value per type.
//
// Source: Resources.componentwiseMin.
func (a Resource) Min(b Resource) Resource {
	for i := range a {
		a[i] = min(a[i], b[i])
	}
	return a
}

// Max returns the larger value per type.
//
// Source: Resources.componentwiseMax.
func (a Resource) Max(b Resource) Resource {
	for i := range a {
		a[i] = max(a[i], b[i])
	}
	return a
}
