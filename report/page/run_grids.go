package page

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"replay/engine/record"
	"replay/report/explain"
	"replay/report/metric"
	"replay/report/quantity"
	"replay/report/result"
)

// embeddedJobs is how many jobs a page has rows for: a thousand of them are about 60 KB.
const embeddedJobs = 5000

// partsOfCause is how many parts of a cause an opened job lists one by one: with two, a thousand jobs with texts that all differ are less than 2 MB.
const partsOfCause = 2

// staticRows is how many rows of a grid stand in a page that runs no scripts.
const staticRows = 20

// listed returns the jobs of the page: all, or those that waited longest, which then come first.
func listed(d *result.Data) []*result.Job {
	places := make([]int, d.Jobs.Len())
	for i := range places {
		places[i] = i
	}
	if len(places) > shownJobs {
		waits := make([]int64, 0, len(places))
		for j := range d.Jobs.All() {
			if result.Happened(j.FirstTask) {
				waits = append(waits, j.FirstTask-j.Submit)
			} else {
				waits = append(waits, max(0, d.Manifest.Totals.EndMS-j.Submit))
			}
		}
		slices.SortStableFunc(places, func(a, b int) int { return cmp.Compare(waits[b], waits[a]) })
		places = places[:min(len(places), embeddedJobs)]
	}
	list := make([]*result.Job, len(places))
	for i, place := range places {
		list[i] = d.Jobs.At(place)
	}
	return list
}

// jobs are the jobs as a grid. An opened row shows the parts of its wait, and everything else that is known of it.
func jobs(d *result.Data, of map[int64]*explain.Job) *Grid {
	list := listed(d)
	g := &Grid{ID: "jobs", Title: "Jobs", Things: "jobs", Static: staticRows, Where: "jobs.parquet of the result", Explain: "replay explain RESULT JOB"}
	if len(list) < d.Jobs.Len() {
		g.About = fmt.Sprintf("The %s of %s jobs that waited longest; all are in %s.", quantity.Thousands(int64(len(list))), quantity.Thousands(int64(d.Jobs.Len())), g.Where)
	}
	type column struct {
		Column
		of func(*result.Job) any
	}
	at := func(t int64) any {
		if !result.Happened(t) {
			return math.NaN()
		}
		return float64(t)
	}
	per := func(q *result.OfJobs) func(*result.Job) any {
		return func(j *result.Job) any {
			if x, ok := q.Of(j); ok {
				return x
			}
			return math.NaN()
		}
	}
	count := func(of func(*result.Job) int64) func(*result.Job) any {
		return func(j *result.Job) any { return float64(of(j)) }
	}
	text := func(name, about string, inside bool, of func(*result.Job) string) column {
		return column{Column{Name: name, About: about, Inside: inside}, func(j *result.Job) any { return of(j) }}
	}
	columns := []column{
		text("job", "number in the trace, and name, or that of the recording", false, jobName),
		text("queue", "the leaf queue it ran in", false, func(j *result.Job) string { return j.Queue }),
		text("outcome", "what became of it", false, func(j *result.Job) string { return j.Outcome }),
		{Column{Name: "submitted", About: "simulated time of submission", Unit: quantity.MS}, func(j *result.Job) any { return at(j.Submit) }},
		{Column{Name: "wait", About: result.FirstTaskWait.About, Unit: quantity.MS, Better: "lower"}, per(&result.FirstTaskWait)},
		text("waited mostly for", "the cause that makes up most of its wait; the row has all of them when it is opened", false, func(j *result.Job) string { return mainCause(of[j.ID]) }),
		{Column{Name: "duration", About: result.JobDuration.About, Unit: quantity.MS, Better: "lower"}, per(&result.JobDuration)},
		{Column{Name: "slowdown", About: result.Slowdown.About, Unit: quantity.Ratio, Better: "lower"}, per(&result.Slowdown)},
		{Column{Name: "tasks", About: "tasks in the trace", Unit: quantity.Count}, count(func(j *result.Job) int64 { return j.Tasks })},
		{Column{Name: "preferred host", About: "of its task attempts that preferred hosts, those on one", Unit: quantity.Share, Better: "higher"},
			func(j *result.Job) any { return quantity.Over(float64(j.TasksPreferred), float64(j.TasksPreferring)) }},
		text("user", "who submitted it", true, func(j *result.Job) string { return j.User }),
		text("kind", "kind of application", true, func(j *result.Job) string { return j.Kind }),
		text("id", "its name where it was recorded", true, func(j *result.Job) string { return j.ExternalID }),
		text("reason", "why it did not succeed", true, func(j *result.Job) string { return j.Reason }),
		{Column{Name: "first task", About: "simulated time of its first task", Unit: quantity.MS, Inside: true}, func(j *result.Job) any { return at(j.FirstTask) }},
		{Column{Name: "finished", About: "simulated time of its end", Unit: quantity.MS, Inside: true}, func(j *result.Job) any { return at(j.Finish) }},
		{Column{Name: "critical path", About: "what it needs at least, but for speculative copies", Unit: quantity.MS, Inside: true}, func(j *result.Job) any { return at(j.CriticalPathMS) }},
		{Column{Name: "recorded duration", About: "run time in the trace", Unit: quantity.MS, Inside: true}, func(j *result.Job) any { return at(j.RecordedMS) }},
		{Column{Name: "stages", About: "stages in the trace", Unit: quantity.Count, Inside: true}, count(func(j *result.Job) int64 { return j.Stages })},
		{Column{Name: "task attempts", About: "attempts launched", Unit: quantity.Count, Inside: true}, count(func(j *result.Job) int64 { return j.Attempts })},
		{Column{Name: "containers", About: "executor and task containers allocated", Unit: quantity.Count, Inside: true}, count(func(j *result.Job) int64 { return j.Containers })},
		{Column{Name: "containers on a host asked for", About: "of its containers that asked for hosts, those on one", Unit: quantity.Share, Better: "higher", Inside: true},
			func(j *result.Job) any {
				return quantity.Over(float64(j.ContainersPreferred), float64(j.ContainersPreferring))
			}},
		{Column{Name: "mean wait of a container", About: result.ContainerAllocation.About, Unit: quantity.MS, Better: "lower", Inside: true}, func(j *result.Job) any { return quantity.Over(float64(j.AskMS), float64(j.Asks)) }},
		{Column{Name: "mean wait of a task", About: result.TaskLaunch.About, Unit: quantity.MS, Better: "lower", Inside: true}, func(j *result.Job) any { return quantity.Over(float64(j.TaskWaitMS), float64(j.TaskWaits)) }},
		{Column{Name: "time of tasks wasted", About: "time of task attempts that are over and whose result did not count", Unit: quantity.MS, Better: "lower", Inside: true}, count(func(j *result.Job) int64 { return j.WastedTaskMS })},
		{Column{Name: "memory allocated", About: "GiB hours allocated, application master included", Unit: "GiB h", Inside: true}, func(j *result.Job) any { return float64(j.MemMiBMS) / 1024 / quantity.HourMS }},
		{Column{Name: "vcores allocated", About: "vcore hours allocated, application master included", Unit: "vcore h", Inside: true}, func(j *result.Job) any { return float64(j.VCoreMS) / quantity.HourMS }},
	}
	if slices.ContainsFunc(list, func(j *result.Job) bool { return j.DependsOn > 0 }) {
		columns = append(columns,
			column{Column{Name: "held back", About: result.HeldBack.About, Unit: quantity.MS, Better: "lower", Inside: true}, per(&result.HeldBack)},
			text("held back by", "the job whose end it waited for last", true, func(j *result.Job) string {
				if by := d.Jobs.Find(j.HeldBy); by != nil && j.HeldMS > 0 {
					return jobName(by)
				}
				return ""
			}))
	}
	for i := range result.WaitParts {
		part := &result.WaitParts[i]
		columns = append(columns, column{Column{Name: part.Short, About: part.About, Unit: quantity.MS, Inside: true, Part: "Wait for the first task"}, per(&part.OfJobs)})
	}
	g.Sort = slices.IndexFunc(columns, func(c column) bool { return c.Name == "wait" })
	place := func(name string) int { return slices.IndexFunc(columns, func(c column) bool { return c.Name == name }) }
	g.Life = []int{place("submitted"), place("first task"), place("finished")}
	for _, c := range columns {
		g.Columns = append(g.Columns, c.Column)
	}
	for _, j := range list {
		row := make([]any, len(columns))
		for i, c := range columns {
			row[i] = c.of(j)
		}
		g.Rows = append(g.Rows, row)
		if of != nil {
			var told []explain.Branch
			if e := of[j.ID]; e != nil {
				told = e.Branches(nil, partsOfCause)
			}
			g.Told = append(g.Told, told)
		}
	}
	return g.filled()
}

// mainCause is what a job waited for longest, empty where nothing is known.
func mainCause(j *explain.Job) string {
	if j == nil {
		return ""
	}
	var t explain.Totals
	t.Add(j)
	if waits := t.Waits(); len(waits) > 0 {
		return explain.Label(waits[0].Cause)
	}
	return ""
}

// queues are the leaf queues as a grid, from the values of the summary that are about each.
func queues(s *metric.Summary, of map[int64]*explain.Job) *Grid {
	g := &Grid{ID: "queues", Title: "Queues", Things: "queues", Static: staticRows, Where: "summary.json of the result", Finds: "jobs"}
	g.Columns = []Column{{Name: "queue", About: "leaf queue"}, {Name: "jobs", About: "jobs that ran in it", Unit: quantity.Count}, {Name: "succeeded", About: "those that succeeded", Unit: quantity.Count}}
	var values []string
	for _, c := range []struct {
		name, value string
		inside      bool
	}{
		{"mean wait", "wait_job_first_task_mean_ms", false},
		{"p95 wait", "wait_job_first_task_p95_ms", false},
		{"mean duration", "duration_job_mean_ms", false},
		{"mean slowdown", "slowdown_mean", false},
		{"memory used", "queue_memory_share", false},
		{"wanted more", "queue_pending_time_share", false},
		{"below its share", "fairness_below_time_share", false},
		{"vcores used", "queue_vcores_share", true},
		{"dominant share while contended", "queue_contended_dominant_share", true},
		{"received of entitled", "fairness_received_ratio", true},
		{"entitled memory not received", "fairness_shortfall_share", true},
		{"mean wait of a container", "wait_container_allocation_mean_ms", true},
		{"tasks on a preferred host", "locality_tasks_host_share", true},
		{"containers on a host asked for", "locality_containers_host_share", true},
	} {
		for _, q := range s.Queues.Names {
			if v, ok := s.Value(c.value + "[queue=" + q + "]"); ok {
				g.Columns = append(g.Columns, Column{Name: c.name, About: v.About, Unit: v.Unit, Better: v.Better.String(), Inside: c.inside})
				values = append(values, c.value)
				break
			}
		}
	}
	number := map[string][2]int{}
	var names []string
	for j := range s.Jobs.All() {
		n, known := number[j.Queue]
		if !known {
			names = append(names, j.Queue)
		}
		n[0]++
		if j.Outcome == record.JobSucceeded {
			n[1]++
		}
		number[j.Queue] = n
	}
	for _, q := range s.Queues.Names {
		if _, known := number[q]; !known {
			names = append(names, q)
		}
	}
	slices.Sort(names)
	var totals map[string]*explain.Totals
	if of != nil {
		totals = map[string]*explain.Totals{}
		for _, q := range names {
			totals[q] = &explain.Totals{}
		}
		for job := range s.Jobs.All() {
			if j := of[job.ID]; j != nil {
				totals[job.Queue].Add(j)
			}
		}
	}
	for _, q := range names {
		if totals != nil {
			g.Told = append(g.Told, []explain.Branch{totals[q].Branch()})
		}
		row := []any{q, float64(number[q][0]), float64(number[q][1])}
		for _, value := range values {
			x := math.NaN()
			if v, ok := s.Value(value + "[queue=" + q + "]"); ok {
				x = v.Number
			}
			row = append(row, x)
		}
		g.Rows = append(g.Rows, row)
	}
	g.Sort = min(3, len(g.Columns)-1)
	return g.filled()
}

// filled returns the grid without columns in which no row has anything.
func (g *Grid) filled() *Grid {
	empty := func(c int) bool {
		return !slices.ContainsFunc(g.Rows, func(row []any) bool {
			x, isNumber := row[c].(float64)
			return isNumber && !math.IsNaN(x) || !isNumber && row[c] != ""
		})
	}
	to := make([]int, len(g.Columns))
	out := *g
	out.Columns, out.Rows = nil, make([][]any, len(g.Rows))
	for c := range g.Columns {
		to[c] = len(out.Columns)
		if c > 0 && c != g.Sort && !slices.Contains(g.Life, c) && empty(c) {
			continue
		}
		out.Columns = append(out.Columns, g.Columns[c])
		for r, row := range g.Rows {
			out.Rows[r] = append(out.Rows[r], row[c])
		}
	}
	out.Sort = to[g.Sort]
	out.Life = nil
	for _, c := range g.Life {
		out.Life = append(out.Life, to[c])
	}
	return &out
}
