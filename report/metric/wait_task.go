package metric

import "replay/report/result"

var waitTask = Metric{"wait_task", "Wait of tasks", func(d *result.Data) []Value {
	vs := timeValues(&result.TaskLaunch, d)
	vs[0].headline("mean wait of a task", "task wait")
	vs[0].PerJob = &PerJob{Of: func(j *result.Job) (float64, float64, bool) { return float64(j.TaskWaitMS), float64(j.TaskWaits), true }}
	return append(vs, timeValues(&result.TaskRun, d)...)
}}
