package command

import (
	"encoding/json"
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
