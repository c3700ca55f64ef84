package backtest

import (
	"slices"

	"replay/engine/spark/driver"
	"replay/trace"
	"replay/trace/importer/workload"
)

// stageTimes is what the driver of a recording took for a stage, ms, beside its tasks.
type stageTimes struct {
	prepare int64 // from the submission to the first launch, while an executor was free: closures serialized and broadcast
	finish  int64 // from the end of the last task to the end of the stage
}

// stageTimes returns the driver's own times for each stage.
func (r *Recording) stageTimes(j *trace.Job, a *workload.RecordedApp, all []driver.RecordedAttempt) []stageTimes {
	out := make([]stageTimes, len(j.Stages))
	first, last := map[int32]driver.RecordedAttempt{}, map[int32]int64{}
	for _, x := range all { // by launch
		if _, ok := first[x.Stage]; !ok {
			first[x.Stage] = x
		}
		if x.End == driver.AttemptSucceeded {
			last[x.Stage] = max(last[x.Stage], x.LaunchMS+x.CoreMS)
		}
	}
	free := r.freeSlots(j, all)
	for i := range out {
		s := &a.Stages[i]
		f, ok := first[int32(i)]
		if !ok || s.SubmitMS == trace.Unset {
			continue
		}
		if near(j, &f) && free(s.SubmitMS) {
			out[i].prepare = max(f.LaunchMS-s.SubmitMS, 0)
		}
		if s.Attempts == 1 && s.FinishMS != trace.Unset && last[int32(i)] > 0 {
			out[i].finish = max(s.FinishMS-last[int32(i)], 0)
		}
	}
	return out
}

// near reports whether a task ran as near to its input as it could want, so that it did not wait for a place.
func near(j *trace.Job, x *driver.RecordedAttempt) bool {
	l := j.Stages[x.Stage].Tasks.RecordedLocality
	return l != nil && (l[x.Task] == "PROCESS_LOCAL" || l[x.Task] == "NODE_LOCAL" || l[x.Task] == "NO_PREF")
}

// freeSlots returns whether an executor could take one more task at a time.
func (r *Recording) freeSlots(j *trace.Job, all []driver.RecordedAttempt) func(at int64) bool {
	execs := r.executorsOf(j.ID)
	ran := map[int32][]driver.RecordedAttempt{}
	for _, x := range all {
		ran[x.Executor] = append(ran[x.Executor], x)
	}
	return func(at int64) bool {
		return slices.ContainsFunc(execs, func(e trace.Executor) bool {
			if e.AddedMS > at || e.RemovedMS != trace.Unset && e.RemovedMS <= at {
				return false
			}
			busy := 0
			for _, x := range ran[e.ID] {
				if x.LaunchMS > at {
					break
				}
				if x.LaunchMS+x.CoreMS > at {
					busy++
				}
			}
			return busy < slotsOf(j, &e)
		})
	}
}

// asRecorded returns the job with the driver's own times among the pauses before its stages, and with the preferences of
// tasks that the recording shows, if shown.
func asRecorded(j *trace.Job, a *workload.RecordedApp, times []stageTimes, shown bool) *trace.Job {
	out := *j
	out.Stages = slices.Clone(j.Stages)
	for i := range out.Stages {
		st := &out.Stages[i]
		if shown {
			preferShown(st)
		}
		if st.DelayMS == trace.Unset {
			continue
		}
		st.DelayMS += times[i].prepare
		if last := lastOf(a, st.Parents, st.After); last != trace.Unset {
			st.DelayMS += times[last].finish
		}
	}
	return &out
}

// lastOf returns which of some stages ended last in the recording, trace.Unset for none.
func lastOf(a *workload.RecordedApp, lists ...[]int32) int32 {
	last := int32(trace.Unset)
	for _, list := range lists {
		for _, s := range list {
			if a.Stages[s].FinishMS != trace.Unset && (last == trace.Unset || a.Stages[s].FinishMS > a.Stages[last].FinishMS) {
				last = s
			}
		}
	}
	return last
}

// around is what the driver took for a Spark job before its first stage and after its last, ms.
func around(j *trace.Job, a *workload.RecordedApp, k *workload.RecordedJob) int64 {
	first, last := int64(trace.Unset), int64(trace.Unset)
	for i := range j.Stages {
		if j.Stages[i].SparkJob != k.ID {
			continue
		}
		s := &a.Stages[i]
		if s.SubmitMS != trace.Unset && (first == trace.Unset || s.SubmitMS < first) {
			first = s.SubmitMS
		}
		last = max(last, s.FinishMS)
	}
	ms := int64(0)
	if first != trace.Unset {
		ms += max(first-k.SubmitMS, 0)
	}
	if last != trace.Unset && k.FinishMS != trace.Unset {
		ms += max(k.FinishMS-last, 0)
	}
	return ms
}
