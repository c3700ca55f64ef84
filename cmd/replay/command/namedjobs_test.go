package command

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"replay/cmd/replay/cmdline"
	"replay/engine/scenario"
)

// A change calls its job by its number, its name or its id, and the number it stands for is that of [cmdline.JobCalled].
func TestChangesOfNamedJobs(t *testing.T) {
	jobs := func(yield func(cmdline.Called) bool) {
		for i, c := range []cmdline.Called{{Name: "nightly load", ID: "application_1_0001"}, {Name: "on call", ID: "7"}, {Name: "twice"}, {Name: "twice"}} {
			if c.Number = int64(i); !yield(c) {
				return
			}
		}
	}
	for _, tt := range []struct{ text, want, wrong string }{
		{"without job 1", "without job 1", ""},
		{"without job application_1_0001", "without job 0", ""},
		{"without  job nightly load ", "without job 0", ""},
		{"without job id 7", "without job 1", ""},
		{"container 3 of job on call on node not", "", "one of"},
		{"container 3 of job on call not on h", "container 3 of job 1 not on h", ""},
		{"container 3 of job on call on h", "container 3 of job 1 on h", ""},
		{"without job twice", "", `--change "without job twice": 2 jobs are called "twice", by number: 2, 3`},
		{"without job hourly", "", `--change "without job hourly": none of the 4 jobs of the trace, 0 to 3, has the number, name or id "hourly"; near it: `},
		{"without job", "", "one of"},
		{"container x of job twice on h", "", `"x" is no number`},
		{"container 3 of job twice", "", "one of"},
		{"keep node h", "keep node h", ""},
	} {
		change, err := parseChange(tt.text)
		if err == nil {
			change, err = numbered(change, "the trace", jobs)
		}
		switch {
		case tt.wrong != "" && (err == nil || !strings.Contains(err.Error(), tt.wrong)):
			t.Errorf("%q: %v, want %q", tt.text, err, tt.wrong)
		case tt.wrong == "" && (err != nil || change.Text != tt.want):
			t.Errorf("%q: %q, %v; want %q", tt.text, change.Text, err, tt.want)
		}
	}
}

// A name that has not been looked up stands for no job, whoever forgets it.
func TestUnnumberedChangeIsRefused(t *testing.T) {
	change, err := parseChange("without job nightly")
	if err != nil {
		t.Fatal(err)
	}
	o := scenario.DefaultOptions()
	o.Changes = []scenario.Change{change}
	open, err := cmdline.OpenTrace(traces + "fair-weights")
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	if _, err := scenario.FromTrace(open, o); err == nil || !strings.Contains(err.Error(), `--change "without job nightly": there is no job 9223372036854775807`) {
		t.Errorf("error is %v", err)
	}
}

// By its number and by its name a change makes the same replays, in all commands that take one, and a result with it makes itself again.
func TestCommandsTakeNamedJobs(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	hash := func(name string) string {
		again, err := resultAgain(at(name), "")
		if err != nil {
			t.Fatal(err)
		}
		return again.manifest.DecisionHash
	}
	must(t, "run", traces+"fair-weights", "--formats", "none", "-q", "--checkpoint-at", "3s", "--out", at("now"))
	for name, change := range map[string]string{"number": "without job 1", "name": "without job w2"} {
		must(t, "run", traces+"fair-weights", "--formats", "none", "-q", "--change", change, "--out", at(name))
		must(t, "whatif", at("now"), "--trace", traces+"fair-weights", "--change", change, "--out", at("of-"+name))
		must(t, "run", traces+"fair-weights", "--from", at(name), "-q", "--out", at("again-"+name))
	}
	for _, name := range []string{"of-number", "again-number", "name", "of-name", "again-name"} {
		if hash(name) != hash("number") {
			t.Errorf("%s has the decisions %s, want %s", name, hash(name), hash("number"))
		}
	}
	code, _, stderr := cmd(t, "compare", traces+"contended-logs", "--windows", "5", "-q", "--variant", "all:", "--variant", "fewer: --change 'without job nobody'")
	if want := "jobs of a window of the trace, 0 to "; code != cmdline.ExitUsage || !strings.Contains(stderr, want) {
		t.Errorf("a job that a window lacks: exit %d, %s; want %q", code, stderr, want)
	}
	if hash("number") == hash("now") {
		t.Error("the change changes nothing")
	}
	a, b := at("a"), at("b")
	must(t, "compare", traces+"fair-weights", "--seeds", "2", "--allow-failures", "-q", "--variant", "all:", "--variant", "fewer: --change 'without job 1'", "--out", a)
	must(t, "compare", traces+"fair-weights", "--seeds", "2", "--allow-failures", "-q", "--variant", "all:", "--variant", "fewer: --change 'without job w2'", "--out", b)
	var pictures [2][]byte
	for i, dir := range []string{a, b} {
		var err error
		if pictures[i], err = os.ReadFile(filepath.Join(dir, "plots", "differences.svg")); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(pictures[0], pictures[1]) {
		t.Error("a comparison says something else of a job by its name than by its number")
	}
}
