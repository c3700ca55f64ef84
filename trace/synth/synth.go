// Package synth makes synthetic traces: arrivals, jobs, their blocks and node failures, after calibrated presets.
// The same preset, options and seed give the same trace; every purpose draws from its own stream, so that a
// change of one part leaves the others as they were.
//
// Times are in milliseconds, memory in MiB, CPU in vcores, sizes in bytes.
package synth

import (
	"cmp"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"replay/counted"
	"replay/trace"
	"replay/trace/hdfs"
	"replay/trace/synth/model"
)

// Version is that of the models here. It rises when the same options and seed give another trace.
const Version = "2"

// A Preset is a calibrated model of a workload. It is one file and one line in Presets. It is a Model with parameters, or a regular one
// that is made by Arrivals, Files and Job.
type Preset struct {
	Name     string
	Usage    string // in one line
	Defaults Options
	Kinds    []string // of jobs; the first is the default
	VCores   int32    // of a node
	MemMiB   int64    // of a node
	Queues   []string // paths; all their parents are made too
	Users    []string
	Grows    *growth          // in place of Queues and Users, nil where they are the same for each size of the cluster
	Site     []trace.KeyValue // of its yarn-site.xml, beside the largest containers

	// Model returns the workload, which is the caller's to change. It has nodes, queues and users of its own.
	Model func() *Workload

	Unknown   []string          // sentences: what of the trace that a fit is of the preset does not have
	atOnce    bool              // the jobs of that trace were submitted at one time, which says nothing of how far they are apart
	attach    map[string][]byte // files of the trace that a fit is of
	estimates []model.Estimate  // of a fit
	version   string            // where it is not Version
	from      string            // hash of the trace that a fit is of

	// Arrivals draws n submission times from 0 on, ascending. Fewer are the first of more.
	Arrivals func(r *rand.Rand, n int) []int64
	// Files are the input files that the jobs read.
	Files func(o Options) []trace.File
	// Job makes job id; submission time and id are set by the caller.
	Job func(g *Generator, id int64) *trace.Job
}

// Presets are the known presets.
var Presets = []*Preset{
	&uniformMicro,
	&oneHost,
	&tpchDecima,
	&tpchMixed,
	&month,
	&monthElastic,
	&facebook2009,
	&facebook2009Delay,
	&facebook2010,
	&alibaba2018,
	&google2019Cell,
}

// growth is how a preset grows with the number of nodes.
type growth struct {
	rackNodes  int // nodes of a rack
	queueNodes int // nodes for each queue, which has one user
}

func (w *growth) queues(nodes int) int { return max(nodes/w.queueNodes, 1) }

// teams returns the paths of queues and the names of users on so many nodes.
func (p *Preset) teams(nodes int) (queues, users []string) {
	if p.Grows == nil {
		return p.Queues, p.Users
	}
	for i := range p.Grows.queues(nodes) {
		queues, users = append(queues, fmt.Sprintf("root.team%03d", i)), append(users, fmt.Sprintf("user%03d", i))
	}
	return queues, users
}

// Find returns the preset called name. The error names the known ones.
func Find(name string) (*Preset, error) {
	var known []string
	for _, p := range Presets {
		if p.Name == name {
			return p, nil
		}
		known = append(known, p.Name)
	}
	return nil, fmt.Errorf("unknown preset %q (known: %s)", name, strings.Join(known, ", "))
}

// Options of a generation. Zero values take those of the preset.
type Options struct {
	Name        string // of the trace in results; "" is that of the preset with the options that differ from its own
	Seed        uint64
	Jobs        int
	Nodes       int
	Racks       int
	Replication int      // of input blocks
	Load        float64  // offered load of vcores to reach by scaling the arrivals; 0 leaves them as they are
	SpanMS      int64    // in which jobs are submitted; without Jobs as many as come in it, or as have the work for the load
	Kind        string   // of jobs
	Failures    string   // words of model.FailureWords with commas
	MTBFDays    float64  // mean time between failures of a node
	Diurnal     string   // a key of model.Days
	Set         []string // parameters of the model, as name=value
}

// Check returns an error that names the option that can't be, if there is one.
func (p *Preset) Check(o Options) error {
	_, err := p.Settings(o)
	return err
}

// nameOf is what results call a trace with options that are resolved: the preset, and what differs from its defaults.
func (p *Preset) nameOf(o Options) string {
	if o.Name != "" {
		return o.Name
	}
	d, err := p.with(Options{Seed: 1})
	if err != nil {
		panic(err) // defaults are valid
	}
	name, jobs := p.Name, d.Jobs
	if o.SpanMS > 0 {
		jobs = 0
	}
	for _, x := range []struct {
		option    string
		value, or any
	}{
		{"jobs", o.Jobs, jobs}, {"nodes", o.Nodes, d.Nodes}, {"racks", o.Racks, d.Racks}, {"replication", o.Replication, d.Replication}, {"load", o.Load, d.Load},
		{"kind", o.Kind, d.Kind}, {"failures", o.Failures, d.Failures}, {"mtbf", o.MTBFDays, d.MTBFDays}, {"seed", o.Seed, d.Seed},
		{"span_ms", o.SpanMS, d.SpanMS}, {"diurnal", o.Diurnal, d.Diurnal},
	} {
		if x.value != x.or {
			name += fmt.Sprintf(" %s=%v", x.option, x.value)
		}
	}
	return p.nameSet(name, o)
}

// What can be asked for: arrivals are held in memory, and their times are whole milliseconds of at most 100 years.
const (
	MostJobs            = 10_000_000
	leastLoad, mostLoad = 1e-6, 1e6
)

// with returns o with the preset's defaults in place of zero values, or an error that names the option.
func (p *Preset) with(o Options) (Options, error) {
	d := p.Defaults
	if w := p.Grows; w != nil && o.Nodes > 0 {
		d.Racks = (o.Nodes + w.rackNodes - 1) / w.rackNodes
	}
	if o.Nodes > 0 {
		d.Racks = min(d.Racks, o.Nodes)
	}
	if o.SpanMS < 0 {
		return o, fmt.Errorf("--span is %d ms, want more than 0", o.SpanMS)
	}
	if o.SpanMS > 0 {
		d.Jobs = 0
	}
	replicas := o.Replication // as asked for: of the preset's a small cluster has as many as it has nodes
	for _, n := range []struct {
		name  string
		value *int
		or    int
	}{{"jobs", &o.Jobs, d.Jobs}, {"nodes", &o.Nodes, d.Nodes}, {"racks", &o.Racks, d.Racks}, {"replication", &o.Replication, d.Replication}} {
		if *n.value == 0 {
			if *n.value = n.or; n.or == 0 {
				continue // as many as the span or the law of racks gives
			}
		}
		most := math.MaxInt32
		if n.name == "jobs" {
			most = MostJobs
		}
		if *n.value < 1 || *n.value > most {
			return o, fmt.Errorf("--%s is %d, want 1 to %d", n.name, *n.value, most)
		}
	}
	if o.Racks > o.Nodes {
		return o, fmt.Errorf("--racks is %d, want at most the %s", o.Racks, counted.Of(o.Nodes, "nodes"))
	}
	if replicas > o.Nodes {
		return o, fmt.Errorf("--replication is %d, want at most the %s", replicas, counted.Of(o.Nodes, "nodes"))
	}
	if o.Load == 0 {
		o.Load = d.Load
	}
	if o.Load != 0 && !(o.Load >= leastLoad && o.Load <= mostLoad) {
		return o, fmt.Errorf("--load is %v, want %v to %v", o.Load, leastLoad, mostLoad)
	}
	if o.Kind == "" {
		o.Kind = p.Kinds[0]
	}
	if !slices.Contains(p.Kinds, o.Kind) {
		return o, fmt.Errorf("--kind is %q, want one of %s for preset %s", o.Kind, strings.Join(p.Kinds, ", "), p.Name)
	}
	if o.Failures == "" {
		o.Failures = cmp.Or(d.Failures, "none")
	}
	failures := model.DefaultFailures()
	if err := failures.Take(o.Failures); err != nil {
		return o, err
	}
	o.Failures = failures.Words()
	if o.MTBFDays > 0 && failures.Law == "none" {
		return o, fmt.Errorf("--mtbf is %v days, and --failures %q has no law of the times between failures of a node: want exponential or weibull in it", o.MTBFDays, o.Failures)
	}
	if o.MTBFDays == 0 {
		o.MTBFDays = cmp.Or(d.MTBFDays, failures.MTBFDays)
	}
	if _, ok := model.Days[o.Diurnal]; !ok && o.Diurnal != "" {
		return o, fmt.Errorf("--diurnal is %q, want one of %s", o.Diurnal, strings.Join(slices.Sorted(maps.Keys(model.Days)), ", "))
	}
	if p.Model == nil && (o.Diurnal != "" || len(o.Set) > 0) {
		return o, fmt.Errorf("preset %s has no parameters that --diurnal or --set could change", p.Name)
	}
	if o.MTBFDays < 0 || math.IsNaN(o.MTBFDays) || math.IsInf(o.MTBFDays, 0) {
		return o, fmt.Errorf("--mtbf is %v days, want more than 0", o.MTBFDays)
	}
	return o, nil
}

// A Generator makes the jobs of one trace.
type Generator struct {
	Options
	preset   *Preset
	work     *Workload // nil for a regular preset
	topology *hdfs.Topology
	files    []trace.File
	sizing   bool // only the work of jobs is wanted, not what they read
}

// Stream returns the stream of this generation for a purpose.
func (g *Generator) Stream(purpose string) *rand.Rand { return trace.Stream(g.Seed, purpose) }

// JobStream returns the stream of this generation for a purpose of one job.
func (g *Generator) JobStream(purpose string, id int64) *rand.Rand {
	return trace.Stream(g.Seed, purpose+"/"+strconv.FormatInt(id, 10))
}

// ReadFile makes the n tasks of a stage read the first n blocks of a file, which are at the same places for all readers.
func (g *Generator) ReadFile(s *trace.Stage, file int32, n int) {
	if g.sizing {
		return
	}
	f := &g.files[file]
	r := g.Stream("blocks/" + f.Name)
	s.FileID = file
	s.Kind = trace.StageInput
	t := &s.Tasks
	t.PrefStart = make([]int32, 1, n+1)
	t.Pref = make([]int32, 0, n*int(f.Replication))
	t.InputBytes = make([]int64, n)
	for i := range n {
		t.InputBytes[i] = min(f.BlockBytes, f.Bytes-int64(i)*f.BlockBytes)
		t.Pref = g.topology.AppendBlock(t.Pref, r, int(f.Replication), hdfs.AnyWriter)
		t.PrefStart = append(t.PrefStart, int32(len(t.Pref)))
	}
}

// Result says what was generated.
type Result struct {
	Hash   string        `json:"hash"`
	Counts trace.Counts  `json:"counts"`
	SpanMS int64         `json:"span_ms"`
	Load   trace.Offered `json:"offered_load"`
	Factor float64       `json:"arrivals_divided_by"` // 1 without a wanted load

	LeftOut int     `json:"jobs_left_out"` // drawn for a load in a span, and not taken as they had more work than was left of it
	Filled  float64 `json:"span_filled"`   // share of the span which the jobs of a load have work for, where --jobs does not end them; else 1
}

// Generate writes the trace of a preset to a new directory. It leaves nothing if ctx ends before.
func Generate(ctx context.Context, dir string, p *Preset, o Options) (*Result, error) {
	o, err := p.with(o)
	if err != nil {
		return nil, err
	}
	if p.atOnce && o.Load == 0 && !slices.ContainsFunc(o.Set, func(s string) bool { return strings.HasPrefix(s, "arrival.mean_gap_s=") }) {
		return nil, errors.New("the jobs of the trace were submitted at one time, from which it does not follow how far they are apart: want --load, or --set arrival.mean_gap_s=SECONDS")
	}
	g := &Generator{Options: o, preset: p}
	meta, joins, err := g.meta()
	if err != nil {
		return nil, err
	}
	size := trace.SizeAtStart(meta.Nodes)
	come, err := g.submissions(ctx, size)
	if err != nil {
		return nil, err
	}
	res := &Result{Factor: come.factor, SpanMS: come.ms[len(come.ms)-1], LeftOut: come.left, Filled: come.filled}
	g.Jobs = len(come.ms)
	if g.work != nil {
		g.files = g.work.Jobs.Plan(g, come.ids)
	} else {
		o.Jobs = int(come.ids[len(come.ids)-1]) + 1 // as many as the span gave
		g.files = p.Files(o)
	}
	meta.Files = g.files
	meta.Events = g.failures().Events(g.Stream, meta.Nodes, joins, 2*res.SpanMS+3_600_000)
	meta.Generator = &trace.Generator{Tool: "replay gen", Version: cmp.Or(p.version, Version), Preset: p.Name, Seed: o.Seed, Params: g.params(res)}
	w, err := trace.Create(dir, meta)
	if err != nil {
		return nil, err
	}
	w.Attach("yarn-site.xml", g.yarnSite())
	for _, name := range slices.Sorted(maps.Keys(p.attach)) {
		w.Attach(name, p.attach[name])
	}
	var work trace.Work
	for j := range g.jobs(ctx, &come) {
		w.AddJob(j) // Close returns the first error
		one := trace.WorkOf(j)
		work.VCoreMS += one.VCoreMS
		work.MemMiBMS += one.MemMiBMS
	}
	if err := ctx.Err(); err != nil {
		w.Abort()
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	res.Hash, res.Counts, res.Load = w.Hash(), w.Counts(), trace.OfferedLoad(work, size, res.SpanMS)
	return res, nil
}

// meta is what is known before the jobs, with the events of nodes that join.
func (g *Generator) meta() (meta trace.Meta, joins []trace.NodeEvent, err error) {
	meta = trace.Meta{
		OriginUnixMS: trace.Unset, LocalitySource: trace.LocalityModelled, DurationSource: trace.DurationModelled,
	}
	if g.preset.Model != nil {
		if g.work, err = g.preset.workload(g.Options); err != nil {
			return meta, nil, err
		}
		meta.Nodes = g.work.Machines.Nodes(g.Stream, g.Nodes, g.Racks)
		joins = g.work.Machines.Joins(g.Stream("node-joins"), meta.Nodes)
		meta.Users, meta.Queues = g.work.Teams.Tables()
	} else {
		queues, users := g.preset.teams(g.Nodes)
		g.files = g.preset.Files(g.Options)
		meta.Nodes, meta.Queues, meta.Users = g.nodes(), trace.QueueTree(queues), usersOf(users)
	}
	meta.Name = g.preset.nameOf(g.Options)
	g.topology, err = hdfs.NewTopology(meta.Nodes)
	return meta, joins, err
}

// failures are those of the workload, or of a regular preset with the options.
func (g *Generator) failures() *model.Failures {
	if g.work != nil {
		return &g.work.Failures
	}
	f := model.DefaultFailures()
	if err := f.Take(g.Failures); err != nil {
		panic(err) // it was checked
	}
	f.MTBFDays = g.MTBFDays
	return &f
}

// job makes job id.
func (g *Generator) job(id int64) *trace.Job {
	if g.work == nil {
		return g.preset.Job(g, id)
	}
	j := g.work.Jobs.Job(g, id)
	g.work.Teams.Draw(g.JobStream("team", id), j)
	return j
}

// jobs yields the jobs with their submission times, until ctx ends.
func (g *Generator) jobs(ctx context.Context, come *submissions) iter.Seq[*trace.Job] {
	return func(yield func(*trace.Job) bool) {
		for i, ms := range come.ms {
			if ctx.Err() != nil {
				return
			}
			j := g.job(come.ids[i])
			j.ID, j.SubmitMS = int64(i), ms
			if !yield(j) {
				return
			}
		}
	}
}

func (g *Generator) nodes() []trace.Node {
	m := model.Machines{Mix: []model.Machine{{VCores: int64(g.preset.VCores), MemMiB: g.preset.MemMiB, Weight: 1}}}
	return m.Nodes(g.Stream, g.Nodes, g.Racks)
}

// yarnSite allows containers as large as a node, as clusters are set up whose executors are larger than YARN's default maximum.
func (g *Generator) yarnSite() []byte {
	memMiB, vcores := g.preset.MemMiB, int64(g.preset.VCores)
	if g.work != nil {
		memMiB, vcores = g.work.Machines.Largest()
	}
	var b strings.Builder
	b.WriteString("<?xml version=\"1.0\"?>\n<configuration>\n")
	for _, kv := range append([]trace.KeyValue{
		{Key: "yarn.scheduler.maximum-allocation-mb", Value: strconv.FormatInt(memMiB, 10)},
		{Key: "yarn.scheduler.maximum-allocation-vcores", Value: strconv.FormatInt(vcores, 10)},
	}, g.preset.Site...) {
		for _, part := range [][2]string{{"  <property><name>", kv.Key}, {"</name><value>", kv.Value}, {"</value></property>\n", ""}} {
			b.WriteString(part[0])
			xml.EscapeText(&b, []byte(part[1])) // a strings.Builder has no errors
		}
	}
	b.WriteString("</configuration>\n")
	return []byte(b.String())
}

func (g *Generator) params(r *Result) map[string]string {
	all := map[string]string{
		"jobs": strconv.Itoa(g.Jobs), "nodes": strconv.Itoa(g.Nodes), "racks": strconv.Itoa(g.Racks), "replication": strconv.Itoa(g.Replication),
		"kind": g.Kind, "failures": g.Failures, "mtbf_days": formatFloat(g.MTBFDays), "load": formatFloat(g.Load), "arrival_factor": formatFloat(r.Factor),
	}
	if g.SpanMS > 0 {
		all["span_ms"] = strconv.FormatInt(g.SpanMS, 10)
	}
	if r.LeftOut > 0 {
		all["jobs_left_out"] = strconv.Itoa(r.LeftOut)
	}
	if g.work != nil {
		parameters := g.work.parameters().All
		for i := range parameters {
			all[parameters[i].Name] = parameters[i].Text()
		}
	}
	if g.preset.from != "" {
		all["fitted_to"] = g.preset.from
		for _, e := range g.preset.estimates {
			all["fitted."+e.Name] = g.preset.estimate(e.Name)
		}
	}
	return all
}

func formatFloat(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

func usersOf(names []string) (users []trace.User) {
	for i, n := range names {
		users = append(users, trace.NewUser(int32(i), n))
	}
	return users
}
