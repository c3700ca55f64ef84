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
	table, whole, cut, run := filepath.Join(dir, "jobs.csv"), filepath.Join(dir, "whole"), filepath.Join(dir, "cut"), filepath.Join(dir, "run")
	const held = "2 jobs, the first: job 1 was submitted later than the trace has it, as it begins after the end of job 0 (depends_on); its wait and duration count from then"
	if err := os.WriteFile(table, []byte("job,submit,duration,parents\na,0,30,\nb,5,20,a\nc,10,10,a b\nd,20,5,\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	must(t, "import", "csv", table, "--nodes", "2", "--out", whole)
	must(t, "run", whole, "--explain", "--formats", "none", "--out", run)
	unwrapped := func(text string) string { return strings.Join(strings.Fields(text), " ") }
	cutting := must(t, "trace", "cut", whole, "--without-jobs", "0", "--out", cut)
	for _, x := range []struct{ text, want string }{
		{must(t, "trace", "info", whole), "after others         2 jobs to be submitted when others have ended"},
		{must(t, "trace", "info", whole, "--json"), `"jobs_after_others": 2,`},
		{must(t, "trace", "info", cut), "after others         1 job to be submitted when others have ended"},
		{cutting, "left out: import.json, dependencies on jobs that are not in it: 2\n"},
		{must(t, "run", whole, "--until", "20s"), "  - 2 jobs were not submitted, and are in no number, as others after whose end they begin (depends_on) had not ended when the replay did; the first: job 1, after job 0"},
		{must(t, "run", cut, "--until", "20s"), "  - job 1 was not submitted, and is in no number, as not all after whose end it begins (depends_on: job 0) had ended when the replay did"},
		{unwrapped(must(t, "explain", run, "--worst", "wait")), "Nothing is explained from before a submission: " + held},
		{unwrapped(must(t, "explain", run, "--all")), "Nothing is explained from before a submission: " + held},
		{unwrapped(must(t, "run", whole)), held + " (depends)"},
	} {
		if !strings.Contains(x.text, x.want) {
			t.Errorf("no %q in %s", x.want, x.text)
		}
	}
	_, _, planned := cmd(t, "plan", whole, "--hold", "mean(wait) < 9s", "--vary", "nodes=1:4")
	if n := strings.Count(planned, held); n != 1 {
		t.Errorf("jobs that are held back are said %d times, want once for all replays: %s", n, planned)
	}
	if text := must(t, "trace", "info", traces+"contended-logs"); strings.Contains(text, "after others") {
		t.Errorf("jobs that depend on none: %s", text)
	}
}
