package sparkonyarn

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"replay/trace"
	"replay/trace/importer/importtest"
	"replay/trace/importer/recorded"
	"replay/trace/importer/workload"
)

const fixture = "../testdata/spark-on-yarn/locality-wait-0s"

// What a backtest needs of the recording comes with the trace, on its time axis and with its ids.
func TestRecordedFacts(t *testing.T) {
	res, m, err := importtest.Import(t, Format, fixture, func(o *workload.Options) { o.Strict = true })
	if err != nil {
		t.Fatal(err)
	}
	var facts struct {
		Origin       int64            `json:"origin_unix_ms"`
		Applications []map[string]any `json:"applications"`
		Containers   []struct {
			Job        int64
			Executor   *int32
			AM         bool
			Node       string
			Allocated  *int64 `json:"t_allocated"`
			Registered *int64 `json:"t_registered"`
		}
	}
	data, err := m.Attachment("recorded_containers.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &facts); err != nil {
		t.Fatal(err)
	}
	if facts.Origin != m.OriginUnixMS || len(facts.Applications) != 1 || facts.Applications[0]["t_submitted"] != 0.0 || facts.Applications[0]["job"] != 0.0 {
		t.Errorf("origin %d, applications %v", facts.Origin, facts.Applications)
	}
	added := map[int32]trace.Executor{}
	for _, e := range m.ExecutorList {
		added[e.ID] = e
	}
	masters := 0
	for _, c := range facts.Containers {
		if c.AM {
			masters++
			continue
		}
		if c.Executor == nil || c.Allocated == nil {
			continue // never started
		}
		e, ok := added[*c.Executor]
		if !ok || m.Nodes[e.Node].Host != c.Node || e.AddedMS < *c.Allocated {
			t.Errorf("container of executor %d on %s allocated at %d, the trace has %+v", *c.Executor, c.Node, *c.Allocated, e)
		}
		delete(added, *c.Executor)
	}
	if masters != 1 || len(added) > 0 || res.Counts.Read["executors_added"] != 6 {
		t.Errorf("%d masters, executors without a container %v", masters, added)
	}
	var recorded struct {
		Applications []recorded.App `json:"applications"`
	}
	data, err = m.Attachment("recorded.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &recorded); err != nil {
		t.Fatal(err)
	}
	a, j := recorded.Applications[0], m.JobList[0]
	if a.SubmitMS != 0 || a.StartMS != j.RecordedStartMS || a.FinishMS != j.RecordedFinishMS || len(a.Stages) != len(j.Stages) || a.ReadyMS < a.StartMS {
		t.Errorf("recorded %+v, job submitted %d, started %d, finished %d", a, j.SubmitMS, j.RecordedStartMS, j.RecordedFinishMS)
	}
	site, err := m.Attachment("yarn-site.xml")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(site), "<name>yarn.scheduler.minimum-allocation-mb</name>\n    <value>512</value>") {
		t.Errorf("yarn-site.xml is %s", site)
	}
	if j.ExecMemMiB != 480+1568 && j.ExecMemMiB != 480+2592 || j.AMMemMiB != 1024 || m.Queues[j.Queue].Path != "root.a" || j.RecordedOutcome != "success" {
		t.Errorf("executor %d MiB, master %d MiB, queue %s, outcome %s", j.ExecMemMiB, j.AMMemMiB, m.Queues[j.Queue].Path, j.RecordedOutcome)
	}
}

// Applications in client mode have logs without an attempt; the logs may be rolling.
func TestClientModeLogs(t *testing.T) {
	const app = "application_1795247048320_0001"
	dir := importtest.Copy(t, fixture)
	log := dir + "/eventlogs/" + app + "_1.gz"
	rolling := dir + "/eventlogs/eventlog_v2_" + app
	if err := os.Mkdir(rolling, 0o755); err != nil {
		t.Fatal(err)
	}
	importtest.Write(t, rolling+"/events_1_"+app, string(importtest.Unpack(t, log)))
	importtest.Write(t, rolling+"/appstatus_"+app, "")
	if err := os.Remove(log); err != nil {
		t.Fatal(err)
	}
	_, m, err := importtest.Import(t, Format, dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.JobList) != 1 || m.JobList[0].ExternalID != app {
		t.Errorf("jobs are %+v", m.JobList)
	}
}

// A killed application has no end in its log, which may be cut.
func TestKilledApplication(t *testing.T) {
	dir := importtest.Copy(t, fixture)
	apps := dir + "/apps.jsonl"
	text := strings.Replace(string(importtest.Read(t, apps)), `"FINISHED"`, `"KILLED"`, 1)
	importtest.Write(t, apps, text)
	log := dir + "/eventlogs/application_1795247048320_0001_1.gz"
	plain := importtest.Unpack(t, log)
	importtest.Write(t, log, string(importtest.Gzip(t, plain[:len(plain)-500])))
	_, m, err := importtest.Import(t, Format, dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if o := m.JobList[0].RecordedOutcome; o != "killed" {
		t.Errorf("outcome is %q", o)
	}
}

func TestNodeEvents(t *testing.T) {
	dir := importtest.Copy(t, fixture)
	events := `{"t":1795247065000,"node":"node08","event":"killed","what":"SIGKILL"}
{"t":1795247075000,"node":"node08","event":"started"}
`
	if err := os.WriteFile(filepath.Join(dir, "node-events.jsonl"), []byte(events), 0o644); err != nil {
		t.Fatal(err)
	}
	_, m, err := importtest.Import(t, Format, dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Events) != 2 || m.Events[0].Kind != trace.Fail || m.Events[1].Kind != trace.Recover || m.Nodes[m.Events[0].Node].Host != "node08" ||
		m.Events[1].TimeMS-m.Events[0].TimeMS != 10000 || m.Events[0].TimeMS != 1795247065000-m.OriginUnixMS {
		t.Errorf("events are %+v", m.Events)
	}
	if err := os.WriteFile(filepath.Join(dir, "node-events.jsonl"), []byte(`{"t":1,"node":"node77","event":"exploded"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, _, err := importtest.Import(t, Format, dir, nil); err == nil || !strings.Contains(err.Error(), `"exploded" of node "node77", want killed`) {
		t.Errorf("error is %v", err)
	}
}

// A node that is not healthy goes with its next heartbeat, not only once the ResourceManager has missed it, and comes back.
func TestUnhealthyNode(t *testing.T) {
	dir := importtest.Copy(t, fixture)
	events := `{"t":1795247065000,"node":"node08","event":"unhealthy","what":"RUNNING to UNHEALTHY"}
{"t":1795247075000,"node":"node08","event":"healthy"}
{"t":1795247085000,"node":"node08","event":"draining"}
`
	if err := os.WriteFile(filepath.Join(dir, "node-events.jsonl"), []byte(events), 0o644); err != nil {
		t.Fatal(err)
	}
	_, m, err := importtest.Import(t, Format, dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Events) != 3 || m.Events[0].Kind != trace.Drain || m.Events[0].DrainTimeoutMS != 0 || m.Events[1].Kind != trace.Undrain || m.Events[2].DrainTimeoutMS != trace.Unset {
		t.Errorf("events are %+v, want a drain of 0 ms, its end, and a drain without one", m.Events)
	}
}

func TestBadClusters(t *testing.T) {
	for _, tt := range []struct{ name, file, text, want string }{
		{"no cluster.json", "cluster.json", "", "not a recorded cluster"},
		{"no nodes", "cluster.json", `{"nodes":[]}`, "nodes is empty"},
		{"broken line", "apps.jsonl", "{\"app\":\n", "apps.jsonl: line 1"},
		{"lines of an old Mac", "apps.jsonl", "{\"app\":\"x\",\"t_submitted\":5}\r{\"app\":\"y\",\"t_submitted\":5}\r", "apps.jsonl: line 1: goes on after a carriage return, want a line feed at the end of each line"},
		{"no submission time", "apps.jsonl", `{"app":"x"}`, `app is "x" and t_submitted 0`},
		{"an end before the submission", "apps.jsonl", `{"app":"x","t_submitted":5,"t_finished":-7}`, "t_finished of x is -7, want t_submitted, 5, or later"},
		{"an application twice", "apps.jsonl", "{\"app\":\"x\",\"t_submitted\":5}\n{\"app\":\"x\",\"t_submitted\":5}\n", "apps.jsonl: line 2: application x is there again, want each once"},
		{"a state that is none", "apps.jsonl", `{"app":"x","t_submitted":5,"final":"abc"}`, `final of x is "abc", want one of FINISHED`},
		{"memory below zero", "cluster.json", `{"nodes":[{"node":"a","memory_mb":-7,"vcores":4}]}`, `nodes[0]: node is "a", memory_mb -7 and vcores 4, want a host with`},
		{"an attempt that ends before it begins", "tasks.jsonl.gz", string(importtest.Gzip(t, []byte(`{"app":"x","type":"MAP","start":5,"finish":-7,"status":"SUCCEEDED"}`))), "tasks.jsonl.gz: line 1: start of a MAP of x is 5 and finish -7"},
		{"a shuffle after the end", "tasks.jsonl.gz", string(importtest.Gzip(t, []byte(`{"app":"x","type":"REDUCE","start":5,"finish":9,"shuffle_finish":10,"status":"SUCCEEDED"}`))), "shuffle_finish of a REDUCE of x is 10, want one from start, 5, to finish, 9"},
		{"log of nobody", "eventlogs/application_9_0009_1.gz", string(importtest.Gzip(t, []byte("{}"))), `application "application_9_0009" is not in apps.jsonl`},
		{"no preferences", "task-preferences.jsonl.gz", "", "task-preferences.jsonl.gz"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := importtest.Copy(t, fixture)
			path := filepath.Join(dir, filepath.FromSlash(tt.file))
			var err error
			if tt.text == "" {
				err = os.Remove(path)
			} else {
				err = os.WriteFile(path, []byte(tt.text), 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
			if _, _, err := importtest.Import(t, Format, dir, nil); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error is %v, want %q", err, tt.want)
			}
		})
	}
}
