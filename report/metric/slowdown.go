package metric

import "replay/report/result"

var slowdown = Metric{"slowdown", "Slowdown of jobs", func(p *pass) func() []Value {
	values := p.jobValues(&result.Slowdown)
	return func() []Value {
		vs, ofParts := values()
		vs[0].headline("mean slowdown of a job", "slowdown")
		return append(vs, ofParts...)
	}
}}
