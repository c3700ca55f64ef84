package dist

import (
	"math"
	"slices"
)

// Survival is the distribution of times of which some are open: they will end later than is known. It is estimated by what Kaplan
// and Meier call the product limit: at each time at which k of the n times not yet over end, the part that lasts longer falls by
// the factor 1 - k/n.
//
// Source: E. L. Kaplan and P. Meier, "Nonparametric estimation from incomplete observations", 1958.
type Survival struct {
	times  []float64 // at which some ended, rising
	longer []float64 // the part that lasts longer than each of them
	most   float64   // the largest time, ended or open; NaN without any
}

// NewSurvival estimates from times that ended and from those that are open, each with how long it has lasted. Endless says that none of these will ever
// end: they last longer than all others, while one that was cut off is taken to be like those that had lasted as long.
func NewSurvival(ended, open []float64, endless bool) *Survival {
	ended, open = slices.Sorted(slices.Values(ended)), slices.Sorted(slices.Values(open))
	s := &Survival{most: math.NaN()}
	for _, xs := range [][]float64{ended, open} {
		if n := len(xs); n > 0 && !(s.most > xs[n-1]) {
			s.most = xs[n-1]
		}
	}
	part, left, o := 1.0, len(ended)+len(open), 0
	for i := 0; i < len(ended); {
		t, k := ended[i], 0
		for ; o < len(open) && open[o] < t && !endless; o++ {
			left--
		}
		for ; i < len(ended) && ended[i] == t; i++ {
			k++
		}
		part *= float64(left-k) / float64(left)
		left -= k
		s.times, s.longer = append(s.times, t), append(s.longer, part)
	}
	return s
}

// Most is the largest time of all, NaN without any.
func (s *Survival) Most() float64 { return s.most }

// Beyond is the part that lasts longer than all times that ended: how long is not known.
func (s *Survival) Beyond() float64 {
	if len(s.longer) == 0 {
		return 1
	}
	return s.longer[len(s.longer)-1]
}

// Mean is the mean of the times where those above horizon count as horizon: the area under the curve up to there. NaN without any
// time.
func (s *Survival) Mean(horizon float64) float64 {
	if math.IsNaN(s.most) {
		return math.NaN()
	}
	area, from, part := 0.0, 0.0, 1.0
	for i, t := range s.times {
		if t >= horizon {
			break
		}
		area += float64(part * (t - from))
		from, part = t, s.longer[i]
	}
	if part == 0 {
		return area // nothing lasts longer
	}
	return area + float64(part*(horizon-from))
}

// rounding is what a product of fractions may be off.
const rounding = 1e-12

// Quantile is the smallest time that at least the part p of all times does not exceed, NaN where the curve ends before.
func (s *Survival) Quantile(p float64) float64 {
	for i, t := range s.times {
		if s.longer[i] <= 1-p+rounding {
			return t
		}
	}
	return math.NaN()
}
