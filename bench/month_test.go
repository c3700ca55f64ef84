package bench_test

import (
	"testing"

	"replay/engine"
	"replay/engine/record"
	"replay/engine/scenario"
	"replay/trace"
	"replay/trace/synth"
)

// synthetic is a case: a preset of the generator, cut or made smaller, and the options that it is replayed with.
type synthetic struct {
	name   string
	preset string
	gen    synth.Options
	change func(*scenario.Options)
}

// synthetics are cases of which each hides what the others show: many queues with long-lived applications, a deep queue of waiting
// applications, a large cluster on which little happens, many short jobs.
var synthetics = []synthetic{
	{"month-hundredth-day", "month", synth.Options{Nodes: 120, Jobs: 180}, nil},
	{"month-tenth-hours", "month", synth.Options{Nodes: 1200, Jobs: 300}, nil},
	{"month-hours", "month", synth.Options{Jobs: 1000}, nil},
	{"month-tenth-reserving", "month", synth.Options{Nodes: 1200, Jobs: 300}, func(o *scenario.Options) {
		o.Conf = map[string]string{"yarn.scheduler.reservation-threshold.increment-multiple": "2"}
	}},
	{"backlog", "uniform-micro", synth.Options{Nodes: 10, Jobs: 10_000, Load: 300}, func(o *scenario.Options) { o.Until = 400_000 }},
	{"idle-12000", "tpch-mixed", synth.Options{Nodes: 12_000, Jobs: 20, Load: 0.0001}, nil},
	{"uniform-micro", "uniform-micro", synth.Options{Jobs: 1000}, nil},
}

// BenchmarkSynthetic replays the cases with the fast engine, reading included, and tells what was executed beside the time: these
// counts are exact.
func BenchmarkSynthetic(b *testing.B) {
	for i := range synthetics {
		c := &synthetics[i]
		b.Run("case="+c.name, func(b *testing.B) {
			dir := b.TempDir() + "/trace"
			p, err := synth.Find(c.preset)
			if err != nil {
				b.Fatal(err)
			}
			c.gen.Seed = 1
			if _, err := synth.Generate(b.Context(), dir, p, c.gen); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			var m *record.Manifest
			for b.Loop() {
				m = c.run(b, dir)
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

// run replays the trace in a directory.
func (c *synthetic) run(b *testing.B, dir string) *record.Manifest {
	t, err := trace.Open(dir)
	if err != nil {
		b.Fatal(err)
	}
	defer t.Close()
	o := scenario.DefaultOptions()
	if c.change != nil {
		c.change(&o)
	}
	sc, err := scenario.FromTrace(t, o)
	if err != nil {
		b.Fatal(err)
	}
	m, err := engine.Run(b.Context(), sc, &nothing{}, nil)
	if err != nil {
		b.Fatal(err)
	}
	return m
}
