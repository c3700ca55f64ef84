package conform

import (
	"bytes"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFurtherRecordings gives the calls of a whole set of recorded ResourceManagers to the FairScheduler.
func TestFurtherRecordings(t *testing.T) {
	checkDir(t, further(t, "REPLAY_RECORDINGS", "spark-on-yarn"))
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
			in, err := Open(path)
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

func part(r *Results, name string) Part {
	return r.Parts[slices.IndexFunc(r.Parts, func(p Part) bool { return p.Name == name })]
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
			changed := false
			dir := copyRecording(t, "recorded-preemption", func(file, text string) string {
				out := only(tt.file, tt.from, tt.to)(file, text)
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
			r := s.Files[0]
			if s.OK() != tt.ok {
				t.Errorf("passes is %v, want %v", s.OK(), tt.ok)
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

// In the recording of locality thresholds one application master's call began before a heartbeat and ended after it.
func TestOverlappingCallsAreExchanged(t *testing.T) {
	in, err := Open(filepath.Join("testdata", "recorded-locality-thresholds", "rm-calls.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	r, err := readRecording(in)
	if err != nil {
		t.Fatal(err)
	}
	run, moved, err := r.settle()
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"seq 659 (allocate appattempt_1795246785619_0003_000001) took effect after seq 660 (NODE_UPDATE node03), 2 ms apart",
		"differences in the order of the numbers alone: 1",
	}
	if d := cmp.Diff(want, moved); d != "" || len(run.differences) != 0 {
		t.Errorf("%d differences, exchanges (-want +got):\n%s", len(run.differences), d)
	}
}

// Calls of different threads that were numbered in the other order are put right, however many there are.
func TestExchangedCallsArePutRight(t *testing.T) {
	seeds := uint64(3)
	if testing.Short() {
		seeds = 1
	}
	for _, name := range []string{"recorded-locality-thresholds", "recorded-preemption"} {
		for seed := range seeds {
			in, err := Open(filepath.Join("testdata", name, "rm-calls.jsonl.gz"))
			if err != nil {
				t.Fatal(err)
			}
			r, err := readRecording(in)
			in.Close()
			if err != nil {
				t.Fatal(err)
			}
			// What the ResourceManager does for an application master follows from an event and cannot be exchanged with it.
			started := map[string]bool{}
			var own []bool
			for i := range r.calls {
				started[r.calls[i].Attempt] = started[r.calls[i].Attempt] || r.calls[i].Kind == "allocate_reply"
				own = append(own, r.calls[i].Kind == "allocate" && !started[r.calls[i].Attempt])
			}
			random := rand.New(rand.NewPCG(seed, 7))
			for n := 0; n < 25; {
				i := random.IntN(len(r.calls) - 1)
				a, b := &r.calls[i], &r.calls[i+1]
				if own[i] || own[i+1] || a.thread() == b.thread() || a.thread() == "" || b.thread() == "" || b.T-a.T > 40 {
					continue
				}
				*a, *b = *b, *a
				own[i], own[i+1] = own[i+1], own[i]
				n++
			}
			run, moved, err := r.settle()
			if err != nil {
				t.Fatal(err)
			}
			if len(run.differences) != 0 {
				t.Errorf("%s, seed %d: %d differences with %q, the first is %+v", name, seed, len(run.differences), moved, run.differences[0])
			}
		}
	}
}

// A node's report of an end may miss the heartbeat that came right after it: put to the heartbeat before its own, it is found out.
func TestReportThatMissedItsHeartbeat(t *testing.T) {
	if testing.Short() {
		t.Skip("a play for each report")
	}
	in, err := Open(filepath.Join("testdata", "recorded-locality-thresholds", "rm-calls.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	r, err := readRecording(in)
	if err != nil {
		t.Fatal(err)
	}
	last := map[string]int{} // heartbeat of each node
	found := 0
	for i := range r.calls {
		c := &r.calls[i]
		if c.Type != "NODE_UPDATE" {
			continue
		}
		before, seen := last[c.Node]
		last[c.Node] = i
		k := slices.IndexFunc(c.reports, func(rep liveReport) bool { return rep.open })
		if !seen || k < 0 {
			continue
		}
		// The same recording with this report, made 10 ms before the heartbeat before, put to that.
		changed := *r
		changed.calls = slices.Clone(r.calls)
		report := c.reports[k]
		report.t = changed.calls[before].T - 10
		changed.calls[i].reports = slices.Delete(slices.Clone(c.reports), k, k+1)
		changed.calls[before].reports = append(slices.Clone(changed.calls[before].reports), report)
		run, moved, err := changed.settle()
		if err != nil {
			t.Fatal(err)
		}
		if len(run.differences) != 0 {
			t.Errorf("report %+v: %d differences with %q", report, len(run.differences), moved)
		}
		if slices.ContainsFunc(moved, func(text string) bool { return strings.Contains(text, "missed seq") }) {
			found++
		}
	}
	if found == 0 {
		t.Error("no report mattered")
	}
}

// The order in which nodes say things is their own: a heartbeat is never exchanged with another event.
func TestOnlyCallsOfOtherThreadsMove(t *testing.T) {
	r := &recording{calls: []liveCall{
		{Seq: 0, T: 100, Kind: "event", Type: "NODE_UPDATE", Node: "a"},
		{Seq: 1, T: 101, Kind: "allocate", Attempt: "appattempt_1_0001_000001"},
		{Seq: 2, T: 102, Kind: "allocate_reply", Attempt: "appattempt_1_0001_000001"},
		{Seq: 3, T: 103, Kind: "allocate", Attempt: "appattempt_1_0001_000001"},
		{Seq: 4, T: 104, Kind: "event", Type: "NODE_UPDATE", Node: "b"},
		{Seq: 5, T: 200, Kind: "update"},
	}}
	var got []string
	for _, m := range r.moves(liveOrder{calls: []int{0, 1, 2, 3, 4, 5}}, 4) {
		got = append(got, m.text)
	}
	want := []string{
		"seq 3 (allocate appattempt_1_0001_000001) took effect after seq 4 (NODE_UPDATE b), 1 ms apart",
		"seq 1 (allocate appattempt_1_0001_000001) took effect before seq 0 (NODE_UPDATE a), 1 ms apart",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

func TestRecordingsThatAreNotModelled(t *testing.T) {
	for name, change := range map[string]func(string, string) string{
		"seq 94: appattempt_1795247157199_0001_000002, second attempts are not modelled": func(file, text string) string {
			if file == "rm-calls.jsonl" {
				text = strings.ReplaceAll(text, "appattempt_1795247157199_0001_000001", "appattempt_1795247157199_0001_000002")
			}
			return text
		},
		"the scheduler is org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.CapacityScheduler, calls of a FairScheduler are compared": only("cluster.json", "scheduler.fair.FairScheduler",
			"scheduler.capacity.CapacityScheduler"),
		"passes of continuous scheduling are not among the recorded calls": only("cluster.json", `"yarn_site": {`, `"yarn_site": {"yarn.scheduler.fair.continuous-scheduling-enabled": "true",`),
		"no call for event NODE_LABELS_UPDATE":                             only("rm-calls.jsonl", "NODE_UPDATE", "NODE_LABELS_UPDATE"),
	} {
		s, err := Dir(copyRecording(t, "recorded-preemption", change), "")
		if err != nil {
			t.Fatal(err)
		}
		if r := s.Files[0]; s.OK() || r.Unsupported != 1 || !strings.Contains(r.Reasons[0], name[strings.Index(name, ":")+1:]) {
			t.Errorf("%s: got %+v", name, r)
		}
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
	if want := []string{"recorded-locality-thresholds/rm-calls.jsonl.gz", "recorded-preemption/rm-calls.jsonl.gz"}; !slices.Equal(names, want) || !s.OK() {
		t.Errorf("got %v, passes is %v, want %v", names, s.OK(), want)
	}
	var b bytes.Buffer
	if err := s.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"recorded-preemption/rm-calls.jsonl.gz           28/28 100.00 %", "total                                           68/68 100.00 %"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the table has no %q:\n%s", want, b.String())
		}
	}
	one, err := Dir("testdata", filepath.Join("recorded-preemption", "rm-calls.jsonl.gz"))
	if err != nil || len(one.Files) != 1 {
		t.Errorf("one of them: %+v, %v", one, err)
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
	f.Fuzz(func(t *testing.T, calls string) {
		dir := t.TempDir()
		for name, text := range files {
			write(t, dir, name, text)
		}
		write(t, dir, "rm-calls.jsonl", calls)
		s, err := Dir(dir, "")
		if err == nil && s.Totals.Cases != s.Totals.Equal+s.Totals.Different+s.Totals.Unsupported {
			t.Errorf("%+v", s.Totals)
		}
	})
}
