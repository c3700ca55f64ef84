package command

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var updateBacktest = flag.Bool("update-backtest", false, "rewrite the golden files of backtests")

const (
	smallLog     = importData + "spark-eventlog/eventlogs/app-20261121064901-0000.zstd"
	smallCluster = importData + "spark-on-yarn/locality-wait-0s"
)

// A small log and a small cluster: every number of the comparison.
func TestBacktestGolden(t *testing.T) {
	for name, args := range map[string][]string{
		"backtest-log.json":     {smallLog, "--fit"},
		"backtest-cluster.json": {smallCluster, "--seeds", "3"},
	} {
		code, stdout, stderr := replay(t, append([]string{"backtest", "--json", "-q"}, args...)...)
		if code != exitDone {
			t.Fatalf("%s: exit code %d: %s", name, code, stderr)
		}
		path := filepath.Join("testdata", name)
		if *updateBacktest {
			if err := os.MkdirAll("testdata", 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(stdout), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want), stdout); d != "" {
			t.Errorf("%s changed (-want +got); if meant, run with -update-backtest\n%s", name, d)
		}
	}
}

// The fields that others read.
func TestBacktestJSON(t *testing.T) {
	code, stdout, stderr := replay(t, "backtest", smallLog, "--json", "-q")
	if code != exitDone {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	var b struct {
		Applications []map[string]any `json:"applications"`
		Summary      map[string]any   `json:"summary"`
	}
	if err := json.Unmarshal([]byte(stdout), &b); err != nil {
		t.Fatal(err)
	}
	if len(b.Applications) != 1 {
		t.Fatalf("%d applications, want 1", len(b.Applications))
	}
	for _, k := range []string{"id", "name", "recorded_ms", "predicted_ms", "error", "jobs", "stages"} {
		if _, ok := b.Applications[0][k]; !ok {
			t.Errorf("an application has no %q", k)
		}
	}
	for _, k := range []string{"median_error", "p90_error", "worst_error", "correlation"} {
		if _, ok := b.Summary[k]; !ok {
			t.Errorf("the summary has no %q", k)
		}
	}
}

func TestBacktestCommand(t *testing.T) {
	bad := filepath.Join(t.TempDir(), "model.txt")
	if err := os.WriteFile(bad, []byte("# a comment\nam-start-ms=1\nno-such-ms=2\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "out")
	for _, tt := range []struct {
		args string
		code int
		want string
	}{
		{"", exitUsage, "wants event logs or folders"},
		{smallLog + " --allocation never", exitUsage, `--allocation is "never"`},
		{smallLog + " --latency long", exitUsage, `--latency is "long"`},
		{smallLog + " --seeds 0", exitUsage, "--seeds is 0"},
		{smallLog + " --details 9", exitUsage, "--details"},
		{smallLog + " --leave-one-out", exitUsage, "two or more recordings"},
		{smallLog + " --model-file " + bad, exitBadInput, "model.txt:3: unknown model parameter"},
		{"nothing-here", exitBadInput, "nothing-here"},
		{"../../../traces/uniform-micro", exitBadInput, "not imported from a recording"},
		{smallLog + " --allocation simulated --seeds 1", exitDone, "resource-profiles"},
		{smallLog + " " + smallCluster + " --leave-one-out --details 2", exitDone, "leave one out: applications"},
		{smallCluster + " --latency model --fit --formats svg --out " + out, exitDone, "--model am-start-ms="},
		{smallCluster + " --model-file " + filepath.Join(out, "model.txt"), exitDone, "ask to allocated"},
	} {
		code, stdout, stderr := replay(t, append([]string{"backtest"}, strings.Fields(tt.args)...)...)
		if code != tt.code || !strings.Contains(stdout+stderr, tt.want) {
			t.Errorf("backtest %s: exit code %d, want %d and %q\n%s%s", tt.args, code, tt.code, tt.want, stdout, stderr)
		}
	}
	for _, f := range []string{"backtest.json", "backtest.txt", "report.html", "model.txt", "plots/predicted.svg", "plots/executors-1.svg"} {
		if info, err := os.Stat(filepath.Join(out, f)); err != nil || info.Size() == 0 {
			t.Errorf("--out has no %s: %v", f, err)
		}
	}
}
