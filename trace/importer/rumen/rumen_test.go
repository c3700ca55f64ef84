package rumen

import (
	"fmt"
	"slices"
	"testing"

	"replay/trace/importer/importtest"
	"replay/trace/importer/workload"
)

// jobText is a job of one map, with other members for the job and the attempt.
func jobText(id, more, attempt string) string {
	return fmt.Sprintf(`{"jobID":%q,"submitTime":1700000000000%s,"mapTasks":[{"taskID":"t","startTime":1700000001000,"preferredLocations":[],"attempts":[{"result":"SUCCESS","startTime":1700000002000,"finishTime":1700000003000,"hostName":"/r/h"%s}]}]}`+"\n", id, more, attempt)
}

func TestBadInput(t *testing.T) {
	good := jobText("good", "", "")
	importtest.CheckBad(t, Format, []struct {
		Text, Want string
		Jobs       int64
	}{
		{"", "no application", 0},
		{good[:len(good)-9], "line 1: the text ends within an object; --lenient keeps what comes before", 0},
		{good + "{}", "object 2, from line 2: has neither jobID nor children", 1},
		{good + jobText("x", `,"submitTime":-1`, ""), `job x: submitTime is "-1", want ms since 1970`, 1},
		{good + jobText("x", `,"finishTime":"soon"`, ""), `job x: finishTime is "soon"`, 1},
		{good + `{"jobID":"x","submitTime":1700000000000,"mapTasks":[{"taskID":"t1","attempts":[{"result":"SUCCESS","startTime":5,"finishTime":-1}]}]}`, "line 2: task t1: startTime is 5 and finishTime -1 of an attempt that succeeded", 1},
		{good + `{"jobID":"x","submitTime":1700000000000,"mapTasks":[{"taskID":"t1","startTime":-5}]}`, "task t1: startTime is -5, want ms since 1970, or -1", 1},
		{good + `{"jobID":"x","submitTime":1700000000000,"mapTasks":[{"taskID":"t1","inputBytes":1e30}]}`, "task t1: inputBytes is 1e30, want a whole number", 1},
		{good + `{"jobID":"x","submitTime":1700000000000,"mapTasks":[{"taskID":"t1","preferredLocations":"h"}]}`, `task t1: preferredLocations is "h", want a list`, 1},
		{good + `{"jobID":"x","submitTime":1700000000000,"mapTasks":[{"taskID":"t1","attempts":{}}]}`, "task t1: attempts is {}, want a list", 1},
		{good + jobText("x", `,"launchTime":{}`, ""), "line 2: launchTime is {}, want text or a number", 1},
		{good + jobText("x", `,"priority":[]`, ""), "line 2: priority is [], want text or a number", 1},
		{good + `{"name":"root","children":[{"name":"r","children":[{"name":"h"},{"name":"h"}]}]}`, `host "h" is there already`, 1},
		{good + `{"name":"root","children":[{"children":[]}]}`, "name is missing", 1},
	})
}

// A priority is one of MapReduce's words or a number; other words are none, and counted.
func TestPriorities(t *testing.T) {
	text := jobText("a", `,"priority":"HIGH"`, "") + jobText("b", `,"priority":"DEFAULT"`, "") + jobText("c", `,"priority":"urgent"`, "") + jobText("d", `,"priority":null`, "")
	res, m, err := importtest.Import(t, Format, importtest.WriteNew(t, "in", text), nil)
	if err != nil {
		t.Fatal(err)
	}
	if p := []int32{m.JobList[0].Priority, m.JobList[1].Priority, m.JobList[2].Priority, m.JobList[3].Priority}; !slices.Equal(p, []int32{4, 0, 0, 0}) || res.Counts.Defaulted["priorities_of_words_that_are_not_known"] != 1 {
		t.Errorf("priorities %v, defaulted %v", p, res.Counts.Defaulted)
	}
}

// An attempt begins with the start of its process, which is in its time and is not added again.
func TestTimesHaveTheStartOfProcesses(t *testing.T) {
	_, m, err := importtest.Import(t, Format, importtest.WriteNew(t, "in", jobText("a", "", "")), nil)
	if err != nil {
		t.Fatal(err)
	}
	if s := &m.JobList[0].Stages[0].Tasks; !slices.Equal(s.SchedDelayMS, []int64{0}) || s.DurationMS[0] != 1000 {
		t.Errorf("%v ms before %v ms of work", s.SchedDelayMS, s.DurationMS)
	}
}

// An attempt that was stopped before it had a container has no host, and what stands in its place is no node.
func TestAttemptsWithoutAHost(t *testing.T) {
	more := `},{"result":"KILLED","startTime":-1,"finishTime":1700000002500,"hostName":"UNKNOWN/UNKNOWN"`
	_, m, err := importtest.Import(t, Format, importtest.WriteNew(t, "in", jobText("a", "", more)), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Nodes) != 1 || m.Nodes[0].Host != "h" {
		t.Errorf("nodes are %+v, want h alone", m.Nodes)
	}
}

// The shuffle of a reduce after the last map: as it was recorded, or by bytes. The fixture's last map ends at 31 s, its reduce has fetched all at 35 s and ends at 55 s.
func TestShuffle(t *testing.T) {
	for how, want := range map[string][2]int64{"recorded": {24_000, 4_000}, "model": {22_000, 2_000}} {
		res, m, err := importtest.Import(t, Format, "../testdata/rumen/jobs.json", func(o *workload.Options) { o.Params = map[string]string{"rumen-shuffle": how} })
		if err != nil {
			t.Fatal(err)
		}
		r := &m.JobList[1].Stages[1].Tasks
		if r.DurationMS[0] != want[0] || r.DeserializeMS[0] != want[1] || (res.Counts.Modelled["times_of_shuffles"] == 1) != (how == "model") {
			t.Errorf("%s: %d ms with %d of shuffle, want %v", how, r.DurationMS[0], r.DeserializeMS[0], want)
		}
	}
	if _, _, err := importtest.Import(t, Format, "../testdata/rumen/jobs.json", func(o *workload.Options) { o.Params = map[string]string{"rumen-shuffle": "x"} }); err == nil || err.Error() != `--rumen-shuffle is "x", want recorded, model` {
		t.Errorf("%v", err)
	}
}

// Containers have the sizes that their resource requests say, before memory.mb and its member.
func TestResourceRequests(t *testing.T) {
	const more = `,"jobMapMB":700,"jobProperties":{"mapreduce.map.resource.memory-mb":"900","yarn.app.mapreduce.am.resource.memory":"3Gi","yarn.app.mapreduce.am.resource.vcores":"2","yarn.app.mapreduce.am.resource.mb":"512"}`
	_, m, err := importtest.Import(t, Format, importtest.WriteNew(t, "jobs.json", jobText("job_1_1", more, "")), nil)
	if err != nil {
		t.Fatal(err)
	}
	if j := m.JobList[0]; j.AMMemMiB != 3072 || j.AMVCores != 2 || j.Stages[0].TaskMemMiB != 900 {
		t.Error(importtest.Text(m))
	}
}

// A topology gives the nodes, also those on which nothing ran, and joins the names above racks; hosts that it has not are no nodes.
func TestTopology(t *testing.T) {
	_, m, err := importtest.Import(t, Format, "../testdata/rumen/cluster", nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, n := range m.Nodes {
		got = append(got, fmt.Sprint(n.Host, n.Rack, n.Present))
	}
	if want := "[h1/dc1/r1true h2/dc1/r2true h3/dc1/r2true h9/not-in-the-clusterfalse]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %s", got, want)
	}
	if p := m.JobList[1].Stages[0].Tasks.Prefs(0); fmt.Sprint(p) != "[0 1]" {
		t.Errorf("map 0 prefers %v", p)
	}
}

func FuzzRumen(f *testing.F) {
	importtest.FuzzStdin(f, Format, importtest.Read(f, "../testdata/rumen/jobs.json"), importtest.Read(f, "../testdata/rumen/cluster/topology.json"))
}
