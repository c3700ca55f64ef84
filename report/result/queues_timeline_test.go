package result

import (
	"fmt"
	"slices"
	"testing"

	"replay/engine/record"
	"replay/report/sums"
)

// A queue has the same timeline at the end as if it had had it from its first sample, however long nothing was used or due in it, and whether it was there all the time;
// while steps are kept none is made but that of the cluster.
func TestTimelinesAreThoseOfEachSample(t *testing.T) {
	for _, samples := range []int64{500, 3500, 2*mostSteps + 700} {
		q := newQueues()
		late, gone := sums.NewTimeline(queueFields), sums.NewTimeline(queueFields)
		const ms = 700
		idle := samples - samples/7
		for i := range samples {
			at := i * ms
			q.sample(&record.Sample{Time: at, CapacityMem: 100 + i/400, CapacityVCores: 10})
			capacity := float64(100 + i/400)
			used := &record.Sample{Time: at, Queue: "root.late"}
			if i >= idle {
				used.UsedMem, used.FairMem = i%7, 50
			}
			q.sample(used)
			late.HoldAll(at, at+ms, []float64{Dominant: float64(used.UsedMem) / capacity, FairDominant: float64(used.FairMem) / capacity, Present: 1})
			if i%100 < 60 {
				q.sample(&record.Sample{Time: at, Queue: "root.gone", UsedMem: i / 9})
				gone.HoldAll(at, at+ms, []float64{Dominant: float64(i/9) / capacity, Present: 1})
			}
			for k := range 20 {
				q.sample(&record.Sample{Time: at, Queue: fmt.Sprint("root.q", k)})
			}
			if i < mostSteps && len(q.Over) > 1 {
				t.Fatalf("%d timelines at sample %d", len(q.Over), i)
			}
		}
		q.finish(samples * ms)
		for name, want := range map[string]*sums.Timeline{"root.late": late, "root.gone": gone} {
			got := q.Over[name]
			for c := range queueFields {
				if got.WidthMS() != want.WidthMS() || !slices.Equal(got.Column(c), want.Column(c)) {
					t.Errorf("%d samples: column %d of %s is %v by %d ms, want %v by %d ms", samples, c, name, got.Column(c), got.WidthMS(), want.Column(c), want.WidthMS())
				}
			}
		}
		if len(q.Over) != 1+MostQueues {
			t.Errorf("%d timelines, want those of the cluster and %d queues", len(q.Over), MostQueues)
		}
		for name, over := range q.Over {
			if len(over.Column(Present)) == 0 {
				t.Errorf("queue %q was never there", name)
			}
		}
	}
}
