package opendc

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"replay/counted"
	"replay/trace"
	"replay/trace/importer/columns"
	"replay/trace/importer/containers"
	"replay/trace/importer/workflow"
)

// graph brings the tasks together that have edges, directly or through others.
type graph struct {
	number map[string]int32 // of tasks that have an edge
	up     []int32          // towards the first task of a component
	names  []string
}

func newGraph() graph { return graph{number: map[string]int32{}} }

func (g *graph) of(id string) int32 {
	n, ok := g.number[id]
	if !ok {
		n = int32(len(g.up))
		id = strings.Clone(id)
		g.number[id] = n
		g.up, g.names = append(g.up, n), append(g.names, id)
	}
	return n
}

func (g *graph) root(n int32) int32 {
	for g.up[n] != n {
		g.up[n] = g.up[g.up[n]]
		n = g.up[n]
	}
	return n
}

func (g *graph) join(a, b string) {
	x, y := g.root(g.of(a)), g.root(g.of(b))
	g.up[max(x, y)] = min(x, y)
}

// component is the name of the workflow of a task: its own, or that of the first of those it has edges with.
func (g *graph) component(id string) string {
	if n, ok := g.number[id]; ok {
		return g.names[g.root(n)]
	}
	return id
}

// ids reads which tasks belong together, and of which there may be fragments.
func (r *reader) ids(ctx context.Context, path string) (err error) {
	f, err := columns.Peek(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if !f.Has("parents", "children") && r.ran == nil {
		return nil
	}
	var id, parents, children *columns.Column
	if err := f.BindAll([]columns.Want{{To: &id, Required: true, Names: idNames}, {To: &parents, Names: []string{"parents"}}, {To: &children, Names: []string{"children"}}}); err != nil {
		return err
	}
	if r.ran != nil {
		r.ran.file()
	}
	for {
		n, err := f.Next()
		switch {
		case err != nil && !r.b.Options.Lenient:
			return r.b.Damaged(err)
		case err != nil || n == 0:
			return nil // what is left out, as a value that is none, is told when the tasks are read
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		for i := range n {
			row := columns.Row{At: i}
			task := row.Text(id)
			for _, other := range append(row.Texts(parents), row.Texts(children)...) {
				r.graph.join(task, other)
			}
			if r.ran == nil {
				continue
			}
			if err := r.ran.row(task); err != nil {
				return err
			}
		}
	}
}

// taskColumns are those of the table of tasks.
type taskColumns struct {
	id, name, submit, start, stop, duration, count, capacity, memory, gpu, parents, children *columns.Column
}

// tasks reads the tasks of a file.
func (r *reader) tasks(ctx context.Context, path string) (err error) {
	f, err := columns.Open(r.b, path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	var c taskColumns
	if err := f.BindAll([]columns.Want{
		{To: &c.id, Required: true, Names: idNames}, {To: &c.submit, Required: !f.Has(startNames...), Names: submitNames}, {To: &c.start, Names: startNames}, {To: &c.stop, Names: stopNames},
		{To: &c.duration, Names: durationNames}, {To: &c.count, Required: true, Names: countNames}, {To: &c.capacity, Names: capacityNames},
		{To: &c.memory, Required: true, Names: memNames}, {To: &c.gpu, Names: gpuNames}, {To: &c.parents, Names: []string{"parents"}}, {To: &c.children, Names: []string{"children"}},
		{To: &c.name, Names: []string{"name"}},
	}); err != nil {
		return err
	}
	if r.ran != nil {
		r.ran.file()
	}
	return f.Each(ctx, r.b, func(i int) error { return r.task(f, &c, i) })
}

func (r *reader) task(f *columns.File, c *taskColumns, i int) error {
	r.b.Counts.Read["tasks"]++
	row := columns.Row{At: i}
	rec := workflow.Record{
		Task: workflow.Task{
			ID: row.Text(c.id), Type: row.Text(c.name), SubmitMS: row.Int(c.submit, 0, workflow.MostTimeMS), Parents: row.Texts(c.parents), Children: row.Texts(c.children),
			Task: containers.Task{DurationMS: row.Int(c.duration, 0, workflow.MostMS), WaitMS: trace.Unset},
		},
		User: trace.Unset, VCores: row.Float(c.count), MemMiB: row.Float(c.memory) * r.unit,
	}
	start, stop := row.Int(c.start, 0, workflow.MostTimeMS), row.Int(c.stop, 0, workflow.MostTimeMS)
	if gpus := row.Float(c.gpu); gpus > 0 {
		r.b.Counts.Dropped["gpus_of_tasks"]++
	}
	ms := &rec.Task.Task.DurationMS
	ran := int64(0)
	if r.ran != nil {
		var err error
		if ran, err = r.ran.ofNext(); err != nil {
			return err
		}
	}
	if rec.SubmitMS == trace.Unset {
		rec.SubmitMS = start
	}
	if *ms == trace.Unset && stop != trace.Unset {
		*ms = stop - rec.SubmitMS
	}
	if *ms == trace.Unset && ran > 0 {
		*ms = ran
	}
	switch {
	case row.Err != nil:
		return r.b.Drop("tasks_with_a_bad_value", "%v", row.Err)
	case rec.ID == "":
		return r.b.Drop("tasks_without_an_id", "%s: row %d: id is empty, want one", f.Path, f.Row(i))
	case rec.SubmitMS == trace.Unset:
		return r.b.Drop("tasks_without_a_submission", "%s: row %d: %s is empty, want a time in ms", f.Path, f.Row(i), submitNames[0])
	case *ms < 0:
		return r.b.Drop("tasks_without_a_duration", "%s: row %d: task %s has no duration, stop time or fragments, want one of them", f.Path, f.Row(i), rec.ID)
	}
	if ran > 0 && !about(ran, *ms) {
		if r.b.Counts.Read["tasks_whose_fragments_took_another_time"]++; r.unlike == "" {
			r.unlike = fmt.Sprintf("%s: row %d: task %s has a duration of %d ms and fragments of %d ms", f.Path, f.Row(i), rec.ID, *ms, ran)
		}
	}
	if mhz := row.Float(c.capacity); mhz > 0 && ran > 0 {
		r.ask += float64(mhz * float64(*ms))
	}
	r.mostMiB = max(r.mostMiB, rec.MemMiB)
	r.first, r.last = min(r.first, rec.SubmitMS), max(r.last, rec.SubmitMS+*ms)
	r.buf = rec.Append(r.buf[:0])
	return r.jobs.Add([]byte(r.graph.component(rec.ID)), r.buf)
}

// about tells whether a task ran as long as its duration says: times are rounded, and the last fragment of a long one is often cut.
func about(ran, ms int64) bool { return max(ran, ms)-min(ran, ms) <= max(1000, ms/100) }

// fragments reads what tasks used.
func (r *reader) fragments(ctx context.Context, path string) (err error) {
	f, err := columns.Open(r.b, path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	var id, duration, usage *columns.Column
	if err := f.BindAll([]columns.Want{{To: &id, Required: true, Names: idNames}, {To: &duration, Names: durationNames}, {To: &usage, Required: true, Names: usageNames}}); err != nil {
		return err
	}
	last, ran := "", int64(0)
	err = f.Each(ctx, r.b, func(i int) error {
		r.b.Counts.Read["fragments"]++
		row := columns.Row{At: i}
		task, ms, mhz := row.Text(id), row.Int(duration, 0, workflow.MostMS), row.Float(usage)
		if row.Err != nil {
			return r.b.Drop("fragments_with_a_bad_value", "%v", row.Err)
		}
		if task != last { // fragments of a task stand together
			if err := r.ran.fragments(last, ran); err != nil {
				return err
			}
			last, ran = strings.Clone(task), 0
		}
		if ms > 0 && ran < workflow.MostMS {
			ran += ms
			if task != "" {
				r.took += float64(max(mhz, 0) * float64(ms))
			}
		}
		return nil
	})
	return errors.Join(err, r.ran.fragments(last, ran))
}

// sayUse tells how much of the CPUs the tasks used, and of tasks that do not agree with their fragments.
func (r *reader) sayUse() {
	if n := r.b.Counts.Read["tasks_whose_fragments_took_another_time"]; n > 0 {
		r.b.Warn("%s whose fragments took another time than the duration says, by more than 1 s and 1 %%: here the duration is taken; the first: %s", counted.Of(n, "tasks"), r.unlike)
	}
	if r.ask > 0 {
		share := strconv.FormatFloat(100*r.took/r.ask, 'f', 0, 64)
		if 100*r.took < 10*r.ask {
			share = strconv.FormatFloat(100*r.took/r.ask, 'g', 2, 64) // machines that do next to nothing do something
		}
		r.b.Note("%s of %s: they used %s %% of the CPUs that they asked for; a task takes them all for its duration here", counted.Of(r.b.Counts.Read["fragments"], "fragments"), counted.Of(int64(r.ran.tasks), "tasks"), share)
	}
}
