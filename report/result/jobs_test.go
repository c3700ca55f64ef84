package result

import (
	"path/filepath"
	"reflect"
	"testing"

	"replay/engine/record"
	"replay/report/tables"
)

// Of tables in several parts a job has what it has among all.
func TestReadExplainedOfOne(t *testing.T) {
	dir := t.TempDir()
	parts, err := tables.New(filepath.Join(dir, explanations), func(r *partRow) partRow { return *r })
	if err != nil {
		t.Fatal(err)
	}
	curves, err := tables.New(filepath.Join(dir, views), newViewRow)
	if err != nil {
		t.Fatal(err)
	}
	const jobs, each = 20_000, 7
	for job := range int64(jobs) {
		for k := range int64(each) {
			parts.Add(&partRow{Job: 3 * job, Part: k, Cause: "turn", From: k, Length: 1 + job%5})
		}
		curves.Add(&viewOf{3 * job, &View{Took: job, Critical: []int32{int32(job % 3)}, Curve: []Point{{Share: 1, MS: job}}}})
	}
	if err := parts.Close(); err != nil || curves.Close() != nil {
		t.Fatal(err)
	}
	if jobs*each <= tables.RowGroupRows {
		t.Fatal("there is one part alone")
	}
	all, err := ReadExplained(dir, &record.Manifest{}, func(int64) bool { return true })
	if err != nil || len(all) != jobs {
		t.Fatalf("%d jobs, want %d (%v)", len(all), jobs, err)
	}
	for _, at := range []int{0, tables.RowGroupRows / each, jobs - 1} { // the second is in two parts
		one, err := ReadExplained(dir, &record.Manifest{}, func(job int64) bool { return job == all[at].Job })
		if err != nil || !reflect.DeepEqual(one, all[at:at+1]) || len(all[at].Parts) != each {
			t.Errorf("job %d alone: %+v (%v)", all[at].Job, one, err)
		}
	}
}
