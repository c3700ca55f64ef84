package metric

import "replay/report/result"

var waitJob = Metric{"wait_job", "Wait of jobs", func(d *result.Data) []Value {
	vs := jobValues(&result.FirstTaskWait, d)
	for i, s := range statistics {
		switch s.name {
		case "mean":
			vs[i].headline("mean wait for the first task", "job wait, mean")
		case "p95":
			vs[i].headline("p95 wait for the first task", "job wait, p95")
		}
	}
	vs = append(vs, jobValues(&result.AMStartWait, d)...)
	for i := range result.WaitParts {
		vs = append(vs, jobValues(&result.WaitParts[i].OfJobs, d)...)
	}
	return append(vs, partValues(&result.FirstTaskWait, d)...)
}}
