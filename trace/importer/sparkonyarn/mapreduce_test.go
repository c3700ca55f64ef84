package sparkonyarn

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"replay/trace/importer/importtest"
)

// A recording of which nobody knows when processes asked for their work has the times of its histories, with the start of the process in them: nothing is added for it.
func TestTimesHaveTheStartOfProcesses(t *testing.T) {
	const from = "../testdata/mapreduce-on-yarn/two-jobs"
	dir := t.TempDir()
	files, err := os.ReadDir(from)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		text := string(importtest.Read(t, filepath.Join(from, f.Name())))
		if f.Name() == "containers.jsonl" {
			if !strings.Contains(text, `"t_jvm_asked"`) {
				t.Fatal("nothing asked for its work")
			}
			text = strings.ReplaceAll(text, `"t_jvm_asked"`, `"t_not_known"`)
		}
		importtest.Write(t, filepath.Join(dir, f.Name()), text)
	}
	_, with, err := importtest.Import(t, MapReduceFormat, from, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, without, err := importtest.Import(t, MapReduceFormat, dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	longer := 0
	for i, j := range without.JobList {
		a, b := &with.JobList[i].Stages[0].Tasks, &j.Stages[0].Tasks
		for k, ms := range b.DurationMS {
			if b.SchedDelayMS[k] != 0 || ms < a.DurationMS[k] || a.SchedDelayMS[k] <= 0 {
				t.Errorf("job %d: map %d takes %d ms behind %d, and where it asked for its work %d behind %d", i, k, ms, b.SchedDelayMS[k], a.DurationMS[k], a.SchedDelayMS[k])
			}
			if ms > a.DurationMS[k] {
				longer++
			}
		}
	}
	if longer == 0 {
		t.Error("no map takes longer with the start of its process")
	}
}
