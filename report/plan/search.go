// Package plan finds the smallest or largest value of a setting at which conditions on replays hold: by bisection on common random numbers, with as
// many seeds at each value as it takes to know, and an interval around the answer.
package plan

import (
	"cmp"
	"math"
	"slices"

	"replay/report/inference"
	"replay/report/target"
)

// A Problem is what is searched for.
type Problem struct {
	Targets []*target.Target // that must all hold
	Values  int              // of the setting: 0 to Values-1, in order
	Seeds   int              // that are taken at most at each value
	// Replay returns for seeds from first to before last, the same ones at each value, the excess of each target's value over its limit, by seed;
	// NaN where the replay has no such value, or loses jobs, which is a target that does not hold.
	Replay func(value, first, last int) (excess [][]float64, err error)
}

// Status is what is known of a value of the setting.
type Status string

// What can be known.
const (
	Holds Status = "holds"
	Fails Status = "fails"
	Open  Status = "not known"
)

// A Point is a value of the setting that was replayed.
type Point struct {
	Value  int
	Excess [][]float64 // by seed, then target
	Status Status
	Likely bool // it holds by the means, whatever chance may explain
}

// An Answer is what a search found.
type Answer struct {
	Points []Point // in the order of values
	// Rising says that the targets hold at large values and Best is the smallest at which they do; otherwise they hold at small ones and Best is the largest.
	Rising bool
	// Best is -1 where they hold neither at the ends nor in the middle, and then Low and High are too.
	Best      int
	Low, High int      // the true best is from Low to High, with 95 % confidence
	All       bool     // they hold at both ends
	Broken    [][2]int // pairs of values, in order, that contradict that more is better (or worse) all the way
	Replays   int
}

type search struct {
	*Problem
	points map[int]*Point
	count  int
	rising bool
}

// Solve searches.
func Solve(p *Problem) (*Answer, error) {
	s := &search{Problem: p, points: map[int]*Point{}, rising: true}
	last := p.Values - 1
	for _, x := range []int{0, last} {
		if err := s.decide(x); err != nil {
			return nil, err
		}
	}
	first, end := s.points[0], s.points[last]
	a := &Answer{Best: -1, Low: -1, High: -1}
	switch {
	case first.Likely && end.Likely:
		a.All, a.Rising, a.Best, a.Low, a.High = true, true, 0, 0, 0
		if first.Status == Open {
			a.High = last
		}
	case !first.Likely && !end.Likely:
		a.Rising = true
		if last < 2 {
			break
		}
		if err := s.decide(last / 2); err != nil { // how much of the way helps, or whether what is wanted lies between
			return nil, err
		}
		if s.points[last/2].Likely {
			if err := s.bisect(a, last/2); err != nil {
				return nil, err
			}
		}
	default:
		s.rising = end.Likely
		a.Rising = s.rising
		if err := s.bisect(a, last); err != nil {
			return nil, err
		}
	}
	for _, pt := range s.points {
		a.Points = append(a.Points, *pt)
	}
	slices.SortFunc(a.Points, func(x, y Point) int { return cmp.Compare(x.Value, y.Value) })
	a.Broken, a.Replays = broken(a.Points, a.Rising), s.count
	return a, nil
}

// at turns a position from the end where the targets fail into a value.
func (s *search) at(i int) int {
	if s.rising {
		return i
	}
	return s.Values - 1 - i
}

// bisect finds the border between failing at position 0 and holding at last, and how far it may be from there.
func (s *search) bisect(a *Answer, last int) error {
	likely := func(pt *Point) bool { return pt.Likely }
	best, err := s.border(0, last, likely)
	if err != nil {
		return err
	}
	// The first position that is known to hold, and the first after the last that is known to fail.
	high, err := s.border(best-1, s.known(best, last, Holds), func(pt *Point) bool { return pt.Status == Holds })
	if err != nil {
		return err
	}
	low, err := s.border(s.known(best-1, 0, Fails), best, func(pt *Point) bool { return pt.Status != Fails })
	if err != nil {
		return err
	}
	for _, i := range []int{best / 2, (best + s.Values - 1) / 2} { // whether more is better there too
		if err := s.decide(s.at(i)); err != nil {
			return err
		}
	}
	a.Best, a.Low, a.High = s.at(best), s.at(low), s.at(high)
	if !s.rising {
		a.Low, a.High = a.High, a.Low
	}
	return nil
}

// known returns the first position from one towards another, both inclusive, that was replayed and has a status; the other where none has.
func (s *search) known(from, to int, want Status) int {
	step := 1
	if to < from {
		step = -1
	}
	for i := from; i != to; i += step {
		if pt := s.points[s.at(i)]; pt != nil && pt.Status == want {
			return i
		}
	}
	return to
}

// border returns the first position above fails at which ok is, which is not at fails and taken to be at holds.
func (s *search) border(fails, holds int, ok func(*Point) bool) (int, error) {
	for holds-fails > 1 {
		middle := fails + (holds-fails)/2
		if err := s.decide(s.at(middle)); err != nil {
			return 0, err
		}
		if ok(s.points[s.at(middle)]) {
			holds = middle
		} else {
			fails = middle
		}
	}
	return holds, nil
}

// decide replays at a value until it is known whether the targets hold there, or there are no more seeds.
func (s *search) decide(value int) error {
	if s.points[value] != nil {
		return nil
	}
	pt := &Point{Value: value, Status: Open}
	s.points[value] = pt
	for n := 0; pt.Status == Open && n < s.Seeds; n = len(pt.Excess) {
		more, err := s.Replay(value, n, inference.Stage(n, s.Seeds))
		if err != nil {
			return err
		}
		s.count += len(more)
		pt.Excess = append(pt.Excess, more...)
		pt.judge(s.Targets, alpha(s.Seeds, len(s.Targets)))
	}
	return nil
}

// alpha divides the level among the looks at a point, of which the last need not be the first that tells, and among targets.
func alpha(seeds, targets int) float64 {
	looks := 0
	for n := 0; n < seeds; n = inference.Stage(n, seeds) {
		looks++
	}
	return inference.Level / float64(looks*max(targets, 1))
}

// judge says what the replays show of a point.
func (pt *Point) judge(targets []*target.Target, alpha float64) {
	pt.Status, pt.Likely = Holds, true
	for t, target := range targets {
		xs := make([]float64, len(pt.Excess))
		for k := range xs {
			xs[k] = pt.Excess[k][t]
		}
		if slices.ContainsFunc(xs, math.IsNaN) {
			pt.Status, pt.Likely = Fails, false
			return
		}
		e := inference.Independent(xs)
		pt.Likely = pt.Likely && target.Holds(e.Mean)
		if len(xs) < inference.Fewest {
			pt.Status = Open
			continue
		}
		half := e.Half(alpha)
		low, high := target.Holds(e.Mean-half), target.Holds(e.Mean+half)
		switch {
		case low != high && pt.Status == Holds:
			pt.Status = Open
		case low == high && !low:
			pt.Status = Fails
		}
	}
	if pt.Status == Fails {
		pt.Likely = false
	}
}

// broken returns pairs of points of which one is known to hold and the other, which should the more, is known to fail.
func broken(points []Point, rising bool) (out [][2]int) {
	for i := range points {
		for k := i + 1; k < len(points); k++ {
			a, b := &points[i], &points[k]
			if !rising {
				a, b = b, a
			}
			if a.Status == Holds && b.Status == Fails {
				out = append(out, [2]int{points[i].Value, points[k].Value})
			}
		}
	}
	return out
}
