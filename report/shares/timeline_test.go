package shares

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"replay/engine/record"
	"replay/report/sums"
)

// A queue has the same timeline at the end as if it had had it from its first sample, however long nothing was used or due in it, and whether it was there all the time;
// while steps are kept none is made but that of the cluster.
func TestTimelinesAreThoseOfEachSample(t *testing.T) {
	for _, samples := range []int64{500, 3500, 2*mostSteps + 700} {
		q := New()
		late, gone := sums.NewTimeline(queueFields), sums.NewTimeline(queueFields)
		const ms = 700
		idle := samples - samples/7
		for i := range samples {
			at := i * ms
			q.Sample(&record.Sample{Time: at, CapacityMem: 100 + i/400, CapacityVCores: 10})
			capacity := float64(100 + i/400)
			used := &record.Sample{Time: at, Queue: "root.late"}
			if i >= idle {
				used.UsedMem, used.FairMem = i%7, 50
			}
			q.Sample(used)
			late.HoldAll(at, at+ms, []float64{Dominant: float64(used.UsedMem) / capacity, FairDominant: float64(used.FairMem) / capacity, Present: 1})
			if i%100 < 60 {
				q.Sample(&record.Sample{Time: at, Queue: "root.gone", UsedMem: i / 9})
				gone.HoldAll(at, at+ms, []float64{Dominant: float64(i/9) / capacity, Present: 1})
			}
			for k := range 20 {
				q.Sample(&record.Sample{Time: at, Queue: fmt.Sprint("root.q", k)})
			}
			if i < mostSteps && len(q.Over) > 1 {
				t.Fatalf("%d timelines at sample %d", len(q.Over), i)
			}
		}
		q.Finish(samples * ms)
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

// A queue that YARN removes and makes again has nothing in between: what it held before it went is not counted up to its return, and contended time is the same for
// all queues.
func TestQueuesThatComeAndGo(t *testing.T) {
	q := New()
	at := func(second int64, rows ...record.Sample) {
		q.Sample(&record.Sample{Time: second * 1000, CapacityMem: 100, CapacityVCores: 10})
		for i := range rows {
			rows[i].Time = second * 1000
			q.Sample(&rows[i])
		}
	}
	a := record.Sample{Queue: "root.a", UsedMem: 20, PendingMem: 10, DemandMem: 30, FairMem: 50, SteadyMem: 50}
	b := record.Sample{Queue: "root.b", UsedMem: 40, PendingMem: 20, DemandMem: 60, FairMem: 50, SteadyMem: 50}
	less := b
	less.UsedMem = 10
	at(0, a)
	at(1, a, b)
	at(3, a) // b has been removed
	at(7, a, less)
	at(8, a)
	q.Finish(10_000)
	got := q.ByQueue["root.b"]
	for _, x := range []struct {
		name      string
		got, want float64
	}{
		{"memory", got.UsedMem, .4*2000 + .1*1000},
		{"unmet", got.PendingMS, 3000},
		{"entitled", got.Entitled, 50 * 3000},
		{"within", got.Within, 40*2000 + 10*1000},
		{"below", got.Below, 3000},
		{"contended", q.Cluster.ContendedMS, 3000},
		{"memory in contended time", got.ContendedMem, .4*2000 + .1*1000},
		{"that of the other queue", q.ByQueue["root.a"].ContendedMem, .2 * 3000},
		{"time of Jain's index", q.JainMS, 3000},
	} {
		if math.Abs(x.got-x.want) > 1e-9 {
			t.Errorf("%s is %v, want %v", x.name, x.got, x.want)
		}
	}
}

func TestJain(t *testing.T) {
	for _, tt := range []struct {
		xs   []float64
		want float64
	}{{[]float64{2, 2, 2}, 1}, {[]float64{5, 0, 0, 0}, .25}, {[]float64{1, 3}, .8}} {
		if got := jain(tt.xs); math.Abs(got-tt.want) > 1e-12 {
			t.Errorf("Jain's index of %v is %v, want %v", tt.xs, got, tt.want)
		}
	}
	if !math.IsNaN(jain([]float64{0, 0})) || !math.IsNaN(jain(nil)) {
		t.Error("an index of nothing")
	}
}
