package result

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"replay/engine/record"
	"replay/input"
	"replay/report/tables"
	"replay/sealed"
)

// isRead are the files that Read reads besides run.json and explanations.
var isRead = []string{"containers.parquet", "tasks.parquet", "tasks.json", "jobs.parquet", "series.parquet", "nodes.parquet"}

// Read reads a result directory back: what is kept of the sums over its rows, or its tables.
func Read(dir string) (*Data, error) {
	m, err := manifestOf(dir)
	if err != nil {
		return nil, err
	}
	for _, f := range m.Files {
		if !slices.Contains(isRead, f.Name) && f.Name != AggregatesFile {
			continue
		}
		if err := sealed.File(f).Check(dir); err != nil && !errors.Is(err, fs.ErrNotExist) { // which are needed shows below
			return nil, err
		}
	}
	data, aside, err := readAggregates(dir, m)
	if data == nil && err == nil {
		data, err = readRows(dir, m)
	}
	if err != nil {
		return nil, err
	}
	data.Aside = aside
	if data.HasExplained() {
		if data.Explained, err = ReadExplained(dir, m, func(int64) bool { return true }); err != nil {
			return nil, err
		}
	}
	return data, nil
}

// AllocatedAt is when a container of a job's first attempt was allocated according to a result directory, -1 where it does not say so.
func AllocatedAt(dir string, job, container int64) (at int64) {
	at = record.None
	err := tables.ReadColumns[containerRow](filepath.Join(dir, "containers.parquet"), func(t *tables.Columns) func(int) error {
		jobs, attempts, numbers, times := t.Int64s("job"), t.Int64s("am_attempt"), t.Int64s("container"), t.Int64s("allocated_ms")
		return func(i int) error {
			if jobs.V[i] == job && numbers.V[i] == container && attempts.V[i] == 1 {
				at = times.V[i]
			}
			return nil
		}
	})
	if err != nil {
		return record.None
	}
	return at
}

// readRows adds up the rows of the tables of a result directory.
func readRows(dir string, m *record.Manifest) (*Data, error) {
	path := func(name string) string { return filepath.Join(dir, name) }
	c := NewCollector()
	c.Priced(m.Prices)
	if err := tables.Read(path("nodes.parquet"), func(r *nodeRow) error {
		n := record.Node(*r)
		c.Node(&n)
		return nil
	}); err != nil {
		return nil, err
	}
	if err := tables.ReadColumns[containerRow](path("containers.parquet"), c.readContainers); err != nil {
		return nil, err
	}
	err := tables.ReadColumns[taskRow](path("tasks.parquet"), c.readTasks)
	if errors.Is(err, fs.ErrNotExist) {
		c.tasksOff = true
		var text []byte
		if text, err = input.ReadFile(path("tasks.json")); err == nil {
			err = c.data.Tasks.read(text)
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s: has neither tasks.parquet nor tasks.json, of which a result has one: %w", dir, err)
		}
		var named *fs.PathError
		if err != nil && !errors.As(err, &named) {
			err = fmt.Errorf("%s: %w", path("tasks.json"), err)
		}
	}
	if err != nil {
		return nil, err
	}
	if err := readJobTable(path("jobs.parquet"), func(t *tables.Columns) func(int) error {
		return readJobs(t, func(j *Job) {
			if c.tasksOff { // no attempts tell
				s := c.job(j.ID)
				s.taskMS, s.ready = j.TaskWaitMS, j.TaskWaits
			}
			c.Job(&j.Job)
		})
	}); err != nil {
		return nil, err
	}
	if err := tables.ReadColumns[sampleRow](path("series.parquet"), c.readSamples); err != nil {
		return nil, err
	}
	data, err := c.Finish(*m)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	return data, nil
}

// Decisions calls each with the decisions of a result that has them, in order. The record is used again.
func Decisions(dir string, each func(*record.Decision) error) error {
	return tables.Read(filepath.Join(dir, "decisions.parquet"), func(r *decisionRow) error {
		d := record.Decision(*r)
		return each(&d)
	})
}

// readManifest reads the text of a run.json.
func readManifest(text []byte) (m record.Manifest, err error) {
	if err := sealed.Unmarshal(text, &m); err != nil {
		return m, err
	}
	if major, _, _ := strings.Cut(m.FormatVersion, "."); m.Format != record.Format || major != "1" {
		return m, fmt.Errorf("format is %q version %q, want %q version 1", m.Format, m.FormatVersion, record.Format)
	}
	return m, nil
}

// read takes in the text of a tasks.json.
func (t *Tasks) read(text []byte) error {
	var s storedTasks
	if err := json.Unmarshal(text, &s); err != nil {
		return err
	}
	return t.restore(&s)
}

// parse returns the number of the name among those of n values.
func parse[T ~uint8](what, name string, n T, text func(T) string) (T, error) {
	for v := range n {
		if text(v) == name {
			return v, nil
		}
	}
	return 0, fmt.Errorf("%s is %q, want one of %s", what, name, strings.Join(names(n, text), ", "))
}

func names[T ~uint8](n T, text func(T) string) (out []string) {
	for v := range n {
		out = append(out, text(v))
	}
	return slices.Clip(out)
}

func parseMiss(name string) (record.Miss, error) {
	if name == "" {
		return record.NoMiss, nil
	}
	return parse("miss", name, record.Misses, record.Miss.String)
}
