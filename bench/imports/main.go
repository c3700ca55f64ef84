// Command imports measures what an import costs beside plain reading of the same files, and how its memory grows with them:
//
//	go run ./bench/imports -rows 200000
//
// It makes input of each format, with rows in order of time where the publishers have them so, not by job; imports it, and ten times as much, each in a process of its own; and prints MB and
// rows a CPU second, and the largest memory of both. -only NAMES takes some.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	measured "replay/bench/measure"
	"replay/heap"
	"replay/outdir"
	"replay/trace/importer"
	"replay/trace/importer/workload"
)

func main() {
	rows := flag.Int("rows", 200_000, "rows of the smaller input of each format")
	only := flag.String("only", "", "these formats, with commas between them")
	times := flag.Int("times", 10, "how many times larger the larger input is")
	one := flag.String("import", "", "import FORMAT, from the directory in -dir, and nothing else; plain = read its lines")
	dir := flag.String("dir", "", "where the input is")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var err error
	if *one != "" {
		err = work(ctx, *one, *dir)
	} else {
		err = run(ctx, os.Stdout, *only, *rows, *times)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// work imports the input below dir, or reads it, and prints the largest memory of the process in bytes. What the system tells its parent counts that of the parent, too, up to the start.
func work(ctx context.Context, format, dir string) error {
	in := filepath.Join(dir, "input")
	if format == plainReading {
		list, err := workload.List([]string{in}, nil)
		if err != nil {
			return err
		}
		return read(list.Files)
	}
	opt := workload.DefaultOptions()
	opt.Out = filepath.Join(dir, "trace")
	if !slices.Contains(recordsHosts, format) {
		opt.Nodes = 100
	}
	defer heap.Within(importer.MemoryBudget)()
	_, err := importer.Import(ctx, format, []string{in}, opt)
	fmt.Println(measured.Peak("self"))
	return errors.Join(err, os.RemoveAll(opt.Out))
}

// cost is what a process took.
type cost struct {
	cpu time.Duration
	mib int64
}

// run prints a table of the formats.
func run(ctx context.Context, w io.Writer, only string, rows, times int) (err error) {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	t := tabwriter.NewWriter(w, 15, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "format\trows\tMB\tMB/CPU s\trows/CPU s\tread, MB/CPU s\tMiB\t×%d: rows/CPU s\tMiB\tmemory\t\n", times)
	for _, name := range slices.Sorted(maps.Keys(inputs)) {
		if only != "" && !slices.Contains(strings.Split(only, ","), name) {
			continue
		}
		if err := row(ctx, t, self, name, rows, times); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := t.Flush(); err != nil { // a row at a time, as some take minutes
			return err
		}
	}
	return t.Flush()
}

func row(ctx context.Context, w io.Writer, self, name string, rows, times int) error {
	dir, err := outdir.Scratch("replay-imports")
	if err != nil {
		return err
	}
	defer dir.Abort()
	n, size, err := generate(dir.Path("input"), name, rows)
	if err != nil {
		return err
	}
	plain, err := measure(ctx, self, plainReading, dir.Path(""))
	if err != nil {
		return err
	}
	small, err := measure(ctx, self, name, dir.Path(""))
	if err != nil {
		return err
	}
	if err := os.RemoveAll(dir.Path("input")); err != nil {
		return err
	}
	n10, _, err := generate(dir.Path("input"), name, rows*times)
	if err != nil {
		return err
	}
	large, err := measure(ctx, self, name, dir.Path(""))
	if err != nil {
		return err
	}
	mb := float64(size) / 1e6
	_, err = fmt.Fprintf(w, "%s\t%d\t%.1f\t%.1f\t%.0f\t%.0f\t%d\t%.0f\t%d\t%+.0f %%\t\n", name, n, mb, mb/small.cpu.Seconds(), float64(n)/small.cpu.Seconds(), mb/plain.cpu.Seconds(),
		small.mib, float64(n10)/large.cpu.Seconds(), large.mib, 100*float64(large.mib-small.mib)/float64(small.mib))
	return err
}

// measure imports in a process of its own.
func measure(ctx context.Context, self, format, dir string) (cost, error) {
	cmd := exec.CommandContext(ctx, self, "-import", format, "-dir", dir)
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	if err != nil {
		return cost{}, err
	}
	p := cmd.ProcessState
	c := cost{cpu: p.UserTime() + p.SystemTime()}
	if format != plainReading {
		peak, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
		if err != nil {
			return cost{}, err
		}
		c.mib = peak >> 20
	}
	return c, nil
}
