package trace

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"

	"replay/outdir"
	"replay/trace/tablefile"
)

// tasksPerFile is after how many rows the task table goes on in a further file, at the next job.
const tasksPerFile = 64 << 20

// A Writer writes a trace directory. The directory appears at Close, whole, or not at all.
// The same calls give the same bytes.
type Writer struct {
	dir, tmp  string
	out       *outdir.Partial
	manifest  Manifest
	rules     rules
	jobs      *tableWriter[jobRow]
	stages    *tableWriter[stageRow]
	tasks     *taskWriter
	executors *tableWriter[executorRow]
	files     *tableWriter[fileRow]
	fileRules *fileRules
	taskFiles int
	perFile   int64 // tasks
	at        jobRows
	resources map[string]bool
	nodes     []Node
	err       error      // the first; Close returns it and discards everything
	attaching []*os.File // that were not closed when they were attached
	done      bool
}

// Create starts a trace directory at dir, which must not exist or be empty, with the small tables of meta.
// They must follow the rules of the format; the error is a [Problem] otherwise.
func Create(dir string, meta Meta) (*Writer, error) {
	dir = filepath.Clean(dir)
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return nil, fmt.Errorf("%s: exists already and is not empty; want a new or empty directory", dir)
	} else if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	w := &Writer{dir: dir, perFile: tasksPerFile, resources: make(map[string]bool), nodes: meta.Nodes}
	w.rules = rules{
		report: func(p Problem) error { return p },
		place: func(table string, row int64) (string, int, int64) {
			return filepath.Join(dir, table+".parquet"), -1, row
		},
	}
	w.manifest = manifestOf(&meta)
	if err := firstOf(w.rules.meta(&meta), w.rules.sources(w.dir, &meta)); err != nil {
		return nil, err
	}
	out, err := outdir.Begin(dir)
	if err != nil {
		return nil, err
	}
	w.out, w.tmp = out, out.Path("")
	if err := w.start(&meta); err != nil {
		w.Abort()
		return nil, err
	}
	return w, nil
}

// NoPreferences says before the end that no task has preferred nodes, whatever was to be their source.
func (w *Writer) NoPreferences() { w.manifest.LocalitySource = LocalityNone }

func manifestOf(meta *Meta) Manifest {
	m := Manifest{
		Format: Format, Version: Version, Name: meta.Name, TimeUnit: TimeUnit, Generator: meta.Generator, Source: meta.Source,
		LocalitySource: meta.LocalitySource, DurationSource: meta.DurationSource, Work: &Work{},
		Counts: Counts{Nodes: int64(len(meta.Nodes)), NodeEvents: int64(len(meta.Events))},
	}
	if meta.OriginUnixMS != Unset {
		m.OriginUnixMS = &meta.OriginUnixMS
	}
	return m
}

// start writes the small tables and opens the others.
func (w *Writer) start(m *Meta) (err error) {
	err = firstOf(
		writeTable(w, tableNodes, m.Nodes, nodeToRow), writeTable(w, tableEvents, m.Events, eventToRow),
		writeTable(w, tableQueues, m.Queues, queueToRow), writeTable(w, tableUsers, m.Users, userToRow),
	)
	for i := range m.Files {
		if err == nil {
			err = w.addFile(&m.Files[i])
		}
	}
	if err == nil {
		w.jobs, err = newTable[jobRow](w, tableJobs, tableJobs)
	}
	if err == nil {
		w.stages, err = newTable[stageRow](w, tableStages, tableStages)
	}
	if err == nil {
		err = w.nextTaskFile()
	}
	return err
}

func (w *Writer) nextTaskFile() (err error) {
	if w.tasks != nil {
		if err := w.finish(w.tasks); err != nil {
			return err
		}
	}
	w.tasks, err = newTasks(w, fmt.Sprintf("%s-%05d", tableTasks, w.taskFiles))
	w.taskFiles++
	return err
}

// AddJob appends a job with its stages and tasks. Jobs come in order of submission, with dense ids.
// The job is not kept. The error is a [Problem] if the job breaks a rule of the format; after an error
// the writer takes nothing more.
func (w *Writer) AddJob(j *Job) error {
	if w.err == nil {
		w.err = w.addJob(j)
	}
	return w.err
}

func (w *Writer) addJob(j *Job) error {
	c := &w.manifest.Counts
	w.at = jobRows{job: c.Jobs, stages: w.at.stages[:0], tasks: w.at.tasks[:0]}
	tasks := c.Tasks
	for i := range j.Stages {
		w.at.stages = append(w.at.stages, c.Stages+int64(i))
		w.at.tasks = append(w.at.tasks, tasks)
		tasks += int64(j.Stages[i].Tasks.Len())
	}
	if j.ID != c.Jobs {
		return w.rules.bad(tableJobs, c.Jobs, "job_id", j.ID, "%d, as ids count rows from 0", c.Jobs)
	}
	if err := w.rules.job(j, &w.at); err != nil {
		return err
	}
	if w.tasks.NumRows() >= w.perFile {
		if err := w.nextTaskFile(); err != nil {
			return err
		}
	}
	if err := w.jobs.add(jobToRow(j, c.Tasks)); err != nil {
		return err
	}
	extraOf(j, w.resources)
	for i := range j.Stages {
		s := &j.Stages[i]
		if err := w.stages.add(stageToRow(j.ID, s)); err != nil {
			return err
		}
		if err := w.tasks.add(j.ID, s); err != nil {
			return err
		}
	}
	c.Jobs++
	c.Stages += int64(len(j.Stages))
	c.Tasks = tasks
	w.manifest.SpanMS = j.SubmitMS
	w.manifest.Work.addJob(j)
	return nil
}

// AddFile appends a file that jobs read, with dense ids and each name once, after those of [Meta] and before the first job that reads it.
func (w *Writer) AddFile(f File) error {
	if w.err == nil {
		w.err = w.addFile(&f)
	}
	return w.err
}

func (w *Writer) addFile(f *File) (err error) {
	if w.files == nil {
		if w.files, err = newTable[fileRow](w, tableFiles, tableFiles); err != nil {
			return err
		}
		w.fileRules = w.rules.ofFiles()
	}
	if err := w.fileRules.row(f); err != nil {
		return err
	}
	return w.files.add(fileToRow(f))
}

// AddExecutor appends a recorded executor, in order of (job, id), after the job was added.
func (w *Writer) AddExecutor(e Executor) error {
	if w.err == nil {
		w.err = w.addExecutor(&e)
	}
	return w.err
}

func (w *Writer) addExecutor(e *Executor) (err error) {
	if w.executors == nil {
		if w.executors, err = newTable[executorRow](w, tableExecutors, tableExecutors); err != nil {
			return err
		}
	}
	if err := w.rules.executor(e, w.executors.rows(), w.manifest.Counts.Jobs); err != nil {
		return err
	}
	return w.executors.add(executorToRow(e))
}

// Attach adds a plain file to the directory, such as the fair-scheduler.xml of the recorded cluster.
// The name has no folders, and is not that of a table.
func (w *Writer) Attach(name string, data []byte) error {
	if w.err == nil {
		w.err = w.attach(name, data)
	}
	return w.err
}

func (w *Writer) attach(name string, data []byte) error {
	f, err := w.attached(name)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// AttachWriter is [Writer.Attach] for a file that is written little by little. It is there when it is closed, which must be before the writer is.
func (w *Writer) AttachWriter(name string) (io.WriteCloser, error) {
	if w.err != nil {
		return nil, w.err
	}
	f, err := w.attached(name)
	if err != nil {
		w.err = err
		return nil, err
	}
	w.attaching = append(w.attaching, f.file)
	return f, nil
}

// An attached file is hashed while it is written.
type attached struct {
	w    *Writer
	file *os.File
	sum  hash.Hash
	FileEntry
}

func (w *Writer) attached(name string) (*attached, error) {
	if err := checkFileName(name); err != nil {
		return nil, fmt.Errorf("attached file: %w", err)
	}
	if isTable(name) || slices.ContainsFunc(w.manifest.Files, func(f FileEntry) bool { return f.Name == name }) {
		return nil, fmt.Errorf("attached file: name is %q, want each name once and no table", name)
	}
	f, err := os.OpenFile(filepath.Join(w.tmp, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, err
	}
	return &attached{w: w, file: f, sum: sha256.New(), FileEntry: FileEntry{Name: name}}, nil
}

func (a *attached) Write(p []byte) (int, error) {
	n, err := a.file.Write(p)
	a.sum.Write(p[:n])
	a.Bytes += int64(n)
	return n, err
}

func (a *attached) Close() error {
	a.SHA256 = hex.EncodeToString(a.sum.Sum(nil))
	a.w.manifest.Files = append(a.w.manifest.Files, a.FileEntry)
	return a.file.Close()
}

// Close finishes the directory and puts it in place. After an error of an earlier call it discards
// everything and returns that error.
func (w *Writer) Close() error {
	if w.done {
		return w.err
	}
	if w.err == nil {
		w.err = w.close()
	}
	if w.err != nil {
		w.discard()
	}
	w.done = true
	return w.err
}

// Abort discards what was written. It does nothing after Close.
func (w *Writer) Abort() {
	if w.done {
		return
	}
	if w.err == nil {
		w.err = fmt.Errorf("%s: the writer was aborted", w.dir)
	}
	w.discard()
	w.done = true
}

func (w *Writer) discard() {
	for _, c := range []io.Closer{w.jobs, w.stages, w.tasks, w.executors, w.files} {
		c.Close() // the files go with the directory
	}
	if w.fileRules != nil {
		w.fileRules.names.Close()
	}
	for _, f := range w.attaching {
		f.Close()
	}
	w.out.Abort()
}

func (w *Writer) close() error {
	if err := firstOf(w.finish(w.jobs), w.finish(w.stages), w.finish(w.tasks)); err != nil {
		return err
	}
	if w.executors != nil {
		if err := w.finish(w.executors); err != nil {
			return err
		}
	}
	if w.files != nil {
		if err := firstOf(w.fileRules.end(), w.finish(w.files)); err != nil {
			return err
		}
	}
	if w.taskFiles == 1 { // the usual case has the plain name
		last := &w.manifest.Files[slices.IndexFunc(w.manifest.Files, func(f FileEntry) bool { return f.Name == tableTasks+"-00000.parquet" })]
		name := tableTasks + ".parquet"
		if err := os.Rename(filepath.Join(w.tmp, last.Name), filepath.Join(w.tmp, name)); err != nil {
			return err
		}
		last.Name = name
	}
	slices.SortFunc(w.manifest.Files, byName)
	w.manifest.Resources = resourcesOf(w.nodes, w.resources)
	if err := w.manifest.write(filepath.Join(w.tmp, manifestName)); err != nil {
		return err
	}
	return w.out.InstallNew()
}

// Hash is the identity of the trace after a successful Close, as [Trace.Hash].
func (w *Writer) Hash() string { return w.manifest.identity(w.manifest.Files) }

// Counts returns the rows so far.
func (w *Writer) Counts() Counts { return w.manifest.Counts }

// A tableFile is a Parquet file that is written.
type tableFile struct {
	name string
	file *os.File
	buf  *bufio.Writer
	sum  hash.Hash
}

// A tableWriter writes rows of one Parquet file.
type tableWriter[T any] struct {
	tableFile
	pw    *tablefile.RowWriter[T]
	batch []T
	n     int64 // rows, without those of the batch
}

const writeBatch = 128

func (w *Writer) newFile(base string) (t tableFile, err error) {
	t = tableFile{name: base + ".parquet", sum: sha256.New()}
	if t.file, err = os.OpenFile(filepath.Join(w.tmp, t.name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644); err != nil {
		return t, err
	}
	t.buf = bufio.NewWriterSize(io.MultiWriter(t.file, t.sum), 1<<16)
	return t, nil
}

func newTable[T any](w *Writer, file, table string) (*tableWriter[T], error) {
	f, err := w.newFile(file)
	if err != nil {
		return nil, err
	}
	t := &tableWriter[T]{tableFile: f}
	if t.pw, err = tablefile.NewRowWriter[T](t.buf, writerOptions(table, w.manifest.OriginUnixMS)...); err != nil {
		t.tableFile.Close()
		return nil, err
	}
	return t, nil
}

// codec is shared, as its encoders are costly to make.
var codec = tablefile.NewZstd(zstd.SpeedDefault)

// writerOptions are those of every table: zstd level 3, delta for int64 columns that do not say, and the
// metadata by which a file tells what it is. Nothing of the time, the place or the build is in a file.
func writerOptions(table string, origin *int64) []parquet.WriterOption {
	var sorting []parquet.SortingColumn
	for _, c := range sortColumns[table] {
		sorting = append(sorting, parquet.Ascending(c))
	}
	rows, page := int64(rowsPerGroup), pageBytes
	if table == tableTasks {
		rows, page = tasksPerGroup, pageBytesOfTasks
	}
	options := []parquet.WriterOption{
		parquet.CreatedBy("replay", Version, "parquet-go"), // the library's own text depends on how the program was built
		parquet.Compression(codec),
		parquet.DefaultEncodingFor(parquet.Int64, &parquet.DeltaBinaryPacked),
		parquet.DataPageVersion(1), // whose levels are packed too: those of lists of three take 0.3 bytes a row else
		parquet.MaxRowsPerRowGroup(rows), parquet.PageBufferSize(page), parquet.DictionaryMaxBytes(dictionaryBytes),
		parquet.SortingWriterConfig(parquet.SortingColumns(sorting...)),
		parquet.KeyValueMetadata("replay.format", Format),
		parquet.KeyValueMetadata("replay.version", Version),
		parquet.KeyValueMetadata("replay.table", table),
		parquet.KeyValueMetadata("replay.time_unit", TimeUnit),
	}
	if origin != nil {
		options = append(options, parquet.KeyValueMetadata("replay.origin_unix_ms", strconv.FormatInt(*origin, 10)))
	}
	return options
}

func (t *tableWriter[T]) rows() int64 { return t.n + int64(len(t.batch)) }

func (t *tableWriter[T]) add(row T) error {
	t.batch = append(t.batch, row)
	if len(t.batch) < writeBatch {
		return nil
	}
	return t.flush()
}

func (t *tableWriter[T]) flush() error {
	err := t.pw.Write(t.batch)
	t.n += int64(len(t.batch))
	t.batch = t.batch[:0]
	return err
}

func (w *Writer) finish(t interface {
	finish() (FileEntry, error)
},
) error {
	entry, err := t.finish()
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.Join(w.dir, entry.Name), err)
	}
	w.manifest.Files = append(w.manifest.Files, entry)
	return nil
}

// Close discards; finish is the other way to end.
func (t *tableFile) Close() error {
	if t == nil || t.file == nil {
		return nil
	}
	err := t.file.Close()
	t.file = nil
	return err
}

// finish ends a file of so many rows, whose last bytes have been written but for err.
func (t *tableFile) finish(rows int64, err error) (FileEntry, error) {
	entry := FileEntry{Name: t.name, Rows: rows}
	err = cmp.Or(err, t.buf.Flush()) // which fails as the one before did
	info, statErr := t.file.Stat()
	if statErr == nil {
		entry.Bytes = info.Size()
	}
	err = cmp.Or(err, statErr, t.Close())
	entry.SHA256 = hex.EncodeToString(t.sum.Sum(nil))
	return entry, err
}

func (t *tableWriter[T]) finish() (FileEntry, error) {
	err := cmp.Or(t.flush(), t.pw.Close())
	defer func() { *t = tableWriter[T]{} }() // its memory is for what is written after it
	return t.tableFile.finish(t.n, err)
}

// Close discards.
func (t *tableWriter[T]) Close() error {
	if t == nil || t.file == nil {
		return nil
	}
	t.pw.Discard()
	return t.tableFile.Close()
}

func writeTable[V, T any](w *Writer, name string, values []V, row func(*V) T) error {
	t, err := newTable[T](w, name, name)
	if err != nil {
		return err
	}
	for i := range values {
		if err := t.add(row(&values[i])); err != nil {
			t.Close()
			return err
		}
	}
	return w.finish(t)
}
