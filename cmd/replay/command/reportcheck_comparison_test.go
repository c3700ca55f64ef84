package command

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"replay/cmd/replay/cmdline"
	"replay/sealed/sealedtest"
)

// A comparison holds what report check looks at, alone and with the results that it kept; each number that is changed is found.
func TestReportCheckComparison(t *testing.T) {
	good := filepath.Join(t.TempDir(), "good")
	must(t, "compare", traces+"fair-weights", "--seeds", "5", "--quiet", "--formats", "none", "--results", "--out", good, "--variant", "now:", "--variant", "slow: --model am-start-ms=9000")
	if out := must(t, "report", "check", good); !strings.HasSuffix(out, good+": everything holds\n") || strings.Count(out, "everything that report check looks at in a result") != 10 {
		t.Errorf("the check says\n%s", out)
	}
	without := filepath.Join(t.TempDir(), "without")
	text := must(t, "compare", traces+"fair-weights", "--seeds", "5", "--quiet", "--formats", "none", "--results", "--out", without, "--variant", "now:", "--variant", "less: --change 'without job 1'")
	if strings.Contains(text, "does not finish") {
		t.Errorf("a job that is left out is lost:\n%s", text)
	}
	if out := must(t, "report", "check", without); !strings.HasSuffix(out, without+": everything holds\n") {
		t.Errorf("without a job in one variant the check says\n%s", out)
	}
	other := filepath.Join(t.TempDir(), "other")
	must(t, "run", traces+"fair-weights", "--seed", "9", "--quiet", "--formats", "none", "--tasks", "off", "--out", other)
	for _, tt := range []struct{ file, from, to, want string }{
		{"comparison.json", `("metric": "makespan_ms"(?s:.*?)"value": )`, `${1}1`, "comparison.json: makespan_ms of now is 1"},
		{"comparison.json", `("metric": "duration_job_mean_ms"(?s:.*?)"by_unit": \[\s+)`, `${1}1`, "the mean of its units"},
		{"comparison.json", `("metric": "duration_job_mean_ms"(?s:.*?)"difference": )(\d)`, `${1}1$2`, "the value less the first one's"},
		{"comparison.json", `("metric": "duration_job_mean_ms"(?s:.*?)"interval": \[\s+)(\d)`, `${1}1$2`, "duration_job_mean_ms of slow is ["},
		{"comparison.json", `("metric": "duration_job_mean_ms"(?s:.*?)"p_adjusted": )(\d)`, `${1}1$2`, "an adjusted p of"},
		{"comparison.json", `("metric": "duration_job_mean_ms"(?s:.*?)"standard_error": )(\d)`, `${1}1$2`, "a standard error of"},
		{"comparison.json", `"finding": "worse"`, `"finding": "better"`, `want ["no verdict" "worse"]`},
		{"comparison.json", `("level_of_each_headline_metric": 0.0)`, `${1}3`, "at most 0.05 in all"},
		{"comparison.json", `("succeeded": )`, `${1}7`, "succeeded of now is 7"},
		{"comparison.csv", `(makespan_ms,ms,now,)`, `${1}1`, "comparison.csv: row "},
		{"runs/slow/seed-3/summary.json", `("makespan_ms": )`, `${1}1`, "runs/slow/seed-3/summary.json: makespan_ms is 1"},
		{"runs/now/seed-4/run.json", `("seed": )4`, `${1}8`, "seeds of now is [1 2 3 4 5], want [1 2 3 5 8]"},
		{"runs/now/seed-2/series.arrow", "", "", "runs/now/seed-2/series.arrow: "},
	} {
		dir := filepath.Join(t.TempDir(), "c")
		if err := os.CopyFS(dir, os.DirFS(good)); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(tt.file, "runs") && !strings.Contains(tt.from, "succeeded") {
			if err := os.RemoveAll(filepath.Join(dir, "runs")); err != nil {
				t.Fatal(err)
			}
		}
		path := filepath.Join(dir, tt.file)
		from := path
		if tt.from == "" {
			from = filepath.Join(other, filepath.Base(path))
		}
		text, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		changed := string(text)
		if tt.from != "" {
			changed = regexp.MustCompile(tt.from).ReplaceAllString(changed, tt.to)
		}
		if old := files(t, good)[tt.file]; changed == old {
			t.Fatalf("%s: %s is not in it", tt.file, tt.from)
		}
		if err := os.WriteFile(path, []byte(changed), 0o644); err != nil {
			t.Fatal(err)
		}
		switch {
		case tt.file == "comparison.json":
			sealedtest.Seal(t, path)
		case strings.HasPrefix(tt.file, "runs/"):
			sealedtest.Seal(t, filepath.Join(filepath.Dir(path), "run.json"))
		}
		if code, out, _ := replay(t, "report", "check", "--quiet", dir); code != cmdline.ExitFailed || !strings.Contains(out, tt.want) {
			t.Errorf("%s, %s: exit %d, want %q in\n%s", tt.file, tt.from, code, tt.want, out)
		}
	}
}
