package synth

import (
	"fmt"
	"math"

	"replay/trace"
	"replay/trace/synth/model"
)

// dags are jobs of stages with parents and a container for each task.
type dags struct {
	Shapes     model.Shapes
	Instances  model.Curve  // tasks of a stage
	Scale      float64      // of the numbers of tasks above 1
	VCores     model.Choice // of a task
	MemPct     model.Choice // of a task, percent of the largest node's memory
	Durations  model.Durations
	Stragglers model.Stragglers
}

func (d *dags) Parameters(p *model.Parameters) {
	p.In("jobs", func(p *model.Parameters) {
		d.Shapes.Parameters(p)
		p.In("instances", func(p *model.Parameters) {
			d.Instances.Parameters(p)
			p.Float("scale", &d.Scale, 0.001, 1000, "factor of the tasks of stages that have several")
		})
		d.VCores.Parameter(p, "vcores", "vcores of a task")
		d.MemPct.Parameter(p, "mem_pct", "memory of a task in percent of a node's")
	})
	d.Durations.Parameters(p, "task")
	d.Stragglers.Parameters(p)
}

// Plan returns no files: the tasks of such jobs prefer no nodes.
func (*dags) Plan(*Generator, []int64) []trace.File { return nil }

func (d *dags) Job(g *Generator, id int64) *trace.Job {
	j := newJob(trace.KindGeneric, 1024)
	j.Name = "dag"
	parents := d.Shapes.Draw(g.JobStream("shape", id))
	sizes, request := g.JobStream("instances", id), g.JobStream("request", id)
	r, straggling := g.JobStream("tasks", id), g.JobStream("stragglers", id)
	largest, _ := g.work.Machines.Largest()
	feeds := make([]bool, len(parents))
	for i := range parents {
		for _, p := range parents[i] {
			feeds[p] = true
		}
	}
	for i := range parents {
		kind := trace.StageInput
		if len(parents[i]) > 0 {
			kind = trace.StageShuffle
			if !feeds[i] {
				kind = trace.StageResult
			}
		}
		n := d.Instances.Draw(sizes)
		if n > 1 {
			n = max(1, int64(math.Round(float64(n)*d.Scale)))
		}
		vcores, pct := d.VCores.Draw(request), d.MemPct.Draw(request)
		s := newStage(int32(i), kind, int(n), max(1, int64(pct/100*float64(largest))), parents[i]...)
		setVCores(&s, vcores)
		s.Name = fmt.Sprintf("stage%d", i+1)
		d.Durations.Fill(r, straggling, d.Durations.Stage(r), &d.Stragglers, s.Tasks.DurationMS)
		j.Stages = append(j.Stages, s)
	}
	return j
}

// setVCores gives the tasks of a stage vcores that may be a fraction.
func setVCores(s *trace.Stage, vcores float64) {
	s.TaskVCores = int32(max(1, math.Ceil(vcores)))
	if vcores != math.Floor(vcores) {
		s.TaskMilliVCores = int32(math.Round(vcores * 1000))
	}
}
