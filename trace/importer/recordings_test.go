package importer

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"replay/trace"
)

// sharedRecordings is the whole set of recordings, beside the project; "" when it is not there.
func sharedRecordings(t testing.TB) string {
	dir := filepath.Join("..", "..", "..", "shared", "recordings")
	if _, err := os.Stat(dir); err != nil {
		t.Logf("%s is not there: only the recordings in testdata are imported", dir)
		return ""
	}
	return dir
}

func importTo(t testing.TB, format, input string, change func(*Options)) (*Result, *trace.MemoryTrace, error) {
	t.Helper()
	opt := DefaultOptions()
	opt.Out = filepath.Join(t.TempDir(), "trace")
	if change != nil {
		change(&opt)
	}
	res, err := Import(context.Background(), format, []string{input}, opt)
	if err != nil {
		if _, e := os.Stat(opt.Out); !os.IsNotExist(e) {
			t.Errorf("the import failed (%v) and left %s", err, opt.Out)
		}
		return nil, nil, err
	}
	m, err := trace.Load(opt.Out)
	if err != nil {
		t.Fatal(err)
	}
	return res, m, nil
}

// countLog counts the events of logs by encoding/json alone.
func countLog(t testing.TB, paths []string) counter {
	t.Helper()
	type event struct {
		Event    string
		AppID    string `json:"App ID"`
		TaskInfo struct {
			Launch      int64 `json:"Launch Time"`
			Finish      int64 `json:"Finish Time"`
			Locality    string
			Killed      bool
			Speculative bool
		} `json:"Task Info"`
		Stage struct {
			ID      int `json:"Stage ID"`
			Attempt int `json:"Stage Attempt ID"`
		} `json:"Stage Info"`
		End struct{ Reason string } `json:"Task End Reason"`
		Job struct{ Result string } `json:"Job Result"`
	}
	type attempt struct {
		app     string
		id, try int
	}
	n, seen, app := counter{}, map[attempt]bool{}, ""
	for _, path := range paths {
		in := bufio.NewScanner(bytes.NewReader(unpack(t, path)))
		in.Buffer(nil, 1<<26)
		for in.Scan() {
			var e event
			if err := json.Unmarshal(in.Bytes(), &e); err != nil {
				t.Fatal(path, err)
			}
			switch strings.TrimPrefix(e.Event, "SparkListener") {
			case "ApplicationStart":
				app = e.AppID
				n["applications"]++
			case "JobStart":
				n["jobs"]++
			case "JobEnd":
				if e.Job.Result != "JobSucceeded" {
					n["jobs_failed"]++
				}
			case "StageSubmitted":
				for key, a := range map[string]attempt{"stages": {app, e.Stage.ID, -1}, "stage_attempts": {app, e.Stage.ID, e.Stage.Attempt}} {
					if !seen[a] {
						seen[a] = true
						n[key]++
					}
				}
			case "TaskEnd":
				n["task_ends"]++
				n["task_core_ms"] += e.TaskInfo.Finish - e.TaskInfo.Launch
				n["task_ends_"+e.TaskInfo.Locality]++
				if e.TaskInfo.Killed {
					n["task_ends_killed"]++
				} else if e.End.Reason != "Success" {
					n["task_ends_failed"]++
				}
				if e.TaskInfo.Speculative {
					n["task_ends_speculative"]++
				}
			case "ExecutorAdded":
				n["executors_added"]++
			case "ExecutorRemoved":
				n["executors_removed"]++
			}
		}
	}
	return n
}

// checkCounts compares what an import says that it read with an independent count.
func checkCounts(t *testing.T, res *Result, want counter) {
	t.Helper()
	for k := range res.Counts.Read {
		if _, ok := want[k]; !ok && strings.HasPrefix(k, "task_") {
			want[k] = 0
		}
	}
	for k, n := range want {
		if got := res.Counts.Read[k]; got != n {
			t.Errorf("read %s is %d, want %d", k, got, n)
		}
	}
	if n := res.Counts.Unknown; len(n) > 0 {
		t.Errorf("unknown fields or events in a log of a known version: %v", n)
	}
}

func TestRecordedEventLogs(t *testing.T) {
	dirs := []string{"testdata/eventlogs"}
	summary := map[string]map[string]any{}
	if shared := sharedRecordings(t); shared != "" {
		found, err := filepath.Glob(filepath.Join(shared, "spark-eventlogs", "*", ""))
		if err != nil {
			t.Fatal(err)
		}
		dirs = append(dirs, found...)
		for line := range bytes.Lines(mustRead(t, filepath.Join(shared, "spark-eventlogs", "summary.jsonl"))) {
			var s map[string]any
			if err := json.Unmarshal(line, &s); err != nil {
				t.Fatal(err)
			}
			summary[s["name"].(string)] = s
		}
	}
	for _, dir := range dirs {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			continue
		}
		t.Run(filepath.Base(dir), func(t *testing.T) {
			input := dir
			if dir == dirs[0] {
				input = sampleLog + ".zstd"
			}
			logs, _, err := findLogs([]string{input})
			if err != nil || len(logs) != 1 {
				t.Fatalf("%d logs, %v", len(logs), err)
			}
			res, m, err := importTo(t, "spark-eventlog", input, nil)
			if err != nil {
				t.Fatal(err)
			}
			checkCounts(t, res, countLog(t, logs[0].files))
			for _, k := range []string{"jobs", "jobs_failed", "stages", "stage_attempts", "task_ends", "task_ends_failed", "task_ends_killed", "task_ends_speculative", "executors_added", "executors_removed"} {
				if s := summary[filepath.Base(dir)]; s != nil && int64(s[k].(float64)) != res.Counts.Read[k] {
					t.Errorf("read %s is %d, the summary of the recordings has %v", k, res.Counts.Read[k], s[k])
				}
			}
			if int64(len(m.ExecutorList)) != res.Counts.Read["executors_added"] {
				t.Errorf("%d executors in the trace, want %d", len(m.ExecutorList), res.Counts.Read["executors_added"])
			}
			checkTasks(t, m, res)
		})
	}
}

// checkTasks compares the tasks of a trace with the counts: every partition that ran is there once.
func checkTasks(t *testing.T, m *trace.MemoryTrace, res *Result) {
	t.Helper()
	tasks, ms, retries := int64(0), int64(0), int64(0)
	for _, j := range m.JobList {
		for i := range j.Stages {
			s := &j.Stages[i]
			tasks += int64(s.Tasks.Len())
			for k, d := range s.Tasks.DurationMS {
				ms += d
				if s.Tasks.Retries != nil {
					retries += max(int64(s.Tasks.Retries[k]), 0)
				}
			}
		}
	}
	c := res.Counts
	attempts := c.Read["task_ends"] - c.Read["task_ends_failed"] - c.Read["task_ends_killed"]
	if most := attempts + c.Modelled["durations_of_tasks_without_success"]; tasks > most {
		t.Errorf("%d tasks in the trace, want at most %d that ended", tasks, most)
	}
	if c.Read["task_ends_failed"] == 0 && tasks != attempts {
		t.Errorf("%d tasks in the trace of a run without failures, want %d", tasks, attempts)
	}
	if c.Read["task_ends_failed"]+c.Read["task_ends_speculative"] == 0 && (ms > c.Read["task_core_ms"] || 2*ms < c.Read["task_core_ms"]) {
		t.Errorf("tasks take %d ms in the trace, recorded were %d ms on cores", ms, c.Read["task_core_ms"])
	}
	if retries > c.Read["task_ends_failed"] {
		t.Errorf("%d retries in the trace, %d attempts failed", retries, c.Read["task_ends_failed"])
	}
}

func TestRecordedClusters(t *testing.T) {
	dirs := []string{"testdata/locality-wait-0s"}
	if shared := sharedRecordings(t); shared != "" {
		found, err := filepath.Glob(filepath.Join(shared, "spark-on-yarn", "*", "cluster.json"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			dirs = append(dirs, filepath.Dir(f))
		}
	}
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			res, m, err := importTo(t, "spark-on-yarn", dir, nil)
			if err != nil {
				t.Fatal(err)
			}
			files, err := filepath.Glob(filepath.Join(dir, "eventlogs", "*"))
			if err != nil {
				t.Fatal(err)
			}
			checkCounts(t, res, countLog(t, files))
			checkTasks(t, m, res)
			if m.LocalitySource != trace.LocalityRecorded {
				t.Errorf("locality source is %q", m.LocalitySource)
			}
			checkPreferences(t, dir, m)
			for _, name := range []string{"fair-scheduler.xml", "yarn-site.xml", "recorded.json", "recorded_containers.json", "import.json"} {
				if _, err := m.Attachment(name); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// checkPreferences compares the preferred nodes of every task with tasks.jsonl.gz, which the recording
// made from the event log, where that file is.
func checkPreferences(t *testing.T, dir string, m *trace.MemoryTrace) {
	t.Helper()
	path := filepath.Join(dir, "tasks.jsonl.gz")
	if _, err := os.Stat(path); err != nil {
		return
	}
	stage := map[string]*trace.Stage{}
	for _, j := range m.JobList {
		for i := range j.Stages {
			stage[j.ExternalID+"/"+j.Stages[i].ExternalID] = &j.Stages[i]
		}
	}
	checked := 0
	for line := range bytes.Lines(unpack(t, path)) {
		var e struct {
			App            string
			Stage          json.Number
			Attempt, Index int
			Preferred      []string
		}
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatal(err)
		}
		s := stage[e.App+"/"+e.Stage.String()]
		if e.Attempt != 0 || s == nil || s.CacheOf != trace.Unset || len(s.Parents) > 0 {
			continue
		}
		var got []string
		for _, n := range s.Tasks.Prefs(e.Index) {
			got = append(got, m.Nodes[n].Host)
		}
		if !slices.Equal(got, e.Preferred) {
			t.Fatalf("%s stage %s task %d prefers %v, want %v", e.App, e.Stage, e.Index, got, e.Preferred)
		}
		checked++
	}
	if checked < 50 {
		t.Errorf("%d tasks compared, want more", checked)
	}
}

func TestNodeEvents(t *testing.T) {
	dir := copyDir(t, "testdata/locality-wait-0s")
	events := `{"t":1795247065000,"node":"node08","event":"killed","what":"SIGKILL"}
{"t":1795247075000,"node":"node08","event":"started"}
`
	if err := os.WriteFile(filepath.Join(dir, "node-events.jsonl"), []byte(events), 0o644); err != nil {
		t.Fatal(err)
	}
	_, m, err := importTo(t, "spark-on-yarn", dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Events) != 2 || m.Events[0].Kind != trace.Fail || m.Events[1].Kind != trace.Recover || m.Nodes[m.Events[0].Node].Host != "node08" ||
		m.Events[1].TimeMS-m.Events[0].TimeMS != 10000 || m.Events[0].TimeMS != 1795247065000-m.OriginUnixMS {
		t.Errorf("events are %+v", m.Events)
	}
	if err := os.WriteFile(filepath.Join(dir, "node-events.jsonl"), []byte(`{"t":1,"node":"node77","event":"exploded"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, _, err := importTo(t, "spark-on-yarn", dir, nil); err == nil || !strings.Contains(err.Error(), `"exploded" of node "node77", want killed`) {
		t.Errorf("error is %v", err)
	}
}

func copyDir(t testing.TB, from string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), filepath.Base(from))
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	return to
}
