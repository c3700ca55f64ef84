package synth

import (
	"fmt"

	"replay/trace"
	"replay/trace/synth/model"
)

// month is a month of a large cluster of many queues with long-lived applications: about 2,100 live at a time, each with 20
// executors that stay for nearly all of its 10,000 s, as they hold the cached table that it has read. --nodes makes the cluster smaller at the same load: fewer queues, racks, files
// and arrivals, equal applications. It waits for preferred hosts, and only containers above 10 GiB, of which there are none, reserve
// nodes: with YARN's default of 2 GiB each application reserves full nodes by the dozen while it waits.
var month = Preset{
	Name:     "month",
	version:  "3",
	Usage:    "a month of 500 queues: an application every 4.8 s with 20 executors that live 10,000 s with what they cache, and 92 tasks",
	Defaults: Options{Jobs: 542_000, Nodes: 12_000, Racks: 300, Replication: 3, Load: 0.42},
	Kinds:    []string{trace.KindSpark},
	VCores:   12,
	MemMiB:   49152,
	Grows:    &monthGrowth,
	Site: []trace.KeyValue{
		{Key: "yarn.scheduler.fair.locality.threshold.node", Value: "0.5"},
		{Key: "yarn.scheduler.fair.locality.threshold.rack", Value: "0.8"},
		{Key: "yarn.scheduler.reservation-threshold.increment-multiple", Value: "10"},
	},
	Arrivals: poisson(4800),
	Files: func(o Options) []trace.File {
		files := make([]trace.File, filesPerQueue*monthGrowth.queues(o.Nodes))
		for i := range files {
			files[i] = trace.File{
				ID: int32(i), Name: fmt.Sprintf("table%d", i), Bytes: monthReaders * blockBytes, BlockBytes: blockBytes,
				Blocks: monthReaders, Replication: int32(o.Replication),
			}
		}
		return files
	},
	Job: func(g *Generator, id int64) *trace.Job {
		j := monthJob(g, id)
		j.Stages[1].CacheOf = 0
		return j
	},
}

var monthGrowth = growth{rackNodes: 40, queueNodes: 24}

const (
	filesPerQueue = 4
	monthReaders  = 80 // two waves on 20 executors of two cores
	monthOthers   = 12
)

func monthJob(g *Generator, id int64) *trace.Job {
	r := g.JobStream("month", id)
	j := newJob(trace.KindSpark, 2048)
	team := r.Int32N(int32(monthGrowth.queues(g.Nodes)))
	j.User, j.Queue, j.Name = team, team+1, "batch"
	executors(j, 7424, 2, 20)
	memMiB := j.ExecMemMiB / int64(j.ExecVCores)
	read := newStage(0, trace.StageInput, monthReaders, memMiB)
	g.ReadFile(&read, team*filesPerQueue+r.Int32N(filesPerQueue), monthReaders)
	rest := newStage(1, trace.StageResult, monthOthers, memMiB, 0)
	for i := range read.Tasks.DurationMS {
		read.Tasks.DurationMS[i] = int64(model.LogNormal(r, 3_500_000, 0.2))
	}
	for i := range rest.Tasks.DurationMS {
		rest.Tasks.DurationMS[i] = int64(model.LogNormal(r, 320_000, 0.2))
	}
	j.Stages = []trace.Stage{read, rest}
	return j
}
