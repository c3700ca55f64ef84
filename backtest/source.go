// Package backtest sets replays of recordings beside what was recorded: it imports event logs and
// recorded clusters, replays each with its own configuration, and collects what report shows.
package backtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"replay/engine/scenario"
	"replay/trace"
	"replay/trace/importer"
	"replay/trace/importer/eventlog"
	"replay/trace/importer/workload"
)

// Recording is one recorded run: an event log, or a cluster with all its applications.
type Recording struct {
	Name      string
	IsCluster bool // recorded on both sides: ResourceManager, NodeManagers and applications

	input     scenario.Input // without jobs
	jobs      []*trace.Job
	executors []trace.Executor
	apps      []workload.RecordedApp
	cluster   *clusterRecord // nil without IsCluster
}

const eventLogs = "spark-eventlog" // format of the importer

// Sources finds the recordings among paths: event logs and folders of them, scenario folders of recorded
// clusters (with cluster.json) and folders of these, traces that were imported from either. Imports go
// to directories below tmp, which the caller removes. Warn takes what the importer says.
//
// A log does not say which hosts a task preferred, only that the one it ran on was one of them. Where
// executors are to be as recorded, no further replicas are drawn: a task that was launched on a preferred
// host had no better one then, and drawn replicas spare it waits that it had. With simulated allocation
// executors are elsewhere, and blocks have their usual number of replicas.
func Sources(ctx context.Context, paths []string, allocation, tmp string, warn func(string)) ([]*Recording, error) {
	var out []*Recording
	load := func(dir, name string) error {
		r, err := readTrace(dir, name)
		if err == nil {
			out = append(out, r)
		}
		return err
	}
	imported := func(format, path, name string) error {
		opt := workload.DefaultOptions()
		opt.Out = filepath.Join(tmp, fmt.Sprintf("%03d", len(out)))
		if format == eventLogs && allocation != "simulated" {
			opt.Replication = 1
		}
		opt.Warn = func(m string) { warn(name + ": " + m) }
		if _, err := importer.Import(ctx, format, []string{path}, opt); err != nil {
			return err
		}
		return load(opt.Out, name)
	}
	for _, path := range paths {
		dirs, err := traceDirs(path)
		if err != nil {
			return nil, err
		}
		for _, d := range dirs {
			name := filepath.Base(filepath.Clean(d.path))
			if d.cluster {
				err = imported("spark-on-yarn", d.path, name)
			} else {
				err = load(d.path, name)
			}
			if err != nil {
				return nil, err
			}
		}
		if len(dirs) > 0 {
			continue
		}
		logs, _, err := eventlog.Find([]string{path})
		if err != nil {
			return nil, err
		}
		for _, l := range logs {
			if err := imported(eventLogs, l.Path, logName(l.Path)); err != nil {
				return nil, err
			}
		}
	}
	if len(out) == 0 {
		return nil, errors.New("no recording, want event logs, folders of recorded clusters or traces imported from them")
	}
	return out, nil
}

// logName names a log by its folder and its own name.
func logName(path string) string {
	dir := filepath.Base(filepath.Dir(path))
	if dir == "." || dir == string(filepath.Separator) {
		return filepath.Base(path)
	}
	return dir + "/" + filepath.Base(path)
}

type found struct {
	path    string
	cluster bool
}

// traceDirs returns the scenario folders and traces at path or directly below it.
func traceDirs(path string) ([]found, error) {
	has := func(dir, name string) bool {
		_, err := os.Stat(filepath.Join(dir, name))
		return err == nil
	}
	what := func(dir string) (found, bool) {
		switch {
		case has(dir, "trace.json"):
			return found{dir, false}, true
		case has(dir, "cluster.json"):
			return found{dir, true}, true
		}
		return found{}, false
	}
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return nil, err
	}
	if f, ok := what(path); ok {
		return []found{f}, nil
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	var out []found
	for _, e := range entries {
		if f, ok := what(filepath.Join(path, e.Name())); ok && e.IsDir() {
			out = append(out, f)
		}
	}
	return out, nil
}

// readTrace reads an imported trace with what was recorded of it.
func readTrace(dir, name string) (*Recording, error) {
	t, err := trace.Open(dir)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	r := &Recording{Name: name}
	if r.input, err = scenario.InputOf(t, name); err != nil {
		return nil, err
	}
	var recorded struct {
		Applications []workload.RecordedApp `json:"applications"`
	}
	if err := attached(t, dir, "recorded.json", &recorded); err != nil {
		return nil, fmt.Errorf("%s: not imported from a recording: %w", dir, err)
	}
	r.apps = recorded.Applications
	slices.SortFunc(r.apps, func(a, b workload.RecordedApp) int { return int(a.Job - b.Job) })
	if r.executors, err = t.Executors(); err != nil {
		return nil, err
	}
	jobs := t.Jobs()
	for {
		j, err := jobs.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		r.jobs = append(r.jobs, j)
	}
	if len(r.apps) != len(r.jobs) {
		return nil, fmt.Errorf("%s: recorded.json has %d applications, want one for each of %d jobs", dir, len(r.apps), len(r.jobs))
	}
	for i := range r.apps {
		if a := &r.apps[i]; a.Job != r.jobs[i].ID || len(a.Stages) != len(r.jobs[i].Stages) {
			return nil, fmt.Errorf("%s: recorded.json: application %s has job %d and %d stages, want job %d and %d stages",
				dir, a.ID, a.Job, len(a.Stages), r.jobs[i].ID, len(r.jobs[i].Stages))
		}
	}
	r.cluster = &clusterRecord{}
	err = attached(t, dir, "recorded_containers.json", r.cluster)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		r.cluster = nil
	case err != nil:
		return nil, err
	}
	r.IsCluster = r.cluster != nil
	return r, nil
}

func attached(t *trace.Trace, dir, name string, v any) error {
	data, err := t.Attachment(name)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("%s: %w", filepath.Join(dir, name), err)
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
