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
	e, err := p.settings.Options(c, p.settings.Defaults())
	if err != nil {
		return err
	}
	o := backtest.Options{Engine: e, Allocation: c.String("allocation"), Latency: c.String("latency"), Tasks: c.String("out") != ""}
	if o.Allocation != "recorded" && o.Allocation != "simulated" {
		return cmdline.Usagef("--allocation is %q, want recorded or simulated", o.Allocation)
	}
	if o.Latency != "recorded" && o.Latency != "model" {
		return cmdline.Usagef("--latency is %q, want recorded or model", o.Latency)
	}
	details, ok := map[string]int{"0": 0, "1": 1, "2": 2}[c.String("details")]
	if !ok {
		return cmdline.Usagef("--details is %q, want 0, 1 or 2", c.String("details"))
	}
	if o.Seeds = c.Int("seeds"); o.Seeds < 1 || o.Seeds > 1000 {
		return cmdline.Usagef("--seeds is %d, want 1 to 1000", o.Seeds)
	}
	formats, err := cmdline.Formats(c, false)
	if err != nil {
		return err
	}
	scratch, err := outdir.Scratch("replay-backtest")
	if err != nil {
		return err
	}
	defer scratch.Abort()
	so := backtest.SourceOptions{Allocation: o.Allocation, Import: workload.DefaultOptions(), Tmp: scratch.Path("")}
	if err := tracecmd.ReadInputFlags(c, &so.Import); err != nil {
		return err
	}
	if so.Import.FromStart {
		return cmdline.Usagef("--from and --to choose recordings by the day on which they began, want days such as 2026-11-22T07:30:00Z, not times such as 2h")
	}
	var warnings []string
	so.Import.Warn = func(m string) { warnings = append(warnings, m) }
	recs, inputs, err := backtest.Sources(c.Context, c.Args().Slice(), so)
	printGrouped(c, warnings, nil)
	tracecmd.PrintNothing(c.App.ErrWriter, err)
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
	b, err := backtest.Run(c.Context, recs, o, c.Bool("fit"), c.Bool("leave-one-out"))
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
		if err := outdir.WriteFile(file, text); err != nil {
			return err
		}
	}
	tracecmd.PrintLeftOut(c.App.ErrWriter, inputs)
	if err := errors.Join(printBacktest(c, b, details), tracecmd.PrintNotUsed(c.App.ErrWriter, inputs)); err != nil {
		return err
	}
	if n := b.Summary.Failed; n > 0 && !c.Bool("allow-failures") {
		return &cmdline.CodedError{Code: cmdline.ExitFailed, Err: fmt.Errorf("%s; --allow-failures makes this exit 0", prediction.FailedText(n, len(b.Applications)))}
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
