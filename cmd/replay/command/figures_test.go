package command

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"replay/cmd/replay/cmdline"
)

// Figures of one result and of several come again from what was stored, the same bytes each time.
func TestFigures(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	writeResult(t, in("a"), 1, 5000)
	writeResult(t, in("b"), 1, 6000)
	style := " --width 3.3in --size 8 --font serif --grey --no-title --caption --formats svg,pdf"
	for _, tt := range []struct {
		name, args string
		code       int
		want       string // in stderr
		files      []string
	}{
		{"no result", "--out " + in("x"), cmdline.ExitUsage, "at least one result", nil},
		{"no place", in("a"), cmdline.ExitUsage, "wants --out", nil},
		{"no length", in("a") + " --out " + in("x") + " --width wide", cmdline.ExitUsage, `--width is "wide", want a length such as 3.3in`, nil},
		{"narrower by a hair", in("a") + " --out " + in("x") + " --width 3.3cm", cmdline.ExitUsage, "width is 93.54 points, want 100 to 2000", nil},
		{"too narrow", in("a") + " --out " + in("x") + " --width 1in", cmdline.ExitUsage, "width is 72 points, want 100 to 2000", nil},
		{"no such font", in("a") + " --out " + in("x") + " --font comic", cmdline.ExitUsage, "--font is", nil},
		{"no result there", dir + " --out " + in("x"), cmdline.ExitBadInput, "run.json", nil},
		{"of one", in("a") + " --out " + in("one") + style, cmdline.ExitDone, "", []string{"one/figures/wait_job_cdf.pdf", "one/figures/wait_job_cdf.csv", "one/figures/wait_job_cdf.vl.json", "one/metrics.tex"}},
		{"again", in("a") + " --out " + in("again") + style, cmdline.ExitDone, "", nil},
		{"of two", in("a") + " " + in("b") + " --out " + in("two") + style, cmdline.ExitDone, "", []string{"two/figures/wait_job_parts.svg", "two/values.parquet"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code, _, stderr := cmd(t, append([]string{"figures"}, strings.Fields(tt.args)...)...)
			if code != tt.code || !strings.Contains(stderr, tt.want) {
				t.Fatalf("exit %d, want %d; %s, want %q in it", code, tt.code, stderr, tt.want)
			}
			for _, f := range tt.files {
				all := files(t, filepath.Join(dir, strings.SplitN(f, "/", 2)[0]))
				if all[strings.SplitN(f, "/", 2)[1]] == "" {
					t.Errorf("no %s", f)
				}
			}
		})
	}
	equalFiles(t, in("one"), in("again"))
	var made []struct{ Name, Title string }
	if err := json.Unmarshal([]byte(must(t, "figures", in("a"), "--out", in("again"), "--json")), &made); err != nil || len(made) == 0 || made[0].Name == "" || made[0].Title == "" {
		t.Errorf("made %+v, %v", made, err)
	}
}

// A comparison that kept its results is one argument: its variants in its order, with intervals over its seeds and with its margin. One that kept none is told how it gets them,
// with the same bytes, and seeds of a variant are no variants.
func TestFiguresOfComparison(t *testing.T) {
	dir := t.TempDir()
	in := func(name ...string) string { return filepath.Join(append([]string{dir}, name...)...) }
	must(t, "compare", traces+"fair-weights", "-q", "--seeds", "5", "--margin", "2", "--formats", "none", "--out", in("cmp"), "--variant", "slow:", "--variant", "fast: --conf spark.locality.wait=0s")
	code, _, stderr := cmd(t, "figures", in("cmp"), "--out", in("paper"))
	if want := "which was made without --results; replay compare --from " + in("cmp") + " --results --out DIR TRACE makes it with them"; code != cmdline.ExitBadInput || !strings.Contains(stderr, want) {
		t.Errorf("exit %d, %s, want %q", code, stderr, want)
	}
	must(t, "compare", "--from", in("cmp"), "--results", "-q", "--out", in("whole"), traces+"fair-weights")
	if a, b := files(t, in("cmp"))["comparison.json"], files(t, in("whole"))["comparison.json"]; a == "" || a != b {
		t.Error("another comparison.json with --results")
	}
	must(t, "figures", in("whole"), "--out", in("paper"), "--formats", "svg")
	table := files(t, in("paper"))["metrics.md"]
	if !strings.HasPrefix(table, "| metric | unit | slow | fast | change | finding | n |\n") || !strings.Contains(table, " ± ") {
		t.Errorf("want slow, fast and their difference with its interval in\n%s", table)
	}
	if text := must(t, "report", "--compare", in("whole")); !strings.Contains(strings.Join(strings.Fields(text), " "), "reaches beyond ±2 %") || !strings.Contains(text, "fast against slow") {
		t.Errorf("not with its own margin: %s", text)
	}
	code, _, stderr = cmd(t, "figures", in("whole", "runs", "slow", "seed-1"), in("whole", "runs", "slow", "seed-2"), in("whole", "runs", "fast", "seed-1"), "--out", in("x"))
	if code != cmdline.ExitUsage || !strings.Contains(stderr, "are two seeds of one variant: want "+in("whole", "runs", "slow")+", the folder of all of them") {
		t.Errorf("exit %d, %s", code, stderr)
	}
	must(t, "figures", in("whole", "runs", "slow", "seed-1"), in("whole", "runs", "fast", "seed-1"), "--out", in("one seed"), "--formats", "svg")
	for name, text := range map[string]string{
		"broken":    "{",
		"no margin": `{"variants": [{"name": "a"}, {"name": "b"}]}`,
		"elsewhere": `{"variants": [{"name": "a"}, {"name": "../b"}], "inference": {"margin": 0.01}}`,
	} {
		if err := errors.Join(os.MkdirAll(in(name, "runs"), 0o755), os.WriteFile(in(name, "comparison.json"), []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
		if code, _, stderr := cmd(t, "figures", in(name), "--out", in("x")); code != cmdline.ExitBadInput || !strings.Contains(stderr, "comparison.json: ") {
			t.Errorf("%s: exit %d, %s", name, code, stderr)
		}
	}
}
