package trace_test

import (
	"math"
	"testing"

	"replay/trace"
)

// A load is that of all resources that tasks and nodes have: GPUs may be what jobs wait for while hardly a vcore is taken.
func TestOfferedLoadOfFurtherResources(t *testing.T) {
	job := trace.NewJob(trace.KindGang)
	for range 2 {
		st := trace.NewStage(int32(len(job.Stages)), trace.StageGang)
		st.TaskMemMiB, st.TaskVCores, st.Extra = 1024, 1, []trace.NamedValue{{Name: "yarn.io/gpu", Value: 4}}
		st.Tasks = trace.NewTasks(2)
		st.Tasks.DurationMS = []int64{1000, 3000}
		job.Stages = append(job.Stages, st)
	}
	var w trace.Work
	for range 2 {
		w.Add(trace.WorkOf(job))
	}
	if w.VCoreMS != 16_000 || w.Further["yarn.io/gpu"] != 64_000 {
		t.Errorf("work %+v, want 16,000 vcore-ms and 64,000 GPU-ms", w)
	}
	node := trace.Node{MemMiB: 1 << 20, VCores: 16, Present: true, Extra: []trace.NamedValue{{Name: "yarn.io/gpu", Value: 4}, {Name: "fpga", Value: 1}}}
	size := trace.SizeAtStart([]trace.Node{node, node, {VCores: 16, Extra: node.Extra}})
	l := trace.OfferedLoad(w, size, 4000)
	if got, want := l.String(), "12.5 % of the vcores, 0.2 % of the memory and 200.0 % of the yarn.io/gpu"; got != want || l.Most() != 2 {
		t.Errorf("load %v, at most %v, want %v, at most 2", got, l.Most(), want)
	}
	if got, want := l.Faster(0.25).String(), "3.1 % of the vcores, 0.05 % of the memory and 50.0 % of the yarn.io/gpu"; got != want {
		t.Errorf("a quarter of it is %v, want %v", got, want)
	}
	if _, _, ok := l.Crowded(2, 4000); ok {
		t.Error("a load of 4 s is crowded, want one of which hours are left")
	}
	const day = 24 * 3600_000
	if takes, roomy, ok := l.Crowded(2, day); !ok || takes != 2*day || roomy != 8 {
		t.Errorf("crowded %t: %v ms, %d nodes; want two days and 8 nodes, as the GPUs say", ok, takes, roomy)
	}
	if l := trace.OfferedLoad(w, trace.Size{Nodes: 1, VCores: 1, MemMiB: 1}, 4000); len(l.Further) > 0 || math.IsInf(l.Most(), 0) {
		t.Errorf("load %v of a cluster without GPUs, want none of them", l)
	}
}
