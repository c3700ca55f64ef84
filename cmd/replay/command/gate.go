package command

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"replay/cmd/replay/cmdline"

	"github.com/urfave/cli/v2"

	"replay/input"
	"replay/outdir"
	"replay/report/ci"
	"replay/report/compare"
	"replay/report/gate"
	"replay/report/inference"
	"replay/report/target"
	"replay/shown"
)

// gateRun is the gate for which a comparison is made.
type gateRun struct {
	gate.Gate
	c       *cli.Context // of the gate's own command
	verdict *gate.Verdict
}

func gateCommand(p *program) *cli.Command {
	return &cli.Command{
		Name:      "gate",
		Usage:     "replay a trace under the configuration that is there and the one to come; pass or fail, for pull requests",
		ArgsUsage: "TRACE...",
		Description: `Examples:
   replay gate lastweek --base conf-main --head conf-branch
   replay gate lastweek --base conf-main --head conf-branch --fail-if 'p95(wait, queue=etl) > +5%' --slo slo.txt
   replay gate lastweek --base '--fair-scheduler old.xml' --head '--fair-scheduler new.xml' --github --markdown gate.md

A condition is a value of a replay, or a statistic (mean, p50, p90, p95, p99, max) of wait, duration, slowdown, container_wait
or task_wait, for all jobs or those of one queue or size; and a limit: of the value, or with a sign of its change. The gate
fails where a condition is broken beyond chance, or where jobs no longer finish. Without conditions it fails where a headline metric is
worse. Exit code 1: it failed.`,
		Flags: append(append(p.settings.Flags(), cmdline.ProgressFlags()...),
			cmdline.MayBeFlags(&cli.StringFlag{Name: "base", Usage: "the configuration that is there: a `FOLDER` as of --config-dir, flags of run in quotes, or -- for that of the trace"}),
			cmdline.MayBeFlags(&cli.StringFlag{Name: "head", Usage: "the one to come: a `FOLDER` as of --config-dir, flags of run in quotes, or -- for that of the trace"}),
			cmdline.With(&cli.StringSliceFlag{Name: "fail-if", Usage: "fail where `CONDITION` holds, such as 'p95(wait, queue=etl) > +5%' (repeatable)"}, aCondition),
			cmdline.With(&cli.StringSliceFlag{Name: "hold", Usage: "fail where `CONDITION` does not hold, such as 'p95(wait) < 30s' (repeatable)"}, aCondition),
			&cli.StringFlag{Name: "slo", Usage: "conditions that must hold, one a line of `FILE`; # begins a comment"},
			cmdline.With(&cli.IntFlag{Name: "seeds", Usage: "replay both with `K` seeds", DefaultText: "as many as the conditions take; 1 for each of several traces"}, cmdline.From1To(10_000)),
			cmdline.With(&cli.IntFlag{Name: "max-seeds", Usage: "take `N` seeds at most", Value: inference.Limit}, cmdline.FromTo(inference.Fewest, 10_000)),
			cmdline.Percent(&cli.Float64Flag{Name: "precision", Usage: "know a value that has a limit to within `PERCENT` of it, and without conditions every headline metric", Value: 100 * compare.DefaultPrecision}, cmdline.Positive),
			cmdline.Percent(&cli.Float64Flag{Name: "margin", Usage: "without conditions: a headline metric may be worse by `PERCENT`", Value: 100 * compare.DefaultMargin}, cmdline.NotNegative),
			&cli.StringFlag{Name: "traces", Usage: "replay all traces of `WHERE`: a folder of them, a pattern in quotes, or a file with one a line"},
			cmdline.With(&cli.IntFlag{Name: "jobs", Aliases: []string{"j"}, Usage: "how many replays run at once", DefaultText: "all cores"}, cmdline.From1To(10_000)),
			&cli.StringFlag{Name: "out", Usage: "`DIR`ectory for the comparison of the two, with its page"},
			&cli.StringFlag{Name: "junit", Usage: "write the verdict to `FILE` as JUnit's XML"},
			&cli.StringFlag{Name: "markdown", Usage: "write the verdict to `FILE` for a comment, as Markdown"},
			&cli.BoolFlag{Name: "github", Usage: "print annotations for a workflow of GitHub"},
			&cli.BoolFlag{Name: "json", Usage: "print the verdict as JSON"},
		),
		Action: p.orNoVerdict("replay gate", p.runGate),
	}
}

// ofGate are the flags of gate that say nothing of its replays.
var ofGate = []string{"base", "head", "fail-if", "hold", "slo", "junit", "markdown", "github", "json"}

// asTraced stands for no folder and no flags.
const asTraced = "--"

// sideForms are the forms of a side.
const sideForms = "a folder of configuration files, flags in quotes such as '--fair-scheduler new.xml', or -- for the configuration that the trace has"

// runGate compares base and head, and judges the comparison.
func (p *program) runGate(c *cli.Context) error {
	if c.Bool("json") && c.Bool("github") {
		return cmdline.Usagef("--json and --github exclude each other: both are what is printed")
	}
	if err := checkFolders(c, "junit", "markdown"); err != nil {
		return err
	}
	g := &gateRun{c: c, Gate: gate.Gate{Precision: c.Float64("precision") / 100}}
	var err error
	if g.Conditions, err = conditions(c); err != nil {
		return err
	}
	args := append([]string{"replay", "compare"}, cmdline.Operands(c.Args().Slice())...)
	for _, side := range []string{"base", "head"} {
		text := c.String(side)
		switch info, err := os.Stat(text); {
		case !c.IsSet(side):
			return cmdline.Usagef("gate wants --%s, %s", side, sideForms)
		case text == asTraced:
			text = ""
		case strings.HasPrefix(text, "-"):
		case err != nil || !info.IsDir():
			return cmdline.Usagef("--%s is %q, want %s", side, text, sideForms)
		default:
			text = "--config-dir " + quoted([]string{text})
		}
		args = append(args, "--variant", side+": "+text)
	}
	args = append(args, p.words.Without(ofGate)...)
	next := &program{settings: p.settings, commands: p.commands, gate: g}
	return next.run(c.Context, args, c.App.Writer, c.App.ErrWriter)
}

// aCondition wants what target.Parse reads. What is wrong of a flag begins with its value, so this does not.
func aCondition(value string) error {
	_, err := target.Parse(value)
	if err != nil {
		err = errors.New(strings.TrimPrefix(err.Error(), fmt.Sprintf("%q: ", value)))
	}
	return err
}

// conditions reads those of the flags and of the file.
func conditions(c *cli.Context) (out []gate.Condition, err error) {
	add := func(text string, must bool) error {
		t, err := target.Parse(text)
		if err == nil {
			out = append(out, gate.Condition{Target: t, Must: must})
		}
		return err
	}
	for _, text := range c.StringSlice("fail-if") {
		if err := add(text, false); err != nil {
			return nil, err
		}
	}
	for _, text := range c.StringSlice("hold") {
		if err := add(text, true); err != nil {
			return nil, err
		}
	}
	file := c.String("slo")
	if file == "" {
		return out, nil
	}
	text, err := input.ReadText(file)
	if err != nil {
		return nil, err
	}
	before, n := len(out), 0
	for line := range strings.Lines(string(input.Unmarked(text))) {
		n++
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if err := add(line, true); err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", file, n, err)
		}
	}
	if len(out) == before {
		return nil, fmt.Errorf("%s: no condition in it, want one a line such as p95(wait, queue=etl) < 30s", file)
	}
	return out, nil
}

// judge finds the verdict, which the page of the comparison begins with.
func (g *gateRun) judge(cmp *compare.Comparison) (err error) {
	if g.verdict, err = g.Judge(cmp); err == nil {
		cmp.Front = g.verdict.Front()
	}
	return err
}

// say prints and writes the verdict. The error is that it failed.
func (g *gateRun) say(c *cli.Context) (err error) {
	v := g.verdict
	if g.c.Bool("json") {
		err = cmdline.WriteJSON(c.App.Writer, v.Answer())
	} else {
		err = shown.Whole(c.App.Writer, v.WriteText)
	}
	if err == nil {
		err = writeChecks(g.c, "replay gate", v.Checks(), v.WriteMarkdown)
	}
	if err == nil && v.Failed() {
		err = cmdline.FailedCheck()
	}
	return err
}

// checkFolders says before the work, and not after it, which file of a flag has no folder to be written to.
func checkFolders(c *cli.Context, flags ...string) error {
	for _, flag := range flags {
		if file := c.String(flag); file != "" {
			if info, err := os.Stat(filepath.Dir(file)); err != nil || !info.IsDir() {
				return fmt.Errorf("--%s: %s: there is no folder %s to write it to", flag, file, filepath.Dir(file))
			}
		}
	}
	return nil
}

// orNoVerdict is an action that has --github, --junit and --markdown say so where it ends with an error in place of a verdict: files of an earlier one must not
// pass for its own, and what is wrong with a configuration belongs where its author looks.
func (p *program) orNoVerdict(command string, action cli.ActionFunc) cli.ActionFunc {
	return func(c *cli.Context) error {
		err := action(c)
		var coded *cmdline.CodedError
		if err == nil || errors.As(err, &coded) && coded.Code == cmdline.ExitFailed || c.Context.Err() != nil {
			return err
		}
		check := ci.Check{Name: "no verdict", Level: ci.Error, Text: p.words.Said(err)}
		// The error leads, even where a file of these is what cannot be written.
		_ = writeChecks(c, command, []ci.Check{check}, func(w io.Writer) error {
			_, err := fmt.Fprintf(w, "❌ **No verdict:** %s\n", check.Text)
			return err
		})
		return err
	}
}

// writeChecks writes what --github, --junit and --markdown ask for.
func writeChecks(c *cli.Context, command string, checks []ci.Check, markdown func(io.Writer) error) error {
	if c.Bool("github") {
		if err := ci.WriteGitHub(c.App.Writer, command, checks); err != nil {
			return err
		}
	}
	for _, o := range []struct {
		flag  string
		write func(io.Writer) error
	}{{"junit", func(w io.Writer) error { return ci.WriteJUnit(w, command, checks) }}, {"markdown", markdown}} {
		if file := c.String(o.flag); file != "" {
			var b strings.Builder
			if err := o.write(&b); err != nil {
				return err
			}
			if err := outdir.WriteFile(file, []byte(b.String())); err != nil {
				return err
			}
		}
	}
	return nil
}
