package eventlog

import (
	"fmt"
	"strings"
	"testing"

	"replay/trace"
	"replay/trace/importer/importtest"
	"replay/trace/importer/recorded"
	"replay/trace/importer/workload"
)

// attemptsOf imports a log and returns the recorded attempts of its application, by stage.
func attemptsOf(t *testing.T, text string, change func(*workload.Options)) ([][]recorded.Attempt, *trace.MemoryTrace) {
	t.Helper()
	_, m, err := importtest.Import(t, Format, importtest.WriteNew(t, "app-1", text), change)
	if err != nil {
		t.Fatal(err)
	}
	data, err := m.Attachment(trace.AttemptsFile)
	if err != nil {
		t.Fatal(err)
	}
	a := []recorded.App{{Stages: make([]recorded.Stage, len(m.JobList[0].Stages))}}
	if err := recorded.ReadAttempts(data, a); err != nil {
		t.Fatal(err)
	}
	var out [][]recorded.Attempt
	for _, s := range a[0].Stages {
		out = append(out, s.Tasks)
	}
	return out, m
}

// The trace keeps every attempt of a task, with the executor and how it ended.
func TestRecordedAttempts(t *testing.T) {
	s := newScript()
	st := testStage{id: 0, name: "s", rdd: 1, tasks: 3}
	s.job(0, 0, "", st)
	fmt.Fprintf(s, `{"Event":"SparkListenerStageSubmitted","Stage Info":{"Submission Time":0,%s}}`+"\n", st.info())
	s.attempt(st, 0, 0, 50, "ExceptionFailure", "PROCESS_LOCAL")
	s.attempt(st, 0, 60, 90, "ExecutorLostFailure", "PROCESS_LOCAL")
	s.attempt(st, 0, 100, 400, "Success", "PROCESS_LOCAL")
	s.attempt(st, 1, 0, 70, "TaskKilled", "PROCESS_LOCAL")
	s.attempt(st, 1, 10, 80, "Success", "PROCESS_LOCAL")
	s.attempt(st, 2, 0, 30, "FetchFailed", "PROCESS_LOCAL")
	fmt.Fprintf(s, `{"Event":"SparkListenerStageCompleted","Stage Info":{"Completion Time":1000,%s}}`+"\n", st.info())
	st.attempt = 1
	s.run(st, 2000, 2100) // its output was lost
	s.end(0, 2100)
	s.WriteString(`{"Event":"SparkListenerApplicationEnd","Timestamp":3000}` + "\n")
	got, _ := attemptsOf(t, s.String(), nil)
	var text []string
	for _, a := range got[0] {
		text = append(text, fmt.Sprintf("%d.%d %d+%d %s", a.Task, a.StageAttempt, a.LaunchMS, a.CoreMS, a.End))
	}
	want := "0.0 0+50 failed, 0.0 60+30 lost, 0.0 100+300 success, 0.1 2000+100 success, 1.0 0+70 killed, 1.0 10+70 success, 1.1 2000+100 success, 2.0 0+30 fetch-failed, 2.1 2000+100 success"
	if strings.Join(text, ", ") != want {
		t.Errorf("attempts are %s\nwant %s", strings.Join(text, ", "), want)
	}
	small, _ := attemptsOf(t, logText, nil)
	if a := small[0][1]; a != (recorded.Attempt{Task: 1, Executor: 1, LaunchMS: 4200, CoreMS: 2000, DurationMS: 1950, DeserializeMS: 50, SchedDelayMS: 50, End: "success"}) {
		t.Errorf("attempt is %+v", a)
	}
	if _, m, err := importtest.Import(t, Format, importtest.WriteNew(t, "app-1", logText), func(o *workload.Options) { o.Copies, o.Arrivals = 2, "fixed:1s" }); err != nil {
		t.Fatal(err)
	} else if _, err := m.Attachment(trace.AttemptsFile); err == nil {
		t.Error("copies have the recorded attempts")
	}
}

// Before Spark 3 the event of a submission has no time; that of the stage's end has.
func TestSubmissionsOfOldLogs(t *testing.T) {
	old := strings.Replace(logText, `"Submission Time":7215,`, "", 1)
	old = strings.Replace(old, `"Completion Time":7730,`, `"Submission Time":7216,"Completion Time":7730,`, 1)
	got := importtest.WriteNew(t, "app-1", old)
	_, m, err := importtest.Import(t, Format, got, nil)
	if err != nil {
		t.Fatal(err)
	}
	if s := m.JobList[0].Stages[1]; s.DelayMS != 6 || s.Tasks.RecordedWaitMS[0] != 4 {
		t.Errorf("delay %d and wait %d, want 6 and 4", s.DelayMS, s.Tasks.RecordedWaitMS[0])
	}
}

// An executor that ran tasks was there, whatever the log says of it.
func TestExecutorsThatNoEventAdded(t *testing.T) {
	for _, c := range []struct {
		name, log string
		id        int32
		added     int64
	}{
		{"lost event", logWith(4, ""), 1, 4000},
		{"the driver beside another", strings.ReplaceAll(strings.Replace(logText, `"Executor ID":"1","Executor Info"`, `"Executor ID":"0","Executor Info"`, 1), `"Executor ID":"1"`, `"Executor ID":"driver"`), 1, 4000},
		{"the driver", strings.ReplaceAll(logText, `"Executor ID":"1"`, `"Executor ID":"driver"`), 0, 2000},
	} {
		got, m := attemptsOf(t, c.log, nil)
		last := m.ExecutorList[len(m.ExecutorList)-1]
		if last.ID != c.id || last.AddedMS != c.added || last.VCores != 2 || m.Nodes[last.Node].Host != "h1" || got[0][0].Executor != c.id {
			t.Errorf("%s: executor %+v, task on %d, want executor %d of 2 cores on h1 from %d", c.name, last, got[0][0].Executor, c.id, c.added)
		}
	}
}

func TestTaskIDs(t *testing.T) {
	var s taskIDs
	for _, id := range []int64{0, 64, 63, lowIDs, lowIDs - 1, -2, 1 << 60} {
		if s.has(id) || s.add(id) || !s.has(id) || !s.add(id) || s.has(id-1) {
			t.Errorf("%d was there, or is not", id)
		}
	}
}
