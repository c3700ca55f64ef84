package synth

import (
	"replay/trace"
)

// oneHost is the case of SPARK-18886: applications with an executor on every node, whose tasks are short and
// all prefer the same host. With the older rule for the locality wait each launch there restarts the wait, and
// the other executors stay idle.
var oneHost = Preset{
	Name:     "one-host",
	Usage:    "an application with an executor on each node and 1,000 tasks of 1 s that all prefer one host",
	Defaults: Options{Jobs: 1, Nodes: 5, Racks: 1, Replication: 1},
	Kinds:    []string{trace.KindSpark},
	VCores:   4,
	MemMiB:   8192,
	Queues:   []string{"root.default"},
	Users:    []string{"user0"},
	Arrivals: fixedGap(3_600_000),
	Files:    func(Options) []trace.File { return nil },
	Job:      oneHostJob,
}

const oneHostTasks = 1000

func oneHostJob(g *Generator, id int64) *trace.Job {
	j := newJob(trace.KindSpark, 1024)
	j.Queue, j.Name = 1, "one-host"
	executors(j, 4096, 2, int32(g.Nodes)) // more than half of a node each
	j.MinExecs, j.InitialExecs = j.MaxExecs, j.MaxExecs
	st := newStage(0, trace.StageInput, oneHostTasks, j.ExecMemMiB/int64(j.ExecVCores))
	st.Tasks.PrefStart = make([]int32, 1, oneHostTasks+1)
	for i := range oneHostTasks {
		st.Tasks.DurationMS[i] = 1000
		st.Tasks.Pref = append(st.Tasks.Pref, 0)
		st.Tasks.PrefStart = append(st.Tasks.PrefStart, int32(i+1))
	}
	j.Stages = []trace.Stage{st}
	return j
}
