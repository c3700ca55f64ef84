package driver

import (
	"cmp"
	"math"
	"slices"

	"replay/trace"
)

// history is what a recording says of the attempts of an application's tasks. The zero value says nothing: each attempt
// then takes as long as the trace has it.
type history struct {
	tasks map[taskKey]*taskHistory
	// broken are executors on which every recorded attempt of a stage failed: the failures are theirs, whatever tasks of the
	// stage they get.
	broken map[brokenKey]*failures
	warm   map[int32]int64      // by stage: median duration of the tasks that were not the first of their executor
	unread map[attemptKey]int64 // by stage attempt: launch of the first attempt that could not read its input
	fetch  int64                // median time of attempts that could not read their input, trace.Unset without one
	limit  int32                // failures of a task that a stage survives
}

type taskKey struct{ stage, task int32 }

type attemptKey struct{ stage, attempt int32 }

type brokenKey struct{ stage, executor int32 }

// failures are recorded attempts that failed, in order of launch, and how many a replay has had.
type failures struct {
	list   []RecordedAttempt
	played int
}

// take returns the next failure, nil after the last.
func (f *failures) take() *RecordedAttempt {
	if f == nil || f.played == len(f.list) {
		return nil
	}
	f.played++
	return &f.list[f.played-1]
}

// taskHistory is a task as recorded and replayed.
type taskHistory struct {
	successes []RecordedAttempt // of its own and not of copies, the first counted as the trace has it
	failures  failures          // of its own
	cut       []RecordedAttempt // killed or lost: they would have taken longer
	fetches   failures          // for want of input
	launches  int32             // in the replay
	done      int32             // attempts in the replay that were to succeed after one had
	failed    int32             // attempts in the replay that were to fail
}

// past is what the history says of an attempt.
type past struct {
	durationMS int64
	delayMS    int64 // trace.Unset = not known
	firstMS    int64 // part of both that was of its executor's first task
	fetchMS    int64 // from its end to that of the fetching of its result
	fails      bool
}

// newHistory takes the recorded attempts of an application. With executors those of the replay are the recorded ones.
func newHistory(list []RecordedAttempt, executors bool, maxFailures int) history {
	if len(list) == 0 {
		return history{fetch: trace.Unset}
	}
	h := history{tasks: map[taskKey]*taskHistory{}, warm: map[int32]int64{}, unread: map[attemptKey]int64{}, fetch: trace.Unset, limit: int32(maxFailures) - 1}
	if executors {
		h.broken = brokenOf(list)
	}
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b RecordedAttempt) int { return cmp.Compare(a.LaunchMS, b.LaunchMS) })
	byStage := map[int32][]int64{}
	var fetches []int64
	for _, a := range list {
		key := taskKey{a.Stage, a.Task}
		t := h.tasks[key]
		if t == nil {
			t = &taskHistory{}
			h.tasks[key] = t
		}
		switch a.End {
		case AttemptSucceeded:
			t.successes = append(t.successes, a)
			if !a.First {
				byStage[a.Stage] = append(byStage[a.Stage], a.DurationMS)
			}
		case AttemptFailed:
			if h.broken[brokenKey{a.Stage, a.Executor}] == nil {
				t.failures.list = append(t.failures.list, a)
			}
		case AttemptKilled, AttemptLost:
			if !a.Speculative {
				t.cut = append(t.cut, a)
			}
		case AttemptFetchFailed:
			t.fetches.list = append(t.fetches.list, a)
			fetches = append(fetches, a.CoreMS)
			if key := (attemptKey{a.Stage, a.StageAttempt}); h.unread[key] == 0 {
				h.unread[key] = a.LaunchMS
			}
		}
	}
	if len(fetches) > 0 {
		slices.Sort(fetches)
		h.fetch = fetches[len(fetches)/2]
	}
	for stage, ms := range byStage {
		slices.Sort(ms)
		h.warm[stage] = ms[(len(ms)-1)/2]
	}
	return h
}

// brokenOf finds the executors on which two or more tasks of a stage failed and none succeeded, while each of those tasks
// succeeded on another executor.
func brokenOf(list []RecordedAttempt) map[brokenKey]*failures {
	ok, good := map[taskKey]bool{}, map[brokenKey]bool{}
	for _, a := range list {
		if a.End == AttemptSucceeded {
			ok[taskKey{a.Stage, a.Task}] = true
			good[brokenKey{a.Stage, a.Executor}] = true
		}
	}
	out := map[brokenKey]*failures{}
	for _, a := range list {
		key := brokenKey{a.Stage, a.Executor}
		if a.End != AttemptFailed || a.Executor == trace.Unset || good[key] {
			continue
		}
		if out[key] == nil {
			out[key] = &failures{}
		}
		out[key].list = append(out[key].list, a)
	}
	for key, f := range out {
		tasks := map[int32]bool{}
		own := false
		for _, a := range f.list {
			tasks[a.Task] = true
			own = own || !ok[taskKey{a.Stage, a.Task}]
		}
		if own || len(tasks) < 2 {
			delete(out, key)
		}
		slices.SortStableFunc(f.list, func(a, b RecordedAttempt) int { return cmp.Compare(a.LaunchMS, b.LaunchMS) })
	}
	return out
}

// untold is what is known of an attempt of a task whose attempts were not recorded.
func untold(st *trace.Stage, task int32) past {
	return past{durationMS: st.Tasks.DurationMS[task], delayMS: untoldDelay(st, task)}
}

func untoldDelay(st *trace.Stage, task int32) int64 {
	if st.Tasks.SchedDelayMS != nil {
		return st.Tasks.SchedDelayMS[task]
	}
	return trace.Unset
}

// next returns what is known of the attempt of a task that begins on an executor, whose recorded id is given. done tells
// that the task has succeeded before, so that it runs again; unread that it can't read its input, which is no failure of
// its own.
func (h *history) next(st *trace.Stage, task, executor int32, speculative, done, unread bool) past {
	p := untold(st, task)
	t := h.tasks[taskKey{st.ID, task}]
	if t == nil {
		return p
	}
	if len(t.successes) > 0 {
		p.firstMS, p.fetchMS = t.successes[0].FirstMS, t.successes[0].fetchMS()
	}
	if speculative {
		return p
	}
	t.launches++
	switch {
	case unread:
		return p
	case done:
		return h.again(st, task, t, p)
	case t.failed < h.limit:
		a := h.broken[brokenKey{st.ID, executor}].take()
		if a == nil {
			a = t.failures.take()
		}
		if a != nil {
			t.failed++
			return a.past(!t.givenUp())
		}
	case len(t.successes) == 0: // the failure that ended its stage
		if a := t.failures.take(); a != nil {
			return a.past(false)
		}
	}
	stageEnded := len(t.successes) == 0 && len(t.failures.list) > 0 // and with it the task
	if ms := t.cutAfter(executor); ms > p.durationMS || ms > 0 && stageEnded {
		return past{durationMS: ms, delayMS: 0}
	}
	return p
}

// givenUp reports whether the recording has no further attempt of a task that never succeeded: something else had ended its job, as
// where another one failed and the application with it. Its last failure is its end then.
func (t *taskHistory) givenUp() bool {
	return len(t.successes) == 0 && len(t.cut) == 0 && len(t.fetches.list) == 0 && t.failures.played == len(t.failures.list)
}

// cutAfter returns after which time an attempt on the executor was ended by others, 0 if none was: killed because its
// speculative copy had won, wherever it was, or lost with this executor. Each such attempt is replayed once.
func (t *taskHistory) cutAfter(executor int32) int64 {
	for i, a := range t.cut {
		switch {
		case a.End == AttemptKilled:
			t.cut = slices.Delete(t.cut, i, i+1)
			return a.CoreMS
		case a.Executor == executor:
			t.cut = slices.Delete(t.cut, i, i+1)
			return a.CoreMS + lostSlackMS
		}
	}
	return 0
}

// lostSlackMS is how much later than the log says a lost attempt may have ended: it has the time at which the driver
// heard of it from the last heartbeat or the closed connection, and the executor's end comes after that.
const lostSlackMS = 1000

// reads reports whether the recording shows that a task does without the output that an executor took with it: it
// succeeded, launched after another of the same stage attempt that could not read its input.
func (h *history) reads(stage, attempt, task int32) bool {
	t, lost := h.tasks[taskKey{stage, task}], h.unread[attemptKey{stage, attempt}]
	return t != nil && lost > 0 && slices.ContainsFunc(t.successes, func(a RecordedAttempt) bool {
		return a.StageAttempt == attempt && a.LaunchMS > lost
	})
}

// fetchFailed returns how long an attempt of a task takes that can't read its input, as recorded of this task, else of
// others, else as the model has it.
func (h *history) fetchFailed(stage, task int32, model int64) int64 {
	if t := h.tasks[taskKey{stage, task}]; t != nil {
		if a := t.fetches.take(); a != nil {
			return a.CoreMS
		}
	}
	if h.fetch != trace.Unset {
		return h.fetch
	}
	return model
}

// again is an attempt of a task whose output was lost: as recorded, else as a task that is not the first of its executor.
func (h *history) again(st *trace.Stage, task int32, t *taskHistory, p past) past {
	t.done++
	if int(t.done) < len(t.successes) {
		return t.successes[t.done].past(false)
	}
	if len(t.successes) == 0 {
		return p
	}
	last := t.successes[len(t.successes)-1]
	p = last.past(false)
	if last.First {
		p.durationMS = max(p.durationMS-p.firstMS, 0)
		p.firstMS = 0
		if warm, ok := h.warm[st.ID]; ok {
			p.durationMS = min(p.durationMS, warm)
		}
	}
	return p
}

// past is an attempt that takes as long as this one.
func (a *RecordedAttempt) past(fails bool) past {
	return past{durationMS: a.DurationMS, delayMS: a.SchedDelayMS, firstMS: a.FirstMS, fetchMS: a.fetchMS(), fails: fails}
}

// fetchMS is how long the driver fetched a result that was too large for a message; the core was free by then.
func (a *RecordedAttempt) fetchMS() int64 {
	if a.SchedDelayMS == trace.Unset {
		return 0
	}
	return max(a.CoreMS-a.DurationMS-a.SchedDelayMS, 0)
}

// queue are the recorded attempts of an executor in order of launch.
type queue struct {
	list []queued
	at   int
}

// queued is a recorded attempt: the n-th of its task.
type queued struct {
	launchMS    int64
	stage, task int32
	n           int32
}

var nothing = queued{launchMS: math.MaxInt64}

func (q *queued) compare(o *queued) int {
	return cmp.Or(cmp.Compare(q.launchMS, o.launchMS), cmp.Compare(q.stage, o.stage), cmp.Compare(q.task, o.task))
}

// head returns the first attempt of the queue that the replay has not had, wherever it was.
func (q *queue) head(h *history) queued {
	for ; q.at < len(q.list); q.at++ {
		x := q.list[q.at]
		if h.tasks[taskKey{x.stage, x.task}].launches <= x.n {
			return x
		}
	}
	return nothing
}

// queues returns the recorded attempts of executors.
func (h *history) queues(executors []RecordedExecutor, list []RecordedAttempt) []queue {
	out := make([]queue, len(executors))
	at := map[int32]int{}
	for i := range executors {
		at[executors[i].ID] = i
	}
	n := map[taskKey]int32{}
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b RecordedAttempt) int { return cmp.Compare(a.LaunchMS, b.LaunchMS) })
	for _, a := range list {
		if a.Speculative {
			continue
		}
		key := taskKey{a.Stage, a.Task}
		if i, ok := at[a.Executor]; ok {
			out[i].list = append(out[i].list, queued{a.LaunchMS, a.Stage, a.Task, n[key]})
		}
		n[key]++
	}
	for i := range out {
		slices.SortStableFunc(out[i].list, func(a, b queued) int { return a.compare(&b) })
	}
	return out
}
