package wta

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"replay/trace"
	"replay/trace/importer/importtest"
	"replay/trace/importer/workload"
)

const fixture = "../testdata/wta/archive"

// task is a row as most traces of the archive have it.
type task struct {
	Workflow int64   `parquet:"workflow_id,optional"`
	ID       int64   `parquet:"id,optional"`
	Type     string  `parquet:"type,optional"`
	Submit   int64   `parquet:"ts_submit"`
	Runtime  int64   `parquet:"runtime"`
	Wait     int64   `parquet:"wait_time"`
	Parents  []int64 `parquet:"parents,list"`
	Children []int64 `parquet:"children,list"`
	User     int32   `parquet:"user_id"`
	Amount   float64 `parquet:"resource_amount_requested"`
	Memory   float64 `parquet:"memory_requested"`
	Used     int64   `parquet:"resource_used"`
}

// other is the same in other types and another order, without a type and with a column that nobody knows.
type other struct {
	Index    int64     `parquet:"__index_level_0__,optional"`
	Children []float64 `parquet:"children,list"`
	Amount   float32   `parquet:"resource_amount_requested"`
	Memory   *int64    `parquet:"memory_requested,optional"`
	Parents  []int64   `parquet:"parents,list"`
	Used     string    `parquet:"resource_used,optional"`
	Runtime  float64   `parquet:"runtime"`
	Submit   int32     `parquet:"ts_submit"`
	Workflow string    `parquet:"workflow_id"`
	ID       string    `parquet:"id"`
}

type resource struct {
	ID     int64   `parquet:"id"`
	Type   string  `parquet:"type"`
	Cores  float64 `parquet:"num_resources"`
	Memory int64   `parquet:"memory"`
}

type flow struct {
	ID     int64 `parquet:"id"`
	Submit int64 `parquet:"ts_submit"`
	Tasks  int32 `parquet:"task_count"`
}

// tasks are two workflows: maps and a reduce with all edges between them, and a diamond of tasks with a chain.
var tasks = []task{
	{1, 10, "map", 1000, 500, 20, nil, []int64{12}, 4, 1, 2048, 1}, {1, 11, "map", 1000, 700, -1, nil, nil, 4, 1, 2048, 2}, {1, 12, "reduce", 1800, 900, 0, []int64{10, 11}, nil, 4, 2, 4096, 1},
	{2, 20, "a", 5000, 100, 0, nil, nil, -1, 1.5, -1, 1}, {2, 21, "b", 5000, 200, 0, []int64{20}, nil, -1, 1, -1, 1}, {2, 22, "b", 5000, 300, 0, []int64{20}, nil, -1, 1, -1, 1},
	{2, 23, "c", 5000, 400, 0, []int64{21}, nil, -1, -1, -1, 1}, {2, 24, "c", 5000, 500, 0, []int64{22, 99}, nil, -1, 1, -1, 1},
	{2, 25, "d", 5000, -1, 0, nil, nil, -1, 1, -1, 1},
}

func files(t testing.TB) map[string][]byte {
	return map[string][]byte{
		"tasks/schema-1.0/part.0.parquet":     importtest.Parquet(t, tasks[:5]),
		"tasks/schema-1.0/part.1.parquet":     importtest.Parquet(t, tasks[5:]),
		"workflows/schema-1.0/part.0.parquet": importtest.Parquet(t, []flow{{1, 1000, 3}, {2, 5000, 6}}),
		"resources/schema-1.0/part.0.parquet": importtest.Parquet(t, []resource{{1, "machine", 16, 64}, {2, "machine", 8, -1}}),
	}
}

func TestGolden(t *testing.T) {
	for name, data := range files(t) {
		importtest.Fixture(t, filepath.Join(fixture, name), data)
	}
	res, m, err := importtest.Import(t, Format, fixture, nil)
	if err != nil {
		t.Fatal(err)
	}
	importtest.Golden(t, "archive", res, m)
}

// Columns are found by name, whatever their order and type; a source without nodes wants a number of them.
func TestColumnsOfOtherWriters(t *testing.T) {
	gb := int64(3)
	path := importtest.WriteNew(t, "tasks.parquet", string(importtest.Parquet(t, []other{
		{0, []float64{1}, 2, &gb, nil, "[]", 250, 0, "w", "0"}, {1, nil, 1, nil, []int64{0}, "[]", 750, 100, "w", "1"},
	})))
	res, m, err := importtest.Import(t, Format, path, func(o *workload.Options) {
		o.Nodes, o.Params = 2, map[string]string{"wta-mem-unit": "GB"}
	})
	if err != nil {
		t.Fatal(err)
	}
	j := m.JobList[0]
	if len(m.JobList) != 1 || len(j.Stages) != 2 || j.Stages[0].TaskVCores != 2 || j.Stages[0].TaskMemMiB != 3072 || j.Stages[1].TaskMemMiB != 1024 ||
		j.Stages[1].Parents[0] != 0 || j.Stages[1].Tasks.DurationMS[0] != 750 || m.OriginUnixMS != trace.Unset {
		t.Errorf("%s%+v", importtest.Text(m), res.Counts)
	}
	importtest.Refused(t, Format, []string{path, "../testdata/wta/archive"}, nil, "tables of tasks in several folders, want those of one workload")
}

func TestBadValues(t *testing.T) {
	strict := func(o *workload.Options) { o.Nodes, o.Strict = 2, true }
	row := task{Workflow: 1, ID: 1, Submit: 1, Runtime: 1}
	change := func(f func(*task)) []byte {
		x := row
		f(&x)
		return importtest.Parquet(t, []task{row, x})
	}
	for name, tt := range map[string]struct {
		data []byte
		want string
	}{
		"a negative time":   {change(func(x *task) { x.ID, x.Submit = 2, -5 }), "row 1: ts_submit is -5, want 0 to 253402300800000"},
		"a huge runtime":    {change(func(x *task) { x.ID, x.Runtime = 2, 1<<60 }), "row 1: runtime is 1152921504606846976, want 0 to"},
		"no runtime":        {change(func(x *task) { x.ID, x.Runtime = 2, -1 }), "row 1: runtime is unknown, want ms"},
		"a cycle":           {change(func(x *task) { x.ID, x.Parents = 2, []int64{2} }), "job 1: 2:task comes after itself"},
		"no table of tasks": {importtest.Parquet(t, []flow{{1, 1, 1}}), "no Parquet file with the columns workflow_id, ts_submit and runtime"},
		"no parents":        {importtest.Parquet(t, []struct{ Workflow, ID, Submit, Runtime int64 }{}), "no Parquet file with the columns"},
		"a text for a number": {importtest.Parquet(t, []struct {
			Workflow string  `parquet:"workflow_id"`
			ID       string  `parquet:"id"`
			Submit   string  `parquet:"ts_submit"`
			Runtime  int64   `parquet:"runtime"`
			Parents  []int64 `parquet:"parents,list"`
		}{{"w", "1", "soon", 5, nil}}), `row 0: ts_submit is "soon", want a whole number`},
		"a fraction of a time": {importtest.Parquet(t, []other{{Workflow: "w", ID: "1", Runtime: 1.5}}), "row 0: runtime is 1.5, want a whole number"},
	} {
		t.Run(name, func(t *testing.T) {
			importtest.Refused(t, Format, []string{importtest.WriteNew(t, "tasks.parquet", string(tt.data))}, strict, tt.want)
		})
	}
	// Without strict the rest is kept, and a workflow with a cycle is left out.
	dir := t.TempDir()
	for name, data := range map[string][]byte{"a.parquet": change(func(x *task) { x.ID, x.Runtime = 2, -1 }), "b.parquet": importtest.Parquet(t, []task{{Workflow: 9, ID: 1, Parents: []int64{2}}, {Workflow: 9, ID: 2, Parents: []int64{1}}})} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	res, m, err := importtest.Import(t, Format, dir, func(o *workload.Options) { o.Nodes = 2 })
	if err != nil || len(m.JobList) != 1 || res.Counts.Dropped["tasks_without_a_runtime"] != 1 || res.Counts.Dropped["workflows_with_a_cycle"] != 1 {
		t.Errorf("%v, %+v", err, res)
	}
}

func FuzzTasks(f *testing.F) {
	var seeds [][]byte
	all := files(f)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		seeds = append(seeds, all[name])
	}
	importtest.Fuzz(f, Format, append(seeds, []byte("PAR1"))...)
}

func TestDetect(t *testing.T) {
	if how := Format.Detect("x", []byte("PAR1\nid\nworkflow_id\nts_submit\nruntime\n")); !strings.Contains(how, "workflow_id") {
		t.Error(how)
	}
	if how := Format.Detect("x", []byte("PAR1\nid\nts_submit\nruntime\n")); how != "" {
		t.Error(how)
	}
}

// Times since 1970 in seconds, where the archive has ms, are told.
func TestTimesInSeconds(t *testing.T) {
	for at, said := range map[int64]bool{0: false, 1_700_000_000: true, 1_700_000_000_000: false} {
		path := importtest.WriteNew(t, "part.0.parquet", string(importtest.Parquet(t, []task{{1, 10, "map", at, 500, 20, nil, nil, 4, 1, 2048, 1}})))
		var warned []string
		if _, _, err := importtest.Import(t, Format, path, func(o *workload.Options) { o.Nodes, o.Warn = 4, func(m string) { warned = append(warned, m) } }); err != nil {
			t.Fatal(err)
		}
		if all := strings.Join(warned, "\n"); strings.Contains(all, "if the source counts seconds, where ms are wanted") != said {
			t.Errorf("from %d ms on: warned %q", at, all)
		}
	}
}
