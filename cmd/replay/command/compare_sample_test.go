package command

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"replay/cmd/replay/cmdline"
)

// inferred is what comparison.json says of the sample.
type inferred struct {
	Inference struct {
		Unit, Scope, Least string
		N                  int
		Units              []string
		Seeds              [][]uint64
		StoppedBy          string   `json:"stopped_by"`
		Wanted             *float64 `json:"precision_wanted"`
		Reached            *float64 `json:"precision_reached"`
		Margin             float64
	}
	Traces  []struct{ Name, SHA256 string }
	Metrics []struct {
		Metric   string
		Variants []struct {
			Finding string
			ByUnit  []*float64 `json:"by_unit"`
		}
	}
}

func inferredOf(t *testing.T, text string) (c inferred) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// tinyTraces writes n traces below a folder, and returns their folders.
func tinyTraces(t *testing.T, n int) (folder string, dirs []string) {
	t.Helper()
	folder = filepath.Join(t.TempDir(), "weeks")
	for i := range n {
		dir := filepath.Join(folder, "week-"+string(rune('a'+i)))
		must(t, "gen", "uniform-micro", "--jobs", "6", "--nodes", "4", "--seed", string(rune('1'+i)), "--name", filepath.Base(dir), "--out", dir)
		dirs = append(dirs, dir)
	}
	return folder, dirs
}

// Without --seeds replays are added until the headline metrics are known as precisely as asked, and the answer says how many it took.
func TestStopsByPrecision(t *testing.T) {
	_, dirs := tinyTraces(t, 1)
	args := []string{"compare", dirs[0], "--quiet", "--variant", "now:", "--variant", "slow: --model am-start-ms=9000"}
	for _, tt := range []struct {
		flags, by, said string
		n               int
	}{
		{"--precision 900", "precision", "5 seeds: every headline metric is known to within 900 %.", 5},
		{"--precision 0.0001 --max-seeds 8", "limit", "8 seeds, the limit: ", 8},
		{"--seeds 6", "given", "", 6},
		{"--seeds 2", "given", "2 seeds are too little evidence (5 at least)", 2},
	} {
		more := append(args, strings.Fields(tt.flags)...)
		text := strings.Join(strings.Fields(must(t, more...)), " ")
		c := inferredOf(t, must(t, append(more, "--json", "--jobs", "3")...)).Inference
		if c.StoppedBy != tt.by || c.N != tt.n || len(c.Seeds[1]) != tt.n || (c.Wanted == nil) != (tt.by == "given") || c.Unit != "seed" || !strings.Contains(text, tt.said) {
			t.Errorf("%s: %+v, want %d by %q, and %q in\n%s", tt.flags, c, tt.n, tt.by, tt.said, text)
		}
		if tt.n >= 5 && !strings.Contains(text, "or this trace ("+c.Scope[len("for this trace ("):]) {
			t.Errorf("%s: no %q in\n%s", tt.flags, c.Scope, text)
		}
	}
	one, three := must(t, append(args, "--json", "--max-seeds", "7", "--jobs", "1")...), must(t, append(args, "--json", "--max-seeds", "7", "--jobs", "3")...)
	if one != three {
		t.Error("how many replays run at once changes the comparison")
	}
}

// The same policy on seeds of its own is not called better or worse, and its pairs are said to share nothing.
func TestVariantWithSeedsOfItsOwn(t *testing.T) {
	_, dirs := tinyTraces(t, 1)
	args := []string{"compare", dirs[0], "--quiet", "--seeds", "5", "--variant", "a:", "--variant", "again: --seed 100"}
	c := inferredOf(t, must(t, append(args, "--json")...))
	if !slices.Equal(c.Inference.Seeds[0], []uint64{1, 2, 3, 4, 5}) || !slices.Equal(c.Inference.Seeds[1], []uint64{100, 101, 102, 103, 104}) {
		t.Errorf("seeds %v", c.Inference.Seeds)
	}
	for _, m := range c.Metrics {
		if f := m.Variants[1].Finding; slices.Contains([]string{"better", "worse", "higher", "lower"}, f) {
			t.Errorf("%s is called %q against itself", m.Metric, f)
		}
	}
	if text := must(t, args...); !strings.Contains(strings.Join(strings.Fields(text), " "), "share no random streams") {
		t.Errorf("the text does not say that the seeds differ:\n%s", text)
	}
}

// Where there are several traces or windows, a job that is named is said to be of one of them: each counts its jobs from 0.
func TestCompareNamesTheTraceOfAJob(t *testing.T) {
	_, dirs := tinyTraces(t, 2)
	fails := []string{"--seeds", "1", "--variant", "now: --conf spark.executor.cores=900", "--variant", "slow: --conf spark.executor.cores=900 --model am-start-ms=9000"}
	sweepPlan := filepath.Join(t.TempDir(), "plan.yaml")
	if err := os.WriteFile(sweepPlan, fmt.Appendf(nil, "traces: %s\nflags: --conf spark.executor.cores=900\n", dirs[1]), 0o644); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(t.TempDir(), "maps")
	must(t, "gen", "uniform-micro", "--jobs", "6", "--kind", "mapreduce", "--name", "maps", "--out", other, "-q")
	for _, tt := range []struct {
		line         []string
		outcome, err string
	}{
		{[]string{"compare", dirs[0], other, "--variant", "now:", "--variant", "at-once: --conf spark.locality.wait=0s"}, "2 traces are too little evidence", "warning: maps: --conf: no Spark application is replayed, so these keys have no effect: spark.locality.wait"},
		{slices.Concat([]string{"compare"}, dirs, fails), "12 jobs failed, the first is job 0 (uniform) of week-a: ", "week-b: job 0 (uniform) failed: "},
		{slices.Concat([]string{"compare", dirs[0], "--windows", "2"}, fails), "6 jobs failed, the first is job 0 (uniform) of window 1: ", "window-2: job 0 (uniform) failed: "},
		{slices.Concat([]string{"compare", dirs[0]}, fails), "6 jobs failed, the first is job 0 (uniform): ", "jobs, the first: job 0 (uniform) failed: "},
		{[]string{"sweep", sweepPlan, "--out", filepath.Join(t.TempDir(), "out")}, "", "week-b: 6 jobs, the first: job 0 (uniform) failed: "},
	} {
		_, stdout, stderr := cmd(t, tt.line...)
		if !strings.Contains(stdout, tt.outcome) || !strings.Contains(stderr, tt.err) {
			t.Errorf("%q: want %q and %q in\n%s\n%s", tt.line, tt.outcome, tt.err, stdout, stderr)
		}
	}
}

// Of several traces each is one of the sample; the comparison is made again from its own description, and so is each replay.
func TestCompareOnSeveralTraces(t *testing.T) {
	folder, dirs := tinyTraces(t, 5)
	list := filepath.Join(filepath.Dir(folder), "list.txt")
	if err := os.WriteFile(list, []byte("# two of them\nweeks/week-b\n\nweeks/week-a\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	first, again, alone := filepath.Join(out, "first"), filepath.Join(out, "again"), filepath.Join(out, "alone")
	variants := []string{"--quiet", "--variant", "now:", "--variant", "slow: --model am-start-ms=9000"}
	text := must(t, append(append([]string{"compare"}, dirs...), append(variants, "--formats", "svg", "--results", "--out", first)...)...)
	answer := strings.Join(strings.Fields(text), " ")
	if !strings.HasPrefix(answer, "For workloads like these 5 traces, slow against now is worse in") || !strings.Contains(answer, "jobs, over 5 traces") {
		t.Errorf("the answer is not about traces:\n%s", text)
	}
	written := files(t, first)
	c := inferredOf(t, written["comparison.json"])
	if c.Inference.Unit != "trace" || c.Inference.N != 5 || c.Inference.Units[4] != "week-e" || len(c.Traces) != 5 || c.Traces[0].Name != "week-a" || len(c.Traces[4].SHA256) != 64 {
		t.Errorf("%+v of %+v", c.Inference, c.Traces)
	}
	for _, where := range []string{folder, filepath.Join(folder, "week-*")} {
		if js := must(t, append([]string{"compare", "--traces", where, "--json"}, variants...)...); js == "" || inferredOf(t, js).Inference.N != 5 {
			t.Errorf("--traces %s gives something else", where)
		}
	}
	if c := inferredOf(t, must(t, append([]string{"compare", "--traces", list, "--seeds", "2", "--json"}, variants...)...)); !slices.Equal(c.Inference.Units, []string{"week-b", "week-a"}) || len(c.Inference.Seeds[0]) != 4 || len(c.Metrics[0].Variants[0].ByUnit) != 2 {
		t.Errorf("two traces of a list with two seeds: %+v", c.Inference)
	}
	must(t, "compare", "--from", filepath.Join(first, "comparison.json"), folder, "--quiet", "-j", "1", "--out", again)
	equalFiles(t, first, again)
	if text := must(t, "report", "--compare", filepath.Join(first, "runs", "now"), filepath.Join(first, "runs", "slow")); !strings.HasPrefix(strings.Join(strings.Fields(text), " "), answer[:strings.Index(answer, "base:")]) {
		t.Errorf("the results compared again:\n%s\nwant the answer\n%s", text, answer)
	}
	run := filepath.Join(first, "runs", "slow", "week-d", "seed-1")
	must(t, "run", "--from", filepath.Join(run, "run.json"), folder, "--quiet", "--out", alone)
	equalFiles(t, run, alone)

	for _, tt := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{dirs[0], dirs[0]}, cmdline.ExitUsage, "are the same trace"},
		{[]string{dirs[0], dirs[1], "--precision", "2"}, cmdline.ExitUsage, "--precision is for one trace"},
		{[]string{dirs[0], "--precision", "2", "--seeds", "3"}, cmdline.ExitUsage, "--seeds fixes the number"},
		{[]string{dirs[0], "--precision", "0"}, cmdline.ExitUsage, "--precision is \"0\", want a positive number"},
		{[]string{dirs[0], "--max-seeds", "4"}, cmdline.ExitUsage, "--max-seeds is \"4\", want 5 to 10000"},
		{[]string{dirs[0], "--margin", "-1"}, cmdline.ExitUsage, "--margin is \"-1\", want a number of 0 or more"},
		{[]string{"--traces", out + "/none*"}, cmdline.ExitBadInput, "no trace there"},
		{[]string{dirs[0], filepath.Join(folder, "week-z")}, cmdline.ExitBadInput, "week-z"},
		{nil, cmdline.ExitUsage, "compare wants a TRACE directory, or several, or --traces"},
		{[]string{"--from", filepath.Join(first, "comparison.json"), dirs[0]}, cmdline.ExitBadInput, "was made from the trace week-b ("},
		{append([]string{"--from", filepath.Join(first, "comparison.json"), folder}, dirs...), cmdline.ExitUsage, "wants 5 traces or none, got 6"},
	} {
		more := variants
		if slices.Contains(tt.args, "--from") {
			more = nil
		}
		if code, _, stderr := cmd(t, append(append([]string{"compare"}, tt.args...), more...)...); code != tt.code || !strings.Contains(stderr, tt.want) {
			t.Errorf("%q: exit %d, %q; want %d and %q", tt.args, code, stderr, tt.code, tt.want)
		}
	}
}

// The windows of a trace are its jobs, each once, replayed as traces of their own; a replay of a window is made again by itself.
func TestCompareOnWindows(t *testing.T) {
	dir, out := filepath.Join(t.TempDir(), "long"), filepath.Join(t.TempDir(), "out")
	must(t, "gen", "uniform-micro", "--jobs", "60", "--nodes", "5", "--out", dir)
	variants := []string{"--quiet", "--variant", "now:", "--variant", "slow: --model am-start-ms=9000"}
	text := must(t, append([]string{"compare", dir, "--windows", "6", "--formats", "none", "--results", "--out", out}, variants...)...)
	if answer := strings.Join(strings.Fields(text), " "); !strings.HasPrefix(answer, "For workloads like the 6 windows of this trace, slow against now is worse in") || !strings.Contains(answer, "jobs, over 6 windows now slow succeeded 60 60 ") {
		t.Errorf("the answer is not about windows of all jobs:\n%s", text)
	} else if !strings.Contains(answer, " Short windows: each is ") {
		t.Errorf("windows in which hardly a job waits for those before it are not said to be short:\n%s", text)
	}
	if text := must(t, append([]string{"compare", dir, "--windows", "2", "--load", "0.05", "--formats", "none"}, variants...)...); strings.Contains(text, "Short windows") {
		t.Errorf("windows of hours are said to be short:\n%s", text)
	}
	c := inferredOf(t, files(t, out)["comparison.json"])
	var raw struct {
		Inference struct {
			Windows []struct {
				From int64 `json:"from_ms"`
				To   int64 `json:"to_ms"`
			}
			Correlation *float64 `json:"autocorrelation"`
		}
	}
	if err := json.Unmarshal([]byte(files(t, out)["comparison.json"]), &raw); err != nil {
		t.Fatal(err)
	}
	ws := raw.Inference.Windows
	if c.Inference.Unit != "window" || c.Inference.N != 6 || len(c.Traces) != 1 || len(ws) != 6 || raw.Inference.Correlation == nil {
		t.Fatalf("%+v, windows %+v", c.Inference, ws)
	}
	for i, w := range ws {
		if w.To <= w.From || i > 0 && w.From != ws[i-1].To {
			t.Errorf("window %d is %+v after %+v", i, w, ws[max(i-1, 0)])
		}
	}
	again, alone := out+"-again", out+"-alone"
	must(t, "compare", "--from", filepath.Join(out, "comparison.json"), dir, "--quiet", "-j", "1", "--out", again)
	equalFiles(t, out, again)
	run := filepath.Join(out, "runs", "slow", "window-4", "seed-1")
	must(t, "run", "--from", filepath.Join(run, "run.json"), dir, "--quiet", "--out", alone)
	equalFiles(t, run, alone)

	found := inferredOf(t, must(t, append([]string{"compare", dir, "--windows", "auto", "--json"}, variants...)...))
	if n := found.Inference.N; n < 6 || n > 24 {
		t.Errorf("%d windows, want 6 to 24", n)
	}
	for _, tt := range []struct {
		args string
		code int
		want string
	}{
		{"compare DIR DIR --windows 6", cmdline.ExitUsage, "--windows is for one trace"},
		{"compare DIR --windows 1", cmdline.ExitUsage, `--windows is "1", want 2 to 1000, or auto`},
		{"compare DIR --windows 6 --precision 2", cmdline.ExitUsage, "--precision is for one trace as a whole"},
		{"compare DIR --windows 900", cmdline.ExitBadInput, "nothing is submitted in window "},
		{"run DIR --window 5..2", cmdline.ExitUsage, `--window is "5..2", want FROM..TO`},
		{"run DIR --window 100h..101h", cmdline.ExitBadInput, "nothing is submitted from 4.17 d to 4.21 d, the last job at "},
	} {
		args := strings.Fields(strings.ReplaceAll(tt.args, "DIR", dir))
		if args[0] == "compare" {
			args = append(args, variants...)
		}
		if code, _, stderr := cmd(t, args...); code != tt.code || !strings.Contains(stderr, tt.want) {
			t.Errorf("%s: exit %d, %q; want %d and %q", tt.args, code, stderr, tt.code, tt.want)
		}
	}
}
