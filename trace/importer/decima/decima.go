// Package decima imports tables of measured stages as Spark applications, a query each.
package decima

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"replay/duration"
	"replay/spill"
	"replay/trace"
	"replay/trace/decima"
	"replay/trace/importer/delimited"
	"replay/trace/importer/workload"
)

// Format is a table of stages as CSV, or a JSON list of the same rows.
var Format = workload.Format{
	Usage:         "measured stages of queries (size_gb, query, stage, parents, tasks, medians by wave) as CSV or JSON; durations are drawn",
	NoHosts:       true,
	NoPreferences: true,
	Params: []workload.Param{
		{Name: "gap", Default: "25s", Usage: "`TIME` from one query to the next, without --arrivals"},
		{Name: "executor-mem", Default: "15769", Usage: "container of an executor, `MIB`"},
		{Name: "executor-vcores", Default: "4", Usage: "`N` vcores of an executor"},
		{Name: "executors", Default: "50", Usage: "at most `N` executors of a query"},
	},
	Detect: func(_ string, head []byte) string {
		text := string(head)
		for _, name := range []string{"size_gb", "query", "stage", "rest_ms_median"} {
			if !strings.Contains(text, name) {
				return ""
			}
		}
		return "size_gb, query, stage and rest_ms_median, as tables of measured stages have"
	},
	Read: read,
}

// blockBytes is what a task of a stage without parents reads: a block of a table.
const blockBytes = 128 << 20

// reader makes the applications.
type reader struct {
	b                       *workload.Builder
	gapMS                   int64
	memMiB, vcores, most, n int64
	waiting                 waiting
}

func read(ctx context.Context, inputs []string, b *workload.Builder) (err error) {
	b.NoEpoch, b.Durations = true, trace.DurationModelled
	r := &reader{b: b, waiting: waiting{names: spill.NewSorter()}}
	defer func() { err = errors.Join(err, r.waiting.close()) }()
	gap, err := duration.Parse(b.Param("gap"))
	if err != nil || gap < 0 || gap > 1000*time.Hour {
		return b.ParamError("gap", "a time such as 25s, 10m or 1d, up to 1000h")
	}
	r.gapMS = gap.Milliseconds()
	for _, p := range []struct {
		to   *int64
		name string
	}{{&r.memMiB, "executor-mem"}, {&r.vcores, "executor-vcores"}, {&r.most, "executors"}} {
		if *p.to, err = b.ParamInt(p.name, 1); err != nil {
			return err
		}
		if *p.to > math.MaxInt32 {
			return b.ParamError(p.name, fmt.Sprintf("1 to %d", math.MaxInt32))
		}
	}
	files, err := b.Parts(inputs, nil)
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return errors.New("no file among the inputs, want tables of stages")
	}
	for i, path := range files {
		if err := r.file(ctx, path); err != nil {
			return err
		}
		b.Progress(i+1, len(files), "files")
	}
	for q, err := range r.waiting.all() {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = r.query(q)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) file(ctx context.Context, path string) (err error) {
	in, err := r.b.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	table := bufio.NewReader(in.Unnamed())
	if head, _ := table.Peek(table.Size()); !bytes.HasPrefix(bytes.TrimLeft(head, " \t\r\n\ufeff"), []byte("[")) { // an error comes again
		if err := delimited.Text(head); err != nil {
			return fmt.Errorf("%s: %w", in.Name, err)
		}
	}
	var stop error // an error that is no fault of the text
	err = decima.Each(in.Name, table, func(q *decima.Query, bad *decima.Bad) error {
		if stop = ctx.Err(); stop == nil {
			if r.b.Counts.Read["queries"]++; bad != nil {
				stop = r.b.Drop("queries_with_a_bad_value", "%v", bad)
			} else {
				stop = r.waiting.add(q)
			}
		}
		return stop
	})
	if err != nil && stop == nil {
		return r.b.Damaged(err)
	}
	return err
}

// nameOf is what a query on data of a size is called.
func nameOf(q *decima.Query) string { return fmt.Sprintf("q%d-%gg", q.Query, q.SizeGB) }

// query makes the application of a query.
func (r *reader) query(q *numbered) error {
	id := nameOf(&q.Query)
	r.b.Begin()
	a := &workload.Application{Job: *trace.NewJob(trace.KindSpark)}
	j := &a.Job
	j.Name, j.SubmitMS = id, r.n*r.gapMS
	if q.n > 1 {
		id = fmt.Sprintf("%s#%d", id, q.n)
	}
	j.ExternalID = id
	j.AMMemMiB, j.AMVCores = 2048, 1
	j.ExecMemMiB, j.ExecVCores, j.TaskCPUs = r.memMiB, int32(r.vcores), 1
	j.MinExecs, j.MaxExecs, j.InitialExecs = 0, int32(r.most), 0
	j.Conf = []trace.KeyValue{{Key: "spark.dynamicAllocation.enabled", Value: "true"}, {Key: "spark.shuffle.service.enabled", Value: "true"}}
	feeds := q.Feeds()
	draw := trace.Stream(r.b.Options.Seed, "decima/"+id)
	for i := range q.Stages {
		m := &q.Stages[i]
		kind := trace.StageShuffle
		if !feeds[i] {
			kind = trace.StageResult
		}
		if len(m.Parents) == 0 {
			kind = trace.StageInput
		}
		s := trace.NewStage(int32(i), kind, m.Parents...)
		s.TaskMemMiB, s.TaskVCores, s.Tasks = max(r.memMiB/r.vcores, 1), 1, trace.NewTasks(m.Tasks)
		if len(m.Parents) == 0 {
			for k := range s.Tasks.InputBytes {
				s.Tasks.InputBytes[k] = blockBytes
			}
			a.ReadFile(&s, fmt.Sprintf("tpch-%gg-%d", q.SizeGB, m.Tasks), true)
			r.b.Counts.Modelled["input_bytes_of_tasks"] += int64(m.Tasks)
		}
		m.Draw(&s, draw)
		r.b.Counts.Read["stages"]++
		r.b.Counts.Modelled["durations_of_tasks"] += int64(m.Tasks)
		j.Stages = append(j.Stages, s)
	}
	r.n++
	r.b.Counts.Modelled["submit_times"]++
	r.b.Counts.Defaulted["application_master_sizes"]++
	r.b.Counts.Defaulted["executor_sizes"]++
	_, err := r.b.Add(a)
	return err
}
