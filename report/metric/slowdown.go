package metric

import "replay/report/result"

var slowdown = Metric{"slowdown", "Slowdown of jobs", func(d *result.Data) []Value {
	vs := jobValues(&result.Slowdown, d, allJobs)
	vs[0].headline("mean slowdown of a job", "slowdown")
	for _, p := range partsOf(d.Jobs) {
		vs = append(vs, jobValues(&result.Slowdown, d, p)...)
	}
	return vs
}}
