package report

var durationJob = Metric{"duration_job", "Duration of jobs", func(d *Data) (vs []Value) {
	const none, about = "no job succeeded", "the time from submission to finish, over jobs that succeeded"
	vs = jobValues("duration_job", "_ms", "ms", d.Jobs, (*Job).duration, none, about)
	vs[0].Family = Headline
	for _, p := range partsOf(d.Jobs) {
		vs = append(vs, jobValues("duration_job", "_ms"+p.label, "ms", d.Jobs, func(j *Job) (float64, bool) {
			x, ok := j.duration()
			return x, ok && p.has(j)
		}, none, about+" "+p.text)...)
	}
	return vs
}}
