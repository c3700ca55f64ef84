package synth

import (
	"replay/trace"
	"replay/trace/synth/model"
)

// facebook2009 is a day of a cluster of 600 nodes: classes of jobs and arrivals fitted to the published sample of Facebook's traces of
// 2009 (SWIM, FB-2009_samples_24_times_1hr_0). Durations, users, queues and node sizes are assumptions.
var facebook2009 = Preset{
	Name:     "facebook-2009",
	Usage:    "MapReduce jobs after a published sample of a day in 2009; fills 50 of 4800 vcores: see --load, --nodes",
	Defaults: Options{Jobs: 5894, Nodes: 600, Racks: 15, Replication: 3, Failures: "weibull"},
	Kinds:    []string{trace.KindMapReduce},
	VCores:   8,
	MemMiB:   24576,
	Model: func() *Workload {
		jobs := newMapReduce()
		jobs.Classes = model.Classes{MostInput: 8e12, List: model.ClassTable([][8]float64{
			{.3823, 0, 9.48, 1.45, .997, 6.01, .49, -.1},
			{.2099, 0, 4.77, .74, 1, 0, 0, 0},
			{.0962, 0, 17.96, 3.00, 0, 17.37, 2.37, .2},
			{.0786, 0, 12.69, 3.97, 0, 9.45, 3.06, -.1},
			{.0757, 0, 10.42, 1.02, 1, 0, 0, 0},
			{.0636, 0, 22.44, 2.06, 0, 22.68, 1.95, .67},
			{.0489, .30, 5.57, 1.60, .88, 4.34, 1.32, .2},
			{.0450, 0, 19.77, 3.37, 1, 0, 0, 0},
		})}
		return &Workload{
			Arrivals: model.Arrivals{
				MeanGapS: 14.65, HourLnSD: 0.51, EvenHours: 1, MinuteVar: 0.28, MinutePhi: 0.62, FollowerQ: 0.05, FollowerMeanS: 5,
				Hours: model.Flat(24), Weekdays: model.Flat(7),
			},
			Machines: model.Machines{Mix: []model.Machine{{VCores: 8, MemMiB: 24576, Weight: 1}}},
			Teams:    eightQueues(),
			Failures: model.DefaultFailures(),
			Jobs:     jobs,
		}
	},
}

// eightQueues are an assumption: 200 users, and 8 queues of which the larger have more weight.
func eightQueues() model.Teams {
	return model.Teams{Users: 200, UserZipf: 1, Queues: 8, QueueZipf: 1, Weights: []float64{8, 4, 4, 2, 2, 1, 1, 1}}
}
