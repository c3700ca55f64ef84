package result_test

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"

	"replay/engine/record"
	"replay/report/result"
)

// oneByOne is a collector that takes no waves.
type oneByOne struct{ record.Sink }

func (oneByOne) AnyOrder() (containers, tasks bool) { return true, true }

// A wave adds up to what its task attempts and containers do, with prices and without, among as many as are shown and behind them.
func TestWaves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		prices := &record.Prices{Types: []record.NodeType{{Name: "*", Hour: 36_000}}, TypeOf: make([]int, 20)}
		waves, rows := result.NewCollector(), result.NewCollector()
		if rapid.Bool().Draw(t, "priced") {
			waves.Priced(prices)
			rows.Priced(prices)
		}
		for n := range int32(20) {
			node := record.Node{Node: n, Registered: true, MemMiB: 1 << 16, VCores: 16}
			waves.Node(&node)
			rows.Node(&node)
		}
		var m record.Manifest
		for id := range rapid.Int64Range(1, 3).Draw(t, "jobs") {
			job := record.Job{ID: id, Queue: rapid.SampledFrom([]string{"root.a", "root.b"}).Draw(t, "queue")}
			for range rapid.IntRange(1, 4).Draw(t, "waves") {
				w := waveOf(t, &job)
				waves.Wave(w)
				w.Give(oneByOne{rows})
				count(&m.Totals, &job, w)
			}
			m.Totals.Jobs++
			waves.Job(&job)
			rows.Job(&job)
		}
		got, want := aggregatesOf(t, waves, m), aggregatesOf(t, rows, m)
		if !bytes.Equal(got, want) {
			t.Fatalf("waves add up to\n%q, one by one they do to\n%q", got, want)
		}
	})
}

func waveOf(t *rapid.T, job *record.Job) *record.Wave {
	at := rapid.Int64Range(0, 50_000).Draw(t, "launch")
	ready := at - rapid.SampledFrom([]int64{0, 0, min(at, 700)}).Draw(t, "wait")
	w := &record.Wave{
		Task: record.Task{Job: job.ID, AMAttempt: 1, Container: job.Containers + 1, Ready: ready, Launch: at, Level: record.NoPref, End: record.TaskSuccess},
		Container: record.Container{Job: job.ID, AMAttempt: 1, Number: job.Containers + 1, Queue: job.Queue, MemMiB: 1000, VCores: rapid.Int64Range(0, 2).Draw(t, "vcores"),
			Asked: ready, Allocated: at, Acquired: at, Started: at, Registered: at, End: record.EndCompleted},
	}
	n := rapid.SampledFrom([]int{1, 3, 40, 2500}).Draw(t, "tasks")
	nodes, ms := rapid.Int32Range(1, 20).Draw(t, "nodes"), rapid.Int64Range(1, 100_000).Draw(t, "ms")
	some := rapid.Bool().Draw(t, "preferences")
	for i := range n {
		w.Nodes, w.DurationMS = append(w.Nodes, int32(i)%nodes), append(w.DurationMS, int64(i)*7919%ms)
		if some {
			w.Levels = append(w.Levels, [...]record.TaskLevel{record.NoPref, record.TaskNodeLocal, record.TaskRackLocal, record.AnyLevel}[i%4])
		}
	}
	return w
}

// count counts a wave for its job and the replay.
func count(all *record.Totals, job *record.Job, w *record.Wave) {
	n := int64(len(w.Nodes))
	job.Containers += n
	job.Attempts += n
	all.ContainersAllocated += n
	all.ContainersEnded += n
	all.TaskAttempts += n
	if w.Levels == nil {
		job.TaskLevels[record.NoPref] += n
	}
	for _, level := range w.Levels {
		job.TaskLevels[level]++
		if level != record.NoPref {
			job.TasksPreferring++
		}
	}
}

func aggregatesOf(t *rapid.T, c *result.Collector, m record.Manifest) []byte {
	d, err := c.Finish(m)
	if err != nil {
		t.Fatal(err)
	}
	b, err := d.Aggregates()
	if err != nil {
		t.Fatal(err)
	}
	return b
}
