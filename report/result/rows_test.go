package result

import (
	"bytes"
	"math"
	"os"
	"strings"
	"testing"

	"replay/engine/record"

	"github.com/parquet-go/parquet-go"
)

func TestColumnsAreDocumented(t *testing.T) {
	b, err := os.ReadFile("../../docs/results.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*parquet.Schema{
		parquet.SchemaOf(new(jobRow)), parquet.SchemaOf(new(containerRow)), parquet.SchemaOf(new(taskRow)),
		parquet.SchemaOf(new(sampleRow)), parquet.SchemaOf(new(decisionRow)),
	} {
		for _, path := range s.Columns() {
			if name := path[0]; !bytes.Contains(b, []byte("`"+name+"`")) && !strings.HasPrefix(name, "wait_job_part_") {
				t.Errorf("docs/results.md does not name column %s", name)
			}
		}
	}
}

func TestJain(t *testing.T) {
	for _, tt := range []struct {
		xs   []float64
		want float64
	}{{[]float64{2, 2, 2}, 1}, {[]float64{5, 0, 0, 0}, .25}, {[]float64{1, 3}, .8}} {
		if got := jain(tt.xs); math.Abs(got-tt.want) > 1e-12 {
			t.Errorf("Jain's index of %v is %v, want %v", tt.xs, got, tt.want)
		}
	}
	if !math.IsNaN(jain([]float64{0, 0})) || !math.IsNaN(jain(nil)) {
		t.Error("an index of nothing")
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
