package tune

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// A planted problem is candidates of which the best is known: their true means, and limits that some of them break.
type planted struct {
	name   string
	means  []float64 // the baseline first; less is better
	noise  float64   // of a candidate on a unit; all share what is the unit's own
	excess []float64 // true, of one limit; nil without
	best   []int
}

var problems = []planted{
	{"one is better", []float64{100, 100, 90, 100}, 3, nil, []int{2}},
	{"a slope", []float64{100, 95, 90, 85, 80, 75}, 3, nil, []int{5}},
	{"a valley", []float64{100, 90, 80, 75, 80, 90}, 2, nil, []int{3}},
	{"two are as good", []float64{100, 90, 90, 110}, 3, nil, []int{1, 2}},
	{"none is better", []float64{100, 100, 100, 100, 100}, 3, nil, []int{0, 1, 2, 3, 4}},
	{"all are worse", []float64{100, 110, 105, 120}, 3, nil, []int{0}},
	{"the best breaks a limit", []float64{100, 70, 90, 95}, 3, []float64{-5, 20, -5, -5}, []int{2}},
	{"all that is better breaks it", []float64{100, 70, 80, 101}, 3, []float64{-5, 20, 20, -5}, []int{0, 3}},
	{"many, one better", append(slices.Repeat([]float64{100}, 30), 85), 4, nil, []int{30}},
	{"a small gain under much noise", []float64{100, 99, 100}, 10, nil, []int{0, 1, 2}},
}

func (p *planted) race(seed uint64) *Race {
	r := rand.New(rand.NewPCG(seed, 1))
	const units, held = 20, 20
	goal, excess := make([][]float64, len(p.means)), make([][]float64, len(p.means))
	common := make([]float64, units+held)
	for u := range common {
		common[u] = 20 * r.NormFloat64()
	}
	for c := range goal {
		for u := range common {
			goal[c] = append(goal[c], p.means[c]+common[u]+p.noise*r.NormFloat64())
			if p.excess != nil {
				excess[c] = append(excess[c], p.excess[c]+p.noise*r.NormFloat64())
			}
		}
	}
	measured := map[[2]int]bool{}
	return &Race{Candidates: len(p.means), Units: units, Held: held,
		Measure: func(some []int, from, to int) error {
			for _, c := range some {
				for u := from; u < to; u++ {
					measured[[2]int{c, u}] = true
				}
			}
			return nil
		},
		Score: func(c, u int) Score {
			if !measured[[2]int{c, u}] {
				panic(fmt.Sprintf("candidate %d on unit %d is looked at and was not replayed", c, u))
			}
			s := Score{Goal: goal[c][u]}
			if p.excess != nil {
				s.Excess = []float64{excess[c][u]}
			}
			return s
		}}
}

// Of ten planted problems the best, or what is not told from it, is found in nine, over and over; and a gain is said where there is one.
func TestPlanted(t *testing.T) {
	const times = 40
	found, promised, wrong := 0, 0, 0
	for i := range problems {
		p := &problems[i]
		good := 0
		for seed := range uint64(times) {
			a, err := p.race(seed).Solve()
			if err != nil {
				t.Fatal(err)
			}
			if slices.ContainsFunc(append(a.Ties, a.Winner), func(c int) bool { return slices.Contains(p.best, c) }) {
				good++
			}
			if a.Better {
				promised++
				if p.means[a.Winner] >= p.means[Baseline] || p.excess != nil && p.excess[a.Winner] > 0 {
					wrong++
				}
				if !(a.Goal.Mean+a.Goal.Half < 0) {
					t.Errorf("%s: a gain of %v ± %v is promised", p.name, a.Goal.Mean, a.Goal.Half)
				}
			}
		}
		found += good
		if good < times*8/10 {
			t.Errorf("%s: found %d times of %d", p.name, good, times)
		}
	}
	if found < len(problems)*times*9/10 {
		t.Errorf("found in %d of %d", found, len(problems)*times)
	}
	if wrong > promised*5/100 || promised < 5*times*9/10 {
		t.Errorf("%d gains promised, of which %d are none", promised, wrong)
	}
	t.Logf("found in %d of %d; %d gains promised, %d that are none", found, len(problems)*times, promised, wrong)
}

// A race is cheaper than all of them on all units.
func TestRaceIsShort(t *testing.T) {
	p := &problems[1]
	r := p.race(1)
	replays, measure := 0, r.Measure
	r.Measure = func(some []int, from, to int) error {
		replays += len(some) * (to - from)
		return measure(some, from, to)
	}
	if _, err := r.Solve(); err != nil || replays > len(p.means)*(r.Units+r.Held)/2 {
		t.Errorf("%d replays (%v)", replays, err)
	}
}

// What has no number, loses jobs or breaks a limit leaves, and which limits it breaks is said.
func TestFaults(t *testing.T) {
	r := &Race{Candidates: 4, Units: 5, Held: 5, Measure: func([]int, int, int) error { return nil }, Score: func(c, u int) Score {
		s := Score{Goal: float64(100 - c + u%2), Excess: []float64{-1, float64(c - 2), -1, float64(c - 2)}}
		if c == 1 {
			s.Goal = math.NaN()
		}
		s.Lost = c == 2
		return s
	}}
	a, err := r.Solve()
	if err != nil || a.Winner != Baseline || len(a.Exits) != 3 || a.Exits[0].Why != Unscored || a.Exits[1].Why != Loses || a.Exits[2].Why != Breaks || a.Better {
		t.Errorf("%+v (%v)", a, err)
	}
	res := &Result{Values: &Measure{Rules: []Rule{{Limit: "a"}, {Limit: "b"}, {Limit: "c"}, {Limit: "d"}}}}
	if got := res.left(&a.Exits[2]); got != "breaks b and d" || res.left(&a.Exits[1]) != Loses {
		t.Errorf("it %s", got)
	}
}
