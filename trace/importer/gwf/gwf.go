// Package gwf imports workflows of the Grid Workloads Archive's workflow format: a table of jobs with the jobs that they depend on.
package gwf

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"replay/spill"
	"replay/trace"
	"replay/trace/importer/containers"
	"replay/trace/importer/delimited"
	"replay/trace/importer/workflow"
	"replay/trace/importer/workload"
)

// Format is GWF. A job of it is a task here, a workflow an application.
var Format = workload.Format{
	Usage:         "a table in the Grid Workflow Format: WorkflowID, JobID, SubmitTime, RunTime, NProcs, ReqNProcs, Dependencies",
	NoHosts:       true,
	NoPreferences: true,
	Detect: func(_ string, head []byte) string {
		names := header(delimited.First(head))
		if slices.Contains(names, "workflowid") && slices.Contains(names, "dependencies") && slices.Contains(names, "runtime") {
			return "a header with WorkflowID, RunTime and Dependencies"
		}
		return ""
	},
	Read: read,
}

func header(fields []string) (names []string) {
	for _, f := range fields {
		names = append(names, strings.ToLower(strings.TrimSpace(f)))
	}
	return names
}

// The columns in the order in which a row is packed.
var wanted = []string{"workflowid", "jobid", "submittime", "runtime", "nprocs", "reqnprocs", "dependencies"}

const (
	colWorkflow = iota
	colJob
	colSubmit
	colRuntime
	colProcs
	colWantedProcs
	colDependencies
)

func read(ctx context.Context, inputs []string, b *workload.Builder) (err error) {
	b.NoEpoch = true
	groups := spill.NewGroups("workflow")
	defer func() { err = errors.Join(err, groups.Close()) }()
	files, err := b.Parts(inputs, nil)
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return errors.New("no file among the inputs, want tables in the Grid Workflow Format")
	}
	for i, path := range files {
		if err := file(ctx, b, groups, path); err != nil {
			return err
		}
		b.Progress(i+1, len(files), "files")
	}
	return groups.Each(ctx, func(id []byte, records [][]byte) error {
		return workflow.Add(b, string(id), records, nil)
	})
}

// file reads the rows of one file.
func file(ctx context.Context, b *workload.Builder, groups *spill.Groups, path string) (err error) {
	in, err := b.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	text := bufio.NewReader(in)
	if head, _ := text.Peek(text.Size()); delimited.Text(head) != nil { // an error comes again
		return fmt.Errorf("%s: %w", in.Name, delimited.Text(head))
	}
	rows := delimited.NewReader(text, delimited.CSV)
	first, err := rows.Next()
	if err != nil {
		return fmt.Errorf("%s: %w, want a header with %s", in.Name, err, strings.Join(wanted, ", "))
	}
	var fields []string
	for _, f := range first {
		fields = append(fields, string(f))
	}
	names := header(fields)
	at := make([]int, len(wanted))
	for i, name := range wanted {
		if at[i] = slices.Index(names, name); at[i] < 0 && i != colProcs && i != colWantedProcs {
			return fmt.Errorf("%s: line 1: the header has no %s, want %s", in.Name, name, strings.Join(wanted, ", "))
		}
	}
	row := &delimited.Row{File: in.Name, Columns: wanted}
	var buf []byte
	for n := 0; ; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		got, err := rows.Next()
		var bad *delimited.RowError
		if err == nil {
			err = rows.Fits(got, len(names))
		}
		if err == nil && len(got) < len(names)-1 { // the last may be missing
			err = &delimited.RowError{Want: fmt.Sprintf("%d fields, as the header has, and it has %d", len(names), len(got))}
		}
		switch {
		case err == io.EOF:
			return nil
		case errors.As(err, &bad):
			if err := b.Drop("rows_that_are_not_readable", "%s: line %d: want %s", in.Name, rows.Line(), bad.Want); err != nil {
				return err
			}
			continue
		case err != nil:
			return b.Damaged(in.After(rows.Line(), err))
		}
		b.Counts.Read["jobs"]++
		*row = delimited.Row{File: in.Name, Line: rows.Line(), Columns: wanted, Fields: make([][]byte, len(wanted))}
		for i, k := range at {
			if k >= 0 && k < len(got) {
				row.Fields[i] = got[k]
			}
		}
		rec := record(row)
		if err := row.Err(); err != nil {
			if err := b.Drop("jobs_with_a_bad_value", "%v", err); err != nil {
				return err
			}
			continue
		}
		if rec.Task.Task.DurationMS < 0 {
			if err := b.Drop("jobs_without_a_runtime", "%s: line %d: RunTime is %s, want seconds", in.Name, rows.Line(), row.Text(colRuntime)); err != nil {
				return err
			}
			continue
		}
		buf = rec.Append(buf[:0])
		if err := groups.Add(row.Bytes(colWorkflow), buf); err != nil {
			return err
		}
	}
}

// record is the task of a row.
func record(row *delimited.Row) workflow.Record {
	row.Name(colWorkflow)
	r := workflow.Record{User: trace.Unset, MemMiB: -1}
	r.ID = row.Name(colJob)
	r.SubmitMS = int64(math.Round(row.Float(colSubmit, 0, workflow.MostTimeMS/1000) * 1000))
	r.Task.Task = containers.Task{DurationMS: int64(math.Round(row.Float(colRuntime, -1, workflow.MostMS/1000) * 1000)), WaitMS: trace.Unset}
	for _, c := range []int{colProcs, colWantedProcs} {
		if r.VCores <= 0 {
			r.VCores = float64(row.IntOr(c, -1, -1, workflow.MostVCores))
		}
	}
	for _, id := range strings.Fields(row.Text(colDependencies)) {
		if id != "-1" {
			r.Parents = append(r.Parents, id)
		}
	}
	return r
}
