package command

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"replay/engine/spelling"
)

// A checked flag refuses values before anything is done, so that of two wrong flags the one that stands first is reported.
type checked struct {
	describedFlag
	check // whose error says what is wanted: "want 1 or more"
}

// A checkedList is a checked flag that may be given several times. The library must see its type, or it takes one value with commas in it for several.
type checkedList struct {
	*cli.StringSliceFlag
	check
}

// check says what is wrong with a value.
type check func(value string) error

// describedFlag is what the library's help, completion and man page want of a flag.
type describedFlag interface {
	cli.DocGenerationFlag
	cli.CategorizableFlag
}

// words are the words of a command, apart.
type words struct {
	commands  []string // names, from the outermost
	command   *cli.Command
	flags     []flagWord // in the order in which they stand
	arguments []string
	help      bool
}

// flagWord is a flag as it stands, with its value, which is missing at the end of the line.
type flagWord struct {
	text, name, value string
	flag              cli.Flag // nil for one that is not known
	inline, missing   bool
}

// split takes the words apart that follow the program's name, or with a command those that follow its name. "--" ends the flags.
func split(commands []*cli.Command, flags []cli.Flag, rest []string) (w words) {
	for len(rest) > 0 {
		c := findCommand(commands, rest[0])
		if c == nil {
			break
		}
		w.commands, w.command = append(w.commands, rest[0]), c
		rest = rest[1:]
		commands, flags = c.Subcommands, c.Flags
	}
	for i := 0; i < len(rest); i++ {
		arg := rest[i]
		if arg == "--" {
			w.arguments = append(w.arguments, rest[i:]...)
			break
		}
		if len(arg) < 2 || arg[0] != '-' {
			w.arguments = append(w.arguments, arg)
			continue
		}
		f := flagWord{text: arg}
		f.name, f.value, f.inline = strings.Cut(strings.TrimLeft(arg, "-"), "=")
		f.flag = findFlag(flags, f.name)
		w.help = w.help || f.name == "help" || f.name == "h"
		if d, ok := f.flag.(cli.DocGenerationFlag); ok && d.TakesValue() && !f.inline {
			if i++; i < len(rest) {
				f.value = rest[i]
			} else {
				f.missing = true
			}
		}
		w.flags = append(w.flags, f)
	}
	return w
}

// ordered returns the words with the flags before the arguments, because the library takes a flag after an argument as one
// more argument. With --help nothing else counts: the library would look for a command of an argument's name.
func (w *words) ordered() []string {
	out := slices.Clone(w.commands)
	if w.help {
		return append(out, "--help")
	}
	for _, f := range w.flags {
		out = append(out, f.words()...)
	}
	return append(out, w.arguments...)
}

// without returns the flags as they stood but those with some names.
func (w *words) without(names []string) (out []string) {
	for i := range w.flags {
		if f := &w.flags[i]; !slices.Contains(names, f.name) {
			out = append(out, f.words()...)
		}
	}
	return out
}

// words returns the flag as it stood.
func (f *flagWord) words() []string {
	if d, ok := f.flag.(cli.DocGenerationFlag); ok && d.TakesValue() && !f.inline && !f.missing {
		return []string{f.text, f.value}
	}
	return []string{f.text}
}

// wrong returns the error of the first flag that is wrong. where is the command whose help has the flags.
func (w *words) wrong(flags []cli.Flag, where string) error {
	if w.help {
		return nil
	}
	for i := range w.flags {
		f := &w.flags[i]
		switch {
		case f.flag == nil:
			return usagef("unknown flag --%s%s (see %s --help)", f.name, meant("--", f.name, flagNames(flags)), where)
		case f.missing:
			return usagef("--%s wants a value", f.name)
		}
		err := f.check()
		var whole *codedError
		if errors.As(err, &whole) {
			return err // of a variant, which says its place itself
		}
		if err != nil {
			return usagef("--%s is %q, %w", f.name, f.value, err)
		}
	}
	return nil
}

// check says what is wanted instead of the flag's value.
func (f *flagWord) check() (err error) {
	want := ""
	flag := f.flag
	var check check
	switch c := flag.(type) {
	case *checked:
		flag, check = c.describedFlag, c.check
	case *checkedList:
		flag, check = c.StringSliceFlag, c.check
	}
	switch flag.(type) {
	case *cli.Uint64Flag:
		_, err = strconv.ParseUint(f.value, 0, 64)
		want = "a whole number, 0 or more"
	case *cli.IntFlag, *cli.Int64Flag:
		_, err = strconv.ParseInt(f.value, 0, 64)
		want = "a whole number"
	case *cli.Float64Flag:
		_, err = strconv.ParseFloat(f.value, 64)
		want = "a number"
	case *cli.BoolFlag:
		if f.inline {
			_, err = strconv.ParseBool(f.value)
		}
		want = "true or false, or no value"
	}
	if err != nil {
		return fmt.Errorf("want %s", want)
	}
	if check != nil {
		return check(f.value)
	}
	return nil
}

func findCommand(commands []*cli.Command, name string) *cli.Command {
	for _, c := range commands {
		if c.HasName(name) {
			return c
		}
	}
	return nil
}

// findFlag returns the flag called name, one of the library's own included; nil without.
func findFlag(flags []cli.Flag, name string) cli.Flag {
	for _, f := range append(slices.Clone(flags), cli.HelpFlag, cli.VersionFlag, cli.BashCompletionFlag) {
		if slices.Contains(f.Names(), name) {
			return f
		}
	}
	return nil
}

func flagNames(flags []cli.Flag) (names []string) {
	for _, f := range flags {
		names = append(names, f.Names()[0])
	}
	return names
}

// meant asks whether one of the known names was meant, where one is near.
func meant(dashes, name string, known []string) string {
	near := spelling.Nearest(name, known, 1)
	if len(near) == 0 || !spelling.Near(name, near[0]) {
		return ""
	}
	return fmt.Sprintf("; is %s%s meant?", dashes, near[0])
}
