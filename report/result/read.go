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
)

// Read reads the tables of a result directory back.
func Read(dir string) (*Data, error) {
	path := func(name string) string { return filepath.Join(dir, name) }
	var m record.Manifest
	if err := readJSON(path("run.json"), &m); err != nil {
		return nil, err
	}
	if major, _, _ := strings.Cut(m.FormatVersion, "."); m.Format != record.Format || major != "1" {
		return nil, fmt.Errorf("%s: format is %q version %q, want %q version 1", path("run.json"), m.Format, m.FormatVersion, record.Format)
	}
	c := NewCollector()
	if err := readColumns[containerRow](path("containers.parquet"), c.readContainers); err != nil {
		return nil, err
	}
	err := readColumns[taskRow](path("tasks.parquet"), c.readTasks)
	if errors.Is(err, fs.ErrNotExist) {
		c.tasksOff = true
		var s storedTasks
		if err = readJSON(path("tasks.json"), &s); err == nil {
			err = c.data.Tasks.restore(&s)
		}
	}
	if err != nil {
		return nil, err
	}
	var waits []Job
	if err := readTable(path("jobs.parquet"), func(r *jobRow) error {
		j := r.job()
		c.Job(&j.Job)
		waits = append(waits, j)
		return nil
	}); err != nil {
		return nil, err
	}
	if err := readColumns[sampleRow](path("series.parquet"), c.readSamples); err != nil {
		return nil, err
	}
	data, err := c.Finish(m)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	if c.tasksOff {
		for i := range data.Jobs {
			data.Jobs[i].TaskWaitMS, data.Jobs[i].TaskWaits = waits[i].TaskWaitMS, waits[i].TaskWaits
		}
	}
	return data, nil
}

func readJSON(path string, v any) error {
	b, err := input.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, v); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
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
