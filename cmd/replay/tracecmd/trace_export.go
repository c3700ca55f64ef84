package tracecmd

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"replay/cmd/replay/cmdline"
	"replay/outdir"
	"replay/report/quantity"
	"replay/report/timeline"
	"replay/trace/export"
)

// traceExport writes a trace in the format of another program.
func traceExport() *cli.Command {
	formats := append(export.Names(), chrome)
	var list strings.Builder
	for _, name := range export.Names() {
		fmt.Fprintf(&list, "   %s: %s\n", name, export.Usage(name))
	}
	return &cli.Command{
		Name: "export", Usage: "write a trace, or a result, in the format of another program", ArgsUsage: "TRACE|RESULT",
		Description: "Formats:\n" + list.String() + "   chrome: a result as a timeline for Perfetto (ui.perfetto.dev) and Chrome: applications, containers and tasks by nodes\n" +
			"What a format cannot hold is counted and printed. Examples:\n   replay trace export traces/uniform-micro --format sls --out sls\n   replay trace export out/run --format chrome --out timeline",
		Flags: []cli.Flag{
			cmdline.Offering(&cli.StringFlag{Name: "format", Usage: "one of " + strings.Join(formats, ", ")}, formats...),
			&cli.StringFlag{Name: "out", Usage: "write the files to `DIR`"},
			&cli.BoolFlag{Name: "json", Usage: "print the files and what is lost as JSON"},
		},
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 || c.String("out") == "" {
				return cmdline.Usagef("trace export wants one trace directory and --out DIR")
			}
			if !c.IsSet("format") {
				return cmdline.Usagef("trace export wants --format %s", strings.Join(formats, " or "))
			}
			if !slices.Contains(formats, c.String("format")) {
				return cmdline.Usagef("--format is %q, want %s", c.String("format"), strings.Join(formats, " or "))
			}
			if c.String("format") == chrome {
				return exportTimeline(c)
			}
			t, err := cmdline.OpenTrace(c.Args().First())
			if err != nil {
				return err
			}
			defer t.Close()
			files, lost, err := export.Write(c.Context, t, c.String("format"), c.String("out"))
			if err != nil {
				return err
			}
			if c.Bool("json") {
				return cmdline.WriteJSON(c.App.Writer, struct {
					Files []string    `json:"files"`
					Lost  export.Lost `json:"lost"`
				}{files, lost})
			}
			for _, f := range files {
				fmt.Fprintln(c.App.Writer, filepath.Join(c.String("out"), f))
			}
			for _, what := range slices.Sorted(maps.Keys(lost)) {
				fmt.Fprintf(c.App.Writer, "not in the format: %s %s\n", quantity.Thousands(lost[what]), what)
			}
			return nil
		},
	}
}

// chrome is the format of results.
const chrome = "chrome"

// exportTimeline writes a result as trace events.
func exportTimeline(c *cli.Context) error {
	dir, out := c.Args().First(), c.String("out")
	if _, err := os.Stat(filepath.Join(dir, "run.json")); err != nil {
		return cmdline.Usagef("%s has no run.json: --format %s wants a result, which replay run --out makes", dir, chrome)
	}
	if err := (outdir.Kind{}).Check(out); err != nil {
		return err
	}
	p, err := outdir.Begin(out)
	if err != nil {
		return err
	}
	defer p.Abort()
	f, err := os.Create(p.Path(timelineFile))
	if err != nil {
		return err
	}
	counts, err := timeline.Write(dir, f)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := p.InstallNew(); err != nil {
		return err
	}
	if c.Bool("json") {
		return cmdline.WriteJSON(c.App.Writer, struct {
			Files []string `json:"files"`
			*timeline.Counts
		}{[]string{timelineFile}, counts})
	}
	without := ""
	if counts.WithoutTasks {
		without = " (the result has no table of tasks: --tasks=off)"
	}
	_, err = fmt.Fprintf(c.App.Writer, "%s: %s, %s, %s%s\n", filepath.Join(out, timelineFile), quantity.Counted(counts.Applications, "applications"), quantity.Counted(counts.Containers, "containers"),
		quantity.Counted(counts.Tasks, "task attempts"), without)
	return err
}

const timelineFile = "timeline.json"
