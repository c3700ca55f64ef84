package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"replay/cmd/replay/cmdline"

	"replay/sweep"
)

func TestPlan(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "plan")
	for _, tt := range []struct {
		name string
		args []string
		code int
		want []string
	}{
		{"nodes", []string{"--hold", "p95(wait) < 60s", "--vary", "nodes=4:20:4", "--price", "0.5", "--out", dir}, cmdline.ExitDone,
			[]string{"nodes = 12 is the smallest from 4 to 20 at which p95(wait) < 60s", "replays of uniform-micro at 5 of 5 values", "nodes seeds p95 wait for the first task cost an hour", "6.00 holds"}},
		{"a list in any order", []string{"--hold", "p95(wait) < 60s", "--vary", "nodes=20,4,12,8,16"}, cmdline.ExitDone, []string{"nodes = 12 is the smallest from 4 to 20 at which p95(wait) < 60s"}},
		{"no numbers", []string{"--hold", "mean(wait) < 10s", "--vary", "scheduler=fair,fifo"}, cmdline.ExitDone, []string{"scheduler = fifo is the first from fair to fifo at which mean(wait) < 10s"}},
		{"load", []string{"--hold", "p95(wait) < 60s", "--vary", "load=0.2:1.4:0.3"}, cmdline.ExitDone, []string{"load = 0.2 is the largest from 0.2 to 1.4 at which p95(wait) < 60s"}},
		{"a key", []string{"--hold", "mean(wait) < 1h", "--vary", "conf spark.locality.wait=0s:3s:3s"}, cmdline.ExitDone, []string{"holds with conf spark.locality.wait from 0s to 3s at both ends: already at 0s.", "look above 3s"}},
		{"at neither end", []string{"--hold", "mean(wait) < 1ms", "--vary", "nodes=8:20:4"}, cmdline.ExitFailed, []string{"mean(wait) < 1ms holds neither at nodes = 8 nor at 12 nor at 20; what lies between was not tried.",
			" s at 20: from 12 to 20 it hardly comes nearer, so values beyond cannot be expected to do."}},
		{"at none of them", []string{"--hold", "mean(wait) < 1ms", "--vary", "nodes=8:16:4"}, cmdline.ExitFailed, []string{"mean(wait) < 1ms does not hold with nodes from 8 to 16: neither at 8 nor at 12 nor at 16."}},
		{"nothing below", []string{"--hold", "mean(wait) > 10h", "--vary", "nodes=1:5:4"}, cmdline.ExitFailed, []string{"1 comes nearer, and nothing is below it. Vary something else."}},
		{"as one writes flags", []string{"--hold", "mean(wait) < 1h", "--vary", "--conf spark.locality.wait=0s:3s:3s"}, cmdline.ExitDone, []string{"holds with conf spark.locality.wait from 0s to 3s at both ends: already at 0s."}},
		{"nowhere", []string{"--hold", "mean(wait) < 1ms", "--vary", "scheduler=fifo,fair"}, cmdline.ExitFailed, []string{"mean(wait) < 1ms does not hold with scheduler from fifo to fair: neither at fifo nor at fair.", "at fair: fifo comes nearer. Try other values"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code, out, stderr := cmd(t, append([]string{"plan", traces + "uniform-micro", "--max-seeds", "5", "-q"}, tt.args...)...)
			out = strings.Join(strings.Fields(out), " ")
			if code != tt.code {
				t.Errorf("exit %d, want %d: %s", code, tt.code, stderr)
			}
			for _, want := range tt.want {
				if !strings.Contains(out, want) {
					t.Errorf("no %q in\n%s", want, out)
				}
			}
		})
	}
	text, err := os.ReadFile(filepath.Join(dir, "plan.json"))
	var plan struct {
		Best   string
		Points []struct{ Value, Status string }
	}
	if err != nil || json.Unmarshal(text, &plan) != nil || plan.Best != "12" || len(plan.Points) != 5 {
		t.Errorf("%v: %s", err, text)
	}
	for _, name := range []string{"plan.txt", "plots/curve-1.svg", "plots/curve-1.pdf", "plots/curve-1.png"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
}

// Where it holds at neither end it is said where to look, and that three jobs are few for a percentile.
func TestPlanAdvice(t *testing.T) {
	code, out, stderr := cmd(t, "plan", traces+"fair-weights", "--max-seeds", "5", "-q", "--hold", "p95(wait) < 5s", "--hold", "mean(wait, queue=a) < 5s", "--vary", "nodes=2:8:6")
	out = strings.Join(strings.Fields(out), " ")
	for _, want := range []string{"at nodes = 2 and", "at 8: look beyond 8.", " mean wait for the first task, queue root.a ", "P95 wait for the first task is over 3 jobs: of so few, p95 is about the largest."} {
		if code != cmdline.ExitFailed || !strings.Contains(out, want) {
			t.Errorf("exit %d, no %q in\n%s%s", code, want, out, stderr)
		}
	}
}

// Where jobs are lost at one end and the other misses the target, it depends on what lies in the middle where to look: beyond that other end only if it is known to come nearer there.
func TestPlanBesideAnEndThatLosesJobs(t *testing.T) {
	for values, want := range map[string]string{
		"1:5:2":   "and at 5 the targets are missed: look on the other side of 5. 3 jobs were refused",
		"1:41:20": "there, nothing says that it comes nearer beyond: look between 1 and 21. 3 jobs were refused",
	} {
		code, out, stderr := cmd(t, "plan", traces+"fair-weights", "--max-seeds", "5", "-q", "--hold", "mean(duration) < 20s", "--vary", "conf spark.dynamicAllocation.maxExecutors="+values)
		if out = strings.Join(strings.Fields(out), " "); code != cmdline.ExitFailed || !strings.Contains(out, want) {
			t.Errorf("%s: exit %d, no %q in\n%s%s", values, code, want, out, stderr)
		}
	}
}

// Of values that were tried for the sake of the answer it is not said that next to nothing waits there; of the answer it is. What the text says of where to look, and
// what limits it, programs are told too.
func TestPlanSaysOfTheAnswer(t *testing.T) {
	_, out, stderr := cmd(t, "plan", traces+"uniform-micro", "--max-seeds", "5", "--hold", "p95(wait) < 60s", "--vary", "nodes=4:364:12")
	if strings.Count(stderr, "hardly anything will wait") != 0 || !strings.Contains(out, "from 4 to 364 at which") {
		t.Errorf("%s%s", stderr, out)
	}
	if _, _, stderr = cmd(t, "plan", traces+"uniform-micro", "--max-seeds", "5", "--hold", "p95(wait) < 60s", "--vary", "nodes=200:400:100"); strings.Count(stderr, "with --nodes 200 the offered load") != 1 || strings.Contains(stderr, "with --nodes 400") {
		t.Error(stderr)
	}
	_, out, _ = cmd(t, "plan", traces+"fair-weights", "--max-seeds", "5", "-q", "--hold", "p95(wait) < 5s", "--vary", "nodes=2:8:6", "--json")
	var plan struct {
		Advice string
		Notes  []string
	}
	if err := json.Unmarshal([]byte(out), &plan); err != nil || !strings.HasSuffix(plan.Advice, "look beyond 8.") || len(plan.Notes) != 2 || !strings.Contains(plan.Notes[0], "is over 3 jobs") || !strings.HasPrefix(plan.Notes[1], "How far predicted times are off is not known here: ") {
		t.Errorf("%v: %s", err, out)
	}
}

// Where jobs are lost at both ends, nothing is said of the wait: the jobs, why, and the exit code of a plan that has no answer, with --json too.
func TestPlanLost(t *testing.T) {
	args := []string{"plan", traces + "uniform-micro", "--max-seeds", "5", "-q", "--hold", "p95(wait) < 1h", "--vary", "nodes=4:20:16", "--conf", "spark.executor.memory=1t"}
	code, out, stderr := cmd(t, args...)
	out = strings.Join(strings.Fields(out), " ")
	for _, want := range []string{"p95(wait) < 1h is not known with nodes from 4 to 20: jobs are lost at both ends", "100 of 100 jobs are lost at nodes = 4, and 100 of 100 jobs at 20: 100 jobs", "without job N", "jobs lost 4 5 – 100 fails"} {
		if code != cmdline.ExitFailed || !strings.Contains(out, want) {
			t.Errorf("exit %d, no %q in\n%s%s", code, want, out, stderr)
		}
	}
	if code, out, _ := cmd(t, append(args, "--json")...); code != cmdline.ExitFailed || !strings.Contains(out, `"jobs_lost": 100`) {
		t.Errorf("exit %d, want %d:\n%s", code, cmdline.ExitFailed, out)
	}
}

// What a plan does not follow, and where it was recorded, stand in its files, which are read without what was printed beside them.
func TestPlanWarnings(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "plan")
	must(t, "plan", traces+"contended-logs", "--max-seeds", "5", "-q", "--hold", "p95(wait) < 10h", "--vary", "nodes=4:8:4", "--conf", "yarn.node-labels.enabled=true", "--out", dir, "--formats", "none")
	for file, wants := range map[string][]string{
		"plan.json":   {`"recorded_elsewhere": "`, "yarn.node-labels.enabled=true: not modelled: nodes have no labels"},
		"plan.txt":    {"as if on it"},
		"report.html": {"as if on it", "yarn.node-labels.enabled=true: not modelled: nodes have no labels"},
	} {
		text, err := os.ReadFile(filepath.Join(dir, file))
		for _, want := range wants {
			if err != nil || !strings.Contains(strings.Join(strings.Fields(string(text)), " "), want) {
				t.Errorf("no %q in %s: %v", want, file, err)
			}
		}
	}
}

// An end that is asked for tells little of times that go on there: what it decides is refused, a mean below its limit has no number where much is open.
func TestPlanUntil(t *testing.T) {
	args := []string{"plan", traces + "uniform-micro", "--max-seeds", "5", "-q", "--until", "5m", "--vary", "nodes=2:12:5"}
	code, _, stderr := cmd(t, append(args, "--hold", "mean(container_wait) < 1h")...)
	if want := "at nodes = 2 --until cuts off "; code != cmdline.ExitUsage || !strings.Contains(stderr, want) {
		t.Errorf("exit %d, no %q in %s", code, want, stderr)
	}
	out := strings.Join(strings.Fields(must(t, append(args, "--hold", "mean(wait) < 1h")...)), " ")
	for _, want := range []string{" is the smallest from 2 to 12 at which mean(wait) < 1h", "2 5 – fails", "Where replays end, jobs still wait or run at nodes = 2 ("} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

// Where a value has a number at neither end, it is not said that a target is missed, nor where to look.
func TestPlanOfNothing(t *testing.T) {
	code, out, _ := cmd(t, "plan", traces+"uniform-micro", "--max-seeds", "5", "-q", "--until", "20s", "--vary", "nodes=2:12:5", "--hold", "mean(duration) < 1h")
	if out = strings.Join(strings.Fields(out), " "); code != cmdline.ExitFailed || !strings.Contains(out, "is not known with nodes from 2 to 12: a value has no number at either end. Nothing is known of what is beyond.") || strings.Contains(out, "look on") {
		t.Errorf("it says %s", out)
	}
	_, out, _ = cmd(t, "plan", traces+"uniform-micro", "--max-seeds", "5", "-q", "--scheduler", "ideal", "--vary", "nodes=2:4:2", "--hold", "mean(container_wait) < 1h", "--hold", "locality_containers_host_share > 50%")
	if out = strings.Join(strings.Fields(out), " "); !strings.Contains(out, "Nothing is known of what is beyond. Without a number: containers on a host asked for (no container was matched to a request with preferred hosts).") {
		t.Errorf("it does not say why: %s", out)
	}
}

// With a load each number of nodes has another rate of arrivals.
func TestPlanLoad(t *testing.T) {
	args := []string{"plan", traces + "uniform-micro", "--max-seeds", "5", "-q", "--hold", "mean(wait) < 1h", "--vary", "nodes=8:12:4"}
	const want = "--load is that of each cluster: with more nodes jobs arrive faster, so this is not how many nodes the same jobs need; --faster, which"
	if out := strings.Join(strings.Fields(must(t, append(args, "--load", "0.3")...)), " "); !strings.Contains(out, want) {
		t.Errorf("no %q in\n%s", want, out)
	}
	if out := must(t, args...); strings.Contains(out, want) {
		t.Errorf("%q in\n%s", want, out)
	}
}

func TestPlanWrong(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want string
	}{
		{nil, "plan wants --hold"},
		{[]string{"--hold", "mean(wait) < 1s"}, "plan wants --vary"},
		{[]string{"--hold", "mean(wait) < +5%", "--vary", "nodes=4:8"}, `--hold is "mean(wait) < +5%", a change against a base, want a limit without a sign`},
		{[]string{"--hold", "mean(wait, queue=x) < 1s", "--vary", "nodes=4:8"}, "no job is in a queue x, nor is there one without jobs"},
		{[]string{"--hold", "mean(wait) < 1s", "--vary", "nodes=8:4"}, "from 8 down to 4, want the smaller one first"},
		{[]string{"--hold", "mean(wait) < 1s", "--vary", "nodes=8"}, "want two values or more"},
		{[]string{"--hold", "mean(wait) < 1s", "--vary", "conf x=1s:2m"}, "have different units"},
		{[]string{"--hold", "mean(wait) < 1s", "--vary", "nods=4:8"}, "--nods"},
		{[]string{"--hold", "mean(wait) < 1s", "--vary", "conf.spark.executor.instances=4:8"}, "a key of Spark or YARN is varied by 'conf spark.executor.instances=4:8'"},
		{[]string{"--hold", "locality_tasks_host_share > 120%", "--vary", "nodes=4:8"}, "never holds (it is from 0 to 100 %)"},
		{[]string{"--hold", "mean(wait) < 1s", "--vary", "conf=4:8"}, "want SETTING=VALUES"},
		{[]string{"--hold", "mean(wait) < 1s", "--vary", "nodes=0:8"}, "--nodes"},
		{[]string{"--hold", "mean(wait) < 1s", "--vary", "nodes=4:8", "--conf", "spark.executor.cores=a"}, `with nodes=4: --conf: spark.executor.cores is "a", want a whole number`},
		{[]string{"--hold", "mean(wait) < 1s", "--vary", "nodes=4:8", "--price", "1", "--prices", "x"}, "give one of them"},
	} {
		if code, _, stderr := cmd(t, append([]string{"plan", traces + "uniform-micro", "-q"}, tt.args...)...); code != cmdline.ExitUsage || !strings.Contains(stderr, tt.want) {
			t.Errorf("%q: exit %d, %s; want %s", tt.args, code, stderr, tt.want)
		}
	}
}

func TestSettings(t *testing.T) {
	for text, want := range map[string][]string{
		"nodes=4:6":            {"4", "5", "6"},
		"load=0.5:0.9:0.2":     {"0.5", "0.7", "0.9"},
		"load=1:2:0.5":         {"1.0", "1.5", "2.0"},
		"conf a.b=0s:3s:1.5s":  {"0.0s", "1.5s", "3.0s"},
		"fair-scheduler=a,b:c": {"a", "b:c"},
		"fair-scheduler=c,a,b": {"c", "a", "b"},
		"nodes=20,4,10,4":      {"4", "10", "20"},
		"conf k=1s,500ms,1min": {"500ms", "1s", "1min"},
		"conf k=2g,512m":       {"512m", "2g"},
		"load=1,0.5":           {"0.5", "1"},
	} {
		if s, err := parseSetting(text); err != nil || !slices.Equal(s.labels, want) {
			t.Errorf("%s: %v (%v), want %v", text, s.labels, err, want)
		}
	}
}

func FuzzSetting(f *testing.F) {
	for _, text := range []string{"nodes=4:400", "conf k=0s:10s:1s", "x=a,b", "load=1e300:1e308:1e-300", "=:"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if s, err := parseSetting(text); err == nil && (len(s.labels) < 2 || len(s.labels) > sweep.MostSteps+1 && !strings.Contains(text, ",")) {
			t.Errorf("%q has %d values", text, len(s.labels))
		}
	})
}
