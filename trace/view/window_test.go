package view_test

import (
	"fmt"
	"io"
	"reflect"
	"slices"
	"testing"

	"replay/trace"
	"replay/trace/view"
)

// submitted returns a trace of jobs that are submitted at these times, each of one task of a second on one vcore.
func submitted(at ...int64) *trace.MemoryTrace {
	m := &trace.MemoryTrace{}
	for i, ms := range at {
		j := &trace.Job{ID: int64(i), SubmitMS: ms, RecordedStartMS: ms + 5, RecordedFinishMS: trace.Unset, Stages: []trace.Stage{{
			TaskVCores: 1, TaskMilliVCores: trace.Unset, Tasks: trace.Tasks{DurationMS: []int64{1000}},
		}}}
		if i > 0 {
			j.DependsOn = []int64{0, int64(i - 1)}
		}
		m.JobList = append(m.JobList, j)
	}
	return m
}

// Windows have equal spans, and each job is in one of them.
func TestWindows(t *testing.T) {
	at := []int64{100, 150, 199, 200, 260, 399}
	ws, err := view.Windows(submitted(at...).Jobs(), 3)
	if err != nil {
		t.Fatal(err)
	}
	want := []view.Window{
		{100, 200, 3, 3, trace.Work{VCoreMS: 3000}},
		{200, 300, 2, 2, trace.Work{VCoreMS: 2000}},
		{300, 400, 1, 1, trace.Work{VCoreMS: 1000}},
	}
	if !reflect.DeepEqual(ws, want) {
		t.Fatalf("%+v, want %+v", ws, want)
	}
	var got []int64
	for i, w := range ws {
		if again, err := view.WindowOf(submitted(at...).Jobs(), w.FromMS, w.ToMS); err != nil || !reflect.DeepEqual(again, w) {
			t.Errorf("window %d by itself is %+v (%v), want %+v", i, again, err, w)
		}
		source := w.Jobs(submitted(at...).Jobs())
		for id := int64(0); ; id++ {
			j, err := source.Next()
			if err == io.EOF {
				break
			}
			if err != nil || j.ID != id || j.RecordedStartMS != j.SubmitMS+5 || j.RecordedFinishMS != trace.Unset {
				t.Errorf("job %+v (%v), want number %d with its times moved", j, err, id)
			}
			for _, on := range j.DependsOn {
				if on < 0 || on >= id {
					t.Errorf("job %d of window %d depends on %v", id, i, j.DependsOn)
				}
			}
			got = append(got, j.SubmitMS+w.FromMS)
		}
	}
	if !slices.Equal(got, at) {
		t.Errorf("jobs submitted at %v, want %v", got, at)
	}
	if ws, err := view.Windows(submitted().Jobs(), 3); err != nil || ws != nil {
		t.Errorf("windows of nothing: %v, %v", ws, err)
	}
}

// The cluster of a window is as the events before it leave it.
func TestWindowCluster(t *testing.T) {
	event := func(ms int64, node int32, kind trace.EventKind) trace.NodeEvent {
		return trace.NewNodeEvent(ms, node, kind)
	}
	smaller := event(30, 4, trace.Capacity)
	smaller.MemMiB = 7
	short, long := event(40, 5, trace.Drain), event(50, 6, trace.Drain)
	short.DrainTimeoutMS, long.DrainTimeoutMS = 60, 61
	events := []trace.NodeEvent{
		event(10, 1, trace.Fail), event(20, 2, trace.Join), smaller, short, long, event(60, 7, trace.Fail), event(70, 7, trace.Recover),
		event(80, 8, trace.Drain), event(90, 8, trace.Undrain), event(95, 9, trace.Drain), event(100, 1, trace.Recover), event(500, 0, trace.Fail),
	}
	nodes := rackNodes([]int32{2, 3}, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	w := view.Window{FromMS: 100, ToMS: 200}
	got, after := w.Cluster(nodes, events)
	if ids := present(got); !slices.Equal(ids, []int32{0, 2, 4, 6, 7, 8, 9}) || got[4].MemMiB != 7 || nodes[4].MemMiB != 5000 {
		t.Errorf("%v are present, node 4 has %d MiB (before %d)", ids, got[4].MemMiB, nodes[4].MemMiB)
	}
	type brief struct {
		at, timeout int64
		node        int32
		kind        trace.EventKind
	}
	var said []brief
	for i, e := range after {
		said = append(said, brief{e.TimeMS, e.DrainTimeoutMS, e.Node, e.Kind})
		if i > 0 && e.TimeMS == after[i-1].TimeMS && e.Seq <= after[i-1].Seq {
			t.Errorf("event %d has seq %d after %d", i, e.Seq, after[i-1].Seq)
		}
	}
	if want := []brief{{0, 11, 6, trace.Drain}, {0, trace.Unset, 9, trace.Drain}, {0, trace.Unset, 1, trace.Join}, {400, trace.Unset, 0, trace.Fail}}; !slices.Equal(said, want) {
		t.Errorf("events %v, want %v", said, want)
	}
}

// A node that is not there when a window begins joins when it comes back. What else happens to it before says at most how large it is then.
func TestWindowClusterOfAbsentNodes(t *testing.T) {
	short := trace.NewNodeEvent(10, 2, trace.Drain)
	short.DrainTimeoutMS = 5
	larger := trace.NewNodeEvent(130, 2, trace.Capacity)
	larger.MemMiB = 9000
	events := []trace.NodeEvent{
		trace.NewNodeEvent(10, 0, trace.Fail), trace.NewNodeEvent(10, 1, trace.Fail), short,
		trace.NewNodeEvent(120, 0, trace.Leave), trace.NewNodeEvent(125, 1, trace.Recover), larger, trace.NewNodeEvent(140, 2, trace.Undrain), trace.NewNodeEvent(150, 1, trace.Fail), trace.NewNodeEvent(160, 1, trace.Recover),
	}
	w := view.Window{FromMS: 100, ToMS: 200}
	nodes, after := w.Cluster(rackNodes([]int32{2}, 0, 0, 0), events)
	var said []string
	for _, e := range after {
		said = append(said, fmt.Sprintf("%d %d %s", e.TimeMS, e.Node, e.Kind))
	}
	if want := []string{"25 1 join", "40 2 join", "50 1 fail", "60 1 recover"}; !slices.Equal(said, want) || nodes[2].MemMiB != 9000 {
		t.Errorf("events %q, want %q; node 2 has %d MiB, want 9000", said, want, nodes[2].MemMiB)
	}
}
