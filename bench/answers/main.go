// Command answers tests what the program says of replays, by the program itself:
//
//	go run ./bench/answers           everything, half an hour on two cores
//	go run ./bench/answers -n 5      the same questions with few cases each
//
// It asks whether `replay diff` names the decision that was changed, whether a gate fails where a change of the configuration
// changes nothing, whether the parts of explanations sum to times, whether a job starts when `replay explain --if` says that it would, and whether `replay plan` finds what a scan of all
// values finds, and `replay tune` the best of some settings, with a gain where it promises one. It exits with 1 when a promise is not kept.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"replay/outdir"
)

// A question is one line of the answer.
type question struct {
	name string
	n    int // cases
	ask  func(*asked, int) (kept bool, err error)
}

var questions = []question{{"diff", 100, diffs}, {"gate", 200, gates}, {"sums", 100, sums}, {"causes", 200, causes}, {"plan", 50, plans}, {"tune", 10, tunes}}

// asked is what questions have in common.
type asked struct {
	ctx     context.Context
	program string
	traces  string // the folder of those that come with the project
	dir     *outdir.Partial
	out     io.Writer
	rng     *rand.Rand
}

func main() {
	n := flag.Int("n", 0, "how many `CASES` each, 0 for as many as was promised")
	only := flag.String("only", "", "one of the `QUESTIONS`, or several with commas: diff, gate, sums, causes, plan, tune")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	kept, err := answer(ctx, os.Stdout, "traces", "./cmd/replay", *only, *n)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if !kept {
		fmt.Println("A promise is not kept.")
		os.Exit(1)
	}
}

// answer builds the program from a package and asks it.
func answer(ctx context.Context, out io.Writer, traces, pkg, only string, n int) (bool, error) {
	dir, err := outdir.Scratch("replay-answers")
	if err != nil {
		return false, err
	}
	defer dir.Abort()
	a := &asked{ctx: ctx, program: dir.Path("replay"), traces: traces, dir: dir, out: out}
	if text, err := exec.CommandContext(ctx, "go", "build", "-o", a.program, pkg).CombinedOutput(); err != nil {
		return false, fmt.Errorf("go build: %w\n%s", err, text)
	}
	all := true
	for _, q := range questions {
		if only != "" && !slices.Contains(strings.Split(only, ","), q.name) {
			continue
		}
		a.rng = rand.New(rand.NewPCG(1, uint64(len(q.name))))
		cases := q.n
		if n > 0 {
			cases = n
		}
		kept, err := q.ask(a, cases)
		if err != nil {
			return false, fmt.Errorf("%s: %w", q.name, err)
		}
		all = all && kept
	}
	return all, nil
}

// replay runs the program. Failed says that it exits with 1, as it does where something differs, or a gate fails.
func (a *asked) replay(words ...string) (text string, failed bool, err error) {
	c := exec.CommandContext(a.ctx, a.program, append(words, "-q")...)
	var out, complaint bytes.Buffer
	c.Stdout, c.Stderr = &out, &complaint
	err = c.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 {
		return out.String(), true, nil
	}
	if err != nil {
		err = fmt.Errorf("replay %s: %w: %s", strings.Join(words, " "), err, complaint.String())
	}
	return out.String(), false, err
}

// trace is one of the traces of the project.
func (a *asked) trace(name string) string { return filepath.Join(a.traces, name) }

// result replays a trace into a result of its own.
func (a *asked) result(name, trace string) (string, error) {
	dir := a.dir.Path(name)
	_, _, err := a.replay("run", trace, "--formats", "none", "--allow-failures", "--out", dir)
	return dir, err
}
