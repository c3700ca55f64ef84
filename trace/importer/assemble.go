package importer

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"replay/trace"
)

// assembly is a trace in the making: applications one after another, then everything at once.
type assembly struct {
	opt    *Options
	counts *Counts
	spool  *spool
	hosts  map[string]bool
	took   residents
	source trace.Source
}

func newAssembly(opt *Options, format string) (*assembly, error) {
	if opt.Out == "" {
		return nil, errors.New("no output, want a directory for the trace")
	}
	if entries, err := os.ReadDir(opt.Out); err == nil && len(entries) > 0 { // before hours of reading
		return nil, fmt.Errorf("%s: exists already and is not empty", opt.Out)
	}
	s, err := newSpool()
	if err != nil {
		return nil, err
	}
	return &assembly{opt: opt, counts: newCounts(), spool: s, hosts: map[string]bool{}, source: trace.Source{Format: format}}, nil
}

// add takes an application. One without a stage is dropped.
func (b *assembly) add(a *sparkApp, attempt string) error {
	if len(a.Job.Stages) == 0 {
		b.counts.Dropped["applications_without_a_task"]++
		b.opt.warn("application %s (%s) ran no task and is left out", a.Job.ExternalID, a.Job.Name)
		if b.opt.Strict {
			return fmt.Errorf("application %s ran no task, want one or more", a.Job.ExternalID)
		}
		return nil
	}
	for _, h := range a.Hosts {
		b.hosts[h] = true
	}
	b.took.add(a)
	return b.spool.add(a, b.opt.queueOf(a.Job.Name, a.Queue), attempt)
}

// hash adds files to the source of the trace.
func (b *assembly) hash(paths ...string) error {
	for _, p := range paths {
		f, err := os.Open(p)
		if err != nil {
			return err
		}
		h := sha256.New()
		_, err = io.Copy(h, f)
		f.Close()
		if err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
		b.source.Files = append(b.source.Files, trace.SourceFile{Name: filepath.Base(p), SHA256: hex.EncodeToString(h.Sum(nil))})
	}
	return nil
}

// arrival is one application of the trace: which of the spool, which copy of it, and when.
type arrival struct {
	app, copy int
	at        int64
}

// arrivals lays the applications on the time axis. With recorded times all copies of an application
// come at once; otherwise copies follow each other, each in the recorded order of applications.
func (b *assembly) arrivals() []arrival {
	how, _ := parseArrivals(b.opt.Arrivals) // was checked
	order := make([]int, len(b.spool.index))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int {
		return cmp.Compare(b.spool.index[x].submitMS, b.spool.index[y].submitMS)
	})
	var out []arrival
	r, at := stream(b.opt.Seed, "arrivals"), float64(0)
	for c := range b.opt.Copies {
		for _, i := range order {
			switch how.kind {
			case "recorded":
				out = append(out, arrival{i, c, b.spool.index[i].submitMS})
				continue
			case "fixed":
				out = append(out, arrival{i, c, int64(len(out)) * how.gap.Milliseconds()})
			case "poisson":
				out = append(out, arrival{i, c, int64(at)})
				at += r.ExpFloat64() * float64(how.gap.Milliseconds())
			}
			b.counts.Modelled["submit_times"]++
		}
	}
	slices.SortStableFunc(out, func(x, y arrival) int { return cmp.Compare(x.at, y.at) })
	b.counts.Modelled["copies"] += int64((b.opt.Copies - 1) * len(order))
	return out
}

// output is what a format adds to the applications.
type output struct {
	cluster     *cluster
	events      []trace.NodeEvent
	files       []trace.File // shared by all applications; nil = each has its own
	preferences *preferences
	locality    string
	origin      int64 // of the recorded times
	attach      func(w *trace.Writer, jobs []int64) error
}

// write makes the trace. jobs given to attach are the ids of the applications, in the order they were added.
func (b *assembly) write(ctx context.Context, o *output) (*Result, error) {
	order := b.arrivals()
	if len(order) == 0 {
		return nil, fmt.Errorf("no application with a task among the inputs")
	}
	users, queues := map[string]bool{}, map[string]bool{}
	for _, s := range b.spool.index {
		users[s.user], queues[s.queue] = true, true
	}
	meta := trace.Meta{
		OriginUnixMS: trace.Unset, Source: &b.source, LocalitySource: o.locality, DurationSource: trace.DurationRecorded,
		Nodes: o.cluster.nodes, Events: o.events, Files: o.files,
	}
	recorded := b.opt.Arrivals == "recorded"
	if recorded {
		meta.OriginUnixMS = o.origin
	}
	var userID, queueID map[string]int32
	meta.Users, userID = userTable(users)
	meta.Queues, queueID = queueTable(queues)
	firstFile := make([]int32, len(order))
	if o.files == nil {
		for i, x := range order {
			firstFile[i] = int32(len(meta.Files))
			meta.Files = append(meta.Files, b.fileRows(x, int32(len(meta.Files)))...)
		}
	}
	w, err := trace.Create(b.opt.Out, meta)
	if err != nil {
		return nil, err
	}
	defer w.Abort()
	jobs := make([]int64, len(b.spool.index))
	var all struct {
		Applications []RecordedApp `json:"applications"`
	}
	for i, x := range order {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		a, err := b.spool.get(x.app)
		if err != nil {
			return nil, err
		}
		j := &a.Job
		j.ID, j.User, j.Queue = int64(i), userID[a.User], queueID[b.spool.index[x.app].queue]
		if recorded {
			a.shift(-o.origin)
		} else {
			a.shift(x.at - j.SubmitMS)
		}
		if x.copy > 0 {
			j.ExternalID += "#" + strconv.Itoa(x.copy)
		}
		if err := mapNodes(a, o.cluster); err != nil {
			return nil, err
		}
		o.preferences.fill(j, a.Files, j.ExternalID)
		if o.files == nil {
			for k := range j.Stages {
				if j.Stages[k].FileID != trace.Unset {
					j.Stages[k].FileID += firstFile[i]
				}
			}
		}
		if err := w.AddJob(j); err != nil {
			return nil, fmt.Errorf("application %s: %w", j.ExternalID, err)
		}
		for _, e := range a.Executors {
			e.Job = j.ID
			if err := w.AddExecutor(e); err != nil {
				return nil, fmt.Errorf("application %s: %w", j.ExternalID, err)
			}
		}
		b.counts.Kept["executors"] += int64(len(a.Executors))
		a.Recorded.Job, jobs[x.app] = j.ID, j.ID
		all.Applications = append(all.Applications, a.Recorded)
	}
	return b.finish(w, o, jobs, all)
}

// finish attaches what is no table and closes the trace.
func (b *assembly) finish(w *trace.Writer, o *output, jobs []int64, recorded any) (*Result, error) {
	if o.attach != nil {
		if err := o.attach(w, jobs); err != nil {
			return nil, err
		}
	}
	n := w.Counts()
	for name, v := range map[string]int64{"jobs": n.Jobs, "stages": n.Stages, "tasks": n.Tasks, "nodes": n.Nodes, "node_events": n.NodeEvents} {
		b.counts.Kept[name] = v
	}
	for _, c := range []counter{b.counts.Read, b.counts.Kept, b.counts.Dropped, b.counts.Defaulted, b.counts.Modelled, b.counts.Unknown} {
		for k, v := range c {
			if v == 0 {
				delete(c, k)
			}
		}
	}
	if err := attachJSON(w, "import.json", b.counts); err != nil {
		return nil, err
	}
	if err := attachJSON(w, "recorded.json", recorded); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return &Result{Counts: b.counts, Trace: n, Hash: w.Hash()}, nil
}

func attachJSON(w *trace.Writer, name string, v any) error {
	data, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return err
	}
	return w.Attach(name, append(data, '\n'))
}

// fileRows are the files of one application, named after it, with ids from first on.
func (b *assembly) fileRows(x arrival, first int32) []trace.File {
	s := &b.spool.index[x.app]
	var rows []trace.File
	for i, f := range s.files {
		f.ID = first + int32(i)
		f.Name = s.id + ":" + f.Name
		if x.copy > 0 {
			f.Name = s.id + "#" + strconv.Itoa(x.copy) + ":" + s.files[i].Name
		}
		if b.opt.Blocks == "hdfs" {
			f.Replication = int32(b.opt.Replication)
		}
		rows = append(rows, f)
	}
	return rows
}

// mapNodes puts the nodes of the trace for the hosts of the application.
func mapNodes(a *sparkApp, c *cluster) error {
	node := make([]int32, len(a.Hosts))
	for i, h := range a.Hosts {
		id, ok := c.id[h]
		if !ok {
			return fmt.Errorf("application %s: host %q is no node of the cluster", a.Job.ExternalID, h)
		}
		node[i] = id
	}
	for i := range a.Job.Stages {
		t := &a.Job.Stages[i].Tasks
		for _, column := range [][]int32{t.RecordedNode, t.Pref} {
			for k, h := range column {
				if h != trace.Unset {
					column[k] = node[h]
				}
			}
		}
	}
	for i := range a.Executors {
		a.Executors[i].Node = node[a.Executors[i].Node]
	}
	return nil
}
