package compare

import (
	"math"
	"slices"
	"strconv"

	"replay/report/dist"

	"github.com/montanaflynn/stats"
	"gonum.org/v1/gonum/stat/distuv"
)

// Source is a source of chance in a difference.
type Source struct {
	SE float64 `json:"standard_error"` // of the difference, from this source alone
	N  int     `json:"n"`              // seeds, or jobs
}

// level is how often chance may make even one of the differences that are tested together look real.
const level = 0.05

// overSeeds returns how much the mean of paired differences, one for each seed, varies with the seeds; nil with fewer
// than two.
func overSeeds(ds []float64) *Source {
	if len(ds) < 2 {
		return nil
	}
	if slices.Max(ds) == slices.Min(ds) { // exactly, where sums are rounded
		return &Source{0, len(ds)}
	}
	sd, err := stats.StandardDeviationSample(ds)
	if err != nil {
		panic(err) // there are two or more
	}
	return &Source{sd / math.Sqrt(float64(len(ds))), len(ds)}
}

// pairedDifferences returns b less a and its mean.
func pairedDifferences(a, b []float64) (ds []float64, mean float64) {
	for k := range a {
		ds = append(ds, b[k]-a[k])
	}
	if slices.Max(ds) == slices.Min(ds) {
		return ds, ds[0]
	}
	return ds, dist.Mean(ds)
}

// An estimate is a difference with its standard error by all sources of chance and the degrees of freedom of that.
type estimate struct{ d, se, df float64 }

// estimated puts the sources together: variances are added, and the degrees of freedom are Welch and Satterthwaite's.
// Without jobs the seeds stand alone. seeds must not be nil: one replay says nothing of chance.
//
// Source: docs/metrics.md, "Comparisons".
func estimated(d float64, seeds, jobs *Source) estimate {
	a := float64(seeds.SE * seeds.SE)
	if jobs == nil {
		return estimate{d, seeds.SE, float64(seeds.N - 1)}
	}
	b := float64(jobs.SE * jobs.SE)
	if a+b == 0 {
		return estimate{d, 0, float64(seeds.N - 1)}
	}
	df := float64((a+b)*(a+b)) / (float64(a*a)/float64(seeds.N-1) + float64(b*b)/float64(jobs.N-1))
	return estimate{d, math.Sqrt(a + b), df}
}

// p is the chance of a difference at least as far from 0 when there is none. A difference that nothing varies has p 0, or
// 1 when it is 0.
func (e estimate) p() float64 {
	switch {
	case e.se > 0:
		return tTails(e.d/e.se, e.df)
	case e.d == 0:
		return 1
	}
	return 0
}

// half is half the width of the interval when m differences are tested together: by Bonferroni's method all m intervals
// hold the true differences at once with a chance of 95 % or more.
func (e estimate) half(m int) float64 {
	return float64(tQuantile(1-level/2/float64(m), e.df) * e.se)
}

// adjusted is p by the same method: below level when the interval excludes 0.
func adjusted(p float64, m int) float64 { return min(1, p*float64(m)) }

// tTails returns the chance that a t variable with df degrees of freedom is at least as far
// from 0 as t.
func tTails(t, df float64) float64 {
	return settled(2 * distuv.StudentsT{Sigma: 1, Nu: df}.CDF(-math.Abs(t)))
}

// tQuantile returns the p-quantile of Student's distribution.
func tQuantile(p, df float64) float64 {
	return settled(distuv.StudentsT{Sigma: 1, Nu: df}.Quantile(p))
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

// enough reports whether n jobs can decide anything when m differences are tested together: all of them differing in the same
// direction must be rarer by chance than the level.
func enough(n, m int) bool { return math.Pow(2, 1-float64(n))*float64(m) < level }
