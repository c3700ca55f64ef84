package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Nodes of which nobody stated the size are the least that ran on them, so what asks for more waits there: each replay on them says so, and none on nodes that were stated.
func TestNodesThatNobodyStated(t *testing.T) {
	log := importData + "spark-eventlog/eventlogs/app-20261121064901-0000.zstd"
	table := filepath.Join(t.TempDir(), "jobs.csv")
	if err := os.WriteFile(table, []byte("job_id,submit_time,run_s\n1,0,60\n2,10,60\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	const use, load = "the recording does not say how large the nodes are", "the source names no nodes: they are made up"
	for _, tt := range []struct{ args, want string }{
		{"spark-eventlog " + log, use},
		{"spark-eventlog " + log + " --node-mem 65536", use},
		{"spark-eventlog " + log + " --node-mem 65536 --node-vcores 16", ""},
		{"spark-eventlog " + log + " --nodes 6", ""},
		{"csv " + table, load},
		{"csv " + table + " --nodes 3", ""},
	} {
		dir := filepath.Join(t.TempDir(), "trace")
		must(t, append([]string{"import", "--out", dir, "-q"}, strings.Fields(tt.args)...)...)
		text := must(t, "run", dir, "-q")
		for _, sentence := range []string{use, load} {
			if strings.Contains(text, sentence) != (sentence == tt.want) {
				t.Errorf("run of import %s: want %q alone in\n%s", tt.args, tt.want, text)
			}
		}
		hidden := filepath.Join(t.TempDir(), "anonymous")
		must(t, "trace", "anonymize", dir, "--out", hidden, "-q")
		if text := must(t, "run", hidden, "-q"); tt.want != "" && !strings.Contains(text, tt.want) {
			t.Errorf("without names: want %q in\n%s", tt.want, text)
		}
	}
}
