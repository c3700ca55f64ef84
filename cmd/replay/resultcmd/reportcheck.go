package resultcmd

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"replay/cmd/replay/cmdline"
	"replay/report"
	"replay/report/quantity"
	"replay/report/verify"
	"replay/shown"
)

// reportCheckCommand verifies result directories from their tables alone.
func reportCheckCommand() *cli.Command {
	return &cli.Command{
		Name:      "check",
		Usage:     "verify results and comparisons from their files alone: keys, times, capacities, sums, samples, metrics, intervals",
		ArgsUsage: "RESULT...",
		Description: "RESULT is a directory that `replay run` or `replay compare` wrote. Nothing is taken from the program that wrote it: keys are unique, times in order, containers fit their\n" +
			"nodes, task attempts their executors, sums of one table are those of another, and metrics are computed again (docs/results.md). So are the means,\n" +
			"intervals and findings of a comparison, also against the results that it kept (--results). Exit code 1\n" +
			"when something does not hold, with file, row, column and value.",
		Flags: []cli.Flag{&cli.BoolFlag{Name: "json", Usage: "print JSON"}},
		Action: func(c *cli.Context) error {
			if c.NArg() == 0 {
				return cmdline.Usagef("report check wants at least one result directory")
			}
			failed := false
			for _, dir := range c.Args().Slice() {
				check := verify.Dir
				if _, err := os.Stat(filepath.Join(dir, "run.json")); err != nil {
					if _, other := os.Stat(filepath.Join(dir, "comparison.json")); other != nil {
						return cmdline.NotResult(dir)
					}
					check = verify.Comparison
				}
				r, err := check(dir, report.OwnChecks...)
				if err != nil {
					return err
				}
				failed = failed || !r.OK()
				if c.Bool("json") {
					err = cmdline.WriteJSON(c.App.Writer, struct {
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
				return cmdline.FailedCheck()
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
		t, p := &shown.Table{}, shown.Paint(w)
		for _, c := range r.Checks {
			found := p.In(shown.Good, "ok")
			if c.Violations > 0 {
				found = p.In(shown.Bad, quantity.Counted(c.Violations, "violations"))
			}
			t.Row(c.Name, quantity.Counted(c.N, "comparisons"), found)
		}
		if err := t.Write(w); err != nil {
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
