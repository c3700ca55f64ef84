package verify

import (
	"math"
	"slices"
)

// job is a job with what its containers and tasks add up to.
type job struct {
	jobRow
	row        int64
	amAttempts int64 // the latest
	sum        jobRow
	distinct   map[[2]int32]bool // tasks that succeeded
	spanMS     int64             // of all its task attempts
	successMS  int64             // of attempts that succeeded, whose result the latest attempt of the application has
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
	number := v.check("jobs: slowdown is a number of 1 or more", file)
	last := int64(none)
	err := rows(v, file, func(row int64, r *jobRow) {
		key.that(r.ID > last, row, "job", r.ID, "more than %d of the row before", last)
		last = r.ID
		j := &job{jobRow: *r, row: row, distinct: map[[2]int32]bool{}}
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
			number.that(*r.Slowdown >= 1 && !math.IsInf(*r.Slowdown, 0), row, "slowdown", *r.Slowdown, "a finite number of 1 or more")
			want := max(1, float64(or(r.Finish)-r.Submit)/float64(max(r.CriticalPathMS, 1000)))
			number.that(math.Abs(*r.Slowdown-want) <= 1e-9*want, row, "slowdown", *r.Slowdown, "%v, its time over that of its critical path, or over a second", want)
		}
	})
	return err
}

// checkSums compares the sums in jobs.parquet with those of containers and task attempts.
func (v *verifier) checkSums() {
	c := v.check("jobs: sums are those of their containers and task attempts", "jobs.parquet")
	end := v.manifest.Totals.EndMS
	for i := range v.containers {
		x := &v.containers[i]
		j := v.jobs[x.Job]
		if j == nil {
			continue
		}
		s := &j.sum
		held := max(x.until(end)-or(x.Allocated), 0)
		s.MemMiBMS += x.MemMiB * held
		s.VCoreMS += x.VCores * held
		if x.AM {
			continue
		}
		s.Containers++
		if x.Asked != nil {
			s.Asks++
			s.AskMS += *x.Allocated - *x.Asked
		}
		switch x.Match {
		case "host":
			s.Preferring++
			s.Preferred++
		case "rack":
			s.Preferring++
			s.RackPreferred++
		case "elsewhere":
			s.Preferring++
		}
		if x.Hinting {
			s.Hinting++
		}
		if x.Hinted {
			s.Hinted++
		}
	}
	for _, j := range v.jobList {
		s := &j.sum
		type sum struct {
			column    string
			got, want int64
		}
		sums := []sum{
			{"memory_mib_ms", j.MemMiBMS, s.MemMiBMS}, {"vcore_ms", j.VCoreMS, s.VCoreMS}, {"containers", j.Containers, s.Containers},
			{"containers_waited", j.Asks, s.Asks}, {"containers_wait_allocation_ms", j.AskMS, s.AskMS},
			{"containers_preferring", j.Preferring, s.Preferring}, {"containers_preferred", j.Preferred, s.Preferred}, {"containers_rack_preferred", j.RackPreferred, s.RackPreferred},
			{"containers_hinting", j.Hinting, s.Hinting}, {"containers_hinted", j.Hinted, s.Hinted},
		}
		if v.hasTasks {
			sums = append(sums,
				sum{"task_attempts", j.Attempts, s.Attempts}, sum{"tasks_waited", j.TaskWaits, s.Attempts}, sum{"tasks_wait_launch_ms", j.TaskWaitMS, s.TaskWaitMS},
				sum{"tasks_process_local", j.ProcessLocal, s.ProcessLocal}, sum{"tasks_node_local", j.NodeLocal, s.NodeLocal}, sum{"tasks_no_pref", j.NoPref, s.NoPref},
				sum{"tasks_rack_local", j.RackLocal, s.RackLocal}, sum{"tasks_any", j.Any, s.Any},
				sum{"tasks_preferring", j.TasksPreferring, s.TasksPreferring}, sum{"tasks_preferred", j.TasksPreferred, s.TasksPreferred},
				sum{"tasks_succeeded", j.TasksSucceeded, int64(len(j.distinct))}, sum{"task_useful_ms + task_wasted_ms", j.UsefulMS + j.WastedMS, j.spanMS},
			)
			c.that(j.UsefulMS <= j.successMS, j.row, "task_useful_ms", j.UsefulMS, "at most %d, the time of task attempts that succeeded (of a Spark job in the last attempt of the application)", j.successMS)
		}
		for _, x := range sums {
			c.equal(x.got, x.want, j.row, x.column, "what its rows add up to")
		}
	}
}

// checkTotals compares the totals of run.json with the tables.
func (v *verifier) checkTotals() {
	c := v.check("run.json: totals are those of the tables", "run.json")
	t := &v.manifest.Totals
	outcomes := map[string]int64{}
	tasks, succeeded, ended := int64(0), int64(0), int64(0)
	for _, j := range v.jobList {
		outcomes[j.Outcome]++
		tasks += j.Tasks
		succeeded += j.TasksSucceeded
	}
	for i := range v.containers {
		if v.containers[i].Ended != nil {
			ended++
		}
	}
	n := int64(len(v.containers))
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
		c.equal(t.TaskAttempts, int64(len(v.tasks)), none, "totals.task_attempts", "the rows of tasks.parquet")
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
}
