package result

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"replay/engine/record"
	"replay/outdir"
	"replay/report/tables"
	"replay/sealed"
)

// Files are what a [Writer] writes; tasks.parquet or tasks.json, and decisions.parquet and explanations if wanted.
var Files = []string{"run.json", "jobs.parquet", "containers.parquet", "tasks.parquet", "tasks.json",
	"series.parquet", "series.arrow", "nodes.parquet", "decisions.parquet", costsFile, explanations, views, AggregatesFile}

// A Writer writes the tables of a result directory from the records of a replay: it is a record.Sink, and a [Collector] too.
// Call [Writer.Finish] when the replay has ended, or [Writer.Abort] when it was given up.
type Writer struct {
	*Collector
	// Explain, if it is set, is asked when the replay has ended, and what it returns, by job, is kept.
	Explain func(*Data) ([]Explained, error)

	dir        *outdir.Partial
	containers *tables.Table[record.Container, containerRow]
	tasks      *tables.Table[record.Task, taskRow]
	samples    *tables.Table[record.Sample, sampleRow]
	arrow      *tables.Arrow[sampleRow]
	nodes      *tables.Table[record.Node, nodeRow]
	decisions  *tables.Table[record.Decision, decisionRow]
}

// NewWriter begins the tables of a result in dir: with tasks, tasks.parquet, a row per attempt, and tasks.json with histograms without;
// with decisions, decisions.parquet.
func NewWriter(dir *outdir.Partial, tasks, decisions bool) (_ *Writer, err error) {
	w := &Writer{Collector: NewCollector(), dir: dir}
	defer func() {
		if err != nil {
			w.Abort()
		}
	}()
	if w.containers, err = tables.New(dir.Path("containers.parquet"), newContainerRow); err != nil {
		return nil, err
	}
	if w.samples, err = tables.New(dir.Path("series.parquet"), newSampleRow); err != nil {
		return nil, err
	}
	if w.nodes, err = tables.New(dir.Path("nodes.parquet"), newNodeRow); err != nil {
		return nil, err
	}
	if w.arrow, err = tables.NewArrow[sampleRow](dir.Path("series.arrow")); err != nil {
		return nil, err
	}
	if tasks {
		if w.tasks, err = tables.New(dir.Path("tasks.parquet"), newTaskRow); err != nil {
			return nil, err
		}
	}
	if decisions {
		if w.decisions, err = tables.New(dir.Path("decisions.parquet"), newDecisionRow); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// Container implements record.Sink.
func (w *Writer) Container(c *record.Container) {
	w.Collector.Container(c)
	w.containers.Add(c)
}

// Containers implements record.Batcher.
func (w *Writer) Containers(rows []record.Container) {
	w.Collector.Containers(rows)
	for i := range rows {
		w.containers.Add(&rows[i])
	}
}

// Task implements record.Sink.
func (w *Writer) Task(t *record.Task) {
	w.Collector.Task(t)
	if w.tasks != nil {
		w.tasks.Add(t)
	}
}

// Tasks implements record.Batcher.
func (w *Writer) Tasks(rows []record.Task) {
	w.Collector.Tasks(rows)
	if w.tasks != nil {
		for i := range rows {
			w.tasks.Add(&rows[i])
		}
	}
}

// AnyOrder implements record.AnyOrder: tables are in the order of time.
func (w *Writer) AnyOrder() (containers, tasks bool) { return false, w.tasks == nil }

// Sample implements record.Sink.
func (w *Writer) Sample(s *record.Sample) {
	w.Collector.Sample(s)
	w.samples.Add(s)
	row := newSampleRow(s)
	w.arrow.Put(&row)
}

// Node implements record.Sink.
func (w *Writer) Node(n *record.Node) {
	w.Collector.Node(n)
	w.nodes.Add(n)
}

// Decision implements record.Sink.
func (w *Writer) Decision(d *record.Decision) {
	w.Collector.Decision(d)
	if w.decisions != nil {
		w.decisions.Add(d)
	}
}

// Abort closes the files as they are, for a result that was given up. After Finish it does nothing.
func (w *Writer) Abort() {
	w.eachFile(func(f file) { f.Abandon() })
}

// file is a file that is written by rows.
type file interface {
	Close() error
	Abandon()
}

func (w *Writer) eachFile(do func(file)) {
	if w.containers != nil {
		do(w.containers)
	}
	if w.samples != nil {
		do(w.samples)
	}
	if w.nodes != nil {
		do(w.nodes)
	}
	if w.arrow != nil {
		do(w.arrow)
	}
	if w.tasks != nil {
		do(w.tasks)
	}
	if w.decisions != nil {
		do(w.decisions)
	}
}

// Finish completes the tables and writes the manifest. It returns what [Read] would read from there. When the records
// contradict each other or the manifest's totals, it returns an error.
func (w *Writer) Finish(m record.Manifest) (*Data, error) {
	data, err := w.Collector.Finish(m)
	if err != nil {
		return nil, err
	}
	w.eachFile(func(f file) { err = errors.Join(err, f.Close()) })
	if err != nil {
		return nil, err
	}
	if err := writeJobs(w.dir.Path("jobs.parquet"), &data.Jobs); err != nil {
		return nil, err
	}
	if data.Costs != nil {
		if err := writeCosts(w.dir.Path(costsFile), data.Costs); err != nil {
			return nil, err
		}
	}
	if w.Explain != nil {
		if data.Explained, err = w.Explain(data); err != nil {
			return nil, err
		}
		if err := w.writeExplained(data); err != nil {
			return nil, err
		}
	}
	if w.tasks == nil { // the result must say what Read will read
		data.Tasks.ByNode = TaskNodes{}
		if err := writeJSON(w.dir.Path("tasks.json"), data.Tasks.stored()); err != nil {
			return nil, err
		}
	}
	if err := w.seal(data); err != nil {
		return nil, err
	}
	return data, nil
}

// seal writes what is kept of the rows, and the manifest with the hashes of all files that are there.
func (w *Writer) seal(d *Data) error {
	m := &d.Manifest
	m.Files = nil
	for _, name := range Files {
		f, err := sealed.Of(w.dir.Path(""), name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		m.Files = append(m.Files, record.File(f))
	}
	b, err := d.Aggregates()
	if err != nil {
		return err
	}
	if err := w.dir.WriteFile(AggregatesFile, b); err != nil {
		return err
	}
	f, err := sealed.Of(w.dir.Path(""), AggregatesFile)
	if err != nil {
		return err
	}
	m.Files = append(m.Files, record.File(f))
	slices.SortFunc(m.Files, func(a, b record.File) int { return strings.Compare(a.Name, b.Name) })
	text, err := sealed.Marshal(m, "  ", func(hash string) { m.Hash = hash })
	if err != nil {
		return err
	}
	return w.dir.WriteFile("run.json", text)
}

func writeJobs(path string, jobs *Jobs) error {
	for j := range jobs.All() {
		if j.DependsOn > 0 {
			return writeJobRows(path, jobs, newDependentRow)
		}
	}
	return writeJobRows(path, jobs, newJobRow)
}

func writeJobRows[R any](path string, jobs *Jobs, row func(*Job) R) error {
	t, err := tables.New(path, row)
	if err != nil {
		return err
	}
	for j := range jobs.All() {
		t.Add(j)
	}
	return t.Close()
}

// writeJSON writes v indented, with the keys of maps in order.
func writeJSON(path string, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return os.WriteFile(path, append(b, '\n'), 0o644)
}
