package driver

import (
	"slices"

	"replay/engine/fetch"
	"replay/engine/master"
	"replay/engine/protocol"
	"replay/engine/reuse"
	"replay/engine/spark"
	"replay/engine/spark/allocator"
	"replay/trace"
)

// asked are executors that the application master asks for. It is the driver's backend towards YARN, and that of its
// dynamic allocation ([spark.Backend]).
type asked struct {
	*Driver
	alloc    *allocator.Allocator
	beats    heartbeats
	req      protocol.AllocateRequest
	resp     protocol.AllocateResponse
	out      allocator.Outcome
	pool     []int64 // threads of the launcher pool: free from; all calls take as long, so they get free in turn
	launched int     // executors that were started
	killed   []int32 // scratch

	questions []question // why executors are gone, in the order of their ends: the first is open

	lost lost
	heir heir
}

var _ master.Fetcher = (*asked)(nil)

// Fetch is part of [master.Fetcher].
func (a *asked) Fetch(step int) {
	switch step {
	case 0:
		fetch.Of(a)
	case 1:
		fetch.Of(a.Driver)
		fetch.Of(a.alloc)
	case 2:
		if a.stopping { // what is left are the ends of its processes
			fetch.List(a.in, len(a.in))
			fetch.List(a.execs, mostFetched)
			return
		}
		fetch.Of(a.tasks)
		fetch.Of(a.mgr)
		a.alloc.Fetch()
	}
}

// question is one of the driver to the application master: why an executor is gone. Of one that is being decommissioned it is not asked.
type question struct {
	executor int32
	silent   bool  // its patience ends as the executor has sent no heartbeats, not as there is no answer
	unasked  bool  // nobody was: the executor was being decommissioned
	until    int64 // when it does
}

// allocate makes the allocator; executors have numbers up to one already.
func (a *asked) allocate(last int32) {
	if a.alloc == nil {
		a.alloc = new(allocator.Allocator)
	}
	a.alloc.Renew(allocator.Setup{Conf: a.conf, Names: a.cluster.Names, Racks: a.cluster,
		Placement: a.kind.Placement, Profiles: a.set.execs, Index: &a.kind.index, Localities: a.cluster.Localities, Last: last})
	a.beats.ladder = allocator.NewHeartbeatLadder(a.conf, a.kind.AMExpiryMS)
	a.pool = reuse.Zeros(a.pool, max(a.conf.LauncherThreads, 1))
}

func (a *asked) prepare() error {
	a.allocate(0)
	if a.conf.DynamicAllocation {
		a.mgr = a.memory.manager(a.conf, a.set.perExec, a)
	}
	return nil
}

func (a *asked) begin(execs int) {
	a.alloc.Reserve(execs)
	if a.turn(); a.stopping {
		return
	}
	if a.mgr != nil {
		a.mgr.Start(a.now())
		if a.conf.ClusterMode {
			a.mgr.Reset() // the AM registers with a driver whose manager has started: the first backlog timeout is skipped
		}
		a.start(&a.clocks.tick, evTick, spark.TickInterval, 0)
	}
	if a.gate(); !a.started {
		a.start(&a.clocks.gate, evGate, registeredPollMS, registeredPollMS)
	}
}

// turn is what the application master does when it has registered: it makes its first call, and its loop begins.
func (a *asked) turn() {
	if a.heartbeat(true); !a.stopping && !a.lost.silent { // what else the first turn of the loop does, the call before it has done
		a.givesUp()
	}
}

func (a *asked) handle(k master.EventKind, arg int64) {
	switch k {
	case evHeartbeat:
		a.h.Heartbeat()
		a.heartbeat(false)
	case evDisconnect:
		a.disconnected(int32(arg))
	case evDisassociated:
		a.disassociated()
	case evAskTimeout:
		for len(a.questions) > 0 && a.questions[0].until == a.now() {
			a.giveUp(a.questions[0])
			a.answered()
		}
	case evDecommission:
		a.mayEnd(int32(arg))
	case evSelfExit:
		if !a.stopping {
			a.removeExecutor(int32(arg), spark.Loss{Kind: spark.LossDecommissioned})
		}
	}
}

// enough is YarnSchedulerBackend.sufficientResourcesRegistered.
func (a *asked) enough() bool {
	return float64(a.ready) >= float64(a.conf.InitialTarget())*a.conf.MinRegisteredRatio
}

func (a *asked) submitted(_, _, _ int32) {}

// firstMS goes with the executors in the order in which they were started, where that was recorded.
func (a *asked) firstMS(id int32, k int, own int64) int64 {
	l := a.latencies
	if l == nil || l.FirstMS == nil {
		return 0
	}
	if n := a.execs[id].order; n < len(l.FirstMS) && k < len(l.FirstMS[n]) {
		return l.FirstMS[n][k] - own
	}
	return -own
}

func (a *asked) recordedAs(int32) int32 { return trace.Unset }

func (a *asked) hashes() *spark.HashOrder { return nil }

func (a *asked) arrange([]spark.Offer) {}

// leave tells executors to stop; the process of the application master ends last. One that has failed unregisters only in the
// last attempt: without that YARN begins the next one.
//
// Source: ApplicationMaster.run, its shutdown hook.
func (a *asked) leave(reason string) {
	if a.lost.silent { // nobody is there to unregister
		a.h.EndAll(a.now() + a.m.KillMS)
		a.h.Withdraw(reason)
		return
	}
	if a.exit == protocol.ExitSuccess || a.last() {
		a.h.Unregister(reason)
	} else {
		a.h.Fails(reason)
	}
	a.h.EndAll(a.now() + a.m.KillMS)
	a.h.EndAM(a.now() + a.m.StopMS)
}

// carryOut does what the allocator decided about granted and completed containers.
func (a *asked) carryOut(out *allocator.Outcome) {
	for i := range out.Grants {
		a.matched(&out.Grants[i])
	}
	for _, l := range out.Launches {
		a.launch(l)
	}
	for _, r := range out.Removals {
		a.removeExecutor(r.Executor, lossOf(r.Reason))
	}
	for _, r := range out.Answers {
		a.removeExecutor(r.Executor, lossOf(r.Reason))
	}
}

func lossOf(r allocator.LossReason) spark.Loss {
	return spark.Loss{Kind: spark.LossExited, ByApp: r.ByApp}
}

// launch starts a container that the allocator took: one thread of the launcher pool calls the
// NodeManager.
//
// Source: YarnAllocator.runAllocatedContainers.
func (a *asked) launch(l allocator.ExecutorLaunch) {
	id, n := l.Executor, l.Container.Number()
	for int(id) >= len(a.execs) {
		a.execs = reuse.Longer(a.execs)
		a.execs[len(a.execs)-1] = executor{}
	}
	thread := a.launched % len(a.pool)
	called := max(a.pool[thread], a.now()) + a.m.NMStartMS
	a.pool[thread] = called
	e := &a.execs[id]
	*e = executor{} // in place: it is large
	rec := a.h.Container(n)
	e.launch, e.container, e.rec, e.node, e.profile, e.lastStage, e.died, e.order = l, n, rec, rec.Node, l.Profile, -1, never, a.launched
	e.cores = a.set.profiles[l.Profile].offered()
	e.startMS, e.readyMS = a.kind.executorStart(a.latencies, a.launched, called-a.now())
	a.runsIn(n, id)
	a.launched++
	a.h.Start(n, called)
}

// Started is part of [master.Master].
func (a *asked) Started(c int64) {
	e := &a.execs[a.executorIn(c)]
	a.alloc.LaunchDone(e.launch)
	a.expect()
	a.register(c, e.startMS, e.readyMS)
}

// StartFailed is part of [master.Master].
func (a *asked) StartFailed(c int64) {
	a.alloc.LaunchFailed(a.execs[a.executorIn(c)].launch)
	a.expect()
}

// Kill is part of [spark.Backend]: idle executors are given back. Busy and unknown ones are not.
func (a *asked) Kill(now int64, ids []int32) []int32 { return a.kill(ids, false) }

// kill gives executors back; with force also busy ones, whose tasks are lost. An executor whose
// connection dropped counts as idle, as its tasks are no longer the scheduler's. One that is being decommissioned is killed as any other.
//
// Source: CoarseGrainedSchedulerBackend.killExecutors.
func (a *asked) kill(ids []int32, force bool) []int32 {
	out := a.killed[:0]
	for _, id := range ids {
		e := a.exec(id)
		if e == nil || e.killing && !e.decommissioned || e.state != execLost && (e.state != execAlive || e.running > 0 && !force) {
			continue
		}
		e.killing, e.decommissioned = true, false
		out = append(out, id)
	}
	a.killed = out
	if a.lost.silent { // marked they are, but nobody ends them
		return nil
	}
	for _, id := range out {
		a.alloc.KillExecutor(id)
	}
	a.expect()
	return out
}

// decommissionCheckMS is how often a decommissioned executor looks whether it may end.
//
// Source: CoarseGrainedExecutorBackend.decommissionSelf.
const decommissionCheckMS = 1000

// Decommission is part of [spark.Backend]: the executors get no more offers, and each ends by itself when
// none of its tasks runs.
//
// Source: CoarseGrainedSchedulerBackend.decommissionExecutors.
func (a *asked) Decommission(now int64, ids []int32) []int32 {
	var out []int32
	for _, id := range ids {
		e := a.exec(id)
		if e == nil || e.state != execAlive || e.killing {
			continue
		}
		e.killing, e.decommissioned, a.odd = true, true, true
		a.tasks.Decommission(now, id, false)
		a.h.At(now+decommissionCheckMS, evDecommission, int64(id), int64(id))
		out = append(out, id)
	}
	a.pump()
	return out
}

// mayEnd is a decommissioned executor's look at its tasks. As it ends it tells the driver, which asks nobody why.
//
// Source: CoarseGrainedExecutorBackend.decommissionSelf, exitExecutor.
func (a *asked) mayEnd(id int32) {
	switch e := a.exec(id); {
	case e == nil || e.died != never || a.stopping:
	case e.running > 0:
		a.h.At(a.now()+decommissionCheckMS, evDecommission, int64(id), int64(id))
	default:
		a.h.End(e.container, a.now())
		a.h.At(a.now()+a.m.StatusMS, evSelfExit, int64(id), int64(id))
	}
}

// RequestTotal is part of [spark.Backend]: the AM takes new totals, and its loop wakes when one changed.
func (a *asked) RequestTotal(now int64, r *spark.TotalRequest) bool {
	if a.lost.silent {
		return false
	}
	if a.tasks != nil {
		r.Exclude(a.excludedHosts())
	}
	if a.alloc.RequestTotal(now, r) {
		a.wake()
	} else {
		a.expect()
	}
	return true
}

func (a *asked) tick() {
	if !a.lowers() {
		a.Handle(evTick, 0)
	}
}

// lowers executes a tick that only lowers the target, as most do while the last tasks of a stage run, of which the application master's loop hears without anything
// to ask for. It reports false where it does nothing, as there is more to do, or may be.
func (a *asked) lowers() bool {
	b := &a.beats
	if b.queued || b.news || b.next == never || a.tasks.Excludes() || a.stopping {
		return false
	}
	total, hints, ok := a.mgr.Lowers(a.now())
	if !ok || !a.alloc.Lower(total, hints) {
		return false
	}
	a.clocks.tick.at, b.ahead = never, false
	if !a.reviving {
		a.reviveAt = -1
	}
	next := a.mgr.Lower(total)
	a.woken()
	a.expectAt(&a.clocks.tick, next)
	return true
}

// Exited is part of [master.Master].
func (a *asked) Exited(c int64) {
	id := a.executorIn(c)
	e := a.exec(id)
	if e == nil {
		return
	}
	e.died = a.now()
	a.book(id)
	if a.dag != nil {
		a.dag.ProcessEnded(id)
	}
	if e.state == execAlive && !a.stopping {
		a.h.At(a.now()+a.m.DisconnectMS, evDisconnect, int64(id), int64(id))
	}
	a.wind()
}

// disconnected is the driver's notice that an executor's connection dropped: it gets no more offers,
// and the AM is asked why. When there is no answer in time, as with a node that the ResourceManager has not
// found lost yet, the driver takes the application to be the cause. Of an executor that is being decommissioned the driver
// waits to be told that it is gone, by itself or by the application master.
//
// Source: CoarseGrainedSchedulerBackend.disableExecutor,
// YarnSchedulerBackend.handleExecutorDisconnectedFromDriver.
func (a *asked) disconnected(id int32) {
	e := a.exec(id)
	if e == nil || e.state != execAlive || a.stopping {
		return
	}
	if e.decommissioned {
		a.question(id, never, true)
		return
	}
	a.confirm(id)
	a.lose(id, execLost)
	a.tasks.ExecutorLost(a.now(), id, spark.Loss{Kind: spark.LossPending})
	a.pump()
	if a.lost.silent {
		a.offerFirst()
		a.unanswered(id)
		return
	}
	switch reason, state := a.alloc.AskLossReason(id); state {
	case allocator.LossKnown:
		a.offerFirst()
		a.removeExecutor(id, lossOf(reason))
	case allocator.LossWaits:
		a.question(id, a.now()+min(a.conf.AskTimeout, never-a.now()), false)
	default:
		a.offerFirst()
		a.removeExecutor(id, spark.Loss{Kind: spark.LossProcess, ByApp: true})
	}
	a.wake() // by the question, whatever the answer
}

func (a *asked) questioning() bool { return len(a.questions) > 0 }

// question begins to wait for an answer, or, if it is unasked, for somebody to say so by itself: until a time, or until the executor has been silent for too long.
func (a *asked) question(id int32, until int64, unasked bool) {
	q := question{executor: id, until: until, unasked: unasked}
	if at := a.silence(id); at < until {
		q.silent, q.until = true, at
	}
	i := len(a.questions)
	for i > 0 && a.questions[i-1].until > q.until {
		i--
	}
	if a.questions = slices.Insert(a.questions, i, q); i == 0 {
		a.h.Set(evAskTimeout, q.until)
	}
}

// silence returns at which look of the driver an executor that is gone will have been silent for too long. Its heartbeats count from its registration.
//
// Source: HeartbeatReceiver.expireDeadHosts, Heartbeater.
func (a *asked) silence(id int32) int64 {
	if a.conf.SilenceTimeout > never/2 {
		return never
	}
	e := &a.execs[id]
	heard := e.died
	if c := a.h.Container(e.container); c != nil {
		heard -= (e.died - c.Registered) % a.conf.ExecutorHeartbeat
	}
	looks := clock{first: a.made(), period: a.conf.SilenceInterval}
	return looks.from(max(heard+a.conf.SilenceTimeout, a.now()) + 1)
}

// giveUp is the end of the driver's patience with an executor. One that was silent it also kills, so that the application master asks for another one at once.
//
// Source: HeartbeatReceiver.expireDeadHosts, SparkContext.killAndReplaceExecutor.
func (a *asked) giveUp(q question) {
	if e := a.exec(q.executor); q.silent && !a.lost.silent && (!e.killing || e.decommissioned) {
		a.alloc.KillExecutor(q.executor)
		a.expect()
	}
	a.removeExecutor(q.executor, spark.Loss{Kind: spark.LossProcess, ByApp: true})
}

// answered goes on to the oldest question that is open.
func (a *asked) answered() {
	n := 0
	for n < len(a.questions) && !a.open(a.questions[n].executor) {
		n++
	}
	if n == 0 {
		return
	}
	a.questions = a.questions[:copy(a.questions, a.questions[n:])]
	until := int64(never)
	if len(a.questions) > 0 {
		until = a.questions[0].until
	}
	a.h.Set(evAskTimeout, until)
}

// open reports whether the driver still has an executor that is gone.
func (a *asked) open(id int32) bool {
	e := a.exec(id)
	return e != nil && e.died != never && (e.state == execLost || e.state == execAlive) && !a.stopping
}

// excludedHosts returns the hosts on which the task scheduler wants no executor, ascending.
func (a *asked) excludedHosts() []protocol.Name {
	nodes := a.tasks.ExcludedHosts()
	if len(nodes) == 0 {
		return nil
	}
	var out []protocol.Name
	for _, node := range nodes {
		out = append(out, a.cluster.Host[node])
	}
	slices.Sort(out)
	return out
}
