// Package google imports the traces of Google's clusters, ClusterData 2011 (version 2) and 2019 (version 3).
package google

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"math"
	"strconv"
	"strings"

	"replay/trace/importer/delimited"
	"replay/trace/importer/rows"
	"replay/trace/importer/workload"
)

// V2011 is the format of ClusterData2011_2.
var V2011 = workload.Format{
	Usage:         "Google ClusterData 2011: machine_events, job_events, task_events",
	NoPreferences: true,
	Params:        params,
	Detect:        detect2011,
	Read:          read2011,
}

var (
	machineEvents = rows.Table{Name: "machine_events", Columns: []string{"time", "machine ID", "event type", "platform ID", "CPUs", "Memory"}, Least: 3}
	jobEvents     = rows.Table{Name: "job_events", Columns: []string{"time", "missing info", "job ID", "event type", "user", "scheduling class", "job name", "logical job name"}, Least: 4}
	taskEvents    = rows.Table{
		Name: "task_events", Least: 6, Columns: []string{
			"time", "missing info", "job ID", "task index", "machine ID", "event type", "user", "scheduling class", "priority", "CPU request", "memory request", "disk space request", "different machines restriction",
		},
	}
)

// unused are the tables of which an import needs nothing.
var unused = []string{"task_usage", "task_constraints", "machine_attributes", "instance_usage"}

// events of tasks and jobs, by the numbers of 2011
var kinds2011 = []kind{submit, schedule, evict, fail, finish, kill, lost, updatePending, updateRunning}

// traceStartUS is when the trace of 2011 begins on its clock. What happened before it stands at 0.
const traceStartUS = 600_000_000

func read2011(ctx context.Context, inputs []string, b *workload.Builder) (err error) {
	files, err := rows.Find(b, inputs, []*rows.Table{&machineEvents, &jobEvents, &taskEvents}, unused)
	if err != nil {
		return err
	}
	t, err := newReader(b, 128<<10, 32)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.jobs.Close()) }()
	t.startUS = traceStartUS
	if len(files[taskEvents.Name]) == 0 {
		return errors.New("no file of task_events among the inputs, want them: they have the tasks")
	}
	if err := machineEvents.Read(ctx, b, files[machineEvents.Name], func(r *delimited.Row) error {
		at, whole := t.time(r, 0)
		e := machineEvent{at: at, file: r.File, line: r.Line, id: r.Name(1), cpu: r.FloatOr(4, -1, 0, 1000), mem: r.FloatOr(5, -1, 0, 1000)}
		e.id = r.Number(1)
		switch r.Int(2, 0, 2) {
		case 0:
			e.kind = machineAdd
		case 1:
			e.kind = machineRemove
		default:
			e.kind = machineUpdate
		}
		if r.Err() == nil && whole {
			t.events = append(t.events, e)
		}
		return r.Err()
	}); err != nil {
		return err
	}
	if err := jobEvents.Read(ctx, b, files[jobEvents.Name], func(r *delimited.Row) error {
		at, whole := t.time(r, 0)
		e := jobEvent{at: at, kind: kinds2011[r.Int(3, 0, 8)], user: r.Text(4), name: r.Text(6)}
		t.missing(r, 1, "job_events")
		if job := r.Name(2); r.Err() == nil && whole {
			return t.addJob(job, &e)
		}
		return r.Err()
	}); err != nil {
		return err
	}
	if err := taskEvents.Read(ctx, b, files[taskEvents.Name], func(r *delimited.Row) error {
		at, whole := t.time(r, 0)
		e := taskEvent{
			at: at, index: r.Int(3, 0, math.MaxInt64), machine: r.Number(4), kind: kinds2011[r.Int(5, 0, 8)], user: r.Text(6), priority: r.IntOr(8, 0, 0, 1000),
			cpu: r.FloatOr(9, -1, 0, 1000), mem: r.FloatOr(10, -1, 0, 1000),
		}
		t.missing(r, 1, "task_events")
		if job := r.Name(2); r.Err() == nil && whole {
			return t.addTask(job, &e)
		}
		return r.Err()
	}); err != nil {
		return err
	}
	return t.finish(ctx)
}

// time reads a time in µs. One after the end of the trace is told by whole being false, and such a row is dropped.
func (t *reader) time(r *delimited.Row, i int) (us int64, whole bool) {
	if v, err := strconv.ParseUint(string(r.Bytes(i)), 10, 64); err == nil && v >= math.MaxInt64 {
		t.b.Counts.Dropped["events_after_the_trace"]++
		return 0, false
	}
	us = r.Int(i, 0, latestUS)
	t.early = t.early || us > 0 && us < t.startUS
	return us, true
}

// missing counts the rows that were made up where a record was missing.
func (t *reader) missing(r *delimited.Row, i int, table string) {
	if !r.Empty(i) {
		t.b.Counts.Read["rows_of_"+table+"_in_place_of_missing_ones"]++
	}
}

// detect2011 knows the tables by their names and numbers of fields, of the row after a header that begins with #.
func detect2011(name string, head []byte) string {
	if how := cmp.Or(machineEvents.Named(head), jobEvents.Named(head), taskEvents.Named(head)); how != "" {
		return how
	}
	if bytes.HasPrefix(head, []byte("#")) {
		_, head, _ = bytes.Cut(head, []byte("\n"))
	}
	first := delimited.First(head)
	if len(first) == 0 {
		return ""
	}
	if _, err := strconv.ParseUint(first[0], 10, 64); err != nil {
		return ""
	}
	if strings.HasPrefix(name, "part-") && len(first) == len(taskEvents.Columns) {
		return "a part with 13 fields and no header, as those of task_events"
	}
	return cmp.Or(machineEvents.Seen(name, head), jobEvents.Seen(name, head), taskEvents.Seen(name, head))
}
