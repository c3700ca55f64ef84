package engine

import (
	"errors"
	"fmt"
	"strings"

	"replay/engine/depend"
	"replay/engine/master"
	"replay/engine/protocol"
	"replay/engine/record"
	"replay/engine/reuse"
	"replay/engine/yarn"
	"replay/engine/yarn/jvm"
	"replay/policy/resource"
	"replay/trace"
)

// app is a live application attempt: its containers as the cluster sees them, and its master.
type app struct {
	s       *sim
	slot    int32
	id      protocol.AppID
	attempt int32 // from 1
	before  *app  // the attempt before, while something is left of it
	orphan  *app  // the attempt before whose master goes on without it, until this one has a master
	kept    bool  // its master goes on and no other attempt has taken it over
	shares  bool  // its master goes on with what that of another attempt has begun
	circle  circle
	done    *done       // tasks that have succeeded, over all attempts
	job     *trace.Job  // nil where nothing asks for it any more
	rec     *record.Job // of the job, over all attempts
	kind    *appKind
	plan    *master.Plan
	usage   int // place of its queue in queueUsage

	am         int64 // number of the AM container, 0 before its allocation
	containers []*container
	reserved   numbers // of containers, until they are allocated
	starts     dues    // containers that nodes are about to start
	exits      dues    // containers of which the process is about to end
	exiting    int64   // one of which it ends behind what is executed, 0 for none; see [sim.exitNow]
	inRow      bool    // some of these come one after the other
	asks       []outstanding
	asksAt     map[int32]int         // by priority, the places in asks of those behind the first few
	open       int                   // containers that are not written yet
	fates      [fates]int            // how many of them have each
	risky      int64                 // until when a container may expire although its process was started
	gone       bool                  // has left the ResourceManager
	failure    string                // why its master's process ends without unregistering, as it says itself
	updates    []protocol.NodeUpdate // of nodes, for its next heartbeat
	spoken     spoken

	master master.Master // nil until it registers
	talker master.Talker // it, or nil if it is none
	hearer master.Hearer // likewise
	knower master.Knower // likewise

	fetcher   master.Fetcher // likewise
	events    master.EventFetcher
	preferrer master.Preferrer // likewise
}

// numbers is a set of numbers of containers.
type numbers []uint64

func (s *numbers) put(n int64) {
	for int64(len(*s)) <= n>>6 {
		*s = append(*s, 0)
	}
	(*s)[n>>6] |= 1 << (n & 63)
}

// take takes a number out of the set and reports whether it was there.
func (s numbers) take(n int64) bool {
	if n>>6 >= int64(len(s)) || s[n>>6]&(1<<(n&63)) == 0 {
		return false
	}
	s[n>>6] &^= 1 << (n & 63)
	return true
}

// outstanding derives when a container was asked for: first in, first out over the application's
// outstanding count for "*" at a priority.
type outstanding struct {
	priority int32
	count    int32
	again    bool    // a container was lost before its master heard of it, and what it was asked for with came back, or more
	oldest   batch   // in place, as each allocation looks at it; empty if nothing is asked for
	later    []batch // behind it, oldest first
}

// batch is containers that were asked for at one time.
type batch struct {
	at    int64
	count int32
}

// of returns the attempt that a container belongs to, nil when nothing is left of it.
func (s *sim) of(id protocol.ContainerID) *app { return s.left.of(id) }

// containerID is what the ResourceManager calls container number n of the attempt.
func (a *app) containerID(n int64) protocol.ContainerID {
	return protocol.NewContainerID(a.id, a.attempt, n)
}

// pushApp schedules an event of an application about the thing with this number.
func (s *sim) pushApp(at int64, k eventKind, a *app, number, arg int64) {
	s.schedule(a.lane(), at, &a.kind.rows[k], k, int64(a.id), number, arg)
}

// lane is the attempt's part of the event queue, and behind that of what the cluster comes to of what it has done ahead.
func (a *app) lane() int32   { return 2*a.slot + 1 }
func (a *app) behind() int32 { return 2*a.slot + 2 }

// handle executes an event of the application.
func (a *app) handle(k eventKind, e event) {
	if k >= numKinds {
		a.master.Handle(master.EventKind(k-numKinds), e.arg)
		return
	}
	a.handleOwn(k, e)
}

// handleOwn executes one of the engine's own kinds.
func (a *app) handleOwn(k eventKind, e event) {
	switch k {
	case evStarted:
		a.begin(e.arg)
	case evExit:
		a.exit(e.number(), e.arg == 0)
	case evRegisterAM:
		a.register()
	}
}

// register makes the master of an application whose container runs.
func (a *app) register() {
	s := a.s
	c := a.containerOf(a.am)
	if c.process != running || a.gone {
		return
	}
	c.rec.Registered = s.now
	if a.rec.AMRegistered == record.None {
		a.rec.AMRegistered = s.now
	}
	if a.orphan == nil {
		a.engage(a.plan.New(a, a.job))
	} else {
		a.engage(a.inherit())
	}
	if err := a.master.Register(); err != nil {
		a.master.Fail(err.Error())
	}
	if old := a.orphan; old != nil {
		a.orphan, old.kept = nil, false
		s.release(old)
	}
}

// engage gives an application its master, or none.
func (a *app) engage(m master.Master) {
	a.master = m
	a.talker, _ = m.(master.Talker)
	a.hearer, _ = m.(master.Hearer)
	a.knower, _ = m.(master.Knower)
	a.fetcher, _ = m.(master.Fetcher)
	a.events, _ = m.(master.EventFetcher)
	a.preferrer, _ = m.(master.Preferrer)
}

// inherit takes over the master of an attempt that it has outlived.
func (a *app) inherit() master.Master {
	old := a.orphan
	a.toldOrphaned(old)
	a.shares = true
	return old.master.(master.Outliver).Heir(a)
}

// outlived returns the attempt whose master goes on when this one has left the cluster, nil if none does.
func (a *app) outlived(again bool) *app {
	old := a
	if a.master == nil {
		old = a.orphan
	}
	if old == nil {
		return nil
	}
	if o, ok := old.master.(master.Outliver); again && ok && (old.kept || o.GoesOn()) {
		old.kept = true
		return old
	}
	old.master.Stop()
	if old.kept {
		a.toldOrphaned(old)
		old.kept = false
		a.s.release(old)
	}
	return nil
}

// toldOrphaned has it told for how long the master of an attempt went on without it, up to this attempt.
func (a *app) toldOrphaned(old *app) {
	if a.s.reasons != nil && a != old {
		a.s.reasons.orphaned(a, old)
	}
}

// arrive submits a job whose time has come: the next one of the trace, unless it has to wait for others, or one that had.
func (s *sim) arrive(id int64) {
	if h := s.depend.Take(id); h != nil {
		s.warnings.ofJob(depend.WasHeld, false, "%s", h.Said())
		s.begin(h.Job, h)
		return
	}
	j := s.arriving
	s.passed++
	if err := s.nextArrival(); err != nil {
		s.err = err
		return
	}
	due, held := s.depend.Comes(j, s.now)
	s.submitWhen(due)
	if !held {
		s.begin(j, nil)
	}
}

// submitWhen submits jobs that had to wait for others when they are due.
func (s *sim) submitWhen(due []depend.Due) {
	for _, d := range due {
		s.goesOn(d.At)
		s.push(d.At, evArrival, d.Job, 0)
	}
}

// begin submits a job, which was held back if held is not nil.
func (s *sim) begin(j *trace.Job, held *depend.Held) {
	s.totals.Jobs++
	s.totals.Stages += int64(len(j.Stages))
	s.totals.Tasks += j.NumTasks()
	a := s.newApp()
	*a.rec, a.job = s.sc.JobRecord(j, s.now), j
	held.Note(a.rec)
	var err error
	if a.kind, err = s.kindOf(j); err == nil {
		a.plan, err = a.kind.Plan(j)
	}
	if err != nil {
		s.refuse(a.rec, err)
		return
	}
	for _, w := range a.plan.Warnings {
		s.warnings.ofJob("conf:"+w.Code, false, "%s", w.Text)
	}
	s.submit(a)
}

// newApp returns the first attempt of an application without a job, in the memory of one that has departed if there is one.
func (s *sim) newApp() *app {
	n := len(s.departed)
	if n == 0 {
		return &app{s: s, attempt: 1, rec: new(record.Job), done: new(done)}
	}
	a := s.departed[n-1]
	s.departed = s.departed[:n-1]
	for _, c := range a.containers {
		if c != nil {
			s.spare = append(s.spare, c)
		}
	}
	*a.done = done{bits: a.done.bits[:0], first: a.done.first[:0]}
	*a = app{s: s, attempt: 1, rec: a.rec, done: a.done, containers: a.containers[:0], reserved: a.reserved[:0], starts: a.starts[:0], exits: a.exits[:0], asks: a.asks[:0], updates: a.updates[:0]}
	return a
}

// enter begins to keep the books of an attempt.
func (s *sim) enter(a *app) {
	if n := len(s.free); n > 0 {
		a.slot = s.free[n-1]
		s.free = s.free[:n-1]
		s.apps[a.slot] = a
	} else {
		a.slot = int32(len(s.apps))
		s.apps, s.giving.ids = append(s.apps, a), append(s.giving.ids, nil)
	}
	s.q.clear(a.lane())
	s.q.clear(a.behind())
	s.left.enter(a)
	s.guests.enter(a)
	s.watched = s.watched || a.plan.WatchesNodes
	s.live++
	if s.reasons != nil {
		s.reasons.enter(a)
	}
}

// submit gives an application to the ResourceManager.
func (s *sim) submit(a *app) {
	s.lastApp++
	a.id = s.lastApp
	s.enter(a)
	if a.plan.Recorded {
		a.usage = s.queues.at(a.rec.Queue)
		a.startRecorded()
		return
	}
	queue, err := s.rm.Scheduler().Place(a.rec.User, s.sc.SubmittedTo(a.job))
	if err == nil {
		err = s.tooLarge(a)
	}
	if err == nil {
		if s.sc.Moved(a.rec.Queue, queue) {
			s.warnings.ofJob("placed", false, "%s is in %s in the trace, the placement rules put it in %s", record.JobCalled(a.rec.ID, a.rec.Name, a.rec.ExternalID), a.rec.Queue, queue)
		}
		a.rec.Queue = queue
		if p, ok := s.rm.Scheduler().(yarn.Planner); ok {
			a.rec.Queue = p.RunsIn(queue)
		}
		a.usage = s.queues.at(a.rec.Queue)
		err = s.rm.Submit(s.now, yarn.AppSpec{ID: a.id, User: a.rec.User, Queue: queue, AMSize: a.plan.AMSize, Priority: a.plan.Priority, MaxAttempts: a.plan.MaxAttempts, FailuresValidityMS: a.plan.FailuresValidityMS, Bars: s.sc.Bars(a.rec.ID)})
	}
	if err != nil {
		a.refused(err)
		return
	}
	s.move()
}

// tooLarge is why the client of an application does not submit it, nil if it does.
//
// Source: Client.verifyClusterResources of Spark.
func (s *sim) tooLarge(a *app) error {
	asks := a.plan.ExecutorMiB
	if asks == 0 {
		return nil
	}
	if most := s.rm.Largest(s.now)[resource.Memory]; asks > most {
		return fmt.Errorf("its client does not submit it: an executor asks for %d MiB, the largest container of the cluster has %d MiB", asks, most)
	}
	return nil
}

// Refused is part of [rm.Host].
func (s *sim) Refused(id protocol.AppID, err error) { s.left.latest(id).refused(err) }

// refused ends an attempt that the ResourceManager does not take, and its job. YARN's text names an application by an id that was never recorded, and knows no
// remedy for a queue that is none of applications.
func (a *app) refused(err error) {
	text := strings.ReplaceAll(err.Error(), jvm.AppName(clusterTimestamp, int32(a.id)), record.JobCalled(a.rec.ID))
	var r *yarn.Rejection
	if errors.As(err, &r) && r.Parent != "" {
		text += fmt.Sprintf("; it has queues below it, and YARN runs applications in leaf queues alone: replay import --queue-map NAMES=%s.other gives these jobs one", r.Parent)
	}
	a.s.refuse(a.rec, errors.New(text))
	a.leaves()
	a.s.release(a)
}

// leaves notes that the ResourceManager has let go of an attempt.
func (a *app) leaves() {
	a.gone = true
	a.s.live--
	if a.s.reasons != nil {
		a.s.reasons.wake(a)
	}
}

// refuse ends a job that the cluster or the configuration does not take.
func (s *sim) refuse(rec *record.Job, err error) {
	rec.Outcome, rec.Reason, rec.Finish = record.JobFailed, err.Error(), s.now
	rec.TasksFailed = rec.Tasks
	s.warnings.ended("job-refused", "%s can't run: %v", record.JobCalled(rec.ID, rec.Name, rec.ExternalID), err)
	s.jobDone(rec)
}

// jobDone counts and writes a job.
func (s *sim) jobDone(rec *record.Job) {
	switch rec.Outcome {
	case record.JobSucceeded:
		s.totals.JobsSucceeded++
	case record.JobFailed:
		s.totals.JobsFailed++
	default:
		s.totals.JobsUnfinished++
	}
	s.totals.TasksSucceeded += rec.TasksSucceeded
	s.totals.TasksFailed += rec.TasksFailed
	s.totals.TaskAttempts += rec.Attempts
	s.totals.EndMS = max(s.totals.EndMS, rec.Finish)
	s.progress.Jobs.Add(1)
	s.sink.Job(rec)
	if rec.Outcome != record.JobUnfinished {
		s.submitWhen(s.depend.Ended(rec.ID, s.now))
	}
}

// LaunchAM starts the container of an application master; it is part of [rm.Host].
func (s *sim) LaunchAM(c protocol.Container) {
	a, n := s.of(c.ID), c.ID.Number()
	a.containerOf(n).rec.Acquired = s.now
	s.startContainer(a, n, s.now+s.sc.Model.NMStartMS)
}

// AttemptEnded is the end of an attempt in the ResourceManager; it is part of [rm.Host].
func (s *sim) AttemptEnded(id protocol.AppID, ok bool, exit int32, again bool) {
	a := s.left.latest(id)
	if a == nil {
		s.broken("application %d ended, which is not live", id)
		return
	}
	a.leaves()
	s.move()
	orphan := a.outlived(again && !ok)
	switch {
	case ok:
		a.countDone()
		a.rec.Finish = s.now
		s.jobDone(a.rec)
	case again:
		circle := a.circle.after(a.rec.TasksSucceeded, a.endOfAM(exit))
		if orphan == nil {
			a.rec.WastedTaskMS += a.rec.TaskMS // the application begins again
			a.rec.TaskMS, a.rec.TasksSucceeded = 0, 0
		}
		s.warnings.ofJob("am-retry", a.attempt > 1, "%s: its application master was started again: %s", record.JobCalled(a.rec.ID, a.rec.Name, a.rec.ExternalID), a.endOfAM(exit))
		a.done.containers = max(a.done.containers, int64(len(a.containers)))
		s.enter(&app{s: s, id: a.id, job: a.job, rec: a.rec, kind: a.kind, plan: a.plan, usage: a.usage, attempt: a.attempt + 1, circle: circle, done: a.done, updates: a.updates, orphan: orphan})
	default:
		a.rec.Finish = s.now
		a.rec.Outcome = record.JobFailed
		a.rec.Reason = fmt.Sprintf("its application master ended in attempt %d: %s", a.attempt, a.endOfAM(exit))
		s.warnings.ended("job-failed", "%s failed: %s", record.JobCalled(a.rec.ID, a.rec.Name, a.rec.ExternalID), a.rec.Reason)
		a.countDone()
		s.jobDone(a.rec)
	}
	s.release(a)
}

// endOfAM says in words why the container of the application master ended with this exit status.
func (a *app) endOfAM(exit int32) string {
	switch {
	case exit > 0 && a.failure != "":
		return protocol.ExitText(exit) + ": " + a.failure
	case exit == protocol.ExitInvalid:
		return "it was not heard of for longer than yarn.am.liveness-monitor.expiry-interval-ms"
	case exit != protocol.ExitAborted:
		return protocol.ExitText(exit)
	}
	// The ResourceManager gives one status to all containers that it ends without a report of their node.
	c := a.containerOf(a.am)
	switch {
	case c.rec.End == record.EndExpired:
		return "its container expired before it was started"
	case c.rec.End == record.EndNodeLost, a.s.nodes.down[c.rec.Node]:
		return "its node was lost"
	case !a.s.rm.Registered(protocol.NodeID(c.rec.Node)):
		return "its node left the cluster"
	}
	return "the ResourceManager gave its container up"
}

// release frees the slot of an attempt of which nothing is left.
func (s *sim) release(a *app) {
	if !a.gone || a.kept || a.open > 0 || a.inRow || s.apps[a.slot] != a || !s.q.emptyLane(a.lane()) || !s.q.emptyLane(a.behind()) {
		return
	}
	s.apps[a.slot] = nil
	s.free = append(s.free, a.slot)
	last := a.attempt == 1 && s.left.latest(a.id) == a
	if last {
		s.recycle(a)
	}
	s.left.leave(a)
	if s.reasons != nil { // which look at what has left
		return
	}
	if k, ok := a.kind.Kind.(master.Sparer); ok && a.master != nil {
		k.Spare(a.master)
		a.engage(nil)
	}
	if last {
		s.departed = append(s.departed, a)
	}
}

// recycle gives the job of an application of which no task is left, and which has no other attempt, to those who read others.
func (s *sim) recycle(a *app) {
	if r, ok := s.sc.Input.Jobs.(trace.Recycler); ok && a.job != nil {
		r.Recycle(a.job)
		a.job = nil
	}
}

// asked notes the absolute counts for "*" that a heartbeat sends.
func (a *app) asked(s *sim, req *protocol.AllocateRequest) {
	for i := range req.Asks {
		k := &req.Asks[i]
		if k.Name != protocol.Any {
			continue
		}
		o := a.outstandingAt(k.Priority)
		o.set(k.Count, s.now)
		if k.Count > 0 && a.rec.FirstAsked == record.None {
			a.rec.FirstAsked = s.now
		}
	}
}

// fewAsks is how many priorities are looked through one after the other.
const fewAsks = 16

func (a *app) outstandingAt(priority int32) *outstanding {
	for i := range a.asks[:min(len(a.asks), fewAsks)] {
		if a.asks[i].priority == priority {
			return &a.asks[i]
		}
	}
	if at, ok := a.asksAt[priority]; ok {
		return &a.asks[at]
	}
	if at := len(a.asks); at >= fewAsks {
		if at == fewAsks {
			a.asksAt = map[int32]int{}
		}
		a.asksAt[priority] = at
	}
	a.asks = reuse.Longer(a.asks)
	o := &a.asks[len(a.asks)-1]
	*o = outstanding{priority: priority, later: o.later[:0]}
	return o
}

// askedAt takes the time of the oldest outstanding ask.
func (a *app) askedAt(priority int32) int64 {
	o := a.outstandingAt(priority)
	if o.count == 0 {
		return record.None
	}
	at := o.oldest.at
	o.count--
	if o.oldest.count--; o.oldest.count == 0 && len(o.later) > 0 {
		o.oldest = o.later[0]
		o.later = o.later[:copy(o.later, o.later[1:])]
	}
	return at
}

// set makes the count another one: what is asked for in addition is asked for now, what is no longer was asked for last.
func (o *outstanding) set(count int32, now int64) {
	switch more := count - o.count; {
	case more > 0 && o.count == 0:
		o.oldest = batch{now, more}
	case more > 0:
		o.later = append(o.later, batch{now, more})
	}
	for less := o.count - count; less > 0; {
		last := &o.oldest
		if n := len(o.later); n > 0 {
			last = &o.later[n-1]
		}
		n := min(last.count, less)
		less -= n
		if last.count -= n; last.count == 0 && last != &o.oldest {
			o.later = o.later[:len(o.later)-1]
		}
	}
	o.count, o.again = count, false
}
