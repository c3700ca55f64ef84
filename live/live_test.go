package live

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"replay/live/livetest"
)

const app1, app2 = "application_1699999000000_0001", "application_1699999000000_0003"

// options are those of a recording of one poll.
func options(c *livetest.Cluster, out string) Options {
	return Options{RM: []string{c.URL}, History: c.URL, Out: out, Once: true, Every: time.Second, Timeout: 2 * time.Second, Parallel: 2, MaxLog: 1 << 20}
}

// busy is a cluster with an application that ended and one that runs.
func busy(t *testing.T) *livetest.Cluster {
	c := livetest.Started(t)
	c.Apps = []map[string]any{
		livetest.App(app2, "second", "bob", "root.adhoc", "RUNNING", 1_700_000_005_000, 1_700_000_006_000, 0),
		livetest.App(app1, "first", "ann", "root.etl", "FINISHED", 1_700_000_001_000, 1_700_000_002_000, 1_700_000_009_000),
	}
	c.Logs[app1] = map[string][]byte{app1 + "_1": []byte(`{"Event":"SparkListenerLogStart"}` + "\n")}
	return c
}

func record(t *testing.T, o Options) *Recording {
	t.Helper()
	r, err := Record(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// content is every file of a folder.
func content(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			name, _ := filepath.Rel(dir, path)
			out[name] = read(t, dir, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestOnce(t *testing.T) {
	c, out := busy(t), filepath.Join(t.TempDir(), "rec")
	r := record(t, options(c, out))
	if n := r.Counts; n.Nodes != 2 || n.Queues != 3 || n.Applications != 2 || n.EventLogs != 1 || n.Running != 1 || n.UnknownIDs != 1 || n.ByState["FINISHED"] != 1 {
		t.Errorf("counts are %+v", n)
	}
	apps := strings.Split(strings.TrimSpace(read(t, out, "apps.jsonl")), "\n")
	want := `{"app":"` + app1 + `","name":"first","user":"ann","queue":"root.etl","type":"SPARK","final":"FINISHED","attempts":1,"t_submitted":1700000001000,"t_attempt_scheduled":1700000001050,"t_am_launched":1700000002000,"t_finished":1700000009000,"memory_mb_seconds":1000,"vcore_seconds":10}`
	if len(apps) != 2 || apps[0] != want {
		t.Errorf("apps.jsonl has\n%s\nwant two lines, first\n%s", strings.Join(apps, "\n"), want)
	}
	var cluster struct {
		Site  map[string]string `json:"yarn_site"`
		Nodes []struct {
			Node, Rack string
			MemoryMB   int64 `json:"memory_mb"`
			VCores     int
		}
	}
	if err := json.Unmarshal([]byte(read(t, out, "cluster.json")), &cluster); err != nil {
		t.Fatal(err)
	}
	if len(cluster.Nodes) != 2 || cluster.Nodes[1].Node != "node02" || cluster.Nodes[1].Rack != "/rack2" || cluster.Nodes[1].MemoryMB != 8192 || cluster.Nodes[1].VCores != 8 {
		t.Errorf("nodes are %+v", cluster.Nodes)
	}
	if s := cluster.Site; len(s) != 2 || s["yarn.scheduler.minimum-allocation-mb"] != "512" {
		t.Errorf("yarn_site is %v, want the two settings that are neither defaults, secrets nor the path of the allocation file", s)
	}
	queues := read(t, out, "fair-scheduler.xml")
	for _, want := range []string{`<queue name="etl">`, "<weight>3</weight>", "<maxResources>8192 mb, 16 vcores</maxResources>", "<minResources>1024 mb, 1 vcores</minResources>",
		"<maxRunningApps>5</maxRunningApps>", "<schedulingPolicy>drf</schedulingPolicy>", "<allowPreemptionFrom>false</allowPreemptionFrom>"} {
		if strings.Count(queues, want) != 1 {
			t.Errorf("fair-scheduler.xml has %d of %s:\n%s", strings.Count(queues, want), want, queues)
		}
	}
	if read(t, out, "eventlogs/"+app1+"_1") != string(c.Logs[app1][app1+"_1"]) {
		t.Error("the event log is not what the history server has")
	}
	for name, text := range content(t, out) {
		for _, secret := range []string{"hunter2", "own words", "trackingUrl"} {
			if strings.Contains(text, secret) {
				t.Errorf("%s has %q", name, secret)
			}
		}
	}
	for _, asked := range c.Asked {
		if strings.Contains(asked, app2) && strings.HasPrefix(asked, "/api/v1/applications") {
			t.Errorf("%s was asked, although the application has not ended", asked)
		}
	}
}

// What is said of times before the first poll, and of events, is said where there are any.
func TestSaysWhatIsMissed(t *testing.T) {
	const before, events, gap = "submitted before the first poll: nodes are taken to have been there since", "t_after", "nobody asked for"
	for _, tt := range []struct {
		name  string
		early bool
		want  []string
	}{{"all before", true, []string{before}}, {"none before", false, nil}} {
		c, out := busy(t), t.TempDir()
		if !tt.early {
			for _, a := range c.Apps {
				for _, key := range []string{"startedTime", "launchTime", "finishedTime"} {
					if ms, ok := a[key].(int64); ok && ms > 0 {
						a[key] = ms + 10_000*365*24*3600
					}
				}
			}
		}
		r := record(t, options(c, out))
		for _, text := range []string{before, events, gap} {
			if said := strings.Contains(strings.Join(r.MayMiss, "\n"), text); said != slices.Contains(tt.want, text) {
				t.Errorf("%s: missed is %q, which has %q: %v", tt.name, r.MayMiss, text, said)
			}
		}
	}
	r := &Recording{Polls: Polls{Count: 2, Failed: 1, Gaps: []Gap{{1_700_000_000_000, 1_700_000_060_000}}}}
	if said := strings.Join(r.missed(&r.Counts), "\n"); !strings.Contains(said, "1 poll failed and left out") || !strings.Contains(said, "nobody asked for 60 s from 2023-11-14 22:13:20Z on") {
		t.Errorf("a gap is %q", said)
	}
}

// A poll of the same cluster changes nothing but the times of polls, and asks for nothing that is there.
func TestAgain(t *testing.T) {
	c, out := busy(t), t.TempDir()
	record(t, options(c, out))
	before := content(t, out)
	c.Asked = nil
	if r := record(t, options(c, out)); r.Polls.Count != 2 {
		t.Errorf("polls are %+v", r.Polls)
	}
	after := content(t, out)
	delete(before, recordingFile)
	delete(after, recordingFile)
	if fmt.Sprint(before) != fmt.Sprint(after) {
		t.Errorf("a second poll changed files:\n%v\nbefore\n%v", after, before)
	}
	for _, asked := range c.Asked {
		if strings.Contains(asked, "appattempts") || strings.HasPrefix(asked, "/api/v1/applications") {
			t.Errorf("%s was asked again", asked)
		}
	}
}

func TestChangesBetweenPolls(t *testing.T) {
	c, out := busy(t), t.TempDir()
	record(t, options(c, out))
	c.Nodes[0]["state"], c.Nodes[0]["availMemoryMB"] = "LOST", 0
	c.Nodes = append(c.Nodes, livetest.Node("node03", "/rack1", "RUNNING", 4096, 4))
	c.Apps = c.Apps[1:] // the one that ran is not known any more
	record(t, options(c, out))
	c.Nodes = append(c.Nodes[1:], livetest.Node("node01", "/rack1", "RUNNING", 8192, 8))
	c.Nodes[0]["state"] = "DECOMMISSIONING"
	r := record(t, options(c, out))
	var got []string
	for _, e := range r.NodeEvents {
		got = append(got, e.Event+" "+e.Node)
		if e.After <= 0 || e.T < e.After || e.T > e.Before {
			t.Errorf("%+v: want a time between the polls", e)
		}
	}
	if want := "lost node01, joined node03, draining node02, started node01"; strings.Join(got, ", ") != want {
		t.Errorf("node events are %s, want %s", strings.Join(got, ", "), want)
	}
	if r.Counts.Vanished != 1 || r.Counts.Nodes != 3 {
		t.Errorf("counts are %+v, want an application that was forgotten and 3 nodes", r.Counts)
	}
	if said := strings.Join(r.MayMiss, "\n"); !strings.Contains(said, "4 node events at the nearest time that is known: each was between its t_after and its t_before") {
		t.Errorf("missed is %q, want what is known of the times of 4 events", r.MayMiss)
	}
	if lines := strings.Count(read(t, out, "node-events.jsonl"), "\n"); lines != 4 {
		t.Errorf("node-events.jsonl has %d lines, want 4", lines)
	}
}

// A recorder that is stopped at any request goes on: what is recorded in the end is what an undisturbed one records.
func TestKilledAnywhere(t *testing.T) {
	c, whole := busy(t), t.TempDir()
	c.Logs[app1] = map[string][]byte{"eventlog_v2_" + app1 + "_1/events_1_" + app1 + "_1": []byte("{}\n"), "eventlog_v2_" + app1 + "_1/appstatus_" + app1 + "_1": {}}
	record(t, options(c, whole))
	requests := len(c.Asked)
	want := content(t, whole)
	delete(want, recordingFile)
	for k := range requests {
		out, n := t.TempDir(), 0
		ctx, kill := context.WithCancel(t.Context())
		c.Lock()
		c.Before = func(_ http.ResponseWriter, r *http.Request) {
			if n++; n > k {
				kill()
				<-r.Context().Done() // the answer would come before the recorder knows
			}
		}
		c.Unlock()
		if _, err := Record(ctx, options(c, out)); !errors.Is(err, context.Canceled) {
			t.Fatalf("killed at request %d: %v", k, err)
		}
		c.Lock()
		c.Before = nil
		c.Unlock()
		// What a process that dies leaves beside the recording.
		os.MkdirAll(filepath.Join(filepath.Dir(out), "."+filepath.Base(out)+".partial", "log0"), 0o755)
		if r := record(t, options(c, out)); r.Polls.Count != 1 || r.Counts.EventLogs != 1 {
			t.Errorf("killed at request %d: %+v", k, r)
		}
		got := content(t, out)
		delete(got, recordingFile)
		for name := range want { // answers are named by the time of the poll
			if strings.HasSuffix(filepath.Dir(name), "info") || strings.HasSuffix(filepath.Dir(name), "nodes") || strings.HasSuffix(filepath.Dir(name), "scheduler") {
				continue
			}
			if got[name] != want[name] {
				t.Errorf("killed at request %d: %s has\n%s\nwant\n%s", k, name, got[name], want[name])
			}
		}
		kill()
	}
}

func TestMalformedAnswers(t *testing.T) {
	for _, x := range []struct{ name, path, answer, want string }{
		{"no JSON", "/ws/v1/cluster/info", "<html>login</html>", `/ws/v1/cluster/info: the answer begins with "<html>login</html>", want JSON`},
		{"another server", "/ws/v1/cluster/info", "{}", `clusterInfo.hadoopVersion is "", want the version of a ResourceManager`},
		{"an unknown scheduler", "/ws/v1/cluster/scheduler", `{"scheduler":{"schedulerInfo":{"type":"x"}}}`, `scheduler.schedulerInfo is "type \"x\"", want the queues of a FairScheduler`},
		{"no queues", "/ws/v1/cluster/scheduler", `{"scheduler":{"schedulerInfo":{"type":"fairScheduler"}}}`, `fairScheduler without rootQueue`},
		{"a state", "/ws/v1/cluster/nodes", `{"nodes":{"node":[{"id":"a:1","state":"ON"}]}}`, `/ws/v1/cluster/nodes: nodes.node[0].state is "ON", want a state of a node`},
		{"a size", "/ws/v1/cluster/nodes", `{"nodes":{"node":[{"id":"a:1","state":"RUNNING","availMemoryMB":-5}]}}`, `nodes.node[0].availMemoryMB is -5, want 0 or more, with what is used`},
		{"a text for a number", "/ws/v1/cluster/nodes", `{"nodes":{"node":[{"id":"a:1","availMemoryMB":"x"}]}}`, `availMemoryMB is a text, want a whole number`},
		{"an id", "/ws/v1/cluster/apps", `{"apps":{"app":[{"id":"../../x"}]}}`, `apps.app[0].id is "../../x", want application_CLUSTER_NUMBER`},
		{"times", "/ws/v1/cluster/apps", `{"apps":{"app":[{"id":"` + app1 + `","state":"FINISHED","startedTime":9,"finishedTime":3}]}}`, `apps.app[0].finishedTime is 3, want startedTime, 9, or later`},
		{"cut short", "/ws/v1/cluster/apps", `{"apps":{"app":[`, `the answer: byte 16: unexpected end of JSON input`},
	} {
		t.Run(x.name, func(t *testing.T) {
			c, out := busy(t), t.TempDir()
			c.Before = func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == x.path {
					fmt.Fprint(w, x.answer)
				}
			}
			_, err := Record(t.Context(), options(c, out))
			if err == nil || !strings.Contains(err.Error(), x.want) || !strings.HasPrefix(err.Error(), c.URL) {
				t.Errorf("error %v, want %s… %s", err, c.URL, x.want)
			}
			text, err := os.ReadFile(filepath.Join(out, recordingFile))
			if errors.Is(err, fs.ErrNotExist) { // nothing was found
				return
			}
			var rec Recording
			if err := json.Unmarshal(text, &rec); err != nil || rec.Polls.Count != 0 {
				t.Errorf("the poll counts: %+v, %v", rec, err)
			}
		})
	}
}

// Of logs that are too long, of another name or no archive the application is told, and the rest is recorded.
func TestHostileLogs(t *testing.T) {
	for _, x := range []struct {
		name string
		logs map[string][]byte
		want string
	}{
		{"a bomb", map[string][]byte{app1 + "_1": bytes.Repeat([]byte{' '}, 3<<20)}, "have more than 1048576 bytes, want at most that; --max-log allows more"},
		{"another folder", map[string][]byte{"../../" + app1 + "_1": []byte("x")}, `is called "../../` + app1 + `_1", want the event log of`},
		{"another application", map[string][]byte{app2 + "_1": []byte("x")}, `is called "` + app2 + `_1"`},
	} {
		t.Run(x.name, func(t *testing.T) {
			c, out, notes := busy(t), t.TempDir(), ""
			c.Logs[app1] = x.logs
			o := options(c, out)
			o.Note = func(m string) { notes += m + "\n" }
			if r := record(t, o); r.Counts.LogsMissing != 1 || r.Counts.EventLogs != 0 || !strings.Contains(strings.Join(r.MayMiss, "\n"), "1 Spark application ended without an event log here yet") {
				t.Errorf("counts are %+v, missed is %q", r.Counts, r.MayMiss)
			}
			if !strings.Contains(notes, x.want) || !strings.Contains(notes, app1) {
				t.Errorf("notes are %q, want %s", notes, x.want)
			}
			if left, _ := os.ReadDir(filepath.Join(out, "eventlogs")); len(left) != 0 {
				t.Errorf("eventlogs has %v", left)
			}
		})
	}
}

func TestStandby(t *testing.T) {
	c, out := busy(t), t.TempDir()
	standby := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, c.URL+r.URL.String(), http.StatusTemporaryRedirect)
	}))
	defer standby.Close()
	o := options(c, out)
	o.RM = []string{standby.URL}
	if r := record(t, o); r.Counts.Applications != 2 {
		t.Errorf("counts are %+v", r.Counts)
	}
	alone := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Refresh", "3;url=http://rm/")
		w.WriteHeader(http.StatusTemporaryRedirect)
	}))
	defer alone.Close()
	rm := quick(t, options(c, t.TempDir()), alone.URL)
	err := rm.poll(t.Context())
	if err == nil || !strings.Contains(err.Error(), "there is no active ResourceManager") || !passing(err) {
		t.Errorf("error %v", err)
	}
	if rm = quick(t, options(c, t.TempDir()), alone.URL, c.URL); rm.poll(t.Context()) != nil || rm.rec.Counts.Applications != 2 {
		t.Errorf("a second ResourceManager was not asked: %+v", rm.rec)
	}
}

// The address of a page of the ResourceManager leads to its server; behind a proxy that serves it at such a path that is the address.
func TestAddressOfAPage(t *testing.T) {
	c := busy(t)
	for page, server := range map[string]string{"/cluster": "", "/cluster/apps/RUNNING": "", "/ui2/": "", "/ws/v1/cluster": "", "/yarn/cluster/": "/yarn"} {
		behind := httptest.NewServer(http.StripPrefix(server, c))
		var notes []string
		o := options(c, t.TempDir())
		o.RM, o.Note = []string{behind.URL + page}, func(text string) { notes = append(notes, text) }
		if r := record(t, o); r.Counts.Applications != 2 || len(notes) == 0 || notes[0] != "--rm "+strings.TrimSuffix(behind.URL+page, "/")+" is a page: the ResourceManager is asked at "+behind.URL+server {
			t.Errorf("%s: notes %q, counts %+v", page, notes, r.Counts)
		}
		behind.Close()
	}
	proxy := httptest.NewServer(http.StripPrefix("/cluster", c))
	defer proxy.Close()
	o := options(c, t.TempDir())
	o.RM, o.Note = []string{proxy.URL + "/cluster"}, func(text string) { t.Error(text) }
	if r := record(t, o); r.Counts.Applications != 2 {
		t.Errorf("behind a proxy: counts %+v", r.Counts)
	}
	o.RM = []string{c.URL + "/nothing"}
	if _, err := Record(t.Context(), o); err == nil || !strings.Contains(err.Error(), "/nothing/ws/v1/cluster/info: the server answers 404") {
		t.Errorf("error %v", err)
	}
}

// quick is a recorder that pauses shortly between tries.
func quick(t *testing.T, o Options, rm ...string) *recorder {
	t.Helper()
	o.RM = rm
	r, err := newRecorder(&o)
	if err != nil {
		t.Fatal(err)
	}
	if r.store, err = openStore(o.Out); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.store.close)
	r.rec, r.rm.pause = &r.store.rec, time.Millisecond
	return r
}

func TestBusyServer(t *testing.T) {
	c, n := busy(t), 0
	c.Before = func(w http.ResponseWriter, r *http.Request) {
		if n++; n%3 != 0 {
			http.Error(w, "busy", http.StatusServiceUnavailable)
		}
	}
	if r := quick(t, options(c, t.TempDir()), c.URL); r.poll(t.Context()) != nil || r.rec.Counts.EventLogs != 1 {
		t.Errorf("recorded %+v", r.rec)
	}
	c.Before = func(w http.ResponseWriter, r *http.Request) { http.Error(w, "busy", http.StatusServiceUnavailable) }
	c.Asked = nil
	err := quick(t, options(c, t.TempDir()), c.URL).poll(t.Context())
	if err == nil || !strings.Contains(err.Error(), "503") || len(c.Asked) != tries {
		t.Errorf("error %v after %d requests, want %d", err, len(c.Asked), tries)
	}
}

func TestWebHDFS(t *testing.T) {
	c := busy(t)
	c.Logs[app1] = map[string][]byte{"eventlog_v2_" + app1 + "_1/events_1_" + app1 + "_1.zstd": []byte("abc"), "eventlog_v2_" + app1 + "_1/appstatus_" + app1 + "_1": {}}
	for _, history := range []string{c.URL + "/webhdfs/v1/spark-events", "hdfs:///spark-events", "hdfs://nameservice/spark-events"} {
		out := t.TempDir()
		o := options(c, out)
		o.History, o.WebHDFS, o.User = history, c.URL, "spark"
		if r := record(t, o); r.Counts.EventLogs != 1 || r.Counts.LogBytes != 3 {
			t.Errorf("%s: counts are %+v", history, r.Counts)
		}
		if read(t, out, "eventlogs/eventlog_v2_"+app1+"_1/events_1_"+app1+"_1.zstd") != "abc" {
			t.Errorf("%s: the log is not what HDFS has", history)
		}
	}
}

// Event logs may be in the root folder of HDFS.
func TestWebHDFSRoot(t *testing.T) {
	for _, history := range []string{"http://namenode:9870/webhdfs/v1", "http://namenode:9870/webhdfs/v1/"} {
		r, err := newRecorder(&Options{RM: []string{"http://rm:8088"}, History: history})
		if err != nil {
			t.Fatal(err)
		}
		if got := r.logs.String(); got != "http://namenode:9870/webhdfs/v1" {
			t.Errorf("%s: event logs are of %s", history, got)
		}
	}
}

// Of a folder the log of an application that ended in order is taken when it is whole, and that of a killed one as it is, and again when there is more.
func TestFolder(t *testing.T) {
	c, logs, out := busy(t), t.TempDir(), t.TempDir()
	o := options(c, out)
	o.History = logs
	os.WriteFile(filepath.Join(logs, app1+"_1.inprogress"), []byte("part"), 0o644)
	if r := record(t, o); r.Counts.EventLogs != 0 {
		t.Errorf("counts are %+v", r.Counts)
	}
	os.Rename(filepath.Join(logs, app1+"_1.inprogress"), filepath.Join(logs, app1+"_1"))
	os.WriteFile(filepath.Join(logs, app2+"_1.inprogress"), []byte("part"), 0o644)
	c.Apps[0] = livetest.App(app2, "second", "bob", "root.adhoc", "KILLED", 1_700_000_005_000, 1_700_000_006_000, 1_700_000_010_000)
	if r := record(t, o); r.Counts.EventLogs != 2 {
		t.Errorf("counts are %+v", r.Counts)
	}
	logsAre := func(want map[string]string) {
		t.Helper()
		got := map[string]string{}
		files, _ := os.ReadDir(filepath.Join(out, "eventlogs"))
		for _, f := range files {
			got[f.Name()] = read(t, out, "eventlogs/"+f.Name())
		}
		if !maps.Equal(got, want) {
			t.Errorf("event logs are %v, want %v", got, want)
		}
	}
	logsAre(map[string]string{app1 + "_1": "part", app2 + "_1.inprogress": "part"})
	os.WriteFile(filepath.Join(logs, app2+"_1.inprogress"), []byte("part and more"), 0o644)
	record(t, o)
	logsAre(map[string]string{app1 + "_1": "part", app2 + "_1.inprogress": "part and more"})
	os.Rename(filepath.Join(logs, app2+"_1.inprogress"), filepath.Join(logs, app2+"_1"))
	os.WriteFile(filepath.Join(logs, app1+"_1"), []byte("another"), 0o644) // which has ended
	if r := record(t, o); r.Counts.EventLogs != 2 {
		t.Errorf("counts are %+v", r.Counts)
	}
	logsAre(map[string]string{app1 + "_1": "part", app2 + "_1": "part and more"})
}

func TestCapacityQueues(t *testing.T) {
	c, out := busy(t), t.TempDir()
	c.Scheduler = livetest.Capacity
	record(t, options(c, out))
	file := read(t, out, "capacity-scheduler.xml")
	for key, value := range map[string]string{"root.queues": "prod,dev", "root.prod.capacity": "70", "root.dev.maximum-capacity": "60", "root.prod.ordering-policy": "fair",
		"root.prod.user-limit-factor": "2", "root.prod.minimum-user-limit-percent": "50", "root.dev.state": "RUNNING"} {
		if want := "<name>yarn.scheduler.capacity." + key + "</name>\n    <value>" + value + "</value>"; !strings.Contains(file, want) {
			t.Errorf("capacity-scheduler.xml has no %s = %s:\n%s", key, value, file)
		}
	}
	own := "<configuration/>"
	os.WriteFile(filepath.Join(out, "capacity-scheduler.xml"), []byte(own), 0o644)
	record(t, options(c, out))
	if read(t, out, "capacity-scheduler.xml") != own {
		t.Error("the administrators' file was not kept")
	}
}

// Headers go to the servers that were named and to no other, and nothing of them is written.
func TestCredentials(t *testing.T) {
	c, out := busy(t), t.TempDir()
	var got []string
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = append(got, r.Header.Get("X-Token"))
		c.ServeHTTP(w, r)
	}))
	defer other.Close()
	sent := 0
	c.Before = func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Token") == "geheim" {
			sent++
		}
		if strings.HasSuffix(r.URL.Path, "/nodes") && r.Host == strings.TrimPrefix(c.URL, "http://") {
			http.Redirect(w, r, other.URL+r.URL.String(), http.StatusTemporaryRedirect)
		}
	}
	file := filepath.Join(t.TempDir(), "headers")
	os.WriteFile(file, []byte("# mine\nX-Token: geheim\n"), 0o600)
	o := options(c, out)
	var err error
	if o.Header, err = ReadHeaders(file); err != nil {
		t.Fatal(err)
	}
	record(t, o)
	if sent == 0 || len(got) != 1 || got[0] != "" {
		t.Errorf("the header was sent %d times to the server named, and as %q to another", sent, got)
	}
	for name, text := range content(t, out) {
		if strings.Contains(text, "geheim") {
			t.Errorf("%s has the header", name)
		}
	}
	for _, u := range []string{"http://ann:pw@rm:8088", "rm:8088", "ftp://rm", "http://rm:8088?delegation=x"} {
		o := options(c, t.TempDir())
		o.RM = []string{u}
		if _, err := Record(t.Context(), o); err == nil || strings.Contains(err.Error(), "pw") || strings.Contains(err.Error(), "=x") || !strings.Contains(err.Error(), "--rm") {
			t.Errorf("%s: error %v", u, err)
		}
	}
	os.WriteFile(file, []byte("geheim\n"), 0o600)
	if _, err := ReadHeaders(file); err == nil || strings.Contains(err.Error(), "geheim") || !strings.Contains(err.Error(), "line 1") {
		t.Errorf("error %v", err)
	}
}

// A server that wants to negotiate gets a ticket; one that does not gets none.
func TestNegotiation(t *testing.T) {
	signed := 0
	n := &negotiation{http.DefaultTransport, func(r *http.Request) error {
		signed++
		r.Header.Set("Authorization", "Negotiate abc")
		return nil
	}}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/secure" && r.Header.Get("Authorization") != "Negotiate abc" {
			w.Header().Set("WWW-Authenticate", "Negotiate")
			w.WriteHeader(http.StatusUnauthorized)
		}
	}))
	defer s.Close()
	c := http.Client{Transport: n}
	for path, want := range map[string]int{"/open": 0, "/secure": 1} {
		signed = 0
		resp, err := c.Get(s.URL + path)
		if err != nil || resp.StatusCode != http.StatusOK || signed != want {
			t.Errorf("%s: %v %v after %d tickets, want %d", path, resp, err, signed, want)
		}
		resp.Body.Close()
	}
}

func TestTLS(t *testing.T) {
	c, out := busy(t), t.TempDir()
	s := httptest.NewTLSServer(c)
	defer s.Close()
	o := options(c, out)
	o.RM, o.History = []string{s.URL}, ""
	if _, err := Record(t.Context(), o); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("error %v, want one of the certificate", err)
	}
	o.CAFile = filepath.Join(t.TempDir(), "ca.pem")
	os.WriteFile(o.CAFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}), 0o644)
	if r := record(t, o); r.Counts.Applications != 2 {
		t.Errorf("counts are %+v", r.Counts)
	}
	c.Before = func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, c.URL+r.URL.String(), http.StatusTemporaryRedirect)
	}
	if _, err := Record(t.Context(), o); err == nil || !strings.Contains(err.Error(), "from https to http") {
		t.Errorf("error %v, want one of a redirect out of TLS", err)
	}
}
