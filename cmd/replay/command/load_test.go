package command

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"replay/cmd/replay/cmdline"
)

// --load is the offered load of the cluster as it is replayed, on any trace, and --nodes its number of nodes.
func TestLoadAndNodesAtRunTime(t *testing.T) {
	manifest := func(args ...string) (m struct {
		Nodes  int64
		Hosts  []string
		Load   *float64 `json:"offered_load_of_vcores"`
		Asked  float64  `json:"load"`
		Faster float64  `json:"arrivals_divided_by"`
		Totals struct {
			EndMS int64 `json:"end_ms"`
			Jobs  int64
		}
	}) {
		t.Helper()
		out := filepath.Join(t.TempDir(), "out")
		must(t, append([]string{"run", traces + "uniform-micro", "--quiet", "--formats", "none", "--out", out}, args...)...)
		if err := json.Unmarshal([]byte(files(t, out)["run.json"]), &m); err != nil {
			t.Fatal(err)
		}
		return m
	}
	plain := manifest()
	if plain.Load == nil || plain.Faster != 1 || plain.Asked != 0 || plain.Nodes != 10 {
		t.Fatalf("%+v, want 10 nodes and arrivals as recorded", plain)
	}
	scaled := manifest("--load", "0.1")
	if math.Abs(*scaled.Load-.1) > 1e-12 || math.Abs(scaled.Faster - .1 / *plain.Load) > 1e-12 || scaled.Totals.EndMS < 3*plain.Totals.EndMS {
		t.Errorf("--load 0.1: load %v, arrivals divided by %v, end at %d ms (as recorded: %v, %d ms)", *scaled.Load, scaled.Faster, scaled.Totals.EndMS, *plain.Load, plain.Totals.EndMS)
	}
	large := manifest("--nodes", "20")
	if large.Nodes != 20 || len(large.Hosts) != 20 || math.Abs(*large.Load-*plain.Load/2) > 1e-12 || large.Totals.Jobs != plain.Totals.Jobs {
		t.Errorf("--nodes 20: %d nodes, %d hosts, load %v (of 10 nodes: %v)", large.Nodes, len(large.Hosts), *large.Load, *plain.Load)
	}
	if both := manifest("--nodes", "5", "--load", "0.3"); both.Nodes != 5 || math.Abs(*both.Load-.3) > 1e-12 {
		t.Errorf("--nodes 5 --load 0.3: %d nodes, load %v", both.Nodes, *both.Load)
	}
}

// A replay of far more work than the cluster can do says so first, with the nodes that have enough room, and so does a comparison of the variant.
func TestHighLoadIsSaid(t *testing.T) {
	tr := filepath.Join(t.TempDir(), "long")
	must(t, "gen", "uniform-micro", "--nodes", "10", "--jobs", "1000", "--load", "0.05", "--out", tr, "-q")
	const said = "With --nodes 1 --load 4 the offered load is 400.0 % of the vcores and 200.0 % of the memory: jobs are submitted for 2.6 h, and the work takes at least 10.4 h, " +
		"so most of each wait is for the jobs before, and longer the longer the trace is; try --load 0.8."
	text := strings.Join(strings.Fields(must(t, "run", tr, "--nodes", "1", "--load", "4", "--until", "5m")), " ")
	if i := strings.Index(text, said); i < 0 || i > strings.Index(text, "mean wait") {
		t.Errorf("too much load is not said, or not first:\n%.900s", text)
	}
	long := filepath.Join(t.TempDir(), "crowded")
	must(t, "gen", "uniform-micro", "--nodes", "1", "--jobs", "1000", "--load", "4", "--out", long, "-q")
	text = strings.Join(strings.Fields(must(t, "run", long, "--until", "5m")), " ")
	_, way, _ := strings.Cut(text, "longer the longer the trace is; --nodes ")
	nodes, _, ok := strings.Cut(way, " has enough room.")
	if !ok {
		t.Fatalf("the nodes with enough room are not said:\n%.800s", text)
	}
	if text := must(t, "run", long, "--nodes", nodes, "--until", "5m"); strings.Contains(text, "has enough room") {
		t.Errorf("a cluster with enough room is called crowded:\n%.800s", text)
	}
	if _, _, stderr := cmd(t, "compare", tr, "--seeds", "2", "--until", "5m", "--load", "4", "--variant", "a: --nodes 1", "--variant", "b:"); !strings.Contains(stderr, "warning: with --nodes 1 --load 4 the offered load is 400.0 %") {
		t.Errorf("which variant has too much load is not said: %s", stderr)
	}
}

// Results of different sizes of one cluster are compared, made by one command or by several.
func TestSizesOfOneClusterCompare(t *testing.T) {
	const trace = traces + "uniform-micro"
	text := must(t, "compare", trace, "--quiet", "--seeds", "2", "--until", "200s", "--variant", "small: --nodes 8", "--variant", "large: --nodes 16")
	if !strings.Contains(text, "cluster allocated") {
		t.Errorf("no comparison: %s", text)
	}
	dir := t.TempDir()
	for _, n := range []string{"8", "16"} {
		must(t, "run", trace, "--quiet", "--until", "200s", "--formats", "none", "--nodes", n, "--out", filepath.Join(dir, n))
	}
	must(t, "report", "--compare", "--formats", "none", filepath.Join(dir, "8"), filepath.Join(dir, "16"))
}

// What other nodes or arrivals move by themselves is neither better nor worse there, in any command; on the same ones it is.
func TestOtherNodesAndArrivals(t *testing.T) {
	const trace, moved = traces + "uniform-micro", ", and that by itself moves "
	dir := t.TempDir()
	for _, tt := range []struct{ variant, busy, makespan, said string }{
		{"--nodes 6", "higher", "worse", "nodes (in the mean over time now 10.00, other 6.00)" + moved + "vcores running tasks: higher or lower, and no better or worse."},
		{"--nodes 12", "lower", "better", "nodes (in the mean over time now 10.00, other 12.00)" + moved + "vcores running tasks: higher or lower, and no better or worse."},
		{"--faster 2", "higher", "lower", "arrivals" + moved + "makespan and vcores running tasks: higher or lower, and no better or worse."},
		{"--nodes 12 --load 1", "~", "lower", "nodes (in the mean over time now 10.00, other 12.00) and arrivals" + moved + "makespan: higher or lower, and no better or worse."},
		{"--scheduler ideal", "better", "better", ""},
	} {
		out := filepath.Join(dir, tt.variant)
		text := must(t, "compare", trace, "--quiet", "--seeds", "5", "--formats", "none", "--out", out, "--variant", "now:", "--variant", "other: "+tt.variant)
		for name, want := range map[string]string{"vcores running tasks": tt.busy, "makespan": tt.makespan} {
			if line := regexp.MustCompile("(?m)^" + name + " .*$").FindString(text); !strings.Contains(line, " "+want+" ") {
				t.Errorf("%s: want %s in %q of\n%s", tt.variant, want, line, text)
			}
		}
		const start = "now and other do not have the same "
		if text = strings.Join(strings.Fields(text), " "); strings.Contains(text, start) != (tt.said != "") || !strings.Contains(text, tt.said) {
			t.Errorf("%s: no %q in\n%s", tt.variant, tt.said, text)
		}
		must(t, "report", "check", out)
		if js := files(t, out)["comparison.json"]; strings.Contains(js, start) != (tt.said != "") || !strings.Contains(js, tt.said) {
			t.Errorf("%s: comparison.json does not say %q", tt.variant, tt.said)
		}
	}
	const said = "Base and head do not have the same nodes (in the mean over time base 10.00, head 12.00)" + moved + "vcores running tasks"
	_, text, _ := cmd(t, "gate", trace, "--quiet", "--seeds", "5", "--until", "10m", "--base", "--", "--head", "--nodes 12")
	if text = strings.Join(strings.Fields(text), " "); strings.Contains(text, "worse in vcores running tasks") || !strings.Contains(text, said) {
		t.Errorf("a gate on more nodes:\n%s", text)
	}
	for condition, want := range map[string]bool{"utilization_vcores_busy_share < -50pp": true, "mean(wait) > +100%": false} {
		text := strings.Join(strings.Fields(must(t, "gate", trace, "--quiet", "--seeds", "5", "--until", "10m", "--fail-if", condition, "--base", "--", "--head", "--nodes 12")), " ")
		if strings.Contains(text, said) != want {
			t.Errorf("a condition %s, want the nodes said: %v\n%s", condition, want, text)
		}
	}
}

// GPUs may be what jobs wait for while hardly a vcore is taken.
func TestLoadOfGPUsIsSaid(t *testing.T) {
	text := "job,submit,run,vcores,gpu,queue\n"
	for i := range 400 {
		text += fmt.Sprintf("%d,%d,3600,1,8,q%d\n", i, 180*i, i%3)
	}
	dir := t.TempDir()
	table, tr := filepath.Join(dir, "jobs.csv"), filepath.Join(dir, "trace")
	if err := os.WriteFile(table, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	must(t, "import", table, "--nodes", "10", "--out", tr)
	words := func(args ...string) string { return strings.Join(strings.Fields(must(t, args...)), " ") }
	const gpus = "12.5 % of the vcores, 3.1 % of the memory and 200.5 % of the yarn.io/gpu"
	if text := words("run", tr, "--until", "3h"); !strings.Contains(text, "The offered load is "+gpus+": jobs are submitted for 19.9 h") || !strings.Contains(text, "--nodes 41 has enough room") {
		t.Errorf("too few GPUs are not said:\n%.800s", text)
	}
	if text := words("trace", "info", tr); !strings.Contains(text, "200.5 % of the yarn.io/gpu") {
		t.Errorf("the load of GPUs is not said:\n%.800s", text)
	}
	if text := words("run", tr, "--nodes", "40", "--until", "3h"); strings.Contains(text, "offered load is") {
		t.Errorf("half of the GPUs is little or too much:\n%.800s", text)
	}
	if text := words("run", tr, "--nodes", "400", "--until", "3h"); !strings.Contains(text, "5.0 % of the yarn.io/gpu: hardly anything will wait, and policies have nothing to share out; try --faster 16, which") {
		t.Errorf("few jobs for the GPUs are not said, or not how to have more:\n%.800s", text)
	}
}

// A replay in which nothing will wait says so first, and what to try.
func TestLowLoadIsSaid(t *testing.T) {
	text := must(t, "run", traces+"uniform-micro", "--load", "0.015", "--until", "30m")
	i, j := strings.Index(text, "With --load 0.015 the offered load is 1.5 % of the vcores and 0.7 % of the memory: hardly anything will wait"), strings.Index(text, "try --load 0.8")
	if i < 0 || j < i || j > strings.Index(text, "mean wait") {
		t.Errorf("little load is not said, or not what to try:\n%.800s", text)
	}
	// By the sizes that are asked for: tasks of two vcores need half as many jobs, and little memory.
	const sized = "the offered load is 1.5 % of the vcores and 0.3 % of the memory"
	if text := must(t, "run", traces+"uniform-micro", "--load", "0.015", "--until", "30m", "--conf", "spark.task.cpus=2", "--conf", "spark.executor.memory=1g"); !strings.Contains(text, sized) {
		t.Errorf("the load is not that of the sizes given:\n%.800s", text)
	}
	if _, _, said := cmd(t, "compare", traces+"uniform-micro", "--seeds", "2", "--variant", "a:", "--variant", "b: --nodes 40"); !strings.Contains(said, "warning: with --nodes 40 the offered load is 9.5 %") {
		t.Errorf("which variant has hardly any load is not said: %s", said)
	}
	if text := must(t, "run", traces+"uniform-micro", "--until", "30s"); strings.Contains(text, "hardly anything") {
		t.Errorf("enough load is called little:\n%.800s", text)
	}
	if text := must(t, "run", traces+"uniform-micro", "--load", "80", "--until", "30s"); !strings.Contains(text, "80 % of that is load 0.8") {
		t.Errorf("a load that was meant as a percentage is taken without a word:\n%.800s", text)
	}
	// Its work is of some minutes: that it waits is seen soon.
	if text := must(t, "run", traces+"uniform-micro", "--load", "9", "--until", "30s"); strings.Contains(text, "has enough room") {
		t.Errorf("a backlog of an hour is called far too much:\n%.800s", text)
	}
	// Where nothing succeeds, waits are not what is to be said.
	if _, text, _ := cmd(t, "run", traces+"uniform-micro", "--load", "0.015", "--until", "30m", "--conf", "spark.executor.memory=900g"); strings.Contains(text, "hardly anything") || !strings.Contains(text, "0 of ") {
		t.Errorf("little load is said of jobs that can't run:\n%.800s", text)
	}
	code, _, stderr := cmd(t, "run", traces+"locality-wait-3s", "--load", "0.5")
	if code != cmdline.ExitUsage || !strings.Contains(stderr, "cannot be scaled") {
		t.Errorf("a single job: exit %d, %q", code, stderr)
	}
}

// Work that goes on for longer than jobs are submitted is no crowd where the cluster has room for all of it: what the load says of waits is not said then.
func TestHighLoadWithoutWaits(t *testing.T) {
	dir := t.TempDir()
	table := "job,submit,duration,vcores,memory_gb\n"
	for i := range 20 {
		table += fmt.Sprintf("j%d,%d,90000,1,1\n", i, 30*i)
	}
	trace := filepath.Join(dir, "trace")
	must(t, "import", "csv", written(t, "jobs.csv", table), "--nodes", "4", "--out", trace)
	unwrapped := func(nodes string) string {
		return strings.Join(strings.Fields(must(t, "run", trace, "--nodes", nodes, "--formats", "none", "--out", filepath.Join(dir, "run"+nodes))), " ")
	}
	const crowd, room = "so most of each wait is for the jobs before", "as jobs go on for longer than jobs are submitted: it says nothing of waits here, where the cluster was short for "
	if text := unwrapped("5"); !strings.Contains(text, room) || strings.Contains(text[:strings.Index(text, "scheduler fair")], crowd) {
		t.Errorf("with room for all jobs: want %q and not %q in\n%s", room, crowd, text)
	}
	if text := unwrapped("1"); !strings.Contains(text, crowd) || strings.Contains(text, room) {
		t.Errorf("without: want %q and not %q in\n%s", crowd, room, text)
	}
}

// --faster is how many times as fast jobs arrive as recorded, on any number of nodes: what growth asks of a cluster.
func TestFaster(t *testing.T) {
	dir := t.TempDir()
	manifest := func(name string, args ...string) (m struct {
		Load   *float64 `json:"offered_load_of_vcores"`
		Asked  float64  `json:"load"`
		Faster float64  `json:"arrivals_divided_by"`
	}) {
		t.Helper()
		out := filepath.Join(dir, name)
		must(t, append([]string{"run", traces + "uniform-micro", "-q", "--formats", "none", "--out", out}, args...)...)
		if err := json.Unmarshal([]byte(files(t, out)["run.json"]), &m); err != nil {
			t.Fatal(err)
		}
		return m
	}
	plain := manifest("plain")
	for nodes, of := range map[string]float64{"10": 1, "20": 0.5} {
		if m := manifest("grown"+nodes, "--faster", "1.25", "--nodes", nodes); m.Faster != 1.25 || m.Asked != 0 || math.Abs(*m.Load-1.25*of**plain.Load) > 1e-9 {
			t.Errorf("on %s nodes: arrivals divided by %v, load %v, want 1.25 and %v", nodes, m.Faster, *m.Load, 1.25*of**plain.Load)
		}
	}
	must(t, "run", traces+"uniform-micro", "--from", filepath.Join(dir, "grown10"), "-q", "--out", filepath.Join(dir, "again"))
	loaded := must(t, "run", traces+"uniform-micro", "--load", "0.2", "-q")
	for text, want := range map[string]string{
		files(t, filepath.Join(dir, "grown10"))["summary.txt"]: "1.25 times as fast as recorded\n",
		files(t, filepath.Join(dir, "grown10"))["report.html"]: "1.25 times as fast as recorded",
		loaded: " times as fast as recorded, for the load 0.2 that was asked for\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%.2000s", want, text)
		}
	}
	if text := files(t, filepath.Join(dir, "plain"))["summary.txt"]; strings.Contains(text, "as fast as recorded") {
		t.Errorf("arrivals as recorded are told to be otherwise:\n%s", text)
	}
	sameTree(t, filepath.Join(dir, "grown10"), filepath.Join(dir, "again"))
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"--faster", "0"}, "--faster is \"0\", want a positive number"},
		{[]string{"--faster", "40%"}, "--faster is \"40%\", want a factor, 1.4 for 40 % more"},
		{[]string{"--faster", "1e9"}, "want 0.001 to 1000"},
		{[]string{"--faster", "2", "--load", "1"}, "--load and --faster both say how fast jobs arrive: want one of them"},
	} {
		if code, _, stderr := cmd(t, append([]string{"run", traces + "uniform-micro"}, tt.args...)...); code != cmdline.ExitUsage || !strings.Contains(stderr, tt.want) {
			t.Errorf("%v: exit %d, %s; want %q", tt.args, code, stderr, tt.want)
		}
	}
	// Of what all variants have and what one has, the latter holds, whichever of the two it is.
	text := must(t, "compare", traces+"uniform-micro", "--seeds", "2", "-q", "--load", "0.3", "--variant", "a:", "--variant", "b: --faster 1")
	if want := "Under b jobs arrive "; !strings.Contains(text, want) || strings.Contains(text, "--load is of each cluster") {
		t.Errorf("want %q, and nothing of --load, in\n%s", want, text)
	}
	text = must(t, "plan", traces+"uniform-micro", "--hold", "mean(wait) < 1h", "--vary", "faster=1:2:1", "--max-seeds", "5", "-q")
	if fields := strings.Fields(text); !slices.Contains(fields, "holds") || slices.Contains(fields, "fails") {
		t.Errorf("want both factors to hold in\n%s", text)
	}
}

// Where jobs are so short and far apart that samples miss them, what rests on samples is not known: nobody is told that nothing was allocated or that the cluster was never
// short, and waits for room on nodes that nobody described are still warned of.
func TestSamplesTooFarApart(t *testing.T) {
	dir := t.TempDir()
	table := "job,submit,tasks,duration\n"
	for day := range 20 {
		table += fmt.Sprintf("j%d,%d,64,100\n", day, 86400*day+1800)
	}
	jobs := written(t, "jobs.csv", table)
	const room = "containers waited for more than a tenth of the time of a job, on a cluster that nobody described"
	for name, tt := range map[string]struct {
		nodes []string
		short bool
	}{"made up": {nil, true}, "stated": {[]string{"--nodes", "1"}, false}, "roomy": {[]string{"--nodes", "8"}, false}} {
		trace, run := filepath.Join(dir, name), filepath.Join(dir, "run "+name)
		must(t, append([]string{"import", "csv", jobs, "--out", trace}, tt.nodes...)...)
		text := strings.Join(strings.Fields(must(t, "run", trace, "--formats", "none", "--out", run)), " ")
		for _, want := range []string{"What queues wanted and got is not known: samples are too far apart to see what ran in so long a time.", "cluster allocated: samples are too far apart to see what ran in so long a time",
			"entitled memory not received: samples are too far apart", "Jain's index of received memory: samples are too far apart"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in\n%s", name, want, text)
			}
		}
		for _, wrong := range []string{"never short", "never two leaf queues", "0 % of the cluster was allocated"} {
			if strings.Contains(text, wrong) {
				t.Errorf("%s: %q in\n%s", name, wrong, text)
			}
		}
		if strings.Contains(text, room) != tt.short {
			t.Errorf("%s: want %q: %v, in\n%s", name, room, tt.short, text)
		}
		if text := must(t, "report", "check", run); !strings.Contains(text, "everything holds") {
			t.Errorf("%s: the tables say otherwise:\n%s", name, text)
		}
		must(t, "report", run, "--formats", "none", "--out", run+" again")
	}
	// Often enough sampled, the same jobs are seen.
	text := must(t, "run", filepath.Join(dir, "roomy"), "--series", "10s", "--until", "2h")
	if !strings.Contains(text, "of the cluster was allocated") {
		t.Errorf("samples of 10 s see nothing of a job of minutes:\n%s", text)
	}
}
