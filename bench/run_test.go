package bench_test

import (
	"path/filepath"
	"testing"

	"replay/engine"
	"replay/engine/model"
	"replay/engine/record"
	"replay/engine/scenario"
	"replay/trace"
)

// nothing is a sink that only counts, so that the engine alone is measured.
type nothing struct{ jobs, tasks int }

func (n *nothing) Job(*record.Job)             { n.jobs++ }
func (n *nothing) Container(*record.Container) {}
func (n *nothing) Task(*record.Task)           { n.tasks++ }
func (n *nothing) Sample(*record.Sample)       {}
func (n *nothing) Decision(*record.Decision)   {}
func (n *nothing) Node(*record.Node)           {}

// BenchmarkRun replays the traces of the project with the dense engine, reading included: time of a whole
// replay, and its cost per node heartbeat, per task attempt and per event of the loop.
func BenchmarkRun(b *testing.B) {
	for _, name := range []string{"fair-weights", "node-lost", "contended-logs", "tpch-mixed", "uniform-micro"} {
		b.Run("trace="+name, func(b *testing.B) {
			b.ReportAllocs()
			var m *record.Manifest
			for b.Loop() {
				t, err := trace.Open(filepath.Join("..", "traces", name))
				if err != nil {
					b.Fatal(err)
				}
				sc, err := scenario.New(scenario.Input{Name: name, Nodes: t.Nodes, Events: t.Events, Queues: t.Queues, Users: t.Users, Jobs: t.Jobs()},
					scenario.Options{Seed: 1, Model: model.DefaultModel()})
				if err != nil {
					b.Fatal(err)
				}
				sink := &nothing{}
				if m, err = engine.Run(b.Context(), sc, sink, nil); err != nil {
					b.Fatal(err)
				}
				if int64(sink.jobs) != m.Totals.Jobs || int64(sink.tasks) != m.Totals.TaskAttempts {
					b.Fatalf("%d jobs and %d task attempts, totals say %+v", sink.jobs, sink.tasks, m.Totals)
				}
				t.Close()
			}
			per := func(n int64) float64 { return float64(b.Elapsed().Nanoseconds()) / float64(b.N) / float64(max(n, 1)) }
			b.ReportMetric(per(m.Totals.NodeHeartbeats), "ns/heartbeat")
			b.ReportMetric(per(m.Totals.TaskAttempts), "ns/task")
			b.ReportMetric(per(m.Totals.Events), "ns/event")
		})
	}
}
