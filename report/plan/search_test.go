package plan

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"replay/report/inference"
	"replay/report/quantity"
	"replay/report/target"
)

// world has a value that falls with the setting, with noise that is in part common to all settings.
type world struct {
	values int
	truth  func(x int) float64
	noise  float64
	seed   uint64
}

func (w *world) replay(x, first, last int) (out [][]float64, err error) {
	for k := first; k < last; k++ {
		common := rand.New(rand.NewPCG(w.seed, uint64(k)))
		own := rand.New(rand.NewPCG(w.seed+1000, uint64(k)<<20|uint64(x)))
		out = append(out, []float64{w.truth(x) + w.noise*(.7*common.NormFloat64()+.7*own.NormFloat64())})
	}
	return out, nil
}

func below(t testing.TB, text string) []*target.Target {
	got, err := target.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return []*target.Target{got}
}

// Without noise the answer is that of looking at every value, for a border anywhere, in both directions.
func TestBorders(t *testing.T) {
	for _, values := range []int{2, 3, 10, 33} {
		for border := 1; border < values; border++ {
			for _, rising := range []bool{true, false} {
				w := world{values: values, truth: func(x int) float64 {
					if !rising {
						x = values - 1 - x
					}
					return float64(border-x) - .5
				}}
				a, err := Solve(&Problem{Targets: below(t, "mean(wait) < 0s"), Values: values, Seeds: 30, Replay: w.replay})
				want := border
				if !rising {
					want = values - 1 - border
				}
				if err != nil || a.Best != want || a.Low != want || a.High != want || a.Rising != rising || a.All || a.Broken != nil {
					t.Fatalf("%d values, border %d, rising %v: %+v (%v)", values, border, rising, a, err)
				}
				if most := inference.Fewest * (4 + int(math.Ceil(math.Log2(float64(values))))); a.Replays > most {
					t.Errorf("%d values: %d replays, want at most %d", values, a.Replays, most)
				}
			}
		}
	}
}

func TestEnds(t *testing.T) {
	p := func(of func(int) float64) *Answer {
		a, err := Solve(&Problem{Targets: below(t, "mean(wait) <= 0s"), Values: 20, Seeds: 30, Replay: (&world{values: 20, truth: of}).replay})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	if a := p(func(int) float64 { return 0 }); !a.All || a.Best != 0 {
		t.Errorf("it holds everywhere: %+v", a)
	}
	if a := p(func(int) float64 { return 1 }); a.All || a.Best != -1 {
		t.Errorf("it holds nowhere: %+v", a)
	}
	if a := p(func(x int) float64 {
		if x > 12 {
			return math.NaN()
		}
		return -1
	}); a.Rising || a.Best != 12 {
		t.Errorf("no value is a target that fails: %+v", a)
	}
	if a := p(func(x int) float64 {
		if x >= 6 && x <= 10 || x > 16 {
			return -1
		}
		return 1
	}); a.Broken == nil {
		t.Errorf("more is not better all the way, and nothing is said: %+v", a)
	}
}

// What holds at neither end may hold between them: the smallest such value is the answer, and that there are further borders is said.
func TestBetween(t *testing.T) {
	a, err := Solve(&Problem{Targets: below(t, "mean(wait) <= 0s"), Values: 40, Seeds: 30, Replay: (&world{values: 40, truth: func(x int) float64 {
		if x >= 15 && x <= 30 {
			return -1
		}
		return 1
	}}).replay})
	if err != nil || a.Best != 15 || a.Low != 15 || a.High != 15 || !a.Rising || a.Broken == nil {
		t.Errorf("%+v (%v)", a, err)
	}
}

// The interval has the true best in at least 93 of 100 searches, with a fraction of the replays of looking everywhere.
func TestCoverage(t *testing.T) {
	searches, inside, replays := 400, 0, 0
	for i := range searches {
		rng := rand.New(rand.NewPCG(1, uint64(i)))
		border, slope := 3+rng.Float64()*53, .2+rng.Float64()
		w := world{values: 60, noise: 2, seed: uint64(i), truth: func(x int) float64 { return slope * (border - float64(x)) }}
		a, err := Solve(&Problem{Targets: below(t, "mean(wait) < 0s"), Values: w.values, Seeds: 30, Replay: w.replay})
		if err != nil {
			t.Fatal(err)
		}
		replays += a.Replays
		if best := int(math.Ceil(border)); a.Low <= best && best <= a.High {
			inside++
		}
		if a.Best < a.Low || a.Best > a.High {
			t.Fatalf("the best is outside its interval: %+v", a)
		}
	}
	if inside < searches*93/100 || replays > searches*60*30/3 {
		t.Errorf("%d of %d intervals have the best, %d replays each", inside, searches, replays/searches)
	}
}

// Two targets: the answer is that of the harder one.
func TestTwoTargets(t *testing.T) {
	targets := slices.Concat(below(t, "mean(wait) < 0s"), below(t, "mean(slowdown) < 0"))
	a, err := Solve(&Problem{Targets: targets, Values: 40, Seeds: 30, Replay: func(x, first, last int) (out [][]float64, err error) {
		for range last - first {
			out = append(out, []float64{11.5 - float64(x), 23.5 - float64(x)})
		}
		return out, nil
	}})
	if err != nil || a.Best != 24 {
		t.Errorf("%+v (%v)", a, err)
	}
}

// A mean is in the unit of its limit, so that those of one column can be compared, unless it is far from it; its interval is in the same, but where it
// would be nothing but zeros there.
func TestIntervalsForPeople(t *testing.T) {
	const day = 24 * quantity.HourMS
	for _, x := range []struct {
		unit              quantity.Unit
		limit, mean, half float64
		want              string
	}{
		{quantity.MS, 4 * day, 3 * day, 260, "3.00 ±<0.01 d"},
		{quantity.MS, 4 * day, 3 * day, day / 4, "3.00 ±0.25 d"},
		{quantity.MS, 60_000, 90_000, 1500, "90.00 ±1.50 s"},
		{quantity.MS, 60_000, 90_000, 0, "90.00 s"},
		{quantity.MS, 60_000, 90_000, math.NaN(), "90.00 s"},
		{quantity.MS, 60_000, 131_060, 450, "131.06 ±0.45 s"},
		{quantity.MS, 60_000, 450, 30, "0.45 ±0.030 s"},
		{quantity.MS, 60_000, 3 * day, day / 4, "3.00 ±0.25 d"},
		{quantity.MS, 0, 90_000, 1500, "90.00 ±1.50 s"},
		{quantity.Share, .1, .5, .01, "50.00 ±1.00 %"},
	} {
		if got := known(x.unit, x.limit, x.mean, x.half); got != x.want {
			t.Errorf("%q, want %q", got, x.want)
		}
	}
}
