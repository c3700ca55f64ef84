package trace

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
)

// Columns of tasks have the bytes that they would have if the library wrote the rows, also where a stage goes over the end of a row group: the hash of a trace
// that is made again stays. Those of preferred nodes have longer pages, of the same values.
func TestTasksAreWrittenAsRowsAre(t *testing.T) {
	m := benchTrace(3, 1, true)
	for _, n := range []int{1000, 300_001, 0, 20_000} {
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
	is, should := columnsOf(t, got), columnsOf(t, want.Bytes())
	for name, pages := range should {
		if name != "pref_nodes" && !bytes.Equal(is[name], pages) {
			t.Errorf("%s: %d bytes, want the library's %d", name, len(is[name]), len(pages))
		}
	}
	if len(is) != len(should) || len(is["pref_nodes"]) >= len(should["pref_nodes"]) {
		t.Errorf("%d columns, %d bytes of preferred nodes; want %d, below %d", len(is), len(is["pref_nodes"]), len(should), len(should["pref_nodes"]))
	}
	rows, err := parquet.Read[taskRow](bytes.NewReader(got), int64(len(got)))
	if err != nil {
		t.Fatal(err)
	}
	rowsOf, err := parquet.Read[taskRow](bytes.NewReader(want.Bytes()), int64(want.Len()))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(rowsOf, rows); d != "" {
		t.Errorf("rows differ from the library's (-want +got):\n%s", d)
	}
}

// columnsOf returns what is packed of each column of a file, by the first of its path.
func columnsOf(t *testing.T, file []byte) map[string][]byte {
	f, err := parquet.OpenFile(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string][]byte)
	for _, group := range f.Metadata().RowGroups {
		for _, c := range group.Columns {
			from, name := c.MetaData.DataPageOffset, c.MetaData.PathInSchema[0]
			if c.MetaData.DictionaryPageOffset > 0 {
				from = c.MetaData.DictionaryPageOffset
			}
			all[name] = append(all[name], file[from:from+c.MetaData.TotalCompressedSize]...)
		}
	}
	return all
}
