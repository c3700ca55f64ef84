package result

import "replay/engine/record"

// waitSteps is how many steps the wait of a job for its first task has.
const waitSteps = 7

// times returns the end of each part of the wait, None where the step did not happen.
func (j *Job) times() [waitSteps]int64 {
	return [...]int64{j.AMScheduled, j.AMAllocated, j.AMRegistered, j.FirstAsked, j.FirstAllocated, j.FirstRegistered, j.FirstTask}
}

// Parts returns the parts of the wait in ms, in the order of [WaitParts]. A step that did not
// happen takes no time. They sum to the time from submission to the last step that happened.
func (j *Job) Parts() (parts [waitSteps]int64) {
	last := j.Submit
	for i, t := range j.times() {
		if Happened(t) {
			parts[i] = t - last
			last = t
		}
	}
	return parts
}

func (j *Job) unfinished() bool { return j.Outcome == record.JobUnfinished }

// soFar is the time from submission to the end of the replay.
func (j *Job) soFar(end int64) float64 { return float64(max(0, end-j.Submit)) }

func (j *Job) succeeded() bool { return Happened(j.Finish) && j.Outcome == record.JobSucceeded }

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
