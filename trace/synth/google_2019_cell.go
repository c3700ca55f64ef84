package synth

import (
	"math"

	"replay/trace"
	"replay/trace/synth/model"
)

// google2019Cell is a cell of 12,000 machines: the mix of machines, rates, tiers and tasks of jobs as published of Google's traces of
// 2019. An NCU is taken as 96 vcores and an NMU as 768 GiB. What tasks request, the middle of the tasks between median and
// 95th percentile, and equal durations in all tiers are assumptions.
var google2019Cell = Preset{
	Name:     "google-2019-cell",
	Usage:    "jobs of one stage in four tiers on machines of seven shapes, 3360 jobs an hour, after published figures of 2019",
	Defaults: Options{Jobs: 3360, Nodes: 12_000, Racks: 300, Replication: 3, Failures: "weibull"},
	Kinds:    []string{trace.KindGeneric},
	VCores:   96,
	MemMiB:   393216,
	Model: func() *Workload {
		const ncu, nmu = 96, 786432
		var mix []model.Machine
		for _, m := range [][3]float64{{1, .5, 23.3}, {.592, .333, 19.3}, {.259, .167, 14.7}, {.709, .333, 10.5}, {.387, .333, 6.8}, {.959, .5, 5.8}, {.709, .667, 5.6}} {
			mix = append(mix, model.Machine{VCores: int64(math.Round(m[0] * ncu)), MemMiB: int64(math.Round(m[1] * nmu)), Weight: m[2]})
		}
		// A job has one task with one half; the 95th percentile is the tier's, and above it jobs have Pareto's tail of resource hours.
		tasks := func(p95 float64) model.Curve {
			return model.Curve{Quantiles: [][2]float64{{.5, 1}, {.95, p95}}, Tail: .69, Most: 50_000}
		}
		return &Workload{
			Arrivals: model.Arrivals{MeanGapS: 3600. / 3360, HourLnSD: 0.3, EvenHours: 1, MinuteVar: 0.3, MinutePhi: 0.5, Hours: model.Flat(24), Weekdays: model.Flat(7)},
			Machines: model.Machines{Mix: mix},
			Teams:    model.Teams{Names: []string{"free", "beb", "mid", "prod"}, Users: 200, UserZipf: 1, Weights: []float64{1, 2, 4, 8}},
			Failures: model.DefaultFailures(),
			Jobs: &tiers{
				List: []tier{
					{"free", 0.03, 25, tasks(21)}, {"beb", 0.55, 110, tasks(498)}, {"mid", 0.04, 117, tasks(67)}, {"prod", 0.38, 200, tasks(3)},
				},
				VCores:     model.Choice{{.25, .25}, {.5, .4}, {1, .25}, {2, .1}},
				GiBPerCore: model.Choice{{1, .2}, {2, .4}, {4, .3}, {8, .1}},
				Durations:  model.Durations{MedianS: 200, StageLnSD: 1.8, TaskLnSD: .5, MostS: 604_800},
				Stragglers: model.Stragglers{P: 0, Low: 1.5, Alpha: 1.6, Cap: 10},
			},
		}
	},
}

// tier is a class of service.
type tier struct {
	Name     string
	Weight   float64
	Priority int64
	Tasks    model.Curve
}

// tiers are jobs of one stage. A tier is a queue.
type tiers struct {
	List       []tier
	VCores     model.Choice
	GiBPerCore model.Choice
	Durations  model.Durations
	Stragglers model.Stragglers
}

func (t *tiers) Parameters(p *model.Parameters) {
	p.In("jobs", func(p *model.Parameters) {
		for i := range t.List {
			one := &t.List[i]
			p.In(one.Name, func(p *model.Parameters) {
				p.Float("weight", &one.Weight, 0, 1e9, "share of the jobs, against those of the other tiers")
				p.Int("priority", &one.Priority, 0, math.MaxInt32, "of the jobs; higher is more urgent")
				one.Tasks.Parameters(p)
			})
		}
		t.VCores.Parameter(p, "vcores", "vcores of a task")
		t.GiBPerCore.Parameter(p, "gib_per_vcore", "memory of a task in GiB for each vcore")
	})
	t.Durations.Parameters(p, "task")
	t.Stragglers.Parameters(p)
}

// Plan returns no files: the tasks of such jobs prefer no nodes.
func (*tiers) Plan(*Generator, []int64) []trace.File { return nil }

func (t *tiers) Job(g *Generator, id int64) *trace.Job {
	j := newJob(trace.KindGeneric, 1024)
	var weights model.Choice
	for i := range t.List {
		weights = append(weights, [2]float64{float64(i), t.List[i].Weight})
	}
	r := g.JobStream("tier", id)
	i := int(weights.Draw(r))
	one := &t.List[i]
	j.Name, j.Priority, j.Queue = one.Name, int32(one.Priority), int32(i)+1
	n := one.Tasks.Draw(r)
	request := g.JobStream("request", id)
	vcores := t.VCores.Draw(request)
	s := newStage(0, trace.StageInput, int(n), max(1, int64(vcores*t.GiBPerCore.Draw(request)*1024)))
	setVCores(&s, vcores)
	tasks := g.JobStream("tasks", id)
	t.Durations.Fill(tasks, g.JobStream("stragglers", id), t.Durations.Stage(tasks), &t.Stragglers, s.Tasks.DurationMS)
	j.Stages = []trace.Stage{s}
	return j
}
