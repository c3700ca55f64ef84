package mapreduce

import (
	"fmt"

	"replay/engine/mapreduce/allocator"
	"replay/engine/master"
	"replay/engine/pertask"
	"replay/engine/protocol"
	"replay/engine/record"
	"replay/policy/resource"
	"replay/trace"
)

// A job is one attempt of the application of a MapReduce job: it is a [master.Master].
type job struct {
	h    master.Host
	k    *Kind
	job  *trace.Job
	set  *settings
	past *history
	pertask.Books
	pertask.Wishes
	beats pertask.Beats

	alloc *allocator.Allocator
	req   protocol.AllocateRequest
	resp  protocol.AllocateResponse

	tasks       [2][]task // maps and reduces, see typeOf
	completed   [2]int    // tasks that have succeeded, failed or been given up
	failed      [2]int    // of those, the ones that have failed
	spent       [2]spread // durations of tasks that have succeeded in this attempt of the application, of each the first
	attempts    []*attempt
	byID        map[allocator.Attempt]*attempt
	byContainer map[int64]*attempt
	order       int32   // tasks that have succeeded, each time anew
	live        [2]list // attempts that are not over
	waiting     [2]int  // of those, the ones that ask for a container
	lastMap     int64   // when the last of the maps succeeded
	medians     [2]int64
	scan        scan
	uber        *uber

	registered int64 // when it did
	answered   int64 // last call that the ResourceManager took, [record.None] while it takes them

	started bool   // the tasks are scheduled
	over    bool   // it has no more to do: it commits, or has unregistered
	gone    bool   // it has left the cluster
	reason  string // why it failed
}

// spread is a sum of durations.
//
// Source: DataStatistics, StartEndTimesBase.updateAttempt.
type spread struct{ n, ms int64 }

func (s *spread) add(ms int64) { s.n, s.ms = s.n+1, s.ms+ms }

func (s *spread) mean() int64 { return s.ms / max(s.n, 1) }

// typeOf is the place of a type in arrays.
func typeOf(reduce bool) int {
	if reduce {
		return 1
	}
	return 0
}

func (k *Kind) newMaster(h master.Host, j *trace.Job, set *settings) master.Master {
	past := k.histories[j.ID]
	if past == nil {
		past = &history{}
		k.histories[j.ID] = past
	}
	past.attempts++
	m := &job{
		h: h, k: k, job: j, set: set, past: past, Books: pertask.Books{Host: h, Job: h.Job()},
		byID: map[allocator.Attempt]*attempt{}, byContainer: map[int64]*attempt{}, lastMap: record.None, answered: record.None,
	}
	m.beats = pertask.Beats{Host: h, Kind: evHeartbeat, IntervalMS: set.HeartbeatMS, Dense: &k.Dense, Asker: m}
	return m
}

// Register is part of [master.Master].
func (j *job) Register() error {
	c := j.set.Allocator
	if j.set.uber {
		c.SlowStart = 1
	}
	j.alloc = allocator.New(c, allocator.Cluster{Names: j.h.Cluster().Names, Racks: j.h.Cluster(), Max: j.h.MaxAllocation(), CPU: j.k.CPU}, j)
	j.tasks[0] = make([]task, j.set.maps.Tasks.Len())
	if j.set.reduces != nil {
		j.tasks[1] = make([]task, j.set.reduces.Tasks.Len())
	}
	for i := range j.medians {
		if st := j.set.stage(i == 1); st != nil {
			j.medians[i] = median(st.Tasks.DurationMS)
		}
	}
	j.scan.next, j.registered = never, j.h.Now()
	if d := j.set.maps.DelayMS; d > 0 {
		j.h.At(j.h.Now()+d, evSetup, 0, 0)
		j.h.GoesOn(j.h.Now() + d)
	} else {
		j.setUp()
	}
	if !j.over {
		j.beats.Start(j.h.Now() + j.set.HeartbeatMS)
	}
	return nil
}

// Pass is part of [master.Passer].
func (j *job) Pass() { j.beats.Pass() }

// Due is part of [pertask.Asker].
func (j *job) Due() bool { return !j.set.uber && j.alloc.Due() }

// Expect is part of [master.Expecter].
func (j *job) Expect() {
	j.expectScan()
	j.beats.Expect()
}

// setUp schedules all tasks: maps in their order, then reduces. What an earlier attempt of the application has done is taken over.
func (j *job) setUp() {
	j.started = true
	j.recover()
	for i := range j.tasks {
		if len(j.tasks[i]) > 0 {
			j.Job.StageAttempts++
		}
	}
	if j.set.uber {
		j.beginUber()
		return
	}
	for i := range j.tasks {
		for t := range j.tasks[i] {
			if !j.tasks[i][t].over {
				j.attempt(i == 1, int32(t), false, false)
			}
		}
	}
	j.scan.next = j.h.Now()
	j.expectScan()
	j.look()
}

// Totals, Completed and Progress are part of [allocator.Job].
func (j *job) Totals() (maps, reduces int) { return len(j.tasks[0]), len(j.tasks[1]) }

func (j *job) Completed() (maps, reduces int) { return j.completed[0], j.completed[1] }

func (j *job) Progress(at allocator.Attempt) float32 {
	if a := j.byID[at]; a != nil {
		return j.progress(a)
	}
	return 0
}

// Handle is part of [master.Master].
func (j *job) Handle(k master.EventKind, arg int64) {
	if j.gone {
		return
	}
	switch k {
	case evHeartbeat:
		j.heartbeat()
		return
	case evSpeculate:
		if j.scan.queued && arg == j.scan.last {
			j.speculate()
		}
		return
	case evUnregister:
		j.leave()
		return
	}
	if j.over {
		return
	}
	switch k {
	case evSetup:
		j.setUp()
	case evStopped:
		j.stopped(j.attempts[arg])
	case evTimeout:
		j.timedOut(j.attempts[arg])
	case evShuffled:
		j.shuffled(j.attempts[arg])
	case evDone:
		if j.uber != nil {
			j.uberDone()
		} else {
			j.done(j.attempts[arg])
		}
	}
	j.look()
	j.beats.Expect()
}

// Started is part of [master.Master].
func (j *job) Started(c int64) {
	if a := j.byContainer[c]; a != nil && !j.over {
		j.launched(a)
		j.beats.Expect()
	}
}

// StartFailed is part of [master.Master].
func (j *job) StartFailed(c int64) {
	if a := j.byContainer[c]; a != nil && !j.over {
		if a.state == stopping { // before it began
			j.stopped(a)
		}
		j.launchFailed(a)
		j.look()
		j.beats.Expect()
	}
}

// Exited is part of [master.Master]: the master learns of it from the ResourceManager, or by the silence of the task.
func (j *job) Exited(c int64) {
	a := j.byContainer[c]
	if a == nil {
		return
	}
	j.Gone(&a.Attempt)
	if a.state != running || j.over {
		return
	}
	j.fallSilent(a)
}

// ExitStatus is part of [master.Master].
func (j *job) ExitStatus(c int64) int32 {
	if a := j.byContainer[c]; a != nil && a.state == finishing && !a.failed {
		return protocol.ExitSuccess
	}
	if j.over && j.byContainer[c] == nil { // the application master's own
		return protocol.ExitSuccess
	}
	return 143 // SIGTERM
}

// AMExited is part of [master.Master].
func (j *job) AMExited() {
	if !j.over {
		j.halt(record.TaskKilled)
	}
}

// News is part of [master.Master].
func (j *job) News() {
	j.beats.News()
}

// NodesChanged is part of [master.Master]: the next answer tells of it.
func (j *job) NodesChanged(int) { j.News() }

// NodeDown is part of [master.Master]: nobody has told the master yet, and reduces notice nothing of outputs that are gone.
//
// Source: what does not happen here: JobImpl.TaskAttemptFetchFailureTransition.
func (j *job) NodeDown(node int32) {
	if n := j.wanted(node); n > 0 && !j.over {
		j.h.Warn("fetch-failures", "%s: a node failed with the output of %d maps that reduces had still to fetch, of which they notice nothing before the ResourceManager has found it lost (yarn.nm.liveness-monitor.expiry-interval-ms); in MapReduce their fetches fail, and such maps may run again before that",
			record.JobCalled(j.job.ID, j.job.Name, j.job.ExternalID), n)
	}
}

// Fail is part of [master.Master].
func (j *job) Fail(reason string) {
	if j.over {
		return
	}
	j.reason = reason
	j.finish()
}

// look ends the job when its tasks are complete, or too many have failed.
func (j *job) look() {
	if j.over || !j.started {
		return
	}
	for i := range j.tasks {
		if n := len(j.tasks[i]); n > 0 && j.failed[i]*100 > j.set.task(i == 1).FailuresMaxPercent*n {
			what := [...]string{"map", "reduce"}[i]
			why := fmt.Sprintf("%d of its %d %s tasks failed, mapreduce.%s.failures.maxpercent is %d", j.failed[i], n, what, what, j.set.task(i == 1).FailuresMaxPercent)
			if j.uber != nil && j.uber.apart {
				why += "; a reduce in the application master needs all maps to end in the same attempt of it"
			}
			j.Fail(why)
			return
		}
	}
	if j.set.FinishWhenReducesDone && len(j.tasks[1]) > 0 && j.completed[1] == len(j.tasks[1]) {
		j.completed[0] = len(j.tasks[0]) // maps that run again are no longer wanted
	}
	if j.completed[0] == len(j.tasks[0]) && j.completed[1] == len(j.tasks[1]) {
		j.finish()
	}
}

// finish commits the output, or gives the job up, and unregisters.
func (j *job) finish() {
	j.over = true
	j.quit()
	j.end(record.TaskKilled)
	if j.reason != "" {
		j.leave()
		return
	}
	at := j.h.Now() + j.k.Model.MRCommitMS
	j.h.GoesOn(at)
	j.h.At(at, evUnregister, 0, 0)
}

// leave unregisters the application. Its process ends some time after, as it waits to be asked for its state.
func (j *job) leave() {
	delete(j.k.histories, j.job.ID)
	j.h.Unregister(j.reason)
	ms := j.k.Model.MRStopMS
	if t := j.job.TailMS; t != trace.Unset && j.reason == "" {
		ms = max(t-j.k.Model.MRCommitMS, 0)
	}
	j.h.EndAM(j.h.Now() + ms)
}

// halt ends what the master does; attempts that run are written with this end.
func (j *job) halt(end string) {
	j.over, j.gone = true, true
	j.quit()
	j.end(end)
}

// Stop is part of [master.Master].
func (j *job) Stop() { j.halt(record.TaskKilled) }

// Finish is part of [master.Master].
func (j *job) Finish() { j.halt(record.TaskRunning) }

// Stopping is part of [master.Master].
func (j *job) Stopping() bool { return j.over }

// Waits is part of [master.Master].
func (j *job) Waits(why func(resource.Resource) string) string {
	text := fmt.Sprintf("%d of its %d maps and %d of its %d reduces are complete", j.completed[0], len(j.tasks[0]), j.completed[1], len(j.tasks[1]))
	if j.alloc == nil {
		return text
	}
	n := j.alloc.Counts()
	if maps, reduces := j.alloc.Sizes(); n.Maps > 0 {
		text += fmt.Sprintf("; %d maps wait for a container: %s", n.Maps, why(maps))
	} else if n.Reduces > 0 {
		text += fmt.Sprintf("; %d reduces wait for a container: %s", n.Reduces, why(reduces))
	}
	if n.PendingReduces > 0 {
		text += fmt.Sprintf("; %d reduces are not asked for yet", n.PendingReduces)
	}
	return text
}
