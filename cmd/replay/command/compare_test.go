package command

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// The answer leads, every line fits 100 columns with one variant against the base and with four, and what has no number is
// left out and counted.
func TestComparisonInWords(t *testing.T) {
	args := []string{"compare", traces + "drf-mixed-sizes", "--quiet", "--seeds", "5", "--variant", "the-base-of-the-comparison: --sharing fair", "--variant", "drf: --sharing drf"}
	four := append(args, "--variant", "wait-0: --conf spark.locality.wait=0s", "--variant", "naive: --placement naive", "--variant", "the-same-again: --sharing fair")
	for name, args := range map[string][]string{"two": args, "five": four, "every metric": append(args, "--all")} {
		t.Run(name, func(t *testing.T) {
			text := must(t, args...)
			answer, _, _ := strings.Cut(text, "\n\n")
			answer = strings.ReplaceAll(answer, "\n", " ")
			want := " → " // what changed and by how much
			if name == "five" {
				want = ", the best first: the-base-of-the-comparison "
			}
			if !strings.Contains(answer, "drf") || !strings.Contains(answer, want) {
				t.Errorf("the answer is %q, want %q in it", answer, want)
			}
			for line := range strings.Lines(text) {
				if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > 100 {
					t.Errorf("%d columns: %q", n, line)
				}
			}
			for _, wrong := range []string{"NaN", " - "} {
				if strings.Contains(text, wrong) {
					t.Errorf("%q in\n%s", wrong, text)
				}
			}
			if name != "every metric" && strings.Contains(text, "_ms") {
				t.Errorf("a metric is called by its column:\n%s", text)
			}
			if blocks := strings.Count(text, "adj. p"); name == "five" && blocks != 3 || name == "two" && blocks != 1 { // two equal the base
				t.Logf("%s", text)
				t.Errorf("%d tables", blocks)
			}
		})
	}
	text := must(t, "compare", traces+"locality-wait-3s", "--quiet", "--seeds", "2", "--variant", "ratio:", "--variant", "naive: --placement naive")
	if !strings.Contains(strings.Join(strings.Fields(text), " "), "Left out, without a number in both or over next to nothing: 5 metrics (containers on a host asked for, of which naive has none: no container was matched to a request with preferred hosts; ") {
		t.Errorf("what was left out is not said:\n%s", text)
	}
}

// Replays that --until cuts off are compared over the jobs that finished in both, and the text says how many that are.
func TestCutOffReplaysArePaired(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	stdout := must(t, "compare", traces+"uniform-micro", "--quiet", "--seeds", "2", "--until", "300s", "--formats", "none", "--out", out,
		"--variant", "a:", "--variant", "slow: --model am-start-ms=9000")
	if strings.Contains(stdout, "no verdict") || !strings.Contains(stdout, "Seen: mean wait") {
		t.Errorf("no verdict on jobs that both finish:\n%s", stdout)
	}
	soon := must(t, "compare", traces+"uniform-micro", "--quiet", "--seeds", "5", "--until", "1s", "--variant", "a:", "--variant", "b: --sharing drf")
	if !strings.Contains(strings.Join(strings.Fields(soon), " "), "No difference between b and a, up to 1.00 s: no decision and no metric differs") {
		t.Errorf("until when nothing differs is not said:\n%s", soon)
	}
	words := strings.Join(strings.Fields(stdout), " ")
	if !strings.Contains(words, " jobs finished in all of them. Those that were still waiting or not finished in one (") {
		t.Errorf("the count of paired jobs is not said:\n%s", stdout)
	}
	var c struct {
		Verdict []struct {
			CutOff int64 `json:"jobs_cut_off"`
			Lost   int64 `json:"jobs_lost"`
		}
		Variants []struct {
			Outcome struct {
				Jobs, Succeeded int64
				NotSubmitted    int64 `json:"not_submitted"`
			}
		}
		Metrics []struct {
			Metric   string
			N        int64
			Variants []struct{ Finding, Untested string }
		}
	}
	if err := json.Unmarshal([]byte(files(t, out)["comparison.json"]), &c); err != nil {
		t.Fatal(err)
	}
	a, slow := c.Variants[0].Outcome.Succeeded, c.Variants[1].Outcome.Succeeded
	o := c.Variants[0].Outcome
	if o.Jobs != 2*100 || o.NotSubmitted == 0 {
		t.Errorf("%d of %d jobs not submitted, want some of 200", o.NotSubmitted, o.Jobs)
	}
	if c.Verdict[0].CutOff == 0 || c.Verdict[0].Lost != 0 || a == slow {
		t.Errorf("verdict %+v with %d and %d jobs done: nothing is cut off", c.Verdict[0], a, slow)
	}
	for _, m := range c.Metrics {
		switch m.Metric {
		case "duration_job_mean_ms":
			if 2*m.N != o.Jobs-o.NotSubmitted {
				t.Errorf("durations are over %d jobs in each of two seeds, %d are submitted in all", m.N, o.Jobs-o.NotSubmitted)
			}
		case "makespan_ms":
			if m.Variants[1].Untested == "" {
				t.Error("the makespan of replays that were cut off is tested")
			}
		}
	}
}

// Files for machines begin with what became of the jobs.
func TestOutcomesInCSV(t *testing.T) {
	trace, alone := failingNodes(t)
	out := filepath.Join(t.TempDir(), "out")
	cmd(t, "compare", trace, "--quiet", "--seeds", "1", "--formats", "none", "--out", out, "--variant", "two:", "--variant", "one: "+strings.Join(alone, " "))
	csv := files(t, out)["comparison.csv"]
	for _, want := range []string{"\njobs_succeeded,count,two,40,,,,,,,40,\n", "\njobs_succeeded,count,one,36,", "\njobs_failed,count,one,4,", "\njobs_refused,count,one,0,", "\njobs_unfinished,count,two,0,"} {
		if !strings.Contains(csv, want) {
			t.Errorf("no %q in %.400s", want, csv)
		}
	}
}

// What happened in a replay leads its summary: each share with what it is over, and nothing over next to nothing.
func TestSummaryTellsWhatHappened(t *testing.T) {
	text := must(t, "run", traces+"contended-logs", "--quiet")
	at := 0
	for _, want := range []string{"All 56 jobs succeeded", "Jobs waited ", "(56 jobs), ", "of the cluster was allocated, and 2", "two or more at once for ", "tasks on a preferred host", " of 6,776 of 23,104 task attempts",
		"Left out:\n  - containers on a host asked for: ", "scheduler "} {
		i := strings.Index(text[at:], want)
		if i < 0 {
			t.Fatalf("no %q in its place:\n%s", want, text)
		}
		at += i
	}
	if text := must(t, "run", traces+"locality-wait-3s", "--quiet", "--until", "9s"); strings.Contains(text, "Jain") && !strings.Contains(text, "  - Jain") {
		t.Errorf("fairness is a headline where nobody shared:\n%s", text)
	}
}
