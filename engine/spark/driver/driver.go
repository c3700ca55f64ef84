package driver

import (
	"strconv"

	"replay/engine/master"
	"replay/engine/model"
	"replay/engine/protocol"
	"replay/engine/random"
	"replay/engine/record"
	"replay/engine/reuse"
	"replay/engine/spark"
	"replay/engine/spark/conf"
	"replay/trace"
)

// Driver is one attempt of a Spark application: its application master and its driver. With its source it is a
// [master.Master].
type Driver struct {
	kind    *Kind
	h       master.Host
	time    *int64 // of the event that is being executed
	m       *model.Model
	cluster *master.Cluster
	job     *trace.Job
	rec     *record.Job
	set     *settings
	conf    *conf.Conf
	source  source // of executors

	tasks *spark.TaskScheduler
	mgr   *spark.Manager // nil with static allocation
	stages
	backend
	runs      runs
	history   history
	latencies *Latencies        // recorded of this attempt, or nil
	order     *random.Momentary // of offers
	offers    []spark.Offer
	row       record.Task // that is being written
	clocks    clocks
	memory    memory
	lent      lent
	launching launching    // of the set of which a task was launched last
	span      *master.Span // that is being executed, or nil
	idled     int32        // cores whose task has ended by this report, not booked as idle yet: most are taken by another task at once
	reviveAt  int64        // time of the offer of all executors that was asked for, or -1
	reviving  bool         // it is in the event queue; it is not while it would offer nothing

	registered int64  // when the application master registered
	started    bool   // the application's own code runs
	began      int64  // since when
	ended      bool   // the application's own code has ended; the AM goes on until it unregisters
	stopping   bool   // no more is begun
	left       bool   // has unregistered
	gone       bool   // has left the cluster
	halted     bool   // its process ended as recorded
	failed     string // why the application failed
	exit       int32  // status of the application master's process when it ends by itself
	repeats    string // the last task that began too often to be work that goes on, see [master.Repeats]
}

// A source is where the executors of an application come from: they are asked for, or a recording gives them.
type source interface {
	// prepare makes what the source needs, before the task scheduler is made. The error ends the application.
	prepare() error
	// begin is called when the driver runs; it may come to about so many executors.
	begin(execs int)
	// tick executes a tick of dynamic allocation in a span.
	tick()
	// handle executes an event of the source's own kinds.
	handle(k master.EventKind, arg int64)
	// enough reports whether so many executors have registered that the application's code may begin.
	enough() bool
	// kill has executors ended, with force also busy ones, and returns those of which it is true.
	kill(ids []int32, force bool) []int32
	// questioning reports whether the driver waits to be told why executors are gone.
	questioning() bool
	// submitted hears of each stage attempt, and of its task set, -1 where it has no tasks.
	submitted(stage, attempt, set int32)
	// firstMS is what a task takes longer as the k-th one that executor id starts, or shorter; own is what it took longer in
	// the recording.
	firstMS(id int32, k int, own int64) int64
	// recordedAs returns which recorded executor an executor is, trace.Unset for none.
	recordedAs(id int32) int32
	// hashes is the order of Spark's tables of executors, hosts and racks, nil for a canonical one.
	hashes() *spark.HashOrder
	// arrange puts executors whose order is drawn into one that is known.
	arrange([]spark.Offer)
	// news is called when the ResourceManager has something to tell, nodesChanged when it has another number of nodes.
	news()
	nodesChanged(n int)
	// quit ends the application master's loop.
	quit()
	// leave ends the attempt, with the reason of its failure or none, and has its containers end.
	leave(reason string)
}

func (k *Kind) newMaster(h master.Host, j *trace.Job, set *settings) master.Master {
	a := k.spared()
	d := a.Driver
	d.kind, d.h, d.time, d.m, d.cluster, d.job, d.rec, d.set, d.conf, d.reviveAt = k, h, h.Time(), k.Model, h.Cluster(), j, h.Job(), set, set.conf, -1
	d.history = newHistory(k.Recorded.Attempts[j.ID], k.Recorded.Executors != nil, set.conf.MaxTaskFailures)
	d.latencies = k.latencies(j.ID, h.Attempt())
	if s := &set.conf.Speculation; s.Enabled && s.Efficiency && h.Attempt() == 1 {
		k.speculating++
	}
	if k.Recorded.Executors != nil {
		g := &given{Driver: d, list: k.recorded[j.ID]}
		d.source = g
		return g
	}
	a.beats.next = never
	d.source = a
	return a
}

func (d *Driver) now() int64 { return *d.time }

// Register is part of [master.Master]: the allocator begins, and with it the driver.
func (d *Driver) Register() error {
	d.registered = d.now()
	d.order = d.h.Momentary("offers-" + strconv.FormatInt(d.job.ID, 10))
	if err := d.source.prepare(); err != nil {
		return err
	}
	mode := spark.FIFO
	if d.conf.FairMode {
		mode = spark.FAIR
	}
	d.tasks = d.memory.scheduler(d.conf, mode, d.kind.Pools, d.cluster.RackIndex, d.source.hashes())
	d.tasks.Scratch = &d.kind.scratch
	d.tasks.SlotsPerExecutor = d.set.perExec
	d.tasks.AddedUnheard = true // the DAG would forget earlier losses of that executor, and numbers are never used again
	execs := d.reserve()
	d.start(&d.clocks.revive, evReviveTimer, d.conf.ReviveInterval, 0)
	if d.conf.Speculation.Enabled {
		d.start(&d.clocks.speculate, evSpeculate, d.conf.Speculation.Interval, d.conf.Speculation.Interval)
	}
	if l := d.latencies; l != nil && l.Halts {
		d.h.At(d.now()+l.HaltMS, evHalt, 0, 0)
	}
	d.source.begin(execs)
	d.wind()
	return nil
}

// reserve makes room for the executors and attempts that the job's stages come to, as far as they are few, where lists would grow step by step.
// It returns how many executors that is.
func (d *Driver) reserve() (execs int) {
	const most = 256
	all, largest := 0, 0
	for i := range d.job.Stages {
		n := d.job.Stages[i].Tasks.Len()
		all, largest = all+n, max(largest, n)
	}
	perExec := d.set.profiles[0].perExec
	execs = d.conf.InitialTarget()
	if d.conf.DynamicAllocation {
		execs = max(execs, min((largest+perExec-1)/perExec, d.conf.MaxExecutors))
	}
	execs = min(execs, most)
	d.execs, d.in = reuse.Roomy(d.execs, execs+1), reuse.Roomy(d.in, execs+2)
	d.runs.reserve(min(all, 16*most), min(largest, execs*perExec, most), &d.kind.runLists)
	d.tasks.Reserve(execs + 1)
	if d.mgr != nil {
		d.mgr.Reserve(execs + 1)
	}
	return execs
}

// Handle is part of [master.Master].
func (d *Driver) Handle(k master.EventKind, arg int64) {
	if d.gone {
		return
	}
	if k > evRevive && !d.reviving { // behind the offer, which had nothing to offer
		d.reviveAt = -1
	}
	switch k {
	case evExecRegistered:
		d.execRegistered(arg)
	case evExecReady:
		d.execReady(arg)
	case evStatus:
		d.statuses(arg)
		return
	case evResult:
		d.result(arg)
	case evKilled:
		d.killedTask(arg)
	case evRevive:
		d.reviveAt, d.reviving = -1, false
		d.offerAll()
	case evStage:
		d.dag.StageDue(d.now(), int32(arg))
		d.pump()
	case evResubmit:
		d.dag.Resubmit(d.now())
		d.pump()
	case evBegin:
		d.gate()
	case evDriverStop:
		d.driverStop()
	case evHalt:
		if !d.left {
			d.halted = true
			d.h.EndAM(d.now())
		}
	case evAbort:
		d.tasks.AbortTimeout(d.now(), int32(arg))
		d.pump()
	default:
		if !d.tick(k) {
			d.source.handle(k, arg)
		}
	}
	d.wind()
}

// reviveDue: an offer of executors that are known, without a task to start, ends exclusions at most, and so does one of executors that are all busy, unless it is to find that
// a task is excluded everywhere.
func (d *Driver) reviveDue(t int64) int64 {
	if len(d.fresh) > 0 {
		return t
	}
	if d.tasks.Pending() {
		switch {
		case d.set.coreless || d.tasks.Excludes():
			return t
		case d.free > 0:
			return d.tasks.OfferDue(t)
		}
	}
	if ends := d.tasks.ExclusionEnds(); ends != never {
		return max(t, ends+1)
	}
	return never
}

func (d *Driver) speculate() {
	d.tasks.Speculate(d.now())
	d.pump()
}

// registeredPollMS is how often Spark counts the registered executors.
//
// Source: TaskSchedulerImpl.waitBackendReady.
const registeredPollMS = 100

// gate lets the application's own code begin when enough executors have registered, or it has waited
// long enough.
//
// Source: YarnSchedulerBackend.sufficientResourcesRegistered, TaskSchedulerImpl.waitBackendReady.
func (d *Driver) gate() {
	if !d.started && !d.stopping && d.mayBegin() {
		d.beginCode()
	}
}

// mayBegin is CoarseGrainedSchedulerBackend.isReady.
func (d *Driver) mayBegin() bool { return d.source.enough() || d.now() >= d.waitEnds() }

// beginCode lets the application's own code begin.
func (d *Driver) beginCode() {
	d.started, d.began = true, d.now()
	d.startStages()
}

// Began is part of [master.Gated].
func (d *Driver) Began() int64 {
	if !d.started {
		return record.None
	}
	return d.began
}

// waitEnds returns when the driver has waited for executors long enough. It waits from the making of its scheduler backend: in client mode
// that is what submits the application.
//
// Source: CoarseGrainedSchedulerBackend.isReady, YarnClientSchedulerBackend.start.
func (d *Driver) waitEnds() int64 {
	from := d.made()
	return from + min(max(d.conf.MaxRegisteredWait, 0), never-max(from, 0))
}

// made returns when the driver was made, as far as is known: in cluster mode not long before its application master registered.
func (d *Driver) made() int64 {
	if d.conf.ClusterMode {
		return d.registered
	}
	return d.rec.Submit
}

// gateDue: the application's code begins with the executor that makes it enough, or when the wait is over.
func (d *Driver) gateDue(t int64) int64 {
	switch {
	case d.started:
		return never
	case d.source.enough():
		return t
	}
	return max(t, d.waitEnds())
}

// codeEnded is the end of the application's own code: all its stages are done, or one failed for good.
func (d *Driver) codeEnded() {
	if d.ended {
		return
	}
	d.ended = true
	wait := d.m.DriverStopMS
	if t := d.job.TailMS; t >= 0 && d.failed == "" {
		wait = t
	}
	d.h.GoesOn(d.now() + wait)
	d.h.At(d.now()+wait, evDriverStop, 0, 0)
}

// The exit statuses of an application master that fails.
//
// Source: ApplicationMaster.
const (
	exitUncaught         = 10
	exitExecutorFailures = 11
	exitReporter         = 12
	exitUserClass        = 15
)

// exitSIGTERM is the exit status of a process that a signal ended, as a shell gives it.
const exitSIGTERM = 128 + 15

// exitUnregistered is the exit status of an executor that the driver has refused.
//
// Source: CoarseGrainedExecutorBackend.onStart.
const exitUnregistered = 1

// Fail is part of [master.Master].
func (d *Driver) Fail(reason string) { d.fail(reason, exitUncaught) }

// fail ends the application with a reason; exit is what the process of its application master returns. In client mode
// the failure of the application's own code is none of the application master, which the driver stops as after success.
//
// Source: ApplicationMaster.AMEndpoint.onDisconnected.
func (d *Driver) fail(reason string, exit int32) {
	if d.stopping {
		return
	}
	if exit == exitUserClass && !d.conf.ClusterMode {
		exit = protocol.ExitSuccess
	}
	d.failed, d.exit = reason, exit
	d.quit()
	if d.ended { // in its last moments: the master gives up by itself
		d.driverStop()
	}
	d.codeEnded()
}

// last reports whether the application master takes no other attempt to follow this one: it counts those that there were,
// also those that YARN does not hold against the application.
//
// Source: ApplicationMaster.run, YarnRMClient.getMaxRegAttempts.
func (d *Driver) last() bool {
	most := d.kind.AMAttempts
	if d.set.maxAttempts > 0 {
		most = min(most, d.set.maxAttempts)
	}
	return d.h.Attempt() >= most
}

// driverStop ends the application; its containers end.
func (d *Driver) driverStop() {
	if d.left {
		return
	}
	d.left = true
	d.quit()
	d.source.leave(d.failed)
}

// quit begins no more.
func (d *Driver) quit() {
	if !d.stopping {
		d.source.quit()
		d.stopClocks()
		d.stopping = true
	}
}

// Stop is part of [master.Master]: task attempts that still run are lost work.
func (d *Driver) Stop() {
	d.gone = true
	d.halt()
}

// halt ends what the driver does.
func (d *Driver) halt() {
	d.quit()
	d.endRuns(record.TaskKilled)
}

// AMExited is part of [master.Master]: the process held both application master and driver, so executors lose their
// driver and end.
func (d *Driver) AMExited() {
	if d.stopping {
		return
	}
	d.halt()
	d.h.EndAll(d.now() + d.m.DisconnectMS)
}

// Finish is part of [master.Master].
func (d *Driver) Finish() {
	d.quit()
	d.endRuns(record.TaskRunning)
}

// News is part of [master.Master].
func (d *Driver) News() { d.source.news() }

// NodesChanged is part of [master.Master].
func (d *Driver) NodesChanged(n int) { d.source.nodesChanged(n) }

// Stopping is part of [master.Master].
func (d *Driver) Stopping() bool { return d.stopping }

// ExitStatus is part of [master.Master].
func (d *Driver) ExitStatus(c int64) int32 {
	if d.odd { // else nothing is looked at that has been idle for long
		if e := d.exec(d.executorIn(c)); e != nil {
			switch {
			case e.decommissioned:
				return protocol.ExitSuccess
			case e.refused:
				return exitUnregistered
			}
		}
	}
	if d.halted && d.executorIn(c) == 0 {
		return d.latencies.HaltExit
	}
	if d.stopping {
		if d.executorIn(c) == 0 {
			return d.exit
		}
		return protocol.ExitSuccess
	}
	return exitSIGTERM
}
