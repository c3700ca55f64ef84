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
	if err := readTable(path("containers.parquet"), func(r *containerRow) error {
		x, err := r.container()
		if err == nil {
			c.Container(&x)
		}
		return err
	}); err != nil {
		return nil, err
	}
	err := readTable(path("tasks.parquet"), func(r *taskRow) error {
		x, err := r.task()
		if err == nil {
			c.Task(&x)
		}
		return err
	})
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
	if err := readTable(path("series.parquet"), func(r *sampleRow) error {
		s := r.sample()
		c.Sample(&s)
		return nil
	}); err != nil {
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

func (r *containerRow) container() (c record.Container, err error) {
	c = record.Container{
		Job: r.Job, AMAttempt: r.AMAttempt, Number: r.Number, AM: r.AM, Node: r.Node, Queue: r.Queue, MemMiB: r.MemMiB, VCores: r.VCores, Priority: r.Priority,
		Type: r.Type, Hinting: r.Hinting, Hinted: r.Hinted, Reserved: r.Reserved, Asked: unopt(r.Asked), Allocated: unopt(r.Allocated), Acquired: unopt(r.Acquired),
		Started: unopt(r.Started), Registered: unopt(r.Registered), Ended: unopt(r.Ended), Exited: unopt(r.Exited), End: r.End, Exit: r.Exit, Cores: r.Cores, Tasks: r.Tasks, BusyMS: r.BusyMS,
	}
	if c.Match, err = parse("match", r.Match, record.Unmatched+1, record.Match.String); err != nil {
		return c, err
	}
	c.Miss, err = parseMiss(r.Miss)
	return c, err
}

func (r *taskRow) task() (t record.Task, err error) {
	t = record.Task{
		Job: r.Job, AMAttempt: r.AMAttempt, Stage: r.Stage, StageAttempt: r.StageAttempt, Index: r.Index, Attempt: r.Attempt, Container: r.Container, Node: r.Node,
		Ready: r.Ready, Launch: r.Launch, Freed: unopt(r.Freed), Finish: unopt(r.Finish), Cores: r.Cores, Preferring: r.Preferring, Preferred: r.Preferred,
		Speculative: r.Speculative, End: r.End, DurationMS: r.DurationMS, PenaltyMS: r.PenaltyMS, OverheadMS: r.OverheadMS,
	}
	if t.Level, err = parse("locality", r.Level, record.AnyLevel+1, record.TaskLevel.String); err != nil {
		return t, err
	}
	t.Miss, err = parseMiss(r.Miss)
	return t, err
}
