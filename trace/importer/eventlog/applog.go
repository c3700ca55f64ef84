package eventlog

import (
	"fmt"
	"slices"

	"replay/trace"
	"replay/trace/importer/recorded"
	"replay/trace/importer/workload"
)

// appLog is what an import keeps of the events of one application: a row for each partition of
// each stage, not one for each event.
type appLog struct {
	version     string
	events      int64  // that were read, of any kind
	later       string // an event of a Spark whose logs name their version, "" = none was read
	start       appStart
	started     bool
	end         int64 // absent until the application ended
	amAt        int64 // when its master registered, if that was recorded; absent in event logs
	exitCode    int64
	conf        map[string]string
	profiles    map[int32]resourceProfile
	hidden      []string // properties whose values the log hides
	executors   []executorLog
	executor    map[int32]int // newest row of an executor id
	jobs        []*jobLog     // in order of their starts
	job         map[int32]*jobLog
	infos       map[int32]*stageInfo // every stage named by a job, also those that never ran
	stages      map[int32]*stageLog  // those that were submitted
	running     map[int64]runningTask
	begun       taskIDs        // of tasks whose start was read
	over        taskIDs        // of tasks whose end was read
	unannounced map[int32]seen // executors that ran a task before an event added them
	hosts       []string
	host        map[string]int32
	named       bool                // tasks name their partitions
	maker       map[int32]*stageLog // RDD -> the first stage that ran to make it
	failed      map[int32]bool      // executors from which output of tasks could not be fetched
	lostAt      map[int32]int64     // executor -> end of the first task that was lost with it
	unpersist   map[int32]int64     // RDD -> time of the last event before it was unpersisted
	last        int64               // latest time in any event
	lastTask    int64               // latest end of a task
	lastLaunch  int64               // latest of a task that began
	setBack     int64               // by how many ms at most a task was launched before one that stands before it

	ends                     taskEnds
	removals, removalsOfNone int64 // events; those of executors that were not there
	addedAgain               int64 // events of executors that were there
	drops                    workload.Counter
	err                      error // what is wrong with the last event, cleared by take

	databricks bool // Databricks wrote the log
	cut        bool // it has no end, although its name says that the application ended

	lost string // which events it has lost, "" = none
}

// taskEnds counts the task attempts that ended.
type taskEnds struct {
	all, succeeded, failed, killed, speculative int64
	coreMS                                      int64 // sum of finish - launch
	locality                                    map[string]int64
}

type executorLog struct {
	executorAdded
	announced bool // by an event
	hostID    int32
	removed   int64 // absent while it lived
	last      int64 // launch of the last task that ended on it, as its events say
	reason    string
}

type jobLog struct {
	jobStart
	end int64 // absent until it ended
	ok  bool
	// done is end, or if the log lost that the end of its last stage, which succeeded, or of the stage with which it failed.
	done int64
}

// part is the work of one partition: that of its first successful attempt.
type part struct {
	partition, index int32
	attempt          int32 // of the stage in which the partition was first seen
	ranIn            int32 // attempt of the stage whose task this is
	executor         int32
	holder           int32 // executor of the last success, which has the output
	done             bool
	host             int32 // -1 = not known
	locality         string
	retries          int32 // attempts that failed of themselves
	launches         int32
	launch, busyMS   int64
	coreMS           int64 // from launch to end
	deserializeMS    int64
	schedDelayMS     int64
	inputBytes       int64
	shuffleRead      int64
	shuffleWrite     int64
	metrics          bool
	speculative      bool
}

type runningTask struct {
	stage, row int32
	launch     int64
	executor   int32
}

// attemptLog is an attempt of a task beside the one that its part has.
type attemptLog struct {
	recorded.Attempt
	partition int32
}

func newAppLog() *appLog {
	return &appLog{
		end: absent, amAt: absent, exitCode: absent, conf: map[string]string{}, profiles: map[int32]resourceProfile{},
		executor: map[int32]int{}, job: map[int32]*jobLog{}, infos: map[int32]*stageInfo{}, stages: map[int32]*stageLog{},
		running: map[int64]runningTask{}, unannounced: map[int32]seen{}, host: map[string]int32{}, maker: map[int32]*stageLog{}, failed: map[int32]bool{}, lostAt: map[int32]int64{}, unpersist: map[int32]int64{},
		ends: taskEnds{locality: map[string]int64{}}, drops: workload.Counter{},
	}
}

// take returns what was wrong with the last event.
func (a *appLog) take() error {
	err := a.err
	a.err = nil
	return err
}

// saw takes note of the time of an event, absent = none. One before the application's start, or years off, is no time of this application.
func (a *appLog) saw(at int64) {
	if at != absent && a.started && at < a.start.at-clockStepMS {
		a.err = fmt.Errorf("an event is at %d ms, want the application's start, %d, or later", at, a.start.at)
		return
	}
	a.reach(at)
}

// reach is saw of an event whose place behind the start is looked at elsewhere.
func (a *appLog) reach(at int64) {
	if at != absent && a.started && (at-a.start.at > trace.LatestMS || a.start.at-at > trace.LatestMS) {
		a.err = fmt.Errorf("an event is at %d ms, want a time within 100 years of the application's start at %d", at, a.start.at)
		return
	}
	if at != absent {
		a.last = max(a.last, at)
	}
}

func (a *appLog) hostID(name []byte) int32 {
	if len(name) == 0 {
		return -1
	}
	if id, ok := a.host[string(name)]; ok {
		return id
	}
	id := int32(len(a.hosts))
	a.hosts = append(a.hosts, string(name))
	a.host[string(name)] = id
	return id
}

func (a *appLog) onLogStart(version string) { a.version = version }

func (a *appLog) onDatabricks() { a.databricks = true }

func (a *appLog) onAppStart(s appStart) {
	if a.started && s == a.start {
		a.drops["application_starts_that_are_there_twice"]++
		return
	}
	if a.started {
		a.err = fmt.Errorf("a second SparkListenerApplicationStart (of %q after %q), want one application a log: split what was put together", s.id, a.start.id)
		return
	}
	a.start, a.started = s, true
	a.saw(s.at)
}

func (a *appLog) onAppEnd(at, exitCode int64) { a.end, a.exitCode = at, exitCode; a.reach(at) }

// onEnvironment takes the properties; an event that comes again, as for a jar that was added, may be without them.
func (a *appLog) onEnvironment(spark map[string]string) {
	if len(spark) > 0 || len(a.conf) == 0 {
		a.conf = spark
	}
}

func (a *appLog) onProfile(p resourceProfile) { a.profiles[p.id] = p }

func (a *appLog) onExecutorAdded(e executorAdded) {
	a.saw(e.at)
	if i, ok := a.executor[e.id]; ok && (a.executors[i].removed == absent || a.executors[i].at == e.at) {
		a.addedAgain++
		a.drops["executors_with_the_id_of_another"]++
		return
	}
	a.executor[e.id] = len(a.executors)
	a.executors = append(a.executors, executorLog{executorAdded: e, announced: true, hostID: a.hostID([]byte(e.host)), removed: absent})
}

func (a *appLog) onExecutorRemoved(at int64, id int32, reason string) {
	a.saw(at)
	a.removals++
	i, ok := a.executor[id]
	if s, seen := a.unannounced[id]; seen && !ok && s.removed == absent {
		s.removed, s.reason = at, reason
		a.unannounced[id] = s
		return
	}
	if !ok || a.executors[i].removed != absent { // the event may come twice, and for executors that never registered
		a.removalsOfNone++
		return
	}
	a.executors[i].removed, a.executors[i].reason = at, reason
}

func (a *appLog) onJobStart(j jobStart) {
	a.saw(j.at)
	if old := a.job[j.id]; old != nil {
		if old.at != j.at || !slices.Equal(old.stageIDs, j.stageIDs) {
			a.err = fmt.Errorf("job %d starts twice, at %d and at %d ms with other stages, want each Job ID once", j.id, old.at, j.at)
			return
		}
		a.drops["job_starts_that_are_there_twice"]++
		return
	}
	job := &jobLog{jobStart: j, end: absent}
	a.jobs = append(a.jobs, job)
	a.job[j.id] = job
	for _, s := range j.stages {
		if a.infos[s.id] == nil {
			a.infos[s.id] = s
		}
	}
}

func (a *appLog) onJobEnd(id int32, at int64, ok bool) {
	a.saw(at)
	j := a.job[id]
	if j == nil {
		a.drops["job_ends_without_start"]++
		return
	}
	j.end, j.ok = at, ok
}

func (a *appLog) onStageSubmitted(s *stageInfo) {
	a.saw(s.submitted)
	if !a.mayBe(s.id, s.attempt) {
		return
	}
	st := a.stages[s.id]
	if st == nil {
		st = &stageLog{info: s, firstReady: absent, completed: absent, row: map[int32]int32{}}
		a.stages[s.id], a.infos[s.id] = st, s
	}
	st.setSubmitted(s.attempt, s.submitted)
	if s.attempt > 0 && !st.announced[s.attempt] && !a.named {
		a.retried(st, s)
	}
	st.announced[s.attempt] = true
	if len(s.rdds) > 0 && a.maker[s.rdds[0].id] == nil {
		a.maker[s.rdds[0].id] = st
	}
}

func (a *appLog) onStageCompleted(s *stageInfo) {
	a.reach(s.completed)
	st := a.stage(s.id)
	if st == nil {
		a.drops["stage_ends_without_start"]++
		return
	}
	if s.attempt >= 0 && s.attempt <= mostAttempts && st.submittedAt(s.attempt) == absent {
		st.setSubmitted(s.attempt, s.submitted)
	}
	if at := st.submittedAt(s.attempt); at != absent && s.completed != absent && s.completed < at-clockStepMS {
		a.drops["stage_ends_before_their_submission"]++
	}
	st.completed, st.failure = s.completed, s.failure
	if s.failure == "" && st.firstReady == absent {
		st.firstReady = s.completed
	}
}

func (a *appLog) onUnpersist(rdd int32) { a.unpersist[rdd] = a.last }

// mostAttempts is how many attempts a stage may have: each takes memory, and so do those before it. Spark gives up after a few.
const mostAttempts = 1000

func (a *appLog) mayBe(stage, attempt int32) bool {
	if attempt > mostAttempts {
		a.err = fmt.Errorf("stage %d has attempt %d, want at most %d", stage, attempt, mostAttempts)
		return false
	}
	return true
}

// stage returns a stage that ran. One whose submission the log lost is made from what its job said of it.
func (a *appLog) stage(id int32) *stageLog {
	st := a.stages[id]
	if st == nil && a.infos[id] != nil {
		st = &stageLog{info: a.infos[id], firstReady: absent, completed: absent, row: map[int32]int32{}}
		a.stages[id] = st
		a.drops["stage_submissions"]++
	}
	return st
}

// expectedParts is for how many tasks of a stage there is room when the first is there, if it says that it has as many.
const expectedParts = 32

// part returns the row of a task, making it when the partition is new.
func (a *appLog) part(stage, attempt int32, t *taskInfo) (*stageLog, int32, bool) {
	st := a.stage(stage)
	if !a.mayBe(stage, attempt) {
		return nil, 0, false
	}
	if st == nil {
		a.err = fmt.Errorf("task %d belongs to stage %d attempt %d, which no SparkListenerStageSubmitted or SparkListenerJobStart has announced", t.id, stage, attempt)
		return nil, 0, false
	}
	partition := t.partition
	if n := st.info.partitions(); partition >= n && n > 0 {
		a.err = fmt.Errorf("task %d has Partition ID %d, want one below %d, the partitions of stage %d", t.id, partition, n, stage)
		return nil, 0, false
	}
	if a.started && t.launch < a.start.at-clockStepMS {
		a.err = fmt.Errorf("task %d has Launch Time %d, want the application's start, %d, or later", t.id, t.launch, a.start.at)
		return nil, 0, false
	}
	a.named = a.named || partition >= 0
	if partition < 0 { // before Spark 3.3
		partition = t.index
		if attempt > 0 {
			r, ok := st.retry[attempt]
			if ok {
				partition, ok = r.partition(t.index)
			}
			if !ok {
				a.drops["task_events_of_unknown_partition"]++
				return nil, 0, false
			}
		}
	}
	row, ok := st.row[partition]
	if !ok {
		if st.parts == nil {
			st.parts = make([]part, 0, min(st.info.tasks, expectedParts))
		}
		row = int32(len(st.parts))
		st.row[partition] = row
		st.parts = append(st.parts, part{
			partition: partition, index: t.index, attempt: attempt, ranIn: attempt, host: -1, executor: -1,
			busyMS: absent, launch: absent, deserializeMS: absent, schedDelayMS: absent,
			inputBytes: absent, shuffleRead: absent, shuffleWrite: absent,
		})
	}
	return st, row, true
}

func (a *appLog) onTaskStart(stage, attempt int32, t *taskInfo) {
	a.saw(t.launch)
	st, row, ok := a.part(stage, attempt, t)
	if !ok || a.again(&a.begun, t.id) {
		return
	}
	if a.over.has(t.id) { // which was taken for one whose start was lost
		if a.drops[endsAlone]--; a.drops[endsAlone] == 0 {
			delete(a.drops, endsAlone)
		}
		return
	}
	st.parts[row].launches++
	a.setBack, a.lastLaunch = max(a.setBack, a.lastLaunch-t.launch), max(a.lastLaunch, t.launch)
	st.launched(attempt, t.launch)
	a.running[t.id] = runningTask{stage, row, t.launch, t.executor}
	a.see(st, t)
}

// again tells whether ids has a task, of which the same event was read before. An id is that of one attempt of a task.
func (a *appLog) again(ids *taskIDs, id int64) bool {
	if !ids.add(id) {
		return false
	}
	a.drops["task_events_that_are_there_twice"]++
	return true
}

// endsAlone counts the ends of tasks whose starts were lost.
const endsAlone = "task_ends_without_start"

func (a *appLog) onTaskEnd(stage, attempt int32, t *taskInfo) {
	a.saw(t.finish)
	a.lastTask = max(a.lastTask, t.finish)
	st, row, ok := a.part(stage, attempt, t)
	if !ok || string(t.reason) != "Resubmitted" && a.again(&a.over, t.id) { // one that is resubmitted has ended before
		return
	}
	if _, ok := a.running[t.id]; !ok && string(t.reason) != "Resubmitted" {
		st.parts[row].launches++ // its start was lost
		st.launched(attempt, t.launch)
		a.see(st, t)
		a.drops[endsAlone]++
	}
	delete(a.running, t.id)
	a.countEnd(t)
	if i, ok := a.executor[t.executor]; ok {
		a.executors[i].last = max(a.executors[i].last, t.launch)
	}
	st.result = st.result || t.result
	p := &st.parts[row]
	switch string(t.reason) {
	case "Success":
	case "ExceptionFailure", "TaskResultLost", "UnknownReason": // and not TaskCommitDenied: another attempt has done the task's work
		p.retries++
	case "FetchFailed":
		a.failed[t.from] = true
	case "ExecutorLostFailure":
		if _, ok := a.lostAt[t.executor]; !ok {
			a.lostAt[t.executor] = t.finish
		}
	}
	if string(t.reason) == "Success" {
		p.holder = t.executor
	}
	w := workOf(t)
	if p.done || string(t.reason) != "Success" {
		st.addMore(attempt, p.partition, t, &w)
	}
	if p.done {
		return
	}
	if string(t.reason) != "Success" {
		if w.busyMS <= p.busyMS {
			return
		}
	} else {
		p.done = true
	}
	w.partition, w.index, w.attempt, w.done, w.retries, w.launches = p.partition, p.index, p.attempt, p.done, p.retries, p.launches
	w.host, w.locality, w.executor, w.holder = a.hostID(t.host), localityName(t.locality), t.executor, p.holder
	w.ranIn, w.launch, w.speculative = attempt, t.launch, t.speculative
	*p = w
}

func (a *appLog) countEnd(t *taskInfo) {
	a.ends.all++
	a.ends.coreMS += max(0, t.finish-t.launch)
	name := localityName(t.locality)
	if name == "" {
		name = string(t.locality)
	}
	a.ends.locality[name]++
	switch {
	case t.killed:
		a.ends.killed++
	case t.failed || string(t.reason) != "Success":
		a.ends.failed++
	default:
		a.ends.succeeded++
	}
	if t.speculative {
		a.ends.speculative++
	}
}

// workOf is the time that an attempt held its core for work of its own: all but dispatch, status
// messages and the fetching of its result. Source: Spark's AppStatusUtils.schedulerDelay.
func workOf(t *taskInfo) part {
	total := max(0, t.finish-t.launch)
	fetching := int64(0)
	if t.gettingResult > 0 {
		fetching = max(0, t.finish-t.gettingResult)
	}
	w := part{
		coreMS: total, busyMS: max(0, total-fetching), deserializeMS: t.deserializeMS, schedDelayMS: absent,
		inputBytes: t.inputBytes, shuffleRead: t.shuffleRead, shuffleWrite: t.shuffleWrite, metrics: t.hasMetrics,
	}
	if t.hasMetrics {
		w.busyMS = t.worked()
		w.schedDelayMS = max(0, total-w.busyMS-fetching)
	}
	return w
}

// localityName keeps the few names as constants.
func localityName(b []byte) string {
	for _, s := range [...]string{"PROCESS_LOCAL", "NODE_LOCAL", "NO_PREF", "RACK_LOCAL", "ANY"} {
		if string(b) == s {
			return s
		}
	}
	return ""
}

// unset turns an absent number into the trace's.
func unset(n int64) int64 {
	if n == absent {
		return trace.Unset
	}
	return n
}
