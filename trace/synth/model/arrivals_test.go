package model

import (
	"math"
	"math/rand/v2"
	"testing"
)

// A minute's factor has mean 1 and the variance that is asked for, from even minutes to those of which one in many has all submissions; and it grows with what is drawn.
func TestMinuteFactors(t *testing.T) {
	for _, variance := range []float64{0.3, 1.5, 60} {
		r, sum, square, n := rand.New(rand.NewPCG(1, 1)), 0.0, 0.0, 20_000
		if variance <= 1 {
			n = 3000
		}
		for range n {
			x := gammaOf(r.NormFloat64(), variance)
			sum, square = sum+x, square+x*x
		}
		mean := sum / float64(n)
		if got := square/float64(n) - mean*mean; math.Abs(mean-1) > 4*math.Sqrt(variance/float64(n)) || math.Abs(got/variance-1) > 0.35 {
			t.Errorf("mean %.3f and variance %.2f, want 1 and %g", mean, got, variance)
		}
		for last, z := 0.0, -6.0; z < 6; z += 0.25 {
			x := gammaOf(z, variance)
			if !(x >= last) || math.IsInf(x, 0) {
				t.Fatalf("variance %g: %g at %g, after %g", variance, x, z, last)
			}
			last = x
		}
	}
	for _, z := range []float64{-1, 0, 0.5, 2} { // where one law begins and the other ends
		if low, high := gammaOf(z, 1), gammaOf(z, 1.0001); math.Abs(low-high) > 0.001 {
			t.Errorf("%g at a variance of 1, and %g just above it", low, high)
		}
	}
}
