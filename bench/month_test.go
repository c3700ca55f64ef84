package bench_test

import (
	"testing"

	"replay/bench/cases"
	"replay/engine"
	"replay/engine/record"
	"replay/engine/scenario"
	"replay/trace"
)

// BenchmarkSynthetic replays the short cases that the generator makes, with the fast engine, reading included, and tells what was executed beside the time: these
// counts are exact.
func BenchmarkSynthetic(b *testing.B) {
	for _, c := range cases.All {
		if c.Label != cases.Short || c.Preset == "" || c.Kind != cases.Replay {
			continue
		}
		b.Run("case="+c.Name, func(b *testing.B) {
			dir, err := c.Make(b.Context(), b.TempDir(), "")
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			var m *record.Manifest
			for b.Loop() {
				m = replayCase(b, c, dir)
			}
			t := &m.Totals
			for _, k := range []struct {
				unit  string
				count int64
			}{
				{"events", t.Events}, {"heartbeats", t.NodeHeartbeats}, {"executed-heartbeats", t.ExecutedHeartbeats},
				{"updates", t.Updates}, {"executed-updates", t.ExecutedUpdates}, {"executed-am-heartbeats", t.ExecutedAMHeartbeats}, {"visits", t.Visits}, {"am-heartbeats", t.AMHeartbeats}, {"tasks", t.TaskAttempts}, {"containers", t.ContainersAllocated},
			} {
				b.ReportMetric(float64(k.count), k.unit)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(max(t.ContainersAllocated, 1)), "ns/container")
		})
	}
}

// replayCase replays the trace in a directory as the case says.
func replayCase(b *testing.B, c *cases.Case, dir string) *record.Manifest {
	t, err := trace.Open(dir)
	if err != nil {
		b.Fatal(err)
	}
	defer t.Close()
	sc, err := scenario.FromTrace(t, c.Scenario())
	if err != nil {
		b.Fatal(err)
	}
	m, err := engine.Run(b.Context(), sc, &nothing{}, nil)
	if err != nil {
		b.Fatal(err)
	}
	return m
}
