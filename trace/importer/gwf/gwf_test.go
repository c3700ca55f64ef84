package gwf

import (
	"testing"

	"replay/trace/importer/importtest"
	"replay/trace/importer/workload"
)

const fixture = "../testdata/gwf/grid.gwf"

func TestGolden(t *testing.T) {
	res, m, err := importtest.Import(t, Format, fixture, func(o *workload.Options) { o.Nodes = 2 })
	if err != nil {
		t.Fatal(err)
	}
	importtest.Golden(t, "grid", res, m)
}

func TestBadRows(t *testing.T) {
	const head = "WorkflowID,JobID,SubmitTime,RunTime,NProcs,ReqNProcs,Dependencies\n1,1,0,5,1,1,\n"
	importtest.CheckBad(t, Format, []struct {
		Text, Want string
		Jobs       int64
	}{
		{"1,2,3\n", "the header has no workflowid, want workflowid, jobid,", 0},
		{"", "EOF, want a header", 0},
		{head + "2,1,-3,5,1,1,\n", `line 3: submittime is "-3", want a number from 0`, 1},
		{head + "2,1,1e400,5,1,1,\n", `line 3: submittime is "1e400", want a number`, 1},
		{head + "2,1,0,never,1,1,\n", `line 3: runtime is "never", want a number`, 1},
		{head + "2,1,0,-1,1,1,\n", `line 3: RunTime is -1, want seconds`, 1},
		{head + "2,1,0,1,1.5,1,\n", `line 3: nprocs is "1.5", want a whole number`, 1},
		{head + ",1,0,1,1,1,\n", `line 3: workflowid is "", want a name`, 1},
		{head + "2,,0,1,1,1,\n", `line 3: jobid is "", want a name`, 1},
		{head + "2,1,0,1,1,1,2\n2,2,0,1,1,1,1\n", "job 2: 1:task comes after itself", 1},
		{head + "2\xff,1,0,x,1,1,\n", `line 3: runtime is "x"`, 1},
		{head + "2,1,0,1,5,1,1,1\n", `line 3: want at most 7 fields, as there are columns, and it has 8`, 1},
		{head + "2,1,0,1,1\n", `line 3: want 7 fields, as the header has, and it has 5`, 1},
		{head + "2,1,0,1,1,1", `line 3: want 7 fields, as there are columns; the file ends within field 6`, 1},
		{head + "2,1,\"0,1\n", `line 3: want a closing`, 1},
	})
}

func FuzzTable(f *testing.F) { importtest.FuzzStdin(f, Format, importtest.Read(f, fixture)) }
