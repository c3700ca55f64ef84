// Package settings reads the flags that say how a trace is replayed, with the files that they name and the names of jobs in them, as
// [scenario.Options]. All commands that replay take these flags, and the variants of comparisons and the plans of sweeps are written in them.
package settings

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/urfave/cli/v2"

	"replay/cmd/replay/cmdline"
	"replay/engine/price"
	"replay/engine/scenario"
	"replay/input"
	"replay/policy"
	"replay/policy/autoscale"
	"replay/policy/starlark"
	"replay/trace"
)

// A Reader reads the settings of the replays of one command. Several may use it at the same time.
type Reader struct {
	Policies *policy.Tables // that can be named beside those of package policy
	Files    *Files
	named    namedJobs // in changes
}

// New returns a reader that has read no file.
func New(policies *policy.Tables) *Reader { return &Reader{Policies: policies, Files: newFiles()} }

// Flags are the flags that say how to replay.
func (r *Reader) Flags() []cli.Flag {
	var schedulers []string
	for i := range scenario.Schedulers {
		schedulers = append(schedulers, scenario.Schedulers[i].Name)
	}
	flags := []cli.Flag{
		cmdline.Offering(&cli.StringFlag{Name: "scheduler", Usage: "YARN's scheduler, or a central one without YARN to measure against: " + scenario.SchedulerNames(), DefaultText: "the one that yarn-site.xml names, else " + scenario.Schedulers[0].Name}, schedulers...),
		cmdline.Offering(&cli.StringFlag{Name: "sharing", Usage: "policy of queues that name none: " + strings.Join(r.Policies.SharingNames(true), ", "), DefaultText: "what the allocation file says"}, r.Policies.SharingNames(true)...),
		cmdline.Offering(&cli.StringFlag{Name: "placement", Usage: "container requests: " + strings.Join(r.Policies.PlacementNames(), ", "), DefaultText: policy.DefaultPlacement}, r.Policies.PlacementNames()...),
		&cli.StringSliceFlag{Name: "policy", Usage: "policies written in Starlark, a `FILE` such as mine.star (repeatable; see docs/policies.md): they decide where --sharing, --placement, --autoscale and the queues' files name none"},
		cmdline.Among(&cli.StringFlag{Name: "engine", Usage: "how heartbeats are driven: fast leaves out those that can change nothing, dense executes all; both make the same decisions", DefaultText: "fast"}, scenario.Engines...),
		cmdline.With(&cli.StringSliceFlag{Name: "conf", Usage: "set a key of Spark or YARN, `KEY=VALUE` (repeatable)"}, cmdline.APair("KEY=VALUE")),
		cmdline.With(&cli.StringSliceFlag{Name: "model", Usage: "set a latency or factor of the model, `NAME=VALUE` (repeatable; see docs/model.md)"}, cmdline.APair("NAME=VALUE")),
		&cli.StringFlag{Name: "model-file", Usage: "`FILE` with one NAME=VALUE of the model on each line; --model wins over it; replay backtest --fit writes one"},
		cmdline.With(&cli.StringSliceFlag{Name: "reload", Usage: "load another allocation file during the replay, `TIME=FILE` (repeatable)"}, aReload),
		cmdline.With(&cli.StringSliceFlag{Name: "change", Usage: "one thing otherwise than in the trace and its files (repeatable): `CHANGE`, such as 'without job 7'; see replay whatif --help"}, func(text string) error {
			_, err := ParseChange(text)
			return err
		}),
		&cli.StringFlag{Name: "config-dir", Usage: "configuration `FOLDER` of Hadoop and Spark as it is: yarn-site.xml, the scheduler's file, spark-defaults.conf, …; flags that name a file win over it"},
		&cli.StringFlag{Name: "yarn-site", Usage: "yarn-site.xml `FILE`", DefaultText: "that of the trace"},
		&cli.StringFlag{Name: "spark-defaults", Usage: "spark-defaults.conf `FILE`; keys recorded with a job win over it"},
		&cli.StringFlag{Name: "mapred-site", Usage: "mapred-site.xml `FILE`; keys recorded with a job win over it", DefaultText: "that of the trace"},
		&cli.BoolFlag{Name: "override", Usage: "let spark-defaults.conf and mapred-site.xml win over the keys recorded with a job"},
		&cli.Uint64Flag{Name: "seed", Usage: "seed of all random streams", Value: 1},
		cmdline.With(&cli.Float64Flag{Name: "load", Usage: "scale arrivals to an offered `LOAD`; 1 is as much as all vcores can do until the last submission", DefaultText: "as recorded"}, cmdline.ALoad),
		cmdline.With(&cli.Float64Flag{Name: "faster", Usage: "jobs arrive `FACTOR` times as fast as recorded, on any cluster: 1.4 for 40 % more work in the same time", DefaultText: "1"}, aFactor),
		cmdline.With(&cli.StringFlag{Name: "nodes", Usage: "a cluster of `N` nodes like those of the trace, or of so many more or fewer: +4, -4, +10%, -10%", DefaultText: "the trace's"}, func(text string) error {
			_, _, err := scenario.ParseNodes(text)
			return err
		}),
		cmdline.With(&cli.StringFlag{Name: "until", Usage: "stop at this trace `TIME`, such as 90s, 10m, 2h or 7d"}, cmdline.ATime),
		&cli.BoolFlag{Name: "verbose", Usage: "list the keys that have no effect instead of counting them"},
		cmdline.With(&cli.StringFlag{Name: "series", Usage: "`TIME` between samples", DefaultText: "from the trace's length"}, cmdline.ATime),
	}
	flags = append(flags, scalingFlags()...)
	for _, k := range fileFlags() {
		if k.scheduler != nil {
			flags = append(flags, &cli.StringFlag{Name: k.flag, Usage: k.kind + " `FILE`, for --scheduler " + k.scheduler.Name, DefaultText: "that of the trace"})
		}
	}
	return flags
}

// mostFaster bounds what times of submissions are divided by, and multiplied.
const mostFaster = 1000

// aFactor wants by what to divide times of submissions.
func aFactor(value string) error {
	if percent, ok := strings.CutSuffix(value, "%"); ok {
		if x, err := strconv.ParseFloat(strings.TrimPrefix(percent, "+"), 64); err == nil {
			return fmt.Errorf("want a factor, %.4g for %g %% more", 1+x/100, x)
		}
	}
	if err := cmdline.Positive(value); err != nil {
		return err
	}
	if x, err := strconv.ParseFloat(value, 64); err != nil || x < 1.0/mostFaster || x > mostFaster {
		return fmt.Errorf("want %v to %v", 1.0/mostFaster, mostFaster)
	}
	return nil
}

// aReload wants a time and a file.
func aReload(value string) error {
	at, _, ok := strings.Cut(value, "=")
	if _, err := cmdline.ParseTime(at); !ok || err != nil {
		return errors.New("want TIME=FILE such as 90s=fair-scheduler.xml")
	}
	return nil
}

// fileFlag is a flag that names a configuration file.
type fileFlag struct {
	flag, kind string
	scheduler  *scenario.Scheduler // that reads it, nil for others
}

func fileFlags() []fileFlag {
	out := []fileFlag{{"yarn-site", scenario.YarnSite, nil}, {"spark-defaults", scenario.SparkDefaults, nil}, {"mapred-site", scenario.MapredSite, nil}, {"model-file", scenario.ModelFile, nil}}
	for i := range scenario.Schedulers {
		if s := &scenario.Schedulers[i]; s.File != "" {
			out = append(out, fileFlag{s.Flag(), s.File, s})
		}
	}
	return out
}

// Defaults are the options without a flag.
func (r *Reader) Defaults() scenario.Options {
	o := scenario.DefaultOptions()
	o.Policies = r.Policies
	o.Read = r.Files.Read
	o.WorkOf = workOnce()
	return o
}

// Options reads the flags of [Reader.Flags] that are set in c over base. What lies over what is decided by the
// scenario and not by the order of flags.
func (r *Reader) Options(c *cli.Context, base scenario.Options) (scenario.Options, error) {
	o := base.Clone()
	text := func(flag string, to *string) {
		if c.IsSet(flag) {
			*to = c.String(flag)
		}
	}
	text("scheduler", &o.Scheduler)
	text("sharing", &o.Sharing)
	text("placement", &o.Placement)
	text("engine", &o.Engine)
	if c.IsSet("seed") {
		o.Seed = c.Uint64("seed")
	}
	switch {
	case c.IsSet("load") && c.IsSet("faster"):
		return o, cmdline.Usagef("--load and --faster both say how fast jobs arrive: want one of them")
	case c.IsSet("load"):
		o.Load, o.Faster = c.Float64("load"), 0
	case c.IsSet("faster"):
		o.Load, o.Faster = 0, c.Float64("faster")
	}
	if c.IsSet("nodes") {
		o.Nodes, o.NodesBy, _ = scenario.ParseNodes(c.String("nodes")) // the flag takes no other
	}
	for flag, to := range map[string]*int64{"until": &o.Until, "series": &o.SeriesMS} {
		if c.IsSet(flag) {
			*to, _ = cmdline.ParseTime(c.String(flag)) // the flag takes no other
		}
	}
	for flag, to := range map[string]map[string]string{"conf": o.Conf, "model": o.Parameters} {
		for _, kv := range c.StringSlice(flag) {
			key, value, _ := strings.Cut(kv, "=")
			key = strings.TrimSpace(key)
			to[key] = strings.TrimSpace(value)
			if flag == "conf" {
				o.ConfOrder = append(o.ConfOrder, key)
			}
		}
	}
	for _, text := range c.StringSlice("change") {
		change, _ := ParseChange(text) // the flag takes no other
		o.Changes = append(o.Changes, change)
	}
	o.Override = o.Override || c.Bool("override")
	o.Verbose = o.Verbose || c.Bool("verbose")
	if err := r.readPolicies(c, &o); err != nil {
		return o, err
	}
	if err := r.readScaling(c, &o); err != nil {
		return o, err
	}
	return o, r.readFiles(c, &o)
}

// Scenario resolves options against an open trace.
func (r *Reader) Scenario(t *trace.Trace, o scenario.Options) (*scenario.Scenario, error) {
	var err error
	if o.Changes, err = r.named.numbered(t, o.Window, o.Changes); err != nil {
		return nil, err
	}
	return scenario.FromTrace(t, o)
}

// readPolicies reads the files of policies that flags name.
func (r *Reader) readPolicies(c *cli.Context, o *scenario.Options) error {
	for _, name := range c.StringSlice("policy") {
		file, err := r.Files.file(name)
		if err != nil {
			if slices.Contains(policy.SharingNames(false), name) {
				return fmt.Errorf("--policy %s: want a file in Starlark; the built-in %s is named by --sharing %s", name, name, name)
			}
			return fmt.Errorf("--policy: %w", err)
		}
		read, err := starlark.Read(file.Name, input.Unmarked(file.Text))
		if err != nil {
			return err
		}
		o.Scripts = append(o.Scripts, scenario.Script{File: file, Policy: read.Policy, Policies: read.Policies})
	}
	return nil
}

// readFiles reads the configuration files that flags name.
func (r *Reader) readFiles(c *cli.Context, o *scenario.Options) error {
	if c.IsSet("config-dir") {
		var err error
		if o.Folder, err = r.Files.folder(c.String("config-dir")); err != nil {
			return fmt.Errorf("--config-dir: %w", err)
		}
	}
	for _, f := range fileFlags() {
		if c.IsSet(f.flag) {
			file, err := r.Files.file(c.String(f.flag))
			if err != nil {
				return err
			}
			if f.kind == scenario.ModelFile {
				file.Text = input.Unmarked(file.Text)
			}
			o.Files[f.kind] = file
		}
	}
	for _, text := range c.StringSlice("reload") {
		at, name, _ := strings.Cut(text, "=")
		ms, _ := cmdline.ParseTime(at) // the flag takes no other
		file, err := r.Files.file(name)
		if err != nil {
			return err
		}
		o.Reloads = append(o.Reloads, scenario.Reload{AtMS: ms, File: file})
	}
	return nil
}

// workOnce returns a reader of the work of traces that reads each trace once. Several may call it at the same time.
func workOnce() func(*trace.Trace) (trace.Work, error) {
	type answer struct {
		work trace.Work
		err  error
	}
	var mu sync.Mutex
	seen := map[string]answer{}
	return func(t *trace.Trace) (trace.Work, error) {
		mu.Lock()
		defer mu.Unlock()
		a, ok := seen[t.Hash()]
		if !ok {
			a.work, a.err = t.Work()
			seen[t.Hash()] = a
		}
		return a.work, a.err
	}
}

// scalingFlags are those of nodes that come and go, and of what they cost.
func scalingFlags() []cli.Flag {
	return []cli.Flag{
		cmdline.Offering(&cli.StringFlag{Name: "autoscale", Usage: "policy that adds and removes nodes: " + autoscale.Names(), DefaultText: "none"}, strings.Split(autoscale.Names(), ", ")...),
		&cli.StringFlag{Name: "autoscale-conf", Usage: "its settings, a YAML `FILE` with the keys of docs/autoscale.md; a single one is --conf autoscale.KEY=VALUE"},
		&cli.StringFlag{Name: "prices", Usage: "what nodes cost an hour by type, lines of `FILE`: a label of nodes, a size as MIBxVCORES or * with =AMOUNT; currency=NAME; minimum=60s"},
	}
}

// readScaling reads the flags of scalingFlags that are set.
func (r *Reader) readScaling(c *cli.Context, o *scenario.Options) error {
	if c.IsSet("autoscale") {
		o.Autoscale = c.String("autoscale")
	}
	if c.IsSet("autoscale-conf") {
		f, err := r.Files.file(c.String("autoscale-conf"))
		if err != nil {
			return err
		}
		if o.AutoscaleSettings, err = readSettings(f); err != nil {
			return err
		}
	}
	if c.IsSet("prices") {
		f, err := r.Files.file(c.String("prices"))
		if err != nil {
			return err
		}
		if o.Prices, err = price.Read(f.Name, input.Unmarked(f.Text)); err != nil {
			return err
		}
	}
	return nil
}
