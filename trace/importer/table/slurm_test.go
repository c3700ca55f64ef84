package table

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"replay/trace"
	"replay/trace/importer/importtest"
	"replay/trace/importer/workload"
)

const sacct = "JobID|User|State|Submit|Start|End|Elapsed|NCPUS|ReqMem|AllocTRES\n"

// GPUs of Slurm stand among the other resources of a job.
func TestSlurmGPUs(t *testing.T) {
	for _, tt := range []struct{ tres, want string }{
		{"billing=8,cpu=8,gres/gpu=2,gres/gpu:a100=2,mem=64G,node=1", "[{yarn.io/gpu 2}]"},
		{"cpu=8,gres/gpu:a100=1,gres/gpu:v100=2,mem=64G", "[{yarn.io/gpu 3}]"},
		{"cpu=8,gres/gpumem=80G,mem=64G,node=1", "[]"},
		{"", "[]"},
		{"cpu=8,gres/gpu=-1", "left out"},
		{"8 and more", "left out"},
	} {
		ok := "|ann|COMPLETED|2026-01-01T00:00:00|2026-01-01T00:00:30|2026-01-01T00:01:30|00:01:00|8|64G|"
		res, m, err := imported(t, sacct+"1"+ok+"cpu=8,mem=64G,node=1\n2"+ok+"cpu=8,mem=64G,node=1\n3"+ok+tt.tres+"\n", nil, nil)
		if err != nil {
			t.Errorf("%q: %v", tt.tres, err)
			continue
		}
		got := "left out"
		if len(m.JobList) == 3 {
			got = fmt.Sprint(m.JobList[2].Stages[0].Extra)
		}
		if bad := res.Counts.Dropped["rows_with_a_bad_value"]; got != tt.want || (bad == 1) != (tt.want == "left out") {
			t.Errorf("%q: GPUs are %s, want %s; dropped %v", tt.tres, got, tt.want, res.Counts.Dropped)
		}
	}
	_, m, err := imported(t, "id,submit,elapsed,gpus,AllocTRES\n1,0,60,4,gres/gpu=2\n", nil, nil)
	if err != nil || fmt.Sprint(m.JobList[0].Stages[0].Extra) != "[{yarn.io/gpu 4}]" {
		t.Errorf("beside a column of GPUs: %v", err)
	}
}

// A job that was queued again has a row for each run, and one that ran at midnight is in the tables of two days: neither makes tasks of a job.
func TestSlurmRuns(t *testing.T) {
	const first, again = "7|ann|NODE_FAIL|2026-01-01T00:00:00|2026-01-01T00:01:00|2026-01-01T01:01:00|01:00:00|1|1G|\n", "7|ann|COMPLETED|2026-01-01T01:02:00|2026-01-01T01:03:00|2026-01-01T01:13:00|00:10:00|1|1G|\n"
	const running, over = "7|ann|RUNNING|2026-01-01T01:02:00|2026-01-01T01:03:00|Unknown|00:05:00|1|1G|\n", "8|bob|COMPLETED|2026-01-01T00:00:00|2026-01-01T00:01:00|2026-01-01T00:02:00|00:01:00|1|1G|\n"
	const want = "8@0 []1000m/1024MiB[60000]; 7@3720000 []1000m/1024MiB[600000]"
	for name, rows := range map[string]string{"again": first + again, "in another order": again + first, "twice": again + again, "of two days": running + again, "backwards": again + running + first} {
		res, m, err := imported(t, sacct+rows+over, nil, nil)
		if got := jobs(m); err != nil || got != want || m.JobList[1].RecordedOutcome != "success" || res.Counts.Dropped["other_runs_of_slurm_jobs"] == 0 {
			t.Errorf("%s: %s, want %s; dropped %v, %v", name, got, want, res.Counts.Dropped, err)
		}
	}
	_, m, err := imported(t, sacct+again+over, map[string]string{"map": "job=State,submit=Submit,duration=Elapsed"}, nil)
	if err != nil || len(m.JobList) != 1 || m.JobList[0].NumTasks() != 2 {
		t.Errorf("rows of one state are to be one job: %v", err)
	}
}

// A job of several nodes is a gang of a task for each, which is said and counted: they have their parts of cores, memory and GPUs, the first ones what is left over.
func TestSlurmNodes(t *testing.T) {
	const head, ok = "JobID|User|State|Submit|Start|End|Elapsed|NCPUS|ReqMem|NNodes|AllocTRES|NTasks\n", "|ann|COMPLETED|2026-01-01T00:00:00|2026-01-01T00:00:30|2026-01-01T00:01:30|00:01:00|"
	for _, tt := range []struct {
		name, cpus, mem, nodes, tres, tasks string
		want                                string
		gang                                bool
	}{
		{"one node", "8", "16Gn", "1", "", "", "1 x 8000m 16384MiB []", false},
		{"memory for each node", "8", "16Gn", "4", "", "", "4 x 2000m 16384MiB []", true},
		{"memory of the job", "8", "16G", "4", "", "", "4 x 2000m 4096MiB []", true},
		{"memory for each core", "8", "2Gc", "4", "", "", "4 x 2000m 4096MiB []", true},
		{"memory that does not divide", "8", "10M", "4", "", "", "4 x 2000m 3MiB []", true},
		{"no memory", "8", "", "4", "", "", "4 x 2000m 1024MiB []", true},
		{"cores that do not divide", "10", "16G", "4", "", "", "2 x 3000m 4096MiB []; 2 x 2000m 4096MiB []", true},
		{"fewer cores than nodes", "3", "16G", "4", "", "", "4 x 1000m 4096MiB []", true},
		{"no cores", "", "16G", "4", "", "", "4 x 1000m 4096MiB []", true},
		{"GPUs", "8", "16G", "4", "gres/gpu=8", "", "4 x 2000m 4096MiB [{yarn.io/gpu 2}]", true},
		{"GPUs and cores that do not divide", "5", "16G", "4", "gres/gpu=2", "", "1 x 2000m 4096MiB [{yarn.io/gpu 1}]; 1 x 1000m 4096MiB [{yarn.io/gpu 1}]; 2 x 1000m 4096MiB []", true},
		{"numbers of nodes that are none", "8", "16Gn", "", "", "", "1 x 8000m 16384MiB []", false},
		{"another", "8", "16Gn", "some", "", "", "1 x 8000m 16384MiB []", false},
		{"tasks that are said", "8", "16Gn", "4", "", "2", "2 x 8000m 16384MiB []", false},
	} {
		var said []string
		res, m, err := imported(t, head+"1"+ok+"1|1G|1|cpu=1|\n2"+ok+tt.cpus+"|"+tt.mem+"|"+tt.nodes+"|"+cmp.Or(tt.tres, "cpu=8")+"|"+tt.tasks+"\n", nil, func(o *workload.Options) { o.Note = func(m string) { said = append(said, m) } })
		if err != nil || len(m.JobList) != 2 {
			t.Fatalf("%s: %v, dropped %v", tt.name, err, res.Counts.Dropped)
		}
		j := m.JobList[1]
		var got []string
		for i := range j.Stages {
			s := &j.Stages[i]
			milli := int64(s.TaskMilliVCores)
			if s.TaskMilliVCores == trace.Unset {
				milli = 1000 * int64(s.TaskVCores)
			}
			got = append(got, fmt.Sprintf("%d x %dm %dMiB %v", s.Tasks.Len(), milli, s.TaskMemMiB, s.Extra))
		}
		told := strings.Contains(strings.Join(said, ""), ": NNodes is 4: a job of several nodes is a gang, with a task for each ")
		if text := strings.Join(got, "; "); text != tt.want || (j.Kind == trace.KindGang) != tt.gang || told != tt.gang || (res.Counts.Modelled["jobs_of_several_nodes_as_gangs"] == 1) != tt.gang {
			t.Errorf("%s: a %s job of %s, want %s; modelled %v, said %q", tt.name, j.Kind, text, tt.want, res.Counts.Modelled, said)
		}
	}
	if _, m, err := imported(t, head+"1"+ok+"1|1G|2000000000|cpu=1|\n2"+ok+"1|1G|1|cpu=1|\n", nil, nil); err != nil || len(m.JobList) != 1 {
		t.Errorf("more nodes than a job may have tasks: %v", err)
	}
}

// The number of nodes counts in a table of Parquet as in one of text, also where it has blanks and is of floating point, as pandas writes such a column.
func TestSlurmNodesInParquet(t *testing.T) {
	type row struct {
		JobID      string
		State      string
		Submit     string
		Start      string
		ElapsedRaw int64
		NCPUS      int64
		ReqMem     string
		NNodes     *float64 `parquet:"NNodes,optional"`
	}
	four := 4.0
	of := func(job string, nodes *float64) row {
		return row{job, "COMPLETED", "2026-01-01T00:00:00", "2026-01-01T00:00:30", 60, 8, "16G", nodes}
	}
	dir := t.TempDir()
	for name, rows := range map[string][]row{"part-0.parquet": {of("1", nil), of("2", &four)}, "part-1.parquet": {of("3", &four)}} {
		importtest.Write(t, filepath.Join(dir, name), string(importtest.Parquet(t, rows)))
	}
	res, m, err := importtest.Import(t, Parquet, dir, func(o *workload.Options) { o.Nodes = 4 })
	if err != nil {
		t.Fatal(err)
	}
	want := "1@0 []8000m/16384MiB[60000]; 2@0 []2000m/4096MiB[60000 60000 60000 60000]; 3@0 []2000m/4096MiB[60000 60000 60000 60000]"
	if got := jobs(m); got != want || res.Counts.Modelled["jobs_of_several_nodes_as_gangs"] != 2 {
		t.Errorf("jobs %s, want %s; modelled %v", got, want, res.Counts.Modelled)
	}
}

// A row of sacct is a job or a step of one, which its job has already.
func TestSlurmSteps(t *testing.T) {
	for job, step := range map[string]bool{"7": false, "7.batch": true, "7_3.extern": true, "7.0": true, "7+1.interactive": true, "7.5.1": false, "a.batch": false, "7.": false, "7.x": false, "7_[1-4]": false} {
		if got := slurmStep(job); got != step {
			t.Errorf("%q is a step: %v, want %v", job, got, step)
		}
	}
	res, m, err := imported(t, "JobID,Submit,Elapsed,ReqMem\n7,0,60,2Gn\n7.batch,0,60,2Gn\n", nil, nil)
	if err != nil || len(m.JobList) != 1 || res.Counts.Dropped["steps_of_slurm_jobs"] != 1 {
		t.Errorf("%d jobs, dropped %v, %v", len(m.JobList), res.Counts.Dropped, err)
	}
	res, m, err = imported(t, "JobIDRaw|Submit|Elapsed|ReqMem\n7|0|60|0\n7.batch|0|60|0\n8|0|60|2G\n9|0|60|0n\n", nil, nil)
	if got := jobs(m); err != nil || got != "7@0 []1000m/1024MiB[60000]; 8@0 []1000m/2048MiB[60000]; 9@0 []1000m/1024MiB[60000]" || res.Counts.Dropped["steps_of_slurm_jobs"] != 1 || res.Counts.Defaulted["task_memory"] != 2 {
		t.Errorf("raw numbers, memory that none stated: %s, dropped %v, defaulted %v, %v", got, res.Counts.Dropped, res.Counts.Defaulted, err)
	}
	res, m, err = imported(t, "job,submit,duration\n7,0,60\n7.batch,0,60\n", nil, nil)
	if err != nil || len(m.JobList) != 2 {
		t.Errorf("of another table %d jobs, dropped %v, %v", len(m.JobList), res.Counts.Dropped, err)
	}
	res, m, err = imported(t, "JobID,Submit,Elapsed,NCPUS,ReqMem\n6,0,60,2,1Gc\n7,0,60,131072,128Tc\n", nil, nil)
	if err != nil || len(m.JobList) != 1 || res.Counts.Dropped["rows_with_a_bad_value"] != 1 {
		t.Errorf("more memory than there can be: %d jobs, dropped %v, %v", len(m.JobList), res.Counts.Dropped, err)
	}
}
