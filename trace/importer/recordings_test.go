package importer

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"replay/trace"
	"replay/trace/importer/eventlog"
	"replay/trace/importer/importtest"
	"replay/trace/importer/sparkonyarn"
	"replay/trace/importer/workload"
)

const sampleLog = "testdata/spark-eventlog/eventlogs/app-20261121064901-0000.zstd"

// countLog counts the events of logs by encoding/json alone.
func countLog(t testing.TB, paths []string) workload.Counter {
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
	n, seen, app := workload.Counter{}, map[attempt]bool{}, ""
	for _, path := range paths {
		in := bufio.NewScanner(bytes.NewReader(importtest.Unpack(t, path)))
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
				n["spark_jobs"]++
			case "JobEnd":
				if e.Job.Result != "JobSucceeded" {
					n["spark_jobs_failed"]++
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
func checkCounts(t *testing.T, res *workload.Result, want workload.Counter) {
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

// Every recorded log holds what its events say, counted in another way.
func TestRecordedEventLogs(t *testing.T) {
	checkEventLog(t, sampleLog)
}

func TestFurtherEventLogs(t *testing.T) {
	dir := importtest.Recordings(t, "spark-eventlogs")
	found, err := eventlog.Find([]string{dir})
	if err != nil || len(found.Logs) != 20 || len(found.Left) != 2 {
		t.Fatalf("%+v, %v; want 20 logs and two files", found, err)
	}
	for line := range bytes.Lines(importtest.Read(t, filepath.Join(dir, "summary.jsonl"))) {
		var s map[string]any
		if err := json.Unmarshal(line, &s); err != nil {
			t.Fatal(err)
		}
		name := s["name"].(string)
		t.Run(name, func(t *testing.T) {
			res := checkEventLog(t, filepath.Join(dir, name))
			for _, k := range []string{"jobs", "jobs_failed", "stages", "stage_attempts", "task_ends", "task_ends_failed", "task_ends_killed", "task_ends_speculative", "executors_added", "executors_removed"} {
				read := k
				if strings.HasPrefix(k, "jobs") {
					read = "spark_" + k
				}
				if int64(s[k].(float64)) != res.Counts.Read[read] {
					t.Errorf("read %s is %d, the summary of the recordings has %v", read, res.Counts.Read[read], s[k])
				}
			}
		})
	}
}

func checkEventLog(t *testing.T, input string) *workload.Result {
	t.Helper()
	found, err := eventlog.Find([]string{input})
	if err != nil || len(found.Logs) != 1 {
		t.Fatalf("%+v, %v; want one log", found, err)
	}
	res, m, err := importtest.Import(t, eventlog.Format, input, nil)
	if err != nil {
		t.Fatal(err)
	}
	checkCounts(t, res, countLog(t, found.Logs[0].Files))
	if int64(len(m.ExecutorList)) != res.Counts.Read["executors_added"] {
		t.Errorf("%d executors in the trace, want %d", len(m.ExecutorList), res.Counts.Read["executors_added"])
	}
	checkTasks(t, m, res)
	return res
}

// checkTasks compares the tasks of a trace with the counts: every partition that ran is there once.
func checkTasks(t *testing.T, m *trace.MemoryTrace, res *workload.Result) {
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

// Every recorded cluster holds what its logs say, counted in another way, and the recorded preferences.
func TestRecordedClusters(t *testing.T) {
	for _, dir := range fixtures(t, "spark-on-yarn") {
		checkCluster(t, dir)
	}
}

func TestFurtherClusters(t *testing.T) {
	found, err := filepath.Glob(filepath.Join(importtest.Recordings(t, "spark-on-yarn"), "*", "cluster.json"))
	if err != nil || len(found) == 0 {
		t.Fatalf("%d clusters, %v", len(found), err)
	}
	for _, f := range found {
		t.Run(filepath.Base(filepath.Dir(f)), func(t *testing.T) { checkCluster(t, filepath.Dir(f)) })
	}
}

func checkCluster(t *testing.T, dir string) {
	t.Helper()
	res, m, err := importtest.Import(t, sparkonyarn.Format, dir, nil)
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
	for line := range bytes.Lines(importtest.Unpack(t, path)) {
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

// The recorded clusters that come with the project are, byte for byte, what an import of their recordings makes.
func TestTracesOfTheProject(t *testing.T) {
	for _, name := range []string{"fair-weights", "drf-mixed-sizes", "locality-thresholds", "locality-wait-3s", "node-lost"} {
		opt := workload.DefaultOptions()
		opt.Name, opt.Out = name, filepath.Join(t.TempDir(), name)
		if _, err := Import(t.Context(), "spark-on-yarn", []string{importtest.Recordings(t, filepath.Join("spark-on-yarn", name))}, opt); err != nil {
			t.Fatal(err)
		}
		made, err := filepath.Glob(filepath.Join(opt.Out, "*"))
		if err != nil || len(made) < 10 {
			t.Fatalf("%s: %d files, %v", name, len(made), err)
		}
		for _, path := range made {
			kept := filepath.Join("..", "..", "traces", name, filepath.Base(path))
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := os.ReadFile(kept); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s is not what the import of its recording makes (%v): scripts/make-traces", kept, err)
			}
		}
	}
}
