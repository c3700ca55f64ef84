package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestJobsAfterOthers: what is done with a table whose jobs begin after others says how many do, and what of that is lost.
func TestJobsAfterOthers(t *testing.T) {
	dir := t.TempDir()
	table, whole, cut := filepath.Join(dir, "jobs.csv"), filepath.Join(dir, "whole"), filepath.Join(dir, "cut")
	if err := os.WriteFile(table, []byte("job,submit,duration,parents\na,0,30,\nb,5,20,a\nc,10,10,a b\nd,20,5,\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	must(t, "import", "csv", table, "--nodes", "2", "--out", whole)
	cutting := must(t, "trace", "cut", whole, "--without-jobs", "0", "--out", cut)
	for _, x := range []struct{ text, want string }{
		{must(t, "trace", "info", whole), "after others         2 jobs to be submitted when others have ended"},
		{must(t, "trace", "info", whole, "--json"), `"jobs_after_others": 2,`},
		{must(t, "trace", "info", cut), "after others         1 job to be submitted when others have ended"},
		{cutting, "left out: import.json, dependencies on jobs that are not in it: 2\n"},
		{must(t, "run", whole, "--until", "20s"), "  - 2 jobs were not submitted, and are in no number, as others after whose end they begin (depends_on) had not ended when the replay did; the first: job 1, after job 0"},
		{must(t, "run", cut, "--until", "20s"), "  - job 1 was not submitted, and is in no number, as not all after whose end it begins (depends_on: job 0) had ended when the replay did"},
		{must(t, "run", whole), "  - 2 jobs, the first: job 1 was submitted "},
		{must(t, "run", whole), "; its wait and duration count from then (depends)"},
	} {
		if !strings.Contains(x.text, x.want) {
			t.Errorf("no %q in %s", x.want, x.text)
		}
	}
	if text := must(t, "trace", "info", traces+"contended-logs"); strings.Contains(text, "after others") {
		t.Errorf("jobs that depend on none: %s", text)
	}
}
