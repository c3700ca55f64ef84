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
		if code != exitDone || !strings.Contains(stdout, tt.want) || !strings.Contains(stdout, "read       task_ends ") {
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
