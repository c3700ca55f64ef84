package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"replay/cmd/replay/cmdline"
	"replay/report/reporttest/browser"
)

// The pages of plan and gate say their answer first, and what it stands on.
func TestPagesOfAnswers(t *testing.T) {
	base, head := gateConfs(t)
	dir := t.TempDir()
	prices, bands := filepath.Join(dir, "prices.txt"), filepath.Join(dir, "model.txt")
	for file, text := range map[string]string{prices: "currency=EUR\n8192x8=0.25 # small\n*=0.5\n", bands: "error.wait_job_first_task=0.04,0.1,37\n"} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name string
		args []string
		code int
		want []string
	}{
		{"plan", []string{"plan", traces + "uniform-micro", "--hold", "p95(wait) < 60s", "--vary", "nodes=4:20:4", "--max-seeds", "5", "--prices", prices, "--model-file", bands}, cmdline.ExitDone,
			[]string{"nodes = 12 is the smallest from 4 to 20", "EUR an hour", "p95 wait for the first task", "± 4.0 % on your 37 logs", "Known errors of predicted times", "the answer", "<code>replay plan TRACE --hold", "TRACE</th><td>directory of the trace uniform-micro", "<svg role=\"img\""}},
		{"gate", []string{"gate", traces + "fair-weights", "--base", base, "--head", head, "--seeds", "5", "--fail-if", "mean(duration, queue=c) > +2%"}, cmdline.ExitFailed,
			[]string{"<h1>Gate: FAIL</h1>", "FAIL: 1 of 1 condition broken (5 seeds).", "mean(duration, queue=c) &gt; &#43;2%", "w3 (application_1795246329212_0003)", "root.c", "longer by", "real-worse", "<code>replay compare TRACE --variant"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out := filepath.Join(dir, tt.name)
			if code, _, stderr := cmd(t, append(tt.args, "-q", "--out", out)...); code != tt.code {
				t.Fatalf("exit %d: %s", code, stderr)
			}
			b, err := os.ReadFile(filepath.Join(out, "report.html"))
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range tt.want {
				if !strings.Contains(string(b), want) {
					t.Errorf("the page does not say %q", want)
				}
			}
			browser.Check(t, b)
		})
	}
}

// Where all jobs are refused at once there is nothing that zooms, and the page has the pictures without the buttons.
func TestPageOfRefusedJobs(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "refused")
	code, _, stderr := replay(t, "run", traces+"fair-weights", "--conf", "yarn.scheduler.maximum-allocation-mb=512", "--formats", "svg", "--out", dir, "-q")
	if code != cmdline.ExitFailed {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	text, err := os.ReadFile(filepath.Join(dir, "report.html"))
	if err != nil {
		t.Fatal(err)
	}
	_, over, found := strings.Cut(string(text), `<section id="time">`)
	over, _, _ = strings.Cut(over, "</section>")
	if !found || !strings.Contains(over, "How much of the cluster was in use") || strings.Contains(over, "over-live") || strings.Contains(over, "static-only") {
		t.Errorf("what is over time is\n%.600s", over)
	}
	browser.Check(t, text)
}
