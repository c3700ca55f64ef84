package command

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"replay/cmd/replay/cmdline"
	"replay/sealed/sealedtest"
)

// Results hold what report check looks at, under every scheduler, with failing nodes, expiring containers and an end that was asked for; and
// each value that is changed in a table is found, with its file, row and column.
func TestReportCheck(t *testing.T) {
	trace := filepath.Join(t.TempDir(), "t")
	if code, _, stderr := replay(t, "gen", "uniform-micro", "--jobs", "20", "--nodes", "6", "--failures", "exponential", "--mtbf", "0.002", "--seed", "3", "--quiet", "--out", trace); code != cmdline.ExitDone {
		t.Fatal(stderr)
	}
	var good string
	for i, flags := range []string{"", "--until 150s", "--scheduler capacity --tasks off", "--scheduler fifo --decisions", "--scheduler ideal"} {
		out := filepath.Join(t.TempDir(), fmt.Sprint(i))
		args := append(strings.Fields("run --allow-failures --quiet --explain --formats none --conf yarn.resourcemanager.rm.container-allocation.expiry-interval-ms=10000 --conf yarn.nm.liveness-monitor.expiry-interval-ms=20000 "+flags), trace, "--out", out)
		if code, _, stderr := replay(t, args...); code != cmdline.ExitDone {
			t.Fatalf("%s: exit %d: %s", flags, code, stderr)
		}
		if code, stdout, stderr := replay(t, "report", "check", out); code != cmdline.ExitDone || !strings.HasSuffix(stdout, out+": everything holds\n") {
			t.Errorf("%s: exit %d: %s%s", flags, code, stdout, stderr)
		}
		if i == 0 {
			good = out
		}
	}
	for _, tt := range []struct {
		file, column string
		row          int
		value        int64
		want         string
	}{
		{"containers.parquet", "container", 3, 1, "job, am_attempt, container is "},
		{"containers.parquet", "ended_ms", 3, 5, "ended_ms is 5, want "},
		{"containers.parquet", "memory_mib", 0, 1 << 20, "MiB are in use"},
		{"containers.parquet", "node", 0, 99, "node is 99, want a node of nodes.parquet"},
		{"containers.parquet", "tasks", 2, 99, "tasks is 99, want "},
		{"containers.parquet", "busy_core_ms", 2, 1, "busy_core_ms is 1, want "},
		{"tasks.parquet", "launch_ms", 5, 1, "launch_ms is 1, want "},
		{"tasks.parquet", "cores", 5, 50, "room in its executor: then "},
		{"tasks.parquet", "task", 5, 0, "a key of its own"},
		{"jobs.parquet", "tasks_succeeded", 1, 3, "tasks_succeeded is 3, want "},
		{"jobs.parquet", "memory_mib_ms", 1, 3, "memory_mib_ms is 3, want "},
		{"jobs.parquet", "first_task_ms", 1, 3, "first_task_ms is 3, want "},
		{"series.parquet", "used_memory_mib", 40, 3, "used_memory_mib is 3, want "},
		{"series.parquet", "nodes", 40, 77, "nodes is 77, want "},
		{"series.parquet", "time_ms", 40, 3, "time_ms, queue is "},
		{"nodes.parquet", "memory_mib", 1, 64, "memory"},
		{"explanations.parquet", "length_ms", 4, 1 << 40, "from_ms is "},
		{"explanations.parquet", "part", 0, 2, "part is 2, want 0, the first of its job"},
	} {
		t.Run(tt.file+" "+tt.column, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "r")
			if err := os.CopyFS(dir, os.DirFS(good)); err != nil {
				t.Fatal(err)
			}
			setValue(t, filepath.Join(dir, tt.file), tt.column, tt.row, tt.value)
			if code, _, stderr := replay(t, "report", "check", "--quiet", dir); code != cmdline.ExitBadInput || !strings.Contains(stderr, tt.file+": has ") || !strings.Contains(stderr, "it was changed") {
				t.Errorf("with the hash of another file: exit %d: %s", code, stderr)
			}
			sealedtest.Seal(t, filepath.Join(dir, "run.json"))
			code, stdout, _ := replay(t, "report", "check", "--quiet", dir)
			if code != cmdline.ExitFailed || !strings.Contains(stdout, tt.want) || !strings.Contains(stdout, " violation") {
				t.Errorf("exit %d, want %d and %q: %s", code, cmdline.ExitFailed, tt.want, stdout)
			}
			var r struct {
				OK         bool
				Total      int64
				Violations []struct {
					File, Column, Value, Want string
					Row                       int64
				}
			}
			_, stdout, _ = replay(t, "report", "check", "--json", dir)
			if err := json.Unmarshal([]byte(stdout), &r); err != nil || r.OK || r.Total == 0 || len(r.Violations) == 0 {
				t.Errorf("--json: %v: %s", err, stdout)
			}
		})
	}
	dir := filepath.Join(t.TempDir(), "r")
	if err := os.CopyFS(dir, os.DirFS(good)); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "summary.json")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(text), `"makespan_ms": `, `"makespan_ms": 1`, 1)
	if err := os.WriteFile(path, []byte(changed), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, stdout, _ := replay(t, "report", "check", "--quiet", dir); code != cmdline.ExitFailed || !strings.Contains(stdout, "summary.json: makespan_ms is 1") {
		t.Errorf("another makespan: exit %d: %s", code, stdout)
	}
	if code, _, _ := replay(t, "report", "check", t.TempDir()); code != cmdline.ExitBadInput {
		t.Errorf("no result: exit %d, want %d", code, cmdline.ExitBadInput)
	}
	if code, _, _ := replay(t, "report", "check"); code != cmdline.ExitUsage {
		t.Errorf("nothing: exit %d, want %d", code, cmdline.ExitUsage)
	}
}
