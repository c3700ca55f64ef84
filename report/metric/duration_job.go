package metric

import "replay/report/result"

var durationJob = Metric{"duration_job", "Duration of jobs", func(d *result.Data) []Value {
	vs := jobValues(&result.JobDuration, d, allJobs)
	vs[0].headline("mean duration of a job", "job duration")
	for _, p := range partsOf(d.Jobs) {
		vs = append(vs, jobValues(&result.JobDuration, d, p)...)
	}
	return vs
}}
