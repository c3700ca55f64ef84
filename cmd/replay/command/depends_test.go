package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"replay/cmd/replay/cmdline"
)

// TestJobsAfterOthers: what is done with a table whose jobs begin after others says how many do, and what of that is lost.
func TestJobsAfterOthers(t *testing.T) {
	dir := t.TempDir()
	table, whole, cut, run := filepath.Join(dir, "jobs.csv"), filepath.Join(dir, "whole"), filepath.Join(dir, "cut"), filepath.Join(dir, "run")
	const held = "2 jobs, the first: job 1 (b) was submitted later than the trace has it, as it begins after the end of job 0 (depends_on); its wait and duration count from then"
	if err := os.WriteFile(table, []byte("job,submit,duration,parents\na,0,30,\nb,5,20,a\nc,10,10,a b\nd,20,5,\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	imported := must(t, "import", "csv", table, "--nodes", "2", "--out", whole)
	must(t, "run", whole, "--explain", "--formats", "none", "--out", run)
	unwrapped := func(text string) string { return strings.Join(strings.Fields(text), " ") }
	cutting := must(t, "trace", "cut", whole, "--without-jobs", "0", "--out", cut)
	for _, x := range []struct{ text, want string }{
		{imported, "after others: 2 of 4 jobs to be submitted when others have ended (depends_on): a replay holds back those whose own time is earlier\n"},
		{must(t, "trace", "info", whole), "after others         2 jobs to be submitted when others have ended"},
		{must(t, "trace", "info", whole, "--json"), `"jobs_after_others": 2,`},
		{must(t, "trace", "info", cut), "after others         1 job to be submitted when others have ended"},
		{cutting, "left out: import.json, dependencies on jobs that are not in it: 2\n"},
		{must(t, "run", whole, "--until", "20s"), "  - 2 jobs were not submitted, and are in no number, as others after whose end they begin (depends_on) had not ended when the replay did; the first: job 1 (b), after job 0"},
		{must(t, "run", cut, "--until", "20s"), "  - job 1 (c) was not submitted, and is in no number, as not all after whose end it begins (depends_on: job 0) had ended when the replay did"},
		{unwrapped(must(t, "explain", run, "job 2")), "held back before its submission, from its own time at 10.00 s on It begins after the end of 2 jobs (depends_on), of which the last was that of job 1 (b). In the chain of jobs that led to it each was held back until the one before had ended; from its first submission to that of this job it took "},
		{unwrapped(must(t, "explain", run, "job 2")), ", 2 ms of it between the end of one and the submission of the next: job own time held back submitted first task after took job 0 (a) 0 s 0 s 0 s "},
		{unwrapped(must(t, "explain", run, "--all")), "A chain of 3 jobs, each held back until the one before it had ended, ends last: job 0 (a), job 1 (b), job 2 (c). It takes "},
		{unwrapped(must(t, "explain", run, "--all", "--json")), `"last_chain": [ { "job": 0, `},
		{unwrapped(must(t, "explain", run, "job 1", "--executors", "50%..200%", "--json")), `"held": { "depends_on": 1, "own_submit_ms": 5000, "held_ms": `},
		{unwrapped(must(t, "explain", run, "job 1", "--if")), " if application masters started at once (start of the application master); submitted 5.00 s sooner, as jobs that it begins after end so replay whatif "},
		{unwrapped(must(t, "report", "check", run)), "jobs: held back until the one that they name had ended"},
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

// A job that was never submitted is none that nobody knows: why it is not there is said by its trace, and how many there are by what sums up the others.
func TestExplainJobsNeverSubmitted(t *testing.T) {
	dir := t.TempDir()
	whole, run := filepath.Join(dir, "whole"), filepath.Join(dir, "run")
	table := written(t, "jobs.csv", "job,submit,duration,parents\na,0,300,\nb,5,20,a\nc,10,10,b\nd,20,5,\n")
	must(t, "import", "csv", table, "--nodes", "2", "--out", whole)
	must(t, "run", whole, "--until", "60s", "--formats", "none", "--out", run, "--allow-failures")
	for _, tt := range []struct{ job, want string }{
		{"b", "job 1 (b) of the trace was never submitted in this replay, which ends at 60.00 s, so nothing of it is known: it begins after job 0 (a) (depends_on), which had not ended"},
		{"2", "job 2 (c) of the trace was never submitted in this replay, which ends at 60.00 s, so nothing of it is known: it begins after job 1 (b) (depends_on), which was not submitted either"},
		{"e", `none of the 2 jobs of the result, numbered from 0 to 3, has the number, name or id "e"; near it: a, d; --worst wait finds one`},
		{"default", `"default" is no job but the queue root.default: --queue root.default says which causes make up the waits of its jobs`},
		{"host1", `"host1" is no job but a node: what ran on it is in containers.parquet and tasks.parquet of the result`},
	} {
		if code, _, stderr := cmd(t, "explain", run, tt.job); code != cmdline.ExitUsage || !strings.Contains(stderr, tt.want) {
			t.Errorf("%s: exit %d, %swant %q", tt.job, code, stderr, tt.want)
		}
	}
	if text := must(t, "explain", run, "--all"); !strings.Contains(text, "Not submitted when the replay ended, and in no number: 2 jobs more.") {
		t.Errorf("nothing is said of the jobs that were not submitted:\n%s", text)
	}
	if text := must(t, "explain", run, "--all", "--json"); !strings.Contains(text, `"jobs_not_submitted": 2`) {
		t.Errorf("programs are told nothing of the jobs that were not submitted:\n%s", text)
	}
}
