package result

import (
	"cmp"
	"errors"
	"fmt"

	"replay/engine/record"
	"replay/report/tables"
	"replay/trace/tablefile"
)

// since refuses a time that happened before another one, or without it. No replay has one, and what is made of their difference relies on it.
func since(what string, at int64, first string, from int64) error {
	if !Happened(at) || from >= 0 && at >= from {
		return nil
	}
	return fmt.Errorf("%s is %d, want no time before %s, which is %d", what, at, first, from)
}

// A number is a column of a table with the field that its values go to.
type number struct {
	to     *int64
	column *tablefile.Column[int64]
}

// set puts row i of a batch into the fields.
func set(fields []number, i int) {
	for k := range fields {
		f := &fields[k]
		*f.to = f.column.V[i]
	}
}

// readContainers gives what is kept of containers to the collector.
func (c *Collector) readContainers(t *tables.Columns) func(int) error {
	job, number, am, node, queue := t.Int64s("job"), t.Int64s("container"), t.Bools("am"), t.Int32s("node"), t.Texts("queue")
	mem, vcores := t.Int64s("memory_mib"), t.Int64s("vcores")
	hinting, hinted := t.Bools("hinting"), t.Bools("hinted")
	asked, allocated, started, registered, ended := t.Int64s("asked_ms"), t.Int64s("allocated_ms"), t.Int64s("started_ms"), t.Int64s("registered_ms"), t.Int64s("ended_ms")
	end, busy := t.Texts("end"), t.Int64s("busy_core_ms")
	miss, misses := tables.Enumerated(t, "miss", parseMiss)
	match, matches := tables.Enumerated(t, "match", func(s string) (record.Match, error) {
		return parse("match", s, record.Unmatched+1, record.Match.String)
	})
	var r record.Container
	return func(i int) error {
		r.Job, r.Number, r.AM, r.Node, r.Queue, r.MemMiB, r.VCores = job.V[i], number.V[i], am.V[i], node.V[i], queue.V[i], mem.V[i], vcores.V[i]
		r.Hinting, r.Hinted, r.End, r.BusyMS = hinting.V[i], hinted.V[i], end.V[i], busy.V[i]
		r.Asked, r.Allocated, r.Started, r.Registered, r.Ended = asked.V[i], allocated.V[i], started.V[i], registered.V[i], ended.V[i]
		r.Match, r.Miss = match.V[i], miss.V[i]
		err := cmp.Or(matches.Err(r.Match), misses.Err(r.Miss), since("started_ms", r.Started, "allocated_ms", r.Allocated),
			since("registered_ms", r.Registered, "allocated_ms", r.Allocated), since("ended_ms", r.Ended, "allocated_ms", r.Allocated))
		if Happened(r.Asked) {
			err = cmp.Or(err, since("allocated_ms", r.Allocated, "asked_ms", r.Asked))
		}
		if err != nil {
			return err
		}
		c.Container(&r)
		return nil
	}
}

// readTasks gives what is kept of task attempts to the collector.
func (c *Collector) readTasks(t *tables.Columns) func(int) error {
	job, node, ready, launch, finish := t.Int64s("job"), t.Int32s("node"), t.Int64s("ready_ms"), t.Int64s("launch_ms"), t.Int64s("finish_ms")
	preferring, preferred := t.Bools("preferring"), t.Bools("preferred")
	speculative, end := t.Bools("speculative"), t.Texts("end")
	duration, penalty, overhead := t.Int64s("duration_ms"), t.Int64s("modelled_penalty_ms"), t.Int64s("modelled_overhead_ms")
	miss, misses := tables.Enumerated(t, "miss", parseMiss)
	level, levels := tables.Enumerated(t, "locality", func(s string) (record.TaskLevel, error) {
		return parse("locality", s, record.AnyLevel+1, record.TaskLevel.String)
	})
	var r record.Task
	return func(i int) error {
		r.Job, r.Node, r.Ready, r.Launch, r.Finish = job.V[i], node.V[i], ready.V[i], launch.V[i], finish.V[i]
		r.Preferring, r.Preferred, r.Speculative, r.End = preferring.V[i], preferred.V[i], speculative.V[i], end.V[i]
		r.DurationMS, r.PenaltyMS, r.OverheadMS = duration.V[i], penalty.V[i], overhead.V[i]
		r.Level, r.Miss = level.V[i], miss.V[i]
		err := cmp.Or(levels.Err(r.Level), misses.Err(r.Miss), since("launch_ms", r.Launch, "ready_ms", r.Ready), since("finish_ms", r.Finish, "launch_ms", r.Launch))
		if !Happened(r.Launch) {
			err = cmp.Or(err, errors.New("launch_ms is -1, want a time"))
		}
		if err != nil {
			return err
		}
		c.Task(&r)
		return nil
	}
}

// readSamples gives samples to the collector.
func (c *Collector) readSamples(t *tables.Columns) func(int) error {
	var s record.Sample
	queue, at := t.Texts("queue"), t.Int64s("time_ms")
	fields := []number{
		{&s.UsedMem, t.Int64s("used_memory_mib")},
		{&s.UsedVCores, t.Int64s("used_vcores")},
		{&s.ReservedMem, t.Int64s("reserved_memory_mib")},
		{&s.PendingMem, t.Int64s("pending_memory_mib")},
		{&s.PendingVCores, t.Int64s("pending_vcores")},
		{&s.DemandMem, t.Int64s("demand_memory_mib")},
		{&s.DemandVCores, t.Int64s("demand_vcores")},
		{&s.FairMem, t.Int64s("fair_memory_mib")},
		{&s.FairVCores, t.Int64s("fair_vcores")},
		{&s.SteadyMem, t.Int64s("steady_memory_mib")},
		{&s.SteadyVCores, t.Int64s("steady_vcores")},
		{&s.CapacityMem, t.Int64s("capacity_memory_mib")},
		{&s.CapacityVCores, t.Int64s("capacity_vcores")},
		{&s.BusyCores, t.Int64s("busy_cores")},
		{&s.Running, t.Int64s("apps_running")},
		{&s.Pending, t.Int64s("apps_pending")},
		{&s.Containers, t.Int64s("containers")},
		{&s.Nodes, t.Int64s("nodes")},
	}
	return func(i int) error {
		s.Time, s.Queue = at.V[i], queue.V[i]
		set(fields, i)
		c.Sample(&s)
		return nil
	}
}

// readJobs gives jobs to take, with the sums that their rows have. What else a row has follows from it.
func readJobs(t *tables.Columns, take func(*Job)) func(int) error {
	var j Job
	texts := []struct {
		to     *string
		column *tablefile.Column[string]
	}{
		{&j.Name, t.Texts("name")},
		{&j.ExternalID, t.Texts("external_id")},
		{&j.Kind, t.Texts("kind")},
		{&j.User, t.Texts("user")},
		{&j.Queue, t.Texts("queue")},
		{&j.Outcome, t.Texts("outcome")},
		{&j.Reason, t.Texts("reason")},
		{&j.Recorded, t.Texts("recorded_outcome")},
	}
	fields := []number{
		{&j.ID, t.Int64s("job")},
		{&j.Submit, t.Int64s("submit_ms")},
		{&j.AMScheduled, t.Int64s("am_scheduled_ms")},
		{&j.AMAllocated, t.Int64s("am_allocated_ms")},
		{&j.AMRegistered, t.Int64s("am_registered_ms")},
		{&j.FirstAsked, t.Int64s("first_asked_ms")},
		{&j.FirstAllocated, t.Int64s("first_allocated_ms")},
		{&j.FirstRegistered, t.Int64s("first_registered_ms")},
		{&j.FirstTask, t.Int64s("first_task_ms")},
		{&j.Finish, t.Int64s("finish_ms")},
		{&j.Stages, t.Int64s("stages")},
		{&j.Tasks, t.Int64s("tasks")},
		{&j.TasksSucceeded, t.Int64s("tasks_succeeded")},
		{&j.TasksFailed, t.Int64s("tasks_failed")},
		{&j.Attempts, t.Int64s("task_attempts")},
		{&j.StageAttempts, t.Int64s("stage_attempts")},
		{&j.TasksPreferring, t.Int64s("tasks_preferring")},
		{&j.TasksPreferred, t.Int64s("tasks_preferred")},
		{&j.Containers, t.Int64s("containers")},
		{&j.ContainersPreferring, t.Int64s("containers_preferring")},
		{&j.ContainersPreferred, t.Int64s("containers_preferred")},
		{&j.ContainersRackPreferred, t.Int64s("containers_rack_preferred")},
		{&j.ContainersHinting, t.Int64s("containers_hinting")},
		{&j.ContainersHinted, t.Int64s("containers_hinted")},
		{&j.MemMiBMS, t.Int64s("memory_mib_ms")},
		{&j.VCoreMS, t.Int64s("vcore_ms")},
		{&j.TaskMS, t.Int64s("task_useful_ms")},
		{&j.WastedTaskMS, t.Int64s("task_wasted_ms")},
		{&j.RunningTaskMS, t.Int64s("task_running_ms")},
		{&j.CriticalPathMS, t.Int64s("critical_path_ms")},
		{&j.RecordedMS, t.Int64s("recorded_ms")},
		{&j.AskMS, t.Int64s("containers_wait_allocation_ms")},
		{&j.Asks, t.Int64s("containers_waited")},
		{&j.TaskWaitMS, t.Int64s("tasks_wait_launch_ms")},
		{&j.TaskWaits, t.Int64s("tasks_waited")},
		{&j.TaskLevels[0], t.Int64s("tasks_process_local")},
		{&j.TaskLevels[1], t.Int64s("tasks_node_local")},
		{&j.TaskLevels[2], t.Int64s("tasks_no_pref")},
		{&j.TaskLevels[3], t.Int64s("tasks_rack_local")},
		{&j.TaskLevels[4], t.Int64s("tasks_any")},
	}
	depends := readDepends(t, &j)
	return func(i int) error {
		for k := range texts {
			f := &texts[k]
			*f.to = f.column.V[i]
		}
		set(fields, i)
		if err := depends(i); err != nil {
			return err
		}
		take(&j)
		return nil
	}
}
