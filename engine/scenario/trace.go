package scenario

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"replay/trace"
)

// attached is the folder that the files that came with a trace have in messages and warnings: results do not depend on where the trace is.
const attached = "TRACE"

// FromTrace resolves the options against an open trace and the configuration files attached to it. Errors
// are those of [New].
func FromTrace(t *trace.Trace, o Options) (*Scenario, error) {
	in, err := InputOf(t, t.Name(), attached)
	if err != nil {
		return nil, err
	}
	workOf := o.WorkOf
	if workOf == nil {
		workOf = (*trace.Trace).Work
	}
	if w := o.Window; w != nil {
		in.Nodes, in.Events = w.Cluster(in.Nodes, in.Events)
		in.Again = func() trace.JobSource { return w.Jobs(t.Jobs()) }
		in.Work, in.Jobs, in.NumJobs, in.NumTasks, in.SpanMS = &w.Work, in.Again(), w.NumJobs, w.NumTasks, w.ToMS-w.FromMS
		return New(in, o)
	}
	work, err := workOf(t)
	if err != nil {
		return nil, err
	}
	in.Again = t.Jobs
	in.Work, in.Jobs, in.Independent = &work, t.Jobs(), work.Dependent == 0
	return New(in, o)
}

// InputOf returns everything of a trace but its jobs. Results call the trace by name, and messages its files as in folder.
func InputOf(t *trace.Trace, name, folder string) (Input, error) {
	in := Input{
		Name: name, Hash: t.Hash(),
		LocalitySource: t.LocalitySource, DurationSource: t.DurationSource, Elsewhere: t.Source.Elsewhere(), ToldNodes: t.Source.ToldNodes(), Apart: t.Source.Apart(),
		SpanMS: t.Manifest.SpanMS, NumJobs: t.Manifest.Counts.Jobs, NumTasks: t.Manifest.Counts.Tasks,
		Nodes: t.Nodes, Events: t.Events, Queues: t.Queues, Users: t.Users, Files: Files{},
	}
	if t.Source != nil {
		in.NoEnd = t.Source.NoEnd
	}
	for _, name := range t.Unlisted() {
		in.Unlisted = append(in.Unlisted, filepath.Join(folder, name))
	}
	kinds := []string{YarnSite, MapredSite}
	for _, s := range Schedulers {
		if s.File != "" {
			kinds = append(kinds, s.File)
		}
	}
	for _, kind := range kinds {
		text, err := t.Attachment(kind)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return in, err
		}
		in.Files[kind] = File{Name: filepath.Join(folder, kind), Text: text}
	}
	return in, nil
}

// sayUnlisted warns of configuration files that somebody put beside a trace and that nothing reads.
func (sc *Scenario) sayUnlisted() error {
	for _, path := range sc.Input.Unlisted {
		name := filepath.Base(path)
		if _, from := sc.File(name); from == OfFile || !slices.Contains([]string{YarnSite, MapredSite, sc.scheduler.File}, name) {
			continue
		}
		sc.warn("unlisted-file", "%s is not in the list of files of trace.json, so it is no part of the trace and not used: --%s uses it", path, strings.TrimSuffix(name, ".xml"))
	}
	return nil
}
