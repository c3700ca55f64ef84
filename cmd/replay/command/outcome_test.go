package command

import (
	"encoding/json"
	"html"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"replay/cmd/replay/cmdline"
)

// failingNodes writes a trace of 40 jobs of which four lose the node of their application master; alone allows no
// second attempt.
func failingNodes(t *testing.T) (trace string, alone []string) {
	t.Helper()
	trace = filepath.Join(t.TempDir(), "failing-nodes")
	must(t, "gen", "uniform-micro", "--jobs", "40", "--failures", "exponential", "--mtbf", "0.004", "--out", trace)
	return trace, []string{"--conf", "yarn.resourcemanager.am.max-attempts=1"}
}

// Every job that did not succeed has a reason in words: in the summary and on the page with the number of its jobs, and
// as a column of jobs.parquet. Where all are lost nobody says that there was enough for all.
func TestReasonsInWords(t *testing.T) {
	trace, one := failingNodes(t)
	alone := strings.Join(one, " ")
	for _, tt := range []struct{ name, flags, counts, reason, words string }{
		{"the master's node is lost", alone, "36 of 40 jobs succeeded, 4 failed", "4 jobs failed, the first is job 13 (uniform): ", "its application master ended in attempt 1: its node was lost"},
		{"the master's container expires", alone + " --conf yarn.resourcemanager.rm.container-allocation.expiry-interval-ms=1", "0 of 40 jobs succeeded, 40 failed",
			"40 jobs failed, the first is job 0 (uniform): ", "its application master ended in attempt 1: its container expired before it was started"},
		{"executors are too large", "--conf spark.executor.memory=900g", "0 of 40 jobs succeeded, 40 refused", "40 jobs were refused, the first is job 0 (uniform): ", "its client does not submit it: an executor asks for 1013760 MiB"},
		{"masters are too large", "--conf spark.driver.memory=900g", "0 of 40 jobs succeeded, 40 refused", "40 jobs were refused, the first is job 0 (uniform): ", "the AM container asks for 1013760 MiB"},
		{"the replay stops", "--until 1s", "0 of 40 jobs succeeded, 1 unfinished, 39 not submitted", "job 0 (uniform) did not finish: ", "the replay stopped at 1s"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out")
			_, stdout, stderr := cmd(t, append([]string{"run", trace, "--quiet", "--formats", "none", "--out", out}, strings.Fields(tt.flags)...)...)
			if i := strings.Index(stdout, tt.counts+"\n  - "+tt.reason+tt.words); i < 0 || i > strings.Index(stdout, "scheduler ") {
				t.Errorf("the summary does not begin with %q and %q:\n%.600s\n%s", tt.counts, tt.reason+tt.words, stdout, stderr)
			}
			if strings.Contains(tt.counts, "0 of 40") && strings.Contains(stdout, "never short") {
				t.Errorf("the cluster counts as large enough for jobs that it did not run:\n%.900s", stdout)
			}
			page := html.UnescapeString(files(t, out)["report.html"])
			if !strings.Contains(page, tt.counts) || !strings.Contains(page, tt.reason+tt.words) {
				t.Errorf("the page lacks %q or %q", tt.counts, tt.reason+tt.words)
			}
			rows, err := parquet.ReadFile[struct {
				Outcome string `parquet:"outcome"`
				Reason  string `parquet:"reason"`
			}](filepath.Join(out, "jobs.parquet"))
			if err != nil || len(rows) == 0 {
				t.Fatalf("%d rows, %v", len(rows), err)
			}
			for i, r := range rows {
				if (r.Outcome != "success") != strings.Contains(r.Reason, tt.words) {
					t.Errorf("job %d: outcome %q, reason %q", i, r.Outcome, r.Reason)
				}
			}
		})
	}
}

// A warning about jobs says how many jobs, and how often when a job has it twice.
func TestWarningsCountJobs(t *testing.T) {
	trace, _ := failingNodes(t)
	stdout := must(t, "run", trace)
	if want := "4 jobs, the first: job 37 (uniform): its application master was started again: its node was lost (5 times)"; !strings.Contains(stdout, want) {
		t.Errorf("no %q in\n%s", want, stdout)
	}
}

// What voids a result, and that something given is not used, is shown with --quiet too, and nothing else is.
func TestQuietShowsWhatVoids(t *testing.T) {
	trace, alone := failingNodes(t)
	_, _, stderr := cmd(t, append([]string{"run", trace, "--json", "--quiet"}, alone...)...)
	if want := "warning: 4 jobs, the first: job 37 (uniform) failed: its application master ended in attempt 1: its node was lost\n"; !strings.Contains(stderr, want) {
		t.Errorf("stderr is %q, want %q in it", stderr, want)
	}
	if stdout := must(t, "run", trace, "--json", "--quiet", "--conf", "yarn.resourcemanager.am.max-attempts=2"); !strings.Contains(stdout, `"succeeded": 40`) {
		t.Errorf("the summary has no outcome: %.300s", stdout)
	}
	for key, want := range map[string]string{
		"mapreduce.map.memory.mb=2048": "warning: --conf: no MapReduce job is replayed, so these keys have no effect: mapreduce.map.memory.mb\n",
		"spark.yarn.am.cores=2":        "warning: --conf: keys that jobs do not read under their deploy mode (spark.submit.deployMode): spark.yarn.am.cores (40 of 40 jobs)\n",
	} {
		if _, _, stderr := cmd(t, "run", trace, "--json", "--quiet", "--conf", key); stderr != want {
			t.Errorf("--conf %s: stderr is %q, want %q", key, stderr, want)
		}
	}
	if code, _, stderr := cmd(t, "run", trace, "--json", "--quiet"); code != cmdline.ExitDone || stderr != "" {
		t.Errorf("exit %d, stderr %q, want 0 and nothing", code, stderr)
	}
}

// A variant that loses jobs is never called better: what became of the jobs comes first, in text, JSON and exit code.
func TestLostJobsLeadTheVerdict(t *testing.T) {
	trace, alone := failingNodes(t)
	out := filepath.Join(t.TempDir(), "out")
	args := []string{"compare", trace, "--quiet", "--seeds", "1", "--formats", "none", "--out", out, "--variant", "two:", "--variant", "one: " + strings.Join(alone, " ")}
	code, stdout, stderr := cmd(t, args...)
	if code != cmdline.ExitFailed || !strings.Contains(stderr, "variant one: 4 of 40 jobs did not succeed") {
		t.Errorf("exit %d, want %d and the failed jobs\n%s", code, cmdline.ExitFailed, stderr)
	}
	places := []string{"one: 36 of 40 jobs succeeded, 4 failed\n", "its application master ended in attempt 1: its", "\none does not finish 4 jobs that two finishes: no verdict on waits, ",
		"\nbase: ", "jobs       two  one\n", "succeeded  40   36\n", "failed     0    4\n", "mean duration of a job", " void ", "void: one of the two loses jobs"}
	at := 0
	for _, want := range places {
		i := strings.Index(stdout[at:], want)
		if i < 0 {
			t.Fatalf("no %q in its place:\n%s", want, stdout)
		}
		at += i
	}
	if i := strings.Index(stdout, "better:"); i >= 0 || strings.Contains(stdout, " better\n") || strings.Contains(stdout, " worse ") {
		t.Errorf("something is called better or worse:\n%s", stdout)
	}
	written := files(t, out)
	page := html.UnescapeString(written["report.html"])
	if i, j := strings.Index(page, "one: 36 of 40 jobs succeeded, 4 failed"), strings.Index(page, "one does not finish 4 jobs"); i < 0 || j < i {
		t.Errorf("the page has the outcome at %d and the verdict at %d, want the outcome first", i, j)
	}
	var c struct {
		Variants []struct {
			Outcome struct {
				Jobs, Succeeded, Failed, Unexpected int64
				Reasons                             []struct {
					Reason string
					Jobs   int64
				}
			}
		}
		Verdict []struct {
			Lost int64 `json:"jobs_lost"`
		}
		Metrics []struct {
			Metric, Better, Family string
			Variants               []struct{ Finding string }
		}
	}
	if err := json.Unmarshal([]byte(written["comparison.json"]), &c); err != nil {
		t.Fatal(err)
	}
	if o := c.Variants[1].Outcome; o.Jobs != 40 || o.Succeeded != 36 || o.Failed != 4 || o.Unexpected != 4 || len(o.Reasons) != 1 || o.Reasons[0].Jobs != 4 || c.Verdict[0].Lost != 4 {
		t.Errorf("outcome %+v, verdict %+v", o, c.Verdict)
	}
	for _, m := range c.Metrics {
		if f := m.Variants[1].Finding; m.Family != "" && m.Better != "" && f != "no verdict" {
			t.Errorf("%s is called %q", m.Metric, f)
		}
	}
	if code, _, stderr := cmd(t, append(args, "--allow-failures")...); code != cmdline.ExitDone {
		t.Errorf("with --allow-failures: exit %d, %s", code, stderr)
	}
}

// run ends with 1 when jobs do not succeed that should have.
func TestExitCodeOfFailures(t *testing.T) {
	trace, alone := failingNodes(t)
	for _, tt := range []struct {
		name, flags string
		want        int
	}{
		{"all succeed", "", cmdline.ExitDone},
		{"some fail", strings.Join(alone, " "), cmdline.ExitFailed},
		{"some fail, as JSON", "--json " + strings.Join(alone, " "), cmdline.ExitFailed},
		{"failures are meant", "--allow-failures " + strings.Join(alone, " "), cmdline.ExitDone},
		{"all are refused", "--conf spark.driver.memory=900g", cmdline.ExitFailed},
		{"no room for executors", "--conf yarn.scheduler.fair.update-interval-ms=0", cmdline.ExitFailed},
		{"cut off by --until", "--until 30s", cmdline.ExitDone},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code, stdout, stderr := cmd(t, append([]string{"run", trace, "--quiet"}, strings.Fields(tt.flags)...)...)
			if code != tt.want || (code == cmdline.ExitFailed) != strings.Contains(stderr, "did not succeed that the trace does not record as failed") {
				t.Errorf("exit %d, want %d\n%.400s\n%s", code, tt.want, stdout, stderr)
			}
		})
	}
}

// Of two variants under which no job succeeds nothing is said to be equal.
func TestCompareOfLostJobsAlone(t *testing.T) {
	code, out, _ := cmd(t, "compare", traces+"fair-weights", "--seeds", "5", "-q", "--conf", "spark.executor.memory=900g", "--variant", "a:", "--variant", "b: --sharing drf")
	if code != cmdline.ExitFailed || !strings.Contains(out, "Nothing is known of b against a: no job succeeds under either.") || strings.Contains(out, "No difference between") {
		t.Errorf("exit %d\n%s", code, out)
	}
}
