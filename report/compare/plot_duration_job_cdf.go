package compare

import (
	"replay/report/figure"
	"replay/report/result"
)

var jobDurations = Plot{"duration_job_cdf", "Durations of jobs", func(c *Comparison) (*figure.Figure, string) {
	return c.cdfs("How long jobs take", result.JobDuration.Short, jobDuration)
}}
