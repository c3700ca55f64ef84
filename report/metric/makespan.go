package metric

import (
	"replay/engine/record"
	"replay/report/quantity"
	"replay/report/result"
)

var makespan = Metric{"makespan", "Makespan", func(p *pass) func() []Value {
	var succeeded, failed, unfinished int64
	period := result.NoPeriod
	p.each = append(p.each, func(j *result.Job) {
		period.Add(j)
		switch j.Outcome {
		case record.JobSucceeded:
			succeeded++
		case record.JobFailed:
			failed++
		default:
			unfinished++
		}
	})
	return func() []Value {
		v := value("makespan_ms", quantity.MS, quantity.Lower, period.MS(), succeeded+failed, "no job finished", "first submission to last finish of a job")
		v.headline("makespan", "makespan")
		v.Ends, v.MovedBy = true, quantity.ByWork
		n := int64(p.data.Jobs.Len())
		if unfinished > 0 { // it says over how many it is
			v.Things, v.Whole = "jobs", n
		}
		return []Value{
			v,
			value("makespan_jobs_succeeded_count", quantity.Count, quantity.Higher, float64(succeeded), n, "", "jobs that succeeded"),
			value("makespan_jobs_failed_count", quantity.Count, quantity.Lower, float64(failed), n, "", "jobs that failed"),
			value("makespan_jobs_unfinished_count", quantity.Count, quantity.Lower, float64(unfinished), n, "", "jobs that had not finished at the end of the replay"),
		}
	}
}}
