package command

import (
	"bytes"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"replay/bench/conform"
)

// conformCommand checks this build against golden vectors recorded from the real classes.
func conformCommand(*program) *cli.Command {
	return &cli.Command{
		Name:      "conform",
		Usage:     "check this build against answers recorded from the real YARN and Spark classes",
		ArgsUsage: "DIR...",
		Description: "DIR holds golden vectors (*.jsonl, *.jsonl.gz), or is the recording of a cluster or a folder of recordings.\n" +
			"Exit code 1: a case differs or is not supported (of a recording: less than 99 % of the allocations, of another\n" +
			"sort of decision, or of all cases are equal). 3: a file is malformed.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "only", Usage: "run only the `FILE` of that name in DIR"},
			&cli.BoolFlag{Name: "json", Usage: "print the result as JSON"},
			&cli.StringFlag{Name: "report", Usage: "write the result as a page of Markdown to `FILE`"},
		},
		Action: func(c *cli.Context) error {
			dirs := c.Args().Slice()
			if len(dirs) == 0 {
				return usagef("conform wants a directory of golden vectors or recordings")
			}
			if c.String("only") != "" && len(dirs) > 1 {
				return usagef("--only wants one directory, got %d", len(dirs))
			}
			var summary *conform.Summary
			var err error
			if len(dirs) == 1 {
				summary, err = conform.Dir(dirs[0], c.String("only"))
			} else {
				summary, err = conform.Dirs(dirs)
			}
			if err != nil {
				return err
			}
			if file := c.String("report"); file != "" {
				command := "replay conform " + strings.Join(dirs, " ")
				if only := c.String("only"); only != "" {
					command += " --only " + only
				}
				var page bytes.Buffer
				if err := summary.WriteReport(&page, command+" --report "+file); err != nil {
					return err
				}
				if err := os.WriteFile(file, page.Bytes(), 0o644); err != nil {
					return err
				}
			}
			write := summary.WriteText
			if c.Bool("json") {
				write = summary.WriteJSON
			}
			if err := write(c.App.Writer); err != nil {
				return err
			}
			if !summary.OK() {
				return failedCheck()
			}
			return nil
		},
	}
}
