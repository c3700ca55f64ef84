package result

import (
	"replay/engine/record"
	"replay/report/dist"
)

// WaitParts are the parts of a job's wait from submission to its first task, in order: each
// ends with the step named.
var WaitParts = [...]struct{ Name, Step, Short, About string }{
	{"queue", "runnable in its queue", "queue limits", "submission until the application is runnable in its queue (limits on running applications)"},
	{"am_allocation", "AM container allocated", "AM allocation", "runnable until the AM container is allocated"},
	{"am_start", "AM registered", "AM start", "AM container allocated until the AM has registered"},
	{"ask", "first ask", "first ask", "AM registered until its first container ask reaches the ResourceManager"},
	{"allocation", "first container allocated", "container allocation", "first ask until the first container is allocated"},
	{"executor_start", "first executor ready", "executor start", "first container allocated until the first executor is ready for tasks"},
	{"first_launch", "first task launched", "first launch", "first executor ready until the first task is launched"},
}

// times returns the end of each part of the wait, None where the step did not happen.
func (j *Job) times() [len(WaitParts)]int64 {
	return [...]int64{j.AMScheduled, j.AMAllocated, j.AMRegistered, j.FirstAsked, j.FirstAllocated, j.FirstRegistered, j.FirstTask}
}

// NoFirstTask says why there is no wait of jobs.
const NoFirstTask = "no job launched a task"

// Wait returns the job's wait from submission to its first task; false when no task was launched.
func (j *Job) Wait() (ms int64, ok bool) { return j.FirstTask - j.Submit, Happened(j.FirstTask) }

// Parts returns the parts of the wait in ms, in the order of WaitParts. A step that did not
// happen takes no time. They sum to the time from submission to the last step that happened.
func (j *Job) Parts() (parts [len(WaitParts)]int64) {
	last := j.Submit
	for i, t := range j.times() {
		if Happened(t) {
			parts[i] = t - last
			last = t
		}
	}
	return parts
}

// slowdownFloorMS keeps jobs of a moment from dominating the slowdown.
const slowdownFloorMS = 1000

// Slowdown returns the job's bounded slowdown; false when it did not finish.
//
// Source: docs/metrics.md, "slowdown".
func (j *Job) Slowdown() (float64, bool) {
	if !Happened(j.Finish) || j.Outcome != record.JobSucceeded {
		return 0, false
	}
	return max(1, float64(j.Finish-j.Submit)/float64(max(j.CriticalPathMS, slowdownFloorMS))), true
}

// Duration returns the time from submission to success in ms.
func (j *Job) Duration() (float64, bool) {
	return float64(j.Finish - j.Submit), Happened(j.Finish) && j.Outcome == record.JobSucceeded
}

// SizeClasses are the classes of jobs by their number of tasks in the trace.
var SizeClasses = []struct {
	Name string
	Most int64
}{{"1-10", 10}, {"11-100", 100}, {"101-1000", 1000}, {"1001+", 1 << 62}}

// Size returns the job's size class.
func (j *Job) Size() string {
	for _, c := range SizeClasses {
		if j.Tasks <= c.Most {
			return c.Name
		}
	}
	panic("result: job beyond the last size class")
}

// JobDist returns the distribution of a time over the jobs that have it.
func JobDist(jobs []Job, of func(*Job) (ms int64, ok bool)) *dist.Dist {
	d := &dist.Dist{}
	for i := range jobs {
		if ms, ok := of(&jobs[i]); ok {
			d.Add(ms)
		}
	}
	return d
}
