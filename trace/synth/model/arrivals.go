package model

import (
	"container/heap"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mathext"
)

// Arrivals is a doubly stochastic Poisson process. Its rate is 1/MeanGapS times the profile of the hour of the day and of the day
// of the week, times a log-normal of mean 1 for each hour, times a gamma of mean 1 for each minute, whose neighbours are
// correlated through a Gaussian copula. An arrival of it may have a follower, a follower another one, and so on; and with any of them others may come at the same time, a geometric number of them. The mean rate is that of all.
//
// With EvenHours the 24 hours of a day take one draw each from 24 equal parts of their law, in random order: hours differ as much as
// independent ones, and days less, so that a trace of a day is a typical one.
type Arrivals struct {
	MeanGapS      float64
	HourLnSD      float64
	EvenHours     int64 // 1 or 0
	MinuteVar     float64
	MinutePhi     float64
	FollowerQ     float64
	FollowerMeanS float64
	FollowerMore  float64
	TogetherMore  float64
	Hours         []float64 // of the day, 24
	Weekdays      []float64 // from Monday, 7
}

// Parameters names those of the arrivals.
func (a *Arrivals) Parameters(p *Parameters) {
	p.In("arrival", func(p *Parameters) {
		p.Float("mean_gap_s", &a.MeanGapS, 1e-6, 1e9, "mean seconds between submissions")
		p.Float("hour_lnsd", &a.HourLnSD, 0, 5, "standard deviation of the logarithm of an hour's rate")
		p.Int("even_hours", &a.EvenHours, 0, 1, "1 = a day has an hour of each 24th of their law, 0 = hours are independent")
		p.Float("minute_var", &a.MinuteVar, 0, 100, "variance of a minute's rate, of mean 1")
		p.Float("minute_phi", &a.MinutePhi, 0, 0.999, "correlation of a minute's rate with that before")
		p.Float("follower_q", &a.FollowerQ, 0, 1, "share of submissions that another one follows soon")
		p.Float("follower_mean_s", &a.FollowerMeanS, 0, 1e6, "mean seconds until that one")
		p.Float("follower_more", &a.FollowerMore, 0, 0.999, "share of followers that another one follows soon")
		p.Float("together_more", &a.TogetherMore, 0, 0.999, "share of submissions with which another one comes at the same time")
		p.List("hours", &a.Hours, 24, "rates of the hours of a day against each other")
		p.List("weekdays", &a.Weekdays, 7, "rates of the days from Monday, or a fit's first day, on against each other")
	})
}

// Flat is a profile of n equal rates.
func Flat(n int) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = 1
	}
	return list
}

// A Day is a profile of hours and weekdays.
type Day struct{ Hours, Weekdays []float64 }

// Days are the profiles by name. That of nasa is of an interactive machine (NASA Ames iPSC/860, October and November 1993);
// the rates of nasa-root are its square roots, as a batch cluster is flatter.
var Days = map[string]Day{
	"flat":      {Flat(24), Flat(7)},
	"nasa":      {nasaHours, nasaWeekdays},
	"nasa-root": {roots(nasaHours), roots(nasaWeekdays)},
}

var (
	nasaHours = []float64{
		.08, .15, .13, .09, .07, .17, .32, .48, .96, 1.40, 2.03, 2.26, 2.11, 2.07, 1.90, 1.98, 1.79, 1.75, 1.36, 1.11, .80, .56, .21, .20,
	}
	nasaWeekdays = []float64{1.31, 1.31, 1.24, 1.18, 1.21, .41, .36}
)

func roots(list []float64) []float64 {
	out := slices.Clone(list)
	for i, v := range out {
		out[i] = math.Sqrt(v)
	}
	return out
}

// A Process is one course of the arrivals. The rates of its hours and minutes stay the same however much faster it is made.
type Process struct {
	law            *Arrivals
	stream         func(purpose string) *rand.Rand
	hours, minutes *rand.Rand
	day            []int // hours of the day in the order of their rates
	hour, latent   float64
	expected       []float64 // arrivals that have no leader, up to the end of each minute
}

// Process makes a course from the streams of purposes.
func (a *Arrivals) Process(stream func(purpose string) *rand.Rand) *Process {
	return &Process{law: a, stream: stream, hours: stream("hours"), minutes: stream("minutes")}
}

const (
	minuteMS    = 60_000
	mostMinutes = 50 * 366 * 24 * 60 // arrivals take no longer
)

// upTo is how many arrivals without a leader are expected up to the end of a minute.
func (p *Process) upTo(minute int) float64 {
	for len(p.expected) <= minute {
		a, i := p.law, len(p.expected)
		if i%60 == 0 {
			p.hour = math.Exp(float64(a.HourLnSD*p.hourZ(i/60)) - float64(a.HourLnSD*a.HourLnSD)/2)
		}
		z := p.minutes.NormFloat64()
		if i > 0 {
			z = float64(a.MinutePhi*p.latent) + float64(math.Sqrt(1-float64(a.MinutePhi*a.MinutePhi))*z)
		}
		p.latent = z
		hour := i / 60
		rate := float64(60 / a.MeanGapS * (1 - a.TogetherMore) / (1 + a.FollowerQ/(1-a.FollowerMore)) * profile(a.Hours, hour%24) * profile(a.Weekdays, hour/24%7) * p.hour * gammaOf(z, a.MinuteVar))
		before := 0.0
		if i > 0 {
			before = p.expected[i-1]
		}
		p.expected = append(p.expected, before+rate)
	}
	return p.expected[minute]
}

// hourZ draws the standard normal of an hour.
func (p *Process) hourZ(hour int) float64 {
	if p.law.EvenHours == 0 {
		return p.hours.NormFloat64()
	}
	if hour%24 == 0 {
		p.day = p.hours.Perm(24)
	}
	part := (float64(p.day[hour%24]) + p.hours.Float64()) / 24
	return math.Sqrt2 * math.Erfinv(2*max(part, 1e-12)-1)
}

// profile is entry i of rates against their mean.
func profile(rates []float64, i int) float64 {
	sum := 0.0
	for _, v := range rates {
		sum += v
	}
	return rates[i] * float64(len(rates)) / sum
}

// gammaOf is the quantile of a gamma law of mean 1 at which a normal one has z.
func gammaOf(z, variance float64) float64 {
	if variance == 0 {
		return 1
	}
	p := min(max(math.Erfc(-z/math.Sqrt2)/2, 1e-12), 1-1e-12)
	if variance > 1 {
		return skewedQuantile(1/variance, p) * variance
	}
	return mathext.GammaIncRegInv(1/variance, p) * variance
}

// skewedQuantile is the quantile p of a gamma law of a shape below 1, for which the library takes up to milliseconds. Near 0, where much of such a law lies, its distribution is
// x^shape/Γ(shape+1), which it nowhere exceeds; beyond, the quantile is found by halving.
func skewedQuantile(shape, p float64) float64 {
	lgamma, _ := math.Lgamma(shape + 1)
	least := math.Exp((math.Log(p) + lgamma) / shape)
	if least < 1e-6 {
		return least
	}
	most := max(2*least, 1)
	for mathext.GammaIncReg(shape, most) < p {
		most *= 2
	}
	for range 50 {
		if middle := (least + most) / 2; mathext.GammaIncReg(shape, middle) < p {
			least = middle
		} else {
			most = middle
		}
	}
	return (least + most) / 2
}

// times is a heap of times in ms.
type times []float64

func (t times) Len() int           { return len(t) }
func (t times) Less(i, j int) bool { return t[i] < t[j] }
func (t times) Swap(i, j int)      { t[i], t[j] = t[j], t[i] }
func (t *times) Push(x any)        { *t = append(*t, x.(float64)) }
func (t *times) Pop() any {
	last := (*t)[len(*t)-1]
	*t = (*t)[:len(*t)-1]
	return last
}

// Times returns the arrivals before end in ms, at most n of them, ascending, where all rates are times factor.
func (p *Process) Times(factor float64, n int, endMS int64) ([]int64, error) {
	a := p.law
	gaps, followers := p.stream("arrivals"), p.stream("arrival-followers")
	together := p.stream("arrivals-together")
	var out []int64
	var pending times
	// come adds a submission and those of the same time; done is true when there are no more to come.
	come := func(at float64) (done bool) {
		for {
			if out = append(out, int64(at)); len(out) == n || int64(at) >= endMS {
				return true
			}
			if a.TogetherMore == 0 || together.Float64() >= a.TogetherMore {
				return false
			}
		}
	}
	follow := func(at float64) {
		heap.Push(&pending, at+float64(float64(followers.ExpFloat64()*a.FollowerMeanS)*1000))
	}
	hazard, minute := 0.0, 0
	for {
		hazard += gaps.ExpFloat64() / factor
		for p.upTo(minute) <= hazard {
			if minute++; int64(minute)*minuteMS > endMS && endMS < math.MaxInt64 {
				break
			}
			if minute == mostMinutes {
				return nil, fmt.Errorf("%d of %d submissions take more than 50 years, want a smaller mean gap or more load", len(out), n)
			}
		}
		start := 0.0
		if minute > 0 {
			start = p.upTo(minute - 1)
		}
		at := float64((float64(minute) + (hazard-start)/(p.upTo(minute)-start)) * minuteMS)
		for len(pending) > 0 && pending[0] <= at {
			came := heap.Pop(&pending).(float64)
			if come(came) {
				return before(out, endMS), nil
			}
			if a.FollowerMore > 0 && followers.Float64() < a.FollowerMore {
				follow(came)
			}
		}
		if come(at) {
			return before(out, endMS), nil
		}
		if follows := followers.Float64() < a.FollowerQ; follows {
			follow(at)
		}
	}
}

func before(times []int64, endMS int64) []int64 {
	for len(times) > 0 && times[len(times)-1] >= endMS {
		times = times[:len(times)-1]
	}
	return times
}
