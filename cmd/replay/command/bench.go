package command

import (
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v2"

	"replay/bench/cases"
	"replay/bench/regress"
	"replay/bench/workload"
	"replay/cmd/replay/cmdline"
	"replay/cmd/replay/selfcmd"
	"replay/engine/scenario"
	"replay/outdir"
	"replay/report/quantity"
)

// benchCommand measures replays, and holds them against a baseline.
func benchCommand(p *program) *cli.Command {
	return &cli.Command{
		Name:      "bench",
		Usage:     "measure replays; with a baseline, fail when decisions, work or speed got worse",
		ArgsUsage: "[TRACE...]",
		Description: `Without TRACE it measures the cases of the project (--list). Each sample is a line of Go's benchmarks for benchstat, with
exact counts of what was executed, CPU time, and CPU time relative to a loop that is run before and after each sample.
With --baseline each case is compared, in this order: decisions by their hash, then work by its counts, then speed by the
spread of the baseline's own history. Exit code 1: a regression; 3: also for a baseline without any case that is measured, unless --save adds them.

Examples:
   replay bench --case 'month*' --save bench.json
   replay bench mytrace --config-dir /etc/hadoop/conf --baseline bench.json --junit bench.xml
   replay bench --baseline bench.json --github --markdown bench.md`,
		Flags: append(p.settings.Flags(),
			cmdline.With(&cli.StringSliceFlag{Name: "case", Usage: "only cases whose name matches `PATTERN`, such as 'backlog*' (repeatable)"}, aPattern),
			cmdline.Among(&cli.StringFlag{Name: "label", Usage: "cases of this length: " + labels(), DefaultText: "short; with --case all"}, labelNames()...),
			&cli.BoolFlag{Name: "list", Usage: "list the cases and do nothing else"},
			&cli.StringFlag{Name: "baseline", Usage: "compare with the baseline in `FILE`"},
			&cli.StringFlag{Name: "save", Usage: "write the measurements to `FILE`, a baseline; what was measured before of cases that are as they were is kept as their history"},
			&cli.StringFlag{Name: "junit", Usage: "write the verdicts to `FILE` as JUnit's XML"},
			&cli.StringFlag{Name: "markdown", Usage: "write the verdicts to `FILE` as a table of Markdown"},
			&cli.BoolFlag{Name: "github", Usage: "print annotations for a workflow of GitHub"},
			&cli.BoolFlag{Name: "json", Usage: "print the measurements and verdicts as JSON, and no lines"},
			cmdline.With(&cli.IntFlag{Name: "count", Usage: "exactly `N` samples of each case", DefaultText: "6, and up to 30 until the speed is known"}, cmdline.From1To(10_000)),
			cmdline.With(&cli.StringFlag{Name: "least", Usage: "repeat a case within a sample until that has taken this CPU `TIME`", Value: "500ms"}, cmdline.ATime),
			&cli.StringFlag{Name: "traces", Usage: "`DIR` of the traces of the project", Value: "traces"},
			&cli.StringFlag{Name: "cache", Usage: "keep the synthetic traces in `DIR` for the next time", DefaultText: "they are made again"},
			&cli.StringFlag{Name: "cpuprofile", Usage: "write a CPU profile of the measurements to `FILE`"},
			&cli.StringFlag{Name: "memprofile", Usage: "write a profile of all allocations to `FILE`"},
		),
		Action: p.orNoVerdict("replay bench", p.bench),
	}
}

func labelNames() (names []string) {
	for _, l := range cases.Labels {
		names = append(names, string(l))
	}
	return append(names, "all")
}

func labels() string { return strings.Join(labelNames(), ", ") }

// aPattern wants a pattern of names.
func aPattern(value string) error {
	_, err := path.Match(value, "")
	return err
}

func (p *program) bench(c *cli.Context) (err error) {
	if c.Bool("list") {
		return listCases(c)
	}
	if c.Bool("json") && c.Bool("github") {
		return cmdline.Usagef("--json and --github exclude each other: both are what is printed")
	}
	if err := checkFolders(c, "junit", "markdown", "save"); err != nil {
		return err
	}
	works, cleanUp, err := p.benchWorks(c)
	if err != nil {
		return err
	}
	defer cleanUp()
	least, err := cmdline.ParseTime(c.String("least"))
	if err != nil {
		return err
	}
	series := &workload.Series{Meter: workload.NewMeter(time.Duration(least) * time.Millisecond), Least: 6, Most: 30, Lines: c.App.Writer}
	if c.Bool("json") {
		series.Lines = io.Discard
	}
	if c.IsSet("count") {
		series.Least, series.Most = c.Int("count"), c.Int("count")
	}
	if file := c.String("baseline"); file != "" {
		if series.Old, err = regress.Read(file); err != nil {
			return err
		}
		if measured := slices.ContainsFunc(works, func(w benchWork) bool { return series.Old.Entry(w.name) != nil }); !measured && !c.IsSet("save") {
			return fmt.Errorf("--baseline: %s has no case that is measured here, such as %s, so nothing would be compared", file, works[0].name)
		}
		if !workload.Comparable(series.Old) && !c.Bool("quiet") {
			fmt.Fprintf(c.App.ErrWriter, "warning: %s: its times are beside another loop (%s) and are not compared\n", file, series.Old.Calibration)
		}
		if m := series.Old.Machine; m != workload.Machine() && !c.Bool("quiet") {
			fmt.Fprintf(c.App.ErrWriter, "warning: %s was measured elsewhere (%s; here: %s): decisions and work compare, times only roughly\n", file, m, workload.Machine())
		}
		if left := unmeasured(series.Old, works); left != nil && !c.IsSet("case") && !c.Bool("quiet") {
			fmt.Fprintf(c.App.ErrWriter, "warning: %s: not measured here, and so not compared: %s (%s)\n", file, quantity.Counted(int64(len(left)), "cases"), strings.Join(left, ", "))
		}
	}
	stop, err := profiles(c)
	if err != nil {
		return err
	}
	results, err := measureAll(c, series, works)
	if stopped := stop(); err == nil {
		err = stopped
	}
	if err != nil {
		return err
	}
	return p.benchVerdict(c, series, results)
}

// unmeasured are the cases of a baseline that are not to be measured, but for those of the project, which a label chooses among.
func unmeasured(b *regress.Baseline, works []benchWork) (names []string) {
	for _, e := range b.Entries {
		if !slices.ContainsFunc(works, func(w benchWork) bool { return w.name == e.Case }) && !slices.ContainsFunc(cases.All, func(k *cases.Case) bool { return k.Name == e.Case }) {
			names = append(names, e.Case)
		}
	}
	return names
}

// measureAll measures one case after the other.
func measureAll(c *cli.Context, series *workload.Series, works []benchWork) ([]*regress.Result, error) {
	if _, err := io.WriteString(series.Lines, workload.Header()); err != nil {
		return nil, err
	}
	var results []*regress.Result
	for _, w := range works {
		made, err := w.make()
		if err != nil {
			return nil, err
		}
		r, err := series.Run(c.Context, made)
		if err != nil {
			return nil, err
		}
		results = append(results, r)
	}
	return results, nil
}

// benchVerdict says what came out, writes it, and fails if anything got worse.
func (p *program) benchVerdict(c *cli.Context, series *workload.Series, results []*regress.Result) error {
	failed := false
	if c.Bool("json") {
		if err := cmdline.WriteJSON(c.App.Writer, regress.Verdicts(results)); err != nil {
			return err
		}
	}
	for _, r := range results {
		word := "ok  "
		switch {
		case series.Old == nil:
			continue
		case r.Failed():
			word, failed = "FAIL", true
		case r.Old == nil:
			word = "new "
		}
		if c.Bool("json") {
			continue
		}
		if _, err := fmt.Fprintf(c.App.Writer, "%s\t%s\t%s\n", word, r.Entry.Case, r.Say()); err != nil {
			return err
		}
	}
	if err := writeChecks(c, "replay bench", regress.Checks(results), func(w io.Writer) error { return regress.WriteMarkdown(w, results) }); err != nil {
		return err
	}
	if file := c.String("save"); file != "" {
		if err := saveBaseline(file, results); err != nil {
			return err
		}
	}
	if failed {
		return cmdline.FailedCheck()
	}
	return nil
}

// saveBaseline adds the results to the baseline at file, which may be absent. Histories of times beside another loop, or on another
// machine, begin again.
func saveBaseline(file string, results []*regress.Result) error {
	b := workload.NewBaseline(selfcmd.Built().String())
	switch old, err := regress.Read(file); {
	case err == nil:
		if workload.Comparable(old) && old.Machine == b.Machine {
			b.Entries = old.Entries
			break
		}
		for _, e := range old.Entries {
			e.Times = nil
			b.Entries = append(b.Entries, e)
		}
	case !os.IsNotExist(err):
		return err
	}
	for _, r := range results {
		b.Put(r.Entry)
	}
	return b.Write(file)
}

// benchWork is a case, or a trace, by name.
type benchWork struct {
	name string
	make func() (*workload.Work, error)
}

// benchWorks lists what is to be measured. cleanUp removes what was made for it.
func (p *program) benchWorks(c *cli.Context) (list []benchWork, cleanUp func(), err error) {
	cleanUp = func() {}
	o := p.settings.Defaults()
	o.WorkOf = nil // reading a trace twice is part of a replay
	if c.NArg() > 0 {
		for _, name := range []string{"case", "label", "traces", "cache"} {
			if c.IsSet(name) {
				return nil, nil, cmdline.Usagef("--%s is about the cases of the project; with a TRACE it has no meaning", name)
			}
		}
		if o, err = p.settings.Options(c, o); err != nil {
			return nil, nil, err
		}
		for _, dir := range c.Args().Slice() {
			name := filepath.Base(filepath.Clean(dir))
			t, err := cmdline.OpenTrace(dir) // before others are measured, and not after it
			if err != nil {
				return nil, nil, err
			}
			t.Close()
			if slices.ContainsFunc(list, func(w benchWork) bool { return w.name == name }) {
				return nil, nil, cmdline.Usagef("two traces are called %s: a baseline could not tell them apart", name)
			}
			list = append(list, benchWork{name, func() (*workload.Work, error) {
				return workload.Replay(name, func() (*scenario.Scenario, io.Closer, error) {
					t, err := cmdline.OpenTrace(dir)
					if err != nil {
						return nil, nil, err
					}
					err = p.checkTrace(t)
					var sc *scenario.Scenario
					if err == nil {
						sc, err = p.settings.Scenario(t, o)
					}
					if err != nil {
						t.Close()
						return nil, nil, err
					}
					return sc, t, nil
				})
			}})
		}
		return list, cleanUp, nil
	}
	chosen, err := chosenCases(c)
	if err != nil {
		return nil, nil, err
	}
	dir := c.String("cache")
	if dir == "" {
		scratch, err := outdir.Scratch("replay-bench")
		if err != nil {
			return nil, nil, err
		}
		dir, cleanUp = scratch.Path(""), scratch.Abort
	} else if err := outdir.MakeShared(dir); err != nil {
		return nil, nil, err
	}
	for _, k := range chosen {
		list = append(list, benchWork{k.Name, func() (*workload.Work, error) {
			base := o
			if k.Options != nil {
				k.Options(&base)
			}
			options, err := p.settings.Options(c, base)
			if err != nil {
				return nil, err
			}
			return workload.Of(c.Context, k, options, dir, c.String("traces"))
		}})
	}
	return list, cleanUp, nil
}

// chosenCases are the cases that the flags name.
func chosenCases(c *cli.Context) (list []*cases.Case, err error) {
	patterns, label := c.StringSlice("case"), c.String("label")
	if label == "" {
		label = string(cases.Short)
		if len(patterns) > 0 {
			label = "all"
		}
	}
	matched := make([]bool, len(patterns))
	for _, k := range cases.All {
		named := len(patterns) == 0
		for i, pattern := range patterns {
			if ok, _ := path.Match(pattern, k.Name); ok { // the flag takes no other
				named, matched[i] = true, true
			}
		}
		if named && (label == "all" || label == string(k.Label)) {
			list = append(list, k)
		}
	}
	for i, ok := range matched {
		if !ok {
			return nil, cmdline.Usagef("--case %s: no case is called so (replay bench --list names them)", patterns[i])
		}
	}
	if len(list) == 0 {
		return nil, cmdline.Usagef("no case is named so and has the label %s (replay bench --list)", label)
	}
	return list, nil
}

func listCases(c *cli.Context) error {
	if c.Bool("json") {
		type listed struct{ Name, Label, Kind, About string }
		var all []listed
		for _, k := range cases.All {
			all = append(all, listed{k.Name, string(k.Label), string(k.Kind), k.About})
		}
		return cmdline.WriteJSON(c.App.Writer, all)
	}
	w := tabwriter.NewWriter(c.App.Writer, 0, 0, 2, ' ', 0)
	for _, k := range cases.All {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", k.Name, k.Label, k.Kind, k.About)
	}
	return w.Flush()
}

// memProfileRate is of how many bytes allocated one is in a profile, on average.
const memProfileRate = 512 << 10

// profiles starts the profiles that are asked for; stop writes them.
func profiles(c *cli.Context) (stop func() error, err error) {
	if c.String("memprofile") != "" {
		runtime.MemProfileRate = memProfileRate
	}
	var cpu *os.File
	if file := c.String("cpuprofile"); file != "" {
		if cpu, err = os.Create(file); err != nil {
			return nil, err
		}
		if err := pprof.StartCPUProfile(cpu); err != nil {
			return nil, err
		}
	}
	return func() error {
		if cpu != nil {
			pprof.StopCPUProfile()
			if err := cpu.Close(); err != nil {
				return err
			}
		}
		file := c.String("memprofile")
		if file == "" {
			return nil
		}
		f, err := os.Create(file)
		if err != nil {
			return err
		}
		runtime.GC()
		err = pprof.Lookup("allocs").WriteTo(f, 0)
		if closed := f.Close(); err == nil {
			err = closed
		}
		return err
	}, nil
}
