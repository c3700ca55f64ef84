package conform

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"replay/bench/conform/golden"
)

// TestFurtherRecordings gives the calls of whole sets of recorded ResourceManagers to the schedulers.
func TestFurtherRecordings(t *testing.T) {
	for _, name := range []string{"spark-on-yarn", "spark-on-yarn-capacity", "spark-on-yarn-more", "mapreduce-on-yarn"} {
		t.Run(name, func(t *testing.T) { checkDir(t, further(t, "REPLAY_RECORDINGS", name)) })
	}
}

// playChanged plays a copy of a recording in which one file has another text; without the text to change the test fails.
func playChanged(t *testing.T, recording, file, from, to string) *Summary {
	t.Helper()
	changed := false
	dir := copyRecording(t, recording, func(name, text string) string {
		out := only(file, from, to)(name, text)
		changed = changed || out != text
		return out
	})
	if !changed {
		t.Fatal("the change is not in the recording")
	}
	s, err := Dir(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// copyRecording copies a recording of testdata, each file through change.
func copyRecording(t *testing.T, name string, change func(file, text string) string) string {
	t.Helper()
	from, dir := filepath.Join("testdata", name), t.TempDir()
	err := filepath.WalkDir(from, func(path string, f fs.DirEntry, err error) error {
		if err != nil || f.IsDir() {
			return err
		}
		var text []byte
		if isVectors(f.Name()) || strings.HasSuffix(path, ".gz") {
			in, err := golden.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			for {
				line, err := in.Next()
				if err != nil {
					break
				}
				text = append(append(text, line...), '\n')
			}
			in.Close()
		} else if text, err = os.ReadFile(path); err != nil {
			return err
		}
		base, err := filepath.Rel(from, strings.TrimSuffix(path, ".gz"))
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, base)), 0o755); err != nil {
			return err
		}
		if changed := change(filepath.ToSlash(base), string(text)); changed != "" {
			write(t, dir, base, changed)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func only(file, from, to string) func(string, string) string {
	return func(f, text string) string {
		if f == file {
			return strings.Replace(text, from, to, 1)
		}
		return text
	}
}

func part(r *golden.Results, name string) golden.Part {
	return r.Parts[slices.IndexFunc(r.Parts, func(p golden.Part) bool { return p.Name == name })]
}

// What is recorded is really compared: each change of a recording is found, and only there.
func TestChangedRecordingDiffers(t *testing.T) {
	tests := []struct {
		name, file, from, to string
		part                 string
		ok                   bool // enough of the others are equal
	}{
		{"container on another node", "containers.jsonl", `_0001_01_000002","node":"node07"`, `_0001_01_000002","node":"node06"`, "allocations", false},
		{"another locality", "containers.jsonl", `"locality":"NODE_LOCAL"`, `"locality":"RACK_LOCAL"`, "allocations", false},
		{"a reservation elsewhere", "rm-log.jsonl", `Reserved container container_1795247157199_0002_01_000002 on node host: node04`,
			`Reserved container container_1795247157199_0002_01_000002 on node host: node01`, "reservations", false},
		{"another victim", "rm-log.jsonl", `Preempting container container_1795247157199_0001_01_000002`,
			`Preempting container container_1795247157199_0001_01_000003`, "preempted", false},
		{"a share", "rm-shares.jsonl", `"fair_share":[32768,0]`, `"fair_share":[32767,0]`, "queues", true},
		{"a headroom", "rm-calls.jsonl", `"headroom":[58368,59]`, `"headroom":[58368,58]`, "headroom", true},
		{"a master's count", "am-log.jsonl", "target: 2, pending: 2, running: 0", "target: 2, pending: 1, running: 0", "AM counts", true},
		{"a master's target", "am-log.jsonl", "Driver requested a total number of 3", "Driver requested a total number of 4", "AM asks", false},
		{"hosts of a request", "am-log.jsonl", "Submitted container request for host node", "Submitted container request for host node99,node", "AM requests", false},
		{"an executor elsewhere", "am-log.jsonl", "_0001_01_000002 on host node07", "_0001_01_000002 on host node01", "AM launches", false},
		{"places of tasks", "task-preferences.jsonl", `["node0`, `["node99","node0`, "AM requests", false},
		{"tasks of an executor", "cluster.json", `"spark.executor.cores": "2"`, `"spark.executor.cores": "1"`, "AM asks", false},
		{"several resource profiles", "am-log.jsonl", "ResourceProfile id: 0, target", "ResourceProfile id: 1, target", "", false},
		{"a host excluded", "rm-calls.jsonl", `"request_id":0}],"release":[],"blacklist_add":[]`, `"request_id":0}],"release":[],"blacklist_add":["node99"]`, "AM asks", true},
		{"an unknown setting's value", "submits.jsonl", `"conf":{`, `"conf":{"spark.executor.cores":"two",`, "", false},
		{"weights of queues", "fair-scheduler.xml", "<weight>1</weight>", "<weight>3</weight>", "queues", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := playChanged(t, "recorded-preemption", tt.file, tt.from, tt.to)
			r := s.Files[0]
			if s.OK() {
				t.Error("it passes, with a difference")
			}
			if s.AtLeast(0.99) != tt.ok {
				t.Errorf("99 %% are equal: %v, want %v", s.AtLeast(0.99), tt.ok)
			}
			if tt.part == "" {
				if r.Unsupported != 1 {
					t.Errorf("got %+v, want one case that is not supported", r)
				}
				return
			}
			if p := part(r, tt.part); p.Equal == p.Cases {
				t.Errorf("%+v: no difference", p)
			}
			if len(r.Differences) != r.Different || r.Different == 0 {
				t.Errorf("%d differences are listed, there are %d", len(r.Differences), r.Different)
			}
			for _, d := range r.Differences {
				if at, ok := d.State.(map[string]any)["t"].(int64); !ok || at == 0 {
					t.Errorf("%+v: no time", d)
				}
			}
		})
	}
}

func TestRecordingsThatAreNotModelled(t *testing.T) {
	for _, tt := range []struct {
		recording, want string
		change          func(string, string) string
	}{
		{"preemption", `attempt "appattempt_1795247157199_0001" has no number`, func(file, text string) string {
			if file == "rm-calls.jsonl" {
				text = strings.ReplaceAll(text, "appattempt_1795247157199_0001_000001", "appattempt_1795247157199_0001")
			}
			return text
		}},
		{"preemption", "the scheduler is org.apache.hadoop.yarn.server.resourcemanager.scheduler.fifo.FifoScheduler, calls of a FairScheduler or CapacityScheduler are compared",
			only("cluster.json", "scheduler.fair.FairScheduler", "scheduler.fifo.FifoScheduler")},
		{"preemption", "passes of continuous scheduling are not among the recorded calls",
			only("cluster.json", `"yarn_site": {`, `"yarn_site": {"yarn.scheduler.fair.continuous-scheduling-enabled": "true",`)},
		{"preemption", "no call for event NODE_ATTRIBUTES_UPDATE", only("rm-calls.jsonl", "NODE_UPDATE", "NODE_ATTRIBUTES_UPDATE")},
		{"capacity", "schedule-asynchronously.enable is true", only("capacity-scheduler.xml", "<configuration>",
			"<configuration><property><name>yarn.scheduler.capacity.schedule-asynchronously.enable</name><value>true</value></property>")},
		{"capacity", "scheduler.monitor.enable is true", only("cluster.json", `"yarn_site": {`, `"yarn_site": {"yarn.resourcemanager.scheduler.monitor.enable": "true",`)},
	} {
		s, err := Dir(copyRecording(t, "recorded-"+tt.recording, tt.change), "")
		if err != nil {
			t.Fatal(err)
		}
		if r := s.Files[0]; s.OK() || r.Unsupported != 1 || !strings.Contains(r.Reasons[0], tt.want) {
			t.Errorf("%s: got %+v", tt.want, r)
		}
	}
}

// What is recorded of a CapacityScheduler, of a second attempt and of resource profiles is really compared.
func TestChangedRecordingOfOtherKindsDiffers(t *testing.T) {
	for _, tt := range []struct{ name, recording, file, from, to, part string }{
		{"a proposal's node", "capacity", "rm-calls.jsonl", `"container":null,"node":"node03"`, `"container":null,"node":"node04"`, "proposals"},
		{"a proposal refused", "capacity", "rm-calls.jsonl", `"accepted":true`, `"accepted":false`, "proposals"},
		{"a user's limit", "capacity", "rm-shares.jsonl", `"limit":[38400,1]`, `"limit":[38401,1]`, "users"},
		{"a queue's limit of masters", "capacity", "rm-shares.jsonl", `"am_limit":[5632,1]`, `"am_limit":[5633,1]`, "queues"},
		{"a waiting application", "capacity", "rm-shares.jsonl", `"user":"eve","active":true,"usage":[1024,1]`, `"user":"eve","active":false,"usage":[1024,1]`, "applications"},
		{"a user's factor", "capacity", "capacity-scheduler.xml", "<value>1.5</value>", "<value>0.5</value>", "users"},
		{"a container of the second attempt", "second-attempt", "containers.jsonl", `_0002_02_000002","app"`, `_0002_02_000009","app"`, "allocations"},
		{"a count of the second master", "second-attempt", "am-log.jsonl", `"attempt":2,"level":"DEBUG","cls":"YarnAllocator","msg":"Updating resource requests for ResourceProfile id: 0, target: 2, pending: 0`,
			`"attempt":2,"level":"DEBUG","cls":"YarnAllocator","msg":"Updating resource requests for ResourceProfile id: 0, target: 2, pending: 5`, "AM counts"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := playChanged(t, "recorded-"+tt.recording, tt.file, tt.from, tt.to)
			if p := part(s.Files[0], tt.part); p.Equal == p.Cases || s.OK() {
				t.Errorf("%+v: no difference", p)
			}
		})
	}
}

// Without the containers' own records, the log or the shares nothing can be said about a recording.
func TestIncompleteRecording(t *testing.T) {
	for _, missing := range []string{"containers.jsonl", "rm-log.jsonl", "rm-shares.jsonl", "cluster.json", "fair-scheduler.xml"} {
		dir := copyRecording(t, "recorded-preemption", func(file, text string) string {
			if file == missing {
				return ""
			}
			return text
		})
		if _, err := Dir(dir, ""); err == nil || !strings.Contains(err.Error(), missing) {
			t.Errorf("without %s: error is %v", missing, err)
		}
	}
}

// A folder of recordings stands for all of them.
func TestFolderOfRecordings(t *testing.T) {
	s, err := Dir("testdata", "")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range s.Files {
		names = append(names, f.File)
	}
	if want := []string{
		"recorded-capacity/rm-calls.jsonl.gz", "recorded-locality-thresholds/rm-calls.jsonl.gz", "recorded-mapreduce/rm-calls.jsonl.gz", "recorded-preemption/rm-calls.jsonl.gz",
		"recorded-second-attempt/rm-calls.jsonl.gz",
	}; !slices.Equal(names, want) || !s.OK() {
		t.Errorf("got %v, passes is %v, want %v", names, s.OK(), want)
	}
	var b bytes.Buffer
	if err := s.WriteText(&b, DefaultMax); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"recorded-preemption/rm-calls.jsonl.gz           28/28 100.00 %", "total                                           274/274 100.00 %"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the table has no %q:\n%s", want, b.String())
		}
	}
	one, err := Dir("testdata", filepath.Join("recorded-preemption", "rm-calls.jsonl.gz"))
	if err != nil || len(one.Files) != 1 {
		t.Errorf("one of them: %+v, %v", one, err)
	}
}

// A time that no call has is refused with its place, and one that is long after the call before it takes no longer to be played than others.
func TestTimesOfCalls(t *testing.T) {
	const node = `{"seq":%d,"t":%d,"kind":"event","type":"NODE_ADDED","node":"n%[1]d","rack":"/r","capability":[8192,8]}` + "\n"
	for at, want := range map[int64]string{-1: "rm-calls.jsonl:2: t is -1, want", math.MaxInt64: "rm-calls.jsonl:2: t is 9223372036854775807, want", 253_402_300_799_999: ""} {
		dir := t.TempDir()
		for name, text := range map[string]string{
			"rm-calls.jsonl": fmt.Sprintf(node, 0, 1) + fmt.Sprintf(node, 1, at), "containers.jsonl": "", "rm-shares.jsonl": "", "rm-log.jsonl": "", "cluster.json": "{}", "fair-scheduler.xml": "<allocations/>",
		} {
			write(t, dir, name, text)
		}
		if _, err := Dir(dir, ""); want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("t %d: %v, want %q", at, err, want)
		}
	}
}

func FuzzRecordedCalls(f *testing.F) {
	for _, seed := range []string{
		`{"seq":0,"t":1,"kind":"event","type":"NODE_ADDED","node":"node01","rack":"/r","capability":[8192,8]}` + "\n" +
			`{"seq":1,"t":2,"kind":"event","type":"NODE_UPDATE","node":"node01"}`,
		`{"seq":2,"t":3,"kind":"allocate","attempt":"appattempt_1_0001_000001","ask":[{"location":"*","n":1,"resource":[1]}],"release":["x"]}`,
		`{"seq":3,"kind":"allocate_reply","attempt":"appattempt_1_0001_000001","containers":[{}]}`,
	} {
		f.Add(seed)
	}
	files := map[string]string{"containers.jsonl": "", "rm-shares.jsonl": "", "rm-log.jsonl": "", "cluster.json": "{}", "fair-scheduler.xml": "<allocations/>"}
	dir := f.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			f.Fatal(err)
		}
	}
	f.Fuzz(func(t *testing.T, calls string) {
		in, err := golden.Read(filepath.Join(dir, "rm-calls.jsonl"), io.NopCloser(strings.NewReader(calls)), int64(len(calls)))
		if err != nil {
			t.Fatal(err)
		}
		r, err := vectors(in)
		if err == nil && r.Cases != r.Equal+r.Different+r.Unsupported {
			t.Errorf("%+v", r)
		}
	})
}
