package command

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"replay/cmd/replay/cmdline"
)

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
