package command

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"replay/cmd/replay/cmdline"
	"replay/trace"
)

// jobsOf reads all jobs of a trace.
func jobsOf(t *testing.T, dir string) (tr *trace.Trace, jobs []*trace.Job) {
	t.Helper()
	tr, err := trace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tr.Close() })
	for j, err := range trace.All(tr.Jobs()) {
		if err != nil {
			t.Fatal(err)
		}
		jobs = append(jobs, j)
	}
	return tr, jobs
}

// run replays a trace and returns what came out.
func summaryOf(t *testing.T, dir string) (out map[string]any) {
	t.Helper()
	if err := json.Unmarshal([]byte(must(t, "run", dir, "--json", "-q")), &out); err != nil {
		t.Fatal(err)
	}
	delete(out, "over")
	return out
}

// A share of few jobs may offer quite another load: it says so.
func TestTraceCutSaysItsLoad(t *testing.T) {
	dir := t.TempDir()
	text := must(t, "trace", "cut", traces+"node-lost", "--share", "50%", "--out", filepath.Join(dir, "both"))
	if want := "offered load: 2274.8 % of the vcores and 3412.2 % of the memory; of all jobs of the span 1136.9 % of the vcores and 1705.4 % of the memory\n"; !strings.Contains(text, want) {
		t.Errorf("no %q in %s", want, text)
	}
	if text := must(t, "trace", "info", filepath.Join(dir, "both")); !strings.Contains(text, "2274.8 % of the vcores, 3412.2 % of the memory") {
		t.Errorf("the trace offers another load: %s", text)
	}
	if text := must(t, "trace", "cut", traces+"node-lost", "--from", "1s", "--out", filepath.Join(dir, "one")); strings.Contains(text, "offered load") {
		t.Errorf("a span says a load: %s", text)
	}
}

func TestTraceCut(t *testing.T) {
	dir := t.TempDir()
	whole, all := jobsOf(t, traces+"contended-logs")
	cut := func(name string, args ...string) (*trace.Trace, []*trace.Job) {
		t.Helper()
		out := filepath.Join(dir, name)
		must(t, append([]string{"trace", "cut", traces + "contended-logs", "--out", out}, args...)...)
		if got := must(t, "trace", "check", out); !strings.Contains(got, "ok") {
			t.Errorf("%s: %s", name, got)
		}
		return jobsOf(t, out)
	}
	_, span := cut("span", "--from", "1m", "--to", "2m")
	var want []*trace.Job
	for _, j := range all {
		if j.SubmitMS >= 60_000 && j.SubmitMS < 120_000 {
			want = append(want, j)
		}
	}
	if len(span) != len(want) || len(span) == 0 {
		t.Fatalf("%d jobs, want %d", len(span), len(want))
	}
	for i, j := range span {
		if w := want[i]; j.ExternalID != w.ExternalID || j.SubmitMS != w.SubmitMS-60_000 || j.RecordedFinishMS-j.RecordedStartMS != w.RecordedFinishMS-w.RecordedStartMS || j.NumTasks() != w.NumTasks() {
			t.Errorf("job %d is %s at %d, want %s at %d", i, j.ExternalID, j.SubmitMS, w.ExternalID, w.SubmitMS-60_000)
		}
	}
	for i, from := range []string{"0", "0s", "0h"} {
		if _, first := cut(fmt.Sprint("first", i), "--from", from, "--to", "2m"); len(first) <= len(span) || first[0].SubmitMS != all[0].SubmitMS {
			t.Errorf("--from %s: %d jobs", from, len(first))
		}
	}
	ids := func(jobs []*trace.Job) (out []string) {
		for _, j := range jobs {
			out = append(out, j.ExternalID)
		}
		return out
	}
	_, small := cut("small", "--share", "20%")
	_, large := cut("large", "--share", "0.6", "--keep-load=false")
	for _, id := range ids(small) {
		if !slices.Contains(ids(large), id) {
			t.Errorf("%s is in the smaller share alone", id)
		}
	}
	if len(small) == 0 || len(small) >= len(large) || len(large) >= len(all) {
		t.Errorf("%d and %d of %d jobs", len(small), len(large), len(all))
	}
	first := slices.IndexFunc(all, func(j *trace.Job) bool { return j.ExternalID == small[len(small)-1].ExternalID })
	if got, want := small[len(small)-1].SubmitMS, all[first].SubmitMS/5; got != want {
		t.Errorf("a fifth of the jobs: the last is submitted at %d, want %d", got, want)
	}
	part, rest := cut("rest", "--without-jobs", "3, "+all[0].ExternalID, "--without-jobs", "5")
	if got, want := ids(rest), slices.Concat(ids(all[1:3]), ids(all[4:5]), ids(all[6:])); !slices.Equal(got, want) || rest[2].SubmitMS != all[4].SubmitMS {
		t.Errorf("without three jobs there are %v, want %v", got, want)
	}
	if notes := part.Source.Notes; !strings.HasSuffix(notes, "cut without 3 jobs: 0, 3, 5") || !strings.HasSuffix(part.Name(), " without 3 jobs") {
		t.Errorf("the manifest of %s says %q", part.Name(), notes)
	}
	for name, want := range map[string]string{
		"0,999":     `--without-jobs: none of the 56 jobs of the trace, 0 to 55, has the number, name or id "999"; near it: `,
		"0,":        `--without-jobs: a job is called "", want its number`,
		all[0].Name: "jobs are called \"" + all[0].Name + "\", by number: 0, ",
	} {
		if code, _, stderr := cmd(t, "trace", "cut", traces+"contended-logs", "--without-jobs", name, "--out", filepath.Join(dir, "none")); code != cmdline.ExitUsage || !strings.Contains(stderr, want) {
			t.Errorf("without %q: exit %d, %s", name, code, stderr)
		}
	}
	for _, flag := range []string{"--seed=2", "--keep-load=false"} {
		if code, _, stderr := cmd(t, "trace", "cut", traces+"contended-logs", flag, "--from", "1m", "--out", filepath.Join(dir, "none")); code != cmdline.ExitUsage || !strings.Contains(stderr, "want --share too") {
			t.Errorf("%s of all jobs: exit %d, %s", flag, code, stderr)
		}
	}
	for _, c := range []struct {
		flags []string
		code  int
		want  string
	}{
		{nil, cmdline.ExitUsage, "trace cut wants what is to be cut: --from, --to, --share or --without-jobs"},
		{[]string{"--share", "0.01%"}, cmdline.ExitBadInput, "no job is in the cut: a share of 0.01 % has none of the 56 jobs of the span"},
		{[]string{"--from", "9h"}, cmdline.ExitBadInput, "no job is in the cut: of the trace the last one is submitted at"},
		{[]string{"--to", "1ms", "--without-jobs", "0"}, cmdline.ExitBadInput, "no job is in the cut: all jobs of the span are left out: 1 job"},
	} {
		args := append([]string{"trace", "cut", traces + "contended-logs", "--out", filepath.Join(dir, "none")}, c.flags...)
		if code, _, stderr := cmd(t, args...); code != c.code || !strings.Contains(stderr, c.want) {
			t.Errorf("%v: exit %d, %s, want %q", c.flags, code, stderr, c.want)
		}
	}
	if len(whole.Nodes) == 0 || summaryOf(t, filepath.Join(dir, "small"))["makespan_ms"] == nil {
		t.Error("the sample does not replay")
	}
}

func TestTraceMerge(t *testing.T) {
	dir := t.TempDir()
	_, a := jobsOf(t, traces+"fair-weights")
	_, b := jobsOf(t, traces+"uniform-micro")
	for _, more := range [][]string{nil, {"--union"}} {
		out := filepath.Join(dir, "merged"+strings.Join(more, ""))
		text := must(t, append([]string{"trace", "merge", traces + "fair-weights", traces + "uniform-micro", "--out", out}, more...)...) + must(t, "trace", "check", out)
		if nodes := map[bool]string{false: " 8 nodes (and 10 hosts that are never there)", true: " 18 nodes"}[more != nil]; strings.Count(text, nodes+";")+strings.Count(text, nodes+",") != 2 {
			t.Errorf("%v: want %q twice in\n%s", more, nodes, text)
		}
		m, jobs := jobsOf(t, out)
		if len(jobs) != len(a)+len(b) || !slices.IsSortedFunc(jobs, func(x, y *trace.Job) int { return int(x.SubmitMS - y.SubmitMS) }) {
			t.Errorf("%d jobs, want %d in order", len(jobs), len(a)+len(b))
		}
		present := 0
		for i := range m.Nodes {
			if m.Nodes[i].Present {
				present++
			}
		}
		if want := map[bool]int{false: 8, true: 18}[more != nil]; present != want {
			t.Errorf("%v: %d nodes, want %d", more, present, want)
		}
		if got := must(t, "trace", "check", out); !strings.Contains(got, "ok") {
			t.Error(got)
		}
		must(t, "run", out, "-q")
	}
	const days = "left out: the times between the beginnings of the traces, from "
	if text := must(t, "trace", "merge", traces+"fair-weights", traces+"drf-mixed-sizes", "--out", filepath.Join(dir, "days")); !strings.Contains(text, days) {
		t.Errorf("%s does not say %q", text, days)
	}
	if code, _, stderr := cmd(t, "trace", "merge", traces+"fair-weights", "--out", filepath.Join(dir, "x")); code != cmdline.ExitUsage || !strings.Contains(stderr, "two TRACE directories") {
		t.Errorf("one trace: %d %s", code, stderr)
	}
}

// Jobs that stand in two of the traces are said, at whatever times the traces begin; those of one trace alone are not.
func TestTraceMergeSaysWhatIsThereTwice(t *testing.T) {
	dir := t.TempDir()
	late := filepath.Join(dir, "late")
	must(t, "trace", "cut", traces+"drf-mixed-sizes", "--from", "1s", "--out", late)
	_, all := jobsOf(t, traces+"drf-mixed-sizes")
	_, some := jobsOf(t, late)
	const want = "warning: %d of %d jobs have the id, the submission and the size of another (%q is the first): they are replayed, too"
	for i, c := range []struct {
		with  string
		twice []*trace.Job
	}{{traces + "drf-mixed-sizes", all}, {late, some}, {traces + "fair-weights", nil}} {
		code, stdout, stderr := cmd(t, "trace", "merge", traces+"drf-mixed-sizes", c.with, "--json", "--out", filepath.Join(dir, fmt.Sprint("merged", i)))
		said := ""
		if n := len(c.twice); n > 0 {
			said = fmt.Sprintf(want, n, len(all)+n, c.twice[0].ExternalID)
		}
		if code != 0 || !strings.Contains(stderr, said) || said == "" && strings.Contains(stderr, "of another") {
			t.Errorf("with %s: exit %d, %q, want %q", c.with, code, stderr, said)
		}
		var out struct{ Warnings []string }
		if err := json.Unmarshal([]byte(stdout), &out); err != nil || out.Warnings == nil {
			t.Errorf("with %s: JSON without a list of warnings: %v, %s", c.with, err, stdout)
		}
		for _, w := range out.Warnings {
			stderr = strings.Replace(stderr, "warning: "+w+"\n", "", 1)
		}
		if strings.Contains(stderr, "warning: ") {
			t.Errorf("with %s: the JSON has the warnings %q, and stderr also %s", c.with, out.Warnings, stderr)
		}
	}
}

// A cut of a trace without a wall clock is known by the sizes of its jobs, also where they were moved together; another trace of the same law is none, nor is one whose jobs are all alike.
func TestTraceMergeSaysWhatWasMoved(t *testing.T) {
	dir := t.TempDir()
	for name, args := range map[string]string{"whole": "tpch-decima --jobs 40 --nodes 10", "other": "tpch-decima --jobs 40 --nodes 10 --seed 2", "alike": "uniform-micro"} {
		must(t, append(append([]string{"gen"}, strings.Fields(args)...), "--out", filepath.Join(dir, name))...)
	}
	for name, args := range map[string]string{"late": "whole --from 5m --to 12m", "half": "whole --share 50%", "odd": "alike --from 3s"} {
		f := strings.Fields(args)
		f[0] = filepath.Join(dir, f[0])
		must(t, append(append([]string{"trace", "cut"}, f...), "--out", filepath.Join(dir, name))...)
	}
	for _, c := range []struct {
		first, second string
		said          bool
	}{{"whole", "late", true}, {"late", "whole", true}, {"whole", "half", true}, {"whole", "other", false}, {"alike", "odd", false}} {
		_, _, stderr := cmd(t, "trace", "merge", filepath.Join(dir, c.first), filepath.Join(dir, c.second), "--out", filepath.Join(dir, c.first+c.second))
		if said := strings.Contains(stderr, "that is submitted at another time, as in a cut of it"); said != c.said {
			t.Errorf("%s and %s: %q, want that said: %v", c.first, c.second, stderr, c.said)
		}
	}
}

// No name of the trace is in any file of it, and a replay comes out as before, as pseudonyms keep the order of names.
func TestTraceAnonymize(t *testing.T) {
	dir := t.TempDir()
	for _, from := range []string{"contended-logs", "uniform-micro"} {
		out := filepath.Join(dir, from)
		must(t, "trace", "anonymize", traces+from, "--out", out, "--key", "secret")
		orig, jobs := jobsOf(t, traces+from)
		anon, same := jobsOf(t, out)
		var names []string
		for i := range orig.Nodes {
			names = append(names, orig.Nodes[i].Host)
		}
		for i := range orig.Users {
			names = append(names, orig.Users[i].Name)
		}
		for _, q := range orig.Queues {
			names = append(names, q.Path[strings.LastIndexByte(q.Path, '.')+1:])
		}
		for i, j := range jobs {
			names = append(names, j.Name, j.ExternalID)
			if same[i].NumTasks() != j.NumTasks() || same[i].SubmitMS != j.SubmitMS || len(same[i].Stages) != len(j.Stages) {
				t.Errorf("job %d is another", i)
			}
		}
		var text strings.Builder
		for i := range anon.Nodes {
			text.WriteString(anon.Nodes[i].Host + anon.Nodes[i].Rack + " ")
		}
		for i := range anon.Users {
			text.WriteString(anon.Users[i].Name + " ")
		}
		for _, q := range anon.Queues {
			text.WriteString(q.Path + " ")
		}
		for _, j := range same {
			text.WriteString(j.Name + " " + j.ExternalID + " ")
			for _, kv := range j.Conf {
				text.WriteString(kv.Value + " ")
			}
		}
		manifest, err := os.ReadFile(filepath.Join(out, "trace.json"))
		if err != nil {
			t.Fatal(err)
		}
		text.Write(manifest)
		for _, name := range names {
			if name != "" && name != "root" && name != "default" && len(name) > 3 && strings.Contains(text.String(), name) {
				t.Errorf("%s: %q is still there", from, name)
			}
		}
		if got := must(t, "trace", "check", out); !strings.Contains(got, "ok") {
			t.Error(got)
		}
		counted := out + "-counted"
		must(t, "trace", "anonymize", traces+from, "--out", counted)
		before, after := summaryOf(t, traces+from), summaryOf(t, counted)
		for _, name := range []string{"makespan_ms", "duration_job_mean_ms", "wait_job_first_task_p95_ms"} {
			if before[name] != after[name] {
				t.Errorf("%s: %s is %v, and without names %v", from, name, before[name], after[name])
			}
		}
	}
	a, b := filepath.Join(dir, "k1"), filepath.Join(dir, "k2")
	must(t, "trace", "anonymize", traces+"fair-weights", "--key", "secret", "--out", a)
	must(t, "trace", "anonymize", traces+"node-lost", "--key", "secret", "--out", b)
	x, _ := jobsOf(t, a)
	y, _ := jobsOf(t, b)
	if x.Users[0].Name != y.Users[0].Name || !strings.HasPrefix(x.Users[0].Name, "user-") {
		t.Errorf("one key gives %q and %q", x.Users[0].Name, y.Users[0].Name)
	}
}
