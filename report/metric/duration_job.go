package metric

import "replay/report/result"

var durationJob = Metric{"duration_job", "Duration of jobs", func(p *pass) func() []Value {
	values := p.jobValues(&result.JobDuration)
	return func() []Value {
		vs, ofParts := values()
		vs[0].headline("mean duration of a job", "job duration")
		return append(vs, ofParts...)
	}
}}
