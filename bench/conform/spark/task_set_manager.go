package spark

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"replay/bench/conform/golden"
	"replay/engine/reuse"
	"replay/engine/spark"
	sparkconf "replay/engine/spark/conf"
	"replay/engine/spark/scala"
)

// taskSetManager is Spark's task scheduler: offers, delay scheduling, failures, speculation, losses.
var taskSetManager = golden.Kind{
	Name: "task_set_manager",
	Of:   golden.AnswersOf("TaskSchedulerImpl, TaskSetManager"),
	Match: func(_ string, first golden.Shape) bool {
		return first.Has("conf", "racks", "default_rack", "events")
	},
	Run: runTaskSetFile,
}

type taskSetCase struct {
	ID   string      `json:"id"`
	Conf taskSetConf `json:"conf"`

	// schedulable tells that the recorder of the file wrote calls about sets that cannot be scheduled.
	schedulable bool
	// client tells that it wrote which executors the backend is asked to kill: without one Spark asks nobody.
	client      bool
	Racks       map[string]string `json:"racks"`
	DefaultRack *string           `json:"default_rack"`
	Events      []taskSetEvent    `json:"events"`
}

// taskSetConf is the configuration of a case; others has members that are no fields.
type taskSetConf struct {
	taskSetSettings
	others map[string]json.RawMessage
}

type taskSetSettings struct {
	WaitProcess int64  `json:"wait_process_ms"`
	WaitNode    int64  `json:"wait_node_ms"`
	WaitRack    int64  `json:"wait_rack_ms"`
	Legacy      bool   `json:"legacy_reset_on_task_launch"`
	TaskCPUs    int    `json:"task_cpus"`
	MaxFailures int    `json:"max_task_failures"`
	Mode        string `json:"scheduler_mode"`
	Exclude     bool   `json:"exclude_on_failure"`
	Service     bool   `json:"shuffle_service"`
	HealthClock bool   `json:"health_clock"` // HealthTracker follows the manual clock
	Speculation *struct {
		Quantile   float64 `json:"quantile"`
		Multiplier float64 `json:"multiplier"`
		MinRuntime int64   `json:"min_task_runtime_ms"`
	} `json:"speculation"`
	PoolFile *string          `json:"fairscheduler_xml"`
	Profiles []taskSetProfile `json:"profiles"` // by what they ask for a task; 0 is the default one
}

type taskSetProfile struct {
	Profile   int32 `json:"profile"`
	TaskCPUs  int32 `json:"task_cpus"`
	PerExec   int   `json:"tasks_per_executor"` // 0 where the recorder did not say, which is one
	TasksOnly bool  `json:"tasks_only"`         // it says nothing of executors
}

type taskSetEvent struct {
	Op   string `json:"op"`
	Time int64  `json:"t"`

	AllFree    bool         `json:"all_free"`
	Offers     []offerEntry `json:"offers"`
	Stage      int32        `json:"stage"`
	Attempt    int32        `json:"stage_attempt"`
	Priority   int32        `json:"priority"`
	Pool       *string      `json:"pool"`
	Profile    int32        `json:"profile"`
	ShuffleMap bool         `json:"shuffle_map"`
	Barrier    bool         `json:"barrier"`
	Tasks      [][][]string `json:"tasks"`
	IDs        []int64      `json:"tids"`
	ID         int64        `json:"tid"`
	Kind       string       `json:"kind"`
	Exec       string       `json:"exec"`
	WorkerHost *string      `json:"worker_host"`
	Index      int32        `json:"index"`
	From       *[2]string   `json:"from"` // executor and host of the output that a task could not read

	Launched []taskLaunch    `json:"launched"`
	Kills    []int64         `json:"kills"`
	ExecKill []string        `json:"executor_kills"` // asked of the backend
	Upcalls  []upcall        `json:"dag"`
	Pending  *pendingState   `json:"pending"`
	State    []taskSetStatus `json:"state"`
}

// offerEntry is [executor, host, free cores] or these and the executor's resource profile.
type offerEntry struct {
	exec, host     string
	cores, profile int32
}

func (o *offerEntry) UnmarshalJSON(b []byte) error {
	var n []json.RawMessage
	if err := json.Unmarshal(b, &n); err != nil {
		return err
	}
	parts := []any{&o.exec, &o.host, &o.cores, &o.profile}
	if len(n) != 3 && len(n) != 4 {
		return fmt.Errorf("offer %s: want executor, host and cores, and at most the resource profile", b)
	}
	parts = parts[:len(n)]
	return json.Unmarshal(b, &parts)
}

type taskLaunch struct {
	ID          int64  `json:"tid"`
	Stage       int32  `json:"stage"`
	Attempt     int32  `json:"stage_attempt"`
	Index       int32  `json:"index"`
	Number      int16  `json:"attempt"`
	Exec        string `json:"exec"`
	Host        string `json:"host"`
	Locality    string `json:"locality"`
	Speculative bool   `json:"speculative"`
}

type upcall struct {
	DAG     string `json:"dag"`
	Exec    string `json:"exec,omitempty"`
	ID      *int64 `json:"tid,omitempty"`
	Index   *int32 `json:"index,omitempty"`
	Reason  string `json:"reason,omitempty"`
	Stage   *int32 `json:"stage,omitempty"`
	Attempt *int32 `json:"stage_attempt,omitempty"`
}

type pendingState struct {
	ByExec   map[string][]int32 `json:"for_executor"`
	ByHost   map[string][]int32 `json:"for_host"`
	ByRack   map[string][]int32 `json:"for_rack"`
	NoPrefs  []int32            `json:"no_prefs"`
	All      []int32            `json:"all"`
	HostWalk []string           `json:"host_iteration_order"`
}

type taskSetStatus struct {
	Stage     int32    `json:"stage"`
	Attempt   int32    `json:"stage_attempt"`
	Levels    []string `json:"levels"`
	Level     int      `json:"level_index"`
	LastReset int64    `json:"last_reset"`
	NoRejects *bool    `json:"no_rejects_since_reset"`
	Running   int32    `json:"running"`
	Succeeded int      `json:"succeeded"`
	Zombie    bool     `json:"zombie"`
}

// runTaskSetFile runs the cases of a file. Calls about sets that cannot be scheduled, and executors that are to be killed, are compared where the file has any: not
// every recorder wrote them.
func runTaskSetFile(in *golden.Input, out *golden.Results) error {
	var cases []taskSetCase
	schedulable, client := false, false
	for {
		var c taskSetCase
		if err := in.Decode(&c); err == io.EOF {
			break
		} else if err != nil {
			return err
		}
		for i := range c.Events {
			schedulable = schedulable || slices.ContainsFunc(c.Events[i].Upcalls, func(u upcall) bool { return u.DAG == unschedulableAdded || u.DAG == unschedulableRemoved })
		}
		client = client || slices.ContainsFunc(c.Events, func(e taskSetEvent) bool { return len(e.ExecKill) > 0 })
		cases = append(cases, c)
	}
	for i := range cases {
		cases[i].schedulable, cases[i].client = schedulable, client
		runTaskSets(&cases[i], out)
	}
	return nil
}

// Calls of the DAGScheduler about sets for which no executor is left.
const (
	unschedulableAdded   = "unschedulable_task_set_added"
	unschedulableRemoved = "unschedulable_task_set_removed"
)

func runTaskSets(c *taskSetCase, out *golden.Results) {
	r, why := newTaskSetRun(c)
	if why != "" {
		out.AddUnsupported(c.ID, why)
		return
	}
	for i := range c.Events {
		e := &c.Events[i]
		before := r.status()
		if why := r.apply(e); why != "" {
			out.AddUnsupported(c.ID, fmt.Sprintf("event %d: %s", i, why))
			return
		}
		if want, got, same := r.compare(e); !same {
			out.AddDifferent(golden.Difference{
				Case: c.ID, Event: i, Expected: want, Got: got,
				State: map[string]any{"op": e.Op, "t": e.Time, "before": before},
			})
			return
		}
	}
	out.AddEqual()
}

// names numbers the strings of a case.
type names struct {
	text []string
	id   map[string]int32
}

func (n *names) of(s string) int32 {
	id, ok := n.id[s]
	if !ok {
		if n.id == nil {
			n.id = map[string]int32{}
		}
		id = int32(len(n.text))
		n.id[s] = id
		n.text = append(n.text, s)
	}
	return id
}

func (n *names) hash(id int32) int32 { return scala.HashCode(n.text[id]) }

func (n *names) lists(m map[int32][]int32) map[string][]int32 {
	out := make(map[string][]int32, len(m))
	for id, list := range m {
		out[n.text[id]] = list
	}
	return out
}

// taskSetRun is one case under way.
type taskSetRun struct {
	sched               *spark.TaskScheduler
	execs, hosts, racks names
	rackOf              []int32
	taskCPUs            map[int32]int32 // by resource profile
	tasksOnly           map[int32]bool
	schedulable, client bool
	refs                map[int64]spark.TaskRef

	launched []taskLaunch
	kills    []int64
	execKill []string
	upcalls  []upcall
	pending  *pendingState
	sets     map[[2]int32]int32 // by stage and attempt
}

func newTaskSetRun(c *taskSetCase) (*taskSetRun, string) {
	keys, why := c.Conf.keys()
	if why != "" {
		return nil, why
	}
	conf, _, err := sparkconf.Parse(sparkconf.Layer{Name: "conf", Strict: true, Values: keys})
	if err != nil {
		return nil, err.Error()
	}
	conf.WaitProcess, conf.WaitNode, conf.WaitRack = c.Conf.WaitProcess, c.Conf.WaitNode, c.Conf.WaitRack
	conf.LegacyLocalityReset = c.Conf.Legacy
	conf.TaskCPUs, conf.MaxTaskFailures = c.Conf.TaskCPUs, c.Conf.MaxFailures
	conf.Exclude.Enabled = c.Conf.Exclude
	conf.ShuffleService = c.Conf.Service
	if !c.Conf.HealthClock {
		// TaskSchedulerImpl gives its HealthTracker the wall clock, for which failures at a manual
		// clock's time are long over: such a run never excludes anything from the application.
		conf.Exclude.AppPerExecutor = math.MaxInt
	}
	if s := c.Conf.Speculation; s != nil {
		conf.Speculation.Enabled = true
		conf.Speculation.Quantile, conf.Speculation.Multiplier, conf.Speculation.MinTaskRuntime = s.Quantile, s.Multiplier, s.MinRuntime
	}
	mode := spark.FIFO
	switch c.Conf.Mode {
	case "FIFO":
	case "FAIR":
		mode = spark.FAIR
	default:
		return nil, "scheduler_mode is " + c.Conf.Mode
	}
	r := &taskSetRun{refs: map[int64]spark.TaskRef{}, sets: map[[2]int32]int32{}, taskCPUs: map[int32]int32{0: int32(c.Conf.TaskCPUs)}, schedulable: c.schedulable, client: c.client, tasksOnly: map[int32]bool{}}
	var slots []int
	for _, p := range c.Conf.Profiles {
		if p.TaskCPUs > 0 {
			r.taskCPUs[p.Profile] = p.TaskCPUs
		} else {
			r.taskCPUs[p.Profile] = int32(c.Conf.TaskCPUs)
		}
		r.tasksOnly[p.Profile] = p.TasksOnly && !conf.DynamicAllocation
		slots = reuse.Reaching(slots, int(p.Profile)+1)
		slots[p.Profile] = max(p.PerExec, 1)
	}
	var pools []spark.Pool
	if c.Conf.PoolFile != nil {
		if pools, _, err = spark.ParsePools("fairscheduler.xml", strings.NewReader(*c.Conf.PoolFile)); err != nil {
			return nil, err.Error()
		}
	}
	r.hostsOf(c)
	order := &spark.HashOrder{Exec: r.execs.hash, Host: r.hosts.hash, Rack: r.racks.hash}
	r.sched = spark.NewTaskScheduler(conf, spark.NewPools(mode, pools), r.rackOf, order)
	r.sched.SlotsPerExecutor = slots
	return r, ""
}

// hostsOf numbers every host of the case and gives it its rack.
func (r *taskSetRun) hostsOf(c *taskSetCase) {
	for _, h := range slices.Sorted(maps.Keys(c.Racks)) {
		r.hosts.of(h)
	}
	for _, e := range c.Events {
		for _, o := range e.Offers {
			r.hosts.of(o.host)
		}
		for _, locs := range e.Tasks {
			for _, loc := range locs {
				r.hosts.of(loc[0])
			}
		}
	}
	for _, h := range r.hosts.text {
		rack, known := c.Racks[h]
		switch {
		case known:
			r.rackOf = append(r.rackOf, r.racks.of(rack))
		case c.DefaultRack != nil:
			r.rackOf = append(r.rackOf, r.racks.of(*c.DefaultRack))
		default:
			r.rackOf = append(r.rackOf, spark.NoRack)
		}
	}
}

// apply makes the calls of an event; it returns why that is not possible.
func (r *taskSetRun) apply(e *taskSetEvent) string {
	r.launched, r.kills, r.execKill, r.upcalls, r.pending = nil, nil, nil, nil, nil
	switch e.Op {
	case "submit":
		if r.taskCPUs[e.Profile] == 0 {
			return fmt.Sprintf("resource profile %d is not in conf", e.Profile)
		}
		r.submit(e)
	case "offer":
		offers := make([]spark.Offer, len(e.Offers))
		for i, o := range e.Offers {
			offers[i] = spark.Offer{Exec: r.execs.of(o.exec), Host: r.hosts.of(o.host), Cores: o.cores, Profile: o.profile}
		}
		for _, l := range r.sched.ResourceOffers(e.Time, offers, e.AllFree) {
			set := r.sched.Set(l.Set)
			a := set.Attempt(l.Row)
			r.refs[a.ID] = l
			r.launched = append(r.launched, taskLaunch{
				ID: a.ID, Stage: set.Stage, Attempt: set.Schedulable.Attempt, Index: a.Index, Number: a.Number,
				Exec: r.execs.text[a.Exec], Host: r.hosts.text[a.Host], Locality: a.Level.String(), Speculative: a.Speculative,
			})
		}
	case "running":
		for _, id := range e.IDs {
			r.sched.Running(r.refs[id])
		}
	case "success":
		if ref := r.refs[e.ID]; r.sched.StatusUpdate(ref) {
			r.sched.Succeeded(e.Time, ref)
		}
	case "failure":
		reason, ok := endings[e.Kind]
		if !ok {
			return "failure of kind " + e.Kind
		}
		if ref := r.refs[e.ID]; r.sched.StatusUpdate(ref) {
			if e.From != nil {
				r.sched.FetchFailed(e.Time, ref, spark.FetchSource{Exec: r.execs.of(e.From[0]), Host: r.hosts.of(e.From[1])})
			} else {
				r.sched.Failed(e.Time, ref, reason)
			}
		}
	case "executor_lost":
		loss, ok := losses[e.Kind]
		if !ok {
			return "loss of kind " + e.Kind
		}
		r.sched.ExecutorLost(e.Time, r.execs.of(e.Exec), loss)
	case "executor_decommission":
		r.sched.Decommission(e.Time, r.execs.of(e.Exec), e.WorkerHost != nil)
	case "check_speculatable":
		r.sched.Speculate(e.Time)
	case "abort_timeout":
		r.sched.AbortTimeout(e.Time, r.sets[[2]int32{e.Stage, e.Attempt}])
	case "partition_completed":
		r.sched.PartitionDone(e.Time, r.sets[[2]int32{e.Stage, e.Attempt}], e.Index)
	case "advance", "executors_registered":
	default:
		return "operation " + e.Op
	}
	r.collect()
	return ""
}

// endings are the reasons with which a task fails, and losses those with which an executor is lost, as cases name them.
var (
	endings = map[string]spark.EndReason{
		"exception": spark.EndException, "fetch_failed": spark.EndFetchFailed, "killed": spark.EndKilled,
		"result_lost": spark.EndResultLost, "commit_denied": spark.EndCommitDenied,
	}
	losses = map[string]spark.Loss{
		"exited_not_app": {Kind: spark.LossExited}, "exited_app": {Kind: spark.LossExited, ByApp: true},
		"killed": {Kind: spark.LossKilled}, "process_lost": {Kind: spark.LossProcess, ByApp: true}, "pending": {Kind: spark.LossPending},
	}
)

func (r *taskSetRun) submit(e *taskSetEvent) {
	spec := spark.TaskSetSpec{
		Stage: e.Stage, Attempt: e.Attempt, Priority: e.Priority, TaskCPUs: r.taskCPUs[e.Profile], Profile: e.Profile, AnyExecutor: r.tasksOnly[e.Profile],
		ShuffleMap: e.ShuffleMap, Barrier: e.Barrier, Tasks: len(e.Tasks), PrefStart: []int32{0},
	}
	if e.Pool != nil {
		spec.Pool = *e.Pool
	}
	for _, locs := range e.Tasks {
		for _, loc := range locs {
			exec := spark.OnHost
			if len(loc) > 1 && loc[1] == "hdfs_cache" {
				exec = spark.HDFSCache
			} else if len(loc) > 1 {
				exec = r.execs.of(loc[1])
			}
			spec.Hosts = append(spec.Hosts, r.hosts.of(loc[0]))
			spec.Execs = append(spec.Execs, exec)
		}
		spec.PrefStart = append(spec.PrefStart, int32(len(spec.Hosts)))
	}
	set := r.sched.Submit(e.Time, &spec)
	r.sets[[2]int32{e.Stage, e.Attempt}] = set.ID
	p := set.PendingTasks()
	r.pending = &pendingState{
		ByExec: r.execs.lists(p.ByExec), ByHost: r.hosts.lists(p.ByHost), ByRack: r.racks.lists(p.ByRack),
		NoPrefs: p.NoPrefs, All: p.All, HostWalk: []string{},
	}
	for _, h := range p.HostWalk {
		r.pending.HostWalk = append(r.pending.HostWalk, r.hosts.text[h])
	}
}

// collect turns what the scheduler told into kills and calls of the DAGScheduler.
func (r *taskSetRun) collect() {
	for _, e := range r.sched.Take() {
		index := &e.Index
		switch e.Kind {
		case spark.ExecutorAdded:
			r.upcalls = append(r.upcalls, upcall{DAG: "executor_added", Exec: r.execs.text[e.Exec]})
		case spark.ExecutorGone:
			r.upcalls = append(r.upcalls, upcall{DAG: "executor_lost", Exec: r.execs.text[e.Exec]})
		case spark.TaskEnded:
			r.upcalls = append(r.upcalls, upcall{DAG: "task_ended", ID: &e.Task, Index: index, Reason: e.Reason.String()})
		case spark.TaskSetFailed:
			r.upcalls = append(r.upcalls, upcall{DAG: "task_set_failed", Stage: &e.Stage, Attempt: &e.StageAttempt})
		case spark.SpeculativeTask:
			r.upcalls = append(r.upcalls, upcall{DAG: "speculative_task_submitted", Stage: &e.Stage, Index: index})
		case spark.UnschedulableAdded, spark.UnschedulableGone:
			if r.schedulable {
				name := unschedulableAdded
				if e.Kind == spark.UnschedulableGone {
					name = unschedulableRemoved
				}
				r.upcalls = append(r.upcalls, upcall{DAG: name, Stage: &e.Stage, Attempt: &e.StageAttempt})
			}
		case spark.KillExecutor:
			if r.client {
				r.execKill = append(r.execKill, r.execs.text[e.Exec])
			}
		case spark.KillTask:
			r.kills = append(r.kills, e.Task)
		}
	}
}

func (r *taskSetRun) status() []taskSetStatus {
	all := []taskSetStatus{}
	for s := range r.sched.Sets {
		st := taskSetStatus{
			Stage: s.Stage, Attempt: s.Schedulable.Attempt, Level: s.Level(), LastReset: s.LastReset(),
			Running: s.Running, Succeeded: s.Succeeded(), Zombie: s.Zombie,
		}
		for _, l := range s.Levels() {
			st.Levels = append(st.Levels, l.String())
		}
		if yes, known := s.NoRejectsSinceReset(); known {
			st.NoRejects = &yes
		}
		all = append(all, st)
	}
	slices.SortStableFunc(all, func(a, b taskSetStatus) int {
		if a.Stage != b.Stage {
			return int(a.Stage - b.Stage)
		}
		return int(a.Attempt - b.Attempt)
	})
	return all
}

// compare returns the first part of an event's outcome that differs.
func (r *taskSetRun) compare(e *taskSetEvent) (want, got any, same bool) {
	for _, part := range [][2]any{
		{e.Launched, r.launched}, {e.Kills, r.kills}, {sortedTexts(e.ExecKill), sortedTexts(r.execKill)}, {e.Upcalls, r.upcalls}, {e.Pending, r.pending}, {e.State, r.status()},
	} {
		if w, g := golden.Text(part[0]), golden.Text(part[1]); w != g && !(isEmpty(w) && isEmpty(g)) {
			return part[0], part[1], false
		}
	}
	return nil, nil, true
}

func isEmpty(json string) bool { return json == "null" || json == "[]" }
