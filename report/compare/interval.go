package compare

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"replay/report/dist"

	"github.com/montanaflynn/stats"
	"gonum.org/v1/gonum/stat/distuv"
)

// Interval is a 95 % confidence interval of a difference, with the p-value of no difference.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	P    float64 `json:"p"`
	SE   float64 `json:"standard_error"`
	N    int     `json:"n"` // pairs of seeds, or jobs
}

// Level of all intervals and tests.
const confidence = 0.95

// pairedT returns the t interval of the mean of paired differences; false with fewer than two.
// Differences that are all equal give an interval without width: p is 0, or 1 when they are 0.
//
// Source: docs/metrics.md, "intervals over seeds".
func pairedT(ds []float64) (Interval, bool) {
	n := len(ds)
	if n < 2 {
		return Interval{}, false
	}
	m := dist.Mean(ds)
	sd, err := stats.StandardDeviationSample(ds)
	if err != nil {
		panic(err) // n is at least 2
	}
	if slices.Max(ds) == slices.Min(ds) {
		sd, m = 0, ds[0]
	}
	if sd == 0 {
		p := 0.0
		if m == 0 {
			p = 1
		}
		return Interval{m, m, p, 0, n}, true
	}
	se := sd / math.Sqrt(float64(n))
	half := float64(tQuantile(1-(1-confidence)/2, float64(n-1)) * se)
	return Interval{m - half, m + half, tTails(m/se, float64(n-1)), se, n}, true
}

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

// holm returns the p-values adjusted by Holm's step-down method: those below 1-confidence are
// significant with the chance of any false one kept at that level.
func holm(ps []float64) []float64 {
	order := make([]int, len(ps))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(ps[a], ps[b]) })
	out := make([]float64, len(ps))
	worst := 0.0
	for rank, i := range order {
		worst = max(worst, min(1, float64(len(ps)-rank)*ps[i]))
		out[i] = worst
	}
	return out
}

// surest is the least p-value that n pairs can give.
func surest(n int) float64 { return math.Pow(2, 1-float64(n)) }

// combined returns the p-value of a difference d that varies both with the seed and with the
// jobs: the two variances are added, and the degrees of freedom are Welch and Satterthwaite's.
//
// Source: docs/metrics.md, "what is called real".
func combined(d float64, seeds, jobs *Interval) float64 {
	switch {
	case seeds == nil && jobs == nil:
		return math.NaN()
	case jobs == nil:
		return seeds.P
	case seeds == nil:
		return jobs.P
	}
	a, b := float64(seeds.SE*seeds.SE), float64(jobs.SE*jobs.SE)
	if a+b == 0 {
		return max(seeds.P, surest(jobs.N))
	}
	df := float64((a+b)*(a+b)) / (float64(a*a)/float64(seeds.N-1) + float64(b*b)/float64(jobs.N-1))
	return max(tTails(d/math.Sqrt(a+b), df), surest(jobs.N))
}
