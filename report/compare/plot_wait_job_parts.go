package compare

import (
	"replay/report/figure"
	"replay/report/plot"
	"replay/report/result"
)

var jobWaitParts = Plot{"wait_job_parts", "Parts of the wait of jobs", func(c *Comparison) (*figure.Figure, string) {
	var bars []plot.WaitBar
	for _, v := range c.Variants {
		bars = append(bars, plot.NewWaitBar(v.Name, v.data(), func(*result.Job) bool { return true }))
	}
	return plot.WaitBars("What jobs wait for before their first task", bars)
}}
