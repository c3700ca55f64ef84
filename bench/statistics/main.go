// Command statistics tests what `replay compare` promises of its intervals by replaying: how often it finds a
// difference where there is none, how often an interval holds the true difference, how often a finding has the wrong sign,
// and what it finds of differences of known size.
//
//	go run ./bench/statistics            everything, some minutes on two cores
//	go run ./bench/statistics -short     the same questions with fewer replays
//
// -only and -traces ask about a part, so that all can be asked in parts: each trace has random streams of its own.
// It exits with 1 when a promise is not kept. The promises are those of docs/metrics.md, "Comparisons".
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
)

// A question is one table of the answer.
type question struct {
	name string
	ask  func(ctx context.Context, e effort, w io.Writer) (kept bool, err error)
}

var questions = []question{
	{"alarms", falseAlarms},
	{"coverage", coverage},
	{"workloads", workloadCoverage},
	{"effects", effects},
	{"doubled", doubled},
	{"gates", gates},
}

// effort is how much is replayed and drawn.
type effort struct {
	kinds     []string // of trace, directories
	pool      int      // seeds that each variant of a trace is replayed with, to draw from
	draws     int      // comparisons drawn for each number of seeds or traces
	worlds    []world
	generated int // traces of each world
	truth     int // seeds that the true difference of a generated trace is known from
	doublings []doubling
	doubled   int // traces of each size of a cluster
}

var (
	whole = effort{kinds: kinds, pool: 400, draws: 500, generated: 200, worlds: worlds, truth: 40, doublings: doublings, doubled: 60}
	short = effort{kinds: kinds, pool: 80, draws: 100, generated: 60, worlds: worlds, truth: 20, doublings: doublings, doubled: 24}
)

func main() {
	quick := flag.Bool("short", false, "fewer replays")
	only := flag.String("only", "", "one of the `QUESTIONS`, or several with commas: "+strings.Join(names(), ", "))
	traces := flag.String("traces", "", "the recorded and kept `TRACES` that are asked about, directories with commas: "+strings.Join(kinds, ", "))
	flag.Parse()
	e := whole
	if *quick {
		e = short
	}
	if *traces != "" {
		e.kinds = strings.Split(*traces, ",")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	kept := true
	for _, q := range questions {
		if *only != "" && !slices.Contains(strings.Split(*only, ","), q.name) {
			continue
		}
		ok, err := q.ask(ctx, e, os.Stdout)
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", q.name, err)
			os.Exit(2)
		}
		kept = kept && ok
	}
	if !kept {
		fmt.Println("A promise is not kept.")
		os.Exit(1)
	}
}

func names() (out []string) {
	for _, q := range questions {
		out = append(out, q.name)
	}
	return out
}

// mark says whether a promise is kept.
func mark(kept bool) string {
	if kept {
		return "kept"
	}
	return "missed"
}
