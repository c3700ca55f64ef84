package cmdline

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"replay/duration"
	"replay/engine/spelling"
)

// A checked flag refuses values before anything is done, so that of two wrong flags the one that stands first is reported.
type checked struct {
	describedFlag
	check   // whose error says what is wanted: "want 1 or more"
	percent bool
	mib     bool     // an amount of memory, which may have a unit
	flags   bool     // the value may be a word that is a flag
	values  []string // that a shell offers
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

// Words are the words of a command, apart.
type Words struct {
	Commands  []string // names, from the outermost
	Command   *cli.Command
	Flags     []FlagWord // in the order in which they stand
	Arguments []string
	Help      bool
}

// FlagWord is a flag as it stands, with its value, which is missing at the end of the line.
type FlagWord struct {
	text            string
	Name, Value     string
	Flag            cli.Flag // nil for one that is not known
	inline, missing bool
}

// Split takes the words apart that follow the program's name, or with a command those that follow its name. "--" ends the flags.
func Split(commands []*cli.Command, flags []cli.Flag, rest []string) (w Words) {
	for len(rest) > 0 {
		c := findCommand(commands, rest[0])
		if c == nil {
			break
		}
		w.Commands, w.Command = append(w.Commands, rest[0]), c
		rest = rest[1:]
		commands, flags = c.Subcommands, c.Flags
	}
	for i := 0; i < len(rest); i++ {
		arg := rest[i]
		if arg == "--" {
			w.Arguments = append(w.Arguments, rest[i:]...)
			break
		}
		if len(arg) < 2 || arg[0] != '-' {
			w.Arguments = append(w.Arguments, arg)
			continue
		}
		f := FlagWord{text: arg}
		f.Name, f.Value, f.inline = strings.Cut(strings.TrimLeft(arg, "-"), "=")
		f.Flag = FindFlag(flags, f.Name)
		w.Help = w.Help || f.Name == "help" || f.Name == "h"
		if d, ok := f.Flag.(cli.DocGenerationFlag); ok && d.TakesValue() && !f.inline {
			if i++; i < len(rest) {
				f.Value = rest[i]
			} else {
				f.missing = true
			}
		}
		w.Flags = append(w.Flags, f)
	}
	return w
}

// Ordered returns the words as the library wants them: the flags before the arguments, because it takes a flag after an argument as one
// more argument, and numbers in a form that it reads as people do. With --help nothing else counts: the library would look for a command of an argument's name.
func (w *Words) Ordered() []string {
	out := slices.Clone(w.Commands)
	if w.Help {
		return append(out, "--help")
	}
	for i := range w.Flags {
		out = append(out, w.Flags[i].with(w.Flags[i].value())...)
	}
	return append(out, w.Arguments...)
}

// Without returns the flags as they stood but those with some names.
func (w *Words) Without(names []string) (out []string) {
	for i := range w.Flags {
		if f := &w.Flags[i]; !slices.Contains(names, f.Name) {
			out = append(out, f.Words()...)
		}
	}
	return out
}

// Words returns the flag as it stood.
func (f *FlagWord) Words() []string { return f.with(f.Value) }

// with returns the flag with a value.
func (f *FlagWord) with(value string) []string {
	if f.inline {
		name, _, _ := strings.Cut(f.text, "=")
		return []string{name + "=" + value}
	}
	if d, ok := f.Flag.(cli.DocGenerationFlag); ok && d.TakesValue() && !f.missing {
		return []string{f.text, value}
	}
	return []string{f.text}
}

// Wrong returns the error of the first flag that is wrong. where is the command whose help has the flags.
func (w *Words) Wrong(flags []cli.Flag, where string) error {
	if w.Help {
		return nil
	}
	for i := range w.Flags {
		f := &w.Flags[i]
		switch {
		case f.Flag == nil:
			return Usagef("unknown flag %s%s (see %s --help)", f.dashed(), Meant("--", f.Name, flagNames(flags)), where)
		case f.missing:
			return Usagef("%s wants a value", f.dashed())
		}
		if f.takes(flags) {
			return Usagef("%s wants a value, and %s is a flag: %[1]s=%[2]s where it is the value", f.dashed(), f.Value)
		}
		err := f.check()
		var whole *CodedError
		if errors.As(err, &whole) {
			return err // of a variant, which says its place itself
		}
		if err != nil {
			return Usagef("%s is %q, %w", f.dashed(), f.Value, err)
		}
	}
	return nil
}

// dashed is the name as it is written: one dash before a letter or digit, two before a word.
func (f *FlagWord) dashed() string {
	if len(f.Name) == 1 {
		return "-" + f.Name
	}
	return "--" + f.Name
}

// kind is the flag without what it refuses, and that.
func (f *FlagWord) kind() (cli.Flag, check) {
	switch c := f.Flag.(type) {
	case *checked:
		return c.describedFlag, c.check
	case *checkedList:
		return c.StringSliceFlag, c.check
	}
	return f.Flag, nil
}

// takes reports whether the value is another flag, which stands where somebody left out a text.
func (f *FlagWord) takes(flags []cli.Flag) bool {
	if c, ok := f.Flag.(*checked); ok && c.flags || f.inline || len(f.Value) < 2 || f.Value[0] != '-' {
		return false
	}
	flag, _ := f.kind()
	name, _, _ := strings.Cut(strings.TrimLeft(f.Value, "-"), "=")
	_, text := flag.(*cli.StringFlag)
	return text && FindFlag(flags, name) != nil
}

// value is the flag's value for the library, which takes 010 for eight and knows no percent and no days.
func (f *FlagWord) value() string {
	if c, ok := f.Flag.(*checked); ok && c.percent {
		return strings.TrimSpace(strings.TrimSuffix(f.Value, "%"))
	}
	if c, ok := f.Flag.(*checked); ok && c.mib {
		if n, err := mebibytes(f.Value); err == nil {
			return strconv.FormatInt(n, 10)
		}
	}
	switch flag, _ := f.kind(); flag.(type) {
	case *cli.Uint64Flag:
		if n, err := strconv.ParseUint(f.Value, 10, 64); err == nil {
			return strconv.FormatUint(n, 10)
		}
	case *cli.IntFlag, *cli.Int64Flag:
		if n, err := whole(f.Value); err == nil {
			return strconv.FormatInt(n, 10)
		}
	case *cli.DurationFlag:
		if d, err := duration.Parse(f.Value); err == nil {
			return d.String()
		}
	}
	return f.Value
}

// check says what is wanted instead of the flag's value.
func (f *FlagWord) check() (err error) {
	flag, check := f.kind()
	value := f.value()
	switch flag.(type) {
	case *cli.Uint64Flag:
		if err = unsigned(value); err == nil {
			_, err = strconv.ParseUint(value, 10, 64)
			err = wanted(err, "a whole number, 0 or more")
		}
	case *cli.IntFlag, *cli.Int64Flag:
		if _, err = whole(value); err != nil {
			if c, ok := f.Flag.(*checked); ok && c.mib {
				_, err = mebibytes(f.Value)
			}
		}
	case *cli.Float64Flag:
		if err = unsigned(value); err == nil && check == nil {
			_, err = real(value)
		}
	case *cli.DurationFlag:
		_, err = ParseTime(f.Value)
	case *cli.BoolFlag:
		if f.inline {
			_, err = strconv.ParseBool(value)
			err = wanted(err, "true or false, or no value")
		}
	}
	if err == nil && check != nil {
		err = check(value)
	}
	if _, text := flag.(*cli.StringFlag); err == nil && text && value == "" { // of a variable that is not set
		err = errors.New("want a value; without the flag there is none")
	}
	return err
}

// wanted says what was wanted where there is an error.
func wanted(err error, what string) error {
	if err == nil {
		return nil
	}
	return errors.New("want " + what)
}

func findCommand(commands []*cli.Command, name string) *cli.Command {
	for _, c := range commands {
		if c.HasName(name) {
			return c
		}
	}
	return nil
}

// FindFlag returns the flag called name, one of the library's own included; nil without.
func FindFlag(flags []cli.Flag, name string) cli.Flag {
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

// Meant asks whether one of the known names was meant, where one begins so, and no other, or one is near.
func Meant(dashes, name string, known []string) string {
	const beginning = 3 // letters: one of fewer is rather a misspelling
	begun := slices.DeleteFunc(slices.Clone(known), func(k string) bool { return !strings.HasPrefix(k, name) || len(name) < beginning })
	near := spelling.Nearest(name, known, 1)
	switch {
	case len(begun) == 1:
		near = begun
	case len(near) == 0 || !spelling.Near(name, near[0]):
		return ""
	}
	return fmt.Sprintf("; is %s%s meant?", dashes, near[0])
}
