package compare

import (
	"replay/report/figure"
	"replay/report/result"
)

var taskWaits = Plot{"wait_task_cdf", "Waits of tasks", func(c *Comparison) (*figure.Figure, string) {
	return c.cdfs("How long tasks wait to be launched", result.TaskLaunch.Short, taskWait)
}}
