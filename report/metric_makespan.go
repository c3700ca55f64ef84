package report

import "replay/engine/record"

// span returns the first submission and the last finish; false when no job finished.
func (d *Data) span() (from, to int64, ok bool) {
	from, to = record.None, record.None
	for i := range d.Jobs {
		j := &d.Jobs[i]
		if from == record.None || j.Submit < from {
			from = j.Submit
		}
		to = max(to, j.Finish)
	}
	return from, to, at(to)
}

// makespanMS returns the makespan, NaN when no job finished.
func (d *Data) makespanMS() float64 {
	from, to, ok := d.span()
	if !ok {
		return nan
	}
	return float64(to - from)
}

var makespan = Metric{"makespan", "Makespan", func(d *Data) []Value {
	var succeeded, failed, unfinished int64
	for i := range d.Jobs {
		switch d.Jobs[i].Outcome {
		case record.JobSucceeded:
			succeeded++
		case record.JobFailed:
			failed++
		default:
			unfinished++
		}
	}
	v := value("makespan_ms", "ms", Lower, d.makespanMS(), succeeded+failed, "no job finished", "first submission to last finish of a job")
	v.Family = Headline
	n := int64(len(d.Jobs))
	return []Value{
		v,
		value("makespan_jobs_succeeded_count", "count", Higher, float64(succeeded), n, "", "jobs that succeeded"),
		value("makespan_jobs_failed_count", "count", Lower, float64(failed), n, "", "jobs that failed"),
		value("makespan_jobs_unfinished_count", "count", Lower, float64(unfinished), n, "", "jobs that had not finished at the end of the replay"),
	}
}}
