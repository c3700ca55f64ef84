package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const importData = "../../../trace/importer/testdata/"

func TestImportCommand(t *testing.T) {
	for _, tt := range []struct{ args, want string }{
		{"spark-eventlog " + importData + "spark-eventlog/eventlogs/app-20261121064901-0000.lz4", "1 jobs, 4 stages, 60 tasks, 4 nodes"},
		{"spark-eventlog " + importData + "spark-eventlog/eventlogs/app-20261121064901-0000.zstd --blocks hdfs --nodes 20 --racks 4 --replication 3 --seed 1 --copies 3 --arrivals poisson:30s --queue-map profiles=adhoc", "3 jobs, 12 stages, 180 tasks, 24 nodes"},
		{"spark-on-yarn " + importData + "spark-on-yarn/locality-wait-0s --strict", "1 jobs, 5 stages, 166 tasks, 8 nodes"},
	} {
		out := filepath.Join(t.TempDir(), "trace")
		args := append(append([]string{"import"}, strings.Fields(tt.args)...), "--out", out)
		code, stdout, stderr := replay(t, args...)
		if code != exitDone || !strings.Contains(stdout, tt.want) {
			t.Errorf("%s: exit code %d, want 0 and %q\n%s%s", tt.args, code, tt.want, stdout, stderr)
			continue
		}
		if code, stdout, stderr := replay(t, "trace", "check", out); code != exitDone {
			t.Errorf("%s: the trace is bad: %s%s", tt.args, stdout, stderr)
		}
		if code, _, stderr := replay(t, args...); code != exitBadInput || !strings.Contains(stderr, "exists already and is not empty") {
			t.Errorf("%s again: exit code %d, %s", tt.args, code, stderr)
		}
	}
}

func TestImportErrors(t *testing.T) {
	cut := filepath.Join(t.TempDir(), "app-1.zstd")
	data, err := os.ReadFile(importData + "spark-eventlog/eventlogs/app-20261121064901-0000.zstd")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(cut, data[:len(data)-100], 0o644); err != nil {
		t.Fatal(err)
	}
	good := importData + "spark-eventlog/eventlogs/app-20261121064901-0000.zstd"
	for _, tt := range []struct {
		args string
		code int
		want string
	}{
		{"", exitUsage, "wants a format and its input"},
		{"none x --out OUT", exitUsage, `unknown format "none" (known: `},
		{"spark-eventlog x", exitUsage, "wants --out DIR"},
		{"spark-eventlog x --out OUT --blocks maybe", exitUsage, `blocks is "maybe"`},
		{"spark-eventlog x --out OUT --arrivals 3s", exitUsage, `arrivals is "3s"`},
		{"spark-eventlog x --out OUT --queue-map q", exitUsage, "want regex=queue"},
		{"spark-eventlog nothing-here --out OUT", exitBadInput, "nothing-here"},
		{"spark-eventlog " + cut + " --out OUT", exitBadInput, "--lenient keeps what can be used"},
		{"spark-eventlog ../../../README.md --out OUT", exitBadInput, "README.md: text, not an event log"},
		{"spark-eventlog ../../../traces/uniform-micro --out OUT", exitBadInput, "uniform-micro: a trace of this program, want an event log"},
		{"spark-eventlog " + good + " --out OUT --from 2026-11-22", exitBadInput, "app-20261121064901-0000.zstd: application app-20261121064901-0000 started at 2026-11-21T06:48:59Z"},
		{"spark-eventlog " + good + " --out OUT --from yesterday", exitUsage, "--from is \"yesterday\", want a time such as"},
		{"spark-eventlog " + good + " --out OUT --from 2026-11-22 --to 2026-11-21T10:00", exitUsage, "want a time before --to 2026-11-21T10:00"},
		{"spark-eventlog " + good + " --out OUT --strict --lenient", exitUsage, "exclude each other"},
		{"spark-eventlog " + cut + " --out OUT --lenient", exitDone, ""},
		{"spark-on-yarn " + importData + " --out OUT", exitBadInput, "not a recorded cluster"},
		{"spark-on-yarn " + importData + "spark-on-yarn/locality-wait-0s --copies 2 --out OUT", exitBadInput, "has its own nodes, racks and times"},
		{"spark-on-yarn " + importData + "spark-on-yarn/locality-wait-0s --blocks hdfs --out OUT", exitBadInput, "has its own blocks"},
		{"spark-eventlog --strict " + good + " --out OUT", exitDone, ""},
	} {
		dir := t.TempDir()
		code, _, stderr := replay(t, append([]string{"import"}, strings.Fields(strings.ReplaceAll(tt.args, "OUT", filepath.Join(dir, "out")))...)...)
		if code != tt.code || !strings.Contains(stderr, tt.want) {
			t.Errorf("import %s: exit code %d, want %d; stderr %q, want %q in it", tt.args, code, tt.code, stderr, tt.want)
		}
		if entries, err := os.ReadDir(dir); err != nil || code != exitDone && len(entries) > 0 {
			t.Errorf("import %s: left %v (%v)", tt.args, entries, err)
		}
	}
}

// A folder with logs and other files: what can be used is used, and the last line says what is not. backtest takes the
// same flags and says the same.
func TestFolderOfLogs(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "logs")
	if err := os.CopyFS(dir, os.DirFS(importData+"spark-eventlog/eventlogs")); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(filepath.Join(dir, "app-20261121064901-0000.zstd"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"README.md": "# Logs\n", "app-1": "", "app-2.zstd": string(whole[:9000])} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const last = "left out: 6 files and recordings: 1 no recording, 1 empty, 1 damaged, 3 there twice\n"
	out := filepath.Join(t.TempDir(), "trace")
	for _, tt := range []struct {
		args string
		code int
		want []string
	}{
		{"import spark-eventlog LOGS --dry-run", exitDone, []string{"resource-profiles", "3.5.5", "2026-11-21 06:48:59", "logs/README.md", "text, not an event log", last}},
		{"import spark-eventlog LOGS --out " + out, exitDone, []string{"1 jobs", "logs/app-1 ", "empty", "logs/app-2.zstd", "unexpected EOF", last}},
		{"import spark-eventlog LOGS --strict --out " + out + "2", exitBadInput, []string{"logs/README.md: text, not an event log; strict leaves nothing out"}},
		{"backtest LOGS --seeds 1 --dry-run", exitDone, []string{"resource-profiles", "logs/app-2.zstd", last}},
		{"backtest LOGS --seeds 1", exitDone, []string{"resource-profiles", "logs/app-2.zstd", last}},
		{"backtest LOGS/app-2.zstd", exitBadInput, []string{"--lenient keeps what can be used"}},
		{"backtest LOGS/app-2.zstd --lenient --seeds 1", exitDone, []string{"resource-profiles"}},
		{"backtest LOGS --strict", exitBadInput, []string{"logs/README.md: text, not an event log"}},
		{"backtest LOGS --to 2026-11-21", exitBadInput, []string{"nothing to use among 7 files and recordings", "5 outside --from and --to"}},
	} {
		code, stdout, stderr := replay(t, strings.Fields(strings.ReplaceAll(tt.args, "LOGS", dir))...)
		if code != tt.code {
			t.Errorf("%s: exit code %d, want %d\n%s%s", tt.args, code, tt.code, stdout, stderr)
		}
		for _, want := range tt.want {
			if !strings.Contains(stdout+stderr, want) || want == last && !strings.HasSuffix(stdout, last) && !strings.HasSuffix(stderr, last) {
				t.Errorf("%s: %q is not there, or not last\n%s%s", tt.args, want, stdout, stderr)
			}
		}
	}
	if data, err := os.ReadFile(filepath.Join(out, "import.json")); err != nil || !strings.Contains(string(data), `"path": "logs/README.md"`) {
		t.Errorf("import.json has not what was left out: %v", err)
	}
}
