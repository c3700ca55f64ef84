package command

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"replay/cmd/replay/cmdline"
)

// Nodes of which nobody stated the size are the least that ran on them, so what asks for more waits there: each replay on them says so, and none on nodes that were stated.
func TestNodesThatNobodyStated(t *testing.T) {
	log := importData + "spark-eventlog/eventlogs/app-20261121064901-0000.zstd"
	table := filepath.Join(t.TempDir(), "jobs.csv")
	if err := os.WriteFile(table, []byte("job_id,submit_time,run_s\n1,0,60\n2,10,60\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if text := must(t, "backtest", log, "-q", "--json"); strings.Contains(text, "how large the nodes are") {
		t.Errorf("a backtest has executors where they were, want nothing told of nodes in\n%s", text)
	}
	const use, load = "the recording does not say how large the nodes are", "the source names no nodes: they are made up"
	for _, tt := range []struct{ args, want string }{
		{"spark-eventlog " + log, use},
		{"spark-eventlog " + log + " --node-mem 65536", use},
		{"spark-eventlog " + log + " --node-mem 65536 --node-vcores 16", ""},
		{"spark-eventlog " + log + " --nodes 6", ""},
		{"csv " + table, load},
		{"csv " + table + " --nodes 3", ""},
	} {
		dir := filepath.Join(t.TempDir(), "trace")
		must(t, append([]string{"import", "--out", dir, "-q"}, strings.Fields(tt.args)...)...)
		text := must(t, "run", dir, "-q")
		for _, sentence := range []string{use, load} {
			if strings.Contains(text, sentence) != (sentence == tt.want) {
				t.Errorf("run of import %s: want %q alone in\n%s", tt.args, tt.want, text)
			}
		}
		hidden := filepath.Join(t.TempDir(), "anonymous")
		must(t, "trace", "anonymize", dir, "--out", hidden, "-q")
		if text := must(t, "run", hidden, "-q"); tt.want != "" && !strings.Contains(text, tt.want) {
			t.Errorf("without names: want %q in\n%s", tt.want, text)
		}
	}
}

// Jobs that the placement rules of a file that is handed in put into another queue than the one that they name are counted, with the first.
func TestJobsPlacedElsewhere(t *testing.T) {
	dir := t.TempDir()
	rules := func(name, file string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(`<?xml version="1.0"?><allocations>`+file+`</allocations>`), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const queues, specified = `<queue name="b"/><queue name="rest"/>`, `<queuePlacementPolicy><rule name="specified" create="false"/><rule name="default" queue="root.rest"/></queuePlacementPolicy>`
	text := must(t, "run", traces+"fair-weights", "-q", "--fair-scheduler", rules("moved.xml", queues+specified))
	all := must(t, "run", traces+"fair-weights", "-q", "--fair-scheduler", rules("all.xml", `<queue name="a"/><queue name="c"/>`+queues+specified))
	if !strings.Contains(text, "is in root.a in the trace, the placement rules put it in root.rest") || strings.Contains(text, "root.b in the trace") {
		t.Errorf("want the jobs of root.a told in\n%s", text)
	}
	if strings.Contains(all, "placement rules") {
		t.Errorf("want nothing told of jobs that stay in their queue in\n%s", all)
	}
}

// A log that has been through a tool with numbers of one kind only is the same log.
func TestLogWithFloats(t *testing.T) {
	hash := func(text string) string {
		dir := t.TempDir()
		log := filepath.Join(dir, "app-1")
		if err := os.WriteFile(log, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		code, stdout, stderr := replay(t, "import", "spark-eventlog", log, "--out", filepath.Join(dir, "trace"), "--json", "-q")
		found := regexp.MustCompile(`"hash": "([0-9a-f]{64})"`).FindStringSubmatch(stdout)
		if code != cmdline.ExitDone || found == nil {
			t.Fatalf("exit code %d: %s\n%s", code, stdout, stderr)
		}
		return found[1]
	}
	floats := regexp.MustCompile(`([:\[,])(\d+)([,}\]])`).ReplaceAllString(lostLog, "$1$2.0$3")
	floats = strings.Replace(floats, `"Completion Time":20000.0`, `"Completion Time":2e4`, 1)
	if strings.Count(floats, ".0") < 30 {
		t.Fatalf("hardly a number is another one in\n%s", floats)
	}
	if got, want := hash(floats), hash(lostLog); got != want {
		t.Errorf("the trace is %s, want %s", got, want)
	}
}
