package eventlog

import (
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"replay/trace/importer/importtest"
	"replay/trace/importer/workload"
)

// What a log says twice and differently is said, counted, and refused by --strict.
func TestContradictions(t *testing.T) {
	for _, tt := range []struct{ name, from, to, dropped, warned, got string }{
		{"an end before that of a task", `"Finish Time":7720`, `"Finish Time":100007720`,
			"application_ends_before_a_task", "SparkListenerApplicationEnd is at 9000 ms and the end of a task at 100007720 ms", "success 100007720"},
		{"a stage that ends before it begins", `"Stage Info":{"Completion Time":7210`, `"Stage Info":{"Completion Time":0`, "", "", "success 9000"},
		{"a last job that fails", `"JobSucceeded"`, `"JobFailed"`, "", "", " 9000"},
		{"a last job without an end", `{"Event":"SparkListenerJobEnd","Job ID":0,"Completion Time":7731,"Job Result":{"Result":"JobSucceeded"}}` + "\n", "", "", "", " 9000"},
		{"a last job that fails, and an exit code of 0", `7731,"Job Result":{"Result":"JobSucceeded"}}` + "\n" + `{"Event":"SparkListenerApplicationEnd"`, `7731,"Job Result":{"Result":"JobFailed"}}` + "\n" + `{"Event":"SparkListenerApplicationEnd","ExitCode":0`, "", "", "success 9000"},
		{"a stage whose end was lost", `{"Event":"SparkListenerStageCompleted","Stage Info":{"Completion Time":7730,` + stage1[1:] + "}\n", "", "stage_completions", "", "success 9000"},
	} {
		if !strings.Contains(logText, tt.from) {
			t.Fatalf("%s: the log has no %s", tt.name, tt.from)
		}
		path := importtest.WriteNew(t, "app-1", strings.Replace(logText, tt.from, tt.to, 1))
		var warned []string
		res, m, err := importtest.Import(t, Format, path, func(o *workload.Options) { o.Warn = func(m string) { warned = append(warned, m) } })
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		j := m.JobList[0]
		if got := fmt.Sprint(j.RecordedOutcome, " ", j.RecordedFinishMS-j.RecordedStartMS+1000); got != tt.got || !strings.Contains(strings.Join(warned, "\n"), tt.warned) {
			t.Errorf("%s: %s, want %s; warned %q", tt.name, got, tt.got, warned)
		}
		if tt.dropped == "" {
			continue
		}
		if res.Counts.Dropped[tt.dropped] != 1 {
			t.Errorf("%s: dropped %v", tt.name, res.Counts.Dropped)
		}
		if _, _, err := importtest.Import(t, Format, path, func(o *workload.Options) { o.Strict = true }); err == nil || !strings.Contains(err.Error(), tt.dropped) {
			t.Errorf("%s: strict says %v", tt.name, err)
		}
	}
	late := importtest.WriteNew(t, "app-1", strings.Replace(later(logText, 100_000_000), `"Stage Info":{"Completion Time":100007210`, `"Stage Info":{"Completion Time":7210`, 1))
	if res, _, err := importtest.Import(t, Format, late, nil); err != nil || res.Counts.Dropped["stage_ends_before_their_submission"] != 1 {
		t.Errorf("a stage that ends long before its submission: %v, dropped %v", err, res.Counts.Dropped)
	}
}

// Events that are there twice, and ends of tasks before their starts, change nothing of a trace. The first are counted.
func TestEventsTwice(t *testing.T) {
	removed := "{\"Event\":\"SparkListenerExecutorRemoved\",\"Timestamp\":8000,\"Executor ID\":\"1\",\"Removed Reason\":\"gone\"}\n"
	failed := strings.NewReplacer(`{"Reason":"Success"}`, `{"Reason":"UnknownReason"}`, `"Task ID":1,`, `"Task ID":7,`, `"Launch Time":5200`, `"Launch Time":5100`)
	lines := strings.SplitAfter(logText, "\n")
	lines = slices.Insert(lines, 7, failed.Replace(lines[7]), failed.Replace(lines[9]))
	lines = slices.Insert(lines, len(lines)-2, removed)
	plain := strings.Join(lines, "")
	read := func(text string) (string, workload.Counter) {
		res, m, err := importtest.Import(t, Format, importtest.WriteNew(t, "log", text), func(o *workload.Options) { o.Name = "log" })
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("%s%+v\n", importtest.Text(m), m.ExecutorList), res.Counts.Dropped
	}
	want, _ := read(plain)
	if !strings.Contains(want, "gone") || !strings.Contains(want, "retries [0 1]") {
		t.Fatalf("no executor goes, or no task fails:\n%s", want)
	}
	twice := func(event string) string {
		return regexp.MustCompile(`(?m)^.*`+event+`.*\n`).ReplaceAllString(plain, "$0$0")
	}
	for _, tt := range []struct {
		name, text string
		dropped    workload.Counter
	}{
		{"tasks", twice("SparkListenerTask"), workload.Counter{"task_events_that_are_there_twice": 8}},
		{"ends of tasks", twice("SparkListenerTaskEnd"), workload.Counter{"task_events_that_are_there_twice": 4}},
		{"executors", twice("SparkListenerExecutorAdded"), workload.Counter{"executors_with_the_id_of_another": 1}},
		{"jobs", twice("SparkListenerJob"), workload.Counter{"job_starts_that_are_there_twice": 1}},
		{"stages", twice("SparkListenerStage"), workload.Counter{}},
		{"the application", twice("SparkListener(Log|Application|Env)"), workload.Counter{"application_starts_that_are_there_twice": 1}},
		{"the log", plain + plain, workload.Counter{"application_starts_that_are_there_twice": 1, "job_starts_that_are_there_twice": 1, "task_events_that_are_there_twice": 8, "executors_with_the_id_of_another": 1}},
		{"ends first", regexp.MustCompile(`(.*TaskStart.*"Task ID":1,.*\n)(.*\n)(.*"Task ID":1,.*\n)`).ReplaceAllString(plain, "$3$2$1"), workload.Counter{}},
	} {
		if got, dropped := read(tt.text); tt.text == plain || got != want || !maps.Equal(dropped, tt.dropped) {
			t.Errorf("%s: dropped %v, want %v, and\n%s\nwant\n%s", tt.name, dropped, tt.dropped, got, want)
		}
	}
}

// The newest file of a rolling log may have been begun and nothing of it written.
func TestNewestFileIsEmpty(t *testing.T) {
	log := strings.ReplaceAll(logText, "app-1", "app-9")
	lines := strings.SplitAfter(log, "\n")
	for name, first := range map[string]string{"with the end": log, "without": strings.Join(lines[:len(lines)-2], "")} {
		dir := folder(t, map[string]string{"eventlog_v2_app-9/events_1_app-9": first, "eventlog_v2_app-9/events_2_app-9": ""})
		_, m, err := importtest.Import(t, Format, filepath.Join(dir), nil)
		if err != nil || len(m.JobList) != 1 || m.JobList[0].NumTasks() != 3 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The copy that wins is a speculative attempt in the recorded ones, too.
func TestSpeculativeWinner(t *testing.T) {
	a := newAppLog()
	p := newEventParser()
	for line := range strings.Lines(strings.Replace(logText, `"Host":"h1","Locality":"PROCESS_LOCAL","Getting`, `"Host":"h1","Speculative":true,"Locality":"PROCESS_LOCAL","Getting`, 1)) {
		if err := p.parse([]byte(strings.TrimSpace(line)), a); err != nil {
			t.Fatal(err)
		}
	}
	if st := a.stages[1]; !st.parts[0].row(0).Speculative || a.stages[0].parts[0].row(0).Speculative {
		t.Errorf("the attempts are %+v and %+v", a.stages[0].parts, st.parts)
	}
}

// A long chain of skipped stages is walked once, however many stages read its end.
func TestChainOfSkippedStages(t *testing.T) {
	const chain, readers = 3000, 3000
	a := newAppLog()
	a.infos[0] = &stageInfo{id: 0, rdds: []rddInfo{{id: 7, partitions: 1}}}
	a.stages[0] = &stageLog{info: a.infos[0]}
	for id := int32(1); id < chain+readers; id++ {
		a.infos[id] = &stageInfo{id: id, parents: []int32{min(id, chain) - 1}}
		if id >= chain {
			a.stages[id] = &stageLog{info: a.infos[id]}
		}
	}
	a.infos[1].parents = []int32{chain - 1, 0} // a ring, which leads nowhere
	d := newDAG(a, workload.Counter{})
	for id := int32(chain); id < chain+readers; id++ {
		if got := d.parents(id); len(got) != 1 || got[0] != 0 {
			t.Fatalf("stage %d reads %v, want stage 0", id, got)
		}
	}
	if len(d.made) != chain {
		t.Errorf("%d stages were asked for who made them, want %d", len(d.made), chain)
	}
}

// Of logs that were put together lenient takes the first alone: the ids of another application are those of the first again.
func TestLogsPutTogether(t *testing.T) {
	lenient := func(text string) (string, int64) {
		res, m, err := importtest.Import(t, Format, importtest.WriteNew(t, "log", text), func(o *workload.Options) { o.Lenient, o.Name = true, "log" })
		if err != nil {
			t.Fatal(err)
		}
		return importtest.Text(m), res.Counts.Dropped["lines_of_other_applications"]
	}
	want, none := lenient(logText)
	other := later(named("app-2", 0), 100_000)
	for name, other := range map[string]string{"whole": other, "from its start on": strings.SplitAfterN(other, "\n", 3)[2]} {
		got, dropped := lenient(logText + other)
		if got != want || none != 0 || dropped != int64(strings.Count(other, "\n")) {
			t.Errorf("%s: %d lines dropped of %d, and %d of the first alone:\n%s\nwant\n%s", name, dropped, strings.Count(other, "\n"), none, got, want)
		}
	}
}

// An executor that was removed runs no task: a log in which one begins later contradicts itself, which is said.
func TestTasksAfterTheRemoval(t *testing.T) {
	lines := strings.SplitAfter(logText, "\n")
	for _, tt := range []struct {
		removed int
		want    bool
	}{{4000, true}, {100_000, false}} {
		event := fmt.Sprintf("{\"Event\":\"SparkListenerExecutorRemoved\",\"Timestamp\":%d,\"Executor ID\":\"1\",\"Removed Reason\":\"gone\"}\n", tt.removed)
		var warned []string
		path := importtest.WriteNew(t, "log", strings.Join(slices.Insert(slices.Clone(lines), len(lines)-2, event), ""))
		_, m, err := importtest.Import(t, Format, path, func(o *workload.Options) { o.Warn = func(text string) { warned = append(warned, text) } })
		if err != nil || m.JobList[0].NumTasks() != 3 {
			t.Fatalf("removed at %d: %v", tt.removed, err)
		}
		const said = "1 of 1 executors begin tasks after they were removed, the first is 1: "
		if strings.Contains(strings.Join(warned, "\n"), said) != tt.want {
			t.Errorf("removed at %d: warned of %q, want %q: %v", tt.removed, warned, said, tt.want)
		}
	}
}
