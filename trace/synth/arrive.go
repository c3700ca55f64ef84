package synth

import (
	"context"
	"fmt"
	"math"

	"replay/trace"
)

// course is one course of submissions: those before end in ms, at most n, with all rates times factor.
type course func(factor float64, n int, end int64) ([]int64, error)

// course returns that of the generation.
func (g *Generator) course() course {
	if g.work != nil {
		return g.work.Arrivals.Process(g.Stream).Times
	}
	return func(factor float64, n int, end int64) ([]int64, error) {
		count := n
		if n == math.MaxInt {
			count = 1024
		}
		for {
			times := g.preset.Arrivals(g.Stream("arrivals"), count)
			for i := range times {
				times[i] = int64(math.Round(float64(times[i]) / factor))
			}
			switch last := times[len(times)-1]; {
			case last >= end:
				return before(times, end), nil
			case count == n:
				return times, nil
			}
			count *= 4
		}
	}
}

func before(times []int64, end int64) []int64 {
	for len(times) > 0 && times[len(times)-1] >= end {
		times = times[:len(times)-1]
	}
	return times
}

// submissions are the jobs that come, by what they are drawn with, ascending, and when they are submitted.
type submissions struct {
	ids    []int64
	ms     []int64
	factor float64 // times as fast as the preset's arrivals
	left   int     // jobs that were drawn and left out, as they had more work than was left of the load in the span
	filled float64 // share of the span that the jobs of the load fill
}

// submissions draws them for the number of jobs, the span and the load that are wanted.
func (g *Generator) submissions(ctx context.Context, size trace.Size) (s submissions, err error) {
	n, end, course := g.Jobs, int64(math.MaxInt64), g.course()
	if n == 0 {
		n = math.MaxInt
	}
	if g.SpanMS > 0 {
		end = g.SpanMS
	}
	s.factor, s.filled = 1, 1
	if g.Load == 0 {
		s.ms, err = course(1, n, end)
		if err == nil && len(s.ms) == 0 {
			err = fmt.Errorf("span is %d ms, want more: no job is submitted in it", g.SpanMS)
		}
		s.number(len(s.ms))
		return s, err
	}
	vcoreMS, err := g.enough(ctx, &s, n, g.Load*float64(size.VCores)*float64(end-1))
	if err != nil {
		return s, err
	}
	n = len(s.ids)
	native, err := course(1, n, math.MaxInt64)
	if err != nil {
		return s, err
	}
	load := trace.OfferedLoad(trace.Work{VCoreMS: vcoreMS}, size, native[len(native)-1])
	if load.VCores == nil || *load.VCores == 0 {
		return s, fmt.Errorf("--load is %v, want none for %d jobs: the load of no span or no work can't be scaled", g.Load, n)
	}
	s.factor = g.Load / *load.VCores
	if g.work != nil {
		late, early, err := faster(course, n, native[n-1], int64(math.Round(vcoreMS/(g.Load*float64(size.VCores)))))
		if err != nil {
			return s, err
		}
		if s.factor = late; g.SpanMS > 0 {
			s.factor = early
		}
	}
	s.ms, err = course(s.factor, n, math.MaxInt64)
	if err == nil && (s.ms[n-1] < 0 || s.ms[n-1] > trace.LatestMS) {
		err = fmt.Errorf("--load is %v: the last of %d jobs would come after more than 100 years", g.Load, n)
	}
	return s, err
}

// number takes the first n jobs.
func (s *submissions) number(n int) {
	s.ids = make([]int64, n)
	for i := range s.ids {
		s.ids[i] = int64(i)
	}
}

const (
	Filled   = 0.95 // is the share of the work for a load in a span that is as good as all
	mostLeft = 1000 // jobs in a row that are left out until no other one is drawn
)

// enough takes jobs until they have so much work, at most n, and returns their work in vcore-ms. One that has more than is left is left out: the work of jobs has heavy tails, and such
// a job takes a load several spans alone. The next ones are drawn in its place, until so much of the work is there that little can come.
func (g *Generator) enough(ctx context.Context, s *submissions, n int, vcoreMS float64) (float64, error) {
	if g.SpanMS == 0 {
		vcoreMS = math.Inf(1)
	}
	g.sizing = true
	defer func() { g.sizing = false }()
	sum := 0.0
	for id, row := int64(0), 0; len(s.ids) < n && row < mostLeft; id++ {
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		work := trace.WorkOf(g.job(id)).VCoreMS
		if sum+work <= vcoreMS {
			s.ids, sum, row = append(s.ids, id), sum+work, 0
			continue
		}
		if len(s.ids) > 0 && sum >= Filled*vcoreMS {
			break
		}
		row++
		s.left++
	}
	if len(s.ids) == 0 {
		return 0, fmt.Errorf("span is %d ms, want more: each of %d jobs has more work than a load of %v is in it", g.SpanMS, s.left, g.Load)
	}
	if len(s.ids) < n {
		s.filled = sum / vcoreMS
	}
	return sum, nil
}

// faster returns the factors with which the last of n submissions, which is at native with factor 1, is at want or just after it, and just before.
func faster(course course, n int, native, want int64) (late, early float64, err error) {
	last := func(factor float64) (int64, error) {
		times, err := course(factor, n, math.MaxInt64)
		if err != nil {
			return 0, err
		}
		return times[len(times)-1], nil
	}
	low, high := 1.0, 1.0
	for at := native; at < want && err == nil; at, err = last(low) {
		low /= 2
	}
	for at := native; at >= want && high < 1e15 && err == nil; at, err = last(high) {
		high *= 2
	}
	for range 60 {
		middle := math.Sqrt(low * high)
		if middle <= low || middle >= high || err != nil {
			break
		}
		var at int64
		if at, err = last(middle); at >= want {
			low = middle
		} else {
			high = middle
		}
	}
	return low, high, err
}
