package dist

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Remission times in weeks of 21 patients under 6-mercaptopurine (Freireich and others, 1963), in many textbooks: the curve is
// 0.857 after 6 weeks, 0.807 after 7, 0.753, 0.690, 0.627, 0.538 and 0.448 after 23; its median is 23.
func TestSurvivalPublished(t *testing.T) {
	s := NewSurvival([]float64{6, 6, 6, 7, 10, 13, 16, 22, 23}, []float64{6, 9, 10, 11, 17, 19, 20, 25, 32, 32, 34, 35}, false)
	for i, want := range []float64{.857, .807, .753, .690, .627, .538, .448} {
		if math.Abs(s.longer[i]-want) > .0006 {
			t.Errorf("after %v weeks %v, want %v", s.times[i], s.longer[i], want)
		}
	}
	if m := s.Quantile(.5); m != 23 || !math.IsNaN(s.Quantile(.6)) || s.Most() != 35 {
		t.Errorf("median %v, 0.6-quantile %v, most %v; want 23, none and 35", m, s.Quantile(.6), s.Most())
	}
	if s.Beyond() != s.longer[6] || NewSurvival([]float64{4}, []float64{3}, false).Beyond() != 0 || NewSurvival(nil, []float64{3}, false).Beyond() != 1 {
		t.Errorf("what lasts longer than all that ended: %v", s.Beyond())
	}
	// R's survival package prints a restricted mean of 23.3 weeks, up to 35.
	if m := s.Mean(35); math.Abs(m-23.287) > .001 {
		t.Errorf("mean up to 35 weeks is %v, want 23.287", m)
	}
}

// Without open times it is the plain distribution, and without any it is nothing.
func TestSurvivalOfEnded(t *testing.T) {
	s := NewSurvival([]float64{4, 1, 7, 4}, nil, false)
	if s.Mean(7) != 4 || s.Mean(math.Inf(1)) != 4 || s.Mean(5) != 3.5 || s.Quantile(.5) != 4 || s.Quantile(1) != 7 {
		t.Errorf("means %v %v %v, quantiles %v %v", s.Mean(7), s.Mean(math.Inf(1)), s.Mean(5), s.Quantile(.5), s.Quantile(1))
	}
	if s := NewSurvival([]float64{1, 5}, []float64{2, 9}, true); s.Mean(9) != 1+.75*4+.5*4 || s.Quantile(.5) != 5 || s.Beyond() != .5 || s.Most() != 9 {
		t.Errorf("two of four never end: mean %v, median %v, %v beyond, %v at most; want 6, 5, 0.5 and 9", s.Mean(9), s.Quantile(.5), s.Beyond(), s.Most())
	}
	if s := NewSurvival(nil, nil, false); !math.IsNaN(s.Mean(9)) || !math.IsNaN(s.Quantile(.5)) {
		t.Error("nothing has a mean")
	}
	if s := NewSurvival(nil, []float64{3, 5}, false); s.Mean(5) != 5 || !math.IsNaN(s.Quantile(.1)) {
		t.Error("times that are all open count as at least so long")
	}
}

// Cutting times off at random does not move the estimate, where the mean of those that ended falls far below the truth.
func TestSurvivalIsNotBiased(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	sum, plain := 0.0, 0.0
	const rounds = 400
	for range rounds {
		var ended, open []float64
		for range 50 {
			x, cut := rng.ExpFloat64()*100, rng.Float64()*250
			if x <= cut {
				ended = append(ended, x)
			} else {
				open = append(open, cut)
			}
		}
		sum += NewSurvival(ended, open, false).Mean(150) / rounds
		plain += Mean(ended) / rounds
	}
	if want := 100 * (1 - math.Exp(-1.5)); math.Abs(sum-want) > 2 || plain > want-8 {
		t.Errorf("mean up to 150 is %v on average, want %v; of those that ended %v", sum, want, plain)
	}
}
