package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/urfave/cli/v2"
	"golang.org/x/sync/errgroup"

	"replay/cmd/replay/cmdline"
	"replay/engine"
	"replay/engine/price"
	"replay/engine/record"
	"replay/engine/scenario"
	"replay/report"
	"replay/report/inference"
	"replay/report/metric"
	"replay/report/plan"
	"replay/report/quantity"
	"replay/report/target"
	"replay/shown"
	"replay/sweep"
)

func planCommand(p *program) *cli.Command {
	return &cli.Command{
		Name:      "plan",
		Usage:     "find the smallest cluster, or the best value of any setting, at which conditions hold",
		ArgsUsage: "TRACE",
		Description: `Examples:
   replay plan lastweek --hold 'p95(wait, queue=etl) < 30s' --vary nodes=4:400 --price 0.42
   replay plan lastweek --hold 'mean(duration) < 5m' --hold 'p95(wait) < 1m' --vary load=0.5:2:0.05
   replay plan lastweek --hold 'locality_tasks_host_share > 90%' --vary 'conf spark.locality.wait=0s:10s:500ms'
   replay plan lastweek --hold 'p95(wait, queue=etl) < 30s' --vary fair-scheduler=w1.xml,w2.xml,w4.xml
   replay plan oneapp --hold 'mean(duration) < 20m' --vary 'conf spark.executor.instances=2:80' --nodes 40

The setting is any flag of run, or one key of --conf or --model. Its values are FROM:TO, with :STEP where it is not 1, or a list with
commas, from one end to the other. The border between holding and failing is found by bisection, with the same random streams at each
value and as many seeds as it takes to know on which side a value is. Conditions are those of replay gate, without a sign.`,
		Flags: append(append(p.settings.Flags(), cmdline.ProgressFlags()...),
			cmdline.With(&cli.StringSliceFlag{Name: "hold", Usage: "`CONDITION` to hold, such as 'p95(wait, queue=etl) < 30s' (repeatable: all of them)"}, aLimit),
			cmdline.With(&cli.StringFlag{Name: "vary", Usage: "`SETTING=VALUES`: nodes=4:400, load=0.5:2:0.1, 'conf KEY=0s:10s:1s', FLAG=a,b,c"}, aSetting),
			cmdline.With(&cli.Float64Flag{Name: "price", Usage: "`AMOUNT` that a node costs an hour, shown beside each value"}, cmdline.NotNegative),
			cmdline.With(&cli.IntFlag{Name: "max-seeds", Usage: "take `N` seeds at most at each value", Value: inference.Limit}, cmdline.FromTo(inference.Fewest, 10_000)),
			cmdline.With(&cli.IntFlag{Name: "jobs", Aliases: []string{"j"}, Usage: "how many replays run at once", DefaultText: "all cores"}, cmdline.From1To(10_000)),
			&cli.StringFlag{Name: "out", Usage: "`DIR`ectory for plan.json, plan.txt and the curves"},
			cmdline.FormatsFlag("svg,png,pdf"),
			&cli.BoolFlag{Name: "json", Usage: "print the plan as JSON"},
		),
		Action: p.plan,
	}
}

// aLimit wants a condition on a value itself.
func aLimit(value string) error {
	if err := aCondition(value); err != nil {
		return err
	}
	if t, _ := target.Parse(value); t.Change {
		return errors.New("a change against a base, want a limit without a sign")
	}
	return nil
}

// planning is a plan while it is searched for.
type planning struct {
	p        *program
	c        *cli.Context
	source   *traceSource
	base     scenario.Options
	setting  setting
	targets  []*target.Target
	metrics  []plan.Metric // by target, known after the first replay
	lost     []plan.Loss   // by value
	open     []int64       // by value: [plan.Plan.Open]
	warnings []record.Warning
	loads    map[int][]record.Warning // by value, of the first replay there: of its load, and of room on nodes that nobody described
	about    string                   // [plan.Plan.About]
	mu       sync.Mutex
	costs    []float64 // by value, once it was replayed; nil when nobody says prices
	scaled   bool      // the number of nodes changed in some replays, so costs say little

	done, begun atomic.Int64
	now         atomic.Int64 // the value that is replayed
}

func (p *program) plan(c *cli.Context) error {
	w, err := p.planningOf(c)
	if err != nil {
		return err
	}
	formats, err := cmdline.Formats(c, false)
	if err != nil {
		return err
	}
	if err := w.checkEnds(); err != nil {
		return err
	}
	defer w.source.release()
	w.source.wanted++ // it stays open from one value to the next
	if _, err := w.source.open(p); err != nil {
		return err
	}
	stop := cmdline.WatchShare(c, "plan", w.progress)
	answer, err := plan.Solve(&plan.Problem{Targets: w.targets, Values: len(w.setting.labels), Seeds: c.Int("max-seeds"), Replay: w.replay})
	stop()
	if err != nil {
		return err
	}
	if w.scaled {
		w.costs = nil
		w.warnings = slices.Insert(w.warnings, 0, record.Warning{Code: "plan-cost", Count: 1, Text: "what nodes cost an hour is not shown beside each value, because --autoscale changes how many there are: hold a condition such as cost_total < 100"})
	}
	r := w.result(answer)
	printWarnings(c, w.warnings)
	if out := c.String("out"); out != "" {
		if err := r.WriteDir(out, formats); err != nil {
			return err
		}
	}
	if c.Bool("json") {
		err = cmdline.WriteMade(c.App.Writer, r.JSON)
	} else {
		err = shown.Whole(c.App.Writer, r.WriteText)
	}
	if err != nil {
		return err
	}
	if answer.Best < 0 {
		return cmdline.FailedCheck()
	}
	return nil
}

// planningOf reads what is to hold, what to vary and everything else that the flags say.
func (p *program) planningOf(c *cli.Context) (*planning, error) {
	if c.NArg() != 1 {
		return nil, cmdline.Usagef("plan wants one TRACE directory, got %s", cmdline.Arguments(c))
	}
	w := &planning{p: p, c: c, source: &traceSource{dir: c.Args().First()}, loads: map[int][]record.Warning{}}
	for _, text := range c.StringSlice("hold") {
		t, _ := target.Parse(text) // the flag takes no other
		w.targets = append(w.targets, t)
	}
	if len(w.targets) == 0 {
		return nil, cmdline.Usagef("plan wants --hold, a condition such as 'p95(wait) < 30s'")
	}
	if !c.IsSet("vary") {
		return nil, cmdline.Usagef("plan wants --vary, a setting and its values such as nodes=4:400")
	}
	w.setting, _ = parseSetting(c.String("vary")) // the flag takes no other
	if out := c.String("out"); out != "" {
		if err := plan.CheckDir(out); err != nil {
			return nil, err
		}
	}
	if fixed := w.setting.given(c); fixed != "" {
		return nil, cmdline.Usagef("%s says one value, and --vary %s several: give one of them", fixed, w.setting.name)
	}
	if c.IsSet("price") && c.IsSet("prices") {
		return nil, cmdline.Usagef("--price is for all nodes and --prices by type: give one of them")
	}
	var err error
	if w.base, err = p.settings.Options(c, p.settings.Defaults()); err != nil {
		return nil, err
	}
	if c.IsSet("price") {
		if w.base.Prices, err = price.Each(c.Float64("price")); err != nil {
			return nil, cmdline.Usagef("--price: %w", err)
		}
	}
	if w.base.Prices != nil {
		w.costs = make([]float64, len(w.setting.labels))
	}
	w.lost, w.open = make([]plan.Loss, len(w.setting.labels)), make([]int64, len(w.setting.labels))
	return w, nil
}

// checkEnds resolves the first and the last value, before the work and not after it.
func (w *planning) checkEnds() error {
	var ends []variant
	for _, i := range []int{0, len(w.setting.labels) - 1} {
		o, err := w.options(i)
		if err != nil {
			return err
		}
		name := w.setting.name + "=" + w.setting.labels[i]
		ends = append(ends, variant{name: name, given: "with " + name, options: o})
	}
	return w.p.checkSource(w.source, map[string]int{}, false, ends)
}

// result is the answer with all that it is said with. What the replays of the best value, or of both ends where there is none, warned of joins the warnings.
func (w *planning) result(answer *plan.Answer) *plan.Plan {
	said := []int{answer.Best}
	if answer.Best < 0 {
		said = []int{0, len(w.setting.labels) - 1}
	}
	var caveats []string
	for _, value := range said {
		for _, warning := range w.loads[value] {
			if warning.Code == record.ShortOfNodes {
				caveats = append(caveats, fmt.Sprintf("At %s = %s, %s.", w.setting.name, w.setting.labels[value], warning.Text))
			} else {
				w.warnings = append(w.warnings, warning)
			}
		}
	}
	r := &plan.Plan{Answer: answer, Setting: w.setting.name, Labels: w.setting.labels, Subject: w.source.title, About: w.about, Targets: w.targets, Metrics: w.metrics, Lost: w.lost, Open: w.open, Costs: w.costs, Bands: w.base.Bands(), Durations: w.source.trace.DurationSource, Made: w.p.made()}
	if w.setting.name == "nodes" && w.base.Load > 0 {
		caveats = append(caveats, "--load is that of each cluster: with more nodes jobs arrive faster, so this is not how many nodes the same jobs need; --faster, which is the same with any number of nodes, asks that.")
	}
	if n, err := strconv.Atoi(w.setting.labels[max(answer.Best, 0)]); w.setting.name == "nodes" && answer.Best >= 0 && err == nil {
		if text := ofSizes(w.source.trace, n); text != "" {
			caveats = append(caveats, text)
		}
	}
	r.Caveat = strings.Join(caveats, " ")
	for i := range w.warnings {
		r.Warnings = append(r.Warnings, metric.Counted(&w.warnings[i]))
	}
	if w.base.Prices != nil {
		r.In = w.base.Prices.Currency
	}
	return r
}

// options are those of the i-th value.
func (w *planning) options(i int) (scenario.Options, error) {
	words := w.setting.words(i)
	if err := w.p.checkVariantWords(words); err != nil {
		return scenario.Options{}, cmdline.Usagef("--vary %s: %w", w.setting.name, err)
	}
	o, err := w.p.variantOptions(words, w.base)
	if err != nil {
		err = fmt.Errorf("--vary %s=%s: %w", w.setting.name, w.setting.labels[i], err)
	}
	return o, err
}

// progress says how far the search is. How many values and seeds it takes is not known before: as if the first seeds told.
func (w *planning) progress(time.Duration) (float64, string) {
	least := int64(inference.Fewest * (4 + bits.Len(uint(len(w.setting.labels)))))
	share := float64(w.done.Load()) / float64(max(least, w.begun.Load()+inference.Fewest))
	return share, fmt.Sprintf("%s done, at %s=%s", quantity.Counted(w.done.Load(), "replays"), w.setting.name, w.setting.labels[w.now.Load()])
}

// replay is [plan.Problem.Replay].
func (w *planning) replay(value, first, last int) ([][]float64, error) {
	o, err := w.options(value)
	if err != nil {
		return nil, err
	}
	results := make([]*report.Result, last-first)
	g, ctx := errgroup.WithContext(w.c.Context)
	g.SetLimit(workersOf(w.c))
	w.source.wanted += last - first
	w.begun.Add(int64(last - first))
	w.now.Store(int64(value))
	for k := range results {
		g.Go(func() (err error) {
			results[k], err = w.run(ctx, o, value, uint64(first+k))
			w.done.Add(1)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, fmt.Errorf("%s=%s: %w", w.setting.name, w.setting.labels[value], err)
	}
	var out [][]float64
	for _, r := range results {
		excess, err := w.excess(value, r)
		if err != nil {
			return nil, cmdline.Usagef("%w", err)
		}
		out = append(out, excess)
	}
	return out, nil
}

// run replays a value once, with the seed that stands so many after the first.
func (w *planning) run(ctx context.Context, o scenario.Options, value int, seed uint64) (*report.Result, error) {
	t, err := w.source.open(w.p)
	if err != nil {
		return nil, err
	}
	defer w.source.close()
	o = o.Clone()
	o.Seed += seed
	return w.p.replayOn(ctx, t, o, "", report.Options{}, &engine.Progress{}, func(sc *scenario.Scenario) *record.Made {
		if sc.Prices != nil {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.costs[value] = sc.HourAtStart()
			w.scaled = w.scaled || sc.Scaling != nil
		}
		return nil
	})
}

// excess returns by how much each target's value exceeds its limit; NaN without a value, where it is a mean that is below the limit as far
// as it is known, or where jobs are lost that should succeed. Those are noted at the value of the setting.
func (w *planning) excess(value int, r *report.Result) (out []float64, err error) {
	w.note(value, r)
	o := r.Outcome()
	lost := o.Unexpected > 0
	if o.Unexpected > w.lost[value].Jobs {
		most := slices.MaxFunc(o.Reasons, func(a, b metric.Reason) int { return cmp.Compare(a.Unexpected, b.Unexpected) })
		w.lost[value] = plan.Loss{Jobs: o.Unexpected, Of: o.Jobs, Why: most.Text()}
	}
	for i, t := range w.targets {
		at, limit, _, err := t.Find(r.Values)
		if err != nil {
			return nil, err
		}
		v := &r.Values[at]
		if n := o.CutOff(); n > 0 && v.Ends {
			return nil, fmt.Errorf("--hold is %q, and at %s = %s --until cuts off %s of %s and decides what it is over: want a value of jobs, such as p95(wait), or replays to the end",
				t.Text, w.setting.name, w.setting.labels[value], quantity.Thousands(n), quantity.Counted(o.Jobs, "jobs"))
		}
		if !lost { // which says more
			w.open[value] = max(w.open[value], v.Open)
		}
		if len(w.metrics) == i {
			words := metric.Words(r.Values, at)
			w.metrics = append(w.metrics, plan.Metric{Name: v.Name, Words: words, Unit: v.Unit, Limit: limit})
			if few := v.Few(); few != "" {
				w.metrics[i].Few = words + " is over " + v.Of() + ": " + few
			}
		}
		if w.metrics[i].Absent == "" {
			w.metrics[i].Absent = v.Absent
		}
		x := target.Over(v.Number, limit, v.Number)
		if v.Absent != "" || lost || x < 0 && v.Least() {
			x = math.NaN()
		}
		out = append(out, x)
	}
	return out, nil
}

// note keeps the warnings of a replay. Those of the load are of one value of the setting, of which all but the answer were tried for its sake.
func (w *planning) note(value int, r *report.Result) {
	var rest []record.Warning
	_, again := w.loads[value]
	loads := []record.Warning{}
	for _, warning := range r.Manifest.Warnings {
		switch {
		case warning.OfLoad() || warning.Code == record.ShortOfNodes:
			loads = append(loads, warning)
		default:
			rest = append(rest, warning)
		}
	}
	if !again {
		w.loads[value] = loads
	}
	w.warnings, w.about = withWarnings(w.warnings, rest, ""), r.Manifest.Elsewhere
}

// aSetting wants what a plan varies.
func aSetting(value string) error {
	_, err := parseSetting(value)
	return err
}

// setting is what a plan varies.
type setting struct {
	name   string   // of the flag; with a key: conf KEY
	key    string   // of --conf or --model, empty for a flag
	labels []string // its values
}

// given is the flag that says one value of the setting, and would have no effect; "" = there is none.
func (s *setting) given(c *cli.Context) string {
	flag, key, keyed := strings.Cut(s.name, " ")
	if !keyed {
		if c.IsSet(flag) {
			return "--" + flag
		}
		return ""
	}
	for _, pair := range c.StringSlice(flag) {
		if name, _, _ := strings.Cut(pair, "="); strings.TrimSpace(name) == key {
			return "--" + s.name
		}
	}
	return ""
}

// parseSetting reads NAME=VALUES. The error says what was wanted.
func parseSetting(text string) (s setting, err error) {
	name, values, ok := strings.Cut(text, "=")
	s.name = strings.TrimPrefix(strings.Join(strings.Fields(name), " "), "--")
	flag, key, keyed := strings.Cut(s.name, " ")
	if !ok || flag == "" || keyed != (flag == "conf" || flag == "model") {
		return s, errors.New("want SETTING=VALUES such as nodes=4:400 or 'conf spark.locality.wait=0s:10s:1s'")
	}
	if !keyed && strings.Contains(flag, ".") {
		return s, fmt.Errorf("%s is no flag; a key of Spark or YARN is varied by 'conf %s=%s'", flag, strings.TrimPrefix(flag, "conf."), values)
	}
	s.key = key
	if strings.Contains(values, ",") || !strings.Contains(values, ":") {
		s.labels = bySize(strings.Split(values, ","))
	} else if s.labels, err = steps(strings.Split(values, ":")); err != nil {
		return s, err
	}
	if len(s.labels) < 2 {
		return s, errors.New("want two values or more, as FROM:TO or with commas")
	}
	return s, nil
}

// bySize puts values that are numbers in the order of their sizes, each once: the border is searched for between neighbours, and is the smallest or the largest of them.
// Others stay as they were given.
func bySize(labels []string) []string {
	sizes := map[string]float64{}
	for _, units := range []map[string]float64{
		{"": 1}, {"%": 1}, // of one unit they all are
		{"us": .001, "ms": 1, "s": 1000, "m": 60_000, "min": 60_000, "h": quantity.HourMS, "d": 24 * quantity.HourMS},
		{"b": 1, "k": 1 << 10, "kb": 1 << 10, "m": 1 << 20, "mb": 1 << 20, "g": 1 << 30, "gb": 1 << 30, "t": 1 << 40, "tb": 1 << 40},
	} {
		clear(sizes)
		for _, text := range labels {
			number := strings.TrimRight(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ%")
			x, err := strconv.ParseFloat(number, 64)
			if by, ok := units[strings.ToLower(text[len(number):])]; ok && err == nil {
				sizes[text] = x * by
			}
		}
		if !slices.ContainsFunc(labels, func(text string) bool { _, ok := sizes[text]; return !ok }) {
			slices.SortStableFunc(labels, func(a, b string) int { return cmp.Compare(sizes[a], sizes[b]) })
			return slices.Compact(labels)
		}
	}
	return labels
}

// steps are the values from one to another.
func steps(bounds []string) ([]string, error) {
	if len(bounds) < 2 || len(bounds) > 3 || bounds[len(bounds)-1] == "" {
		return nil, errors.New("want FROM:TO or FROM:TO:STEP")
	}
	return sweep.Steps(bounds[0], bounds[1], strings.Join(bounds[2:], ""))
}

// words are the flags that set the i-th value.
func (s *setting) words(i int) []string {
	if s.key != "" {
		return []string{"--" + strings.TrimSuffix(s.name, " "+s.key), s.key + "=" + s.labels[i]}
	}
	return []string{"--" + s.name, s.labels[i]}
}
