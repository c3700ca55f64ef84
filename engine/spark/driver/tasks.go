package driver

import (
	"fmt"
	"math"
	"slices"

	"replay/engine/master"
	"replay/engine/record"
	"replay/engine/spark"
	"replay/trace"
)

// offerAll offers every active executor, in an order that is shuffled by seed, job and time.
//
// Source: CoarseGrainedSchedulerBackend.makeOffers, TaskSchedulerImpl.shuffleOffers.
func (d *Driver) offerAll() {
	if d.stopping {
		return
	}
	if !d.tasks.Pending() && len(d.fresh) == 0 {
		d.tasks.EndExclusions(d.now())
		return
	}
	d.offers, d.fresh = d.offers[:0], d.fresh[:0]
	for id := range d.execs {
		if e := &d.execs[id]; e.state == execAlive && !e.killing {
			d.offers = append(d.offers, spark.Offer{Exec: int32(id), Host: e.node, Cores: e.free, Profile: e.profile})
		}
	}
	d.order.At(d.now()).Shuffle(len(d.offers), func(i, j int) { d.offers[i], d.offers[j] = d.offers[j], d.offers[i] })
	d.source.arrange(d.offers)
	d.launchAll(d.tasks.ResourceOffers(d.now(), d.offers, true))
}

// offer offers one executor alone.
func (d *Driver) offer(id int32) {
	if e := &d.execs[id]; e.state == execAlive && !e.killing && !d.stopping {
		d.launchAll(d.tasks.OfferAlone(d.now(), spark.Offer{Exec: id, Host: e.node, Cores: e.free, Profile: e.profile}))
	}
}

// offerAgain offers an executor that was offered before, and reports whether it did. Without a task to offer it to, only what is excluded moves on.
func (d *Driver) offerAgain(id int32) bool {
	if d.tasks.Excludes() || d.tasks.Pending() {
		d.offer(id)
		return true
	}
	return false
}

// launchAll starts the attempts of an offer. Executors that exclusion wanted away meanwhile are being killed by the time at which dynamic allocation hears of what
// starts on them.
//
// Source: HealthTracker.killExcludedIdleExecutor, ExecutorMonitor.onTaskStart.
func (d *Driver) launchAll(launches []spark.TaskRef) {
	if len(launches) > 0 {
		if d.mgr != nil {
			for exec := range d.tasks.Unwanted {
				d.source.kill([]int32{exec}, true)
			}
		}
		d.launchTasks(launches)
	}
	if d.tells() {
		d.pump()
	}
}

// launching is what all attempts of a task set have in common that are launched.
type launching struct {
	of       int32 // 1 + id of the set, 0 for none
	stage    int32
	attempt  int32 // of the stage
	cpus     int32
	reads    bool // it reads what others have written
	firsts   bool // [source.firstMS] may be something
	recorded bool // something is known of the application's attempts
	ready    int64
	set      *spark.TaskSet
	st       *trace.Stage
	again    []int64 // [stages.since]
}

// launch looks up what attempts of a set have in common.
func (d *Driver) launch(id int32) *launching {
	set := d.tasks.Set(id)
	spec := &set.Spec
	st := &d.job.Stages[spec.Stage]
	d.launching = launching{of: id + 1, stage: spec.Stage, attempt: spec.Attempt, cpus: spec.TaskCPUs, reads: len(st.Parents) > 0 || st.CacheOf >= 0,
		firsts: d.latencies != nil || d.kind.Recorded.Executors != nil, recorded: len(d.history.tasks) > 0, ready: d.submitted[id], set: set, st: st, again: d.since[id]}
	return &d.launching
}

// launchTasks starts task attempts: their ends are known from the trace and the model.
func (d *Driver) launchTasks(launches []spark.TaskRef) {
	b, now := &d.launching, d.now()
	cores, until := int32(0), int64(-1)
	d.rec.Attempts += int64(len(launches))
	if d.rec.FirstTask == record.None {
		d.rec.FirstTask = now
	}
	for i := range launches {
		l := &launches[i]
		if b.of != l.Set+1 {
			b = d.launch(l.Set)
		}
		at := b.set.Attempt(l.Row)
		end := d.launchTask(b, at, *l, now)
		cores += b.cpus
		if int(at.Number) < master.Repeats && int(b.attempt) < master.Repeats {
			until = max(until, end)
		} else {
			d.repeats = fmt.Sprintf("task %d of stage %d was started %d times", b.set.Spec.Partition(at.Index), b.stage, max(int(at.Number), int(b.attempt))+1)
		}
	}
	d.busy(cores - d.idled)
	d.idled = 0
	if until >= 0 {
		d.h.GoesOn(until)
	}
}

// launchTask starts an attempt and returns when it ends.
func (d *Driver) launchTask(b *launching, at *spark.Attempt, l spark.TaskRef, now int64) (end int64) {
	st, index := b.st, b.set.Spec.Partition(at.Index)
	e := &d.execs[at.Exec]
	if e.died == never { // else the driver has not noticed that its process has gone, and loses the attempt
		e.began++
	}
	e.free -= b.cpus
	d.free -= b.cpus
	e.running++
	if int64(len(d.runs.place)) != at.ID {
		d.h.Broken("task attempt %d of job %d is number %d", at.ID, d.job.ID, len(d.runs.place))
	}
	r := d.runs.add()
	r.id, r.ref, r.exec, r.stage, r.index, r.attempt, r.number, r.cores = at.ID, l, at.Exec, b.stage, index, b.attempt, at.Number, b.cpus
	r.ready, r.launch, r.booked, r.coreFree = b.ready, now, e.died != never, record.None
	if b.again != nil && b.again[at.Index] > 0 { // it became pending when it failed last
		r.ready = b.again[at.Index]
	}
	r.level, r.speculative = levelOf(at.Level, b.set, at.Index), at.Speculative
	if prefs := st.Tasks.Prefs(int(index)); len(prefs) > 0 {
		among, near := d.tasks.Near(prefs, e.node)
		if r.preferring, r.preferred = true, among; !among {
			r.miss = d.taskMiss(prefs, near)
		}
	}
	if b.reads {
		if from, unread := d.fetchFailureOf(b.stage, index, l.Set, at.Exec); unread && !d.history.reads(b.stage, b.attempt, index) {
			d.runs.cannotRead(r, from)
		}
	}
	traced := st.Tasks.DurationMS[index]
	r.traced = traced
	ms, delay, first := traced, untoldDelay(st, index), int64(0)
	if b.recorded {
		past := d.history.next(st, index, d.source.recordedAs(at.Exec), at.Speculative, d.done[b.stage][index], r.unread)
		ms, delay, first, r.fetchMS, r.fails = past.durationMS, past.delayMS, past.firstMS, past.fetchMS, past.fails && !r.unread
	}
	service := d.serviceTime(st, ms, e)
	if r.preferring && at.Level > spark.NodeLocal {
		r.penalty = d.readPenalty(ms, st.Tasks.InputBytes[index], at.Level)
	}
	dispatch, status := d.taskDelays(delay)
	if b.firsts {
		service += d.source.firstMS(at.Exec, e.launches, first)
	}
	if service < 0 {
		dispatch, service = max(dispatch+service, 0), 0
	}
	r.dispatch, r.overhead = dispatch, dispatch+service-traced+status
	r.end = now + dispatch + service + r.penalty
	if r.unread {
		r.end = now + dispatch
		if d.runs.sources[at.ID].Exec >= 0 {
			r.end += d.history.fetchFailed(b.stage, index, d.m.FetchFailMS)
		}
	}
	e.lastStage = b.stage
	e.launches++
	e.open++
	end = r.end
	if d.span == nil || !d.span.Put(end+status, at.ID) {
		d.h.At(end+status, evStatus, at.ID, at.ID)
	}
	if d.mgr != nil {
		d.mgr.TaskStart(now, b.stage, b.attempt, at.Index, at.Exec, at.Speculative, !e.killing)
	}
	return end
}

// serviceTime returns how long a task of ms works without the penalty of a remote read, in ms: as the trace has it with the factors of a cold
// executor or first wave.
func (d *Driver) serviceTime(st *trace.Stage, ms int64, e *executor) (service int64) {
	m := d.m
	service = ms
	if e.lastStage != st.ID {
		factor := m.FirstFactor
		switch {
		case e.launches == 0 && st.FreshFactor > 0:
			factor = float64(st.FreshFactor)
		case st.FirstFactor > 0:
			factor = float64(st.FirstFactor)
		}
		if factor != 1 {
			service = int64(math.Round(float64(ms) * factor))
		}
	}
	if st.Tasks.DeserializeMS == nil {
		service += m.DeserializeMS
		if e.launches == 0 {
			service += m.FirstTaskMS
		}
	}
	return service
}

// readPenalty returns how much longer a task of ms takes that reads so many bytes from elsewhere, in ms.
func (d *Driver) readPenalty(ms, bytes int64, level spark.Locality) int64 {
	m := d.m
	reading := min(float64(ms), float64(bytes)/(m.ReadMiBPerS*(1<<20))*1000)
	more := m.AnyPenalty
	if level == spark.RackLocal {
		more = m.RackPenalty
	}
	return int64(math.Round(reading * max(more-1, 0)))
}

// taskDelays returns the time from the offer to the start of a task and from its end to the report, ms:
// the recorded scheduler delay without the handling of the result, else the model's.
//
// Source: AppStatusUtils.schedulerDelay.
func (d *Driver) taskDelays(delay int64) (dispatch, status int64) {
	m := d.m
	if delay == trace.Unset {
		return m.DispatchMS, m.StatusMS
	}
	all := max(delay-m.ResultMS, 0)
	status = min(m.StatusMS, all)
	return all - status, status
}

// levelOf returns the level of a launch; Spark reports a task without preference as process-local.
func levelOf(l spark.Locality, set *spark.TaskSet, index int32) record.TaskLevel {
	if l == spark.ProcessLocal && (set.Spec.PrefStart == nil || set.Spec.PrefStart[index] == set.Spec.PrefStart[index+1]) {
		return record.NoPref
	}
	return record.TaskLevel(l)
}

// taskMiss says why a task is on none of its preferred hosts; near is what [spark.TaskScheduler.Near] says of them.
func (d *Driver) taskMiss(prefs []int32, near bool) record.Miss {
	executor, free := false, false
	if near {
		for _, p := range prefs {
			for _, id := range d.tasks.ExecutorsOn(p) {
				executor = true
				free = free || d.execs[id].free > 0
			}
		}
	}
	switch {
	case d.h.Down(prefs[0]) && !slices.ContainsFunc(prefs[1:], func(p int32) bool { return !d.h.Down(p) }):
		return record.HostAbsent
	case !executor:
		return record.NoExecutor
	case !free:
		return record.HostBusy
	case d.conf.WaitNode == 0:
		return record.DelayOff
	}
	return record.DelayOver
}

// statuses handles the report of a task's end, and all that come behind it while nothing else does but their results and the ticks of dynamic allocation.
func (d *Driver) statuses(id int64) {
	d.status(id)
	d.wind()
	if d.source.questioning() { // which goes on to answers after each event
		return
	}
	if d.span = d.h.Span(evResult, evTick); d.span == nil {
		return
	}
	t := &d.clocks.tick
	queued := t.at
	for {
		if t.period > 0 && d.span.Timed(t.at) {
			d.source.tick()
			continue
		}
		id, ok := d.span.Next()
		if !ok {
			break
		}
		if d.status(id); !d.still() {
			d.wind()
		}
	}
	d.span = nil
	if t.at != queued {
		d.h.Set(evTick, t.at)
	}
	d.h.EndSpan()
}

// follows reports whether the result of an attempt is handled at a time, right behind the report of its end: then it is that time.
func (d *Driver) follows(at, id int64) bool {
	if d.span != nil {
		return d.span.Follows(at, id)
	}
	return d.h.Follows(at, evResult, id)
}

// status is the report of a task's end: its core is free and offered, and its result is handled. That is at once if nothing comes before it.
func (d *Driver) status(id int64) {
	r := d.runs.of(id)
	if r == nil || r.done || r.end > d.execs[r.exec].died || d.stopping {
		return
	}
	set, a := d.tasks.Reported(r.ref)
	if set == nil {
		return
	}
	r.reported = true
	now := d.now()
	d.idled = d.vacate(r, now)
	at := now + d.m.ResultMS + r.fetchMS
	if d.offerAgain(r.exec) {
		r = d.runs.of(id)
		a = set.Attempt(r.ref.Row)
	}
	if d.idled > 0 {
		d.busy(-d.idled)
		d.idled = 0
	}
	if d.undisturbed(at) && !d.source.questioning() && d.follows(at, id) {
		d.resultOf(r, set, a)
	} else {
		d.h.At(at, evResult, id, id)
	}
}

// busy books cores that begin or, negative, end to run a task.
func (d *Driver) busy(cores int32) {
	if cores == 0 {
		return
	}
	if d.span == nil || !d.span.Busy(cores) {
		d.h.Busy(cores)
	}
}

// freeCore takes the cores of an attempt from it.
func (d *Driver) freeCore(r *run) {
	if r.freed {
		return
	}
	d.busy(-d.vacate(r, d.now()))
	if r.done {
		d.runs.settle(r)
	}
}

// vacate gives its executor back the cores that an attempt holds, and returns how many: they are to be booked as idle.
func (d *Driver) vacate(r *run, now int64) int32 {
	r.freed, r.coreFree = true, now
	e := &d.execs[r.exec]
	if e.running--; e.running == 0 {
		e.idleSince = now
	}
	if e.state == execAlive {
		e.free += r.cores
		d.free += r.cores
	}
	return r.cores
}

// result handles a finished task.
func (d *Driver) result(id int64) {
	if d.stopping {
		return
	}
	r := d.runs.of(id)
	if set := d.tasks.Set(r.ref.Set); set != nil {
		d.resultOf(r, set, set.Attempt(r.ref.Row))
	} else { // which knows nothing of the attempt any more
		r.reported = false
		d.runs.settle(r)
		d.pump()
	}
}

// resultOf handles the result of an attempt of a set.
func (d *Driver) resultOf(r *run, set *spark.TaskSet, at *spark.Attempt) {
	r.reported = false
	now := d.now()
	switch {
	case r.unread:
		d.runs.settle(r)
		d.tasks.FetchFailed(now, r.ref, d.runs.unreadBy(r.id))
	case r.fails:
		d.runs.settle(r)
		d.tasks.Failed(now, r.ref, spark.EndException)
	default:
		if !set.SucceededAlone(now, r.ref.Row, at) {
			d.runs.settle(r)
			d.tasks.Succeeded(now, r.ref)
			break
		}
		// what pump does of the success of an attempt if that is all that the task scheduler has to tell
		d.runSucceeded(r)
		if d.mgr != nil {
			d.mgr.TaskEnd(now, set.Stage, set.Schedulable.Attempt, at.Index, at.Exec, at.Speculative, spark.TaskSucceeded)
		}
		d.dag.Succeeded(now, set, at)
		if !d.tells() {
			return
		}
		d.pumpStages()
	}
	d.pump()
}

// killedTask is an attempt that was told to stop and has.
func (d *Driver) killedTask(id int64) {
	r := d.runs.of(id)
	if r == nil || r.done || d.execs[r.exec].died != never || d.stopping || !d.tasks.StatusUpdate(r.ref) {
		return
	}
	ref, exec := r.ref, r.exec
	d.freeCore(r)
	d.offerAgain(exec)
	d.tasks.Failed(d.now(), ref, spark.EndKilled)
	d.pump()
}

// revive asks for an offer of all executors, behind the messages of this millisecond.
func (d *Driver) revive() {
	if d.reviveAt == d.now() {
		return
	}
	d.reviveAt = d.now()
	d.revived()
}

// revived schedules the offer that was asked for at this time, as soon as there is a task to offer, or an executor that no offer had.
func (d *Driver) revived() {
	if !d.reviving && (d.kind.Dense || d.tasks.Pending() || len(d.fresh) > 0) {
		d.reviving = true
		d.h.Set(evRevive, d.now())
	}
}

// offerFirst makes the offer that was asked for at this time, if it has not come: an answer to what is asked now comes behind it, so what an executor ran that is removed
// by this answer is not offered before the next one.
//
// Source: TaskSchedulerImpl.executorLost, which asks for an offer at the first word of a loss and not at that of its reason.
func (d *Driver) offerFirst() {
	if d.reviveAt != d.now() {
		return
	}
	if d.reviving {
		d.h.Set(evRevive, never)
	}
	d.reviveAt, d.reviving = -1, false
	d.offerAll()
}

// writeRun writes the record of an attempt and drops it.
func (d *Driver) writeRun(r *run, end string) {
	if r.done {
		return
	}
	r.done = true
	e := &d.execs[r.exec]
	e.open--
	span, success := d.now()-r.launch, end == record.TaskSuccess
	t := &d.row // of which each field is set, one by one: a literal is made elsewhere and copied
	t.Job, t.Stage, t.StageAttempt, t.Index, t.Attempt, t.Container, t.Node = d.job.ID, r.stage, r.attempt, r.index, int32(r.number), e.container, e.node
	t.Ready, t.Launch, t.Freed, t.Finish, t.Cores, t.Level = r.ready, r.launch, r.coreFree, d.now(), r.cores, r.level
	t.Preferring, t.Preferred, t.Miss, t.Speculative, t.End = r.preferring, r.preferred, r.miss, r.speculative, end
	t.DurationMS, t.PenaltyMS, t.OverheadMS = r.traced, r.penalty, r.overhead
	if !r.booked {
		e.busyMS += span * int64(r.cores)
	}
	rec := d.rec
	switch {
	case success:
		if r.repeated {
			rec.WastedTaskMS += span
		} else {
			rec.TaskMS += span
		}
		rec.TaskLevels[r.level]++
		if r.preferring {
			rec.TasksPreferring++
		}
		if r.preferred {
			rec.TasksPreferred++
		}
	case end == record.TaskRunning: // its cores may be free again; its result is under way then
		t.Finish = record.None
		rec.RunningTaskMS += span
	default:
		rec.WastedTaskMS += span
	}
	d.h.Task(&d.row)
	d.runs.settle(r)
}

// book counts the core time of attempts whose executor's process has gone; the driver learns of their end later.
func (d *Driver) book(id int32) {
	e := &d.execs[id]
	if e.open > 0 {
		for i := range d.runs.list {
			if r := &d.runs.list[i]; r.exec == id && !r.done && !r.booked {
				r.booked = true
				e.busyMS += (d.now() - r.launch) * int64(r.cores)
			}
		}
	}
	d.enter(e)
}

// enter adds what an executor has done to the record of its container, which is there as long as anything is to be added.
func (d *Driver) enter(e *executor) {
	if e.began == 0 && e.busyMS == 0 {
		return
	}
	if c := d.recordOf(e); c != nil {
		c.Tasks += int64(e.began)
		c.BusyMS += e.busyMS
		e.began, e.busyMS = 0, 0
	}
}

// endRunsOf writes the attempts that were still running when their executor went.
func (d *Driver) endRunsOf(id int32) {
	for r := range d.holding(id) {
		d.freeCore(r)
		d.writeRun(r, record.TaskLost)
	}
}

// endRuns writes all attempts that are still running.
func (d *Driver) endRuns(end string) {
	for r := range d.runs.all {
		if r.done {
			continue
		}
		holds := !r.freed
		d.freeCore(r)
		if holds && end == record.TaskRunning { // beyond the end of the replay
			r.coreFree = record.None
		}
		d.writeRun(r, end)
	}
	for i := range d.execs {
		d.enter(&d.execs[i])
	}
}
