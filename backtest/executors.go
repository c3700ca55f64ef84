package backtest

import (
	"cmp"
	"slices"
	"strings"

	"replay/engine/spark/driver"
	"replay/trace"
	"replay/trace/importer/recorded"
)

// ends are the ends of attempts as a replay takes them.
var ends = map[string]driver.AttemptEnd{
	recorded.EndSuccess: driver.AttemptSucceeded, recorded.EndFailed: driver.AttemptFailed, recorded.EndKilled: driver.AttemptKilled,
	recorded.EndLost: driver.AttemptLost, recorded.EndFetchFailed: driver.AttemptFetchFailed,
}

// attempts returns the recorded attempts of a job by launch, and by how much those that were the first in a slot of
// their executor took longer than usual.
func (r *Recording) attempts(j *trace.Job, a *recorded.App) []driver.RecordedAttempt {
	var out []driver.RecordedAttempt
	usual := usualOf(a)
	for i := range a.Stages {
		for _, t := range a.Stages[i].Tasks {
			out = append(out, driver.RecordedAttempt{Stage: t.Stage, Task: t.Task, StageAttempt: t.StageAttempt, Executor: t.Executor, LaunchMS: t.LaunchMS,
				CoreMS: t.CoreMS, DurationMS: t.DurationMS, SchedDelayMS: t.SchedDelayMS, Speculative: t.Speculative, End: ends[t.End],
				FirstMS: over(t.DeserializeMS, usual[0]) + over(t.SchedDelayMS, usual[1])})
		}
	}
	if len(out) == 0 {
		return retries(j)
	}
	slices.SortStableFunc(out, func(x, y driver.RecordedAttempt) int { return cmp.Compare(x.LaunchMS, y.LaunchMS) })
	slots := map[int32]int{}
	for _, e := range r.executorsOf(j.ID) {
		slots[e.ID] = slotsOf(j, &e)
	}
	for i := range out {
		x := &out[i]
		if x.First = slots[x.Executor] > 0; x.First {
			slots[x.Executor]--
		} else {
			x.FirstMS = 0
		}
	}
	return out
}

// retries makes attempts of the failures that a trace without recorded attempts counts: each as long as the success.
func retries(j *trace.Job) (out []driver.RecordedAttempt) {
	for i := range j.Stages {
		t := &j.Stages[i].Tasks
		for k, n := range t.Retries {
			x := driver.RecordedAttempt{Stage: int32(i), Task: int32(k), Executor: trace.Unset, LaunchMS: trace.Unset,
				DurationMS: t.DurationMS[k], SchedDelayMS: trace.Unset, End: driver.AttemptFailed}
			for range n {
				out = append(out, x)
			}
			if x.End = driver.AttemptSucceeded; n > 0 {
				out = append(out, x)
			}
		}
	}
	return out
}

// slotsOf is how many tasks an executor runs at a time.
func slotsOf(j *trace.Job, e *trace.Executor) int {
	return max(int(e.VCores)/max(int(j.TaskCPUs), 1), 1)
}

// usable returns the executors of a job with what the recording says of their beginning and end: when they took their
// first task, if one was waiting, by how much their first tasks took longer than usual, and why they left. all are the
// recorded attempts of the job, by launch.
func (r *Recording) usable(j *trace.Job, a *recorded.App, all []driver.RecordedAttempt) []driver.RecordedExecutor {
	execs := r.executorsOf(j.ID)
	ran := map[int32][]driver.RecordedAttempt{}
	for _, x := range all {
		ran[x.Executor] = append(ran[x.Executor], x)
	}
	began := beginnings(all)
	over := workEnded(a)
	out := make([]driver.RecordedExecutor, len(execs))
	for i, e := range execs {
		if over != trace.Unset && e.RemovedMS >= over {
			e.RemovedMS, e.Reason = trace.Unset, "" // it left because the application ended
		}
		x := driver.RecordedExecutor{Executor: e, ReadyMS: trace.Unset}
		x.CausedBy, x.AfterMS = cause(j, a, &e)
		x.Idle = wasIdle(&e, ran[e.ID])
		x.LeaveMS = leaving(a, &e, ran[e.ID], began)
		for k, l := range ran[e.ID] {
			if k == 0 && a.Stages[l.Stage].SubmitMS < e.AddedMS {
				x.ReadyMS = max(l.LaunchMS-e.AddedMS, 0)
			}
			if !l.First {
				break
			}
			x.FirstMS = append(x.FirstMS, l.FirstMS)
		}
		out[i] = x
	}
	setReady(out)
	return out
}

// workEnded returns when the last stage of an application had ended, trace.Unset if one had not or its job failed.
func workEnded(a *recorded.App) int64 {
	end := int64(trace.Unset)
	for i := range a.Stages {
		if a.Stages[i].FinishMS == trace.Unset {
			return trace.Unset
		}
		end = max(end, a.Stages[i].FinishMS)
	}
	if n := len(a.Jobs); n > 0 && !a.Jobs[n-1].OK {
		return trace.Unset
	}
	return end
}

// setReady takes the median of the executors that tasks waited for as the time until the others were ready.
func setReady(list []driver.RecordedExecutor) {
	var known []int64
	for i := range list {
		if list[i].ReadyMS != trace.Unset {
			known = append(known, list[i].ReadyMS)
		}
	}
	if len(known) == 0 {
		return
	}
	slices.Sort(known)
	for i := range list {
		if list[i].ReadyMS == trace.Unset {
			list[i].ReadyMS = known[len(known)/2]
		}
	}
}

// wasIdle reports whether an executor left because it had nothing to do: it was killed on the driver's word, and no
// task was lost with it.
func wasIdle(e *trace.Executor, ran []driver.RecordedAttempt) bool {
	if e.RemovedMS == trace.Unset || !killedByDriver(e.Reason) {
		return false
	}
	return !slices.ContainsFunc(ran, func(x driver.RecordedAttempt) bool {
		return x.End == driver.AttemptLost && x.LaunchMS+x.CoreMS >= e.RemovedMS-slackMS
	})
}

// slackMS is how far apart the log may have the end of an executor and those of its tasks.
const slackMS = 1000

func killedByDriver(reason string) bool {
	return strings.HasPrefix(reason, "Executor killed by driver") || strings.Contains(reason, "explicit termination request")
}

// beginnings returns when each stage launched its first task.
func beginnings(all []driver.RecordedAttempt) map[int32]int64 {
	out := map[int32]int64{}
	for _, x := range all {
		if at, ok := out[x.Stage]; !ok || x.LaunchMS < at {
			out[x.Stage] = x.LaunchMS
		}
	}
	return out
}

// leaving returns when the driver decided to have an executor killed, or trace.Unset: it took no task of
// a stage that was submitted after its last task and whose tasks began only when it was gone, so it was
// on its way out by then. The middle of that time is taken.
func leaving(a *recorded.App, e *trace.Executor, ran []driver.RecordedAttempt, began map[int32]int64) int64 {
	if e.RemovedMS == trace.Unset || !killedByDriver(e.Reason) {
		return trace.Unset
	}
	last := e.AddedMS
	for _, x := range ran {
		last = max(last, x.LaunchMS+x.CoreMS)
	}
	out := int64(trace.Unset)
	for i := range a.Stages {
		if at := a.Stages[i].SubmitMS; at > last && at < e.RemovedMS && (out == trace.Unset || at < out) && began[int32(i)] > e.RemovedMS {
			out = at
		}
	}
	if out == trace.Unset {
		return out
	}
	return last + (out-last)/2
}

// cause returns the stage that had been submitted last, and how long before, when the process of an
// executor ended by itself, which its tasks bring about.
func cause(j *trace.Job, a *recorded.App, e *trace.Executor) (stage int32, after int64) {
	stage = trace.Unset
	if e.RemovedMS == trace.Unset || !strings.Contains(e.Reason, "exited with code") && !strings.Contains(e.Reason, "Exit status: 52") {
		return stage, 0
	}
	for i := range a.Stages {
		s := &a.Stages[i]
		if s.SubmitMS != trace.Unset && s.SubmitMS <= e.RemovedMS && (s.FinishMS == trace.Unset || s.FinishMS >= e.RemovedMS) &&
			(stage == trace.Unset || s.SubmitMS > a.Stages[stage].SubmitMS) {
			stage, after = int32(i), e.RemovedMS-s.SubmitMS
		}
	}
	return stage, after
}

// usualOf returns the medians of deserialization and scheduler delay over all successful attempts, ms.
func usualOf(a *recorded.App) (out [2]int64) {
	var all [2][]int64
	for i := range a.Stages {
		for k := range a.Stages[i].Tasks {
			t := &a.Stages[i].Tasks[k]
			for c, ms := range [2]int64{t.DeserializeMS, t.SchedDelayMS} {
				if ms != trace.Unset && t.End == recorded.EndSuccess {
					all[c] = append(all[c], ms)
				}
			}
		}
	}
	for c := range all {
		if slices.Sort(all[c]); len(all[c]) > 0 {
			out[c] = all[c][len(all[c])/2]
		}
	}
	return out
}

// over returns by how much ms exceeds what is usual, 0 if it is not known.
func over(ms, usual int64) int64 {
	if ms == trace.Unset {
		return 0
	}
	return max(ms-usual, 0)
}

// firsts returns what the first tasks of the executors of a job took longer, in the order of their ids, which is that of
// their starts; nil where nothing is known of attempts.
func (r *Recording) firsts(job int64, all []driver.RecordedAttempt) [][]int64 {
	if len(all) == 0 {
		return nil
	}
	byID := map[int32][]int64{}
	most := int32(0)
	for _, x := range all {
		if x.First && x.Executor > 0 {
			byID[x.Executor] = append(byID[x.Executor], x.FirstMS)
			most = max(most, x.Executor)
		}
	}
	out := make([][]int64, most)
	for id, list := range byID {
		out[id-1] = list
	}
	return out
}
