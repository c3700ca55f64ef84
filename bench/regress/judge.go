package regress

import (
	"fmt"
	"math"
	"slices"
)

// Speed is what is known of the speed of a case beside that of its baseline.
type Speed string

// What can be known. Only Slower is a regression.
const (
	Same    Speed = "same"
	Slower  Speed = "slower"
	Faster  Speed = "faster"
	Unknown Speed = "not known" // the samples leave it open
	Absent  Speed = "-"         // nothing to compare with
)

// floor is the least change that counts, whatever the spread of a history.
const floor = 0.05

// A History is calibrated times: the samples of each run, the oldest run first. A calibrated time is the CPU of a case over that of a
// loop that was run right before and after it.
type History [][]float64

// leastHistory is how many values quartiles are taken of at least.
const leastHistory = 4

// values are what a run's median is held against: the medians of the runs where there are enough, which have the spread between
// runs and little of that within; else all samples.
func (h History) values() (xs []float64) {
	if len(h) >= leastHistory {
		for _, run := range h {
			if len(run) > 0 {
				xs = append(xs, median(run))
			}
		}
		return xs
	}
	return slices.Concat(h...)
}

func median(xs []float64) float64 { return quantile(slices.Sorted(slices.Values(xs)), 0.5) }

// Limits are what a history calls usual: from Q1 - 3 IQR to Q3 + 3 IQR, and at least 5 % to each side of the median.
type Limits struct{ Low, Median, High float64 }

// limits returns the limits of a history; false with too little.
func (h History) limits() (l Limits, ok bool) {
	xs := slices.Sorted(slices.Values(h.values()))
	if len(xs) < leastHistory {
		return l, false
	}
	q1, q3 := quantile(xs, 0.25), quantile(xs, 0.75)
	l.Median = quantile(xs, 0.5)
	l.Low = min(q1-float64(3*(q3-q1)), l.Median*(1-floor))
	l.High = max(q3+float64(3*(q3-q1)), l.Median*(1+floor))
	return l, true
}

// quantile interpolates between order statistics.
//
// Source: R. J. Hyndman, Y. Fan, Sample quantiles in statistical packages, The American Statistician 50 (1996), type 7.
func quantile(sorted []float64, p float64) float64 {
	at := float64(p * float64(len(sorted)-1))
	i := int(math.Floor(at))
	if i+1 == len(sorted) {
		return sorted[i]
	}
	return sorted[i] + float64((at-float64(i))*(sorted[i+1]-sorted[i]))
}

// fewest are so many samples that an interval of their median can be made of them.
const fewest = 6

// medianInterval returns an interval that holds the median of what the samples are drawn from with 95 % or more, made of two
// of the samples; false below [fewest], of which not even the outermost do.
//
// Source: the sign test; W. J. Conover, Practical Nonparametric Statistics, 1999, section 3.2.
func medianInterval(samples []float64) (low, high float64, ok bool) {
	n := len(samples)
	xs := slices.Sorted(slices.Values(samples))
	below := 0.0 // probability of fewer than k of n on one side
	k := 0
	term := math.Pow(0.5, float64(n))
	for i := 0; i < n/2; i++ {
		below += term
		if 2*below > 0.05 {
			break
		}
		k = i + 1
		term *= float64(n-i) / float64(i+1)
	}
	if k == 0 {
		return 0, 0, false
	}
	return xs[k-1], xs[n-k], true
}

// A Judgement says how fast a case is.
type Judgement struct {
	Speed     Speed
	Limits    Limits  // of the history
	Low, High float64 // interval of the median of the samples
	Median    float64
	Samples   int
	Few       bool // too few samples for an interval
}

// judge holds calibrated times against a history. A case is slower, or faster, when the whole interval of its median is beyond the
// limits, the same when the whole interval is within; else it is not known.
func judge(history History, samples []float64) Judgement {
	j := Judgement{Speed: Absent, Samples: len(samples)}
	if len(samples) > 0 {
		j.Median = median(samples)
	}
	limits, ok := history.limits()
	if !ok {
		return j
	}
	j.Limits = limits
	var enough bool
	j.Low, j.High, enough = medianInterval(samples)
	switch {
	case !enough:
		j.Speed, j.Few = Unknown, true
	case j.Low > limits.High:
		j.Speed = Slower
	case j.High < limits.Low:
		j.Speed = Faster
	case j.Low >= limits.Low && j.High <= limits.High:
		j.Speed = Same
	default:
		j.Speed = Unknown
	}
	return j
}

// change is the change of the median in words: "+3.1 %".
func (j *Judgement) change() string {
	if j.Limits.Median == 0 {
		return "-"
	}
	return fmt.Sprintf("%+.1f %%", 100*(j.Median/j.Limits.Median-1))
}

// seen is the least slow-down that this history lets be seen, in words: "5.0 %".
func (j *Judgement) seen() string {
	if j.Limits.Median == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f %%", 100*(j.Limits.High/j.Limits.Median-1))
}
