// Package sparkonyarn reads recorded Spark-on-YARN clusters: what the ResourceManager, the NodeManagers and HDFS said
// while applications ran, beside the event logs of these.
package sparkonyarn

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"replay/input"
	"replay/trace"
	"replay/trace/importer/codec"
	"replay/trace/importer/delimited"
	"replay/trace/importer/eventlog"
	"replay/trace/importer/lines"
	"replay/trace/importer/recorded"
	"replay/trace/importer/workload"
)

// Format is that of one recorded scenario of a Spark-on-YARN cluster: the event logs of all its
// applications with the preferred hosts of every task, nodes and racks, queues, submissions and
// node events. The allocation file and the settings of YARN are attached to the trace, and what was
// recorded of containers is attached as recorded_containers.json.
var Format = workload.Format{
	Usage: "a recorded Spark-on-YARN cluster: one scenario folder",
	Detect: func(name string, head []byte) string {
		if isCluster(name, head) && !bytes.Contains(head, []byte(mapReduceKey)) {
			return "nodes and settings of YARN in cluster.json"
		}
		return ""
	},
	Folder: true,
	Read:   readCluster,
}

// mapReduceKey is in cluster.json where MapReduce applications were recorded.
const mapReduceKey = `"mapreduce_defaults"`

// isCluster tells whether a file is the cluster.json of a recorded cluster.
func isCluster(name string, head []byte) bool {
	return name == "cluster.json" && bytes.Contains(head, []byte(`"yarn_site"`))
}

func readCluster(ctx context.Context, inputs []string, b *workload.Builder) error {
	if len(inputs) != 1 {
		return fmt.Errorf("%d inputs, want one scenario folder", len(inputs))
	}
	opt, def := b.Options, workload.DefaultOptions()
	if opt.Nodes != 0 || opt.NodeMemMiB != 0 || opt.NodeVCores != 0 || opt.Racks != def.Racks || opt.Arrivals != def.Arrivals || opt.Copies != def.Copies {
		return errors.New("a recorded cluster has its own nodes, racks and times: nodes, their sizes, racks, arrivals and copies can't be given")
	}
	if opt.FromMS != def.FromMS || opt.ToMS != def.ToMS {
		return errors.New("a recorded cluster is taken whole: from and to can't be given")
	}
	if opt.Blocks != def.Blocks || opt.Replication != def.Replication {
		return errors.New("a recorded cluster has its own blocks: blocks and replication can't be given")
	}
	b.Locality = trace.LocalityRecorded
	s := &scenario{Builder: b, dir: inputs[0]}
	s.unasked = !exists(filepath.Join(s.dir, preferencesFile)) && (exists(filepath.Join(s.dir, "recording.json")) || exists(filepath.Join(s.dir, tasksFile)))
	if err := s.read(); err != nil {
		return err
	}
	if !s.unasked && len(s.preferences) == 0 && exists(filepath.Join(s.dir, preferencesFile)) {
		s.unasked = true
		b.Warn("%s: holds nothing", filepath.Join(s.dir, preferencesFile))
	}
	ofMapReduce := func(app string) bool { return s.mapReduce[app] != nil }
	if s.unasked && len(slices.DeleteFunc(slices.Clone(s.appOrder), ofMapReduce)) > 0 {
		b.Locality = trace.LocalityObserved
		if len(s.blocks) == 0 {
			b.Note("%s: no preferred hosts of tasks were recorded: they are inferred from where tasks ran", s.dir)
		} else {
			b.Note("%s: preferred hosts of tasks that read files are those of the files' blocks, where task and block can be matched; others are inferred from where tasks ran", s.dir)
		}
	}
	if err := s.applications(ctx); err != nil {
		return err
	}
	if s.strangers > 0 {
		s.Counts.Modelled[recorded.Strangers] = s.strangers
		b.Warn("%s: the nodes lack the hosts of %d executors, of which the first is %q: there are fewer nodes than there were, or they have other names", filepath.Join(s.dir, "cluster.json"), s.strangers, s.stranger)
	}
	return s.attach()
}

// scenario is a recorded cluster while it is read.
type scenario struct {
	*workload.Builder
	dir         string
	unasked     bool // Spark's drivers were not asked what tasks prefer: its REST APIs (replay record) don't say it, but WebHDFS says where blocks are
	setup       clusterSetup
	apps        map[string]*recordedApp
	appOrder    []string
	submits     map[string]*submission
	preferences map[stageAttempt]*stagePreferences
	nodes       map[string]bool    // by name
	joins       map[string]bool    // nodes that came later
	strangers   int64              // executors on hosts that are none of them
	stranger    string             // the host of the first
	blocks      map[string][]block // of a path
	executor    map[string]int32   // container -> executor
	added       map[string]bool    // applications of the trace

	mapReduce    map[string][]*mapReduceAttempt // by application
	containersOf map[string]*mapReduceContainer // by name, where there are MapReduce applications
	amDone       map[string]int64               // end of the process of the last application master
}

const eventLogs = "eventlogs" // folder

type clusterSetup struct {
	Nodes         []clusterNode     `json:"nodes"`
	YarnSite      map[string]string `json:"yarn_site"`
	SparkDefaults map[string]string `json:"spark_defaults"`
	MapReduce     map[string]string `json:"mapreduce_defaults"`
	HDFS          struct {
		Replication int32 `json:"replication_default"`
		BlockSize   int64 `json:"block_size"`
	} `json:"hdfs"`
}

type clusterNode struct {
	Node     string `json:"node"`
	Rack     string `json:"rack"`
	MemoryMB int64  `json:"memory_mb"`
	VCores   int32  `json:"vcores"`
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

// finals are the last states of an application.
//
// Source: YarnApplicationState.
var finals = []string{"FINISHED", "FAILED", "KILLED", "RUNNING", "ACCEPTED", "SUBMITTED", "NEW", "NEW_SAVING"}

type submission struct {
	App  string            `json:"app"`
	Conf map[string]string `json:"conf"`
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
	data, err := input.ReadFile(path)
	if err != nil {
		return notRecorded(s.dir, err)
	}
	if !exists(filepath.Join(s.dir, eventLogs)) && !exists(filepath.Join(s.dir, tasksFile)) {
		return fmt.Errorf("%s: neither %s nor %s is there, want the event logs of Spark's applications, the task attempts of MapReduce's, or both", s.dir, eventLogs, tasksFile)
	}
	if err := input.JSON(data, &s.setup); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if len(s.setup.Nodes) == 0 {
		return fmt.Errorf("%s: nodes is empty, want the nodes of the cluster", path)
	}
	s.nodes = map[string]bool{}
	for i, n := range s.setup.Nodes {
		if s.nodes[n.Node] {
			return fmt.Errorf("%s: nodes[%d]: node %q is there again, want each once", path, i, n.Node)
		}
		s.nodes[n.Node] = true
		if n.Node == "" || n.MemoryMB < 0 || n.VCores < 0 {
			return fmt.Errorf("%s: nodes[%d]: node is %q, memory_mb %d and vcores %d, want a host with 1 MiB and 1 vcore or more; without them its size is not known", path, i, n.Node, n.MemoryMB, n.VCores)
		}
		if n.MemoryMB == 0 || n.VCores == 0 {
			s.Counts.Defaulted["node_sizes"]++
		}
	}
	s.apps, s.submits = map[string]*recordedApp{}, map[string]*submission{}
	s.preferences, s.joins = map[stageAttempt]*stagePreferences{}, map[string]bool{}
	err = errors.Join(
		eachLine(s, "apps.jsonl", true, func(a *recordedApp, line []byte) error {
			if a.App == "" || a.Submitted <= 0 {
				return fmt.Errorf("app is %q and t_submitted %d, want an application and when it was submitted", a.App, a.Submitted)
			}
			if a.Finished != 0 && a.Finished < a.Submitted {
				return fmt.Errorf("t_finished of %s is %d, want t_submitted, %d, or later", a.App, a.Finished, a.Submitted)
			}
			if a.Final != "" && !slices.Contains(finals, a.Final) {
				return fmt.Errorf("final of %s is %q, want one of %s", a.App, a.Final, strings.Join(finals, ", "))
			}
			if s.apps[a.App] != nil {
				return fmt.Errorf("application %s is there again, want each once", a.App)
			}
			s.apps[a.App] = a
			s.appOrder = append(s.appOrder, a.App)
			if err := input.JSON(line, &a.raw); err != nil {
				return err
			}
			return s.dropTimes(a)
		}),
		eachLine(s, "submits.jsonl", false, func(a *submission, _ []byte) error { s.submits[a.App] = a; return nil }),
		eachLine(s, preferencesFile, !s.unasked, func(p *stagePreferences, _ []byte) error {
			s.preferences[stageAttempt{p.App, p.Stage, p.Attempt}] = p
			s.Counts.Read["stage_preferences"]++
			return nil
		}),
		eachLine(s, "node-events.jsonl", false, s.nodeEvent),
		s.readBlocks(),
		s.readMapReduce(),
	)
	if err != nil {
		return err
	}
	s.addNodes()
	return s.AddSource(path)
}

// notRecorded is the error of a folder that has no cluster.json, or of what is no folder.
func notRecorded(dir string, err error) error {
	if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
		return fmt.Errorf("%s: not a recorded cluster: %w", dir, err)
	}
	within, _ := filepath.Glob(filepath.Join(dir, "*", "cluster.json")) // a pattern that is broken finds nothing
	switch len(within) {
	case 0:
		return fmt.Errorf("%s: not a recorded cluster: want a folder with cluster.json", dir)
	case 1:
		return fmt.Errorf("%s: not a recorded cluster, but the folder of one: want %s", dir, filepath.Dir(within[0]))
	}
	return fmt.Errorf("%s: not a recorded cluster, but the folder of %d: want one of them, such as %s", dir, len(within), filepath.Dir(within[0]))
}

// addNodes makes the nodes of the trace.
func (s *scenario) addNodes() {
	for _, n := range s.setup.Nodes {
		s.AddNode(trace.Node{Host: n.Node, Rack: n.Rack, MemMiB: n.MemoryMB, VCores: n.VCores, Present: !s.joins[n.Node]})
	}
}

// nodeEventKinds are the words of a recording for what happened to a node.
var nodeEventKinds = map[string]trace.EventKind{
	"killed": trace.Fail, "lost": trace.Fail, "stopped": trace.Fail, "started": trace.Recover, "recovered": trace.Recover,
	"added": trace.Join, "joined": trace.Join, "removed": trace.Leave, "decommissioned": trace.Leave,
	"draining": trace.Drain, "decommissioning": trace.Drain, "recommissioned": trace.Undrain,
	unhealthy: trace.Drain, "healthy": trace.Undrain,
}

// firstMS is the first time that a cluster is recorded at, of the year 2000: one before would make a trace of decades.
const firstMS = 946_684_800_000

// unhealthy is what a node is that says so with a heartbeat: with that the ResourceManager gives it up, as one that drains and whose time is up at once.
const unhealthy = "unhealthy"

func (s *scenario) nodeEvent(e *recordedNodeEvent, _ []byte) error {
	kind, ok := nodeEventKinds[e.Event]
	if !ok || !s.nodes[e.Node] {
		return fmt.Errorf("%q of node %q, want killed, started, joined, removed, draining, recommissioned, unhealthy or healthy of a node of cluster.json", e.Event, e.Node)
	}
	if e.T < firstMS || e.T > workload.LastMS {
		return fmt.Errorf("t of %s of node %q is %d, want ms since 1970, from 2000 to 2100", e.Event, e.Node, e.T)
	}
	s.joins[e.Node] = s.joins[e.Node] || kind == trace.Join
	event := trace.NewNodeEvent(e.T, trace.Unset, kind) // the node by name
	event.Reason = e.What
	if e.Event == unhealthy {
		event.DrainTimeoutMS = 0
	}
	s.AddEvent(e.Node, event)
	s.Counts.Read["node_events"]++
	return nil
}

// eachLine gives the objects of a JSON-lines file to f, and hashes the file. A file that is not there is
// an error if it must be.
func eachLine[T any](s *scenario, name string, must bool, f func(v *T, line []byte) error) error {
	path := filepath.Join(s.dir, name)
	r, err := codec.OpenHashed(path, codec.OfName(path), s.Options.MaxUnpacked)
	if errors.Is(err, os.ErrNotExist) && !must {
		return nil
	}
	if err != nil {
		return err
	}
	defer r.Close()
	in := lines.NewReader(r)
	for {
		line, _, err := in.Next()
		if err == io.EOF {
			sum, err := r.SHA256()
			s.AddHashed(trace.SourceFile{Name: filepath.Base(path), SHA256: sum})
			return err
		}
		if large := new(input.TooLarge); errors.As(err, &large) {
			return fmt.Errorf("%s: %w; --max-unpacked allows more", path, err)
		}
		if err != nil {
			return fmt.Errorf("%s: after line %d: %w", path, in.Line(), err)
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		v := new(T)
		if err = lines.CheckJSON(line); err == nil {
			err = input.JSON(line, v)
		}
		if err == nil {
			err = f(v, line)
		} else if broken := delimited.Line(line); broken != nil {
			err = broken
		}
		if err != nil {
			return fmt.Errorf("%s: line %d: %w", path, in.Line(), err)
		}
	}
}

// applications reads the event logs, the last attempt of each application.
func (s *scenario) applications(ctx context.Context) error {
	found := &eventlog.Found{}
	if folder := filepath.Join(s.dir, eventLogs); len(s.mapReduce) == 0 || exists(folder) {
		var err error
		if found, err = eventlog.Find([]string{folder}); err != nil {
			return err
		}
	}
	s.Counts.Read["files_that_are_no_logs"] += int64(len(found.Passed))
	for _, in := range found.Left {
		if in.LeftOut == workload.Foreign {
			s.Counts.Read["files_that_are_no_logs"]++
			continue
		}
		if s.Options.Strict {
			return in.Err()
		}
		s.Counts.Dropped["logs_left_out"]++
		s.Warn("%v; the log is left out", in.Err())
	}
	last := map[string]eventlog.Log{}
	for _, l := range found.Logs { // in order of names
		app, attempt := s.applicationOf(l)
		if s.apps[app] == nil {
			return fmt.Errorf("%s: application %q is not in apps.jsonl", l.Path, app)
		}
		if before, ok := last[app]; ok {
			s.Counts.Dropped["earlier_attempts_of_an_application"]++
			s.Warn("application %s has several attempts; only the last is kept", app)
			if _, b := s.applicationOf(before); len(b) > len(attempt) {
				continue
			}
		}
		last[app] = l
	}
	s.executor, s.added = map[string]int32{}, map[string]bool{}
	for i, id := range s.appOrder {
		if len(s.mapReduce[id]) > 0 {
			if err := s.mapReduceApplication(s.apps[id]); err != nil {
				return err
			}
			s.Progress(i+1, len(s.appOrder), "applications")
			continue
		}
		log, ok := last[id]
		if !ok {
			s.Counts.Dropped["applications_without_event_log"]++
			s.Warn("application %s has no event log and is left out", id)
			if s.Options.Strict {
				return fmt.Errorf("%s: application %s has no event log", s.dir, id)
			}
			continue
		}
		if err := s.application(ctx, s.apps[id], log); err != nil {
			return err
		}
		s.Progress(i+1, len(s.appOrder), "applications")
	}
	return nil
}

// applicationOf reads application and attempt from the name of a log; in client mode there is no attempt.
func (s *scenario) applicationOf(l eventlog.Log) (app, attempt string) {
	name := l.Name()
	if i := strings.LastIndexByte(name, '_'); i >= 0 && s.apps[name] == nil {
		return name[:i], name[i+1:]
	}
	return name, ""
}

func (s *scenario) application(ctx context.Context, rec *recordedApp, log eventlog.Log) error {
	if s.Options.Strictness() == workload.Normal && rec.Final != "FINISHED" {
		log.InProgress = true // an application that was killed has no end in its log
	}
	known := &eventlog.Known{ID: rec.App, RegisteredMS: rec.Registered, Conf: []map[string]string{s.setup.SparkDefaults}}
	if sub := s.submits[rec.App]; sub != nil {
		known.Conf = []map[string]string{sub.Conf, s.setup.SparkDefaults}
	}
	a, err := eventlog.Read(ctx, s.Builder, log, known)
	if err != nil {
		return err
	}
	if err := s.setPreferences(a, rec.App); err != nil {
		return fmt.Errorf("%s: %w", log.Path, err)
	}
	delete(s.Counts.Defaulted, "submit_time_is_driver_start")
	j := &a.Job
	j.SubmitMS, a.Recorded.SubmitMS = min(rec.Submitted, j.RecordedStartMS), min(rec.Submitted, j.RecordedStartMS)
	if rec.Finished > 0 {
		j.RecordedFinishMS, a.Recorded.FinishMS = rec.Finished, rec.Finished
	}
	j.RecordedOutcome = outcomeOf(rec)
	if rec.Queue != "" {
		a.Queue = rec.Queue
	}
	for c, e := range a.Containers {
		s.executor[c] = e
	}
	for _, e := range a.Executors {
		if e.Node != trace.Unset && !s.nodes[a.Hosts[e.Node]] {
			s.strangers++
			s.stranger = cmp.Or(s.stranger, a.Hosts[e.Node])
		}
	}
	s.inputFiles(a)
	s.keepIdle(a, rec)
	s.AddHashed(a.Sources...)
	added, err := s.Add(&a.Application)
	s.added[rec.App] = s.added[rec.App] || added
	return err
}

// outcomeOf is the outcome of an application by the state that the ResourceManager ended it in.
func outcomeOf(rec *recordedApp) string {
	if out := map[string]string{"FINISHED": "success", "FAILED": "failed", "KILLED": "killed"}[rec.Final]; out != "" {
		return out
	}
	return "censored"
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
