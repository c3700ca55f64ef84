package command

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"replay/cmd/replay/cmdline"
)

const traces = "../../../traces/"

// cmd runs the program and returns its exit code and output.
func cmd(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	code = run(t.Context(), append([]string{"replay"}, args...), &out, &err)
	return code, out.String(), err.String()
}

// must runs the program and fails the test unless it succeeds.
func must(t *testing.T, args ...string) string {
	t.Helper()
	code, stdout, stderr := cmd(t, args...)
	if code != cmdline.ExitDone {
		t.Fatalf("replay %s: exit %d\n%s", strings.Join(args, " "), code, stderr)
	}
	return stdout
}

// files reads all files below dir.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		out[rel] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestRunTwiceSameBytes(t *testing.T) {
	if testing.Short() {
		t.Skip("three runs with every output")
	}
	dir := t.TempDir()
	args := func(out string) []string {
		return []string{"run", traces + "node-lost", "--out", filepath.Join(dir, out), "--decisions", "--quiet"}
	}
	must(t, args("a")...)
	must(t, args("b")...)
	procs := runtime.GOMAXPROCS(1)
	must(t, args("c")...)
	runtime.GOMAXPROCS(procs)
	a := files(t, filepath.Join(dir, "a"))
	for _, want := range []string{"run.json", "summary.json", "summary.txt", "jobs.parquet", "containers.parquet", "tasks.parquet",
		"series.parquet", "series.arrow", "decisions.parquet", "report.html", "plots/locality.svg", "plots/locality.png", "plots/locality.pdf"} {
		if a[want] == "" {
			t.Errorf("the result has no %s", want)
		}
	}
	for _, other := range []string{"b", "c"} {
		o := files(t, filepath.Join(dir, other))
		if len(o) != len(a) {
			t.Errorf("run %s has %d files, the first has %d", other, len(o), len(a))
		}
		for name, content := range a {
			if o[name] != content {
				t.Errorf("%s differs in run %s", name, other)
			}
		}
	}
}

// comparison is the part of comparison.json that the tests read.
type comparison struct {
	Metrics []struct {
		Name     string `json:"metric"`
		Variants []struct {
			Value   *float64
			Finding string
		}
	}
}

func compareJSON(t *testing.T, args ...string) (c comparison) {
	t.Helper()
	text := must(t, append([]string{"compare", "--json", "--quiet"}, args...)...)
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		t.Fatal(err)
	}
	if len(c.Metrics) == 0 {
		t.Fatalf("no metrics in %.300s", text)
	}
	return c
}

// finding returns what the comparison says of a metric of the second variant.
func (c comparison) finding(t *testing.T, metric string) string {
	t.Helper()
	for _, m := range c.Metrics {
		if m.Name == metric {
			return m.Variants[1].Finding
		}
	}
	t.Fatalf("no metric %s", metric)
	return ""
}

func TestCompareSaysWhatDiffers(t *testing.T) {
	t.Run("the same twice", func(t *testing.T) {
		c := compareJSON(t, traces+"fair-weights", "--variant", "a:", "--variant", "b:", "--seeds", "3")
		for _, m := range c.Metrics {
			if f := m.Variants[1].Finding; f != "equal" && f != "not tested" {
				t.Errorf("%s: %s, want equal", m.Name, f)
			}
		}
	})
	if testing.Short() {
		return // more seeds of the same
	}
	t.Run("placement", func(t *testing.T) {
		c := compareJSON(t, traces+"locality-wait-3s", "--variant", "locality: --placement locality-ratio", "--variant", "naive: --placement naive", "--seeds", "60",
			"--conf", "yarn.scheduler.fair.locality.threshold.node=1", "--conf", "yarn.scheduler.fair.locality.threshold.rack=1")
		for _, m := range []string{"locality_containers_hinted_share", "locality_tasks_host_share"} {
			if f := c.finding(t, m); f != "worse" {
				t.Errorf("%s of naive against locality-ratio: %q, want worse", m, f)
			}
		}
	})
	t.Run("sharing", func(t *testing.T) {
		c := compareJSON(t, traces+"contended-logs", "--variant", "fair: --sharing fair", "--variant", "drf: --sharing drf", "--seeds", "20")
		for m, want := range map[string]string{"root.science": "higher", "root.sql": "lower"} {
			if f := c.finding(t, "queue_contended_dominant_share[queue="+m+"]"); f != want {
				t.Errorf("dominant share of %s under drf against fair: %q, want %s", m, f, want)
			}
		}
	})
}

func TestWrongUse(t *testing.T) {
	trace := traces + "fair-weights"
	missing := filepath.Join(t.TempDir(), "no-such")
	tests := []struct {
		args string
		code int
		want string
	}{
		{"run", cmdline.ExitUsage, "wants one TRACE"},
		{"run " + missing, cmdline.ExitBadInput, "no-such"},
		{"run " + trace + " --nonsense", cmdline.ExitUsage, "nonsense"},
		{"run " + trace + " --conf spark.localty.wait=0s", cmdline.ExitUsage, "spark.locality.wait"},
		{"run " + trace + " --conf spark.locality.wait=soon", cmdline.ExitUsage, "soon"},
		{"run " + trace + " --conf yarn.scheduler.fair.asignmultiple=true", cmdline.ExitUsage, "yarn.scheduler.fair.assignmultiple"},
		{"run " + trace + " --conf spark.scheduler.allocation.file=" + missing, cmdline.ExitBadInput, "spark.scheduler.allocation.file"},
		{"run " + trace + " --reload 10s", cmdline.ExitUsage, "TIME=FILE"},
		{"run " + trace + " --conf other=1", cmdline.ExitUsage, "spark., yarn., mapreduce., tez. or autoscale."},
		{"run " + trace + " --model am-start-ms=-1", cmdline.ExitUsage, "am-start-ms"},
		{"run " + trace + " --model nonsense=1", cmdline.ExitUsage, "known: am-start-ms"},
		{"run " + trace + " --sharing best", cmdline.ExitUsage, `"best"`},
		{"run " + trace + " --sharing drf --scheduler capacity", cmdline.ExitUsage, "FairScheduler"},
		{"run " + trace + " --scheduler best", cmdline.ExitUsage, "fair, capacity, fifo or ideal"},
		{"run " + trace + " --placement best", cmdline.ExitUsage, "locality-ratio"},
		{"run " + trace + " --engine sparse", cmdline.ExitUsage, "fast or dense"},
		{"run " + trace + " --until never", cmdline.ExitUsage, "never"},
		{"run " + trace + " --load 0", cmdline.ExitUsage, "positive"},
		{"run " + trace + " --tasks some", cmdline.ExitUsage, "on or off"},
		{"run " + trace + " --progress maybe", cmdline.ExitUsage, "auto, on or off"},
		{"run " + trace + " --formats gif", cmdline.ExitUsage, "gif"},
		{"run " + trace + " --load 1e-300", cmdline.ExitUsage, "100 at most"},
		{"run " + trace + " --seed -1", cmdline.ExitUsage, "--seed is \"-1\", want a whole number, 0 or more"},
		{"run " + trace + " --seed", cmdline.ExitUsage, "--seed wants a value"},
		{"run " + trace + " --nonsense", cmdline.ExitUsage, "unknown flag --nonsense (see replay run --help)"},
		{"run " + trace + " --decisions", cmdline.ExitUsage, "wants --out"},
		{"run " + trace + " --formats svg", cmdline.ExitUsage, "--formats wants --out"},
		{"trace info " + trace + " --formats svg", cmdline.ExitUsage, "--formats wants --out"},
		{"plan " + trace + " --hold wait_job_first_task_mean_ms<1 --vary nodes=1:2 --formats svg", cmdline.ExitUsage, "--formats wants --out"},
		{"plan " + trace + " --hold wait_job_first_task_mean_ms<1 --vary nodes=1:2 --nodes 2", cmdline.ExitUsage, "--nodes says one value, and --vary nodes several"},
		{"figures " + trace + " --out " + missing + " --size 0", cmdline.ExitUsage, `--size is "0", want a positive number`},
		{"compare " + trace + " --variant a: --variant b: --formats svg", cmdline.ExitUsage, "--formats wants --out"},
		{"backtest " + trace + " --formats svg", cmdline.ExitUsage, "--formats wants --out"},
		{"report --compare " + trace + " " + trace + " --formats svg", cmdline.ExitUsage, "--formats wants --out"},
		{"report " + trace, cmdline.ExitBadInput, "not a result directory"},
		{"import spark-eventlog x --out y --node-vcores 4294967297", cmdline.ExitUsage, "--node-vcores"},
		{"import spark-eventlog x --out y --progress maybe", cmdline.ExitUsage, "auto, on or off"},
		{"gen uniform-micro --out " + missing + " --mtbf 3", cmdline.ExitUsage, `failures "none" has no law`},
		{"compare " + trace + " --variant a:", cmdline.ExitUsage, "two --variant"},
		{"compare " + trace + " --variant a: --variant b: --results", cmdline.ExitUsage, "wants --out"},
		{"compare " + trace + " --variant a: --variant b: --jobs 0", cmdline.ExitUsage, "1 or more"},
		{"compare " + trace + " --variant a: --variant b: --out " + trace, cmdline.ExitBadInput, "no comparison.json"},
		{"compare " + trace + " --variant a: --variant b:--conf=x=y", cmdline.ExitUsage, "--variant b: --conf x=y: want a key that starts with spark., yarn., mapreduce., tez. or autoscale."},
		{"compare " + trace + " --variant a:--nonsense --variant b:", cmdline.ExitUsage, "see replay run --help"},
		{"compare " + trace + " --variant a: --variant b: --seeds 0", cmdline.ExitUsage, "1 to 10000"},
	}
	for _, tt := range tests {
		t.Run(tt.args, func(t *testing.T) {
			code, _, stderr := cmd(t, strings.Fields(tt.args)...)
			if code != tt.code || !strings.Contains(stderr, tt.want) {
				t.Errorf("exit %d, stderr %q; want exit %d and %q", code, stderr, tt.code, tt.want)
			}
		})
	}
}

// hadoopXML is a configuration file of Hadoop with these keys and values.
func hadoopXML(kv ...string) string {
	text := "<configuration>"
	for i := 0; i < len(kv); i += 2 {
		text += "<property><name>" + kv[i] + "</name><value>" + kv[i+1] + "</value></property>"
	}
	return text + "</configuration>"
}

// oneQueue is a capacity-scheduler.xml with a queue and further keys.
func oneQueue(kv ...string) string {
	return hadoopXML(append(kv, "yarn.scheduler.capacity.root.queues", "default", "yarn.scheduler.capacity.root.default.capacity", "100")...)
}

// written writes a file for a test and returns its path.
func written(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFilesOfAdministrators(t *testing.T) {
	const class = "yarn.resourcemanager.scheduler.class"
	const capacityClass = "org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.CapacityScheduler"
	tests := []struct {
		name, flags, text string
		code              int
		want              string
	}{
		{"unknown key of yarn-site.xml", "--yarn-site FILE", hadoopXML("yarn.of.ours", "1"), cmdline.ExitDone, "unknown keys have no effect: yarn.of.ours"},
		{"unknown key of capacity-scheduler.xml", "--scheduler capacity --capacity-scheduler FILE", oneQueue("yarn.scheduler.capacity.ours", "1"), cmdline.ExitDone, "unknown keys have no effect: yarn.scheduler.capacity.ours"},
		{"capacity-scheduler.xml without queues", "--scheduler capacity --capacity-scheduler FILE", hadoopXML("yarn.scheduler.capacity.node-locality-delay", "1"), cmdline.ExitBadInput, "Queue configuration missing child queue names for root. YARN 3.4.1 refuses this too; write"},
		{"EMR's JSON as spark-defaults.conf", "--spark-defaults FILE", `[{"Classification":"spark-defaults","Properties":{"spark.executor.memory":"4g"}}]`, cmdline.ExitBadInput, `file.xml: no key in it starts with spark., such as "[{\"Classification\"", want lines such as spark.executor.cores 4`},
		{"keys of Hadoop as spark-defaults.conf", "--spark-defaults FILE", "yarn.acl.enable true\nmapreduce.map.memory.mb 1\n", cmdline.ExitBadInput, `no key in it starts with spark., such as "mapreduce.map.memory.mb"`},
		{"a spark-defaults.conf of comments", "--spark-defaults FILE", "# spark.executor.cores 4\n", cmdline.ExitDone, "file.xml has no key, and so no effect"},
		{"a template", "--yarn-site FILE", hadoopXML("yarn.scheduler.minimum-allocation-mb", "{{ min }}"), cmdline.ExitBadInput, "this is a template"},
		{"keys without effect", "--yarn-site FILE", hadoopXML(class, capacityClass, "yarn.resourcemanager.hostname", "h", "yarn.nodemanager.local-dirs", "/d"), cmdline.ExitDone, "file.xml: 2 keys have no effect on a replay (--verbose lists them)"},
		{"keys without effect, listed", "--verbose --yarn-site FILE", hadoopXML(class, capacityClass, "yarn.resourcemanager.hostname", "h"), cmdline.ExitDone, "file.xml: no effect (it has no effect on decisions): yarn.resourcemanager.hostname"},
		{"capacity-scheduler.xml for the FairScheduler", "--capacity-scheduler FILE", oneQueue(), cmdline.ExitUsage, "add --scheduler capacity"},
		{"fair-scheduler.xml for the CapacityScheduler", "--scheduler capacity --fair-scheduler FILE", "<allocations/>", cmdline.ExitUsage, "add --scheduler fair"},
		{"yarn-site.xml that names the scheduler", "--yarn-site FILE --sharing drf", hadoopXML(class, capacityClass), cmdline.ExitUsage, "the scheduler is capacity by "},
		{"a flag against yarn-site.xml", "--scheduler fair --yarn-site FILE", hadoopXML(class, capacityClass), cmdline.ExitDone, "warning: --scheduler fair is used, although "},
		{"yarn-site.xml without a scheduler", "--yarn-site FILE", hadoopXML(), cmdline.ExitDone, "names no scheduler"},
		{"negative weight", "--fair-scheduler FILE", "<allocations>\n<queue name='a'><weight>-1</weight></queue></allocations>", cmdline.ExitBadInput, "line 2: <weight> of queue root.a is \"-1\": want 0 or more"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			args := "run " + traces + "uniform-micro --json " + strings.ReplaceAll(tt.flags, "FILE", written(t, "file.xml", tt.text))
			code, _, stderr := cmd(t, strings.Fields(args)...)
			if code != tt.code || !strings.Contains(stderr, tt.want) {
				t.Errorf("exit %d, stderr %q; want exit %d and %q", code, stderr, tt.code, tt.want)
			}
		})
	}
}

// Keys lie over files, whichever order the flags have and wherever they stand.
func TestOrderOfFlagsPlaysNoPart(t *testing.T) {
	file := "--capacity-scheduler " + written(t, "capacity-scheduler.xml", oneQueue("yarn.scheduler.capacity.root.default.maximum-am-resource-percent", "0.1"))
	const key = "--conf yarn.scheduler.capacity.root.default.maximum-am-resource-percent=0.9"
	model := "--model-file " + written(t, "model.txt", "am-start-ms=9000")
	const parameter = "--model am-start-ms=100"
	inForce := func(common, variant string) (am, start string) {
		t.Helper()
		out := filepath.Join(t.TempDir(), "out")
		args := strings.Fields("compare " + traces + "uniform-micro --scheduler capacity --seeds 1 --formats none --quiet --until 30s --results --out " + out + " " + common)
		must(t, append(args, "--variant", "a:", "--variant", "b: "+variant)...)
		var m struct{ Config, Model map[string]string }
		text, err := os.ReadFile(filepath.Join(out, "runs", "b", "seed-1", "run.json"))
		if err == nil {
			err = json.Unmarshal(text, &m)
		}
		if err != nil {
			t.Fatal(err)
		}
		return m.Config["yarn.scheduler.capacity.root.default.maximum-am-resource-percent"], m.Model["am-start-ms"]
	}
	for name, args := range map[string][2]string{
		"file, then keys":                   {file + " " + key + " " + model + " " + parameter, ""},
		"keys, then file":                   {key + " " + file + " " + parameter + " " + model, ""},
		"keys for all, file of the variant": {key + " " + parameter, file + " " + model},
		"file for all, keys of the variant": {file + " " + model, key + " " + parameter},
		"all of the variant":                {"", key + " " + file + " " + parameter + " " + model},
	} {
		t.Run(name, func(t *testing.T) {
			if am, start := inForce(args[0], args[1]); am != "0.9" || start != "100" {
				t.Errorf("maximum-am-resource-percent is %q and am-start-ms %q, want 0.9 and 100", am, start)
			}
		})
	}
}

// What has not finished counts up to the end of the replay.
func TestUntilIsTheEnd(t *testing.T) {
	out := filepath.Join(t.TempDir(), "result")
	must(t, "run", traces+"fair-weights", "--until", "30s", "--quiet", "--formats", "none", "--out", out)
	var run struct {
		Totals struct {
			EndMS int64 `json:"end_ms"`
		}
	}
	text, err := os.ReadFile(filepath.Join(out, "run.json"))
	if err == nil {
		err = json.Unmarshal(text, &run)
	}
	if err != nil || run.Totals.EndMS != 30_000 {
		t.Errorf("the replay ends at %d ms (%v), want 30000", run.Totals.EndMS, err)
	}
	var summary map[string]any
	if text, err = os.ReadFile(filepath.Join(out, "summary.json")); err == nil {
		err = json.Unmarshal(text, &summary)
	}
	for _, name := range []string{"utilization_memory_allocated_share", "utilization_dominant_allocated_share"} {
		if v, _ := summary[name].(float64); err != nil || v <= 0.1 || v > 1 {
			t.Errorf("%s is %v (%v), want a share of a busy cluster", name, summary[name], err)
		}
	}
}

func TestHelpStandsAnywhere(t *testing.T) {
	for _, args := range []string{"run some-trace --help", "import spark-eventlog -h", "trace info --json x --help", "gen --help uniform-micro"} {
		if text := must(t, strings.Fields(args)...); !strings.Contains(text, "USAGE:") {
			t.Errorf("replay %s: %q is no help", args, text)
		}
	}
}

func TestInterruptedLeavesNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, args := range []string{"run TRACE --out OUT", "compare TRACE --variant a: --variant b: --results --out OUT", "gen uniform-micro --out OUT"} {
		out := filepath.Join(t.TempDir(), "result")
		words := strings.Fields("replay " + strings.NewReplacer("TRACE", traces+"fair-weights", "OUT", out).Replace(args))
		var stdout, stderr bytes.Buffer
		if code := run(ctx, words, &stdout, &stderr); code != cmdline.ExitStopped || stderr.String() != "replay: interrupted\n" {
			t.Errorf("%s: exit %d, stderr %q; want %d", args, code, stderr.String(), cmdline.ExitStopped)
		}
		if left, err := os.ReadDir(filepath.Dir(out)); err != nil || len(left) != 0 {
			t.Errorf("%s left behind: %v (%v)", args, left, err)
		}
	}
}

func TestResultsKeepWhatIsNotTheirs(t *testing.T) {
	trace, out := traces+"fair-weights", filepath.Join(t.TempDir(), "result")
	compare := []string{"compare", trace, "--seeds", "1", "--variant", "a:", "--variant", "b:", "--formats", "none", "--quiet", "--out", out}
	must(t, append(compare, "--results")...)
	code, _, stderr := cmd(t, compare...) // would remove the results of the runs
	if code != cmdline.ExitBadInput || !strings.Contains(stderr, "runs, which would be lost") {
		t.Errorf("comparison over one with results: exit %d, %q", code, stderr)
	}
	must(t, append(compare, "--results")...)
	single := filepath.Join(out, "runs", "a", "seed-1")
	if err := os.WriteFile(filepath.Join(single, "notes.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	code, _, stderr = cmd(t, "run", trace, "--quiet", "--out", single)
	if code != cmdline.ExitBadInput || !strings.Contains(stderr, "notes.txt, which would be lost") {
		t.Errorf("run over a result with notes: exit %d, %q", code, stderr)
	}
	if code, _, stderr = cmd(t, append(compare, "--results")...); code != cmdline.ExitBadInput || !strings.Contains(stderr, "has runs/a/seed-1/notes.txt, which would be lost") {
		t.Errorf("comparison over one with notes in a result: exit %d, %q", code, stderr)
	}
	out = filepath.Join(t.TempDir(), "result")
	again := []string{"run", trace, "--quiet", "--formats", "svg", "--checkpoint-at", "30s", "--out", out}
	must(t, again...)
	for _, name := range []string{"plots/notes.md", "checkpoints/notes.md", "checkpoints/30s/notes.md"} {
		must(t, again...)
		notes := filepath.Join(out, filepath.FromSlash(name))
		if err := os.WriteFile(notes, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if code, _, stderr := cmd(t, again...); code != cmdline.ExitBadInput || !strings.Contains(stderr, "has "+name+", which would be lost") {
			t.Errorf("run over a result with %s: exit %d, %q", name, code, stderr)
		}
		if err := os.Remove(notes); err != nil {
			t.Error(err)
		}
	}
}

func TestSeedZeroHoldsForVariants(t *testing.T) {
	text := must(t, "compare", traces+"fair-weights", "--variant", "a:", "--variant", "b:", "--seed", "0", "--seeds", "1", "--json", "--quiet")
	var c struct{ Inference struct{ Seeds [][]uint64 } }
	if err := json.Unmarshal([]byte(text), &c); err != nil || len(c.Inference.Seeds) != 2 || c.Inference.Seeds[1][0] != 0 {
		t.Errorf("seeds %v (%v), want 0", c.Inference.Seeds, err)
	}
}

func TestOutIsWholeOrAbsent(t *testing.T) {
	out := filepath.Join(t.TempDir(), "result")
	code, _, _ := cmd(t, "run", traces+"fair-weights", "--placement", "best", "--out", out)
	if _, err := os.Stat(out); code == cmdline.ExitDone || err == nil {
		t.Errorf("exit %d and a result at %s after a failed run", code, out)
	}
	left, err := os.ReadDir(filepath.Dir(out))
	if err != nil || len(left) != 0 {
		t.Errorf("left behind: %v (%v)", left, err)
	}
}
