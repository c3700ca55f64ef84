package synth

import (
	"fmt"

	"replay/trace"
	"replay/trace/synth/model"
)

// A Workload is a model of a cluster and its jobs, all of whose parameters can be set.
type Workload struct {
	Arrivals model.Arrivals
	Machines model.Machines
	Teams    model.Teams
	Failures model.Failures
	Jobs     Jobs
}

// Jobs is the part of a workload that makes jobs.
type Jobs interface {
	// Parameters names those of the jobs.
	Parameters(p *model.Parameters)
	// Plan prepares the jobs, whose ids ascend, and returns the files that they read.
	Plan(g *Generator, ids []int64) []trace.File
	// Job makes job id; submission time and id, user and queue are set by the caller.
	Job(g *Generator, id int64) *trace.Job
}

// parameters names all of the workload.
func (w *Workload) parameters() *model.Parameters {
	var p model.Parameters
	w.Arrivals.Parameters(&p)
	w.Jobs.Parameters(&p)
	w.Teams.Parameters(&p)
	w.Machines.Parameters(&p)
	w.Failures.Parameters(&p)
	return &p
}

// workload returns the model of a preset with what the options set. The error names the option.
func (p *Preset) workload(o Options) (*Workload, error) {
	w := p.Model()
	if o.Diurnal != "" {
		day := model.Days[o.Diurnal]
		w.Arrivals.Hours, w.Arrivals.Weekdays = day.Hours, day.Weekdays
	}
	parameters := w.parameters()
	for _, s := range o.Set {
		if err := parameters.Set(s); err != nil {
			return nil, err
		}
	}
	if err := w.Failures.Take(o.Failures); err != nil {
		return nil, err
	}
	w.Failures.MTBFDays = o.MTBFDays
	return w, nil
}

// nameSet adds the parameters to a name that are not the preset's, or how many they are.
func (p *Preset) nameSet(name string, o Options) string {
	if len(o.Set) == 0 {
		return name
	}
	set, err := p.settings(o)
	if err != nil {
		panic(err) // they were checked
	}
	o.Set = nil
	own, err := p.settings(o)
	if err != nil {
		panic(err)
	}
	text, n := name, 0
	for i := range set {
		if set[i].Value != own[i].Value {
			n++
			text += " " + set[i].Name + "=" + set[i].Value
		}
	}
	if trace.CheckName(text) != nil {
		return fmt.Sprintf("%s and %d parameters of its own", name, n)
	}
	return text
}

// UpTo is "up to " where the preset has nodes of several sizes.
func (p *Preset) UpTo() string {
	if p.Model != nil && len(p.Model().Machines.Mix) > 1 {
		return "up to "
	}
	return ""
}

// A Setting is a parameter of a preset as it would be used.
type Setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	Usage string `json:"about"`
}

// Settings lists what can be set of a preset, with the options' values. The error names the option that can't be.
func (p *Preset) Settings(o Options) ([]Setting, error) {
	o, err := p.with(o)
	if err != nil {
		return nil, err
	}
	return p.settings(o)
}

// settings does so with options that have the preset's defaults.
func (p *Preset) settings(o Options) ([]Setting, error) {
	if p.Model == nil {
		return nil, nil
	}
	w, err := p.workload(o)
	if err != nil {
		return nil, err
	}
	var list []Setting
	parameters := w.parameters().All
	for i := range parameters {
		usage := parameters[i].Usage
		if e := p.estimate(parameters[i].Name); e != "" {
			usage += "; fitted: " + e
		}
		list = append(list, Setting{parameters[i].Name, parameters[i].Text(), usage})
	}
	return list, nil
}
