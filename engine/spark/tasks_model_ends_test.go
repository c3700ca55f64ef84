package spark

import (
	"maps"
	"math"
	"slices"

	"replay/engine/spark/conf"
)

// TaskSchedulerImpl.statusUpdate: what is done before the result is known.
func (s *plainScheduler) statusUpdate(ref TaskRef) bool {
	a := s.sets[ref.Set].attempts[ref.Row]
	if !a.tracked {
		return false
	}
	a.tracked, a.counted = false, false
	delete(s.runningOn[a.exec], ref)
	return true
}

// TaskSetManager.handleSuccessfulTask.
func (t *plainSet) succeed(now int64, row int) {
	a := t.attempts[row]
	x := &t.tasks[a.index]
	switch {
	case a.ended:
		return
	case x.done && a.killed:
		t.fail(now, row, EndKilled, false)
		return
	}
	a.ended, a.counted = true, false
	if t.s.c.Speculation.Enabled {
		t.durations = append(t.durations, now-a.launch)
		t.read, t.readMS = t.read+t.reports[row][0], t.readMS+t.reports[row][1]
	}
	for other := len(t.attempts) - 1; other >= 0; other-- {
		if b := t.attempts[other]; b.index == a.index && !b.ended {
			b.killed = true
			t.emit(KillTask, other, 0)
		}
	}
	if !x.done {
		x.done, x.failures = true, 0
		t.zombie = t.zombie || t.succeeded() == len(t.tasks)
	}
	t.emit(TaskEnded, row, EndSuccess)
	t.maybeFinish(now)
}

// TaskSetManager.handleFailedTask.
func (t *plainSet) fail(now int64, row int, reason EndReason, byApp bool) {
	a := t.attempts[row]
	if a.ended {
		return
	}
	a.ended, a.counted = true, false
	x := &t.tasks[a.index]
	x.copies--
	if reason == EndFatal {
		t.emit(TaskEnded, row, reason)
		t.abort(now)
		return
	}
	if reason == EndFetchFailed {
		x.done, t.zombie = true, true
	}
	t.zombie = t.zombie || t.spec.Barrier
	t.emit(TaskEnded, row, reason)
	counts := reason == EndException || reason == EndResultLost || reason == EndUnknown || reason == EndExecutorLost && byApp
	if !t.zombie && counts {
		t.failed = append(t.failed, plainFailure{a.index, a.exec, a.host, now})
		if x.failures++; x.failures >= t.s.c.MaxTaskFailures {
			t.abort(now)
			return
		}
	}
	if !x.done {
		t.addPending(&t.regular, a.index, true)
	}
	t.maybeFinish(now)
}

func (t *plainSet) abort(now int64) {
	t.s.emit(TaskEvent{Kind: TaskSetFailed, Set: t.id, Stage: t.spec.Stage, StageAttempt: t.spec.Attempt})
	t.zombie = true
	t.maybeFinish(now)
}

// TaskSetManager.maybeFinishTaskSet.
func (t *plainSet) maybeFinish(now int64) {
	if !t.zombie || t.running() > 0 {
		return
	}
	t.s.inPool = slices.DeleteFunc(t.s.inPool, func(x *plainSet) bool { return x == t })
	if t.succeeded() == len(t.tasks) && t.s.c.Exclude.Enabled {
		t.s.learn(now, t)
	}
}

func (s *plainScheduler) failed(now int64, ref TaskRef, reason EndReason) {
	t := s.sets[ref.Set]
	t.fail(now, int(ref.Row), reason, false)
	if !t.zombie && !t.tasks[t.attempts[ref.Row].index].done {
		s.emit(TaskEvent{Kind: ReviveOffers})
	}
}

func (s *plainScheduler) fetchFailed(now int64, ref TaskRef, from FetchSource) {
	if s.c.Exclude.Enabled && s.c.Exclude.FetchFailure && from.Exec >= 0 && !s.sets[ref.Set].attempts[ref.Row].ended {
		s.excludeFor(now, from.Exec, from.Host)
	}
	s.from = from
	s.failed(now, ref, EndFetchFailed)
}

// TaskSchedulerImpl.handlePartitionCompleted, TaskSetManager.markPartitionCompleted.
func (t *plainSet) partitionDone(now int64, index int32) {
	if x := &t.tasks[index]; !x.done && !t.zombie {
		x.done, x.failures = true, 0
		t.zombie = t.zombie || t.succeeded() == len(t.tasks)
		t.maybeFinish(now)
	}
}

// TaskSchedulerImpl.cancelTasks.
func (s *plainScheduler) cancel(now int64, id int32) {
	t := s.sets[id]
	if !slices.Contains(s.inPool, t) {
		return
	}
	for row, a := range t.attempts {
		if a.counted && a.tracked && !a.killed { // taskIdToExecutorId knows nothing of those on an executor that is lost
			t.emit(KillTask, row, 0)
		}
	}
	t.zombie = true
	t.maybeFinish(now)
}

// TaskSchedulerImpl.executorLost, removeExecutor; TaskSetManager.executorLost.
func (s *plainScheduler) executorLost(now int64, exec int32, loss Loss) {
	host, mapped := s.hostOf[exec]
	if !mapped {
		return
	}
	first := s.runningOn[exec] != nil
	for ref := range s.runningOn[exec] {
		s.sets[ref.Set].attempts[ref.Row].tracked = false
	}
	delete(s.runningOn, exec)
	s.onHost[host] = slices.DeleteFunc(s.onHost[host], func(e int32) bool { return e == exec })
	delete(s.decommissioned, exec)
	if loss.Kind != LossPending {
		delete(s.hostOf, exec)
		for _, t := range slices.Clone(s.inPool) {
			t.executorLost(now, exec, loss)
		}
	}
	delete(s.failures, exec)
	if first {
		s.emit(TaskEvent{Kind: ExecutorGone, Exec: exec, Worker: loss.Worker})
		s.emit(TaskEvent{Kind: ReviveOffers})
	}
}

func (t *plainSet) executorLost(now int64, exec int32, loss Loss) {
	keeps := loss.Kind != LossDecommissioned && t.s.c.ShuffleService || loss.Migrated
	for row, a := range t.attempts {
		x := &t.tasks[a.index]
		if t.spec.ShuffleMap && !t.zombie && !keeps && a.exec == exec && a.ended && !a.killed && x.done {
			x.done = false
			x.copies--
			t.addPending(&t.regular, a.index, true)
			t.emit(TaskEnded, row, EndResubmitted)
		}
	}
	for row, a := range t.attempts {
		if a.exec == exec && !a.ended {
			byApp := (loss.Kind == LossExited || loss.Kind == LossProcess) && loss.ByApp && !a.launching
			t.fail(now, row, EndExecutorLost, byApp)
		}
	}
	t.recomputeLevels()
}

// TaskSetManager.checkSpeculatableTasks, checkAndSubmitSpeculatableTasks.
func (t *plainSet) speculate(now int64) (found bool) {
	c := &t.s.c.Speculation
	n := len(t.tasks)
	if t.zombie || t.spec.Barrier || n == 1 && c.DurationThreshold == conf.Unset {
		return false
	}
	median := int64(-1)
	if len(t.durations) > 0 {
		median = slices.Sorted(slices.Values(t.durations))[len(t.durations)/2]
	}
	threshold, custom := 0.0, false
	switch {
	case len(t.durations) >= max(int(math.Floor(c.Quantile*float64(n))), 1):
		threshold = max(c.Multiplier*float64(median), float64(c.MinTaskRuntime))
	case c.DurationThreshold > 0 && n <= t.s.slots[t.spec.Profile]:
		threshold, custom = float64(c.DurationThreshold), true
	default:
		return false
	}
	average := math.MaxFloat64
	if t.read > 0 && t.readMS > 0 {
		average = float64(t.read) / (float64(t.readMS) / 1000)
	}
	for row, a := range t.attempts {
		x := &t.tasks[a.index]
		if !a.counted || x.done || x.copies != 1 || t.speculatable[a.index] {
			continue
		}
		rate := 0.0
		if r := t.reports[row]; r[0] > 0 && r[1] > 0 {
			rate = float64(r[0]) / (float64(r[1]) / 1000)
		}
		run := float64(now - a.launch)
		inefficient := run > c.LongRunTaskFactor*threshold || rate < average*c.ProcessRateMultiplier
		dies := false
		if d, going := t.s.decommissioned[a.exec]; going && t.s.c.DecommissionKillAfter != conf.Unset && median >= 0 && !custom {
			dies = a.launch+median > d.at+t.s.c.DecommissionKillAfter
		}
		if run > threshold && (custom || !c.Efficiency || inefficient) || dies {
			t.addPending(&t.again, a.index, true)
			t.speculatable[a.index] = true
			t.emit(SpeculativeTask, row, 0)
			found = true
		}
	}
	return found
}

// TaskSetExcludelist: failures of one task on an executor, and on its node.
func (t *plainSet) fromTask(task, exec, host int32) bool {
	c := &t.s.c.Exclude
	onExec, onNode := 0, 0
	for _, f := range t.failed {
		if f.index == task && f.exec == exec {
			onExec++
		}
		if f.index == task && f.host == host {
			onNode++
		}
	}
	return c.Enabled && (onExec >= c.TaskPerExecutor || onNode >= c.TaskPerNode)
}

// TaskSetExcludelist: tasks that failed on an executor, and executors of a node with as many.
func (t *plainSet) fromSet(exec, host int32) bool {
	c := &t.s.c.Exclude
	tasksOn, hostOf := map[int32]map[int32]bool{}, map[int32]int32{}
	for _, f := range t.failed {
		if tasksOn[f.exec] == nil {
			tasksOn[f.exec] = map[int32]bool{}
		}
		tasksOn[f.exec][f.index] = true
		hostOf[f.exec] = f.host
	}
	bad := 0
	for e, tasks := range tasksOn {
		if len(tasks) >= c.StagePerExecutor && hostOf[e] == host {
			bad++
		}
	}
	return c.Enabled && (len(tasksOn[exec]) >= c.StagePerExecutor || bad >= c.StageExecutorsOnNode)
}

// HealthTracker.updateExcludedForSuccessfulTaskSet.
func (s *plainScheduler) learn(now int64, t *plainSet) {
	c := &s.c.Exclude
	last, hostOf := map[int32]map[int32]int64{}, map[int32]int32{}
	for _, f := range t.failed {
		if last[f.exec] == nil {
			last[f.exec] = map[int32]int64{}
		}
		last[f.exec][f.index] = f.at
		hostOf[f.exec] = f.host
	}
	for _, exec := range slices.Sorted(maps.Keys(last)) {
		for _, at := range last[exec] {
			s.failures[exec] = append(s.failures[exec], at+c.Timeout)
		}
		s.failures[exec] = slices.DeleteFunc(s.failures[exec], func(expiry int64) bool { return expiry < now })
		if _, already := s.execUntil[exec]; already || len(s.failures[exec]) < c.AppPerExecutor {
			continue
		}
		host := hostOf[exec]
		s.excludeExec(exec, host, now+c.Timeout)
		delete(s.failures, exec)
		if _, already := s.nodeUntil[host]; !already && len(s.nodeExecs[host]) >= c.AppExecutorsOnNode {
			s.excludeNode(host, now+c.Timeout)
		}
	}
}

func (s *plainScheduler) excludeExec(exec, host int32, until int64) {
	s.execUntil[exec] = until
	if s.nodeExecs[host] == nil {
		s.nodeExecs[host] = map[int32]bool{}
	}
	s.nodeExecs[host][exec] = true
	if s.c.Exclude.Kill {
		s.emit(TaskEvent{Kind: KillExecutor, Exec: exec})
	}
}

func (s *plainScheduler) excludeNode(host int32, until int64) {
	s.nodeUntil[host] = until
	for _, exec := range slices.Sorted(maps.Keys(s.hostOf)) {
		if s.c.Exclude.Kill && s.hostOf[exec] == host && s.alive(exec) {
			s.emit(TaskEvent{Kind: KillExecutor, Exec: exec})
		}
	}
}

// HealthTracker.updateExcludedForFetchFailure.
func (s *plainScheduler) excludeFor(now int64, exec, host int32) {
	until := now + s.c.Exclude.Timeout
	_, node := s.nodeUntil[host]
	_, executor := s.execUntil[exec]
	switch {
	case s.c.ShuffleService && !node:
		s.excludeNode(host, until)
	case !s.c.ShuffleService && !executor:
		s.excludeExec(exec, host, until)
	}
}

// HealthTracker.applyExcludeOnFailureTimeout.
func (s *plainScheduler) expire(now int64) {
	for exec, until := range s.execUntil {
		if until < now {
			delete(s.execUntil, exec)
			for _, execs := range s.nodeExecs {
				delete(execs, exec)
			}
		}
	}
	maps.DeleteFunc(s.nodeUntil, func(_ int32, until int64) bool { return until < now })
}

func (s *plainScheduler) excluded(exec, host int32) bool {
	_, executor := s.execUntil[exec]
	_, node := s.nodeUntil[host]
	return executor || node
}

// TaskSetManager.getCompletelyExcludedTaskIfAny, and what TaskSchedulerImpl.resourceOffers does with it.
func (t *plainSet) completelyExcluded(now int64) {
	s := t.s
	task := int32(-1)
	for _, i := range t.regular.all {
		if t.tasks[i].copies == 0 && !t.tasks[i].done {
			task = i
		}
	}
	if !s.c.Exclude.Enabled || task < 0 || len(s.runningOn) == 0 {
		return
	}
	idle := int32(-1)
	for _, exec := range slices.Sorted(maps.Keys(s.runningOn)) {
		host := s.hostOf[exec]
		if !s.excluded(exec, host) && !t.fromSet(exec, host) && !t.fromTask(task, exec, host) {
			return
		}
		if len(s.runningOn[exec]) == 0 && idle < 0 {
			idle = exec
		}
	}
	if idle < 0 && !s.c.DynamicAllocation {
		t.abort(now)
		return
	}
	if _, already := s.timers[t.id]; already {
		return
	}
	if idle >= 0 {
		s.emit(TaskEvent{Kind: KillExecutor, Exec: idle})
	} else {
		s.emit(TaskEvent{Kind: UnschedulableAdded, Set: t.id, Stage: t.spec.Stage, StageAttempt: t.spec.Attempt})
	}
	s.timers[t.id] = now + s.c.Exclude.UnschedulableTimeout
	s.emit(TaskEvent{Kind: AbortTimer, Set: t.id, At: s.timers[t.id]})
}
