package selfcmd

import (
	"replay/cmd/replay/cmdline"

	"github.com/urfave/cli/v2"
)

// Man prints the man page.
func Man() *cli.Command {
	return &cli.Command{
		Name:        "man",
		Usage:       "print the man page",
		Description: "replay man | man -l -    or    replay man > /usr/local/share/man/man1/replay.1",
		Flags:       []cli.Flag{jsonText()},
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return cmdline.Usagef("man wants no argument, got %q", c.Args().First())
			}
			page, err := c.App.ToManWithSection(1)
			if err != nil {
				return err
			}
			return writeText(c, struct {
				Page string `json:"page"`
			}{page}, page)
		},
	}
}
