package compare

import (
	"replay/report/figure"
)

var localityTasks = Plot{"locality_tasks", "Locality of tasks", func(c *Comparison) (*figure.Figure, string) {
	return c.localityBars("Where tasks with a preference ran", "share of their successful attempts", preferringTasks)
}}
