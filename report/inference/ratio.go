package inference

import (
	"math"

	"replay/report/dist"
)

// Ratio is how many times the mean of bases the mean of others is, at least and at most, where e estimates the mean of their differences, others less
// bases: the ratios x at which the differences of others and x times bases do not have a mean that excludes 0 at alpha. The interval holds 1 just when that of
// the difference holds 0. It is false where the bases' own mean is not told apart from 0, so that no ratio is too large. The low end may be below 0.
//
// Source: E. C. Fieller, "Some problems in interval estimation", 1954.
func (e Estimate) Ratio(bases, others []float64, alpha float64) (low, high float64, ok bool) {
	n, base, other := float64(len(bases)), dist.Mean(bases), dist.Mean(others)
	bb, bo, oo := 0.0, 0.0, 0.0
	for i := range bases {
		x, y := bases[i]-base, others[i]-other
		bb += float64(x * x)
		bo += float64(x * y)
		oo += float64(y * y)
	}
	t := e.quantile(1 - alpha/2)
	longer := (1 + e.Autocorrelation) / (1 - e.Autocorrelation)
	c := float64(t*t) * longer / (n * (n - 1)) // of sums of squares, what the squared means must exceed
	// base² x² - 2 base other x + other² <= c (bb x² - 2 bo x + oo)
	a := float64(base*base) - float64(c*bb)
	h := float64(base*other) - float64(c*bo)
	q := float64(other*other) - float64(c*oo)
	if a <= 0 {
		return 0, 0, false
	}
	root := math.Sqrt(max(0, float64(h*h)-float64(a*q)))
	return settled((h - root) / a), settled((h + root) / a), true
}
