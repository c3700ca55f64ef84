package command

import (
	"strings"

	"github.com/urfave/cli/v2"
)

// flagsFirst moves the flags of the command that args names before its arguments, because the
// library takes a flag after an argument as one more argument. "--" ends the flags. With --help nothing else counts.
func flagsFirst(app *cli.App, args []string) []string {
	if len(args) == 0 {
		return args
	}
	out := []string{args[0]}
	rest := args[1:]
	commands, flags := app.Commands, app.Flags
	for len(rest) > 0 {
		c := findCommand(commands, rest[0])
		if c == nil {
			break
		}
		out = append(out, rest[0])
		rest = rest[1:]
		commands, flags = c.Subcommands, c.Flags
	}
	var moved, kept []string
	help, lacksValue := false, false
	for i := 0; i < len(rest); i++ {
		arg := rest[i]
		if arg == "--" {
			kept = append(kept, rest[i:]...)
			break
		}
		if len(arg) < 2 || arg[0] != '-' {
			kept = append(kept, arg)
			continue
		}
		moved = append(moved, arg)
		name, _, inline := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		help = help || name == "help" || name == "h"
		if !inline && takesValue(flags, name) {
			if i++; i < len(rest) {
				moved = append(moved, rest[i])
			} else {
				lacksValue = true
			}
		}
	}
	if help { // the library would look for a command of the argument's name
		return append(out, "--help")
	}
	if lacksValue { // an argument must not become the value
		return append(out, moved...)
	}
	return append(append(out, moved...), kept...)
}

func findCommand(commands []*cli.Command, name string) *cli.Command {
	for _, c := range commands {
		if c.HasName(name) {
			return c
		}
	}
	return nil
}

// takesValue reports whether the flag called name is followed by a value. An unknown flag does not
// matter: the library refuses it.
func takesValue(flags []cli.Flag, name string) bool {
	for _, f := range flags {
		for _, n := range f.Names() {
			if n == name {
				d, ok := f.(cli.DocGenerationFlag)
				return ok && d.TakesValue()
			}
		}
	}
	return false
}
