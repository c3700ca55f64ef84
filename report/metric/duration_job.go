package metric

import "replay/report/result"

var durationJob = Metric{"duration_job", "Duration of jobs", func(d *result.Data) []Value {
	vs, ofParts := jobValues(d, &result.JobDuration)
	vs[0].headline("mean duration of a job", "job duration")
	return append(vs, ofParts...)
}}
