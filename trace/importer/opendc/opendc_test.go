package opendc

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"replay/counted"
	"replay/trace"
	"replay/trace/importer/importtest"
	"replay/trace/importer/workload"
)

const fixture = "../testdata/opendc/week"

// task and fragment are rows of version 2.
type task struct {
	ID       int32   `parquet:"id"`
	Submit   int64   `parquet:"submission_time"`
	Duration int64   `parquet:"duration"`
	CPUs     int32   `parquet:"cpu_count"`
	MHz      float64 `parquet:"cpu_capacity"`
	Memory   int64   `parquet:"mem_capacity"`
	Parents  []int32 `parquet:"parents,list"`
	Children []int32 `parquet:"children,list"`
}

type fragment struct {
	ID       int32   `parquet:"id"`
	Duration int64   `parquet:"duration"`
	Usage    float64 `parquet:"cpu_usage"`
}

// older are the names and types of other versions.
type older struct {
	ID     string  `parquet:"id"`
	Submit int64   `parquet:"submissionTime,timestamp(millisecond)"`
	Stop   int64   `parquet:"stopTime,timestamp(millisecond)"`
	Cores  int32   `parquet:"maxCores"`
	Memory float64 `parquet:"requiredMemory"`
	Nature string  `parquet:"nature,optional"`
}

type failed struct {
	Interval  int64   `parquet:"failure_interval"`
	Duration  int64   `parquet:"failure_duration"`
	Intensity float64 `parquet:"failure_intensity"`
}

const day = 1_700_000_000_000

func files(t testing.TB) map[string][]byte {
	return map[string][]byte{
		"tasks.parquet": importtest.Parquet(t, []task{
			{1, day, 600_000, 2, 4000, 4000, nil, nil}, {2, day + 1000, 100_000, 1, 2000, 500, nil, []int32{3, 4}}, {3, day + 1000, 200_000, 1, 2000, 600, []int32{2}, []int32{5}},
			{4, day + 1000, 250_000, 1, 2000, 700, nil, []int32{5}}, {5, day + 2000, 50_000, 1, 2000, 500, []int32{3, 4}, nil},
		}),
		"fragments.parquet": importtest.Parquet(t, []fragment{{1, 300_000, 4000}, {1, 300_000, 2000}, {2, 100_000, 1000}, {3, 200_000, 2000}}),
		"failures.parquet":  importtest.Parquet(t, []failed{{60_000, 30_000, 0.5}, {120_000, 60_000, 1}, {10_000, 5000, 1}, {900_000, 1000, 0.25}}),
	}
}

func nodes(n int) func(*workload.Options) {
	return func(o *workload.Options) { o.Nodes = n }
}

// Workloads in folders of one folder are not taken for one: their tasks have the same numbers.
func TestSeveralWorkloads(t *testing.T) {
	dir := t.TempDir()
	for _, week := range []string{"a", "b"} {
		if err := os.Mkdir(filepath.Join(dir, week), 0o755); err != nil {
			t.Fatal(err)
		}
		importtest.Write(t, filepath.Join(dir, week, "tasks.parquet"), string(files(t)["tasks.parquet"]))
	}
	importtest.Refused(t, Format, []string{dir}, nodes(4), "tables of tasks in several folders, want those of one workload")
	importtest.Refused(t, Format, []string{filepath.Join(dir, "b"), filepath.Join(dir, "a")}, nodes(4), "b/tasks.parquet and "+filepath.Join(dir, "a", "tasks.parquet"))
}

// A folder that has a table for two versions of OpenDC has its rows twice.
func TestTwoVersions(t *testing.T) {
	for older, newer := range map[string]string{"meta.parquet": "tasks.parquet", "trace.parquet": "fragments.parquet"} {
		dir := t.TempDir()
		for name, data := range files(t) {
			importtest.Write(t, filepath.Join(dir, name), string(data))
		}
		importtest.Write(t, filepath.Join(dir, older), string(files(t)[newer]))
		importtest.Refused(t, Format, []string{dir}, nodes(4), filepath.Join(dir, older)+" and "+filepath.Join(dir, newer)+": one table under the names of two versions")
	}
}

func TestGolden(t *testing.T) {
	for name, data := range files(t) {
		importtest.Fixture(t, filepath.Join(fixture, name), data)
	}
	res, m, err := importtest.Import(t, Format, fixture, nodes(4))
	if err != nil {
		t.Fatal(err)
	}
	importtest.Golden(t, "week", res, m)
}

// The names and types of older versions, and durations that follow from times or fragments.
func TestOlderVersions(t *testing.T) {
	dir := t.TempDir()
	for name, data := range map[string][]byte{
		"meta.parquet": importtest.Parquet(t, []older{{"a", day, day + 5000, 3, 2048, "deferrable"}, {"b", day, day + 7000, 1, 1024, ""}}),
		"trace.parquet": importtest.Parquet(t, []struct {
			ID    string  `parquet:"id"`
			Time  int64   `parquet:"timestamp"`
			MS    int64   `parquet:"duration"`
			Cores int32   `parquet:"cores"`
			Usage float64 `parquet:"cpuUsage"`
		}{{"a", day, 5000, 3, 100}}),
	} {
		importtest.Write(t, filepath.Join(dir, name), string(data))
	}
	_, m, err := importtest.Import(t, Format, dir, func(o *workload.Options) { o.Nodes, o.Params = 2, map[string]string{"opendc-mem-unit": "KB"} })
	if err != nil {
		t.Fatal(err)
	}
	if how := Format.Detect("meta.parquet", []byte("PAR1\nid\nstart_time\nstop_time\ncpu_count\ncpu_capacity\nmem_capacity\n")); how == "" {
		t.Error("tasks of the first version are not recognised")
	}
	j := m.JobList[0]
	if len(m.JobList) != 2 || j.Stages[0].TaskVCores != 3 || j.Stages[0].TaskMemMiB != 2 || j.Stages[0].Tasks.DurationMS[0] != 5000 || m.OriginUnixMS != day {
		t.Error(importtest.Text(m))
	}
	type bare struct {
		ID     int32 `parquet:"id"`
		Submit int64 `parquet:"submission_time"`
		CPUs   int32 `parquet:"cpu_count"`
		Memory int64 `parquet:"mem_capacity"`
	}
	dir = t.TempDir()
	importtest.Write(t, filepath.Join(dir, "tasks.parquet"), string(importtest.Parquet(t, []bare{{7, 0, 1, 100}, {8, 0, 1, 100}})))
	importtest.Write(t, filepath.Join(dir, "fragments.parquet"), string(importtest.Parquet(t, []fragment{{7, 300, 1}, {7, 400, 1}})))
	res, m, err := importtest.Import(t, Format, dir, nodes(2))
	if err != nil || len(m.JobList) != 1 || m.JobList[0].Stages[0].Tasks.DurationMS[0] != 700 || res.Counts.Dropped["tasks_without_a_duration"] != 1 || m.OriginUnixMS != trace.Unset {
		t.Errorf("%v, %+v", err, res)
	}
}

// Each row of the tasks gets what its fragments took together, wherever they stand: in any order, of other tasks, of none, and of a task that has two rows.
func TestFragmentsFindTheirTasks(t *testing.T) {
	r := newRan()
	defer r.close()
	ids := []string{"a", "a\x00", "", "b", "a", "none", "a\x00\x01"}
	for _, id := range ids {
		if err := r.row(id); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range []struct {
		id string
		ms int64
	}{{"b", 5}, {"a", 1}, {"other", 9}, {"a\x00", 30}, {"a", 2}, {"", 7}, {"b", 0}, {"a\x00\x01", 400}} {
		if err := r.fragments(f.id, f.ms); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.join(); err != nil {
		t.Fatal(err)
	}
	for i, want := range []int64{3, 30, 0, 5, 3, 0, 400} {
		if got, err := r.ofNext(); err != nil || got != want {
			t.Errorf("row %d, %q: %d ms, %v; want %d", i, ids[i], got, err, want)
		}
	}
	if r.tasks != 5 {
		t.Errorf("%d tasks have fragments, want 5", r.tasks)
	}
}

// Where fewer rows of a file are read the second time, those of the next file keep what is theirs.
func TestFragmentsOfADamagedFile(t *testing.T) {
	r := newRan()
	defer r.close()
	var err error
	r.file()
	for i, id := range []string{"a", "b", "c", "d", "e"} {
		if i == 3 {
			r.file()
		}
		err = errors.Join(err, r.row(id), r.fragments(id, int64(i+1)))
	}
	if err := errors.Join(err, r.join()); err != nil {
		t.Fatal(err)
	}
	r.file()
	first, err := r.ofNext()
	r.file()
	second, err2 := r.ofNext()
	third, err3 := r.ofNext()
	if err := errors.Join(err, err2, err3); err != nil || first != 1 || second != 4 || third != 5 {
		t.Errorf("%d, %d and %d ms, %v; want 1, 4 and 5", first, second, third, err)
	}
}

// A damaged table of tasks, which is read twice, is told once.
func TestDamagedTasks(t *testing.T) {
	dir := t.TempDir()
	all := files(t)
	importtest.Write(t, filepath.Join(dir, "fragments.parquet"), string(all["fragments.parquet"]))
	importtest.Write(t, filepath.Join(dir, "tasks.parquet"), string(all["tasks.parquet"]))
	data := bytes.Clone(all["tasks.parquet"])
	for i := 40; i < 60; i++ {
		data[i] ^= 0xff // of the first page, which has the ids
	}
	importtest.Write(t, filepath.Join(dir, "tasks_2.parquet"), string(data))
	importtest.Refused(t, Format, []string{dir}, nodes(4), "tasks_2.parquet: column id, row group 0, row 0: page at byte 4: ")
	res, _, err := importtest.Import(t, Format, dir, func(o *workload.Options) { o.Nodes, o.Lenient = 4, true })
	if err != nil || res.Counts.Dropped["rest_of_a_damaged_input"] != 1 {
		t.Errorf("%v, %+v", err, res)
	}
}

// Tasks whose fragments together take another time than their duration are told, once: not what is rounded, and none that have no duration of their own.
func TestFragmentsOfAnotherTime(t *testing.T) {
	for _, tt := range []struct {
		ms, want int64
	}{{100_000, 0}, {101_000, 0}, {99_000, 0}, {101_001, 1}, {98_999, 1}, {1, 1}} {
		dir := t.TempDir()
		importtest.Write(t, filepath.Join(dir, "tasks.parquet"), string(files(t)["tasks.parquet"]))
		importtest.Write(t, filepath.Join(dir, "fragments.parquet"), string(importtest.Parquet(t, []fragment{{1, 603_000, 4000}, {2, tt.ms, 1000}, {3, 260_000, 2000}})))
		var warned []string
		res, m, err := importtest.Import(t, Format, dir, func(o *workload.Options) {
			o.Nodes, o.Warn = 4, func(s string) { warned = append(warned, s) }
		})
		if err != nil {
			t.Fatal(err)
		}
		if n := res.Counts.Read["tasks_whose_fragments_took_another_time"]; n != tt.want+1 || len(m.JobList) == 0 {
			t.Errorf("%d ms: %d tasks, want %d", tt.ms, n, tt.want+1)
		}
		first := "row 2: task 3 has a duration of 200000 ms and fragments of 260000 ms"
		if tt.want > 0 {
			first = fmt.Sprintf("row 1: task 2 has a duration of 100000 ms and fragments of %d ms", tt.ms)
		}
		if len(warned) != 1 || !strings.HasPrefix(warned[0], counted.Of(int64(tt.want+1), "tasks")+" whose fragments took another time than the duration says") || !strings.HasSuffix(warned[0], first) {
			t.Errorf("%d ms: warned %q, want of %s", tt.ms, warned, first)
		}
	}
}

// What is known of fragments takes no more memory for ten times as many tasks.
func TestFragmentsWaitInFiles(t *testing.T) {
	r := newRan()
	defer r.close()
	held := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	const tasks, most = 300_000, 4 << 20 // a map takes 16 MB
	before := int64(0)
	for i := range tasks {
		if i == tasks/10 {
			before = held()
		}
		id := strconv.Itoa(i)
		if err := errors.Join(r.row(id), r.fragments(id, int64(i))); err != nil {
			t.Fatal(err)
		}
	}
	if more := held() - before; more > most {
		t.Errorf("%d bytes more, want at most %d", more, most)
	}
	if err := r.join(); err != nil {
		t.Fatal(err)
	}
	for i := range tasks {
		if ms, err := r.ofNext(); err != nil || ms != int64(i) {
			t.Fatalf("row %d: %d ms, %v", i, ms, err)
		}
	}
}

// Failures take the share of the hosts that they say, each an interval after the end of the one before, and again and again with repeat.
func TestFailures(t *testing.T) {
	count := func(params map[string]string) (fails int, res *workload.Result) {
		res, m, err := importtest.Import(t, Format, fixture, func(o *workload.Options) { o.Nodes, o.Params = 4, params })
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range m.Events {
			if e.Kind == trace.Fail {
				fails++
			}
		}
		return fails, res
	}
	// 2 of 4 hosts after 60 s for 30 s, all 120 s later for 60 s, and all again 10 s after that; the fourth would be after the last task.
	if fails, res := count(nil); fails != 10 || res.Counts.Dropped["failures_after_the_last_task"] != 1 {
		t.Errorf("%d failures, %v", fails, res.Counts.Dropped)
	}
	_, some, err := importtest.Import(t, Format, fixture, func(o *workload.Options) { o.Nodes, o.Limit = 4, 1 })
	if err != nil || len(some.JobList) != 1 || len(some.Events) != 2*10 {
		t.Errorf("%v, %d events with the first application alone, want those of all", err, len(some.Events))
	}
	var at []int64
	for _, e := range some.Events {
		if n := len(at); e.Kind == trace.Fail && (n == 0 || at[n-1] != e.TimeMS) {
			at = append(at, e.TimeMS)
		}
	}
	if want := []int64{60_000, 210_000, 280_000}; !slices.Equal(at, want) {
		t.Errorf("failures at %v ms, want %v", at, want)
	}
	importtest.Refused(t, Format, []string{filepath.Join(fixture, "tasks.parquet"), filepath.Join(fixture, "failures.parquet")}, func(o *workload.Options) {
		o.Nodes, o.Params = 4, map[string]string{"opendc-failures": filepath.Join(fixture, "failures.parquet")}
	}, "2 traces of failures, want at most one")
	short := importtest.WriteNew(t, "f.parquet", string(importtest.Parquet(t, []failed{{100_000, 1000, 0.1}})))
	_, m, err := importtest.ImportAll(t, Format, []string{filepath.Join(fixture, "tasks.parquet"), short}, func(o *workload.Options) {
		o.Nodes, o.Params = 4, map[string]string{"opendc-failures-repeat": "true"}
	})
	if err != nil || len(m.Events) != 2*5 {
		t.Errorf("%v, %d events, want 5 failures in 600 s", err, len(m.Events))
	}
}

func TestBadValues(t *testing.T) {
	strict := func(o *workload.Options) { o.Nodes, o.Strict = 2, true }
	good := task{1, day, 5, 1, 1, 1, nil, nil}
	for name, tt := range map[string]struct {
		data []byte
		want string
	}{
		"a negative submission": {importtest.Parquet(t, []task{good, {ID: 2, Submit: -7}}), "row 1: submission_time is -7, want 0 to"},
		"a negative duration":   {importtest.Parquet(t, []task{good, {ID: 2, Submit: day, Duration: -7}}), "row 1: duration is -7, want 0 to"},
		"a cycle":               {importtest.Parquet(t, []task{good, {ID: 2, Submit: day, Parents: []int32{2}}}), "comes after itself"},
		"no tasks":              {importtest.Parquet(t, []fragment{{1, 1, 1}}), "no Parquet file with a column mem_capacity"},
		"no ids": {importtest.Parquet(t, []struct {
			A int32 `parquet:"mem_capacity"`
		}{{1}}), "has no column id, want one; it has mem_capacity"},
	} {
		t.Run(name, func(t *testing.T) {
			importtest.Refused(t, Format, []string{importtest.WriteNew(t, "tasks.parquet", string(tt.data))}, strict, tt.want)
		})
	}
	for _, bad := range []failed{{-5, 1, 1}, {1, 1, 0}, {1, 1, 2}} {
		path := importtest.WriteNew(t, "f.parquet", string(importtest.Parquet(t, []failed{bad})))
		importtest.Refused(t, Format, []string{filepath.Join(fixture, "tasks.parquet"), path}, strict, "f.parquet: row 0: ")
	}
}

func FuzzTasks(f *testing.F) {
	var seeds [][]byte
	all := files(f)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		seeds = append(seeds, all[name])
	}
	importtest.Fuzz(f, Format, seeds...)
}

// FuzzFailures puts other bytes in the place of a trace of failures.
func FuzzFailures(f *testing.F) {
	for _, data := range files(f) {
		f.Add(data)
	}
	dir, opt := f.TempDir(), workload.DefaultOptions()
	in := filepath.Join(dir, "f")
	opt.Out, opt.Nodes, opt.Params = filepath.Join(dir, "out"), 4, map[string]string{"opendc-failures": in}
	f.Fuzz(func(t *testing.T, data []byte) {
		importtest.Write(t, in, string(data))
		importtest.Try(t, Format, []string{filepath.Join(fixture, "tasks.parquet")}, opt, data)
	})
}

// What tasks used of their CPUs is not rounded to nothing.
func TestSharesOfCPUs(t *testing.T) {
	for mhz, want := range map[float64]string{10: "0.25", 400: "10", 500: "12", 4000: "100"} {
		dir := t.TempDir()
		importtest.Write(t, filepath.Join(dir, "tasks.parquet"), string(importtest.Parquet(t, []task{{1, day, 600_000, 2, 4000, 4000, nil, nil}})))
		importtest.Write(t, filepath.Join(dir, "fragments.parquet"), string(importtest.Parquet(t, []fragment{{1, 600_000, mhz}})))
		res, _, err := importtest.Import(t, Format, dir, nodes(4))
		if err != nil {
			t.Fatal(err)
		}
		if said := strings.Join(res.Counts.Notes, "\n"); !strings.Contains(said, "1 fragment of 1 task: they used "+want+" % of the CPUs") {
			t.Errorf("%v MHz of 4000: %q, want %s %%", mhz, said, want)
		}
	}
}

// Times since 1970 in seconds, where OpenDC has ms, are told.
func TestTimesInSeconds(t *testing.T) {
	for at, said := range map[int64]bool{0: false, day / 1000: true, day: false} {
		path := importtest.WriteNew(t, "tasks.parquet", string(importtest.Parquet(t, []task{{1, at, 600, 2, 4000, 4000, nil, nil}})))
		var warned []string
		if _, _, err := importtest.Import(t, Format, path, func(o *workload.Options) { o.Nodes, o.Warn = 4, func(m string) { warned = append(warned, m) } }); err != nil {
			t.Fatal(err)
		}
		if all := strings.Join(warned, "\n"); strings.Contains(all, "if the source counts seconds, where ms are wanted") != said {
			t.Errorf("from %d ms on: warned %q", at, all)
		}
	}
}
