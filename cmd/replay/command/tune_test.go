package command

import (
	"encoding/json"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"replay/cmd/replay/cmdline"
)

const tunePlan = `
traces: traces/fair-weights
seeds: 1..5
held_seeds: 11..15
flags: --until 10m
goal: least p95(wait)
limits: [makespan_ms <= +50%]
grid:
  load: [0.5, 2]
  conf: {spark.locality.wait: [0s, ~]}
`

// Half the load has the shortest waits, and no change of a key makes up for twice of it. A second run replays nothing and says the same.
func TestTune(t *testing.T) {
	sweepDir(t, tunePlan)
	var said struct {
		Answer, Winner string
		Better         bool
		Was, Is        float64
		Ties           []string
		Exits          []struct{ Setting string }
		Replays        int
	}
	first := must(t, "tune", "in/plan.yaml", "--out", "t", "-q", "--json")
	if err := json.Unmarshal([]byte(first), &said); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(said.Winner, "load=0.5") || !said.Better || said.Is >= said.Was || len(said.Exits) == 0 || !strings.HasPrefix(said.Exits[0].Setting, "load=2") {
		t.Errorf("it says %s", first)
	}
	if n := len(records(t, "t")); n != said.Replays || n >= 5*10 {
		t.Errorf("%d cells, said %d, of 50 that a sweep would replay", n, said.Replays)
	}
	if code, out, stderr := cmd(t, "tune", "in/plan.yaml", "--out", "t"); code != cmdline.ExitDone || !strings.Contains(stderr, "25 of 25 cells are there") ||
		!strings.Contains(out, said.Answer) || !strings.Contains(out, "--load 0.5") || files(t, "t/tuned")["tune.txt"] != out {
		t.Errorf("again: exit %d, %s\n%s", code, stderr, out)
	}
	text := files(t, "t/tuned")["tune.txt"]
	if !strings.Contains(text, ". p95 wait for the first task, on 5 seeds held out: ") || !strings.Contains(text, "  mean duration of a job, queue root.") || strings.Contains(text, "_ms") {
		t.Errorf("values are not in words:\n%s", text)
	}
	if slower := regexp.MustCompile(`\nUnder it jobs arrive 0\.\d+ times as fast as under the baseline \(--load is of each cluster\)`); !slower.MatchString(text) {
		t.Errorf("half the load is not said to be other arrivals:\n%s", text)
	}
	page := files(t, "t/tuned")["tune.html"]
	for _, want := range []string{"load=0.5", "--load 0.5", "What to paste", "What gets better, on what was held out", "On what was held out: p95 wait for the first task", "worse than the leader"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	for _, tt := range []struct{ old, with, want string }{
		{"goal: least p95(wait)", "", "goal is missing"},
		{"least p95(wait)", "p95(wait)", "line 6: goal: is \"p95(wait)\", want least or most and a value"},
		{"least p95(wait)", "least p95(wate)", "goal least p95(wate): there is no p95 of wate"},
		{"makespan_ms <= +50%", "others <= +5%", "line 7: limits: is \"others <= +5%\", want a change, and a goal of one queue"},
		{"held_seeds: 11..15", "held_seeds: 5..9", "held_seeds: has 5, which the race has, too"},
		{"held_seeds: 11..15", "baseline: [a, b]", "line 4: baseline: has 2 values, want one"},
		{"seeds: 1..5\n", "seeds: 1..4\n", "seeds: are 4 seeds of 1 trace, want 5 at least"},
		{"grid:\n", "grid:\n  until: [5m, 10m]\n", "line 9: until: is no setting to choose"},
		{"grid:", "baseline: --until 5m\ngrid:", "--until ends this one at another time than others"},
		{"flags: --until 10m", "flags: --until 20s", "limit makespan_ms <= +50%: --until ends replays before all jobs are over"},
		{"grid:", "goals: x\ngrid:", "goals: is no key of a plan"},
	} {
		writePlan(t, strings.Replace(tunePlan, tt.old, tt.with, 1))
		if code, _, stderr := cmd(t, "tune", "in/plan.yaml", "--out", "t", "-q"); code == cmdline.ExitDone || !strings.Contains(stderr, tt.want) {
			t.Errorf("%s: exit %d, %s", tt.with, code, stderr)
		}
	}
}

// What is lost under every setting, and what is not used of the files, is said: neither moves a setting in the race.
func TestTuneSaysWhatIsLostAlike(t *testing.T) {
	sweepDir(t, strings.Replace(tunePlan, "--until 10m", "--fair-scheduler fs.xml", 1))
	write := func(queues string) {
		t.Helper()
		if err := os.WriteFile("in/fs.xml", []byte("<allocations>"+queues+"</allocations>"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(`<queue name="a"><maxRunningAps>3</maxRunningAps></queue><queue name="b"><maxContainerAllocation>1024 mb, 1 vcores</maxContainerAllocation></queue><queue name="c"/>`)
	code, out, stderr := cmd(t, "tune", "in/plan.yaml", "--out", "t", "-q")
	if code != cmdline.ExitDone || !strings.Contains(out, "In a replay of the baseline 1 of 3 jobs fail, are refused or do not finish that should succeed: ") {
		t.Errorf("one is lost: exit %d\n%s", code, out)
	}
	kept := files(t, "t/tuned")
	for _, want := range []string{"probably <maxRunningApps> is meant", "job 1 (w2) failed: an executor of resource profile 0 asks for 3072 MiB"} {
		for name, text := range map[string]string{"stderr": stderr, "tune.json": kept["tune.json"], "tune.html": kept["tune.html"]} {
			if strings.Count(html.UnescapeString(strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(text)), want) != 1 {
				t.Errorf("%s does not say once %q", name, want)
			}
		}
	}
	if !strings.Contains(kept["tune.json"], `"jobs_lost": 1`) || !strings.Contains(kept["tune.html"], "In a replay of the baseline 1 of 3 jobs") {
		t.Errorf("the lost job is not in the files:\n%s", kept["tune.json"])
	}
	must(t, "trace", "cut", "in/traces/fair-weights", "--without-jobs", "w3", "--name", "part", "--out", "in/traces/part")
	writePlan(t, "traces: [traces/fair-weights, traces/part]\nseeds: 1..5\ngoal: least mean(wait, queue=root.c)\ngrid: {sharing: [fair, drf]}\n")
	if code, _, stderr := cmd(t, "tune", "in/plan.yaml", "--out", "two", "-q"); code != cmdline.ExitBadInput || !strings.Contains(stderr, "the baseline has no value of it (part, baseline, seed 1; ") {
		t.Errorf("a queue of one trace: exit %d, %s", code, stderr)
	}
	writePlan(t, "traces: traces/fair-weights\nflags: --fair-scheduler fs.xml\nseeds: 5\n")
	if code, _, stderr := cmd(t, "sweep", "in/plan.yaml", "--out", "s"); code != cmdline.ExitDone || !strings.Contains(stderr, "warning: in/plan.yaml: line 3: seeds: is 5, which is one replay of each cell with the seed 5") ||
		strings.Count(stderr, "probably <maxRunningApps> is meant") != 1 || strings.Count(stderr, "job 1 (w2) failed: ") != 1 {
		t.Errorf("a sweep: exit %d, %s", code, stderr)
	}
	writePlan(t, strings.Replace(tunePlan, "--until 10m", "--fair-scheduler fs.xml", 1))
	write(`<queue name="a"><maxContainerAllocation>512 mb, 1 vcores</maxContainerAllocation></queue><queue name="b"><maxContainerAllocation>512 mb, 1 vcores</maxContainerAllocation></queue><queue name="c"><maxContainerAllocation>512 mb, 1 vcores</maxContainerAllocation></queue>`)
	code, _, stderr = cmd(t, "tune", "in/plan.yaml", "--out", "t", "-q")
	if code != cmdline.ExitBadInput || !strings.Contains(stderr, "goal least p95(wait): the baseline has no value of it (fair-weights, baseline, seed 1; 0 of 3 jobs succeeded)") || !strings.Contains(stderr, "warning: fair-weights: 3 jobs, the first: job 0 (w1)") {
		t.Errorf("all are lost: exit %d, %s", code, stderr)
	}
}

// A setting under which as many jobs are lost as under the baseline, and others, is no better: what it loses leaves its room to the rest.
func TestTuneLosesOthers(t *testing.T) {
	sweepDir(t, "traces: traces/fair-weights\nflags: --fair-scheduler not-a.xml\nseeds: 1..5\ngoal: least mean(wait)\ngrid: {fair-scheduler: [not-b.xml, not-c.xml]}\n")
	for _, name := range []string{"a", "b", "c"} {
		queues := strings.Replace(`<queue name="a"/><queue name="b"/><queue name="c"/>`, `<queue name="`+name+`"/>`, `<queue name="`+name+`"><maxRunningApps>0</maxRunningApps></queue>`, 1)
		if err := os.WriteFile("in/not-"+name+".xml", []byte("<allocations>"+queues+"</allocations>"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	code, out, stderr := cmd(t, "tune", "in/plan.yaml", "--out", "t", "-q")
	if code != cmdline.ExitDone || !strings.Contains(out, "No setting came before the baseline") || strings.Count(out, "left after 5: jobs fail") != 2 {
		t.Errorf("exit %d, %s\n%s\nwant no setting before the baseline, as each loses a job that it does not", code, stderr, out)
	}
	writePlan(t, "traces: traces/fair-weights\nseeds: 1..5\ngrid: {fair-scheduler: [not-a.xml, not-b.xml]}\n")
	if out := must(t, "sweep", "in/plan.yaml", "--out", "s", "-q"); !strings.Contains(out, "Left out, because jobs do not succeed that do under others") || !strings.Contains(out, "No headline metric tells two choices apart.") {
		t.Errorf("a sweep of the two compares them:\n%s", out)
	}
}

// What is to be pasted changes nothing for jobs that set the key themselves: how many of the traces do is said beside the answer.
func TestTuneSaysWhoSetsAKey(t *testing.T) {
	for _, tt := range []struct{ trace, grid, want string }{
		{"locality-wait-3s", "spark.locality.wait: [0s, ~]", "those of the traces set spark.locality.wait (1 of 1 job);"},
		{"fair-weights", "spark.locality.wait: [0s], spark.executor.instances: [3]", ""},
	} {
		t.Run(tt.trace, func(t *testing.T) {
			dir, err := filepath.Abs(traces + tt.trace)
			if err != nil {
				t.Fatal(err)
			}
			sweepDir(t, "\ntraces: "+dir+"\nseeds: 1..5\nheld_seeds: 11..15\ngoal: least mean(duration)\ngrid:\n  conf: {"+tt.grid+"}\n")
			text := must(t, "tune", "in/plan.yaml", "--out", "t", "-q")
			if !strings.Contains(text, "spark-defaults.conf (") {
				t.Fatalf("want something to paste in\n%s", text)
			}
			if page := files(t, "t/tuned")["tune.html"]; strings.Contains(text, "those of the traces set") != (tt.want != "") || !strings.Contains(text, tt.want) || !strings.Contains(html.UnescapeString(page), tt.want) {
				t.Errorf("want %q in\n%s", tt.want, text)
			}
		})
	}
}
