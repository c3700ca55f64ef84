package tables

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
)

// columnUnits are the units of columns by how their names end, the longest first.
var columnUnits = []struct{ suffix, unit string }{
	{"memory_mib_ms", "MiB ms"}, {"vcore_ms", "vcore ms"}, {"_core_ms", "core ms"}, {"_mib", "MiB"}, {"_ms", "ms"}, {"vcores", "vcores"}, {"cores", "cores"},
}

// columnAbouts say what columns are, by name, or by table and name where tables differ. docs/results.md says more.
var columnAbouts = map[string]string{
	"job": "number in the trace", "name": "of the job", "external_id": "name where it was recorded", "kind": "of application", "user": "who submitted it", "queue": "leaf queue; of samples any queue, empty for the cluster",
	"outcome": "success, failed or unfinished", "reason": "why it did not succeed", "recorded_outcome": "what the trace records",
	"depends_on": "jobs that the trace has it begin after", "own_submit_ms": "its own time, at which it would have been submitted if these had ended; null of a job that begins after no other", "held_by": "the job of these whose end it waited for last; null if it was not held back",
	"submit_ms": "time of submission", "am_scheduled_ms": "runnable in its queue", "am_allocated_ms": "container of the application master allocated", "am_registered_ms": "application master registered",
	"first_asked_ms": "first ask for containers", "first_allocated_ms": "first executor or task container allocated", "first_registered_ms": "first executor ready", "first_task_ms": "first task launched", "finish_ms": "end",
	"wait_job_first_task_ms": "submission to first task", "wait_job_part_queue_ms": "part of the wait: queue limits", "wait_job_part_am_allocation_ms": "part of the wait: until the AM container is allocated",
	"wait_job_part_am_start_ms": "part of the wait: until the AM registers", "wait_job_part_ask_ms": "part of the wait: until the first ask", "wait_job_part_allocation_ms": "part of the wait: until the first container is allocated",
	"wait_job_part_executor_start_ms": "part of the wait: until the first executor is ready", "wait_job_part_first_launch_ms": "part of the wait: until the first task is launched", "slowdown": "bounded slowdown",
	"stages": "in the trace", "tasks": "tasks in the trace; of containers, attempts launched in it", "tasks_succeeded": "distinct tasks of which an attempt succeeded", "tasks_failed": "the others", "task_attempts": "launched", "stage_attempts": "begun",
	"tasks_process_local": "successful attempts at PROCESS_LOCAL", "tasks_node_local": "at NODE_LOCAL", "tasks_no_pref": "at NO_PREF", "tasks_rack_local": "at RACK_LOCAL", "tasks_any": "at ANY",
	"tasks_preferring": "successful attempts whose task had preferred hosts", "tasks_preferred": "those on one", "containers": "executor and task containers allocated; of samples, running ones",
	"containers_preferring": "matched to a request that named hosts", "containers_preferred": "on one", "containers_rack_preferred": "on the rack of one", "containers_hinting": "allocated while tasks of active stages preferred hosts", "containers_hinted": "on such a host",
	"containers_wait_allocation_ms": "sum of the waits from ask to allocation", "containers_waited": "number of these waits", "tasks_wait_launch_ms": "sum of the waits from ready to launch", "tasks_waited": "number of these waits",
	"memory_mib_ms": "memory allocated, AM included", "vcore_ms": "vcores allocated, AM included", "task_useful_ms": "time of attempts whose result counted", "task_wasted_ms": "time of all other attempts that are over", "task_running_ms": "time of attempts that ran when the replay ended", "critical_path_ms": "longest chain of stages with a core for each task: what the run takes at least, but for speculative copies", "recorded_ms": "recorded run time",
	"am_attempt": "attempt of the application, from 1", "container": "number within the attempt of the application", "am": "whether it is an application master", "node": "number; nodes.parquet has its host and rack",
	"memory_mib": "memory", "vcores": "vcores", "priority": "of the request", "type": "the scheduler's locality", "match": "to the application's request", "miss": "why not on a preferred host", "hinting": "tasks preferred hosts when it was allocated", "hinted": "it is on such a host", "reserved": "it was reserved before",
	"asked_ms": "asked for", "allocated_ms": "allocated", "acquired_ms": "handed to the application", "started_ms": "process started", "registered_ms": "ready for tasks", "ended_ms": "ended in the ResourceManager", "exited_ms": "its process had gone", "end": "how it ended", "exit": "exit code",
	"cores": "of its executor, or held by the attempt", "busy_core_ms": "of its task attempts", "stage": "number in the job", "stage_attempt": "from 0", "task": "number in the stage", "attempt": "from 0", "ready_ms": "its stage was submitted, or it became pending again", "launch_ms": "launched",
	"freed_ms": "its cores are free again for the driver", "locality": "Spark's level at launch", "preferring": "its task had preferred hosts", "preferred": "it ran on one", "speculative": "a copy of a slow attempt", "duration_ms": "service time of the trace",
	"modelled_penalty_ms": "added for reading from elsewhere", "modelled_overhead_ms": "added for overheads", "time_ms": "simulated time", "used_memory_mib": "memory allocated", "used_vcores": "vcores allocated", "reserved_memory_mib": "memory reserved", "pending_memory_mib": "memory asked for and not allocated",
	"pending_vcores": "vcores asked for and not allocated", "demand_memory_mib": "used and pending memory", "demand_vcores": "used and pending vcores", "fair_memory_mib": "instantaneous fair share of memory", "fair_vcores": "instantaneous fair share of vcores",
	"steady_memory_mib": "steady fair share of memory", "steady_vcores": "steady fair share of vcores", "capacity_memory_mib": "memory of the cluster", "capacity_vcores": "vcores of the cluster", "busy_cores": "running tasks", "apps_running": "runnable applications", "apps_pending": "applications that a limit holds back",
	"nodes": "in the cluster", "host": "name of the node", "rack": "of the node", "registered": "whether the ResourceManager knows it", "draining": "whether it is being decommissioned", "seq": "order of decisions",
	"part": "of the job's time, from 0 in the order of time", "cause": "what it waited for or did", "until_first_task": "it is part of the wait for the first task", "from_ms": "when it began", "length_ms": "how long it was", "says": "numbers that held when it began", "ended_by": "what ended it",
	"took_ms": "first task to end", "modelled_ms": "the same by a simple model with all its executors from the start", "critical_stages": "the longest chain of stages", "infinite_executors_ms": "with a core for each task", "no_skew_ms": "were all tasks of a stage equally long", "no_task_ms": "in which no task ran",
	"of": "total, type, queue, job or unused", "named": "the currency, type of nodes or queue", "node_times": "times that a node of the type was in the cluster", "node_seconds": "of those times, as billed", "cost_units": "whole millionths of an hour's price times seconds", "cost": "the same in the currency",
	"executors": "most that it had at a time", "held_core_ms": "of executors, from ready to end", "used_core_ms": "of it, tasks ran", "curve": "time in ms from the first task on, over executors and their share of those that it had",
}

// Describe returns what the columns of R are as JSON: an object of units and words by column. It panics on a column without words, which
// a test of each table finds.
func Describe[R any]() string {
	type about struct {
		Unit  string `json:"unit,omitempty"`
		About string `json:"about"`
	}
	out := map[string]about{}
	t := reflect.TypeFor[R]()
	for _, f := range reflect.VisibleFields(t) {
		if f.Anonymous {
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("parquet"), ",")
		words, known := columnAbouts[name]
		if !known {
			panic("tables: column " + name + " has no description")
		}
		a := about{About: words}
		if k := slices.IndexFunc(columnUnits, func(u struct{ suffix, unit string }) bool { return strings.HasSuffix(name, u.suffix) }); k >= 0 {
			a.Unit = columnUnits[k].unit
		}
		out[name] = a
	}
	b, err := json.Marshal(out)
	if err != nil {
		panic(err) // texts always have a JSON form
	}
	return string(b)
}
