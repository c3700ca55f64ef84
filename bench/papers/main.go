// Command papers replays situations whose outcome others have published, or mathematics gives, and prints what was claimed beside what came out:
//
//	go run ./bench/papers [-short] [-only 'delay*'] [-out DIR]
//
// With -out it also draws the published curves with the replayed points (SVG). A result outside of its tolerance ends it with exit code 1. Each claim has a seed of its own that nothing changes.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"path"
	"path/filepath"
	"syscall"
	"text/tabwriter"

	"replay/report/figure"
)

// A claim is a number that a source gives, and how it is replayed.
type claim struct {
	name      string
	source    string
	says      string
	expected  float64
	tolerance float64 // the largest difference; +Inf on one side where atLeast
	atLeast   bool    // expected is a bound from below, which the result may fall short of by the tolerance
	replay    func(ctx context.Context, size int) (float64, error)
	known     float64 // what is known to come out instead, 0 = nothing; within the tolerance, too
	because   string  // of known
	curve     string  // the picture that has its point
	x         float64
}

// holds tells whether a result is what was claimed; differs, whether it is what is known to come out instead.
func (c *claim) holds(got float64) bool {
	if c.atLeast {
		return got >= c.expected-c.tolerance
	}
	return math.Abs(got-c.expected) <= c.tolerance
}

func (c *claim) differs(got float64) bool {
	return c.because != "" && math.Abs(got-c.known) <= c.tolerance
}

func main() {
	short := flag.Bool("short", false, "smaller replays, in which chance is larger: tolerances are three times as wide")
	only := flag.String("only", "*", "claims whose name matches")
	out := flag.String("out", "", "draw the curves into this directory")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ok, err := run(ctx, os.Stdout, *only, *out, *short)
	if err != nil {
		fmt.Fprintln(os.Stderr, "papers:", err)
	}
	if err != nil || !ok {
		os.Exit(1)
	}
}

// run replays the claims, and reports whether all hold.
func run(ctx context.Context, w io.Writer, only, out string, short bool) (ok bool, err error) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "claim\tsource\tcommand\texpected\ttolerance\tgot\t") // the last error comes again
	ok = true
	points := map[string]figure.Points{}
	for _, c := range claims() {
		if match, err := path.Match(only, c.name); err != nil {
			return false, err
		} else if !match {
			continue
		}
		size := 4
		if short {
			size = 1
			c.tolerance *= 3
		}
		got, err := c.replay(ctx, size)
		if err != nil {
			return false, fmt.Errorf("%s: %w", c.name, err)
		}
		points[c.curve] = append(points[c.curve], struct{ X, Y float64 }{c.x, got})
		word, sign := "", "±"
		if c.atLeast {
			sign = "−"
		}
		switch {
		case c.holds(got):
		case c.differs(got):
			word = "differs: " + c.because
		default:
			ok, word = false, "FAILS"
		}
		fmt.Fprintf(t, "%s\t%s\tgo run ./bench/papers -only '%s'\t%s %s\t%s%.4g\t%.4g\t%s\n", c.says, c.source, c.name, map[bool]string{true: "at least", false: ""}[c.atLeast], number(c.expected), sign, c.tolerance, got, word)
	}
	if err := t.Flush(); err != nil || out == "" {
		return ok, err
	}
	return ok, draw(out, points)
}

func number(x float64) string { return fmt.Sprintf("%.4g", x) }

// draw writes each curve with the points of its claims.
func draw(dir string, points map[string]figure.Points) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for name, c := range curves {
		if len(points[name]) == 0 {
			continue
		}
		f := figure.New(c.title, c.x, c.y)
		var line figure.Points
		for i := range 201 {
			x := c.from + (c.to-c.from)*float64(i)/200
			line = append(line, struct{ X, Y float64 }{x, c.at(x)})
		}
		f.Line("published", 0, line)
		f.Line("replayed", 1, points[name])
		data, err := f.Render("svg")
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name+".svg"), data, 0o666); err != nil {
			return err
		}
	}
	return nil
}
