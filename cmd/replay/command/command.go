// Package command is the program replay: its commands, flags, exit codes and progress. A program of one's own that
// calls [Main] is this program with further policies; docs/policies.md has an example.
package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"replay/engine"
	"replay/engine/scenario"
	"replay/policy"
	"replay/shown"
)

// Exit codes, as documented in the README.
const (
	exitDone     = 0
	exitFailed   = 1 // the check failed: a difference, an invalid trace, a regression, jobs that should have succeeded
	exitUsage    = 2
	exitBadInput = 3
	exitInternal = 4   // a fault of the program
	exitStopped  = 130 // interrupted, as shells say it
)

// program is what the commands have in common.
type program struct {
	policies *policy.Tables // that can be named beside those of package policy
	commands []func(*program) *cli.Command
	files    *inputFiles
	words    words
	traces   []string // names of those that are replayed
	more     []string // words that follow those of a result that is made again, with changes
	origin   *origin  // nil unless the command makes a result again
	gate     *gateRun // nil unless the comparison is a gate's
	listener listener // nil unless another command replays by this one
}

// commands are the verbs of the program, one file each.
var commands = []func(*program) *cli.Command{
	runCommand,
	compareCommand,
	gateCommand,
	planCommand,
	sweepCommand,
	diffCommand,
	explainCommand,
	whatifCommand,
	importCommand,
	genCommand,
	traceCommand,
	reportCommand,
	figuresCommand,
	conformCommand,
	backtestCommand,
	benchCommand,
	versionCommand,
	completionCommand,
	manCommand,
}

// Run is [Main] without the process. The first of args is the name of the program. Flags may stand before and after
// arguments. When ctx ends nothing is left behind.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer, policies policy.Tables) int {
	stderr = &messages{shown.Writer{Out: stderr}}
	if err := policies.Check(); err != nil {
		fmt.Fprintf(stderr, "replay: %v\n", err)
		return exitUsage
	}
	p := &program{policies: &policies, commands: commands, files: newInputFiles()}
	out := &output{Writer: &shown.Writer{Out: stdout}}
	err := p.run(ctx, args, out, stderr)
	if err == nil {
		err = out.err
	}
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
	var internal *engine.InternalError
	switch {
	case errors.As(err, &coded):
		code = coded.code
	case errors.As(err, &option):
		code = exitUsage
	case errors.As(err, &internal):
		code = exitInternal
		err = errors.New(p.toSend(args, err, internal))
	}
	if text := err.Error(); text != "" {
		fmt.Fprintf(stderr, "replay: %s\n", text)
	}
	return code
}

// run runs a command; the first of args is the name of the program.
func (p *program) run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	app := p.app(stdout, stderr)
	if len(args) == 0 {
		return app.RunContext(ctx, args)
	}
	if args[len(args)-1] == "--"+cli.BashCompletionFlag.Names()[0] {
		return app.RunContext(ctx, args) // a line that is not finished
	}
	p.words = split(app.Commands, app.Flags, args[1:])
	flags, where := app.Flags, "replay"
	if p.words.command != nil {
		flags, where = p.words.command.Flags, "replay "+strings.Join(p.words.commands, " ")
	}
	if err := p.words.wrong(flags, where); err != nil {
		return err
	}
	if w := p.words.arguments; len(w) > 1 && p.words.command == nil && (w[0] == "help" || w[0] == "h") { // as the command's --help
		return app.RunContext(ctx, append(append(args[:1:1], w[1:]...), "--help"))
	}
	return app.RunContext(ctx, append(args[:1:1], p.words.ordered()...))
}

// app is the program for the library.
func (p *program) app(stdout, stderr io.Writer) *cli.App {
	app := &cli.App{
		Name:                      "replay",
		Usage:                     "replay traces of Spark-on-YARN clusters under swappable policies",
		Writer:                    stdout,
		ErrWriter:                 stderr,
		Version:                   version,
		DisableSliceFlagSeparator: true,
		EnableBashCompletion:      true,
		ExitErrHandler:            func(*cli.Context, error) {},
	}
	app.Action = func(c *cli.Context) error {
		if name := c.Args().First(); name != "" {
			return usagef("unknown command %q%s (see replay --help)", name, meant("", name, commandNames(app.Commands)))
		}
		return cli.ShowAppHelp(c)
	}
	for _, c := range p.commands {
		app.Commands = append(app.Commands, c(p))
	}
	prepare(app.Commands, "replay")
	return app
}

func commandNames(commands []*cli.Command) (names []string) {
	for _, c := range commands {
		names = append(names, c.Name)
	}
	return names
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

// quietFlag is the flag of every command.
func quietFlag() cli.Flag {
	return &cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "print results and errors only"}
}

// prepare sets on every command what the library wants on each, and what all have.
func prepare(commands []*cli.Command, parent string) {
	for _, c := range commands {
		c.HideHelpCommand = true
		name := parent + " " + c.Name
		if len(c.Subcommands) > 0 && c.Action == nil {
			c.Action = func(ctx *cli.Context) error {
				if word := ctx.Args().First(); word != "" {
					return usagef("unknown command %q%s (see %s --help)", word, meant("", word, commandNames(c.Subcommands)), name)
				}
				return cli.ShowSubcommandHelp(ctx)
			}
		} else if findFlag(c.Flags, "quiet") == nil {
			c.Flags = append(c.Flags, quietFlag())
		}
		prepare(c.Subcommands, name)
	}
}
