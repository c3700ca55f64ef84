package command

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"replay/cmd/replay/cmdline"
	"replay/cmd/replay/resultcmd"
	"replay/outdir"
	"replay/report/compare"
	"replay/report/compare/pictures"
	"replay/report/inference"
	"replay/trace/view"
)

func compareCommand(p *program) *cli.Command {
	return &cli.Command{
		Name:      "compare",
		Usage:     "replay the same traces under each variant with the same random streams; table, plots, verdict",
		ArgsUsage: "TRACE...",
		Description: `Examples:
   replay compare traces/fair-weights --variant 'locality: --placement locality-ratio' --variant 'naive: --placement naive' --out out/cmp
   replay compare traces/drf-mixed-sizes --seeds 5 --variant 'fair: --sharing fair' --variant 'drf: --sharing drf'
   replay compare --from out/cmp/comparison.json --out out/again

The other variants are compared with the first. Flags outside --variant apply to all of them.

One trace is replayed with more and more seeds until every headline metric is known to within --precision, and the answer is
about this trace. Of several traces each is one of the sample, and the answer is about workloads like these: take five or more.
Windows of one long trace are taken likewise.`,
		Flags: append(append(p.settings.Flags(), cmdline.ProgressFlags()...),
			cmdline.With(&cli.StringSliceFlag{Name: "variant", Usage: "`'NAME: FLAGS'` of run (repeatable, two or more)"}, func(text string) error {
				_, err := p.splitVariant(text)
				return err
			}),
			cmdline.With(&cli.IntFlag{Name: "seeds", Usage: "replay each variant with `K` seeds, from --seed on; fewer than 5 give no verdict", DefaultText: "as many as --precision takes; 1 for each of several traces"}, cmdline.From1To(10_000)),
			cmdline.With(&cli.IntFlag{Name: "max-seeds", Usage: "take `N` seeds at most to reach --precision", Value: inference.Limit}, cmdline.FromTo(inference.Fewest, 10_000)),
			cmdline.Percent(&cli.Float64Flag{Name: "precision", Usage: "know every headline metric to within `PERCENT` of the first variant's value (shares and indexes: points)", Value: 100 * compare.DefaultPrecision}, cmdline.Positive),
			cmdline.Percent(&cli.Float64Flag{Name: "margin", Usage: "call equal what differs by less than `PERCENT` of the first variant's value (shares and indexes: points)", Value: 100 * compare.DefaultMargin}, cmdline.NotNegative),
			cmdline.With(&cli.StringFlag{Name: "windows", Usage: "cut the trace by time of submission into `N` windows, each replayed as a trace of its own and one of the sample; auto: as many as are not too much alike"}, aNumberOfWindows),
			&cli.StringFlag{Name: "traces", Usage: "compare on all traces of `WHERE`: a folder of them, a pattern in quotes, or a file with one a line"},
			cmdline.With(&cli.IntFlag{Name: "jobs", Aliases: []string{"j"}, Usage: "how many replays run at once", DefaultText: "all cores"}, cmdline.From1To(math.MaxInt32)),
			&cli.StringFlag{Name: "out", Usage: "`DIR`ectory for the comparison"},
			cmdline.FormatsFlag("svg,png,pdf"),
			fromFlag("comparison.json"),
			&cli.BoolFlag{Name: "results", Usage: "with --out: also keep the result of each replay, in runs/NAME/seed-N"},
			cmdline.AllowFailures(),
			&cli.BoolFlag{Name: "all", Usage: "print every metric, not only the headline ones"},
			&cli.BoolFlag{Name: "json", Usage: "print the comparison as JSON"},
		),
		Action: p.compare,
	}
}

// comparing is a comparison that is asked for.
type comparing struct {
	sources  []*traceSource
	variants []variant
	seeds    int // of each variant on each source; 0 for as many as it takes, up to limit
	limit    int
	options  compare.Options
	out      string // "" for nowhere
	keep     bool   // the results of all replays, too
	formats  []string
}

// comparingOf reads what is to be compared, and finds what is wrong with it before any replay.
func (p *program) comparingOf(c *cli.Context) (*comparing, error) {
	if dir := c.Args().First(); len(c.StringSlice("variant")) == 0 && cmdline.IsResult(dir) {
		return nil, cmdline.Usagef("%s is a result, and compare replays traces; replay report --compare %s compares results", dir, strings.Join(c.Args().Slice(), " "))
	}
	if len(c.StringSlice("variant")) < 2 {
		return nil, cmdline.Usagef("compare wants two --variant or more, such as --variant 'now:' --variant 'drf: --sharing drf', got %d", len(c.StringSlice("variant")))
	}
	w := &comparing{out: c.String("out")}
	var err error
	if w.sources, err = p.sourcesOf(c); err != nil {
		return nil, err
	}
	if w.seeds, w.limit, w.options, err = sampleOf(c, w.sources); err != nil {
		return nil, err
	}
	if w.options.Unit == inference.Window {
		if w.sources, err = p.cut(c, w.sources[0]); err != nil {
			return nil, err
		}
	}
	w.keep = c.Bool("results") && (w.out != "" || p.origin == nil) // with --from it is the file that asks for them
	if w.keep && w.out == "" {
		return nil, cmdline.Usagef("--results wants --out, the directory to keep them in")
	}
	if w.out != "" { // before the work, not after it
		if err := compare.CheckDir(w.out, w.keep); err != nil {
			return nil, err
		}
	}
	base, err := p.settings.Options(c, p.settings.Defaults())
	if err != nil {
		return nil, err
	}
	if w.variants, err = p.parseVariants(c.StringSlice("variant"), base); err != nil {
		return nil, err
	}
	if err := checkComparable(w.variants, max(w.seeds, w.limit)); err != nil {
		return nil, err
	}
	if w.formats, err = cmdline.Formats(c, p.origin != nil); err != nil {
		return nil, err
	}
	return w, p.checkVariants(w.sources, w.variants)
}

func (p *program) compare(c *cli.Context) error {
	if c.IsSet("from") {
		return p.again(c)
	}
	w, err := p.comparingOf(c)
	if err != nil {
		return err
	}
	g, err := p.newGrid(c, w.sources, w.variants, max(w.seeds, w.limit), w.options)
	if err != nil {
		return err
	}
	if w.out != "" { // nobody else writes there meanwhile, and what an earlier one left goes
		runs, err := outdir.Begin(filepath.Clean(w.out) + ".runs")
		if err != nil {
			return err
		}
		defer runs.Abort()
		if w.keep {
			g.results = runs.Path("")
		}
	}
	var cmp *compare.Comparison
	switch {
	case c.String("windows") == auto:
		g, cmp, err = g.replayWindows(w.seeds)
	case w.seeds > 0:
		cmp, err = g.replay(w.seeds)
	default:
		cmp, err = g.replayUntil(w.limit)
	}
	if err != nil {
		return err
	}
	printWarnings(c, g.warnings)
	cmp.Made = p.made()
	return p.tellComparison(c, w, cmp, g.results)
}

// tellComparison writes and prints a comparison, or a gate's verdict on it. Results are the folder with those of all replays, "" for none.
func (p *program) tellComparison(c *cli.Context, w *comparing, cmp *compare.Comparison, results string) error {
	if p.gate != nil {
		if err := p.gate.judge(cmp); err != nil {
			return err
		}
	}
	if w.out != "" {
		more := map[string]string{}
		if results != "" {
			more["runs"] = results
		}
		if err := cmp.WriteDir(w.out, pictures.Of(cmp), w.formats, more); err != nil {
			return err
		}
	}
	if p.gate != nil {
		return p.gate.say(c)
	}
	if err := resultcmd.PrintComparison(c, cmp); err != nil {
		return err
	}
	if w.out != "" && !c.Bool("quiet") {
		fmt.Fprintf(c.App.ErrWriter, "wrote %s\n", w.out)
	}
	var names []string
	for _, v := range w.variants {
		names = append(names, v.name)
	}
	return cmdline.CheckOutcome(c, names, cmp.Outcomes...)
}

// checkComparable refuses variants of which a difference would say nothing: that end at other times, or share some of up to so many seeds.
func checkComparable(variants []variant, seeds int) error {
	base, n := &variants[0], uint64(seeds)
	for _, v := range variants[1:] {
		if v.options.Until != base.options.Until {
			return cmdline.Usagef("--variant %s: --until ends it at another time than %s, and what that cuts off is no difference of theirs: it stands outside, for the whole comparison", v.name, base.name)
		}
		mine, first := v.options.Seed, base.options.Seed
		if apart := max(mine, first) - min(mine, first); apart > 0 && apart < n { // some pairs would have their random streams in common, and others not
			return cmdline.Usagef("--variant %s: --seed is %d, and that of %s %d: of up to %d seeds each some are of both; want the same --seed, or one that is %d away at least", v.name, mine, base.name, first, n, n)
		}
	}
	return nil
}

// sampleOf says how many replays there are to be of each variant on each source: a number of seeds, or up to how many may be taken
// until the precision is reached.
func sampleOf(c *cli.Context, sources []*traceSource) (seeds, limit int, o compare.Options, err error) {
	o = compare.Options{Unit: inference.Seed, Margin: c.Float64("margin") / 100}
	asked := ""
	for _, name := range []string{"precision", "max-seeds"} {
		if c.IsSet(name) && asked == "" {
			asked = name
		}
	}
	seeds = c.Int("seeds")
	switch {
	case len(sources) > 1 && c.IsSet("windows"):
		return 0, 0, o, cmdline.Usagef("--windows is for one trace, got %d", len(sources))
	case c.IsSet("windows") && asked != "":
		return 0, 0, o, cmdline.Usagef("--%s is for one trace as a whole; of windows, --seeds says how often each is replayed", asked)
	case len(sources) > 1 && asked != "":
		return 0, 0, o, cmdline.Usagef("--%s is for one trace; of several, --seeds says how often each is replayed", asked)
	case c.IsSet("seeds") && asked != "":
		return 0, 0, o, cmdline.Usagef("--seeds fixes the number, and --%s lets the program find it: give one of them", asked)
	case len(sources) > 1:
		o.Unit = inference.Trace
		return max(seeds, 1), 0, o, nil
	case c.IsSet("windows"):
		o.Unit = inference.Window
		return max(seeds, 1), 0, o, nil
	case c.IsSet("seeds"):
		return seeds, 0, o, nil
	}
	o.Precision, o.Limit = c.Float64("precision")/100, c.Int("max-seeds")
	return 0, o.Limit, o, nil
}

// auto is the value of --windows that lets the program find their number.
const auto = "auto"

// aNumberOfWindows wants what --windows takes.
func aNumberOfWindows(value string) error {
	if n, err := strconv.Atoi(value); value != auto && (err != nil || value[0] == '+' || n < 2 || n > 1000) {
		return errors.New("want 2 to 1000, or auto")
	}
	return nil
}

// windowStages are the numbers of windows that auto tries: the fewer, the longer and the less alike.
var windowStages = []int{24, 16, 12, 8, 6}

// tooAlike is from what autocorrelation of their differences on windows are too much alike.
const tooAlike = 0.3

// cut returns the windows of a trace as sources.
func (p *program) cut(c *cli.Context, whole *traceSource) ([]*traceSource, error) {
	if text := c.String("windows"); text != auto {
		n, _ := strconv.Atoi(text) // the flag takes no other
		return p.cutInto(whole, n)
	}
	var out []*traceSource
	var err error
	for _, n := range windowStages {
		if out, err = p.cutInto(whole, n); err == nil {
			break
		}
	}
	return out, err
}

// cutInto returns n windows of a trace as sources.
func (p *program) cutInto(whole *traceSource, n int) ([]*traceSource, error) {
	t, err := cmdline.OpenTrace(whole.dir)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	windows, err := view.Windows(t.Jobs(), n)
	if err != nil {
		return nil, err
	}
	var out []*traceSource
	for i := range windows {
		w := &windows[i]
		if w.NumJobs == 0 {
			return nil, fmt.Errorf("%s: nothing is submitted in window %d of %d, from %d to %d ms: take fewer", whole.dir, i+1, n, w.FromMS, w.ToMS)
		}
		out = append(out, &traceSource{dir: whole.dir, name: fmt.Sprintf("window-%d", i+1), window: w})
	}
	if out == nil {
		return nil, fmt.Errorf("%s: has no jobs to cut into windows", whole.dir)
	}
	return out, nil
}

// replayWindows replays with fewer and longer windows until their differences are not too much alike. Those of the last grid
// count, which it returns.
func (g *grid) replayWindows(seeds int) (*grid, *compare.Comparison, error) {
	for {
		cmp, err := g.replay(seeds)
		if err != nil || cmp.Autocorrelation() < tooAlike {
			return g, cmp, err
		}
		fewer := 0
		for _, n := range windowStages {
			if n < len(g.sources) {
				fewer = n
				break
			}
		}
		if fewer == 0 {
			cmp.TooShort = true
			return g, cmp, nil
		}
		sources, err := g.p.cutInto(g.sources[0], fewer)
		if err != nil {
			return g, nil, err
		}
		next, err := g.p.newGrid(g.c, sources, g.variants, seeds, cmp.Options)
		if err != nil {
			return g, nil, err
		}
		if err := g.forget(); err != nil {
			return g, nil, err
		}
		next.results, g = g.results, next
	}
}

// aWindow wants two times.
func aWindow(value string) error {
	_, _, err := parseWindow(value)
	return err
}

// parseWindow reads FROM..TO, two times of a trace, of which the first may be 0.
func parseWindow(text string) (from, to int64, err error) {
	first, last, ok := strings.Cut(text, "..")
	from, err = cmdline.ParseStart(first)
	if err == nil && ok {
		to, err = cmdline.ParseTime(last)
	}
	if !ok || err != nil || first == "" || from >= to {
		return 0, 0, errors.New("want FROM..TO, two times of the trace such as 1h..2h")
	}
	return from, to, nil
}

// flag is the window as a flag of run.
func windowFlag(w *view.Window) []string {
	if w == nil {
		return nil
	}
	return []string{"--window", fmt.Sprintf("%dms..%dms", w.FromMS, w.ToMS)}
}
