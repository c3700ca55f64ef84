package spark

import (
	"slices"

	"replay/engine/reuse"
)

// EndReason is how a task attempt ended, as the DAGScheduler is told.
type EndReason uint8

// Reasons of Spark's TaskEndReason.
const (
	EndSuccess      EndReason = iota
	EndResubmitted            // succeeded, but its shuffle output was lost before the stage was done
	EndFetchFailed            // could not read shuffle output of a parent stage
	EndException              // failed by itself
	EndFatal                  // a result that cannot be serialized, or an output file that exists: no retry
	EndKilled                 // told to stop
	EndCommitDenied           // another attempt committed the output
	EndExecutorLost           // counts as a failure of the task when the application is to blame, see [Loss.ByApp]
	EndResultLost             // succeeded, but its result could not be fetched
	EndUnknown
)

func (r EndReason) String() string {
	return [...]string{"Success", "Resubmitted", "FetchFailed", "ExceptionFailure", "ExceptionFailure", "TaskKilled", "TaskCommitDenied", "ExecutorLostFailure", "TaskResultLost", "UnknownReason"}[r]
}

// counts reports whether a failure counts towards spark.task.maxFailures.
//
// Source: TaskFailedReason.countTowardsTaskFailures.
func (r EndReason) counts(byApp bool) bool {
	switch r {
	case EndFetchFailed, EndKilled, EndCommitDenied:
		return false
	case EndExecutorLost:
		return byApp
	}
	return true
}

// emit tells something about one attempt.
func (s *TaskSet) emit(kind TaskEventKind, row int32, reason EndReason) {
	a := &s.attempts[row]
	s.sched.events = reuse.Longer(s.sched.events)
	e := &s.sched.events[len(s.sched.events)-1]
	*e = TaskEvent{}
	e.Kind, e.Reason, e.Exec, e.Set, e.Row, e.Index, e.Task = kind, reason, a.Exec, s.ID, row, a.Index, a.ID
	e.Stage, e.StageAttempt = s.Stage, s.Schedulable.Attempt
	if reason == EndFetchFailed {
		e.From = s.sched.from
	}
}

// succeed handles the result of an attempt.
//
// Source: TaskSetManager.handleSuccessfulTask.
func (s *TaskSet) succeed(now int64, row int32) {
	a := &s.attempts[row]
	if a.Ended {
		return
	}
	t := &s.tasks[a.Index]
	if t.done && a.Killed {
		s.fail(now, row, EndKilled, false)
		return
	}
	s.complete(now, row, a, t)
	for other := t.last; other >= 0; other = s.attempts[other].previous {
		if o := &s.attempts[other]; !o.Ended {
			o.Killed = true
			s.emit(KillTask, other, 0)
		}
	}
	s.emit(TaskEnded, row, EndSuccess)
	s.maybeFinish(now)
}

// complete marks a successful attempt as handled, and its task as done.
func (s *TaskSet) complete(now int64, row int32, a *Attempt, t *taskState) {
	s.end(a)
	if s.sched.conf.Speculation.Enabled {
		s.durations.insert(now - a.Launch)
		s.rates.succeeded(row)
	}
	if a.Counted {
		s.uncount(row, a)
	}
	if !t.done {
		s.done++
		t.done = true
		t.failures = 0
		if int(s.done) == s.Spec.Tasks {
			s.stop()
		}
	}
}

// end marks an attempt as handled.
func (s *TaskSet) end(a *Attempt) {
	a.Ended = true
	s.sched.execs[a.Exec].open--
	s.handled++
	s.sched.forget(s)
}

// drop counts an attempt of a task out. Another one may want a copy again.
func (s *TaskSet) drop(t *taskState) {
	if t.copies--; !t.copied() {
		s.copiedTo = 0
	}
}

// fail handles the failure of an attempt; the task waits again unless it has succeeded otherwise.
//
// Source: TaskSetManager.handleFailedTask.
func (s *TaskSet) fail(now int64, row int32, reason EndReason, byApp bool) {
	a := &s.attempts[row]
	if a.Ended {
		return
	}
	if a.Counted {
		s.uncount(row, a)
	}
	s.end(a)
	t := &s.tasks[a.Index]
	s.drop(t)
	switch reason {
	case EndFetchFailed:
		if !t.done {
			t.done = true
			s.done++
		}
		s.stop()
	case EndFatal:
		s.emit(TaskEnded, row, reason)
		s.abort(now)
		return
	}
	if s.Spec.Barrier {
		s.stop()
	}
	s.emit(TaskEnded, row, reason)
	if !s.Zombie && reason.counts(byApp) {
		if s.sched.health != nil {
			if s.excluded == nil {
				s.excluded = new(taskSetExclusion)
				s.sched.failing++
			}
			s.excluded.failed(s.sched.conf, now, a.Index, a.Exec, a.Host)
		}
		t.failures++
		if int(t.failures) >= s.sched.conf.MaxTaskFailures {
			s.abort(now)
			return
		}
	}
	if !t.done {
		s.addPending(&s.pending, a.Index)
	}
	s.maybeFinish(now)
}

// abort gives the stage attempt up, and with it the job.
//
// Source: TaskSetManager.abort.
func (s *TaskSet) abort(now int64) {
	s.sched.emit(TaskEvent{Kind: TaskSetFailed, Set: s.ID, Stage: s.Stage, StageAttempt: s.Schedulable.Attempt})
	s.stop()
	s.maybeFinish(now)
}

// maybeFinish takes the set out of its pool when nothing of it is left.
//
// Source: TaskSetManager.maybeFinishTaskSet, TaskSchedulerImpl.taskSetFinished.
func (s *TaskSet) maybeFinish(now int64) {
	if !s.Zombie || s.Running != 0 {
		return
	}
	s.sched.remove(s)
	if int(s.done) == s.Spec.Tasks && s.excluded != nil {
		s.sched.health.setSucceeded(s.sched.conf, now, s)
	}
}

// partitionDone marks a task as succeeded that another attempt of the stage completed.
//
// Source: TaskSetManager.markPartitionCompleted.
func (s *TaskSet) partitionDone(now int64, index int32) {
	t := &s.tasks[index]
	if t.done {
		return
	}
	t.done = true
	t.failures = 0
	s.done++
	if int(s.done) == s.Spec.Tasks {
		s.stop()
	}
	s.maybeFinish(now)
}

// executorLost puts back the tasks that ran on an executor, and those whose shuffle output it held.
//
// Source: TaskSetManager.executorLost.
func (s *TaskSet) executorLost(now int64, exec int32, loss Loss) {
	if s.Spec.ShuffleMap && !s.Zombie && (loss.Kind == LossDecommissioned || !s.sched.conf.ShuffleService) {
		for row := range s.rows {
			a := &s.attempts[row]
			t := &s.tasks[a.Index]
			if a.Exec != exec || !t.done || !a.Ended || a.Killed || loss.Migrated {
				continue
			}
			t.done = false
			s.drop(t)
			s.done--
			s.addPending(&s.pending, a.Index)
			s.emit(TaskEnded, row, EndResubmitted)
		}
	}
	for _, row := range s.openOn(exec) {
		if a := &s.attempts[row]; !a.Ended {
			s.fail(now, row, EndExecutorLost, loss.byApp(a.Launching))
		}
	}
	s.recomputeLevels()
}

// openOn returns the rows of the attempts on an executor whose end was not handled, in the order of rows.
func (s *TaskSet) openOn(exec int32) (rows []int32) {
	if s == nil || s.sched.execs[exec].open == 0 || int(s.handled) == len(s.attempts) {
		return nil
	}
	for s.attempts[s.ended].Ended {
		s.ended++
	}
	for row := s.ended; int(row) < len(s.attempts); row++ {
		if a := &s.attempts[row]; !a.Ended && a.Exec == exec {
			rows = append(rows, row)
		}
	}
	if s.order == nil || len(rows) < 2 {
		return rows
	}
	all := slices.Collect(s.rows)
	slices.SortFunc(rows, func(a, b int32) int { return slices.Index(all, a) - slices.Index(all, b) })
	return rows
}

// killRunning asks the backend to kill what runs of a set, but for attempts on executors that are lost.
func (s *TaskSet) killRunning() {
	for row := range s.runs {
		if a := &s.attempts[row]; a.tracked && !a.Killed {
			s.emit(KillTask, row, 0)
		}
	}
}

// killStage asks the backend to kill what runs of all attempts of a stage, which go on.
//
// Source: TaskSchedulerImpl.killAllTaskAttempts.
func (s *TaskScheduler) killStage(stage int32) {
	for _, id := range s.stages[stage] {
		s.sets[id].killRunning()
	}
}
