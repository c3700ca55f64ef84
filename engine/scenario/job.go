package scenario

import (
	"math"
	"slices"

	"replay/engine/record"
	"replay/engine/yarn/conf"
	"replay/trace"
)

// Arrival is when a job of the trace is submitted, at the load that was asked for.
func (sc *Scenario) Arrival(j *trace.Job) int64 {
	if sc.Faster == 1 {
		return j.SubmitMS
	}
	return int64(math.Round(float64(j.SubmitMS) / sc.Faster))
}

// JobRecord begins the record of a job that is submitted now. Its queue is the one that the trace names.
func (sc *Scenario) JobRecord(j *trace.Job, now int64) record.Job {
	rec := record.Job{
		ID: j.ID, Name: j.Name, ExternalID: j.ExternalID, Kind: j.Kind,
		User: sc.UserName(j.User), Queue: sc.QueuePath(j.Queue),
		DependsOn: int64(len(j.DependsOn)), Submit: now, AMScheduled: record.None, AMAllocated: record.None, AMRegistered: record.None,
		FirstAsked: record.None, FirstAllocated: record.None, FirstRegistered: record.None,
		FirstTask: record.None, Finish: record.None,
		Stages: int64(len(j.Stages)), Tasks: j.NumTasks(), Recorded: j.RecordedOutcome, RecordedMS: record.None,
		CriticalPathMS: criticalPath(j),
	}
	if j.RecordedStartMS != trace.Unset && j.RecordedFinishMS != trace.Unset {
		rec.RecordedMS = j.RecordedFinishMS - j.RecordedStartMS
	}
	return rec
}

// SubmittedTo returns the queue that the client of a job names, "default" if it names none.
//
// Source: spark.yarn.queue and mapreduce.job.queuename, whose default it is.
func (sc *Scenario) SubmittedTo(j *trace.Job) string {
	path := sc.QueuePath(j.Queue)
	byName, known := sc.ByName[path]
	switch unnamed := sc.Unnamed && path == defaultQueue; {
	case !unnamed && !known || namesPath(j, path):
		return path
	case unnamed:
		return conf.DefaultQueue
	}
	return byName
}

// namesPath tells whether the client of a job named its queue by the whole path.
func namesPath(j *trace.Job, path string) bool {
	return slices.ContainsFunc(j.Conf, func(c trace.KeyValue) bool {
		return (c.Key == "spark.yarn.queue" || c.Key == "mapreduce.job.queuename") && c.Value == path
	})
}

// criticalPath returns the longest chain of stages of the job in ms, each as long as its longest task,
// with the driver's delays between them: no order of tasks is faster. A speculative copy of a MapReduce task may be, as it takes at most the median of its type.
func criticalPath(j *trace.Job) int64 {
	end := make([]int64, len(j.Stages))
	longest := int64(0)
	for i := range j.Stages {
		st := &j.Stages[i]
		var start, task int64
		for _, p := range st.Parents {
			start = max(start, end[p])
		}
		for _, p := range st.After {
			start = max(start, end[p])
		}
		for _, d := range st.Tasks.DurationMS {
			task = max(task, d)
		}
		begin := start + max(st.DelayMS, 0)
		if early(j, st) { // it is submitted before, and works when all of that is there
			begin = max(start, st.DelayMS)
		}
		end[i] = begin + task
		longest = max(longest, end[i])
	}
	return longest
}

// early reports whether a stage may be submitted before all that it reads is there.
func early(j *trace.Job, st *trace.Stage) bool {
	return len(st.Parents) > 0 && (j.Kind == trace.KindMapReduce || st.StartFraction != trace.Unset && st.StartFraction < 1)
}
