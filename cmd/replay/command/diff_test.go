package command

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"replay/cmd/replay/cmdline"
)

func TestDiff(t *testing.T) {
	dir := t.TempDir()
	for name, args := range map[string][]string{"a": {"--decisions"}, "b": {"--conf", "spark.locality.wait=0s"}, "c": {"--sharing", "drf"}, "d": {"--conf", "spark.ui.port=4041"}} {
		must(t, append([]string{"run", traces + "fair-weights", "--formats", "none", "-q", "--out", filepath.Join(dir, name)}, args...)...)
	}
	file := filepath.Join(dir, "spark-defaults.conf")
	if err := os.WriteFile(file, []byte("spark.locality.wait 1s\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, args := range map[string][]string{"under": nil, "over": {"--override", "--faster", "2"}} {
		must(t, append([]string{"run", traces + "fair-weights", "--spark-defaults", file, "--formats", "none", "-q", "--out", filepath.Join(dir, name)}, args...)...)
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, tt := range []struct {
		name string
		args []string
		code int
		want []string
	}{
		{"itself", []string{at("a"), at("a")}, cmdline.ExitDone, []string{"No decision differs: both have the decision hash "}},
		{"results", []string{at("a"), at("b"), "--trace", traces + "fair-weights"}, cmdline.ExitFailed, []string{"They part at decision ", "before it, in both: queue root.", "the last equal decisions: ", "mean duration of a job"}},
		{"told differently", []string{at("b"), at("c"), "--trace", traces + "fair-weights"}, cmdline.ExitFailed, []string{"told differently " + at("b") + " " + at("c") + " sharing fair drf spark.locality.wait 0s – –: not set, so as YARN, Spark or the trace has it. They part at decision "}},
		{"told what changes nothing", []string{at("a"), at("d")}, cmdline.ExitDone, []string{"told differently " + at("a") + " " + at("d") + " spark.ui.port – 4041"}},
		{"files over the keys of jobs", []string{at("under"), at("over"), "--trace", traces + "fair-weights"}, cmdline.ExitFailed, []string{"told differently " + at("under") + " " + at("over") + " faster 1 2 override – yes –: not set"}},
		{"another end", []string{traces + "fair-weights", "--variant", "all:", "--variant", "half: --until 1m"}, cmdline.ExitFailed, []string{"half at no decision any more", "all ends with its jobs and half at 60.00 s (--until): what an end cuts off is no difference of theirs, so their values are not compared."}},
		{"variants", []string{traces + "contended-logs", "--variant", "fair: --sharing fair", "--variant", "drf: --sharing drf"}, cmdline.ExitFailed,
			[]string{"They part at decision 63, of 630 in fair and 586 in drf.", "fair at 44.95 s: allocates container 2 of job 9 (wordcount-cluster) in root.etl on host03, 1,024 MiB, 2 vcores", "47 jobs end at another time"}},
		{"jobs that are refused", []string{traces + "fair-weights", "--variant", "a:", "--variant", "b: --conf yarn.scheduler.maximum-allocation-mb=512"}, cmdline.ExitFailed,
			[]string{"b: 0 of 3 jobs succeeded, 3 refused - 3 jobs were refused, the first is job 0 (w1): its client does not submit it:", "b does not finish 3 jobs that a finishes: lost jobs leave their room to the others, so what is better without them is no gain.",
				"mean wait for a container, of which b has none: no executor or task container was allocated;", "so what is better without them is no gain. one replay each"}},
		{"no job is over", []string{traces + "fair-weights", "--variant", "a: --until 60s", "--variant", "b: --until 60s --nodes 7"}, cmdline.ExitFailed,
			[]string{"b: 0 of 3 jobs succeeded, 3 unfinished", "change n containers on a host asked for 100.00 % 100.00 % 0.00 pp 10 of 14 containers", "next to nothing: p95 wait for the first task; mean duration of a job; mean slowdown of a job; makespan."}},
		{"one job that moves", []string{traces + "fair-weights", "--variant", "a: --until 100s", "--variant", "b: --until 100s --nodes 7"}, cmdline.ExitFailed, []string{"1 job ends at another time; most of all: job 0 (w1)"}},
		{"equal variants", []string{traces + "fair-weights", "--variant", "a:", "--variant", "b: --engine dense"}, cmdline.ExitDone, []string{"No decision differs: "}},
		{"one result", []string{at("a")}, cmdline.ExitUsage, nil},
		{"a setting beside results", []string{at("a"), at("a"), "--scheduler", "capacity"}, cmdline.ExitUsage, nil},
		{"a trace beside variants", []string{traces + "fair-weights", "--trace", dir, "--variant", "a:", "--variant", "b:"}, cmdline.ExitUsage, nil},
		{"no result", []string{at("a"), dir}, cmdline.ExitBadInput, nil},
		{"one variant", []string{traces + "fair-weights", "--variant", "a:"}, cmdline.ExitUsage, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code, out, stderr := cmd(t, append([]string{"diff"}, tt.args...)...)
			if code != tt.code {
				t.Errorf("exit %d, want %d: %s", code, tt.code, stderr)
			}
			out = strings.Join(strings.Fields(out), " ")
			for _, want := range tt.want {
				if !strings.Contains(out, want) {
					t.Errorf("no %q in\n%s", want, out)
				}
			}
			if tt.name == "jobs that are refused" && strings.Contains(out, "at another time") {
				t.Errorf("jobs that are refused end sooner in\n%s", out)
			}
		})
	}
	if _, out, _ := cmd(t, "diff", traces+"fair-weights", "--variant", "a:", "--variant", "b: --change 'without job 0' --change 'without job 1' --change 'without job 2'"); strings.Contains(out, "does not finish") || strings.Contains(out, "no evidence") {
		t.Errorf("jobs that one replay is without are lost, or a table has no row:\n%s", out)
	}
	if _, out, _ := cmd(t, "report", "--compare", at("under"), at("over")); !strings.Contains(out, " --faster 1\n") || !strings.Contains(out, " --faster 2 --override\n") {
		t.Errorf("a comparison of results does not say how they differ:\n%s", out)
	}
	_, out, _ := cmd(t, "diff", traces+"fair-weights", "--json", "--variant", "a:", "--variant", "b: --conf yarn.scheduler.maximum-allocation-mb=512")
	var a partingAnswer
	if err := json.Unmarshal([]byte(out), &a); err != nil || len(a.Moved) > 0 || len(a.Told) != 1 || a.Told[0].Name != "yarn.scheduler.maximum-allocation-mb" || a.Told[0].Values[1] != "512" || a.Outcomes["a"].Succeeded != 3 || a.Outcomes["b"].Refused != 3 {
		t.Errorf("%v: %s", err, out)
	}
}

// Two programs, or those of two commits, replay one trace each and are compared decision by decision. The program of a commit is one that runs
// this program, the second one under another policy.
func TestDiffPrograms(t *testing.T) {
	t.Setenv("REPLAY_PROCESS", "1")
	t.Setenv("THIS_PROGRAM", os.Args[0])
	trace, err := filepath.Abs(traces + "contended-logs")
	if err != nil {
		t.Fatal(err)
	}
	repository := t.TempDir()
	git := func(words ...string) {
		t.Helper()
		c := exec.Command("git", append([]string{"-C", repository, "-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"}, words...)...)
		if text, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", words, err, text)
		}
	}
	git("init", "--quiet")
	for i, more := range []string{`"--sharing", "drf"`, ``} {
		for name, text := range map[string]string{"go.mod": "module m\ngo 1.24\n", "cmd/replay/main.go": "package main\nimport (\"os\"; \"os/exec\")\nfunc main() {\nc := exec.Command(os.Getenv(\"THIS_PROGRAM\"), append(os.Args[1:], []string{" + more + "}...)...)\nc.Stderr = os.Stderr\nif c.Run() != nil { os.Exit(1) }\n}\n"} {
			path := filepath.Join(repository, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		git("add", "-A")
		git("commit", "--quiet", "-m", fmt.Sprint(i))
	}
	t.Chdir(repository)
	for _, tt := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"a program and itself", []string{trace, "--base-binary", os.Args[0]}, cmdline.ExitDone, "No decision differs: 630 decisions in both."},
		{"commits", []string{trace, "--commits", "HEAD~1..HEAD"}, cmdline.ExitFailed, "They part at decision 63, of 586 in HEAD~1 and 630 in HEAD."},
		{"flags for both", []string{trace, "--commits", "HEAD..HEAD", "--sharing", "drf"}, cmdline.ExitDone, "No decision differs: 586 decisions in both."},
		{"no program", []string{trace, "--base-binary", repository}, cmdline.ExitUsage, "want a program"},
		{"no commit", []string{trace, "--commits", "HEAD..nowhere"}, cmdline.ExitUsage, `there is no commit "nowhere" here`},
		{"no range", []string{trace, "--commits", "HEAD"}, cmdline.ExitUsage, "want A..B"},
		{"a program that fails", []string{trace, "--base-binary", "/bin/false"}, cmdline.ExitBadInput, "exit status 1"},
	} {
		code, out, stderr := cmd(t, append([]string{"diff"}, tt.args...)...)
		if text := out + stderr; code != tt.code || !strings.Contains(text, tt.want) {
			t.Errorf("%s: exit %d, want %d and %q in\n%s", tt.name, code, tt.code, tt.want, text)
		}
	}
}
