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

// Values returns what a shell offers as the value with which a line goes on that is not finished and ends with a word: values of that flag, or, where it has an = already, words with
// its name and each. ok is false where no value is to come; a flag that takes any value has none, and the shell offers files.
func (w *Words) Values(end string) (values []string, ok bool) {
	if len(w.Flags) == 0 {
		return nil, false
	}
	last := &w.Flags[len(w.Flags)-1]
	if !last.missing && !(last.inline && last.text == end) {
		return nil, false
	}
	for _, v := range ValuesOf(last.Flag) {
		if last.inline {
			name, _, _ := strings.Cut(last.text, "=")
			v = name + "=" + v
		}
		values = append(values, v)
	}
	return values, true
}

// ValuesOf returns the values of a flag that a shell offers, none where any is taken.
func ValuesOf(flag cli.Flag) []string {
	if c, ok := flag.(*checked); ok {
		return c.values
	}
	return nil
}
