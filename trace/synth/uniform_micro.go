package synth

import (
	"fmt"

	"replay/trace"
)

// uniformMicro is small and regular, to see and test effects by hand: a job every ten seconds, with 20 tasks of
// 10 s that read a file of its own and 5 tasks of 20 s that read their output.
var uniformMicro = Preset{
	Name:     "uniform-micro",
	Usage:    "a job every 10 s with 20 tasks of 10 s that read a file, then 5 tasks of 20 s",
	Defaults: Options{Jobs: 100, Nodes: 10, Racks: 2, Replication: 3},
	Kinds:    []string{trace.KindSpark, trace.KindMapReduce},
	VCores:   8,
	MemMiB:   32768,
	Queues:   []string{"root.default"},
	Users:    []string{"user0"},
	Arrivals: fixedGap(10_000),
	Files: func(o Options) []trace.File {
		files := make([]trace.File, o.Jobs)
		for i := range files {
			files[i] = trace.File{
				ID: int32(i), Name: fmt.Sprintf("input%d", i), Bytes: microReaders * blockBytes, BlockBytes: blockBytes,
				Blocks: microReaders, Replication: int32(o.Replication),
			}
		}
		return files
	},
	Job: microJob,
}

const (
	blockBytes   = 128 * mib
	microReaders = 20
	microOthers  = 5
)

func microJob(g *Generator, id int64) *trace.Job {
	j := newJob(g.Kind, 1024)
	j.Queue, j.Name = 1, "uniform"
	memMiB := int64(1024)
	if g.Kind == trace.KindSpark {
		executors(j, 4096-384, 2, 10)
		memMiB = j.ExecMemMiB / int64(j.ExecVCores)
	}
	read := newStage(0, trace.StageInput, microReaders, memMiB)
	g.ReadFile(&read, int32(id), microReaders)
	rest := newStage(1, trace.StageResult, microOthers, memMiB, 0)
	if g.Kind == trace.KindMapReduce { // as MapReduce asks: maps before reduces, which may start early
		j.AMMemMiB = 1536
		read.Priority, rest.Priority, rest.StartFraction = 20, 10, 0.05
	}
	for i := range read.Tasks.DurationMS {
		read.Tasks.DurationMS[i] = 10_000
	}
	for i := range rest.Tasks.DurationMS {
		rest.Tasks.DurationMS[i] = 20_000
	}
	j.Stages = []trace.Stage{read, rest}
	return j
}
