package table

import (
	"fmt"
	"strings"
	"testing"

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

// A job of several nodes is one container of the memory of all, which is said and counted; where the memory is that of the job it is as it stands.
func TestSlurmNodes(t *testing.T) {
	const head, ok = "JobID|User|State|Submit|Start|End|Elapsed|NCPUS|ReqMem|NNodes\n", "|ann|COMPLETED|2026-01-01T00:00:00|2026-01-01T00:00:30|2026-01-01T00:01:30|00:01:00|8|"
	for _, tt := range []struct {
		mem, nodes string
		mib, told  int64
	}{
		{"16Gn", "1", 16 << 10, 0}, {"16Gn", "4", 64 << 10, 1}, {"16G", "4", 16 << 10, 1}, {"2Gc", "4", 16 << 10, 1}, {"16Gn", "", 16 << 10, 0}, {"16Gn", "some", 16 << 10, 0}, {"16Gn", "2000000000", 0, 0},
	} {
		var warned []string
		res, m, err := imported(t, head+"1"+ok+"1G|1\n2"+ok+tt.mem+"|"+tt.nodes+"\n", nil, func(o *workload.Options) { o.Warn = func(m string) { warned = append(warned, m) } })
		if err != nil {
			t.Fatal(err)
		}
		if tt.mib == 0 {
			if len(m.JobList) != 1 || res.Counts.Dropped["rows_with_a_bad_value"] != 1 {
				t.Errorf("%s on %s nodes: %d jobs, dropped %v", tt.mem, tt.nodes, len(m.JobList), res.Counts.Dropped)
			}
			continue
		}
		said := strings.Contains(strings.Join(warned, ""), ": NNodes is 4: a job of several nodes is one container here")
		if got := m.JobList[1].Stages[0].TaskMemMiB; got != tt.mib || res.Counts.Modelled["jobs_of_several_nodes_as_one_container"] != tt.told || said != (tt.told > 0) {
			t.Errorf("%s on %s nodes: %d MiB, want %d; modelled %v, warned %q", tt.mem, tt.nodes, got, tt.mib, res.Counts.Modelled, warned)
		}
	}
}
