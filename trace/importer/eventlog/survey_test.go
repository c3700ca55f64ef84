package eventlog

import (
	"errors"
	"fmt"
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
	add("killed", noEnd, "killed or cut off: no SparkListenerApplicationEnd")
	add("cut", logText[:len(logText)-30], "killed or cut off: line 17: the log ends within an event")
	add("cut.zstd", packed[:9000], "damaged: after line")
	add("broken", logWith(9, `{"Event":"SparkListenerTaskEnd","Stage ID"}`), "damaged: line 9: not JSON")
	add("tail", part(5, 17), "damaged: begins in the middle")
	add("noise.zstd", "\x28\xb5\x2f\xfd and what is not zstd", "damaged: ")
	add("empty", "", "empty: the file has no bytes")
	add("blank", "\n \n", "empty: begins with nothing but white space")
	add("frame.zstd", "\x28\xb5\x2f\xfd\x24\x00\x01\x00\x00\x99\xe9\xd8\x51", "empty: zstd of nothing")
	add("README.md", "# Logs\n", "no recording: text, not an event log")
	add("notes.md.gz", string(importtest.Gzip(t, []byte("# Logs\n"))), "no recording: text, not an event log")
	add("utf16", "\xff\xfe{\x00\"\x00E\x00", "no recording: UTF-16 text, where Spark writes UTF-8 (convert it), not an event log")
	add("logs.zip", "PK\x03\x04....", "no recording: a zip archive (unpack it), not an event log")
	add("image", "\x00\x01\x02", "no recording: binary (00 01 02), not an event log")
	add("conf.json", "{\n  \"a\": 1\n}\n", "no recording: JSON, not an event log")
	add("old", strings.SplitAfterN(logText, "\n", 2)[1], "too old: no version line: Spark before 1.4")
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
	if len(m.JobList) != used || int64(used) != res.Counts.Kept["applications"] || len(res.Counts.LeftOut) != len(res.Inputs)-used || censored != 3 {
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
		if in.LeftOut == workload.NoEnd || in.LeftOut == workload.Damaged && strings.HasSuffix(in.Label, "/broken") {
			t.Errorf("lenient leaves %s out: %s", in.Label, in.Why)
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
