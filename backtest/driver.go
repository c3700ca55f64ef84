package backtest

import (
	"slices"
	"sort"

	"replay/engine/spark/driver"
	"replay/trace"
	"replay/trace/importer/recorded"
)

// stageTimes is what the driver of a recording took for a stage, ms, beside its tasks.
type stageTimes struct {
	prepare int64 // from the submission to the first launch, while an executor was free: closures serialized and broadcast
	finish  int64 // from the end of the last task, or of the attempt with which the stage failed, to the end of the stage
}

// stageTimes returns the driver's own times for each stage.
func (r *Recording) stageTimes(j *trace.Job, a *recorded.App, all []driver.RecordedAttempt) []stageTimes {
	out := make([]stageTimes, len(j.Stages))
	first, last := map[int32]driver.RecordedAttempt{}, map[int32]int64{}
	for _, x := range all { // by launch
		if _, ok := first[x.Stage]; !ok {
			first[x.Stage] = x
		}
		end, of := x.LaunchMS+x.CoreMS, a.Stages[x.Stage].FinishMS
		if x.End == driver.AttemptSucceeded || x.End == driver.AttemptFailed && of != trace.Unset && end <= of {
			last[x.Stage] = max(last[x.Stage], end)
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
	launches, ends := map[int32][]int64{}, map[int32][]int64{} // of an executor, ascending
	for _, x := range all {
		launches[x.Executor] = append(launches[x.Executor], x.LaunchMS)
		ends[x.Executor] = append(ends[x.Executor], x.LaunchMS+max(x.CoreMS, 0))
	}
	for _, times := range ends {
		slices.Sort(times)
	}
	until := func(times []int64, at int64) int {
		return sort.Search(len(times), func(i int) bool { return times[i] > at })
	}
	return func(at int64) bool {
		return slices.ContainsFunc(execs, func(e trace.Executor) bool {
			if e.AddedMS > at || e.RemovedMS != trace.Unset && e.RemovedMS <= at {
				return false
			}
			return until(launches[e.ID], at)-until(ends[e.ID], at) < slotsOf(j, &e)
		})
	}
}

// asRecorded returns the job with the driver's own times among the pauses before its stages, and with the preferences of
// tasks that the recording shows, if shown.
func asRecorded(j *trace.Job, a *recorded.App, times []stageTimes, shown bool) *trace.Job {
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
func lastOf(a *recorded.App, lists ...[]int32) int32 {
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

// around returns what the driver took for each Spark job before its first stage and after its last, ms, by its id.
func around(j *trace.Job, a *recorded.App) map[int32]int64 {
	stages := map[int32]*span{} // from the first submission of a job's stages to their last end
	for i := range j.Stages {
		s := &a.Stages[i]
		all := stages[j.Stages[i].SparkJob]
		if all == nil {
			all = &span{trace.Unset, trace.Unset}
			stages[j.Stages[i].SparkJob] = all
		}
		if s.SubmitMS != trace.Unset && (all.start == trace.Unset || s.SubmitMS < all.start) {
			all.start = s.SubmitMS
		}
		all.end = max(all.end, s.FinishMS)
	}
	ms := map[int32]int64{}
	for _, k := range a.Jobs {
		all := stages[k.ID]
		if all == nil {
			continue
		}
		if all.start != trace.Unset {
			ms[k.ID] += max(all.start-k.SubmitMS, 0)
		}
		if all.end != trace.Unset && k.FinishMS != trace.Unset {
			ms[k.ID] += max(k.FinishMS-all.end, 0)
		}
	}
	return ms
}
