package spark

import (
	"fmt"
	"slices"

	"replay/trace"
)

// submit submits a stage, or first those of its parents whose output is missing.
//
// Source: DAGScheduler.submitStage, maxStageAttempts.
func (d *DAG) submit(now int64, stage int32) {
	s := &d.stages[stage]
	if d.aborted || s.waiting || s.running || s.toRetry {
		return
	}
	if int(s.next-s.before) >= max(d.conf.MaxStageAttempts, d.conf.MaxConsecutiveAttempts) {
		d.abort(stage, fmt.Sprintf("stage %d: %d attempts reach the larger of spark.stage.maxAttempts and spark.stage.maxConsecutiveAttempts", stage, s.next-s.before))
		return
	}
	parents := d.missingParents(stage)
	if len(parents) == 0 {
		d.submitTasks(now, stage)
		return
	}
	for _, p := range parents {
		d.submit(now, p)
	}
	s.waiting = true
}

// missingParents returns the stages whose output a stage needs and that is not all there, ascending.
// One that keeps its blocks, or reads such blocks, needs what these are computed from unless all are there.
//
// Source: DAGScheduler.getMissingParentStages, Stage.increaseAttemptIdOnFirstSkip.
func (d *DAG) missingParents(stage int32) []int32 {
	var need []int32
	for from := range d.lineage(stage) {
		if d.allCached(from) {
			break
		}
		for _, p := range d.stages[from].reads {
			switch s := &d.stages[p]; {
			case d.availableOf(p) < s.tasks:
				need = append(need, p)
			case s.next == s.before:
				s.before-- // that it was skipped counts as an attempt
			}
		}
	}
	slices.Sort(need)
	return slices.Compact(need)
}

// submitTasks submits an attempt with the partitions that are missing.
//
// Source: DAGScheduler.submitMissingTasks.
func (d *DAG) submitTasks(now int64, stage int32) {
	s, t := &d.stages[stage], &d.job.Stages[stage]
	n := s.tasks
	if len(s.out) < n {
		s.out = missing(s.out, n)
		s.pending = slices.Grow(s.pending[:0], n)[:n]
	}
	var partitions []int32 // nil = all
	if d.availableOf(stage) > 0 {
		partitions = make([]int32, 0, n-s.available)
		for p := range int32(n) {
			if s.out[p] < 0 {
				partitions = append(partitions, p)
			}
		}
	}
	pending := s.pending
	for p, exec := range s.out[:len(pending)] {
		pending[p] = exec < 0
	}
	s.owed = n - s.available
	attempt := s.next
	s.next++
	s.running = true
	if s.owed == 0 {
		e := d.emit(StageSubmitted)
		e.Stage, e.Attempt, e.Set = stage, attempt, -1
		d.complete(now, stage)
		return
	}
	priority, pool := d.jobFor(stage)
	spec := TaskSetSpec{
		Stage: stage, Attempt: attempt, Priority: priority, Pool: pool, Profile: t.Profile, TaskCPUs: d.cpus[t.Profile],
		AnyExecutor: !d.conf.DynamicAllocation,
		ShuffleMap:  s.isMap, Barrier: t.Kind == trace.StageGang, Tasks: s.owed, Partitions: partitions,
	}
	d.prefer(stage, &spec)
	epoch := d.epoch
	set := d.tasks.Submit(now, &spec)
	s.set = set.ID
	for len(d.sets) <= int(set.ID) {
		d.sets = append(d.sets, setInfo{stage: -1})
	}
	d.sets[set.ID] = setInfo{stage: stage, attempt: attempt, epoch: epoch}
	e := d.emit(StageSubmitted)
	e.Stage, e.Attempt, e.Set = stage, attempt, set.ID
}

// jobFor returns the Spark job on whose behalf a stage runs, the smallest active one that uses it, and
// its pool.
//
// Source: DAGScheduler.activeJobForStage.
func (d *DAG) jobFor(stage int32) (id int32, pool string) {
	own := &d.jobs[d.jobOf[stage]]
	if own.started && own.left > 0 {
		return own.id, poolOf(d.job.Stages[stage].Pool)
	}
	for _, i := range d.active {
		j := &d.jobs[i]
		if _, uses := slices.BinarySearch(j.uses, stage); uses {
			return j.id, poolOf(d.job.Stages[j.stages[0]].Pool)
		}
	}
	return own.id, poolOf(d.job.Stages[stage].Pool)
}

func poolOf(name string) string {
	if name == "" {
		return DefaultPool
	}
	return name
}

// complete ends the running attempt of a stage that owes nothing more.
//
// Source: DAGScheduler.processShuffleMapStageCompletion, handleTaskCompletion.
func (d *DAG) complete(now int64, stage int32) {
	s := &d.stages[stage]
	s.running = false
	s.failedAttempts = s.failedAttempts[:0]
	if s.isMap {
		d.epoch++
	}
	e := d.emit(StageCompleted)
	e.Stage, e.Attempt, e.Set = stage, s.next-1, s.set
	if d.availableOf(stage) < s.tasks {
		d.submit(now, stage)
		return
	}
	if s.isMap {
		d.submitWaiting(now, stage)
	} else {
		d.forget(stage)
		d.tasks.killStage(stage)
	}
	if !s.ended {
		d.end(now, stage)
	}
}

// submitWaiting submits the stages that waited for the output of a stage.
//
// Source: DAGScheduler.submitWaitingChildStages.
func (d *DAG) submitWaiting(now int64, stage int32) {
	var children []int32
	for _, c := range d.stages[stage].wakes {
		if d.stages[c].waiting && !slices.Contains(children, c) {
			children = append(children, c)
		}
	}
	d.sortByJob(children)
	for _, c := range children {
		d.stages[c].waiting = false
	}
	for _, c := range children {
		d.submit(now, c)
	}
	d.remake(now, d.stages[stage].wakes, stage)
}

// remake has output that was there once and was lost computed again for those of some stages whose turn has not come yet although their job has begun: in Spark
// they wait from then on, and each look at what they miss submits what nobody computes. One that misses nothing has its turn, though an attempt that has written what it reads
// still owes a task, as output was lost and written again; ends is a stage of which the end is told next, -1 for none.
//
// Source: DAGScheduler.submitStage, handleJobSubmitted, submitWaitingChildStages.
func (d *DAG) remake(now int64, stages []int32, ends int32) {
	for _, c := range stages {
		if s := &d.stages[c]; s.next > 0 || s.waiting || !d.jobs[d.jobOf[c]].started {
			continue
		}
		missing := d.missingParents(c)
		for _, p := range missing {
			if d.stages[p].ended {
				d.submit(now, p)
			}
		}
		if len(missing) == 0 && d.outrun(c, ends) {
			d.stages[c].waitsFor = 0
			d.think(now, []int32{c})
		}
	}
}

// outrun reports whether a stage waits for ends of stages that it reads alone, and for more of them than that one of which the end is told next.
func (d *DAG) outrun(stage, ends int32) bool {
	s := &d.stages[stage]
	open, more := 0, false
	for _, p := range s.reads {
		if r := &d.stages[p]; !r.ended {
			open++
			more = more || p != ends && r.next > 0
		}
	}
	return more && open == s.waitsFor
}

// end is the first end of a stage: its job may be over, and stages that waited for it come.
func (d *DAG) end(now int64, stage int32) {
	s := &d.stages[stage]
	s.ended = true
	d.left--
	last := d.left == 0
	j := &d.jobs[d.jobOf[stage]]
	if j.left--; j.left == 0 {
		if at, ok := slices.BinarySearch(d.active, d.jobOf[stage]); ok {
			d.active = slices.Delete(d.active, at, at+1)
		}
		d.forgetJob(now, j)
		d.emit(JobEnded).Job = j.id
	}
	var due []int32
	for _, list := range [][]int32{s.data, s.control} {
		for _, c := range list {
			if d.stages[c].waitsFor--; d.stages[c].waitsFor == 0 {
				due = append(due, c)
			}
		}
	}
	slices.Sort(due)
	d.think(now, due) // which may end stages that have no tasks
	if last {
		d.emit(DAGDone)
	}
}

// forgetJob stops what stages of a job that has ended still compute for it alone.
//
// Source: DAGScheduler.cancelRunningIndependentStages, cleanupStateForJobAndIndependentStages.
func (d *DAG) forgetJob(now int64, j *sparkJob) {
	for _, stage := range j.uses {
		s := &d.stages[stage]
		if !s.running && !s.waiting && !s.toRetry || d.needed(stage) {
			continue
		}
		if s.running {
			d.tasks.cancelStage(now, stage)
			d.attemptFailed(d.sets[s.set], s.set)
		}
		d.forget(stage)
	}
}

// forget has a stage neither wait for its input nor for another attempt.
func (d *DAG) forget(stage int32) {
	s := &d.stages[stage]
	s.waiting = false
	if s.toRetry {
		s.toRetry = false
		d.failed = slices.DeleteFunc(d.failed, func(f int32) bool { return f == stage })
	}
}

// needed reports whether a Spark job that has begun and not ended uses a stage.
func (d *DAG) needed(stage int32) bool {
	own := &d.jobs[d.jobOf[stage]]
	return own.started && own.left > 0 || d.used(stage)
}

// used reports it of other jobs than the stage's own.
func (d *DAG) used(stage int32) bool {
	for _, i := range d.active {
		if _, uses := slices.BinarySearch(d.jobs[i].uses, stage); uses {
			return true
		}
	}
	return false
}

// forgotten reports whether what becomes of the tasks of a stage attempt is nobody's concern any more: its result is there, no job needs its output, or the job that has
// it computed is over and another one has a stage made anew. [DAG.forgetJob] ends what runs of a stage that is needed no more.
func (d *DAG) forgotten(info *setInfo) bool {
	s := &d.stages[info.stage]
	return !s.isMap && s.ended || info.attempt < s.renewed || !s.running && !d.needed(info.stage)
}

// Resubmit submits the stages that failed since the last resubmission, by job and number.
//
// Source: DAGScheduler.resubmitFailedStages.
func (d *DAG) Resubmit(now int64) {
	failed := d.failed
	d.failed = nil
	d.sortByJob(failed)
	for _, s := range failed {
		d.stages[s].toRetry = false
	}
	for _, s := range failed {
		d.submit(now, s)
	}
}

// sortByJob sorts stages by their job, then number.
func (d *DAG) sortByJob(stages []int32) {
	slices.SortFunc(stages, func(a, b int32) int {
		if j := d.jobs[d.jobOf[a]].id - d.jobs[d.jobOf[b]].id; j != 0 {
			return int(j)
		}
		return int(a - b)
	})
}
