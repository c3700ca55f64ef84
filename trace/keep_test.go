package trace

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Jobs that are kept are those of the tables, for each reader again, whatever readers do with their own.
func TestKeepJobs(t *testing.T) {
	const dir = "../traces/fair-weights"
	want, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	tr, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	if err := tr.KeepJobs(tr.Manifest.Counts.Tasks - 1); err != nil || tr.kept != nil {
		t.Fatalf("a trace of too many tasks is kept (%v)", err)
	}
	if err := tr.KeepJobs(tr.Manifest.Counts.Tasks); err != nil || tr.kept == nil {
		t.Fatalf("a trace is not kept (%v)", err)
	}
	for range 2 {
		var got []*Job
		for j, err := range All(tr.Jobs()) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, j)
		}
		if diff := cmp.Diff(want.JobList, got); diff != "" {
			t.Fatal(diff)
		}
		for _, j := range got {
			j.ID, j.SubmitMS, j.DependsOn = -1, -1, []int64{-1}
			for s := range j.Stages {
				j.Stages[s].Tasks.SetPrefs(nil)
			}
		}
	}
}
