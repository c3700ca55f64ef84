package eventlog

import (
	"cmp"
	"slices"
	"sort"

	"replay/trace"
	"replay/trace/importer/recorded"
)

// waitMS is how long after the submission of its stage the task of a partition was launched.
func (p *part) waitMS(st *stageLog) int64 {
	if at := st.submittedAt(p.ranIn); at != absent && p.launch != absent {
		return max(0, p.launch-at)
	}
	return trace.Unset
}

// attempts are all recorded attempts of the tasks of a stage, by task and launch. ids are those of the tasks.
func (b *appBuilder) attempts(st *stageLog, ids []TaskID) []recorded.Attempt {
	task := make(map[int32]int32, len(ids))
	for i, id := range ids {
		task[id.Partition] = int32(i)
	}
	out := make([]recorded.Attempt, 0, len(ids)+len(st.more))
	for i := range st.parts {
		p := &st.parts[i]
		k, ok := task[p.partition]
		if !ok || !p.done {
			continue // what is known of it is among more
		}
		out = append(out, p.row(k))
	}
	for _, m := range st.more {
		if k, ok := task[m.partition]; ok {
			m.Task = k
			out = append(out, m.Attempt)
		}
	}
	slices.SortStableFunc(out, func(x, y recorded.Attempt) int {
		return cmp.Or(cmp.Compare(x.Task, y.Task), cmp.Compare(x.LaunchMS, y.LaunchMS))
	})
	return out
}

// row is the attempt that the part has.
func (p *part) row(task int32) recorded.Attempt {
	return recorded.Attempt{
		Task: task, StageAttempt: p.ranIn, Executor: p.executor, LaunchMS: p.launch, CoreMS: p.coreMS, DurationMS: p.busyMS,
		DeserializeMS: unset(p.deserializeMS), SchedDelayMS: unset(p.schedDelayMS), Speculative: p.speculative, End: recorded.EndSuccess,
	}
}

// endNames are the ends of attempts by the reasons of Spark; others are failures.
var endNames = map[string]string{
	"Success": recorded.EndSuccess, "TaskKilled": recorded.EndKilled, "TaskCommitDenied": recorded.EndKilled,
	"ExecutorLostFailure": recorded.EndLost, "FetchFailed": recorded.EndFetchFailed,
}

// addMore takes in an attempt that is not its partition's first success. That of which only the output was lost later
// has ended before.
func (st *stageLog) addMore(attempt, partition int32, t *taskInfo, w *part) {
	if string(t.reason) == "Resubmitted" {
		return
	}
	end, ok := endNames[string(t.reason)]
	if !ok {
		end = recorded.EndFailed
	}
	st.more = append(st.more, attemptLog{partition: partition, Attempt: recorded.Attempt{
		StageAttempt: attempt, Executor: t.executor, LaunchMS: t.launch, CoreMS: max(0, t.finish-t.launch), DurationMS: w.busyMS,
		DeserializeMS: unset(w.deserializeMS), SchedDelayMS: unset(w.schedDelayMS), Speculative: t.speculative, End: end,
	}})
}

// retry is an attempt of a stage that computes what others have left: the partitions that are not among those with an output, by the index of its tasks.
type retry struct {
	tasks int32
	made  []int32 // ascending
}

// partition is that of a task, by its index.
func (r *retry) partition(index int32) (int32, bool) {
	before := sort.Search(len(r.made), func(i int) bool { return r.made[i]-int32(i) > index })
	return index + int32(before), index < r.tasks
}

// retried notes which partitions a later attempt of a stage computes: before Spark 3.3 its tasks say their index alone. Which outputs were lost with their
// executors the log does not say; taken is what gives as many as the attempt has tasks.
//
// Source: DAGScheduler.submitMissingTasks, findMissingPartitions of ShuffleMapStage and ResultStage, MapOutputTracker.
func (a *appLog) retried(st *stageLog, s *stageInfo) {
	maker := st
	if len(st.parts) == 0 && len(s.rdds) > 0 {
		if m := a.maker[s.rdds[0].id]; m != nil && !m.result {
			maker = m // whose output the stage makes again
		}
	}
	if st.retry == nil {
		st.retry = map[int32]retry{}
	}
	removed := func(executor int32) bool {
		i, ok := a.executor[executor]
		return ok && a.executors[i].removed != absent
	}
	for _, lost := range []func(executor int32) bool{
		func(int32) bool { return false },
		func(executor int32) bool { return a.failed[executor] },
		removed,
		func(executor int32) bool { return a.failed[executor] || removed(executor) },
	} {
		var made []int32
		for i := range maker.parts {
			if p := &maker.parts[i]; p.done && (st.result || !lost(p.holder)) {
				made = append(made, p.partition)
			}
		}
		if int(maker.info.tasks)-len(made) == int(s.tasks) {
			slices.Sort(made)
			if before := st.retry[s.attempt-1].made; slices.Equal(before, made) {
				made = before // held once
			}
			st.retry[s.attempt] = retry{s.tasks, made}
			return
		}
	}
	if s.tasks == maker.info.tasks { // a barrier stage, and one whose input may be another the next time, computes all again
		st.retry[s.attempt] = retry{tasks: s.tasks}
	}
}

// absorb takes in the attempts of a stage that made lost output of this one again.
func (st *stageLog) absorb(again *stageLog) {
	for i := range again.parts {
		if p := &again.parts[i]; p.done {
			st.more = append(st.more, attemptLog{p.row(0), p.partition})
		}
	}
	st.more = append(st.more, again.more...)
}

// taskIDs is a set of the ids of tasks, which Spark counts from 0.
type taskIDs struct {
	low  []uint64 // bits of those below lowIDs
	rest map[int64]struct{}
}

const lowIDs = 1 << 26

// add puts an id into the set, and reports whether it was there.
func (s *taskIDs) add(id int64) (was bool) {
	if was = s.has(id); was {
		return true
	}
	if id < 0 || id >= lowIDs {
		if s.rest == nil {
			s.rest = map[int64]struct{}{}
		}
		s.rest[id] = struct{}{}
		return false
	}
	for int64(len(s.low)) <= id/64 {
		s.low = append(s.low, 0)
	}
	s.low[id/64] |= 1 << (id % 64)
	return false
}

func (s *taskIDs) has(id int64) bool {
	if id < 0 || id >= lowIDs {
		_, ok := s.rest[id]
		return ok
	}
	return id/64 < int64(len(s.low)) && s.low[id/64]&(1<<(id%64)) != 0
}

// numberDriver gives the executor "driver" its number: 0, or the one after the highest where another has 0.
func (a *appLog) numberDriver() {
	to := int32(0)
	if _, taken := a.executor[0]; taken {
		for id := range a.executor {
			if id != driverExecutor {
				to = max(to, id+1)
			}
		}
	}
	number := func(id *int32) {
		if *id == driverExecutor {
			*id = to
		}
	}
	for i := range a.executors {
		number(&a.executors[i].id)
	}
	for _, st := range a.stages {
		for i := range st.parts {
			number(&st.parts[i].executor)
		}
		for i := range st.more {
			number(&st.more[i].Executor)
		}
	}
}
