package eventlog

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"replay/trace/importer/importtest"
	"replay/trace/importer/workload"
)

// Values that can't be are named and counted, and are unknown; they are never 0.
func TestOddValues(t *testing.T) {
	for _, tt := range []struct{ name, from, to, warned, got string }{
		{"a run time below zero", `"Executor Run Time":800`, `"Executor Run Time":-800`, "1 x SparkListenerTaskEnd/Executor Run Time below 0", "[1000 1950] [1000 2000]"},
		{"bytes below zero", `"Bytes Read":1000`, `"Bytes Read":-1`, "1 x SparkListenerTaskEnd/Bytes Read below 0", "[905 1950] [0 2000]"},
		{"an end before its launch", `"Finish Time":6100`, `"Finish Time":4100`, "1 x SparkListenerTaskEnd/Task Info/Finish Time before Launch Time", "[905 1950] [1000 2000]"},
		{"a run time beyond the end", `"Executor Run Time":800`, `"Executor Run Time":10000000000`, "1 x SparkListenerTaskEnd/Task Metrics/Executor Run Time beyond Finish Time", "[1000 1950] [1000 2000]"},
		{"a run time a little beyond the end", `"Executor Run Time":800`, `"Executor Run Time":3000`, "1 x SparkListenerTaskEnd/Task Metrics/Executor Run Time beyond Finish Time", "[1000 1950] [1000 2000]"},
		{"a locality of no level", `"Locality":"NODE_LOCAL","Finish Time":6100`, `"Locality":"NEAR","Finish Time":6100`, "1 x SparkListenerTaskEnd/Task Info/Locality", "[905 1950] [1000 2000]"},
		{"a task without a host", `"Host":"h1","Locality":"NODE_LOCAL","Finish Time":6100`, `"Locality":"NODE_LOCAL","Finish Time":6100`, "1 x SparkListenerTaskEnd/Task Info/Host", "[905 1950] [1000 2000]"},
	} {
		path := importtest.WriteNew(t, "app-1", strings.Replace(logText, tt.from, tt.to, 1))
		var warned []string
		res, m, err := importtest.Import(t, Format, path, func(o *workload.Options) { o.Warn = func(m string) { warned = append(warned, m) } })
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		s := &m.JobList[0].Stages[0].Tasks
		if got := fmt.Sprint(s.DurationMS, s.InputBytes); got != tt.got || res.Counts.Dropped["values_that_can_not_be"] != 1 || !strings.Contains(strings.Join(warned, ""), path+": "+tt.warned) {
			t.Errorf("%s: %s, want %s; dropped %v, warned %q", tt.name, got, tt.got, res.Counts.Dropped, warned)
		}
		if _, _, err := importtest.Import(t, Format, path, func(o *workload.Options) { o.Strict = true }); err == nil || !strings.Contains(err.Error(), "values_that_can_not_be") {
			t.Errorf("%s: strict says %v", tt.name, err)
		}
	}
}

var times = regexp.MustCompile(`("(?:Timestamp|(?:Submission|Completion|Launch|Finish|Getting Result) Time)":)([0-9]+)`)

// later returns a log with all of its times some ms later.
func later(log string, ms int64) string {
	return times.ReplaceAllStringFunc(log, func(field string) string {
		m := times.FindStringSubmatch(field)
		at, _ := strconv.ParseInt(m[2], 10, 64)
		return m[1] + strconv.FormatInt(at+ms, 10)
	})
}

// One application that breaks a rule of the format is left out; the others are imported.
func TestUnusableApplications(t *testing.T) {
	for _, tt := range []struct{ name, from, to, want string }{
		{"more cores for a task than an executor has", `"spark.executor.cores":"2"`, `"spark.executor.cores":"2","spark.task.cpus":"3"`, `spark property spark.task.cpus is "3", want a number of 1 to 2, spark.executor.cores`},
		{"an executor long before the submission", `"Timestamp":100003000`, `"Timestamp":0`, "line 4: an event is at 0 ms, want the application's start, 100001000, or later"},
		{"an executor of no host", `"Executor Info":{"Host":"h1"`, `"Executor Info":{"Host":""`, `line 4: SparkListenerExecutorAdded: field "Executor Info/Host" is missing`},
		{"an end long before the start", `"Timestamp":100009000`, `"Timestamp":9000`, "SparkListenerApplicationEnd is at 9000 ms, want the start, 100001000 ms, or later"},
		{"a launch long before the start", `"Launch Time":100005200`, `"Launch Time":5200`, "line 8: task 1 has Launch Time 5200, want the application's start, 100001000, or later"},
		{"a partition of another stage", `"Partition ID":1,"Launch Time":100005200,"Executor ID":"1","Host":"h1","Locality":"ANY","Fin`, `"Partition ID":2,"Launch Time":100005200,"Executor ID":"1","Host":"h1","Locality":"ANY","Fin`, "line 10: task 1 has Partition ID 2, want one below 2, the partitions of stage 0"},
		{"a submission of a stage long before the start", `"Stage Info":{"Submission Time":100005000`, `"Stage Info":{"Submission Time":5000`, "line 6: an event is at 5000 ms, want the application's start, 100001000, or later"},
		{"an executor of more cores than there are", `"Total Cores":2`, `"Total Cores":200000`, `line 4: SparkListenerExecutorAdded: field "Total Cores" is 200000, want a number of 1 to 131072`},
		{"a queue without a name", `"spark.yarn.queue":"prod"`, `"spark.yarn.queue":"a..b"`, `queue is "root.a..b", want names with a dot between them`},
	} {
		bad := strings.Replace(later(named("bad", 0), 100_000_000), tt.from, tt.to, 1)
		res, m, err := importtest.Import(t, Format, folder(t, map[string]string{"good": named("good", 0), "bad": bad}), nil)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if in := res.Inputs[len(res.Inputs)-1]; len(m.JobList) != 1 || in.Label != "logs/bad" || !strings.Contains(in.Why, tt.want) {
			t.Errorf("%s: %+v", tt.name, res.Inputs)
		}
	}
}

// What a log loses of its begin and its end.
func TestLostEnds(t *testing.T) {
	lines := strings.SplitAfter(logText, "\n")
	for _, tt := range []struct{ name, file, text, want string }{
		{"killed before it began", "app-1.inprogress", lines[0] + lines[1][:100], "ends before SparkListenerApplicationStart"},
		{"one line without an end of it", "app-1", lines[0][:len(lines[0])-5], "ends before SparkListenerApplicationStart: line 1: SparkListenerLogStart ends with"},
		{"zeros after the end", "app-1", logText + strings.Repeat("\x00", 500), ""},
		{"half a line after the end", "app-1", logText + `{"Event":"SparkL`, ""},
		{"no properties", "app-1", logWith(2, ""), ""},
	} {
		var warned []string
		path := importtest.WriteNew(t, tt.file, tt.text)
		res, m, err := importtest.Import(t, Format, path, func(o *workload.Options) { o.Warn = func(m string) { warned = append(warned, m) } })
		switch {
		case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%s: error is %v, want %q", tt.name, err, tt.want)
		case tt.want != "":
		case err != nil:
			t.Errorf("%s: %v", tt.name, err)
		case m.JobList[0].RecordedOutcome != "success" || !res.Inputs[0].Ended:
			t.Errorf("%s: %+v", tt.name, res.Inputs)
		case tt.name == "no properties" && (len(warned) != 1 || !strings.Contains(warned[0], "sizes and settings are Spark's defaults") || res.Counts.Defaulted["applications_without_properties"] != 1):
			t.Errorf("%s: warned %q, defaulted %v", tt.name, warned, res.Counts.Defaulted)
		}
	}
}

// FuzzFolder imports a folder of two files and a rolling log: it is imported, and the trace follows all rules, or it
// is refused and leaves nothing. Each file is used, or has a reason.
func FuzzFolder(f *testing.F) {
	lines := strings.SplitAfter(logText, "\n")
	for _, lenient := range []bool{false, true} {
		f.Add("app-1", []byte(logText), "app-2.inprogress", []byte(logText[:3000]), []byte(strings.Join(lines[:8], "")), []byte(strings.Join(lines[8:], "")), lenient)
		f.Add("x.zstd", importtest.Read(f, sampleLog+".zstd")[:4000], "y.gz", importtest.Gzip(f, []byte(logText)), []byte(logWith(6, "")), []byte(""), lenient)
		f.Add("eventlog", []byte(strings.Join(lines[9:], "")), "eventlog-2021-06-15--15-00", []byte(strings.Join(lines[:9], "")), []byte("{"), []byte(logText), lenient)
	}
	base := f.TempDir()
	dir := filepath.Join(base, "logs")
	rolled := filepath.Join(dir, "eventlog_v2_app-1")
	if err := os.MkdirAll(rolled, 0o755); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, name1 string, data1 []byte, name2 string, data2, part1, part2 []byte, lenient bool) {
		for name, data := range map[string][]byte{
			filepath.Join(dir, filepath.Base("n"+name1)): data1, filepath.Join(dir, filepath.Base(name2)): data2,
			filepath.Join(rolled, "events_1_app-1"): part1, filepath.Join(rolled, "events_2_app-1"): part2,
		} {
			if os.WriteFile(name, data, 0o644) != nil {
				return // no name of a file
			}
			defer os.Remove(name)
		}
		opt := workload.DefaultOptions()
		opt.Lenient, opt.Out = lenient, filepath.Join(base, "trace")
		res := importtest.Try(t, Format, []string{dir}, opt, slices.Concat(data1, data2, part1, part2))
		if res == nil {
			return
		}
		for _, in := range res.Inputs {
			if in.LeftOut != "" && in.Why == "" {
				t.Fatalf("%s is left out for no reason", in.Label)
			}
		}
	})
}
