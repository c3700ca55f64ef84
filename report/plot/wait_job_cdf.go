package plot

import (
	"replay/report/figure"
	"replay/report/result"
)

var jobWaits = Plot{"wait_job_cdf", "Waits of jobs", func(d *result.Data) (*figure.Figure, string) {
	return figure.CDF("How long jobs wait after submission", "wait after submission (log scale)", []figure.CDFLine{
		{Name: "to AM start", Dist: result.JobDist(d.Jobs, func(j *result.Job) (int64, bool) { return j.AMRegistered - j.Submit, result.Happened(j.AMRegistered) })},
		{Name: "to first task", Dist: result.JobDist(d.Jobs, (*result.Job).Wait)},
	})
}}
