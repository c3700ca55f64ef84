package synth

import (
	"replay/trace"
	"replay/trace/synth/model"
)

// alibaba2018 is the batch work of a cluster of 4034 machines: shapes of DAGs, tasks of stages, durations and requests as published of
// Alibaba's trace of 2018. The gather of stages, the split of durations between and within stages and the memory of a machine are
// assumptions. Tasks of stages are those of an hour with little work: jobs.instances.scale=2.3 is the whole trace's mean.
var alibaba2018 = Preset{
	Name:     "alibaba-2018",
	Usage:    "DAGs of stages with a container for each task, 6 jobs a second, after published figures of a trace of 2018",
	Defaults: Options{Jobs: 20_000, Nodes: 4034, Replication: 3},
	Kinds:    []string{trace.KindGeneric},
	VCores:   96,
	MemMiB:   524288,
	Model: func() *Workload {
		return &Workload{
			Arrivals: model.Arrivals{MeanGapS: 1 / 6.08, HourLnSD: 0.2, EvenHours: 1, MinuteVar: 0.31, MinutePhi: 0.59, Hours: model.Flat(24), Weekdays: model.Flat(7)},
			Machines: model.Machines{
				Mix:        []model.Machine{{VCores: 96, MemMiB: 524288, Weight: 1}},
				RackMedian: 9, RackLnSD: 1.1, RackMost: 47,
				JoinShare: 0.036, JoinDays: 8,
			},
			Teams:    eightQueues(),
			Failures: model.DefaultFailures(),
			Jobs: &dags{
				Shapes: model.Shapes{
					Stages: []float64{.383, .204, .128, .070, .054, .033, .035, .017, .014, .010, .052}, Tail: 2.93, Most: 199,
					Depth: map[int64]model.Choice{
						2: {{1, .02}, {2, .98}}, 3: {{1, .01}, {2, .23}, {3, .76}}, 4: {{2, .12}, {3, .39}, {4, .49}}, 5: {{2, .08}, {3, .29}, {4, .44}, {5, .17}},
						6: {{3, .16}, {4, .40}, {5, .28}, {6, .09}}, 8: {{4, .32}, {5, .20}, {6, .25}}, 10: {{4, .20}, {5, .19}, {6, .27}, {7, .11}},
						15: {{5, .14}, {6, .30}, {7, .28}}, 20: {{6, .21}, {7, .17}, {8, .19}, {9, .14}},
					},
					Favour: 1.5, Gather: 0.75,
				},
				Instances:  model.Curve{Quantiles: [][2]float64{{.66, 1}, {.75, 4}, {.9, 47}, {.95, 176}, {.99, 844}, {.999, 3526}}, Tail: 1.66, Most: 47_500},
				Scale:      1,
				VCores:     model.Choice{{.5, .42}, {1, .58}},
				MemPct:     model.Choice{{.2, .34}, {.3, .23}, {.39, .22}, {.49, .12}, {.59, .06}, {.8, .03}},
				Durations:  model.Durations{MedianS: 11.5, StageLnSD: 1.44, TaskLnSD: .45, MostS: 143_000},
				Stragglers: model.Stragglers{P: 0, Low: 1.5, Alpha: 1.6, Cap: 10},
			},
		}
	},
}
