// Package inference says what paired differences show: how far chance may have moved their mean, whether that leaves a
// difference, and what difference would have been found.
package inference

import (
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/stat/distuv"

	"replay/report/dist"
)

// Level is how often chance may make even one of all differences that are tested together look real.
const Level = 0.05

// Fewest is how many differences it takes for a word: many times are multiples of a heartbeat, so that two or three agree by
// luck.
const Fewest = 5

// fewestDiffering is how many differences other than 0 it takes for an interval, where others are 0. One or two say next to nothing of how large such
// differences are, but much of how many there are: their interval is narrow and would hold the true mean in three of four comparisons
// where a few rare differences are large. From three on it holds as often as it should (bench/statistics, workloads).
const fewestDiffering = 3

// power is in what part of such comparisons a difference as large as [Estimate.Detectable] is found.
const power = 0.8

// An Estimate is the mean of paired differences, one for each unit, and how far chance moves it.
type Estimate struct {
	Mean            float64
	SE              float64 // standard error of the mean, in its unit; 0 when all differences are equal
	DF              float64 // degrees of freedom of the standard error
	N               int     // units
	Autocorrelation float64 // of neighbouring differences, where they have an order; 0 or more
}

// Independent estimates from differences of units that know nothing of each other, two or more of them. One alone
// has no standard error.
func Independent(ds []float64) Estimate { return of(ds, 0) }

// Consecutive estimates from differences of units that follow each other, three or more of them. With a lag-1
// autocorrelation r above 0 the variance grows by (1 + r) / (1 - r), and the degrees of freedom are those of as many
// independent units as would have that variance.
//
// Source: docs/metrics.md, "Comparisons".
func Consecutive(ds []float64) Estimate { return of(ds, autocorrelation(ds)) }

func of(ds []float64, r float64) Estimate {
	n := float64(len(ds))
	e := Estimate{N: len(ds), DF: n - 1, Autocorrelation: r}
	if slices.Max(ds) == slices.Min(ds) { // exactly, where sums are rounded
		e.Mean = ds[0]
		return e
	}
	sd := dist.StandardDeviation(ds)
	longer := (1 + r) / (1 - r)
	e.Mean, e.SE = dist.Mean(ds), sd*math.Sqrt(longer/n)
	e.DF = max(1, n/longer-1)
	return e
}

// Rare returns how many differences are not 0 when they are too few for an interval, and 0 when there are enough of them or none.
func Rare(ds []float64) int {
	n := 0
	for _, d := range ds {
		if d != 0 {
			n++
		}
	}
	if n >= fewestDiffering || n == len(ds) {
		return 0
	}
	return n
}

// Unseen is the largest part of all units that may differ while n drawn ones do not, with a chance of [Level]: what n that are alike leave open.
//
// Source: the exact interval of Clopper and Pearson, 1934, for none of n.
func Unseen(n int) float64 { return settled(1 - math.Pow(Level, 1/float64(n))) }

// mostAutocorrelation keeps a few units from having no evidence at all.
const mostAutocorrelation = 0.9

// autocorrelation returns the lag-1 autocorrelation of xs, from 0 to 0.9. The estimate from n values is 1/n too low when there is
// none, which is added.
//
// Source: M. H. Quenouille, "Approximate tests of correlation in time-series", 1949; F. H. C. Marriott and J. A. Pope,
// "Bias in the estimation of autocorrelations", 1954.
func autocorrelation(xs []float64) float64 {
	if len(xs) < 3 || slices.Max(xs) == slices.Min(xs) {
		return 0
	}
	mean := dist.Mean(xs)
	products, squares := 0.0, 0.0
	for i, x := range xs {
		squares += float64((x - mean) * (x - mean))
		if i > 0 {
			products += float64((x - mean) * (xs[i-1] - mean))
		}
	}
	return min(max(0, products/squares+1/float64(len(xs))), mostAutocorrelation)
}

// P is the chance of a mean at least as far from 0 when there is no difference. A mean that nothing moves has P 0, or 1 when it
// is 0.
func (e Estimate) P() float64 {
	switch {
	case e.SE > 0:
		return settled(2 * distuv.StudentsT{Sigma: 1, Nu: e.DF}.CDF(-math.Abs(e.Mean/e.SE)))
	case e.Mean == 0:
		return 1
	}
	return 0
}

// Half is half the width of the interval around the mean that misses the true difference with a chance of alpha.
func (e Estimate) Half(alpha float64) float64 {
	if e.SE == 0 {
		return 0
	}
	return float64(e.quantile(1-alpha/2) * e.SE)
}

// Detectable is the smallest true difference whose interval would exclude 0 in 8 of 10 such comparisons, if SE is the true
// standard error.
func (e Estimate) Detectable(alpha float64) float64 {
	if e.SE == 0 {
		return 0
	}
	return float64(detectable(e.quantile(1-alpha/2), e.DF) * e.SE)
}

// detectable returns which true difference, in true standard errors, is found with a chance of [power] when df degrees of freedom
// estimate the standard error and an interval is t of the estimates to each side.
func detectable(t, df float64) float64 {
	// A difference of x is found when x + z > t sqrt(v / df), with z normal and v a chi-squared variable: a noncentral t.
	const points = 100 // at which v is taken, equally likely
	var ends [points]float64
	v := distuv.ChiSquared{K: df}
	for i := range ends {
		ends[i] = t * math.Sqrt(v.Quantile((float64(i)+.5)/points)/df)
	}
	found := func(x float64) (share float64) {
		for _, end := range ends {
			share += distuv.UnitNormal.CDF(x-end) / points
		}
		return share
	}
	low, high := 0.0, 2*t+10
	for range 60 {
		if middle := (low + high) / 2; found(middle) < power {
			low = middle
		} else {
			high = middle
		}
	}
	return settled(low)
}

// quantile returns the p-quantile of Student's distribution with the estimate's degrees of freedom.
func (e Estimate) quantile(p float64) float64 {
	return settled(distuv.StudentsT{Sigma: 1, Nu: e.DF}.Quantile(p))
}

// settled returns x to ten digits: the last ones of a series depend on the machine, whose compiler may fuse
// multiplications with additions.
func settled(x float64) float64 {
	v, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 10, 64), 64)
	if err != nil {
		panic(err) // the text of a number is one
	}
	return v
}
