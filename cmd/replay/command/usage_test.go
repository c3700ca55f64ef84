package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"replay/cmd/replay/cmdline"
	"replay/cmd/replay/selfcmd"
	"replay/cmd/replay/settings"
	"replay/policy"
)

// Of two wrong flags the first is reported, whatever is wrong with them; misspelt names are answered with the nearest; a folder of
// traces names them, and a path that is something else says what.
func TestWordsOfErrors(t *testing.T) {
	const trace = traces + "fair-weights"
	result, comparison, sweep := t.TempDir(), t.TempDir(), t.TempDir()
	for _, file := range []string{filepath.Join(result, "run.json"), filepath.Join(result, "jobs.parquet"), filepath.Join(comparison, "comparison.json"), filepath.Join(sweep, "sweep.json")} {
		if err := os.WriteFile(file, []byte("{}"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"run", trace, "--load", "0", "--until", "never"}, cmdline.ExitUsage, `--load is "0", want a positive number`},
		{[]string{"run", trace, "--until", "never", "--load", "0"}, cmdline.ExitUsage, `--until is "never", want a positive time`},
		{[]string{"run", trace, "--until", "30"}, cmdline.ExitUsage, `--until is "30", it has no unit, want 30s, 30m, 30h or 30ms`},
		{[]string{"run", trace, "--out", "-q"}, cmdline.ExitUsage, `--out wants a value, and -q is a flag: --out=-q where it is the value`},
		{[]string{"run", trace, "--out", "--seed=3"}, cmdline.ExitUsage, `--out wants a value, and --seed=3 is a flag`},
		{[]string{"gen", "uniform-micro", "--name", "--out", "x"}, cmdline.ExitUsage, `--name wants a value, and --out is a flag`},
		{[]string{"gate", trace, "--base", "--override", "--head", "no-such"}, cmdline.ExitUsage, `--head is "no-such"`},
		{[]string{"run", trace, "--seed", "+20"}, cmdline.ExitUsage, `--seed is "+20", want the value itself, without a sign: 20`},
		{[]string{"run", trace, "--seed", "+2"}, cmdline.ExitUsage, `--seed is "+2", want the value itself, without a sign: 2`},
		{[]string{"import", "csv", "no.csv", "--node-mem", "1.5g"}, cmdline.ExitUsage, `--node-mem is "1.5g", want whole MiB, or a whole number with a unit such as 48g or 512m`},
		{[]string{"import", "csv", "no.csv", "--node-mem", "0g"}, cmdline.ExitUsage, `--node-mem is "0g", want 1 or more`},
		{[]string{"run", trace, "--nodes", "0x10"}, cmdline.ExitUsage, `--nodes is "0x10", want 1 to 1000000, or a change such as -4`},
		{[]string{"run", trace, "--load", "+0.5"}, cmdline.ExitUsage, `--load is "+0.5", want the value itself, without a sign: 0.5`},
		{[]string{"run", trace, "--load", "0x1p-1"}, cmdline.ExitUsage, `--load is "0x1p-1", want a positive number`},
		{[]string{"run", trace, "--load", "80%"}, cmdline.ExitUsage, `--load is "80%", want a positive number, 0.8 for 80 % of what all vcores can do`},
		{[]string{"run", trace, "--until", "+5m"}, cmdline.ExitUsage, `--until is "+5m", want the value itself, without a sign: 5m`},
		{[]string{"compare", trace, "--windows", "+5"}, cmdline.ExitUsage, `--windows is "+5", want 2 to 1000, or auto`},
		{[]string{"compare", trace, "--variant", "more: --faster +20"}, cmdline.ExitUsage, `--variant more: --faster is "+20", want the value itself`},
		{[]string{"compare", trace, "--variant", "a-name-of-more-than-forty-letters-and-digits: --nodes 20"}, cmdline.ExitUsage, `want 'name: flags' with a name of 1 to 40 letters from a to z, digits and . _ + -`},
		{[]string{"compare", trace, "--precision", "3%", "--margin=2%", "--seeds", "x"}, cmdline.ExitUsage, `--seeds is "x"`},
		{[]string{"compare", trace, "--precision", "0%"}, cmdline.ExitUsage, `--precision is "0%", want a positive number`},
		{[]string{"plan", trace, "--hold", "p95(wait) < 30s", "--vary", "nodes=+4:8"}, cmdline.ExitUsage, `"+4" is no number`},
		{[]string{"run", trace, "--policy", "my", "policy.star"}, cmdline.ExitUsage, "got 2 arguments (a name with blanks stands in quotes): " + trace + ", policy.star"},
		{[]string{"compare", trace, "--variant", "a:", "--variant", "b: --policy my policy.star"}, cmdline.ExitUsage, `--variant b: "policy.star" is not a flag; a value with blanks stands in quotes`},
		{[]string{"run", "--until", "never", trace, "--nonsense"}, cmdline.ExitUsage, `--until is "never"`},
		{[]string{"run", "--nonsense", trace, "--until", "never"}, cmdline.ExitUsage, `unknown flag --nonsense (see replay run --help)`},
		{[]string{"run", trace, "--series", "x", "--until", "never", "--seed", "-1"}, cmdline.ExitUsage, `--series is "x"`},
		{[]string{"run", trace, "--conf", "x", "--model", "y"}, cmdline.ExitUsage, `--conf is "x", want KEY=VALUE`},
		{[]string{"run", trace, "--model", "y", "--conf", "x"}, cmdline.ExitUsage, `--model is "y", want NAME=VALUE`},
		{[]string{"compare", trace, "--seeds", "0", "--jobs", "0"}, cmdline.ExitUsage, "--seeds"},
		{[]string{"compare", trace, "--jobs", "0", "--seeds", "0"}, cmdline.ExitUsage, "--jobs"},
		{[]string{"gen", "uniform-micro", "--load", "0", "--nodes", "0"}, cmdline.ExitUsage, "--load"},
		{[]string{"compare", trace, "--variant", "a: --until never --load 0", "--variant", "b: --x"}, cmdline.ExitUsage, `--variant a: --until is "never"`},
		{[]string{"compare", trace, "--variant", "a: --nonsense", "--seeds", "0", "--variant", "b:"}, cmdline.ExitUsage, "--variant a: unknown flag --nonsense"},
		{[]string{"compare", trace, "--variant", "a:", "--variant", "b: --until 20s"}, cmdline.ExitUsage, "--variant b: --until ends it at another time than a"},
		{[]string{"compare", trace, "--variant", "a:", "--variant", "b: --seed 30"}, cmdline.ExitUsage, "--variant b: --seed is 30, and that of a 1: of up to 30 seeds each some are of both; want the same --seed, or one that is 30 away at least"},
		{[]string{"compare", trace, "--seeds", "2", "--variant", "a: --seed 5", "--variant", "b: --seed 4"}, cmdline.ExitUsage, "--variant b: --seed is 4, and that of a 5"},
		{[]string{"import", "csv", "x.csv", "--nodes", "0", "--out", "x"}, cmdline.ExitUsage, `--nodes is "0", want 1 to 1000000`},
		{[]string{"import", "csv", "x.csv", "--node-mem", "0", "--out", "x"}, cmdline.ExitUsage, `--node-mem is "0", want 1 or more`},
		{[]string{"import", "csv", "x.csv", "--node-vcores", "0", "--out", "x"}, cmdline.ExitUsage, `--node-vcores is "0", want 1 or more`},
		{[]string{"compare", trace, "--variant", "a:", "--variant", "b: --out x"}, cmdline.ExitUsage, "--variant b: --out has no place in a variant: it stands outside"},
		{[]string{"compare", trace, "--variant", "a:", "--variant", "b: --sharng drf"}, cmdline.ExitUsage, "--variant b: unknown flag --sharng; is --sharing meant?"},
		{[]string{"run", trace, "--out", ""}, cmdline.ExitUsage, `--out is "", want a value; without the flag there is none`},
		{[]string{"compare", trace, "--variant", "a: --scheduler ''", "--variant", "b:"}, cmdline.ExitUsage, `--variant a: --scheduler is "", want a value`},
		{[]string{"run", trace, "--sharng", "drf"}, cmdline.ExitUsage, "unknown flag --sharng; is --sharing meant? (see replay run --help)"},
		{[]string{"run", trace, "--sched", "fifo"}, cmdline.ExitUsage, "unknown flag --sched; is --scheduler meant? (see replay run --help)"},
		{[]string{"diff", trace, "--variant", "a:", "--variant", "A: --sharing drf"}, cmdline.ExitUsage, "--variant A is given twice"},
		{[]string{"run", trace, "--progress", "of"}, cmdline.ExitUsage, "want auto, on or off; is on meant?"},
		{[]string{"comapre", trace}, cmdline.ExitUsage, `unknown command "comapre"; is compare meant? (see replay --help)`},
		{[]string{trace, "--scheduler", "fair"}, cmdline.ExitUsage, ": it is a trace, which replay run " + trace + " takes (see replay --help)"},
		{[]string{"comapre", trace, "--seeds", "2"}, cmdline.ExitUsage, `unknown command "comapre"; is compare meant?`},
		{[]string{result}, cmdline.ExitUsage, ": it is a result, which replay report " + result + " shows again"},
		{[]string{"usage_test.go"}, cmdline.ExitUsage, ": it is no command but a path, of which replay import auto usage_test.go --out DIR makes a trace"},
		{[]string{"trace", "inof", trace}, cmdline.ExitUsage, `unknown command "inof"; is info meant? (see replay trace --help)`},
		{[]string{"help", "rnu"}, cmdline.ExitUsage, `unknown command "rnu"; is run meant?`},
		{[]string{"completion", "fsh"}, cmdline.ExitUsage, "want bash, fish or zsh; is fish meant?"},
		{[]string{"run", traces}, cmdline.ExitBadInput, "a folder of traces, want one of them: contended-logs, drf-mixed-sizes, fair-weights"},
		{[]string{"trace", "info", traces}, cmdline.ExitBadInput, "a folder of traces, want one of them: contended-logs"},
		{[]string{"compare", traces, "--variant", "a:", "--variant", "b:"}, cmdline.ExitBadInput, "a folder of traces"},
		{[]string{"gate", "--base", ".", "--head", "."}, cmdline.ExitUsage, "gate wants a TRACE directory"},
		{[]string{"compare", "--variant", "a:", "--variant", "b:"}, cmdline.ExitUsage, "compare wants a TRACE directory"},
		{[]string{"compare", trace}, cmdline.ExitUsage, "compare wants two --variant or more, such as --variant 'now:'"},
		{[]string{"run", trace, "--policy", "drf"}, cmdline.ExitBadInput, "--policy drf: want a file in Starlark; the built-in drf is named by --sharing drf"},
		{[]string{"plan", trace, "--hold", "p95(wait) < 30s", "--vary", "spark.executor.memory=1g,2g"}, cmdline.ExitUsage, "spark.executor.memory is no flag; a key of Spark or YARN is varied by 'conf spark.executor.memory=1g,2g'"},
		{[]string{"plan", trace, "--hold", "p95(wait) < 30", "--vary", "nodes=2:4"}, cmdline.ExitUsage, "30 has no unit, want ms, s, m, h or d as in 30s"},
		{[]string{"whatif", result, "--change", "--conf spark.locality.wait=0s"}, cmdline.ExitUsage, "(a flag of replay run, such as --nodes -10%, stands beside --change, not in it)"},
		{[]string{"run", "."}, cmdline.ExitBadInput, ".: not a trace directory: it has no trace.json; replay import auto . --out DIR makes one"},
		{[]string{"run", "nothing"}, cmdline.ExitBadInput, "nothing: not a trace directory: there is no such file or folder"},
		{[]string{"run", "usage_test.go"}, cmdline.ExitBadInput, "usage_test.go: not a trace directory but a file; replay import auto usage_test.go"},
		{[]string{"trace", "check", filepath.Join(trace, "trace.json")}, cmdline.ExitBadInput, "not a trace directory but a file of one; is " + trace + " meant?"},
		{[]string{"trace", "check", result}, cmdline.ExitBadInput, result + ": not a trace directory but a result"},
		{[]string{"run", result}, cmdline.ExitBadInput, result + ": not a trace directory but a result"},
		{[]string{"compare", result, result}, cmdline.ExitUsage, result + " is a result, and compare replays traces; replay report --compare " + result + " " + result + " compares results"},
		{[]string{"import", "auto", result, "--out", "x"}, cmdline.ExitBadInput, result + ": a result of replay run, and no recording: replay report " + result + " shows it"},
		{[]string{"backtest", result}, cmdline.ExitBadInput, result + ": a result of replay run, and no recording: "},
		{[]string{"gen", "uniform-mikro", "--out", "x"}, cmdline.ExitUsage, "; is uniform-micro meant?"},
		{[]string{"gen", "fit:" + result, "--out", "x"}, cmdline.ExitBadInput, "not a trace directory but a result"},
		{[]string{"trace", "export", trace, "--out", "x"}, cmdline.ExitUsage, "trace export wants --format sls or swf or wta or chrome"},
		{[]string{"trace", "cut", trace, "--from", "10m", "--to", "5m", "--out", "x"}, cmdline.ExitUsage, `--to is "5m", want a time after --from, 10m`},
		{[]string{"trace", "cut", trace, "--from", "30d", "--out", "x"}, cmdline.ExitBadInput, "no job is in the cut: of the trace the last one is submitted at "},
		{[]string{"explain", trace, "1"}, cmdline.ExitBadInput, "not a result directory but a trace; replay run " + trace + " --out DIR makes a result of it"},
		{[]string{"whatif", trace, "--change", "without job 1"}, cmdline.ExitBadInput, "not a result directory but a trace"},
		{[]string{"report", trace}, cmdline.ExitBadInput, "not a result directory but a trace"},
		{[]string{"figures", comparison, "--out", "x"}, cmdline.ExitBadInput, "not a result directory but a comparison, which was made without --results; replay compare --from " + comparison + " --results --out DIR TRACE makes it with them"},
		{[]string{"compare", trace, "--variant", "a:", "--variant", "b:", "-j", "0"}, cmdline.ExitUsage, `replay: -j is "0", want 1 or more`},
		{[]string{"explain", result, "-1"}, cmdline.ExitUsage, "replay: unknown flag -1"},
		{[]string{"explain", result, "0", "--top", "3"}, cmdline.ExitUsage, "--top is how many jobs --worst means"},
		{[]string{"compare", "--from", "."}, cmdline.ExitBadInput, ".: not a comparison directory: it has no comparison.json; "},
		{[]string{"run", "--from", "."}, cmdline.ExitBadInput, ".: not a result directory: it has no run.json; "},
		{[]string{"import", "auto", "hdfs:///var/log/spark", "--out", "x"}, cmdline.ExitBadInput, "hdfs:///var/log/spark: is an address, and inputs are files and folders that are here"},
		{[]string{"backtest", "s3://logs/spark"}, cmdline.ExitBadInput, "s3://logs/spark: is an address"},
		{[]string{"import", "spark-on-yarn", "rec", "--nodes", "4", "--out", "x"}, cmdline.ExitUsage, "--blocks is observed with --nodes 4: observed hosts are the recorded ones; leave --nodes out"},
		{[]string{"run", trace, "--fair-scheduler", trace}, cmdline.ExitBadInput, "--fair-scheduler: " + trace + ": is a folder, want a regular file"},
		{[]string{"run", trace, "--yarn-site", "nothing.xml"}, cmdline.ExitBadInput, "--yarn-site: nothing.xml: no such file or directory"},
		{[]string{"record", "--rm", "nota", "--out", "x"}, cmdline.ExitUsage, `--rm is "nota", want a URL such as http://host:8088`},
		{[]string{"record", "--rm", "http://127.0.0.1:1", "--history", "hdfs:/logs", "--out", "x"}, cmdline.ExitUsage, `--history is "hdfs:/logs", which wants --webhdfs`},
		{[]string{"record", "--rm", "http://127.0.0.1:1", "--for", "x", "--out", "x"}, cmdline.ExitUsage, `--for is "x", want a positive time with a unit`},
		{[]string{"record", "--rm", "http://127.0.0.1:1", "--every", "30", "--out", "x"}, cmdline.ExitUsage, `--every is "30", it has no unit, want 30s`},
		{[]string{"record", "--rm", "http://127.0.0.1:1", "--for", "7d", "--once", "--out", "x"}, cmdline.ExitUsage, `--for is 168h0m0s, want a time above 0, and none with --once`},
		{[]string{"report", sweep}, cmdline.ExitBadInput, sweep + ": not a result directory but a sweep"},
		{[]string{"report", "check", "."}, cmdline.ExitBadInput, ".: not a result directory: it has no run.json; replay run TRACE --out DIR makes one"},
	} {
		code, _, stderr := cmd(t, tt.args...)
		if code != tt.code || !strings.Contains(stderr, tt.want) {
			t.Errorf("%q: exit %d, %q; want %d and %q", tt.args, code, stderr, tt.code, tt.want)
		}
	}
}

// Help, the version, completion and the man page are there and know every command and flag.
func TestHelpEverywhere(t *testing.T) {
	p := &program{settings: settings.New(&policy.Tables{}), commands: commands}
	man, fish := must(t, "man"), must(t, "completion", "fish")
	names := completed(t)
	for _, c := range p.app(nil, nil).Commands {
		help := must(t, "help", c.Name)
		if !strings.Contains(help, "replay "+c.Name+" - ") || must(t, c.Name, "--help") != help {
			t.Errorf("help of %s is %.200q", c.Name, help)
		}
		if !strings.Contains(man, c.Name) || !strings.Contains(fish, " -a '"+c.Name+"'") || !strings.Contains(strings.Join(names, " "), c.Name) {
			t.Errorf("%s is not in the man page, in fish's completion or in %q", c.Name, names)
		}
		if len(c.Subcommands) == 0 && must(t, "help", c.Name, "csv") != help {
			t.Errorf("help %s csv is not the help of %s", c.Name, c.Name)
		}
		for _, f := range c.Flags {
			if name := f.Names()[0]; !strings.Contains(man, name) || !strings.Contains(fish, " -l "+name) || !strings.Contains(help, "--"+name) {
				t.Errorf("--%s of %s is not in its help, in the man page or in fish's completion", name, c.Name)
			}
		}
	}
	if text := must(t, "version"); !strings.HasPrefix(text, "replay "+selfcmd.Version+" (") {
		t.Errorf("version: %q", text)
	}
	for _, shell := range []string{"bash", "zsh"} {
		if text := must(t, "completion", shell); !strings.Contains(text, "--generate-bash-completion") {
			t.Errorf("%s: %q", shell, text)
		}
	}
	if flags := completed(t, "run", "--sh"); len(flags) != 1 || flags[0] != "--sharing" {
		t.Errorf("--sh is completed to %q", flags)
	}
	for words, want := range map[string]string{"import": "spark-eventlog", "gen": "facebook-2009", "completion": "fish", "gen --s": "--seed", "import --bl": "--blocks"} {
		if names := completed(t, strings.Fields(words)...); !slices.Contains(names, want) {
			t.Errorf("%s is completed to %q, want %s among them", words, names, want)
		}
	}
	for words, want := range map[string]string{
		"run --scheduler": "fair capacity fifo ideal", "run traces --engine": "fast dense", "run --engine=": "--engine=fast --engine=dense", "run --load 1 --engine=d": "--engine=fast --engine=dense", "trace export --format": "sls swf wta chrome", "compare --color": "auto always never", "import csv in --blocks": "observed hdfs none",
		"run --out": "", "run --conf": "", "run --engine fast": "", "run --engine=fast traces": "",
	} {
		if names := strings.Join(completed(t, strings.Fields(words)...), " "); names != want {
			t.Errorf("%s is completed to %q, want %q", words, names, want)
		}
	}
	if text := must(t, "completion", "fish"); !strings.Contains(text, "complete -c replay -n '__fish_seen_subcommand_from run' -f -l scheduler -r -a 'fair capacity fifo ideal'\n") {
		t.Error("fish is not told the schedulers")
	}
	if names := completed(t, "import", "csv"); len(names) > 0 {
		t.Errorf("an input is completed to %q, want the shell's own files", names)
	}
}

// completed returns what the program offers after the words. The library looks at the words of the process.
func completed(t *testing.T, words ...string) []string {
	t.Helper()
	words = append(words, "--generate-bash-completion")
	before := os.Args
	os.Args = append([]string{"replay"}, words...)
	defer func() { os.Args = before }()
	return strings.Fields(must(t, words...))
}

// Every command takes -q and --json; where the result is a text for other programs, JSON has it as it is.
func TestFlagsOfEveryCommand(t *testing.T) {
	p := &program{settings: settings.New(&policy.Tables{}), commands: commands}
	all := p.app(nil, nil).Commands
	for len(all) > 0 {
		c := all[0]
		all = append(all[1:], c.Subcommands...)
		if len(c.Subcommands) > 0 {
			continue
		}
		if cmdline.FindFlag(c.Flags, "q") == nil || cmdline.FindFlag(c.Flags, "quiet") == nil {
			t.Errorf("%s has no --quiet", c.Name)
		}
		if cmdline.FindFlag(c.Flags, "json") == nil {
			t.Errorf("%s has no --json", c.Name)
		}
	}
	for field, args := range map[string][]string{"page": {"man", "-q"}, "script": {"completion", "zsh", "-q"}} {
		var got map[string]string
		if err := json.Unmarshal([]byte(must(t, append(args, "--json")...)), &got); err != nil || got[field] != must(t, args...) {
			t.Errorf("%v --json has another %s: %v", args, field, err)
		}
	}
}

// The exit code of a comparison of results is that of the comparison of replays.
func TestExitCodeOfComparedResults(t *testing.T) {
	trace, alone := failingNodes(t)
	out := t.TempDir()
	must(t, "run", trace, "--quiet", "--formats", "none", "--out", out+"/two")
	cmd(t, append([]string{"run", trace, "--quiet", "--formats", "none", "--out", out + "/one"}, alone...)...)
	args := []string{"report", "--compare", "--formats", "none", out + "/two", out + "/one"}
	if code, _, stderr := cmd(t, args...); code != cmdline.ExitFailed || !strings.Contains(stderr, "variant one: 4 of 40 jobs did not succeed") {
		t.Errorf("exit %d, %q, want %d and the failed jobs", code, stderr, cmdline.ExitFailed)
	}
	must(t, append(args, "--allow-failures")...)
}

// Results that are compared are told apart by what their settings differ in; those of two traces have no decisions to compare.
func TestResultsAreToldApart(t *testing.T) {
	out := t.TempDir()
	for name, words := range map[string]string{
		"now": "../../../traces/fair-weights", "next": "../../../traces/fair-weights --conf spark.locality.wait=0s --model am-start-ms=7 --nodes 4", "other": "../../../traces/uniform-micro",
	} {
		cmd(t, append(append([]string{"run"}, strings.Fields(words)...), "--until", "60s", "--quiet", "--formats", "none", "--out", filepath.Join(out, name))...)
	}
	now, next := filepath.Join(out, "now"), filepath.Join(out, "next")
	_, text, _ := cmd(t, "report", "--compare", "--formats", "none", now, next)
	if text = strings.Join(strings.Fields(text), " "); !strings.Contains(text, "--placement locality-ratio --model am-start-ms=5000 --nodes ") ||
		!strings.Contains(text, "--placement locality-ratio --conf spark.locality.wait=0s --model am-start-ms=7 --nodes 4") {
		t.Errorf("the settings are not told apart:\n%s", text)
	}
	if code, _, stderr := cmd(t, "diff", now, filepath.Join(out, "other")); code != cmdline.ExitBadInput || !strings.Contains(stderr, "want two replays of one trace") {
		t.Errorf("diff of two traces: exit %d, %q", code, stderr)
	}
}

// Every command that does something has --color, those with commands below them too.
func TestEveryCommandHasColour(t *testing.T) {
	for _, args := range []string{"run", "report", "report check", "sweep", "sweep run", "trace info"} {
		if out := must(t, append(strings.Fields(args), "--help")...); !strings.Contains(out, "--color value") {
			t.Errorf("replay %s --help has no --color", args)
		}
	}
}
