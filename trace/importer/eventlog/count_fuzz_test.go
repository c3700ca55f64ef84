package eventlog

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"replay/trace/importer/importtest"
	"replay/trace/importer/workload"
)

// counted is what a log holds, counted by another reader than the importer's: line by line with encoding/json, with no
// state but the sets of what was named.
type counted struct {
	applications, jobs, failedJobs, taskEnds, failed, killed, speculative, added, removed int64
	tasks                                                                                 int64 // partitions of stages
	coreMS                                                                                int64
}

// countLog counts; ok is false if a line is one whose meaning the two readers may see differently.
func countLog(text []byte) (c counted, ok bool) {
	type partition struct{ stage, partition int64 }
	jobs, parts := map[int64]bool{}, map[partition]bool{}
	for line := range bytes.Lines(text) {
		if line = bytes.TrimRight(line, "\r\n"); len(line) == 0 {
			continue
		}
		if doubled(line, "Event", "Job ID", "Stage ID", "ExecutorID", "Job Result", "Result", "Task End Reason", "Reason", "Task Info", "Task Metrics", "Executor Run Time") {
			return c, false
		}
		var e struct {
			Event      string
			JobID      int64 `json:"Job ID"`
			StageID    int64 `json:"Stage ID"`
			ExecutorID string
			Result     struct{ Result string } `json:"Job Result"`
			End        struct{ Reason string } `json:"Task End Reason"`
			Info       map[string]any          `json:"Task Info"`
			Metrics    struct {
				Run int64 `json:"Executor Run Time"`
			} `json:"Task Metrics"`
		}
		if json.Unmarshal(line, &e) != nil {
			return c, false
		}
		number := func(name string) int64 { n, _ := e.Info[name].(float64); return int64(n) }
		yes := func(name string) bool { b, _ := e.Info[name].(bool); return b }
		switch e.Event {
		case "SparkListenerApplicationStart":
			c.applications++
		case "SparkListenerJobStart":
			c.jobs++
		case "SparkListenerJobEnd":
			if jobs[e.JobID] {
				return c, false // ended twice: the last end counts
			}
			if jobs[e.JobID] = true; e.Result.Result != "JobSucceeded" {
				c.failedJobs++
			}
		case "SparkListenerExecutorAdded":
			c.added++
		case "SparkListenerExecutorRemoved":
			c.removed++
		case "SparkListenerTaskStart", "SparkListenerTaskEnd":
			at := partition{e.StageID, number("Index")}
			if n, has := e.Info["Partition ID"]; has {
				at.partition, _ = int64(number("Partition ID")), n
			}
			parts[at] = true
			if e.Event == "SparkListenerTaskStart" {
				continue
			}
			c.taskEnds++
			c.coreMS += max(0, number("Finish Time")-number("Launch Time"))
			if yes("Speculative") {
				c.speculative++
			}
			switch {
			case yes("Killed"):
				c.killed++
			case yes("Failed") || e.End.Reason != "Success":
				c.failed++
			}
		}
	}
	c.tasks = int64(len(parts))
	return c, true
}

// FuzzCounts reads logs and compares what the importer counts with what the other reader does. A log of which the
// importer drops nothing, and finds nothing odd, holds what both say.
func FuzzCounts(f *testing.F) {
	f.Add([]byte(logText), false)
	f.Add([]byte(logText), true)
	lines := strings.SplitAfter(logText, "\n")
	for i := range lines {
		f.Add([]byte(strings.Join(append(append(append([]string{}, lines[:i]...), lines[i], lines[i]), lines[i+1:]...), "")), false)
		f.Add([]byte(strings.Join(append(append([]string{}, lines[:i]...), lines[i+1:]...), "")), false)
	}
	f.Fuzz(func(t *testing.T, text []byte, lenient bool) { compareCounts(t, text, lenient) })
}

// The other reader counts in a real log what the importer does.
func TestCounts(t *testing.T) {
	if text := importtest.Unpack(t, sampleLog+".zstd"); !compareCounts(t, text, false) {
		t.Error("the log is not compared")
	}
}

// compareCounts tells whether the log was one that both readers can count.
func compareCounts(t *testing.T, text []byte, lenient bool) bool {
	counts, app := workload.NewCounts(), newAppLog()
	r := reading{mode: workload.Normal, counts: counts, warn: func(string, ...any) {}, said: map[string]bool{}}
	if lenient {
		r.mode = workload.Lenient
	}
	file := logFile{path: "log", app: app, parser: newEventParser(), reading: &r}
	if err := file.readFrom(t.Context(), bytes.NewReader(text)); err != nil {
		return false
	}
	if len(app.drops) > 0 || len(file.parser.odd) > 0 || counts.Dropped["broken_lines"]+counts.Dropped["logs_cut_short"]+counts.Dropped["lines_of_other_applications"] > 0 {
		return false
	}
	c, ok := countLog(text)
	if !ok {
		return false
	}
	app.count(counts)
	for name, want := range map[string]int64{
		"spark_jobs": c.jobs, "spark_jobs_failed": c.failedJobs, "tasks": c.tasks,
		"task_ends": c.taskEnds, "task_ends_failed": c.failed, "task_ends_killed": c.killed, "task_ends_speculative": c.speculative, "task_core_ms": c.coreMS,
		"executors_added": c.added, "executors_removed": c.removed,
	} {
		if got := counts.Read[name]; got != want {
			t.Errorf("%s: %d, and the other reader counts %d", name, got, want)
		}
	}
	if app.started != (c.applications == 1) {
		t.Errorf("started is %v, and the other reader counts %d applications", app.started, c.applications)
	}
	if _, err := buildApp(app, counts); app.started && err == nil && c.tasks == 0 && counts.Kept["tasks"] > 0 {
		t.Errorf("%d tasks are kept of none", counts.Kept["tasks"])
	}
	return true
}
