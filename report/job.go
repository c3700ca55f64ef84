package report

import "replay/engine/record"

// waitParts are the parts of a job's wait from submission to its first task, in order: each
// ends with the step named.
var waitParts = []struct{ name, step, about string }{
	{"queue", "runnable in its queue", "submission until the application is runnable in its queue (limits on running applications)"},
	{"am_allocation", "AM container allocated", "runnable until the AM container is allocated"},
	{"am_start", "AM registered", "AM container allocated until the AM has registered"},
	{"ask", "first ask", "AM registered until its first container ask reaches the ResourceManager"},
	{"allocation", "first container allocated", "first ask until the first container is allocated"},
	{"executor_start", "first executor ready", "first container allocated until the first executor is ready for tasks"},
	{"first_launch", "first task launched", "first executor ready until the first task is launched"},
}

// times returns the end of each part of the wait, None where the step did not happen.
func (j *Job) times() [7]int64 {
	return [...]int64{j.AMScheduled, j.AMAllocated, j.AMRegistered, j.FirstAsked, j.FirstAllocated, j.FirstRegistered, j.FirstTask}
}

// wait returns the job's wait from submission to its first task; false when no task was launched.
func (j *Job) wait() (ms int64, ok bool) { return j.FirstTask - j.Submit, at(j.FirstTask) }

// parts returns the parts of the wait in ms, in the order of waitParts. A step that did not
// happen takes no time. They sum to the time from submission to the last step that happened.
func (j *Job) parts() (parts [7]int64) {
	last := j.Submit
	for i, t := range j.times() {
		if at(t) {
			parts[i] = t - last
			last = t
		}
	}
	return parts
}

// slowdownFloorMS keeps jobs of a moment from dominating the slowdown.
const slowdownFloorMS = 1000

// slowdown returns the job's bounded slowdown; false when it did not finish.
//
// Source: docs/metrics.md, "slowdown".
func (j *Job) slowdown() (float64, bool) {
	if !at(j.Finish) || j.Outcome != record.JobSucceeded {
		return 0, false
	}
	return max(1, float64(j.Finish-j.Submit)/float64(max(j.CriticalPathMS, slowdownFloorMS))), true
}

// duration returns the time from submission to success in ms.
func (j *Job) duration() (float64, bool) {
	return float64(j.Finish - j.Submit), at(j.Finish) && j.Outcome == record.JobSucceeded
}

// sizeClasses are the classes of jobs by their number of tasks in the trace.
var sizeClasses = []struct {
	name string
	most int64
}{{"1-10", 10}, {"11-100", 100}, {"101-1000", 1000}, {"1001+", 1 << 62}}

// size returns the job's size class.
func (j *Job) size() string {
	for _, c := range sizeClasses {
		if j.Tasks <= c.most {
			return c.name
		}
	}
	panic("report: job beyond the last size class")
}
