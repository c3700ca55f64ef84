package synth

import (
	"replay/trace"
	"replay/trace/synth/model"
)

// facebook2010 is a day of a cluster of 3000 nodes: classes of jobs and arrivals fitted to the published sample of Facebook's traces of
// 2010 (SWIM, FB-2010_samples_24_times_1hr_0). Durations, users, queues and node sizes are assumptions.
var facebook2010 = Preset{
	Name:     "facebook-2010",
	Usage:    "MapReduce jobs after a published sample of a day in 2010; fills 1000 of 48000 vcores: see --load, --nodes",
	Defaults: Options{Jobs: 24_442, Nodes: 3000, Racks: 75, Replication: 3, Failures: "weibull"},
	Kinds:    []string{trace.KindMapReduce},
	VCores:   16,
	MemMiB:   65536,
	Model: func() *Workload {
		jobs := newMapReduce()
		jobs.SplitMiB, jobs.MostMaps = 256, 87_000
		jobs.Classes = model.Classes{MostInput: 1.2e13, List: model.ClassTable([][8]float64{
			{.1603, 0, 19.09, 3.09, 0, 16.66, 2.63, .2},
			{.1501, .14, 7.27, 1.89, .56, 4.38, 1.20, .2},
			{.1358, 0, 14.66, 2.40, .992, 5.52, 1.20, .1},
			{.1314, 0, 10.31, 2.06, 0, 10.04, 2.19, .69},
			{.1217, 0, 21.34, 2.43, 0, 19.74, 1.96, .52},
			{.0909, 0, 22.40, 2.90, .989, 6.00, 1.97, -.1},
			{.0818, 0, 18.91, 3.81, .14, 6.22, 2.51, .4},
			{.0506, 0, 25.35, 1.96, 0, 24.55, 1.89, .5},
			{.0402, 0, 7.56, 2.07, .20, 7.22, 2.04, .3},
			{.0372, .20, .28, 1.28, .23, 3.79, .27, 0},
		})}
		return &Workload{
			Arrivals: model.Arrivals{
				MeanGapS: 3.5, HourLnSD: 0.36, EvenHours: 1, MinuteVar: 0.17, MinutePhi: 0.38, FollowerQ: 0.25, FollowerMeanS: 2.5,
				Hours: model.Flat(24), Weekdays: model.Flat(7),
			},
			Machines: model.Machines{Mix: []model.Machine{{VCores: 16, MemMiB: 65536, Weight: 1}}},
			Teams:    eightQueues(),
			Failures: model.DefaultFailures(),
			Jobs:     jobs,
		}
	},
}
