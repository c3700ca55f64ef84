package result_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"replay/engine/record"
	"replay/report/reporttest"
	"replay/report/result"
	"replay/trace/tablefile"
)

// A result keeps how jobs were held back until others had ended, for all that read its jobs, and of jobs that begin after none its table is as it would be if there were no others.
func TestHeldJobsAreKept(t *testing.T) {
	dir := write(t, reporttest.InChains)
	for what, read := range map[string]func(string) (*result.Data, error){"all": result.Read, "jobs": result.ReadJobs} {
		d, err := read(dir)
		if err != nil {
			t.Fatal(err)
		}
		var got [][4]int64
		for j := range d.Jobs.All() {
			got = append(got, [4]int64{j.DependsOn, j.HeldMS, j.HeldBy, j.Own()})
		}
		if want := [][4]int64{{0, 0, 0, 0}, {1, 901, 0, 100}, {1, 1301, 0, 200}, {2, 1, 2, 2599}, {0, 0, 0, 500}, {1, 0, 0, 1600}}; !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
		if got := ids(d.Jobs.LastChain()); !slices.Equal(got, []int64{0, 2, 3}) {
			t.Errorf("%s: %v ended last", what, got)
		}
		if got := ids(d.Jobs.Chain(5)); !slices.Equal(got, []int64{5}) {
			t.Errorf("%s: %v led to job 5", what, got)
		}
	}
	f, err := tablefile.Open(filepath.Join(write(t, reporttest.ByHand), "jobs.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, name := range []string{"depends_on", "own_submit_ms", "held_by"} {
		if _, there := f.Parquet.Schema().Lookup(name); there {
			t.Errorf("column %s, and no job begins after another", name)
		}
	}
}

func ids(jobs []*result.Job) (list []int64) {
	for _, j := range jobs {
		list = append(list, j.ID)
	}
	return list
}

// A table in which how jobs were held back contradicts itself is refused, with the row.
func TestHeldJobsThatCannotBe(t *testing.T) {
	for _, tt := range []struct {
		change func(*record.Job)
		want   string
	}{
		{func(j *record.Job) { j.HeldBy = 1 }, "row 1: held_by is 1, want an earlier job"},
		{func(j *record.Job) { j.HeldMS = -1 }, "row 1: own_submit_ms is 1002, want a time up to submit_ms, which is 1001"},
		{func(j *record.Job) { j.DependsOn = 0 }, "row 1: held_by is 0, want an earlier job just where own_submit_ms is before submit_ms"},
		{func(j *record.Job) { j.DependsOn = -1 }, "row 1: own_submit_ms is -1, want a time up to submit_ms, which is 1001, just where depends_on, which is -1"},
	} {
		dir := write(t, func(sink record.Sink) record.Manifest {
			return reporttest.InChains(changed{sink, tt.change})
		})
		for what, read := range map[string]func(string) (*result.Data, error){"all": result.Read, "jobs": result.ReadJobs} {
			if _, err := read(dir); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s: %v, want %q", what, err, tt.want)
			}
		}
	}
}

// changed changes job 1.
type changed struct {
	record.Sink
	how func(*record.Job)
}

func (c changed) Job(j *record.Job) {
	if j.ID == 1 {
		c.how(j)
	}
	c.Sink.Job(j)
}
