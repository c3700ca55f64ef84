package workload

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"replay/counted"
	"replay/trace"
	"replay/trace/importer/recorded"
)

// writing is a trace while its jobs are written.
type writing struct {
	*Builder
	w           *trace.Writer
	origin      int64 // of recorded times
	cluster     *cluster
	preferences *preferences
	user, queue map[string]int32
	files       int32 // so far: shared ones, then those of each application
	firstAt     int64
	lastAt      int64
	job         map[string]int64 // by external id, where somebody asks
	recorded    recorded.Writer
	taskMS      int64
	metaData    *trace.Meta
}

// write makes the trace of what was added.
func (b *Builder) write(ctx context.Context) (*Result, error) {
	b.countArrivals()
	t := &writing{Builder: b}
	meta, err := t.meta()
	if err != nil {
		return nil, err
	}
	t.metaData = &meta
	if t.w, err = trace.Create(b.Options.Out, meta); err != nil {
		return nil, err
	}
	defer t.w.Abort()
	if err := t.number(); err != nil {
		return nil, err
	}
	for _, f := range b.shared.rows {
		if err := t.file(f.File, ""); err != nil {
			return nil, err
		}
	}
	i := 0
	for x, err := range b.arrivals() {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = t.application(i, x)
		}
		if err != nil {
			return nil, err
		}
		if i++; i%4096 == 0 {
			b.Progress(i, b.spool.index.len()*b.Options.Copies, "applications written")
		}
	}
	return t.finish()
}

// number finds the jobs of the applications that somebody asks for.
func (t *writing) number() error {
	all := len(t.attached) > 0
	if len(t.wanted) == 0 && !all {
		return nil
	}
	t.job = map[string]int64{}
	i := int64(0)
	for x, err := range t.arrivals() {
		if err != nil {
			return err
		}
		if all || t.wanted[x.id] {
			t.job[copyOf(x.id, x.copy)] = i
		}
		i++
	}
	return nil
}

// meta is all of the trace but its applications.
func (t *writing) meta() (meta trace.Meta, err error) {
	if t.cluster, err = t.makeCluster(); err != nil {
		return meta, err
	}
	t.took.changes = nil // the nodes are made
	if t.preferences, err = t.makePreferences(t.cluster); err != nil {
		return meta, err
	}
	meta = trace.Meta{
		OriginUnixMS: trace.Unset, Source: &t.source, LocalitySource: t.localitySource(), DurationSource: t.Durations,
		Nodes: t.cluster.nodes,
	}
	recorded := t.Options.Arrivals == "recorded"
	if !recorded && len(t.events) > 0 {
		return meta, fmt.Errorf("--arrivals is %s, want recorded: the source has events of nodes at recorded times", t.Options.Arrivals)
	}
	t.origin = t.spool.index.first
	for _, e := range t.events {
		t.origin = min(t.origin, e.TimeMS)
	}
	if last := t.spool.index.last; recorded && last-t.origin > trace.LatestMS {
		return meta, fmt.Errorf("the source goes from %d to %d ms, want at most 100 years from its first time to the last submission: one that stands for none is among them", t.origin, last)
	}
	if recorded && !t.NoEpoch {
		meta.OriginUnixMS = t.origin
	}
	if recorded && (t.MS || !t.NoEpoch) && t.origin >= leastSeconds && t.origin <= mostSeconds {
		t.Warn("the first time is %d ms, which after the begin of 1970 is in January or February of it: if the source counts seconds, where ms are wanted, all times of the trace are 1000 times too short", t.origin)
	}
	meta.Name = t.name(meta.OriginUnixMS)
	meta.Users, t.user = userTable(t.spool.names.these(t.spool.index.users))
	meta.Queues, t.queue = queueTable(t.spool.names.these(t.spool.index.queues))
	meta.Events, err = t.nodeEvents()
	return meta, err
}

// LastMS is the last ms since 1970 that a recorded time is taken for, of the year 2100.
const LastMS = 4_133_980_799_999

// Seconds since 1970 of the years 2009 to 2100, which as ms are days of January and February of 1970.
const (
	leastSeconds = 1_230_768_000
	mostSeconds  = LastMS / 1000
)

// name is what results call the trace: format, applications and days, where nobody says.
func (t *writing) name(originMS int64) string {
	if t.Options.Name != "" {
		return t.Options.Name
	}
	name := t.source.Format + ", " + counted.Of(t.spool.index.len(), "applications")
	if originMS == trace.Unset {
		return name
	}
	last := t.spool.index.last
	day := func(ms int64) string { return time.UnixMilli(ms).UTC().Format(time.DateOnly) }
	if name += ", " + day(t.origin); day(last) != day(t.origin) {
		name += " to " + day(last)
	}
	return name
}

// nodeEvents are the events in order of time, with the times and nodes of the trace.
func (t *writing) nodeEvents() (events []trace.NodeEvent, err error) {
	slices.SortStableFunc(t.events, func(a, b event) int { return cmp.Compare(a.TimeMS, b.TimeMS) })
	for i, e := range t.events {
		node, ok := t.cluster.id[e.host]
		if !ok {
			return nil, fmt.Errorf("event %d: %s of host %q, want a node of the cluster, which has %d", i+1, e.Kind, e.host, len(t.cluster.nodes))
		}
		e.TimeMS, e.Seq, e.Node = e.TimeMS-t.origin, int32(i), node
		events = append(events, e.NodeEvent)
	}
	return events, nil
}

// application writes arrival i.
func (t *writing) application(i int, x arrival) error {
	a, err := t.spool.get(x.spooled)
	if err != nil {
		return err
	}
	j := &a.Job
	j.ID, j.User, j.Queue = int64(i), t.user[a.User], t.queue[t.spool.names.text[x.queue]]
	if t.Options.Arrivals == "recorded" {
		a.shift(-t.origin)
	} else {
		a.shift(x.at - j.SubmitMS)
	}
	j.ExternalID = copyOf(x.id, x.copy)
	if t.dependencies(a, x.copy); t.odd != nil {
		return t.odd
	}
	if err := mapNodes(a, t.cluster); err != nil {
		return err
	}
	t.preferences.fill(j, a.Files, j.ExternalID)
	if err := t.filesOf(a); err != nil {
		return err
	}
	if t.lastAt = x.at; i == 0 {
		t.firstAt = x.at
	}
	if err := t.w.AddJob(j); err != nil {
		return fmt.Errorf("application %s: %w", j.ExternalID, err)
	}
	for _, e := range a.Executors {
		e.Job = j.ID
		if err := t.w.AddExecutor(e); err != nil {
			return fmt.Errorf("application %s: %w", j.ExternalID, err)
		}
	}
	t.Counts.Kept["executors"] += int64(len(a.Executors))
	for i := range j.Stages {
		for _, ms := range j.Stages[i].Tasks.DurationMS {
			t.taskMS += ms
		}
	}
	if a.Recorded != nil {
		a.Recorded.Job = j.ID
		return t.recorded.Add(t.w, a.Recorded, t.Options.Copies == 1)
	}
	return nil
}

// JobsAfterOthers is the name under which jobs that begin after the end of others are counted among what is kept.
const JobsAfterOthers = "jobs_after_others"

// dependencies sets the jobs that the application waits for: the same copy of those that it names. One that is not
// in the trace, or is submitted after it, can't be waited for.
func (t *writing) dependencies(a *Application, copy int) {
	j := &a.Job
	for _, name := range a.DependsOn {
		id, ok := t.job[copyOf(name, copy)]
		if !ok || id >= j.ID {
			t.Odd("dependencies_on_no_earlier_application", 1, "application %s: waits for %s, want one that is submitted before it", j.ExternalID, name)
			continue
		}
		if !slices.Contains(j.DependsOn, id) {
			j.DependsOn = append(j.DependsOn, id)
		}
	}
	slices.Sort(j.DependsOn)
	if len(j.DependsOn) == 0 {
		j.ThinkMS = trace.Unset // the time after the others
		return
	}
	t.Counts.Kept[JobsAfterOthers]++
}

// finish attaches what is no table and closes the trace.
func (t *writing) finish() (*Result, error) {
	for _, f := range t.attached {
		data, err := f.content(t.origin, t.job)
		if err == nil {
			err = t.w.Attach(f.name, data)
		}
		if err != nil {
			return nil, err
		}
	}
	t.sayNoPreferences()
	n, c := t.w.Counts(), t.Counts
	for name, v := range map[string]int64{"jobs": n.Jobs, "stages": n.Stages, "tasks": n.Tasks, "nodes": n.Nodes, "node_events": n.NodeEvents} {
		c.Kept[name] = v
	}
	c.Kept["task_ms"] = t.taskMS
	c.compact()
	if err := t.attachJSON(trace.ImportReport, c); err != nil {
		return nil, err
	}
	if err := t.recorded.Close(); err != nil {
		return nil, err
	}
	if err := t.w.Close(); err != nil {
		return nil, err
	}
	return &Result{
		Counts: c, Trace: n, Hash: t.w.Hash(), Meta: t.metaData, SpanMS: t.lastAt - t.firstAt,
		Load: trace.OfferedLoad(t.work(), trace.SizeAtStart(t.metaData.Nodes), t.lastAt-t.firstAt),
	}, nil
}

// sayNoPreferences says it where preferred hosts were to be made up and no task got any.
func (t *writing) sayNoPreferences() {
	if !t.preferences.any && slices.Contains([]string{trace.LocalityModelled, trace.LocalityObserved}, t.metaData.LocalitySource) {
		t.metaData.LocalitySource = trace.LocalityNone
		t.w.NoPreferences()
		if t.Options.Blocks == "hdfs" {
			t.Warn("no task is known to read a file, so no block is placed, and no task prefers a host (--blocks hdfs)")
		}
	}
}

func (t *writing) attachJSON(name string, v any) error {
	data, err := JSON(v)
	if err != nil {
		return err
	}
	return t.w.Attach(name, data)
}

// JSON is v as the JSON files of a trace are written.
func JSON(v any) ([]byte, error) {
	data, err := json.MarshalIndent(v, "", " ")
	return append(data, '\n'), err
}

// mapNodes puts the nodes of the trace for the hosts of the application.
func mapNodes(a *Application, c *cluster) error {
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
