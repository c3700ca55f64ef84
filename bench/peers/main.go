// Command peers runs the workload W1 (docs/performance.md) on this project, on a bare loop, and on programs of others that can simulate it, and prints what each took and whether its
// answer is the true one:
//
//	bench/peers/run [-tasks N] [-limit S] [-only NAME,NAME] [-dir DIR]
//
// It installs them from public registries with pip, cargo, mvn and, as root, apt-get, below DIR, and runs them one after the other. Two that simulate something else have tables of their
// own: YARN's Scheduler Load Simulator (sls) a share of W1 through YARN's classes, by the clock, and Sparklens (sparklens) event logs.
// What cannot be installed, fails, or comes to no end is named with the reason, and the others go on. Needed: Go, sh, and what the peers are made with: cargo, g++, python3, a JDK of 17 or
// later with Maven.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"replay/bench/measure"
)

// wholeW1 is the number of tasks of W1.
const wholeW1 = 1_000_000

// others are peers with tables of their own.
var others = []string{"sls", "sparklens"}

// options are the flags.
type options struct {
	tasks, slsTasks         int
	limit                   limit // of each peer
	loads                   []float64
	only                    []string // none = all
	dir, sparklensJar, logs string
	self                    string // this project's program, once it was built
}

func main() {
	o := options{loads: []float64{0.9, 1.2}}
	flag.IntVar(&o.tasks, "tasks", wholeW1, "take the first `N` tasks of W1, for all; their answer is that of the bare loop")
	flag.IntVar(&o.slsTasks, "sls-tasks", 20_000, "take at most `N` for YARN's simulator, which goes by the clock: two minutes, and one more for each 15,000")
	flag.IntVar(&o.limit.cpu, "limit", 600, "end a peer after `S` seconds of processor time, or twenty times that by the clock")
	only := flag.String("only", "", "run these alone, by `NAMES` with commas between: "+strings.Join(names(), ", "))
	flag.StringVar(&o.dir, "dir", "", "install into `DIR` and leave it there (default: a temporary one)")
	flag.StringVar(&o.sparklensJar, "sparklens", "", "`JAR` of Sparklens, for Spark 2.4 with Scala 2.11; no registry has it")
	flag.StringVar(&o.logs, "logs", defaultLogs(), "`DIR` of the event logs for Sparklens")
	flag.Parse()
	o.limit.clock = 20 * o.limit.cpu
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if *only != "" {
		o.only = strings.Split(*only, ",")
	}
	err := o.check()
	if err == nil {
		err = o.all(ctx, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

// names are those that -only takes.
func names() (names []string) {
	for _, p := range peers {
		names = append(names, p.key)
	}
	return append(names, others...)
}

// defaultLogs are the event logs among the recordings that the tests are given, or those within the project.
func defaultLogs() string {
	if recordings := os.Getenv("REPLAY_RECORDINGS"); recordings != "" {
		return filepath.Join(recordings, "spark-eventlogs")
	}
	return "trace/importer/testdata/spark-eventlog/eventlogs"
}

// check refuses flags that nothing can be made of.
func (o *options) check() error {
	if o.tasks < 1 || o.tasks > wholeW1 {
		return fmt.Errorf("-tasks is %d, want 1 to %d", o.tasks, wholeW1)
	}
	if o.slsTasks < 1 || o.limit.cpu < 1 {
		return fmt.Errorf("-sls-tasks is %d and -limit is %d, want 1 or more", o.slsTasks, o.limit.cpu)
	}
	for _, name := range o.only {
		if !slices.Contains(names(), name) {
			return fmt.Errorf("-only has %q, want some of %s", name, strings.Join(names(), ", "))
		}
	}
	if flag.NArg() > 0 {
		return fmt.Errorf("want flags alone, got %q", flag.Args())
	}
	return nil
}

// wanted tells whether a peer is to be run.
func (o *options) wanted(key string) bool { return len(o.only) == 0 || slices.Contains(o.only, key) }

// place makes the directory of a peer.
func (o *options) place(key string) (string, error) {
	dir := filepath.Join(o.dir, key)
	return dir, os.MkdirAll(dir, 0o777)
}

// program builds this project's program, once.
func (o *options) program(ctx context.Context) (string, error) {
	if o.self == "" {
		program := filepath.Join(o.dir, "replay")
		if err := call(ctx, "go", "build", "-o", program, "./cmd/replay"); err != nil {
			return "", err
		}
		o.self = program
	}
	return o.self, nil
}

// all prints all tables.
func (o *options) all(ctx context.Context, w io.Writer) (err error) {
	if o.dir == "" {
		if o.dir, err = os.MkdirTemp("", "replay-peers"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(o.dir)) }()
	}
	if o.dir, err = filepath.Abs(o.dir); err != nil {
		return err
	}
	if _, err := exec.LookPath("sh"); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(w, "Processor: %s, %d threads. CPU is of whole processes, all threads.\n", measure.Processor(), runtime.NumCPU()); err != nil {
		return err
	}
	var chosen []peer
	for _, p := range peers {
		if o.wanted(p.key) {
			chosen = append(chosen, p)
		}
	}
	if len(chosen) > 0 {
		if err := o.compare(ctx, w, chosen); err != nil {
			return err
		}
	}
	if o.wanted("sls") {
		if err := o.sls(ctx, w); err != nil {
			return err
		}
	}
	if o.wanted("sparklens") {
		return o.sparklens(ctx, w)
	}
	return nil
}
