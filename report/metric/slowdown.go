package metric

import (
	"replay/report/quantity"
	"replay/report/result"
)

var slowdownMetric = Metric{"slowdown", "Slowdown of jobs", func(d *result.Data) (vs []Value) {
	const none, about = "no job succeeded", "submission to finish against the job's critical path (at least 1 s), over jobs that succeeded"
	vs = jobValues("slowdown", "", quantity.Ratio, d.Jobs, (*result.Job).Slowdown, none, about)
	vs[0].headline("mean slowdown of jobs", "slowdown")
	for _, p := range partsOf(d.Jobs) {
		vs = append(vs, jobValues("slowdown", p.label, quantity.Ratio, d.Jobs, func(j *result.Job) (float64, bool) {
			x, ok := j.Slowdown()
			return x, ok && p.has(j)
		}, none, about+" "+p.text)...)
	}
	return vs
}}
