package metric

import (
	"replay/report/quantity"
	"replay/report/result"
)

var durationJob = Metric{"duration_job", "Duration of jobs", func(d *result.Data) (vs []Value) {
	const none, about = "no job succeeded", "the time from submission to finish, over jobs that succeeded"
	vs = jobValues("duration_job", "_ms", quantity.MS, d.Jobs, (*result.Job).Duration, none, about)
	vs[0].headline("mean duration of jobs", "job duration")
	for _, p := range partsOf(d.Jobs) {
		vs = append(vs, jobValues("duration_job", "_ms"+p.label, quantity.MS, d.Jobs, func(j *result.Job) (float64, bool) {
			x, ok := j.Duration()
			return x, ok && p.has(j)
		}, none, about+" "+p.text)...)
	}
	return vs
}}
