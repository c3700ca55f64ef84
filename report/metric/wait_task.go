package metric

import "replay/report/result"

var waitTask = Metric{"wait_task", "Wait of tasks", plain(func(d *result.Data) []Value {
	vs := timeValues(&result.TaskLaunch, d)
	vs[0].headline("mean wait of a task", "task wait")
	vs[0].PerJob = &PerJob{Of: func(j *result.Job) (float64, float64, bool) { return float64(j.TaskWaitMS), float64(j.TaskWaits), true }}
	for i := range vs {
		vs[i].Ends = true // tasks that were never launched are not among them
	}
	return append(vs, timeValues(&result.TaskRun, d)...)
})}
