package sparkonyarn

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"

	"replay/trace"
	"replay/trace/importer/importtest"
	"replay/trace/importer/workload"
)

// The trace takes with it the scheduler that the recording names, and its file whatever that is called.
func TestSchedulerOfTheRecording(t *testing.T) {
	const fair, capacity = "fair-scheduler.xml", "capacity-scheduler.xml"
	class := func(name string) string {
		return `"yarn.resourcemanager.scheduler.class": "org.apache.hadoop.yarn.server.resourcemanager.scheduler.` + name + `"`
	}
	rename := func(t *testing.T, dir, from, to string) {
		if err := os.Rename(dir+"/"+from, dir+"/"+to); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name   string
		change func(t *testing.T, dir string) (old, new string) // in cluster.json
		has    string
		hasNot string
		site   string // part of yarn-site.xml
		warned string
	}{
		{"capacity", func(t *testing.T, dir string) (string, string) {
			rename(t, dir, fair, capacity)
			return class("fair.FairScheduler"), class("capacity.CapacityScheduler")
		}, capacity, fair, "capacity.CapacityScheduler", ""},
		{"another name", func(t *testing.T, dir string) (string, string) {
			rename(t, dir, fair, "queues.xml")
			old := class("fair.FairScheduler")
			return old, old + `, "yarn.scheduler.fair.allocation.file": "/etc/hadoop/queues.xml"`
		}, fair, capacity, "fair.FairScheduler", ""},
		{"no file", func(t *testing.T, dir string) (string, string) {
			rename(t, dir, fair, "notes.txt")
			return "", ""
		}, "yarn-site.xml", fair, "", "FairScheduler"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := importtest.Copy(t, fixture)
			old, changed := c.change(t, dir)
			text := string(importtest.Read(t, dir+"/cluster.json"))
			if !strings.Contains(text, old) {
				t.Fatalf("cluster.json has no %s", old)
			}
			importtest.Write(t, dir+"/cluster.json", strings.Replace(text, old, changed, 1))
			var warned []string
			_, m, err := importtest.Import(t, Format, dir, func(o *workload.Options) {
				o.Warn = func(w string) { warned = append(warned, w) }
			})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := m.Attachment(c.has); err != nil {
				t.Errorf("%s: %v", c.has, err)
			}
			if _, err := m.Attachment(c.hasNot); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: %v, want none", c.hasNot, err)
			}
			site, err := m.Attachment("yarn-site.xml")
			if err != nil || !strings.Contains(string(site), c.site) || strings.Contains(string(site), "queues.xml") {
				t.Errorf("yarn-site.xml: %v %s", err, site)
			}
			if got := strings.Join(warned, "\n"); (c.warned == "") != (got == "") || !strings.Contains(got, c.warned) {
				t.Errorf("warnings %q, want %q", got, c.warned)
			}
		})
	}
}

// An application that ran no task keeps its load: its master, its executors and the time that it was there.
func TestApplicationWithoutATask(t *testing.T) {
	const app = "application_1795247048320_0001"
	dir := importtest.Copy(t, fixture)
	log := dir + "/eventlogs/" + app + "_1.gz"
	var kept []string
	for _, line := range strings.SplitAfter(string(importtest.Unpack(t, log)), "\n") {
		if !strings.Contains(line, `"SparkListenerJob`) && !strings.Contains(line, `"SparkListenerStage`) && !strings.Contains(line, `"SparkListenerTask`) {
			kept = append(kept, line)
		}
	}
	if err := os.WriteFile(log, importtest.Gzip(t, []byte(strings.Join(kept, ""))), 0o644); err != nil {
		t.Fatal(err)
	}
	res, m, err := importtest.Import(t, Format, dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	j := m.JobList[0]
	if len(m.JobList) != 1 || len(j.Stages) != 1 || j.NumTasks() != 1 || j.Stages[0].Tasks.DurationMS[0] != 0 || res.Counts.Modelled["applications_without_a_task"] != 1 {
		t.Errorf("jobs %+v, modelled %v", m.JobList, res.Counts.Modelled)
	}
	if whole := j.RecordedFinishMS - j.RecordedStartMS; j.TailMS < whole/2 || j.TailMS > whole {
		t.Errorf("after its task it stays %d ms of %d", j.TailMS, whole)
	}
}

// Recordings of Spark have their tasks in tasks.jsonl.gz too, as event logs do; a row of neither kind is an error.
func TestTasksOfSparkBesideTheirLogs(t *testing.T) {
	dir := importtest.Copy(t, fixture)
	write := func(row string) {
		t.Helper()
		if err := os.WriteFile(dir+"/tasks.jsonl.gz", importtest.Gzip(t, []byte(row+"\n")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(`{"app":"application_1795247048320_0001","stage":0,"attempt":0,"index":1,"partition":1,"task":2,"launch":1795247060000,"finish":1795247061000,"locality":"NODE_LOCAL","preferred":["node06"]}`)
	_, m, err := importtest.Import(t, Format, dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.JobList) != 1 || m.JobList[0].Kind != trace.KindSpark {
		t.Errorf("jobs %+v, want the one of Spark", m.JobList)
	}
	write(`{"app":"application_1795247048320_0001","task":"task_1795247048320_0001_m_000000"}`)
	if _, _, err := importtest.Import(t, Format, dir, nil); err == nil || !strings.Contains(err.Error(), "tasks.jsonl.gz: line 1: type is \"\"") {
		t.Errorf("a row without type or stage: %v", err)
	}
}

// A node or container that is there twice, and times of containers that can not be theirs, are told by file and place.
func TestContradictingFacts(t *testing.T) {
	for _, tt := range []struct {
		file, from, to, want string
		refused              bool
	}{
		{"cluster.json", `"node02"`, `"node01"`, `cluster.json: nodes[1]: node "node01" is there again, want each once`, true},
		{"apps.jsonl", `"t_registered":`, `"t_registered":-`, "apps.jsonl: application_1795247048320_0001: t_registered is -1795247", false},
		{"apps.jsonl", `"t_am_allocated":1`, `"t_am_allocated":91`, "apps.jsonl: application_1795247048320_0001: t_am_allocated is 91", false},
		{"apps.jsonl", `"t_client_start":1`, `"t_client_start":9`, "", false},
		{"containers.jsonl", `"t_acquired":`, `"t_acquired":-`, "containers.jsonl: container 1, container_1795247048320_0001_01_000001: t_acquired is -", false},
		{"containers.jsonl", `"t_acquired":`, `"t_acquired":"soon","x":`, "t_acquired is soon, want ms since 1970 from the submission of application_1795247048320_0001, ", false},
		{"containers.jsonl", `"t_acquired":`, `"t_acquired":null,"x":`, "", false},
		{"containers.jsonl", `"t_acquired":1`, `"t_acquired":91`, "t_acquired is 91", false},
	} {
		dir := importtest.Copy(t, fixture)
		text := strings.ReplaceAll(string(importtest.Read(t, dir+"/"+tt.file)), `": `, `":`)
		if !strings.Contains(text, tt.from) {
			t.Fatalf("%s has no %s", tt.file, tt.from)
		}
		importtest.Write(t, dir+"/"+tt.file, strings.Replace(text, tt.from, tt.to, 1))
		var warned []string
		res, _, err := importtest.Import(t, Format, dir, func(o *workload.Options) { o.Warn = func(w string) { warned = append(warned, w) } })
		said := strings.Join(warned, "\n")
		if (err != nil) != tt.refused || tt.refused && !strings.Contains(err.Error(), tt.want) || !tt.refused && !strings.Contains(said, tt.want) {
			t.Errorf("%s with %s: %v, warned %q, want %q", tt.file, tt.to, err, said, tt.want)
		}
		if dropped := int64(0); !tt.refused {
			if tt.want != "" {
				dropped = 1
			}
			if got := res.Counts.Dropped["containers_with_times_that_can_not_be"] + res.Counts.Dropped["times_of_applications_that_can_not_be"]; got != dropped {
				t.Errorf("%s with %s: %d dropped, want %d", tt.file, tt.to, got, dropped)
			}
		}
	}
}

// A folder without anything that tells of tasks says both things that would.
func TestNoTasksOfAnyKind(t *testing.T) {
	dir := importtest.Copy(t, fixture)
	if err := os.RemoveAll(dir + "/eventlogs"); err != nil {
		t.Fatal(err)
	}
	importtest.Refused(t, Format, []string{dir}, nil, "neither eventlogs nor tasks.jsonl.gz is there, want the event logs of Spark's applications, the task attempts of MapReduce's, or both")
}

// Events of nodes that are not of the time of any cluster are told, as one in seconds would make the trace begin in 1970.
func TestTimesOfNodeEvents(t *testing.T) {
	for at, want := range map[string]string{"1795247060000": "", "1795247060": `node-events.jsonl: line 1: t of killed of node "node01" is 1795247060, want ms since 1970, from 2000 to 2100`, "1795247060000000": "is 1795247060000000, want ms since 1970", "-5": "is -5, want ms since 1970"} {
		dir := importtest.Copy(t, fixture)
		importtest.Write(t, dir+"/node-events.jsonl", `{"t":`+at+`,"node":"node01","event":"killed"}`+"\n")
		importtest.Refused(t, Format, []string{dir}, nil, want)
	}
}
