// Package synth makes synthetic traces: arrivals, jobs, their blocks and node failures, after calibrated presets.
// The same preset, options and seed give the same trace; every purpose draws from its own stream, so that a
// change of one part leaves the others as they were.
//
// Times are in milliseconds, memory in MiB, CPU in vcores, sizes in bytes.
package synth

import (
	"context"
	"encoding/xml"
	"fmt"
	"iter"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"replay/trace"
)

// Version is that of the models here. It rises when the same options and seed give another trace.
const Version = "1"

// A Preset is a calibrated model of a workload. It is one file and one line in Presets.
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

	// Arrivals draws n submission times from 0 on, ascending.
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
	Replication int     // of input blocks
	Load        float64 // offered load of vcores to reach by scaling the arrivals; 0 leaves them as they are
	Kind        string  // of jobs
	Failures    string  // a key of FailureModels
	MTBFDays    float64 // mean time between failures of a node
}

// Check returns an error that names the option that can't be, if there is one.
func (p *Preset) Check(o Options) error {
	_, err := p.with(o)
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
	name := p.Name
	for _, x := range []struct {
		option    string
		value, or any
	}{
		{"jobs", o.Jobs, d.Jobs}, {"nodes", o.Nodes, d.Nodes}, {"racks", o.Racks, d.Racks}, {"replication", o.Replication, d.Replication}, {"load", o.Load, d.Load},
		{"kind", o.Kind, d.Kind}, {"failures", o.Failures, d.Failures}, {"mtbf", o.MTBFDays, d.MTBFDays}, {"seed", o.Seed, d.Seed},
	} {
		if x.value != x.or {
			name += fmt.Sprintf(" %s=%v", x.option, x.value)
		}
	}
	return name
}

// with returns o with the preset's defaults in place of zero values, or an error that names the option.
func (p *Preset) with(o Options) (Options, error) {
	d := p.Defaults
	if w := p.Grows; w != nil && o.Nodes > 0 {
		d.Racks = (o.Nodes + w.rackNodes - 1) / w.rackNodes
	}
	for _, n := range []struct {
		name  string
		value *int
		or    int
	}{{"jobs", &o.Jobs, d.Jobs}, {"nodes", &o.Nodes, d.Nodes}, {"racks", &o.Racks, d.Racks}, {"replication", &o.Replication, d.Replication}} {
		if *n.value == 0 {
			*n.value = n.or
		}
		if *n.value < 1 || *n.value > math.MaxInt32 {
			return o, fmt.Errorf("%s is %d, want 1 to %d", n.name, *n.value, math.MaxInt32)
		}
	}
	if o.Racks > o.Nodes {
		return o, fmt.Errorf("racks is %d, want at most the %d nodes", o.Racks, o.Nodes)
	}
	if o.Load == 0 {
		o.Load = d.Load
	}
	if o.Load < 0 || math.IsNaN(o.Load) || math.IsInf(o.Load, 0) {
		return o, fmt.Errorf("load is %v, want more than 0", o.Load)
	}
	if o.Kind == "" {
		o.Kind = p.Kinds[0]
	}
	if !slices.Contains(p.Kinds, o.Kind) {
		return o, fmt.Errorf("kind is %q, want one of %s for preset %s", o.Kind, strings.Join(p.Kinds, ", "), p.Name)
	}
	if o.Failures == "" {
		o.Failures = "none"
	}
	if _, ok := FailureModels[o.Failures]; !ok {
		return o, fmt.Errorf("failures is %q, want one of %s", o.Failures, strings.Join(slices.Sorted(maps.Keys(FailureModels)), ", "))
	}
	if o.MTBFDays == 0 {
		o.MTBFDays = defaultMTBFDays
	}
	if o.MTBFDays < 0 || math.IsNaN(o.MTBFDays) || math.IsInf(o.MTBFDays, 0) {
		return o, fmt.Errorf("mtbf is %v days, want more than 0", o.MTBFDays)
	}
	return o, nil
}

// A Generator makes the jobs of one trace.
type Generator struct {
	Options
	preset   *Preset
	topology *trace.Topology
	files    []trace.File
	blocks   map[int32][][]int32
}

// Stream returns the stream of this generation for a purpose.
func (g *Generator) Stream(purpose string) *rand.Rand { return trace.Stream(g.Seed, purpose) }

// JobStream returns the stream of this generation for a purpose of one job.
func (g *Generator) JobStream(purpose string, id int64) *rand.Rand {
	return trace.Stream(g.Seed, purpose+"/"+strconv.FormatInt(id, 10))
}

// Blocks returns the nodes of each block of an input file. They are the same for all readers.
func (g *Generator) Blocks(file int32) [][]int32 {
	if b, ok := g.blocks[file]; ok {
		return b
	}
	f := &g.files[file]
	r := g.Stream("blocks/" + f.Name)
	blocks := make([][]int32, f.Blocks)
	for i := range blocks {
		blocks[i] = g.topology.PlaceBlock(r, int(f.Replication), trace.AnyWriter)
	}
	g.blocks[file] = blocks
	return blocks
}

// ReadFile makes the n tasks of a stage read the first n blocks of a file.
func (g *Generator) ReadFile(s *trace.Stage, file int32, n int) {
	f := &g.files[file]
	blocks := g.Blocks(file)
	s.FileID = file
	s.Kind = trace.StageInput
	t := &s.Tasks
	t.PrefStart = make([]int32, 1, n+1)
	t.InputBytes = make([]int64, n)
	for i := range n {
		t.InputBytes[i] = min(f.BlockBytes, f.Bytes-int64(i)*f.BlockBytes)
		t.Pref = append(t.Pref, blocks[i]...)
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
}

// Generate writes the trace of a preset to a new directory. It leaves nothing if ctx ends before.
func Generate(ctx context.Context, dir string, p *Preset, o Options) (*Result, error) {
	o, err := p.with(o)
	if err != nil {
		return nil, err
	}
	g := &Generator{Options: o, preset: p, blocks: make(map[int32][][]int32), files: p.Files(o)}
	queues, users := p.teams(o.Nodes)
	meta := trace.Meta{
		Name: p.nameOf(o), OriginUnixMS: trace.Unset, LocalitySource: trace.LocalityModelled, DurationSource: trace.DurationModelled,
		Nodes: g.nodes(), Queues: trace.QueueTree(queues), Users: usersOf(users), Files: g.files,
	}
	if g.topology, err = trace.NewTopology(meta.Nodes); err != nil {
		return nil, err
	}
	res := &Result{Factor: 1}
	submit := p.Arrivals(g.Stream("arrivals"), o.Jobs)
	size := trace.SizeAtStart(meta.Nodes)
	if o.Load > 0 {
		if res.Factor, err = g.factor(ctx, submit, size); err != nil {
			return nil, err
		}
		for i := range submit {
			submit[i] = int64(math.Round(float64(submit[i]) / res.Factor))
		}
	}
	res.SpanMS = submit[len(submit)-1]
	meta.Events = nodeEvents(g, meta.Nodes, res.SpanMS)
	meta.Generator = &trace.Generator{Tool: "replay gen", Version: Version, Preset: p.Name, Seed: o.Seed, Params: g.params(res.Factor)}
	w, err := trace.Create(dir, meta)
	if err != nil {
		return nil, err
	}
	w.Attach("yarn-site.xml", g.yarnSite())
	var work trace.Work
	for j := range g.jobs(ctx, submit) {
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

// jobs yields the jobs with their submission times, until ctx ends.
func (g *Generator) jobs(ctx context.Context, submit []int64) iter.Seq[*trace.Job] {
	return func(yield func(*trace.Job) bool) {
		for i, ms := range submit {
			if ctx.Err() != nil {
				return
			}
			j := g.preset.Job(g, int64(i))
			j.ID, j.SubmitMS = int64(i), ms
			if !yield(j) {
				return
			}
		}
	}
}

// factor returns by how much the arrivals must be faster for the wanted load.
func (g *Generator) factor(ctx context.Context, submit []int64, size trace.Size) (float64, error) {
	var work trace.Work
	for j := range g.jobs(ctx, submit) {
		work.VCoreMS += trace.WorkOf(j).VCoreMS
	}
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	native := trace.OfferedLoad(work, size, submit[len(submit)-1])
	if native.VCores == nil || *native.VCores == 0 {
		return 0, fmt.Errorf("load is %v, want none for %d jobs: the load of no span or no work can't be scaled", g.Load, g.Jobs)
	}
	return g.Load / *native.VCores, nil
}

func (g *Generator) nodes() []trace.Node {
	nodes := make([]trace.Node, g.Nodes)
	for i := range nodes {
		rack := int32(i * g.Racks / g.Nodes)
		nodes[i] = trace.Node{
			ID: int32(i), Host: fmt.Sprintf("node%d", i), RackID: rack, Rack: fmt.Sprintf("/rack%d", rack),
			MemMiB: g.preset.MemMiB, VCores: g.preset.VCores, Present: true,
		}
	}
	return nodes
}

// yarnSite allows containers as large as a node, as clusters are set up whose executors are larger than YARN's default maximum.
func (g *Generator) yarnSite() []byte {
	var b strings.Builder
	b.WriteString("<?xml version=\"1.0\"?>\n<configuration>\n")
	for _, kv := range append([]trace.KeyValue{
		{Key: "yarn.scheduler.maximum-allocation-mb", Value: strconv.FormatInt(g.preset.MemMiB, 10)},
		{Key: "yarn.scheduler.maximum-allocation-vcores", Value: strconv.FormatInt(int64(g.preset.VCores), 10)},
	}, g.preset.Site...) {
		for _, part := range [][2]string{{"  <property><name>", kv.Key}, {"</name><value>", kv.Value}, {"</value></property>\n", ""}} {
			b.WriteString(part[0])
			xml.EscapeText(&b, []byte(part[1])) // a strings.Builder has no errors
		}
	}
	b.WriteString("</configuration>\n")
	return []byte(b.String())
}

func (g *Generator) params(factor float64) map[string]string {
	return map[string]string{
		"jobs": strconv.Itoa(g.Jobs), "nodes": strconv.Itoa(g.Nodes), "racks": strconv.Itoa(g.Racks), "replication": strconv.Itoa(g.Replication),
		"kind": g.Kind, "failures": g.Failures, "mtbf_days": formatFloat(g.MTBFDays), "load": formatFloat(g.Load), "arrival_factor": formatFloat(factor),
	}
}

func formatFloat(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

func usersOf(names []string) (users []trace.User) {
	for i, n := range names {
		users = append(users, trace.NewUser(int32(i), n))
	}
	return users
}
