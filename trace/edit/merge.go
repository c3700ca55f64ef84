package edit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"replay/counted"
	"replay/trace"
)

// Merge lays traces over one another, each from time 0 on, and writes them as one to a directory, which is absent or empty.
//
// Users and queues of one name are one; settings of a queue are those of the first trace that has it. The cluster is that of the first trace, with its events and attached files. With union it is all of them: hosts of one name must be
// alike, and nodes and events of all count. Without, a host of the others that the first does not have is a preferred host that is never there.
func Merge(ctx context.Context, traces []*trace.Trace, out, name string, union bool) (*Result, error) {
	if len(traces) < 2 {
		return nil, fmt.Errorf("%d traces, want two or more to lay over one another", len(traces))
	}
	m := &merging{union: union, host: map[string]int32{}, user: map[string]int32{}, queue: map[string]int32{}, rack: map[string]int32{}, said: map[said]int{}, sized: map[size]sizedBy{}}
	for _, t := range traces {
		err := t.ReadFiles()
		if err == nil {
			err = m.add(t)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.Dir(), err)
		}
	}
	meta := metaOf(traces[0], name, fmt.Sprintf("merged with %d further traces", len(traces)-1))
	if name == "" {
		meta.Name = fmt.Sprintf("%d traces merged", len(traces))
	}
	meta.Generator, meta.Nodes, meta.Events, meta.Queues, meta.Users, meta.Files = nil, m.nodes, m.sorted(), m.queues, m.users, m.files
	for _, t := range traces[1:] {
		if t.OriginUnixMS != meta.OriginUnixMS {
			meta.OriginUnixMS = trace.Unset
		}
		meta.LocalitySource, meta.DurationSource = lesser(meta.LocalitySource, t.LocalitySource), lesser(meta.DurationSource, t.DurationSource)
	}
	r, err := begin(out, meta)
	if err != nil {
		return nil, err
	}
	defer r.Abort()
	if err := m.jobs(ctx, r); err != nil {
		return nil, err
	}
	if err := r.attach(traces[0], func(name string) bool { return !recording(name) }); err != nil {
		return nil, err
	}
	if text := apart(traces); text != "" {
		r.res.LeftOut = slices.Insert(r.res.LeftOut, 0, text)
	}
	if m.again > 0 {
		r.res.Warnings = append(r.res.Warnings, trace.Twice(m.again, r.Counts().Jobs, "jobs", m.first))
	}
	r.res.Warnings = append(r.res.Warnings, m.movedParts()...)
	for _, t := range traces[1:] {
		for _, name := range t.Attachments() {
			r.res.LeftOut = append(r.res.LeftOut, fmt.Sprintf("%s of %q", name, t.Name()))
		}
	}
	return r.finish()
}

// apart says that traces whose beginnings are known did not begin at one time, as they do when they are merged; "" where they did.
func apart(traces []*trace.Trace) string {
	var at []int64
	for _, t := range traces {
		if t.OriginUnixMS != trace.Unset {
			at = append(at, t.OriginUnixMS)
		}
	}
	if len(at) < 2 || slices.Min(at) == slices.Max(at) {
		return ""
	}
	day := func(ms int64) string { return time.UnixMilli(ms).UTC().Format(time.DateTime) }
	return fmt.Sprintf("the times between the beginnings of the traces, from %s to %s (each begins at 0)", day(slices.Min(at)), day(slices.Max(at)))
}

// lesser is what can be said of two traces together.
func lesser(a, b string) string {
	if a == b {
		return a
	}
	for _, s := range []string{trace.LocalityModelled, trace.LocalityObserved, trace.LocalityRecorded} {
		if a == s || b == s {
			return s
		}
	}
	return a
}

type merging struct {
	union                   bool
	nodes                   []trace.Node
	events                  []trace.NodeEvent
	queues                  []trace.Queue
	users                   []trace.User
	files                   []trace.File
	host, user, queue, rack map[string]int32
	parts                   []mergePart
	said                    map[said]int // the first trace with such a job
	again                   int64        // jobs that stand in a trace before theirs, too
	first                   string       // one of these
	sized                   map[size]sizedBy
}

// size is what two jobs have in common that may be one, whenever they are submitted.
type size struct {
	id, name         string
	tasks, runningMS int64
}

// said is what tells whether two jobs of two traces may be one.
type said struct {
	size
	submitMS int64 // since 1970, where that is known
}

// sizedBy is the trace that has the first job of a size, and whether it has another: such a job shows nothing.
type sizedBy struct {
	part    int
	several bool
}

// mergePart says what the numbers of one trace become.
type mergePart struct {
	trace             *trace.Trace
	node, user, queue []int32
	file              int32 // added to each
	ids               map[int64]int64
	source            trace.JobSource
	next              *trace.Job
	jobs, moved       int64  // jobs so far; those of a size that one job of another trace has, too, at another time
	like              string // the name of such a trace
}

func (m *merging) add(t *trace.Trace) error {
	p := mergePart{trace: t, file: int32(len(m.files)), ids: map[int64]int64{}, source: t.Jobs()}
	first := len(m.parts) == 0
	for _, n := range t.Nodes {
		id, ok := m.host[n.Host]
		switch {
		case !ok:
			id = int32(len(m.nodes))
			m.host[n.Host] = id
			rack, known := m.rack[n.Rack]
			if !known {
				rack = int32(len(m.rack))
				m.rack[n.Rack] = rack
			}
			n.ID, n.RackID = id, rack
			n.Present = n.Present && (first || m.union)
			m.nodes = append(m.nodes, n)
		case m.union && (m.nodes[id].MemMiB != n.MemMiB || m.nodes[id].VCores != n.VCores || m.nodes[id].Rack != n.Rack):
			o := &m.nodes[id]
			return fmt.Errorf("host %s has %d MiB and %d vcores in %s, and elsewhere %d MiB and %d vcores in %s: want alike", n.Host, n.MemMiB, n.VCores, n.Rack, o.MemMiB, o.VCores, o.Rack)
		case m.union && m.nodes[id].Present != n.Present:
			return fmt.Errorf("host %s is in the cluster at time 0 in one trace alone", n.Host)
		case m.union && !first && hasEvents(t, n.ID):
			return fmt.Errorf("host %s has events in this trace and is one of another: which are true can't be told", n.Host)
		}
		p.node = append(p.node, id)
	}
	if first || m.union {
		for _, e := range t.Events {
			e.Node = p.node[e.Node]
			m.events = append(m.events, e)
		}
	}
	for _, u := range t.Users {
		id, ok := m.user[u.Name]
		if !ok {
			id = int32(len(m.users))
			m.user[u.Name] = id
			u.ID = id
			m.users = append(m.users, u)
		}
		p.user = append(p.user, id)
	}
	for _, q := range t.Queues {
		id, ok := m.queue[q.Path]
		if !ok {
			id = int32(len(m.queues))
			m.queue[q.Path] = id
			if q.ID = id; q.Parent != trace.Unset {
				q.Parent = p.queue[q.Parent]
			}
			m.queues = append(m.queues, q)
		}
		p.queue = append(p.queue, id)
	}
	for _, f := range t.Files {
		f.ID = int32(len(m.files))
		if !first {
			f.Name = fmt.Sprintf("%d:%s", len(m.parts)+1, f.Name)
		}
		m.files = append(m.files, f)
	}
	m.parts = append(m.parts, p)
	return nil
}

func hasEvents(t *trace.Trace, node int32) bool {
	for i := range t.Events {
		if t.Events[i].Node == node {
			return true
		}
	}
	return false
}

// sorted returns the events of all traces in order of time, those of one time in the order of traces.
func (m *merging) sorted() []trace.NodeEvent {
	slices.SortStableFunc(m.events, func(a, b trace.NodeEvent) int { return cmp.Compare(a.TimeMS, b.TimeMS) })
	for i := range m.events {
		m.events[i].Seq = int32(i)
	}
	return m.events
}

// jobs writes the jobs of all traces in order of submission, those of one time in the order of traces; then their executors.
func (m *merging) jobs(ctx context.Context, r *rewriting) error {
	for i := range m.parts {
		if err := m.parts[i].read(); err != nil {
			return err
		}
	}
	for n := int64(0); ; n++ {
		from, at := -1, int64(math.MaxInt64)
		for i := range m.parts {
			if j := m.parts[i].next; j != nil && (from < 0 || j.SubmitMS < at) {
				from, at = i, j.SubmitMS
			}
		}
		if from < 0 {
			break
		}
		p := &m.parts[from]
		m.count(from, p)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		p.change(n)
		if err := r.AddJob(p.next); err != nil {
			return fmt.Errorf("%s: %w", p.trace.Dir(), err)
		}
		if err := p.read(); err != nil {
			return err
		}
	}
	return m.executors(r)
}

// count looks whether the next job of a trace stands in another, too.
func (m *merging) count(part int, p *mergePart) {
	j := p.next
	s := said{size{id: j.ExternalID, name: j.Name, tasks: j.NumTasks()}, j.SubmitMS}
	if p.trace.OriginUnixMS != trace.Unset {
		s.submitMS += p.trace.OriginUnixMS
	}
	for i := range j.Stages {
		for _, ms := range j.Stages[i].Tasks.DurationMS {
			s.runningMS += ms
		}
	}
	other, found := m.said[s]
	again := found && other != part
	if !found {
		m.said[s] = part
	}
	if again {
		if m.again++; m.first == "" {
			m.first = cmp.Or(j.ExternalID, j.Name, fmt.Sprint(j.ID))
		}
	}
	p.jobs++
	switch by, found := m.sized[s.size]; {
	case !found:
		m.sized[s.size] = sizedBy{part: part}
	case by.part == part:
		m.sized[s.size] = sizedBy{part, true}
	case !by.several && !again:
		o := &m.parts[by.part]
		p.moved, p.like = p.moved+1, o.trace.Name()
		o.moved, o.like = o.moved+1, p.trace.Name()
	}
}

// movedParts says which traces seem to be parts of others from which they were moved: half of their jobs are in others at other times.
func (m *merging) movedParts() (warnings []string) {
	for i := range m.parts {
		if p := &m.parts[i]; p.moved > 0 && 2*p.moved >= p.jobs {
			warnings = append(warnings, fmt.Sprintf("%d of the %s of %q have the id and the size of one of another trace (%q) that is submitted at another time, as in a cut of it: they are replayed, too, and count twice if they are the same",
				p.moved, counted.Of(p.jobs, "jobs"), p.trace.Name(), p.like))
		}
	}
	return warnings
}

// executors are sorted by job, of which each has its own.
func (m *merging) executors(r *rewriting) error {
	var all []trace.Executor
	for i := range m.parts {
		p := &m.parts[i]
		list, err := p.trace.Executors()
		if err != nil {
			return err
		}
		for _, e := range list {
			e.Job, e.Node = p.ids[e.Job], p.node[e.Node]
			all = append(all, e)
		}
	}
	slices.SortFunc(all, func(a, b trace.Executor) int { return cmp.Or(cmp.Compare(a.Job, b.Job), cmp.Compare(a.ID, b.ID)) })
	for _, e := range all {
		if err := r.AddExecutor(e); err != nil {
			return err
		}
	}
	return nil
}

func (p *mergePart) read() (err error) {
	if p.next, err = p.source.Next(); errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", p.trace.Dir(), err)
	}
	return nil
}

// change gives the next job its numbers in the merged trace.
func (p *mergePart) change(id int64) {
	j := p.next
	renumber(j, id, p.ids)
	j.User, j.Queue = p.user[j.User], p.queue[j.Queue]
	for i := range j.Stages {
		s := &j.Stages[i]
		if s.FileID != trace.Unset {
			s.FileID += p.file
		}
		for _, column := range [][]int32{s.Tasks.Pref, s.Tasks.RecordedNode} {
			for k, n := range column {
				if n != trace.Unset {
					column[k] = p.node[n]
				}
			}
		}
	}
}
