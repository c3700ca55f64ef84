package result

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"replay/engine/record"
	"replay/report/tables"
)

func TestColumnsAreDocumented(t *testing.T) {
	b, err := os.ReadFile("../../docs/results.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*parquet.Schema{
		parquet.SchemaOf(new(dependentRow)), parquet.SchemaOf(new(containerRow)), parquet.SchemaOf(new(taskRow)),
		parquet.SchemaOf(new(sampleRow)), parquet.SchemaOf(new(decisionRow)),
	} {
		for _, path := range s.Columns() {
			if name := path[0]; !bytes.Contains(b, []byte("`"+name+"`")) && !strings.HasPrefix(name, "wait_job_part_") {
				t.Errorf("docs/results.md does not name column %s", name)
			}
		}
	}
}

// Columns of jobs.parquet that hold a described quantity are called as it and hold it.
func TestColumnsOfQuantities(t *testing.T) {
	j := &Job{Job: record.Job{
		Outcome: record.JobSucceeded, Submit: 10, AMScheduled: 11, AMAllocated: 13, AMRegistered: 17, FirstAsked: 25, FirstAllocated: 41, FirstRegistered: 73,
		FirstTask: 137, Finish: 5010, CriticalPathMS: 1500, TaskLevels: [5]int64{3, 5, 7, 11, 13},
	}}
	row := newJobRow(j)
	schema := parquet.SchemaOf(new(jobRow))
	values := map[string]parquet.Value{}
	for _, v := range schema.Deconstruct(nil, &row) {
		values[schema.Columns()[v.Column()][0]] = v
	}
	quantities := []OfJobs{FirstTaskWait, Slowdown}
	for _, p := range WaitParts {
		quantities = append(quantities, p.OfJobs)
	}
	for _, q := range quantities {
		want, ok := q.Of(j)
		v, has := values[q.Column()]
		got := v.Double()
		if v.Kind() == parquet.Int64 {
			got = float64(v.Int64())
		}
		if !ok || !has || got != want {
			t.Errorf("column %s holds %v (there: %v), want %v", q.Column(), v, has, want)
		}
	}
	for level, l := range TaskLevels {
		column := "tasks_" + strings.ToLower(record.TaskLevel(level).String())
		if v, has := values[column]; !has || v.Int64() != j.TaskLevels[level] {
			t.Errorf("column %s holds %v (there: %v), want %d of %s", column, v, has, j.TaskLevels[level], l.Name)
		}
	}
}

// A table whose times run backwards is an error that names row and column.
func TestTimesRunBackwards(t *testing.T) {
	none := int64(record.None)
	container := record.Container{Job: 1, Number: 2, Asked: 5, Allocated: 10, Started: 12, Registered: 15, Ended: 20, End: record.EndCompleted}
	task := record.Task{Job: 1, Ready: 5, Launch: 10, Finish: 20, End: record.TaskSuccess}
	for _, tt := range []struct {
		name      string
		container func(*record.Container)
		task      func(*record.Task)
		want      string // "" = they are read
	}{
		{"container", func(*record.Container) {}, nil, ""},
		{"container of which little is known", func(c *record.Container) { c.Asked, c.Started, c.Registered, c.Ended = none, none, none, none }, nil, ""},
		{"start before allocation", func(c *record.Container) { c.Started = 9 }, nil, "row 0: started_ms is 9, want no time before allocated_ms, which is 10"},
		{"registration before allocation", func(c *record.Container) { c.Registered = math.MinInt64 }, nil, "registered_ms is -9223372036854775808, want"},
		{"end before allocation", func(c *record.Container) { c.Ended = 0 }, nil, "ended_ms is 0, want no time before allocated_ms"},
		{"allocation before the ask", func(c *record.Container) { c.Asked = 11 }, nil, "allocated_ms is 10, want no time before asked_ms, which is 11"},
		{"start without allocation", func(c *record.Container) { c.Allocated, c.Started = none, math.MaxInt64 }, nil, "want no time before allocated_ms, which is -1"},
		{"task", nil, func(*record.Task) {}, ""},
		{"task that runs", nil, func(r *record.Task) { r.Finish = none }, ""},
		{"launch before it is ready", nil, func(r *record.Task) { r.Launch = 4 }, "row 0: launch_ms is 4, want no time before ready_ms, which is 5"},
		{"finish before launch", nil, func(r *record.Task) { r.Finish = 9 }, "finish_ms is 9, want no time before launch_ms, which is 10"},
		{"no launch", nil, func(r *record.Task) { r.Launch, r.Finish = none, none }, "launch_ms is -1, want a time"},
	} {
		path := filepath.Join(t.TempDir(), "table.parquet")
		var err error
		if tt.container != nil {
			c := container
			tt.container(&c)
			if err = parquet.WriteFile(path, []containerRow{newContainerRow(&c)}); err == nil {
				err = tables.ReadColumns[containerRow](path, NewCollector().readContainers)
			}
		} else {
			r := task
			tt.task(&r)
			if err = parquet.WriteFile(path, []taskRow{newTaskRow(&r)}); err == nil {
				err = tables.ReadColumns[taskRow](path, NewCollector().readTasks)
			}
		}
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: error is %v, want %q", tt.name, err, tt.want)
		}
	}
}
