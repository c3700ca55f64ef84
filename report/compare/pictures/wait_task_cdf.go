package pictures

import (
	"replay/report/compare"
	"replay/report/figure"
	"replay/report/result"
)

var taskWaits = Plot{"wait_task_cdf", "Waits of tasks", func(c *compare.Comparison) (*figure.Figure, string) {
	return cdfs(c, "How long tasks wait to be launched", result.TaskLaunch.Short, func(p *compare.Pooled) figure.CDFLine { return p.TaskWait })
}}
