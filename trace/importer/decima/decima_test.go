package decima

import (
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"replay/spill"
	"replay/trace/decima"
	"replay/trace/importer/importtest"
	"replay/trace/importer/workload"
)

const fixtures = "../testdata/decima/"

func TestGolden(t *testing.T) {
	for _, name := range []string{"stages.csv", "stages.json"} {
		res, m, err := importtest.Import(t, Format, fixtures+name, func(o *workload.Options) { o.Nodes = 2 })
		if err != nil {
			t.Fatal(err)
		}
		importtest.Golden(t, name, res, m)
	}
}

func TestBadRows(t *testing.T) {
	const head = "size_gb,query,stage,parents,tasks,first_ms_median,rest_ms_median\n2,1,0,,1,5,5\n"
	importtest.CheckBad(t, Format, []struct {
		Text, Want string
		Jobs       int64
	}{
		{"", "want a header", 0},
		{"size_gb,query\n", "the header has no stage", 0},
		{strings.ReplaceAll(head, "\n", "\r"), "in: ends its lines with a carriage return, want a line feed at the end of each", 0},
		{head + "2,2,1,,1,5,5\n", "line 3: stage is 1, want 0, as the stages of query 2", 1},
		{head + "2,2,0,,0,5,5\n", "line 3: tasks is 0, want 1 or more", 1},
		{head + "2,2,0,,99999999999,5,5\n", "line 3: tasks is 99999999999, want 1 or more, and at most 10000000", 1},
		{head + "2,2,0,0,1,5,5\n", "line 3: parents has 0, want stages before 0", 1},
		{head + "2,2,0,a,1,5,5\n", `line 3: parents is "a", want stages with |`, 1},
		{head + "2,2,0,,1,-5,5\n", "line 3: first_ms_median is -5", 1},
		{head + "2,2,0,,1,NaN,5\n", `line 3: first_ms_median is "NaN", want a number`, 1},
		{head + "2,2,0,,1,,\n", "line 3: fresh_ms_median, first_ms_median and rest_ms_median are empty", 1},
		{`[{"size_gb":2,"query":1,"stage":0,"tasks":1,"rest_ms_median":5},{"size_gb":3,"query":1,"stage":"x"}]`, "row 1: stage is a text, want a whole number", 1},
		{`[{"size_gb":2`, "unexpected EOF", 0},
	})
	for _, set := range []string{"gap=soon", "executors=0", "executor-vcores=-1", "executor-mem=9999999999999"} {
		name, value, _ := strings.Cut(set, "=")
		importtest.Refused(t, Format, []string{fixtures + "stages.csv"}, func(o *workload.Options) { o.Nodes, o.Params = 2, map[string]string{name: value} }, "--"+name+` is "`+value+`", want`)
	}
}

// Queries of one name are numbered in the order in which they come, in several files too; others keep their places between them.
func TestQueriesOfOneName(t *testing.T) {
	table := func(queries ...int) string {
		text := "size_gb,query,stage,parents,tasks,first_ms_median,rest_ms_median\n"
		for _, q := range queries {
			text += fmt.Sprintf("2,%d,0,,3,5,5\n2,%d,1,0,2,5,5\n", q, q)
		}
		return text
	}
	dir := t.TempDir()
	importtest.Write(t, filepath.Join(dir, "a.csv"), table(1, 2, 1, 3))
	importtest.Write(t, filepath.Join(dir, "b.csv"), table(2, 1))
	_, m, err := importtest.Import(t, Format, dir, func(o *workload.Options) { o.Nodes = 2 })
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, j := range m.JobList {
		got = append(got, fmt.Sprintf("%s %s %d", j.Name, j.ExternalID, j.SubmitMS/1000))
	}
	want := []string{"q1-2g q1-2g 0", "q2-2g q2-2g 25", "q1-2g q1-2g#2 50", "q3-2g q3-2g 75", "q2-2g q2-2g#2 100", "q1-2g q1-2g#3 125"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// What waits, and the names, take no more memory for ten times as many queries.
func TestQueriesWaitInFiles(t *testing.T) {
	w := waiting{names: spill.NewSorter()}
	defer w.close()
	held := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	const queries, most = 300_000, 4 << 20 // a list of the names takes 20 MB
	before := int64(0)
	for i := range queries {
		if i == queries/10 {
			before = held()
		}
		if err := w.add(&decima.Query{SizeGB: float64(i), Query: 1, Stages: make([]decima.Stage, 1)}); err != nil {
			t.Fatal(err)
		}
	}
	if more := held() - before; more > most {
		t.Errorf("%d bytes more, want at most %d", more, most)
	}
	i := 0
	for q, err := range w.all() {
		if err != nil || q.SizeGB != float64(i) || q.n != 1 {
			t.Fatalf("query %d: %+v, %v", i, q, err)
		}
		i++
	}
	if i != queries {
		t.Errorf("%d queries, want %d", i, queries)
	}
}

func FuzzTable(f *testing.F) {
	importtest.FuzzStdin(f, Format, importtest.Read(f, fixtures+"stages.csv"), importtest.Read(f, fixtures+"stages.json"))
}
