// Package scenario resolves a trace, configuration files and single settings to a [Scenario]: all that
// the decisions of a replay depend on.
package scenario

import (
	"errors"
	"fmt"
	"slices"

	"replay/engine/generic"
	mrconf "replay/engine/mapreduce/conf"
	"replay/engine/price"
	"replay/engine/record"
	"replay/engine/spark"
	sparkconf "replay/engine/spark/conf"
	"replay/engine/yarn/conf"
	"replay/policy"
	"replay/policy/autoscale"
	"replay/trace"
)

// Scenario is a trace with a resolved configuration: all that a replay's decisions depend on.
type Scenario struct {
	Options
	Input   Input         // with the cluster resized
	Offered trace.Offered // load of the jobs as they arrive on the cluster; nothing where their work is not known
	Site    *conf.Site
	Later   []*conf.Allocations // of Reloads, in their order
	// AllocationFile reports that the allocations are those of a file and not made from the trace's queues:
	// without one YARN's loader does not run.
	AllocationFile bool
	ByName         map[string]string // queues of the trace to those that the CapacityScheduler knows by their last part
	Unnamed        bool              // jobs of the default queue that name none are placed by rules that were handed in
	MemoryOnly     bool              // the scheduler looks at memory alone, so vcores may be overbooked
	PoolsFile      string            // what spark.scheduler.allocation.file says to all jobs, "" for nothing
	Pools          []spark.Pool      // of spark.scheduler.allocation.file; nil without one
	Requests       policy.Placement  // the policy that Placement names
	Scaling        *autoscale.Plan   // nil while nobody scales the cluster
	Groups         []autoscale.Group // of nodes; of Scaling
	OfTrace        int               // nodes before those that are kept for Scaling
	priced         *record.Prices
	Warnings       []record.Warning

	notes
	keys          map[string]map[string]string // single keys by the kind of file over which they lie
	site          settings
	sparkDefaults sparkconf.Layer
	mapredSite    map[string]string
	scheduler     *Scheduler
	chosenBy      string // who named the scheduler, for messages
	setup         Setup
	used          []string // paths of files in force
	queueName     []string // by queue id
	user          []string // by user id
}

// Engines are the ways to drive what is periodic, the default first. They decide alike: fast leaves out what has no effect, dense
// executes each heartbeat and timer and is the definition of correct.
var Engines = []string{"fast", Dense}

// Dense is the engine that leaves nothing out.
const Dense = "dense"

// New resolves the options against the trace. Errors name the flag or file, the key and the value; of several single keys that
// nobody knows, the first in the order of the options.
func New(in Input, o Options) (*Scenario, error) {
	sc, err := resolved(in, o)
	if unknownKey(err) != "" && len(o.Conf) > 1 {
		for _, key := range o.ConfOrder {
			alone := o
			alone.Conf = map[string]string{key: o.Conf[key]}
			if _, e := resolved(in, alone); unknownKey(e) == key {
				return nil, e
			}
		}
	}
	return sc, err
}

// unknownKey returns the single key that an error is about because nobody knows it, "" for another error.
func unknownKey(err error) string {
	var ofYARN conf.UnknownKey
	var ofSpark *sparkconf.UnknownKey
	var ofMapReduce *mrconf.UnknownKey
	var ofTez *generic.UnknownKey
	var ofNobody *strayKey
	switch {
	case errors.As(err, &ofTez):
		return ofTez.Key
	case errors.As(err, &ofMapReduce):
		return ofMapReduce.Key
	case errors.As(err, &ofYARN):
		return ofYARN.Key
	case errors.As(err, &ofSpark):
		return ofSpark.Key
	case errors.As(err, &ofNobody):
		return ofNobody.key
	}
	return ""
}

func resolved(in Input, o Options) (*Scenario, error) {
	sc := &Scenario{Options: o, Input: in}
	if err := sc.script(); err != nil {
		return nil, err
	}
	if sc.Placement == "" {
		sc.Placement = policy.DefaultPlacement
	}
	if sc.Engine == "" {
		sc.Engine = Engines[0]
	}
	if !slices.Contains(Engines, sc.Engine) {
		return nil, optionf("--engine is %q, want %s", sc.Engine, oneOf(Engines))
	}
	if sc.StallMS == 0 {
		sc.StallMS = 3600_000
	}
	for _, step := range []func() error{sc.cluster, sc.change} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	var err error
	if sc.Requests, err = sc.Policies.NewPlacement(sc.Placement); err != nil {
		return nil, &OptionError{err}
	}
	if sc.Model, err = o.ResolveModel(); err != nil {
		return nil, err
	}
	for _, step := range []func() error{sc.splitKeys, sc.autoscale, sc.price, sc.readSpark, sc.readMapReduce, sc.readTez, sc.readSite, sc.asked, sc.arrivals, sc.readQueues, sc.sayUnlisted} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	if sc.SeriesMS == 0 {
		sc.SeriesMS = seriesInterval(int64(float64(in.SpanMS) / sc.Faster))
	}
	for i := range in.Queues {
		sc.queueName = append(sc.queueName, in.Queues[i].Path)
	}
	for i := range in.Users {
		sc.user = append(sc.user, in.Users[i].Name)
	}
	for i := range sc.Input.Nodes[:sc.OfTrace] {
		if len(sc.Input.Nodes[i].Labels) > 0 {
			sc.warn("node-labels", "node labels are not modelled: every node takes every container")
			break
		}
	}
	if in.ToldNodes != "" && sc.Recorded.Executors == nil { // recorded executors ask for no room
		sc.warn(record.UntoldNodes, "%s", in.ToldNodes)
	}
	if in.Apart != "" && sc.Nodes == 0 && sc.Recorded.Executors == nil {
		sc.warn(record.Apart, "%s", in.Apart)
	}
	if sc.scheduler.Central {
		if err := sc.checkIdeal(&o); err != nil {
			return nil, err
		}
	}
	if err := sc.checkFolder(o.Scheduler); err != nil {
		return nil, err
	}
	sc.sayRemarks()
	return sc, nil
}

// readQueues reads the scheduler's own configuration. A policy of the user's that fails at a question on queues is an error of theirs.
func (sc *Scenario) readQueues() (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case *policy.Mistake:
			err = p
		default:
			panic(p)
		}
	}()
	if sc.setup, err = sc.scheduler.Read(sc); err != nil {
		return err
	}
	sc.MemoryOnly = sc.setup.MemoryOnly()
	sc.Site.Preemption = sc.Site.Preemption && sc.scheduler.Preempts
	return nil
}

// modelledAround is what is modelled around YARN's and Spark's decisions, whatever the trace.
var modelledAround = []string{
	"latencies of messages and processes, and the cost of remote reads: see the model's parameters",
	"phases of node heartbeats: drawn from the seed",
	OrderOfExecutors,
}

// OrderOfExecutors is of that what there is only with Spark applications.
const OrderOfExecutors = "order of executors in an offer: shuffled from the seed, as Spark shuffles them"

// An OptionError is a mistake in the options rather than in a file or the trace.
type OptionError struct{ err error }

func (e *OptionError) Error() string { return e.err.Error() }

func (e *OptionError) Unwrap() error { return e.err }

func optionf(format string, args ...any) error {
	return &OptionError{fmt.Errorf(format, args...)}
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

// SamplesAtOnce is after how many samples the interval between them doubles, so that a long replay has few.
const SamplesAtOnce = 1 << 12

// BetweenSamples is the time from the n-th sample, counted from 1, to the next.
func (sc *Scenario) BetweenSamples(n int64) int64 { return sc.SeriesMS << min(n/SamplesAtOnce, 20) }

// SamplesTo returns how many samples behind the n-th, which is taken at time from, the first one at or after a later time is, and when it is taken.
func (sc *Scenario) SamplesTo(n, from, at int64) (k, when int64) {
	for {
		between, same := sc.BetweenSamples(n+k), SamplesAtOnce-(n+k)%SamplesAtOnce
		if steps := (at - from + between - 1) / between; steps <= same {
			return k + steps, from + steps*between
		}
		k, from = k+same, from+same*between
	}
}

// UserName returns the name of a user of the trace, "default" for one that it does not list.
func (sc *Scenario) UserName(id int32) string {
	if id >= 0 && int(id) < len(sc.user) {
		return sc.user[id]
	}
	return "default"
}

// QueuePath returns the path of a queue of the trace, "default" for one that it does not list.
func (sc *Scenario) QueuePath(id int32) string {
	if id >= 0 && int(id) < len(sc.queueName) {
		return sc.queueName[id]
	}
	return "default"
}

// price finds the price of every node.
func (sc *Scenario) price() (err error) {
	if sc.Prices == nil {
		return nil
	}
	if sc.priced, err = sc.Prices.Of(sc.Input.Nodes); err != nil {
		return &OptionError{err}
	}
	return nil
}

// NodePrices are the prices of all nodes, nil when nobody says.
func (sc *Scenario) NodePrices() *record.Prices { return sc.priced }

// HourAtStart is what the nodes that are there at the start cost an hour, by the prices, in their currency.
func (sc *Scenario) HourAtStart() float64 {
	sum := int64(0)
	for i, at := range sc.priced.TypeOf {
		if sc.Input.Nodes[i].Present {
			sum += sc.priced.Types[at].Hour
		}
	}
	return float64(sum) / price.Millionth
}

// Manifest describes the scenario; the replay adds what it counted.
func (sc *Scenario) Manifest() *record.Manifest {
	m := &record.Manifest{
		Format: record.Format, FormatVersion: record.FormatVersion, Program: "replay",
		TraceHash: sc.Input.Hash, TraceName: sc.Input.Name, TraceJobs: sc.Input.NumJobs,
		LocalitySource: sc.Input.LocalitySource, DurationSource: sc.Input.DurationSource, Elsewhere: sc.Input.Elsewhere,
		Scheduler: sc.Scheduler, Sharing: sc.Sharing, Placement: sc.Placement, Engine: sc.engineText(),
		Seed: sc.Seed, Until: sc.Until, Override: sc.Override,
		Nodes: trace.SizeAtStart(sc.Input.Nodes).Nodes, Load: sc.Load, Faster: sc.Faster, OfferedVCores: sc.Offered.VCores, OfferedMemory: sc.Offered.Memory, OfferedFurther: sc.Offered.Further,
		Config: map[string]string{}, Model: sc.Model.Values(), Bands: sc.Bands(), Queues: sc.setup.Queues(),
	}
	if w := sc.Window; w != nil {
		m.Window = &record.Window{FromMS: w.FromMS, ToMS: w.ToMS}
	}
	for _, layer := range []map[string]string{sc.site.texts(), sc.setup.Config(), sc.sparkDefaults.Values, sc.keys[SparkDefaults], sc.mapredSite, sc.keys[MapredSite], sc.keys[tezSite]} {
		for k, v := range layer {
			m.Config[k] = v
		}
	}
	sc.tellScaling(m)
	m.Prices, m.Policies = sc.priced, sc.scriptFiles()
	for _, r := range sc.Reloads {
		m.Config[fmt.Sprintf("fair-scheduler.xml from %d ms", r.AtMS)] = string(r.Text)
	}
	for i := range sc.Changes {
		m.Config[fmt.Sprintf("change %d", i+1)] = sc.Changes[i].Text
	}
	m.Modelled = slices.Clone(modelledAround)
	if sc.scheduler.Central { // it places no containers and has one way to replay
		m.Modelled, m.Placement, m.Engine = slices.Clone(notIdeal), "", ""
	}
	if sc.Scaling != nil {
		m.Modelled = append(m.Modelled, scalingModelled)
	}
	if n := sc.Input.NoEnd; n > 0 {
		m.Modelled = append(m.Modelled, fmt.Sprintf("the end of applications whose recording stops before it (%d in the source): they are replayed as far as it goes, so their times are lower bounds", n))
	}
	if sc.Input.LocalitySource != "recorded" {
		m.Modelled = append(m.Modelled, "preferred hosts of tasks: "+sc.Input.LocalitySource)
	}
	if sc.Input.DurationSource != "recorded" {
		m.Modelled = append(m.Modelled, "durations of tasks: "+sc.Input.DurationSource)
	}
	return m
}
