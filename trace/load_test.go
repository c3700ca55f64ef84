package trace_test

import (
	"maps"
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

// What a Spark task holds is its part of an executor, of GPUs too. Where they let an executor run fewer tasks at a time than its vcores do, a task has more of it.
func TestOfferedLoadOfSparkExecutors(t *testing.T) {
	const gpu = "yarn.io/gpu"
	tests := []struct {
		name    string
		conf    []trace.KeyValue
		profile func(s *trace.Stage)
		vcoreMS float64
		memMS   float64
		further map[string]float64
	}{
		{"no further resources", nil, nil, 1000, 1024_000, nil},
		{"vcores limit the tasks", []trace.KeyValue{{"spark.executor.resource.gpu.amount", "2"}, {"spark.task.resource.gpu.amount", "0.1"}}, nil, 1000, 1024_000, map[string]float64{gpu: 500}},
		{"GPUs limit the tasks", []trace.KeyValue{{"spark.executor.resource.gpu.amount", "2"}, {"spark.task.resource.gpu.amount", "1"}}, nil, 2000, 2048_000, map[string]float64{gpu: 1000}},
		{"tasks take none", []trace.KeyValue{{"spark.executor.resource.gpu.amount", "2"}}, nil, 1000, 1024_000, map[string]float64{gpu: 500}},
		{"another name of the device", []trace.KeyValue{{"spark.executor.resource.gpu.amount", "2"}, {"spark.yarn.resourceGpuDeviceName", "acme/gpu"}}, nil, 1000, 1024_000, map[string]float64{"acme/gpu": 500}},
		{"FPGAs", []trace.KeyValue{{"spark.executor.resource.fpga.amount", "4"}}, nil, 1000, 1024_000, map[string]float64{"yarn.io/fpga": 1000}},
		{"by YARN's name", []trace.KeyValue{{"spark.yarn.executor.resource.acme.amount", "8"}}, nil, 1000, 1024_000, map[string]float64{"acme": 2000}},
		{"one that YARN does not hear of", []trace.KeyValue{{"spark.executor.resource.acme.amount", "8"}}, nil, 1000, 1024_000, nil},
		{"not of executors, or no amount", []trace.KeyValue{{"spark.driver.resource.gpu.amount", "8"}, {"spark.executor.resource.gpu.amount", "many"}, {"spark.executor.resource.gpu.vendor", "1"}}, nil, 1000, 1024_000, nil},
		{"a profile says all of it", []trace.KeyValue{{"spark.executor.resource.gpu.amount", "8"}}, func(s *trace.Stage) {
			s.ExecMemMiB, s.ExecVCores, s.ExecTasks, s.ExecExtra = 6144, 3, 1, []trace.NamedValue{{Name: "fpga", Value: 5}}
		}, 3000, 6144_000, map[string]float64{"fpga": 5000}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			job := trace.NewJob(trace.KindSpark)
			job.ExecMemMiB, job.ExecVCores, job.TaskCPUs, job.Conf = 4096, 4, 1, tt.conf
			st := trace.NewStage(0, trace.StageResult)
			st.Tasks = trace.NewTasks(2)
			st.Tasks.DurationMS = []int64{300, 700}
			if tt.profile != nil {
				tt.profile(&st)
			}
			job.Stages = append(job.Stages, st)
			if w := trace.WorkOf(job); w.VCoreMS != tt.vcoreMS || w.MemMiBMS != tt.memMS || !maps.Equal(w.Further, tt.further) {
				t.Errorf("work %+v, want %v vcore-ms, %v MiB-ms and %v", w, tt.vcoreMS, tt.memMS, tt.further)
			}
		})
	}
}
