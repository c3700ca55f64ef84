package pictures

import (
	"replay/report/compare"
	"replay/report/figure"
)

var localityTasks = Plot{"locality_tasks", "Locality of tasks", func(c *compare.Comparison) (*figure.Figure, string) {
	return localityBars(c, "Where tasks with a preference ran", "share of successes (of input, cached and shuffled data)", func(p *compare.Pooled) []figure.Level { return p.PreferringTasks })
}}
