package reporttest

import (
	"replay/engine/record"
)

// ByHand gives records small enough to compute every metric on paper: three jobs in two queues
// on a cluster of 10,000 MiB and 10 vcores, over 10 s.
func ByHand(sink record.Sink) record.Manifest {
	task := func(job int64, i int32, ready, launch, finish int64, level record.TaskLevel, more func(*record.Task)) {
		t := record.Task{Job: job, Index: i, Container: 2, Ready: ready, Launch: launch, Finish: finish, Level: level, End: record.TaskSuccess, DurationMS: finish - launch}
		if more != nil {
			more(&t)
		}
		sink.Task(&t)
	}
	task(0, 0, 2600, 2600, 3600, record.TaskNodeLocal, func(t *record.Task) { t.Preferring, t.Preferred, t.DurationMS, t.OverheadMS = true, true, 900, 100 })
	task(0, 1, 2600, 2700, 3700, record.ProcessLocal, func(t *record.Task) { t.Preferring, t.Preferred = true, true })
	task(0, 2, 2600, 2800, 3800, record.NoPref, func(t *record.Task) { t.End = record.TaskFailed })
	task(0, 2, 3800, 3900, 4900, record.AnyLevel, func(t *record.Task) {
		t.Preferring, t.Miss, t.DurationMS, t.PenaltyMS = true, record.NoExecutor, 900, 100
	})
	task(0, 3, 4900, 4900, 5900, record.NoPref, nil)
	for i := range int64(12) {
		task(1, int32(i), 3000, 3000+10*i, 3400+10*i, record.NoPref, nil)
	}
	container := func(c record.Container) { sink.Container(&c) }
	container(record.Container{Job: 0, Number: 1, AM: true, Queue: "root.a", MemMiB: 1000, VCores: 1, Allocated: 300, Started: 400, Registered: 1000, Ended: 6000, End: record.EndCompleted})
	container(record.Container{Job: 0, Number: 2, Queue: "root.a", MemMiB: 2000, VCores: 2, Match: record.OnHost, Hinting: true, Hinted: true, Asked: 1000, Allocated: 1500, Started: 1800, Registered: 2500, Ended: 6000, End: record.EndReleased, BusyMS: 3000})
	container(record.Container{Job: 0, Number: 3, Queue: "root.a", MemMiB: 2000, VCores: 2, Match: record.Elsewhere, Miss: record.HostBusy, Hinting: true, Asked: 1000, Allocated: 2000, Started: record.None, Registered: record.None, Ended: 2500, End: record.EndUnused})
	container(record.Container{Job: 1, Number: 1, AM: true, Queue: "root.b", MemMiB: 1000, VCores: 1, Allocated: 1000, Started: 1200, Registered: 2000, Ended: 9000, End: record.EndCompleted})
	container(record.Container{Job: 1, Number: 2, Queue: "root.b", MemMiB: 4000, VCores: 1, Match: record.OnRack, Miss: record.DelayOver, Asked: 2200, Allocated: 2400, Started: 2500, Registered: 3000, Ended: 9000, End: record.EndReleased, BusyMS: 5000})
	container(record.Container{Job: 1, Number: 3, Queue: "root.b", MemMiB: 4000, VCores: 1, Asked: 2200, Allocated: 3200, Started: 3300, Registered: 4000, Ended: 9000, End: record.EndReleased})
	sink.Job(&record.Job{
		ID: 0, Name: "first", Queue: "root.a", Outcome: record.JobSucceeded, Submit: 0, AMScheduled: 100, AMAllocated: 300, AMRegistered: 1000,
		FirstAsked: 1000, FirstAllocated: 1500, FirstRegistered: 2500, FirstTask: 2600, Finish: 6000, Tasks: 4, TasksSucceeded: 4, Attempts: 5,
		TaskLevels: [5]int64{1, 1, 1, 0, 1}, TasksPreferring: 3, TasksPreferred: 2, Containers: 2, ContainersPreferring: 2, ContainersPreferred: 1, ContainersHinting: 2, ContainersHinted: 1,
		TaskMS: 4000, WastedTaskMS: 1000, CriticalPathMS: 2000, RecordedMS: record.None,
	})
	sink.Job(&record.Job{
		ID: 1, Name: "second", Queue: "root.b", Outcome: record.JobSucceeded, Submit: 1000, AMScheduled: 1000, AMAllocated: 1000, AMRegistered: 2000,
		FirstAsked: 2200, FirstAllocated: 2400, FirstRegistered: 3000, FirstTask: 3000, Finish: 9000, Tasks: 12, TasksSucceeded: 12, Attempts: 12,
		TaskLevels: [5]int64{0, 0, 12, 0, 0}, Containers: 2, ContainersPreferring: 1, ContainersRackPreferred: 1,
		TaskMS: 4800, CriticalPathMS: 500, RecordedMS: record.None,
	})
	sink.Job(&record.Job{
		ID: 2, Name: "third", Queue: "root.b", Outcome: record.JobUnfinished, Reason: "the replay ended", Submit: 2000, AMScheduled: record.None, AMAllocated: record.None,
		AMRegistered: record.None, FirstAsked: record.None, FirstAllocated: record.None, FirstRegistered: record.None, FirstTask: record.None, Finish: record.None, Tasks: 5, RecordedMS: record.None,
	})
	for n := range int32(2) {
		sink.Node(&record.Node{Node: n, MemMiB: 5000, VCores: 5, Registered: true})
	}
	sample := func(s record.Sample) { sink.Sample(&s) }
	both := func(at, mem, vcores int64) {
		sample(record.Sample{Time: at, UsedMem: mem, UsedVCores: vcores, CapacityMem: 10_000, CapacityVCores: 10, Nodes: 2, FairMem: 10_000, SteadyMem: 10_000})
		sample(record.Sample{Time: at, Queue: "root", UsedMem: mem, UsedVCores: vcores, DemandMem: 20_000, FairMem: 10_000, SteadyMem: 10_000, PendingMem: 5000})
	}
	both(0, 4000, 6)
	sample(record.Sample{Time: 0, Queue: "root.a", UsedMem: 3000, UsedVCores: 2, DemandMem: 6000, FairMem: 5000, SteadyMem: 5000, PendingMem: 3000})
	sample(record.Sample{Time: 0, Queue: "root.b", UsedMem: 1000, UsedVCores: 4, DemandMem: 1000, FairMem: 5000, SteadyMem: 5000})
	both(5000, 6000, 9)
	sample(record.Sample{Time: 5000, Queue: "root.a", UsedMem: 2000, UsedVCores: 1, DemandMem: 5000, FairMem: 5000, SteadyMem: 5000, PendingMem: 3000})
	sample(record.Sample{Time: 5000, Queue: "root.b", UsedMem: 4000, UsedVCores: 8, DemandMem: 8000, FairMem: 5000, SteadyMem: 5000, PendingMem: 4000})
	return record.Manifest{Format: record.Format, FormatVersion: record.FormatVersion, TraceName: "by hand", Totals: record.Totals{
		Jobs: 3, JobsSucceeded: 2, JobsUnfinished: 1, Tasks: 21, TasksSucceeded: 16, TaskAttempts: 17, ContainersAllocated: 6, ContainersEnded: 6, EndMS: 10_000,
	}}
}
