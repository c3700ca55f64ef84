package model

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
)

// Shapes is a law of DAGs: a number of stages, on how many levels they lie, and edges from each level to the next.
//
// Every level has a stage, and the others are spread over the levels, the first levels slightly favoured. A stage reads a stage of
// the level before it. One that no stage of the next level has drawn is read by one of them with probability Gather, so that most
// DAGs gather and few scatter.
type Shapes struct {
	Stages []float64 // weights of 1, 2, … stages, and last that of more
	Tail   float64   // index of Pareto's law of more
	Most   int64     // stages
	Depth  map[int64]Choice
	Favour float64 // how many times as likely the first level is as the last
	Gather float64
}

// Parameters names those of the shapes.
func (s *Shapes) Parameters(p *Parameters) {
	p.In("dag", func(p *Parameters) {
		p.List("stages", &s.Stages, 0, "shares of jobs with 1, 2, … stages; the last is that of more than the one before")
		p.Float("tail", &s.Tail, 1.01, 100, "index of Pareto's law of more stages")
		p.Int("most", &s.Most, 1, 100_000, "the most stages")
		for _, n := range slices.Sorted(maps.Keys(s.Depth)) {
			c := s.Depth[n]
			p.pairs(fmt.Sprintf("depth%d", n), fmt.Sprintf("levels of a job of %d stages, and of more where no law has fewer than those, as levels:weight,…", n),
				fmt.Sprintf("levels:weight,… with 1 to %d levels", n), (*[][2]float64)(&c), func(list [][2]float64) bool {
					sum := 0.0
					for _, x := range list {
						if x[0] < 1 || x[0] > float64(n) || x[0] != math.Floor(x[0]) || x[1] < 0 {
							return false
						}
						sum += x[1]
					}
					if sum == 0 {
						return false
					}
					s.Depth[n] = list
					return true
				})
		}
		p.Float("favour", &s.Favour, 0.01, 100, "how many times as many of the further stages the first level has as the last")
		p.Float("gather", &s.Gather, 0, 1, "share of the stages that nothing else reads which a stage of the next level does")
	})
}

// Draw returns the parents of each stage, stages in order of their levels.
func (s *Shapes) Draw(r *rand.Rand) [][]int32 {
	n := s.count(r)
	depth := s.depth(r, n)
	level := make([]int, n)
	for i := range level {
		if level[i] = i; i >= depth {
			level[i] = s.level(r, depth)
		}
	}
	slices.Sort(level)
	parents := make([][]int32, n)
	start := 0 // of the level before
	for first := 0; first < n; {
		end := first
		for end < n && level[end] == level[first] {
			end++
		}
		if first > 0 {
			s.edges(r, parents, start, first, end)
		}
		start, first = first, end
	}
	return parents
}

// count draws the number of stages.
func (s *Shapes) count(r *rand.Rand) int {
	var c Choice
	for i, w := range s.Stages {
		c = append(c, [2]float64{float64(i + 1), w})
	}
	n := int64(c.Draw(r))
	u := r.Float64()
	if n == int64(len(s.Stages)) && n > 1 {
		n = int64(min(float64(n)*math.Pow(1-u, -1/s.Tail), float64(s.Most)))
	}
	return int(min(n, s.Most))
}

// depth draws on how many levels n stages lie.
func (s *Shapes) depth(r *rand.Rand, n int) int {
	u := rand.New(rand.NewPCG(r.Uint64(), r.Uint64()))
	if n == 1 {
		return 1
	}
	for like := int64(n); like > 1; like-- {
		if c, ok := s.Depth[like]; ok {
			return min(int(c.Draw(u)), n)
		}
	}
	return n
}

// level draws one of depth levels.
func (s *Shapes) level(r *rand.Rand, depth int) int {
	if depth == 1 {
		return 0
	}
	var c Choice
	for i := range depth {
		c = append(c, [2]float64{float64(i), math.Pow(s.Favour, 1-float64(i)/float64(depth-1))})
	}
	return int(c.Draw(r))
}

// edges gives the stages from first to end parents among those from start to first.
func (s *Shapes) edges(r *rand.Rand, parents [][]int32, start, first, end int) {
	read := make([]bool, first-start)
	for i := first; i < end; i++ {
		p := r.IntN(first - start)
		read[p] = true
		parents[i] = []int32{int32(start + p)}
	}
	for p := range read {
		by := first + r.IntN(end-first)
		if gathers := r.Float64() < s.Gather; gathers && !read[p] {
			parents[by] = append(parents[by], int32(start+p))
		}
	}
	for i := first; i < end; i++ {
		slices.Sort(parents[i])
	}
}
