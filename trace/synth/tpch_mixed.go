package synth

import "replay/trace"

// tpchMixed is tpch-decima in two queues whose executors pull in different directions: those of root.memory have
// little CPU and much memory, those of root.compute the opposite. A scheduler that shares memory alone and one
// that shares dominant resources treat them differently as soon as the cluster is full.
var tpchMixed = Preset{
	Name:     "tpch-mixed",
	Usage:    "tpch-decima in a queue of memory-heavy and one of CPU-heavy executors, on a small, full cluster",
	Defaults: Options{Jobs: 60, Nodes: 6, Racks: 2, Replication: 3, Load: 0.9},
	Kinds:    []string{trace.KindSpark},
	VCores:   16,
	MemMiB:   65536,
	Queues:   []string{"root.memory", "root.compute"},
	Users:    []string{"analyst", "engineer"},
	Arrivals: poisson(25_000),
	Files:    tpchFiles,
	Job: func(g *Generator, id int64) *trace.Job {
		j := newJob(trace.KindSpark, 2048)
		if g.JobStream("queue", id).IntN(2) == 0 {
			j.User, j.Queue = 0, 1
			executors(j, 14336, 2, 24)
		} else {
			j.User, j.Queue = 1, 2
			executors(j, 3712, 4, 24)
		}
		tpchStages(g, j, id)
		return j
	},
}
