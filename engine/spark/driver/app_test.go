package driver

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"replay/engine/master"
	"replay/engine/master/mastertest"
	"replay/engine/model"
	"replay/engine/spark"
	"replay/engine/spark/conf"
	"replay/policy"
	"replay/policy/resource"
	"replay/trace"
)

// app is a Spark application on a cluster that a test plays.
type app struct {
	*mastertest.Host
	d        *Driver
	launched []run                    // task attempts, as they were when they were launched
	clocks   map[master.EventKind]int // times executed, by clock
	ticks    []int64                  // times of dynamic allocation that were executed
}

// noted is an application's host that notes the task attempts it launches.
type noted struct {
	master.Host
	app *app
}

func (n *noted) At(at int64, k master.EventKind, number, arg int64) {
	if k == evStatus {
		n.app.launched = append(n.app.launched, *n.app.d.runs.of(arg))
	}
	n.Host.At(at, k, number, arg)
}

// notedMaster is a master that notes the times of its clocks.
type notedMaster struct {
	preferring
	app *app
}

type preferring interface {
	master.Master
	master.Preferrer
}

func (m *notedMaster) Handle(k master.EventKind, arg int64) {
	if k >= evGate {
		m.app.clocks[k]++
		if k == evTick {
			m.app.ticks = append(m.app.ticks, m.app.d.now())
		}
	}
	m.preferring.Handle(k, arg)
}

// notedKind is Spark on such a host.
type notedKind struct {
	*Kind
	app *app
}

func (k *notedKind) Plan(j *trace.Job) (*master.Plan, error) {
	p, err := k.Kind.Plan(j)
	if err != nil {
		return nil, err
	}
	made := p.Maker
	p.Maker = makes(func(h master.Host, j *trace.Job) master.Master {
		m := made.New(&noted{h, k.app}, j)
		switch m := m.(type) {
		case *asked:
			k.app.d = m.Driver
		case *given:
			k.app.d = m.Driver
		}
		return &notedMaster{m.(preferring), k.app}
	})
	return p, nil
}

// setup is what a test says of an application beside its job.
type setup struct {
	conf      map[string]string
	defaults  map[string]string
	model     *model.Model // nil: nothing takes time but tasks and the pauses of loops
	racks     []int32      // of nodes; nil: two racks of two nodes
	placement string       // "" = locality-ratio
	pools     []spark.Pool
	file      string // of the pools
	recorded  Recorded
	types     []string
	delayOff  bool
	expiry    int64 // of application masters, ms; 0 = as YARN has it
	attempts  int   // that YARN allows
	seed      uint64
	dense     bool
}

// instant is the model in which only decisions take time.
func instant() *model.Model {
	return &model.Model{RackPenalty: 1, AnyPenalty: 1, ReadMiBPerS: 100, FirstFactor: 1}
}

func newKind(t testing.TB, s setup) *Kind {
	t.Helper()
	if s.model == nil {
		s.model = instant()
	}
	if s.placement == "" {
		s.placement = "locality-ratio"
	}
	if s.expiry == 0 {
		s.expiry = 600_000
	}
	placement, err := policy.NewPlacement(s.placement)
	if err != nil {
		t.Fatal(err)
	}
	return NewKind(Setup{Defaults: conf.Layer{Name: "defaults", Values: s.defaults}, Over: []conf.Layer{{Name: "test", Strict: true, Values: s.conf}},
		Placement: placement, Pools: s.pools, PoolsFile: s.file, Recorded: s.recorded, Model: s.model, Types: s.types, AMExpiryMS: s.expiry, AMAttempts: s.attempts, DelayOff: s.delayOff, Dense: s.dense})
}

// newApp returns an application whose master is about to register, at time 0.
func newApp(t testing.TB, j *trace.Job, s setup) *app {
	t.Helper()
	if s.racks == nil {
		s.racks = []int32{0, 0, 1, 1}
	}
	a := &app{clocks: map[master.EventKind]int{}}
	a.Host = mastertest.New(t, &notedKind{newKind(t, s), a}, j, s.racks...)
	a.Seed = s.seed
	return a
}

// register registers the master.
func (a *app) register() *app {
	a.Register()
	return a
}

// asked is the driver's side towards YARN.
func (a *app) asked() *asked { return a.Master.(*notedMaster).preferring.(*asked) }

// executors grants an executor on each of these nodes; they come with the master's next heartbeat.
func (a *app) executors(nodes ...int32) *app {
	for _, n := range nodes {
		a.Grant(n, 0, resource.R(2048, 1))
	}
	return a
}

// said returns the lines of the host's log whose call begins with one of these words.
func (a *app) said(words ...string) (out []string) {
	for _, l := range a.Log {
		_, call, _ := strings.Cut(l, " ")
		if slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(call, w) }) {
			out = append(out, l)
		}
	}
	return out
}

// launches lists the task attempts in order of launch: "TIME STAGE.INDEX exEXECUTOR LEVEL".
func (a *app) launches() (out []string) {
	for _, r := range a.launched {
		out = append(out, fmt.Sprintf("%d %d.%d ex%d %s", r.launch, r.stage, r.index, r.exec, r.level))
	}
	return out
}

// ends lists the task attempts in order of their end: "TIME STAGE.INDEX END".
func (a *app) ends() (out []string) {
	for i := range a.Tasks {
		r := &a.Tasks[i]
		out = append(out, fmt.Sprintf("%d %d.%d %s", r.Finish, r.Stage, r.Index, r.End))
	}
	return out
}

// stageOf makes a stage of n tasks of this length that reads the output of others.
func stageOf(id int32, n int, ms int64, parents ...int32) trace.Stage {
	st := trace.Stage{ID: id, Parents: parents, SparkJob: trace.Unset, CacheOf: trace.Unset, Kind: trace.StageShuffle, TaskVCores: 1, ShuffleReadBytes: trace.Unset}
	for range n {
		st.Tasks.DurationMS = append(st.Tasks.DurationMS, ms)
		st.Tasks.InputBytes = append(st.Tasks.InputBytes, 0)
	}
	return st
}

// near makes the tasks of a stage prefer nodes, task by task.
func near(st trace.Stage, prefs ...[]int32) trace.Stage {
	st.Kind = trace.StageInput
	st.Tasks.SetPrefs(prefs)
	return st
}

// all are the preferences of n tasks for the same nodes.
func all(n int, nodes ...int32) (prefs [][]int32) {
	for range n {
		prefs = append(prefs, nodes)
	}
	return prefs
}

// changed is a stage with something else about it.
func changed(st trace.Stage, change func(*trace.Stage)) trace.Stage {
	change(&st)
	return st
}

// jobOf makes a job with executors of 2 GiB and one core, two of them with static allocation.
func jobOf(stages ...trace.Stage) *trace.Job {
	return &trace.Job{Kind: trace.KindSpark, Name: "job", AMMemMiB: 1024, AMVCores: 1, ExecMemMiB: 2048, ExecVCores: 1, TaskCPUs: 1,
		MinExecs: trace.Unset, MaxExecs: trace.Unset, InitialExecs: trace.Unset, TailMS: trace.Unset,
		RecordedStartMS: trace.Unset, RecordedFinishMS: trace.Unset, ThinkMS: trace.Unset, Stages: stages}
}

// static is static allocation of n executors, the code beginning at once, with more keys and values.
func static(n int, more ...string) map[string]string {
	return keys(append([]string{"spark.executor.instances", fmt.Sprint(n), "spark.scheduler.minRegisteredResourcesRatio", "0"}, more...))
}

// dynamic is dynamic allocation with the shuffle service, the code beginning at once, with more keys and values.
func dynamic(more ...string) map[string]string {
	return keys(append([]string{"spark.dynamicAllocation.enabled", "true", "spark.shuffle.service.enabled", "true", "spark.scheduler.minRegisteredResourcesRatio", "0"}, more...))
}

func keys(pairs []string) map[string]string {
	m := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	return m
}

// delayed makes a stage begin so long after its parents, or after the code.
func delayed(st trace.Stage, ms int64) trace.Stage {
	st.DelayMS = ms
	return st
}

// makes are masters by a function.
type makes func(master.Host, *trace.Job) master.Master

func (m makes) New(h master.Host, j *trace.Job) master.Master { return m(h, j) }
