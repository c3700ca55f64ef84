package plot

import (
	"replay/report/figure"
	"replay/report/result"
)

var jobWaits = Plot{"wait_job_cdf", "Waits of jobs", func(d *result.Data) (*figure.Figure, string) {
	return figure.CDF("How long jobs wait after submission", "wait after submission", []figure.CDFLine{
		{Name: result.AMStartWait.Short, Dist: result.AMStartWait.Dist(d), Open: result.AMStartWait.OpenJobs(d)},
		{Name: result.FirstTaskWait.Short, Dist: result.FirstTaskWait.Dist(d), Open: result.FirstTaskWait.OpenJobs(d)},
	})
}}
