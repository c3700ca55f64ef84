package command

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"replay/cmd/replay/cmdline"
)

// replay runs a command line and returns what it prints.
func replay(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(t.Context(), append([]string{"replay"}, args...), &out, &errs)
	return code, out.String(), errs.String()
}

func TestTraceOfNothing(t *testing.T) {
	for _, args := range [][]string{{"trace", "check"}, {"trace", "info"}, {"trace", "check", "a", "b"}, {"trace", "nonsense"}} {
		if code, _, _ := replay(t, args...); code != cmdline.ExitUsage {
			t.Errorf("%v: exit code %d, want %d", args, code, cmdline.ExitUsage)
		}
	}
	for _, verb := range []string{"check", "info"} {
		if code, _, stderr := replay(t, "trace", verb, t.TempDir()); code != cmdline.ExitBadInput || !strings.Contains(stderr, "not a trace directory") {
			t.Errorf("trace %s of an empty directory: exit code %d, %s", verb, code, stderr)
		}
	}
	dir := t.TempDir()
	manifest := `{"format": "replay-trace", "version": "1.0", "time_unit": "ms", "locality_source": "none", "duration_source": "recorded"}`
	if err := os.WriteFile(filepath.Join(dir, "trace.json"), []byte(manifest), 0o644); err != nil {
		t.Fatal(err)
	}
	code, stdout, _ := replay(t, "trace", "check", dir)
	if code != cmdline.ExitFailed || !strings.Contains(stdout, "nodes.parquet: file is missing") || !strings.Contains(stdout, "problems, ") {
		t.Errorf("trace check without tables: exit code %d, %s", code, stdout)
	}
	code, stdout, _ = replay(t, "trace", "check", "--json", dir)
	var result struct {
		OK       bool
		Problems []struct{ Column, Value string }
	}
	if err := json.Unmarshal([]byte(stdout), &result); err != nil || code != cmdline.ExitFailed || result.OK || len(result.Problems) != 7 || result.Problems[0].Value != "missing" {
		t.Errorf("trace check --json without tables: exit code %d, %v, %s", code, err, stdout)
	}
}
