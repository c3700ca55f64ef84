package training

import (
	"path/filepath"
	"strings"
	"testing"

	"replay/trace"
	"replay/trace/importer/importtest"
	"replay/trace/importer/workload"
)

const (
	venus   = "../testdata/helios/venus.csv"
	kalos   = "../testdata/acme/job_trace"
	cluster = "../testdata/philly/cluster"
)

func TestGolden(t *testing.T) {
	res, m, err := importtest.Import(t, Helios, venus, func(o *workload.Options) { o.Nodes = 4 })
	if err != nil {
		t.Fatal(err)
	}
	importtest.Golden(t, "helios", res, m)
	if res, m, err = importtest.Import(t, Acme, kalos, func(o *workload.Options) { o.Nodes = 4 }); err != nil {
		t.Fatal(err)
	}
	importtest.Golden(t, "acme", res, m)
	if res, m, err = importtest.Import(t, Philly, cluster, nil); err != nil {
		t.Fatal(err)
	}
	importtest.Golden(t, "philly", res, m)
}

// Of Helios, the column called queue is the time in one: the queue of a job is its virtual cluster. The GPUs and CPUs of a job are those of all its nodes.
func TestHelios(t *testing.T) {
	_, m, err := importtest.Import(t, Helios, venus, func(o *workload.Options) { o.Nodes = 4 })
	if err != nil {
		t.Fatal(err)
	}
	for i, queue := range []string{"vcOne", "vcTwo", "vcOne", "vcTwo"} {
		if j := m.JobList[i]; !strings.HasSuffix(m.Queues[j.Queue].Path, queue) {
			t.Errorf("job %s is in %s, want %s", j.ExternalID, m.Queues[j.Queue].Path, queue)
		}
	}
	for job, want := range map[int][2]int64{0: {1, 4}, 1: {16, 32}, 2: {0, 2}, 3: {5, 6}} {
		var gpus, vcores int64
		for _, st := range m.JobList[job].Stages {
			vcores += int64(st.TaskVCores) * int64(len(st.Tasks.DurationMS))
			for _, x := range st.Extra {
				gpus += x.Value * int64(len(st.Tasks.DurationMS))
			}
		}
		if gpus != want[0] || vcores != want[1] {
			t.Errorf("job %d has %d GPUs and %d vcores, want %v", job, gpus, vcores, want)
		}
	}
}

// Without the list of servers the nodes are those on which attempts ran.
func TestPhillyWithoutMachines(t *testing.T) {
	res, m, err := importtest.Import(t, Philly, filepath.Join(cluster, "cluster_job_log"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if res.Trace.Nodes != 3 || m.Nodes[0].Host != "m1" || len(m.Nodes[0].Extra) != 1 {
		t.Errorf("%d nodes, the first %+v, want m1, m2 and m3 with GPUs", res.Trace.Nodes, m.Nodes[0])
	}
	j := m.JobList[0]
	if wait := j.RecordedStartMS - j.SubmitMS; wait != 30_000 || j.RecordedFinishMS-j.RecordedStartMS != 3_690_000 || j.Stages[0].Tasks.DurationMS[0] != 3_600_000 || j.Stages[0].Tasks.Retries[0] != 1 {
		t.Errorf("waited %d ms, from %d to %d, tasks %+v, want the last attempt, after 30 s until the first", wait, j.RecordedStartMS, j.RecordedFinishMS, j.Stages[0].Tasks)
	}
}

func TestBadHelios(t *testing.T) {
	const head = "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue\n"
	const good = "1,u,v,1,1,1,COMPLETED,2020-07-01 09:00:00,2020-07-01 09:00:05,2020-07-01 09:10:05,600,5\n"
	importtest.CheckBad(t, Helios, []struct {
		Text, Want string
		Jobs       int64
	}{
		{"job_id,user,vc\n1,2,3\n", "no table of this format", 0},
		{head + good + "2,u,v,x,1,1,COMPLETED,2020-07-01 09:00:00,2020-07-01 09:00:05,2020-07-01 09:10:05,600,5\n", `line 3: gpu_num is "x", want a whole number`, 1},
		{head + good + "2,u,v,1,1,1,COMPLETED,yesterday,2020-07-01 09:00:05,2020-07-01 09:10:05,600,5\n", `line 3: submit_time is "yesterday", want a time`, 1},
		{head + good + "2,u,v,1,1,1,COMPLETED,,2020-07-01 09:00:05,2020-07-01 09:10:05,600,5\n", `line 3: submit_time is "", want a time`, 1},
		{head + good + "2,u,v,1,1,1,COMPLETED,2020-07-01 09:00:00,2020-07-01 08:00:05,2020-07-01 09:10:05,600,5\n", `line 3: start_time is "2020-07-01 08:00:05", want submit_time or later`, 1},
		{head + good + "2,u,v,1,1,1,COMPLETED,2020-07-01 09:00:00,2020-07-01 09:00:05,2020-07-01 09:00:04,600,5\n", `line 3: end_time is "2020-07-01 09:00:04", want start_time or later`, 1},
		{head + good + "2,u,v,1,1,1,COMPLETED,2020-07-01 09:00:00,2020-07-01 09:00:05,2022-07-01 09:00:04,600,5\n", `line 3: end_time is "2022-07-01 09:00:04", want times of a job within a year`, 1},
		{head + good + ",u,v,1,1,1,COMPLETED,2020-07-01 09:00:00,2020-07-01 09:00:05,2020-07-01 09:10:05,600,5\n", `line 3: job_id is "", want a name`, 1},
	})
}

func TestBadPhilly(t *testing.T) {
	const good = `{"status":"Pass","vc":"v","jobid":"a","attempts":[{"start_time":"2017-10-07 01:12:00","end_time":"2017-10-07 01:13:00","detail":[{"ip":"m1","gpus":["gpu0"]}]}],"submitted_time":"2017-10-07 01:11:30","user":"u"}`
	bad := func(old, new string) string {
		return "[" + good + ",\n" + strings.Replace(strings.Replace(good, `"a"`, `"b"`, 1), old, new, 1) + "]"
	}
	importtest.CheckBad(t, Philly, []struct {
		Text, Want string
		Jobs       int64
	}{
		{"{}", "no cluster_job_log, want one", 0},
		{"[" + good + ",", "line 1: ", 0},
		{bad(`"b"`, `""`), `job 2, from line 2: jobid is "", want a name`, 1},
		{bad(`"2017-10-07 01:11:30"`, `"now"`), `job 2, from line 2: submitted_time is "now", want a time`, 1},
		{bad(`"2017-10-07 01:11:30"`, `null`), `job 2, from line 2: submitted_time is missing`, 1},
		{bad("01:13:00", "01:11:59"), "job 2, from line 2: attempt 1: a time is before those that come before it", 1},
		{bad("2017-10-07 01:13:00", "2019-10-07 01:13:00"), "job 2, from line 2: its times are more than a year apart", 1},
		{bad(`[{"ip":"m1","gpus":["gpu0"]}]`, "7"), "job 2, from line 2: attempt 1: detail is 7, want a list", 1},
		{bad(`["gpu0"]`, "1"), "job 2, from line 2: attempt 1: gpus is 1, want a list", 1},
		{"[" + good + ",7]", "job 2, from line 1: want an object, found 7", 1},
	})
	importtest.RefusedFiles(t, Philly, map[string]string{"cluster_job_log": "[" + good + "]", "cluster_machine_list": "machineId,number of GPUs\nm1,8\nm1,8\n"}, `machineId is "m1", want a name that no row before has`)
}

// Jobs that say nothing of how long they took are left out, and counted by what they lack.
func TestPhillyLeftOut(t *testing.T) {
	res, _, err := importtest.Import(t, Philly, cluster, nil)
	if err != nil {
		t.Fatal(err)
	}
	for reason, n := range map[string]int64{"jobs_that_never_started": 1, "jobs_that_still_ran": 1, "jobs_without_a_server": 0} {
		if res.Counts.Dropped[reason] != n {
			t.Errorf("%d %s, want %d", res.Counts.Dropped[reason], reason, n)
		}
	}
	if res.Trace.Jobs != 3 {
		t.Errorf("%d jobs, want 3", res.Trace.Jobs)
	}
}

func TestInstant(t *testing.T) {
	c := clock{said: true}
	for text, want := range map[string]int64{
		"2017-10-07 01:12:09": 1507338729000, "2017-10-07 01:12:09 PDT": 1507338729000, "2017/10/07 01:12:09": 1507338729000, "2017-10-07 09:12:09+08:00": 1507338729000, "None": trace.Unset, "": trace.Unset,
	} {
		if ms, ok := c.instant(text); !ok || ms != want {
			t.Errorf("%q is %d (%t), want %d", text, ms, ok, want)
		}
	}
	if _, ok := c.instant("07.10.2017"); ok {
		t.Error("07.10.2017 is a time, want none")
	}
}

func FuzzHelios(f *testing.F) { importtest.FuzzStdin(f, Helios, importtest.Read(f, venus)) }

func FuzzAcme(f *testing.F) {
	importtest.FuzzStdin(f, Acme, importtest.Read(f, filepath.Join(kalos, "trace_kalos.csv")))
}

func FuzzPhilly(f *testing.F) {
	importtest.FuzzStdin(f, Philly, importtest.Read(f, filepath.Join(cluster, "cluster_job_log")))
}
