package metric

import (
	"replay/engine/record"
	"replay/report/quantity"
	"replay/report/result"
)

var throughput = Metric{"throughput", "Throughput", func(p *pass) func() []Value {
	var jobs, tasks, useful int64
	period := result.NoPeriod
	p.each = append(p.each, func(j *result.Job) {
		period.Add(j)
		if !result.Happened(j.Finish) {
			return // its work goes on after the makespan
		}
		if j.Outcome == record.JobSucceeded {
			jobs++
		}
		tasks += j.TasksSucceeded
		useful += j.TaskMS
	})
	return func() []Value {
		hours := period.MS() / quantity.HourMS
		const none = "no job finished, or the makespan is 0"
		vs := []Value{
			value("throughput_jobs_per_hour", quantity.JobsPerHour, quantity.Higher, quantity.Over(float64(jobs), hours), jobs, none, "jobs that succeeded per hour of the makespan"),
			value("throughput_tasks_per_hour", quantity.TasksPerHour, quantity.Higher, quantity.Over(float64(tasks), hours), tasks, none, "distinct tasks that succeeded, of jobs that finished, per hour of the makespan"),
			value("throughput_task_hours_per_hour", quantity.HoursPerHour, quantity.Higher, quantity.Over(float64(useful)/quantity.HourMS, hours), tasks, none, "useful task time (attempts whose result counted) of jobs that finished per time of the makespan: such attempts running on average"),
		}
		for i := range vs {
			vs[i].Ends, vs[i].MovedBy = true, quantity.ByWork
		}
		return vs
	}
}}
