package compare

import (
	"replay/report/figure"
)

var jobWaits = Plot{"wait_job_cdf", "Waits of jobs", func(c *Comparison) (*figure.Figure, string) {
	return c.cdfs("How long jobs wait for their first task", "wait after submission", jobWait)
}}
