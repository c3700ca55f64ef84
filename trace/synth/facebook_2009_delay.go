package synth

import (
	"replay/trace"
	"replay/trace/synth/model"
)

// facebook2009Delay is the mix of job sizes of October 2009 that the authors of delay scheduling published: far fewer jobs of one map
// than in facebook-2009, another population. Jobs have maps alone, and arrive without bursts.
var facebook2009Delay = Preset{
	Name:     "facebook-2009-delay",
	Usage:    "MapReduce jobs of maps alone, with the sizes that delay scheduling was published with",
	Defaults: Options{Jobs: 2000, Nodes: 600, Racks: 15, Replication: 3},
	Kinds:    []string{trace.KindMapReduce},
	VCores:   8,
	MemMiB:   24576,
	Model: func() *Workload {
		jobs := newMapReduce()
		jobs.Maps = model.Bins{{1, 1, 39}, {2, 2, 16}, {3, 20, 14}, {21, 60, 9}, {61, 150, 6}, {151, 300, 6}, {301, 500, 4}, {501, 1500, 4}, {1501, 5000, 3}}
		return &Workload{
			Arrivals: model.Arrivals{MeanGapS: 14, Hours: model.Flat(24), Weekdays: model.Flat(7)},
			Machines: model.Machines{Mix: []model.Machine{{VCores: 8, MemMiB: 24576, Weight: 1}}},
			Teams:    eightQueues(),
			Failures: model.DefaultFailures(),
			Jobs:     jobs,
		}
	},
}
