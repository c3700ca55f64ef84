package spark

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"replay/bench/conform/golden"
	"replay/engine/protocol"
	"replay/engine/spark"
	sparkconf "replay/engine/spark/conf"
)

// executorAllocation is ExecutorAllocationManager with its listener and ExecutorMonitor.
var executorAllocation = golden.Kind{
	Name: "executor_allocation",
	Of:   golden.AnswersOf("ExecutorAllocationManager, ExecutorMonitor"),
	Match: func(_ string, first golden.Shape) bool {
		var conf golden.Shape
		return first.Has("conf", "profiles", "events") && json.Unmarshal(first["conf"], &conf) == nil && conf.Has("scheduler_backlog_timeout_s")
	},
	Run: golden.Cases(runExecutorAllocation),
}

type executorAllocationCase struct {
	ID       string                      `json:"id"`
	Conf     executorAllocationConf      `json:"conf"`
	Profiles []executorAllocationProfile `json:"profiles"`
	Events   []executorAllocationEvent   `json:"events"`
	managed  *spark.Manager              // under test
	names    *protocol.Names             // of hosts
	counter  spark.HintCounter           //
	active   map[int32]bool              // executors added and not removed
	answers  []executorAllocationCall    // still to be given in this event
	calls    []executorAllocationCall    // made in this event
}

type executorAllocationConf struct {
	Min               int     `json:"min_executors"`
	Max               int     `json:"max_executors"`
	Initial           int     `json:"initial_executors"`
	Cores             int     `json:"executor_cores"`
	TaskCPUs          int     `json:"task_cpus"`
	Backlog           int64   `json:"scheduler_backlog_timeout_s"`
	Sustained         int64   `json:"sustained_scheduler_backlog_timeout_s"`
	Idle              int64   `json:"executor_idle_timeout_s"`
	CachedIdle        *int64  `json:"cached_executor_idle_timeout_s"`
	Ratio             float64 `json:"allocation_ratio"`
	ShuffleService    bool    `json:"shuffle_service"`
	ShuffleTracking   bool    `json:"shuffle_tracking"`
	ShuffleTimeout    *int64  `json:"shuffle_tracking_timeout_s"`
	ShuffleServiceRDD bool    `json:"shuffle_service_fetch_rdd"`
	Decommission      bool    `json:"decommission"`

	Keys map[string]json.RawMessage `json:"keys"` // further ones
}

type executorAllocationProfile struct {
	Profile int `json:"profile"`
	PerExec int `json:"tasks_per_executor"`
}

type executorAllocationEvent struct {
	Op          string                   `json:"op"`
	T           int64                    `json:"t"`
	Stage       int32                    `json:"stage"`
	Attempt     int32                    `json:"stage_attempt"`
	Tasks       int                      `json:"num_tasks"`
	Profile     int32                    `json:"profile"`
	Preferred   [][]string               `json:"preferred_hosts"`
	Index       int32                    `json:"index"`
	Exec        string                   `json:"exec"`
	Speculative bool                     `json:"speculative"`
	Reason      string                   `json:"reason"`
	RDD         int32                    `json:"rdd"`
	Split       int32                    `json:"split"`
	Level       string                   `json:"level"`
	Job         int32                    `json:"job"`
	Stages      []shuffleStage           `json:"stages"`
	Shuffle     int32                    `json:"shuffle"`
	Calls       []executorAllocationCall `json:"calls"`
	State       executorAllocationState  `json:"state"`
}

type shuffleStage struct {
	Stage   int32  `json:"stage"`
	Shuffle *int32 `json:"shuffle"`
}

type executorAllocationCall struct {
	Call         string                             `json:"call"`
	Targets      [][2]int                           `json:"targets,omitempty"`
	LocalTasks   [][2]int                           `json:"locality_aware_tasks,omitempty"`
	Hosts        []golden.Pair[int, map[string]int] `json:"host_to_local_task_count,omitempty"`
	Executors    []string                           `json:"execs,omitempty"`
	Acknowledged bool                               `json:"acknowledged"`
	Gone         *[]string                          `json:"gone,omitempty"` // executors that really go; nil: all
}

func (c executorAllocationCall) equal(o executorAllocationCall) bool {
	return c.Call == o.Call && c.Acknowledged == o.Acknowledged && slices.Equal(c.Targets, o.Targets) &&
		slices.Equal(c.LocalTasks, o.LocalTasks) && slices.Equal(c.Executors, o.Executors) &&
		slices.EqualFunc(c.Hosts, o.Hosts, func(a, b golden.Pair[int, map[string]int]) bool {
			return a.First == b.First && maps.Equal(a.Second, b.Second)
		})
}

type executorAllocationState struct {
	Targets        [][2]int `json:"targets"`
	ToAdd          [][2]int `json:"to_add_next"`
	MaxNeeded      [][2]int `json:"max_needed"`
	AddTime        *int64   `json:"add_time_ms"`
	Executors      int      `json:"executors"`
	PendingRemoval []string `json:"pending_removal"`
}

func (s executorAllocationState) equal(o executorAllocationState) bool {
	return slices.Equal(s.Targets, o.Targets) && slices.Equal(s.ToAdd, o.ToAdd) && slices.Equal(s.MaxNeeded, o.MaxNeeded) &&
		(s.AddTime == nil) == (o.AddTime == nil) && (s.AddTime == nil || *s.AddTime == *o.AddTime) &&
		s.Executors == o.Executors && slices.Equal(s.PendingRemoval, o.PendingRemoval)
}

// sparkConf is the configuration of the run.
func (c *executorAllocationConf) sparkConf() (*sparkconf.Conf, error) {
	values := map[string]string{
		"spark.executor.cores":                    strconv.Itoa(c.Cores),
		"spark.task.cpus":                         strconv.Itoa(c.TaskCPUs),
		"spark.shuffle.service.enabled":           strconv.FormatBool(c.ShuffleService),
		"spark.shuffle.service.fetch.rdd.enabled": strconv.FormatBool(c.ShuffleServiceRDD),
		"spark.decommission.enabled":              strconv.FormatBool(c.Decommission),
	}
	dyn := func(key, value string) { values["spark.dynamicAllocation."+key] = value }
	dyn("enabled", "true")
	dyn("minExecutors", strconv.Itoa(c.Min))
	dyn("maxExecutors", strconv.Itoa(c.Max))
	dyn("initialExecutors", strconv.Itoa(c.Initial))
	dyn("executorAllocationRatio", strconv.FormatFloat(c.Ratio, 'g', -1, 64))
	dyn("schedulerBacklogTimeout", fmt.Sprint(c.Backlog, "s"))
	dyn("sustainedSchedulerBacklogTimeout", fmt.Sprint(c.Sustained, "s"))
	dyn("executorIdleTimeout", fmt.Sprint(c.Idle, "s"))
	dyn("shuffleTracking.enabled", strconv.FormatBool(c.ShuffleTracking))
	if c.CachedIdle != nil {
		dyn("cachedExecutorIdleTimeout", fmt.Sprint(*c.CachedIdle, "s"))
	}
	if c.ShuffleTimeout != nil {
		dyn("shuffleTracking.timeout", fmt.Sprint(*c.ShuffleTimeout, "s"))
	}
	maps.Copy(values, golden.Properties(c.Keys))
	conf, _, err := sparkconf.Parse(sparkconf.Layer{Name: "conf", Strict: true, Values: values})
	return conf, err
}

func runExecutorAllocation(c *executorAllocationCase, out *golden.Results) {
	conf, err := c.Conf.sparkConf()
	if err != nil {
		out.AddUnsupported(c.ID, err.Error())
		return
	}
	perExec := make([]int, len(c.Profiles))
	for i, p := range c.Profiles {
		if p.Profile != i {
			out.AddUnsupported(c.ID, fmt.Sprintf("profile %d is number %d", i, p.Profile))
			return
		}
		perExec[i] = p.PerExec
	}
	c.managed = spark.NewManager(conf, perExec, c)
	c.names, c.active = protocol.NewNames(), map[int32]bool{}
	for i := range c.Events {
		e := &c.Events[i]
		c.calls, c.answers = nil, c.answers[:0]
		for k := range e.Calls {
			c.answers = append(c.answers, e.Calls[k])
			e.Calls[k].LocalTasks = slices.DeleteFunc(e.Calls[k].LocalTasks, func(p [2]int) bool { return p[1] == 0 })
			e.Calls[k].Hosts = slices.DeleteFunc(e.Calls[k].Hosts, func(p golden.Pair[int, map[string]int]) bool { return len(p.Second) == 0 })
		}
		if !c.apply(e) {
			out.AddUnsupported(c.ID, fmt.Sprintf("event %d is %q", i, e.Op))
			return
		}
		got := c.state()
		if !slices.EqualFunc(e.Calls, c.calls, executorAllocationCall.equal) {
			out.AddDifferent(golden.Difference{Case: c.ID, Event: i, Expected: e.Calls, Got: c.calls, State: got})
			return
		}
		if !e.State.equal(got) {
			out.AddDifferent(golden.Difference{Case: c.ID, Event: i, Expected: e.State, Got: got, State: e.Op})
			return
		}
	}
	out.AddEqual()
}

// apply gives one event to the manager; it reports false when it knows no such event.
func (c *executorAllocationCase) apply(e *executorAllocationEvent) bool {
	m := c.managed
	exec, _ := strconv.Atoi(e.Exec)
	executor := int32(exec)
	switch e.Op {
	case "start":
		m.Start(e.T)
	case "tick":
		m.Tick(e.T)
	case "stage_submitted":
		for _, hosts := range e.Preferred {
			names := make([]protocol.Name, len(hosts))
			for i, h := range hosts {
				names[i] = c.names.Intern(h)
			}
			c.counter.Task(names)
		}
		m.StageSubmitted(e.T, e.Stage, e.Attempt, e.Profile, e.Tasks, c.counter.Take())
	case "stage_completed":
		m.StageCompleted(e.Stage, e.Attempt)
	case "task_start":
		m.TaskStart(e.T, e.Stage, e.Attempt, e.Index, executor, e.Speculative, c.active[executor])
	case "task_end":
		end := spark.TaskFailed
		switch e.Reason {
		case "success":
			end = spark.TaskSucceeded
		case "killed":
			end = spark.TaskKilled
		}
		m.TaskEnd(e.T, e.Stage, e.Attempt, e.Index, executor, e.Speculative, end)
	case "speculative_task_submitted":
		m.SpeculativeTaskSubmitted(e.T, e.Stage, e.Attempt, e.Index)
	case "unschedulable_added":
		m.UnschedulableAdded(e.T, e.Stage, e.Attempt)
	case "unschedulable_removed":
		m.UnschedulableRemoved(e.Stage, e.Attempt)
	case "executor_added":
		c.active[executor] = true
		m.ExecutorAdded(e.T, executor, e.Profile)
	case "executor_removed":
		delete(c.active, executor)
		m.ExecutorRemoved(executor)
	case "job_start":
		stages := make([]spark.ShuffleStage, len(e.Stages))
		for i, s := range e.Stages {
			stages[i] = spark.ShuffleStage{Stage: s.Stage, Shuffle: spark.NoShuffle}
			if s.Shuffle != nil {
				stages[i].Shuffle = *s.Shuffle
			}
		}
		m.JobStart(e.Job, stages)
	case "job_end":
		m.JobEnd(e.Job)
	case "shuffle_cleaned":
		m.ShuffleCleaned(e.Shuffle)
	case "block_updated":
		m.BlockUpdated(executor, e.RDD, e.Split, e.Level != "NONE", e.Level != "NONE" && e.Level != "MEMORY_ONLY", c.active[executor])
	case "shuffle_moved":
		m.ShuffleMoved(executor, e.Shuffle, c.active[executor])
	case "reset":
		m.Reset()
	case "unpersist_rdd":
		m.UnpersistRDD(e.RDD)
	default:
		return false
	}
	return true
}

// answer gives the recorded answer to the next call; calls beyond them are acknowledged.
func (c *executorAllocationCase) answer() (ok bool, gone *[]string) {
	if len(c.answers) == 0 {
		return true, nil
	}
	a := c.answers[0]
	c.answers = c.answers[1:]
	return a.Acknowledged, a.Gone
}

// RequestTotal notes the call, as [spark.Backend].
func (c *executorAllocationCase) RequestTotal(_ int64, r *spark.TotalRequest) bool {
	ok, _ := c.answer()
	call := executorAllocationCall{Call: "request_total", Acknowledged: ok}
	for _, p := range r.Profiles {
		call.Targets = append(call.Targets, [2]int{int(p.Profile), p.Total})
		if p.Hints.LocalTasks > 0 {
			call.LocalTasks = append(call.LocalTasks, [2]int{int(p.Profile), p.Hints.LocalTasks})
		}
		if len(p.Hints.Hosts) > 0 {
			hosts := golden.Pair[int, map[string]int]{First: int(p.Profile), Second: map[string]int{}}
			for _, h := range p.Hints.Hosts {
				hosts.Second[c.names.Text(h.Host)] = int(h.Tasks)
			}
			call.Hosts = append(call.Hosts, hosts)
		}
	}
	c.calls = append(c.calls, call)
	return call.Acknowledged
}

// Kill notes the call, as [spark.Backend].
func (c *executorAllocationCase) Kill(_ int64, executors []int32) []int32 {
	return c.remove("kill", executors)
}

// Decommission notes the call, as [spark.Backend].
func (c *executorAllocationCase) Decommission(_ int64, executors []int32) []int32 {
	return c.remove("decommission", executors)
}

func (c *executorAllocationCase) remove(name string, executors []int32) []int32 {
	ok, gone := c.answer()
	c.calls = append(c.calls, executorAllocationCall{Call: name, Executors: texts(executors), Acknowledged: ok})
	switch {
	case !ok:
		return nil
	case gone == nil:
		return executors
	}
	return slices.DeleteFunc(slices.Clone(executors), func(e int32) bool { return !slices.Contains(*gone, strconv.Itoa(int(e))) })
}

func texts(numbers []int32) []string {
	out := make([]string, len(numbers))
	for i, n := range numbers {
		out[i] = strconv.Itoa(int(n))
	}
	return out
}

func (c *executorAllocationCase) state() executorAllocationState {
	var s executorAllocationState
	for i := range c.Profiles {
		p := int32(i)
		if target, toAdd, ok := c.managed.Target(p); ok {
			s.Targets = append(s.Targets, [2]int{i, target})
			s.ToAdd = append(s.ToAdd, [2]int{i, toAdd})
		}
		s.MaxNeeded = append(s.MaxNeeded, [2]int{i, c.managed.MaxNeeded(p)})
	}
	if at := c.managed.AddTime(); at != spark.Never {
		s.AddTime = &at
	}
	tracked, killed := c.managed.Executors()
	s.Executors, s.PendingRemoval = tracked, texts(killed)
	slices.Sort(s.PendingRemoval)
	return s
}
