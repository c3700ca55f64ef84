package report

var plotJobWaits = Plot{"wait_job_cdf", "Waits of jobs", func(r *Result) (*figure, string) {
	return cdfPlot("How long jobs wait after submission", "wait after submission (log scale)", []cdfLine{
		{"to AM start", jobDist(r.Jobs, func(j *Job) (int64, bool) { return j.AMRegistered - j.Submit, at(j.AMRegistered) })},
		{"to first task", jobDist(r.Jobs, (*Job).wait)},
	})
}}
