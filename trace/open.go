package trace

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"replay/input"
	"replay/sealed"
)

// A Trace is an open trace directory. Several readers may use it at the same time.
type Trace struct {
	Meta
	Manifest Manifest

	dir       string
	tables    map[string]*table // jobs, stages, executors and the small ones
	tasks     []*table          // in order
	taskStart []int64           // first row of each of tasks, and the number of rows
	files     []FileEntry       // as they are, by name
	unlisted  []string          // see Unlisted
	reading   sync.WaitGroup    // batches being decoded
	kept      []*Job            // all of them, see KeepJobs
}

// Open opens the trace directory dir. It reads the small tables, compares the columns of all tables with the
// format, and the files with the sizes and hashes of the manifest. A [Problem] says what is wrong where.
func Open(dir string) (*Trace, error) {
	t, err := openTrace(dir, func(p Problem) error { return p })
	if err != nil {
		return nil, err
	}
	return t, nil
}

// openTrace gives problems to report, which decides whether they end it. A file that can't be read ends it always.
func openTrace(dir string, report func(Problem) error) (*Trace, error) {
	m, err := readManifest(dir)
	if err != nil {
		return nil, err
	}
	t := &Trace{Manifest: *m, dir: dir, tables: make(map[string]*table)}
	err = t.openTables()
	if err == nil {
		err = t.checkFiles(report)
	}
	if err == nil {
		err = t.checkCounts(report)
	}
	if err == nil {
		err = t.readMeta(report)
	}
	if err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

func (t *Trace) openTables() error {
	entries, err := os.ReadDir(t.dir)
	if err != nil {
		return err
	}
	var tasks []string
	for _, e := range entries { // by name
		if n := e.Name(); strings.HasPrefix(n, tableTasks) && strings.HasSuffix(n, ".parquet") {
			tasks = append(tasks, n)
		}
	}
	if len(tasks) == 0 {
		tasks = []string{tableTasks + ".parquet"}
	}
	if tasks[len(tasks)-1] == tableTasks+".parquet" && len(tasks) > 1 {
		return fmt.Errorf("%s: has tasks.parquet and %s, want one file or numbered ones", t.dir, tasks[0])
	}
	var problems []error
	row := int64(0)
	for _, file := range tasks {
		tab, err := openTable(t.dir, file, tableTasks)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		t.tasks = append(t.tasks, tab)
		t.taskStart = append(t.taskStart, row)
		row += tab.rows()
	}
	t.taskStart = append(t.taskStart, row)
	for _, name := range []string{tableNodes, tableEvents, tableQueues, tableUsers, tableJobs, tableStages, tableFiles, tableExecutors} {
		if _, err := os.Stat(filepath.Join(t.dir, name+".parquet")); err != nil && (name == tableFiles || name == tableExecutors) {
			continue // optional
		}
		tab, err := openTable(t.dir, name+".parquet", name)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		t.tables[name] = tab
	}
	return errors.Join(problems...)
}

// checkFiles compares the files of the directory with those of the manifest, which may leave out all or the hashes.
func (t *Trace) checkFiles(report func(Problem) error) error {
	bad := func(name, column string, value, want any) error {
		as := fmt.Sprintf("%v as in %s", want, manifestName)
		if strings.HasSuffix(name, ".xml") {
			as += ": a trace stays with the configuration that it was made with, and a replay takes another by its flags (--config-dir, --yarn-site, ...)"
		}
		return report(wholeFile(filepath.Join(t.dir, name), column, fmt.Sprint(value), as))
	}
	if m := &t.Manifest; m.Hash != "" && m.Hash != m.sum {
		if err := report(wholeFile(filepath.Join(t.dir, manifestName), "hash", m.sum, m.Hash+" as it says itself")); err != nil {
			return err
		}
	}
	rows := make(map[string]int64)
	for _, tab := range append(slices.Clone(t.tasks), t.bySortedName()...) {
		rows[filepath.Base(tab.path)] = tab.rows()
	}
	listed := make(map[string]FileEntry)
	names := make(map[string]bool)
	for _, f := range t.Manifest.Files {
		listed[f.Name] = f
		names[f.Name] = true
	}
	for name := range rows {
		names[name] = true
	}
	for _, name := range attachable {
		if names[name] || !isFile(filepath.Join(t.dir, name)) {
			continue
		}
		if len(listed) == 0 {
			names[name] = true
		} else {
			t.unlisted = append(t.unlisted, name)
		}
	}
	for _, name := range sortedKeys(names) {
		size, sum, err := sealed.Hash(filepath.Join(t.dir, name))
		if err != nil {
			return bad(name, "file", openError(err), "readable")
		}
		n, isTable := rows[name]
		t.files = append(t.files, FileEntry{Name: name, Rows: n, Bytes: size, SHA256: sum})
		want, ok := listed[name]
		if !ok {
			if len(listed) > 0 {
				err = bad(name, "name", "not listed", "the tables")
			}
		} else {
			if size != want.Bytes {
				err = bad(name, "size", size, want.Bytes)
			}
			if err == nil && want.SHA256 != "" && sum != want.SHA256 {
				err = bad(name, "sha256", sum, want.SHA256)
			}
			if err == nil && isTable && n != want.Rows {
				err = bad(name, "number of rows", n, want.Rows)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// checkCounts compares the counts of the manifest with the rows of the tables.
func (t *Trace) checkCounts(report func(Problem) error) error {
	c := t.Manifest.Counts
	for _, n := range []struct {
		name      string
		got, want int64
	}{
		{"jobs", c.Jobs, t.tables[tableJobs].rows()}, {"stages", c.Stages, t.tables[tableStages].rows()}, {"tasks", c.Tasks, t.taskStart[len(t.tasks)]},
		{"nodes", c.Nodes, t.tables[tableNodes].rows()}, {"node_events", c.NodeEvents, t.tables[tableEvents].rows()},
	} {
		if n.got != n.want {
			if err := report(wholeFile(filepath.Join(t.dir, manifestName), "counts."+n.name, fmt.Sprint(n.got), fmt.Sprintf("%d, the rows of the table", n.want))); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *Trace) bySortedName() (tables []*table) {
	for _, name := range sortedKeys(t.tables) {
		tables = append(tables, t.tables[name])
	}
	return tables
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K {
	keys := make([]K, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// readMeta reads the small tables and checks them.
func (t *Trace) readMeta(report func(Problem) error) (err error) {
	m := &t.Manifest
	t.Meta = Meta{Name: m.Name, OriginUnixMS: Unset, Generator: m.Generator, Source: m.Source, LocalitySource: m.LocalitySource, DurationSource: m.DurationSource}
	if m.OriginUnixMS != nil {
		t.OriginUnixMS = *m.OriginUnixMS
	}
	if t.Nodes, err = readNodes(t.tables[tableNodes]); err != nil {
		return err
	}
	if t.Events, err = readEvents(t.tables[tableEvents]); err != nil {
		return err
	}
	if t.Queues, err = readQueues(t.tables[tableQueues]); err != nil {
		return err
	}
	if t.Users, err = readUsers(t.tables[tableUsers]); err != nil {
		return err
	}
	rules := t.newRules(report)
	if err := firstOf(rules.sources(t.dir, &t.Meta), rules.meta(&t.Meta)); err != nil {
		return err
	}
	files, ok := t.tables[tableFiles]
	if !ok {
		return nil
	}
	checked := rules.ofFiles()
	for f, err := range filesOf(files) {
		if err == nil {
			err = checked.row(&f)
		}
		if err != nil {
			return errors.Join(err, checked.names.Close())
		}
	}
	return checked.end()
}

// ReadFiles reads the files that jobs read into [Meta].Files; they stay in their table otherwise.
func (t *Trace) ReadFiles() error {
	files, ok := t.tables[tableFiles]
	if !ok || t.Files != nil {
		return nil
	}
	for f, err := range filesOf(files) {
		if err != nil {
			return err
		}
		t.Files = append(t.Files, f)
	}
	return nil
}

// newRules are the rules for this trace: problems stand at their place in its files.
func (t *Trace) newRules(report func(Problem) error) *rules {
	return &rules{report: report, place: t.place}
}

// jobRules are the rules for its jobs and executors.
func (t *Trace) jobRules(report func(Problem) error) *rules {
	r := t.newRules(report)
	r.sizes(&t.Meta)
	if files, ok := t.tables[tableFiles]; ok {
		r.files = int(files.rows())
	}
	return r
}

// place returns where a row of a table is.
func (t *Trace) place(name string, row int64) (path string, group int, fileRow int64) {
	tab := t.tables[name]
	if name == tableTasks {
		i := 0
		for i+1 < len(t.tasks) && row >= t.taskStart[i+1] {
			i++
		}
		tab = t.tasks[i]
		row -= t.taskStart[i]
	}
	return tab.path, tab.group(row), row
}

// Dir is the directory of the trace.
func (t *Trace) Dir() string { return t.dir }

// Hash is the identity of the trace in results: a SHA-256 over the hashes of its files.
func (t *Trace) Hash() string { return t.Manifest.identity(t.files) }

// Attachments returns the names of the attached files, sorted.
func (t *Trace) Attachments() (names []string) {
	for _, f := range t.files {
		if !isTable(f.Name) {
			names = append(names, f.Name)
		}
	}
	return names
}

// Unlisted returns the names of files in the folder that would be attached ones if the manifest listed them: they are no part of the trace.
func (t *Trace) Unlisted() []string { return t.unlisted }

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// Attachment returns the attached file called name. If there is none the error is [os.ErrNotExist].
func (t *Trace) Attachment(name string) ([]byte, error) {
	i := slices.IndexFunc(t.files, func(f FileEntry) bool { return f.Name == name && !isTable(name) })
	if i < 0 {
		return nil, fmt.Errorf("%s: no attached file %q: %w", t.dir, name, os.ErrNotExist)
	}
	data, err := input.ReadFile(filepath.Join(t.dir, name))
	return data, err
}

// Close closes the files. Job sources of the trace end with an error afterwards.
func (t *Trace) Close() error {
	t.reading.Wait()
	var errs []error
	for _, tab := range append(slices.Clone(t.tasks), t.bySortedName()...) {
		errs = append(errs, tab.close())
	}
	return errors.Join(errs...)
}
