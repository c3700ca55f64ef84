package trace

import (
	"strings"

	"github.com/parquet-go/parquet-go"
)

// The tables. The struct tags are the schema: name, nullability and encoding of each column;
// int64 columns without an encoding are delta encoded (see writerOptions). The reader takes
// names, types and nullability from here too.
const (
	tableNodes     = "nodes"
	tableEvents    = "node_events"
	tableQueues    = "queues"
	tableUsers     = "users"
	tableJobs      = "jobs"
	tableStages    = "stages"
	tableTasks     = "tasks"
	tableFiles     = "files"
	tableExecutors = "executors"
)

// isTable reports whether a file of a trace is one of its tables, or a part of one.
func isTable(name string) bool {
	base, ok := strings.CutSuffix(name, ".parquet")
	if !ok {
		return false
	}
	switch base {
	case tableNodes, tableEvents, tableQueues, tableUsers, tableJobs, tableStages, tableFiles, tableExecutors:
		return true
	}
	return strings.HasPrefix(base, tableTasks)
}

// rowsPerGroup is the size of a row group, which is in memory until it is whole.
const rowsPerGroup = 131_072

// tasksPerGroup is that of tasks, about 1.5 MB on disk. Where files are read again, half as many take up to 1.1 bytes a task more, and twice as many up to
// 1.2 less, but twice the memory.
const tasksPerGroup = 262_144

// dictionaryBytes is what the texts of a column may take before they are written as they are up to the end of the row group: those of which each row has another,
// such as names of jobs, gain nothing from a dictionary that is in memory until then.
const dictionaryBytes = 64 << 10

// The sizes of a page. A column of a table that the library writes takes as much as one up to its end, and tables have many columns.
const (
	pageBytes        = 64 << 10
	pageBytesOfTasks = 256 << 10
)

type valueRow struct {
	Name  string `parquet:"name,dict"`
	Value int64  `parquet:"value,dict"`
}

type confRow struct {
	Key   string `parquet:"key,dict"`
	Value string `parquet:"value,dict"`
}

type nodeRow struct {
	ID      int32      `parquet:"node_id,delta"`
	Host    string     `parquet:"host,plain"`
	RackID  int32      `parquet:"rack_id,dict"`
	Rack    string     `parquet:"rack,dict"`
	MemMiB  int64      `parquet:"mem_mib,dict"`
	VCores  int32      `parquet:"vcores,dict"`
	Labels  []string   `parquet:"labels,list,optional" parquet-element:",dict"`
	Extra   []valueRow `parquet:"extra,list,optional"`
	Present bool       `parquet:"present_at_start,plain"`
}

type eventRow struct {
	TimeMS       int64  `parquet:"time_ms,delta"`
	Seq          int32  `parquet:"seq,delta"`
	Node         int32  `parquet:"node_id,dict"`
	Kind         string `parquet:"kind,dict"`
	MemMiB       *int64 `parquet:"mem_mib,optional,dict"`
	VCores       *int32 `parquet:"vcores,optional,dict"`
	DrainTimeout *int64 `parquet:"drain_timeout_ms,optional,dict"`
	Reason       string `parquet:"reason,optional,dict"`
	Group        *int32 `parquet:"group_id,optional,dict"`
}

type queueRow struct {
	ID        int32    `parquet:"queue_id,delta"`
	Path      string   `parquet:"path,plain"`
	Parent    *int32   `parquet:"parent_id,optional,dict"`
	Weight    *float64 `parquet:"weight,optional"`
	MinMemMiB *int64   `parquet:"min_mem_mib,optional,dict"`
	MaxMemMiB *int64   `parquet:"max_mem_mib,optional,dict"`
	MinVCores *int32   `parquet:"min_vcores,optional,dict"`
	MaxVCores *int32   `parquet:"max_vcores,optional,dict"`
	MaxApps   *int32   `parquet:"max_apps,optional,dict"`
	AMShare   *float64 `parquet:"am_share,optional"`
	Policy    string   `parquet:"policy,optional,dict"`
}

type userRow struct {
	ID     int32    `parquet:"user_id,delta"`
	Name   string   `parquet:"name,plain"`
	Weight *float64 `parquet:"weight,optional"`
}

type jobRow struct {
	ID              int64     `parquet:"job_id,delta"`
	SubmitMS        int64     `parquet:"submit_ms,delta"`
	User            int32     `parquet:"user_id,dict"`
	Queue           int32     `parquet:"queue_id,dict"`
	Priority        int32     `parquet:"priority,dict"`
	Kind            string    `parquet:"kind,dict"`
	AMMemMiB        int64     `parquet:"am_mem_mib,dict"`
	AMVCores        int32     `parquet:"am_vcores,dict"`
	ExecMemMiB      *int64    `parquet:"exec_mem_mib,optional,dict"`
	ExecVCores      *int32    `parquet:"exec_vcores,optional,dict"`
	TaskCPUs        *int32    `parquet:"task_cpus,optional,dict"`
	MinExecs        *int32    `parquet:"min_execs,optional,dict"`
	MaxExecs        *int32    `parquet:"max_execs,optional,dict"`
	InitialExecs    *int32    `parquet:"initial_execs,optional,dict"`
	NumStages       int32     `parquet:"num_stages,dict"`
	NumTasks        int64     `parquet:"num_tasks,delta"`
	FirstTaskRow    int64     `parquet:"first_task_row,delta"`
	DependsOn       []int64   `parquet:"depends_on,list,optional"`
	ThinkMS         *int64    `parquet:"think_ms,optional"`
	TailMS          *int64    `parquet:"tail_ms,optional"`
	Name            string    `parquet:"name,optional,dict"`
	ExternalID      string    `parquet:"external_id,optional,plain"`
	RecordedStart   *int64    `parquet:"recorded_start_ms,optional"`
	RecordedFinish  *int64    `parquet:"recorded_finish_ms,optional"`
	RecordedOutcome string    `parquet:"recorded_outcome,optional,dict"`
	Conf            []confRow `parquet:"conf,list,optional"`
}

type stageRow struct {
	Job           int64      `parquet:"job_id,delta"`
	ID            int32      `parquet:"stage_id,dict"`
	Parents       []int32    `parquet:"parents,list" parquet-element:",dict"`
	NumTasks      int32      `parquet:"num_tasks,dict"`
	MemMiB        int64      `parquet:"task_mem_mib,dict"`
	VCores        int32      `parquet:"task_vcores,dict"`
	MilliVCores   *int32     `parquet:"task_milli_vcores,optional,dict"`
	Extra         []valueRow `parquet:"extra,list,optional"`
	Kind          string     `parquet:"kind,dict"`
	Priority      *int32     `parquet:"priority,optional,dict"`
	StartFraction *float32   `parquet:"start_fraction,optional,dict"`
	FileID        *int32     `parquet:"file_id,optional,dict"`
	ShuffleRead   *int64     `parquet:"shuffle_read_bytes,optional"`
	After         []int32    `parquet:"after,list,optional" parquet-element:",dict"`
	DelayMS       *int64     `parquet:"delay_ms,optional"`
	SparkJob      *int32     `parquet:"spark_job,optional,dict"`
	Pool          string     `parquet:"pool,optional,dict"`
	FreshFactor   *float32   `parquet:"fresh_factor,optional,dict"`
	FirstFactor   *float32   `parquet:"first_factor,optional,dict"`
	CacheOf       *int32     `parquet:"cache_of,optional,dict"`
	Profile       *int32     `parquet:"profile,optional,dict"`
	ExecMemMiB    *int64     `parquet:"exec_mem_mib,optional,dict"`
	ExecVCores    *int32     `parquet:"exec_vcores,optional,dict"`
	ExecExtra     []valueRow `parquet:"exec_extra,list,optional"`
	ExecTasks     *int32     `parquet:"exec_tasks,optional,dict"`
	Name          string     `parquet:"name,optional,dict"`
	ExternalID    string     `parquet:"external_id,optional,dict"`
}

type taskRow struct {
	Job          int64   `parquet:"job_id,delta"`
	Stage        int32   `parquet:"stage_id,dict"`
	DurationMS   int64   `parquet:"duration_ms,delta"`
	InputBytes   int64   `parquet:"input_bytes,dict"`
	Pref         []int32 `parquet:"pref_nodes,list" parquet-element:",dict"`
	MemMiB       *int64  `parquet:"mem_mib,optional,dict"`
	VCores       *int32  `parquet:"vcores,optional,dict"`
	Retries      *int32  `parquet:"retries,optional,dict"`
	RecordedWait *int64  `parquet:"recorded_wait_ms,optional"`
	RecordedNode *int32  `parquet:"recorded_node,optional,dict"`
	RecordedLoc  string  `parquet:"recorded_locality,optional,dict"`
	Deserialize  *int64  `parquet:"deserialize_ms,optional"`
	SchedDelay   *int64  `parquet:"sched_delay_ms,optional"`
	ShuffleRead  *int64  `parquet:"shuffle_read_bytes,optional"`
	ShuffleWrite *int64  `parquet:"shuffle_write_bytes,optional"`
}

type executorRow struct {
	Job     int64  `parquet:"job_id,delta"`
	ID      int32  `parquet:"executor_id,delta"`
	Node    int32  `parquet:"node_id,dict"`
	VCores  int32  `parquet:"vcores,dict"`
	MemMiB  int64  `parquet:"mem_mib,dict"`
	Profile *int32 `parquet:"profile,optional,dict"`
	AddedMS int64  `parquet:"added_ms,delta"`
	Removed *int64 `parquet:"removed_ms,optional"`
	Reason  string `parquet:"reason,optional,dict"`
}

type fileRow struct {
	ID          int32  `parquet:"file_id,delta"`
	Name        string `parquet:"name,plain"`
	Bytes       int64  `parquet:"bytes,delta"`
	BlockBytes  int64  `parquet:"block_bytes,dict"`
	Blocks      int32  `parquet:"blocks,dict"`
	Replication int32  `parquet:"replication,dict"`
}

// sortColumns are the columns by which the rows of each table are in order.
var sortColumns = map[string][]string{
	tableNodes:     {"node_id"},
	tableEvents:    {"time_ms", "seq"},
	tableQueues:    {"queue_id"},
	tableUsers:     {"user_id"},
	tableJobs:      {"job_id"},
	tableStages:    {"job_id", "stage_id"},
	tableTasks:     {"job_id", "stage_id"},
	tableFiles:     {"file_id"},
	tableExecutors: {"job_id", "executor_id"},
}

// schemas are the columns that each table is to have.
var schemas = map[string]*parquet.Schema{
	tableNodes:     parquet.SchemaOf(nodeRow{}),
	tableEvents:    parquet.SchemaOf(eventRow{}),
	tableQueues:    parquet.SchemaOf(queueRow{}),
	tableUsers:     parquet.SchemaOf(userRow{}),
	tableJobs:      parquet.SchemaOf(jobRow{}),
	tableStages:    parquet.SchemaOf(stageRow{}),
	tableTasks:     parquet.SchemaOf(taskRow{}),
	tableFiles:     parquet.SchemaOf(fileRow{}),
	tableExecutors: parquet.SchemaOf(executorRow{}),
}
