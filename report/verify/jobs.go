package verify

import (
	"math"
	"slices"
	"strings"
)

// job is a row of jobs.parquet.
type job struct {
	jobRow
	row    int64
	summed bool // beside its containers and task attempts
}

// mapReduce reports whether the job is one of MapReduce: a later attempt of it takes over what the one before has done, and a small one may run in its
// application master.
func (j *job) mapReduce() bool { return j.Kind == "mapreduce" }

// steps are the times of a job in their order.
func (j *job) steps() []struct {
	column string
	at     int64
} {
	return []struct {
		column string
		at     int64
	}{
		{"am_scheduled_ms", or(j.AMScheduled)}, {"am_allocated_ms", or(j.AMAllocated)}, {"am_registered_ms", or(j.AMRegistered)},
		{"first_asked_ms", or(j.FirstAsked)}, {"first_allocated_ms", or(j.FirstAllocated)}, {"first_registered_ms", or(j.FirstRegistered)},
		{"first_task_ms", or(j.FirstTask)}, {"finish_ms", or(j.Finish)},
	}
}

func (v *verifier) readJobs() error {
	const file = "jobs.parquet"
	key := v.check("jobs: keys unique and in order", file)
	order := v.check("jobs: times in order", file)
	parts := v.check("jobs: parts of the wait sum to it", file)
	outcome := v.check("jobs: outcome, finish and tasks agree", file)
	number := v.check("jobs: slowdown is the time over the critical path", file)
	texts := map[string]string{}
	last := int64(none)
	err := rows(v, file, func(row int64, r *jobRow) {
		key.that(r.ID > last, row, "job", r.ID, "more than %d of the row before", last)
		last = r.ID
		j := &job{jobRow: *r, row: row}
		for _, text := range []*string{&j.Kind, &j.Queue, &j.Outcome} { // each once, and not in the memory of a page
			if texts[*text] == "" {
				kept := strings.Clone(*text)
				texts[kept] = kept
			}
			*text = texts[*text]
		}
		v.jobs[r.ID] = j
		v.jobList = append(v.jobList, j)
		at := r.Submit
		for _, s := range j.steps() {
			if s.at != none {
				order.that(s.at >= at, row, s.column, s.at, "%d or more, the step before", at)
				at = max(at, s.at)
			}
		}
		if r.FirstTask != nil {
			sum := int64(0)
			for _, p := range []*int64{r.Part0, r.Part1, r.Part2, r.Part3, r.Part4, r.Part5, r.Part6} {
				parts.that(p != nil && *p >= 0, row, "wait_job_part_*_ms", or(p), "0 or more, as the job launched a task")
				sum += max(or(p), 0)
			}
			parts.that(or(r.Wait) == *r.FirstTask-r.Submit && sum == or(r.Wait), row, "wait_job_first_task_ms", or(r.Wait), "%d, from submission to first task, and %d, the sum of its parts", *r.FirstTask-r.Submit, sum)
		}
		switch r.Outcome {
		case "success":
			outcome.that(r.Finish != nil && r.TasksSucceeded == r.Tasks, row, "tasks_succeeded", r.TasksSucceeded, "%d, all, and a finish, as the job succeeded", r.Tasks)
			outcome.that(r.TasksFailed == 0, row, "tasks_failed", r.TasksFailed, "0, as the job succeeded")
		case "failed":
			outcome.that(r.Finish != nil && r.TasksSucceeded+r.TasksFailed == r.Tasks, row, "tasks_failed", r.TasksFailed, "%d and a finish, as the job failed", r.Tasks-r.TasksSucceeded)
		case "unfinished":
			outcome.that(r.Finish == nil && r.TasksFailed == 0, row, "finish_ms", or(r.Finish), "null, and no task given up, as the job is unfinished")
		default:
			outcome.that(false, row, "outcome", r.Outcome, "success, failed or unfinished")
		}
		number.that((r.Slowdown != nil) == (r.Outcome == "success"), row, "slowdown", r.Slowdown, "a number just for jobs that succeeded")
		if r.Slowdown != nil {
			want := float64(max(or(r.Finish)-r.Submit, 1000)) / float64(max(r.CriticalPathMS, 1000))
			number.that(math.Abs(*r.Slowdown-want) <= 1e-9*want, row, "slowdown", *r.Slowdown, "%v, its time over that of its critical path, each at least a second", want)
		}
	})
	return err
}

// checkTotals compares the totals of run.json with the tables.
func (v *verifier) checkTotals() error {
	c := v.check("run.json: totals are those of the tables", "run.json")
	t := &v.manifest.Totals
	outcomes := map[string]int64{}
	tasks, succeeded := int64(0), int64(0)
	for _, j := range v.jobList {
		outcomes[j.Outcome]++
		tasks += j.Tasks
		succeeded += j.TasksSucceeded
	}
	n, ended := v.sums.containers, v.sums.ended
	for _, x := range []struct {
		name      string
		got, want int64
	}{
		{"jobs", t.Jobs, int64(len(v.jobList))}, {"jobs_succeeded", t.JobsSucceeded, outcomes["success"]}, {"jobs_failed", t.JobsFailed, outcomes["failed"]},
		{"jobs_unfinished", t.JobsUnfinished, outcomes["unfinished"]}, {"tasks", t.Tasks, tasks}, {"tasks_succeeded", t.TasksSucceeded, succeeded},
		{"containers_allocated", t.ContainersAllocated, n}, {"containers_ended", t.ContainersEnded, ended}, {"containers_running", t.ContainersRunning, n - ended},
	} {
		c.equal(x.got, x.want, none, "totals."+x.name, "the rows of the tables")
	}
	if v.hasTasks {
		c.equal(t.TaskAttempts, v.sums.tasks, none, "totals.task_attempts", "the rows of tasks.parquet")
	}
	finishes := []int64{0}
	for _, j := range v.jobList {
		finishes = append(finishes, or(j.Finish))
	}
	if last := slices.Max(finishes); outcomes["unfinished"] == 0 && (v.manifest.Until == 0 || t.EndMS != v.manifest.Until) {
		c.equal(t.EndMS, last, none, "totals.end_ms", "the last finish of a job")
	} else {
		c.that(t.EndMS >= last, none, "totals.end_ms", t.EndMS, "%d or more, the last finish of a job", last)
	}
	return nil
}
