package portrait

import (
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
