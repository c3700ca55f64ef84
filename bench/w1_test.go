package bench_test

import (
	"fmt"
	"testing"
	"time"

	"replay/bench/cases"
	"replay/bench/measure"
	"replay/engine"
	"replay/engine/record"
	"replay/engine/scenario"
	"replay/trace"
)

// w1Sink computes the answers of W1 from what a replay writes.
type w1Sink struct {
	nothing
	waits int64
	steps map[int64]int64 // by second: how many more tasks wait from then on
}

func (s *w1Sink) Task(r *record.Task) {
	if wait := r.Launch - r.Ready; wait > 0 {
		s.waits += wait
		s.steps[r.Ready]++
		s.steps[r.Launch]--
	}
}

func (s *w1Sink) longest(end int64) (most int64) {
	waiting := int64(0)
	for at := int64(0); at <= end; at += 1000 {
		waiting += s.steps[at]
		most = max(most, waiting)
	}
	return most
}

func replayW1(t testing.TB, w cases.W1, scheduler string, sink record.Sink) *record.Manifest {
	o := scenario.DefaultOptions()
	o.Scheduler = scheduler
	sc, err := scenario.New(w.Input(), o)
	if err != nil {
		t.Fatal(err)
	}
	m, err := engine.Run(t.Context(), sc, sink, nil)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The ideal scheduler and the bare loop give the answers of W1 to every digit.
func TestW1(t *testing.T) {
	for load, want := range map[float64]string{
		0.9: "makespan 4240 s, mean wait 0.0000 s, longest queue 0",
		1.2: "makespan 3821 s, mean wait 302.7542 s, longest queue 165167",
	} {
		w := cases.W1{Load: load}
		if got := w.Bare().String(); got != want {
			t.Errorf("load %v, bare loop: %s, want %s", load, got, want)
		}
		s := &w1Sink{steps: map[int64]int64{}}
		m := replayW1(t, w, "ideal", s)
		got := cases.Bare{MakespanS: m.Totals.EndMS / 1000, MeanWaitS: float64(s.waits) / 1e9, LongestQueue: s.longest(m.Totals.EndMS)}
		if got.String() != want || m.Totals.TaskAttempts != 1_000_000 || m.Totals.EndMS%1000 != 0 {
			t.Errorf("load %v, ideal scheduler: %s, want %s (%+v)", load, got, want, m.Totals)
		}
	}
}

// An application whose asks are answered is wanting until the next update, and is not visited again before.
func TestW1VisitsWhoAsks(t *testing.T) {
	m := replayW1(t, cases.W1{Load: 0.9, Tasks: 20_000, Kind: trace.KindGeneric}, "fair", &nothing{})
	if n := m.Totals; n.TaskAttempts != 20_000 || n.Visits > 2*n.ContainersAllocated {
		t.Errorf("%d visits for %d containers", n.Visits, n.ContainersAllocated)
	}
}

// BenchmarkW1 is the workload by the bare loop and by the ideal scheduler, whose every task is written to a sink that counts, in turn:
// CPU time of each, and how fast the one is beside the other.
func BenchmarkW1(b *testing.B) {
	for _, load := range []float64{0.9, 1.2} {
		b.Run(fmt.Sprintf("load=%v", load), func(b *testing.B) {
			w := cases.W1{Load: load}
			var bare, ideal time.Duration
			for b.Loop() {
				from := measure.CPU()
				w.Bare()
				between := measure.CPU()
				replayW1(b, w, "ideal", &nothing{})
				bare, ideal = bare+between-from, ideal+measure.CPU()-between
			}
			per := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / float64(b.N) / 1e6 }
			b.ReportMetric(per(bare), "bare-cpu-ns/task")
			b.ReportMetric(per(ideal), "ideal-cpu-ns/task")
			b.ReportMetric(float64(bare)/float64(ideal), "speed/bare")
		})
	}
}
