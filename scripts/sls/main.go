// Command sls runs a small workload in YARN's Scheduler Load Simulator (hadoop-sls), as this program exports it, and in this program, and prints what came out of each, side by side:
//
//	go run ./scripts/sls [-jobs N] [-seeds N] OUT
//
// OUT is a directory for all that both read and write. It needs a JDK of 17 or later, Maven, and time: the simulator goes by the clock, two minutes for each of the two workloads.
// What nodes say when is chance in both: the simulator is one draw, this program the mean of several, with the lowest and the highest.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"text/tabwriter"

	"replay/scripts/sls/simulator"
)

// workloads are the kinds of applications that both have.
var workloads = []struct{ kind, says string }{
	{"dag", "all tasks are asked for at once: the scheduler alone"},
	{"mapreduce", "reduces after maps: each has an application master of its own making"},
}

func main() {
	jobs := flag.Int("jobs", 8, "jobs of each workload")
	seeds := flag.Int("seeds", 20, "runs of this program")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := errors.New("want one directory for what is written")
	if flag.NArg() == 1 {
		err = run(ctx, os.Stdout, flag.Arg(0), *jobs, *seeds)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "sls:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, w io.Writer, out string, jobs, seeds int) error {
	out, err := filepath.Abs(out)
	if err != nil {
		return err
	}
	program := filepath.Join(out, "replay")
	sls, err := simulator.Install(ctx, "scripts/sls", out)
	if err != nil {
		return err
	}
	if err := call(ctx, "", nil, "go", "build", "-o", program, "./cmd/replay"); err != nil {
		return err
	}
	for _, k := range workloads {
		dir := filepath.Join(out, k.kind)
		if err := simulate(ctx, sls, dir, k.kind, jobs, program); err != nil {
			return err
		}
		simulated, err := readLog(filepath.Join(dir, "sls.log"))
		if err != nil {
			return err
		}
		var replayed [][]float64
		for seed := range seeds {
			result := filepath.Join(dir, "result", fmt.Sprint(seed))
			if err := replay(ctx, dir, result, program, seed+1); err != nil {
				return err
			}
			t, err := readResult(result)
			if err != nil {
				return err
			}
			replayed = append(replayed, t.values())
		}
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		fmt.Fprintf(t, "%s: %s\n\tsimulator\treplay\tlowest to highest of %d seeds\n", k.kind, k.says, seeds)
		for i, v := range simulated.values() {
			sum, least, most := 0.0, math.Inf(1), math.Inf(-1)
			for _, r := range replayed {
				sum, least, most = sum+r[i], min(least, r[i]), max(most, r[i])
			}
			fmt.Fprintf(t, "%s\t%.1f\t%.1f\t%.1f to %.1f\n", rows[i], v, sum/float64(seeds), least, most)
		}
		fmt.Fprintln(t)
		if err := t.Flush(); err != nil {
			return err
		}
	}
	return nil
}

// simulate leaves in dir the trace, as it was imported and exported again, and what the simulator says of that (sls.log).
func simulate(ctx context.Context, sls *simulator.Simulator, dir, kind string, jobs int, program string) error {
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	words, err := sls.Command(dir, at("export/sls-jobs.json"), at("export/sls-nodes.json"))
	if err != nil {
		return err
	}
	if err := os.WriteFile(at("jobs.json"), workload(kind, jobs), 0o666); err != nil {
		return err
	}
	if err := os.WriteFile(at("nodes.json"), []byte(nodes), 0o666); err != nil {
		return err
	}
	if err := call(ctx, "", nil, program, "import", "sls", at("jobs.json"), at("nodes.json"), "--out", at("trace")); err != nil {
		return err
	}
	if err := call(ctx, "", nil, program, "trace", "export", at("trace"), "--format", "sls", "--out", at("export")); err != nil {
		return err
	}
	log, err := os.Create(at("sls.log"))
	if err != nil {
		return err
	}
	err = call(ctx, dir, log, words...)
	return errors.Join(err, log.Close())
}

// replay leaves in result what the program makes of the trace in dir.
func replay(ctx context.Context, dir, result, program string, seed int) error {
	return call(ctx, "", nil, simulator.Replay(program, filepath.Join(dir, "trace"), dir, "--seed", fmt.Sprint(seed), "--out", result, "--formats", "none", "--quiet")...)
}

// call runs a program in dir; what it says goes to log, or without one into the error.
func call(ctx context.Context, dir string, log io.Writer, words ...string) error {
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Dir = dir
	var said strings.Builder
	if log == nil {
		log = &said
	}
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(words, " "), err, said.String())
	}
	return nil
}

// nodes are four in two racks, each with room for four tasks and a master.
const nodes = `{"rack":"rack0","nodes":[{"node":"node0","memory-mb":9216,"vcores":8},{"node":"node2","memory-mb":9216,"vcores":8}]}
{"rack":"rack1","nodes":[{"node":"node1","memory-mb":9216,"vcores":8},{"node":"node3","memory-mb":9216,"vcores":8}]}
`

// workload is jobs ten seconds apart, by turns in two queues, of 20 maps of 3 to 7 s that ask for a node and 5 reduces of 6 to 14 s that do not: more than the nodes hold, so that
// jobs wait for each other and not every map finds room where it wants to be.
func workload(kind string, jobs int) []byte {
	type object = map[string]any
	r := rand.New(rand.NewPCG(1, 1))
	var text []byte
	for j := range jobs {
		var tasks []object
		for i := range 25 {
			t := object{"container.memory-mb": 2048, "container.vcores": 1}
			if i < 20 {
				n := r.IntN(4)
				t["container.type"], t["container.priority"], t["container.duration.ms"] = "map", 20, 3000+r.IntN(4000)
				t["container.host"] = fmt.Sprintf("/rack%d/node%d", n%2, n)
			} else {
				t["container.type"], t["container.priority"], t["container.duration.ms"] = "reduce", 10, 6000+r.IntN(8000)
			}
			tasks = append(tasks, t)
		}
		line, err := json.Marshal(object{"yarn.sls.am.type": kind, "job.id": fmt.Sprintf("job_%d", j), "job.start.ms": 10_000 * j, "job.end.ms": 10_000*j + 60_000,
			"job.queue.name": fmt.Sprintf("root.queue%d", j%2), "job.user": fmt.Sprintf("user%d", j%2), "am.memory-mb": 1024, "am.vcores": 1, "job.tasks": tasks})
		if err != nil {
			panic(err)
		}
		text = append(append(text, line...), '\n')
	}
	return text
}
