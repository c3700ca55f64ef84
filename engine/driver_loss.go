package engine

import (
	"slices"

	"replay/engine/protocol"
	"replay/engine/spark"
)

// processGone is the end of a container's process.
func (a *app) processGone(s *sim, n int64) {
	if n == a.am || a.driver == nil || a.gone {
		if n == a.am && a.driver != nil {
			a.driver.amDied()
		}
		return
	}
	d := a.driver
	c := a.containerOf(n)
	e := d.exec(c.exec)
	if e == nil {
		return
	}
	e.died = s.now
	if d.dag != nil && !d.conf.ShuffleService {
		d.dag.ServerLost(c.exec)
	}
	if e.state == execAlive && !d.stopping {
		s.pushApp(s.now+s.sc.Model.DisconnectMS, evDisconnect, a, int64(c.exec), int64(c.exec))
	}
}

// disconnected is the driver's notice that an executor's connection dropped: it gets no more offers,
// and the AM is asked why. When there is no answer in time, as with a node that the ResourceManager has not
// found lost yet, the driver takes the application to be the cause.
//
// Source: CoarseGrainedSchedulerBackend.disableExecutor,
// YarnSchedulerBackend.handleExecutorDisconnectedFromDriver.
func (d *driver) disconnected(id int32) {
	e := d.exec(id)
	if e == nil || e.state != execAlive || d.stopping {
		return
	}
	d.confirm(e)
	e.state = execLost
	e.free = 0
	d.tasks.ExecutorLost(d.s.now, id, spark.Loss{Kind: spark.LossPending})
	d.pump()
	switch reason, state := d.alloc.AskLossReason(id); state {
	case spark.LossKnown:
		d.removeExecutor(id, lossOf(reason))
	case spark.LossWaits:
		d.s.pushApp(d.s.now+d.conf.AskTimeout, evAskTimeout, d.a, int64(id), int64(id))
		d.wake()
	default:
		d.removeExecutor(id, spark.Loss{Kind: spark.LossProcess, ByApp: true})
	}
}

// askTimeout is the end of the driver's patience with a question for a loss reason.
func (d *driver) askTimeout(id int32) {
	if e := d.exec(id); e != nil && e.state == execLost && !d.stopping {
		d.removeExecutor(id, spark.Loss{Kind: spark.LossProcess, ByApp: true})
	}
}

// confirm notes which tasks of an executor that is about to be lost had reported that they run: only
// those count as failed by the application.
func (d *driver) confirm(e *executor) {
	for _, id := range e.runs {
		r := &d.runs[id]
		dispatch, _ := d.taskDelays(&d.a.job.Stages[r.stage], r.index)
		if began := r.rec.Launch + dispatch; began <= e.died && began+d.s.sc.Model.StatusMS <= d.s.now {
			d.tasks.Running(r.ref)
		}
	}
}

// removeExecutor is the AM's word that an executor is gone, and why.
//
// Source: CoarseGrainedSchedulerBackend.removeExecutor.
func (d *driver) removeExecutor(id int32, loss spark.Loss) {
	e := d.exec(id)
	if e == nil || e.state == execRemoved {
		return
	}
	known := e.state != execLaunching
	if e.state == execAlive {
		d.confirm(e)
	}
	e.state = execRemoved
	e.free = 0
	switch {
	case e.decommissioned:
		loss = spark.Loss{Kind: spark.LossDecommissioned}
	case e.killing:
		loss = spark.Loss{Kind: spark.LossKilled}
	}
	if !known {
		return
	}
	d.ready--
	d.tasks.ExecutorLost(d.s.now, id, loss)
	if d.mgr != nil {
		d.mgr.ExecutorRemoved(id)
	}
	d.pump()
	d.endRunsOf(id)
}

// excludedHosts returns the hosts on which the task scheduler wants no executor, ascending.
func (d *driver) excludedHosts() []protocol.Name {
	var out []protocol.Name
	for _, node := range d.tasks.ExcludedHosts() {
		out = append(out, d.s.nodes.host[node])
	}
	slices.Sort(out)
	return out
}

// slots returns how many tasks of a resource profile the executors that are there run at a time.
//
// Source: CoarseGrainedSchedulerBackend.maxNumConcurrentTasks.
func (d *driver) slots(profile int32) int {
	n := 0
	for i := range d.execs {
		if e := &d.execs[i]; e.state == execAlive && !e.killing && (e.profile == profile || !d.conf.DynamicAllocation) {
			n += d.a.set.profiles[profile].perExec
		}
	}
	return n
}
