package engine

import (
	"slices"
	"strings"

	"replay/engine/record"
	"replay/engine/scenario"
	"replay/engine/spark"
	sparkdriver "replay/engine/spark/driver"
	"replay/trace"
)

// recordedExecutors are the executors of one application; ids of the driver are positions here plus 1.
func recordedExecutors(sc *scenario.Scenario, job int64) []sparkdriver.RecordedExecutor {
	var out []sparkdriver.RecordedExecutor
	for _, e := range sc.Recorded.Executors {
		if e.Job == job {
			out = append(out, e)
		}
	}
	slices.SortStableFunc(out, func(a, b sparkdriver.RecordedExecutor) int { return int(a.ID - b.ID) })
	return out
}

// startRecorded begins an application whose executors were recorded: nothing is asked of a
// ResourceManager, and its driver starts at once.
func (s *sim) startRecorded(a *app) {
	a.am = s.recordedContainer(a, &trace.Executor{Node: 0, AddedMS: s.now})
	am := a.containerOf(a.am)
	am.rec.AM, am.rec.Acquired, am.rec.Started = true, s.now, s.now
	a.rec.AMScheduled, a.rec.AMAllocated, a.rec.FirstAsked = s.now, s.now, s.now
	a.register(s)
	if a.stopping {
		return
	}
	a.recorded = recordedExecutors(s.sc, a.job.ID)
	a.execs = make([]executor, len(a.recorded)+1)
	a.cold = map[[2]int32]int64{}
	for i := range a.recorded {
		for _, f := range a.recorded[i].First {
			a.cold[[2]int32{f.Stage, f.Index}] = f.MoreMS
		}
	}
	start := s.now
	if a.job.RecordedStartMS != trace.Unset {
		start -= a.job.RecordedStartMS
	} else {
		start -= a.job.SubmitMS
	}
	for i := range a.recorded {
		e := &a.recorded[i]
		s.pushApp(max(s.now, start+e.AddedMS), evRecordedAdd, a, int64(i), int64(i))
		if e.LeaveMS != trace.Unset {
			s.pushApp(max(s.now, start+e.LeaveMS), evRecordedLeave, a, int64(i), int64(i))
		}
		if e.RemovedMS != trace.Unset && e.CausedBy == trace.Unset {
			s.pushApp(max(s.now, start+e.RemovedMS), evRecordedRemove, a, int64(i), int64(i))
		}
	}
	s.pushApp(s.now+s.sc.Recorded.CodeMS[a.job.ID], evBegin, a, 0, 0)
}

// recordedContainer makes a container that runs from now on.
func (s *sim) recordedContainer(a *app, e *trace.Executor) int64 {
	n := int64(len(a.containers) + 1)
	a.containers = append(a.containers, &container{exec: -1, process: running, rec: record.Container{
		Job: a.job.ID, Number: n, Node: e.Node, Queue: a.rec.Queue, MemMiB: e.MemMiB, VCores: int64(e.VCores),
		Asked: record.None, Allocated: s.now, Acquired: s.now, Started: s.now, Registered: s.now, Ended: record.None,
	}})
	a.open++
	s.totals.ContainersAllocated++
	return n
}

// recordedAdd is the arrival of executor i of the recording.
func (d *driver) recordedAdd(i int32) {
	s, a := d.s, d.a
	if d.stopping {
		return
	}
	x := &d.recorded[i]
	id := i + 1
	n := s.recordedContainer(a, &x.Executor)
	c := a.containerOf(n)
	c.exec = id
	a.rec.Containers++
	if a.rec.FirstAllocated == record.None {
		a.rec.FirstAllocated = s.now
	}
	d.execs[id] = executor{container: n, node: x.Node, profile: d.profileOf(&x.Executor), lastStage: -1, died: never, cores: x.VCores}
	ready := s.sc.Model.ExecutorReadyMS
	if x.ReadyMS != trace.Unset {
		ready = x.ReadyMS
	}
	s.pushApp(s.now+ready, evExecReady, a, n, n)
}

// coldMS returns by how much a task takes longer on a recorded executor than the trace says, or shorter:
// what the first tasks of executors took more moves with the executors.
func (d *driver) coldMS(id, stage, index int32) int64 {
	x := &d.recorded[id-1]
	ms := -d.cold[[2]int32{stage, index}]
	if k := d.execs[id].launches; k < len(x.First) {
		ms += x.First[k].MoreMS
	}
	return ms
}

// profileOf finds the resource profile of a recorded executor: the first one of its size.
func (d *driver) profileOf(x *trace.Executor) int32 {
	for i := range d.a.job.Stages {
		st := &d.a.job.Stages[i]
		if st.Profile != 0 && st.ExecVCores == x.VCores && st.ExecMemMiB == x.MemMiB {
			if own := &d.a.set.profiles[0]; int32(own.cores) != x.VCores || d.a.job.ExecMemMiB != x.MemMiB {
				return st.Profile
			}
		}
	}
	return 0
}

// recordedRemove is the end of executor i of the recording.
func (d *driver) recordedRemove(i int32) {
	e := d.exec(i + 1)
	if e == nil || d.stopping || e.state == execRemoved {
		return
	}
	if e.running > 0 && d.recordedKill(i+1) { // the driver kills idle executors only
		e.killing = true
		const again = 100
		d.s.pushApp(d.s.now+again, evRecordedRemove, d.a, int64(i), int64(i))
		return
	}
	e.died = d.s.now
	loss := lossOfReason(d.recorded[i].Reason)
	switch reason := d.recorded[i].Reason; {
	case d.dag == nil:
	case strings.Contains(reason, "on a *lost* node"): // and its shuffle service with it
		d.dag.HostLost(d.recorded[i].Node)
	case !d.conf.ShuffleService || loss.Worker:
		d.dag.ServerLost(i + 1)
	}
	if e.state == execLaunching {
		d.ready++ // it never got ready; removeExecutor takes it off
		e.state = execAlive
	}
	d.removeExecutor(i+1, loss)
	d.endRecordedContainer(e.container)
}

// recordedCauses schedules the end of the executors that fail during a stage that is submitted now.
func (d *driver) recordedCauses(stage, attempt int32) {
	for i := range d.recorded {
		if e := &d.recorded[i]; e.CausedBy == stage && attempt == 0 && e.RemovedMS != trace.Unset {
			d.s.pushApp(d.s.now+e.AfterMS, evRecordedRemove, d.a, int64(i), int64(i))
		}
	}
}

// recordedLeave takes the cores of executor i away: the driver has decided to have it killed.
func (d *driver) recordedLeave(i int32) {
	if e := d.exec(i + 1); e != nil {
		e.killing = true
	}
}

// recordedKill reports whether the driver had the executor killed in the recording.
func (d *driver) recordedKill(id int32) bool {
	x := &d.recorded[id-1]
	return x.RemovedMS != trace.Unset && lossOfReason(x.Reason).Kind == spark.LossKilled
}

func (d *driver) endRecordedContainer(n int64) {
	s, a := d.s, d.a
	c := a.containerOf(n)
	if c == nil || c.ended {
		return
	}
	c.ended, c.process = true, exited
	c.rec.Ended, c.rec.End = s.now, record.EndCompleted
	a.rec.MemMiBMS += c.rec.MemMiB * (s.now - c.rec.Allocated)
	a.rec.VCoreMS += c.rec.VCores * (s.now - c.rec.Allocated)
	s.totals.ContainersEnded++
	s.writeContainer(a, c)
}

// lossOfReason turns the text of an ExecutorRemoved event into what the driver knew.
func lossOfReason(reason string) spark.Loss {
	switch {
	case strings.HasPrefix(reason, "Executor killed by driver"):
		return spark.Loss{Kind: spark.LossKilled}
	case strings.HasPrefix(reason, "Executor decommission"):
		return spark.Loss{Kind: spark.LossDecommissioned}
	case strings.Contains(reason, "was preempted"), strings.Contains(reason, "Exit status: -100"),
		strings.Contains(reason, "explicit termination request"), strings.Contains(reason, "because of a YARN event"):
		return spark.Loss{Kind: spark.LossExited}
	case strings.Contains(reason, "worker lost"), strings.Contains(reason, "Worker shutting down"):
		return spark.Loss{Kind: spark.LossProcess, Worker: true}
	case strings.Contains(reason, "heartbeat timed out"), strings.Contains(reason, "disassociated"):
		return spark.Loss{Kind: spark.LossProcess, ByApp: true}
	}
	return spark.Loss{Kind: spark.LossExited, ByApp: true}
}

// failsAsRecorded takes one of the recorded failures of a task, if there is one left.
func (d *driver) failsAsRecorded(st *trace.Stage, index int32) bool {
	if !d.s.sc.Recorded.Failures || st.Tasks.Retries == nil {
		return false
	}
	key := [2]int32{st.ID, index}
	if d.failures[key] >= min(st.Tasks.Retries[index], int32(d.conf.MaxTaskFailures)-1) {
		return false
	}
	if d.failures == nil {
		d.failures = map[[2]int32]int32{}
	}
	d.failures[key]++
	return true
}

// endRecorded is the end of an application whose executors were recorded.
func (d *driver) endRecorded() {
	s, a := d.s, d.a
	a.rec.Finish = s.now
	d.stop()
	for n := range a.containers {
		d.endRecordedContainer(int64(n + 1))
	}
	a.gone = true
	s.live--
	s.move()
	s.jobDone(a.rec)
}

// recordedExecs reports whether executors are given by a recording.
func recordedExecs(sc *scenario.Scenario) bool { return sc.Recorded.Executors != nil }

// amStart returns how long an application master takes from the NodeManager's start to its registration.
func (s *sim) amStart(job int64) int64 {
	if l := s.sc.Recorded.Latencies[job]; l != nil && l.AMMS != trace.Unset {
		return max(l.AMMS-s.sc.Model.NMStartMS, 0)
	}
	return s.sc.Model.AMStartMS
}

// executorStart returns how long executor k of an application takes from the NodeManager's start to its
// registration; called is how long the start call takes.
func (s *sim) executorStart(job int64, k int, called int64) int64 {
	if l := s.sc.Recorded.Latencies[job]; l != nil && k < len(l.ExecutorMS) && l.ExecutorMS[k] != trace.Unset {
		return max(l.ExecutorMS[k]-called, 0) + s.sc.Model.ExecutorReadyMS
	}
	return s.sc.Model.ExecutorStartMS
}
