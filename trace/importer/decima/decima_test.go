package decima

import (
	"strings"
	"testing"

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
		{head + "2,2,1,,1,5,5\n", "line 3: stage is 1, want 0, as the stages of query 2", 1},
		{head + "2,2,0,,0,5,5\n", "line 3: tasks is 0, want 1 or more", 1},
		{head + "2,2,0,,99999999999,5,5\n", "line 3: tasks is 99999999999, want 1 or more, and at most 10000000", 1},
		{head + "2,2,0,0,1,5,5\n", "line 3: parents has 0, want stages before 0", 1},
		{head + "2,2,0,a,1,5,5\n", `line 3: parents is "a", want stages with |`, 1},
		{head + "2,2,0,,1,-5,5\n", "line 3: first_ms_median is -5", 1},
		{head + "2,2,0,,1,NaN,5\n", `line 3: first_ms_median is "NaN", want a number`, 1},
		{head + "2,2,0,,1,,\n", "line 3: fresh_ms_median, first_ms_median and rest_ms_median are empty", 1},
		{`[{"size_gb":2,"query":1,"stage":0,"tasks":1,"rest_ms_median":5},{"size_gb":3,"query":1,"stage":"x"}]`, "row 1: json: cannot unmarshal string", 1},
		{`[{"size_gb":2`, "unexpected EOF", 0},
	})
	for _, set := range []string{"gap=soon", "executors=0", "executor-vcores=-1", "executor-mem=9999999999999"} {
		name, value, _ := strings.Cut(set, "=")
		importtest.Refused(t, Format, []string{fixtures + "stages.csv"}, func(o *workload.Options) { o.Nodes, o.Params = 2, map[string]string{name: value} }, "--"+name+` is "`+value+`", want`)
	}
}

func FuzzTable(f *testing.F) {
	importtest.FuzzStdin(f, Format, importtest.Read(f, fixtures+"stages.csv"), importtest.Read(f, fixtures+"stages.json"))
}
