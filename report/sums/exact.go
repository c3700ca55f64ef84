package sums

import "math/bits"

// Exact is a sum of numbers that are not negative, in 128 bits: it is the same in whatever order they come.
type Exact struct{ hi, lo uint64 }

// Add adds a*b, neither of them negative.
func (e *Exact) Add(a, b int64) {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	var carry uint64
	e.lo, carry = bits.Add64(e.lo, lo, 0)
	e.hi += hi + carry
}

// Float returns the nearest number to the sum, or the one beside it.
func (e Exact) Float() float64 { return float64(float64(e.hi)*(1<<64)) + float64(e.lo) }

// Plus adds another sum.
func (e *Exact) Plus(o Exact) {
	var carry uint64
	e.lo, carry = bits.Add64(e.lo, o.lo, 0)
	e.hi += o.hi + carry
}
