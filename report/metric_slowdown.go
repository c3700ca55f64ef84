package report

var slowdownMetric = Metric{"slowdown", "Slowdown of jobs", func(d *Data) (vs []Value) {
	const none, about = "no job succeeded", "submission to finish against the job's critical path (at least 1 s), over jobs that succeeded"
	vs = jobValues("slowdown", "", "ratio", d.Jobs, (*Job).slowdown, none, about)
	vs[0].Family = Headline
	for _, p := range partsOf(d.Jobs) {
		vs = append(vs, jobValues("slowdown", p.label, "ratio", d.Jobs, func(j *Job) (float64, bool) {
			x, ok := j.slowdown()
			return x, ok && p.has(j)
		}, none, about+" "+p.text)...)
	}
	return vs
}}
