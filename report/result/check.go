package result

import (
	"fmt"
	"strings"
)

// mostWrong is how many contradictions an error names.
const mostWrong = 10

// complaints are contradictions between the records of a replay, the first ones of them.
type complaints []string

func (w *complaints) add(format string, args ...any) {
	if len(*w) < mostWrong {
		*w = append(*w, fmt.Sprintf(format, args...))
	}
}

// unequal adds a sum over records that is not what the manifest says.
func (w *complaints) unequal(what string, got, want int64) {
	if got != want {
		w.add("%s: records say %d, totals %d", what, got, want)
	}
}

// err is nil without complaints.
func (w complaints) err() error {
	if len(w) == 0 {
		return nil
	}
	return fmt.Errorf("records of the replay do not add up: %s", strings.Join(w, "; "))
}

// checked says what check finds.
func (d *Data) checked() error {
	var wrong complaints
	d.check(&wrong)
	return wrong.err()
}

// check compares jobs with themselves, and what is added up with the manifest's totals.
func (d *Data) check(wrong *complaints) {
	var tasks, succeeded, failed int64
	for j := range d.Jobs.All() {
		j.checkTimes(wrong)
		tasks += j.Tasks
		succeeded += j.TasksSucceeded
		failed += j.TasksFailed
	}
	t := &d.Manifest.Totals
	wrong.unequal("jobs", int64(d.Jobs.Len()), t.Jobs)
	wrong.unequal("tasks of jobs", tasks, t.Tasks)
	wrong.unequal("tasks succeeded", succeeded, t.TasksSucceeded)
	wrong.unequal("tasks failed", failed, t.TasksFailed)
	wrong.unequal("containers", d.Containers.N+d.Containers.AMs, t.ContainersAllocated)
	wrong.unequal("containers ended and running", t.ContainersEnded+t.ContainersRunning, t.ContainersAllocated)
	wrong.unequal("task attempts", d.Tasks.N, t.TaskAttempts)
}

// checkTimes checks the order of a job's times.
func (j *Job) checkTimes(wrong *complaints) {
	last := j.Submit
	for i, t := range j.times() {
		if Happened(t) {
			if t < last {
				wrong.add("job %d: %s at %d ms is before the step before it at %d ms", j.ID, WaitParts[i].Step, t, last)
			}
			last = t
		}
	}
}
