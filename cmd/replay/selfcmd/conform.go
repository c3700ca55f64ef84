package selfcmd

import (
	"bytes"
	"strings"

	"github.com/urfave/cli/v2"

	"replay/bench/conform"
	"replay/cmd/replay/cmdline"
	"replay/outdir"
)

// Conform checks this build against golden vectors recorded from the real classes.
func Conform() *cli.Command {
	return &cli.Command{
		Name:      "conform",
		Usage:     "check this build against answers recorded from the real YARN and Spark classes",
		ArgsUsage: "DIR|FILE...",
		Description: "DIR holds golden vectors (*.jsonl, *.jsonl.gz), or is the recording of a cluster or a folder of recordings; FILE is one of vectors.\n" +
			"Exit code 1: a case differs or is not supported. With --at-least 99% it may differ: of each file that share of all cases,\n" +
			"and of a recording of each sort of decisions, has to be equal. 3: a file is malformed.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "only", Usage: "run only the `FILE` of that name in DIR"},
			&cli.BoolFlag{Name: "json", Usage: "print the result with all differences as JSON"},
			&cli.IntFlag{Name: "max", Value: conform.DefaultMax, Usage: "show the first `N` differences of each file"},
			&cli.StringFlag{Name: "at-least", Usage: "the `SHARE` of equal cases that is enough, such as 99%", DefaultText: "100%"},
			&cli.StringFlag{Name: "report", Usage: "write the result as a page of Markdown to `FILE`"},
		},
		Action: func(c *cli.Context) error {
			dirs := c.Args().Slice()
			if len(dirs) == 0 {
				return cmdline.Usagef("conform wants a directory of golden vectors or recordings, or a file of vectors")
			}
			if c.String("only") != "" && len(dirs) > 1 {
				return cmdline.Usagef("--only wants one directory, got %d", len(dirs))
			}
			enough, err := cmdline.ParseShare(c.String("at-least"))
			if err != nil {
				return cmdline.Usagef("--at-least: %v", err)
			}
			if c.Int("max") < 0 {
				return cmdline.Usagef("--max is %d, want 0 or more", c.Int("max"))
			}
			var summary *conform.Summary
			if only := c.String("only"); only != "" {
				summary, err = conform.Dir(dirs[0], only)
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
				if err := outdir.WriteFile(file, page.Bytes()); err != nil {
					return err
				}
			}
			if c.Bool("json") {
				err = summary.WriteJSON(c.App.Writer)
			} else {
				err = summary.WriteText(c.App.Writer, c.Int("max"))
			}
			if err != nil {
				return err
			}
			if !summary.AtLeast(enough) {
				return cmdline.FailedCheck()
			}
			return nil
		},
	}
}
