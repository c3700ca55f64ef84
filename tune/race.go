// Package tune finds the best of several settings for a goal under limits: candidates race over units (seeds, or traces), those that are known to be
// worse leave, and what is left is held against the baseline on units that had no part in the race.
package tune

import (
	"math"
	"slices"

	"replay/report/dist"
	"replay/report/inference"
)

// Baseline is the candidate that all others are held against.
const Baseline = 0

// A Score is what a replay of a candidate on a unit says, held against the baseline's on the same unit.
type Score struct {
	Goal   float64   // less is better; NaN where there is no number
	Excess []float64 // by limit: by how much the value exceeds it; NaN where there is no number
	Lost   bool      // jobs do not succeed that do so under the baseline
}

// A Race is what is decided.
type Race struct {
	Candidates int // with the baseline
	Units      int // of the race: 0 to Units-1
	Held       int // held out of it: Units to Units+Held-1
	Measure    func(candidates []int, from, to int) error
	Score      func(candidate, unit int) Score // of what was measured
}

// Exit is how a candidate left the race.
type Exit struct {
	Candidate int
	Units     int // that it had run on
	Why       string
	Limits    []int // that it breaks
}

// Why candidates leave.
const (
	Worse    = "worse than the leader"
	Breaks   = "breaks a limit"
	Loses    = "jobs fail"
	Unscored = "no number for the goal"
)

// Change is by how much something differs from the baseline, on the units that were held out.
type Change struct {
	inference.Estimate
	Half float64 // half the interval of 95 %, infinite where the units are too few for one, or those that differ
	Rare int     // units that differ at all, where they are too few to say by how much
}

// Real reports whether chance does not explain the change.
func (c *Change) Real() bool { return c.Rare == 0 && (c.Mean-c.Half > 0 || c.Mean+c.Half < 0) }

// None reports whether there is no change on any unit.
func (c *Change) None() bool { return c.Mean == 0 && c.SE == 0 }

// An Answer is what a race ends with.
type Answer struct {
	Winner int   // candidate that is first after the race; the baseline where none is better in the race
	Better bool  // the held-out units show that it is better than the baseline, within the limits
	Broken []int // limits that it breaks on the held-out units, by the mean
	Open   []int // limits that chance may break: the interval reaches over them
	Lost   bool  // jobs fail under it on the held-out units that succeed under the baseline
	Goal   Change
	Ties   []int // candidates that the held-out units do not tell from the winner
	Exits  []Exit
	Raced  []int // those that came to the end of the race, the best first
	Ran    int   // units of the race that they ran on: fewer than all where one alone was left beside the baseline
}

// mostFinalists are replayed on the held-out units, beside the baseline.
const mostFinalists = 5

// Solve runs the race. Each round has twice the units of the one before; whoever is worse than the leader by a paired test leaves after it.
// Whoever the test does not tell from the leader stays: a tie is said as one.
func (r *Race) Solve() (*Answer, error) {
	a := &Answer{}
	alive := make([]int, r.Candidates)
	for i := range alive {
		alive[i] = i
	}
	done := 0
	for n := min(inference.Fewest, r.Units); ; n = min(2*n, r.Units) {
		if err := r.Measure(alive, done, n); err != nil {
			return nil, err
		}
		done = n
		alive = r.round(a, alive, n)
		if a.Ran = n; n == r.Units || len(alive) <= 2 {
			break
		}
	}
	a.Raced = alive
	a.Winner = alive[0]
	return a, r.confirm(a)
}

// round returns who goes on after n units, the leader first. The baseline always does.
func (r *Race) round(a *Answer, alive []int, n int) []int {
	leave := func(c int, why string, limits ...int) { a.Exits = append(a.Exits, Exit{c, n, why, limits}) }
	var in []int
	over := map[int]bool{} // a limit, by the mean
	for _, c := range alive {
		switch why, limits := r.fault(c, n, len(alive)); {
		case c != Baseline && why != "":
			leave(c, why, limits...)
		default:
			in = append(in, c)
			over[c] = len(r.over(c, n)) > 0
		}
	}
	means := map[int]float64{}
	for _, c := range in {
		means[c] = dist.Mean(r.goals(c, 0, n))
	}
	slices.SortStableFunc(in, func(x, y int) int {
		switch {
		case over[x] != over[y] && over[x]:
			return 1
		case over[x] != over[y]:
			return -1
		case means[x] < means[y]:
			return -1
		case means[x] > means[y]:
			return 1
		}
		return x - y // the baseline before what does not differ from it
	})
	leader := in[0]
	out := in[:1:1]
	for _, c := range in[1:] {
		if c != Baseline && r.worse(c, leader, n, len(in)) {
			leave(c, Worse)
			continue
		}
		out = append(out, c)
	}
	return out
}

// fault is why a candidate has no part any more, whatever its goal, and which limits it breaks.
func (r *Race) fault(c, n, among int) (why string, limits []int) {
	for u := range n {
		switch s := r.Score(c, u); {
		case s.Lost:
			return Loses, nil
		case math.IsNaN(s.Goal):
			return Unscored, nil
		}
	}
	for k, xs := range r.excess(c, 0, n) {
		if e, half := estimate(xs, inference.Level/float64(max(1, among))); e.Mean-half > 0 || math.IsNaN(e.Mean) {
			why, limits = Breaks, append(limits, k)
		}
	}
	return why, limits
}

// over says which limits a candidate exceeds by the mean of its first n units; none of the baseline, which is there whatever it exceeds.
func (r *Race) over(c, n int) (limits []int) {
	if c == Baseline {
		return nil
	}
	for k, xs := range r.excess(c, 0, n) {
		if dist.Mean(xs) > 0 {
			limits = append(limits, k)
		}
	}
	return limits
}

// excess is by how much a candidate exceeds each limit on each of some units.
func (r *Race) excess(c, from, to int) (limits [][]float64) {
	for u := from; u < to; u++ {
		for k, x := range r.Score(c, u).Excess {
			if k == len(limits) {
				limits = append(limits, nil)
			}
			limits[k] = append(limits[k], x)
		}
	}
	return limits
}

// worse reports whether a paired test tells a candidate from the leader, of so many that are tested.
func (r *Race) worse(c, leader, n, among int) bool {
	e, half := estimate(r.differences(c, leader, 0, n), inference.Level/float64(max(1, among-1)))
	return e.Mean-half > 0
}

func (r *Race) goals(c, from, to int) (xs []float64) {
	for u := from; u < to; u++ {
		xs = append(xs, r.Score(c, u).Goal)
	}
	return xs
}

func (r *Race) differences(c, other, from, to int) []float64 {
	xs := r.goals(c, from, to)
	for i, x := range r.goals(other, from, to) {
		xs[i] -= x
	}
	return xs
}

// estimate is the mean of xs and half its interval: infinite where they are too few, or differ from 0 too rarely, for one.
func estimate(xs []float64, alpha float64) (inference.Estimate, float64) {
	if len(xs) < inference.Fewest {
		return inference.Estimate{Mean: dist.Mean(xs), N: len(xs)}, math.Inf(1)
	}
	e := inference.Independent(xs)
	if inference.Rare(xs) > 0 {
		return e, math.Inf(1)
	}
	return e, e.Half(alpha)
}

// confirm replays the finalists on the units that had no part in the race, and says what these show.
func (r *Race) confirm(a *Answer) error {
	finalists := slices.Clone(a.Raced[:min(len(a.Raced), mostFinalists)])
	if !slices.Contains(finalists, Baseline) {
		finalists = append(finalists, Baseline)
	}
	from, to := r.Units, r.Units+r.Held
	if err := r.Measure(finalists, from, to); err != nil {
		return err
	}
	a.Goal = r.change(a.Winner, Baseline)
	for _, c := range finalists {
		if c == a.Winner {
			continue
		}
		if d := r.change(c, a.Winner); !d.Real() || d.Mean < 0 { // what overtakes the winner is not told from it: it was looked at because it is near
			a.Ties = append(a.Ties, c)
		}
	}
	if a.Winner == Baseline {
		return nil
	}
	for u := from; u < to; u++ {
		a.Lost = a.Lost || r.Score(a.Winner, u).Lost
	}
	for k, xs := range r.excess(a.Winner, from, to) {
		switch e, half := estimate(xs, inference.Level); {
		case !(e.Mean <= 0):
			a.Broken = append(a.Broken, k)
		case e.Mean+half > 0:
			a.Open = append(a.Open, k)
		}
	}
	a.Better = a.Goal.Real() && a.Goal.Mean < 0 && !a.Lost && a.Broken == nil
	return nil
}

// change is by how much a candidate's goal differs from another's, on the held-out units.
func (r *Race) change(c, other int) Change {
	return changeOf(r.differences(c, other, r.Units, r.Units+r.Held))
}

// changeOf is what paired differences say, two or more of them.
func changeOf(ds []float64) Change {
	c := Change{Estimate: inference.Independent(ds), Half: math.Inf(1)}
	if len(ds) >= inference.Fewest {
		if c.Rare = inference.Rare(ds); c.Rare == 0 {
			c.Half = c.Estimate.Half(inference.Level)
		}
	}
	return c
}
