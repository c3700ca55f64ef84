// Package wta imports workflows of the Workflow Trace Archive: Parquet tables of tasks and, where they are there, resources.
package wta

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"replay/spill"
	"replay/trace"
	"replay/trace/importer/columns"
	"replay/trace/importer/containers"
	"replay/trace/importer/workflow"
	"replay/trace/importer/workload"
)

// Format is the format of the archive.
var Format = workload.Format{
	Usage:         "a trace of the Workflow Trace Archive: Parquet tables of tasks, workflows and resources",
	NoPreferences: true,
	Params: []workload.Param{
		{Name: "wta-mem-unit", Default: "MB", Usage: "`UNIT` of memory_requested: B, KB, MB, GB"},
	},
	Detect: func(_ string, head []byte) string {
		names, ok := strings.CutPrefix(string(head), "PAR1\n")
		if !ok {
			return ""
		}
		for _, want := range []string{"workflow_id", "ts_submit", "runtime"} {
			if !slices.Contains(strings.Split(names, "\n"), want) {
				return ""
			}
		}
		return "columns workflow_id, ts_submit and runtime, as the archive's tasks have"
	},
	Read: read,
}

// reader reads the files of one trace.
type reader struct {
	b         *workload.Builder
	unit      float64 // of memory, MiB
	workflows *spill.Groups
	first     int64 // submission
	nodes     map[string]bool
	buf       []byte
}

func read(ctx context.Context, inputs []string, b *workload.Builder) (err error) {
	r := &reader{b: b, workflows: spill.NewGroups("workflow"), first: math.MaxInt64, nodes: map[string]bool{}}
	defer func() { err = errors.Join(err, r.workflows.Close()) }()
	if r.unit, err = workflow.Unit(b, "wta-mem-unit"); err != nil {
		return err
	}
	files, err := columns.Parts(b, inputs)
	if err != nil {
		return err
	}
	var tasks []string
	for i, path := range files {
		is, err := r.file(ctx, path)
		if err != nil {
			return err
		}
		if is == "tasks" {
			tasks = append(tasks, path)
		}
		if err := workload.OneFolder(tasks); err != nil {
			return err
		}
		b.Progress(i+1, len(files), "files")
	}
	if len(tasks) == 0 {
		return fmt.Errorf("%s: no Parquet file with the columns workflow_id, ts_submit and runtime, want the archive's table of tasks", strings.Join(inputs, ", "))
	}
	b.NoEpoch, b.MS = r.first < 100_000_000_000, true // in 1973: times from a start of their own
	return r.workflows.Each(ctx, func(id []byte, records [][]byte) error {
		return workflow.Add(b, string(id), records, func(a *workload.Application, tasks []workflow.Record) {
			if user := tasks[0].User; user != trace.Unset {
				a.User = "user" + strconv.FormatInt(user, 10)
			}
		})
	})
}

// file reads one file, by what its columns say that it is.
func (r *reader) file(ctx context.Context, path string) (is string, err error) {
	f, err := columns.Open(r.b, path)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	switch {
	case f.Has("workflow_id") && f.Has("runtime"):
		return "tasks", r.tasks(ctx, f)
	case f.Has("num_resources"):
		return "resources", r.resources(ctx, f)
	case f.Has("task_count") && f.Has("ts_submit"):
		r.b.Counts.Read["workflows"] += f.Rows()
	default:
		r.b.Counts.Read["rows_of_other_tables"] += f.Rows()
	}
	return "", nil
}

// taskColumns are those of the table of tasks.
type taskColumns struct {
	id, workflow, submit, runtime, kind, parents, amount, memory, user, wait *columns.Column
}

func (r *reader) tasks(ctx context.Context, f *columns.File) error {
	var c taskColumns
	if err := f.BindAll([]columns.Want{
		{To: &c.id, Required: true, Names: []string{"id"}}, {To: &c.workflow, Required: true, Names: []string{"workflow_id"}},
		{To: &c.submit, Required: true, Names: []string{"ts_submit"}}, {To: &c.runtime, Required: true, Names: []string{"runtime"}},
		{To: &c.parents, Required: true, Names: []string{"parents"}}, {To: &c.kind, Names: []string{"type"}},
		{To: &c.amount, Names: []string{"resource_amount_requested"}}, {To: &c.memory, Names: []string{"memory_requested"}},
		{To: &c.user, Names: []string{"user_id"}}, {To: &c.wait, Names: []string{"wait_time"}},
	}); err != nil {
		return err
	}
	return f.Each(ctx, r.b, func(i int) error { return r.task(f, &c, i) })
}

// task takes a row of the table of tasks.
func (r *reader) task(f *columns.File, c *taskColumns, i int) error {
	r.b.Counts.Read["tasks"]++
	row := columns.Row{At: i}
	rec := workflow.Record{
		Task: workflow.Task{
			ID: row.Text(c.id), Type: strings.TrimSpace(row.Text(c.kind)), SubmitMS: row.Int(c.submit, 0, workflow.MostTimeMS), Parents: row.Texts(c.parents),
			Task: containers.Task{DurationMS: row.Int(c.runtime, 0, workflow.MostMS), WaitMS: row.Int(c.wait, 0, workflow.MostMS)},
		},
		User: row.Int(c.user, 0, math.MaxInt64), VCores: row.Float(c.amount), MemMiB: row.Float(c.memory) * r.unit,
	}
	id := row.Text(c.workflow)
	switch {
	case row.Err != nil:
		return r.b.Drop("tasks_with_a_bad_value", "%v", row.Err)
	case id == "" || rec.ID == "":
		return r.b.Drop("tasks_without_an_id", "%s: row %d: id is %q and workflow_id %q, want both", f.Path, f.Row(i), rec.ID, id)
	case rec.SubmitMS == trace.Unset:
		return r.b.Drop("tasks_without_a_submission", "%s: row %d: ts_submit is unknown, want a time in ms", f.Path, f.Row(i))
	case rec.Task.Task.DurationMS == trace.Unset:
		return r.b.Drop("tasks_without_a_runtime", "%s: row %d: runtime is unknown, want ms", f.Path, f.Row(i))
	}
	r.first = min(r.first, rec.SubmitMS)
	r.buf = rec.Append(r.buf[:0])
	return r.workflows.Add([]byte(id), r.buf)
}

// resources makes nodes of the table of resources: its memory is in GB.
func (r *reader) resources(ctx context.Context, f *columns.File) error {
	var id, cores, memory *columns.Column
	if err := f.BindAll([]columns.Want{{To: &id, Required: true, Names: []string{"id"}}, {To: &cores, Required: true, Names: []string{"num_resources"}}, {To: &memory, Names: []string{"memory"}}}); err != nil {
		return err
	}
	return f.Each(ctx, r.b, func(i int) error {
		r.b.Counts.Read["resources"]++
		row := columns.Row{At: i}
		name, amount, gb := row.Text(id), row.Float(cores), row.Float(memory)
		switch {
		case row.Err != nil:
			return r.b.Drop("resources_with_a_bad_value", "%v", row.Err)
		case name == "" || r.nodes[name]:
			return r.b.Drop("resources_without_an_id", "%s: row %d: id is %q, want one that no other has", f.Path, f.Row(i), name)
		case !(amount >= 1 && amount <= workflow.MostVCores):
			return r.b.Drop("resources_without_a_size", "%s: row %d: num_resources is %v, want 1 to %d", f.Path, f.Row(i), amount, workflow.MostVCores)
		}
		r.nodes[name] = true
		node := trace.Node{Host: "resource" + name, VCores: int32(amount), Present: true}
		if gb > 0 {
			node.MemMiB = int64(min(gb, workflow.MostMiB>>10) * 1024)
		} else {
			r.b.Counts.Defaulted["node_memory"]++
		}
		r.b.AddNode(node)
		return nil
	})
}
