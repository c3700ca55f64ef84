package command

import (
	"fmt"
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
	hosts := filepath.Join(t.TempDir(), "hosts.csv")
	if err := os.WriteFile(hosts, []byte("job_id,submit_time,run_s,host\n1,0,60,a\n2,10,60,b\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	const class = "how large the nodes are: they are of a usual size, or as large as what ran on one"
	const use, load = "the recording does not say how large the nodes are: they are as large as", "the source names no nodes: they are made up"
	for _, tt := range []struct{ args, want string }{
		{"spark-eventlog " + log, use},
		{"spark-eventlog " + log + " --node-mem 65536", use},
		{"spark-eventlog " + log + " --node-mem 65536 --node-vcores 16", ""},
		{"spark-eventlog " + log + " --nodes 6", ""},
		{"csv " + table, load},
		{"csv " + hosts, class},
		{"csv " + hosts + " --node-mem 65536 --node-vcores 16", ""},
		{"csv " + table + " --nodes 3", ""},
	} {
		dir := filepath.Join(t.TempDir(), "trace")
		must(t, append([]string{"import", "--out", dir, "-q"}, strings.Fields(tt.args)...)...)
		text := must(t, "run", dir, "-q")
		for _, sentence := range []string{use, class, load} {
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

// Recordings of clusters that have no host in common are said to be of several by whatever looks at the trace, and not where the nodes are others.
func TestRecordingsOfSeveralClusters(t *testing.T) {
	folder := t.TempDir()
	for i, host := range []string{"east-1", "west-1"} {
		line := func(format string, args ...any) string { return fmt.Sprintf(format, args...) + "\n" }
		log := line(`{"Event":"SparkListenerLogStart","Spark Version":"3.5.5"}`) +
			line(`{"Event":"SparkListenerEnvironmentUpdate","Spark Properties":{"spark.master":"yarn","spark.executor.instances":"1"}}`) +
			line(`{"Event":"SparkListenerApplicationStart","App Name":"a","App ID":"application_17%d_0001","Timestamp":1000,"User":"u"}`, i) +
			line(`{"Event":"SparkListenerExecutorAdded","Timestamp":3000,"Executor ID":"1","Executor Info":{"Host":%q,"Total Cores":1,"Log Urls":{}}}`, host) +
			line(`{"Event":"SparkListenerJobStart","Job ID":0,"Submission Time":5000,"Stage Infos":[{"Stage ID":0,"Stage Attempt ID":0,"Stage Name":"s","Number of Tasks":1,"RDD Info":[],"Parent IDs":[]}],"Stage IDs":[0],"Properties":{}}`) +
			line(`{"Event":"SparkListenerStageSubmitted","Stage Info":{"Stage ID":0,"Stage Attempt ID":0,"Stage Name":"s","Number of Tasks":1,"RDD Info":[],"Parent IDs":[],"Submission Time":5000}}`) +
			line(`{"Event":"SparkListenerTaskStart","Stage ID":0,"Stage Attempt ID":0,"Task Info":{"Task ID":0,"Index":0,"Partition ID":0,"Launch Time":5100,"Executor ID":"1","Host":%q,"Locality":"ANY","Speculative":false}}`, host) +
			line(`{"Event":"SparkListenerTaskEnd","Stage ID":0,"Stage Attempt ID":0,"Task Type":"ResultTask","Task End Reason":{"Reason":"Success"},"Task Info":{"Task ID":0,"Index":0,"Partition ID":0,"Launch Time":5100,"Executor ID":"1","Host":%q,"Locality":"ANY","Finish Time":6100},"Task Metrics":{"Executor Run Time":800}}`, host) +
			line(`{"Event":"SparkListenerStageCompleted","Stage Info":{"Stage ID":0,"Stage Attempt ID":0,"Stage Name":"s","Number of Tasks":1,"RDD Info":[],"Parent IDs":[],"Submission Time":5000,"Completion Time":6200}}`) +
			line(`{"Event":"SparkListenerJobEnd","Job ID":0,"Completion Time":6300,"Job Result":{"Result":"JobSucceeded"}}`) +
			line(`{"Event":"SparkListenerApplicationEnd","Timestamp":9000}`)
		if err := os.WriteFile(filepath.Join(folder, host), []byte(log), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	dir, hidden, one := filepath.Join(t.TempDir(), "trace"), filepath.Join(t.TempDir(), "anonymous"), filepath.Join(t.TempDir(), "one")
	must(t, "import", "spark-eventlog", folder, "--out", dir, "-q")
	must(t, "trace", "anonymize", dir, "--out", hidden, "-q")
	must(t, "import", "spark-eventlog", folder, "--nodes", "1", "--out", one, "-q")
	const said = "the recordings seem to be of 2 clusters, as none names a host of another: the trace has the 2 hosts of all"
	for _, tt := range []struct {
		args []string
		want bool
	}{{[]string{"run", dir}, true}, {[]string{"run", hidden}, true}, {[]string{"run", dir, "--nodes", "3"}, false}, {[]string{"run", one}, false}} {
		if _, stdout, stderr := cmd(t, append(tt.args, "-q")...); strings.Contains(strings.Join(strings.Fields(stdout+stderr), " "), said) != tt.want {
			t.Errorf("%v says so: want %v in\n%s%s", tt.args, tt.want, stdout, stderr)
		}
	}
	if text := must(t, "trace", "info", dir); !strings.Contains(text, "2 that have no host in common, the largest of 1 host: their 2 hosts are one cluster here") {
		t.Errorf("trace info has\n%s", text)
	}
}

// What waits for room on nodes that nobody described is held back by what was made up: who asks for more than was recorded is told, by variant and by value of a plan, and
// not where nodes are stated or have room.
func TestShortOfNodesThatNobodyStated(t *testing.T) {
	table := "job_id,submit_time,run_s,vcores\n"
	for i := range 200 {
		table += fmt.Sprintf("%d,%d,60,4\n", i, 10*i)
	}
	file := filepath.Join(t.TempDir(), "jobs.csv")
	if err := os.WriteFile(file, []byte(table), 0o644); err != nil {
		t.Fatal(err)
	}
	dir, stated := filepath.Join(t.TempDir(), "trace"), filepath.Join(t.TempDir(), "stated")
	must(t, "import", "csv", file, "--out", dir, "-q")
	must(t, "import", "csv", file, "--out", stated, "-q", "--nodes", "3")
	const short = " of the time some queue wanted more than it got, with "
	const many = "--load 2"
	if text := must(t, "run", dir, "-q"); strings.Contains(text, short) {
		t.Errorf("as recorded it has room: %s", text)
	}
	more := append([]string{"-q"}, strings.Fields(many)...)
	if text := must(t, append([]string{"run", dir}, more...)...); !strings.Contains(text, short) {
		t.Errorf("nothing is said of what waits for room: %s", text)
	}
	if text := must(t, append([]string{"run", stated}, more...)...); strings.Contains(text, short) {
		t.Errorf("the nodes are stated: %s", text)
	}
	if _, _, stderr := cmd(t, "compare", dir, "--seeds", "2", "--variant", "now:", "--variant", "many: "+many); !strings.Contains(stderr, "warning: many: for ") || strings.Contains(stderr, "warning: now: for ") {
		t.Error(stderr)
	}
	cells := filepath.Join(t.TempDir(), "plan.yaml")
	if err := os.WriteFile(cells, []byte("traces: ["+dir+"]\nseeds: 1..3\nloads: [2, 2.5, 3]\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, _, stderr := cmd(t, "sweep", cells, "--out", filepath.Join(t.TempDir(), "sweep")); strings.Count(stderr, short) != 1 {
		t.Errorf("nine cells are told of once: %s", stderr)
	}
	_, text, _ := cmd(t, "plan", dir, "--max-seeds", "5", "--hold", "mean(duration) < 1s", "--vary", "load=0.1,2", "-q")
	if text = strings.Join(strings.Fields(text), " "); strings.Count(text, short) != 1 || !strings.Contains(text, "At load = 2, for ") {
		t.Error(text)
	}
}

// Nodes that --nodes adds have no blocks, which takes locality from tasks that prefer hosts: it is said once, whatever the number, and not where none are added or nothing is preferred.
func TestAddedNodes(t *testing.T) {
	const added = "nodes that --nodes adds hold none of the blocks"
	_, _, stderr := cmd(t, "compare", traces+"uniform-micro", "--seeds", "2", "--variant", "now:", "--variant", "more: --nodes 30", "--variant", "most: --nodes 40", "--variant", "fewer: --nodes 8")
	if strings.Count(stderr, added) != 1 {
		t.Error(stderr)
	}
	if text := must(t, "run", traces+"uniform-micro", "-q", "--nodes", "8"); strings.Contains(text, added) {
		t.Errorf("none is added: %s", text)
	}
	dir := filepath.Join(t.TempDir(), "trace")
	must(t, "import", "spark-eventlog", importData+"spark-eventlog/eventlogs/app-20261121064901-0000.zstd", "--out", dir, "-q", "--blocks", "none")
	if text := must(t, "run", dir, "-q", "--nodes", "30"); strings.Contains(text, added) {
		t.Errorf("nothing is preferred: %s", text)
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

// Jobs that failed where they were recorded succeed in a replay, which says so.
func TestJobsThatEndWellHere(t *testing.T) {
	for statuses, want := range map[[3]string]string{
		{"COMPLETED", "COMPLETED", "COMPLETED"}: "",
		{"FAILED", "COMPLETED", "COMPLETED"}:    "The trace records one of the jobs that succeeded as failed or killed: it is replayed as far as it got there.",
		{"FAILED", "CANCELLED", "COMPLETED"}:    "The trace records 2 of the jobs that succeeded as failed or killed: they are replayed as far as they got there.",
	} {
		table, dir, text := filepath.Join(t.TempDir(), "jobs.csv"), filepath.Join(t.TempDir(), "trace"), "job_id,submit_time,run_s,status\n"
		for i, s := range statuses {
			text += fmt.Sprintf("%d,%d,60,%s\n", i, i, s)
		}
		if err := os.WriteFile(table, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		must(t, "import", "csv", table, "--nodes", "3", "--out", dir, "-q")
		if got := must(t, "run", dir, "-q"); !strings.Contains(got, want) || want == "" && strings.Contains(got, "failed or killed") {
			t.Errorf("%v: want %q in\n%s", statuses, want, got)
		}
	}
}

// Files of text that are packed are called so by whatever reads them, before a line of them is called wrong.
func TestPackedTexts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file.gz")
	if err := os.WriteFile(path, []byte("\x1f\x8b\b\x00rest"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range []string{"run TRACE --yarn-site", "run TRACE --fair-scheduler", "run TRACE --spark-defaults", "run TRACE --policy", "run TRACE --model-file", "run TRACE --prices",
		"gate TRACE --base traces --head traces --slo", "sweep --out none", "tune --out none"} {
		_, _, stderr := cmd(t, append(strings.Fields(strings.ReplaceAll(args, "TRACE", traces+"uniform-micro")), path)...)
		if want := path + ": is packed with gzip, want the text in it: unpack it first (gunzip)"; !strings.Contains(stderr, want) {
			t.Errorf("%s: %q, want %q", args, stderr, want)
		}
	}
}
