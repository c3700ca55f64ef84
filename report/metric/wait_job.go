package metric

import "replay/report/result"

var waitJob = Metric{"wait_job", "Wait of jobs", func(p *pass) func() []Value {
	others := []*result.OfJobs{&result.AMStartWait}
	for i := range result.WaitParts {
		others = append(others, &result.WaitParts[i].OfJobs)
	}
	values := p.jobValues(&result.FirstTaskWait, others...)
	return func() []Value {
		vs, ofParts := values()
		for i, s := range statistics {
			switch s.name {
			case "mean":
				vs[i].headline("mean wait for the first task", "job wait, mean")
			case "p95":
				vs[i].headline("p95 wait for the first task", "job wait, p95")
			}
		}
		return append(vs, ofParts...)
	}
}}
