package engine

import (
	"fmt"

	"replay/engine/protocol"
	"replay/engine/record"
	"replay/engine/spark"
	sparkconf "replay/engine/spark/conf"
	sparkdriver "replay/engine/spark/driver"
	"replay/policy"
)

// driver is the Spark side of an application: its application master and its driver. It gives the
// state machines of engine/spark their time and carries their messages.
type driver struct {
	s    *sim
	a    *app
	conf *sparkconf.Conf

	cold     map[[2]int32]int64             // by stage and task: what it took longer as the first task of its executor
	failures map[[2]int32]int32             // by stage and task: recorded failures that were replayed
	recorded []sparkdriver.RecordedExecutor // executors given by a recording, see Recorded; nil = they are asked for
	launched int                            // executors that were started

	alloc  *spark.Allocator
	ladder spark.HeartbeatLadder
	beat   int64 // generation of the AM heartbeat that is due
	req    protocol.AllocateRequest
	resp   protocol.AllocateResponse
	out    spark.Outcome
	pool   []int64 // threads of the launcher pool: free from

	mgr   *spark.Manager // nil with static allocation
	tasks *spark.TaskScheduler
	stages
	execs    []executor // by executor id; 0 is not used
	ready    int        // executors that have registered
	wanted   []int32    // by node: (task, location) pairs of active stages
	hints    int64      // sum of wanted
	order    *momentary // of offers
	offers   []spark.Offer
	runs     []run // task attempts by id
	told     []spark.TaskEvent
	reviveAt int64
	started  bool // the application's own code runs
	ended    bool // the application's own code has ended; the AM goes on until it unregisters
	stopping bool
	left     bool   // has unregistered
	failed   string // why the application failed
}

// executor is one executor as the driver and the AM know it.
type executor struct {
	launch         spark.ExecutorLaunch
	container      int64
	node           int32
	profile        int32
	cores          int32
	free           int32
	running        int32
	state          executorState
	killing        bool    // the driver asked for its end
	decommissioned bool    // by letting its tasks end first
	startMS        int64   // from the NodeManager's start to its readiness
	died           int64   // end of its process, or never
	ran            bool    // has started a task
	launches       int     // tasks started
	lastStage      int32   // of the task started last, or -1
	runs           []int64 // task attempts that hold a core
}

type executorState uint8

const (
	execLaunching executorState = iota
	execAlive
	execLost // the connection dropped, the reason is not known yet
	execRemoved
)

// register is the AM's registration: the allocator begins, and with it the driver.
func (a *app) register(s *sim) {
	c := a.containerOf(a.am)
	if c.process != running || a.gone {
		return
	}
	d := &driver{s: s, a: a, conf: a.set.conf, reviveAt: -1}
	a.driver = d
	if !recordedExecs(s.sc) {
		s.rm.Register(a.id)
	}
	c.rec.Registered = s.now
	if a.rec.AMRegistered == record.None {
		a.rec.AMRegistered = s.now
	}
	d.execs = make([]executor, 1)
	d.wanted = make([]int32, len(s.nodes.spec))
	d.order = newMomentary(s.sc.Seed, fmt.Sprintf("offers-%d", a.job.ID))
	d.pool = make([]int64, max(d.conf.LauncherThreads, 1))
	if err := d.build(); err != nil {
		d.fail(err.Error())
		return
	}
	if !recordedExecs(s.sc) {
		d.heartbeat()
	}
	s.pushApp(s.now, evReviveTimer, a, 0, 0)
	if d.mgr != nil {
		d.mgr.Start(s.now)
		if d.conf.ClusterMode {
			d.mgr.Reset() // the AM registers with a driver whose manager has started: the first backlog timeout is skipped
		}
		s.pushApp(s.now, evTick, a, 0, 0)
	}
	if d.conf.Speculation.Enabled {
		s.pushApp(s.now+d.conf.Speculation.Interval, evSpeculate, a, 0, 0)
	}
	if !recordedExecs(s.sc) {
		d.gate()
	}
}

// build makes the state machines of the application.
func (d *driver) build() error {
	s, set := d.s, d.a.set
	var profiles []spark.ExecutorProfile
	var perExec []int
	recorded := recordedExecs(s.sc)
	largest := s.rm.Scheduler().MaxAllocation(d.a.rec.Queue)
	for id, p := range set.profiles {
		if !recorded && !p.size.FitsIn(largest) {
			return fmt.Errorf("an executor of resource profile %d asks for %d MiB and %d vcores, the largest allocation of queue %s is %d MiB and %d vcores",
				id, p.size[policy.Memory], p.size[policy.VCores], d.a.rec.Queue, largest[policy.Memory], largest[policy.VCores])
		}
		profiles = append(profiles, spark.ExecutorProfile{Size: p.size, PerExec: p.perExec})
		perExec = append(perExec, p.perExec)
	}
	if !recorded {
		d.alloc = spark.NewAllocator(spark.AllocatorSetup{Conf: d.conf, Names: s.names, RackOf: s.rackOf,
			Placement: s.sc.Requests, Profiles: profiles, Index: &s.index})
		d.ladder = spark.NewHeartbeatLadder(d.conf, s.sc.Site.AMExpiry)
	}
	if d.conf.DynamicAllocation && !recorded {
		d.mgr = spark.NewManager(d.conf, perExec, d)
	}
	mode := spark.FIFO
	if d.conf.FairMode {
		mode = spark.FAIR
	}
	d.tasks = spark.NewTaskScheduler(d.conf, spark.NewPools(mode, s.sc.Pools), s.nodes.rackIndex, nil)
	d.tasks.SlotsPerExecutor = perExec[0]
	return nil
}

// handle executes an event of the application.
func (d *driver) handle(e event) {
	s, a := d.s, d.a
	if a.gone {
		return
	}
	switch e.kind {
	case evAM:
		if e.arg == d.beat {
			s.totals.AMHeartbeats++
			d.heartbeat()
		}
	case evExecReady:
		d.execReady(e.arg)
	case evStatus:
		d.status(e.arg)
	case evResult:
		d.result(e.arg)
	case evKilled:
		d.killedTask(e.arg)
	case evRevive:
		d.reviveAt = -1
		d.offerAll()
	case evStage:
		d.dag.StageDue(s.now, int32(e.arg))
		d.pump()
	case evResubmit:
		d.dag.Resubmit(s.now)
		d.pump()
	case evDisconnect:
		d.disconnected(int32(e.arg))
	case evBegin, evGate:
		d.gate()
	case evDriverStop:
		d.driverStop()
	case evRecordedAdd:
		d.recordedAdd(int32(e.arg))
	case evRecordedLeave:
		d.recordedLeave(int32(e.arg))
	case evRecordedRemove:
		d.recordedRemove(int32(e.arg))
	case evAskTimeout:
		d.askTimeout(int32(e.arg))
	case evDecommission:
		d.mayEnd(int32(e.arg))
	case evAbort:
		d.tasks.AbortTimeout(s.now, int32(e.arg))
		d.pump()
	case evTick:
		if !d.stopping {
			d.mgr.Tick(s.now)
			s.pushApp(s.now+spark.TickInterval, evTick, a, 0, 0)
		}
	case evReviveTimer:
		if !d.stopping {
			d.offerAll()
			s.pushApp(s.now+d.conf.ReviveInterval, evReviveTimer, a, 0, 0)
		}
	case evSpeculate:
		if !d.stopping {
			d.tasks.Speculate(s.now)
			d.pump()
			s.pushApp(s.now+d.conf.Speculation.Interval, evSpeculate, a, 0, 0)
		}
	}
}

// gate lets the application's own code begin when enough executors have registered, or it has waited
// long enough. Spark polls.
//
// Source: YarnSchedulerBackend.sufficientResourcesRegistered, TaskSchedulerImpl.waitBackendReady.
func (d *driver) gate() {
	if d.started || d.stopping {
		return
	}
	const poll = 100
	waited := d.s.now - d.a.containerOf(d.a.am).rec.Registered
	enough := recordedExecs(d.s.sc) || float64(d.ready) >= float64(d.conf.InitialTarget())*d.conf.MinRegisteredRatio
	if !enough && waited < d.conf.MaxRegisteredWait {
		d.s.pushApp(d.s.now+poll, evGate, d.a, 0, 0)
		return
	}
	d.started = true
	d.startStages()
}

// codeEnded is the end of the application's own code: all its stages are done, or one failed for good.
func (d *driver) codeEnded() {
	if d.ended {
		return
	}
	d.ended = true
	wait := d.s.sc.Model.DriverStopMS
	if t := d.a.job.TailMS; t >= 0 && d.failed == "" {
		wait = t
	}
	d.s.goesOn(d.s.now + wait)
	d.s.pushApp(d.s.now+wait, evDriverStop, d.a, 0, 0)
}

// fail ends the application with a reason.
func (d *driver) fail(reason string) {
	if d.stopping {
		return
	}
	d.failed = reason
	d.stopping = true
	if d.ended { // in its last moments: the master gives up by itself
		d.driverStop()
	}
	d.codeEnded()
}

// driverStop unregisters the application; executors are told to stop and the AM's process ends.
func (d *driver) driverStop() {
	s, a := d.s, d.a
	if d.left {
		return
	}
	d.left, d.stopping = true, true
	d.beat++
	if !recordedExecs(s.sc) {
		s.rm.Unregister(a.id)
	}
	if d.failed != "" {
		a.rec.Outcome, a.rec.Reason = record.JobFailed, d.failed
		s.warnings.add("job-failed", "job %d (%s) failed: %s", a.job.ID, a.job.Name, d.failed)
	} else {
		a.rec.Outcome = record.JobSucceeded
	}
	a.rec.TasksFailed = a.rec.Tasks - a.rec.TasksSucceeded
	if recordedExecs(s.sc) {
		d.endRecorded()
		return
	}
	for i := range d.execs {
		if n := d.execs[i].container; n > 0 {
			s.endProcess(a, n, s.now+s.sc.Model.KillMS)
		}
	}
	s.endProcess(a, a.am, s.now+s.sc.Model.StopMS)
}

// stop ends the driver with its attempt: task attempts that still run are lost work.
func (d *driver) stop() {
	d.stopping = true
	d.beat++
	d.endRuns(record.TaskKilled)
}

// exitStatus is what the process of a container that ends by itself or by a signal returns.
func (a *app) exitStatus(n int64) int32 {
	if c := a.containerOf(n); a.driver != nil && n != a.am && c.exec > 0 {
		if e := a.driver.exec(c.exec); e != nil && e.decommissioned {
			return protocol.ExitSuccess
		}
	}
	if a.driver != nil && a.driver.stopping {
		return protocol.ExitSuccess
	}
	return 143 // SIGTERM
}
