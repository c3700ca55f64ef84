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

// submissions returns when the jobs are submitted and how many times as fast as the preset's arrivals that is, for the number of
// jobs, the span and the load that are wanted.
func (g *Generator) submissions(ctx context.Context, size trace.Size) (submit []int64, factor float64, err error) {
	n, end, course := g.Jobs, int64(math.MaxInt64), g.course()
	if n == 0 {
		n = math.MaxInt
	}
	if g.SpanMS > 0 {
		end = g.SpanMS
	}
	if g.Load == 0 {
		submit, err = course(1, n, end)
		if err == nil && len(submit) == 0 {
			err = fmt.Errorf("span is %d ms, want more: no job is submitted in it", g.SpanMS)
		}
		return submit, 1, err
	}
	n, vcoreMS, err := g.enough(ctx, n, g.Load*float64(size.VCores)*float64(end))
	if err != nil {
		return nil, 0, err
	}
	native, err := course(1, n, math.MaxInt64)
	if err != nil {
		return nil, 0, err
	}
	load := trace.OfferedLoad(trace.Work{VCoreMS: vcoreMS}, size, native[len(native)-1])
	if load.VCores == nil || *load.VCores == 0 {
		return nil, 0, fmt.Errorf("load is %v, want none for %d jobs: the load of no span or no work can't be scaled", g.Load, n)
	}
	factor = g.Load / *load.VCores
	if g.work != nil {
		factor, err = faster(course, n, native[n-1], int64(math.Round(vcoreMS/(g.Load*float64(size.VCores)))))
		if err != nil {
			return nil, 0, err
		}
	}
	submit, err = course(factor, n, math.MaxInt64)
	if err == nil && (submit[n-1] < 0 || submit[n-1] > trace.LatestMS) {
		err = fmt.Errorf("load is %v: the last of %d jobs would come after more than 100 years", g.Load, n)
	}
	return submit, factor, err
}

// enough returns how many jobs have so much work, at most n, and their work in vcore-ms.
func (g *Generator) enough(ctx context.Context, n int, vcoreMS float64) (int, float64, error) {
	g.sizing = true
	defer func() { g.sizing = false }()
	sum := 0.0
	for i := range n {
		if ctx.Err() != nil {
			return 0, 0, ctx.Err()
		}
		if sum += trace.WorkOf(g.job(int64(i))).VCoreMS; sum >= vcoreMS {
			return i + 1, sum, nil
		}
	}
	return n, sum, nil
}

// faster returns the factor with which the last of n submissions, which is at native with factor 1, is at want.
func faster(course course, n int, native, want int64) (float64, error) {
	last := func(factor float64) (int64, error) {
		times, err := course(factor, n, math.MaxInt64)
		if err != nil {
			return 0, err
		}
		return times[len(times)-1], nil
	}
	low, high := 1.0, 1.0 // with which it is late, and early
	var err error
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
	return low, err
}
