package plot

import (
	"replay/report/figure"
	"replay/report/result"
)

var taskWaits = Plot{"wait_task_cdf", "Waits of tasks", func(d *result.Data) (*figure.Figure, string) {
	return figure.CDF("How long tasks wait for a slot, and run", "time", []figure.CDFLine{
		{Name: result.TaskLaunch.Short, Dist: result.TaskLaunch.Dist(d)},
		{Name: result.TaskRun.Short, Dist: result.TaskRun.Dist(d)},
	})
}}
