package workload

import (
	"slices"

	"replay/trace"
	"replay/trace/importer/recorded"
)

// Application is an application as read from any format, before the trace that it goes into is known.
//
// Job has its stages and tasks; what a source does not say stays as [trace.NewJob] and [trace.NewStage] leave it.
// Times are in ms of the source's clock. Where a trace knows things by number, the number here is a position within
// the application: a node is one of Hosts, a file one of Files. Users, queues and other applications have names. The
// ids of the trace, among them Job.ID, User, Queue and DependsOn, are set when it is written.
type Application struct {
	Job       trace.Job
	User      string
	Queue     string   // as the source names it; "" = the default queue
	DependsOn []string // external ids of the applications after whose end it is submitted
	Attempt   string   // which of several tries of the application this is; see [Builder.AddRecording]
	Manager   string   // cluster manager that ran it, "" = unknown
	Hosts     []string
	Files     []File
	Executors []trace.Executor
	// ExecutorExtra are the further resources of each executor; nil = none have any.
	ExecutorExtra [][]trace.NamedValue
	AMExtra       []trace.NamedValue // of the container of its application master
	Recorded      *recorded.App      // nil = the source does not say

	host, file map[string]int32 // positions by name, made when they are asked for
}

// File is an input file of an application. Its ID is set when the trace is written.
type File struct {
	trace.File
	Shared bool // the same for all applications that name it, and their copies; otherwise each has its own
}

// Host returns the number of a host, which is added when it is new.
func (a *Application) Host(name string) int32 {
	if a.host == nil {
		a.host = map[string]int32{}
		for i, h := range a.Hosts {
			a.host[h] = int32(i)
		}
	}
	id, ok := a.host[name]
	if !ok {
		id = int32(len(a.Hosts))
		a.host[name] = id
		a.Hosts = append(a.Hosts, name)
	}
	return id
}

// ReadFile makes the tasks of s, whose input bytes are set, read the file called name: task i its block i. The file
// is as large as the largest stage that reads it.
func (a *Application) ReadFile(s *trace.Stage, name string, shared bool) {
	id, ok := a.file[name]
	if !ok {
		if a.file == nil {
			a.file = map[string]int32{}
		}
		id = int32(len(a.Files))
		a.file[name] = id
		a.Files = append(a.Files, File{trace.File{Name: name}, shared})
	}
	total := int64(0)
	for _, n := range s.Tasks.InputBytes {
		total += n
	}
	f := trace.File{Bytes: total, Blocks: int32(len(s.Tasks.InputBytes))}
	if f.Blocks > 0 {
		f.BlockBytes = slices.Max(s.Tasks.InputBytes)
	}
	a.Files[id].grow(&f)
	s.FileID = id
}

// grow makes f at least as large as another description of the same file.
func (f *File) grow(o *trace.File) {
	f.Bytes, f.BlockBytes, f.Blocks = max(f.Bytes, o.Bytes), max(f.BlockBytes, o.BlockBytes), max(f.Blocks, o.Blocks)
	f.Replication = max(f.Replication, o.Replication)
}

// shift moves every known time by d.
func (a *Application) shift(d int64) {
	move := func(times ...*int64) {
		for _, t := range times {
			if *t != trace.Unset {
				*t += d
			}
		}
	}
	move(&a.Job.SubmitMS, &a.Job.RecordedStartMS, &a.Job.RecordedFinishMS)
	for i := range a.Executors {
		move(&a.Executors[i].AddedMS, &a.Executors[i].RemovedMS)
	}
	r := a.Recorded
	if r == nil {
		return
	}
	move(&r.SubmitMS, &r.StartMS, &r.ReadyMS, &r.FinishMS)
	for i := range r.Jobs {
		move(&r.Jobs[i].SubmitMS, &r.Jobs[i].FinishMS)
	}
	for i := range r.Stages {
		move(&r.Stages[i].SubmitMS, &r.Stages[i].FinishMS)
		for k := range r.Stages[i].Tasks {
			move(&r.Stages[i].Tasks[k].LaunchMS)
		}
	}
}
