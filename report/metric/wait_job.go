package metric

import (
	"replay/report/quantity"
	"replay/report/result"
)

var waitJob = Metric{"wait_job", "Wait of jobs", func(d *result.Data) (vs []Value) {
	first := func(j *result.Job) (float64, bool) { w, ok := j.Wait(); return float64(w), ok }
	vs = jobValues("wait_job_first_task", "_ms", quantity.MS, d.Jobs, first, result.NoFirstTask, "the time from a job's submission to its first task, over jobs that launched one")
	for i := range vs {
		switch vs[i].Name {
		case "wait_job_first_task_mean_ms":
			vs[i].headline("mean wait of jobs for their first task", "job wait, mean")
		case "wait_job_first_task_p95_ms":
			vs[i].headline("95th percentile of jobs' wait for their first task", "job wait, p95")
		}
	}
	vs = append(vs, jobValues("wait_job_am_start", "_ms", quantity.MS, d.Jobs, func(j *result.Job) (float64, bool) {
		return float64(j.AMRegistered - j.Submit), result.Happened(j.AMRegistered)
	}, "no application master registered", "the time from a job's submission to the registration of its application master, over jobs where it registered")...)
	for i, p := range result.WaitParts {
		vs = append(vs, jobValues("wait_job_part_"+p.Name, "_ms", quantity.MS, d.Jobs, func(j *result.Job) (float64, bool) {
			return float64(j.Parts()[i]), result.Happened(j.FirstTask)
		}, result.NoFirstTask, "the part of the wait for the first task from "+p.About)...)
	}
	for _, p := range partsOf(d.Jobs) {
		vs = append(vs, jobValues("wait_job_first_task", "_ms"+p.label, quantity.MS, d.Jobs, func(j *result.Job) (float64, bool) {
			w, ok := first(j)
			return w, ok && p.has(j)
		}, result.NoFirstTask, "the time from a job's submission to its first task, over jobs "+p.text+" that launched one")...)
	}
	return vs
}}
