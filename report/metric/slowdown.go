package metric

import "replay/report/result"

var slowdown = Metric{"slowdown", "Slowdown of jobs", func(d *result.Data) []Value {
	vs := jobValues(&result.Slowdown, d)
	vs[0].headline("mean slowdown of a job", "slowdown")
	return append(vs, partValues(&result.Slowdown, d)...)
}}
