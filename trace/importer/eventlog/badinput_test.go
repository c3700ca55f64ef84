package eventlog

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"replay/trace"
	"replay/trace/importer/importtest"
	"replay/trace/importer/workload"
)

const sampleLog = "../testdata/spark-eventlog/eventlogs/app-20261121064901-0000"

// logText is a small log: one job of two stages with two and one task. The tests change it by line.
var logText = `{"Event":"SparkListenerLogStart","Spark Version":"3.5.5"}
{"Event":"SparkListenerEnvironmentUpdate","Spark Properties":{"spark.master":"yarn","spark.submit.deployMode":"cluster","spark.executor.memory":"2g","spark.executor.cores":"2","spark.executor.instances":"1","spark.yarn.queue":"prod"}}
{"Event":"SparkListenerApplicationStart","App Name":"small","App ID":"app-1","Timestamp":1000,"User":"u"}
{"Event":"SparkListenerExecutorAdded","Timestamp":3000,"Executor ID":"1","Executor Info":{"Host":"h1","Total Cores":2,"Log Urls":{},"Resource Profile Id":0}}
{"Event":"SparkListenerJobStart","Job ID":0,"Submission Time":5000,"Stage Infos":[` + stage0 + `,` + stage1 + `],"Stage IDs":[0,1],"Properties":{"spark.scheduler.pool":"gold"}}
{"Event":"SparkListenerStageSubmitted","Stage Info":{"Submission Time":5000,` + stage0[1:] + `}
{"Event":"SparkListenerTaskStart","Stage ID":0,"Stage Attempt ID":0,"Task Info":{"Task ID":0,"Index":0,"Partition ID":0,"Launch Time":5100,"Executor ID":"1","Host":"h1","Locality":"NODE_LOCAL","Speculative":false}}
{"Event":"SparkListenerTaskStart","Stage ID":0,"Stage Attempt ID":0,"Task Info":{"Task ID":1,"Index":1,"Partition ID":1,"Launch Time":5200,"Executor ID":"1","Host":"h1","Locality":"ANY","Speculative":false}}
{"Event":"SparkListenerTaskEnd","Stage ID":0,"Stage Attempt ID":0,"Task Type":"ShuffleMapTask","Task End Reason":{"Reason":"Success"},"Task Info":{"Task ID":0,"Index":0,"Partition ID":0,"Launch Time":5100,"Executor ID":"1","Host":"h1","Locality":"NODE_LOCAL","Finish Time":6100},"Task Metrics":{"Executor Run Time":800,"Executor Deserialize Time":100,"Result Serialization Time":5,"Input Metrics":{"Bytes Read":1000},"Shuffle Write Metrics":{"Shuffle Bytes Written":70}}}
{"Event":"SparkListenerTaskEnd","Stage ID":0,"Stage Attempt ID":0,"Task Type":"ShuffleMapTask","Task End Reason":{"Reason":"Success"},"Task Info":{"Task ID":1,"Index":1,"Partition ID":1,"Launch Time":5200,"Executor ID":"1","Host":"h1","Locality":"ANY","Finish Time":7200},"Task Metrics":{"Executor Run Time":1900,"Executor Deserialize Time":50,"Result Serialization Time":0,"Input Metrics":{"Bytes Read":2000},"Shuffle Write Metrics":{"Shuffle Bytes Written":30}}}
{"Event":"SparkListenerStageCompleted","Stage Info":{"Completion Time":7210,` + stage0[1:] + `}
{"Event":"SparkListenerStageSubmitted","Stage Info":{"Submission Time":7215,` + stage1[1:] + `}
{"Event":"SparkListenerTaskStart","Stage ID":1,"Stage Attempt ID":0,"Task Info":{"Task ID":2,"Index":0,"Partition ID":0,"Launch Time":7220,"Executor ID":"1","Host":"h1","Locality":"PROCESS_LOCAL","Speculative":false}}
{"Event":"SparkListenerTaskEnd","Stage ID":1,"Stage Attempt ID":0,"Task Type":"ResultTask","Task End Reason":{"Reason":"Success"},"Task Info":{"Task ID":2,"Index":0,"Partition ID":0,"Launch Time":7220,"Executor ID":"1","Host":"h1","Locality":"PROCESS_LOCAL","Getting Result Time":7620,"Finish Time":7720},"Task Metrics":{"Executor Run Time":390,"Executor Deserialize Time":4,"Result Serialization Time":1,"Shuffle Read Metrics":{"Remote Bytes Read":40,"Local Bytes Read":60}}}
{"Event":"SparkListenerStageCompleted","Stage Info":{"Completion Time":7730,` + stage1[1:] + `}
{"Event":"SparkListenerJobEnd","Job ID":0,"Completion Time":7731,"Job Result":{"Result":"JobSucceeded"}}
{"Event":"SparkListenerApplicationEnd","Timestamp":9000}
`

const (
	stage0 = `{"Stage ID":0,"Stage Attempt ID":0,"Stage Name":"map","Number of Tasks":2,"RDD Info":[{"RDD ID":1,"Name":"MapPartitionsRDD","Parent IDs":[0],"Number of Partitions":2},{"RDD ID":0,"Name":"/data/in","Parent IDs":[],"Number of Partitions":2}],"Parent IDs":[],"Resource Profile Id":0}`
	stage1 = `{"Stage ID":1,"Stage Attempt ID":0,"Stage Name":"collect","Number of Tasks":1,"RDD Info":[{"RDD ID":2,"Name":"ShuffledRDD","Parent IDs":[1],"Number of Partitions":1}],"Parent IDs":[0],"Resource Profile Id":0}`
)

// logWith returns the small log with line n, from 1, changed to text; "" removes it.
func logWith(n int, text string) string {
	lines := strings.SplitAfter(logText, "\n")
	if text != "" {
		text += "\n"
	}
	lines[n-1] = text
	return strings.Join(lines, "")
}

func TestSmallLog(t *testing.T) {
	res, m, err := importtest.Import(t, Format, importtest.WriteNew(t, "app-1", logText), func(o *workload.Options) { o.Strict = true })
	if err != nil {
		t.Fatal(err)
	}
	j := m.JobList[0]
	if j.SubmitMS != 0 || j.RecordedStartMS != 0 || j.RecordedFinishMS != 8000 || j.RecordedOutcome != "success" || j.TailMS != 1270 {
		t.Errorf("times of the job are %d, %d, %d, %s, tail %d", j.SubmitMS, j.RecordedStartMS, j.RecordedFinishMS, j.RecordedOutcome, j.TailMS)
	}
	if j.ExecMemMiB != 2048+384 || j.ExecVCores != 2 || j.AMMemMiB != 1024+384 || j.AMVCores != 1 || j.InitialExecs != trace.Unset {
		t.Errorf("sizes are %d MiB %d vcores, AM %d MiB %d vcores, %d executors", j.ExecMemMiB, j.ExecVCores, j.AMMemMiB, j.AMVCores, j.InitialExecs)
	}
	if q := m.Queues[j.Queue].Path; q != "root.prod" || m.Users[j.User].Name != "u" {
		t.Errorf("queue %s, user %s", q, m.Users[j.User].Name)
	}
	s0, s1 := &j.Stages[0], &j.Stages[1]
	if s0.Kind != trace.StageInput || s1.Kind != trace.StageResult || len(s1.Parents) != 1 || s1.Parents[0] != 0 || s0.Pool != "gold" || s0.SparkJob != 0 {
		t.Errorf("stages are %+v and %+v", s0, s1)
	}
	// The executor registered at 3000 opens the gate of the first stage.
	if s0.DelayMS != 2000 || s1.DelayMS != 5 {
		t.Errorf("delays are %d and %d, want 2000 and 5", s0.DelayMS, s1.DelayMS)
	}
	if got := fmt.Sprint(s0.Tasks.DurationMS, s0.Tasks.SchedDelayMS, s0.Tasks.DeserializeMS, s0.Tasks.InputBytes, s0.Tasks.ShuffleWriteBytes, s0.Tasks.RecordedWaitMS, s0.Tasks.RecordedLocality); got !=
		"[905 1950] [95 50] [100 50] [1000 2000] [70 30] [100 200] [NODE_LOCAL ANY]" {
		t.Errorf("tasks of stage 0 are %s", got)
	}
	if got := fmt.Sprint(s1.Tasks.DurationMS, s1.Tasks.SchedDelayMS, s1.Tasks.ShuffleReadBytes, s1.ShuffleReadBytes); got != "[395] [5] [100] 100" {
		t.Errorf("task of stage 1 is %s", got)
	}
	if f := m.Files[s0.FileID]; f.Name != "app-1:/data/in#2" || f.Bytes != 3000 || f.Blocks != 2 || s1.FileID != trace.Unset {
		t.Errorf("file is %+v", f)
	}
	if got := s0.Tasks.Prefs(0); len(got) != 1 || m.Nodes[got[0]].Host != "h1" {
		t.Errorf("task 0 ran NODE_LOCAL on h1 and prefers %v", got)
	}
	if len(m.ExecutorList) != 1 || m.ExecutorList[0].AddedMS != 2000 || m.ExecutorList[0].RemovedMS != trace.Unset {
		t.Errorf("executors are %+v", m.ExecutorList)
	}
	if len(res.Counts.Dropped) > 0 || len(res.Counts.Unknown) > 0 {
		t.Errorf("dropped %v, unknown %v", res.Counts.Dropped, res.Counts.Unknown)
	}
}

func TestBadLogs(t *testing.T) {
	taskWithoutStage := strings.Replace(strings.Split(logText, "\n")[6], `"Stage ID":0`, `"Stage ID":7`, 1)
	for _, tt := range []struct {
		name, file, text, want string
		lenient                string // what lenient says it dropped, or "" if it refuses too
	}{
		{"one file of a rolling log", "events_1_app-1", logWith(17, ""), "it is named as one file of a rolling log: its folder, eventlog_v2_…, is read as a whole", "-"},
		{"broken line", "app-1", logWith(9, `{"Event":"SparkListenerTaskEnd","Stage ID"}`), "line 9: not JSON", "broken_lines"},
		{"mistyped field", "app-1", logWith(9, `{"Event":"SparkListenerTaskEnd","Stage ID":"x"}`), `line 9: SparkListenerTaskEnd: field "Stage ID" is "x", want an integer`, "broken_lines"},
		{"task without a stage", "app-1", logWith(7, taskWithoutStage), "line 7: task 0 belongs to stage 7 attempt 0, which no SparkListenerStageSubmitted or SparkListenerJobStart has announced", "broken_lines"},
		{"no start", "app-1", logWith(3, ""), "no SparkListenerApplicationStart", ""},
		{"damaged zstd", "app-1.zstd", damaged(importtest.Read(t, sampleLog+".zstd"), 9000), "after line", "logs_cut_short"},
		{"bad property", "app-1", strings.Replace(logText, `"2g"`, `"2 heaps"`, 1), `spark property spark.executor.memory is "2 heaps", want a size`, ""},
		{"a second application", "app-1", logWith(4, strings.Replace(strings.Split(logText, "\n")[2], "1000", "1001", 1)), "line 4: a second SparkListenerApplicationStart", "broken_lines"},
		{"another job of the same number", "app-1", logWith(16, strings.Replace(strings.Split(logText, "\n")[4], "5000", "7600", 1)), "line 16: job 0 starts twice, at 5000 and at 7600 ms", "broken_lines"},
		{"lines of an old Mac", "app-1", strings.ReplaceAll(logText, "\n", "\r"), "line 1: goes on after a carriage return, want a line feed at the end of each line", ""},
		{"a text file", "app-1", "hello\n", "text, not an event log", ""},
		{"a text with the name of a log", "app-1.lz4", "hello\n", "is named as an event log and begins with 68 65 6c 6c 6f: text", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := importtest.WriteNew(t, tt.file, tt.text)
			_, _, err := importtest.Import(t, Format, path, nil)
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), path) {
				t.Fatalf("error is %v, want one with the path and %q", err, tt.want)
			}
			res, m, err := importtest.Import(t, Format, path, func(o *workload.Options) { o.Lenient = true })
			switch {
			case tt.lenient == "" && err == nil:
				t.Error("lenient takes it")
			case tt.lenient == "":
			case err != nil:
				t.Errorf("lenient says %v", err)
			case tt.lenient == "-":
				if o := m.JobList[0].RecordedOutcome; o != "censored" || m.JobList[0].RecordedFinishMS != trace.Unset {
					t.Errorf("outcome is %q", o)
				}
			case res.Counts.Dropped[tt.lenient] != 1:
				t.Errorf("lenient dropped %v, want one of %s", res.Counts.Dropped, tt.lenient)
			}
		})
	}
}

func damaged(b []byte, at int) string {
	b = bytes.Clone(b)
	for i := at; i < at+40; i++ {
		b[i] ^= 0xa5
	}
	return string(b)
}

// Spark drops events when its listeners are slow.
func TestLostEvents(t *testing.T) {
	for _, tt := range []struct {
		name string
		line int
		want string // counted
	}{
		{"a stage's submission", 6, "stage_submissions"},
		{"a stage's end", 11, "stage_completions"},
		{"the last stage's end", 15, "stage_completions"},
		{"a job's start", 5, "job_ends_without_start"},
		{"a task's start", 8, "task_ends_without_start"},
		{"a task's end", 10, "task_starts_without_end"},
		{"an executor", 4, ""},
	} {
		path := importtest.WriteNew(t, "app-1", logWith(tt.line, ""))
		res, m, err := importtest.Import(t, Format, path, nil)
		if err != nil {
			t.Errorf("%s is lost: %v", tt.name, err)
			continue
		}
		if n := m.JobList[0].NumTasks(); n != 3 || tt.want != "" && res.Counts.Dropped[tt.want] != 1 {
			t.Errorf("%s is lost: %d tasks, dropped %v", tt.name, n, res.Counts.Dropped)
		}
		if s := m.JobList[0].Stages[0]; tt.line == 6 && (s.DelayMS != 2100 || s.Tasks.RecordedWaitMS[0] != 0 || s.Tasks.RecordedWaitMS[1] != 100) {
			t.Errorf("a stage without submission has delay %d, waits %v, want those from its first task on", s.DelayMS, s.Tasks.RecordedWaitMS)
		}
		if s := m.JobList[0].Stages[1]; tt.line == 11 && s.DelayMS != 15 {
			t.Errorf("a stage after one without end has delay %d, want that since its last task", s.DelayMS)
		}
		if tail := m.JobList[0].TailMS; tt.line == 15 && tail != 1280 {
			t.Errorf("an application whose last stage has no end has a tail of %d ms, want that since the last task", tail)
		}
		if _, _, err := importtest.Import(t, Format, path, func(o *workload.Options) { o.Strict = true }); tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s is lost: strict says %v, want %s", tt.name, err, tt.want)
		}
	}
}

// A log without an end is taken as far as it goes. A warning says so of one whose name says that it ended, and strict
// refuses it.
func TestNoEnd(t *testing.T) {
	packed := string(importtest.Read(t, sampleLog+".zstd")[:9000])
	for _, tt := range []struct{ name, file, text, strict string }{
		{"in progress", "app-1.inprogress", logWith(17, ""), ""},
		{"in progress, within a line", "app-1.inprogress", logText[:len(logText)-30], ""},
		{"whole lines", "app-1", logWith(17, ""), "no SparkListenerApplicationEnd, and the name does not end in .inprogress"},
		{"within a line", "app-1", logText[:len(logText)-30], "line 17: the log ends within an event"},
		{"within a packed block", "app-1.zstd", packed, "unexpected EOF"},
	} {
		path := importtest.WriteNew(t, tt.file, tt.text)
		var warned []string
		_, m, err := importtest.Import(t, Format, path, func(o *workload.Options) { o.Warn = func(m string) { warned = append(warned, m) } })
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if j := m.JobList[0]; j.RecordedOutcome != "censored" || j.RecordedFinishMS != trace.Unset || j.NumTasks() < 3 || m.Source.NoEnd != 1 {
			t.Errorf("%s: outcome %q, finish %d, %d tasks, want censored without a finish, with the 3 tasks or more that ended", tt.name, j.RecordedOutcome, j.RecordedFinishMS, j.NumTasks())
		}
		if said := strings.Join(warned, ""); (tt.strict != "") != strings.HasPrefix(said, path+": has no end of the application") || len(warned) > 1 {
			t.Errorf("%s: warned %q", tt.name, warned)
		}
		_, _, err = importtest.Import(t, Format, path, func(o *workload.Options) { o.Strict = true })
		if tt.strict != "" && (err == nil || !strings.Contains(err.Error(), tt.strict)) {
			t.Errorf("%s: strict says %v, want %q", tt.name, err, tt.strict)
		}
	}
	var warned []string
	dir := folder(t, map[string]string{"a": strings.Replace(logWith(17, ""), "app-1", "a", 1), "b": strings.Replace(logWith(17, ""), "app-1", "b", 1)})
	if _, _, err := importtest.Import(t, Format, dir, func(o *workload.Options) { o.Warn = func(m string) { warned = append(warned, m) } }); err != nil ||
		len(warned) != 1 || !strings.HasPrefix(warned[0], "2 logs have no end of the application") || !strings.HasSuffix(warned[0], "the first is "+filepath.Join(dir, "a")) {
		t.Errorf("of two: %v, warned %q", err, warned)
	}
}

func TestUnknownEvents(t *testing.T) {
	text := logWith(16, `{"Event":"com.acme.Audit","x":1}`+"\n"+strings.Split(logText, "\n")[15])
	path := importtest.WriteNew(t, "app-1", text)
	var warned []string
	res, _, err := importtest.Import(t, Format, path, func(o *workload.Options) { o.Warn = func(m string) { warned = append(warned, m) } })
	if err != nil {
		t.Fatal(err)
	}
	if res.Counts.Unknown["event com.acme.Audit"] != 1 || len(warned) != 1 || !strings.Contains(warned[0], path+`: line 16: unknown event "com.acme.Audit"`) {
		t.Errorf("unknown %v, warned %q", res.Counts.Unknown, warned)
	}
	if _, _, err := importtest.Import(t, Format, path, func(o *workload.Options) { o.Strict = true }); err == nil || !strings.Contains(err.Error(), "line 16: unknown event") {
		t.Errorf("strict says %v", err)
	}
	// Of many sorts the first are warned of.
	for i := range 20 {
		text += fmt.Sprintf(`{"Event":"com.acme.Audit%d"}`+"\n", i)
	}
	warned = nil
	res, _, err = importtest.Import(t, Format, importtest.WriteNew(t, "app-1", text), func(o *workload.Options) { o.Warn = func(m string) { warned = append(warned, m) } })
	if err != nil || len(res.Counts.Unknown) != 21 || len(warned) != saidEvents || !strings.Contains(warned[saidEvents-1], "further unknown ones") {
		t.Errorf("%v: unknown %v, warned %q", err, res.Counts.Unknown, warned)
	}
}

func TestVersions(t *testing.T) {
	for _, tt := range []struct{ version, want string }{
		{"2.4.8", ""},
		{"3.5.5", ""},
		{"4.1.0", ""},
		{"4.2.0", "newer than the newest known 4.1"},
		{"1.6.0", "older than 2.4, from which on"},
		{"next", `Spark "next", which is no version`},
	} {
		var warned []string
		path := importtest.WriteNew(t, "app-1", strings.Replace(logText, "3.5.5", tt.version, 1))
		_, _, err := importtest.Import(t, Format, path, func(o *workload.Options) { o.Warn = func(m string) { warned = append(warned, m) } })
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(warned, "\n"); tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
			t.Errorf("version %s: warned %q, want %q", tt.version, got, tt.want)
		}
	}
}

// Before Spark 3.3 tasks have no partition ids, and before 3.0 there are no resource profiles.
func TestOldFields(t *testing.T) {
	old := strings.NewReplacer(`"Partition ID":0,`, "", `"Partition ID":1,`, "", `,"Resource Profile Id":0`, "", "3.5.5", "2.4.8").Replace(logText)
	_, m, err := importtest.Import(t, Format, importtest.WriteNew(t, "app-1", old), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(m.JobList[0].Stages[0].Tasks.DurationMS, m.JobList[0].Stages[1].Tasks.DurationMS); got != "[905 1950] [395]" {
		t.Errorf("durations are %s", got)
	}
}

func TestRollingLogs(t *testing.T) {
	lines := strings.SplitAfter(logText, "\n")
	part := func(from, to int) string { return strings.Join(lines[from:to], "") }
	seventeen := map[string]string{"appstatus_app-1": ""} // the order of names is not that of numbers
	for i := range 17 {
		seventeen[fmt.Sprintf("events_%d_app-1", i+1)] = part(i, i+1)
	}
	for _, tt := range []struct {
		name  string
		files map[string]string
		want  string // error, or "" for a good import
	}{
		{"a number is missing", map[string]string{"events_1_app-1": part(0, 5), "events_2_app-1": part(5, 10), "events_10_app-1": part(10, 17), "appstatus_app-1": ""}, "comes after number 2, want number 3"},
		{"three files", map[string]string{"events_1_app-1": part(0, 5), "events_2_app-1": part(5, 10), "events_3_app-1": part(10, 17), "appstatus_app-1": ""}, ""},
		{"seventeen files", seventeen, ""},
		{"a compacted file stands for those before", map[string]string{"events_1_app-1": "rubbish", "events_2_app-1": "rubbish", "events_2_app-1.compact": part(0, 10), "events_3_app-1": part(10, 17), "appstatus_app-1": ""}, ""},
		{"the first is missing", map[string]string{"events_2_app-1": part(0, 17), "appstatus_app-1": ""}, "has number 2, want 1"},
		{"no status, which copies of empty files lose", map[string]string{"events_1_app-1": part(0, 17)}, ""},
		{"no events", map[string]string{"appstatus_app-1": ""}, "no events_* file"},
		{"no number", map[string]string{"events_x_app-1": "", "appstatus_app-1": ""}, `the number after events_ is "x", want a number`},
		{"in progress", map[string]string{"events_1_app-1": part(0, 12), "appstatus_app-1.inprogress": ""}, ""},
		{"ended without an end", map[string]string{"events_1_app-1": part(0, 12), "appstatus_app-1": ""}, ""},
		{"the last file ends within a line", map[string]string{"events_1_app-1": part(0, 5), "events_2_app-1": part(5, 12)[:1900], "appstatus_app-1": ""}, ""},
		{"a file before the last ends within a line", map[string]string{"events_1_app-1": part(0, 6)[:1000], "events_2_app-1": part(6, 17), "appstatus_app-1": ""}, "events_1_app-1: line 5: the log ends within an event"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "eventlog_v2_app-1")
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			for name, text := range tt.files {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			_, m, err := importtest.Import(t, Format, dir, nil)
			switch {
			case tt.want == "" && err != nil:
				t.Error(err)
			case tt.want == "" && len(m.JobList) != 1:
				t.Errorf("%d jobs", len(m.JobList))
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("error is %v, want %q", err, tt.want)
			}
		})
	}
}

// That a history server took events of ended jobs out of a log is told also where one file of it is given, out of its folder.
func TestCompactedLogs(t *testing.T) {
	for _, name := range []string{"eventlog_v2_app-1/events_1_app-1.compact", "events_1_app-1.compact", "app-1.compact"} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		importtest.Write(t, path, logText)
		for _, in := range []string{path, filepath.Dir(path)} {
			said := ""
			res, _, err := importtest.Import(t, Format, in, func(o *workload.Options) { o.Warn = func(text string) { said += text + "\n" } })
			if err != nil || res.Counts.Read["compacted_logs"] != 1 || strings.Count(said, "was compacted by a history server") != 1 {
				t.Errorf("%s: %v, warned of %q, counted %v", in, err, said, res)
			}
		}
	}
}

func TestRollingLogWithAGap(t *testing.T) {
	lines := strings.SplitAfter(logText, "\n")
	dir := filepath.Join(t.TempDir(), "eventlog_v2_app-1")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"events_1_app-1": strings.Join(lines[:12], ""), "events_3_app-1": "rubbish", "appstatus_app-1": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := importtest.Import(t, Format, dir, nil); err == nil || !strings.Contains(err.Error(), "want number 2: a file of this rolling log is missing; --lenient keeps what can be used") {
		t.Errorf("error is %v, want the number that is missing, and what to do", err)
	}
	var said []string
	res, m, err := importtest.Import(t, Format, dir, func(o *workload.Options) {
		o.Lenient, o.Warn = true, func(text string) { said = append(said, text) }
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(m.JobList) != 1 || res.Counts.Dropped["logs_cut_short"] != 1 || !strings.Contains(strings.Join(said, "\n"), "want number 2: a file of this rolling log is missing; what comes before it is used") {
		t.Errorf("%d jobs, dropped %v, warnings %v; want one job that was cut short, and why", len(m.JobList), res.Counts.Dropped, said)
	}
}

func TestAttempts(t *testing.T) {
	dir := t.TempDir()
	for _, attempt := range []string{"2", "10"} {
		text := strings.NewReplacer(`"User":"u"`, `"User":"u`+attempt+`","App Attempt ID":"`+attempt+`"`).Replace(logText)
		if err := os.WriteFile(filepath.Join(dir, "app-1_"+attempt), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	res, m, err := importtest.Import(t, Format, dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.JobList) != 1 || m.Users[m.JobList[0].User].Name != "u10" || workload.Summary(res.Inputs) != "1 file or recording: 1 earlier attempt" {
		t.Errorf("%d jobs, users %v, inputs %+v", len(m.JobList), m.Users, res.Inputs)
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	opt := workload.DefaultOptions()
	opt.Out = filepath.Join(t.TempDir(), "trace")
	if _, err := Format.Import(ctx, "test", []string{sampleLog + ".zstd"}, opt); err != context.Canceled {
		t.Errorf("error is %v, want that of the context", err)
	}
}

// Small files that unpack to much, and lines that take much more than their text, are left out with the reason.
func TestBombs(t *testing.T) {
	packed := func(text string) string { return string(importtest.Gzip(t, []byte(text))) }
	names := &strings.Builder{}
	for i := range 2001 {
		fmt.Fprintf(names, "{\"Event\":\"X%d\"}\n", i)
	}
	begin := logText[:strings.Index(logText, "\n")+1]
	for _, tt := range []struct {
		name, file, text, want string
		most                   int64
	}{
		{"as much as it may", "app-1.gz", packed(logText), "", int64(len(logText))},
		{"more than it may", "app-1.gz", packed(logText), "unpacks to more than 1000 bytes; --max-unpacked allows more", 1000},
		{"a bomb", "app-1.gz", packed(begin + strings.Repeat(`{"Event":"SparkListenerBlockUpdated","x":"`+strings.Repeat(" ", 1<<16)+"\"}\n", 1300)), "100 times its size and 64 MiB; --max-unpacked allows more", 0},
		{"a plain file", "app-1", logText, "", 5},
		{"levels", "app-1", begin + `{"Event":"SparkListenerStageSubmitted","x":` + strings.Repeat("[", 1<<20) + "}\n", "more than 300 objects and arrays within each other", 0},
		{"values", "app-1", begin + `{"Event":"SparkListenerStageSubmitted","x":[` + strings.Repeat("0,", 1e6) + "0]}\n", "1000001 commas, want at most 1000000 in one line", 0},
		{"names", "app-1", begin + names.String(), `more than 2000 sorts of events`, 0},
	} {
		for _, lenient := range []bool{false, true} {
			if tt.most == 0 && lenient {
				continue
			}
			_, _, err := importtest.Import(t, Format, importtest.WriteNew(t, tt.file, tt.text), func(o *workload.Options) { o.MaxUnpacked, o.Lenient = tt.most, lenient })
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("%s: error is %v, want %q", tt.name, err, tt.want)
			}
		}
	}
}
