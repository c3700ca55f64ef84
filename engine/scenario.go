package engine

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"replay/engine/record"
	"replay/engine/yarn/conf"
	"replay/policy"
	"replay/trace"
)

// Scenario is a trace with a resolved configuration: all that a replay's decisions depend on.
type Scenario struct {
	Options
	Input       Input
	Site        *conf.Site
	Allocations *conf.Allocations
	MemoryOnly  bool // the scheduler looks at memory alone, so vcores may be overbooked
	Warnings    []record.Warning

	site      map[string]string // yarn-site in effect
	place     policy.Placement
	queueName []string // by queue id
	user      []string // by user id
}

// Defaults that differ from YARN's own: a replay does not begin with the restart of a ResourceManager.
var siteDefaults = map[string]string{
	"yarn.resourcemanager.work-preserving-recovery.enabled": "false",
}

// NewScenario resolves the options against the trace. Errors name the flag or file, the key and the value.
func NewScenario(in Input, o Options) (*Scenario, error) {
	sc := &Scenario{Options: o, Input: in}
	if sc.Scheduler == "" {
		sc.Scheduler = "fair"
	}
	if sc.Placement == "" {
		sc.Placement = "locality-ratio"
	}
	if sc.Engine == "" {
		sc.Engine = "dense"
	}
	if sc.Engine != "dense" {
		return nil, fmt.Errorf("engine is %q, want dense (the only one in this version)", sc.Engine)
	}
	if sc.Load == 0 {
		sc.Load = 1
	}
	if !(sc.Load > 0) || math.IsInf(sc.Load, 0) {
		return nil, fmt.Errorf("load is %v, want a positive number", sc.Load)
	}
	if sc.StallMS == 0 {
		sc.StallMS = 3600_000
	}
	if sc.SeriesMS == 0 {
		sc.SeriesMS = seriesInterval(in.SpanMS)
	}
	var err error
	if sc.place, err = policy.NewPlacement(sc.Placement); err != nil {
		return nil, err
	}
	if err := sc.readSite(); err != nil {
		return nil, err
	}
	for i := range in.Queues {
		sc.queueName = append(sc.queueName, in.Queues[i].Path)
	}
	for i := range in.Users {
		sc.user = append(sc.user, in.Users[i].Name)
	}
	if err := sc.readQueues(); err != nil {
		return nil, err
	}
	for i := range in.Nodes {
		if len(in.Nodes[i].Labels) > 0 {
			sc.warn("node-labels", "node labels are not modelled: every node takes every container")
			break
		}
	}
	return sc, nil
}

func (sc *Scenario) warn(code, format string, args ...any) {
	sc.Warnings = append(sc.Warnings, record.Warning{Code: code, Text: fmt.Sprintf(format, args...), Count: 1})
}

// seriesInterval chooses the interval of samples: a second or more, at most about a thousand samples
// up to the last submission.
func seriesInterval(span int64) int64 {
	for _, s := range []int64{1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600} {
		if span/(s*1000) <= 1000 {
			return s * 1000
		}
	}
	return 3600_000
}

func (sc *Scenario) userName(id int32) string {
	if id >= 0 && int(id) < len(sc.user) {
		return sc.user[id]
	}
	return "default"
}

func (sc *Scenario) queuePath(id int32) string {
	if id >= 0 && int(id) < len(sc.queueName) {
		return sc.queueName[id]
	}
	return "default"
}

func (sc *Scenario) sparkDefaultsName() string { return "--spark-defaults" }

// queuesXML writes an allocation file for the queues of the trace, for traces that come without one.
func queuesXML(queues []trace.Queue) []byte {
	var b strings.Builder
	b.WriteString("<?xml version=\"1.0\"?>\n<allocations>\n")
	children := map[int32][]int{}
	known := map[string]bool{}
	for i := range queues {
		known[queues[i].Path] = true
	}
	for i := range queues {
		children[queues[i].Parent] = append(children[queues[i].Parent], i)
	}
	var write func(i int, depth string)
	write = func(i int, depth string) {
		q := &queues[i]
		name := q.Path[strings.LastIndexByte(q.Path, '.')+1:]
		fmt.Fprintf(&b, "%s<queue name=%q>\n", depth, name)
		in := depth + "  "
		if !math.IsNaN(q.Weight) && q.Weight != trace.Unset {
			fmt.Fprintf(&b, "%s<weight>%s</weight>\n", in, strconv.FormatFloat(q.Weight, 'g', -1, 64))
		}
		if q.MinMemMiB > 0 || q.MinVCores > 0 {
			fmt.Fprintf(&b, "%s<minResources>%d mb, %d vcores</minResources>\n", in, max(q.MinMemMiB, 0), max(q.MinVCores, 0))
		}
		if q.MaxMemMiB >= 0 || q.MaxVCores >= 0 {
			mem, vcores := q.MaxMemMiB, q.MaxVCores
			if mem < 0 {
				mem = math.MaxInt32
			}
			if vcores < 0 {
				vcores = math.MaxInt32
			}
			fmt.Fprintf(&b, "%s<maxResources>%d mb, %d vcores</maxResources>\n", in, mem, vcores)
		}
		if q.MaxApps >= 0 {
			fmt.Fprintf(&b, "%s<maxRunningApps>%d</maxRunningApps>\n", in, q.MaxApps)
		}
		if !math.IsNaN(q.AMShare) && q.AMShare >= 0 && len(children[q.ID]) == 0 {
			fmt.Fprintf(&b, "%s<maxAMShare>%s</maxAMShare>\n", in, strconv.FormatFloat(q.AMShare, 'g', -1, 64))
		}
		if q.Policy != "" {
			fmt.Fprintf(&b, "%s<schedulingPolicy>%s</schedulingPolicy>\n", in, q.Policy)
		}
		for _, c := range children[q.ID] {
			if c != i {
				write(c, in)
			}
		}
		fmt.Fprintf(&b, "%s</queue>\n", depth)
	}
	for i := range queues {
		if p := queues[i].Parent; p == trace.Unset {
			write(i, "  ")
		}
	}
	b.WriteString("</allocations>\n")
	return []byte(b.String())
}

// manifest describes the scenario; the replay adds what it counted.
func (sc *Scenario) manifest() *record.Manifest {
	m := &record.Manifest{
		Format: "replay-result", FormatVersion: "1.0", Program: "replay",
		TraceHash: sc.Input.Hash, TraceName: sc.Input.Name,
		LocalitySource: sc.Input.LocalitySource, DurationSource: sc.Input.DurationSource,
		Scheduler: sc.Scheduler, Sharing: sc.Sharing, Placement: sc.Placement, Engine: sc.Engine,
		Seed: sc.Seed, Load: sc.Load, Until: sc.Until,
		Config: map[string]string{}, Model: sc.Model.Values(),
	}
	for _, layer := range []map[string]string{sc.site, sc.CapacityConf, sc.SparkDefaults, sc.SparkConf} {
		for k, v := range layer {
			m.Config[k] = v
		}
	}
	m.Modelled = []string{
		"latencies of messages and processes, and the cost of remote reads: see the model's parameters",
		"phases of node heartbeats: drawn from the seed",
		"order of executors in an offer: shuffled from the seed, as Spark shuffles them",
	}
	if sc.Input.LocalitySource != "recorded" {
		m.Modelled = append(m.Modelled, "preferred hosts of tasks: "+sc.Input.LocalitySource)
	}
	if sc.Input.DurationSource != "recorded" {
		m.Modelled = append(m.Modelled, "durations of tasks: "+sc.Input.DurationSource)
	}
	return m
}
