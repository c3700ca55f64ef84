package command

import (
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/urfave/cli/v2"

	"replay/engine/scenario"
	"replay/policy"
	"replay/trace"
)

// scenarioFlags are the flags that say how to replay; run and the variants of compare share them.
func scenarioFlags(policies *policy.Tables) []cli.Flag {
	flags := []cli.Flag{
		&cli.StringFlag{Name: "scheduler", Usage: "YARN's scheduler: " + scenario.SchedulerNames(), DefaultText: "the one that yarn-site.xml names, else " + scenario.Schedulers[0].Name},
		&cli.StringFlag{Name: "sharing", Usage: "policy of queues that name none: " + strings.Join(policies.SharingNames(true), ", "), DefaultText: "what the allocation file says"},
		&cli.StringFlag{Name: "placement", Usage: "container requests: " + strings.Join(policies.PlacementNames(), ", "), DefaultText: policy.DefaultPlacement},
		&cli.StringFlag{Name: "engine", Usage: "how heartbeats are driven: fast leaves out those that can change nothing, dense executes all; both make the same decisions", DefaultText: "fast"},
		&cli.StringSliceFlag{Name: "conf", Usage: "set a key of Spark or YARN, `KEY=VALUE` (repeatable)"},
		&cli.StringSliceFlag{Name: "model", Usage: "set a latency or factor of the model, `NAME=VALUE` (repeatable; see docs/model.md)"},
		&cli.StringFlag{Name: "model-file", Usage: "`FILE` with one NAME=VALUE of the model on each line; --model wins over it; replay backtest --fit writes one"},
		&cli.StringSliceFlag{Name: "reload", Usage: "load another allocation file during the replay, `TIME=FILE` (repeatable)"},
		&cli.StringFlag{Name: "config-dir", Usage: "configuration `FOLDER` of Hadoop and Spark as it is: yarn-site.xml, the scheduler's file, spark-defaults.conf, …; flags that name a file win over it"},
		&cli.StringFlag{Name: "yarn-site", Usage: "yarn-site.xml `FILE`", DefaultText: "that of the trace"},
		&cli.StringFlag{Name: "spark-defaults", Usage: "spark-defaults.conf `FILE`; keys recorded with a job win over it"},
		&cli.Uint64Flag{Name: "seed", Usage: "seed of all random streams", Value: 1},
		&cli.Float64Flag{Name: "load", Usage: "scale arrivals to an offered `LOAD`; 1 is as much as all vcores can do until the last submission", DefaultText: "as recorded"},
		&cli.IntFlag{Name: "nodes", Usage: "a cluster of `N` nodes like those of the trace", DefaultText: "the trace's"},
		&cli.StringFlag{Name: "until", Usage: "stop at this trace `TIME` (ms, or 90s, 10m, 2h)"},
		&cli.BoolFlag{Name: "verbose", Usage: "list the keys that have no effect instead of counting them"},
		&cli.StringFlag{Name: "series", Usage: "`TIME` between samples", DefaultText: "from the trace's length"},
	}
	for _, k := range fileFlags() {
		if k.scheduler != nil {
			flags = append(flags, &cli.StringFlag{Name: k.flag, Usage: k.kind + " `FILE`, for --scheduler " + k.scheduler.Name, DefaultText: "that of the trace"})
		}
	}
	return flags
}

// fileFlag is a flag that names a configuration file.
type fileFlag struct {
	flag, kind string
	scheduler  *scenario.Scheduler // that reads it, nil for others
}

func fileFlags() []fileFlag {
	out := []fileFlag{{"yarn-site", scenario.YarnSite, nil}, {"spark-defaults", scenario.SparkDefaults, nil}, {"model-file", scenario.ModelFile, nil}}
	for i := range scenario.Schedulers {
		if s := &scenario.Schedulers[i]; s.File != "" {
			out = append(out, fileFlag{s.Flag(), s.File, s})
		}
	}
	return out
}

// options are those without a flag.
func (p *program) options() scenario.Options {
	o := scenario.DefaultOptions()
	o.Policies = p.policies
	return o
}

// readOptions reads the scenario flags that are set in c over base. What lies over what is decided by the
// scenario and not by the order of flags.
func readOptions(c *cli.Context, base scenario.Options) (scenario.Options, error) {
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
	if c.IsSet("load") {
		if o.Load = c.Float64("load"); !(o.Load > 0) {
			return o, usagef("--load is %v, want a positive number", o.Load)
		}
	}
	if c.IsSet("nodes") {
		if o.Nodes = c.Int("nodes"); o.Nodes < 1 {
			return o, usagef("--nodes is %d, want 1 or more", o.Nodes)
		}
	}
	for flag, to := range map[string]*int64{"until": &o.Until, "series": &o.SeriesMS} {
		if c.IsSet(flag) {
			ms, err := parseTime(c.String(flag))
			if err != nil {
				return o, usagef("--%s is %w", flag, err)
			}
			*to = ms
		}
	}
	for _, keys := range []struct {
		flag, want string
		to         map[string]string
	}{{"conf", "KEY=VALUE", o.Conf}, {"model", "NAME=VALUE", o.Parameters}} {
		for _, kv := range c.StringSlice(keys.flag) {
			key, value, ok := strings.Cut(kv, "=")
			if key = strings.TrimSpace(key); !ok || key == "" {
				return o, usagef("--%s is %q, want %s", keys.flag, kv, keys.want)
			}
			keys.to[key] = strings.TrimSpace(value)
		}
	}
	o.Verbose = o.Verbose || c.Bool("verbose")
	if o.Read == nil {
		o.Read = readOnce()
	}
	if o.WorkOf == nil {
		o.WorkOf = workOnce()
	}
	return o, readFiles(c, &o)
}

// readFiles reads the configuration files that flags name.
func readFiles(c *cli.Context, o *scenario.Options) error {
	if c.IsSet("config-dir") {
		var err error
		if o.Folder, err = scenario.ReadFolder(c.String("config-dir")); err != nil {
			return fmt.Errorf("--config-dir: %w", err)
		}
	}
	for _, f := range fileFlags() {
		if c.IsSet(f.flag) {
			file, err := scenario.ReadFile(c.String(f.flag))
			if err != nil {
				return err
			}
			o.Files[f.kind] = file
		}
	}
	for _, r := range c.StringSlice("reload") {
		at, name, ok := strings.Cut(r, "=")
		ms, err := parseTime(at)
		if !ok || err != nil {
			return usagef("--reload is %q, want TIME=FILE such as 90s=fair-scheduler.xml", r)
		}
		file, err := scenario.ReadFile(name)
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

// readOnce returns a reader that reads each file once, so that all replays of a command see the same text.
// Several may call it at the same time.
func readOnce() func(path string) ([]byte, error) {
	type answer struct {
		text []byte
		err  error
	}
	var mu sync.Mutex
	seen := map[string]answer{}
	return func(path string) ([]byte, error) {
		mu.Lock()
		defer mu.Unlock()
		a, ok := seen[path]
		if !ok {
			a.text, a.err = os.ReadFile(path)
			seen[path] = a
		}
		return a.text, a.err
	}
}

// openScenario opens the trace at dir and resolves the options against it. The trace must be closed.
func openScenario(dir string, o scenario.Options) (*scenario.Scenario, *trace.Trace, error) {
	t, err := trace.Open(dir)
	if err != nil {
		return nil, nil, err
	}
	sc, err := scenario.FromTrace(t, o)
	if err != nil {
		t.Close()
		return nil, nil, err
	}
	return sc, t, nil
}
