package spark

import (
	"fmt"
	"slices"

	"replay/trace"
)

// Handle takes what the task scheduler told. Events that are not for the DAG change nothing.
//
// Source: DAGScheduler.handleTaskSetFailed and the methods of the other events.
func (d *DAG) Handle(now int64, e *TaskEvent) {
	if d.aborted {
		return
	}
	switch e.Kind {
	case TaskEnded:
		d.taskEnded(now, e)
	case TaskSetFailed:
		d.abort(e.Stage, fmt.Sprintf("stage %d, attempt %d: a task failed %d times or may run nowhere", e.Stage, e.StageAttempt, d.conf.MaxTaskFailures))
	case ExecutorGone:
		d.executorGone(e.Exec, e.Worker)
	}
}

// taskEnded handles the end of a task attempt.
//
// Source: DAGScheduler.handleTaskCompletion.
func (d *DAG) taskEnded(now int64, e *TaskEvent) {
	info := d.sets[e.Set]
	s := &d.stages[info.stage]
	partition := d.tasks.Set(e.Set).Spec.Partition(e.Index)
	if e.Reason != EndSuccess && d.forgotten(&info) {
		return
	}
	if e.Reason == EndResubmitted && !s.pending[partition] {
		s.pending[partition] = true
		s.owed++
	}
	switch {
	case e.Reason == EndSuccess:
		d.taskSucceeded(now, &d.sets[e.Set], partition, e.Exec)
	case e.Reason == EndFetchFailed:
		d.fetchFailed(now, e, info)
	case d.job.Stages[info.stage].Kind == trace.StageGang:
		d.barrierFailed(now, e, info)
	}
}

// Succeeded takes the end of an attempt that [TaskSet.SucceededAlone] has told.
func (d *DAG) Succeeded(now int64, set *TaskSet, a *Attempt) {
	if !d.aborted {
		d.taskSucceeded(now, &d.sets[set.ID], set.Spec.Partition(a.Index), a.Exec)
	}
}

func (d *DAG) taskSucceeded(now int64, info *setInfo, partition, exec int32) {
	stage := info.stage
	s := &d.stages[stage]
	counts := len(d.failedAt) == 0 || info.epoch > at(d.failedAt, exec)
	if counts && (len(s.cached) > 0 || s.cacheOf >= 0) {
		d.cache(stage, partition, exec)
	}
	if d.forgotten(info) {
		return
	}
	if info.attempt < s.next-1 {
		d.partitionDone(now, s.set, partition)
	}
	if s.pending[partition] {
		s.pending[partition] = false
		s.owed--
	}
	if !s.isMap || counts { // output of an executor lost since the task set was made does not count
		if s.out[partition] < 0 {
			s.available++
		}
		s.out[partition] = exec
	}
	if s.isMap && s.running && s.owed == 0 || !s.isMap && s.available == s.tasks { // a result stage ends also where its attempt has failed
		d.complete(now, stage)
	}
}

// cache keeps the block of a stage where a task has run, unless one is there that it has read, and so those that it was computed from. It tells of the first one of a
// stage on an executor.
//
// Source: BlockManager.getOrElseUpdate.
func (d *DAG) cache(stage, partition, exec int32) {
	for c := stage; c >= 0; { // [DAG.lineage], which costs more where there is no more than the stage
		s := &d.stages[c]
		if int(partition) < len(s.cached) {
			held := &s.cached[partition]
			if *held >= 0 && !lost(d.ended, *held) { // [DAG.readable]
				return
			}
			if *held = exec; !s.holders.has(exec) {
				s.holders.add(exec)
				e := d.emit(BlockCached)
				e.Stage, e.Index, e.Exec = c, partition, exec
			}
		}
		c = s.cacheOf
	}
}

// partitionDone tells the newest attempt of a stage that an older one computed a partition.
func (d *DAG) partitionDone(now int64, set, partition int32) {
	t := d.tasks.Set(set)
	if t == nil {
		return
	}
	index, ok := partition, true
	if t.Spec.Partitions != nil {
		var at int
		at, ok = slices.BinarySearch(t.Spec.Partitions, partition)
		index = int32(at)
	}
	if ok {
		d.tasks.PartitionDone(now, set, index)
	}
}

// fetchFailed handles a task that could not read the output of a map stage: its stage ends, and both
// are submitted again after a while.
func (d *DAG) fetchFailed(now int64, e *TaskEvent, info setInfo) {
	s, m := &d.stages[info.stage], &d.stages[e.From.Stage]
	if info.attempt != s.next-1 {
		return
	}
	if !d.conf.IgnoreDecommissionFetch || !d.tasks.decommissioned(e.From.Exec) {
		if !slices.Contains(s.failedAttempts, info.attempt) {
			s.failedAttempts = append(s.failedAttempts, info.attempt)
		}
	}
	d.attemptFailed(info, e.Set)
	if d.job.Stages[e.From.Stage].Kind == trace.StageGang {
		d.dropAll(e.From.Stage)
	} else if p := e.From.Partition; p >= 0 && m.out[p] == e.From.Exec {
		m.out[p] = -1
		m.available--
		d.epoch++
	}
	if d.job.Stages[info.stage].Kind == trace.StageGang {
		d.dropOwn(info.stage)
	}
	if d.aborted {
		return
	}
	if !d.failedTooOften(info.stage) {
		d.retry(now, info.stage, e.From.Stage)
	}
	if e.From.Exec >= 0 && !d.aborted {
		d.dropOutput(e.From, info.epoch)
	}
}

// failedTooOften reports whether so many attempts of a stage in a row have failed that the application is given up, if it depends on the stage.
func (d *DAG) failedTooOften(stage int32) bool {
	n := len(d.stages[stage].failedAttempts)
	if n < d.conf.MaxConsecutiveAttempts {
		return false
	}
	d.abort(stage, fmt.Sprintf("stage %d: %d consecutive attempts failed (spark.stage.maxConsecutiveAttempts)", stage, n))
	return true
}

// retry puts stages among those to be submitted again, and sets the timer unless the first of them is there already.
func (d *DAG) retry(now int64, stages ...int32) {
	timer := !d.stages[stages[0]].toRetry
	for _, id := range stages {
		if !d.stages[id].toRetry {
			d.stages[id].toRetry = true
			d.failed = append(d.failed, id)
		}
	}
	if timer {
		d.emit(ResubmitTimer).At = now + ResubmitDelayMS
	}
}

// barrierFailed handles what ends a task of a barrier stage without success, that it is killed and that its output is lost
// included: all its tasks run again together. What of the attempt still runs is killed, also where a failed fetch ended it before.
func (d *DAG) barrierFailed(now int64, e *TaskEvent, info setInfo) {
	s := &d.stages[info.stage]
	if info.attempt != s.next-1 {
		return
	}
	if !info.killed { // none is launched any more, as those that run are not there for all to be launched together
		d.sets[e.Set].killed = true
		d.tasks.killStage(info.stage)
	}
	d.attemptFailed(info, e.Set)
	if !slices.Contains(s.failedAttempts, info.attempt) {
		s.failedAttempts = append(s.failedAttempts, info.attempt)
	}
	if d.failedTooOften(info.stage) {
		return
	}
	if d.dropOwn(info.stage); !d.aborted {
		d.retry(now, info.stage)
	}
}

// attemptFailed ends the running attempt of a stage.
func (d *DAG) attemptFailed(info setInfo, set int32) {
	if s := &d.stages[info.stage]; s.running {
		s.running = false
		e := d.emit(StageCompleted)
		e.Stage, e.Attempt, e.Set, e.Failed = info.stage, info.attempt, set, true
	}
}

// dropOwn forgets what a barrier stage has written of which an attempt failed; what one that computes a result has done cannot be taken back.
func (d *DAG) dropOwn(stage int32) {
	if d.stages[stage].isMap {
		d.dropAll(stage)
	} else {
		d.abort(stage, fmt.Sprintf("stage %d: a barrier stage that computes a result cannot run again", stage))
	}
}
