package importer

import (
	"path/filepath"
	"strings"
	"testing"

	"replay/trace/importer/importtest"
	"replay/trace/importer/workload"
)

// Names that differ in bytes that are no UTF-8 are different names in every format.
func TestNamesOfOtherEncodings(t *testing.T) {
	type cell struct {
		ID       string `parquet:"id"`
		Submit   int64  `parquet:"submission_time"`
		Duration int64  `parquet:"duration"`
		Cores    int32  `parquet:"cpu_count"`
		Memory   int64  `parquet:"mem_capacity"`
	}
	tasks := importtest.Parquet(t, []cell{{"N\xe9", 1_700_000_000_000, 1000, 1, 512}, {"N\xe8", 1_700_000_000_000, 1000, 1, 512}})
	for name, tt := range map[string]struct{ file, text string }{
		"alibaba-2018": {"batch_task.csv", "task,1,N\xe9,1,Terminated,1,2,100,1\ntask,1,N\xe8,1,Terminated,1,2,100,1\n"},
		"swim":         {"jobs.tsv", "N\xe9\t1\t1\t1\t0\t0\nN\xe8\t1\t1\t1\t0\t0\n"},
		"sls":          {"jobs.json", `{"job.id":"N` + "\xe9" + `","job.queue.name":"q","job.tasks":[{"duration.ms":5}]}{"job.id":"N` + "\xe8" + `","job.queue.name":"q","job.tasks":[{"duration.ms":5}]}`},
		"opendc":       {"tasks.parquet", string(tasks)},
	} {
		path := filepath.Join(t.TempDir(), tt.file)
		importtest.Write(t, path, tt.text)
		res, m, err := importtest.Import(t, Importers[name], path, func(o *workload.Options) {
			if Importers[name].NoHosts {
				o.Nodes = 4
			}
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var ids []string
		for _, j := range m.JobList {
			ids = append(ids, j.ExternalID)
		}
		if got := strings.Join(ids, " "); got != `N\xe9 N\xe8` && got != `N\xe8 N\xe9` || res.Counts.Modelled["texts_of_other_encodings"] < 2 {
			t.Errorf("%s: jobs %s, %d texts of other encodings, want N\\xe9 and N\\xe8, and 2 or more", name, got, res.Counts.Modelled["texts_of_other_encodings"])
		}
	}
	nodes := `{"rack":"r` + "\xe9" + `","nodes":[{"node":"n","labels":"l` + "\xe9" + `"}]}{"rack":"r` + "\xe8" + `","nodes":[{"node":"m","labels":"l` + "\xe8" + `"}]}{"job.queue.name":"q","job.tasks":[{"duration.ms":5}]}`
	_, m, err := importtest.Import(t, Importers["sls"], importtest.WriteNew(t, "sls.json", nodes), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := importtest.Text(m); !strings.Contains(got, `/r\xe9/n 10240 MiB 10 vcores [l\xe9]`) || !strings.Contains(got, `/r\xe8/m 10240 MiB 10 vcores [l\xe8]`) {
		t.Errorf("%s\nwant racks and labels that differ", got)
	}
	importtest.Refused(t, Importers["sls"], []string{importtest.WriteNew(t, "sls.json", strings.ReplaceAll(nodes, `"labels"`, "\"g\xe9\""))}, func(o *workload.Options) { o.Strict = true }, `a resource is called "g\xe9", want a name in UTF-8`)
}

// Columns of Parquet may have no sign, and then hold numbers as large as such numbers are.
func TestUnsignedColumns(t *testing.T) {
	type row struct {
		ID       uint64   `parquet:"id"`
		Submit   uint64   `parquet:"submission_time"`
		Duration uint32   `parquet:"duration"`
		Cores    uint16   `parquet:"cpu_count"`
		Memory   uint32   `parquet:"mem_capacity"`
		Parents  []uint64 `parquet:"parents,list"`
	}
	const id = 1<<63 + 1
	rows := []row{{id, 1_700_000_000_000, 3 << 30, 1, 3 << 30, nil}, {5, 1_700_000_000_000, 1 << 31, 1, 1 << 31, []uint64{id}}, {6, 1 << 63, 1, 1, 1, nil}}
	path := importtest.WriteNew(t, "tasks.parquet", string(importtest.Parquet(t, rows)))
	var warned []string
	_, m, err := importtest.Import(t, Importers["opendc"], path, func(o *workload.Options) {
		o.Params = map[string]string{"opendc-mem-unit": "B"}
		o.Warn = func(s string) { warned = append(warned, s) }
	})
	if err != nil {
		t.Fatal(err)
	}
	st := m.JobList[0].Stages
	if len(st) != 2 || st[0].Tasks.DurationMS[0] != 3<<30 || st[0].TaskMemMiB != 3072 || st[1].Tasks.DurationMS[0] != 1<<31 || st[1].TaskMemMiB != 2048 || len(st[1].Parents) != 1 {
		t.Errorf("%s", importtest.Text(m))
	}
	if len(warned) != 2 || !strings.Contains(warned[0], "submission_time is 9223372036854775808, want at most 9223372036854775807") || !strings.HasPrefix(warned[1], "left out: 1 of 3 tasks (33 %): ") {
		t.Errorf("warned %q", warned)
	}
}
