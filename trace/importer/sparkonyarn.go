package importer

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"replay/trace"
)

// importCluster reads one recorded scenario of a Spark-on-YARN cluster: the event logs of all its
// applications with the preferred hosts of every task, nodes and racks, queues, submissions and
// node events. The allocation file and the settings of YARN are attached to the trace, and what was
// recorded of containers is attached as recorded_containers.json.
func importCluster(ctx context.Context, inputs []string, opt Options) (res *Result, err error) {
	if err := opt.Check(); err != nil {
		return nil, err
	}
	if len(inputs) != 1 {
		return nil, fmt.Errorf("%d inputs, want one scenario folder", len(inputs))
	}
	def := DefaultOptions()
	if opt.Nodes != 0 || opt.NodeMemMiB != 0 || opt.NodeVCores != 0 || opt.Racks != def.Racks || opt.Arrivals != def.Arrivals || opt.Copies != def.Copies {
		return nil, errors.New("a recorded cluster has its own nodes, racks and times: nodes, their sizes, racks, arrivals and copies can't be given")
	}
	if opt.Blocks != def.Blocks || opt.Replication != def.Replication {
		return nil, errors.New("a recorded cluster has its own blocks: blocks and replication can't be given")
	}
	b, err := newAssembly(&opt, "spark-on-yarn")
	if err != nil {
		return nil, err
	}
	defer func() {
		if e := b.spool.close(); err == nil && e != nil {
			res, err = nil, e
		}
	}()
	s := &scenario{assembly: b, dir: inputs[0]}
	if err := s.read(); err != nil {
		return nil, err
	}
	if err := s.applications(ctx); err != nil {
		return nil, err
	}
	return s.writeTrace(ctx)
}

// scenario is a recorded cluster while it is read.
type scenario struct {
	*assembly
	dir         string
	setup       clusterSetup
	apps        map[string]*recordedApp
	appOrder    []string
	submits     map[string]*submission
	preferences map[stageAttempt]*stagePreferences
	nodeEvents  []recordedNodeEvent
	blocks      []trace.File
	file        map[string]int32
	executor    map[string]int32 // container -> executor
	added       []string         // applications of the spool
}

type stageAttempt struct {
	app            string
	stage, attempt int32
}

type clusterSetup struct {
	Nodes []struct {
		Node     string `json:"node"`
		Rack     string `json:"rack"`
		MemoryMB int64  `json:"memory_mb"`
		VCores   int32  `json:"vcores"`
	} `json:"nodes"`
	YarnSite      map[string]string `json:"yarn_site"`
	SparkDefaults map[string]string `json:"spark_defaults"`
	HDFS          struct {
		Replication int32 `json:"replication_default"`
		BlockSize   int64 `json:"block_size"`
	} `json:"hdfs"`
}

type recordedApp struct {
	App        string `json:"app"`
	Name       string `json:"name"`
	Queue      string `json:"queue"`
	Final      string `json:"final"`
	Submitted  int64  `json:"t_submitted"`
	Registered int64  `json:"t_registered"`
	Finished   int64  `json:"t_finished"`
	raw        map[string]any
}

type submission struct {
	App  string            `json:"app"`
	Conf map[string]string `json:"conf"`
}

type stagePreferences struct {
	App         string     `json:"app"`
	Stage       int32      `json:"stage"`
	Attempt     int32      `json:"attempt"`
	ByTask      [][]string `json:"by_task"`
	ByPartition [][]string `json:"by_partition_now"`
}

type recordedNodeEvent struct {
	T     int64  `json:"t"`
	Node  string `json:"node"`
	Event string `json:"event"`
	What  string `json:"what"`
}

// read takes in everything but the event logs.
func (s *scenario) read() error {
	path := filepath.Join(s.dir, "cluster.json")
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("%s: not a recorded cluster: %w", s.dir, err)
	}
	if err := json.Unmarshal(data, &s.setup); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if len(s.setup.Nodes) == 0 {
		return fmt.Errorf("%s: nodes is empty, want the nodes of the cluster", path)
	}
	s.apps, s.submits = map[string]*recordedApp{}, map[string]*submission{}
	s.preferences = map[stageAttempt]*stagePreferences{}
	err = errors.Join(
		eachLine(s, "apps.jsonl", true, func(a *recordedApp, line []byte) error {
			if a.App == "" || a.Submitted <= 0 {
				return fmt.Errorf("app is %q and t_submitted %d, want an application and when it was submitted", a.App, a.Submitted)
			}
			s.apps[a.App] = a
			s.appOrder = append(s.appOrder, a.App)
			return json.Unmarshal(line, &a.raw)
		}),
		eachLine(s, "submits.jsonl", false, func(a *submission, _ []byte) error { s.submits[a.App] = a; return nil }),
		eachLine(s, "task-preferences.jsonl.gz", true, func(p *stagePreferences, _ []byte) error {
			s.preferences[stageAttempt{p.App, p.Stage, p.Attempt}] = p
			s.counts.Read["stage_preferences"]++
			return nil
		}),
		eachLine(s, "node-events.jsonl", false, func(e *recordedNodeEvent, _ []byte) error {
			s.nodeEvents = append(s.nodeEvents, *e)
			s.counts.Read["node_events"]++
			return nil
		}),
		s.readBlocks(),
	)
	if err != nil {
		return err
	}
	return s.hash(path)
}

// readBlocks makes the files of the trace.
func (s *scenario) readBlocks() error {
	s.file = map[string]int32{}
	type block struct {
		File   string   `json:"file"`
		Length int64    `json:"length"`
		Hosts  []string `json:"hosts"`
	}
	return eachLine(s, "hdfs-blocks.jsonl", false, func(b *block, _ []byte) error {
		id, ok := s.file[b.File]
		if !ok {
			id = int32(len(s.blocks))
			s.file[b.File] = id
			s.blocks = append(s.blocks, trace.File{ID: id, Name: b.File, BlockBytes: s.setup.HDFS.BlockSize})
		}
		f := &s.blocks[id]
		f.Bytes, f.Blocks, f.Replication = f.Bytes+b.Length, f.Blocks+1, max(f.Replication, int32(len(b.Hosts)))
		s.counts.Read["hdfs_blocks"]++
		return nil
	})
}

// eachLine gives the objects of a JSON-lines file to f, and hashes the file. A file that is not there is
// an error if it must be.
func eachLine[T any](s *scenario, name string, must bool, f func(v *T, line []byte) error) error {
	path := filepath.Join(s.dir, name)
	r, err := openLog(path)
	if errors.Is(err, os.ErrNotExist) && !must {
		return nil
	}
	if err != nil {
		return err
	}
	defer r.Close()
	in := newLines(r)
	for {
		line, _, err := in.next()
		if err == io.EOF {
			return s.hash(path)
		}
		if err != nil {
			return fmt.Errorf("%s: after line %d: %w", path, in.line, err)
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		v := new(T)
		if err = json.Unmarshal(line, v); err == nil {
			err = f(v, line)
		}
		if err != nil {
			return fmt.Errorf("%s: line %d: %w", path, in.line, err)
		}
	}
}

// applications reads the event logs, the last attempt of each application.
func (s *scenario) applications(ctx context.Context) error {
	logs, skipped, err := findLogs([]string{filepath.Join(s.dir, "eventlogs")})
	if err != nil {
		return err
	}
	s.counts.Read["files_that_are_no_logs"] = int64(len(skipped))
	last := map[string]eventLog{}
	for _, l := range logs { // in order of names
		app, attempt := s.applicationOf(l)
		if s.apps[app] == nil {
			return fmt.Errorf("%s: application %q is not in apps.jsonl", l.path, app)
		}
		if before, ok := last[app]; ok {
			s.counts.Dropped["earlier_attempts_of_an_application"]++
			s.opt.warn("application %s has several attempts; only the last is kept", app)
			if _, b := s.applicationOf(before); len(b) > len(attempt) {
				continue
			}
		}
		last[app] = l
	}
	s.executor = map[string]int32{}
	for i, id := range s.appOrder {
		log, ok := last[id]
		if !ok {
			s.counts.Dropped["applications_without_event_log"]++
			s.opt.warn("application %s has no event log and is left out", id)
			if s.opt.Strict {
				return fmt.Errorf("%s: application %s has no event log", s.dir, id)
			}
			continue
		}
		if err := s.application(ctx, s.apps[id], log); err != nil {
			return err
		}
		s.opt.progress(i+1, len(s.appOrder), "applications")
	}
	return nil
}

// applicationOf reads application and attempt from the name of a log; in client mode there is no attempt.
func (s *scenario) applicationOf(l eventLog) (app, attempt string) {
	base := strings.TrimPrefix(parseLogName(l.path).base, rollingPrefix)
	if s.apps[base] != nil {
		return base, ""
	}
	app, attempt, _ = cutLast(base, "_")
	return app, attempt
}

func (s *scenario) application(ctx context.Context, rec *recordedApp, log eventLog) error {
	mode := s.opt.mode()
	if mode == normal && s.apps[rec.App].Final != "FINISHED" {
		log.inProgress = true // an application that was killed has no end in its log
	}
	app, err := readLog(ctx, log, mode, s.counts, s.opt.warn)
	if err != nil {
		return err
	}
	if app.start.id != rec.App {
		return fmt.Errorf("%s: holds application %q, want %q", log.path, app.start.id, rec.App)
	}
	s.settings(app, rec.App)
	if rec.Registered > 0 {
		app.amAt = rec.Registered
	}
	a, err := s.build(app, log.path)
	if err != nil {
		return err
	}
	if err := s.setPreferences(a, rec.App); err != nil {
		return fmt.Errorf("%s: %w", log.path, err)
	}
	delete(s.counts.Defaulted, "submit_time_is_driver_start")
	j := &a.Job
	j.SubmitMS, a.Recorded.SubmitMS = min(rec.Submitted, j.RecordedStartMS), min(rec.Submitted, j.RecordedStartMS)
	if rec.Finished > 0 {
		j.RecordedFinishMS, a.Recorded.FinishMS = rec.Finished, rec.Finished
	}
	j.RecordedOutcome = map[string]string{"FINISHED": "success", "FAILED": "failed", "KILLED": "killed"}[rec.Final]
	if j.RecordedOutcome == "" {
		j.RecordedOutcome = "censored"
	}
	if rec.Queue != "" {
		a.Queue = rec.Queue
	}
	for c, e := range a.containers {
		s.executor[c] = e
	}
	s.inputFiles(a)
	if err := s.hash(log.files...); err != nil {
		return err
	}
	before := len(s.spool.index)
	err = s.add(a, app.start.attempt)
	if len(s.spool.index) > before {
		s.added = append(s.added, rec.App)
	}
	return err
}

// settings completes the properties of the log by those of the submission and of the cluster.
func (s *scenario) settings(app *appLog, id string) {
	if app.conf == nil {
		app.conf = map[string]string{}
	}
	sources := []map[string]string{s.setup.SparkDefaults}
	if sub := s.submits[id]; sub != nil {
		sources = []map[string]string{sub.Conf, s.setup.SparkDefaults}
	}
	for _, source := range sources {
		for k, v := range source {
			if _, ok := app.conf[k]; !ok {
				app.conf[k] = v
				s.counts.Defaulted["properties_from_the_submission_or_cluster"]++
			}
		}
	}
}

// inputFiles points the stages at the files of the cluster.
func (s *scenario) inputFiles(a *sparkApp) {
	for i := range a.Job.Stages {
		st := &a.Job.Stages[i]
		if st.FileID == trace.Unset {
			continue
		}
		name, _, _ := cutLast(a.Files[st.FileID].Name, "#")
		st.FileID = trace.Unset
		if id, ok := s.file[name]; ok {
			st.FileID = id
		}
	}
	a.Files = nil
}

const executorPreference = "executor_" // of a cached block: executor_HOST_ID

// setPreferences gives every task the preferred hosts that its stage had when it was submitted first.
// A preferred executor is a cached block: it goes into CacheOf, not into hosts. The preferences of tasks that
// read shuffle output follow from where the parents ran: a replay derives them anew, and they are left out.
func (s *scenario) setPreferences(a *sparkApp, app string) error {
	host := map[string]int32{}
	for i, h := range a.Hosts {
		host[h] = int32(i)
	}
	number := func(h string) int32 {
		if _, ok := host[h]; !ok {
			host[h] = int32(len(a.Hosts))
			a.Hosts = append(a.Hosts, h)
		}
		return host[h]
	}
	for i := range a.Job.Stages {
		st := &a.Job.Stages[i]
		id := a.Recorded.Stages[i].SparkStage
		prefs, cached := make([][]int32, st.Tasks.Len()), int64(0)
		for k, t := range a.tasks[i] {
			p := s.preferences[stageAttempt{app, id, t.attempt}]
			if p == nil {
				s.counts.Dropped["tasks_of_stages_without_recorded_preferences"]++
				continue
			}
			list, at := p.ByTask, t.index
			if list == nil {
				list, at = p.ByPartition, t.partition
			}
			if at < 0 || int(at) >= len(list) {
				return fmt.Errorf("stage %d attempt %d: task %d has no preferences, recorded are %d", id, t.attempt, at, len(list))
			}
			for _, name := range list[at] {
				if rest, ok := strings.CutPrefix(name, executorPreference); ok {
					cached++
					if st.CacheOf != trace.Unset {
						continue
					}
					name, _, _ = cutLast(rest, "_")
					s.counts.Modelled["cached_blocks_as_preferred_hosts"]++
				}
				if n := number(name); !slices.Contains(prefs[k], n) {
					prefs[k] = append(prefs[k], n)
				}
			}
		}
		if cached == 0 && st.CacheOf != trace.Unset {
			st.CacheOf = trace.Unset
			s.counts.Modelled["stages_with_cached_input"]--
		}
		s.counts.Read["tasks_with_recorded_hosts"] += notEmpty(prefs)
		s.counts.Read["tasks_with_recorded_executors"] += cached
		if len(st.Parents) > 0 && st.Tasks.InputBytes == nil && st.CacheOf == trace.Unset {
			s.counts.Dropped["preferences_for_shuffle_output"] += notEmpty(prefs)
			continue
		}
		setPrefs(&st.Tasks, prefs)
	}
	return nil
}

// nodeEventKinds are the words of a recording for what happened to a node.
var nodeEventKinds = map[string]trace.EventKind{
	"killed": trace.Fail, "lost": trace.Fail, "stopped": trace.Fail, "started": trace.Recover, "recovered": trace.Recover,
	"added": trace.Join, "joined": trace.Join, "removed": trace.Leave, "decommissioned": trace.Leave,
	"draining": trace.Drain, "decommissioning": trace.Drain, "recommissioned": trace.Undrain,
}

func (s *scenario) writeTrace(ctx context.Context) (*Result, error) {
	o := &output{cluster: newCluster(), locality: trace.LocalityRecorded, files: s.blocks}
	if o.files == nil {
		o.files = []trace.File{}
	}
	for _, n := range s.setup.Nodes {
		rack := n.Rack
		if rack == "" {
			rack = defaultRack
		}
		present := !slices.ContainsFunc(s.nodeEvents, func(e recordedNodeEvent) bool {
			return e.Node == n.Node && nodeEventKinds[e.Event] == trace.Join
		})
		o.cluster.add(n.Node, rack, n.MemoryMB, n.VCores, present)
	}
	first := s.setup.Nodes[0]
	s.counts.Modelled["preferred_hosts_outside_the_cluster"] += o.cluster.addAbsent(s.hosts, first.MemoryMB, first.VCores)
	for i, x := range s.spool.index {
		if i == 0 || x.submitMS < o.origin {
			o.origin = x.submitMS
		}
	}
	for _, e := range s.nodeEvents {
		o.origin = min(o.origin, e.T)
	}
	slices.SortStableFunc(s.nodeEvents, func(a, b recordedNodeEvent) int { return cmp.Compare(a.T, b.T) })
	for i, e := range s.nodeEvents {
		kind, ok := nodeEventKinds[e.Event]
		node, known := o.cluster.id[e.Node]
		if !ok || !known {
			return nil, fmt.Errorf("%s: event %d: %q of node %q, want killed, started, joined, removed, draining or recommissioned of a node of cluster.json",
				filepath.Join(s.dir, "node-events.jsonl"), i+1, e.Event, e.Node)
		}
		o.events = append(o.events, trace.NodeEvent{
			TimeMS: e.T - o.origin, Seq: int32(i), Node: node, Kind: kind, MemMiB: trace.Unset, VCores: trace.Unset,
			DrainTimeoutMS: trace.Unset, Group: trace.Unset, Reason: e.What,
		})
	}
	o.preferences = &preferences{mode: "recorded", seed: s.opt.Seed, cluster: o.cluster, replication: s.opt.Replication, counts: s.counts}
	o.attach = func(w *trace.Writer, jobs []int64) error { return s.attach(w, jobs, o.origin) }
	return s.write(ctx, o)
}
