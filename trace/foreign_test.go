package trace

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// foreignTrace is what the traces in testdata hold, which other programs wrote.
func foreignTrace() *MemoryTrace {
	m := smallTrace()
	m.Nodes[1].Labels = []string{"a", "b"}
	m.Nodes[2].Extra = []NamedValue{{"gpu", 8}, {"fpga", 1}}
	m.Nodes[3].Present, m.Events[0].Node = false, 5
	m.Events[2].Node, m.Events[2].MemMiB = 5, 4096
	m.JobList[1].DependsOn = []int64{0}
	second := m.JobList[1].Stages[0]
	second.ID, second.Parents, second.After, second.Tasks = 1, []int32{0}, []int32{0}, Tasks{DurationMS: []int64{9}, InputBytes: []int64{0}}
	m.JobList[1].Stages = append(m.JobList[1].Stages, second)
	return m
}

// Traces whose tables were rewritten by pyarrow (nullable columns, lists of "item", pages of version 1, snappy) and by
// DuckDB are read like ours. testdata/README.md says how they were made.
func TestForeignWriters(t *testing.T) {
	for _, writer := range []string{"pyarrow", "duckdb"} {
		t.Run(writer, func(t *testing.T) {
			got, err := Load(filepath.Join("testdata", writer))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(foreignTrace(), got, sameTrace); d != "" {
				t.Errorf("read differs from what was written (-want +got):\n%s", d)
			}
		})
	}
}

// Lists as plain repeated fields, the oldest form, are read too.
func TestRepeatedField(t *testing.T) {
	type plainList struct {
		Job        int64   `parquet:"job_id"`
		Stage      int32   `parquet:"stage_id"`
		DurationMS int64   `parquet:"duration_ms"`
		InputBytes int64   `parquet:"input_bytes"`
		Pref       []int32 `parquet:"pref_nodes"`
	}
	want := bigTrace(3000)
	for _, j := range want.JobList {
		for i := range j.Stages {
			j.Stages[i].Tasks.RecordedWaitMS, j.Stages[i].Tasks.RecordedLocality = nil, nil
		}
	}
	dir := filepath.Join(t.TempDir(), "t")
	if err := want.Write(dir); err != nil {
		t.Fatal(err)
	}
	rewrite("tasks.parquet", func(rows []taskRow) (out []plainList) {
		for _, r := range rows {
			out = append(out, plainList{r.Job, r.Stage, r.DurationMS, r.InputBytes, r.Pref})
		}
		return out
	})(t, dir)
	got, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	sameJobs(t, want, got)
}
