package inference

import (
	"math"
	"math/rand/v2"
	"testing"
)

// By hand: pairs (1, 2) and (3, 4) have means 2 and 3 and sums of squares and products 2, so that with t the interval ends at
// x with (3 - 2 x)² = t² (1 - x)².
func TestRatioByHand(t *testing.T) {
	bases, others := []float64{1, 3}, []float64{2, 4}
	e := Estimate{Mean: 1, DF: 1, N: 2}
	const alpha = .6 // t is tan(0.2 pi)
	q := math.Tan(.2 * math.Pi)
	low, high, ok := e.Ratio(bases, others, alpha)
	if want := (3 + q) / (2 + q); !ok || math.Abs(low-want) > 1e-9 {
		t.Errorf("from %v, want %v (%v)", low, want, ok)
	}
	if want := (3 - q) / (2 - q); math.Abs(high-want) > 1e-9 {
		t.Errorf("to %v, want %v", high, want)
	}
	if _, _, ok := e.Ratio(bases, others, .05); ok {
		t.Error("a base that is not told apart from 0 has a ratio")
	}
}

// The interval of the ratio holds 1 just when that of the difference holds 0, and the true ratio as often as it should: also where the base varies and the
// difference does not, and where both vary in proportion. Where it has no width, every unit has the same ratio.
func TestRatioHoldsTheTrueOne(t *testing.T) {
	for _, tt := range []struct {
		name        string
		n           int
		part, added float64 // others = part x base + added, with noise
		noise       float64
	}{{"shifted", 6, 1, -4, .3}, {"in proportion", 6, .4, 0, .1}, {"far apart", 6, .1, 0, .3}, {"many", 30, .9, .5, 1}} {
		const rounds, alpha = 4000, .05
		rng := rand.New(rand.NewPCG(7, uint64(tt.n)))
		held, differ := 0, 0
		for range rounds {
			var bases, others, ds []float64
			for range tt.n {
				b := 10 + rng.NormFloat64()
				o := tt.part*b + tt.added + tt.noise*rng.NormFloat64()
				bases, others, ds = append(bases, b), append(others, o), append(ds, o-b)
			}
			e := Independent(ds)
			low, high, ok := e.Ratio(bases, others, alpha)
			if !ok {
				t.Fatalf("%s: a base of 10 ± 1 has no ratio", tt.name)
			}
			if truth := tt.part + tt.added/10; low <= truth && truth <= high {
				held++
			}
			if (low <= 1 && 1 <= high) != (math.Abs(e.Mean) <= e.Half(alpha)) {
				differ++
			}
		}
		if share := float64(held) / rounds; share < .94 || share > .96 {
			t.Errorf("%s: %.1f %% of the intervals hold the true ratio, want 95 %%", tt.name, 100*share)
		}
		if differ > 0 {
			t.Errorf("%s: %d of the intervals hold 1 where the difference's does not hold 0, or the other way round", tt.name, differ)
		}
	}
}
