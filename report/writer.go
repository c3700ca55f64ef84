package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"replay/engine/record"
)

// Options say what a result directory holds besides its manifest, summary, jobs, containers and series.
type Options struct {
	Tasks     bool     // tasks.parquet, a row per attempt; without it, tasks.json with histograms
	Decisions bool     // decisions.parquet
	Formats   []string // of the plots: svg, png, pdf; empty for no plots
	HTML      bool     // report.html
}

// DefaultOptions are those of `replay run`.
func DefaultOptions() Options {
	return Options{Tasks: true, Formats: []string{"svg", "png", "pdf"}, HTML: true}
}

// A Writer makes a result directory from the records of a replay: it is a record.Sink.
// Call [Writer.Finish] when the replay has ended, or [Writer.Abort] when it was given up.
type Writer struct {
	*collector
	dir, temp  string
	options    Options
	containers *table[record.Container, containerRow]
	tasks      *table[record.Task, taskRow]
	samples    *table[record.Sample, sampleRow]
	arrow      *arrowSeries
	decisions  *table[record.Decision, decisionRow]
}

var _ record.Sink = (*Writer)(nil)

// NewWriter begins a result directory. Nothing appears at dir before Finish; what is there
// must be absent, empty or an earlier result, which Finish then replaces.
func NewWriter(dir string, options Options) (_ *Writer, err error) {
	for _, f := range options.Formats {
		if renderers[f] == nil {
			return nil, fmt.Errorf("unknown plot format %q (known: %v)", f, sortedKeys(renderers))
		}
	}
	if err := replaceable(dir, "run.json", resultFiles); err != nil {
		return nil, err
	}
	temp, err := beside(dir)
	if err != nil {
		return nil, err
	}
	w := &Writer{collector: newCollector(), dir: dir, temp: temp, options: options}
	defer func() {
		if err != nil {
			w.Abort()
		}
	}()
	if w.containers, err = newTable(w.path("containers.parquet"), newContainerRow); err != nil {
		return nil, err
	}
	if w.samples, err = newTable(w.path("series.parquet"), newSampleRow); err != nil {
		return nil, err
	}
	if w.arrow, err = newArrowSeries(w.path("series.arrow")); err != nil {
		return nil, err
	}
	if options.Tasks {
		if w.tasks, err = newTable(w.path("tasks.parquet"), newTaskRow); err != nil {
			return nil, err
		}
	}
	if options.Decisions {
		if w.decisions, err = newTable(w.path("decisions.parquet"), newDecisionRow); err != nil {
			return nil, err
		}
	}
	return w, nil
}

func (w *Writer) path(name string) string { return filepath.Join(w.temp, name) }

// What results, comparisons and backtests consist of.
var (
	resultFiles = []string{"run.json", "summary.json", "summary.txt", "jobs.parquet", "containers.parquet", "tasks.parquet", "tasks.json",
		"series.parquet", "series.arrow", "decisions.parquet", "plots", "report.html"}
	comparisonFiles = []string{"comparison.json", "comparison.csv", "comparison.txt", "plots", "report.html"}
	backtestFiles   = []string{"backtest.json", "backtest.txt", "model.txt", "plots", "report.html"}
)

// replaceable reports why dir cannot be replaced: it is something else than a directory that is empty, or
// has the file that marks a result and nothing besides what a result consists of.
func replaceable(dir, mark string, known []string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if len(entries) == 0 {
		return nil
	}
	if _, err := os.Stat(filepath.Join(dir, mark)); err != nil {
		return fmt.Errorf("%s: has files and no %s, so it is no earlier result; want a new or empty directory", dir, mark)
	}
	for _, e := range entries {
		if !slices.Contains(known, e.Name()) {
			return fmt.Errorf("%s: has %s, which would be lost; want a new or empty directory, or an earlier result and nothing else", dir, e.Name())
		}
	}
	return nil
}

// CheckComparisonDir reports why a comparison cannot be written to dir; runs says that it brings the results of its
// runs, which then may replace those of an earlier comparison.
func CheckComparisonDir(dir string, runs bool) error {
	known := comparisonFiles
	if runs {
		known = append(slices.Clip(known), "runs")
	}
	return replaceable(dir, "comparison.json", known)
}

// beside makes a temporary directory next to dir, on the same file system.
func beside(dir string) (string, error) {
	parent := filepath.Dir(filepath.Clean(dir))
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return "", err
	}
	temp, err := os.MkdirTemp(parent, "."+filepath.Base(filepath.Clean(dir))+".partial-")
	if err != nil {
		return "", err
	}
	return temp, os.Chmod(temp, 0o755)
}

// install moves temp to dir, replacing what is there.
func install(temp, dir string) error {
	old := temp + ".old"
	err := os.Rename(dir, old)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Rename(temp, dir); err != nil {
		return err
	}
	return os.RemoveAll(old)
}

// Container implements record.Sink.
func (w *Writer) Container(c *record.Container) {
	w.collector.Container(c)
	w.containers.add(c)
}

// Task implements record.Sink.
func (w *Writer) Task(t *record.Task) {
	w.collector.Task(t)
	if w.tasks != nil {
		w.tasks.add(t)
	}
}

// Sample implements record.Sink.
func (w *Writer) Sample(s *record.Sample) {
	w.collector.Sample(s)
	w.samples.add(s)
	w.arrow.add(s)
}

// Decision implements record.Sink.
func (w *Writer) Decision(d *record.Decision) {
	w.collector.Decision(d)
	if w.decisions != nil {
		w.decisions.add(d)
	}
}

// Abort removes what was written so far. After Finish it does nothing.
func (w *Writer) Abort() {
	if w.temp == "" {
		return
	}
	w.eachFile(func(c interface{ abandon() }) { c.abandon() })
	os.RemoveAll(w.temp)
	w.temp = ""
}

func (w *Writer) eachFile(do func(interface{ abandon() })) {
	if w.containers != nil {
		do(w.containers)
	}
	if w.samples != nil {
		do(w.samples)
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

// Finish completes the result with its manifest, summary, plots and page, and puts it in
// place. It returns what [Open] would read from there. When the records contradict each other
// or the manifest's totals, it returns an error and leaves nothing behind.
func (w *Writer) Finish(m record.Manifest) (_ *Result, err error) {
	defer w.Abort()
	data, err := w.finish(m, true)
	if err != nil {
		return nil, err
	}
	w.eachFile(func(f interface{ abandon() }) {
		if c, ok := f.(interface{ Close() error }); ok {
			err = errors.Join(err, c.Close())
		}
	})
	if err != nil {
		return nil, err
	}
	if err := writeJobs(w.path("jobs.parquet"), data.Jobs); err != nil {
		return nil, err
	}
	if w.tasks == nil {
		if err := writeJSON(w.path("tasks.json"), data.Tasks.stored()); err != nil {
			return nil, err
		}
	}
	if err := writeJSON(w.path("run.json"), data.Manifest); err != nil {
		return nil, err
	}
	if w.tasks == nil { // the result must say what Open will read
		data.Tasks.Wait.spill()
		data.Tasks.Run.spill()
	}
	r := newResult(data)
	if err := r.write(w.temp, w.options); err != nil {
		return nil, err
	}
	if err := install(w.temp, w.dir); err != nil {
		return nil, err
	}
	w.temp = ""
	return r, nil
}

func writeJobs(path string, jobs []Job) error {
	t, err := newTable(path, newJobRow)
	if err != nil {
		return err
	}
	for i := range jobs {
		t.add(&jobs[i])
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
