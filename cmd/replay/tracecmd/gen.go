package tracecmd

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"replay/cmd/replay/cmdline"
	"replay/report/quantity"
	"replay/trace"
	"replay/trace/synth"
	"replay/trace/synth/model"
)

// Gen writes synthetic traces.
func Gen() *cli.Command {
	var presets strings.Builder
	for _, p := range synth.Presets {
		fmt.Fprintf(&presets, "\n  %-19s %s\n  %-19s (%s; %s, %s of %s%d vcores and %d GiB", p.Name, p.Usage, "",
			strings.Join(p.Kinds, " or "), quantity.Counted(int64(p.Defaults.Jobs), "jobs"), quantity.Counted(int64(p.Defaults.Nodes), "nodes"), p.UpTo(), p.VCores, p.MemMiB>>10)
		if p.Defaults.Racks > 0 {
			fmt.Fprintf(&presets, " in %s", quantity.Counted(int64(p.Defaults.Racks), "racks"))
		}
		presets.WriteString(")")
	}
	return cmdline.Completed(&cli.Command{
		Name:      "gen",
		Usage:     "write a synthetic trace from a preset",
		ArgsUsage: "PRESET --out DIR",
		Description: "The same preset, flags and seed give the same bytes. Input blocks are placed by the rule of HDFS.\n" +
			"The offered load is the work of all tasks (duration times vcores) divided by what the cluster can do until\n" +
			"the last submission. --load makes arrivals faster or slower to reach it; the jobs stay as they are.\n" +
			"The calibrated presets have parameters, which --parameters lists and --set changes. All of them are in trace.json.\n" +
			"fit:DIR as the preset fits one to the trace in DIR: --load 2 on it is that cluster at twice what it can do.\n\nPRESETS:" + presets.String(),
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "out", Usage: "write the trace to `DIR`, which must not exist"},
			nameFlag("the preset and the options that are not its own"),
			&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "`SEED` of all random streams"},
			cmdline.With(&cli.IntFlag{Name: "jobs", Usage: "`N` jobs", DefaultText: "the preset's"}, cmdline.From1To(synth.MostJobs)),
			cmdline.With(&cli.StringFlag{Name: "span", Usage: "the jobs that are submitted in a `TIME` such as 24h or 7d, at most --jobs; with --load as many as have the work for it"}, cmdline.ATime),
			cmdline.With(&cli.IntFlag{Name: "nodes", Usage: "`N` nodes", DefaultText: "the preset's"}, cmdline.From1To(trace.MostNodes)),
			cmdline.With(&cli.IntFlag{Name: "racks", Usage: "`N` racks", DefaultText: "the preset's"}, cmdline.From1To(math.MaxInt32)),
			cmdline.With(&cli.IntFlag{Name: "replication", Usage: "`N` replicas of each block", DefaultText: "the preset's"}, cmdline.From1To(math.MaxInt32)),
			cmdline.With(&cli.Float64Flag{Name: "load", Usage: "scale arrivals to an offered `LOAD`; 1 is as much as all vcores can do", DefaultText: "the preset's"}, cmdline.ALoad),
			&cli.StringFlag{Name: "kind", Usage: "`KIND` of jobs, if the preset has several"},
			&cli.StringFlag{Name: "diurnal", Usage: "`PROFILE` of the hours and weekdays of arrivals: " + strings.Join(slices.Sorted(maps.Keys(model.Days)), ", "), DefaultText: "flat"},
			&cli.StringFlag{Name: "failures", Usage: "what happens to nodes, `WORDS` with commas: " + strings.Join(model.FailureWords, ", "), DefaultText: "the preset's"},
			&cli.BoolFlag{Name: "json", Usage: "print what was generated, or the parameters, as JSON"},
			cmdline.With(&cli.Float64Flag{Name: "mtbf", Usage: "mean `DAYS` between failures of a node, with --failures exponential or weibull", DefaultText: "41"}, cmdline.Positive),
			&cli.StringSliceFlag{Name: "set", Usage: "give a parameter of the preset another value, as `NAME=VALUE`"},
			&cli.BoolFlag{Name: "parameters", Usage: "list the parameters with their values and write nothing"},
		},
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 || c.String("out") == "" && !c.Bool("parameters") {
				return cmdline.Usagef("gen wants one preset and --out DIR (see replay gen --help)")
			}
			preset, err := presetOf(c)
			if err != nil {
				return err
			}
			options := synth.Options{
				Name: c.String("name"),
				Seed: c.Uint64("seed"), Jobs: c.Int("jobs"), Nodes: c.Int("nodes"), Racks: c.Int("racks"), Replication: c.Int("replication"),
				Load: c.Float64("load"), Kind: c.String("kind"), Failures: c.String("failures"), MTBFDays: c.Float64("mtbf"),
				Diurnal: c.String("diurnal"), Set: c.StringSlice("set"),
			}
			options.SpanMS, _ = cmdline.ParseTime(c.String("span")) // the flag takes no other
			settings, err := preset.Settings(options)
			if err != nil {
				return cmdline.Usagef("%w", err)
			}
			if c.Bool("parameters") && c.Bool("json") {
				return cmdline.WriteJSON(c.App.Writer, append([]synth.Setting{}, settings...))
			}
			if c.Bool("parameters") {
				return writeSettings(c.App.Writer, preset, settings)
			}
			for _, s := range preset.Unknown {
				fmt.Fprintln(c.App.ErrWriter, "warning: "+s)
			}
			result, err := synth.Generate(c.Context, c.String("out"), preset, options)
			if err != nil {
				return err
			}
			if c.Bool("json") {
				return cmdline.WriteJSON(c.App.Writer, result)
			}
			return writeGenerated(c.App.Writer, result)
		},
	}, presetNames()...)
}

// presetOf is the preset called by the argument, or one fitted to a trace.
func presetOf(c *cli.Context) (*synth.Preset, error) {
	name := c.Args().First()
	if dir, ok := strings.CutPrefix(name, synth.FitPrefix); ok {
		if !cmdline.IsTrace(dir) {
			return nil, cmdline.NotTrace(dir)
		}
		return synth.Fit(c.Context, dir)
	}
	preset, err := synth.Find(name)
	if err != nil {
		return nil, cmdline.Usagef("%w%s", err, cmdline.Meant("", name, presetNames()))
	}
	return preset, nil
}

func presetNames() (names []string) {
	for _, p := range synth.Presets {
		names = append(names, p.Name)
	}
	return names
}

// nameFlag is the flag that names a trace.
func nameFlag(otherwise string) cli.Flag {
	return cmdline.With(&cli.StringFlag{Name: "name", Usage: "call the trace `NAME` in results, wherever it is", DefaultText: otherwise}, func(text string) error {
		if err := trace.CheckName(text); err != nil {
			return fmt.Errorf("want %w", err)
		}
		return nil
	})
}

// writeSettings lists the parameters of a preset.
func writeSettings(w io.Writer, p *synth.Preset, list []synth.Setting) error {
	if len(list) == 0 {
		_, err := fmt.Fprintf(w, "%s has no parameters beside the flags of gen\n", p.Name)
		return err
	}
	for _, s := range list {
		if _, err := fmt.Fprintf(w, "%s=%s\n    %s\n", s.Name, s.Value, s.Usage); err != nil {
			return err
		}
	}
	return nil
}

func writeGenerated(w io.Writer, r *synth.Result) error {
	n := r.Counts
	_, err := fmt.Fprintf(w, "trace %s\n%s, %s, %s over %d s; %s, %s\noffered load: %s; arrivals %.6g times as fast as the preset's\n",
		r.Hash, quantity.Counted(n.Jobs, "jobs"), quantity.Counted(n.Stages, "stages"), quantity.Counted(n.Tasks, "tasks"), r.SpanMS/1000,
		quantity.Counted(n.Nodes, "nodes"), quantity.Counted(n.NodeEvents, "node events"), r.Load.Over(r.SpanMS), r.Factor)
	if err == nil && r.LeftOut > 0 {
		_, err = fmt.Fprintf(w, "jobs left out, as they had more work than was left of the load in the span: %d\n", r.LeftOut)
	}
	if err == nil && r.Filled < synth.Filled {
		_, err = fmt.Fprintf(w, "the load ends after %.0f %% of the span: no other job has as little work as the rest\n", 100*r.Filled)
	}
	return err
}
