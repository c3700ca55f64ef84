package compare

import (
	"cmp"
	"math"
	"slices"

	"replay/report/dist"

	"github.com/montanaflynn/stats"
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
	return incompleteBeta(df/2, .5, df/(df+float64(t*t)))
}

// tQuantile returns the p-quantile (p above one half) of Student's distribution by bisection.
func tQuantile(p, df float64) float64 {
	lo, hi := 0.0, 1.0
	for tTails(hi, df) > 2*(1-p) {
		hi *= 2
	}
	for range 200 {
		mid := (lo + hi) / 2
		if tTails(mid, df) > 2*(1-p) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return (lo + hi) / 2
}

// incompleteBeta returns the regularised incomplete beta function I_x(a, b) by its continued
// fraction, evaluated with Lentz's method.
func incompleteBeta(a, b, x float64) float64 {
	if x <= 0 {
		return 0
	}
	if x >= 1 {
		return 1
	}
	if x > (a+1)/(a+b+2) {
		return 1 - incompleteBeta(b, a, 1-x)
	}
	la, _ := math.Lgamma(a)
	lb, _ := math.Lgamma(b)
	lab, _ := math.Lgamma(a + b)
	front := math.Exp(lab-la-lb+float64(a*math.Log(x))+float64(b*math.Log1p(-x))) / a
	const tiny = 1e-300
	guard := func(v float64) float64 {
		if math.Abs(v) < tiny {
			return tiny
		}
		return v
	}
	c, d := 1.0, 1/guard(1-(a+b)*x/(a+1))
	f := d
	for m := 1.0; m < 500; m++ {
		even := m * (b - m) * x / ((a + 2*m - 1) * (a + 2*m))
		d = 1 / guard(1+float64(even*d))
		c = guard(1 + even/c)
		f *= float64(d * c)
		odd := -(a + m) * (a + b + m) * x / ((a + 2*m) * (a + 2*m + 1))
		d = 1 / guard(1+float64(odd*d))
		c = guard(1 + odd/c)
		step := float64(d * c)
		f *= step
		if math.Abs(step-1) < 1e-15 {
			break
		}
	}
	return front * f
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
