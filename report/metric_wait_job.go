package report

const noFirstTask = "no job launched a task"

var waitJob = Metric{"wait_job", "Wait of jobs", func(d *Data) (vs []Value) {
	first := func(j *Job) (float64, bool) { w, ok := j.wait(); return float64(w), ok }
	vs = jobValues("wait_job_first_task", "_ms", "ms", d.Jobs, first, noFirstTask, "the time from a job's submission to its first task, over jobs that launched one")
	for i := range vs {
		if n := vs[i].Name; n == "wait_job_first_task_mean_ms" || n == "wait_job_first_task_p95_ms" {
			vs[i].Family = Headline
		}
	}
	vs = append(vs, jobValues("wait_job_am_start", "_ms", "ms", d.Jobs, func(j *Job) (float64, bool) {
		return float64(j.AMRegistered - j.Submit), at(j.AMRegistered)
	}, "no application master registered", "the time from a job's submission to the registration of its application master, over jobs where it registered")...)
	for i, p := range waitParts {
		vs = append(vs, jobValues("wait_job_part_"+p.name, "_ms", "ms", d.Jobs, func(j *Job) (float64, bool) {
			return float64(j.parts()[i]), at(j.FirstTask)
		}, noFirstTask, "the part of the wait for the first task from "+p.about)...)
	}
	for _, p := range partsOf(d.Jobs) {
		vs = append(vs, jobValues("wait_job_first_task", "_ms"+p.label, "ms", d.Jobs, func(j *Job) (float64, bool) {
			w, ok := first(j)
			return w, ok && p.has(j)
		}, noFirstTask, "the time from a job's submission to its first task, over jobs "+p.text+" that launched one")...)
	}
	return vs
}}
