package engine

import (
	"math"
	"testing"

	"replay/engine/scenario"
)

// A long replay has few samples: their interval doubles, and each still holds until the next.
func TestSamplesOfALongReplayAreFew(t *testing.T) {
	for _, scheduler := range []string{"fair", "ideal"} {
		o := scenario.Options{Scheduler: scheduler, Model: noLatency(), SeriesMS: 10}
		k, m := replay(t, input(cluster(1, 1), nil, sparkJob(0, 0, 1, stage(0, 1, 3600_000, nil))), o)
		times := []int64{}
		for i := range k.samples {
			if k.samples[i].Queue == "" {
				times = append(times, k.samples[i].Time)
			}
		}
		if all := m.Totals.EndMS / 10; int64(len(times)) > all/8 || len(times) < scenario.SamplesAtOnce {
			t.Errorf("%s: %d samples of %d ms, want a small part of the %d at the first interval, and that for the first %d", scheduler, len(times), m.Totals.EndMS, all, scenario.SamplesAtOnce)
		}
		for i := 2; i < len(times)-1; i++ {
			if now, before := times[i]-times[i-1], times[i-1]-times[i-2]; now != before && (now != 2*before || i%scenario.SamplesAtOnce != 0) {
				t.Fatalf("%s: sample %d comes %d ms after the one before, that %d: want an interval that doubles after %d samples", scheduler, i, now, before, scenario.SamplesAtOnce)
			}
		}
	}
}

// Sums of what is held stay the largest number where they would be more.
func TestSumsDoNotOverflow(t *testing.T) {
	for _, tt := range []struct{ sum, a, b, want int64 }{
		{1, 2, 3, 7}, {0, 1 << 27, 1 << 35, 1 << 62}, {1 << 62, 1 << 27, 1 << 35, math.MaxInt64}, {0, 1 << 40, 1 << 40, math.MaxInt64},
		{math.MaxInt64 - 6, 2, 3, math.MaxInt64}, {math.MaxInt64 - 5, 2, 3, math.MaxInt64},
	} {
		if got := addProduct(tt.sum, tt.a, tt.b); got != tt.want {
			t.Errorf("%d + %d * %d is %d, want %d", tt.sum, tt.a, tt.b, got, tt.want)
		}
	}
}
