package jhist

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"replay/trace/importer/importtest"
	"replay/trace/importer/workload"
)

// fixture returns the lines of the history in testdata.
func fixture(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("../testdata/jhist/done/*.jhist")
	if err != nil || len(files) != 1 {
		t.Fatalf("%q, %v", files, err)
	}
	return strings.SplitAfter(string(importtest.Read(t, files[0])), "\n")
}

// What is wrong with a history leaves it out, with the reason and the place.
func TestBadInput(t *testing.T) {
	all := fixture(t)
	whole := strings.Join(all, "")
	with := func(old, new string) string {
		if !strings.Contains(whole, old) {
			t.Fatalf("no %q", old)
		}
		return strings.Replace(whole, old, new, 1)
	}
	for _, tt := range []struct{ text, want string }{
		{"", "no event"},
		{"Avro-Binary\n{}\n\x00\x01", "its schema has \"\", want a type of Avro"},
		{"hello\n", `the first line is "hello", want Avro-Json`},
		{strings.ReplaceAll(whole, "\n", "\r"), "line 1: goes on after a carriage return, want a line feed at the end of each line (tr '"},
		{"Meta VERSION=\"1\" .\nJob JOBID=\"job_201311192236_3583\" .\n", "is a history of Hadoop 1, want one of Hadoop 2 or later; Hadoop's Rumen makes traces of such"},
		{all[0] + all[1], "no event"},
		{all[0] + all[1] + all[7], "no JOB_SUBMITTED"},
		{with(`"submitTime":1700000000000`, `"submitTime":"x"`), `line 5: JOB_SUBMITTED: submitTime is "x", want ms since 1970`},
		{with(`"submitTime":1700000000000`, `"submitTime":99999999999999999999`), "submitTime is 99999999999999999999"},
		{with(`"finishTime":1700000015000`, `"finishTime":1600000015000`), "attempt attempt_1700000000000_0001_m_000000_0 began at 1700000005000 and ended at 1600000015000"},
		{with(`"event":{`, `"even":{`), "line 4: an object without type and event"},
		{with(`{"type":"JOB_INITED"`, `{"type":"JOB_INITED`), "line 8: no JSON"},
		{with(`"memory":2048`, `"memory":2147483647`), "the container of a map has 2147483647 MiB and 1 vcores (mapreduce.map.memory.mb and .cpu.vcores), want at most 134217728 MiB and 131072 vcores"},
		{with(`"jobName":"word count"`, `"jobName":[1,2]`), "jobName is [1,2], want text"},
	} {
		_, _, err := importtest.Import(t, Format, importtest.WriteNew(t, "job.jhist", tt.text), nil)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%.60q: error is %v, want %q", tt.text, err, tt.want)
		}
	}
}

// A history that breaks off within a line is that of a job that has not ended: what was there is taken, what had not ended is not.
func TestBreaksOff(t *testing.T) {
	all := fixture(t)
	path := importtest.WriteNew(t, "job.jhist", strings.Join(all[:len(all)-3], "")+all[len(all)-3][:50])
	res, m, err := importtest.Import(t, Format, path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if j := m.JobList[0]; j.RecordedOutcome != "censored" || j.NumTasks() != 3 || res.Counts.Dropped["lines_that_are_no_event"] != 1 {
		t.Errorf("%+v, %+v", j, res.Counts)
	}
	if _, _, err := importtest.Import(t, Format, path, func(o *workload.Options) { o.Strict = true }); err == nil || !strings.Contains(err.Error(), "no JSON") {
		t.Errorf("strict says %v", err)
	}
}

// An attempt whose end comes before its begin, or whose begin is not there, leaves the history out; leniently its task takes as long as others of its kind.
func TestTimesThatCannotBe(t *testing.T) {
	whole := strings.Join(fixture(t), "")
	const began = `"attemptId":"attempt_1700000000000_0001_m_000000_0","startTime":`
	for from, why := range map[string]string{began + "1700000005000": "began at 1700000025000 and ended at 1700000015000", began: "began at no known time and ended at 1700000015000"} {
		to := began + "1700000025000"
		if from == began {
			to = strings.Replace(began, "startTime", "start", 1)
		}
		path := importtest.WriteNew(t, "job.jhist", strings.Replace(whole, from, to, 1))
		if _, _, err := importtest.Import(t, Format, path, nil); err == nil || !strings.Contains(err.Error(), "attempt_1700000000000_0001_m_000000_0 "+why) || !strings.Contains(err.Error(), "--lenient takes the median") {
			t.Errorf("%v, want %q", err, why)
		}
		res, m, err := importtest.Import(t, Format, path, func(o *workload.Options) { o.Lenient = true })
		if err != nil {
			t.Fatal(err)
		}
		if ms := m.JobList[0].Stages[0].Tasks.DurationMS; ms[0] != 12000 || ms[1] != 12000 || res.Counts.Modelled["times_of_attempts_that_cannot_be"] != 1 {
			t.Errorf("%s: maps take %v, modelled %v", why, ms, res.Counts.Modelled)
		}
	}
}

// The same history twice is one job; another one beside it that can't be used is left out.
func TestFolder(t *testing.T) {
	whole := strings.Join(fixture(t), "")
	dir := t.TempDir()
	for name, text := range map[string]string{"a.jhist": whole, "b.jhist": whole, "c.jhist": "x\n", "c_conf.xml": "<x/>"} {
		importtest.Write(t, filepath.Join(dir, name), text)
	}
	res, _, err := importtest.Import(t, Format, dir, nil)
	if err != nil || res.Trace.Jobs != 1 || len(res.Inputs) != 3 || workload.Summary(res.Inputs) != "2 files and recordings: 1 no recording, 1 there twice" {
		t.Errorf("%+v, %v", res, err)
	}
	if _, _, err := importtest.Import(t, Format, dir, func(o *workload.Options) { o.FromMS = 1800000000000 }); err == nil || !strings.Contains(err.Error(), "outside --from and --to") {
		t.Errorf("%v", err)
	}
}

// Files of one name in several folders are told apart.
func TestNamesWithFolders(t *testing.T) {
	whole := strings.Join(fixture(t), "")
	dir := filepath.Join(t.TempDir(), "done")
	for _, day := range []string{"day1", "day2"} {
		if err := os.MkdirAll(filepath.Join(dir, day), 0o755); err != nil {
			t.Fatal(err)
		}
		importtest.Write(t, filepath.Join(dir, day, "a.jhist"), whole)
	}
	importtest.Write(t, filepath.Join(dir, "day2", "x.txt"), "x\n")
	res, _, err := importtest.Import(t, Format, dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, in := range res.Inputs {
		got = append(got, strings.TrimSpace(in.Label+" "+in.Why))
	}
	want := []string{`done/day1/a.jhist`, `done/day2/x.txt the first line is "x", want Avro-Json or Avro-Binary`, "done/day2/a.jhist application job_1700000000000_0001 is also in done/day1/a.jhist"}
	if !slices.Equal(got, want) {
		t.Errorf("inputs %q, want %q", got, want)
	}
}

// The configuration beside a history says sizes of containers, where the history does not, and how the job goes on; what the history says of where tasks ran counts.
func TestConfiguration(t *testing.T) {
	whole := strings.Join(fixture(t), "")
	files, err := filepath.Glob("../testdata/jhist/done/*_conf.xml")
	if err != nil || len(files) != 1 {
		t.Fatalf("%q, %v", files, err)
	}
	conf := string(importtest.Read(t, files[0]))
	const id = "job_1700000000000_0001"
	for _, tt := range []struct {
		name, history, conf, want string
		dropped                   int64
	}{
		{id + "_conf.xml", whole, conf, "master 2048 MiB 2, maps 2048 MiB 1, reduces 3072 MiB 2 [{mapreduce.job.reduce.slowstart.completedmaps 0.8} {mapreduce.map.speculative false}]", 0},
		{id + "_conf.xml.gz", whole, string(importtest.Gzip(t, []byte(conf))), "master 2048 MiB 2, maps 2048 MiB 1, reduces 3072 MiB 2 [{mapreduce.job.reduce.slowstart.completedmaps 0.8} {mapreduce.map.speculative false}]", 0},
		{"a_conf.xml", whole, conf, "master 2048 MiB 2, maps 2048 MiB 1, reduces 3072 MiB 2 [{mapreduce.job.reduce.slowstart.completedmaps 0.8} {mapreduce.map.speculative false}]", 0},
		{"job_1700000000000_0002_conf.xml", whole, conf, "master 1536 MiB 1, maps 2048 MiB 1, reduces 1024 MiB 1 []", 1},
		{id + "_conf.xml", whole, "<configuration><property>", "master 1536 MiB 1, maps 2048 MiB 1, reduces 1024 MiB 1 []", 1},
		{id + "_conf.xml", strings.Replace(whole, `"uberized":false`, `"uberized":true`, 1), conf,
			"master 2048 MiB 2, maps 2048 MiB 1, reduces 2048 MiB 2 [{mapreduce.job.reduce.slowstart.completedmaps 0.8} {mapreduce.job.ubertask.enable true} {mapreduce.job.ubertask.maxbytes 134218728} {mapreduce.map.speculative false}]", 0},
		{id + "_conf.xml", strings.Replace(whole, `"uberized":false`, `"uberized":true`, 1), `<configuration><property><name>mapreduce.job.ubertask.maxmaps</name><value>1</value></property></configuration>`,
			"master 1536 MiB 1, maps 1536 MiB 1, reduces 1024 MiB 1 [{mapreduce.job.ubertask.enable true} {mapreduce.job.ubertask.maxbytes 134218728} {mapreduce.job.ubertask.maxmaps 2}]", 0},
	} {
		dir := t.TempDir()
		importtest.Write(t, filepath.Join(dir, "a.jhist"), tt.history)
		importtest.Write(t, filepath.Join(dir, tt.name), tt.conf)
		res, m, err := importtest.Import(t, Format, dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		j := m.JobList[0]
		got := fmt.Sprintf("master %d MiB %d, maps %d MiB %d, reduces %d MiB %d %v", j.AMMemMiB, j.AMVCores,
			j.Stages[0].TaskMemMiB, j.Stages[0].TaskVCores, j.Stages[1].TaskMemMiB, j.Stages[1].TaskVCores, j.Conf)
		if dropped := res.Counts.Dropped["files_that_are_not_read"] + res.Counts.Dropped["configurations_that_cannot_be_read"]; got != tt.want || dropped != tt.dropped {
			t.Errorf("%s: %s, dropped %v, want %s and %d of them", tt.name, got, res.Counts.Dropped, tt.want, tt.dropped)
		}
	}
}

func FuzzJhist(f *testing.F) { importtest.Fuzz(f, Format, []byte(strings.Join(fixture(f), ""))) }
