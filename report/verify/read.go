package verify

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"replay/trace/tablefile"
)

// The columns that the checks need. A time that did not happen is null in the files and [none] here.
const none = -1

type jobRow struct {
	ID              int64    `parquet:"job"`
	Kind            string   `parquet:"kind"`
	Queue           string   `parquet:"queue"`
	Outcome         string   `parquet:"outcome"`
	Submit          int64    `parquet:"submit_ms"`
	AMScheduled     *int64   `parquet:"am_scheduled_ms"`
	AMAllocated     *int64   `parquet:"am_allocated_ms"`
	AMRegistered    *int64   `parquet:"am_registered_ms"`
	FirstAsked      *int64   `parquet:"first_asked_ms"`
	FirstAllocated  *int64   `parquet:"first_allocated_ms"`
	FirstRegistered *int64   `parquet:"first_registered_ms"`
	FirstTask       *int64   `parquet:"first_task_ms"`
	Finish          *int64   `parquet:"finish_ms"`
	Wait            *int64   `parquet:"wait_job_first_task_ms"`
	Part0           *int64   `parquet:"wait_job_part_queue_ms"`
	Part1           *int64   `parquet:"wait_job_part_am_allocation_ms"`
	Part2           *int64   `parquet:"wait_job_part_am_start_ms"`
	Part3           *int64   `parquet:"wait_job_part_ask_ms"`
	Part4           *int64   `parquet:"wait_job_part_allocation_ms"`
	Part5           *int64   `parquet:"wait_job_part_executor_start_ms"`
	Part6           *int64   `parquet:"wait_job_part_first_launch_ms"`
	Slowdown        *float64 `parquet:"slowdown"`
	Tasks           int64    `parquet:"tasks"`
	TasksSucceeded  int64    `parquet:"tasks_succeeded"`
	TasksFailed     int64    `parquet:"tasks_failed"`
	Attempts        int64    `parquet:"task_attempts"`
	ProcessLocal    int64    `parquet:"tasks_process_local"`
	NodeLocal       int64    `parquet:"tasks_node_local"`
	NoPref          int64    `parquet:"tasks_no_pref"`
	RackLocal       int64    `parquet:"tasks_rack_local"`
	Any             int64    `parquet:"tasks_any"`
	TasksPreferring int64    `parquet:"tasks_preferring"`
	TasksPreferred  int64    `parquet:"tasks_preferred"`
	Containers      int64    `parquet:"containers"`
	Preferring      int64    `parquet:"containers_preferring"`
	Preferred       int64    `parquet:"containers_preferred"`
	RackPreferred   int64    `parquet:"containers_rack_preferred"`
	Hinting         int64    `parquet:"containers_hinting"`
	Hinted          int64    `parquet:"containers_hinted"`
	AskMS           int64    `parquet:"containers_wait_allocation_ms"`
	Asks            int64    `parquet:"containers_waited"`
	TaskWaitMS      int64    `parquet:"tasks_wait_launch_ms"`
	TaskWaits       int64    `parquet:"tasks_waited"`
	MemMiBMS        int64    `parquet:"memory_mib_ms"`
	VCoreMS         int64    `parquet:"vcore_ms"`
	UsefulMS        int64    `parquet:"task_useful_ms"`
	WastedMS        int64    `parquet:"task_wasted_ms"`
	RunningMS       int64    `parquet:"task_running_ms"`
	CriticalPathMS  int64    `parquet:"critical_path_ms"`
}

type containerRow struct {
	Job        int64  `parquet:"job"`
	AMAttempt  int64  `parquet:"am_attempt"`
	Number     int64  `parquet:"container"`
	AM         bool   `parquet:"am"`
	Node       int32  `parquet:"node"`
	Queue      string `parquet:"queue"`
	MemMiB     int64  `parquet:"memory_mib"`
	VCores     int64  `parquet:"vcores"`
	Match      string `parquet:"match"`
	Hinting    bool   `parquet:"hinting"`
	Hinted     bool   `parquet:"hinted"`
	Asked      *int64 `parquet:"asked_ms"`
	Allocated  *int64 `parquet:"allocated_ms"`
	Acquired   *int64 `parquet:"acquired_ms"`
	Started    *int64 `parquet:"started_ms"`
	Registered *int64 `parquet:"registered_ms"`
	Ended      *int64 `parquet:"ended_ms"`
	Exited     *int64 `parquet:"exited_ms"`
	End        string `parquet:"end"`
	Cores      int64  `parquet:"cores"`
	Tasks      int64  `parquet:"tasks"`
	BusyMS     int64  `parquet:"busy_core_ms"`
}

type taskRow struct {
	Job          int64  `parquet:"job"`
	AMAttempt    int64  `parquet:"am_attempt"`
	Stage        int32  `parquet:"stage"`
	StageAttempt int32  `parquet:"stage_attempt"`
	Index        int32  `parquet:"task"`
	Attempt      int32  `parquet:"attempt"`
	Container    int64  `parquet:"container"`
	Node         int32  `parquet:"node"`
	Ready        int64  `parquet:"ready_ms"`
	Launch       int64  `parquet:"launch_ms"`
	Freed        *int64 `parquet:"freed_ms"`
	Finish       *int64 `parquet:"finish_ms"`
	Cores        int32  `parquet:"cores"`
	Level        string `parquet:"locality"`
	Preferring   bool   `parquet:"preferring"`
	Preferred    bool   `parquet:"preferred"`
	End          string `parquet:"end"`
}

type sampleRow struct {
	Time           int64  `parquet:"time_ms"`
	Queue          string `parquet:"queue"`
	UsedMem        int64  `parquet:"used_memory_mib"`
	UsedVCores     int64  `parquet:"used_vcores"`
	CapacityMem    int64  `parquet:"capacity_memory_mib"`
	CapacityVCores int64  `parquet:"capacity_vcores"`
	BusyCores      int64  `parquet:"busy_cores"`
	Containers     int64  `parquet:"containers"`
	Nodes          int64  `parquet:"nodes"`
}

type nodeRow struct {
	Time       int64 `parquet:"time_ms"`
	Node       int32 `parquet:"node"`
	MemMiB     int64 `parquet:"memory_mib"`
	VCores     int64 `parquet:"vcores"`
	Registered bool  `parquet:"registered"`
	Draining   bool  `parquet:"draining"`
}

type decisionRow struct {
	Seq  int64  `parquet:"seq"`
	Time int64  `parquet:"time_ms"`
	Kind string `parquet:"kind"`
}

// or returns a time, [none] for null.
func or(t *int64) int64 {
	if t == nil {
		return none
	}
	return *t
}

// rows calls each with every row of a table, in order.
func rows[R any](v *verifier, name string, each func(row int64, r *R)) error {
	path := filepath.Join(v.dir, name)
	f, err := tablefile.Open(path)
	if err != nil {
		return inFile(path, err)
	}
	defer f.Close()
	err = tablefile.Rows(f, func(row int64, r *R) error { each(row, r); return nil })
	return inFile(path, err)
}

// inFile is an error with its file.
func inFile(path string, err error) error {
	var named *fs.PathError
	if err == nil || errors.As(err, &named) {
		return err
	}
	return fmt.Errorf("%s: %w", path, err)
}
