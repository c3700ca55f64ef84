package spark

import (
	"cmp"
	"fmt"
	"slices"

	"replay/engine/fetch"
	"replay/engine/reuse"
	"replay/engine/spark/conf"
	"replay/trace"
)

// DAG decides when the stages of one application run, again if need be, and where their tasks prefer
// to run. It submits stage attempts to a [TaskScheduler] itself and is told what that scheduler tells.
//
// It is a state machine without a clock. The driver loop around it does, in this order:
//
//  1. When the application's code begins: [DAG.Start].
//  2. A finished task reported by an executor: [TaskScheduler.StatusUpdate], the core is free, and the
//     executor is offered alone ([TaskScheduler.ResourceOffers], not all free): at once, before the
//     result is known to the task set, so that another task set may take the core.
//  3. The result, later: [TaskScheduler.Succeeded], [TaskScheduler.Failed] or
//     [TaskScheduler.FetchFailed]; results of the same millisecond in order of task ids.
//  4. After each of these calls, and after [TaskScheduler.ExecutorLost] and the periodic ones:
//     [TaskScheduler.Take], and each event, in order, to [DAG.Handle]; then [DAG.Take]. Handling may
//     have submitted stages, so Take is called until it returns nothing.
//  5. [ReviveOffers] is an offer of all executors (all free), behind the other messages of the
//     millisecond and once for all requests of it.
//
// Order at equal times: status updates, registrations, revives; results by task id; events of the DAG
// in the order of posting; then timers.
//
// A stage is submitted the first time when all stages of its Parents and After have ended and the
// driver's time DelayMS has passed; then and later only when the output of its parents is there.
//
// Source: org.apache.spark.scheduler.DAGScheduler.
type DAG struct {
	conf  *conf.Conf
	job   *trace.Job
	tasks *TaskScheduler
	cpus  []int32 // of a task, by resource profile

	// DefaultDelayMS is the driver's time before a stage whose DelayMS is not known.
	DefaultDelayMS int64
	// Slots returns how many tasks of a resource profile all executors together run at a time; a job
	// with a barrier stage waits for enough. Nil: they are taken to be enough.
	Slots interface{ Slots(profile int32) int }

	stages  []dagStage
	jobs    []sparkJob // by id
	active  []int32    // positions of the jobs that have begun and not ended, ascending
	jobOf   []int32    // by stage: position in jobs
	failed  []int32    // stages to submit again with the next resubmission
	sets    []setInfo  // by task set ID
	events  []DAGEvent
	taken   []DAGEvent
	left    int // stages that have not ended
	aborted bool

	// Epochs count changes of the registered output; a task carries that of its task set.
	epoch       int64
	failedAt    []int64 // by executor: epoch of its last failure; output of tasks up to it does not count
	filesLostAt []int64 // by executor: epoch for which its output was last dropped
	gone        []bool  // by executor: dead, and its output with it
	unreachable []bool  // by executor: its output cannot be read, though it may be registered
	ended       []bool  // by executor: its process has ended, so blocks that it kept cannot be read, though they may be registered
	goneVersion int     // counts changes of gone
	deadVersion int     // counts changes of unreachable
}

// dagStage is one stage. A stage can be waiting, running and failed independently, as in Spark.
type dagStage struct {
	tasks         int
	data, control []int32 // stages that read its output; that the driver starts after it
	reads         []int32 // of its parents, those whose output it reads whatever is cached, see [DAG.lineage]
	wakes         []int32 // stages that may wait for its output
	waitsFor      int     // ends of Parents and After that its first submission waits for
	isMap         bool    // some stage reads its output

	waiting, running, toRetry bool
	ended                     bool // was complete once
	next                      int32
	before                    int32 // attempts that the limit of attempts does not count: those for earlier jobs
	renewed                   int32 // attempts before it were for jobs that have ended, of which Spark's present Stage knows nothing
	set                       int32 // of the latest attempt, or -1
	cacheOf                   int32 // [trace.Stage.CacheOf]
	failedAttempts            []int32

	out       []int32 // by partition: executor that holds its output, or that computed its result; -1 = missing; empty before the first attempt
	available int
	version   int    // of gone, as far as out follows it
	lastGone  int32  // executor whose output was dropped last; 0 = none
	pending   []bool // partitions that the running attempt still owes
	owed      int

	cached  []int32  // by partition: executor with the cached block; empty when no stage reads it
	holders indexSet // executors that have been told to have some

	dead   []FetchSource // unreachable outputs of its parents, one for each executor
	deadAt [2]int64      // epoch and version for which dead was made
}

type sparkJob struct {
	id      int32
	stages  []int32
	uses    []int32 // its stages and their ancestors, ascending; made when the first of them is due
	left    int
	started bool

	checks     int   // failed checks for slots of a barrier stage
	checkedAt  int64 // of the last one
	checkedFor int32 // stage with which the job came, and comes again
}

type setInfo struct {
	stage, attempt int32
	epoch          int64
	killed         bool // what it ran was told to stop, as a task of its barrier stage had failed
}

// DAGEventKind is what a [DAG] tells.
type DAGEventKind uint8

// What the DAG tells the engine and the listeners.
const (
	StageTimer     DAGEventKind = iota // call [DAG.StageDue] for Stage at At
	ResubmitTimer                      // call [DAG.Resubmit] at At
	JobStarted                         // Spark job Job; see [DAG.JobStages]
	JobEnded                           // Spark job Job
	StageSubmitted                     // Attempt of Stage as task set Set; follows the submission
	StageCompleted                     // Attempt of Stage; Failed when its output could not be computed
	BlockCached                        // task Index of Stage left its block on Exec for a later stage, the first one there
	DAGDone                            // all stages have ended
	DAGFailed                          // the application cannot go on: Reason
)

// DAGEvent is one thing that a [DAG] tells, see [DAGEventKind].
type DAGEvent struct {
	Kind           DAGEventKind
	Failed         bool
	Job            int32
	Stage, Attempt int32
	Set            int32 // [TaskSet.ID]; -1 for a stage without tasks to run
	Index, Exec    int32
	At             int64
	Reason         string
}

// ResubmitDelayMS is the time between the first fetch failure and the new submission of the stages.
//
// Source: DAGScheduler.RESUBMIT_TIMEOUT.
const ResubmitDelayMS = 200

// NewDAG makes the DAG of an application of a trace. Cpus are the cores of a task by resource profile
// of the job. The error says what of the job Spark would refuse.
func NewDAG(conf *conf.Conf, job *trace.Job, tasks *TaskScheduler, cpus []int32) (*DAG, error) {
	d := new(DAG)
	if err := d.Renew(conf, job, tasks, cpus); err != nil {
		return nil, err
	}
	return d, nil
}

// Renew makes of d what [NewDAG] returns, in the memory that it has; d is of no use after an error.
func (d *DAG) Renew(conf *conf.Conf, job *trace.Job, tasks *TaskScheduler, cpus []int32) error {
	n := len(job.Stages)
	*d = DAG{
		conf: conf, job: job, tasks: tasks, cpus: cpus, left: n, stages: reuse.Roomy(d.stages[:0], n)[:n], jobs: d.jobs[:0], active: d.active[:0], jobOf: slices.Grow(d.jobOf[:0], n)[:n],
		failed: d.failed[:0], sets: d.sets[:0], events: d.events[:0], taken: d.taken[:0],
		failedAt: d.failedAt[:0], filesLostAt: d.filesLostAt[:0], gone: d.gone[:0], unreachable: d.unreachable[:0], ended: d.ended[:0],
	}
	for i := range d.stages {
		d.stages[i] = d.stages[i].emptied()
	}
	for i := range job.Stages {
		t := &job.Stages[i]
		s := &d.stages[i]
		s.tasks = t.Tasks.Len()
		s.waitsFor, s.cacheOf = len(t.Parents)+len(t.After), t.CacheOf
		if t.Kind == trace.StageGang && conf.DynamicAllocation {
			return fmt.Errorf("job %d, stage %d: a barrier stage cannot run with dynamic allocation", job.ID, i)
		}
		if int(t.Profile) >= len(cpus) {
			return fmt.Errorf("job %d, stage %d: profile is %d, want one of the %d profiles", job.ID, i, t.Profile, len(cpus))
		}
		for _, p := range t.Parents {
			d.stages[p].data = append(d.stages[p].data, int32(i))
			d.stages[p].wakes = append(d.stages[p].wakes, int32(i))
			d.stages[p].isMap = true
		}
		for _, p := range t.After {
			d.stages[p].control = append(d.stages[p].control, int32(i))
		}
		if c := t.CacheOf; c >= 0 && len(d.stages[c].cached) == 0 {
			d.stages[c].cached = missing(d.stages[c].cached, job.Stages[c].Tasks.Len())
		}
		s.reads = t.Parents
		for c := range d.lineage(t.CacheOf) {
			behind := job.Stages[c].Parents
			for _, p := range behind {
				d.stages[p].wakes = append(d.stages[p].wakes, int32(i))
			}
			s.reads = slices.DeleteFunc(slices.Clone(s.reads), func(p int32) bool { return slices.Contains(behind, p) })
		}
		id := max(t.SparkJob, 0)
		j, ok := slices.BinarySearchFunc(d.jobs, id, func(j sparkJob, id int32) int { return cmp.Compare(j.id, id) })
		if !ok {
			last := len(d.jobs)
			d.jobs = reuse.Longer(d.jobs)
			stages := d.jobs[last].stages[:0]
			copy(d.jobs[j+1:], d.jobs[j:last])
			d.jobs[j] = sparkJob{id: id, stages: stages}
		}
		d.jobs[j].stages = append(d.jobs[j].stages, int32(i))
		d.jobs[j].left++
	}
	for j := range d.jobs {
		for _, s := range d.jobs[j].stages {
			d.jobOf[s] = int32(j)
		}
	}
	return nil
}

// FetchMemory has fetched (package fetch) what [DAG.Renew] will look at, in steps from 0.
func (d *DAG) FetchMemory(step int) {
	stages := d.stages[:min(cap(d.stages), 2)]
	if step == 0 {
		fetch.List(stages, len(stages))
		fetch.List(d.jobs[:cap(d.jobs)], 1)
		fetch.At(d.jobOf, 0)
		return
	}
	for i := range stages {
		s := &stages[i]
		fetch.Next(s.data[:0], 1)
		fetch.Next(s.wakes[:0], 1)
	}
	for _, j := range d.jobs[:min(len(d.jobs), 1)] {
		fetch.Next(j.stages[:0], 1)
	}
}

// emptied returns a stage of which nothing is known in the memory of s.
func (s *dagStage) emptied() dagStage {
	return dagStage{
		data: s.data[:0], control: s.control[:0], wakes: s.wakes[:0], set: -1, failedAttempts: s.failedAttempts[:0],
		out: s.out[:0], pending: s.pending[:0], cached: s.cached[:0], holders: s.holders.emptied(), dead: s.dead[:0],
	}
}

// renew has a stage that no job needs any more count attempts and failures anew, as the one that Spark makes for another job that needs it.
//
// Source: DAGScheduler.getOrCreateShuffleMapStage, cleanupStateForJobAndIndependentStages.
func (s *dagStage) renew() {
	s.before, s.renewed, s.failedAttempts = s.next, s.next, s.failedAttempts[:0]
}

// missing returns n times -1 in the memory of a list.
func missing(list []int32, n int) []int32 {
	out := slices.Grow(list[:0], n)[:n]
	for i := range out {
		out[i] = -1
	}
	return out
}

// Take returns what the DAG has told since the last call. The slice is valid until the next call of Take.
func (d *DAG) Take() []DAGEvent {
	d.events, d.taken = d.taken[:0], d.events
	return d.taken
}

// Silent reports whether Take would return nothing.
func (d *DAG) Silent() bool { return len(d.events) == 0 }

// emit tells of something of that kind, in what is returned until the next call.
func (d *DAG) emit(kind DAGEventKind) *DAGEvent {
	d.events = reuse.Longer(d.events) // and fills it there
	e := &d.events[len(d.events)-1]
	*e = DAGEvent{}
	e.Kind = kind
	return e
}

// JobStages returns the stages of a Spark job, with those of earlier jobs whose output they read,
// ascending. It is of use from [JobStarted] on.
func (d *DAG) JobStages(job int32) []int32 {
	j, _ := slices.BinarySearchFunc(d.jobs, job, func(j sparkJob, id int32) int { return cmp.Compare(j.id, id) })
	return d.jobs[j].uses
}

// WritesShuffle reports whether a stage writes shuffle output.
func (d *DAG) WritesShuffle(stage int32) bool { return d.stages[stage].isMap }

// Done reports whether all stages have ended.
func (d *DAG) Done() bool { return d.left == 0 }

// Start begins the application's code: stages that wait for no other come, each after its delay.
func (d *DAG) Start(now int64) {
	if d.left == 0 {
		d.emit(DAGDone)
		return
	}
	var due []int32
	for i := range d.stages {
		if d.stages[i].waitsFor == 0 {
			due = append(due, int32(i))
		}
	}
	d.think(now, due)
}

// think lets the driver's time before the stages pass; those without any are submitted at once.
func (d *DAG) think(now int64, stages []int32) {
	for _, s := range stages {
		delay := d.job.Stages[s].DelayMS
		if delay == trace.Unset {
			delay = d.DefaultDelayMS
		}
		if delay > 0 {
			e := d.emit(StageTimer)
			e.Stage, e.At = s, now+delay
		} else {
			d.StageDue(now, s)
		}
	}
}

// StageDue submits a stage whose turn has come, with the start of its Spark job when it is the first one.
func (d *DAG) StageDue(now int64, stage int32) {
	if d.aborted {
		return
	}
	j := &d.jobs[d.jobOf[stage]]
	if !j.started {
		if j.uses == nil {
			j.uses = d.ancestors(j.stages)
		}
		if !d.enoughSlots(now, j, stage) {
			return
		}
		for _, s := range j.uses {
			if !d.needed(s) {
				d.stages[s].renew()
			}
		}
		j.started = true
		at, _ := slices.BinarySearch(d.active, d.jobOf[stage])
		d.active = reuse.Insert(d.active, at, d.jobOf[stage])
		d.emit(JobStarted).Job = j.id
		d.remake(now, j.stages, -1)
	}
	d.submit(now, stage)
}

// enoughSlots reports whether every barrier stage that a job makes fits the executors that are there: its own, and those of ended jobs whose
// output it reads, which it makes anew. If not, the job comes again later, and its other stages behind it, or the application is given up.
//
// Source: DAGScheduler.handleJobSubmitted, createShuffleMapStage, checkBarrierStageWithNumSlots.
func (d *DAG) enoughSlots(now int64, j *sparkJob, stage int32) bool {
	if d.Slots == nil {
		return true
	}
	again := func() {
		e := d.emit(StageTimer)
		e.Stage, e.At = stage, j.checkedAt+d.conf.BarrierCheckInterval
	}
	if j.checks > 0 && j.checkedFor != stage {
		again()
		return false
	}
	for _, s := range j.uses {
		t := &d.job.Stages[s]
		if t.Kind != trace.StageGang || t.Tasks.Len() <= d.Slots.Slots(t.Profile) || d.needed(s) {
			continue
		}
		j.checks++
		j.checkedAt, j.checkedFor = now, stage
		if j.checks > d.conf.BarrierCheckFailures {
			d.giveUp(s, fmt.Sprintf("stage %d: a barrier stage of %d tasks finds %d slots, after %d checks", s, t.Tasks.Len(), d.Slots.Slots(t.Profile), j.checks))
		} else {
			again()
		}
		return false
	}
	return true
}

// lineage yields a stage, the stage whose cached blocks it reads, that whose blocks this one read, and so on; nothing for a negative number. The parents that a
// stage has in common with those behind it are what the blocks were computed from: they are read for a block that is not there, and for no other.
//
// Source: DAGScheduler.getShuffleDependenciesAndResourceProfiles, which passes through cached data sets.
func (d *DAG) lineage(stage int32) func(yield func(int32) bool) {
	return func(yield func(int32) bool) {
		for ; stage >= 0 && yield(stage); stage = d.job.Stages[stage].CacheOf {
		}
	}
}

// ancestors returns the stages and all whose output they read, directly or not, ascending; those that a cached input was
// computed from are among them, whether it is there or not.
//
// Source: DAGScheduler.getOrCreateParentStages.
func (d *DAG) ancestors(stages []int32) []int32 {
	var all []int32
	seen := make([]bool, len(d.stages))
	put := func(stages []int32) {
		for _, s := range stages {
			if !seen[s] {
				seen[s] = true
				all = append(all, s)
			}
		}
	}
	put(stages)
	for i := 0; i < len(all); i++ {
		for from := range d.lineage(all[i]) {
			put(d.job.Stages[from].Parents)
		}
	}
	slices.Sort(all)
	return all
}

// abort ends the application with the reason of a failed stage, unless no job depends on the stage.
//
// Source: DAGScheduler.abortStage.
func (d *DAG) abort(stage int32, reason string) {
	if !d.aborted && d.dependedOn(stage) {
		d.giveUp(stage, reason)
	}
}

// giveUp ends the application.
func (d *DAG) giveUp(stage int32, reason string) {
	d.aborted = true
	e := d.emit(DAGFailed)
	e.Stage, e.Reason = stage, reason
}

// dependedOn reports whether a job that has begun and not ended computes a stage, or still needs its output: a stage whose own output is there needs none.
//
// Source: DAGScheduler.stageDependsOn.
func (d *DAG) dependedOn(stage int32) bool {
	seen := map[int32]bool{}
	var reaches func(s int32) bool
	needs := func(parents []int32) bool {
		return slices.ContainsFunc(parents, func(p int32) bool { return d.availableOf(p) < d.stages[p].tasks && reaches(p) })
	}
	reaches = func(s int32) bool {
		if s == stage {
			return true
		}
		if seen[s] {
			return false
		}
		seen[s] = true
		for from := range d.lineage(s) {
			if needs(d.job.Stages[from].Parents) {
				return true
			}
		}
		return false
	}
	for _, i := range d.active {
		for _, s := range d.jobs[i].stages {
			last := !slices.ContainsFunc(d.stages[s].data, func(c int32) bool { return d.jobOf[c] == i })
			if last && !d.stages[s].ended && reaches(s) {
				return true
			}
		}
	}
	return false
}
