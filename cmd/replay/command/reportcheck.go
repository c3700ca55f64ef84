package command

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"replay/report/quantity"
	"replay/report/verify"
)

// reportCheckCommand verifies result directories from their tables alone.
func reportCheckCommand() *cli.Command {
	return &cli.Command{
		Name:      "check",
		Usage:     "verify result directories from their tables alone: keys, times, capacities, sums, samples, metrics",
		ArgsUsage: "RESULT...",
		Description: "RESULT is a directory that `replay run` wrote. Nothing is taken from the program that wrote it: keys are unique, times in order, containers fit their\n" +
			"nodes, task attempts their executors, sums of one table are those of another, and metrics are computed again (docs/results.md). Exit code 1\n" +
			"when something does not hold, with file, row, column and value.",
		Flags: []cli.Flag{&cli.BoolFlag{Name: "json", Usage: "print JSON"}},
		Action: func(c *cli.Context) error {
			if c.NArg() == 0 {
				return usagef("report check wants at least one result directory")
			}
			failed := false
			for _, dir := range c.Args().Slice() {
				if _, err := os.Stat(filepath.Join(dir, "run.json")); err != nil {
					return fmt.Errorf("%s: not a result directory: %w", dir, err)
				}
				r, err := verify.Dir(dir)
				if err != nil {
					return err
				}
				failed = failed || !r.OK()
				if c.Bool("json") {
					err = writeJSON(c.App.Writer, struct {
						Result string `json:"result"`
						OK     bool   `json:"ok"`
						*verify.Report
					}{dir, r.OK(), r})
				} else {
					err = writeVerified(c.App.Writer, dir, r, c.Bool("quiet"))
				}
				if err != nil {
					return err
				}
			}
			if failed {
				return failedCheck()
			}
			return nil
		},
	}
}

// writeVerified writes what was found: violations first, then what was looked at and how often.
func writeVerified(w io.Writer, dir string, r *verify.Report, quiet bool) error {
	for _, v := range r.Violations {
		fmt.Fprintf(w, "%s\n", filepath.Join(dir, v.String()))
	}
	if !quiet {
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		for _, c := range r.Checks {
			found := "ok"
			if c.Violations > 0 {
				found = quantity.Counted(c.Violations, "violations")
			}
			fmt.Fprintf(t, "%s\t%s\t%s\n", c.Name, quantity.Counted(c.N, "comparisons"), found)
		}
		if err := t.Flush(); err != nil {
			return err
		}
	}
	if r.OK() {
		_, err := fmt.Fprintf(w, "%s: everything holds\n", dir)
		return err
	}
	_, err := fmt.Fprintf(w, "%s: %s, %d shown\n", dir, quantity.Counted(r.Total, "violations"), len(r.Violations))
	return err
}
