package result

import (
	"fmt"
	"slices"
	"testing"

	"replay/engine/record"
	"replay/report/sums"
)

// A queue has a timeline once something is used or due in it, and the same one as if it had had it from its first sample; of those that never had anything
// there is one only where there are few queues.
func TestIdleQueuesHaveNoTimeline(t *testing.T) {
	q := newQueues()
	want := sums.NewTimeline(queueFields)
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
	for c := range queueFields {
		if got.WidthMS() != want.WidthMS() || !slices.Equal(got.Column(c), want.Column(c)) {
			t.Errorf("column %d is %v by %d ms, want %v by %d ms", c, got.Column(c), got.WidthMS(), want.Column(c), want.WidthMS())
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
