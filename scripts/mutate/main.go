// Command mutate changes the program in one place at a time and asks whether a test notices.
//
//	go run ./scripts/mutate                      the named mutants of scripts/mutate/named.txt
//	go run ./scripts/mutate -only drain          those whose name or file contains "drain"
//	go run ./scripts/mutate FILE.go...           every mutation of these files; -not "one " leaves out those of numbers
//	go run ./scripts/mutate -sample 50 FILE.go...   50 of them
//	go run ./scripts/mutate -again LOG -test "PACKAGE ..." FILE.go...   those that survived before, against further tests; -run REGEXP takes only these
//	go run ./scripts/mutate -list FILE.go...     print the mutations, run nothing
//
// The tree is never touched: mutants are compiled through an overlay of the go command, those of files all together. A mutant
// survives when all tests pass. The exit code is 1 when a named mutant survives, no longer fits the
// source or does not compile; survivors among all mutations of a file are printed for a person to judge.
//
// Mutations of a file: comparisons at their limit and negated, && and || exchanged, an operand of them
// dropped, if conditions negated, whole numbers one more and one less, statements and early ends of a
// block dropped.
//
// Maintained tools exist (gremlins, go-mutesting, ooze). They have no named mutants, do not drop
// statements or operands, and run the tests of the mutant's own package or those of the whole module;
// here the tests that hold a rule often stand in a package between the two.
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
	"os/signal"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"replay/counted"
)

// A mutant is one changed file.
type mutant struct {
	name   string // what is changed, in words
	file   string // slash-separated, from the root of the module
	line   int
	before string // the source that goes
	after  string // what stands in its place
	text   []byte // the whole file, changed
	tests  []string
	place  place // of a mutation of a file
	number int   // by which a program that has all mutations is told to have this one; 0: it has not
}

func (m *mutant) String() string {
	return fmt.Sprintf("%s:%d: %s: %s => %s", m.file, m.line, m.name, oneLine(m.before), oneLine(m.after))
}

func oneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 60 {
		s = string(r[:57]) + "..."
	}
	if s == "" {
		return "(nothing)"
	}
	return s
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	code, err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "mutate:", err)
	}
	os.Exit(code)
}

// run is main without the process. It returns the exit code: 0, 1 (a named mutant lives) or 2 (it could not be tried).
func run(ctx context.Context, args []string, stdout, stderr io.Writer) (int, error) {
	flags := flag.NewFlagSet("mutate", flag.ContinueOnError)
	flags.SetOutput(stderr)
	list := flags.Bool("list", false, "print the mutants and run nothing")
	only := flags.String("only", "", "take only mutants whose line of output contains this `text`")
	not := flags.String("not", "", "leave out mutants whose line of output contains this `text`")
	again := flags.String("again", "", "take only mutants that survive in this `file`, the output of an earlier run")
	tests := flags.String("test", "", "`packages` whose tests are run, space-separated (default: the file's own, and for named ones those of the list)")
	pattern := flags.String("run", "", "run only tests whose name matches this `regexp`")
	short := flags.Bool("short", true, "run tests with -short")
	sample := flags.Int("sample", 0, "try at most `n` mutants of files, drawn with -seed")
	seed := flags.Uint64("seed", 1, "seed of -sample")
	if err := flags.Parse(args); err != nil {
		return 2, err
	}
	root, err := moduleRoot(ctx)
	if err != nil {
		return 2, err
	}
	mutants, broken, err := found(root, flags.Args(), stdout)
	if err != nil {
		return 2, err
	}
	mutants = slices.DeleteFunc(mutants, func(m mutant) bool {
		line := m.String()
		return !strings.Contains(line, *only) || *not != "" && strings.Contains(line, *not)
	})
	if *again != "" {
		said, err := os.ReadFile(*again)
		if err != nil {
			return 2, err
		}
		mutants = slices.DeleteFunc(mutants, func(m mutant) bool { return !bytes.Contains(said, []byte(fmt.Sprintf("%-9s %s (", survived, &m))) })
	}
	named := flags.NArg() == 0
	if !named && *sample > 0 && *sample < len(mutants) {
		mutants = drawn(mutants, *sample, *seed)
	}
	if *tests != "" {
		for i := range mutants {
			mutants[i].tests = strings.Fields(*tests)
		}
	}
	if *list {
		for i := range mutants {
			fmt.Fprintln(stdout, &mutants[i])
		}
		return 0, nil
	}
	t, err := newTrial(ctx, root, *pattern, *short)
	if err != nil {
		return 2, err
	}
	defer t.close()
	count, err := t.tryAll(mutants, named, stdout, stderr)
	if err != nil {
		return 2, err
	}
	fmt.Fprintf(stdout, "%s: %d killed, %d survived, %d timed out, %d did not compile", counted.Of(len(mutants)+broken, "mutants"), count[killed], count[survived], count[timedOut], count[notBuilt])
	if named {
		fmt.Fprintf(stdout, ", %d not found", broken)
	}
	fmt.Fprintln(stdout)
	if named && count[survived]+count[notBuilt]+broken > 0 {
		return 1, nil
	}
	return 0, nil
}

// found returns all mutants of files, or without files the named ones; broken are how many of those no longer fit the source, which is said on stdout.
func found(root string, files []string, stdout io.Writer) (mutants []mutant, broken int, err error) {
	for _, file := range files {
		of, err := mutationsOf(root, file)
		if err != nil {
			return nil, 0, err
		}
		mutants = append(mutants, of...)
	}
	if len(files) > 0 {
		return mutants, 0, nil
	}
	all, err := readNamed(filepath.Join(root, filepath.FromSlash(namedFile)))
	if err != nil {
		return nil, 0, err
	}
	for _, n := range all {
		m, err := n.find(root)
		if err != nil {
			fmt.Fprintln(stdout, "NOT FOUND", err)
			broken++
			continue
		}
		mutants = append(mutants, *m)
	}
	return mutants, broken, nil
}

// drawn are n of the mutants, in their order.
func drawn(mutants []mutant, n int, seed uint64) []mutant {
	keep := rand.New(rand.NewPCG(seed, 0)).Perm(len(mutants))[:n]
	slices.Sort(keep)
	for i, k := range keep {
		mutants[i] = mutants[k]
	}
	return mutants[:n]
}

// tryAll tries mutants one after the other and counts what became of them. On stdout is what somebody is to look at: all of the named ones, else those
// that survived or took too long.
func (t *trial) tryAll(mutants []mutant, named bool, stdout, stderr io.Writer) (map[verdict]int, error) {
	count := map[verdict]int{}
	dir, compiled := "", []binary(nil)
	for i := range mutants {
		m := &mutants[i]
		if d := path.Dir(m.file); !named && d != dir {
			dir = d
			var err error
			if compiled, err = t.together(dir, of(dir, mutants), m.tests); err != nil {
				return nil, err
			}
		}
		try := t.try
		if m.number > 0 {
			try = func(m *mutant) (verdict, string, error) { return t.tryTogether(m, compiled) }
		}
		v, why, err := try(m)
		if err != nil {
			return nil, err
		}
		count[v]++
		to := stderr
		if v == survived || named || v == timedOut {
			to = stdout
		}
		fmt.Fprintf(to, "%-9s %s (%s)\n", v, m, why)
	}
	return count, nil
}

// of returns the mutants of the files in a folder.
func of(dir string, all []mutant) (out []*mutant) {
	for i := range all {
		if path.Dir(all[i].file) == dir {
			out = append(out, &all[i])
		}
	}
	return out
}
