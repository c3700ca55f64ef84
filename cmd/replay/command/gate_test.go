package command

import (
	"cmp"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"replay/cmd/replay/cmdline"
	"replay/report/gate"
)

// gateConfs writes a folder of configuration files and one in which queue c has next to no weight.
func gateConfs(t *testing.T) (base, head string) {
	t.Helper()
	base, head = filepath.Join(t.TempDir(), "it's main"), filepath.Join(t.TempDir(), "branch")
	for dir, weight := range map[string]string{base: "3", head: "0.2"} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		text := `<allocations><queue name="a"/><queue name="b"><weight>2</weight></queue><queue name="c"><weight>` + weight + `</weight></queue></allocations>`
		for name, text := range map[string]string{"fair-scheduler.xml": text, "yarn-site.xml": "<configuration/>"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	return base, head
}

func TestGate(t *testing.T) {
	base, head := gateConfs(t)
	slo := filepath.Join(t.TempDir(), "slo.txt")
	if err := os.WriteFile(slo, []byte("# what we promise\nmean(duration) < 10m  # all jobs\n\np95(wait, queue=a) < 1s\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	few := filepath.Join(t.TempDir(), "few.xml")
	if err := os.WriteFile(few, []byte(`<allocations><queue name="a"/><queue name="b"><maxContainerAllocation>1024 mb, 1 vcores</maxContainerAllocation></queue><queue name="c"/></allocations>`), 0o644); err != nil {
		t.Fatal(err)
	}
	idle := filepath.Join(t.TempDir(), "idle.xml")
	if err := os.WriteFile(idle, []byte(`<allocations><queue name="a"/><queue name="b"><weight>2</weight></queue><queue name="c"><weight>3</weight></queue><queue name="idle"><maxRunningApps>1</maxRunningApps></queue></allocations>`), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		args []string
		code int
		want []string
	}{
		{"a queue without jobs", []string{"--base", base, "--head", "--fair-scheduler " + idle}, cmdline.ExitDone, []string{"(5 seeds). Nothing is known of what changes for queue root.idle: no job is in it."}},
		{"a queue without jobs, beside conditions", []string{"--base", base, "--head", "--fair-scheduler " + idle, "--hold", "mean(wait) < 1h", "--github"}, cmdline.ExitDone, []string{"::warning title=replay gate queues without jobs::Nothing is known of what changes for queue root.idle"}},
		{"equal", []string{"--base", base, "--head", base}, cmdline.ExitDone, []string{"PASS: no decision changes, every value of every replay is equal (5 seeds). Head is told the same as base."}},
		{"equal up to an end", []string{"--base", base, "--head", head, "--until", "10s"}, cmdline.ExitDone, []string{"PASS: no decision changes, every value of every replay is equal (5 seeds), up to 10.00 s."}},
		{"metrics", []string{"--base", base, "--head", head}, cmdline.ExitFailed, []string{"FAIL: worse in ", "root.c ", "hit hardest", "w3 (application_1795246329212_0003)  root.c "}},
		{"conditions", []string{"--base", base, "--head", head, "--fail-if", "mean(duration, queue=c) > +2%", "--fail-if", "p95(wait) > +50%", "--max-seeds", "7"}, cmdline.ExitFailed,
			[]string{"FAIL: 1 of 2 conditions broken", "fails if mean(duration, queue=c) > +2%. Broken: ", "above a change of +2 % of base's value", "fails if p95(wait) > +50%. Kept: ", "it is over 3 jobs: of so few, p95 is about the largest", "The p95 of fewer than 20 is about the largest of them."}},
		{"promises", []string{"--base", base, "--head", base, "--slo", slo}, cmdline.ExitFailed, []string{"FAIL: 1 of 2 conditions broken", "must hold: mean(duration) < 10m. Kept: ", "must hold: p95(wait, queue=a) < 1s. Broken: "}},
		{"flags", []string{"--base", "--sharing fair", "--head", "--conf spark.locality.wait=0s", "--hold", "mean(wait) < 1h"}, cmdline.ExitDone, []string{"PASS: 1 condition kept"}},
		{"jobs that are lost alike", []string{"--fair-scheduler", few, "--base", "--", "--head", "--sharing drf", "--seeds", "5"}, cmdline.ExitDone,
			[]string{"PASS: no decision changes, every value of every replay is equal (5 seeds). Of 15 jobs, counted over 5 seeds, 5 finish under neither: 5 jobs failed, the first is job 1 (w2): "}},
		{"nothing but lost jobs", []string{"--conf", "spark.executor.memory=900g", "--base", "--", "--head", "--sharing drf", "--seeds", "5", "--hold", "mean(wait) < 1h", "--github"}, cmdline.ExitFailed,
			[]string{"::error title=replay gate jobs finished::FAIL: no job finishes under base or head, so nothing is known of the change (5 seeds). Of 15 jobs, counted over 5 seeds, 15 finish under neither: 15 jobs were refused, "}},
		{"no job", []string{"--change", "without job 0", "--change", "without job 1", "--change", "without job 2", "--base", "--", "--head", "--sharing drf", "--hold", "mean(wait) < 1h", "--github"}, cmdline.ExitFailed,
			[]string{"::error title=replay gate jobs finished::FAIL: no job was submitted under base or head, so nothing is known of the change (5 seeds)."}},
		{"too few without conditions", []string{"--base", base, "--head", head, "--seeds", "3"}, cmdline.ExitDone, []string{"PASS: nothing is known of the change, because 3 seeds are too little evidence (5 at least)."}},
		{"at the limit", []string{"--base", "--", "--head", "--conf spark.locality.wait=0s", "--seeds", "5", "--hold", "makespan_jobs_failed_count <= 0"}, cmdline.ExitDone, []string{"must hold: makespan_jobs_failed_count <= 0. Kept: 0 → 0 (0), at the limit in all of them."}},
		{"a queue of one trace", []string{traces + "node-lost", "--base", "--", "--head", "--conf spark.locality.wait=0s"}, cmdline.ExitDone, []string{"–: root.c (no number for base in trace node-lost: it has nothing of queue root.c)."}},
		{"another rate of arrivals", []string{"--base", "--nodes 7", "--head", "--nodes 14", "--load", "3", "--seeds", "3"}, cmdline.ExitDone, []string{"Under head jobs arrive 2 times as fast as under base (--load is of each cluster)"}},
		{"the trace as it is", []string{"--base", "--", "--head=--", "--seeds", "5"}, cmdline.ExitDone, []string{"PASS: no decision changes"}},
		{"too few", []string{"--base", base, "--head", head, "--seeds", "2", "--fail-if", "mean(wait) > +0%"}, cmdline.ExitDone, []string{"of 1 nothing is known", "Not known: 2 seeds are too little evidence (5 at least)"}},
		{"jobs that are lost", []string{"--base", base, "--head", "--conf spark.executor.memory=900g", "--seeds", "5"}, cmdline.ExitFailed, []string{"FAIL: head does not finish 15 jobs, counted over 5 seeds, that base finishes (", "_0003)): 15 jobs were refused, the first is job 0 (w1): its client does not submit it: an executor asks for 924192 MiB, the largest container of the cluster has 8192 MiB"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			code, out, stderr := cmd(t, append([]string{"gate", traces + "fair-weights"}, tt.args...)...)
			if code != tt.code {
				t.Errorf("exit %d, want %d: %s", code, tt.code, stderr)
			}
			out = strings.Join(strings.Fields(out), " ")
			for _, want := range tt.want {
				if !strings.Contains(out, strings.Join(strings.Fields(want), " ")) {
					t.Errorf("no %q in\n%s", want, out)
				}
			}
		})
	}
}

// What an end decides is not known, nor is a mean that is below its limit while much goes on.
func TestGateUntil(t *testing.T) {
	out := must(t, "gate", traces+"uniform-micro", "-q", "--until", "5m", "--nodes", "3", "--seeds", "5", "--base", "--", "--head", "--conf spark.locality.wait=0s",
		"--hold", "makespan_ms < 1h", "--hold", "mean(wait) < 1h", "--hold", "p50(wait) > 1s")
	out = strings.Join(strings.Fields(out), " ")
	for _, want := range []string{
		"must hold: makespan_ms < 1h. Not known: --until ends replays before all jobs are over",
		"must hold: mean(wait) < 1h. Not known: in a replay of head more than 5 % of it goes on at the end, so that ",
		"must hold: p50(wait) > 1s. Kept: ", "of them still waiting, which count with at least the time so far",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

// An error in place of a verdict stands in what CI reads, too: it would go on showing the verdict of an earlier run, or nothing.
func TestNoVerdict(t *testing.T) {
	base, head := gateConfs(t)
	if err := os.WriteFile(filepath.Join(head, "fair-scheduler.xml"), []byte("<allocations>\n<queue"), 0o644); err != nil {
		t.Fatal(err)
	}
	damaged := written(t, "bench.json", "{")
	for _, tt := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"gate", traces + "fair-weights", "--base", base, "--head", head}, cmdline.ExitBadInput, filepath.Join(head, "fair-scheduler.xml") + ": line 2: malformed XML"},
		{[]string{"gate", traces + "fair-weights", "--base", base, "--head", filepath.Join(head, "gone")}, cmdline.ExitUsage, "want a folder of configuration files"},
		{[]string{"gate", traces + "fair-weights", "--base", base, "--head", base, "--hold", "mean(wait, queue=none) < 1s"}, cmdline.ExitUsage, "no job is in a queue none, nor is there one without jobs"},
		{[]string{"bench", traces + "fair-weights", "--baseline", damaged}, cmdline.ExitBadInput, damaged + ": unexpected end of JSON input, want a baseline as replay bench --save writes it"},
	} {
		junit, markdown := written(t, "old.xml", "ok"), written(t, "old.md", "ok")
		code, out, stderr := cmd(t, append(tt.args, "--github", "--junit", junit, "--markdown", markdown)...)
		said, _, _ := strings.Cut(strings.TrimPrefix(stderr[strings.LastIndex(stderr, "replay: "):], "replay: "), "\n")
		if code != tt.code || !strings.Contains(said, tt.want) {
			t.Errorf("%v: exit %d, %q; want %d, %q", tt.args, code, said, tt.code, tt.want)
		}
		if want := "::error title=replay " + tt.args[0] + " no verdict::" + said + "\n"; !strings.HasSuffix(out, want) {
			t.Errorf("%v: annotations %q, want %q", tt.args, out, want)
		}
		var suite struct {
			Failures int `xml:"failures,attr"`
			Cases    []struct {
				Failure struct {
					Message string `xml:"message,attr"`
				} `xml:"failure"`
			} `xml:"testcase"`
		}
		text, err := os.ReadFile(junit)
		if err != nil || xml.Unmarshal(text, &suite) != nil || suite.Failures != 1 || len(suite.Cases) != 1 || suite.Cases[0].Failure.Message != said {
			t.Errorf("%v: %v: %s", tt.args, err, text)
		}
		if text, err := os.ReadFile(markdown); err != nil || string(text) != "❌ **No verdict:** "+said+"\n" {
			t.Errorf("%v: %v: %s", tt.args, err, text)
		}
	}
}

func TestGateOutputs(t *testing.T) {
	base, head := gateConfs(t)
	misspelt := hadoopXML("yarn.scheduler.fair.preempton", "true", "ours.x", "1")
	if err := os.WriteFile(filepath.Join(head, "yarn-site.xml"), []byte(misspelt), 0o644); err != nil {
		t.Fatal(err)
	}
	const warning = "yarn-site.xml: line 1: yarn.scheduler.fair.preempton: unknown, so it has no effect; probably yarn.scheduler.fair.preemption is meant"
	dir := t.TempDir()
	junit, markdown := filepath.Join(dir, "gate.xml"), filepath.Join(dir, "gate.md")
	args := []string{"gate", traces + "fair-weights", "--base", base, "--head", head, "--seeds", "5", "--fail-if", "mean(duration, queue=c) > +2%"}
	code, out, stderr := cmd(t, append(args, "-q", "--github", "--junit", junit, "--markdown", markdown, "--out", filepath.Join(dir, "out"))...)
	if code != cmdline.ExitFailed || !strings.Contains(out, "::error title=replay gate mean(duration%2C queue=c) > +2%25::broken") || !strings.Contains(out, "::notice title=replay gate Warnings of head::") || !strings.Contains(stderr, warning) {
		t.Errorf("exit %d: %s\n%s", code, out, stderr)
	}
	text, err := os.ReadFile(junit)
	var suite struct {
		Failures int `xml:"failures,attr"`
	}
	if err != nil || xml.Unmarshal(text, &suite) != nil || suite.Failures != 1 || !strings.Contains(string(text), warning) {
		t.Errorf("%v: %s", err, text)
	}
	if text, err := os.ReadFile(markdown); err != nil || !strings.HasPrefix(string(text), "❌ **FAIL: 1 of 1 condition broken (5 seeds).**\n") || !strings.Contains(string(text), "| w3 (application_1795246329212_0003) | root.c |") ||
		!strings.Contains(string(text), "\n\nWarnings of head:\n\n- ") || !strings.Contains(string(text), warning) {
		t.Errorf("%v: %s", err, text)
	}
	if again := must(t, "compare", "--from", filepath.Join(dir, "out", "comparison.json"), traces+"fair-weights"); !strings.Contains(again, "head against base") {
		t.Errorf("the comparison is not made again: %s", again)
	}
	_, out, _ = cmd(t, append(args, "--json")...)
	var answer gate.Answer
	if err := json.Unmarshal([]byte(out), &answer); err != nil || !answer.Failed || len(answer.Conditions) != 1 || answer.Conditions[0].Status != gate.Broken || *answer.Conditions[0].Over <= 0 ||
		!strings.Contains(strings.Join(answer.OfHead, "\n"), warning) || strings.Contains(strings.Join(answer.OfBase, "\n"), "preempton") {
		t.Errorf("%v: %s", err, out)
	}
}

// What a gate without conditions stands on has its interval, also for programs, which are told what stands in the text.
func TestGateSaysIntervals(t *testing.T) {
	base, head := gateConfs(t)
	args := []string{"gate", traces + "fair-weights", "--base", base, "--head", head}
	_, text, _ := cmd(t, args...)
	_, out, _ := cmd(t, append(args, "--json")...)
	var a gate.Answer
	if err := json.Unmarshal([]byte(out), &a); err != nil || len(a.Worse) == 0 || len(a.Worse) != strings.Count(a.Verdict, "worse in ") || len(a.Worse) != strings.Count(a.Verdict, " ± ") {
		t.Fatalf("%v: %s", err, out)
	}
	for _, w := range a.Worse {
		if w.Base == nil || w.Head == nil || w.Change == nil || w.Half == nil || *w.Half <= 0 || *w.Half >= math.Abs(*w.Change) {
			t.Errorf("%s: worse without an interval beyond 0: %s", w.Metric, out)
		}
	}
	if len(a.Queues) != 3 || len(a.Queues[0].Metrics) != 2 || a.Queues[0].Metrics[0].N == 0 {
		t.Errorf("queues: %s", out)
	}
	for _, q := range a.Queues {
		if !strings.Contains(text, "\n"+q.Queue+" ") {
			t.Errorf("%s is not in the text: %s", q.Queue, text)
		}
	}
}

// A margin is what a metric may be worse by: one that may be within it as well as beyond is named, and the gate passes.
func TestGateMargin(t *testing.T) {
	base, head := gateConfs(t)
	gated := func(margin float64) (a gate.Answer) {
		_, out, _ := cmd(t, "gate", traces+"fair-weights", "--base", base, "--head", head, "--seeds", "10", "--json", "--margin", fmt.Sprint(margin))
		if err := json.Unmarshal([]byte(out), &a); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return a
	}
	worst := slices.MaxFunc(gated(1).Worse, func(a, b gate.Change) int {
		return cmp.Compare((*a.Change-*a.Half) / *a.Base, (*b.Change-*b.Half) / *b.Base)
	})
	least, mean, most := 100*(*worst.Change-*worst.Half) / *worst.Base, 100**worst.Change / *worst.Base, 100*(*worst.Change+*worst.Half) / *worst.Base
	is := func(c gate.Change) bool { return c.Metric == worst.Metric }
	for _, tt := range []struct {
		margin         float64
		worse, perhaps bool
	}{{.9 * least, true, false}, {(least + mean) / 2, false, true}, {(mean + most) / 2, false, true}, {1.1 * most, false, false}} {
		a := gated(tt.margin)
		if worse, perhaps := slices.ContainsFunc(a.Worse, is), slices.ContainsFunc(a.Perhaps, is); worse != tt.worse || perhaps != tt.perhaps || !worse && a.Failed && len(a.Worse) == 0 {
			t.Errorf("%s by %v (%v to %v) %% with a margin of %v %%: worse %v, perhaps %v, %s", worst.Metric, mean, least, most, tt.margin, worse, perhaps, a.Verdict)
		}
		if tt.perhaps && len(a.Worse) == 0 && !strings.Contains(a.Verdict, "beyond chance; worse, and perhaps by no more: ") {
			t.Error(a.Verdict)
		}
	}
}

func TestGateWrong(t *testing.T) {
	base, _ := gateConfs(t)
	empty := filepath.Join(t.TempDir(), "empty.txt")
	if err := os.WriteFile(empty, []byte("# nothing\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args []string
		code int
		want string
	}{
		{nil, cmdline.ExitUsage, "gate wants --base"},
		{[]string{"--base", base}, cmdline.ExitUsage, "gate wants --head"},
		{[]string{"--base", base, "--head", "nowhere"}, cmdline.ExitUsage, `--head is "nowhere", want a folder of configuration files, flags in quotes`},
		{[]string{"--base", base, "--head", " "}, cmdline.ExitUsage, `--head is " ", want a folder of configuration files, flags in quotes such as '--fair-scheduler new.xml', or -- for the configuration that the trace has`},
		{[]string{"--base=", "--head", "--"}, cmdline.ExitUsage, `--base is "", want a value; without the flag there is none`},
		{[]string{"--base", "--", "--head", "--", "--slo", ""}, cmdline.ExitUsage, `--slo is "", want a value; without the flag there is none`},
		{[]string{"--base", "--sharing fairy", "--head", base}, cmdline.ExitUsage, `replay: --base: --sharing is "fairy", want one of fair, drf`},
		{[]string{"--base", base, "--head", base, "--fail-if", "p95(wait)"}, cmdline.ExitUsage, `--fail-if is "p95(wait)", no condition, want one such as`},
		{[]string{"--base", base, "--head", base, "--fail-if", "p95(wait, queue=d) > +5%"}, cmdline.ExitUsage, "no job is in a queue d, nor is there one without jobs, want one of root.a, root.b, root.c"},
		{[]string{"--base", base, "--head", base, "--slo", empty}, cmdline.ExitBadInput, "no condition in it"},
		{[]string{"--base", base, "--head", base, "--json", "--github"}, cmdline.ExitUsage, "exclude each other"},
	} {
		if code, _, stderr := cmd(t, append([]string{"gate", traces + "fair-weights", "-q"}, tt.args...)...); code != tt.code || !strings.Contains(stderr, tt.want) {
			t.Errorf("%q: exit %d, %s; want %d, %s", tt.args, code, stderr, tt.code, tt.want)
		}
	}
}

// A value with commas is one value.
func TestCommasInValues(t *testing.T) {
	code, _, stderr := cmd(t, "run", traces+"uniform-micro", "--conf", "spark.task.cpus=1,2")
	if want := `spark.task.cpus is "1,2"`; code != cmdline.ExitUsage || !strings.Contains(stderr, want) {
		t.Errorf("exit %d, %s; want %s", code, stderr, want)
	}
}

// A gate that passes names the queue that loses most where no condition is about it.
func TestGateNamesWhoLoses(t *testing.T) {
	base, head := gateConfs(t)
	gated := func(condition string) string {
		code, text, stderr := cmd(t, "gate", traces+"fair-weights", "--base", base, "--head", head, "--seeds", "5", "-q", "--fail-if", "mean(duration) > +500%", "--fail-if", condition)
		if code != cmdline.ExitDone {
			t.Fatalf("exit %d, %s%s", code, text, stderr)
		}
		return strings.Join(strings.Fields(text), " ")
	}
	const said, advice = "No condition is about the queue that loses most, root.c, in ", ", queue=root.c) > +5%' is one."
	if text := gated("makespan_ms > +500%"); !strings.Contains(text, said) || !strings.Contains(text, advice) {
		t.Errorf("want %q and %q in\n%s", said, advice, text)
	}
	if text := gated("mean(duration, queue=c) > +500%"); strings.Contains(text, said) {
		t.Errorf("a condition is about root.c, want nothing said of it in\n%s", text)
	}
}

// What changes for a queue comes with its interval, the same in text, for programs, in Markdown and on the page; what is equal or too little is not tested.
func TestGateTellsIntervalsOfQueues(t *testing.T) {
	base, head := gateConfs(t)
	dir := t.TempDir()
	markdown, out := filepath.Join(dir, "gate.md"), filepath.Join(dir, "out")
	args := []string{"gate", traces + "fair-weights", "--base", base, "--head", head, "--seeds", "8", "-q", "--fail-if", "mean(duration) > +500%", "--markdown", markdown}
	text := strings.Join(strings.Fields(must(t, append(args, "--out", out)...)), " ")
	var answer struct {
		Queues []struct {
			Queue   string
			Metrics []struct {
				Metric       string
				Change, Half *float64
				HalfInterval *float64 `json:"half_interval"`
			}
		}
	}
	if err := json.Unmarshal([]byte(must(t, append(args, "--json")...)), &answer); err != nil {
		t.Fatal(err)
	}
	halves := map[string]*float64{}
	for _, q := range answer.Queues {
		for _, m := range q.Metrics {
			halves[m.Metric] = m.HalfInterval
			if m.HalfInterval != nil && (*m.HalfInterval <= 0 || *m.Change == 0) {
				t.Errorf("%s changes by %v ± %v", m.Metric, *m.Change, *m.HalfInterval)
			}
		}
	}
	half := halves["duration_job_mean_ms[queue=root.c]"]
	if half == nil || halves["wait_job_first_task_p95_ms[queue=root.a]"] != nil {
		t.Fatalf("half intervals %v, want one of the duration in root.c, and none of the wait in root.a, which is equal", halves)
	}
	interval, equal := fmt.Sprintf(" ±%.2f)", *half/1000), " s (=)"
	written := map[string]string{"text": text}
	for where, path := range map[string]string{"Markdown": markdown, "page": filepath.Join(out, "report.html")} {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		written[where] = string(b)
	}
	for where, text := range written {
		for _, want := range []string{interval, equal, "chance makes even one in this table exclude 0 in at most 5 % of gates"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in\n%.3000s", where, want, text)
			}
		}
	}
}

// A value that is just its limit, or a change that is just what is allowed, meets <= and >= and neither < nor >, whatever is lost in computing with parts and
// units that have no exact number.
func TestAtTheLimit(t *testing.T) {
	for _, tt := range []struct{ first, second, limit string }{
		{"100", "7", "+7%"}, {"8.2", "0", "8.2s"}, {"2.01", "0", "2.01s"}, {"70", "7", "+10%"},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "jobs.csv"), []byte("job,submit,duration,vcores,memory\na,0,"+tt.first+",1,1024\nb,0,"+tt.second+",1,1024\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		of := filepath.Join(dir, "jobs")
		must(t, "import", "csv", filepath.Join(dir, "jobs.csv"), "--nodes", "1", "--node-vcores", "1", "--node-mem", "4096", "-q", "--out", of)
		base, head := "--scheduler ideal --nodes 2", "--scheduler ideal --nodes 1" // the longer of both jobs, and one after the other
		for op, meets := range map[string]bool{"<": false, "<=": true, ">": false, ">=": true} {
			want := map[bool]int{true: cmdline.ExitDone, false: cmdline.ExitFailed}[meets]
			if code, out, stderr := cmd(t, "gate", of, "--base", base, "--head", head, "--hold", "makespan_ms "+op+" "+tt.limit); code != want {
				t.Errorf("gate: makespan %s %s: exit %d, want %d\n%s%s", op, tt.limit, code, want, out, stderr)
			}
			if strings.HasPrefix(tt.limit, "+") {
				continue
			}
			if code, out, stderr := cmd(t, "plan", of, "--scheduler", "ideal", "--vary", "nodes=1,2", "--hold", "makespan_ms "+op+" "+tt.limit); code != want {
				t.Errorf("plan: makespan %s %s: exit %d, want %d\n%s%s", op, tt.limit, code, want, out, stderr)
			}
		}
	}
}

// A queue that the head alone has jobs in may be held to a limit; of one that is there without jobs nothing is known; one that neither has is an error that names those of both.
func TestGateOfANewQueue(t *testing.T) {
	dir := t.TempDir()
	next := filepath.Join(dir, "next.xml")
	if err := os.WriteFile(next, []byte(`<allocations><queue name="new"/><queue name="idle"/><queuePlacementPolicy><rule name="default" queue="root.new"/></queuePlacementPolicy></allocations>`), 0o644); err != nil {
		t.Fatal(err)
	}
	args := []string{"gate", traces + "fair-weights", "--base", "--", "--head", "--fair-scheduler " + next, "--max-seeds", "5", "--hold"}
	for cond, want := range map[string]struct {
		code int
		said string
	}{
		"mean(wait, queue=new) < 10m":   {cmdline.ExitDone, "must hold: mean(wait, queue=new) < 10m. Kept: head has"},
		"mean(wait, queue=new) > 10m":   {cmdline.ExitFailed, "must hold: mean(wait, queue=new) > 10m. Broken: head has"},
		"mean(wait, queue=a) < 10m":     {cmdline.ExitDone, "Not known: no number for head"},
		"mean(wait, queue=idle) < 10m":  {cmdline.ExitDone, "must hold: mean(wait, queue=idle) < 10m. Not known: no number for head: no job is in this queue"},
		"mean(wait, queue=idle) < +5%":  {cmdline.ExitDone, "Not known: no number for head: no job is in this queue"},
		"mean(wait, queue=idle) < 5":    {cmdline.ExitUsage, "5 has no unit"},
		"mean(wait, queue=other) < 10m": {cmdline.ExitUsage, "no job is in a queue other, nor is there one without jobs, want one of root.a, root.b, root.c, root.new"},
	} {
		code, out, stderr := cmd(t, append(args, cond)...)
		if code != want.code || !strings.Contains(strings.Join(strings.Fields(out+stderr), " "), want.said) {
			t.Errorf("%s: exit %d, want %d and %q in\n%s%s", cond, code, want.code, want.said, out, stderr)
		}
	}
}
