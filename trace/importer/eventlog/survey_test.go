package eventlog

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"replay/trace"
	"replay/trace/importer/importtest"
	"replay/trace/importer/workload"
)

// named is the small log of the application called id, which starts a minute later with each hour.
func named(id string, hour int) string {
	return strings.NewReplacer(`"app-1"`, `"`+id+`"`, `"Timestamp":1000`, fmt.Sprintf(`"Timestamp":%d`, 1000+hour)).Replace(logText)
}

// folder makes a folder of files, whose names may have folders in them; a name that ends in a slash is an empty one.
func folder(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "logs")
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "/") {
			if err := os.MkdirAll(path, 0o755); err != nil {
				t.Fatal(err)
			}
			continue
		}
		importtest.Write(t, path, text)
	}
	return dir
}

// messy is a folder as a history server leaves it, with what became of each of its entries.
func messy(t testing.TB) (dir string, want map[string]string) {
	t.Helper()
	line := strings.SplitAfter(logText, "\n")
	part := func(from, to int) string { return strings.Join(line[from:to], "") }
	noEnd := logWith(17, "")
	packed := string(importtest.Read(t, sampleLog+".zstd"))
	attempt := func(id, n string, start int) string {
		return strings.Replace(named(id, start), `"User":"u"`, `"User":"u","App Attempt ID":"`+n+`"`, 1)
	}
	files, want := map[string]string{}, map[string]string{}
	add := func(name, text, what string) { files[name], want["logs/"+name] = text, what }
	add("app-whole", named("app-whole", 0), "there twice: application app-whole is also in")
	add("windows", strings.ReplaceAll("\xef\xbb\xbf"+named("windows", 0), "\n", "\r\n"), "used")
	add("app.lz4", packed, "used") // what it is packed with shows in its bytes
	add("app-zstd.zstd.gz", string(importtest.Gzip(t, []byte(named("in-gz", 0)))), "used")
	add("app-run.inprogress", strings.ReplaceAll(noEnd, "app-1", "app-run"), "used, no end")
	add("app-torn.inprogress", strings.ReplaceAll(logText[:len(logText)-30], "app-1", "app-torn"), "used, no end")
	add("app-torn-2.inprogress", strings.ReplaceAll(logText[:len(logText)-30], "app-1", "app-torn-2")+"\n", "used, no end")
	add("deep/er.inprogress/app-in", named("app-in", 0), "used")
	add("killed", strings.ReplaceAll(noEnd, "app-1", "killed"), "used, no end")
	add("events_1_alone", noEnd, "killed or cut off: no SparkListenerApplicationEnd, and the name does not end in .inprogress; it is named as one file of a rolling log: its folder, eventlog_v2_…, is read as a whole; --lenient")
	add("events_2_alone", part(5, 17), "damaged: begins in the middle: no SparkListenerLogStart and no SparkListenerApplicationStart, want the first part of this log; it is named")
	add("cut", strings.ReplaceAll(logText[:len(logText)-30], "app-1", "cut"), "used, no end")
	add("cut.zstd", packed[:9000], "there twice: application app-20261121064901-0000 is also in logs/app.lz4")
	add("broken", logWith(9, `{"Event":"SparkListenerTaskEnd","Stage ID"}`), "damaged: line 9: not JSON")
	add("tail", part(5, 17), "damaged: begins in the middle")
	add("noise.zstd", "\x28\xb5\x2f\xfd and what is not zstd", "damaged: ")
	add("empty", "", "empty: the file has no bytes")
	add("blank", "\n \n", "empty: begins with nothing but white space")
	add("frame.zstd", "\x28\xb5\x2f\xfd\x24\x00\x01\x00\x00\x99\xe9\xd8\x51", "empty: zstd of nothing")
	add("README.md", "# Logs\n", "no recording: text, not an event log")
	add("notes.md.gz", string(importtest.Gzip(t, []byte("# Logs\n"))), "no recording: text, not an event log")
	add("utf16", "\xff\xfe{\x00\"\x00E\x00", "killed or cut off: ends before SparkListenerApplicationStart: line 1: not JSON")
	add("logs.zip", "PK\x03\x04....", "damaged: zip: not a valid zip file")
	add("image", "\x00\x01\x02", "no recording: binary (00 01 02), not an event log")
	add("conf.json", "{\n  \"a\": 1\n}\n", "no recording: JSON, not an event log")
	add("yarn-site.xml", "<?xml version=\"1.0\"?>\n<configuration>\n", "no recording: configuration of Hadoop (replay run, compare, plan and gate take the folder that it is in with --config-dir), not an event log")
	add("nodes.json", `{"nodes":{"node":[{"usedMemoryMB":1024,"availMemoryMB":1024,"usedVirtualCores":1,"availableVirtualCores":1}]}}`,
		"no recording: nodes, as the ResourceManager answers over REST (an import takes one such list beside its input as the nodes of the trace), not an event log")
	add("old", strings.SplitAfterN(logText, "\n", 2)[1], "too old: no version line: Spark before 1.4")
	add("headless", strings.SplitAfterN(logText, "\n", 2)[1]+`{"Event":"org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart","executionId":0}`+"\n",
		"damaged: no SparkListenerLogStart")
	add("dbc", strings.Replace(strings.ReplaceAll(logWith(17, ""), "app-1", "dbc"), "SparkListenerLogStart", databricksStart, 1), "used, no end")
	add("older", strings.Replace(logText, "3.5.5", "1.3.1", 1), "too old: Spark 1.3.1")
	add("app-20150101-1/EVENT_LOG_1", "{}", "")
	want["logs/app-20150101-1"] = "too old: a folder with EVENT_LOG_1"
	add("idle", strings.ReplaceAll(part(0, 4)+part(16, 17), "app-1", "idle"), "ran no task: no task of application idle (small) ended")
	add("heaps", strings.Replace(logText, `"2g"`, `"2 heaps"`, 1), `unusable: spark property spark.executor.memory is "2 heaps"`)
	add("again/app-whole", named("app-whole", 0), "used")
	add("try_1", attempt("try", "1", 0), "earlier attempt: attempt 1 of application try; attempt 2 is in")
	add("try_2", attempt("try", "2", 9000), "used")
	add("first", named("by-chance", 0), "used")
	add("second", named("by-chance", 5000), "used")
	add("eventlog_v2_app-5/events_1_app-5", part(0, 5), "")
	add("eventlog_v2_app-5/events_3_app-5", part(5, 17), "")
	want["logs/eventlog_v2_app-5"] = "damaged: events_3_app-5 comes after number 1, want number 2"
	add("eventlog_v2_app-6/appstatus_app-6", "", "")
	want["logs/eventlog_v2_app-6"] = "empty: no events_* file"
	for name, text := range map[string]string{"eventlog-2021-06-15--15-00.gz": part(0, 5), "eventlog-2021-06-15--16-00": part(5, 9), "eventlog": part(9, 17)} {
		if text = strings.ReplaceAll(text, "app-1", "rolled"); strings.HasSuffix(name, ".gz") {
			text = string(importtest.Gzip(t, []byte(text)))
		}
		add("cluster-7/"+name, text, "")
	}
	want["logs/cluster-7"] = "used"
	add("a-trace/trace.json", "{}", "")
	add("a-trace/jobs.parquet", "PAR1", "")
	want["logs/a-trace"] = "no recording: a trace of this program, want an event log: replay run takes it as it is"
	add(".hidden", "x", "")
	add("nothing/", "", "")
	for name, what := range want {
		if what == "" {
			delete(want, name)
		}
	}
	return folder(t, files), want
}

// A folder as a history server leaves it is imported: what can be used is used, the rest has its reason.
func TestMessyFolder(t *testing.T) {
	dir, want := messy(t)
	if err := os.Symlink(dir, filepath.Join(dir, "loop")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, "gone"), filepath.Join(dir, "dangling")); err != nil {
		t.Fatal(err)
	}
	want["logs/dangling"] = "unreadable: no such file"
	res, m, err := importtest.Import(t, Format, dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	used := 0
	for _, in := range res.Inputs {
		got := "used"
		switch {
		case in.LeftOut != "":
			got = string(in.LeftOut) + ": " + in.Why
		case !in.Ended:
			got = "used, no end"
		}
		if w, ok := want[in.Label]; !ok || !strings.HasPrefix(got, w) || strings.HasPrefix(got, "used") && got != w {
			t.Errorf("%s: %s, want %q", in.Label, got, w)
		}
		if delete(want, in.Label); in.LeftOut == "" {
			used++
		}
	}
	for name := range want {
		t.Errorf("nothing is said of %s", name)
	}
	censored := 0
	var ids []string
	for _, j := range m.JobList {
		if ids = append(ids, j.ExternalID); j.RecordedOutcome == "censored" {
			censored++
		}
	}
	if len(m.JobList) != used || int64(used) != res.Counts.Kept["applications"] || len(res.Counts.LeftOut) != len(res.Inputs)-used || censored != 6 {
		t.Errorf("%d jobs, %d of %d inputs used, kept %v, %d left out, %d without an end", len(m.JobList), used, len(res.Inputs), res.Counts.Kept, len(res.Counts.LeftOut), censored)
	}
	if slices.Sort(ids); !slices.Contains(ids, "by-chance") || !slices.Contains(ids, "by-chance (2)") || slices.Contains(slices.Compact(ids), "try (2)") {
		t.Errorf("applications are %v", ids)
	}
}

// Strict stops at the first that would be left out, and lenient uses what is there of damaged logs.
func TestStrictAndLenientFolders(t *testing.T) {
	dir, _ := messy(t)
	_, _, err := importtest.Import(t, Format, dir, func(o *workload.Options) { o.Strict = true })
	if err == nil || !strings.Contains(err.Error(), "strict leaves nothing out") || !strings.Contains(err.Error(), dir) {
		t.Errorf("strict says %v", err)
	}
	res, _, err := importtest.Import(t, Format, dir, func(o *workload.Options) { o.Lenient = true })
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range res.Inputs {
		if in.LeftOut == workload.NoEnd && in.Application != "" || in.LeftOut == workload.Damaged && strings.HasSuffix(in.Label, "/broken") {
			t.Errorf("lenient leaves %s out: %s", in.Label, in.Why)
		}
	}
}

// Of two copies of a log the one with fewer broken lines is used, whatever they are called and whatever the lines say.
func TestLenientTakesTheBetterCopy(t *testing.T) {
	worse := logWith(4, `{"Event":"SparkListenerExecutorAdded","Timestamp":`)
	for _, names := range [][2]string{{"a", "b"}, {"b", "a"}} {
		dir := folder(t, map[string]string{names[0] + "/app-1": worse, names[1] + "/app-1": logText})
		res, _, err := importtest.Import(t, Format, dir, func(o *workload.Options) { o.Lenient = true })
		if err != nil {
			t.Fatal(err)
		}
		for _, in := range res.Inputs {
			if used := in.LeftOut == ""; used != (in.Label == "logs/"+names[1]+"/app-1") {
				t.Errorf("%v: %s is left out: %q", names, in.Label, in.Why)
			}
		}
	}
}

// A folder of which nothing can be used is an error that has them all; of one file the error is what is wrong with it.
func TestNothingToUse(t *testing.T) {
	for _, tt := range []struct {
		files map[string]string
		want  string
	}{
		{map[string]string{"README.md": "# Logs\n"}, "README.md: text, not an event log"},
		{map[string]string{"README.md": "# Logs\n", "empty": ""}, "nothing to use among 2 files and recordings: 1 no recording, 1 empty"},
	} {
		_, _, err := importtest.Import(t, Format, folder(t, tt.files), nil)
		var nothing *workload.NothingError
		if !errors.As(err, &nothing) || len(nothing.Inputs) != len(tt.files) || !strings.HasSuffix(err.Error(), tt.want) {
			t.Errorf("error is %v, want %q", err, tt.want)
		}
	}
}

func TestTimes(t *testing.T) {
	dir := folder(t, map[string]string{"a": named("a", 0), "b": named("b", 100), "c": named("c", 200)})
	for _, tt := range []struct {
		from, to int64
		want     string
	}{
		{trace.Unset, trace.Unset, "a b c"}, {1100, trace.Unset, "b c"}, {trace.Unset, 1100, "a"}, {1001, 1200, "b"},
	} {
		res, m, err := importtest.Import(t, Format, dir, func(o *workload.Options) { o.FromMS, o.ToMS = tt.from, tt.to })
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, j := range m.JobList {
			ids = append(ids, j.ExternalID)
		}
		if got := strings.Join(ids, " "); got != tt.want || len(res.Inputs) != 3 {
			t.Errorf("from %d to %d: %s, want %s; inputs %+v", tt.from, tt.to, got, tt.want, res.Inputs)
		}
	}
}

// A survey says what an import would, and writes nothing.
func TestSurvey(t *testing.T) {
	dir, _ := messy(t)
	opt := workload.DefaultOptions()
	seen, err := Format.Survey(t.Context(), "test", []string{dir}, opt)
	if err != nil {
		t.Fatal(err)
	}
	res, _, err := importtest.Import(t, Format, dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprintf("%+v", seen.Inputs), fmt.Sprintf("%+v", res.Inputs); got != want {
		t.Errorf("a survey says\n%s, the import\n%s", got, want)
	}
}

// The same recordings make the same trace: however they are named, packed and ordered, and whatever lies beside them.
func TestEqualLogsMakeEqualTraces(t *testing.T) {
	attempt := func(n, user, host string, start int) string {
		return strings.NewReplacer(`"User":"u"`, `"User":"`+user+`","App Attempt ID":"`+n+`"`, `"Host":"h1"`, `"Host":"`+host+`"`).Replace(named("b", start))
	}
	a, b, c := named("a", 900), attempt("2", "u", "h2", 900), strings.Replace(named("", 950), `"App ID":"",`, "", 1)
	lines := strings.SplitAfter(b, "\n")
	want := ""
	for _, tt := range []struct {
		name  string
		files map[string]string
	}{
		{"plain", map[string]string{"x": a, "y": b, "z": c}},
		{"other names", map[string]string{"2": a, "1": b, "0": c}},
		{"packed", map[string]string{"a.gz": string(importtest.Gzip(t, []byte(a))), "y": b, "c": c}},
		{"rolled", map[string]string{"a": a, "eventlog_v2_b/events_1_b": strings.Join(lines[:8], ""), "eventlog_v2_b/events_2_b": strings.Join(lines[8:], ""), "c": c}},
		{"beside others", map[string]string{"x": a, "y": b, "z": c, "again": a, "README": "text", "empty": "", "cut": a[:len(a)-30], "first": attempt("1", "other", "elsewhere", 0)}},
	} {
		res, m, err := importtest.Import(t, Format, folder(t, tt.files), nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(m.JobList) != 3 || len(m.Nodes) != 2 || m.JobList[2].ExternalID != "small-1950" {
			t.Errorf("%s: %d jobs on %v, the last is %s", tt.name, len(m.JobList), m.Nodes, m.JobList[2].ExternalID)
		}
		if want == "" {
			want = res.Hash
		}
		if res.Hash != want {
			t.Errorf("%s: the hash is %s, want %s", tt.name, res.Hash, want)
		}
	}
}

// What was read, less what was dropped, with what was made up, times the copies is what the trace has.
func TestNumbersAddUp(t *testing.T) {
	dir, _ := messy(t)
	importtest.Write(t, filepath.Join(dir, "lost"), strings.Replace(logWith(10, ""), "app-1", "lost", 1)) // a task without an end
	for _, copies := range []int64{1, 3} {
		res, m, err := importtest.Import(t, Format, dir, func(o *workload.Options) {
			o.Copies, o.Blocks, o.Nodes, o.Arrivals = int(copies), "hdfs", 4, "fixed:10s"
		})
		if err != nil {
			t.Fatal(err)
		}
		c, ms, present := res.Counts, int64(0), int64(0)
		for _, j := range m.JobList {
			for i := range j.Stages {
				for _, d := range j.Stages[i].Tasks.DurationMS {
					ms += d
				}
			}
		}
		for _, n := range m.Nodes {
			if n.Present {
				present++
			}
		}
		for what, pair := range map[string][2]int64{
			"inputs":       {c.Read["inputs"], c.Kept["applications"] + c.Dropped["inputs_left_out"]},
			"applications": {c.Read["applications"], c.Kept["applications"]},
			"jobs":         {copies * c.Kept["applications"], c.Kept["jobs"]},
			"copies":       {c.Modelled["copies"], c.Kept["jobs"] - c.Kept["applications"]},
			"stages":       {copies * (c.Read["stages"] - c.Dropped["stages_without_a_task"] - c.Dropped["stages_run_again_for_lost_output"]), c.Kept["stages"]},
			"tasks": {copies*(c.Read["tasks"]-c.Dropped["tasks_that_never_ended"]-c.Dropped["tasks_run_again_for_lost_output"]) + c.Modelled["durations_of_lost_tasks"],
				c.Kept["tasks"]},
			"executors":      {copies*(c.Read["executors_added"]-c.Dropped["executors_with_the_id_of_another"]) + c.Modelled["executors_that_no_event_added"], c.Kept["executors"]},
			"durations":      {ms, c.Kept["task_ms"]},
			"nodes":          {present + c.Modelled["recorded_hosts_outside_the_cluster"], c.Kept["nodes"]},
			"modelled nodes": {present, 4},
		} {
			if pair[0] != pair[1] || pair[0] == 0 && what != "copies" {
				t.Errorf("%d copies: %s: %d and %d, want equal numbers", copies, what, pair[0], pair[1])
			}
		}
		if c.Modelled["durations_of_lost_task_ends"] != copies {
			t.Errorf("%d copies: modelled %v", copies, c.Modelled)
		}
	}
}

// Nodes have the further resources that the executors of one host had at a time, with an application master.
func TestFurtherResources(t *testing.T) {
	const conf = `"spark.executor.instances":"1"`
	second := strings.Replace(strings.Split(logText, "\n")[3], `"Executor ID":"1"`, `"Executor ID":"2"`, 1)
	other := strings.NewReplacer(`"Executor ID":"1"`, `"Executor ID":"3"`, `"Host":"h1"`, `"Host":"h2"`).Replace(strings.Split(logText, "\n")[3])
	text := logWith(4, strings.Split(logText, "\n")[3]+"\n"+second+"\n"+other)
	text = strings.Replace(text, conf, conf+`,"spark.executor.resource.gpu.amount":"2","spark.task.resource.gpu.amount":"1","spark.yarn.executor.resource.acme.amount":"3","spark.executor.resource.tpu.amount":"9","spark.executor.resource.fpga.amount":"0","spark.driver.resource.gpu.amount":"1","spark.yarn.am.resource.acme.amount":"2","spark.yarn.driver.resource.acme.amount":"7"`, 1)
	for _, tt := range []struct {
		text, want string
		nodes      int
	}{
		{text, "[{acme 13} {yarn.io/gpu 5}] [{acme 13} {yarn.io/gpu 5}]", 0},
		{strings.Replace(text, `"spark.submit.deployMode":"cluster"`, `"spark.submit.deployMode":"client"`, 1), "[{acme 8} {yarn.io/gpu 5}] [{acme 8} {yarn.io/gpu 5}]", 0},
		{text, "[{acme 13} {yarn.io/gpu 5}] []", 1},
		{logText, "[]", 0},
	} {
		_, m, err := importtest.Import(t, Format, importtest.WriteNew(t, "app-1", tt.text), func(o *workload.Options) {
			if o.Nodes = tt.nodes; tt.nodes > 0 {
				o.Blocks = "hdfs"
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, n := range m.Nodes[:min(2, len(m.Nodes))] {
			got = append(got, fmt.Sprint(n.Extra))
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("nodes have %v, want %s", got, tt.want)
		}
	}
}

// A stage of a resource profile says what the executors of that profile have, and how many tasks their resources serve.
func TestResourcesOfAProfile(t *testing.T) {
	for _, tt := range []struct{ executors, tasks, keys, want string }{
		{`"cores":{"Amount":4},"gpu":{"Amount":2},"tpu":{"Amount":5}`, `"cpus":{"Amount":1.0},"gpu":{"Amount":0.25}`, "", "2432 MiB 4 vcores [{tpu 5} {yarn.io/gpu 2}] 0 tasks"},
		{`"cores":{"Amount":4},"gpu":{"Amount":2}`, `"gpu":{"Amount":1.0}`, "", "2432 MiB 4 vcores [{yarn.io/gpu 2}] 2 tasks"},
		{`"cores":{"Amount":4},"gpu":{"Amount":3}`, `"gpu":{"Amount":2.0}`, `,"spark.yarn.resourceGpuDeviceName":"acme.com/gpu"`, "2432 MiB 4 vcores [{acme.com/gpu 3}] 1 tasks"},
		{`"cores":{"Amount":4}`, `"gpu":{"Amount":0.5}`, "", "2432 MiB 4 vcores [] 1 tasks"},
		{``, `"gpu":{"Amount":0.5}`, `,"spark.executor.cores":"8","spark.executor.resource.gpu.amount":"2"`, "2432 MiB 8 vcores [] 4 tasks"},
		{`"cores":{"Amount":4}`, ``, `,"spark.executor.resource.gpu.amount":"2"`, "2432 MiB 4 vcores [] 0 tasks"},
	} {
		profile := `{"Event":"SparkListenerResourceProfileAdded","Resource Profile Id":3,"Executor Resource Requests":{` + tt.executors + `},"Task Resource Requests":{` + tt.tasks + "}}"
		text := strings.ReplaceAll(logWith(4, strings.Split(logText, "\n")[3]+"\n"+profile), `"Parent IDs":[],"Resource Profile Id":0`, `"Parent IDs":[],"Resource Profile Id":3`)
		text = strings.Replace(text, `"spark.executor.instances":"1"`, `"spark.executor.instances":"1"`+tt.keys, 1)
		_, m, err := importtest.Import(t, Format, importtest.WriteNew(t, "app-1", text), nil)
		if err != nil {
			t.Fatal(err)
		}
		s := &m.JobList[0].Stages[0]
		if got := fmt.Sprintf("%d MiB %d vcores %v %d tasks", s.ExecMemMiB, s.ExecVCores, s.ExecExtra, s.ExecTasks); got != tt.want || s.Profile != 3 {
			t.Errorf("executors {%s}, tasks {%s}: profile %d, %s; want 3, %s", tt.executors, tt.tasks, s.Profile, got, tt.want)
		}
	}
}

// A log that lost its properties and shows executors of a profile had dynamic allocation: else Spark refuses such a profile.
func TestProfileWithoutProperties(t *testing.T) {
	lines := strings.Split(logText, "\n")
	profile := `{"Event":"SparkListenerResourceProfileAdded","Resource Profile Id":3,"Executor Resource Requests":{"cores":{"Amount":4}},"Task Resource Requests":{}}`
	added := strings.NewReplacer(`"Executor ID":"1"`, `"Executor ID":"2"`, `"Resource Profile Id":0`, `"Resource Profile Id":3`).Replace(lines[3])
	text := strings.ReplaceAll(logWith(4, lines[3]+"\n"+profile+"\n"+added), "app-1", "application_1_1")
	for _, tt := range []struct {
		text      string
		want      int32
		defaulted int64
	}{{strings.Replace(text, lines[1]+"\n", "", 1), math.MaxInt32, 1}, {strings.Replace(text, `"spark.executor.instances"`, `"spark.dynamicAllocation.enabled":"false","spark.executor.instances"`, 1), trace.Unset, 0}} {
		res, m, err := importtest.Import(t, Format, importtest.WriteNew(t, "app-1", tt.text), nil)
		if err != nil {
			t.Fatal(err)
		}
		if j := m.JobList[0]; j.MaxExecs != tt.want || res.Counts.Defaulted["spark.dynamicAllocation.enabled_by_resource_profile"] != tt.defaulted {
			t.Errorf("at most %d executors, defaulted %v; want %d", j.MaxExecs, res.Counts.Defaulted, tt.want)
		}
	}
}

// Whose recording stops is on its hosts no longer than it: a later application has room there.
func TestUnendedLeavesItsHosts(t *testing.T) {
	dir := folder(t, map[string]string{"a.inprogress": strings.ReplaceAll(logWith(17, ""), "app-1", "a"), "b": strings.ReplaceAll(later(logText, 100_000), "app-1", "b")})
	_, m, err := importtest.Import(t, Format, dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if n := m.Nodes[0]; n.VCores != 2+1 || m.Source.NoEnd != 1 || fmt.Sprint(m.Source.RecordedOn) != "[{YARN 2}]" {
		t.Errorf("the node is %+v, the source %+v", n, m.Source)
	}
}

func TestManagers(t *testing.T) {
	for _, tt := range []struct{ master, id, want string }{
		{"yarn", "app-1", "YARN"}, {"yarn-cluster", "app-1", "YARN"}, {"k8s://https://x", "spark-1", "Kubernetes"}, {"spark://h:7077", "app-1", "standalone Spark"},
		{"local[4]", "application_1_1", "a local master"}, {"mesos://h", "x", "Mesos"}, {"other", "application_1_1", `the master "other"`}, {"*********(redacted)", "app-1-0", "standalone Spark"}, {"*********(redacted)", "application_1_1", "YARN"}, {"*********(redacted)", "x", ""}, {"", "application_1_1", "YARN"}, {"", "local-1", "a local master"}, {"", "x", ""},
	} {
		a, counts := newAppLog(), workload.NewCounts()
		if a.start.id = tt.id; tt.master != "" {
			a.conf["spark.master"] = tt.master
		}
		got := a.manager(counts)
		if by := counts.Defaulted["spark.master_by_application_id"]; got != tt.want || (by > 0) != (tt.master != "yarn" && tt.master != "yarn-cluster" && got == "YARN") || by > 0 && a.conf["spark.master"] != "yarn" {
			t.Errorf("%q of %s: %q, want %q; defaulted %d, %v", tt.master, tt.id, got, tt.want, by, a.conf)
		}
	}
}

// An application has on YARN the executors that it had: a cluster manager that passes over a property leaves it to the recording,
// and one that the log lost follows from the executors.
func TestConfOnYARN(t *testing.T) {
	for _, tt := range []struct{ name, master, set, want string }{
		{"yarn as it says", "yarn", "executor.cores=3 executor.instances=9", "executor.cores=3 executor.instances=9"},
		{"yarn, cores lost", "yarn", "executor.instances=9", "executor.cores=4 executor.instances=9"},
		{"yarn of Spark 1", "yarn-cluster", "executor.cores=4", "executor.cores=4 submit.deployMode=cluster"},
		{"kubernetes as it says", "k8s://x", "executor.cores=3 executor.instances=9", "executor.cores=3 executor.instances=9"},
		{"kubernetes by its executors", "k8s://x", "", "executor.cores=4 executor.instances=2"},
		{"standalone passes over instances", "spark://x", "executor.cores=3 executor.instances=9", "executor.cores=3 executor.instances=2"},
		{"standalone, dynamic", "spark://x", "dynamicAllocation.enabled=true executor.instances=9", "dynamicAllocation.enabled=true executor.cores=4 executor.instances=9"},
		{"local passes over executors", "local[*]", "driver.memory=30g dynamicAllocation.enabled=true executor.cores=3 executor.instances=9 executor.memory=1g", "driver.memory=30g dynamicAllocation.enabled=false executor.cores=4 executor.instances=2 executor.memory=30g"},
		{"local processes", "local-cluster[2,4,1024]", "driver.memory=30g", "driver.memory=30g executor.cores=4 executor.instances=2"},
		{"local processes, dynamic", "local-cluster[2,4,1024]", "dynamicAllocation.enabled=true", "dynamicAllocation.enabled=true executor.cores=4"},
	} {
		a, counts := newAppLog(), workload.NewCounts()
		a.conf["spark.master"] = tt.master
		for _, kv := range strings.Fields(tt.set) {
			k, v, _ := strings.Cut(kv, "=")
			a.conf["spark."+k] = v
		}
		for i, cores := range []int64{4, 4, 16} {
			e := executorAdded{id: int32(i + 1), host: "h", cores: cores, at: 1000, request: absent}
			if cores == 16 { // whose cores are those of its profile
				e.profile, e.at = 1, 3000
				a.onExecutorRemoved(2000, 1, "")
			}
			a.onExecutorAdded(e)
		}
		c := yarnConf(a, a.manager(counts), counts)
		var got []string
		for _, k := range slices.Sorted(maps.Keys(c.set)) {
			if k != "spark.master" {
				got = append(got, strings.TrimPrefix(k, "spark.")+"="+c.set[k])
			}
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s: %v, want %s", tt.name, got, tt.want)
		}
	}
}

// A log is known by its first event, Spark's or Databricks's, with or without blanks, and JSON of another kind is none.
func TestDetect(t *testing.T) {
	for event, is := range map[string]bool{"SparkListenerLogStart": true, databricksStart: true, "org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart": true, "JobStart": false} {
		if how := Format.Detect("x", []byte(`{"Event":"`+event+`","Spark Version":"3.5.5"}`)); (how != "") != is {
			t.Errorf("%s: %q, want it known: %v", event, how, is)
		}
		if how := Format.Detect("x", []byte(`{"Event": "`+event+`", "Spark Version": "3.5.5"}`)); (how != "") != is {
			t.Errorf("%s, with blanks: %q, want it known: %v", event, how, is)
		}
	}
}

// Events that are not a line each are told how to become so.
func TestEventsThatAreNoLines(t *testing.T) {
	over := strings.ReplaceAll(strings.ReplaceAll(logText, ",\"", ",\n \""), "{\"", "{\n \"")
	for text, want := range map[string]string{
		over: "events over several lines each, where Spark writes a line for each (jq -c . FILE does), not an event log",
		"[" + strings.ReplaceAll(logText, "\n", ",\n") + "]":            "an array of events, where Spark writes a line for each (jq -c '.[]' FILE does), not an event log",
		string(importtest.Gzip(t, importtest.Gzip(t, []byte(logText)))): "packed twice, the second time with gzip (unpack it once), not an event log",
	} {
		if _, _, err := importtest.Import(t, Format, importtest.WriteNew(t, "app-1", text), nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
