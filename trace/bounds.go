package trace

import (
	"fmt"
	"math"
)

// What a value of a trace may be at most. No recording comes near, and no sum or product of a replay leaves what its numbers hold.
const (
	LatestMS   = 100 * 366 * 24 * 3600_000 // a time from the origin: 100 years
	LongestMS  = 366 * 24 * 3600_000       // a duration, such as that of a task: a year
	MostMemMiB = 1 << 27                   // of a node or container: 128 TiB
	MostVCores = 1 << 17                   // of a node or container: 131,072
	MostNodes  = 1_000_000                 // that a user asks for: a billion do not fit the memory, and no cluster has been built of more than some ten thousand
	MostBytes  = 1 << 50                   // read or written by a task, or of a stage: 1 PiB
	MostAmount = 1 << 40                   // of a further resource
	MostFactor = 1000                      // on a duration
	MostWeight = 1e9                       // of a queue or user
	MostExtra  = 32                        // further resources of a node, task or container
)

// A bound is the least and the largest value of a column; an optional one may be null, too.
type bound struct {
	least, most int64
	null        bool
	about       string // the largest value in words
}

// orNull is the bound of an optional column.
func (b bound) orNull() bound {
	b.null = true
	return b
}

// holds reports whether a value is within the bound; null stands as [Unset].
func (b bound) holds(v int64) bool { return v >= b.least && v <= b.most || b.null && v == Unset }

// holdsAll reports whether all values from least to most are within the bound.
func (b bound) holdsAll(least, most int64) bool {
	return (least >= b.least || least == Unset && b.null && b.least == 0) && most <= b.most
}

func (b bound) String() string {
	text := fmt.Sprintf("%d to %d", b.least, b.most)
	if b.about != "" {
		text += " (" + b.about + ")"
	}
	if b.null {
		text += ", or null"
	}
	return text
}

var (
	aTime     = bound{most: LatestMS, about: "100 years"}
	aDuration = bound{most: LongestMS, about: "a year"}
	aMemory   = bound{most: MostMemMiB, about: "128 TiB"}
	cores     = bound{most: MostVCores}
	aSize     = bound{most: MostBytes, about: "1 PiB"}
	aCount    = bound{most: math.MaxInt32}
	aFile     = bound{most: 1 << 60, about: "1 EiB"}
)

// bounds are those of every column that holds an amount, by table and column. Writer, reader and Check apply them, and so everything that
// makes or takes a trace.
var bounds = map[string]map[string]bound{
	tableNodes: {"rack_id": aCount, "mem_mib": aMemory, "vcores": cores},
	tableEvents: {
		"time_ms": aTime, "seq": aCount, "mem_mib": aMemory.orNull(), "vcores": cores.orNull(), "drain_timeout_ms": aDuration.orNull(), "group_id": aCount.orNull(),
	},
	tableQueues: {
		"min_mem_mib": bound{most: 1 << 40}.orNull(), "max_mem_mib": bound{most: 1 << 40}.orNull(), // of all nodes together
		"min_vcores": aCount.orNull(), "max_vcores": aCount.orNull(), "max_apps": aCount.orNull(),
	},
	tableFiles: {"bytes": aFile, "block_bytes": aFile, "blocks": aCount, "replication": aCount},
	tableJobs: {
		"submit_ms": aTime, "am_mem_mib": aMemory, "am_vcores": cores, "exec_mem_mib": aMemory.orNull(), "exec_vcores": cores.orNull(), "task_cpus": cores.orNull(),
		"min_execs": aCount.orNull(), "max_execs": aCount.orNull(), "initial_execs": aCount.orNull(),
		"think_ms": aDuration.orNull(), "tail_ms": aDuration.orNull(), "recorded_start_ms": aTime.orNull(), "recorded_finish_ms": aTime.orNull(),
	},
	tableStages: {
		"task_mem_mib": aMemory, "task_vcores": cores, "task_milli_vcores": bound{most: 1000 * MostVCores}.orNull(), "priority": aCount.orNull(),
		"shuffle_read_bytes": aFile.orNull(), "delay_ms": aDuration.orNull(), "spark_job": aCount.orNull(), "profile": aCount, "exec_mem_mib": aMemory, "exec_vcores": cores, "exec_tasks": aCount,
	},
	tableTasks: {
		"duration_ms": aDuration, "input_bytes": aSize, "mem_mib": aMemory.orNull(), "vcores": cores.orNull(), "retries": aCount.orNull(),
		"recorded_wait_ms": aDuration.orNull(), "deserialize_ms": aDuration.orNull(), "sched_delay_ms": aDuration.orNull(),
		"shuffle_read_bytes": aSize.orNull(), "shuffle_write_bytes": aSize.orNull(),
	},
	tableExecutors: {"executor_id": aCount, "vcores": cores, "mem_mib": aMemory, "profile": aCount, "added_ms": aTime, "removed_ms": aTime.orNull()},
}

// A field is an amount in a column of a row, and its bound.
type field struct {
	column string
	bound
}

// fieldsOf are columns of a table with their bounds, which are looked up once.
func fieldsOf(table string, columns ...string) (list []field) {
	for _, c := range columns {
		b, ok := bounds[table][c]
		if !ok {
			panic("no bound of " + table + "." + c)
		}
		list = append(list, field{c, b})
	}
	return list
}

// The columns of amounts that rows are checked by, in the order in which their values are given.
var (
	nodeFields  = fieldsOf(tableNodes, "rack_id", "mem_mib", "vcores")
	eventFields = fieldsOf(tableEvents, "time_ms", "seq", "mem_mib", "vcores", "drain_timeout_ms", "group_id")
	queueFields = fieldsOf(tableQueues, "min_mem_mib", "max_mem_mib", "min_vcores", "max_vcores", "max_apps")
	fileFields  = fieldsOf(tableFiles, "bytes", "block_bytes", "blocks", "replication")
	jobFields   = fieldsOf(tableJobs, "submit_ms", "am_mem_mib", "am_vcores", "exec_mem_mib", "exec_vcores", "task_cpus", "min_execs", "max_execs", "initial_execs", "think_ms", "tail_ms", "recorded_start_ms",
		"recorded_finish_ms")
	stageFields    = fieldsOf(tableStages, "task_mem_mib", "task_vcores", "task_milli_vcores", "priority", "shuffle_read_bytes", "delay_ms", "spark_job", "profile", "exec_mem_mib", "exec_vcores", "exec_tasks")
	taskFields     = fieldsOf(tableTasks, "duration_ms", "input_bytes", "mem_mib", "vcores", "retries", "recorded_wait_ms", "deserialize_ms", "sched_delay_ms", "shuffle_read_bytes", "shuffle_write_bytes")
	executorFields = fieldsOf(tableExecutors, "executor_id", "vcores", "mem_mib", "profile", "added_ms", "removed_ms")
)

// fields checks amounts of a row against their bounds.
func (r *rules) fields(table string, row int64, fields []field, values ...int64) error {
	for i := range fields {
		if f := &fields[i]; !f.holds(values[i]) {
			if err := r.bad(table, row, f.column, values[i], "%v", f.bound); err != nil {
				return err
			}
		}
	}
	return nil
}

// numbers checks a column of tasks; row is that of the first.
func numbers[T int32 | int64](r *rules, row int64, f *field, v []T) error {
	if len(v) == 0 {
		return nil
	}
	least, most := v[0], v[0]
	for _, x := range v {
		least, most = min(least, x), max(most, x)
	}
	if f.holdsAll(int64(least), int64(most)) {
		return nil
	}
	for i, x := range v {
		if !f.holds(int64(x)) {
			if err := r.bad(tableTasks, row+int64(i), f.column, x, "%v", f.bound); err != nil {
				return err
			}
		}
	}
	return nil
}
