// Package trace holds the trace of a cluster: nodes, node events, queues, users and jobs with
// their stages and tasks; its directory of Parquet tables; importers of other formats
// (trace/importer) and the generator (trace/synth).
//
// Times are int64 milliseconds from the trace's origin, memory is int64 MiB, CPU int32 vcores.
// The format is defined in docs/trace-format.md.
package trace

import (
	"errors"
	"io"
	"iter"
)

// Unset marks an optional number that is absent.
const Unset = -1

// Node is a host of the cluster.
type Node struct {
	ID      int32
	Host    string // unique
	RackID  int32
	Rack    string // "/rack1"
	MemMiB  int64
	VCores  int32
	Labels  []string
	Extra   []NamedValue // further YARN resources
	Present bool         // in the cluster at time 0; otherwise it joins by an event, or is only a preferred host that was never there
}

// NamedValue is an amount of a further resource type.
type NamedValue struct {
	Name  string
	Value int64
}

// EventKind is what happens to a node.
type EventKind string

// The kinds of node events.
const (
	Join     EventKind = "join"
	Leave    EventKind = "leave"
	Fail     EventKind = "fail"
	Recover  EventKind = "recover"
	Drain    EventKind = "drain"
	Undrain  EventKind = "undrain"
	Capacity EventKind = "capacity"
	Labels   EventKind = "labels"
)

// NodeEvent is a change of one node. Events are sorted by (TimeMS, Seq).
type NodeEvent struct {
	TimeMS         int64
	Seq            int32
	Node           int32
	Kind           EventKind
	MemMiB         int64 // new total, or Unset
	VCores         int32 // new total, or Unset
	DrainTimeoutMS int64 // or Unset
	Reason         string
	Group          int32 // events of one correlated outage, or Unset
}

// Queue is a queue named by the trace; settings are optional (Unset, NaN weight, empty policy).
type Queue struct {
	ID        int32
	Path      string // "root.a.b"
	Parent    int32  // or Unset
	Weight    float64
	MinMemMiB int64
	MaxMemMiB int64
	MinVCores int32
	MaxVCores int32
	MaxApps   int32
	AMShare   float64 // or NoAMLimit, or NaN
	Policy    string
}

// NoAMLimit is the AMShare of a queue whose application masters may have all of it, as maxAMShare of -1.0 says in fair-scheduler.xml.
const NoAMLimit = -1

// User is a submitting user.
type User struct {
	ID     int32
	Name   string
	Weight float64
}

// KeyValue is one configuration key as it was set for an application.
type KeyValue struct{ Key, Value string }

// Kinds of jobs.
const (
	KindSpark     = "spark"
	KindMapReduce = "mapreduce"
	KindGeneric   = "generic"
	KindGang      = "gang"
	KindService   = "service"
)

// Kinds are all of them.
var Kinds = []string{KindSpark, KindMapReduce, KindGeneric, KindGang, KindService}

// Job is one application. Optional numbers are Unset when absent.
type Job struct {
	ID                                int64 // dense, in order of SubmitMS
	SubmitMS                          int64
	User, Queue                       int32
	Priority                          int32 // higher is more urgent
	Kind                              string
	AMMemMiB                          int64 // AM container
	AMVCores                          int32
	ExecMemMiB                        int64 // Spark executor container (heap and overhead), or Unset
	ExecVCores                        int32
	TaskCPUs                          int32
	MinExecs                          int32
	MaxExecs                          int32
	InitialExecs                      int32
	DependsOn                         []int64
	ThinkMS                           int64
	TailMS                            int64 // driver time between the end of the last stage and the end of the application, or Unset
	Name                              string
	ExternalID                        string
	RecordedStartMS, RecordedFinishMS int64
	RecordedOutcome                   string     // success, failed, killed, censored or ""
	Conf                              []KeyValue // Spark's and YARN's own keys as recorded, sorted by key
	Stages                            []Stage    // parents before children
}

// NumTasks returns the number of tasks of all stages.
func (j *Job) NumTasks() (n int64) {
	for i := range j.Stages {
		n += int64(j.Stages[i].Tasks.Len())
	}
	return n
}

// Gang reports whether the tasks of a stage of the job start together or not at all, each in a container of its own. Of a Spark job none is: its
// stages of kind gang are barriers within executors.
func (j *Job) Gang(st *Stage) bool {
	return j.Kind == KindGang || j.Kind == KindGeneric && st.Kind == StageGang
}

// Kinds of stages.
const (
	StageInput   = "input"
	StageShuffle = "shuffle"
	StageResult  = "result"
	StageGang    = "gang"
)

// Stage is a set of like tasks of one job.
type Stage struct {
	ID               int32   // position within the job; parents have smaller ids
	Parents          []int32 // stages whose output it reads
	After            []int32 // stages whose end the driver waited for first (control, no data)
	DelayMS          int64   // driver time between the last of Parents and After ending (or the application's start) and submission; Unset = unknown
	SparkJob         int32   // Spark job of the application that submitted it, or Unset
	Pool             string  // spark.scheduler.pool of that Spark job, or ""
	TaskMemMiB       int64
	TaskVCores       int32
	TaskMilliVCores  int32 // or Unset
	Extra            []NamedValue
	Kind             string
	Priority         int32   // container priority, or Unset
	StartFraction    float32 // share of the parents' tasks that must have finished, or Unset (= 1)
	FileID           int32
	ShuffleReadBytes int64        // or Unset
	FreshFactor      float32      // multiplier on a cold executor, or Unset
	FirstFactor      float32      // multiplier in the first wave, or Unset
	Profile          int32        // Spark resource profile; 0 = the application's own
	ExecMemMiB       int64        // executor container of the profile; 0 = that of the job
	ExecVCores       int32        // 0 = that of the job
	ExecExtra        []NamedValue // further YARN resources of that container
	ExecTasks        int32        // tasks of the profile that an executor runs at a time, where further resources allow fewer than cores do; or 0
	CacheOf          int32        // stage whose executors hold this stage's cached input, task by task, or Unset
	Name             string
	ExternalID       string
	Tasks            Tasks
}

// Tasks are the tasks of a stage as columns; position is the task index.
// Optional columns are nil when absent for the whole stage.
type Tasks struct {
	DurationMS        []int64 // service time with local input on an unloaded node
	InputBytes        []int64
	PrefStart         []int32 // len = tasks+1, offsets into Pref; nil when no task has a preference
	Pref              []int32 // preferred nodes in replica order, no duplicates within a task
	MemMiB            []int64 // Unset = that of the stage
	VCores            []int32
	Retries           []int32
	RecordedWaitMS    []int64
	RecordedNode      []int32
	RecordedLocality  []string
	DeserializeMS     []int64 // part of DurationMS that deserialized the task
	SchedDelayMS      []int64 // recorded time on the core beyond DurationMS: dispatch and status; Unset = unknown
	ShuffleReadBytes  []int64 // local and remote
	ShuffleWriteBytes []int64
}

// TaskMem returns what task k asks for of memory, MiB: its own size, or that of the stage.
func (s *Stage) TaskMem(k int) int64 {
	if own := s.Tasks.MemMiB; own != nil && own[k] != Unset {
		return own[k]
	}
	return s.TaskMemMiB
}

// Len returns the number of tasks.
func (t *Tasks) Len() int { return len(t.DurationMS) }

// Prefs returns the preferred nodes of task i; empty means no preference. Do not change it.
func (t *Tasks) Prefs(i int) []int32 {
	if t.PrefStart == nil {
		return nil
	}
	return t.Pref[t.PrefStart[i]:t.PrefStart[i+1]]
}

// SetPrefs sets the preferred nodes of all tasks. None at all leaves the columns nil.
func (t *Tasks) SetPrefs(prefs [][]int32) {
	t.PrefStart, t.Pref = nil, nil
	n := 0
	for _, p := range prefs {
		n += len(p)
	}
	if n == 0 {
		return
	}
	t.PrefStart, t.Pref = make([]int32, 1, len(prefs)+1), make([]int32, 0, n)
	for _, p := range prefs {
		t.Pref = append(t.Pref, p...)
		t.PrefStart = append(t.PrefStart, int32(len(t.Pref)))
	}
}

// Executor is an executor as recorded, for backtests.
type Executor struct {
	Job       int64
	ID        int32
	Node      int32
	VCores    int32
	MemMiB    int64
	Profile   int32 // Spark resource profile; 0 = the application's own
	AddedMS   int64
	RemovedMS int64 // or Unset
	Reason    string
}

// File is a named input file.
type File struct {
	ID          int32
	Name        string
	Bytes       int64
	BlockBytes  int64
	Blocks      int32
	Replication int32
}

// Stiller is a source that reads ahead while others work. Still waits until it does not, up to the next call of another method: then nobody
// writes to what was given back.
type Stiller interface {
	JobSource
	Still()
}

// Recycler is a source that makes jobs of the memory of others. Nothing may refer any more to a job that is given back, to its settings, its stages
// or to columns of its tasks; strings stay.
type Recycler interface {
	JobSource
	Recycle(*Job)
}

// JobSource yields jobs in order of ID. Next returns io.EOF after the last one.
// The job returned is the caller's; a source does not reuse it, but for a [Recycler] that is given it back.
type JobSource interface {
	Next() (*Job, error)
}

// All yields the jobs of a source up to its end or to its first error, which comes without a job.
func All(source JobSource) iter.Seq2[*Job, error] {
	return func(yield func(*Job, error) bool) {
		for {
			j, err := source.Next()
			if errors.Is(err, io.EOF) || !yield(j, err) || err != nil {
				return
			}
		}
	}
}
