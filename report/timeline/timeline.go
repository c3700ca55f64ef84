// Package timeline writes a result as trace events in JSON, which Perfetto (ui.perfetto.dev) and Chrome (chrome://tracing) open: applications, and on each node its containers and task attempts, side by side
// where they overlap; counts of the cluster; and what became of nodes. The tables are read once, row by row: memory grows with the nodes and with what overlaps, not with
// the length of the replay.
package timeline

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"

	"replay/engine/record"
	"replay/input"
	"replay/sealed"
	"replay/trace/tablefile"
)

// Counts is what was written.
type Counts struct {
	Applications int64 `json:"applications"`
	Containers   int64 `json:"containers"`
	Tasks        int64 `json:"task_attempts"`
	WithoutTasks bool  `json:"without_tasks,omitempty"` // the result has no table of them (--tasks=off)
}

// event is a trace event. Times are µs.
type event struct {
	Name  string         `json:"name"`
	Cat   string         `json:"cat,omitempty"`
	Phase string         `json:"ph"` // X: has a duration, i: an instant, C: counts, M: a name
	TS    int64          `json:"ts"`
	Dur   *int64         `json:"dur,omitempty"`
	PID   int            `json:"pid"`
	TID   int            `json:"tid"`
	Scope string         `json:"s,omitempty"` // of an instant
	Args  map[string]any `json:"args,omitempty"`
}

// A process is the applications, the cluster, or a node.
const (
	applications = 1
	cluster      = 2
	firstNode    = 3
)

// Threads of a process are lanes; those of tasks come after those of containers.
const firstTask = 1_000_000

// lanes holds what is drawn in one process, without overlaps in a lane.
type lanes struct{ until []int64 }

// take returns the lane of what lasts from begin to end: of those that are free at begin the one that is so for the shortest time.
func (l *lanes) take(begin, end int64) int {
	best := -1
	for i, until := range l.until {
		if until <= begin && (best < 0 || until > l.until[best]) {
			best = i
		}
	}
	if best < 0 {
		l.until = append(l.until, 0)
		best = len(l.until) - 1
	}
	l.until[best] = max(end, begin)
	return best
}

// writer writes events.
type writer struct {
	out        *bufio.Writer
	some       bool
	err        error
	end        int64 // of the replay, ms
	apps       lanes
	containers []lanes // by node
	tasks      []lanes
	counts     Counts
}

func (w *writer) put(e event) {
	if w.err != nil {
		return
	}
	text, err := json.Marshal(e)
	if err != nil {
		w.err = err
		return
	}
	if w.some {
		w.out.WriteString(",\n") // the last error comes again
	}
	w.some = true
	_, w.err = w.out.Write(text)
}

// span writes what lasts from begin to end, in ms.
func (w *writer) span(pid, tid int, name, cat string, begin, end int64, args map[string]any) {
	dur := 1000 * max(0, end-begin)
	w.put(event{Name: name, Cat: cat, Phase: "X", TS: 1000 * begin, Dur: &dur, PID: pid, TID: tid, Args: args})
}

func (w *writer) name(what string, pid, tid int, name string, order int) {
	w.put(event{Name: what + "_name", Phase: "M", PID: pid, TID: tid, Args: map[string]any{"name": name}})
	w.put(event{Name: what + "_sort_index", Phase: "M", PID: pid, TID: tid, Args: map[string]any{"sort_index": order}})
}

// or is a time, or otherwise if it did not happen.
func or(t *int64, otherwise int64) int64 {
	if t == nil {
		return otherwise
	}
	return *t
}

// Write writes the result in dir to out.
func Write(dir string, out io.Writer) (*Counts, error) {
	text, err := input.ReadFile(filepath.Join(dir, "run.json"))
	if err != nil {
		return nil, err
	}
	var m record.Manifest
	if err := sealed.Unmarshal(text, &m); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, "run.json"), err)
	}
	for _, f := range m.Files {
		if err := sealed.File(f).Check(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	w := &writer{out: bufio.NewWriterSize(out, 1<<18), containers: make([]lanes, len(m.Hosts)), tasks: make([]lanes, len(m.Hosts))}
	w.out.WriteString(`{"displayTimeUnit":"ms","traceEvents":[` + "\n") // the last error comes again
	if err := w.tables(dir, m.Hosts); err != nil {
		return nil, err
	}
	w.name("process", applications, 0, "applications", 0)
	w.name("process", cluster, 0, "cluster", 1)
	for i := range w.apps.until {
		w.name("thread", applications, i, fmt.Sprintf("applications %d", i+1), i)
	}
	for n, host := range m.Hosts {
		w.name("process", firstNode+n, 0, host, 2+n)
		for i := range w.containers[n].until {
			w.name("thread", firstNode+n, i, fmt.Sprintf("containers %d", i+1), i)
		}
		for i := range w.tasks[n].until {
			w.name("thread", firstNode+n, firstTask+i, fmt.Sprintf("tasks %d", i+1), firstTask+i)
		}
	}
	if _, err := w.out.WriteString("\n]}\n"); err != nil || w.err != nil {
		return nil, errors.Join(w.err, err)
	}
	return &w.counts, w.out.Flush()
}

// rows gives the rows of a table to take until one is refused.
func rows[R any](w *writer, path string, take func(*R) error) error {
	f, err := tablefile.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := tablefile.Rows(f, func(_ int64, r *R) error { return errors.Join(take(r), w.err) }); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

func (w *writer) tables(dir string, hosts []string) error {
	path := func(name string) string { return filepath.Join(dir, name) }
	if err := rows(w, path("series.parquet"), w.sample); err != nil {
		return err
	}
	if err := rows(w, path("nodes.parquet"), func(r *nodeRow) error { return onNode(r.Node, hosts, func() { w.node(r) }) }); err != nil {
		return err
	}
	if err := rows(w, path("jobs.parquet"), w.job); err != nil {
		return err
	}
	if err := rows(w, path("containers.parquet"), func(r *containerRow) error { return onNode(r.Node, hosts, func() { w.container(r) }) }); err != nil {
		return err
	}
	err := rows(w, path("tasks.parquet"), func(r *taskRow) error { return onNode(r.Node, hosts, func() { w.task(r) }) })
	if w.counts.WithoutTasks = errors.Is(err, fs.ErrNotExist); w.counts.WithoutTasks {
		return nil
	}
	return err
}

func onNode(n int32, hosts []string, do func()) error {
	if n < 0 || int(n) >= len(hosts) {
		return fmt.Errorf("node is %d, want a node of run.json, which has %d", n, len(hosts))
	}
	do()
	return nil
}

// args are values of an event, name and value by turns; empty texts are left out.
func args(list ...any) map[string]any {
	m := map[string]any{}
	for pair := range slices.Chunk(list, 2) {
		if pair[1] != "" {
			m[pair[0].(string)] = pair[1]
		}
	}
	return m
}
