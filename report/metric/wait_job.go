package metric

import (
	"replay/report/quantity"
	"replay/report/result"
)

// waitJob has how long jobs were held back only where some begin after others.
var waitJob = Metric{"wait_job", "Wait of jobs", func(p *pass) func() []Value {
	others := []*result.OfJobs{&result.AMStartWait}
	for i := range result.WaitParts {
		others = append(others, &result.WaitParts[i].OfJobs)
	}
	values := p.jobValues(&result.FirstTaskWait, append(others, &result.HeldBack)...)
	var dependent, held int64
	p.each = append(p.each, func(j *result.Job) {
		if j.DependsOn > 0 {
			dependent++
		}
		if j.HeldMS > 0 {
			held++
		}
	})
	return func() []Value {
		vs, ofParts := values()
		waits := vs[:len(vs)-len(statistics)]
		back := vs[len(waits):]
		for i, s := range statistics {
			back[i].Ends = true // jobs that are held back to the end are not among them
			switch s.name {
			case "mean":
				waits[i].headline("mean wait for the first task", "job wait, mean")
				back[i].headline("mean time held back for other jobs", "held back, mean")
			case "p95":
				waits[i].headline("p95 wait for the first task", "job wait, p95")
			}
		}
		if dependent == 0 {
			return append(waits, ofParts...)
		}
		count := value("wait_job_held_count", quantity.Count, quantity.Lower, float64(held), dependent, "", "jobs that were held back beyond their own time until others had ended, of those that begin after others")
		count.Things, count.Ends = "jobs", true
		return append(append(vs, count), ofParts...)
	}
}}
