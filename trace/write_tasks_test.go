package trace

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// A table of tasks has the bytes that it would have if the library wrote its rows, also where a stage goes over the end of a row group: the hash of a trace
// that is made again stays.
func TestTasksAreWrittenAsRowsAre(t *testing.T) {
	m := benchTrace(3, 1, true)
	for _, n := range []int{1000, 150_001, 0, 20_000} {
		one := benchTrace(n, max(n, 1), n != 1000)
		for _, j := range one.JobList {
			j.ID = int64(len(m.JobList))
			j.SubmitMS = j.ID
			m.JobList = append(m.JobList, j)
		}
	}
	tasks := &m.JobList[1].Stages[0].Tasks
	tasks.RecordedNode, tasks.SchedDelayMS = make([]int32, tasks.Len()), make([]int64, tasks.Len())
	for i := range tasks.SchedDelayMS {
		tasks.SchedDelayMS[i] = Unset
	}
	for i, j := range m.JobList {
		j.SubmitMS = int64(i)
	}
	dir := filepath.Join(t.TempDir(), "t")
	if err := m.Write(dir); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(dir, "tasks.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	var origin *int64
	if m.OriginUnixMS != Unset {
		origin = &m.OriginUnixMS
	}
	w := parquet.NewGenericWriter[taskRow](&want, writerOptions(tableTasks, origin)...)
	for _, j := range m.JobList {
		for k := range j.Stages {
			s := &j.Stages[k]
			for from := 0; from < s.Tasks.Len(); from += taskRows {
				var rows []taskRow
				for i := from; i < min(from+taskRows, s.Tasks.Len()); i++ {
					row := taskRow{Job: j.ID, Stage: s.ID, DurationMS: s.Tasks.DurationMS[i], InputBytes: s.Tasks.InputBytes[i], Pref: s.Tasks.Prefs(i)}
					if s.Tasks.RecordedNode != nil {
						row.RecordedNode = &s.Tasks.RecordedNode[i]
					}
					rows = append(rows, row)
				}
				if _, err := w.Write(rows); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want.Bytes()) {
		t.Errorf("%d bytes, want the library's %d", len(got), want.Len())
	}
}
