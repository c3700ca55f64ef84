package pictures

import (
	"replay/report/compare"
	"replay/report/figure"
	"replay/report/result"
)

var jobDurations = Plot{"duration_job_cdf", "Durations of jobs", func(c *compare.Comparison) (*figure.Figure, string) {
	return cdfs(c, "How long jobs take", result.JobDuration.Short, func(p *compare.Pooled) figure.CDFLine { return p.JobDuration })
}}
