package trace

import (
	"math"
	"strings"
)

// NewJob returns a job of a kind, without stages, whose optional numbers are Unset.
func NewJob(kind string) *Job {
	return &Job{
		Kind: kind, ExecMemMiB: Unset, ExecVCores: Unset, TaskCPUs: Unset, MinExecs: Unset, MaxExecs: Unset, InitialExecs: Unset,
		ThinkMS: Unset, TailMS: Unset, RecordedStartMS: Unset, RecordedFinishMS: Unset,
	}
}

// NewStage returns stage id of a job, without tasks, whose optional numbers are Unset.
func NewStage(id int32, kind string, parents ...int32) Stage {
	return Stage{
		ID: id, Kind: kind, Parents: parents, DelayMS: Unset, SparkJob: Unset, TaskMilliVCores: Unset, Priority: Unset, StartFraction: Unset,
		FileID: Unset, ShuffleReadBytes: Unset, FreshFactor: Unset, FirstFactor: Unset, CacheOf: Unset,
	}
}

// NewTasks returns n tasks of no duration that read nothing.
func NewTasks(n int) Tasks { return Tasks{DurationMS: make([]int64, n), InputBytes: make([]int64, n)} }

// NewNodeEvent returns an event whose optional numbers are Unset.
func NewNodeEvent(timeMS int64, node int32, kind EventKind) NodeEvent {
	return NodeEvent{TimeMS: timeMS, Node: node, Kind: kind, MemMiB: Unset, VCores: Unset, DrainTimeoutMS: Unset, Group: Unset}
}

// NewUser returns a user without a weight.
func NewUser(id int32, name string) User { return User{ID: id, Name: name, Weight: math.NaN()} }

// NewQueue returns a queue at the root without settings.
func NewQueue(id int32, path string) Queue {
	return Queue{
		ID: id, Path: path, Parent: Unset, Weight: math.NaN(), AMShare: math.NaN(),
		MinMemMiB: Unset, MaxMemMiB: Unset, MinVCores: Unset, MaxVCores: Unset, MaxApps: Unset,
	}
}

// QueueTree returns queues without settings for paths such as root.a.b and all that are above them: in the order of
// paths, each after its parents.
func QueueTree(paths []string) []Queue {
	var queues []Queue
	ids := map[string]int32{}
	var add func(path string) int32
	add = func(path string) int32 {
		if id, ok := ids[path]; ok {
			return id
		}
		parent := int32(Unset)
		if i := strings.LastIndexByte(path, '.'); i >= 0 {
			parent = add(path[:i])
		}
		q := NewQueue(int32(len(queues)), path)
		q.Parent = parent
		queues = append(queues, q)
		ids[path] = q.ID
		return q.ID
	}
	for _, p := range paths {
		add(p)
	}
	return queues
}
