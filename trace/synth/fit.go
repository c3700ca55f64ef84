package synth

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"replay/trace"
	"replay/trace/synth/model"
)

// FitPrefix begins the name of a preset that is fitted to a trace.
const FitPrefix = "fit:"

// Fit makes a preset of the trace in dir: arrivals, durations within and between stages, machines, failures and how often files are read again
// follow laws whose parameters are estimated; shapes, sizes, requests, users and queues are those of its jobs, in an order that is drawn.
func Fit(ctx context.Context, dir string) (*Preset, error) {
	t, err := trace.Open(dir)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	if err := t.ReadFiles(); err != nil {
		return nil, err
	}
	f := fit{trace: t, draw: trace.Stream(1, "fit-templates").Uint64N}
	if err := f.jobs(ctx); err != nil {
		return nil, err
	}
	return f.preset()
}

// fitVersion is that of the models of fits, as [Version] of the others.
const fitVersion = "5"

// mostTemplates is how many jobs are kept to draw from.
const mostTemplates = 20_000

// lawNames are the names of the laws of durations, by the kind of their stages.
var lawNames = map[string]string{trace.StageInput: "input", trace.StageShuffle: "shuffle", trace.StageResult: "result", trace.StageGang: "gang"}

// fit is what is gathered of a trace.
type fit struct {
	trace     *trace.Trace
	draw      func(n uint64) uint64
	seen      uint64
	submit    []int64
	templates []template
	samples   map[string]*model.DurationSample
	reads     map[int32]int
	again     float64 // readings of a file that was read before
	readings  float64
	dependent int // jobs that wait for others
}

// template is a job without its tasks.
type template struct {
	job    trace.Job
	stages []stageTemplate
}

type stageTemplate struct {
	tasks      int
	meanMS     float64 // of the tasks
	blockBytes int64   // that a task reads of a file; 0 = the stage prefers no nodes
}

func (f *fit) jobs(ctx context.Context) error {
	f.samples, f.reads = map[string]*model.DurationSample{}, map[int32]int{}
	for j, err := range trace.All(f.trace.Jobs()) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		f.submit = append(f.submit, j.SubmitMS)
		x := f.template(j)
		f.seen++
		if len(f.templates) < mostTemplates {
			f.templates = append(f.templates, x)
		} else if k := f.draw(f.seen); k < mostTemplates { // each job is kept with the same probability
			f.templates[k] = x
		}
	}
	return nil
}

// template takes what is kept of a job, and its part in the estimates.
func (f *fit) template(j *trace.Job) (x template) {
	for i := range j.Stages {
		s := &j.Stages[i]
		one := stageTemplate{tasks: s.Tasks.Len(), meanMS: 1}
		if one.tasks > 0 {
			if f.samples[s.Kind] == nil {
				f.samples[s.Kind] = &model.DurationSample{}
			}
			one.meanMS = f.samples[s.Kind].Add(s.Tasks.DurationMS)
		}
		if s.Tasks.PrefStart != nil && one.tasks > 0 && s.Tasks.InputBytes != nil {
			one.blockBytes = max(1, slices.Max(s.Tasks.InputBytes))
		}
		if s.FileID != trace.Unset {
			if f.readings++; f.reads[s.FileID] > 0 {
				f.again++
			}
			f.reads[s.FileID]++
		}
		s.Tasks, s.FileID = trace.Tasks{}, trace.Unset
		x.stages = append(x.stages, one)
	}
	if len(j.DependsOn) > 0 {
		f.dependent++
	}
	x.job = *j
	x.job.DependsOn, x.job.ThinkMS, x.job.RecordedStartMS, x.job.RecordedFinishMS, x.job.RecordedOutcome, x.job.ExternalID = nil, trace.Unset, trace.Unset, trace.Unset, "", ""
	return x
}

func (f *fit) preset() (*Preset, error) {
	t := f.trace
	if len(f.submit) == 0 {
		return nil, fmt.Errorf("%s: has no job, want some to fit a model to", t.Dir())
	}
	var estimates []model.Estimate
	arrivals, list := model.EstimateArrivals(f.submit, 1)
	estimates = append(estimates, list...)
	laws := map[string]*law{}
	for kind, sample := range f.samples {
		l := &law{}
		l.Durations, l.Stragglers, list = sample.Estimate(lawNames[kind])
		laws[kind] = l
		estimates = append(estimates, list...)
	}
	machines, racks, nodes := f.machines()
	failures, list := f.failures()
	estimates = append(estimates, list...)
	popularity, list := f.popularity()
	estimates = append(estimates, list...)
	mem, vcores := machines.Largest()
	site := map[string][]byte{}
	for _, name := range t.Attachments() {
		if name == "fair-scheduler.xml" || name == "capacity-scheduler.xml" {
			data, err := t.Attachment(name)
			if err != nil {
				return nil, err
			}
			site[name] = data
		}
	}
	return &Preset{
		Name: "fit", version: fitVersion, Usage: "a model fitted to " + t.Name(), Kinds: []string{"recorded"}, VCores: int32(vcores), MemMiB: mem, attach: site, estimates: estimates, from: t.Hash(), Unknown: f.unknown(), atOnce: f.submit[0] == f.submit[len(f.submit)-1],
		Defaults: Options{Jobs: len(f.submit), Nodes: nodes, Racks: racks, Replication: f.replication(), Failures: failures.Words(), MTBFDays: failures.MTBFDays},
		Model: func() *Workload {
			own := map[string]*law{}
			for kind, l := range laws {
				c := *l
				own[kind] = &c
			}
			w := &Workload{
				Arrivals: arrivals, Machines: machines, Failures: failures, Teams: model.Teams{UserTable: t.Users, QueueTable: t.Queues},
				Jobs: &fitted{templates: f.templates, laws: own, Factor: 1, Popularity: popularity},
			}
			w.Machines.Mix = slices.Clone(machines.Mix)
			return w
		},
	}, nil
}

// shortMS is the span below which submissions say nothing of how minutes differ.
const shortMS = 3600_000

// unknown says what of the trace no parameter has, in a sentence each.
func (f *fit) unknown() (list []string) {
	n, span := len(f.submit), f.submit[len(f.submit)-1]-f.submit[0]
	switch {
	case n < model.LeastToFit:
		list = append(list, fmt.Sprintf("of %d jobs, fewer than %d, it does not follow how arrivals cluster: they come independently of each other", n, model.LeastToFit))
	case span < shortMS:
		list = append(list, fmt.Sprintf("of submissions within %v it does not follow how hours and minutes differ: of bursts those of seconds alone are those of the trace", time.Duration(span)*time.Millisecond))
	}
	if f.dependent > 0 {
		list = append(list, fmt.Sprintf("%d of %d jobs wait for others, which generated ones do not", f.dependent, n))
	}
	return list
}

// machines are the shapes of the nodes by how many there are.
func (f *fit) machines() (m model.Machines, racks, nodes int) {
	in := map[int32]bool{}
	late := !slices.ContainsFunc(f.trace.Nodes, func(n trace.Node) bool { return n.Present }) // all of them join
	for _, n := range f.trace.Nodes {
		if !n.Present && !late {
			continue
		}
		nodes++
		in[n.RackID] = true
		i := slices.IndexFunc(m.Mix, func(x model.Machine) bool {
			return x.MemMiB == n.MemMiB && x.VCores == int64(n.VCores) && slices.Equal(x.Extra, n.Extra) && slices.Equal(x.Labels, n.Labels)
		})
		if i < 0 {
			i = len(m.Mix)
			m.Mix = append(m.Mix, model.Machine{VCores: int64(n.VCores), MemMiB: n.MemMiB, Extra: n.Extra, Labels: n.Labels})
		}
		m.Mix[i].Weight++
	}
	return m, len(in), nodes
}

// failures are those of nodes: their rate, and the law that failures have elsewhere.
func (f *fit) failures() (model.Failures, []model.Estimate) {
	x := model.DefaultFailures()
	fails, last := 0.0, f.trace.Manifest.SpanMS
	for _, e := range f.trace.Events {
		if e.Kind == trace.Fail && (e.Reason == "" || e.Reason == "unknown" || e.Reason == "hardware") {
			fails++
		}
		last = max(last, e.TimeMS)
	}
	if fails == 0 {
		return x, nil
	}
	x.Law = "weibull"
	x.MTBFDays = float64(last) / 86_400_000 * float64(len(f.trace.Nodes)) / fails
	part := 2.5 / math.Sqrt(fails) // failures come in pairs
	return x, []model.Estimate{{Name: "mtbf_days", Value: x.MTBFDays, Low: x.MTBFDays / (1 + part), High: x.MTBFDays * (1 + part) / max(0.05, 1-float64(part*part))}}
}

// popularity is how often files are read again.
func (f *fit) popularity() (model.Popularity, []model.Estimate) {
	p := model.Popularity{Zipf: 0.9, Catalogue: 10_000}
	if f.readings == 0 {
		return p, nil
	}
	shared := 0.0
	for _, n := range f.reads {
		if n > 1 {
			shared++
		}
	}
	p.Reread, p.Shared = f.again/f.readings, shared/float64(len(f.reads))
	return p, []model.Estimate{model.Share("locality.reread", f.again, f.readings), model.Share("locality.shared", shared, float64(len(f.reads)))}
}

func (f *fit) replication() int {
	for _, x := range f.trace.Files {
		if x.Replication > 0 {
			return int(x.Replication)
		}
	}
	return 3
}

// law is the law of the durations of one kind of stages.
type law struct {
	model.Durations
	model.Stragglers
}

// fitted are jobs drawn from those of a trace, whose tasks have new durations around the means of their stages.
type fitted struct {
	templates  []template
	laws       map[string]*law // by kind of stage
	Factor     float64
	Popularity model.Popularity

	file  map[int64][]int32 // by job, of each stage
	round int64             // of order; 0 = none
	order []int             // of the templates in a round, from 1 on
}

func (m *fitted) Parameters(p *model.Parameters) {
	p.Float("jobs.duration_factor", &m.Factor, 1e-6, 1e6, "factor of all durations")
	for _, kind := range []string{trace.StageInput, trace.StageShuffle, trace.StageResult, trace.StageGang} {
		l := m.laws[kind]
		if l == nil {
			continue
		}
		p.In(lawNames[kind], func(p *model.Parameters) {
			p.Float("task_lnsd", &l.TaskLnSD, 0, 10, "standard deviation of the logarithm of tasks within a stage")
			p.Float("straggler_p", &l.P, 0, 1, "share of the tasks that take a multiple of 1.5 to 10")
			p.Float("max_s", &l.MostS, 0.001, 1e9, "the longest task, seconds")
		})
	}
	m.Popularity.Parameters(p)
}

// template is that of a job. In each round of as many jobs as there are templates each comes once, so that the few large ones that a trace has are there as often as they
// were: of seventeen jobs drawn one by one, one that has nearly all of the work would be missing in a third of the traces.
func (m *fitted) template(g *Generator, id int64) *template {
	n := int64(len(m.templates))
	if round := id/n + 1; round != m.round {
		m.round, m.order = round, g.JobStream("templates", round).Perm(int(n))
	}
	return &m.templates[m.order[id%n]]
}

func (m *fitted) Plan(g *Generator, ids []int64) []trace.File {
	m.Popularity.Replication = int64(g.Replication)
	m.file = map[int64][]int32{}
	files := m.Popularity.NewFiles()
	for _, id := range ids {
		x := m.template(g, id)
		if !slices.ContainsFunc(x.stages, func(s stageTemplate) bool { return s.blockBytes > 0 }) {
			continue
		}
		r := g.JobStream("file", id)
		for i, s := range x.stages {
			file := int32(trace.Unset)
			if s.blockBytes > 0 {
				file = files.Choose(r, fmt.Sprintf("input%d.%d", id, i), int64(s.tasks)*s.blockBytes, s.blockBytes)
			}
			m.file[id] = append(m.file[id], file)
		}
	}
	return files.List
}

func (m *fitted) Job(g *Generator, id int64) *trace.Job {
	x := m.template(g, id)
	j := x.job
	j.Stages = slices.Clone(x.job.Stages)
	r, straggling := g.JobStream("tasks", id), g.JobStream("stragglers", id)
	for i := range j.Stages {
		s, one := &j.Stages[i], &x.stages[i]
		s.Tasks = trace.NewTasks(one.tasks)
		if l := m.laws[s.Kind]; l != nil {
			// Not around the median: of stages of one task, or of like ones, tasks that differ as those of others do would be more work than the trace has.
			l.Fill(r, straggling, l.Median(one.meanMS*m.Factor, &l.Stragglers), &l.Stragglers, s.Tasks.DurationMS)
		}
		if one.blockBytes > 0 && !g.sizing {
			kind := s.Kind
			g.ReadFile(s, m.file[id][i], one.tasks)
			s.Kind = kind
		}
	}
	return &j
}

// estimate is what was fitted of a parameter, in words; "" = nothing was.
func (p *Preset) estimate(name string) string {
	for _, e := range p.estimates {
		if e.Name == name || strings.HasSuffix(name, "."+e.Name) {
			return e.String()
		}
	}
	return ""
}
