package result

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"replay/engine/record"
)

func TestTimelineKeepsSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := newTimeline(2)
		held, counted, end := 0.0, 0.0, int64(0)
		for range rapid.IntRange(1, 30).Draw(t, "n") {
			from := rapid.Int64Range(0, 1<<24).Draw(t, "from")
			to := from + rapid.Int64Range(0, 1<<22).Draw(t, "ms")
			v := float64(rapid.IntRange(0, 100).Draw(t, "v"))
			l.Hold(0, from, to, v)
			l.Count(1, from, v)
			held += v * float64(to-from)
			counted += v
			end = max(end, to+1)
		}
		width, bins := l.Rebin(rapid.IntRange(1, 300).Draw(t, "bins"), end)
		sums := []float64{0, 0}
		for c := range bins {
			for _, v := range bins[c] {
				sums[c] += v
			}
		}
		if sums[0] != held || sums[1] != counted || width%l.width != 0 {
			t.Fatalf("sums %v, want %v and %v; width %d of buckets of %d", sums, held, counted, width, l.width)
		}
		if n := len(l.sums) / l.columns; n > timelineBuckets {
			t.Fatalf("%d buckets", n)
		}
		l.restore([][]float64{l.column(1), l.column(0)})
		if _, turned := l.Rebin(len(bins[0]), end); !slices.Equal(turned[1], bins[0]) || !slices.Equal(turned[0], bins[1]) {
			t.Fatalf("columns that change places: %v, want %v", turned, bins)
		}
	})
}

func TestTimelineByHand(t *testing.T) {
	l := newTimeline(1)
	l.Hold(0, 50, 250, 2) // buckets of 100 ms
	if got := l.column(0); !slices.Equal(got, []float64{100, 200, 100}) {
		t.Errorf("buckets %v", got)
	}
}

// A queue has a timeline once something is used or due in it, and the same one as if it had had it from its first sample; of those that never had anything
// there is one only where there are few queues.
func TestIdleQueuesHaveNoTimeline(t *testing.T) {
	q := newQueues()
	want := newTimeline(queueFields)
	const idle, ms = 3000, 700
	for i := range int64(idle + 500) {
		at := i * ms
		q.sample(&record.Sample{Time: at, CapacityMem: 100, CapacityVCores: 10})
		used := &record.Sample{Time: at, Queue: "root.late"}
		if i >= idle {
			used.UsedMem, used.FairMem = i%7, 50
		}
		q.sample(used)
		want.HoldAll(at, at+ms, []float64{Dominant: float64(used.UsedMem) / 100, FairDominant: float64(used.FairMem) / 100, Present: 1})
		for k := range 20 {
			q.sample(&record.Sample{Time: at, Queue: fmt.Sprint("root.q", k)})
		}
		if had := i > idle+mostHeld; had != (q.Over["root.late"] != nil) || len(q.Over) > 2 {
			t.Fatalf("%d timelines at sample %d", len(q.Over), i)
		}
	}
	q.finish((idle + 500) * ms)
	got := q.Over["root.late"]
	if got.width != want.width || !slices.Equal(got.sums, want.sums) {
		t.Errorf("%d sums of %d ms, want %d of %d ms", len(got.sums), got.width, len(want.sums), want.width)
	}
	if len(q.Over) != 1+MostQueues {
		t.Errorf("%d timelines, want those of the cluster and %d queues", len(q.Over), MostQueues)
	}
	for name, over := range q.Over {
		if sums := over.column(Present); len(sums) == 0 {
			t.Errorf("queue %q was never there", name)
		}
	}
}
