package command

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"replay/cmd/replay/cmdline"
	"replay/trace"
)

var updateBacktest = flag.Bool("update-backtest", false, "rewrite the golden files of backtests")

const (
	smallLog     = importData + "spark-eventlog/eventlogs/app-20261121064901-0000.zstd"
	smallCluster = importData + "spark-on-yarn/locality-wait-0s"
)

// A small log and a small cluster: every number of the comparison.
func TestBacktestGolden(t *testing.T) {
	for name, args := range map[string][]string{
		"backtest-log.json":     {smallLog, "--fit"},
		"backtest-cluster.json": {smallCluster, "--seeds", "3"},
	} {
		code, stdout, stderr := replay(t, append([]string{"backtest", "--json", "-q"}, args...)...)
		if code != cmdline.ExitDone {
			t.Fatalf("%s: exit code %d: %s", name, code, stderr)
		}
		path := filepath.Join("testdata", name)
		if *updateBacktest {
			if err := os.MkdirAll("testdata", 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(stdout), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want), stdout); d != "" {
			t.Errorf("%s changed (-want +got); if meant, run with -update-backtest\n%s", name, d)
		}
	}
}

// The fields that others read.
func TestBacktestJSON(t *testing.T) {
	code, stdout, stderr := replay(t, "backtest", smallLog, "--json", "-q")
	if code != cmdline.ExitDone {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	var b struct {
		Applications []map[string]any `json:"applications"`
		Summary      map[string]any   `json:"summary"`
	}
	if err := json.Unmarshal([]byte(stdout), &b); err != nil {
		t.Fatal(err)
	}
	if len(b.Applications) != 1 {
		t.Fatalf("%d applications, want 1", len(b.Applications))
	}
	for _, k := range []string{"id", "name", "recorded_ms", "predicted_ms", "error", "jobs", "stages"} {
		if _, ok := b.Applications[0][k]; !ok {
			t.Errorf("an application has no %q", k)
		}
	}
	if text := must(t, "backtest", smallLog, "-q"); !strings.Contains(text, "of so few, p90 is about the largest: 1 application, ") {
		t.Errorf("the p90 of one application is not said to be its largest in\n%s", text)
	}
	for _, k := range []string{"median_error", "p90_error", "worst_error", "correlation"} {
		if _, ok := b.Summary[k]; !ok {
			t.Errorf("the summary has no %q", k)
		}
	}
}

func TestBacktestCommand(t *testing.T) {
	bad := filepath.Join(t.TempDir(), "model.txt")
	if err := os.WriteFile(bad, []byte("# a comment\nam-start-ms=1\nno-such-ms=2\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "out")
	for _, tt := range []struct {
		args string
		code int
		want string
	}{
		{"", cmdline.ExitUsage, "wants event logs or folders"},
		{"-", cmdline.ExitUsage, "- is standard input, and backtest takes event logs and folders by their names"},
		{smallLog + " --allocation never", cmdline.ExitUsage, `--allocation is "never"`},
		{smallLog + " --latency long", cmdline.ExitUsage, `--latency is "long"`},
		{smallLog + " --seeds 0", cmdline.ExitUsage, "--seeds is 0"},
		{smallLog + " --details 9", cmdline.ExitUsage, "--details"},
		{smallLog + " --leave-one-out", cmdline.ExitUsage, "two or more recordings"},
		{smallLog + " --model-file " + bad, cmdline.ExitBadInput, "model.txt:3: unknown model parameter"},
		{"nothing-here", cmdline.ExitBadInput, "nothing-here"},
		{"../../../traces/uniform-micro", cmdline.ExitBadInput, "traces/uniform-micro: not imported from a recording, so that there is nothing to set predictions beside (no recorded.json in it): want event logs"},
		{smallLog + " --allocation simulated --seeds 1", cmdline.ExitDone, "resource-profiles"},
		{smallLog + " " + smallCluster + " --leave-one-out --details 2", cmdline.ExitDone, "leave one out: applications"},
		{smallCluster + " --latency model --fit --formats svg --out " + out, cmdline.ExitDone, "--model am-start-ms="},
		{smallCluster + " --model-file " + filepath.Join(out, "model.txt"), cmdline.ExitDone, "ask to allocated"},
	} {
		code, stdout, stderr := replay(t, append([]string{"backtest"}, strings.Fields(tt.args)...)...)
		if code != tt.code || !strings.Contains(stdout+stderr, tt.want) {
			t.Errorf("backtest %s: exit code %d, want %d and %q\n%s%s", tt.args, code, tt.code, tt.want, stdout, stderr)
		}
	}
	for _, f := range []string{"backtest.json", "backtest.txt", "report.html", "tasks.parquet", "model.txt", "plots/predicted.svg", "plots/executors-1.svg"} {
		if info, err := os.Stat(filepath.Join(out, f)); err != nil || info.Size() == 0 {
			t.Errorf("--out has no %s: %v", f, err)
		}
	}
}

// What is left out stands in backtest.json with its reason, and on the page.
func TestBacktestListsWhatIsLeftOut(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "logs")
	out := filepath.Join(t.TempDir(), "out")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(smallLog)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{"app-1.zstd": data, "notes": []byte("hello"), "empty": nil} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if code, _, stderr := replay(t, "backtest", dir, "--out", out, "--seeds", "1", "-q"); code != cmdline.ExitDone {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	var dry struct {
		Inputs []struct {
			Path    string
			LeftOut string `json:"left_out"`
		}
	}
	if _, stdout, _ := replay(t, "backtest", dir, "--dry-run", "--json"); json.Unmarshal([]byte(stdout), &dry) != nil || len(dry.Inputs) != 3 || dry.Inputs[2].LeftOut != "empty" {
		t.Errorf("a dry run in JSON: %s", stdout)
	}
	var b struct {
		LeftOut []struct{ Path, Reason, Why string } `json:"left_out"`
	}
	made := files(t, out)
	if err := json.Unmarshal([]byte(made["backtest.json"]), &b); err != nil {
		t.Fatal(err)
	}
	want := []struct{ Path, Reason, Why string }{{"logs/notes", "no recording", "text, not an event log"}, {"logs/empty", "empty", "the file has no bytes, want an event log"}}
	if d := cmp.Diff(want, b.LeftOut); d != "" || !strings.Contains(made["report.html"], "logs/notes") {
		t.Errorf("left out (-want +got), and on the page:\n%s", d)
	}
	if lines := strings.Split(strings.TrimSpace(made["backtest.txt"]), "\n"); !strings.HasPrefix(lines[len(lines)-1], "worst stage: ") {
		t.Errorf("the text ends with %q", lines[len(lines)-1])
	}
}

// lostLog is the log of an application that lost its only executor, among the second of its tasks.
const lostLog = `{"Event":"SparkListenerLogStart","Spark Version":"3.5.5"}
{"Event":"SparkListenerEnvironmentUpdate","Spark Properties":{"spark.master":"spark://m:7077","spark.submit.deployMode":"client"}}
{"Event":"SparkListenerApplicationStart","App Name":"lost","App ID":"app-1","Timestamp":1000,"User":"u"}
{"Event":"SparkListenerExecutorAdded","Timestamp":2000,"Executor ID":"1","Executor Info":{"Host":"h1","Total Cores":1,"Resource Profile Id":0}}
{"Event":"SparkListenerJobStart","Job ID":0,"Submission Time":3000,"Stage Infos":[],"Stage IDs":[0],"Properties":{}}
{"Event":"SparkListenerStageSubmitted","Stage Info":{"Submission Time":3000,"Stage ID":0,"Stage Attempt ID":0,"Stage Name":"map","Number of Tasks":2,"RDD Info":[],"Parent IDs":[]}}
{"Event":"SparkListenerTaskStart","Stage ID":0,"Stage Attempt ID":0,"Task Info":{"Task ID":0,"Index":0,"Partition ID":0,"Launch Time":3000,"Executor ID":"1","Host":"h1","Locality":"PROCESS_LOCAL"}}
{"Event":"SparkListenerTaskEnd","Stage ID":0,"Stage Attempt ID":0,"Task Type":"ResultTask","Task End Reason":{"Reason":"Success"},"Task Info":{"Task ID":0,"Index":0,"Partition ID":0,"Launch Time":3000,"Executor ID":"1","Host":"h1","Locality":"PROCESS_LOCAL","Finish Time":8000},"Task Metrics":{"Executor Run Time":4900}}
{"Event":"SparkListenerTaskStart","Stage ID":0,"Stage Attempt ID":0,"Task Info":{"Task ID":1,"Index":1,"Partition ID":1,"Launch Time":8000,"Executor ID":"1","Host":"h1","Locality":"PROCESS_LOCAL"}}
{"Event":"SparkListenerTaskEnd","Stage ID":0,"Stage Attempt ID":0,"Task Type":"ResultTask","Task End Reason":{"Reason":"ExecutorLostFailure"},"Task Info":{"Task ID":1,"Index":1,"Partition ID":1,"Launch Time":8000,"Executor ID":"1","Host":"h1","Locality":"PROCESS_LOCAL","Finish Time":9000,"Failed":true}}
{"Event":"SparkListenerExecutorRemoved","Timestamp":9000,"Executor ID":"1","Removed Reason":"worker lost: Not receiving heartbeat for 60 seconds"}
{"Event":"SparkListenerJobEnd","Job ID":0,"Completion Time":20000,"Job Result":{"Result":"JobFailed"}}
{"Event":"SparkListenerApplicationEnd","Timestamp":20000}
`

// An application that does not succeed in the replay is in no error; it leads the answer with its reason, and the exit code tells.
func TestBacktestOfAFailure(t *testing.T) {
	log := filepath.Join(t.TempDir(), "app-1")
	if err := os.WriteFile(log, []byte(lostLog), 0o644); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := replay(t, "backtest", log, smallLog, "--details", "0")
	lines := strings.Split(stdout, "\n")
	if code != cmdline.ExitFailed || !strings.HasPrefix(lines[0], "1 of ") || !strings.Contains(lines[1], "lost: failed: the last of its 1 executors is gone (worker lost") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	if strings.Contains(stdout+stderr, "ResourceManager") || strings.Contains(stderr, "deployMode") {
		t.Errorf("a ResourceManager takes no part, and no application master was lost:\n%s%s", stdout, stderr)
	}
	if !regexp.MustCompile(`(?m)^ +19\.00 s +failed +– `).MatchString(stdout) || !regexp.MustCompile(`(?m)^ +applications .* 0 *$`).MatchString(stdout) {
		t.Errorf("its line has no prediction, and the errors are without it:\n%s", stdout)
	}
	if code, _, _ := replay(t, "backtest", log, "--allow-failures", "-q"); code != cmdline.ExitDone {
		t.Errorf("with --allow-failures the exit code is %d", code)
	}
}

// Another cluster than the recorded is told from errors of the prediction, and an application that is left out from one that fails.
func TestBacktestOfAnotherCluster(t *testing.T) {
	_, stdout, stderr := replay(t, "backtest", traces+"fair-weights", "--seeds", "1", "--details", "0", "--change", "without job 1", "--nodes", "7", "--allow-failures")
	if want := "warning: with --nodes, --change it is not what was recorded that is replayed"; !strings.HasPrefix(stderr, want) {
		t.Errorf("no %q first in\n%s", want, stderr)
	}
	if want := ": not submitted: an end or a change of the replay keeps it out"; !strings.Contains(stdout, want) {
		t.Errorf("no %q in\n%s", want, stdout)
	}
	if _, _, stderr := replay(t, "backtest", traces+"fair-weights", "--seeds", "1", "--details", "0", "--sharing", "fair"); strings.Contains(stderr, "not what was recorded") {
		t.Errorf("of the recorded cluster:\n%s", stderr)
	}
}

// A flag that has no part in the replay of a recording is told or refused: else its error would be taken for that of what the flag asks for.
func TestBacktestTellsWhatHasNoEffect(t *testing.T) {
	for _, x := range []struct {
		args []string
		want string // begin of a warning, or of the error
		code int
	}{
		{[]string{smallLog, "--sharing", "drf", "--placement", "none", "--conf", "yarn.scheduler.minimum-allocation-mb=2048"}, "warning: no effect: the executors of event logs are as recorded, and no ResourceManager is asked for them: --sharing, --placement, --conf yarn.scheduler.minimum-allocation-mb; ", cmdline.ExitDone},
		{[]string{smallLog, smallCluster, "--scheduler", "fifo"}, "warning: no effect for 1 of 2 recordings: the executors of event logs", cmdline.ExitDone},
		{[]string{smallLog, "--latency", "model"}, "warning: no effect: event logs have no launch latencies", cmdline.ExitDone},
		{[]string{smallCluster, "--allocation", "simulated"}, "warning: no effect: the executors of recorded clusters", cmdline.ExitDone},
		{[]string{smallCluster, "--from", "1m"}, "replay: --from and --to choose recordings by the day", cmdline.ExitUsage},
		{[]string{smallLog, "--to", "1m"}, "replay: --from and --to choose recordings by the day", cmdline.ExitUsage},
		{[]string{smallCluster, "--series", "1s"}, "replay: unknown flag --series", cmdline.ExitUsage},
		{[]string{smallCluster, "--prices", "prices"}, "replay: unknown flag --prices", cmdline.ExitUsage},
	} {
		code, _, stderr := replay(t, append([]string{"backtest", "--seeds", "1", "-q", "--allow-failures"}, x.args...)...)
		if code != x.code || !strings.Contains("\n"+stderr, "\n"+x.want) {
			t.Errorf("%q: exit code %d, want %d and %q in\n%s", x.args, code, x.code, x.want, stderr)
		}
	}
	for _, args := range [][]string{{smallLog, "--scheduler", "fifo", "--allocation", "simulated"}, {smallLog, "--conf", "spark.locality.wait=1s"}, {smallCluster, "--sharing", "drf", "--latency", "model"}} {
		if _, _, stderr := replay(t, append([]string{"backtest", "--seeds", "1", "-q", "--allow-failures"}, args...)...); strings.Contains(stderr, "no effect") {
			t.Errorf("%q have an effect:\n%s", args, stderr)
		}
	}
	m, err := trace.Load(traces + "fair-weights")
	undated := filepath.Join(t.TempDir(), "undated")
	if err == nil {
		m.OriginUnixMS = trace.Unset
		err = m.Write(undated)
	}
	if err != nil {
		t.Fatal(err)
	}
	const want = "does not say when it was recorded"
	if code, _, stderr := replay(t, "backtest", undated, "--from", "2020-01-01", "--seeds", "1"); code == cmdline.ExitDone || !strings.Contains(stderr, want) {
		t.Errorf("a trace without a date: exit code %d, want %q in\n%s", code, want, stderr)
	}
}

// What a backtest saves of its errors stands beside predicted times later, and what it does not cover is said.
func TestErrorBands(t *testing.T) {
	file := filepath.Join(t.TempDir(), "model.txt")
	must(t, "backtest", smallLog, smallCluster, "--seeds", "1", "-q", "--save-model", file)
	saved, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(saved), "\nam-start-ms=") || !regexp.MustCompile(`(?m)^error\.duration_job=[0-9.e-]+,[0-9.e-]+,\d+$`).Match(saved) {
		t.Fatalf("%v\n%s", err, saved)
	}
	beside := regexp.MustCompile(`mean duration of a job +[0-9.]+ s +of 3 jobs; ± [0-9.]+ % on your \d+ logs`)
	said := "How far other metrics are off is not known."
	run := must(t, "run", traces+"fair-weights", "-q", "--model-file", file)
	if !beside.MatchString(run) || strings.Count(run, "±") != 2 || !strings.Contains(run, said) {
		t.Errorf("run says\n%s", run)
	}
	for _, args := range [][]string{
		{"compare", traces + "fair-weights", "--seeds", "1", "-q", "--variant", "a:", "--variant", "b: --sharing drf"},
		{"plan", traces + "fair-weights", "--max-seeds", "5", "-q", "--hold", "mean(wait) < 10m", "--vary", "nodes=8:9"},
	} {
		_, with, _ := cmd(t, append(args, "--model-file", file)...)
		_, without, _ := cmd(t, args...)
		flat := strings.Join(strings.Fields(with), " ")
		if !strings.Contains(flat, "duration_job_*_ms ± ") || !strings.Contains(flat, said) || strings.Contains(without, "Known errors") {
			t.Errorf("%s says\n%s", args[0], with)
		}
	}
	bad := filepath.Join(t.TempDir(), "bad.txt")
	if err := os.WriteFile(bad, []byte("error.duration_job=5\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := cmd(t, "run", traces+"fair-weights", "--model-file", bad); code != cmdline.ExitBadInput || !strings.Contains(stderr, "bad.txt:1: ") {
		t.Errorf("exit %d: %s", code, stderr)
	}
}
