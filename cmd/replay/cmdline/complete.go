package cmdline

import (
	"fmt"
	"os"
	"strings"

	"github.com/urfave/cli/v2"
)

// Completed has a shell offer names where the command wants its first argument. Flags are offered as of any command.
func Completed(c *cli.Command, names ...string) *cli.Command {
	c.BashComplete = func(ctx *cli.Context) {
		if n := len(os.Args); ctx.NArg() > 0 || n > 2 && strings.HasPrefix(os.Args[n-2], "-") { // the library looks there, too
			cli.DefaultCompleteWithFlags(c)(ctx)
			return
		}
		for _, name := range names {
			fmt.Fprintln(ctx.App.Writer, name)
		}
	}
	return c
}
