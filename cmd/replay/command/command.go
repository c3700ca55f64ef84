// Package command is the program replay: its commands, flags, exit codes and progress. A program of one's own that
// calls [Main] is this program with further policies; docs/policies.md has an example.
package command

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"

	"github.com/urfave/cli/v2"

	"replay/cmd/replay/cmdline"
	"replay/cmd/replay/resultcmd"
	"replay/cmd/replay/selfcmd"
	"replay/cmd/replay/settings"
	"replay/cmd/replay/tracecmd"
	"replay/engine"
	"replay/engine/scenario"
	"replay/outdir"
	"replay/policy"
	"replay/shown"
)

// program is what the commands have in common.
type program struct {
	settings    *settings.Reader
	commands    []func(*program) *cli.Command
	words       cmdline.Words
	traces      []string    // names of those that are replayed
	more        []string    // words that follow those of a result that is made again, with changes
	origin      *origin     // nil unless the command makes a result again
	gate        *gateRun    // nil unless the comparison is a gate's
	checkpoints checkpoints // of the replay
	listener    listener    // nil unless another command replays by this one
}

// commands are the verbs of the program, one file each.
var commands = []func(*program) *cli.Command{
	runCommand,
	compareCommand,
	gateCommand,
	planCommand,
	sweepCommand,
	tuneCommand,
	diffCommand,
	explainCommand,
	whatifCommand,
	alone(tracecmd.Import),
	alone(tracecmd.Gen),
	alone(tracecmd.Record),
	alone(tracecmd.Trace),
	alone(resultcmd.Report),
	alone(resultcmd.Figures),
	alone(selfcmd.Conform),
	backtestCommand,
	benchCommand,
	alone(selfcmd.VersionCommand),
	alone(selfcmd.Completion),
	alone(selfcmd.Man),
}

// alone is a command that needs nothing of the program.
func alone(command func() *cli.Command) func(*program) *cli.Command {
	return func(*program) *cli.Command { return command() }
}

// Run is [Main] without the process. The first of args is the name of the program. Flags may stand before and after
// arguments. When ctx ends nothing is left behind.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer, policies policy.Tables) int {
	stderr = &cmdline.Messages{Writer: shown.Writer{Out: stderr}}
	if err := policies.Check(); err != nil {
		fmt.Fprintf(stderr, "replay: %v\n", err)
		return cmdline.ExitUsage
	}
	p := &program{settings: settings.New(&policies), commands: commands}
	out := &cmdline.Output{Writer: &shown.Writer{Out: stdout}}
	err := p.run(ctx, args, out, stderr)
	if err == nil {
		err = out.Err
	}
	if err == nil {
		return cmdline.ExitDone
	}
	if ctx.Err() != nil {
		fmt.Fprintln(stderr, "replay: interrupted")
		return cmdline.ExitStopped
	}
	code := cmdline.ExitBadInput
	var coded *cmdline.CodedError
	var option *scenario.OptionError
	var internal *engine.InternalError
	switch {
	case errors.As(err, &coded):
		code = coded.Code
	case errors.As(err, &option):
		code = cmdline.ExitUsage
	case errors.As(err, &internal):
		code = cmdline.ExitInternal
		err = errors.New(p.toSend(args, err, internal))
	}
	if text := p.words.Said(err); text != "" {
		fmt.Fprintf(stderr, "replay: %s\n", outdir.Said(text))
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
		return complete(ctx, app, args) // a line that is not finished
	}
	p.words = cmdline.Split(app.Commands, app.Flags, args[1:])
	flags, where := app.Flags, "replay"
	if p.words.Command != nil {
		flags, where = p.words.Command.Flags, "replay "+strings.Join(p.words.Commands, " ")
	}
	if w := p.words.Arguments; p.words.Command == nil && !p.words.Help && len(w) > 0 && w[0] == args[1] && w[0] != "help" && w[0] != "h" {
		return unknownCommand(app, w[0]) // before its flags, which are some command's
	}
	if err := p.words.Wrong(flags, where); err != nil {
		return err
	}
	if w := p.words.Arguments; len(w) > 1 && p.words.Command == nil && (w[0] == "help" || w[0] == "h") { // as the command's --help
		names := w[1:]
		if of := cmdline.Split(app.Commands, app.Flags, names); of.Command != nil && len(of.Command.Subcommands) == 0 {
			names = of.Commands // such as without the format in "help import csv"
		}
		return app.RunContext(ctx, append(append(args[:1:1], names...), "--help"))
	}
	return app.RunContext(ctx, append(args[:1:1], p.words.Ordered()...))
}

// complete offers what may come next in a line that is not finished; the library knows commands and the names of flags.
func complete(ctx context.Context, app *cli.App, args []string) error {
	words := cmdline.Split(app.Commands, app.Flags, args[1:len(args)-1])
	values, ok := words.Values(args[len(args)-2])
	if !ok {
		return app.RunContext(ctx, args)
	}
	for _, v := range values {
		fmt.Fprintln(app.Writer, v)
	}
	return nil
}

// app is the program for the library.
func (p *program) app(stdout, stderr io.Writer) *cli.App {
	app := &cli.App{
		Name:                      "replay",
		Usage:                     "replay traces of Spark-on-YARN clusters under swappable policies",
		Writer:                    stdout,
		ErrWriter:                 stderr,
		Version:                   selfcmd.Version,
		DisableSliceFlagSeparator: true,
		EnableBashCompletion:      true,
		ExitErrHandler:            func(*cli.Context, error) {},
	}
	app.Action = func(c *cli.Context) error {
		if name := c.Args().First(); name != "" {
			return unknownCommand(app, name)
		}
		return cli.ShowAppHelp(c)
	}
	for _, c := range p.commands {
		app.Commands = append(app.Commands, c(p))
	}
	prepare(app.Commands, "replay")
	return app
}

// unknownCommand is the error of a first word that is no command: a path tells which command takes it.
func unknownCommand(app *cli.App, word string) error {
	return cmdline.Usagef("unknown command %q%s (see replay --help)", word, cmp.Or(cmdline.Takes(word), cmdline.Meant("", word, commandNames(app.Commands))))
}

func commandNames(commands []*cli.Command) (names []string) {
	for _, c := range commands {
		names = append(names, c.Name)
	}
	return names
}

// prepare sets on every command what the library wants on each, and what all have.
func prepare(commands []*cli.Command, parent string) {
	for _, c := range commands {
		c.HideHelpCommand = true
		name, does := parent+" "+c.Name, c.Action != nil || len(c.Subcommands) == 0
		if len(c.Subcommands) > 0 && c.Action == nil {
			c.Action = func(ctx *cli.Context) error {
				if word := ctx.Args().First(); word != "" {
					return cmdline.Usagef("unknown command %q%s (see %s --help)", word, cmdline.Meant("", word, commandNames(c.Subcommands)), name)
				}
				return cli.ShowSubcommandHelp(ctx)
			}
		} else if cmdline.FindFlag(c.Flags, "quiet") == nil {
			c.Flags = append(c.Flags, cmdline.QuietFlag())
		}
		if does {
			c.Flags = append(c.Flags, cmdline.ColorFlag())
		}
		if action := c.Action; action != nil {
			c.Action = func(ctx *cli.Context) error {
				cmdline.Colour(ctx)
				return action(ctx)
			}
		}
		prepare(c.Subcommands, name)
	}
}

// toSend says of a fault of the program what somebody needs to see it again. Texts of configuration are not in it, only their hashes.
func (p *program) toSend(args []string, err error, e *engine.InternalError) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v\nThis is a fault of the program, or of a policy that was added to it. To have it mended, send these lines, the trace and the configuration:\n", err)
	line := func(name, format string, values ...any) {
		fmt.Fprintf(&b, "  %-9s"+format+"\n", append([]any{name}, values...)...)
	}
	line("program", "%s, %s %s/%s", selfcmd.Built(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	line("command", "replay %s", quoted(args[1:]))
	line("trace", "sha256 %s", e.TraceHash)
	files, _ := json.Marshal(p.settings.Files.Made(nil)) // strings and maps of strings
	sum := sha256.Sum256(files)
	line("files", "sha256 %s", hex.EncodeToString(sum[:]))
	line("replay", "scheduler %s, engine %s, seed %d", e.Scheduler, e.Engine, e.Seed)
	line("event", "%d at %d ms, %s", e.Number, e.AtMS, e.Event)
	if e.Stack != "" {
		b.WriteString(e.Stack)
	}
	return strings.TrimRight(b.String(), "\n")
}

// quoted joins words so that a shell takes them apart again.
func quoted(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		if w == "" || strings.ContainsAny(w, " \t\n'\"\\$`;&|<>*?()#~[]{}!") {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		out[i] = w
	}
	return strings.Join(out, " ")
}
