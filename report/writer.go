package report

import (
	"bytes"
	"slices"

	"replay/engine/record"
	"replay/outdir"
	"replay/report/checkpoint"
	"replay/report/explain"
	"replay/report/figure"
	"replay/report/metric"
	"replay/report/page"
	"replay/report/plot"
	"replay/report/result"
	"replay/report/verify"
	"replay/shown"
	"replay/trace"
)

// Result is one replay's answer: its data and the values of all metrics.
type Result = metric.Summary

// Formats returns the formats of plots.
func Formats() []string { return figure.Formats() }

// Options say what a result directory holds besides its manifest, summary, jobs, containers and series.
type Options struct {
	Tasks     bool     // tasks.parquet, a row per attempt; without it, tasks.json with histograms
	Decisions bool     // decisions.parquet
	Formats   []string // of the plots: svg, png, pdf; empty for no plots
	HTML      bool     // report.html
	Explain   bool     // explanations.parquet and views.parquet: where the time of each job went
}

// DefaultOptions are those of `replay run`.
func DefaultOptions() Options {
	return Options{Tasks: true, Formats: []string{"svg", "png", "pdf"}, HTML: true}
}

// files are what follows from the tables of a result.
var files = append(figure.Files(), "summary.json", "summary.txt", "report.html")

// Files are those of a result directory, as [outdir.Kind] has them.
func Files() []string { return slices.Concat(files, checkpoint.Files, result.Files) }

// A result directory is marked by its manifest; one that holds only what follows from tables, by its summary.
var (
	whole = outdir.Kind{Mark: "run.json", Files: Files()}
	parts = outdir.Kind{Mark: "summary.json", Files: whole.Files}
)

// A Writer makes a result directory from the records of a replay: it is a record.Sink.
// Call [Writer.Finish] when the replay has ended, or [Writer.Abort] when it was given up.
type Writer struct {
	*result.Writer
	dir     *outdir.Partial
	options Options
}

// Explaining returns the sink that a replay on some nodes must be given in place of another one, and whose Watch its source of jobs, for the
// explanations of the result. Ideal is a replay without YARN.
func (w *Writer) Explaining(to record.Sink, nodes []trace.Node, ideal bool) *explain.Keeper {
	k := explain.Keep(to, nodes, ideal, func(int64) bool { return true }, explain.Shares)
	w.Explain = func(d *result.Data) ([]result.Explained, error) {
		if err := k.End(d.Manifest.Totals.EndMS); err != nil {
			return nil, err
		}
		return k.Stored(&d.Jobs), nil
	}
	return k
}

var _ record.Sink = (*Writer)(nil)

// NewWriter begins a result directory. Nothing appears at dir before Finish; what is there
// must be absent, empty or an earlier result, which Finish then replaces.
func NewWriter(dir string, options Options) (*Writer, error) {
	if err := figure.CheckFormats(options.Formats); err != nil {
		return nil, err
	}
	d, err := whole.Begin(dir)
	if err != nil {
		return nil, err
	}
	tables, err := result.NewWriter(d, options.Tasks, options.Decisions)
	if err != nil {
		d.Abort()
		return nil, err
	}
	return &Writer{tables, d, options}, nil
}

// Path is where a file of the directory is written.
func (w *Writer) Path(name string) string { return w.dir.Path(name) }

// Abort removes what was written so far. After Finish it does nothing.
func (w *Writer) Abort() {
	w.Writer.Abort()
	w.dir.Abort()
}

// Finish completes the result with its manifest, summary, plots and page, and puts it in
// place. It returns what [Open] would read from there. When the records contradict each other
// or the manifest's totals, it returns an error and leaves nothing behind.
func (w *Writer) Finish(m record.Manifest) (*Result, error) {
	defer w.Abort()
	data, err := w.Writer.Finish(m)
	if err != nil {
		return nil, err
	}
	s := metric.Of(data)
	if err := write(w.dir, s, w.options); err != nil {
		return nil, err
	}
	return s, w.dir.Install()
}

// write writes everything that follows from the tables: summary, plots and page.
func write(dir *outdir.Partial, s *Result, o Options) error {
	if err := dir.WriteFile("summary.json", s.JSON()); err != nil {
		return err
	}
	var text bytes.Buffer
	s.WriteText(&text, true)
	if err := dir.WriteFile("summary.txt", shown.Bytes(text.Bytes())); err != nil {
		return err
	}
	if len(o.Formats) == 0 && !o.HTML {
		return nil
	}
	pictures := plot.Draw(s.Data)
	if err := figure.WriteAll(dir.Path("plots"), pictures, o.Formats); err != nil {
		return err
	}
	if !o.HTML {
		return nil
	}
	b, err := page.Run(s, pictures)
	if err != nil {
		return err
	}
	return dir.WriteFile("report.html", b)
}

// Open reads a result directory back. The values of the metrics are computed again from its
// tables, so that they are those of this program.
func Open(dir string) (*Result, error) {
	data, err := result.Read(dir)
	if err != nil {
		return nil, err
	}
	return metric.Of(data), nil
}

// OwnChecks are what a check of results ([verify.Dir]) leaves to the program that writes them.
var OwnChecks = []verify.Own{{Name: "aggregates.cbor: the sums over the tables", File: result.AggregatesFile, Check: checkAggregates}}

func checkAggregates(dir string) (*verify.Violation, error) {
	d, err := result.CheckAggregates(dir)
	if err != nil || d == nil {
		return nil, err
	}
	return &verify.Violation{File: result.AggregatesFile, Row: -1, Column: d.Part, Value: d.Kept, Want: d.Want}, nil
}

// Rewrite writes summary, plots and page again: into a result directory, whose tables stay as
// they are, or into a new or empty one. Each file and the plots appear whole or not at all.
func Rewrite(r *Result, dir string, o Options) error {
	d, err := parts.Begin(dir)
	if err != nil {
		return err
	}
	defer d.Abort()
	if err := write(d, r, o); err != nil {
		return err
	}
	return d.Merge()
}

// Memory is a record.Sink that keeps what the metrics need and writes nothing.
type Memory struct{ *result.Collector }

var _ record.Sink = Memory{}

// NewMemory returns an empty sink for one replay.
func NewMemory() Memory { return Memory{result.NewCollector()} }

// Finish completes the result with its manifest. When the records contradict each other or the
// manifest's totals, it returns an error.
func (m Memory) Finish(manifest record.Manifest) (*Result, error) {
	data, err := m.Collector.Finish(manifest)
	if err != nil {
		return nil, err
	}
	return metric.Of(data), nil
}
