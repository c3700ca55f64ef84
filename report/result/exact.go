package result

import "math/bits"

// exact is a sum of numbers that are not negative, of 128 bits: it is the same in whatever order they come.
type exact struct{ hi, lo uint64 }

// add adds a*b.
func (e *exact) add(a, b int64) {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	var carry uint64
	e.lo, carry = bits.Add64(e.lo, lo, 0)
	e.hi += hi + carry
}

// float returns the nearest number to the sum, or the one beside it.
func (e exact) float() float64 { return float64(float64(e.hi)*(1<<64)) + float64(e.lo) }

// plus adds another sum.
func (e *exact) plus(o exact) {
	var carry uint64
	e.lo, carry = bits.Add64(e.lo, o.lo, 0)
	e.hi += o.hi + carry
}
