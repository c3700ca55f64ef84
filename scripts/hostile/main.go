// Command hostile kills the program at random moments and gives it damaged files, and says what came of it. A failure
// ends it with exit code 1.
//
//	go run ./scripts/hostile kills [-n 2000] [-seed 1]    each output is whole or absent, and the next run leaves nothing behind, nor in TMPDIR; -n counts what was killed
//	go run ./scripts/hostile flips [-n 100000] [-seed 1]  flipped bits of traces, results and comparisons are refused or change nothing
//
// Another seed has other moments and other bits, so that many can be tried in parts.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"replay/live/livetest"
	"replay/outdir"
)

func main() {
	if len(os.Args) < 2 || os.Args[1] != "kills" && os.Args[1] != "flips" {
		fmt.Fprintln(os.Stderr, "hostile: want kills or flips")
		os.Exit(2)
	}
	flags := flag.NewFlagSet(os.Args[1], flag.ExitOnError)
	first := map[string]int{"kills": 2000, "flips": 100000}[os.Args[1]]
	n := flags.Int("n", first, "how many `KILLS` or bits")
	seed := flags.Uint64("seed", 1, "of what is random")
	program := flags.String("program", "", "the program; built if empty")
	if err := flags.Parse(os.Args[2:]); err != nil {
		os.Exit(2)
	}
	scratch, err := outdir.Scratch("replay-hostile")
	if err == nil {
		if os.Args[1] == "kills" {
			err = kills(scratch.Path(""), *program, *n, rand.New(rand.NewPCG(*seed, 0)))
		} else {
			err = flips(scratch.Path(""), *n, rand.New(rand.NewPCG(*seed, 0)))
		}
		scratch.Abort()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "hostile:", err)
		os.Exit(1)
	}
}

// A victim is a command that writes. Its words have OUT for the directory that it writes below.
type victim struct {
	words string
	mark  string // the file that a whole output has, below OUT
	check string // commands that read the output, with && between them
	ends  string // what mark ends with, if it is all of the output
	json  string // a pattern of files below OUT, which are whole also where mark is absent
	fresh bool   // it wants OUT to be absent
	code  int    // the exit code of a good run
}

// victims are the commands that write, one that has an output of before to write over, and two that write nothing. TRACE, RESULT and
// PLAN were made before.
var victims = []victim{
	{words: "gen uniform-micro --jobs 60 --out OUT/g", mark: "g/trace.json", check: "trace check OUT/g", fresh: true},
	{words: "import spark-eventlog trace/importer/testdata/spark-eventlog/eventlogs --copies 6 --out OUT/i", mark: "i/trace.json", check: "trace check OUT/i", fresh: true},
	{words: "run TRACE --formats svg --out OUT/r", mark: "r/run.json", check: "report OUT/r --formats none --out OUT-check"},
	{words: "compare TRACE --seeds 2 --results --variant a: --variant b:--sharing=drf --formats svg --out OUT/c", mark: "c/comparison.json", check: "compare --from OUT/c/comparison.json TRACE --out OUT-check"},
	{words: "backtest trace/importer/testdata/spark-eventlog/eventlogs/app-20261121064901-0000.zstd --seeds 1 --formats svg --out OUT/b", mark: "b/backtest.json", check: ""},
	{words: "report RESULT/x RESULT/y --formats svg --out OUT/p", mark: "p/x/summary.json", check: ""},
	{words: "report --compare RESULT/x RESULT/y --formats svg --out OUT/k", mark: "k/comparison.json", check: ""},
	{words: "run --from RESULT/x/run.json TRACE --out OUT/f", mark: "f/run.json", check: "report check OUT/f"},
	{words: "bench TRACE --count 1 --least 1ms --save OUT/b.json", mark: "b.json", check: "bench TRACE --count 1 --least 1ms --baseline OUT/b.json"},
	{words: "trace info TRACE --plot OUT/p.svg", mark: "p.svg", ends: "</svg>\n"},
	{words: "conform bench/conform/testdata/spark --report OUT/c.md", mark: "c.md", ends: "|\n"},
	{words: "gate TRACE --base=--seed=1 --head=--sharing=drf --max-seeds 5 --fail-if=makespan_ms>+500% --out OUT/g", mark: "g/comparison.json", check: "compare --from OUT/g/comparison.json TRACE --out OUT-check"},
	{words: "gate TRACE --base=--seed=1 --head=--sharing=drf --max-seeds 5 --fail-if=makespan_ms>+500% --junit OUT/g.xml", mark: "g.xml", ends: "</testsuite>\n"},
	{words: "plan TRACE --hold=makespan_ms<100h --vary nodes=3:5 --max-seeds 5 --out OUT/p", mark: "p/plan.json", check: ""},
	{words: "import auto trace/importer/testdata/swf --nodes 4 --out OUT/i", mark: "i/trace.json", check: "trace check OUT/i", fresh: true},
	{words: "import alibaba-2018 trace/importer/testdata/alibaba-2018 --out OUT/i", mark: "i/trace.json", check: "trace check OUT/i", fresh: true},
	{words: "trace cut TRACE --share 50% --out OUT/t", mark: "t/trace.json", check: "trace check OUT/t", fresh: true},
	{words: "trace merge TRACE TRACE --out OUT/t", mark: "t/trace.json", check: "trace check OUT/t", fresh: true},
	{words: "trace anonymize TRACE --out OUT/t", mark: "t/trace.json", check: "trace check OUT/t", fresh: true},
	{words: "trace export TRACE --format sls --out OUT/t", mark: "t/sls-jobs.json", check: "import sls OUT/t --dry-run", fresh: true},
	{words: "report RESULT/x --formats svg", mark: "", check: "report RESULT/x --formats none --out OUT-check"},
	{words: "trace export TRACE --format wta --out OUT/t", mark: "t/workload/schema-1.0/generic_information.json", check: "import wta OUT/t --dry-run", fresh: true},
	{words: "trace export RESULT/x --format chrome --out OUT/t", mark: "t/timeline.json", ends: "]}\n", fresh: true},
	{words: "diff RESULT/x RESULT/z --trace TRACE", mark: "", check: "report check RESULT/z", code: 1},
	{words: "explain RESULT/x --trace TRACE --worst wait --if", mark: "", check: "report check RESULT/x"},
	{words: "whatif RESULT/x --trace TRACE --sharing drf --out OUT/w", mark: "w/run.json", check: "report check OUT/w"},
	{words: "figures RESULT/x --formats svg,pdf --out OUT/f", mark: "f/values.csv"},
	{words: "figures RESULT/x RESULT/y --formats svg --out OUT/f", mark: "f/values.csv"},
	{words: "gate TRACE --base=--seed=1 --head=--sharing=drf --max-seeds 5 --fail-if=makespan_ms>+500% --markdown OUT/g.md", mark: "g.md", ends: "|\n"},
	{words: "backtest trace/importer/testdata/spark-eventlog/eventlogs/app-20261121064901-0000.zstd --seeds 1 --save-model OUT/m.txt", mark: "m.txt", ends: ",1\n"},
	{words: "sweep PLAN --out OUT/s", mark: "s/merged/values.csv", check: "sweep status OUT/s", json: "s/cells/*.json"},
	{words: "sweep run PLAN --shard 1/1 --out OUT/s", mark: "s/sweep.json", json: "s/cells/*.json"},
	{words: "sweep PLAN --out OUT/s --on kubernetes --image r/replay:1 --claim c --volume /", mark: "s/kubernetes/cells.yaml", ends: "claimName: c\n"},
	{words: "tune TUNE --out OUT/t", mark: "t/tuned/tune.json", json: "t/cells/*.json"},
	{words: "sweep merge RESULT-sweep --out OUT/m", mark: "m/values.csv"},
	{words: "record --rm CLUSTER --history CLUSTER --once --out OUT/r", json: "r/*.json", check: "record --rm CLUSTER --history CLUSTER --once --out OUT/r && import auto OUT/r --strict --dry-run"},
}

// liveCluster serves a cluster on which an application has ended.
func liveCluster() (*httptest.Server, error) {
	const app = "application_1795247048320_0001"
	log, err := os.ReadFile("trace/importer/testdata/spark-on-yarn/locality-wait-0s/eventlogs/" + app + "_1.gz")
	if err != nil {
		return nil, err
	}
	c := livetest.New()
	for k := 3; k <= 8; k++ {
		c.Nodes = append(c.Nodes, livetest.Node(fmt.Sprintf("node0%d", k), "/rack1", "RUNNING", 8192, 8))
	}
	c.Apps = []map[string]any{livetest.App(app, "one", "ann", "root.etl", "FINISHED", 1_795_247_051_000, 1_795_247_052_000, 1_795_247_085_000)}
	c.Logs[app] = map[string][]byte{app + "_1.gz": log}
	return httptest.NewServer(c), nil
}

// A ground is where victims run: what they read, and where they write.
type ground struct {
	dir, program, cluster string
	out                   string // of the victim that runs
	temporary             string // its TMPDIR
}

// command is a run of the program. Words in capitals are places: those of victims, and OUT-check for what their checks write.
func (g *ground) command(words string) *exec.Cmd {
	in := func(name string) string { return filepath.Join(g.dir, name) }
	words = strings.NewReplacer("OUT-check", in("check"), "OUT", g.out, "TRACE", in("trace"), "RESULT", in("result"), "PLAN", in("plan.yaml"), "TUNE", in("tune.yaml"), "CLUSTER", g.cluster).Replace(words)
	cmd := exec.Command(g.program, append(strings.Fields(words), "--quiet")...)
	cmd.Env = append(os.Environ(), "TMPDIR="+g.temporary)
	return cmd
}

// ended runs a command, which is to end with an exit code.
func (g *ground) ended(words string, code int) error {
	cmd := g.command(words)
	if text, err := cmd.CombinedOutput(); cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != code {
		return fmt.Errorf("%s: %w\n%s", words, err, text)
	}
	return nil
}

// must runs a command, which is to be done.
func (g *ground) must(words string) error { return g.ended(words, 0) }

// prepare builds the program if there is none, and makes what victims read.
func (g *ground) prepare() error {
	if g.program == "" {
		g.program = filepath.Join(g.dir, "replay")
		if out, err := exec.Command("go", "build", "-o", g.program, "./cmd/replay").CombinedOutput(); err != nil {
			return fmt.Errorf("%w\n%s", err, out)
		}
	}
	if err := os.MkdirAll(g.temporary, 0o755); err != nil {
		return err
	}
	if err := g.must("gen uniform-micro --jobs 8 --nodes 4 --out TRACE"); err != nil {
		return err
	}
	for name, flags := range map[string]string{"x": "", "y": "", "z": "--sharing drf"} {
		if err := g.must("run TRACE --formats svg " + flags + " --out RESULT/" + name); err != nil {
			return err
		}
	}
	for name, text := range map[string]string{
		"plan.yaml": "traces: [trace]\nseeds: 1..3\nvariants: {fair: --sharing fair, drf: --sharing drf}\n",
		"tune.yaml": "traces: [trace]\nseeds: 1..5\nheld_seeds: 6..10\ngoal: least makespan_ms\ngrid: {sharing: [fair, drf]}\n",
	} {
		if err := os.WriteFile(filepath.Join(g.dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return g.must("sweep PLAN --out RESULT-sweep")
}

// kills starts victims, kills each at a random moment, and looks at what is there.
func kills(dir, program string, n int, r *rand.Rand) error {
	cluster, err := liveCluster()
	if err != nil {
		return err
	}
	defer cluster.Close()
	g := &ground{dir: dir, program: program, cluster: cluster.URL, temporary: filepath.Join(dir, "temporary")}
	if err := g.prepare(); err != nil {
		return err
	}
	took := make([]time.Duration, len(victims)) // by a whole run, lately: the machine has other work, too
	killed, whole, absent := 0, 0, 0
	say := func(k int) {
		fmt.Printf("%d starts: %d killed, %d outputs whole, %d absent, none in part\n", k, killed, whole, absent)
	}
	k := 0
	for ; killed < n; k++ {
		v, took := &victims[k%len(victims)], &took[k%len(victims)]
		g.out = filepath.Join(dir, fmt.Sprintf("out-%d", k%len(victims)))
		if err := os.MkdirAll(g.out, 0o755); err != nil {
			return err
		}
		if *took == 0 {
			if err := g.whole(v, took); err != nil {
				return err
			}
			if err := errors.Join(os.RemoveAll(g.out), os.MkdirAll(g.out, 0o755)); err != nil {
				return err
			}
		}
		if err := errors.Join(os.RemoveAll(g.temporary), os.MkdirAll(g.temporary, 0o755)); err != nil { // what other commands left is theirs to clear
			return err
		}
		was, err := kill(g.command(v.words), time.Duration(r.Float64()*float64(*took)))
		if err != nil {
			return err
		}
		if was {
			killed++
		}
		there, err := inspect(v, g.out, g.must)
		if err != nil {
			return fmt.Errorf("start %d, %s: %w", k, v.words, err)
		}
		if there {
			whole++
		} else {
			absent++
		}
		if there && v.fresh {
			os.RemoveAll(g.out)
		}
		if k/len(victims)%5 == 0 { // it takes as long as it takes
			if err := g.again(v, took); err != nil {
				return fmt.Errorf("start %d, %s: the next run: %w", k, v.words, err)
			}
			os.RemoveAll(g.out)
		}
		if (k+1)%200 == 0 {
			say(k + 1)
		}
	}
	say(k)
	return nil
}

// whole runs a victim to its end, and notes how long it took.
func (g *ground) whole(v *victim, took *time.Duration) error {
	start := time.Now()
	err := g.ended(v.words, v.code)
	*took = time.Since(start)
	return err
}

// again runs a victim that was killed before: its output is whole then, and nothing else is left.
func (g *ground) again(v *victim, took *time.Duration) error {
	if err := g.whole(v, took); err != nil {
		return err
	}
	written := g.out
	if !strings.Contains(v.words, "OUT") { // over what was there
		written = filepath.Join(g.dir, "result")
	}
	if left := hidden(written); len(left) > 0 {
		return fmt.Errorf("it leaves %v", left)
	}
	if left, err := os.ReadDir(g.temporary); err != nil {
		return err
	} else if len(left) > 0 {
		return fmt.Errorf("it leaves %v in TMPDIR", left)
	}
	there, err := inspect(v, g.out, g.must)
	if err == nil && !there {
		err = errors.New("its output is not there")
	}
	return err
}

// kill runs a command and kills it after a time. It reports whether it was killed: whether it had not ended before.
func kill(cmd *exec.Cmd, after time.Duration) (was bool, err error) {
	if err := cmd.Start(); err != nil {
		return false, err
	}
	t := time.AfterFunc(after, func() { cmd.Process.Kill() })
	defer t.Stop()
	cmd.Wait() // how it ended does not matter
	return !cmd.ProcessState.Exited(), nil
}

// inspect tells whether the output is there, and checks that it is whole if anything of it is.
func inspect(v *victim, out string, must func(string) error) (there bool, err error) {
	os.RemoveAll(filepath.Join(filepath.Dir(out), "check"))
	texts, err := filepath.Glob(filepath.Join(out, v.json))
	if err != nil {
		return false, err
	}
	for _, name := range texts {
		if text, err := os.ReadFile(name); err == nil && v.json != "" && !json.Valid(text) {
			return false, fmt.Errorf("%s is there in part", name)
		}
	}
	if v.mark != "" {
		if _, err := os.Stat(filepath.Join(out, filepath.FromSlash(v.mark))); err != nil {
			top := filepath.Join(out, strings.Split(v.mark, "/")[0])
			if strings.Count(v.mark, "/") > 1 { // several outputs below one directory
				top = filepath.Dir(filepath.Join(out, filepath.FromSlash(v.mark)))
			}
			if _, err := os.Stat(top); err == nil {
				return false, errors.New("is there in part")
			}
			return false, nil
		}
	}
	if v.ends != "" {
		text, err := os.ReadFile(filepath.Join(out, v.mark))
		if err == nil && !strings.HasSuffix(string(text), v.ends) {
			err = fmt.Errorf("%s ends with %q", v.mark, text[max(0, len(text)-40):])
		}
		return true, err
	}
	for words := range strings.SplitSeq(v.check, " && ") {
		if words == "" {
			continue
		}
		if err := must(words); err != nil {
			return true, err
		}
	}
	return true, nil
}

// hidden lists what writers leave beside their outputs.
func hidden(dir string) (names []string) {
	filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && strings.HasPrefix(e.Name(), ".") {
			names = append(names, path)
		}
		return nil
	})
	return names
}
