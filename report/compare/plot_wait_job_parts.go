package compare

import (
	"replay/report/figure"
	"replay/report/plot"
)

var jobWaitParts = Plot{"wait_job_parts", "Parts of the wait of jobs", func(c *Comparison) (*figure.Figure, string) {
	var bars []*plot.WaitBar
	for _, s := range c.study.sides {
		bars = append(bars, s.waits)
	}
	return plot.WaitBars("What jobs wait for before their first task", bars)
}}
