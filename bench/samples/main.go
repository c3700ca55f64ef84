// Command samples imports traces that other programs made, checks them, and replays each to its end under several schedulers, whose results are
// verified from their tables alone:
//
//	go run ./bench/samples [-only 'opendc*'] [-imports] [-under fair,ideal] FOLDER
//
// FOLDER has the samples by their sources, as list.go names them. It prints a row for each, with CPU seconds; what is not as it should be stands below it, and ends the program with exit
// code 1. A replay in which applications fail that the trace does not record as failed is not as it should be.
package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path"
	"slices"
	"strings"
	"syscall"
	"text/tabwriter"

	"replay/outdir"
)

// scheduler is a replay of each sample: a name, and what run is told.
type scheduler struct{ name, words string }

var schedulers = []scheduler{
	{"fair", "--scheduler fair --sharing fair"},
	{"drf", "--scheduler fair --sharing drf"},
	{"capacity", "--scheduler capacity"},
	{"fifo", "--scheduler fifo"},
	{"ideal", "--scheduler ideal"},
}

func main() {
	only := flag.String("only", "*", "samples whose name matches")
	program := flag.String("program", "", "the program; built if empty")
	imports := flag.Bool("imports", false, "import and check, and do not replay")
	under := flag.String("under", "fair,drf,capacity,fifo,ideal", "the schedulers of the replays")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "samples: want one folder of samples")
		os.Exit(2)
	}
	if *imports {
		*under = ""
	}
	replays, err := these(*under)
	if err != nil {
		fmt.Fprintln(os.Stderr, "samples:", err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	bad, err := run(ctx, os.Stdout, list, *program, flag.Arg(0), *only, replays)
	if err != nil {
		fmt.Fprintln(os.Stderr, "samples:", err)
		os.Exit(1)
	}
	if bad > 0 {
		os.Exit(1)
	}
}

// these are the schedulers of a list of names.
func these(names string) (list []scheduler, err error) {
	for name := range strings.SplitSeq(names, ",") {
		i := slices.IndexFunc(schedulers, func(s scheduler) bool { return s.name == name })
		if i < 0 && names != "" {
			return nil, fmt.Errorf("-under has %q, want some of fair, drf, capacity, fifo and ideal", name)
		}
		if i >= 0 {
			list = append(list, schedulers[i])
		}
	}
	return list, nil
}

// run imports the samples below folder, and returns how many are not as they should be.
func run(ctx context.Context, w io.Writer, list []sample, program, folder, only string, replays []scheduler) (bad int, err error) {
	dir, err := outdir.Scratch("replay-samples")
	if err != nil {
		return 0, err
	}
	defer dir.Abort()
	if program == "" {
		program = dir.Path("replay")
		if out, err := exec.CommandContext(ctx, "go", "build", "-o", program, "./cmd/replay").CombinedOutput(); err != nil {
			return 0, fmt.Errorf("go build: %w\n%s", err, out)
		}
	}
	head := []string{"sample", "format", "jobs", "tasks", "nodes", "import", "check"}
	for _, s := range replays {
		head = append(head, s.name)
	}
	// A row at a time, as some take minutes.
	row := func(cells []string) {
		t := tabwriter.NewWriter(w, 10, 0, 2, ' ', 0)
		cells[0] = fmt.Sprintf("%-19s", cells[0])
		cells[1] = fmt.Sprintf("%-16s", cells[1])
		fmt.Fprintln(t, strings.Join(cells, "\t"))
		_ = t.Flush()
	}
	row(head)
	for _, s := range list {
		if ok, err := path.Match(only, s.name); err != nil {
			return bad, err
		} else if !ok {
			continue
		}
		cells, wrong := try(ctx, program, folder, dir.Path(s.name), s, replays)
		if ctx.Err() != nil {
			return bad, ctx.Err()
		}
		row(cells)
		for _, line := range wrong {
			fmt.Fprintln(w, "    "+line)
		}
		if len(wrong) > 0 {
			bad++
		}
		if err := os.RemoveAll(dir.Path(s.name)); err != nil {
			return bad, err
		}
	}
	return bad, nil
}

// try imports, checks and replays one sample, and returns its row and what is wrong.
func try(ctx context.Context, program, folder, dir string, s sample, replays []scheduler) (cells, wrong []string) {
	to := dir + "/trace"
	words := strings.Fields(strings.ReplaceAll(s.words, "IN/", folder+"/"))
	imported := call(ctx, program, append(append([]string{"import", "auto"}, words...), "--json", "--out", to)...)
	got, err := numbers(imported.stdout)
	cells = []string{s.name, s.format, fmt.Sprint(got["jobs"]), fmt.Sprint(got["tasks"]), fmt.Sprint(got["nodes"]), imported.cell(), "-"}
	if err = cmp.Or(imported.err, err); err != nil {
		return cells, append(wrong, "import: "+err.Error())
	}
	if how, _, _ := strings.Cut(imported.stderr, "\n"); !strings.Contains(how, "it looks like "+s.format+":") {
		wrong = append(wrong, fmt.Sprintf("import auto says %q, want %s", how, s.format))
	}
	for _, name := range slices.Sorted(maps.Keys(s.want)) {
		if got[name] != s.want[name] {
			wrong = append(wrong, fmt.Sprintf("%s is %d, want %d", name, got[name], s.want[name]))
		}
	}
	checked := call(ctx, program, "trace", "check", to)
	if cells[6] = checked.cell(); checked.err != nil {
		return cells, append(wrong, "trace check: "+checked.err.Error())
	}
	for _, sch := range replays {
		out := dir + "/" + sch.name
		replayed := call(ctx, program, append([]string{"run", to, "--out", out, "--formats", "none", "--quiet"}, strings.Fields(sch.words)...)...)
		cells = append(cells, replayed.cell())
		if replayed.err != nil {
			wrong = append(wrong, sch.name+": "+replayed.err.Error())
		}
		if verified := call(ctx, program, "report", "check", out); verified.err != nil {
			wrong = append(wrong, sch.name+": report check: "+verified.err.Error())
		}
		if err := os.RemoveAll(out); err != nil {
			wrong = append(wrong, err.Error())
		}
	}
	return cells, wrong
}

// called is what came of a command of the program.
type called struct {
	stdout, stderr string
	cpu            float64 // s
	err            error   // with the last line that it printed
}

func (c *called) cell() string {
	if c.err != nil {
		return "FAILED"
	}
	return fmt.Sprintf("%.1f s", c.cpu)
}

func call(ctx context.Context, program string, words ...string) *called {
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, program, words...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	c := &called{stdout: stdout.String(), stderr: stderr.String()}
	if p := cmd.ProcessState; p != nil {
		c.cpu = (p.UserTime() + p.SystemTime()).Seconds()
	}
	if err != nil {
		said := strings.TrimSpace(cmp.Or(c.stderr, c.stdout))
		c.err = fmt.Errorf("%w: %s", err, said[strings.LastIndexByte(said, '\n')+1:])
	}
	return c
}

// numbers reads what import --json printed.
func numbers(text string) (counts, error) {
	var doc struct {
		Counts map[string]int64
		Import struct{ Read, Dropped map[string]int64 }
	}
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		return counts{}, fmt.Errorf("what import --json prints: %w", err)
	}
	all := counts{}
	for prefix, some := range map[string]map[string]int64{"": doc.Counts, "read.": doc.Import.Read, "dropped.": doc.Import.Dropped} {
		for name, n := range some {
			all[prefix+name] = n
		}
	}
	return all, nil
}
