// Package backtest sets replays of recordings beside what was recorded: it imports event logs and
// recorded clusters, replays each with its own configuration, and collects what report shows.
package backtest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"replay/counted"
	"replay/engine/scenario"
	"replay/trace"
	"replay/trace/importer"
	"replay/trace/importer/eventlog"
	"replay/trace/importer/recorded"
	"replay/trace/importer/workload"
)

// Recording is one recorded run: an event log, or a cluster with all its applications.
type Recording struct {
	Name      string
	IsCluster bool // recorded on both sides: ResourceManager, NodeManagers and applications

	originMS  int64          // ms since 1970, or trace.Unset
	input     scenario.Input // without jobs
	jobs      []*trace.Job
	executors []trace.Executor
	apps      []recorded.App
	cluster   *clusterRecord // nil without IsCluster
	copies    int64          // beyond one, of all applications
	logless   int64          // applications that ran on the cluster and have no event log, and so no job
	lost      int64          // task attempts of MapReduce that ran in containers and are not in the recording
	strangers int64          // executors of a cluster on hosts that are none of its nodes
	unasked   int64          // tasks of a cluster whose preferences were recorded for other stages than theirs
}

const eventLogs = "spark-eventlog" // format of the importer

// SourceOptions say how recordings are read.
type SourceOptions struct {
	Allocation string           // of event logs, as in [Options]
	Import     workload.Options // what is taken of the inputs, and who is told; the rest is set here
	Tmp        string           // imports go to directories below it, which the caller removes
}

// Sources finds the recordings among paths and folders at any depth: event logs, scenario folders of recorded clusters
// (with cluster.json), and traces that were imported from either. What is no recording or can't be used is left out:
// inputs has it with the reason, beside what is used. With [workload.NothingError] nothing can be used.
//
// A log does not say which hosts a task preferred, only that the one it ran on was one of them. Where
// executors are to be as recorded, no further replicas are drawn: a task that was launched on a preferred
// host had no better one then, and drawn replicas spare it waits that it had. With simulated allocation
// executors are elsewhere, and blocks have their usual number of replicas.
func Sources(ctx context.Context, paths []string, o SourceOptions) (recs []*Recording, inputs []workload.Input, err error) {
	s := sources{ctx: ctx, SourceOptions: o, seen: map[string]place{}, clusters: map[string]string{}}
	found, err := eventlog.FindBeside(paths, s.take)
	if err != nil {
		return nil, nil, err
	}
	for _, in := range append(s.left, found.Left...) {
		if err := s.leave(in); err != nil {
			return nil, nil, err
		}
	}
	for _, d := range s.dirs {
		if err := s.directory(d); err != nil {
			return nil, nil, err
		}
	}
	for i, l := range found.Logs {
		if err := s.log(l); err != nil {
			return nil, nil, err
		}
		if p := o.Import.Progress; p != nil {
			p(i+1, len(found.Logs), "logs")
		}
	}
	workload.SortInputs(s.inputs)
	if len(s.recs) == 0 {
		if len(s.inputs) == 0 {
			return nil, nil, errors.New("no recording, want event logs, folders of recorded clusters or traces imported from them")
		}
		return nil, nil, &workload.NothingError{Inputs: s.inputs}
	}
	return s.recs, s.inputs, nil
}

// sources is what was found so far.
type sources struct {
	SourceOptions
	ctx    context.Context
	dirs   []directory
	recs   []*Recording
	inputs []workload.Input
	left   []workload.Input
	seen   map[string]place // of logs, by application, attempt and start

	clusters map[string]string // directories, by the same of their applications
}

// place is where a recording is among the recordings, and among the inputs.
type place struct{ rec, input int }

// directory is a recorded cluster or a trace.
type directory struct {
	given, path string
	cluster     bool
}

// take takes directories that are a recording.
func (s *sources) take(given, dir string, has func(string) bool) bool {
	if cluster := has("cluster.json"); cluster || has("trace.json") {
		s.dirs = append(s.dirs, directory{given, dir, cluster && !has("trace.json")})
		return true
	}
	return false
}

func (s *sources) leave(in workload.Input) error {
	s.inputs = append(s.inputs, in)
	if s.Import.Strict && in.LeftOut != workload.OutsideTimes {
		return in.Err()
	}
	return nil
}

// options of the import of one recording called name.
func (s *sources) options(name string) workload.Options {
	opt, given := workload.DefaultOptions(), s.Import
	opt.Lenient, opt.Strict, opt.FromMS, opt.ToMS = given.Lenient, given.Strict, given.FromMS, given.ToMS
	opt.Out = filepath.Join(s.Tmp, fmt.Sprintf("%05d", len(s.inputs)))
	if given.Warn != nil {
		opt.Warn = func(m string) {
			if !strings.Contains(m, name+":") {
				m = name + ": " + m
			}
			given.Warn(m)
		}
	}
	return opt
}

// directory takes a recorded cluster or a trace.
func (s *sources) directory(d directory) error {
	name, from := filepath.Base(filepath.Clean(d.path)), d.path
	in := workload.NewInput(d.given, d.path)
	err := func() error {
		if d.cluster {
			opt := s.options(name)
			opt.FromMS, opt.ToMS = trace.Unset, trace.Unset
			if _, err := importer.Import(s.ctx, "spark-on-yarn", []string{d.path}, opt); err != nil {
				return err
			}
			from = opt.Out
		}
		r, err := readTrace(from, name)
		if err != nil {
			return err
		}
		for _, text := range r.caveats() {
			if s.Import.Warn != nil {
				s.Import.Warn(name + ": " + text)
			}
		}
		in.Name, in.Ended = name, true
		if origin := r.originMS; origin != trace.Unset {
			in.StartMS, in.EndMS = origin, origin
			for _, a := range r.apps {
				in.EndMS = max(in.EndMS, origin+a.FinishMS)
			}
			if s.Import.FromMS != trace.Unset && origin < s.Import.FromMS || s.Import.ToMS != trace.Unset && origin >= s.Import.ToMS {
				return workload.Leave(d.path, workload.OutsideTimes, "recorded from %s on", time.UnixMilli(origin).UTC().Format(time.RFC3339))
			}
		} else if s.Import.FromMS != trace.Unset || s.Import.ToMS != trace.Unset {
			return workload.Leave(d.path, workload.OutsideTimes, "the trace does not say when it was recorded (origin_unix_ms)")
		}
		if err := s.twice(d, r, name); err != nil {
			return err
		}
		for _, j := range r.jobs {
			in.Tasks += j.NumTasks()
		}
		in.Application = counted.Of(len(r.jobs), "applications")
		s.recs = append(s.recs, r)
		s.inputs = append(s.inputs, in)
		return nil
	}()
	switch {
	case err == nil:
		return nil
	case s.ctx.Err() != nil || s.Import.Strict:
		return err
	case !in.Leave(err):
		in.Leave(workload.Leave(d.path, workload.Unusable, "%s", strings.TrimPrefix(err.Error(), d.path+": ")))
	}
	return s.leave(in)
}

// twice refuses a directory whose applications are all in others, and warns of one that shares some: each would count again.
func (s *sources) twice(d directory, r *Recording, name string) error {
	again, other := 0, ""
	for i := range r.apps {
		a := &r.apps[i]
		key := fmt.Sprint(a.ID, " ", max(r.originMS, 0)+a.StartMS)
		if where, ok := s.clusters[key]; !ok {
			s.clusters[key] = d.path
		} else if where != d.path {
			again, other = again+1, where
		}
	}
	switch {
	case again == 0:
	case again == len(r.apps):
		return workload.Leave(d.path, workload.Twice, "its %s in %s, too", counted.Of(again, "applications"), other)
	case s.Import.Warn != nil:
		s.Import.Warn(fmt.Sprintf("%s: %d of %s in %s, too, and count twice", name, again, counted.Of(len(r.apps), "applications"), other))
	}
	return nil
}

// log takes an event log. What is there twice is taken once; attempts of one application are recordings each.
func (s *sources) log(l eventlog.Log) error {
	name := logName(l.Path)
	opt := s.options(name)
	if s.Allocation != "simulated" {
		opt.Replication = 1
	}
	res, err := eventlog.FormatOf(l).Import(s.ctx, eventLogs, nil, opt)
	var nothing *workload.NothingError
	if errors.As(err, &nothing) {
		return s.leave(nothing.Inputs[0])
	}
	if err != nil {
		return err
	}
	in := res.Inputs[0]
	key := fmt.Sprint(in.Application, in.Attempt, in.StartMS)
	other, twice := s.seen[key]
	twice = twice && in.Application != ""
	if twice && !more(&in, &s.inputs[other.input]) {
		in.Leave(workload.Leave(in.Path, workload.Twice, "application %s is also in %s", in.Application, s.recs[other.rec].Name))
		return s.leave(in)
	}
	r, err := readTrace(opt.Out, name)
	if err != nil {
		return err
	}
	if in.Attempt != "" {
		r.apps[0].ID += "_" + in.Attempt
	}
	at := place{len(s.recs), len(s.inputs)}
	s.inputs = append(s.inputs, in)
	if !twice {
		s.recs, s.seen[key] = append(s.recs, r), at
		return nil
	}
	at.rec = other.rec
	s.recs[at.rec], s.seen[key] = r, at
	shorter := &s.inputs[other.input]
	shorter.Leave(workload.Leave(shorter.Path, workload.Twice, "application %s is also in %s", in.Application, name))
	if s.Import.Strict {
		return shorter.Err()
	}
	return nil
}

// more reports whether a log has more of its application than another one: its end, or more tasks.
func more(a, b *workload.Input) bool {
	return cmp.Or(workload.CompareBools(a.Ended, b.Ended), cmp.Compare(a.Tasks, b.Tasks)) > 0
}

// logName names a log by its folder and its own name.
func logName(path string) string {
	dir := filepath.Base(filepath.Dir(path))
	if dir == "." || dir == string(filepath.Separator) {
		return filepath.Base(path)
	}
	return dir + "/" + filepath.Base(path)
}

// readTrace reads an imported trace with what was recorded of it.
func readTrace(dir, name string) (*Recording, error) {
	t, err := trace.Open(dir)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	r := &Recording{Name: name, originMS: t.OriginUnixMS}
	if r.input, err = scenario.InputOf(t, filepath.Base(filepath.Clean(name)), name); err != nil {
		return nil, err
	}
	if r.executors, err = t.Executors(); err != nil {
		return nil, err
	}
	for j, err := range trace.All(t.Jobs()) {
		if err != nil {
			return nil, err
		}
		r.jobs = append(r.jobs, j)
	}
	if err := r.take(t.Attachment); err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	return r, nil
}

// take takes what was recorded of the jobs, from the files of a trace.
func (r *Recording) take(file func(name string) ([]byte, error)) error {
	var times struct {
		Applications []recorded.App `json:"applications"`
	}
	switch err := attached(file, trace.RecordedFile, &times); {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("not imported from a recording, so that there is nothing to set predictions beside (no %s in it): want event logs, recorded clusters, or a trace that was imported from them", trace.RecordedFile)
	case err != nil:
		return fmt.Errorf("not imported from a recording: %w", err)
	}
	r.apps = times.Applications
	slices.SortFunc(r.apps, func(a, b recorded.App) int { return cmp.Compare(a.Job, b.Job) })
	data, err := file(trace.AttemptsFile)
	if err == nil {
		err = recorded.ReadAttempts(data, r.apps)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var report struct {
		Dropped  map[string]int64 `json:"dropped"`
		Modelled map[string]int64 `json:"modelled"`
	}
	if err := attached(file, trace.ImportReport, &report); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	r.copies, r.logless = report.Modelled["copies"], report.Dropped["applications_without_event_log"]
	r.lost, r.strangers = report.Dropped[recorded.LostAttempts], report.Modelled[recorded.Strangers]
	r.unasked = report.Dropped[recorded.UnaskedTasks]
	if len(r.apps) != len(r.jobs) {
		return fmt.Errorf("recorded.json has %d applications, want one for each of %d jobs", len(r.apps), len(r.jobs))
	}
	for i := range r.apps {
		if a := &r.apps[i]; a.Job != r.jobs[i].ID || len(a.Stages) != len(r.jobs[i].Stages) {
			return fmt.Errorf("recorded.json: application %s has job %d and %d stages, want job %d and %d stages",
				a.ID, a.Job, len(a.Stages), r.jobs[i].ID, len(r.jobs[i].Stages))
		}
	}
	r.cluster = &clusterRecord{}
	err = attached(file, trace.ContainersFile, r.cluster)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		r.cluster = nil
	case err != nil:
		return err
	}
	r.IsCluster = r.cluster != nil
	if r.IsCluster {
		for i := range r.cluster.Containers {
			if k := &r.cluster.Containers[i]; k.Registered == nil {
				k.Registered = k.TaskRuns
			}
		}
	}
	return nil
}

func attached(file func(name string) ([]byte, error), name string, v any) error {
	data, err := file(name)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// jobList yields jobs.
type jobList struct {
	jobs []*trace.Job
	at   int
}

func (l *jobList) Next() (*trace.Job, error) {
	if l.at == len(l.jobs) {
		return nil, io.EOF
	}
	l.at++
	return l.jobs[l.at-1], nil
}
