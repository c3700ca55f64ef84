package command

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"replay/cmd/replay/cmdline"
	"replay/engine"
	"replay/engine/record"
	"replay/engine/scenario"
	"replay/report"
	"replay/report/metric"
	"replay/report/quantity"
	"replay/trace"
	"replay/trace/view"
)

func runCommand(p *program) *cli.Command {
	return &cli.Command{
		Name:      "run",
		Usage:     "replay a trace once; prints the summary, writes a result directory",
		ArgsUsage: "TRACE",
		Description: `Examples:
   replay run traces/fair-weights --out out/run
   replay run traces/fair-weights --sharing drf --placement none --conf spark.locality.wait=0s
   replay run --from out/run/run.json --out out/again`,
		Flags: slices.Concat(p.settings.Flags(), cmdline.ProgressFlags(), checkpointFlags(), []cli.Flag{
			&cli.StringFlag{Name: "out", Usage: "result `DIR`ectory"},
			cmdline.With(&cli.StringFlag{Name: "window", Usage: "replay what is submitted in `FROM..TO` alone, as a trace of its own whose times count from FROM"}, aWindow),
			cmdline.With(&cli.StringFlag{Name: "dense-spans", Usage: "check the fast engine: execute everything in `NxTIME` spans over the submissions, such as 20x1m; the decision hash must not change"}, cmdline.ASpans),
			&cli.BoolFlag{Name: "decisions", Usage: "write decisions.parquet: every allocation, reservation and end, in order"},
			&cli.BoolFlag{Name: "explain", Usage: "write explanations.parquet: where the time of each job went, for the page and replay explain"},
			cmdline.Among(&cli.StringFlag{Name: "tasks", Usage: "on: a row per task attempt, off: histograms only", Value: "on"}, "on", "off"),
			cmdline.FormatsFlag("svg,png,pdf"),
			fromFlag("run.json"),
			cmdline.AllowFailures(),
			&cli.BoolFlag{Name: "all", Usage: "print every metric, not only the headline ones"},
			&cli.BoolFlag{Name: "json", Usage: "print the summary as JSON, with every metric"},
		}),
		Action: p.runTrace,
	}
}

func (p *program) runTrace(c *cli.Context) error {
	if c.IsSet("from") {
		return p.again(c)
	}
	if c.NArg() != 1 {
		return cmdline.Usagef("run wants one TRACE directory, got %s", cmdline.Arguments(c))
	}
	for _, name := range []string{"decisions", "explain"} {
		if c.Bool(name) && c.String("out") == "" && p.listener == nil && p.origin == nil { // with --from it is the file that asks for them
			return cmdline.Usagef("--%s wants --out, the directory to write them to", name)
		}
	}
	if c.IsSet("tasks") && c.String("out") == "" && p.listener == nil && p.origin == nil {
		fmt.Fprintln(c.App.ErrWriter, "warning: --tasks has no effect without --out: it is about a table of the result directory")
	}
	o, err := p.settings.Options(c, p.settings.Defaults())
	if err != nil {
		return err
	}
	if c.IsSet("dense-spans") && o.Engine == scenario.Dense {
		return cmdline.Usagef("--dense-spans is for --engine fast: dense executes everything anyway")
	}
	o.Decisions = c.Bool("decisions") || p.listener != nil && p.listener.decisions()
	if c.IsSet("window") {
		from, to, _ := parseWindow(c.String("window")) // the flag takes no other
		o.Window = &view.Window{FromMS: from, ToMS: to}
	}
	if c.IsSet("dense-spans") {
		o.DenseN, o.DenseMS, _ = cmdline.ParseSpans(c.String("dense-spans")) // the flag takes no other
	}
	if err := p.readCheckpoints(c); err != nil {
		return err
	}
	ro, err := p.reportOptions(c)
	if err != nil {
		return err
	}
	progress := new(engine.Progress)
	stop := cmdline.Watch(c, "replay", progress)
	result, err := p.replayOnce(c.Context, c.Args().First(), o, c.String("out"), ro, progress)
	stop()
	if err != nil {
		return err
	}
	if p.listener != nil {
		p.listener.ended(result)
		return nil
	}
	if late := p.checkpoints.missed(); len(late) > 0 {
		fmt.Fprintf(c.App.ErrWriter, "warning: no checkpoint at %s: the replay ended before\n", strings.Join(late, ", "))
	}
	if c.Bool("json") { // the text has them
		printWarnings(c, result.Manifest.Warnings)
		if _, err = c.App.Writer.Write(result.JSON()); err != nil {
			return err
		}
	} else {
		result.WriteText(c.App.Writer, c.Bool("all"))
		if out := c.String("out"); out != "" && !c.Bool("quiet") {
			fmt.Fprintf(c.App.ErrWriter, "wrote %s\n", out)
		}
	}
	return cmdline.CheckOutcome(c, nil, result.Outcome())
}

// reportOptions reads what a result directory is to hold.
func (p *program) reportOptions(c *cli.Context) (report.Options, error) {
	ro := report.DefaultOptions()
	ro.Decisions, ro.Explain = c.Bool("decisions"), c.Bool("explain")
	ro.Tasks = c.String("tasks") != "off"
	var err error
	ro.Formats, err = cmdline.Formats(c, p.origin != nil)
	return ro, err
}

// A listener is a command that replays by run: it hears what happens in a replay, by a sink that passes everything on.
type listener interface {
	decisions() bool // whether it hears of them
	sink(record.Sink, *scenario.Scenario) record.Sink
	ended(*report.Result)
}

// A taker is a sink that makes a result of what it has taken.
type taker interface {
	record.Sink
	Priced(*record.Prices)
	Finish(record.Manifest) (*report.Result, error)
}

// replayOnce replays the trace at dir; with out it writes a result directory there, whole or not at all.
func (p *program) replayOnce(ctx context.Context, dir string, o scenario.Options, out string, ro report.Options, progress *engine.Progress) (*report.Result, error) {
	t, err := cmdline.OpenTrace(dir)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	if err := p.checkTrace(t); err != nil {
		return nil, err
	}
	if o.Window != nil {
		w, err := view.WindowOf(t.Jobs(), o.Window.FromMS, o.Window.ToMS)
		if err != nil {
			return nil, err
		}
		if w.NumJobs == 0 {
			return nil, fmt.Errorf("%s: nothing is submitted from %s to %s, the last job at %s", dir, quantity.Duration(float64(w.FromMS)), quantity.Duration(float64(w.ToMS)), quantity.Duration(float64(t.Manifest.SpanMS)))
		}
		o.Window = &w
	}
	p.traces = []string{t.Name()}
	return p.replayOn(ctx, t, o, out, ro, progress, func(sc *scenario.Scenario) *record.Made {
		p.settings.Files.Attach("", sc.Input.Files)
		return p.made()
	})
}

// replayOn is replayOnce on an open trace. howMade says how the replay of a scenario is made.
func (p *program) replayOn(ctx context.Context, t *trace.Trace, o scenario.Options, out string, ro report.Options, progress *engine.Progress, howMade func(*scenario.Scenario) *record.Made) (*report.Result, error) {
	dense := o.Engine == scenario.Dense
	if err := p.checkpoints.begin(&o, out); err != nil {
		return nil, err
	}
	sc, err := p.settings.Scenario(t, o)
	if err != nil {
		return nil, err
	}
	start, err := p.checkpoints.start(sc, dense && o.Engine != scenario.Dense)
	if err != nil {
		return nil, err
	}
	made := howMade(sc)
	var takes taker = report.NewMemory()
	if out != "" {
		w, err := report.NewWriter(out, ro)
		if err != nil {
			return nil, err
		}
		defer w.Abort()
		takes = w
	}
	takes.Priced(sc.NodePrices())
	if err := p.checkpoints.goOn(takes); err != nil {
		return nil, err
	}
	var sink record.Sink = takes
	if p.listener != nil {
		sink = p.listener.sink(takes, sc)
	}
	if w, ok := takes.(*report.Writer); ok && ro.Explain {
		k := w.Explaining(sink, sc.Input.Nodes, sc.Kind().Central)
		sink, sc.Input.Jobs = k, k.Watch(sc.Input.Jobs)
	}
	m, err := p.checkpoints.run(ctx, sc, sink, takes, progress, start)
	if err != nil {
		return nil, err
	}
	signed(m, made)
	if m.Totals.Jobs > manyJobs {
		debug.FreeOSMemory() // what was live in the replay lies in small pieces, between which the records of so many jobs do not fit
	}
	return takes.Finish(*m)
}

// manyJobs have records that take more memory than half of that of a short replay.
const manyJobs = 20_000

// printWarnings shows each warning once, with its count. What voids a result, and that something is not used, is no chatter: it is shown under --quiet too.
func printWarnings(c *cli.Context, ws []record.Warning) {
	for i := range ws {
		if !c.Bool("quiet") || !ws[i].Chatter() {
			fmt.Fprintf(c.App.ErrWriter, "warning: %s\n", metric.Counted(&ws[i]))
		}
	}
}
