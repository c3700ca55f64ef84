package report

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

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
	m := mean(ds)
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

const (
	resamples = 2000 // of the bootstrap
	maxBlocks = 1000 // jobs beyond this many are resampled in blocks of consecutive ones
	minJobs   = 6    // fewer jobs have no interval
	// percentileJobs is up to how many jobs percentiles outside the headline get an interval.
	percentileJobs = 5000
)

// bootstrapStream is the random stream of the resampling: the same for every comparison.
func bootstrapStream() *rand.Rand { return rand.New(rand.NewPCG(0x6a6f6273, 0x626f6f74)) }

// sample is one statistic over the jobs of one run, ready for resampling.
type sample struct {
	percent float64
	blocks  []int32   // of a ratio: those that have a part in it; of a percentile: the block of each value
	num     []float64 // of a ratio: by position in blocks
	den     []float64
	values  []float64 // of a percentile: in order
}

// equal reports whether two statistics are equal under all weights.
func (s *sample) equal(o *sample) bool {
	return s.percent == o.percent && slices.Equal(s.blocks, o.blocks) && slices.Equal(s.num, o.num) && slices.Equal(s.den, o.den) && slices.Equal(s.values, o.values)
}

// newSample prepares the jobs of one run; block[i] is the block of job ids[i].
func newSample(p *PerJob, jobs []Job, block func(id int64) int, blocks int) *sample {
	s := &sample{percent: p.Percent}
	var num, den []float64
	if p.Percent == 0 {
		num, den = make([]float64, blocks), make([]float64, blocks)
	}
	type entry struct {
		v float64
		b int32
	}
	var entries []entry
	for i := range jobs {
		n, d, ok := p.Of(&jobs[i])
		if !ok {
			continue
		}
		b := block(jobs[i].ID)
		if p.Percent == 0 {
			num[b] += n
			den[b] += d
		} else {
			entries = append(entries, entry{n, int32(b)})
		}
	}
	for b := range num {
		if num[b] != 0 || den[b] != 0 {
			s.blocks, s.num, s.den = append(s.blocks, int32(b)), append(s.num, num[b]), append(s.den, den[b])
		}
	}
	slices.SortStableFunc(entries, func(a, b entry) int { return cmp.Compare(a.v, b.v) })
	for _, e := range entries {
		s.values = append(s.values, e.v)
		s.blocks = append(s.blocks, e.b)
	}
	return s
}

// at returns the statistic when block b counts weight[b] times; NaN when nothing is left.
func (s *sample) at(weight []float64) float64 {
	if s.percent == 0 {
		num, den := 0.0, 0.0
		for i, b := range s.blocks {
			w := weight[b]
			num += float64(w * s.num[i])
			den += float64(w * s.den[i])
		}
		return over(num, den)
	}
	n := 0.0
	for _, b := range s.blocks {
		n += weight[b]
	}
	if n == 0 {
		return nan
	}
	h := s.percent / 100 * (n - 1)
	k := math.Floor(h)
	seen, low := 0.0, math.NaN()
	for i, b := range s.blocks {
		if weight[b] == 0 {
			continue
		}
		seen += weight[b]
		if math.IsNaN(low) && seen > k {
			low = s.values[i]
		}
		if seen > k+1 || seen >= n {
			return low + float64((h-k)*(s.values[i]-low))
		}
	}
	panic("report: weights ended before the percentile")
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
		return nan
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

func ones(n int) []float64 { return slices.Repeat([]float64{1}, n) }

// bootstrap resamples jobs for many paired differences at once and returns the percentile
// interval of each. first[i] and other[i] are the samples of difference i, one for each seed;
// a difference is the mean over seeds of other less that of first. A difference whose
// statistic does not exist in over 5 % of the resamples gets no interval.
//
// Source: docs/metrics.md, "intervals over jobs".
func bootstrap(first, other [][]*sample, blocks, jobs int) []*Interval {
	out := make([]*Interval, len(first))
	draws := make([][]float64, len(first))
	var open []int // differences that are not 0 whatever is drawn
	for i := range draws {
		if slices.EqualFunc(first[i], other[i], (*sample).equal) {
			if !math.IsNaN(first[i][0].at(ones(blocks))) {
				out[i] = &Interval{0, 0, 1, 0, jobs}
			}
			continue
		}
		draws[i] = make([]float64, 0, resamples)
		open = append(open, i)
	}
	rng := bootstrapStream()
	weight := make([]float64, blocks)
	for range resamples {
		clear(weight)
		for range blocks {
			weight[rng.IntN(blocks)]++
		}
		for _, i := range open {
			d := 0.0
			for k := range first[i] {
				d += other[i][k].at(weight) - first[i][k].at(weight)
			}
			if d /= float64(len(first[i])); !math.IsNaN(d) {
				draws[i] = append(draws[i], d)
			}
		}
	}
	for _, i := range open {
		ds := draws[i]
		if len(ds) < resamples*95/100 {
			continue
		}
		tail := (1 - confidence) / 2 * 100
		ends := percentiles(ds, tail, 100-tail)
		below, above := 1, 1
		for _, d := range ds {
			if d <= 0 {
				below++
			}
			if d >= 0 {
				above++
			}
		}
		p := min(1, 2*float64(min(below, above))/float64(len(ds)+1))
		// No test of n pairs can be surer than all of them having the same sign by chance.
		p = max(p, surest(jobs))
		se, err := stats.StandardDeviationSample(ds)
		if err != nil {
			panic(err) // there are many
		}
		out[i] = &Interval{ends[0], ends[1], p, se, jobs}
	}
	return out
}
