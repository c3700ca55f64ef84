package driver

import (
	"replay/engine/protocol"
	"replay/engine/record"
	"replay/engine/reuse"
	"replay/engine/spark"
	"replay/policy"
)

// stages is the part of a driver that follows the job's stages.
type stages struct {
	dag       *spark.DAG
	submitted []int64   // by task set
	posted    int64     // stages whose submission was scheduled
	since     [][]int64 // by task set: when a task became pending again, nil while none has
	done      [][]bool  // by stage and partition: succeeded at least once
	readers   readers
	wants     []tally // by task set: (task, location) pairs, while it is active
}

// readers are the executors that have looked up where the input of a stage attempt is, by task set: bits by executor.
type readers [][]uint64

func (r *readers) add(set, exec int32) {
	for int(set) >= len(*r) {
		*r = reuse.Longer(*r)
		r.forget(int32(len(*r) - 1))
	}
	bits := (*r)[set]
	for int(exec>>6) >= len(bits) {
		bits = append(bits, 0)
	}
	bits[exec>>6] |= 1 << (exec & 63)
	(*r)[set] = bits
}

func (r readers) has(set, exec int32) bool {
	return int(set) < len(r) && int(exec>>6) < len(r[set]) && r[set][exec>>6]>>(exec&63)&1 != 0
}

// forget lets go of a stage attempt that launches no more tasks.
func (r readers) forget(set int32) {
	if int(set) < len(r) {
		r[set] = r[set][:0]
	}
}

// startStages begins the application's own code. A pause before its first stages counts from here, as
// the importer counts it.
func (d *Driver) startStages() {
	var err error
	if d.dag, err = d.memory.stages(d.conf, d.job, d.tasks, d.set.cpus); err != nil {
		d.fail(err.Error(), exitUserClass)
		return
	}
	d.dag.DefaultDelayMS = d.m.StageSubmitMS
	d.dag.Slots = d
	d.done = reuse.Roomy(d.done, len(d.job.Stages))[:len(d.job.Stages)]
	for i := range d.done {
		d.done[i] = reuse.Zeros(d.done[i], d.job.Stages[i].Tasks.Len())
	}
	d.dag.Start(d.now())
	d.pump()
}

// pump carries what the task scheduler and the DAG tell until both are silent.
func (d *Driver) pump() {
	for d.tells() {
		events := d.tasks.Take() // they stay, as nothing that follows from them pumps
		for i := range events {
			d.taskEvent(&events[i])
			if d.dag != nil {
				d.dag.Handle(d.now(), &events[i])
			}
		}
		d.pumpStages()
	}
}

// pumpStages carries what the DAG has told.
func (d *Driver) pumpStages() {
	if d.dag != nil && !d.dag.Silent() {
		stages := d.dag.Take()
		for i := range stages {
			d.dagEvent(&stages[i])
		}
	}
}

// tells reports whether there is something for [Driver.pump].
func (d *Driver) tells() bool { return !d.tasks.Silent() || d.dag != nil && !d.dag.Silent() }

func (d *Driver) dagEvent(e *spark.DAGEvent) {
	switch e.Kind {
	case spark.StageTimer:
		d.h.GoesOn(e.At)
		d.posted++
		d.h.At(max(e.At, d.now()), evStage, d.posted, int64(e.Stage))
	case spark.ResubmitTimer:
		d.h.At(e.At, evResubmit, 0, 0)
	case spark.JobStarted:
		if d.mgr != nil {
			var list []spark.ShuffleStage
			for _, st := range d.dag.JobStages(e.Job) {
				shuffle := spark.NoShuffle
				if d.dag.WritesShuffle(st) {
					shuffle = st
				}
				list = append(list, spark.ShuffleStage{Stage: st, Shuffle: shuffle})
			}
			d.mgr.JobStart(e.Job, list)
		}
	case spark.JobEnded:
		if d.mgr != nil {
			d.mgr.JobEnd(e.Job)
		}
	case spark.StageSubmitted:
		d.stageSubmitted(e)
	case spark.StageCompleted:
		d.stageCompleted(e)
	case spark.BlockCached:
		if d.mgr != nil {
			x := d.exec(e.Exec)
			d.mgr.BlockUpdated(e.Exec, e.Stage, e.Index, true, false, x != nil && x.state == execAlive && !x.killing)
		}
	case spark.DAGDone:
		d.codeEnded()
	case spark.DAGFailed:
		d.fail(e.Reason, exitUserClass)
	}
}

// stageSubmitted tells dynamic allocation of a stage attempt and where its tasks want to run.
func (d *Driver) stageSubmitted(e *spark.DAGEvent) {
	d.rec.StageAttempts++
	d.source.submitted(e.Stage, e.Attempt, e.Set)
	if e.Set < 0 {
		return
	}
	spec := &d.tasks.Set(e.Set).Spec
	for int(e.Set) >= len(d.since) {
		d.since = append(d.since, nil)
		d.submitted = append(d.submitted, d.now())
	}
	hints := spark.StageHints{}
	if spec.PrefStart != nil {
		wanted := d.wantedBy(d.tasks.Set(e.Set))
		for int(e.Set) >= len(d.wants) {
			d.wants = append(d.wants, tally{})
		}
		d.wants[e.Set] = wanted
		d.wanted = d.wanted.plus(wanted, 1)
		hints.LocalTasks = d.tasks.Set(e.Set).Preferring()
		hints.Hosts = d.hostsOf(wanted)
		if policy.WantsTasks(d.kind.Placement) {
			for i := range spec.Tasks {
				var hosts []protocol.Name
				for _, h := range spec.Hosts[spec.PrefStart[i]:spec.PrefStart[i+1]] {
					hosts = append(hosts, d.cluster.Host[h])
				}
				hints.TaskHosts = append(hints.TaskHosts, hosts)
			}
		}
	}
	if d.mgr != nil {
		d.mgr.StageSubmitted(d.now(), e.Stage, e.Attempt, spec.Profile, spec.Tasks, hints)
	}
}

func (d *Driver) stageCompleted(e *spark.DAGEvent) {
	if e.Set >= 0 {
		d.readers.forget(e.Set)
	}
	if set := d.setSpec(e.Set); set != nil && set.PrefStart != nil {
		d.wanted = d.wanted.plus(d.wants[e.Set], -1)
		d.wants[e.Set] = tally{}
	}
	if d.mgr != nil {
		d.mgr.StageCompleted(e.Stage, e.Attempt)
	}
}

// setSpec returns the stage attempt behind a task set.
func (d *Driver) setSpec(id int32) *spark.TaskSetSpec {
	if id < 0 {
		return nil
	}
	if set := d.tasks.Set(id); set != nil {
		return &set.Spec
	}
	return nil
}

// taskEvent handles what the task scheduler told, beside the DAG.
func (d *Driver) taskEvent(e *spark.TaskEvent) {
	switch e.Kind {
	case spark.TaskEnded:
		d.taskEnded(e)
	case spark.SpeculativeTask:
		if d.mgr != nil {
			d.mgr.SpeculativeTaskSubmitted(d.now(), e.Stage, e.StageAttempt, e.Index)
		}
	case spark.ReviveOffers:
		d.revive()
	case spark.KillTask:
		if set := d.tasks.Set(e.Set); set != nil {
			id := set.Attempt(e.Row).ID
			d.h.At(d.now()+d.m.StatusMS, evKilled, id, id)
		}
	case spark.KillExecutor:
		d.source.kill([]int32{e.Exec}, true)
	case spark.UnschedulableAdded:
		if d.mgr != nil {
			d.mgr.UnschedulableAdded(d.now(), e.Stage, e.StageAttempt)
		}
	case spark.UnschedulableGone:
		if d.mgr != nil {
			d.mgr.UnschedulableRemoved(e.Stage, e.StageAttempt)
		}
	case spark.AbortTimer:
		d.h.At(e.At, evAbort, int64(e.Set), int64(e.Set))
	}
}

// taskEnded books the end of a task attempt.
func (d *Driver) taskEnded(e *spark.TaskEvent) {
	set := d.tasks.Set(e.Set)
	at := set.Attempt(e.Row)
	if e.Reason == spark.EndResubmitted { // the attempt ended before; only its output is lost
		d.pendingAgain(set, e.Index)
		if d.mgr != nil { // which counts it as ended once more, as Spark's does
			d.mgr.TaskEnd(d.now(), e.Stage, e.StageAttempt, e.Index, at.Exec, at.Speculative, spark.TaskFailed)
		}
		return
	}
	r := d.runs.of(at.ID)
	end := spark.TaskFailed
	switch e.Reason {
	case spark.EndSuccess:
		end = spark.TaskSucceeded
		d.runSucceeded(r)
	case spark.EndKilled:
		end = spark.TaskKilled
		d.writeRun(r, record.TaskKilled)
	case spark.EndExecutorLost:
		d.freeCore(r)
		d.writeRun(r, record.TaskLost)
	default:
		d.writeRun(r, record.TaskFailed)
	}
	if d.mgr != nil {
		d.mgr.TaskEnd(d.now(), e.Stage, e.StageAttempt, e.Index, at.Exec, at.Speculative, end)
	}
	if end == spark.TaskFailed {
		d.pendingAgain(set, e.Index)
	}
}

// runSucceeded books an attempt that has succeeded.
func (d *Driver) runSucceeded(r *run) {
	if done := d.done[r.stage]; !done[r.index] {
		done[r.index] = true
		d.rec.TasksSucceeded++
	} else {
		r.repeated = true
	}
	d.writeRun(r, record.TaskSuccess)
}

func (d *Driver) pendingAgain(set *spark.TaskSet, index int32) {
	if d.since[set.ID] == nil {
		d.since[set.ID] = make([]int64, set.Spec.Tasks)
		d.launching.of = 0
	}
	d.since[set.ID][index] = d.now()
}

// fetchFailureOf reports whether a task of a set that is launched now, of a stage that reads output, will meet some that is lost.
func (d *Driver) fetchFailureOf(stage, index, set, exec int32) (spark.FetchSource, bool) {
	from, fails := d.dag.FetchFailure(stage, index, func() bool { return d.readers.has(set, exec) })
	if !fails || from.Exec >= 0 {
		d.readers.add(set, exec)
	}
	return from, fails
}
