package driver

import (
	"replay/engine/master"
	"replay/engine/protocol"
	"replay/engine/record"
	"replay/engine/spark"
)

// In client mode the driver runs outside of the cluster and outlives its application master. Its executors go on with their tasks until the ResourceManager has them killed;
// meanwhile it gets no others, and of those that go it takes the application to be the cause. When the application master of the next attempt registers, the driver gives up the
// executors that it still has, and its dynamic allocation begins again as at its start. The new application master knows nothing of the old one's failures.
//
// Source: YarnSchedulerBackend.YarnSchedulerEndpoint (RegisterClusterManager, onDisconnected), CoarseGrainedSchedulerBackend.reset, ExecutorAllocationManager.reset.

// lost is what has become of an application master that its driver outlives.
type lost struct {
	silent bool  // it speaks no more
	known  bool  // the driver's connection to it has dropped
	exit   int32 // of its process, if it has ended by itself
	left   bool  // the driver has another one
}

// heir is an application master whose driver was there before it.
type heir struct {
	host  master.Host // until it registers
	of    *asked      // likewise
	since int64       // when it did
	is    bool
}

// outlives reports whether the driver goes on without its application master.
func (a *asked) outlives() bool { return !a.conf.ClusterMode }

// fallSilent ends the loop of the application master, whose driver goes on.
func (a *asked) fallSilent() {
	a.pass()
	a.lost.silent = true
	a.beats.queued, a.beats.next = false, never
	a.h.Set(evHeartbeat, never)
}

// masterFails is the end of the application master by itself, with a reason and the exit status of its process. The driver outlives all but the last one, which ends the application.
//
// Source: ApplicationMaster.finish, its shutdown hook; YarnClientSchedulerBackend.MonitorThread.
func (a *asked) masterFails(reason string, exit int32) {
	if !a.outlives() || a.last() {
		a.fail(reason, exit)
		return
	}
	a.fallSilent()
	a.lost.exit = exit
	a.h.Fails(reason)
	a.h.EndAM(a.now() + a.m.StopMS)
}

// AMExited is part of [master.Master].
func (a *asked) AMExited() {
	switch {
	case a.lost.left:
	case a.stopping || !a.outlives():
		a.Driver.AMExited()
	default:
		a.fallSilent()
		a.h.At(a.now()+a.m.DisconnectMS, evDisassociated, 0, 0)
	}
}

// disassociated is the driver's notice that its application master is gone: no question is answered any more.
func (a *asked) disassociated() {
	if a.stopping {
		return
	}
	a.lost.known = true
	for _, q := range a.questions {
		if !q.unasked && a.open(q.executor) {
			a.unanswered(q.executor)
		}
	}
}

// unanswered is an executor that is gone, and there is nobody to say why.
//
// Source: YarnSchedulerBackend.handleExecutorDisconnectedFromDriver.
func (a *asked) unanswered(id int32) {
	if a.lost.known {
		a.removeExecutor(id, spark.Loss{Kind: spark.LossProcess, ByApp: true})
		return
	}
	a.question(id, never, false) // it goes to a process that is about to end, or has
}

// GoesOn is part of [master.Outliver].
func (a *asked) GoesOn() bool {
	if !a.outlives() || a.stopping && !a.lost.silent {
		return false
	}
	if !a.lost.silent {
		a.fallSilent()
	}
	return true
}

// Heir is part of [master.Outliver].
func (a *asked) Heir(h master.Host) master.Master {
	next := &asked{Driver: a.Driver, heir: heir{host: h, of: a, is: true}}
	next.beats.next = never
	return next
}

// Register is part of [master.Master].
func (a *asked) Register() error {
	if !a.heir.is {
		return a.Driver.Register()
	}
	a.takeOver(a)
	return nil
}

// behind is what stands behind a driver and its dynamic allocation: its application master.
type behind interface {
	source
	spark.Backend
	// stale puts executors, ascending, into the order in which the driver gives them up.
	stale(ids []int32)
}

func (a *asked) stale([]int32) {}

// takeOver is the registration of an application master with a driver that had another one, and returns the last executor that had registered. Executors that have not registered by then do not do so any more.
func (a *asked) takeOver(as behind) (last int32) {
	d := a.Driver
	if d.mgr != nil {
		d.mgr.Reset()
		d.mgr.Serve(as)
	}
	var stale []int32
	for id := range d.execs {
		state := d.execs[id].state
		if state != execLaunching {
			last = int32(id)
		}
		if state == execAlive || state == execLost {
			stale = append(stale, int32(id))
		}
	}
	as.stale(stale)
	for _, id := range stale {
		d.removeExecutor(id, spark.Loss{Kind: spark.LossProcess, ByApp: true})
	}
	for id := range d.execs {
		e := &d.execs[id]
		d.enter(e)
		if e.state == execLaunching {
			*e = executor{}
		}
	}
	d.stopClocks()
	revives := d.reviving
	for _, k := range [...]master.EventKind{evRevive, evAskTimeout} {
		d.h.Set(k, never)
	}

	d.h, d.source, d.in = a.heir.host, as, d.in[:0]
	d.latencies = d.kind.latencies(d.job.ID, d.h.Attempt())
	old := a.heir.of
	old.lost.left, old.questions = true, nil // whose timer would be that of the heir
	a.heir = heir{since: d.now(), is: true}
	for c := range d.clocks.all {
		c.unknown = true
	}
	d.clocks.alone = false
	if revives {
		d.h.Set(evRevive, d.now())
	}
	a.allocate(last)
	if !d.stopping {
		a.turn()
		d.wind()
	}
	return last
}

// ofDriver reports whether an event is about neither an application master nor an executor, and so concerns a driver whatever it has of them.
func ofDriver(k master.EventKind) bool {
	switch k {
	case evDriverStop, evStage, evResubmit, evAbort:
		return true
	}
	return false
}

// Began is part of [master.Gated].
func (a *asked) Began() int64 {
	if a.heir.is && a.began < a.heir.since {
		return record.None
	}
	return a.Driver.Began()
}

// Stop is part of [master.Master].
func (a *asked) Stop() {
	if !a.lost.left {
		a.Driver.Stop()
	}
}

// ExitStatus is part of [master.Master].
func (a *asked) ExitStatus(c int64) int32 {
	switch {
	case a.lost.left:
		return exitSIGTERM
	case a.lost.exit != protocol.ExitSuccess && a.executorIn(c) == 0:
		return a.lost.exit
	}
	return a.Driver.ExitStatus(c)
}
