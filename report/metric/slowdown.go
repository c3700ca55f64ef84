package metric

import "replay/report/result"

var slowdown = Metric{"slowdown", "Slowdown of jobs", func(d *result.Data) []Value {
	vs, ofParts := jobValues(d, &result.Slowdown)
	vs[0].headline("mean slowdown of a job", "slowdown")
	return append(vs, ofParts...)
}}
