// Package command is the program replay: its commands, flags, exit codes and progress. A program of one's own that
// calls [Main] is this program with further policies; docs/policies.md has an example.
package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"syscall"

	"github.com/urfave/cli/v2"

	"replay/engine/scenario"
	"replay/policy"
)

// Exit codes, as documented in the README.
const (
	exitDone     = 0
	exitFailed   = 1 // the check failed: a difference, an invalid trace, a regression, jobs that should have succeeded
	exitUsage    = 2
	exitBadInput = 3
	exitStopped  = 130 // interrupted, as shells say it
)

// program is what the commands have in common.
type program struct {
	policies *policy.Tables // that can be named beside those of package policy
}

// commands are the verbs of the program, one file each.
var commands = []func(*program) *cli.Command{
	runCommand,
	compareCommand,
	importCommand,
	genCommand,
	traceCommand,
	reportCommand,
	conformCommand,
	backtestCommand,
}

// Main runs the program with the process's arguments and returns its exit code. Policies can be named beside those of
// package policy, by flags, in configuration files and in traces; a name that is taken ends the program.
func Main(policies policy.Tables) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return Run(ctx, os.Args, os.Stdout, os.Stderr, policies)
}

// Run is [Main] without the process. The first of args is the name of the program. Flags may stand before and after
// arguments. When ctx ends nothing is left behind.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer, policies policy.Tables) int {
	if err := policies.Check(); err != nil {
		fmt.Fprintf(stderr, "replay: %v\n", err)
		return exitUsage
	}
	p := &program{policies: &policies}
	app := &cli.App{
		Name:                      "replay",
		Usage:                     "replay traces of Spark-on-YARN clusters under swappable policies",
		Writer:                    stdout,
		ErrWriter:                 stderr,
		Version:                   version,
		DisableSliceFlagSeparator: true,
		HideHelpCommand:           true,
		ExitErrHandler:            func(*cli.Context, error) {},
		OnUsageError:              usageError,
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return usagef("unknown command %q (see replay --help)", c.Args().First())
			}
			return cli.ShowAppHelp(c)
		},
	}
	for _, c := range commands {
		app.Commands = append(app.Commands, c(p))
	}
	prepare(app.Commands, "replay")
	err := app.RunContext(ctx, flagsFirst(app, args))
	if err == nil {
		return exitDone
	}
	if ctx.Err() != nil {
		fmt.Fprintln(stderr, "replay: interrupted")
		return exitStopped
	}
	code := exitBadInput
	var coded *codedError
	var option *scenario.OptionError
	switch {
	case errors.As(err, &coded):
		code = coded.code
	case errors.As(err, &option):
		code = exitUsage
	}
	if text := err.Error(); text != "" {
		fmt.Fprintf(stderr, "replay: %s\n", text)
	}
	return code
}

// codedError is an error that says which exit code it asks for. An error without one is bad input.
type codedError struct {
	code int
	err  error
}

func (e *codedError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *codedError) Unwrap() error { return e.err }

// usagef returns an error of wrong usage.
func usagef(format string, args ...any) error {
	return &codedError{exitUsage, fmt.Errorf(format, args...)}
}

// failedCheck is the error of a command whose check failed and which has already said why.
func failedCheck() error { return &codedError{code: exitFailed} }

// The texts of the standard library's flag package that name a flag.
var (
	unknownFlag = regexp.MustCompile(`^flag provided but not defined: -+(.*)$`)
	emptyFlag   = regexp.MustCompile(`^flag needs an argument: -+(.*)$`)
	wrongValue  = regexp.MustCompile(`^invalid (?:boolean )?value ("(?:[^"\\]|\\.)*") for (?:flag )?-+([^:]*):`)
)

// usageError says a wrong flag in the words of this program: the flag, its value, and what was wanted.
func usageError(c *cli.Context, err error, _ bool) error {
	text := err.Error()
	if m := unknownFlag.FindStringSubmatch(text); m != nil {
		where := "replay"
		if c != nil && c.Command != nil && c.Command.HelpName != "" {
			where = c.Command.HelpName
		}
		return usagef("unknown flag --%s (see %s --help)", m[1], where)
	}
	if m := emptyFlag.FindStringSubmatch(text); m != nil {
		return usagef("--%s wants a value", m[1])
	}
	if m := wrongValue.FindStringSubmatch(text); m != nil {
		want := "another value"
		if c != nil && c.Command != nil {
			want = wanted(c.Command.Flags, m[2])
		}
		return usagef("--%s is %s, want %s", m[2], m[1], want)
	}
	return &codedError{exitUsage, err}
}

// wanted says what values the flag called name takes.
func wanted(flags []cli.Flag, name string) string {
	for _, f := range flags {
		if !slices.Contains(f.Names(), name) {
			continue
		}
		switch f.(type) {
		case *cli.Uint64Flag:
			return "a whole number, 0 or more"
		case *cli.IntFlag, *cli.Int64Flag:
			return "a whole number"
		case *cli.Float64Flag:
			return "a number"
		case *cli.BoolFlag:
			return "true or false, or no value"
		}
	}
	return "another value"
}

// prepare sets on every command what the library wants on each.
func prepare(commands []*cli.Command, parent string) {
	for _, c := range commands {
		c.OnUsageError = usageError
		c.HideHelpCommand = true
		name := parent + " " + c.Name
		if len(c.Subcommands) > 0 && c.Action == nil {
			c.Action = func(ctx *cli.Context) error {
				if ctx.Args().Present() {
					return usagef("unknown command %q (see %s --help)", ctx.Args().First(), name)
				}
				return cli.ShowSubcommandHelp(ctx)
			}
		}
		prepare(c.Subcommands, name)
	}
}
