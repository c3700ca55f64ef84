package driver

import (
	"math"
	"slices"
	"unsafe"

	"replay/engine/fetch"
	"replay/engine/record"
	"replay/engine/spark"
	"replay/engine/spark/allocator"
)

const never = math.MaxInt64

// backend are the executors as the driver knows them.
//
// Source: CoarseGrainedSchedulerBackend.
type backend struct {
	execs  []executor // by executor id; 0 is not used
	in     []int32    // executor by container number, 0 for none
	ready  int        // executors that have registered
	free   int32      // cores without a task, of the executors that are alive
	fresh  []int32    // executors that have registered and are not known to the task scheduler, as none of its offers had them
	wanted tally      // (task, location) pairs of active stages
	odd    bool       // some executor was refused or decommissioned
}

// executor is one executor as the driver and the AM know it. The first 56 bytes are in one line of memory, behind 8 of the allocator's, and are most of what its tasks have to do with.
type executor struct {
	container      int64
	rec            *record.Container // see [Driver.recordOf]
	died           int64             // end of its process, or never
	node           int32
	profile        int32
	cores          int32
	free           int32
	running        int32 // task attempts that hold a core
	open           int32 // task attempts whose end was not written
	lastStage      int32 // of the task started last, or -1
	state          executorState
	killing        bool // the driver asked for its end
	decommissioned bool // by letting its tasks end first
	refused        bool // the driver did not take it, as its host is excluded

	launches  int   // tasks started
	busyMS    int64 // core-milliseconds of its task attempts, and
	began     int32 // how many attempts, that are not in the record yet, see [Driver.enter]
	idleSince int64 // when it became ready or its last task ended
	startMS   int64 // from the NodeManager's start to its registration
	readyMS   int64 // from then until it takes tasks
	order     int   // in which it was started, from 0
	launch    allocator.ExecutorLaunch
}

type executorState uint8

const (
	execLaunching executorState = iota
	execAlive
	execLost // the connection dropped, the reason is not known yet
	execRemoved
)

// exec returns an executor that the driver may still hear of, or nil.
func (b *backend) exec(id int32) *executor {
	if id < 1 || int(id) >= len(b.execs) || b.execs[id].container == 0 {
		return nil
	}
	return &b.execs[id]
}

// recordOf returns the record of an executor's container, which it keeps from the launch on of one that was asked for: it stays the same while the process runs. All
// attempts of a process that has ended are booked.
func (d *Driver) recordOf(e *executor) *record.Container {
	if e.rec == nil {
		return d.h.Container(e.container)
	}
	return e.rec
}

// runsIn notes that an executor runs in container c.
func (b *backend) runsIn(c int64, id int32) {
	for int64(len(b.in)) <= c {
		b.in = append(b.in, 0)
	}
	b.in[c] = id
}

// executorIn returns the executor that runs in container c, 0 for none.
func (b *backend) executorIn(c int64) int32 {
	if c < int64(len(b.in)) {
		return b.in[c]
	}
	return 0
}

// Preferred is part of [master.Preferrer].
func (b *backend) Preferred() (nodes []int32, stays bool) { return b.wanted.nodes, true }

// Prefers is part of [master.Preferrer].
func (b *backend) Prefers(node int32) bool { return b.wanted.has(node) }

// register has the executor in container n register after some time, and take tasks some time behind that.
func (d *Driver) register(n, after, ready int64) {
	at := d.now() + after
	if ready > 0 {
		d.h.At(at, evExecRegistered, n, n)
	}
	d.h.At(at+ready, evExecReady, n, n)
}

// execRegistered is an executor that has registered. Its cores are not free before it has said that it takes tasks, but the next offer of all executors has it.
func (d *Driver) execRegistered(n int64) {
	if id := d.executorIn(n); d.registers(n, id) {
		d.fresh = append(d.fresh, id)
	}
}

// registers takes in an executor that registers, and reports whether it does.
//
// Source: CoarseGrainedSchedulerBackend.DriverEndpoint.receiveAndReply (RegisterExecutor).
func (d *Driver) registers(n int64, id int32) bool {
	e := &d.execs[id]
	if !d.h.Running(n) || d.stopping || e.state != execLaunching {
		return false
	}
	if d.ready == 0 { // others follow
		d.fetchExecutors()
	}
	if d.tasks.HostExcluded(e.node) { // the process gives up, as one that failed
		e.refused, d.odd = true, true
		d.h.End(n, d.now())
		return false
	}
	e.state = execAlive
	e.idleSince = d.now()
	d.ready++
	c := d.h.Container(n)
	c.Registered, c.Cores = d.now(), int64(e.cores)
	if d.rec.FirstRegistered == record.None {
		d.rec.FirstRegistered = d.now()
	}
	if d.mgr != nil {
		d.mgr.ExecutorAdded(d.now(), id, e.profile)
	}
	return true
}

// execReady is the word of an executor that it takes tasks: it alone is offered. One that has not registered does so at that moment.
//
// Source: CoarseGrainedSchedulerBackend.DriverEndpoint.receive (LaunchedExecutor).
func (d *Driver) execReady(n int64) {
	id := d.executorIn(n)
	e := &d.execs[id]
	if e.state == execLaunching && !d.registers(n, id) || e.state != execAlive || e.died != never {
		return
	}
	e.free = e.cores
	d.free += e.free
	d.offer(id)
	d.isKnown(id)
}

// isKnown takes an executor off those that no offer had.
func (b *backend) isKnown(id int32) {
	if at := slices.Index(b.fresh, id); at >= 0 {
		b.fresh = slices.Delete(b.fresh, at, at+1)
	}
}

// mostFetched is for how many executors memory is asked for at once.
const mostFetched = 32

// fetchExecutors asks for what is looked at as executors register, which often do one right after the other.
func (d *Driver) fetchExecutors() {
	fetch.List(d.execs, mostFetched)
	d.tasks.FetchExecutors(mostFetched)
	if d.mgr != nil {
		d.mgr.FetchExecutors(mostFetched)
	}
	for i := range min(len(d.execs), mostFetched) {
		e := &d.execs[i]
		d.tasks.FetchHost(e.node)
		if r := e.rec; r != nil { // with what the engine asks of a container most, which stands behind
			fetch.Head(&r.Registered, unsafe.Sizeof(*r)-unsafe.Offsetof(r.Registered))
		}
	}
}

// confirm notes which tasks of an executor that is about to be lost had reported that they run: only
// those count as failed by the application.
func (d *Driver) confirm(id int32) {
	e := &d.execs[id]
	for r := range d.holding(id) {
		if began := r.launch + r.dispatch; began <= e.died && began+d.m.StatusMS <= d.now() {
			d.tasks.Running(r.ref)
		}
	}
}

// holding yields the attempts that hold a core of an executor.
func (d *Driver) holding(id int32) func(yield func(*run) bool) {
	return func(yield func(*run) bool) {
		if d.execs[id].running == 0 {
			return
		}
		for i := range d.runs.list {
			if r := &d.runs.list[i]; r.exec == id && !r.freed && !yield(r) {
				return
			}
		}
	}
}

// removeExecutor is the AM's word that an executor is gone, and why. One that has not registered is none to the driver: it may do so after that, and
// gets tasks, until its process has ended.
//
// Source: CoarseGrainedSchedulerBackend.removeExecutor.
func (d *Driver) removeExecutor(id int32, loss spark.Loss) {
	e := d.exec(id)
	if e == nil || e.state == execRemoved || e.state == execLaunching {
		return
	}
	if e.state == execAlive {
		d.confirm(id)
	}
	d.lose(id, execRemoved)
	switch {
	case e.decommissioned:
		loss = spark.Loss{Kind: spark.LossDecommissioned, Migrated: d.conf.MigratesShuffles() && d.elsewhere(e.node)}
	case e.killing:
		loss = spark.Loss{Kind: spark.LossKilled}
	}
	d.ready--
	d.tasks.ExecutorLost(d.now(), id, loss)
	if d.mgr != nil {
		d.mgr.ExecutorRemoved(id)
	}
	d.pump()
	d.endRunsOf(id)
}

// elsewhere reports whether an executor on another host takes the shuffle blocks of one that is being decommissioned.
//
// Source: BlockManagerDecommissioner, BlockManager.getPeers.
func (d *Driver) elsewhere(host int32) bool {
	return slices.ContainsFunc(d.execs, func(e executor) bool { return e.state == execAlive && !e.decommissioned && e.node != host })
}

// lose takes an executor out of those that are alive.
func (d *Driver) lose(id int32, to executorState) {
	e := &d.execs[id]
	if e.state == execAlive {
		d.free -= e.free
		d.isKnown(id)
	}
	e.state = to
}

// Slots returns how many tasks of a resource profile the executors that are there run at a time.
//
// Source: CoarseGrainedSchedulerBackend.maxNumConcurrentTasks.
func (d *Driver) Slots(profile int32) int {
	n := 0
	for i := range d.execs {
		if e := &d.execs[i]; e.state == execAlive && !e.killing && (e.profile == profile || !d.conf.DynamicAllocation) {
			n += d.set.profiles[profile].perExec
		}
	}
	return n
}

// NodeDown is part of [master.Master]: with the shuffle service a node serves the output of all its executors.
func (d *Driver) NodeDown(node int32) {
	if d.dag != nil && d.dag.HostLost(node) {
		d.wind()
	}
}
