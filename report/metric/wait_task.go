package metric

import "replay/report/result"

var waitTask = Metric{"wait_task", "Wait of tasks", func(d *result.Data) []Value {
	vs := distValues("wait_task_launch", "", &d.Tasks.Wait, "no task attempt was launched",
		"the time from a task being ready (its stage submitted, or pending again) to its launch, over task attempts")
	vs[0].headline("mean wait of tasks", "task wait")
	vs[0].PerJob = &PerJob{Of: func(j *result.Job) (float64, float64, bool) { return float64(j.TaskWaitMS), float64(j.TaskWaits), true }}
	return append(vs, distValues("run_task", "", &d.Tasks.Run, "no task attempt finished", "the time from launch to finish, over task attempts that finished")...)
}}
