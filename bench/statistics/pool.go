package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"

	"replay/engine"
	"replay/engine/scenario"
	"replay/report"
	"replay/report/compare"
	"replay/report/metric"
	"replay/report/result"
	"replay/trace"
)

// A pool is one variant of a trace, replayed with seeds 1, 2, 3, ...: what comparisons are drawn from.
type pool []*metric.Summary

// replayed replays the trace at dir with the given number of seeds, on all cores.
func replayed(ctx context.Context, dir string, o scenario.Options, seeds int) (pool, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	out := make(pool, seeds)
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(seeds, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for i := range next {
				var err error
				if out[i], err = once(ctx, dir, o, uint64(i+1)); err != nil {
					cancel(fmt.Errorf("%s, seed %d: %w", dir, i+1, err))
					return
				}
			}
		})
	}
feed:
	for i := range seeds {
		select {
		case next <- i:
		case <-ctx.Done():
			break feed
		}
	}
	close(next)
	wg.Wait()
	return out, context.Cause(ctx)
}

// once replays the trace at dir with one seed.
func once(ctx context.Context, dir string, o scenario.Options, seed uint64) (*metric.Summary, error) {
	t, err := trace.Open(dir)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	o = o.Clone()
	o.Seed = seed
	sc, err := scenario.FromTrace(t, o)
	if err != nil {
		return nil, err
	}
	sink := report.NewMemory()
	m, err := engine.Run(ctx, sc, sink, nil)
	if err != nil {
		return nil, err
	}
	s, err := sink.Finish(*m)
	if err != nil {
		return nil, err
	}
	s.Data = &result.Data{Manifest: s.Manifest, Jobs: s.Jobs, Queues: s.Queues} // the rest is for plots
	return s, nil
}

// drawn returns n different replays of a pool of size n or more, by their places.
func drawn(rng *rand.Rand, size, n int) []int { return rng.Perm(size)[:n] }

// at returns the replays at some places of a pool, as if they had the seeds 1, 2, 3, ...: a comparison pairs replays by their seeds.
func (p pool) at(places []int) (out []*metric.Summary) {
	for k, i := range places {
		s, d := *p[i], *p[i].Data
		d.Manifest.Seed = uint64(k + 1)
		s.Data = &d
		out = append(out, &s)
	}
	return out
}

// of compares two sides.
func of(a, b []*metric.Summary, o compare.Options) (*compare.Comparison, error) {
	return compare.Of([]compare.Variant{{Name: "a", Runs: a}, {Name: "b", Runs: b}}, o)
}

// stream returns the random stream of a question: the same draws every time.
func stream(name string) *rand.Rand {
	var seed [32]byte
	copy(seed[:], name)
	return rand.New(rand.NewChaCha8(seed))
}
