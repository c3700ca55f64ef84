package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"replay/cmd/replay/cmdline"
	"replay/engine/record"
	"replay/report/result"
)

func regretsOf(t *testing.T, args ...string) (rows []regretted) {
	t.Helper()
	text := must(t, append(append([]string{"whatif"}, args...), "--json")...)
	if err := json.Unmarshal([]byte(text), &rows); err != nil {
		t.Fatal(err)
	}
	return rows
}

// A job that fails ends early, which is no gain; and a node that is dead has no room.
func TestRegretOfALostNode(t *testing.T) {
	res := filepath.Join(t.TempDir(), "r")
	must(t, "run", traces+"node-lost", "--formats", "none", "-q", "--out", res)
	masters := 0
	failed := filepath.Join(t.TempDir(), "failed")
	must(t, "whatif", res, "--trace", traces+"node-lost", "--change", "container 1 of job 0 on node08", "--out", failed, "-q")
	data, err := result.Read(failed)
	if err != nil {
		t.Fatal(err)
	}
	if at := reached(data, 0, false, record.JobSucceeded); at != nil {
		t.Errorf("it ends at +%d ms, in an answer of explain --if, where it fails then", *at)
	}
	for _, r := range regretsOf(t, res, "--regret", "32", "--trace", traces+"node-lost") {
		for _, a := range r.Alternatives {
			if a.Says != "it on node08" { // it is gone from 38 s to 83 s after the first submission, and takes the master of an attempt along, of which there is one
				continue
			}
			switch {
			case r.Container == 1 && strings.HasSuffix(r.Job, "(lost1)"):
				masters++
				if a.Lost != 1 || a.OwnMS != nil || a.Jobs != 1 {
					t.Errorf("a master on the node that is lost: %+v", a)
				}
			case r.AtMS > 50_000 && r.AtMS < 80_000:
				t.Errorf("container %d of %s at %d ms on a node that is dead", r.Container, r.Job, r.AtMS)
			}
		}
		if b := r.best(); b.Lost > 0 && r.Better > 0 {
			t.Errorf("container %d of %s: the best loses jobs, and %d are better", r.Container, r.Job, r.Better)
		}
	}
	if masters != 1 {
		t.Errorf("%d masters on the node that is lost, want that of lost1", masters)
	}
}

// What no change can make otherwise is refused or left out, and said.
func TestRegretWithoutChoice(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	must(t, "run", traces+"fair-weights", "--scheduler", "ideal", "--formats", "none", "-q", "--out", at("ideal"))
	if code, _, stderr := cmd(t, "whatif", at("ideal"), "--trace", traces+"fair-weights", "--regret", "2"); code != cmdline.ExitUsage || !strings.Contains(stderr, "--regret: the scheduler ideal serves strictly first come") {
		t.Errorf("exit %d: %s", code, stderr)
	}

	if err := os.WriteFile(at("jobs.csv"), []byte("job,submit,duration,tasks,vcores,memory\na,0,30,1,1,1024\nb,300,30,6,1,1024\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	must(t, "import", "csv", at("jobs.csv"), "--nodes", "1", "--node-vcores", "4", "--node-mem", "8192", "-q", "--out", at("jobs"))
	if err := os.WriteFile(at("scale.yaml"), []byte("steps: {1m: 2}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	must(t, "run", at("jobs"), "--autoscale", "schedule", "--autoscale-conf", at("scale.yaml"), "--formats", "none", "-q", "--out", at("scaled"))
	out := strings.Join(strings.Fields(must(t, "whatif", at("scaled"), "--regret", "9")), " ")
	if !strings.Contains(out, "6 allocations of 6, each") || !strings.Contains(out, "Left out: 4 allocations on nodes that the autoscaler added.") {
		t.Error(out)
	}
}

// A decision by which a job ends sooner is better for those that begin after it, too: their time counts from their own times, and not from submissions that move with it.
func TestRegretOfJobsAfterOthers(t *testing.T) {
	of := func(ends int64) *result.Data {
		return &result.Data{Jobs: result.JobsOf([]result.Job{
			{Job: record.Job{Outcome: record.JobSucceeded, Submit: 100, Finish: ends}},
			{Job: record.Job{ID: 1, Outcome: record.JobSucceeded, DependsOn: 1, HeldMS: ends + 1 - 150, Submit: ends + 1, Finish: ends + 301}},
		})}
	}
	var a alternative
	if a.over(of(1000), of(900), 0); a.MeanMS != 100 || a.Jobs != 2 || *a.OwnMS != 100 {
		t.Errorf("%+v, want both jobs 100 ms shorter", a)
	}
}
