package command

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"replay/cmd/replay/cmdline"
	"replay/cmd/replay/settings"
	"replay/engine/record"
	"replay/policy"
	"replay/report/explain"
	"replay/report/result"
)

// sameTree fails unless two folders hold the same bytes.
func sameTree(t *testing.T, a, b string) {
	t.Helper()
	n := 0
	err := filepath.WalkDir(a, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		n++
		rel, _ := filepath.Rel(a, path)
		x, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		y, err := os.ReadFile(filepath.Join(b, rel))
		if err != nil || string(x) != string(y) {
			t.Errorf("%s differs (%v)", rel, err)
		}
		return nil
	})
	if err != nil || n < 8 {
		t.Fatalf("%d files: %v", n, err)
	}
}

// With nothing changed the bytes are equal, on every trace of the project; and a result with a change makes itself again.
func TestWhatIfNothing(t *testing.T) {
	for _, name := range []string{"fair-weights", "node-lost", "locality-wait-3s", "drf-mixed-sizes"} {
		dir := t.TempDir()
		at := func(name string) string { return filepath.Join(dir, name) }
		must(t, "run", traces+name, "--formats", "none", "-q", "--out", at("a"))
		must(t, "whatif", at("a"), "--trace", traces+name, "--out", at("b"))
		sameTree(t, at("a"), at("b"))
		must(t, "whatif", at("a"), "--trace", traces+name, "--change", "without job 0", "--out", at("c"))
		must(t, "whatif", at("c"), "--trace", traces+name, "--out", at("d"))
		sameTree(t, at("c"), at("d"))
	}
}

// A share of the nodes is of those that the result has, and for a replay of a trace of its own.
func TestWhatIfFewerNodes(t *testing.T) {
	run := filepath.Join(t.TempDir(), "run")
	fewer := must(t, "run", traces+"fair-weights", "--nodes", "-25%", "--formats", "none", "-q", "--out", run, "--json")
	if six := must(t, "run", traces+"fair-weights", "--nodes", "6", "-q", "--json"); six != fewer { // of 8
		t.Errorf("-25%% of 8 nodes is no replay on 6:\n%s\n%s", fewer, six)
	}
	for nodes, want := range map[string]string{"-50%": "Changed: --nodes 3\n", "+1": "Changed: --nodes 7\n", "4": "Changed: --nodes 4\n"} {
		if out := must(t, "whatif", run, "--trace", traces+"fair-weights", "--nodes", nodes, "-q"); !strings.HasPrefix(out, want) {
			t.Errorf("--nodes %s: %.80q, want %q", nodes, out, want)
		}
	}
	for want, words := range map[string][]string{
		`--nodes is "-6", want a change that leaves a node; nodes at the start: 6`: {"whatif", run, "--trace", traces + "fair-weights", "--nodes", "-6"},
		"--nodes is -8, want a change that leaves a node; nodes at the start: 8":   {"run", traces + "fair-weights", "--nodes", "-8"},
	} {
		if code, _, stderr := cmd(t, words...); code != cmdline.ExitUsage || !strings.Contains(stderr, want) {
			t.Errorf("%v: exit code %d: %s, want %s", words, code, stderr, want)
		}
	}
}

func TestWhatIf(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"fair-weights", "node-lost"} {
		must(t, "run", traces+name, "--formats", "none", "-q", "--out", at(name))
	}
	next := filepath.Join(dir, "next.xml")
	if err := os.WriteFile(next, []byte(`<allocations><queue name="a"><maxResources>4096 mb, 64 vcores</maxResources></queue><queue name="b"/><queue name="c"/></allocations>`), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, result, args string
		code               int
		want               string
	}{
		{"a job less", "fair-weights", "--change 'without job 0'", cmdline.ExitDone, "Changed: --change 'without job 0' Replayed from the beginning, which is the same up to the change. They part at decision 1,"},
		{"a container elsewhere", "fair-weights", "--change 'container 1 of job 0 not on node07'", cmdline.ExitDone, "before at 500 ms: allocates container 1 of job 0 (w1) in root.a on node07"},
		{"a weight", "fair-weights", "--change 'queue root.a weight 9'", cmdline.ExitDone, "They part at decision"},
		{"a key", "fair-weights", "--conf spark.locality.wait=0s", cmdline.ExitDone, "They part at decision"},
		{"a file from some time on", "fair-weights", "--reload 20s=" + next, cmdline.ExitDone, "They part at decision"},
		{"a node is not lost", "node-lost", "--change 'keep node node03'", cmdline.ExitDone, ""},
		{"nothing happens to a node", "node-lost", "--change 'keep node node01'", cmdline.ExitDone, `warning: --change "keep node node01" changes nothing`},
		{"nothing happens to a node of the ideal scheduler", "node-lost", "--scheduler ideal --change 'keep node node01'", cmdline.ExitDone, `warning: --change "keep node node01" changes nothing`},
		{"a container on a node and not on it", "fair-weights", "--change 'container 2 of job 0 on node01' --change 'container 2 of job 0 not on node01'", cmdline.ExitUsage,
			`--change "container 2 of job 0 on node01" and --change "container 2 of job 0 not on node01" leave the container no node`},
		{"a container on two nodes", "fair-weights", "--change 'container 2 of job 0 on node01' --change 'container 2 of job 0 on node02'", cmdline.ExitUsage, "leave the container no node"},
		{"a container on one node and not on another", "fair-weights", "--change 'container 2 of job 0 on node01' --change 'container 2 of job 0 not on node02'", cmdline.ExitDone, "They part at decision"},
		{"places", "fair-weights", "--regret 3", cmdline.ExitDone, "3 allocations of 42, each replayed"},
		{"places of a job", "fair-weights", "--regret 2 --job w3", cmdline.ExitDone, "of job 2 (w3) in root.c"},
		{"no change", "fair-weights", "--change 'more nodes'", cmdline.ExitUsage, `--change is "more nodes", want one of "without job N"`},
		{"a job less, by its name", "fair-weights", "--change 'without job w1'", cmdline.ExitDone, "Changed: --change 'without job w1' Replayed from the beginning, which is the same up to the change. They part at decision 1,"},
		{"a container elsewhere, of a job by its name", "fair-weights", "--change 'container 1 of job w1 not on node07'", cmdline.ExitDone, "before at 500 ms: allocates container 1 of job 0 (w1) in root.a on node07"},
		{"no job of that name", "fair-weights", "--change 'without job w9'", cmdline.ExitUsage, `--change "without job w9": none of the 3 jobs of the trace, 0 to 2, has the number, name or id "w9"; near it: w1, w2, w3`},
		{"no number of a container", "fair-weights", "--change 'container one of job w1 on node07'", cmdline.ExitUsage, `"one" is no number of a job or container`},
		{"no such job", "fair-weights", "--change 'without job 77'", cmdline.ExitUsage, "there is no job 77, only 0 to 2"},
		{"no such node", "fair-weights", "--change 'keep node mars'", cmdline.ExitUsage, `no node is called "mars"`},
		{"a queue by its last part", "fair-weights", "--change 'queue a weight 9'", cmdline.ExitDone, "They part at decision"},
		{"no such queue", "fair-weights", "--change 'queue A weight 9'", cmdline.ExitUsage, `no queue is called "A", near it: root.a, root.b, root.c`},
		{"no such user", "fair-weights", "--change 'user nobody without limits'", cmdline.ExitUsage, `no user is called "nobody", near it: bench`},
		{"no such container", "fair-weights", "--change 'container 999 of job 0 on node01'", cmdline.ExitDone,
			`warning: --change "container 999 of job 0 on node01": job 0 got no container 999, only 1 to 17`},
		{"weights in the CapacityScheduler", "fair-weights", "--scheduler capacity --change 'queue root.a weight 3'", cmdline.ExitUsage, "has no weights of queues"},
		{"regret into a folder", "fair-weights", "--regret 3 --out " + at("regret"), cmdline.ExitUsage, "--out is for the result of one change: with --regret no result is kept"},
		{"regret of a change", "fair-weights", "--regret 3 --change 'without job 0'", cmdline.ExitUsage, "--regret makes changes of its own"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			words, err := splitWords(tt.args)
			if err != nil {
				t.Fatal(err)
			}
			code, out, stderr := cmd(t, append([]string{"whatif", at(tt.result), "--trace", traces + tt.result}, words...)...)
			if said := strings.Join(strings.Fields(out+stderr), " "); code != tt.code || !strings.Contains(said, tt.want) {
				t.Errorf("exit %d, want %d and %q in\n%s%s", code, tt.code, tt.want, out, stderr)
			}
		})
	}
}

// A trace beside the result is found by all forms of the command, and with --out the answer is the same.
func TestWhatIfFindsTrace(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "fair-weights"), os.DirFS(traces+"fair-weights")); err != nil {
		t.Fatal(err)
	}
	res := filepath.Join(dir, "r")
	must(t, "run", filepath.Join(dir, "fair-weights"), "--formats", "none", "-q", "--out", res)
	if out := must(t, "whatif", res, "--regret", "2"); !strings.Contains(out, "2 allocations of 42") {
		t.Error(out)
	}
	change := []string{"whatif", res, "--change", "without job 0"}
	plain := must(t, change...)
	if out := must(t, append(change, "--out", filepath.Join(dir, "c"))...); out != plain {
		t.Errorf("with --out it says\n%s\nand without\n%s", out, plain)
	}
}

// The wait of the job that is left out is no gain of the others.
func TestWhatIfComparesTheSameJobs(t *testing.T) {
	res := filepath.Join(t.TempDir(), "r")
	must(t, "run", traces+"fair-weights", "--formats", "none", "-q", "--out", res)
	out := strings.Join(strings.Fields(must(t, "whatif", res, "--trace", traces+"fair-weights", "--change", "without job 2")), " ")
	for _, want := range []string{"mean wait for the first task 9.75 s 9.75 s 0.00 s", "what follows from jobs is over those that count for it in both"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

// What --until decides is left out where it cuts off other jobs.
func TestWhatIfOfAnEnd(t *testing.T) {
	run := filepath.Join(t.TempDir(), "run")
	must(t, "run", traces+"uniform-micro", "--load", "2", "--until", "5m", "-q", "--formats", "none", "--out", run)
	out := strings.Join(strings.Fields(must(t, "whatif", run, "--trace", traces+"uniform-micro", "--conf", "spark.locality.wait=60s", "-q")), " ")
	for _, want := range []string{"Left out, as --until cuts off other jobs in each: mean wait for a container, mean wait of a task, makespan.", "means count longer times as that, and so are not those of each by itself"} {
		if !strings.Contains(out, want) || strings.Contains(out, " makespan 4") {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

// A container that is told to be on a node is there, and one that is not to be on it is elsewhere.
func TestWhatIfPlaces(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, scheduler := range []string{"fair", "capacity", "fifo"} {
		base := at(scheduler)
		must(t, "run", traces+"fair-weights", "--scheduler", scheduler, "--formats", "none", "-q", "--out", base)
		nodes := map[string]int32{"node02": 1, "node07": 6}
		for host, node := range nodes {
			for change, want := range map[string]bool{"on": true, "not on": false} {
				q := &quietly{}
				p := &program{settings: settings.New(&policy.Tables{}), commands: commands, more: []string{"--change", "container 2 of job 0 " + change + " " + host}, listener: q}
				if err := p.run(t.Context(), []string{"replay", "run", "--from", filepath.Join(base, "run.json"), "-q", traces + "fair-weights"}, io.Discard, io.Discard); err != nil {
					t.Fatal(err)
				}
				found := false
				for _, d := range q.decided {
					if d.Kind == allocates && d.Job == 0 && d.Container == 2 {
						found = true
						if (d.Node == node) != want {
							t.Errorf("%s: container 2 of job 0 %s %s is on node %d", scheduler, change, host, d.Node)
						}
					}
				}
				if !found {
					t.Errorf("%s: no container 2 of job 0 with it %s %s", scheduler, change, host)
				}
			}
		}
	}
}

// Regret tries each other node with room and each application in its place, the best first, and what it says comes of the changes that it names.
func TestRegret(t *testing.T) {
	dir := t.TempDir()
	res, changed := filepath.Join(dir, "r"), filepath.Join(dir, "changed")
	must(t, "run", traces+"fair-weights", "--formats", "none", "-q", "--out", res)
	args := []string{"--regret", "3", "--json", "--trace", traces + "fair-weights"}
	text := must(t, append([]string{"whatif", res}, args...)...)
	var rows []regretted
	if err := json.Unmarshal([]byte(text), &rows); err != nil {
		t.Fatal(err)
	}
	nodes, applications := 0, 0
	for _, r := range rows {
		nodes, applications = nodes+r.Nodes, applications+r.Applications
		if want := r.Nodes + r.Applications + 1; len(r.Alternatives) != want {
			t.Errorf("container %d of %s: %d alternatives, want %d", r.Container, r.Job, len(r.Alternatives), want)
		}
		for i := 1; i < len(r.Alternatives); i++ {
			if a, b := &r.Alternatives[i-1], &r.Alternatives[i]; a.Lost > b.Lost || a.Lost == b.Lost && a.MeanMS < b.MeanMS {
				t.Errorf("%+v stands before %+v", a, b)
			}
		}
	}
	if len(rows) != 3 || nodes == 0 || applications == 0 {
		t.Errorf("%d allocations, %d nodes, %d applications", len(rows), nodes, applications)
	}
	kept := filepath.Join(dir, "kept")
	must(t, "run", traces+"fair-weights", "--formats", "none", "-q", "--out", kept, "--checkpoint-every", "7s")
	if from := must(t, append([]string{"whatif", kept}, args...)...); text != from {
		t.Errorf("with checkpoints it is\n%s\nwithout\n%s", from, text)
	}
	best := rows[0].Alternatives[0]
	args = []string{"whatif", res, "--trace", traces + "fair-weights", "--out", changed}
	for _, change := range best.Changes {
		args = append(args, "--change", change)
	}
	must(t, args...)
	before, err := result.Read(res)
	if err != nil {
		t.Fatal(err)
	}
	after, err := result.Read(changed)
	if err != nil {
		t.Fatal(err)
	}
	sum := int64(0)
	for j := range before.Jobs.All() {
		sum += j.Finish - after.Jobs.Find(j.ID).Finish
	}
	if got := float64(sum) / float64(before.Jobs.Len()); got != best.MeanMS || best.Jobs != before.Jobs.Len() {
		t.Errorf("%v: %v ms shorter over %d jobs, said %v over %d", best.Changes, got, before.Jobs.Len(), best.MeanMS, best.Jobs)
	}
}

// What explain adds up in JSON is the whole, and a missing trace is said.
func TestExplainCommand(t *testing.T) {
	dir := t.TempDir()
	res := filepath.Join(dir, "r")
	must(t, "run", traces+"fair-weights", "--formats", "none", "-q", "--out", res)
	with := func(args ...string) []string {
		return append(append([]string{"explain", res}, args...), "--trace", traces+"fair-weights")
	}
	var got struct {
		Jobs []struct {
			Name            string
			WaitMS, WholeMS int64
			Parts           []struct {
				FromMS   int64 `json:"from_ms"`
				LengthMS int64 `json:"length_ms"`
			}
		}
		Totals struct{ Jobs int64 }
	}
	text := must(t, with("w3", "0", "--json")...)
	text = strings.NewReplacer(`"wait_ms"`, `"WaitMS"`, `"whole_ms"`, `"WholeMS"`).Replace(text)
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Jobs) != 2 || got.Jobs[0].Name != "w3" || got.Jobs[1].Name != "w1" {
		t.Fatalf("%+v", got)
	}
	for _, j := range got.Jobs {
		sum := int64(0)
		for _, p := range j.Parts {
			sum += p.LengthMS
		}
		if sum != j.WholeMS || sum == 0 {
			t.Errorf("%s: parts of %d ms of %d ms", j.Name, sum, j.WholeMS)
		}
	}
	for _, tt := range []struct {
		args []string
		code int
		want string
	}{
		{with("--all"), cmdline.ExitDone, "3 jobs of the result: "},
		{with("--queue", "root.c"), cmdline.ExitDone, "1 job in root.c: "},
		{with("--queue", "a", "--worst", "slowdown"), cmdline.ExitDone, "job 0 (w1), spark of bench in root.a: success"},
		{with("--worst", "wait", "--top", "2", "--executors", "50%..100%"), cmdline.ExitDone, "100 %"},
		{with("--all", "--executors", "50%..100%"), cmdline.ExitUsage, "--executors is about single jobs: name one, or choose by --worst"},
		{with("--all", "--if"), cmdline.ExitUsage, "--if is about single jobs: name one, or choose by --worst"},
		{with(), cmdline.ExitUsage, "explain wants one of: a JOB, --worst, --queue, --all"},
		{with("w9"), cmdline.ExitUsage, `none of the 3 jobs of the result, 0 to 2, has the number, name or id "w9"; near it: w1, w2, w3`},
		{with("--queue", "root.d"), cmdline.ExitUsage, `no job ran in queue "root.d"`},
		{with("0", "--executors", "5..1%"), cmdline.ExitUsage, `--executors is "5..1%", want FROM%..TO%`},
		{[]string{"explain", res, "0", "--trace", dir}, cmdline.ExitBadInput, "), which is not in " + dir + ": say where that trace is, with --trace DIR"},
		{[]string{"explain", res, "0", "--trace", traces + "node-lost"}, cmdline.ExitBadInput, ": say where that trace is, with --trace DIR"},
		{[]string{"explain", res, "0"}, cmdline.ExitBadInput, "), which is not in . or " + dir + ": say where that trace is, with --trace DIR"},
		{[]string{"whatif", res, "--change", "without job 1"}, cmdline.ExitBadInput, ": say where that trace is, with --trace DIR"},
	} {
		code, out, stderr := cmd(t, tt.args...)
		if code != tt.code || !strings.Contains(out+stderr, tt.want) {
			t.Errorf("%v: exit %d, want %d and %q in\n%s%s", tt.args, code, tt.code, tt.want, out, stderr)
		}
	}
}

// A result with explanations is explained as any other, from its tables alone; its curve over other executors takes the trace.
func TestExplainKept(t *testing.T) {
	dir := t.TempDir()
	with, without := filepath.Join(dir, "with"), filepath.Join(dir, "without")
	must(t, "run", traces+"contended-logs", "--formats", "none", "-q", "--out", without)
	must(t, "run", traces+"contended-logs", "--formats", "none", "-q", "--explain", "--out", with)
	for _, args := range [][]string{{"--all"}, {"--queue", "root.etl", "--json"}, {"--worst", "wait", "--top", "56"}, {"3", "--json"}} {
		want := must(t, append([]string{"explain", without, "--trace", traces + "contended-logs"}, args...)...)
		if got := must(t, append([]string{"explain", with}, args...)...); got != want {
			t.Errorf("%v: from the tables\n%s\nwant\n%s", args, got, want)
		}
	}
	if code, _, stderr := cmd(t, "explain", with, "3", "--executors", "50%..100%"); code != cmdline.ExitBadInput || !strings.Contains(stderr, "--trace") {
		t.Errorf("exit %d: %s", code, stderr)
	}
	if code, _, stderr := cmd(t, "run", traces+"fair-weights", "--explain"); code != cmdline.ExitUsage || !strings.Contains(stderr, "--explain wants --out") {
		t.Errorf("exit %d: %s", code, stderr)
	}
	again := filepath.Join(dir, "again")
	must(t, "run", "--from", filepath.Join(with, "run.json"), traces+"contended-logs", "-q", "--out", again)
	sameTree(t, with, again)
}

// What explain says a job would do without a cause is what whatif does, and some jobs do start sooner.
func TestClaims(t *testing.T) {
	dir := t.TempDir()
	res := filepath.Join(dir, "r")
	must(t, "run", traces+"fair-weights", "--formats", "none", "-q", "--out", res)
	var got struct {
		Jobs []struct {
			Job   int64
			Would []explain.Claim
		}
	}
	if err := json.Unmarshal([]byte(must(t, "explain", res, "0", "2", "--if", "--json", "--trace", traces+"fair-weights")), &got); err != nil {
		t.Fatal(err)
	}
	n, sooner := 0, 0
	for _, j := range got.Jobs {
		for _, c := range j.Would {
			n++
			out := filepath.Join(dir, "o")
			must(t, append(c.Command[1:], "--trace", traces+"fair-weights", "--out", out)...)
			data, err := result.Read(out)
			if err != nil {
				t.Fatal(err)
			}
			at := reached(data, j.Job, c.Of == explain.FirstTask, record.JobSucceeded)
			if at == nil || c.AtMS == nil || *at > *c.AtMS {
				t.Errorf("job %d without %s: %v ms, claimed %v", j.Job, c.Cause, at, c.AtMS)
			} else if *at < c.WasMS {
				sooner++
			}
		}
	}
	if n < 5 || sooner < 3 {
		t.Errorf("%d claims, %d sooner", n, sooner)
	}
}

// With nothing changed the result is the same, byte by byte, of every trace of the project.
func TestWhatifChangesNothing(t *testing.T) {
	all, err := filepath.Glob(traces + "*/trace.json")
	if err != nil || len(all) < 5 {
		t.Fatalf("%d traces (%v)", len(all), err)
	}
	for _, file := range all {
		trace := filepath.Dir(file)
		t.Run(filepath.Base(trace), func(t *testing.T) {
			if name := filepath.Base(trace); testing.Short() && (name == "tpch-mixed" || name == "contended-logs") {
				t.Skip("long")
			}
			t.Parallel()
			dir := t.TempDir()
			first, again := filepath.Join(dir, "first"), filepath.Join(dir, "again")
			must(t, "run", trace, "--out", first, "--formats", "none", "--decisions", "--explain", "-q")
			must(t, "whatif", first, "--trace", trace, "--out", again, "-q")
			equalFiles(t, first, again)
		})
	}
}

// Of a result without a job there is nothing to explain, and that is said.
func TestExplainNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "r")
	must(t, "run", traces+"fair-weights", "-q", "--change", "without job 0", "--change", "without job 1", "--change", "without job 2", "--out", dir)
	for _, which := range [][]string{{"--worst", "wait"}, {"--all"}} {
		if code, _, stderr := cmd(t, append([]string{"explain", dir}, which...)...); code != cmdline.ExitBadInput || !strings.Contains(stderr, "has no job to explain") {
			t.Errorf("%v: exit %d, %q", which, code, stderr)
		}
	}
}
