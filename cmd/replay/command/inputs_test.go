package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"replay/cmd/replay/cmdline"
)

// A cluster that would not fit the memory is refused before it is made.
func TestMostNodes(t *testing.T) {
	for _, words := range []string{"gen uniform-micro --out none --nodes 1000001", "run none --nodes 1000001"} {
		if code, _, stderr := replay(t, strings.Fields(words)...); code != cmdline.ExitUsage || !strings.Contains(stderr, `--nodes is "1000001", want 1 to 1000000`) {
			t.Errorf("%s: exit %d, %s", words, code, stderr)
		}
	}
}

// The byte order mark that editors put before a text is no part of what this program's own formats say.
func TestByteOrderMarks(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("\xef\xbb\xbf"+strings.ReplaceAll(text, "\n", "\r\n")), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	trace, err := filepath.Abs(traces + "fair-weights")
	if err != nil {
		t.Fatal(err)
	}
	run := []string{"run", trace, "--until", "30s", "-q", "--prices", file("prices", "*=0.5\n"), "--model-file", file("model", "am-start-ms=900\n"),
		"--autoscale", "dataproc", "--autoscale-conf", file("scale.yaml", "workerConfig: {minInstances: 2, maxInstances: 10}\nbasicAlgorithm: {yarnConfig: {scaleUpFactor: 1.0, scaleDownFactor: 1.0, gracefulDecommissionTimeout: 1h}}\n"), "--policy", file("p.star", "def none():\n  pass\n\nsharing = struct()\n")}
	for _, args := range [][]string{
		run[:len(run)-2],
		{"gate", trace, "--base", "--", "--head", "--", "--seeds", "1", "-q", "--slo", file("slo", "mean(wait) < 1h\n")},
		{"compare", "--traces", file("traces", trace+"\n"), "--variant", "a:", "--variant", "b:", "--seeds", "1", "-q"},
		{"sweep", file("plan.yaml", "traces: "+trace+"\ngrid: {sharing: [fair, drf]}\n"), "--out", filepath.Join(dir, "s"), "--dry-run"},
	} {
		if code, _, stderr := cmd(t, args...); code != cmdline.ExitDone || strings.Contains(stderr, "ufeff") {
			t.Errorf("%q: exit %d, %s", args, code, stderr)
		}
	}
	if _, _, stderr := cmd(t, run...); strings.Contains(stderr, "ufeff") {
		t.Errorf("a policy: %s", stderr)
	}
}
