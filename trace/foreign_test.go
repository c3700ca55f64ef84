package trace

import (
	"os"
	"path/filepath"
	"strings"
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

// Tables whose columns other programs wrote with other types: times are read in their own unit, packings and encodings that
// decode in bounded memory are read, and everything else is refused by column and type. testdata/units.py wrote them.
func TestForeignUnits(t *testing.T) {
	want := foreignTrace()
	for name, refused := range map[string]string{
		"pyarrow-duration-timestamp-ms":     "",
		"pyarrow-duration-timestamp-us":     "",
		"pyarrow-duration-timestamp-ns":     "",
		"pyarrow-wait-timestamp-us":         "",
		"pyarrow-delta":                     "",
		"pyarrow-lz4":                       "",
		"pyarrow-gzip":                      "",
		"duckdb-duration-timestamp-ms":      "",
		"duckdb-duration-timestamp-us":      "",
		"duckdb-duration-timestamp-ns":      "",
		"pyarrow-duration-timestamp-us-odd": "row group 0, row 2: duration_ms is 1 in units of 1/1000 ms, want whole milliseconds",
		"pyarrow-duration-struct":           "duration_ms is a struct, want INT64",
		"pyarrow-duration-decimal":          "duration_ms is decimal, want INT64",
		"pyarrow-duration-uint64":           "",
		"pyarrow-duration-time64":           "duration_ms is a time of day, want INT64",
		"pyarrow-duration-double":           "duration_ms is DOUBLE, want INT64",
		"pyarrow-input-timestamp-ms":        "input_bytes is timestamp[ms], want INT64",
		"pyarrow-pref-map":                  "pref_nodes is a map, want a list of INT32",
		"pyarrow-pref-nested":               "pref_nodes is a list of groups or lists, want a list of INT32",
		"pyarrow-brotli":                    "is compressed with BROTLI, want one of GZIP, LZ4_RAW, SNAPPY, UNCOMPRESSED, ZSTD",
		"duckdb-duration-interval":          "duration_ms is interval, want INT64",
		"duckdb-duration-struct":            "duration_ms is a struct, want INT64",
		"duckdb-duration-uint64":            "",
		"duckdb-duration-hugeint":           "duration_ms is DOUBLE, want INT64",
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "pyarrow"))); err != nil {
				t.Fatal(err)
			}
			tasks, err := os.ReadFile(filepath.Join("testdata", "units", name+".parquet"))
			if err == nil {
				err = os.WriteFile(filepath.Join(dir, "tasks.parquet"), tasks, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			got, err := Load(dir)
			if refused != "" {
				if err == nil || !strings.Contains(err.Error(), refused) {
					t.Errorf("%v, want %q in it", err, refused)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want, got, sameTrace); d != "" {
				t.Errorf("read differs from what was written (-want +got):\n%s", d)
			}
		})
	}
}
