package command

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"replay/backtest"
	"replay/cmd/replay/cmdline"
	"replay/cmd/replay/tracecmd"
	"replay/outdir"
	"replay/report/prediction"
	"replay/trace/importer/workload"
)

func backtestCommand(p *program) *cli.Command {
	return &cli.Command{
		Name:      "backtest",
		Usage:     "replay recordings and set the predicted times beside the recorded ones",
		ArgsUsage: "LOG|FOLDER...",
		Description: `Takes event logs, folders of them, folders of recorded Spark-on-YARN clusters, and traces imported
from either. Examples:
   replay backtest logs/app-20260101000000-0000.zstd
   replay backtest traces/fair-weights --latency recorded --json`,
		Flags: append(append(append(comparedFlags(p.settings.Flags()), tracecmd.InputFlags()...), cmdline.ProgressFlags()...),
			&cli.StringFlag{Name: "allocation", Value: "recorded", Usage: "executors of event logs: recorded, or simulated by dynamic allocation"},
			&cli.StringFlag{Name: "latency", Value: "recorded", Usage: "launch latencies of clusters: recorded for each container, or those of the model"},
			&cli.StringFlag{Name: "out", Usage: "`DIR`ectory for backtest.json, tasks.parquet, the scatter plot and a page"},
			&cli.IntFlag{Name: "seeds", Value: 5, Usage: "replay with `K` seeds and take the median time"},
			&cli.BoolFlag{Name: "fit", Usage: "fit the model's parameters on these recordings, use and print them"},
			&cli.BoolFlag{Name: "leave-one-out", Usage: "also predict each recording with parameters fitted on the others"},
			&cli.StringFlag{Name: "save-model", Usage: "write the model, and how far it was off, to `FILE`: with --model-file run, compare and plan say so beside predicted times"},
			cmdline.FormatsFlag("svg,png"),
			&cli.StringFlag{Name: "details", Value: "1", Usage: "0: applications, 1: and the largest differences, 2: and every job and stage"},
			&cli.BoolFlag{Name: "allow-failures", Usage: "exit 0 even if applications do not succeed in the replay (without it: exit 1)"},
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
		),
		Action: p.backtest,
	}
}

// backtesting is a backtest that is asked for.
type backtesting struct {
	options backtest.Options
	details int      // of the text
	formats []string // of pictures
}

// backtestingOf reads the flags that are not about the input.
func (p *program) backtestingOf(c *cli.Context) (w backtesting, err error) {
	e, err := p.settings.Options(c, p.settings.Defaults())
	if err != nil {
		return w, err
	}
	w.options = backtest.Options{Engine: e, Allocation: c.String("allocation"), Latency: c.String("latency"), Seeds: c.Int("seeds"), Tasks: c.String("out") != ""}
	o := &w.options
	details, ok := map[string]int{"0": 0, "1": 1, "2": 2}[c.String("details")]
	switch {
	case o.Allocation != "recorded" && o.Allocation != "simulated":
		return w, cmdline.Usagef("--allocation is %q, want recorded or simulated", o.Allocation)
	case o.Latency != "recorded" && o.Latency != "model":
		return w, cmdline.Usagef("--latency is %q, want recorded or model", o.Latency)
	case !ok:
		return w, cmdline.Usagef("--details is %q, want 0, 1 or 2", c.String("details"))
	case o.Seeds < 1 || o.Seeds > 1000:
		return w, cmdline.Usagef("--seeds is %d, want 1 to 1000", o.Seeds)
	}
	w.details = details
	w.formats, err = cmdline.Formats(c, false)
	return w, err
}

func (p *program) backtest(c *cli.Context) error {
	if c.NArg() == 0 {
		return cmdline.Usagef("backtest wants event logs or folders, got none")
	}
	if slices.Contains(c.Args().Slice(), workload.Stdin) {
		return cmdline.Usagef("- is standard input, and backtest takes event logs and folders by their names, which its tables have: write it to a file first")
	}
	if err := tracecmd.CheckHere(c.Args().Slice()); err != nil {
		return err
	}
	w, err := p.backtestingOf(c)
	if err != nil {
		return err
	}
	scratch, err := outdir.Scratch("replay-backtest")
	if err != nil {
		return err
	}
	defer scratch.Abort()
	recs, inputs, err := recordingsOf(c, backtest.SourceOptions{Allocation: w.options.Allocation, Import: workload.DefaultOptions(), Tmp: scratch.Path("")})
	if err != nil {
		return err
	}
	if c.Bool("dry-run") && c.Bool("json") {
		return cmdline.WriteJSON(c.App.Writer, struct {
			Inputs []workload.Input `json:"inputs"`
		}{inputs})
	}
	if c.Bool("dry-run") {
		tracecmd.PrintInputs(c.App.Writer, inputs)
		return tracecmd.PrintNotUsed(c.App.Writer, inputs)
	}
	if c.Bool("leave-one-out") && len(recs) < 2 {
		return cmdline.Usagef("--leave-one-out wants two or more recordings, got %d", len(recs))
	}
	b, err := backtest.Run(c.Context, recs, w.options, c.Bool("fit"), c.Bool("leave-one-out"))
	if err != nil {
		return err
	}
	for i := range inputs {
		if in := &inputs[i]; in.LeftOut != "" {
			b.LeftOut = append(b.LeftOut, prediction.LeftOut{Path: in.Label, Application: in.Application, Reason: string(in.LeftOut), Why: in.Why})
		}
	}
	for _, text := range append(unused(c, recs), otherwise(c)) {
		if text != "" {
			b.Warnings = slices.Insert(b.Warnings, 0, text)
		}
	}
	printGrouped(c, b.Warnings, b.Chatter)
	if err := writeBacktest(c, b, w.formats); err != nil {
		return err
	}
	tracecmd.PrintLeftOut(c.App.ErrWriter, inputs)
	if err := errors.Join(printBacktest(c, b, w.details), tracecmd.PrintNotUsed(c.App.ErrWriter, inputs)); err != nil {
		return err
	}
	if n := b.Summary.Failed; n > 0 && !c.Bool("allow-failures") {
		return &cmdline.CodedError{Code: cmdline.ExitFailed, Err: fmt.Errorf("%s; --allow-failures makes this exit 0", prediction.FailedText(n, len(b.Applications)))}
	}
	return nil
}

// recordingsOf imports the recordings that the arguments name, and says what is to be said of them.
func recordingsOf(c *cli.Context, so backtest.SourceOptions) ([]*backtest.Recording, []workload.Input, error) {
	if err := tracecmd.ReadInputFlags(c, &so.Import); err != nil {
		return nil, nil, err
	}
	if so.Import.FromStart {
		return nil, nil, cmdline.Usagef("--from and --to choose recordings by the day on which they began, want days such as 2026-11-22T07:30:00Z, not times such as 2h")
	}
	var warnings []string
	so.Import.Warn = func(m string) { warnings = append(warnings, m) }
	recs, inputs, err := backtest.Sources(c.Context, c.Args().Slice(), so)
	printGrouped(c, warnings, nil)
	tracecmd.PrintNothing(c.App.ErrWriter, err)
	return recs, inputs, err
}

// writeBacktest writes the directory and the file that flags name.
func writeBacktest(c *cli.Context, b *prediction.Report, formats []string) error {
	if out := c.String("out"); out != "" {
		if err := b.WriteDir(out, formats); err != nil {
			return err
		}
		if !c.Bool("quiet") {
			fmt.Fprintf(c.App.ErrWriter, "wrote %s\n", out)
		}
	}
	if file := c.String("save-model"); file != "" {
		text, err := b.BandFile()
		if err != nil {
			return err
		}
		return outdir.WriteFile(file, text)
	}
	return nil
}

// comparedFlags are flags of a replay without those of samples and costs, which no recording has beside which to set them.
func comparedFlags(flags []cli.Flag) []cli.Flag {
	return slices.DeleteFunc(flags, func(f cli.Flag) bool { return slices.Contains([]string{"series", "prices"}, f.Names()[0]) })
}

// unused says which flags have no part in the replay of such recordings.
func unused(c *cli.Context, recs []*backtest.Recording) (texts []string) {
	clusters := 0
	for _, r := range recs {
		if r.IsCluster {
			clusters++
		}
	}
	logs := len(recs) - clusters
	given := func(names ...string) (set []string) {
		for _, name := range names {
			if c.IsSet(name) {
				set = append(set, "--"+name)
			}
		}
		return set
	}
	of := func(n int) string {
		if n == len(recs) {
			return ""
		}
		return fmt.Sprintf(" for %d of %d recordings", n, len(recs))
	}
	if logs > 0 && c.String("allocation") == "recorded" {
		flags := given("scheduler", "sharing", "placement", "policy", "reload", "yarn-site", "fair-scheduler", "capacity-scheduler")
		for _, pair := range c.StringSlice("conf") {
			if key, _, _ := strings.Cut(pair, "="); strings.HasPrefix(strings.TrimSpace(key), "yarn.") {
				flags = append(flags, "--conf "+strings.TrimSpace(key))
			}
		}
		if flags != nil {
			texts = append(texts, fmt.Sprintf("no effect%s: the executors of event logs are as recorded, and no ResourceManager is asked for them: %s; with --allocation simulated one is", of(logs), strings.Join(flags, ", ")))
		}
	}
	if logs > 0 && c.IsSet("latency") {
		texts = append(texts, fmt.Sprintf("no effect%s: event logs have no launch latencies of containers: --latency", of(logs)))
	}
	if clusters == len(recs) && c.IsSet("allocation") {
		texts = append(texts, "no effect: the executors of recorded clusters are those that the replay allocates: --allocation")
	}
	return texts
}

// otherwise says by which flags a cluster or its work is another one than the recorded; empty where it is that.
func otherwise(c *cli.Context) string {
	var flags []string
	for _, name := range []string{"nodes", "load", "faster", "change", "autoscale", "until"} {
		if c.IsSet(name) {
			flags = append(flags, "--"+name)
		}
	}
	if flags == nil {
		return ""
	}
	return fmt.Sprintf("with %s it is not what was recorded that is replayed: errors are not those of the prediction alone", strings.Join(flags, ", "))
}

// printGrouped prints warnings, one line for each sort; under --quiet without chatter.
func printGrouped(c *cli.Context, warnings []string, chatter map[string]bool) {
	if c.Bool("quiet") {
		warnings = slices.DeleteFunc(slices.Clone(warnings), func(w string) bool { return chatter[w] })
	}
	for _, w := range prediction.Grouped(warnings) {
		fmt.Fprintf(c.App.ErrWriter, "warning: %s\n", w)
	}
}

func printBacktest(c *cli.Context, b *prediction.Report, details int) error {
	if c.Bool("json") {
		data, err := b.JSON()
		if err != nil {
			return err
		}
		_, err = c.App.Writer.Write(data)
		return err
	}
	return b.WriteText(c.App.Writer, details)
}
