package main

import (
	"github.com/urfave/cli/v2"

	"replay/bench/conform"
)

// conformCommand checks this build against golden vectors recorded from the real classes.
func conformCommand() *cli.Command {
	return &cli.Command{
		Name:      "conform",
		Usage:     "check this build against answers recorded from the real YARN and Spark classes",
		ArgsUsage: "DIR",
		Description: "DIR holds golden vectors (*.jsonl, *.jsonl.gz), or is the recording of a cluster or a folder of recordings.\n" +
			"Exit code 1: a case differs (of a recording: less than 99 % of the allocations, of other decisions or of all are equal)\n" +
			"or is not supported. 3: a file is malformed.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "only", Usage: "run only the `FILE` of that name in DIR"},
			&cli.BoolFlag{Name: "json", Usage: "print the result as JSON"},
		},
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return usagef("conform wants one directory, got %d arguments", c.NArg())
			}
			summary, err := conform.Dir(c.Args().First(), c.String("only"))
			if err != nil {
				return err
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
