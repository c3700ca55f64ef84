package google

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"replay/trace"
	"replay/trace/importer/importtest"
	"replay/trace/importer/workload"
)

func fixture(name string) string { return filepath.Join("..", "testdata", name) }

func TestGolden(t *testing.T) {
	for name, f := range map[string]workload.Format{"google-2011/small": V2011, "google-2019/json": V2019, "google-2019/csv": V2019} {
		res, m, err := importtest.Import(t, f, fixture(name), nil)
		if err != nil {
			t.Fatal(err)
		}
		importtest.Golden(t, strings.ReplaceAll(name, "/", "-"), res, m)
	}
}

// durations are those of the tasks of a job, with how often each was retried.
func durations(m *trace.MemoryTrace, job string) (ms []int64, retries []int32) {
	for _, j := range m.JobList {
		for i := range j.Stages {
			if j.ExternalID == job {
				ms, retries = append(ms, j.Stages[i].Tasks.DurationMS...), append(retries, j.Stages[i].Tasks.Retries...)
			}
		}
	}
	return ms, retries
}

// A task that was evicted and ran again takes as long as its last run, or as all of them; one that still ran when the trace ended is there if one wants it.
func TestSpans(t *testing.T) {
	for _, tt := range []struct {
		params  map[string]string
		ms      []int64
		retries []int32
	}{
		{nil, []int64{1304_000}, []int32{1}},
		{map[string]string{"span": "sum"}, []int64{191_000 + 1304_000}, []int32{1}},
		{map[string]string{"keep-censored": "true"}, []int64{1304_000, 2791_000}, []int32{1}},
	} {
		_, m, err := importtest.Import(t, V2011, fixture("google-2011/small"), func(o *workload.Options) { o.Params = tt.params })
		if err != nil {
			t.Fatal(err)
		}
		if ms, retries := durations(m, "300"); !slices.Equal(ms, tt.ms) || !slices.Equal(retries, tt.retries) {
			t.Errorf("%v: %v with %v retries, want %v with %v", tt.params, ms, retries, tt.ms, tt.retries)
		}
	}
}

// What the trace counts in shares of a machine is counted in those of the machine that is given.
func TestMachine(t *testing.T) {
	_, m, err := importtest.Import(t, V2011, fixture("google-2011/small"), func(o *workload.Options) {
		o.Params = map[string]string{"machine-vcores": "64", "machine-mem": "100GiB"}
	})
	if err != nil {
		t.Fatal(err)
	}
	if n, s := m.Nodes[0], &m.JobList[0].Stages[0]; n.VCores != 32 || n.MemMiB != 25529 || s.TaskVCores != 8 || s.TaskMemMiB != 7625 {
		t.Errorf("node of %d vcores and %d MiB, task of %d and %d", n.VCores, n.MemMiB, s.TaskVCores, s.TaskMemMiB)
	}
}

// Parts may be packed, and be given one by one.
func TestParts(t *testing.T) {
	res, _, err := importtest.Import(t, V2011, fixture("google-2011/small"), nil)
	if err != nil {
		t.Fatal(err)
	}
	dir := importtest.Copy(t, fixture("google-2011/small"))
	var files []string
	for _, table := range []string{"machine_events", "job_events", "task_events"} {
		parts, err := filepath.Glob(filepath.Join(dir, table, "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range parts {
			data := importtest.Gzip(t, importtest.Read(t, p))
			importtest.Write(t, p+".gz", string(data))
			if err := os.Remove(p); err != nil {
				t.Fatal(err)
			}
			files = append(files, p+".gz")
		}
	}
	for _, inputs := range [][]string{{dir}, files} {
		again, _, err := importtest.ImportAll(t, V2011, inputs, nil)
		if err != nil || again.Trace != res.Trace {
			t.Errorf("%v: %+v (%v), want %+v", inputs, again, err, res.Trace)
		}
	}
}

// Tools write words for fields that are empty, and numbers of columns that have some with a point.
func TestWordsForEmptyFields(t *testing.T) {
	const machines = "0,1,0,p,1,1\n0,2,0,p,1,1\n700000000,2,1,,,\n"
	const tasks = "600000000,,7,0,,0,u,1,2,0.5,0.1,,\n700000000,,7,0,1,1,u,1,2,0.5,0.1,,\n900000000,,7,0,1,4,u,1,2,,,,\n"
	read := func(machines, tasks string) (string, int) {
		dir := t.TempDir()
		importtest.Write(t, filepath.Join(dir, "machine_events.csv"), machines)
		importtest.Write(t, filepath.Join(dir, "task_events.csv"), tasks)
		res, m, err := importtest.Import(t, V2011, dir, func(o *workload.Options) { o.Name = "t" })
		if err != nil {
			t.Fatal(err)
		}
		return importtest.Text(m), len(res.Counts.Dropped)
	}
	want, _ := read(machines, tasks)
	empty := regexp.MustCompile(`,(,|\n)`)
	for _, word := range []string{"NaN", "nan", "null", "NULL", `\N`, "None", "<NA>"} {
		fill := func(s string) string {
			return empty.ReplaceAllString(empty.ReplaceAllString(s, ","+word+"$1"), ","+word+"$1")
		}
		if got, dropped := read(fill(machines), fill(tasks)); got != want || dropped > 0 {
			t.Errorf("with %s for empty fields:\n%s\nwant\n%s", word, got, want)
		}
	}
	if got, _ := read(machines, strings.ReplaceAll(tasks, ",7,0,1,", ",7,0,1.0,")); got != want {
		t.Errorf("with machines such as 1.0:\n%s\nwant\n%s", got, want)
	}
}

func TestErrors(t *testing.T) {
	type files map[string]string
	machine := "0,1,0,p,1,1\n"
	for name, tt := range map[string]struct {
		format workload.Format
		files  files
		want   string
	}{
		"no tasks":         {V2011, files{"machine_events.csv": machine}, "no file of task_events among the inputs"},
		"a negative time":  {V2011, files{"machine_events.csv": machine, "task_events.csv": "-5,,1,0,,0,,,,,,,\n"}, `task_events.csv: line 1: time is "-5", want a whole number from 0`},
		"an unknown event": {V2011, files{"machine_events.csv": machine, "task_events.csv": "0,,1,0,,9,,,,,,,\n"}, `event type is "9", want a whole number from 0 to 8`},
		"a huge share":     {V2011, files{"machine_events.csv": machine, "task_events.csv": "0,,1,0,,0,,,,1e300,,,\n"}, `CPU request is "1e300", want a number from 0 to 1000`},
		"no machine":       {V2011, files{"machine_events.csv": "5,1,1,,,\n", "task_events.csv": "0,,1,0,,0,,,,,,,\n"}, "machine_events.csv: line 1: machine 1 is removed or updated, want that it was added before"},
		"removed twice":    {V2011, files{"machine_events.csv": machine + "5,1,1,,,\n6,1,1,,,\n", "task_events.csv": "0,,1,0,,0,,,,,,,\n"}, "line 3: machine 1 is not there"},
		"a share of none":  {V2011, files{"machine_events.csv": machine, "task_events.csv": "0,,1,0,,0,,,,Inf,,,\n"}, `CPU request is "Inf"`},
		"no JSON":          {V2019, files{"machine_events.json": "{\"time\":0}\n", "instance_events.json": "{\"time\":0\n"}, "machine_events.json: line 1: machine_id is \"\", want a name"},
		"broken JSON":      {V2019, files{"machine_events.json": "", "instance_events.json": "{\"time\":0\n"}, "instance_events.json: line 1:"},
		"an unknown name":  {V2019, files{"machine_events.json": "", "instance_events.json": `{"time":1,"type":"STOP","collection_id":1,"instance_index":0}`}, `type is "STOP", want 0 to 10, or one of SUBMIT, QUEUE`},
		"no column":        {V2019, files{"machine_events.csv": "time,machine_id,type\n", "instance_events.csv": "time,type\n1,2\n"}, "instance_events.csv: line 1: no column collection_id, want time,type,collection_id"},
	} {
		t.Run(name, func(t *testing.T) {
			importtest.RefusedFiles(t, tt.format, tt.files, tt.want)
		})
	}
}

// The sample has what was counted in it by hand.
func TestSample(t *testing.T) {
	res, m, err := importtest.Import(t, V2011, importtest.Sample(t, "google-2011-format"), nil)
	if err != nil {
		t.Fatal(err)
	}
	for k, n := range (workload.Counter{"rows_of_machine_events": 12, "rows_of_job_events": 9, "rows_of_task_events": 31, "rows_of_task_events_in_place_of_missing_ones": 1}) {
		if res.Counts.Read[k] != n {
			t.Errorf("read %s is %d, want %d", k, res.Counts.Read[k], n)
		}
	}
	if want := (trace.Counts{Nodes: 8, NodeEvents: 4, Jobs: 3, Stages: 3, Tasks: 9}); res.Trace != want {
		t.Errorf("%+v, want %+v", res.Trace, want)
	}
	if ms, _ := durations(m, "6251995937"); !slices.Equal(ms, []int64{1304_000, 1500_000, 1500_000}) {
		t.Errorf("durations %v", ms)
	}
}

func FuzzGoogle(f *testing.F) {
	type file struct {
		format workload.Format
		dir    string
		path   string
	}
	var all []file
	for dir, format := range map[string]workload.Format{"google-2011/small": V2011, "google-2019/json": V2019, "google-2019/csv": V2019} {
		for _, pattern := range []string{"*.*", "*/*.*"} {
			files, err := filepath.Glob(filepath.Join(fixture(dir), pattern))
			if err != nil {
				f.Fatal(err)
			}
			for _, path := range files {
				rel, err := filepath.Rel(fixture(dir), path)
				if err != nil {
					f.Fatal(err)
				}
				all = append(all, file{format, dir, rel})
			}
		}
	}
	slices.SortFunc(all, func(a, b file) int { return strings.Compare(a.dir+a.path, b.dir+b.path) })
	for i, x := range all {
		data, err := os.ReadFile(filepath.Join(fixture(x.dir), x.path))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(uint8(i), data)
	}
	dirs := map[string]string{}
	for _, x := range all {
		if dirs[x.dir] == "" {
			dirs[x.dir] = importtest.Copy(f, fixture(x.dir))
		}
	}
	opt := workload.DefaultOptions()
	opt.Out = filepath.Join(f.TempDir(), "out")
	f.Fuzz(func(t *testing.T, i uint8, data []byte) {
		if int(i) >= len(all) {
			return
		}
		x := all[i]
		dir := dirs[x.dir]
		importtest.Changed(t, filepath.Join(dir, x.path), data, func() { importtest.Try(t, x.format, []string{dir}, opt, data) })
	})
}

// Without a table of machines the nodes are those on which tasks ran, or, where events name none, as many as the work takes, of the machine by which the trace counts.
func TestWithoutMachines(t *testing.T) {
	const head = "1000000000,,7,0,,0,u,,,0.5,0.1,,\n"
	for name, tt := range map[string]struct{ machine, want string }{"where tasks ran": {"m9", "m9"}, "nowhere": {"", "host1"}} {
		path := importtest.WriteNew(t, "task_events.csv", head+"1001000000,,7,0,"+tt.machine+",1,u,,,0.5,0.1,,\n1002000000,,7,0,"+tt.machine+",4,u,,,0.5,0.1,,\n")
		_, m, err := importtest.Import(t, V2011, path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if n := m.Nodes[0]; len(m.Nodes) != 1 || n.Host != tt.want || n.MemMiB != 128<<10 || n.VCores != 32 || !n.Present {
			t.Errorf("%s: nodes are %+v, want %s of 128 GiB and 32 vcores", name, m.Nodes, tt.want)
		}
	}
}

// The order of inputs, of the rows of a table and of events at one time changes nothing.
func TestOrderOfInputs(t *testing.T) {
	dir := t.TempDir()
	importtest.Write(t, filepath.Join(dir, "machine_events-0.json"), `{"time":"0","machine_id":"1","type":1,"capacity":{"cpus":1,"memory":1}}`)
	rows := []string{ // a task of no length, and one that was evicted and scheduled again at once
		`{"time":"700000000","type":"SCHEDULE","collection_id":"5","instance_index":0,"machine_id":"1"}`, `{"time":"700000000","type":"FINISH","collection_id":"5","instance_index":0}`,
		`{"time":"700000000","type":"SCHEDULE","collection_id":"5","instance_index":1,"machine_id":"1"}`, `{"time":"710000000","type":"EVICT","collection_id":"5","instance_index":1}`,
		`{"time":"710000000","type":"SCHEDULE","collection_id":"5","instance_index":1,"machine_id":"1"}`, `{"time":"715000000","type":"FINISH","collection_id":"5","instance_index":1}`,
	}
	var want string
	for turn, shards := range [][2]string{{"a-instance_events-0.json", "b-instance_events-1.json"}, {"b-instance_events-1.json", "a-instance_events-0.json"}, {"b-instance_events-1.json", "a-instance_events-0.json"}} {
		if turn == 2 {
			slices.Reverse(rows)
		}
		importtest.Write(t, filepath.Join(dir, "a-instance_events-0.json"), strings.Join(rows[:3], "\n"))
		importtest.Write(t, filepath.Join(dir, "b-instance_events-1.json"), strings.Join(rows[3:], "\n"))
		var out string
		_, m, err := importtest.ImportAll(t, V2019, []string{filepath.Join(dir, shards[0]), filepath.Join(dir, "machine_events-0.json"), filepath.Join(dir, shards[1])},
			func(o *workload.Options) { o.Strict, out = true, o.Out })
		if err != nil {
			t.Fatal(err)
		}
		if ms, retries := durations(m, "5"); !slices.Equal(ms, []int64{0, 5000}) || !slices.Equal(retries, []int32{trace.Unset, 1}) {
			t.Errorf("turn %d: %v ms with %v retries, want 0 and 5000 with -1 and 1", turn, ms, retries)
		}
		manifest := string(importtest.Read(t, filepath.Join(out, "trace.json")))
		if turn == 0 {
			want = manifest
		} else if turn == 1 && manifest != want {
			t.Errorf("trace.json is %s\nwant %s", manifest, want)
		}
	}
}

// A table made of several of the trace, such as samples of it are, is none of them.
func TestOtherTables(t *testing.T) {
	for _, head := range []string{",time,instance_events_type,collection_id,collection_type,instance_index,machine_id\n0,0,2,94591244395,1,144,168846390496\n", `{"event_time":1,"subtype":2,"collection_id":3,"instance_index":4}`} {
		if how := V2019.Detect("borg_traces_data.csv", []byte(head)); how != "" {
			t.Errorf("%.40s: %s, want no table", head, how)
		}
	}
}

// A header that begins with # hides a table of 2011 from no one: its name and the fields of the next row tell.
func TestHeaderOfAComment(t *testing.T) {
	const row = "0,,3418309,0,,0,user,3,9,0.125,0.07446,0.0004244,\n"
	for name, head := range map[string]string{
		"task_events.csv":         "# time,missing info,job ID\n" + row,
		"part-00000-of-00500.csv": "#time\r\n" + row,
		"Task-Events-sample.csv":  "#time\r\n" + row,
		"task_events-of-2011.csv": row,
	} {
		if V2011.Detect(name, []byte(head)) == "" {
			t.Errorf("%s: %q is not recognised", name, head)
		}
	}
	for name, head := range map[string]string{"task_events.csv": "# time\nuser,3\n", "jobs.csv": "# time\n" + row, "part-0.csv": "#"} {
		if how := V2011.Detect(name, []byte(head)); how != "" {
			t.Errorf("%s: %q: %s, want no table", name, head, how)
		}
	}
}

// A trace of another origin has its times as they stand: in the published one nothing happens between 0 and 600 s.
func TestTimesBeforeTheTrace(t *testing.T) {
	dir := t.TempDir()
	importtest.Write(t, filepath.Join(dir, "machine_events.csv"), "0,1,0,p,1,1\n7000000,2,0,p,1,1\n")
	tasks := "0,,5,0,1,0\n2000000,,5,0,1,1\n9000000,,5,0,1,4\n"
	for _, tt := range []struct {
		tasks, warned string
		ms            int64
		joins         int
	}{
		{tasks, "the latest event is at 9000000 µs, 9s after that", 7000, 1},
		{strings.ReplaceAll(tasks, "2000000", "0"), "the latest event is at 9000000 µs", 9000, 1},
	} {
		importtest.Write(t, filepath.Join(dir, "task_events.csv"), tt.tasks)
		var warned []string
		_, m, err := importtest.Import(t, V2011, dir, func(o *workload.Options) { o.Warn = func(s string) { warned = append(warned, s) } })
		if err != nil {
			t.Fatal(err)
		}
		if ms := m.JobList[0].Stages[0].Tasks.DurationMS; len(ms) != 1 || ms[0] != tt.ms || len(m.Events) != tt.joins || !strings.Contains(strings.Join(warned, "\n"), tt.warned) {
			t.Errorf("%v ms, %d events of nodes, warned of %q; want %d, %d, %q", ms, len(m.Events), warned, tt.ms, tt.joins, tt.warned)
		}
	}
}

// Sizes that are no shares are told.
func TestSizesAboveOne(t *testing.T) {
	for machine, want := range map[string]bool{"0,1,0,p,1,1\n": false, "0,1,0,p,8,1\n0,2,0,p,8,1\n": true, "0,1,0,p,0.5,64\n": true} {
		dir := t.TempDir()
		importtest.Write(t, filepath.Join(dir, "machine_events.csv"), machine)
		importtest.Write(t, filepath.Join(dir, "task_events.csv"), "600000000,,5,0,1,0\n600000000,,5,0,1,1\n609000000,,5,0,1,4\n")
		var warned []string
		if _, _, err := importtest.Import(t, V2011, dir, func(o *workload.Options) { o.Warn = func(s string) { warned = append(warned, s) } }); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(strings.Join(warned, "\n"), "line 1: machine 1 has "); n != map[bool]int{false: 0, true: 1}[want] {
			t.Errorf("%q: warned of %q, want %t", machine, warned, want)
		}
	}
}
