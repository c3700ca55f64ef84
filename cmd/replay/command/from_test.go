package command

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"replay/cmd/replay/cmdline"
	"replay/cmd/replay/selfcmd"
	"replay/engine/record"
	"replay/sealed"
	"replay/sealed/sealedtest"
)

// equalFiles fails the test unless two directories hold the same bytes.
func equalFiles(t *testing.T, a, b string) {
	t.Helper()
	x, y := files(t, a), files(t, b)
	if len(x) != len(y) || len(x) == 0 {
		t.Errorf("%s has %d files, %s has %d", a, len(x), b, len(y))
	}
	for name := range x {
		if x[name] != y[name] {
			t.Errorf("%s differs in %s", name, b)
		}
	}
}

// administrators writes a folder of configuration files and returns the flags that use all ways to name one.
func administrators(t *testing.T) (dir string, flags []string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range map[string]string{
		"conf/yarn-site.xml":       hadoopXML("yarn.scheduler.fair.allocation.file", "queues.xml", "yarn.resourcemanager.scheduler.class", "org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FairScheduler"),
		"conf/queues.xml":          "<allocations><queue name='a'><weight>2</weight></queue></allocations>",
		"conf/spark-defaults.conf": "spark.locality.wait 1s\n# gr\xfcn, in Latin-1\n",
		"later.xml":                "<allocations><queue name='a'><weight>3</weight></queue></allocations>",
		"model.txt":                "am-start-ms=900\n",
		"pools.xml":                "<allocations/>",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir, []string{"--config-dir", filepath.Join(dir, "conf"), "--reload", "20s=" + filepath.Join(dir, "later.xml"), "--model-file", filepath.Join(dir, "model.txt"),
		"--conf", "spark.scheduler.allocation.file=" + filepath.Join(dir, "pools.xml")}
}

// What a result holds beside its summary wants no --out when it is made again only to be printed.
func TestRunFromPrints(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	want := must(t, "run", traces+"locality-wait-3s", "--until", "20s", "--quiet", "--decisions", "--explain", "--formats", "svg", "--out", out)
	if got := must(t, "run", "--from", out, traces+"locality-wait-3s", "--quiet"); got != want {
		t.Errorf("made again it prints\n%s\nwant\n%s", got, want)
	}
}

// A result says how it was made, with the text of every file, and is made again from that when the files are gone.
func TestRunFromItsOwnDescription(t *testing.T) {
	out := t.TempDir()
	first, again := filepath.Join(out, "first"), filepath.Join(out, "again")
	dir, flags := administrators(t)
	must(t, append([]string{"run", traces + "fair-weights", "--quiet", "--formats", "svg", "--tasks", "off", "--seed", "3", "--out", first}, flags...)...)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	must(t, "run", "--from", filepath.Join(first, "run.json"), traces+"fair-weights", "--out", again, "--quiet")
	equalFiles(t, first, again)

	if page := files(t, first)["report.html"]; !strings.Contains(page, "<code>replay run TRACE --") || !strings.Contains(page, "TRACE</th><td>directory of the trace fair-weights") {
		t.Error("the page's command does not ask for the directory of the trace, or does not say of which")
	}
	var m record.Manifest
	if err := json.Unmarshal([]byte(files(t, first)["run.json"]), &m); err != nil {
		t.Fatal(err)
	}
	if m.Made == nil || len(m.Made.Files) != 6 || len(m.Made.Folders) != 1 || m.ProgramVersion != selfcmd.Version || m.Config["spark.locality.wait"] != "1s" || m.Model["am-start-ms"] != "900" {
		t.Errorf("made %+v by %q", m.Made, m.ProgramVersion)
	}
	if f := m.Made.Trace; len(f) != 2 || f[0].Name != "fair-scheduler.xml" || !strings.Contains(f[0].Text, "<allocations>") || len(f[1].SHA256) != 64 {
		t.Errorf("the trace came with %+v", f)
	}
	for _, word := range []string{"--out", "--quiet", first} {
		for _, w := range m.Made.Command {
			if w == word {
				t.Errorf("%s is no part of how the result was made: %q", word, m.Made.Command)
			}
		}
	}
	for _, tt := range []struct {
		name, args string
		code       int
		want       string
	}{
		{"with a flag", "run --from FILE --seed 4", cmdline.ExitUsage, "--seed has no place beside --from"},
		{"by the other command", "compare --from FILE", cmdline.ExitUsage, "which replay run made: use replay run --from"},
		{"of another trace", "run --from FILE " + traces + "node-lost", cmdline.ExitBadInput, "was made from the trace " + m.TraceHash + ", and "},
		{"of a trace elsewhere", "run --from FILE --json -q " + traces + "../traces/fair-weights", cmdline.ExitDone, ""},
		{"of one in a folder of traces", "run --from FILE --json -q " + traces, cmdline.ExitDone, ""},
		{"by its directory", "run --from " + first + " --json -q " + traces + "fair-weights", cmdline.ExitDone, ""},
		{"of none", "run --from FILE " + t.TempDir(), cmdline.ExitBadInput, "was made from the trace fair-weights (" + m.TraceHash + "), which is not in "},
		{"of no result", "run --from " + traces + "fair-weights/trace.json ", cmdline.ExitBadInput, "does not say how it was made"},
		{"of another file of a result", "run --from " + filepath.Join(first, "summary.json"), cmdline.ExitBadInput, "summary.json: does not say how it was made; want the run.json"},
		{"of no JSON", "run --from " + filepath.Join(first, "report.html"), cmdline.ExitBadInput, "report.html: is no JSON; want the run.json or comparison.json of replay run or replay compare"},
		{"of a trace's folder", "run --from " + traces + "fair-weights", cmdline.ExitBadInput, "not a result directory"},
		{"by its directory and the other command", "compare --from " + first, cmdline.ExitUsage, "which replay run made: use replay run --from"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code, _, stderr := cmd(t, strings.Fields(strings.ReplaceAll(tt.args, "FILE", filepath.Join(first, "run.json")))...)
			if code != tt.code || !strings.Contains(stderr, tt.want) {
				t.Errorf("exit %d, %q; want %d and %q", code, stderr, tt.code, tt.want)
			}
		})
	}
}

// A run.json or comparison.json comes from anywhere: one whose command says where to write or read is refused, by commands that only read, too.
func TestFromTakesNoPlacesOfTheFile(t *testing.T) {
	dir := t.TempDir()
	result, other, comparison, earlier := filepath.Join(dir, "result"), filepath.Join(dir, "other"), filepath.Join(dir, "comparison"), filepath.Join(dir, "earlier")
	for out, seed := range map[string]string{result: "1", other: "2", earlier: "3"} {
		must(t, "run", traces+"fair-weights", "--quiet", "--formats", "none", "--seed", seed, "--out", out)
	}
	must(t, "compare", traces+"fair-weights", "--quiet", "--seeds", "1", "--formats", "none", "--variant", "now:", "--variant", "drf: --sharing drf", "--out", comparison)
	before := files(t, earlier)
	seal := func(file string, words ...string) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := sealed.Decode(text)
		if err != nil {
			t.Fatal(err)
		}
		made := doc["made"].(map[string]any)
		command := made["command"].([]any)
		for _, w := range words {
			command = append(command, w)
		}
		made["command"] = command
		if text, err = json.Marshal(doc); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, sealedtest.Text(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run, compared := filepath.Join(result, "run.json"), filepath.Join(comparison, "comparison.json")
	honest := map[string]string{run: files(t, result)["run.json"], compared: files(t, comparison)["comparison.json"]}
	for _, tt := range []struct {
		words, want string
		of          string // the file
		commands    []string
	}{
		{"--out " + earlier, "has --out, want only what says how the replay is made", run, []string{"run --from " + run, "explain " + result + " 0 --trace", "diff " + result + " " + other + " --trace", "whatif " + result + " --change without_job_1 --trace"}},
		{"--out=" + earlier, "has --out, want only", run, []string{"run --from " + run}},
		{"--checkpoint-every 10s", "has --checkpoint-every, want only", run, []string{"run --from " + run}},
		{"--restore " + other, "has --restore, want only", run, []string{"run --from " + run}},
		{"--from " + filepath.Join(other, "run.json"), "has --from, want only", run, []string{"run --from " + run}},
		{"--json", "has --json, want only", run, []string{"run --from " + run}},
		{"-q", "has --q, want only", run, []string{"run --from " + run}},
		{"--help", "has --help, want only", run, []string{"run --from " + run}},
		{"-- " + other, "has \"--\", want only flags after its traces", run, []string{"run --from " + run}},
		{"--foo", "has an unknown flag --foo", run, []string{"run --from " + run}},
		{"--generate-bash-completion", "has --generate-bash-completion, want only", run, []string{"run --from " + run}},
		{"--results --out " + earlier, "has --out, want only", compared, []string{"compare --from " + compared}},
		{"--traces " + traces, "has --traces, want only", compared, []string{"compare --from " + compared}},
	} {
		seal(tt.of, strings.Fields(tt.words)...)
		for _, c := range tt.commands {
			args := append(strings.Fields(c), traces+"fair-weights")
			for i := range args {
				args[i] = strings.ReplaceAll(args[i], "without_job_1", "without job 1")
			}
			if code, _, stderr := cmd(t, args...); code != cmdline.ExitBadInput || !strings.Contains(stderr, tt.of+": its command ") || !strings.Contains(stderr, tt.want) {
				t.Errorf("%s, with %s: exit %d, %q; want %d and %q", c, tt.words, code, stderr, cmdline.ExitBadInput, tt.want)
			}
		}
		if err := os.WriteFile(tt.of, []byte(honest[tt.of]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if after := files(t, earlier); !maps.Equal(before, after) {
		t.Error("an earlier result was replaced")
	}
}

// A trace is found by its hash, beside its result and by whatever name; one that is elsewhere is asked for.
func TestFromFindsTheTrace(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	old, now := filepath.Join(dir, "old"), filepath.Join(dir, "now [1]")
	must(t, "gen", "uniform-micro", "--jobs", "3", "--out", old)
	must(t, "run", old, "--quiet", "--formats", "none", "--out", filepath.Join(dir, "out"))
	if err := os.Rename(old, now); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "out", "run.json")
	must(t, "run", "--from", file, "--quiet", "--out", filepath.Join(dir, "again"))
	equalFiles(t, filepath.Join(dir, "out"), filepath.Join(dir, "again"))
	if err := os.Rename(now, filepath.Join(other, "now")); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := cmd(t, "run", "--from", file); code != cmdline.ExitBadInput || !strings.Contains(stderr, "say where that trace is, as replay run --from "+file+" TRACE") {
		t.Errorf("exit %d, %q", code, stderr)
	}
	must(t, "run", "--from", file, filepath.Join(other, "now"), "--quiet")
	must(t, "run", "--from", file, other, "--quiet")
}

// The name of the folder of a trace is in no byte of what is made of it: results, comparisons, and what is printed.
func TestARenamedTraceChangesNoByte(t *testing.T) {
	dir := t.TempDir()
	one, two, three := filepath.Join(dir, "one"), filepath.Join(dir, "two"), filepath.Join(dir, "three")
	if err := os.CopyFS(one, os.DirFS(traces+"node-lost")); err != nil {
		t.Fatal(err)
	}
	must(t, "gen", "uniform-micro", "--jobs", "6", "--nodes", "4", "--seed", "3", "--out", two)
	must(t, "gen", "uniform-micro", "--jobs", "6", "--nodes", "4", "--seed", "3", "--out", three)
	equalFiles(t, two, three)
	if err := os.RemoveAll(three); err != nil {
		t.Fatal(err)
	}
	moved := map[string]string{one: filepath.Join(dir, "renamed", "to-another"), two: filepath.Join(dir, "renamed", "once more")}
	variants := []string{"--allow-failures", "--formats", "none", "--results", "--variant", "now:", "--variant", "drf: --sharing drf --verbose", "--out"}
	lines := [][]string{
		{"run", one, "--allow-failures", "--verbose", "--decisions", "--formats", "svg", "--out"},
		append([]string{"compare", one, "--seeds", "2"}, variants...),
		append([]string{"compare", one, two}, variants...),
		append([]string{"compare", one, "--windows", "2"}, variants...),
		{"trace", "info", one, "--plot"},
		{"trace", "info", one, "--json"},
	}
	said := map[int]string{}
	for _, round := range []string{"before", "after"} {
		for i, line := range lines {
			args := slices.Clone(line)
			for k, word := range args {
				if to, ok := moved[word]; ok && round == "after" {
					args[k] = to
				}
			}
			switch args[len(args)-1] {
			case "--out":
				args = append(args, filepath.Join(dir, fmt.Sprint("out", i)))
			case "--plot":
				args = append(args, filepath.Join(dir, "trace.svg"))
			}
			code, stdout, stderr := cmd(t, args...)
			if code != cmdline.ExitDone {
				t.Fatalf("%q: exit %d: %s", args, code, stderr)
			}
			text := stdout + stderr
			if out := args[len(args)-1]; strings.HasPrefix(filepath.Base(out), "out") {
				all := files(t, out)
				for _, name := range slices.Sorted(maps.Keys(all)) {
					if text += name + all[name]; strings.Contains(all[name], dir) {
						t.Errorf("%q: %s names a folder of this machine", args, name)
					}
				}
			}
			if round == "before" {
				said[i] = text
			} else if said[i] != text {
				t.Errorf("%q: something else than before the traces had other names", args)
			}
		}
		for from, to := range moved {
			if round == "after" {
				break
			}
			if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(from, to); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// A comparison is made again from its own description, and so is each of the replays that it kept. It replaces itself.
func TestCompareFromItsOwnDescription(t *testing.T) {
	out := t.TempDir()
	first, again, alone := filepath.Join(out, "first"), filepath.Join(out, "again"), filepath.Join(out, "alone")
	dir, flags := administrators(t)
	args := append([]string{"compare", traces + "fair-weights", "--quiet", "--seeds", "2", "--formats", "svg", "--results", "--out", first,
		"--variant", "now:", "--variant", "drf: --sharing drf --conf 'spark.locality.wait=2s' --nodes 9"}, flags...)
	must(t, args...)
	must(t, args...)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	must(t, "compare", "--from", filepath.Join(first, "comparison.json"), traces+"fair-weights", "--quiet", "-j", "1", "--out", again)
	equalFiles(t, first, again)
	must(t, "compare", "--from", first, traces+"fair-weights", "--quiet") // printed alone, without the results that it kept
	run := filepath.Join(first, "runs", "drf", "seed-2")
	must(t, "run", "--from", filepath.Join(run, "run.json"), traces, "--quiet", "--out", alone)
	equalFiles(t, run, alone)
	var c struct {
		Version  string `json:"program_version"`
		Made     *record.Made
		Variants []struct {
			Config map[string]string
			Model  map[string]string
			Nodes  int64
		}
	}
	if err := json.Unmarshal([]byte(files(t, first)["comparison.json"]), &c); err != nil {
		t.Fatal(err)
	}
	if c.Version != selfcmd.Version || c.Made == nil || len(c.Made.Files) != 6 || len(c.Variants) != 2 || c.Variants[1].Config["spark.locality.wait"] != "2s" || c.Variants[1].Nodes != 9 || c.Variants[0].Model["am-start-ms"] != "900" {
		t.Errorf("the comparison says %+v", c)
	}
}

// A trace or a result whose name begins with a dash is no flag, wherever a command hands it to another.
func TestNamesThatBeginWithADash(t *testing.T) {
	from, err := filepath.Abs("../../../traces/uniform-micro")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.CopyFS("-trace", os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args string
		code int
	}{
		{"run ./-trace --until 60s --out ./-a -q", cmdline.ExitDone},
		{"run --until 60s --out ./-b -q --seed 2 -- -trace", cmdline.ExitDone},
		{"run --from ./-a/run.json -q", cmdline.ExitDone},
		{"diff ./-a ./-b -q", cmdline.ExitFailed},
		{"diff ./-a ./-b --trace ./-trace -q", cmdline.ExitFailed},
		{"diff ./-trace --until 60s --variant a:--seed=1 --variant b:--seed=2 -q", cmdline.ExitFailed},
		{"explain ./-a 0 -q", cmdline.ExitDone},
		{"compare ./-trace --until 60s --seeds 2 --variant a: --variant b:--sharing=drf --out ./-c -q", cmdline.ExitDone},
		{"compare --from ./-c/comparison.json -q", cmdline.ExitDone},
		{"compare --from ./-c/comparison.json -q ./-trace", cmdline.ExitDone},
		{"gate ./-trace --until 60s --seeds 2 --base -- --head --sharing=drf -q", cmdline.ExitDone},
	} {
		if code, stdout, stderr := replay(t, strings.Fields(tt.args)...); code != tt.code {
			t.Errorf("%s: exit code %d, want %d\n%s%s", tt.args, code, tt.code, stdout, stderr)
		}
	}
}
