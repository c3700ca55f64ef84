package report

import "replay/engine/record"

const hourMS = 3_600_000

var throughput = Metric{"throughput", "Throughput", func(d *Data) []Value {
	var jobs, tasks, useful int64
	for i := range d.Jobs {
		j := &d.Jobs[i]
		if j.Outcome == record.JobSucceeded {
			jobs++
		}
		tasks += j.TasksSucceeded
		useful += j.TaskMS
	}
	hours := d.makespanMS() / hourMS
	const none = "no job finished, or the makespan is 0"
	return []Value{
		value("throughput_jobs_per_hour", "jobs/h", Higher, over(float64(jobs), hours), jobs, none, "jobs that succeeded per hour of the makespan"),
		value("throughput_tasks_per_hour", "tasks/h", Higher, over(float64(tasks), hours), tasks, none, "distinct tasks that succeeded per hour of the makespan"),
		value("throughput_task_hours_per_hour", "h/h", Higher, over(float64(useful)/hourMS, hours), tasks, none, "useful task time (successful attempts) per time of the makespan: tasks running on average"),
	}
}}
