package command

import (
	"path/filepath"
	"replay/cmd/replay/cmdline"
	"strings"
	"testing"
)

func TestDiff(t *testing.T) {
	dir := t.TempDir()
	for name, args := range map[string][]string{"a": {"--decisions"}, "b": {"--conf", "spark.locality.wait=0s"}, "c": {"--sharing", "drf"}} {
		must(t, append([]string{"run", traces + "fair-weights", "--formats", "none", "-q", "--out", filepath.Join(dir, name)}, args...)...)
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, tt := range []struct {
		name string
		args []string
		code int
		want []string
	}{
		{"itself", []string{at("a"), at("a")}, cmdline.ExitDone, []string{"No decision differs: both have the decision hash "}},
		{"results", []string{at("a"), at("b"), "--trace", traces + "fair-weights"}, cmdline.ExitFailed, []string{"They part at decision ", "before it, in both: queue root.", "the last equal decisions: ", "mean duration of a job"}},
		{"variants", []string{traces + "contended-logs", "--variant", "fair: --sharing fair", "--variant", "drf: --sharing drf"}, cmdline.ExitFailed,
			[]string{"They part at decision 63, of 638 in fair and 568 in drf.", "fair at 44.95 s: allocates container 2 of wordcount-cluster (job 9) in root.etl on host03, 1,024 MiB, 2 vcores", "47 jobs end at another time"}},
		{"equal variants", []string{traces + "fair-weights", "--variant", "a:", "--variant", "b: --engine dense"}, cmdline.ExitDone, []string{"No decision differs: "}},
		{"one result", []string{at("a")}, cmdline.ExitUsage, nil},
		{"no result", []string{at("a"), dir}, cmdline.ExitBadInput, nil},
		{"one variant", []string{traces + "fair-weights", "--variant", "a:"}, cmdline.ExitUsage, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code, out, stderr := cmd(t, append([]string{"diff"}, tt.args...)...)
			if code != tt.code {
				t.Errorf("exit %d, want %d: %s", code, tt.code, stderr)
			}
			out = strings.Join(strings.Fields(out), " ")
			for _, want := range tt.want {
				if !strings.Contains(out, want) {
					t.Errorf("no %q in\n%s", want, out)
				}
			}
		})
	}
}
