package portrait

import (
	"slices"
	"strings"
	"testing"

	"replay/trace"
)

// An executor of a job without an end, of a log that stops, is held as far as the job was recorded, not until the last submission of a trace that may go on for years.
func TestExecutorsWithoutAnEnd(t *testing.T) {
	const day = 86_400_000
	m := cluster()
	m.JobList = []*trace.Job{job(0, 0, nil), job(1, 0, nil), job(2, 365*day, nil)}
	for _, j := range m.JobList {
		j.Kind, j.ExecMemMiB, j.ExecVCores, j.TaskCPUs = trace.KindSpark, 4096, 4, 1
	}
	m.JobList[2].RecordedFinishMS = 365*day + 5000
	for job, added := range []int64{1000, 1000, 365*day + 1000} {
		m.ExecutorList = append(m.ExecutorList, trace.Executor{Job: int64(job), ID: 1, VCores: 4, MemMiB: 4096, AddedMS: added, RemovedMS: trace.Unset})
	}
	h := portraitOf(t, m).Held
	if h.Open != 2 || h.Lost != 2 || h.Work.VCoreMS != 4*4000 || h.Ends("; ") != "; 2 executors without an end: not counted, nothing later is recorded" {
		t.Errorf("without recorded times %+v, %q", h, h.Ends("; "))
	}
	m.Attached = map[string][]byte{"recorded.json": []byte(`{"applications":[{"job":0,"spark_jobs":[{"submit_ms":2000}],"stages":[{"submit_ms":3000,"finish_ms":9000},{"submit_ms":8000}]},{"job":2}]}`)}
	p := portraitOf(t, m)
	h = p.Held
	if h.Open != 2 || h.Lost != 1 || h.Work.VCoreMS != 4*(8000+4000) || h.Ends("; ") != "; 1 executor without an end: held as far as the recording goes; 1 executor without an end: not counted, nothing later is recorded" {
		t.Errorf("with recorded times %+v, %q", h, h.Ends("; "))
	}
	var b strings.Builder
	if err := p.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	if text := b.String(); !strings.Contains(text, "(3 jobs); 1 executor without an end") {
		t.Errorf("portrait: %s", text)
	}
}

// Executors hold their GPUs, too: those of their resource profile, or of the job's own keys; of jobs without recorded executors the tasks do.
func TestHeldGPUs(t *testing.T) {
	const gpu = "yarn.io/gpu"
	m := cluster()
	for i := range m.Nodes {
		m.Nodes[i].Extra = []trace.NamedValue{{Name: gpu, Value: 2}}
	}
	m.JobList = []*trace.Job{job(0, 0, nil), job(1, 0, nil), job(2, 10_000, nil)}
	for _, j := range m.JobList {
		j.Kind, j.ExecMemMiB, j.ExecVCores, j.TaskCPUs, j.RecordedFinishMS = trace.KindSpark, 4096, 4, 1, 9000
		j.Conf = []trace.KeyValue{{Key: "spark.executor.resource.gpu.amount", Value: "2"}}
	}
	m.JobList[2].RecordedFinishMS = 12_000
	s := &m.JobList[1].Stages[0]
	s.Profile, s.ExecMemMiB, s.ExecVCores, s.ExecExtra = 3, 4096, 4, []trace.NamedValue{{Name: gpu, Value: 1}}
	for i, profile := range []int32{0, 3, 0, 7} { // of the last one nothing is known
		m.ExecutorList = append(m.ExecutorList, trace.Executor{Job: int64(i % 2), ID: int32(i), VCores: 4, MemMiB: 4096, Profile: profile, AddedMS: 1000, RemovedMS: 3000})
	}
	slices.SortStableFunc(m.ExecutorList, func(a, b trace.Executor) int { return int(a.Job - b.Job) })
	p := portraitOf(t, m)
	held := float64(2000*2 + 2000*1 + 2000*2)
	without := trace.WorkOf(m.JobList[2]).Further[gpu]
	if got := p.Held.Work.Further[gpu]; got != held || without == 0 {
		t.Errorf("executors held %v ms of GPUs, want %v; tasks of another job %v", got, held, without)
	}
	if got, want := p.Held.Load.Further[gpu], (held+without)/(10_000*2*50); got != want {
		t.Errorf("load %v, want %v", got, want)
	}
	var b strings.Builder
	if err := p.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	if text := b.String(); !strings.Contains(text, "% of the memory, 1.") || !strings.Contains(text, "% of the yarn.io/gpu; tasks take") {
		t.Errorf("portrait: %s", text)
	}
}
