package spark

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"replay/bench/conform/golden"
	"replay/engine/model"
	"replay/engine/protocol"
	"replay/engine/record"
	"replay/engine/spark"
	sparkconf "replay/engine/spark/conf"
	"replay/engine/spark/driver"
	"replay/policy"
	"replay/policy/resource"
	"replay/trace"
)

// backendRuns is the backend of a driver on YARN, given its messages one by one: registrations, reports, losses, kills, decommissioning.
var backendRuns = golden.Kind{
	Name: "backend",
	Of: func(first golden.Shape) string {
		if first.Has("dag") {
			return "YarnSchedulerBackend, DAGScheduler, TaskSchedulerImpl, ExecutorAllocationManager"
		}
		return "YarnSchedulerBackend, TaskSchedulerImpl, ExecutorAllocationManager"
	},
	Match: func(_ string, first golden.Shape) bool { return first.Has("conf", "racks", "stages", "messages") },
	Run:   golden.Cases(runBackend),
}

type backendCase struct {
	ID       string                     `json:"id"`
	Conf     map[string]json.RawMessage `json:"conf"`
	Racks    map[string]string          `json:"racks"` // of all hosts
	Profiles []backendProfile           `json:"profiles"`
	Stages   []backendStage             `json:"stages"`
	Messages []backendMessage           `json:"messages"`
	DAG      bool                       `json:"dag"` // with Spark's own DAGScheduler
}

type backendProfile struct {
	Cores int32 `json:"cores"` // of an executor
	CPUs  int32 `json:"task_cpus"`
}

type backendStage struct {
	Profile int32      `json:"profile"`
	Map     bool       `json:"map"`   // its output is for a stage that never comes
	Tasks   [][]string `json:"tasks"` // hosts that they prefer
	backendWork
}

type backendMessage struct {
	Op      string           `json:"op"`
	Time    int64            `json:"t"`
	Exec    int32            `json:"exec"`
	Execs   []int32          `json:"execs"`
	Host    string           `json:"host"`
	Profile int32            `json:"profile"`
	Silent  bool             `json:"silent"` // it has not said yet that it takes tasks
	Kind    string           `json:"kind"`
	Stage   int32            `json:"stage"`
	ID      int64            `json:"tid"`
	IDs     []int64          `json:"tids"`
	Force   bool             `json:"force"`
	Total   int              `json:"total"`
	Local   int              `json:"local"`
	Hosts   map[string]int32 `json:"hosts"`
	Job     int32            `json:"job"`
	Pool    *string          `json:"pool"`
	From    *unreadable      `json:"from"`
	// Executors that the application master which goes has started and that have not registered.
	Starting []backendStarting `json:"starting"`

	// What follows from it.
	Taken     *bool           `json:"taken"`
	Yes       []int32         `json:"acknowledged"`
	Launched  []backendLaunch `json:"launched"`
	KillTasks []int64         `json:"kill_tasks"`
	Killed    []int32         `json:"killed"` // as the application master is asked
	Asked     []int32         `json:"asked"`  // of these it is asked why they are gone
	Ended     []backendEnd    `json:"ended"`
	Totals    []backendTotal  `json:"totals"`
	Failed    bool            `json:"failed"`
	Last      *int32          `json:"last"` // executor that has registered, as an application master is told
	backendStages
	State backendState `json:"state"`
}

// backendStarting is an executor, its host and its profile.
type backendStarting struct {
	exec    int32
	host    string
	profile int32
}

func (s *backendStarting) UnmarshalJSON(b []byte) error {
	return golden.UnmarshalTuple(b, &s.exec, &s.host, &s.profile)
}

type backendLaunch struct {
	ID          int64  `json:"tid"`
	Stage       int32  `json:"stage"`
	Of          int32  `json:"of"` // attempt of the stage
	Index       int32  `json:"index"`
	Number      int16  `json:"attempt"`
	Exec        int32  `json:"exec"`
	Locality    string `json:"locality"`
	Speculative bool   `json:"speculative"`
}

// backendEnd is stage, index and number of a task attempt, and how it ended.
type backendEnd struct {
	stage, index, number int32
	end                  string
}

func (e *backendEnd) UnmarshalJSON(b []byte) error {
	return golden.UnmarshalTuple(b, &e.stage, &e.index, &e.number, &e.end)
}

func (e backendEnd) MarshalJSON() ([]byte, error) {
	return json.Marshal([]any{e.stage, e.index, e.number, e.end})
}

func (e backendEnd) compare(o backendEnd) int {
	return cmp.Or(cmp.Compare(e.stage, o.stage), cmp.Compare(e.index, o.index), cmp.Compare(e.number, o.number))
}

type backendTotal struct {
	Of       []backendAsk `json:"of"`
	Excluded []string     `json:"excluded"`
}

// backendAsk is a resource profile, how many executors of it, how many tasks prefer hosts, and these hosts.
type backendAsk struct {
	profile, total, local int
	hosts                 map[string]int32
}

func (a *backendAsk) UnmarshalJSON(b []byte) error {
	return golden.UnmarshalTuple(b, &a.profile, &a.total, &a.local, &a.hosts)
}

func (a backendAsk) MarshalJSON() ([]byte, error) {
	return json.Marshal([]any{a.profile, a.total, a.local, a.hosts})
}

type backendState struct {
	Executors  []backendExecutor `json:"executors"`
	Registered int               `json:"registered"`
	Slots      []int             `json:"slots"`             // by profile
	Needed     []int             `json:"needed,omitempty"`  // as dynamic allocation counts, by profile
	Tracked    int               `json:"tracked,omitempty"` // executors that it knows
	Ready      *bool             `json:"ready,omitempty"`   // the code may begin
	Outputs    [][]int32         `json:"outputs,omitempty"` // by stage and map task, the executor that holds it, -1 for none
}

// backendExecutor is id, free cores and whether it gets tasks.
type backendExecutor struct {
	id, free int32
	active   bool
}

func (e *backendExecutor) UnmarshalJSON(b []byte) error {
	return golden.UnmarshalTuple(b, &e.id, &e.free, &e.active)
}

func (e backendExecutor) MarshalJSON() ([]byte, error) {
	return json.Marshal([]any{e.id, e.free, e.active})
}

// backendRun is one case under way.
type backendRun struct {
	*driver.Played
	host     *backendHost
	profiles []backendProfile
	at       map[int32]int64
	work     *backendJobs // nil where stages come one by one
}

func newBackendRun(c *backendCase) (*backendRun, error) {
	placement, err := policy.NewPlacement("locality-ratio")
	if err != nil {
		return nil, err
	}
	kind := driver.NewKind(driver.Setup{Over: []sparkconf.Layer{{Name: "conf", Strict: true, Values: golden.Properties(c.Conf)}}, Placement: placement,
		Model: &model.Model{RackPenalty: 1, AnyPenalty: 1, ReadMiBPerS: 1, FirstFactor: 1, DispatchMS: long}, AMExpiryMS: 600_000})
	r := &backendRun{profiles: c.Profiles, host: newBackendHost(c.Racks), at: map[int32]int64{}}
	if len(c.Messages) > 0 {
		r.host.now = c.Messages[0].Time
	}
	if c.DAG {
		r.work = newBackendJobs(c)
		r.host.work = r.work
	}
	r.Played, err = kind.Play(r.host, r.host.job(c), r.host.told)
	r.host.run = r.Played
	if c.DAG && err == nil {
		r.Played.Submitted = r.host.submitted
	}
	return r, err
}

const long = 1 << 40 // ms that what a driver schedules would take, if a script did not say when it comes

func runBackend(c *backendCase, out *golden.Results) {
	r, err := newBackendRun(c)
	if err != nil {
		out.AddUnsupported(c.ID, err.Error())
		return
	}
	for i := range c.Messages {
		m := &c.Messages[i]
		got, why := r.give(m)
		if why != "" {
			out.AddUnsupported(c.ID, fmt.Sprintf("message %d: %s", i, why))
			return
		}
		if name, w, g := r.other(m, got); name != "" {
			out.AddDifferent(golden.Difference{Case: c.ID, Event: i, Expected: w, Got: g, State: map[string]any{"op": m.Op, "exec": m.Exec, "t": m.Time, "what": name}})
			return
		}
	}
	out.AddEqual()
}

// give gives the driver a message and returns what followed from it; why says that this is not possible.
func (r *backendRun) give(m *backendMessage) (got *backendMessage, why string) {
	h := r.host
	h.now, h.got = m.Time, backendMessage{}
	got = &h.got
	if m.Host != "" && r.at[m.Exec] == 0 {
		r.start(m.Exec, m.Host, m.Profile)
	}
	switch m.Op {
	case "register":
		taken := r.Registers(r.at[m.Exec], m.Silent)
		got.Taken = &taken
	case "speak":
		r.Speaks(r.at[m.Exec])
	case "submit":
		r.Submits(m.Stage)
	case "revive":
		r.Revives(true)
	case "running":
		for _, id := range m.IDs {
			r.Runs(id)
		}
	case "end":
		if m.Kind == "killed" {
			r.WasStopped(m.ID)
		} else {
			r.Ends(m.ID, m.Kind == "failed", r.host.source(m.From))
		}
	case "result":
		r.Result(m.ID)
	case "disconnect":
		delete(h.running, r.at[m.Exec])
		if r.Disconnects(m.Exec) {
			got.Asked = append(got.Asked, m.Exec)
		}
	case "answer", "remove":
		switch loss, ok := losses[m.Kind]; {
		case ok:
			r.Removed(m.Exec, loss)
		case m.Kind == "none":
			r.Expires(m.Exec, false)
		default:
			return nil, "a loss of kind " + m.Kind
		}
	case "expire":
		r.Expires(m.Exec, true)
	case "self_exit":
		delete(h.running, r.at[m.Exec])
		r.SelfExits(m.Exec)
	case "kill":
		got.Yes = r.Kills(m.Execs, m.Force)
	case "decommission":
		got.Yes = r.Decommissions(m.Execs)
	case "total":
		r.totals(m)
	case "speculate":
		r.Speculates()
	case "tick":
		r.Ticks()
	case "master_goes":
		for _, s := range m.Starting {
			r.start(s.exec, s.host, s.profile)
		}
		r.MasterGoes()
	case "master_comes":
		last := r.MasterComes()
		got.Last = &last
		maps.DeleteFunc(r.at, func(exec int32, _ int64) bool { return exec > last })
	case "advance":
	default:
		if r.work == nil || !r.work.give(r.Played, m) {
			return nil, "operation " + m.Op
		}
	}
	if r.work != nil {
		r.work.come(r.Played)
	}
	for h.revive { // as it was asked for meanwhile
		h.revive = false
		r.Revives(false)
	}
	if m.Op == "master_comes" {
		got.KillTasks = nil // of executors that are gone
	}
	r.Beats() // which says what is to be killed
	slices.Sort(got.Killed)
	return got, ""
}

// start has the application master start an executor on a host.
func (r *backendRun) start(exec int32, host string, profile int32) {
	h := r.host
	n := h.grant(host, profile)
	r.Beats()
	h.running[n] = true
	r.at[exec] = n
	r.Started(n)
}

func (r *backendRun) totals(m *backendMessage) {
	names := r.host.cluster.Names
	hints := spark.StageHints{LocalTasks: m.Local}
	for _, h := range slices.Sorted(maps.Keys(m.Hosts)) {
		hints.Hosts = append(hints.Hosts, spark.HostTasks{Host: names.Intern(h), Tasks: m.Hosts[h]})
	}
	slices.SortFunc(hints.Hosts, func(a, b spark.HostTasks) int { return int(a.Host - b.Host) })
	r.Totals(&spark.TotalRequest{Profiles: []spark.ProfileTotal{{Total: m.Total, Hints: hints}}})
}

// other returns the first part of what follows from a message that is not as it was.
func (r *backendRun) other(want, got *backendMessage) (name string, w, g any) {
	list, registered := r.Executors()
	got.State = backendState{Executors: []backendExecutor{}, Registered: registered}
	for i := range r.profiles {
		got.State.Slots = append(got.State.Slots, r.Slots(int32(i)))
	}
	for _, e := range list {
		got.State.Executors = append(got.State.Executors, backendExecutor{e.ID, e.Free, e.Active})
	}
	got.State.Needed, got.State.Tracked = r.Allocation()
	if want.State.Ready != nil {
		ready := r.Ready()
		got.State.Ready = &ready
	}
	if r.work != nil {
		got.State.Outputs = r.work.outputs(r.Played, len(want.State.Outputs))
		r.work.once(want, got)
	}
	slices.Sort(want.Killed)
	slices.SortFunc(want.Ended, backendEnd.compare)
	slices.SortFunc(got.Ended, backendEnd.compare)
	if want.Failed || r.Failed() { // what the driver does then, on its way out, is not compared
		if want.Failed != r.Failed() {
			return "failed", want.Failed, r.Failed()
		}
		return "", nil, nil
	}
	parts := []struct {
		name string
		w, g any
	}{
		{"taken", want.Taken, got.Taken}, {"acknowledged", want.Yes, got.Yes}, {"launched", want.Launched, got.Launched}, {"kill_tasks", want.KillTasks, got.KillTasks},
		{"killed", want.Killed, got.Killed}, {"asked", want.Asked, got.Asked}, {"ended", want.Ended, got.Ended}, {"totals", want.Totals, got.Totals},
		{"submitted", want.Submitted, got.Submitted}, {"timer", want.Timers, got.Timers}, {"checks", want.Checks, got.Checks},
		{"last", want.Last, got.Last},
	}
	for _, p := range parts {
		if a, b := golden.Text(p.w), golden.Text(p.g); a != b && !(isEmpty(a) && isEmpty(b)) {
			return p.name, p.w, p.g
		}
	}
	if golden.Text(want.State) != golden.Text(got.State) {
		return "state", want.State, got.State
	}
	return "", nil, nil
}

// job is the job of a case; its stages come when the script says so, and those that read the output of others never do. Nor does one of each profile, so that the code goes on.
func (h *backendHost) job(c *backendCase) *trace.Job {
	j := &trace.Job{Kind: trace.KindSpark, Name: c.ID, AMMemMiB: 1024, AMVCores: 1, ExecMemMiB: 1024, MinExecs: trace.Unset, MaxExecs: trace.Unset, InitialExecs: trace.Unset, TailMS: trace.Unset,
		RecordedStartMS: trace.Unset, RecordedFinishMS: trace.Unset, ThinkMS: trace.Unset}
	add := func(spark int, profile int32, tasks [][]string, parents ...int32) {
		st := trace.Stage{ID: int32(len(j.Stages)), SparkJob: int32(spark), Parents: parents, CacheOf: trace.Unset, Kind: trace.StageInput, DelayMS: long, ShuffleReadBytes: trace.Unset}
		if profile > 0 {
			p := &c.Profiles[profile]
			if st.Profile, st.TaskVCores = profile, p.CPUs; string(c.Conf["spark.dynamicAllocation.enabled"]) == "true" {
				st.ExecVCores = p.Cores
			}
		}
		var prefs [][]int32
		for _, hosts := range tasks {
			var nodes []int32
			for _, name := range hosts {
				nodes = append(nodes, h.node[name])
			}
			prefs = append(prefs, nodes)
			st.Tasks.DurationMS, st.Tasks.InputBytes = append(st.Tasks.DurationMS, 1), append(st.Tasks.InputBytes, 0)
		}
		st.Tasks.SetPrefs(prefs)
		j.Stages = append(j.Stages, st)
	}
	never := [][]string{nil}
	for i := range c.Stages {
		add(i, c.Stages[i].Profile, c.Stages[i].Tasks, c.Stages[i].Parents...)
	}
	if c.DAG {
		describe(j, c)
	}
	for i := range c.Stages {
		if c.Stages[i].Map {
			add(i, 0, never, int32(i))
		}
	}
	for profile := range c.Profiles {
		add(len(c.Stages), int32(profile), never)
	}
	return j
}

// newBackendHost returns a cluster of hosts with their racks, in the order of their names.
func newBackendHost(racks map[string]string) *backendHost {
	h := &backendHost{node: map[string]int32{}, running: map[int64]bool{}, sizes: map[int32]resource.Resource{}, records: []*record.Container{nil, {Number: 1, AM: true}}}
	h.cluster.Names = protocol.NewNames()
	number := map[string]int32{}
	for _, host := range slices.Sorted(maps.Keys(racks)) {
		rack := racks[host]
		if _, ok := number[rack]; !ok {
			number[rack] = int32(len(number))
		}
		h.node[host] = int32(len(h.node))
		h.cluster.Add(host, rack, number[rack])
	}
	h.rec = record.Job{FirstAsked: record.None, FirstAllocated: record.None, FirstRegistered: record.None, FirstTask: record.None, Finish: record.None}
	return h
}
