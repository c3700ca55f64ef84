package pictures

import (
	"replay/report/compare"
	"replay/report/figure"
	"replay/report/plot"
)

var jobWaitParts = Plot{"wait_job_parts", "Parts of the wait of jobs", func(c *compare.Comparison) (*figure.Figure, string) {
	var bars []*plot.WaitBar
	for _, s := range c.Pooled() {
		bars = append(bars, s.Waits)
	}
	return plot.WaitBars("What jobs wait for before their first task", bars)
}}
