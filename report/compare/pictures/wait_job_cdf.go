package pictures

import (
	"replay/report/compare"
	"replay/report/figure"
)

var jobWaits = Plot{"wait_job_cdf", "Waits of jobs", func(c *compare.Comparison) (*figure.Figure, string) {
	return cdfs(c, "How long jobs wait for their first task", "wait after submission", func(p *compare.Pooled) figure.CDFLine { return p.JobWait })
}}
