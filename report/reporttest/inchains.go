package reporttest

import "replay/engine/record"

// InChains gives jobs that took 1 s each: jobs 1 and 2 begin after the end of job 0, and job 3 after theirs; job 5 begins after job 4, and had not to wait for it.
func InChains(sink record.Sink) record.Manifest {
	for id, j := range []record.Job{
		{Submit: 0}, {Submit: 1001, DependsOn: 1, HeldMS: 901, HeldBy: 0}, {Submit: 1501, DependsOn: 1, HeldMS: 1301, HeldBy: 0}, {Submit: 2600, DependsOn: 2, HeldMS: 1, HeldBy: 2},
		{Submit: 500}, {Submit: 1600, DependsOn: 1},
	} {
		j.ID, j.Queue, j.Outcome, j.Finish, j.RecordedMS = int64(id), "root.q", record.JobSucceeded, j.Submit+1000, record.None
		for _, t := range []*int64{&j.AMScheduled, &j.AMAllocated, &j.AMRegistered, &j.FirstAsked, &j.FirstAllocated, &j.FirstRegistered, &j.FirstTask} {
			*t = record.None
		}
		sink.Job(&j)
	}
	return record.Manifest{Format: record.Format, FormatVersion: record.FormatVersion, Totals: record.Totals{Jobs: 6, JobsSucceeded: 6, EndMS: 3600}}
}
