package swim

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"replay/trace"
	"replay/trace/importer/importtest"
	"replay/trace/importer/workload"
)

const good = "job0\t9\t9\t1762\t0\t14347\n"

func TestBadInput(t *testing.T) {
	importtest.CheckBad(t, Format, []struct {
		Text, Want string
		Jobs       int64
	}{
		{"", "no application", 0},
		{good + "job1\t1\t2\n", "in: line 2: has 3 columns with tabs between them, want 6 to 9", 1},
		{good + "job1 1 2 3 4 5\n", "has 1 columns with tabs", 1},
		{strings.ReplaceAll(good+good, "\n", "\r"), "in: line 1: goes on after a carriage return, want a line feed at the end of each line", 0},
		{good + "\t1\t2\t3\t4\t5\n", "column 1 (job) is empty", 1},
		{good + "job1\t-1\t2\t3\t4\t5\n", `line 2: column 2 (submission) is "-1", want a whole number from 0 to`, 1},
		{good + "job1\t1\t2\t3.5\t4\t5\n", `column 4 (map input) is "3.5"`, 1},
		{good + "job1\t1\t2\t99999999999999999999\t4\t5\n", `column 4 (map input) is "99999999999999999999"`, 1},
		{good + "job1\t1\t2\t400000000000000000\t4\t5\n", "has 2980232240 tasks, want at most 2000000; --max-job-tasks allows more", 1},
		{good + "job1\t1\t2\t\xff\t4\t5\n", `column 4 (map input) is "?"`, 1},
	})
}

// Files of several days are laid over one another, which is said; and so is that a job of one stands in the other, too.
func TestSeveralFiles(t *testing.T) {
	var warned []string
	file := "../testdata/swim/jobs.tsv"
	res, _, err := importtest.ImportAll(t, Format, []string{file, importtest.WriteNew(t, "more.tsv", good)}, func(o *workload.Options) {
		o.Nodes, o.Warn = 5, func(s string) { warned = append(warned, s) }
	})
	if one, _ := imported(t, nil, 1); err != nil || res.Trace.Jobs != one.Trace.Jobs+1 || len(warned) != 2 || !strings.HasPrefix(warned[0], "2 files are laid over one another") ||
		!strings.HasPrefix(warned[1], "1 of 5 applications have the id, the submission and the size of another (\"job0\" is the first)") {
		t.Errorf("%q, %v", warned, err)
	}
}

// A job with the id and the submission of another that is of another size is another job.
func TestOtherJobsOfOneID(t *testing.T) {
	for more, again := range map[string]int{good: 1, strings.Replace(good, "\t9\t", "\t10\t", 1): 0, strings.Replace(good, "1762", "900000000", 1): 0} {
		warned := 0
		res, _, err := importtest.ImportAll(t, Format, []string{importtest.WriteNew(t, "jobs.tsv", good+more)}, func(o *workload.Options) {
			o.Nodes, o.Warn = 5, func(s string) {
				warned += strings.Count(s, "1 of 2 applications have the id, the submission and the size of another")
			}
		})
		if err != nil || res.Trace.Jobs != 2 || warned != again {
			t.Errorf("%q: %d warnings, want %d; %v", more, warned, again, err)
		}
	}
}

// imported are the jobs of the fixture with other options.
func imported(t *testing.T, params map[string]string, seed uint64) (*workload.Result, *trace.MemoryTrace) {
	t.Helper()
	res, m, err := importtest.Import(t, Format, "../testdata/swim/jobs.tsv", func(o *workload.Options) { o.Nodes, o.Params, o.Seed = 5, params, seed })
	if err != nil {
		t.Fatal(err)
	}
	return res, m
}

// Maps read splits of their job's input, reduces are as many as its shuffle wants, and a bound on tasks makes them read more.
func TestTasks(t *testing.T) {
	for _, tt := range []struct {
		params map[string]string
		tasks  string // of all stages
		bytes  []int64
	}{
		{nil, "[1 8 4 3 1 1]", []int64{134217728, 134217728, 134217728, 134217728, 134217728, 134217728, 134217728, 60475904}},
		{map[string]string{"split": "512MiB", "bytes-per-reducer": "2GiB"}, "[1 2 2 1 1 1]", []int64{536870912, 463129088}},
		{map[string]string{"max-tasks": "3"}, "[1 3 3 3 1 1]", []int64{333333334, 333333334, 333333332}},
	} {
		res, m := imported(t, tt.params, 1)
		var tasks []int
		for _, j := range m.JobList {
			for i := range j.Stages {
				tasks = append(tasks, j.Stages[i].Tasks.Len())
			}
		}
		if got := m.JobList[1].Stages[0].Tasks.InputBytes; fmt.Sprint(tasks) != tt.tasks || !slices.Equal(got, tt.bytes) || res.Counts.Read["input_paths"] != 1 || m.LocalitySource != trace.LocalityModelled || m.DurationSource != trace.DurationModelled {
			t.Errorf("%v: %v tasks, map input %v, %+v; want %s and %v", tt.params, tasks, got, m.Meta.LocalitySource, tt.tasks, tt.bytes)
		}
		if a, b := m.JobList[1].Stages[0].FileID, m.JobList[2].Stages[0].FileID; a != b || m.Files[a].Name != "inputPath1" {
			t.Errorf("jobs of one path read files %d and %d of %+v", a, b, m.Files)
		}
	}
}

// Times are those of the model: with a median of 20 s, and drawn from job and seed alone.
func TestTimes(t *testing.T) {
	_, m := imported(t, nil, 1)
	_, again := imported(t, map[string]string{"bytes-per-reducer": "2GiB"}, 1)
	_, other := imported(t, nil, 2)
	of := func(m *trace.MemoryTrace) []int64 { return m.JobList[1].Stages[0].Tasks.DurationMS }
	if !slices.Equal(of(m), of(again)) || slices.Equal(of(m), of(other)) {
		t.Errorf("%v, again %v, with another seed %v", of(m), of(again), of(other))
	}
	var text strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&text, "job%d\t1\t0\t5\t0\t5\n", i)
	}
	_, many, err := importtest.Import(t, Format, importtest.WriteNew(t, "in", text.String()), func(o *workload.Options) { o.Nodes = 5 })
	if err != nil {
		t.Fatal(err)
	}
	var logs []float64
	for _, j := range many.JobList {
		logs = append(logs, math.Log(float64(j.Stages[0].Tasks.DurationMS[0])/1000))
	}
	slices.Sort(logs)
	if median := math.Exp(logs[1500]); math.Abs(median-20.5) > 1.5 { // stragglers raise it a little
		t.Errorf("the median of maps is %.1f s, want 20", median)
	}
}

func FuzzSWIM(f *testing.F) {
	importtest.FuzzStdin(f, Format, importtest.Read(f, "../testdata/swim/jobs.tsv"))
}
