package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"replay/engine/model"
	"replay/engine/scenario"
	"replay/engine/yarn/conf"
	"replay/policy"
	"replay/trace"
)

// scenarioFlags are the flags that say how to replay; run and the variants of compare share them.
func scenarioFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "scheduler", Usage: "YARN's scheduler: fair, capacity or fifo", DefaultText: "fair"},
		&cli.StringFlag{Name: "sharing", Usage: "policy of queues that do not say: " + strings.Join(policy.SharingNames(true), ", "), DefaultText: "what the allocation file says"},
		&cli.StringFlag{Name: "placement", Usage: "container requests: " + strings.Join(policy.PlacementNames(), ", "), DefaultText: policy.DefaultPlacement},
		&cli.StringFlag{Name: "engine", Usage: "how heartbeats are driven: dense", DefaultText: "dense"},
		&cli.StringSliceFlag{Name: "conf", Usage: "set a key of Spark or YARN, `KEY=VALUE` (repeatable)"},
		&cli.StringSliceFlag{Name: "model", Usage: "set a latency or factor of the model, `NAME=VALUE` (repeatable; see docs/model.md)"},
		&cli.StringFlag{Name: "model-file", Usage: "`FILE` with a NAME=VALUE of the model a line, under --model; replay backtest --fit writes one"},
		&cli.StringFlag{Name: "fair-scheduler", Usage: "fair-scheduler.xml `FILE`", DefaultText: "that of the trace"},
		&cli.StringSliceFlag{Name: "reload", Usage: "put another allocation file into force later, `TIME=FILE` (repeatable)"},
		&cli.StringFlag{Name: "capacity-scheduler", Usage: "capacity-scheduler.xml `FILE`", DefaultText: "that of the trace"},
		&cli.StringFlag{Name: "yarn-site", Usage: "yarn-site.xml `FILE`, over that of the trace"},
		&cli.StringFlag{Name: "spark-defaults", Usage: "spark-defaults.conf `FILE`, under the keys recorded with each job"},
		&cli.Uint64Flag{Name: "seed", Usage: "seed of all random streams", Value: 1},
		&cli.Float64Flag{Name: "load", Usage: "divide the times of submissions by `X`", Value: 1},
		&cli.StringFlag{Name: "until", Usage: "stop at this trace `TIME` (ms, or 90s, 10m, 2h)"},
		&cli.StringFlag{Name: "series", Usage: "interval of samples, a `TIME`", DefaultText: "from the trace's length"},
	}
}

// readOptions reads the scenario flags that are set in c over base.
func readOptions(c *cli.Context, base scenario.Options) (scenario.Options, error) {
	o := base
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
	for flag, to := range map[string]*int64{"until": &o.Until, "series": &o.SeriesMS} {
		if c.IsSet(flag) {
			ms, err := parseTime(c.String(flag))
			if err != nil {
				return o, usagef("--%s is %w", flag, err)
			}
			*to = ms
		}
	}
	o.YarnSite, o.SparkConf, o.CapacityConf = clone(o.YarnSite), clone(o.SparkConf), clone(o.CapacityConf)
	if err := readFiles(c, &o); err != nil {
		return o, err
	}
	for _, kv := range c.StringSlice("conf") {
		key, value, ok := strings.Cut(kv, "=")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		switch {
		case !ok || key == "":
			return o, usagef("--conf is %q, want KEY=VALUE", kv)
		case strings.HasPrefix(key, "spark."):
			o.SparkConf[key] = value
		case strings.HasPrefix(key, "yarn.scheduler.capacity."):
			o.CapacityConf[key] = value
		case strings.HasPrefix(key, "yarn."):
			o.YarnSite[key] = value
		default:
			return o, usagef("--conf %s: want a key that starts with spark. or yarn.", kv)
		}
	}
	if name, ok := o.SparkConf["spark.scheduler.allocation.file"]; ok {
		text, err := os.ReadFile(name)
		if err != nil {
			return o, fmt.Errorf("spark.scheduler.allocation.file: %w", err)
		}
		o.PoolsXML, o.PoolsName = text, name
	}
	if c.IsSet("model-file") {
		if err := readModelFile(&o.Model, c.String("model-file")); err != nil {
			return o, err
		}
	}
	for _, kv := range c.StringSlice("model") {
		name, value, ok := strings.Cut(kv, "=")
		if !ok {
			return o, usagef("--model is %q, want NAME=VALUE", kv)
		}
		if err := o.Model.Set(name, value); err != nil {
			return o, usagef("--model: %w", err)
		}
	}
	return o, nil
}

// readFiles reads the configuration files that flags name.
func readFiles(c *cli.Context, o *scenario.Options) error {
	if c.IsSet("fair-scheduler") {
		text, err := os.ReadFile(c.String("fair-scheduler"))
		if err != nil {
			return err
		}
		o.FairXML, o.FairName = text, c.String("fair-scheduler")
	}
	for _, r := range c.StringSlice("reload") {
		at, name, ok := strings.Cut(r, "=")
		ms, err := parseTime(at)
		if !ok || err != nil {
			return usagef("--reload is %q, want TIME=FILE such as 90s=fair-scheduler.xml", r)
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		o.Reloads = append(slices.Clip(o.Reloads), scenario.Reload{AtMS: ms, Name: name, XML: text})
	}
	if c.IsSet("capacity-scheduler") {
		m, err := readHadoopXML(c.String("capacity-scheduler"))
		if err != nil {
			return err
		}
		o.CapacityConf, o.CapacityName = m, c.String("capacity-scheduler")
	}
	if c.IsSet("yarn-site") {
		m, err := readHadoopXML(c.String("yarn-site"))
		if err != nil {
			return err
		}
		o.YarnFile = m
	}
	if c.IsSet("spark-defaults") {
		m, err := readSparkDefaults(c.String("spark-defaults"))
		if err != nil {
			return err
		}
		o.SparkDefaults = m
	}
	return nil
}

// readModelFile sets the parameters that a file names, one NAME=VALUE a line; # begins a comment.
func readModelFile(m *model.Model, path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		if !ok {
			return fmt.Errorf("%s:%d: %q, want NAME=VALUE", path, n, line)
		}
		if err := m.Set(strings.TrimSpace(name), strings.TrimSpace(value)); err != nil {
			return fmt.Errorf("%s:%d: %w", path, n, err)
		}
	}
	return lines.Err()
}

func clone(m map[string]string) map[string]string {
	out := make(map[string]string, len(m))
	for k, v := range m {
		out[k] = v
	}
	return out
}

func readHadoopXML(path string) (map[string]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return parseHadoopXML(path, text)
}

func parseHadoopXML(path string, text []byte) (map[string]string, error) {
	p := conf.NewProperties()
	if err := p.Parse(path, text); err != nil {
		return nil, err
	}
	return p.Resolve()
}

// readSparkDefaults reads spark-defaults.conf: a key and its value a line, split by white space or =.
func readSparkDefaults(path string) (map[string]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' || line[0] == '!' {
			continue
		}
		i := strings.IndexAny(line, " \t=:")
		if i < 1 {
			return nil, fmt.Errorf("%s:%d: %q is not a key and a value", path, n, line)
		}
		out[line[:i]] = strings.TrimLeft(line[i:], " \t=:")
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return out, nil
}

// openScenario opens the trace at dir and resolves the options against it. The trace must be closed.
func openScenario(dir string, o scenario.Options) (*scenario.Scenario, *trace.Trace, error) {
	t, err := trace.Open(dir)
	if err != nil {
		return nil, nil, err
	}
	sc, err := scenarioOf(t, dir, o)
	if err != nil {
		t.Close()
		return nil, nil, err
	}
	return sc, t, nil
}

// scenarioOf resolves the options against an open trace. Configuration files attached to the trace
// hold where the options have none.
func scenarioOf(t *trace.Trace, dir string, o scenario.Options) (*scenario.Scenario, error) {
	if o.FairXML == nil {
		text, err := t.Attachment("fair-scheduler.xml")
		if err == nil {
			o.FairXML, o.FairName = text, filepath.Join(dir, "fair-scheduler.xml")
		} else if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	for name, to := range map[string]*map[string]string{"yarn-site.xml": &o.TraceSite, "capacity-scheduler.xml": &o.CapacityConf} {
		text, err := t.Attachment(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		m, err := parseHadoopXML(filepath.Join(dir, name), text)
		if err != nil {
			return nil, err
		}
		for k, v := range *to {
			m[k] = v
		}
		*to = m
	}
	in := scenario.Input{
		Name: filepath.Base(filepath.Clean(dir)), Hash: t.Hash(),
		LocalitySource: t.LocalitySource, DurationSource: t.DurationSource,
		SpanMS: t.Manifest.SpanMS, NumJobs: t.Manifest.Counts.Jobs, NumTasks: t.Manifest.Counts.Tasks,
		Nodes: t.Nodes, Events: t.Events, Queues: t.Queues, Users: t.Users, Jobs: t.Jobs(),
	}
	sc, err := scenario.New(in, o)
	var option *scenario.OptionError
	if errors.As(err, &option) {
		return nil, &codedError{exitUsage, err}
	}
	return sc, err
}
