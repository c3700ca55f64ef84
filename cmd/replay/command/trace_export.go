package command

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"replay/report/quantity"
	"replay/trace/export"
)

// traceExport writes a trace in the format of another program.
func traceExport() *cli.Command {
	var list strings.Builder
	for _, name := range export.Names() {
		fmt.Fprintf(&list, "   %s: %s\n", name, export.Usage(name))
	}
	return &cli.Command{
		Name: "export", Usage: "write a trace in the format of another program", ArgsUsage: "TRACE",
		Description: "Formats:\n" + list.String() + "What a format cannot hold is counted and printed. Example:\n   replay trace export traces/uniform-micro --format sls --out sls",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "format", Usage: "one of " + strings.Join(export.Names(), ", ")},
			&cli.StringFlag{Name: "out", Usage: "write the files to `DIR`"},
			&cli.BoolFlag{Name: "json", Usage: "print the files and what is lost as JSON"},
		},
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 || c.String("out") == "" {
				return usagef("trace export wants one trace directory and --out DIR")
			}
			if !slices.Contains(export.Names(), c.String("format")) {
				return usagef("--format is %q, want %s", c.String("format"), strings.Join(export.Names(), " or "))
			}
			t, err := openTrace(c.Args().First())
			if err != nil {
				return err
			}
			defer t.Close()
			files, lost, err := export.Write(c.Context, t, c.String("format"), c.String("out"))
			if err != nil {
				return err
			}
			if c.Bool("json") {
				return writeJSON(c.App.Writer, struct {
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
