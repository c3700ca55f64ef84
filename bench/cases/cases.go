// Package cases holds the workloads of benchmarks as data, shared by the tests and by replay bench.
package cases

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"replay/engine/scenario"
	"replay/trace"
	"replay/trace/synth"
)

// A Label says how long a case takes.
type Label string

// The labels: short cases take seconds, nightly ones up to hours.
const (
	Short   Label = "short"
	Nightly Label = "nightly"
)

// Labels are all of them.
var Labels = []Label{Short, Nightly}

// A Kind says what is measured.
type Kind string

// The kinds of cases.
const (
	Replay Kind = "replay" // from the trace's tables to the summary
	Read   Kind = "read"   // the tables to jobs
	Report Kind = "report" // a result directory to its metrics
)

// A Case is a workload with the options that it is replayed with. Its trace comes from a preset of the generator, from W1, or from
// the traces of the project.
type Case struct {
	Name  string
	Label Label
	Kind  Kind
	About string

	Preset string // of the generator
	Gen    synth.Options
	W1     *W1
	Trace  string // in a folder of traces

	Options func(*scenario.Options) // nil = those of replay run without flags
}

// All are the cases. Each hides what others show.
var All = list()

func list() (all []*Case) {
	add := func(c Case) { all = append(all, &c) }
	gen := func(name string, label Label, preset string, o synth.Options, change func(*scenario.Options), about string) {
		add(Case{Name: name, Label: label, Kind: Replay, About: about, Preset: preset, Gen: o, Options: change})
	}
	until := func(ms int64) func(*scenario.Options) { return func(o *scenario.Options) { o.Until = ms } }
	scheduler := func(name string) func(*scenario.Options) {
		return func(o *scenario.Options) { o.Scheduler = name }
	}
	const held = 0.6 // of the vcores, by the executors of the month, whose tasks take 0.42
	const longLived = "many queues with long-lived applications"

	gen("month-hundredth-day", Short, "month", synth.Options{Nodes: 120, Jobs: 180}, nil, longLived+", delay scheduling")
	gen("month-tenth-hours", Short, "month", synth.Options{Nodes: 1200, Jobs: 300}, nil, longLived+", the first hours of a tenth of the cluster")
	gen("month-tenth-crowded", Short, "month-elastic", synth.Options{Nodes: 1200, Jobs: 1500, Load: 2}, until(20_000_000), longLived+", twice the work that a tenth of the cluster can do: hundreds of applications wait")
	gen("month-tenth-crowded-capacity", Short, "month-elastic", synth.Options{Nodes: 1200, Jobs: 1500, Load: 2}, func(o *scenario.Options) { o.Scheduler, o.Until = "capacity", 10_000_000 },
		longLived+", twice the work that a tenth of the cluster can do, under the CapacityScheduler: hundreds wait, and nodes are reserved")
	gen("month-hours", Short, "month", synth.Options{Jobs: 1000}, nil, longLived+", the first hours of the whole cluster")
	gen("month-tenth-reserving", Short, "month", synth.Options{Nodes: 1200, Jobs: 300}, func(o *scenario.Options) {
		o.Conf = map[string]string{"yarn.scheduler.reservation-threshold.increment-multiple": "2"}
	}, longLived+", with reservations")
	gen("backlog", Short, "uniform-micro", synth.Options{Nodes: 10, Jobs: 10_000, Load: 300}, until(400_000), "10,000 applications wait in one queue")
	gen("backlog-1000", Short, "uniform-micro", synth.Options{Nodes: 10, Jobs: 1000, Load: 30}, until(400_000), "1,000 applications wait in one queue")
	gen("backlog-10", Short, "uniform-micro", synth.Options{Nodes: 10, Jobs: 1000, Load: 1}, until(400_000), "hardly any application waits")
	gen("idle-12000", Short, "tpch-mixed", synth.Options{Nodes: 12_000, Jobs: 20, Load: 0.0001}, nil, "a large cluster on which little happens")
	gen("uniform-micro", Short, "uniform-micro", synth.Options{Jobs: 1000}, nil, "many short jobs")
	for _, s := range []string{"fair", "capacity", "fifo", "ideal"} {
		add(Case{Name: "recorded-" + s, Label: Short, Kind: Replay, About: "recorded applications that contend, by the scheduler " + s, Trace: "contended-logs", Options: scheduler(s)})
	}
	add(Case{Name: "recorded-node-lost", Label: Short, Kind: Replay, About: "a recorded cluster that loses a node", Trace: "node-lost"})
	for _, load := range []float64{0.9, 1.2} {
		add(Case{Name: fmt.Sprintf("w1-%v", load), Label: Short, Kind: Replay, W1: &W1{Load: load}, Options: scheduler("ideal"),
			About: fmt.Sprintf("a million tasks at load %v under the ideal scheduler", load)})
	}
	add(Case{Name: "w1-yarn", Label: Nightly, Kind: Replay, W1: &W1{Load: 0.9, Kind: trace.KindGeneric}, About: "a million tasks at load 0.9 under the FairScheduler, a container for each"})
	add(Case{Name: "read-w1", Label: Short, Kind: Read, W1: &W1{Load: 0.9}, About: "the tables of a million tasks"})
	add(Case{Name: "report", Label: Short, Kind: Report, Preset: "tpch-mixed", Gen: synth.Options{Jobs: 40}, About: "the metrics of a result directory"})

	gen("month-tenth-elastic", Short, "month-elastic", synth.Options{Nodes: 1200, Jobs: 300}, nil, longLived+" that give back idle executors")
	gen("month-elastic", Nightly, "month-elastic", synth.Options{}, nil, longLived+" that give back idle executors, a month of 12,000 nodes and 50 million tasks")
	gen("month-tenth", Nightly, "month", synth.Options{Nodes: 1200, Jobs: 54_200}, nil, longLived+", a month of a tenth of the cluster")
	gen("month", Nightly, "month", synth.Options{}, nil, longLived+", a month of 12,000 nodes and 50 million tasks")
	for _, load := range []float64{0.6, 0.95, 1.5} {
		jobs := func(days float64) synth.Options {
			return synth.Options{Jobs: int(days * 18_000 * load / held), Load: load * 0.42 / held}
		}
		gen(fmt.Sprintf("day-%v", load), Nightly, "month", jobs(1), nil, fmt.Sprintf("a day of 12,000 nodes of which executors hold %v", load))
		if load == 0.95 {
			gen("month-0.95", Nightly, "month", jobs(30.1), nil, "a month of 12,000 nodes of which executors hold 0.95: 17 million containers")
		}
	}
	for _, nodes := range []int{100, 1000, 12_000, 50_000} {
		gen(fmt.Sprintf("busy-%d", nodes), Nightly, "month", synth.Options{Nodes: nodes, Jobs: 3 * nodes / 2, Load: 0.6}, nil, fmt.Sprintf("%d nodes at load 0.6, work in proportion", nodes))
		gen(fmt.Sprintf("quiet-%d", nodes), Nightly, "tpch-mixed", synth.Options{Nodes: nodes, Jobs: 20, Load: 1.2 / float64(nodes)}, nil, fmt.Sprintf("%d nodes, the same little work", nodes))
	}
	for _, nodes := range []int{3000, 6000, 12_000, 24_000, 50_000} {
		gen(fmt.Sprintf("same-%d", nodes), Nightly, "tpch-decima", synth.Options{Nodes: nodes, Jobs: 600}, nil, fmt.Sprintf("%d nodes, the same work of one queue", nodes))
	}
	gen("key-none", Nightly, "month-elastic", synth.Options{Jobs: 500}, nil, longLived+", with the defaults of all keys")
	for _, k := range keys {
		gen("key-"+k.name, Nightly, "month-elastic", synth.Options{Jobs: 500}, func(o *scenario.Options) { o.Conf = map[string]string{k.key: k.value} }, longLived+", with "+k.key+"="+k.value)
	}
	gen("backlog-100000", Nightly, "uniform-micro", synth.Options{Nodes: 10, Jobs: 100_000, Load: 3000}, until(400_000), "100,000 applications wait in one queue")
	return all
}

// keys are settings that clusters have and that say how much the engine can leave out. What each costs stands beside key-none.
var keys = []struct{ name, key, value string }{
	{"speculation", "spark.speculation", "true"},
	{"exclude", "spark.excludeOnFailure.enabled", "true"},
	{"no-locality-wait", "spark.locality.wait", "0s"},
	{"task-cpus", "spark.task.cpus", "2"},
	{"one-core", "spark.executor.cores", "1"},
	{"fair-pools", "spark.scheduler.mode", "FAIR"},
	{"static", "spark.dynamicAllocation.enabled", "false"},
	{"idle-timeout", "spark.dynamicAllocation.executorIdleTimeout", "5s"},
	{"preemption", "yarn.scheduler.fair.preemption", "true"},
	{"assign-multiple", "yarn.scheduler.fair.assignmultiple", "true"},
	{"continuous", "yarn.scheduler.fair.continuous-scheduling-enabled", "true"},
	{"node-heartbeats", "yarn.resourcemanager.nodemanagers.heartbeat-interval-ms", "250"},
}

// Make brings the case's trace to a directory and returns that. A trace of the project is taken where it is, under traces; another is
// written to dir/NAME. Nothing is made that is there already.
func (c *Case) Make(ctx context.Context, dir, traces string) (string, error) {
	if c.Trace != "" {
		return filepath.Join(traces, c.Trace), nil
	}
	to := filepath.Join(dir, c.Name)
	if exists(to) {
		return to, nil
	}
	if c.W1 != nil {
		return to, c.W1.Write(to)
	}
	p, err := synth.Find(c.Preset)
	if err != nil {
		return "", err
	}
	o := c.Gen
	o.Seed = 1
	_, err = synth.Generate(ctx, to, p, o)
	return to, err
}

// Scenario returns the options that the case is replayed with.
func (c *Case) Scenario() scenario.Options {
	o := scenario.DefaultOptions()
	if c.Options != nil {
		c.Options(&o)
	}
	return o
}

func exists(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "trace.json"))
	return err == nil
}

// hostName is the name of node i.
func hostName(i int) string { return fmt.Sprintf("node%d", i) }
