// Package driver is a Spark application on YARN as the cluster sees it: its application master (ApplicationMaster,
// YarnAllocator), and its driver's scheduler backend (CoarseGrainedSchedulerBackend, YarnSchedulerBackend), around the state
// machines of engine/spark. It gives those their time and carries their messages.
//
// A [Kind] makes a [Driver] of each attempt of a job. Where executors come from is a source: they are asked for (asked.go), or a
// recording gives them (recorded.go). Latencies and the cost of remote reads are the model's, docs/model.md.
package driver

import (
	"replay/engine/master"
	"replay/engine/model"
	"replay/engine/reuse"
	"replay/engine/spark"
	"replay/engine/spark/allocator"
	"replay/engine/spark/conf"
	"replay/policy"
	"replay/policy/resource"
	"replay/trace"
)

// Setup is what all Spark applications of a replay have in common.
type Setup struct {
	Defaults   conf.Layer   // under the keys recorded with each job
	Over       []conf.Layer // over them, the last one winning
	Placement  policy.Placement
	Pools      []spark.Pool // of spark.scheduler.allocation.file; nil without one
	PoolsFile  string       // what spark.scheduler.allocation.file says to all jobs, "" for nothing
	Recorded   Recorded
	Model      *model.Model
	Types      []string // resource types of the cluster
	AMExpiryMS int64    // yarn.am.liveness-monitor.expiry-interval-ms
	AMAttempts int      // yarn.resourcemanager.am.max-attempts
	Dense      bool     // each time of each clock is executed, whether it can have an effect or not
	DelayOff   bool     // the scheduler does not wait for a preferred host
}

// Kind is Spark as a kind of application.
type Kind struct {
	Setup
	index    allocator.HostIndex          // working memory of allocators
	scratch  spark.Scratch                // and of task schedulers
	recorded map[int64][]RecordedExecutor // by job
	known    map[string]*settings         // of jobs, by what they say
	said     []byte                       // scratch: what a job says
	jobs     int                          // planned
	spare    []leftover                   // of masters of which nothing is left, for others
	gone     []*leaving                   // those that have left

	nodeLists reuse.Pool[int32] // memory of drivers, see [lent]
	hostLists reuse.Pool[spark.HostTasks]
	runLists  reuse.Pool[run]

	own  map[string]int // by key of Defaults, how many jobs set it themselves
	idle map[string]int // how many jobs do not read a key of Over, by the switch and the key

	speculating int   // jobs that began with speculation that would look at the records that tasks have read
	failing     int   // jobs with tasks that failed when they were recorded, and not in this replay
	failures    int64 // how often these failed
}

// NewKind returns Spark with this setup.
func NewKind(s Setup) *Kind {
	return &Kind{Setup: s, recorded: s.Recorded.byJob(), known: map[string]*settings{}, own: map[string]int{}, idle: map[string]int{}}
}

// The kinds of events of a driver, in the order of events.
const (
	evDisassociated master.EventKind = iota
	evDisconnect
	evAskTimeout
	evDecommission
	evHalt
	evRecordedLeave
	evRecordedRemove
	evDriverStop

	evHeartbeat

	evStatus
	evKilled
	evSelfExit
	evRecordedAdd
	evExecRegistered
	evExecReady
	evRevive
	evResult
	evStage
	evResubmit

	evBegin
	evGate
	evTick
	evAbort
	evSpeculate
	evReviveTimer
)

var events = []master.Event{
	evDisassociated:  {Name: "connection of the application master dropped", Class: master.Message, Work: true},
	evDisconnect:     {Name: "connection of an executor dropped", Class: master.Message, Number: "executor", Work: true, Private: true, Hints: true},
	evAskTimeout:     {Name: "executor given up of which nobody says why it is gone", Class: master.Message},
	evDecommission:   {Name: "decommissioned executor looks whether it may end", Class: master.Message, Number: "executor", Work: true},
	evHalt:           {Name: "recorded end of a driver that halts", Class: master.Message, Work: true},
	evRecordedLeave:  {Name: "recorded decision to have an executor killed", Class: master.Message, Number: "recorded executor", Work: true},
	evRecordedRemove: {Name: "recorded end of an executor", Class: master.Message, Number: "recorded executor", Work: true},
	evDriverStop:     {Name: "end of the application's code", Class: master.Message, Work: true},

	evHeartbeat: {Name: "application master's heartbeat", Class: master.Heartbeat},

	evStatus:         {Name: "end of a task attempt reported", Class: master.Inbox, Number: "task attempt", Work: true, Private: true, Many: true},
	evKilled:         {Name: "task attempt told to stop has", Class: master.Inbox, Number: "task attempt", Work: true, Private: true, Hints: true},
	evSelfExit:       {Name: "decommissioned executor has told that it ends", Class: master.Inbox, Number: "executor", Work: true, Private: true, Hints: true},
	evRecordedAdd:    {Name: "recorded start of an executor", Class: master.Inbox, Number: "recorded executor", Work: true},
	evExecRegistered: {Name: "executor has registered", Class: master.Inbox, Number: "container", Work: true, Private: true},
	evExecReady:      {Name: "executor has registered and takes tasks", Class: master.Inbox, Number: "container", Work: true, Private: true},
	evRevive:         {Name: "offer of all executors", Class: master.Inbox, Private: true},
	evResult:         {Name: "result of a task attempt handled", Class: master.Inbox, Number: "task attempt", Work: true, Private: true, Hints: true},
	evStage:          {Name: "submission of a stage handled", Class: master.Inbox, Number: "order of posting", Work: true, Private: true, Hints: true},
	evResubmit:       {Name: "failed stages submitted again", Class: master.Inbox, Work: true, Private: true, Hints: true},

	evBegin:       {Name: "recorded begin of the application's code", Class: master.Timer, Work: true, Private: true, Hints: true},
	evGate:        {Name: "registered executors counted", Class: master.Timer, Private: true, Hints: true},
	evTick:        {Name: "tick of dynamic allocation", Class: master.Timer, Private: true},
	evAbort:       {Name: "task set that could not be scheduled anywhere", Class: master.Timer, Number: "task set", Work: true, Private: true, Hints: true},
	evSpeculate:   {Name: "look for tasks to speculate on", Class: master.Timer, Private: true},
	evReviveTimer: {Name: "periodic offer of all executors", Class: master.Timer, Private: true},
}

// SetDense is part of [master.Literal].
func (k *Kind) SetDense(on bool) { k.Dense = on }

// Events is part of [master.Kind].
func (k *Kind) Events() []master.Event { return events }

// Plan is part of [master.Kind].
func (k *Kind) Plan(j *trace.Job) (*master.Plan, error) {
	set, err := k.settings(j)
	if err != nil {
		return nil, err
	}
	k.countRetries(j)
	timed := len(k.Recorded.Latencies[j.ID]) > 0
	if set.plan != nil && !timed {
		return set.plan, nil
	}
	plan := &master.Plan{AMSize: set.amSize, AMStartMS: k.amStart(j.ID, 1), LaterAMStartsMS: k.laterAMStarts(j.ID), Priority: set.priority, MaxAttempts: set.maxAttempts, FailuresValidityMS: set.conf.AttemptFailuresValidity,
		Warnings: set.warnings, Recorded: k.Recorded.Executors != nil, ExecutorMiB: set.execs[0].Size[resource.Memory], WatchesNodes: set.conf.MayExcludeNodes(),
		Maker: planned{k, set}}
	if !timed {
		set.plan = plan
	}
	return plan, nil
}

// countRetries counts the recorded failures of a job that the replay does not repeat: it repeats only attempts that it is given.
func (k *Kind) countRetries(j *trace.Job) {
	if len(k.Recorded.Attempts[j.ID]) > 0 {
		return
	}
	n := int64(0)
	for i := range j.Stages {
		for _, r := range j.Stages[i].Tasks.Retries { // nil where no task has any
			n += int64(max(r, 0))
		}
	}
	if n > 0 {
		k.failing++
		k.failures += n
	}
}

// planned are the masters of a job with these settings.
type planned struct {
	k   *Kind
	set *settings
}

// New is part of [master.Maker].
func (p planned) New(h master.Host, j *trace.Job) master.Master { return p.k.newMaster(h, j, p.set) }

// Prepare is part of [master.Preparer].
func (p planned) Prepare(step int) {
	if n := len(p.k.spare); n > 0 {
		p.k.spare[n-1].fetch(step)
	}
}

// latencies returns those recorded of an attempt of a job, from 1; nil where none were.
func (k *Kind) latencies(job int64, attempt int) *Latencies {
	if list := k.Recorded.Latencies[job]; len(list) > 0 {
		return list[min(attempt, len(list))-1]
	}
	return nil
}

func (k *Kind) laterAMStarts(job int64) (out []int64) {
	for n := 2; n <= len(k.Recorded.Latencies[job]); n++ {
		out = append(out, k.amStart(job, n))
	}
	return out
}

// amStart returns how long an application master takes from the NodeManager's start to its registration.
func (k *Kind) amStart(job int64, attempt int) int64 {
	if l := k.latencies(job, attempt); l != nil && l.AMMS != trace.Unset {
		return max(l.AMMS-k.Model.NMStartMS, 0)
	}
	return k.Model.AMStartMS
}

// executorStart returns how long executor n of an attempt with latencies l takes from the NodeManager's start to its
// registration, and from that until it takes tasks; called is how long the start call takes.
func (k *Kind) executorStart(l *Latencies, n int, called int64) (start, ready int64) {
	if l != nil && n < len(l.ExecutorMS) && l.ExecutorMS[n] != trace.Unset {
		return max(l.ExecutorMS[n]-called, 0), k.Model.ExecutorReadyMS
	}
	return k.Model.ExecutorStartMS, 0
}

// Concrete are values of the types that stand behind interfaces in the state of a replay.
func Concrete() []any {
	return []any{(*Kind)(nil), (*asked)(nil), (*Driver)(nil), (*leaving)(nil), planned{}}
}
