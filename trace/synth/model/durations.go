package model

import (
	"math"
	"math/rand/v2"
)

// Durations is the law of tasks at two levels: each stage has a median from a log-normal, its tasks are log-normal around it.
type Durations struct {
	MedianS   float64
	StageLnSD float64
	TaskLnSD  float64
	MostS     float64
}

// Parameters names those of the durations of what is called name.
func (d *Durations) Parameters(p *Parameters, name string) {
	p.In(name, func(p *Parameters) {
		p.Float("median_s", &d.MedianS, 0, 1e9, "median of the stages' medians, seconds")
		p.Float("stage_lnsd", &d.StageLnSD, 0, 10, "standard deviation of the logarithm of a stage's median")
		p.Float("task_lnsd", &d.TaskLnSD, 0, 10, "standard deviation of the logarithm of tasks within a stage")
		p.Float("max_s", &d.MostS, 0.001, 1e9, "the longest task, seconds")
	})
}

// Stage draws the median of a stage, ms.
func (d *Durations) Stage(r *rand.Rand) float64 { return LogNormal(r, d.MedianS*1000, d.StageLnSD) }

// Fill draws the tasks of a stage with a median in ms, at least 1 ms each.
func (d *Durations) Fill(r, straggling *rand.Rand, median float64, s *Stragglers, tasks []int64) {
	most := d.MostS * 1000
	for i := range tasks {
		v := LogNormal(r, median, d.TaskLnSD)
		if s.P > 0 && straggling.Float64() < s.P {
			v *= s.factor(straggling)
		}
		tasks[i] = max(1, int64(math.Round(min(v, most))))
	}
}

// Stragglers are tasks that take a multiple of their time by themselves: Pareto's law from Low on. Those that are slow because their
// node is are no part of a trace, whose durations are those of an unloaded node.
type Stragglers struct {
	P     float64
	Low   float64
	Alpha float64
	Cap   float64
}

// Parameters names those of the stragglers.
func (s *Stragglers) Parameters(p *Parameters) {
	p.In("straggler", func(p *Parameters) {
		p.Float("p", &s.P, 0, 1, "share of the tasks that straggle")
		p.Float("low", &s.Low, 1, 1000, "the least multiple")
		p.Float("alpha", &s.Alpha, 0.05, 100, "index of Pareto's law of the multiple")
		p.Float("cap", &s.Cap, 1, 1e6, "the largest multiple")
	})
}

// mean is that of the multiples.
func (s *Stragglers) mean() float64 {
	return float64(s.Alpha/(s.Alpha-1)*s.Low) - math.Pow(s.Low/s.Cap, s.Alpha)*s.Cap/(s.Alpha-1)
}

const (
	lowShare      = .1587 // of a normal law is more than a standard deviation below its middle
	mostStraggled = .3    // the most that a fit takes for stragglers
)

// split returns the standard deviation of the logarithm of the tasks that do not straggle, and the share of those that do, from what is seen of all around their median: how far lowShare of them are
// below it, as a logarithm, and their mean against it. Stragglers move the median up, and low with it.
func (s *Stragglers) split(low, mean float64) (lnSD, share float64) {
	straggled := func(mean float64) float64 { return min(max(0, (mean-1)/(s.mean()-1)), mostStraggled) }
	if low <= 0 {
		return 0, straggled(mean)
	}
	law := Stragglers{Low: s.Low, Alpha: s.Alpha, Cap: s.Cap}
	lnSD = low
	for range 100 {
		was, middle := lnSD, law.below(lnSD, .5)
		lnSD *= low / (middle - law.below(lnSD, lowShare))
		share = straggled(mean * math.Exp(middle-float64(lnSD*lnSD)/2))
		if math.Abs(lnSD-was) < 1e-6 && math.Abs(share-law.P) < 1e-6 {
			break
		}
		law.P = share
	}
	return lnSD, share
}

// below is the logarithm below which a share of the tasks is, around a median of 1 of those that do not straggle.
func (s *Stragglers) below(lnSD, share float64) float64 {
	const parts = 32 // of the law of the multiples
	low, high := -8*lnSD, 8*lnSD+math.Log(s.Cap)
	for range 60 {
		middle := (low + high) / 2
		of := float64((1 - s.P) * math.Erfc(-middle/lnSD/math.Sqrt2) / 2)
		for i := range parts {
			of += float64(s.P / parts * math.Erfc(-(middle-math.Log(s.quantile((float64(i)+.5)/parts)))/lnSD/math.Sqrt2) / 2)
		}
		if of < share {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// Median is what [Durations.Fill] is to be given for tasks of a mean, both in ms.
func (d *Durations) Median(mean float64, s *Stragglers) float64 {
	most := d.MostS * 1000
	median := mean / math.Exp(d.TaskLnSD*d.TaskLnSD/2) / (1 + float64(s.P*(s.mean()-1)))
	if d.TaskLnSD == 0 || median*math.Exp(4*d.TaskLnSD)*s.Cap < most {
		return median
	}
	low, high := median, most*math.Exp(4*d.TaskLnSD) // where some are cut to the longest
	for range 40 {
		if middle := math.Sqrt(low * high); d.meanOf(middle, most, s) < mean {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// meanOf is the mean of tasks around a median that take at most most.
func (d *Durations) meanOf(median, most float64, s *Stragglers) float64 {
	within := func(median float64) float64 {
		far := math.Log(most/median) / d.TaskLnSD
		below := func(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }
		return float64(median*math.Exp(d.TaskLnSD*d.TaskLnSD/2)*below(far-d.TaskLnSD)) + float64(most*below(-far))
	}
	mean := float64((1 - s.P) * within(median))
	const parts = 16 // of the law of the multiples
	for i := range parts {
		mean += float64(s.P / parts * within(median*s.quantile((float64(i)+.5)/parts)))
	}
	return mean
}

func (s *Stragglers) quantile(p float64) float64 {
	return min(s.Low*math.Pow(1-p, -1/s.Alpha), s.Cap)
}

func (s *Stragglers) factor(r *rand.Rand) float64 { return s.quantile(r.Float64()) }
