package tracecmd

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"replay/cmd/replay/cmdline"
	"replay/counted"
	"replay/outdir"
	"replay/report"
	drawn "replay/report/portrait"
	"replay/report/quantity"
	"replay/trace"
	"replay/trace/portrait"
)

// Trace looks at trace directories.
func Trace() *cli.Command {
	asJSON := &cli.BoolFlag{Name: "json", Usage: "print the result as JSON"}
	return &cli.Command{
		Name:  "trace",
		Usage: "check, summarize, cut, merge, anonymize and export trace directories",
		Subcommands: append([]*cli.Command{
			{
				Name:      "check",
				Usage:     "apply every rule of the trace format",
				ArgsUsage: "TRACE",
				Description: "Prints each problem with its file, row group, row (from 0 in the file), column, value and what was wanted.\n" +
					"Exit code 1: there are problems. 3: TRACE is not a trace directory.",
				Flags: []cli.Flag{
					asJSON,
					&cli.IntFlag{Name: "problems", Value: 20, Usage: "print at most `N` problems and count the others"},
				},
				Action: func(c *cli.Context) error {
					if c.NArg() != 1 || c.Int("problems") < 0 {
						return cmdline.Usagef("trace check wants one trace directory and --problems of 0 or more")
					}
					if dir := c.Args().First(); !cmdline.IsTrace(dir) {
						return cmdline.NotTrace(dir)
					}
					result, err := trace.Check(c.Context, c.Args().First(), c.Int("problems"))
					if err != nil {
						return err
					}
					if err := writeCheck(c.App.Writer, result, c.Bool("json")); err != nil {
						return err
					}
					if !result.OK() {
						return cmdline.FailedCheck()
					}
					return nil
				},
			},
			{
				Name:        "info",
				Usage:       "the portrait of a trace: sizes, arrivals, durations, shapes, locality, cluster, offered load",
				ArgsUsage:   "TRACE",
				Description: "The terms are defined in docs/trace-format.md. --out writes it with its plots and a page. Exit code 3: TRACE can't be read.",
				Flags: []cli.Flag{
					asJSON,
					&cli.StringFlag{Name: "plot", Usage: "draw the offered load over time to `FILE`, in the format of its ending: ." + strings.Join(report.Formats(), ", .")},
					&cli.StringFlag{Name: "out", Usage: "`DIR`ectory for portrait.json, portrait.txt, plots and a page"},
					cmdline.FormatsFlag("svg"),
				},
				Action: func(c *cli.Context) error {
					if c.NArg() != 1 {
						return cmdline.Usagef("trace info wants one trace directory, got %s", cmdline.Arguments(c))
					}
					format := strings.TrimPrefix(filepath.Ext(c.String("plot")), ".")
					if c.IsSet("plot") && !slices.Contains(report.Formats(), format) {
						return cmdline.Usagef("--plot is %q, want a name that ends in .%s", c.String("plot"), strings.Join(report.Formats(), ", ."))
					}
					formats, err := cmdline.Formats(c, false)
					if err != nil {
						return err
					}
					t, err := cmdline.OpenTrace(c.Args().First())
					if err != nil {
						return err
					}
					defer t.Close()
					p, err := portrait.Of(c.Context, t)
					if err != nil {
						return err
					}
					if c.IsSet("plot") {
						figure, err := drawn.Load(p, format)
						if err != nil {
							return err
						}
						if err := outdir.WriteFile(c.String("plot"), figure); err != nil {
							return err
						}
					}
					if out := c.String("out"); out != "" {
						// Not the folders that were named: a trace that is moved has the same portrait.
						if err := drawn.WriteDir(out, p, formats, []string{"trace", "info", "TRACE", "--out", "DIR"}); err != nil {
							return err
						}
					}
					if c.Bool("json") {
						return cmdline.WriteJSON(c.App.Writer, p)
					}
					return p.WriteText(c.App.Writer)
				},
			},
		}, append(traceEdits(), traceExport())...),
	}
}

func writeCheck(w io.Writer, r *trace.CheckResult, asJSON bool) error {
	if asJSON {
		type problem struct {
			File   string `json:"file"`
			Group  *int   `json:"row_group"`
			Row    *int64 `json:"row"`
			Column string `json:"column"`
			Value  string `json:"value"`
			Want   string `json:"want"`
		}
		problems := make([]problem, len(r.Problems))
		for i, p := range r.Problems {
			problems[i] = problem{File: p.File, Column: p.Column, Value: p.Value, Want: p.Want}
			if p.Row >= 0 {
				problems[i].Group, problems[i].Row = &p.Group, &p.Row
			}
		}
		return cmdline.WriteJSON(w, struct {
			OK       bool         `json:"ok"`
			Total    int64        `json:"problems_total"`
			Problems []problem    `json:"problems"`
			Counts   trace.Counts `json:"counts"`
			Hash     string       `json:"hash"`
		}{r.OK(), r.Total, problems, r.Counts, r.Hash})
	}
	for _, p := range r.Problems {
		if _, err := fmt.Fprintln(w, p.Error()); err != nil {
			return err
		}
	}
	c := r.Counts
	verdict := "ok"
	if !r.OK() {
		verdict = fmt.Sprintf("%s, %d shown", counted.Of(r.Total, "problems"), len(r.Problems))
	}
	_, err := fmt.Fprintf(w, "%s: %s, %s, %s, %s, %s\n", verdict, quantity.Counted(c.Jobs, "jobs"), quantity.Counted(c.Stages, "stages"), quantity.Counted(c.Tasks, "tasks"),
		nodesOf(c, r.Never), quantity.Counted(c.NodeEvents, "node events"))
	return err
}

// nodesOf counts the nodes of a trace, and apart from them those that are there at no time.
func nodesOf(c trace.Counts, never int64) string {
	text := quantity.Counted(c.Nodes-never, "nodes")
	if never > 0 {
		text += fmt.Sprintf(" (and %s that are never there)", quantity.Counted(never, "hosts"))
	}
	return text
}
