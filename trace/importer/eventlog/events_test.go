package eventlog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"replay/trace/importer/importtest"
)

// record is an appEvents that keeps what it was given as text.
type record struct{ strings.Builder }

func (r *record) onDatabricks()             { fmt.Fprintln(r, "databricks") }
func (r *record) onLogStart(version string) { fmt.Fprintln(r, "log", version) }
func (r *record) onAppStart(s appStart)     { fmt.Fprintf(r, "app %+v\n", s) }
func (r *record) onAppEnd(at, code int64)   { fmt.Fprintln(r, "end", at, code) }
func (r *record) onEnvironment(m map[string]string) {
	fmt.Fprintln(r, "env", len(m))
}
func (r *record) onProfile(p resourceProfile)          { fmt.Fprintf(r, "profile %+v\n", p) }
func (r *record) onExecutorAdded(e executorAdded)      { fmt.Fprintf(r, "added %+v\n", e) }
func (r *record) onJobStart(j jobStart)                { fmt.Fprintln(r, "job", j.id, j.at, j.stageIDs, j.pool) }
func (r *record) onStageSubmitted(s *stageInfo)        { fmt.Fprintf(r, "submitted %+v\n", *s) }
func (r *record) onStageCompleted(s *stageInfo)        { fmt.Fprintf(r, "completed %+v\n", *s) }
func (r *record) onUnpersist(rdd int32)                { fmt.Fprintln(r, "unpersist", rdd) }
func (r *record) onJobEnd(id int32, at int64, ok bool) { fmt.Fprintln(r, "jobend", id, at, ok) }
func (r *record) onExecutorRemoved(at int64, id int32, reason string) {
	fmt.Fprintln(r, "removed", at, id, reason)
}
func (r *record) onTaskStart(stage, attempt int32, t *taskInfo) { r.task("start", stage, attempt, t) }
func (r *record) onTaskEnd(stage, attempt int32, t *taskInfo)   { r.task("end", stage, attempt, t) }
func (r *record) task(what string, stage, attempt int32, t *taskInfo) {
	fmt.Fprintln(r, what, stage, attempt, t.id, t.index, t.partition, t.launch, t.finish, t.gettingResult, string(t.host), string(t.locality), string(t.reason),
		t.speculative, t.failed, t.killed, t.runMS, t.deserializeMS, t.resultMS, t.inputBytes, t.shuffleRead, t.shuffleWrite)
}

// reference reads the fields of a task event, a job's end or an application's end by encoding/json.
// ok is false for other events.
func reference(line []byte) (text string, ok bool, err error) {
	var m map[string]any
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	if err := d.Decode(&m); err != nil {
		return "", false, err
	}
	at := func(o any, path ...string) any {
		for _, k := range path {
			next, _ := o.(map[string]any)
			o = next[k]
		}
		return o
	}
	num := func(def int64, path ...string) int64 {
		n, isNumber := at(m, path...).(json.Number)
		if !isNumber {
			return def
		}
		v, e := n.Int64()
		if e != nil { // a whole number in other words
			x, _ := n.Float64()
			if v = int64(x); float64(v) != x || math.Abs(x) > 1<<53 {
				err = e
			}
		}
		return v
	}
	at1 := func(path ...string) int64 { // a time
		if n := num(absent, path...); n != -1 {
			return n
		}
		return absent
	}
	some := func(path ...string) int64 { // an amount
		if n := num(absent, path...); n >= 0 {
			return n
		}
		return absent
	}
	str := func(path ...string) string { s, _ := at(m, path...).(string); return s }
	yes := func(path ...string) bool { b, _ := at(m, path...).(bool); return b }
	var r record
	switch m["Event"] {
	case "SparkListenerApplicationEnd":
		r.onAppEnd(at1("Timestamp"), num(absent, "ExitCode"))
	case "SparkListenerJobEnd":
		r.onJobEnd(int32(num(absent, "Job ID")), at1("Completion Time"), str("Job Result", "Result") == "JobSucceeded")
	case "SparkListenerTaskEnd", "SparkListenerTaskStart":
		t := taskInfo{
			id: num(absent, "Task Info", "Task ID"), index: int32(num(-1, "Task Info", "Index")), partition: int32(num(-1, "Task Info", "Partition ID")),
			launch: at1("Task Info", "Launch Time"), finish: at1("Task Info", "Finish Time"), gettingResult: max(num(0, "Task Info", "Getting Result Time"), -1),
			host: []byte(str("Task Info", "Host")), locality: []byte(str("Task Info", "Locality")), reason: []byte(str("Task End Reason", "Reason")),
			speculative: yes("Task Info", "Speculative"), failed: yes("Task Info", "Failed"), killed: yes("Task Info", "Killed"),
			runMS: some("Task Metrics", "Executor Run Time"), deserializeMS: some("Task Metrics", "Executor Deserialize Time"),
			resultMS: some("Task Metrics", "Result Serialization Time"), inputBytes: some("Task Metrics", "Input Metrics", "Bytes Read"),
			shuffleWrite: some("Task Metrics", "Shuffle Write Metrics", "Shuffle Bytes Written"), shuffleRead: absent,
		}
		remote, local := some("Task Metrics", "Shuffle Read Metrics", "Remote Bytes Read"), some("Task Metrics", "Shuffle Read Metrics", "Local Bytes Read")
		if remote != absent || local != absent {
			t.shuffleRead = max(remote, 0) + max(local, 0)
		}
		stage, attempt := int32(num(-1, "Stage ID")), int32(num(-1, "Stage Attempt ID"))
		if t.gettingResult == -1 {
			t.gettingResult = absent
		}
		if m["Event"] == "SparkListenerTaskEnd" {
			if t.finish < t.launch {
				t.finish = t.launch + max(t.runMS, 0) + max(t.deserializeMS, 0) + max(t.resultMS, 0)
			}
			r.onTaskEnd(stage, attempt, &t)
		} else {
			r.onTaskStart(stage, attempt, &t)
		}
	default:
		return "", false, err
	}
	return r.String(), true, err
}

// doubled tells whether an object of the line has a key twice. Of such objects the parser takes the fields of
// both, where encoding/json takes the last object whole: Spark writes none. Nor does it write names in another case,
// which encoding/json takes for those of a struct.
func doubled(line []byte, fields ...string) bool {
	d := json.NewDecoder(bytes.NewReader(line))
	var walk func() (bool, error)
	walk = func() (bool, error) {
		tok, err := d.Token()
		if err != nil {
			return false, err
		}
		open, isDelim := tok.(json.Delim)
		if !isDelim {
			return false, nil
		}
		seen, twice := map[string]bool{}, false
		for d.More() {
			if open == '{' {
				key, err := d.Token()
				if err != nil {
					return false, err
				}
				name, _ := key.(string)
				anyCase := func(field string) bool { return field != name && strings.EqualFold(field, name) }
				twice = twice || seen[name] || slices.ContainsFunc(fields, anyCase)
				seen[name] = true
			}
			below, err := walk()
			if err != nil {
				return false, err
			}
			twice = twice || below
		}
		_, err = d.Token()
		return twice, err
	}
	twice, err := walk()
	return twice || err != nil
}

func sampleLines(t testing.TB) [][]byte {
	return bytes.Split(bytes.TrimSuffix(importtest.Unpack(t, sampleLog+".zstd"), []byte("\n")), []byte("\n"))
}

func TestParserAgreesWithEncodingJSON(t *testing.T) {
	compared, p := 0, newEventParser()
	for i, line := range sampleLines(t) {
		var r record
		if err := p.parse(bytes.Clone(line), &r); err != nil {
			t.Fatalf("line %d: %v", i+1, err)
		}
		want, ok, err := reference(line)
		if err != nil {
			t.Fatal(err)
		}
		if ok {
			compared++
			if got := r.String(); got != want {
				t.Errorf("line %d: parsed\n%swant\n%s", i+1, got, want)
			}
		}
	}
	if compared < 120 {
		t.Errorf("%d lines compared, want the tasks and ends of the log", compared)
	}
}

func FuzzEvents(f *testing.F) {
	for _, line := range sampleLines(f) {
		if len(line) < 6000 {
			f.Add(line)
		}
	}
	for _, s := range []string{
		`{"Event":"SparkListenerJobEnd","Job ID":1,"Completion Time":2,"Job ID":3,"Job Result":{"Result":"JobSucceeded"}}`,
		`{"Job ID":1,"Event":"SparkListenerJobEnd","Completion Time":2e3}`, `{"Event":"SparkListenerApplicationEnd","Timestamp":007}`,
		`{"Event":"SparkListenerApplicationEnd","Timestamp":1,}`, `{"Event":"SparkListenerApplicationEnd","Timestamp":-}`, `[]`, `{"Event":"a\u0062"}`,
		`{"Event":"SparkListenerApplicationEnd","Timestamp":1,"x":"` + "\x01" + `"}`, `{"Event":"SparkListenerApplicationEnd","Timestamp":1,"x":"\q"}`,
		`{"Event":"SparkListenerApplicationEnd","Timestamp":1,"Accumulables":{{"ID":1},[]}}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		if len(line) == 0 {
			return
		}
		var r record
		p := newEventParser()
		line = bytes.Clone(line)
		err := p.parse(bytes.Clone(line), &r)
		if r.Len() == 0 {
			return // refused, or an event that nobody needs
		}
		if err != nil {
			t.Fatalf("an event was taken and there is an error: %v", err)
		}
		if !json.Valid(line) {
			for _, field := range []string{"Accumulables", "Task Executor Metrics"} {
				for _, opens := range "[{" {
					if bytes.Contains(line, []byte(`"`+field+`":`+string(opens))) {
						return // what is wrong may be in it
					}
				}
			}
			t.Fatalf("%q is no JSON and was taken as %s", line, r.String())
		}
		if doubled(line) {
			return
		}
		want, ok, err := reference(line)
		if err != nil {
			t.Fatalf("taken as %sencoding/json says %v", r.String(), err)
		}
		if ok && r.String() != want {
			t.Fatalf("taken as\n%swant\n%s", r.String(), want)
		}
	})
}

func TestEventErrors(t *testing.T) {
	for _, tt := range []struct{ name, line, want string }{
		{"cut", `{"Event":"SparkListenerJobEnd","Job ID":1`, "want a whole JSON object"},
		{"not json", `{"Job ID":1,"Event"`, "not JSON"},
		{"no object", `[1]`, "want an object"},
		{"two names", `{"Job ID":1,"Event":"a","Event":"b"}`, "there 2 times"},
		{"unknown event", `{"Event":"com.acme.Foo","x":1}`, `unknown event "com.acme.Foo", want one of Spark's`},
		{"mistyped", `{"Event":"SparkListenerJobEnd","Job ID":"one","Completion Time":2}`, `field "Job ID" is "one", want an integer`},
		{"fraction", `{"Event":"SparkListenerJobEnd","Job ID":1.5,"Completion Time":2}`, `field "Job ID" is 1.5, want an integer`},
		{"missing", `{"Event":"SparkListenerJobEnd","Job ID":1}`, `field "Completion Time" is missing`},
		{"a time before 1970", `{"Event":"SparkListenerApplicationEnd","Timestamp":-3}`, `field "Timestamp" is -3, want ms since 1970`},
		{"a time in the far future", `{"Event":"SparkListenerApplicationEnd","Timestamp":99999999999999999}`, "want ms since 1970"},
		{"a time that is not known", `{"Event":"SparkListenerApplicationEnd","Timestamp":-1}`, `field "Timestamp" is missing`},
		{"no cores", `{"Event":"SparkListenerExecutorAdded","Timestamp":1,"Executor ID":"1","Executor Info":{"Host":"h","Total Cores":0}}`, `field "Total Cores" is 0, want a number of 1 to 131072`},
		{"an end before its launch", `{"Event":"SparkListenerTaskEnd","Stage ID":1,"Stage Attempt ID":0,"Task End Reason":{"Reason":"Success"},"Task Info":{"Task ID":1,"Index":0,"Launch Time":9,"Finish Time":5}}`, `field "Finish Time" is 5, want 9, the launch, or later`},
		{"an amount too large", `{"Event":"SparkListenerTaskEnd","Stage ID":1,"Stage Attempt ID":0,"Task End Reason":{"Reason":"Success"},"Task Info":{"Task ID":1,"Index":0,"Launch Time":5,"Finish Time":9},"Task Metrics":{"Executor Run Time":9007199254740993}}`, "want at most a year in ms"},
		{"the largest number as an end", `{"Event":"SparkListenerTaskEnd","Stage ID":1,"Stage Attempt ID":0,"Task End Reason":{"Reason":"Success"},"Task Info":{"Task ID":1,"Index":0,"Launch Time":5,"Finish Time":9223372036854775807}}`, `field "Finish Time" is 9223372036854775807, want ms since 1970`},
		{"a launch before 1970", `{"Event":"SparkListenerTaskEnd","Stage ID":1,"Stage Attempt ID":0,"Task End Reason":{"Reason":"Success"},"Task Info":{"Task ID":1,"Index":0,"Launch Time":-5,"Finish Time":9}}`, `field "Launch Time" is -5, want ms since 1970`},
		{"57 years", `{"Event":"SparkListenerTaskEnd","Stage ID":1,"Stage Attempt ID":0,"Task End Reason":{"Reason":"Success"},"Task Info":{"Task ID":1,"Index":0,"Launch Time":5,"Finish Time":1800000000000}}`, `field "Finish Time" is 1800000000000, want at most a year after 5, the launch`},
		{"a job of more than 32 bits", `{"Event":"SparkListenerJobEnd","Job ID":4294967296,"Completion Time":2}`, `field "Job ID" is 4294967296, want an integer of 32 bits`},
		{"a profile of more than 32 bits", `{"Event":"SparkListenerResourceProfileAdded","Resource Profile Id":4294967297}`, `field "Resource Profile Id" is 4294967297, want an integer of 32 bits`},
		{"half a core", `{"Event":"SparkListenerResourceProfileAdded","Resource Profile Id":1,"Executor Resource Requests":{"cores":{"Amount":1.5}}}`, `field "Amount" is 1.5, want a whole number`},
		{"a task of no core", `{"Event":"SparkListenerResourceProfileAdded","Resource Profile Id":1,"Task Resource Requests":{"cpus":{"Amount":1e-9}}}`, `field "Amount" is 1e-9, want a whole number of 1 to 131072`},
		{"too much memory", `{"Event":"SparkListenerResourceProfileAdded","Resource Profile Id":1,"Executor Resource Requests":{"memory":{"Amount":1e300}}}`, `field "Amount" is 1e300, want a whole number`},
		{"a host that is no text", `{"Event":"SparkListenerTaskEnd","Stage ID":1,"Stage Attempt ID":0,"Task Info":{"Task ID":1,"Index":0,"Launch Time":5,"Finish Time":9,"Host":7}}`, `field "Host" is 7, want a text`},
		{"no task info", `{"Event":"SparkListenerTaskEnd","Stage ID":1,"Stage Attempt ID":0,"Task Info":[]}`, `field "Task Info" is [], want an object`},
	} {
		var r record
		if err := newEventParser().parse([]byte(tt.line), &r); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want one with %q", tt.name, err, tt.want)
		} else if r.Len() > 0 {
			t.Errorf("%s: refused and taken as %s", tt.name, r.String())
		}
	}
}

func TestUnknownFieldsAreCounted(t *testing.T) {
	p := newEventParser()
	var r record
	line := `{"Event":"SparkListenerTaskStart","Stage ID":1,"Stage Attempt ID":0,"New":1,"Task Info":{"Task ID":1,"Index":0,"Launch Time":5,"Newer":{}}}`
	for range 2 {
		if err := p.parse([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
	}
	if p.unknownFields["SparkListenerTaskStart/New"] != 2 || p.unknownFields["SparkListenerTaskStart/Task Info/Newer"] != 2 || len(p.unknownFields) != 2 {
		t.Errorf("unknown fields are %v", p.unknownFields)
	}
}

func TestAbsentIsNoValue(t *testing.T) {
	if int64(absent) >= math.MinInt32 {
		t.Fatalf("absent is %d, a number that logs may hold", int64(absent))
	}
	var r record
	line := `{"Event":"SparkListenerTaskEnd","Stage ID":1,"Stage Attempt ID":0,"Task End Reason":{"Reason":"ExecutorLostFailure"},"Task Info":{"Task ID":1,"Index":0,"Launch Time":5,"Finish Time":9}}`
	if err := newEventParser().parse([]byte(line), &r); err != nil || !strings.Contains(r.String(), fmt.Sprint(int64(absent))) {
		t.Errorf("%v: %s", err, r.String())
	}
}
