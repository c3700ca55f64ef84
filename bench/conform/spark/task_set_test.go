package spark

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"replay/bench/conform/golden"
)

// One task fails on the only executor of its resource profile, which may not run it again and is busy with another one.
const taskSetText = `{"id":"x","conf":{"task_cpus":1,"max_task_failures":4,"scheduler_mode":"FAIR","exclude_on_failure":true,MORE},
"racks":{},"default_rack":null,"events":[
{"op":"submit","t":1000000,"stage":3,"stage_attempt":0,"priority":0,"pool":"a","profile":1,"tasks":[[],[]]},
{"op":"offer","t":1000000,"all_free":true,"offers":[["2","h1",4,1]]},
{"op":"running","t":1000001,"tids":[0]},
{"op":"failure","t":1000002,"tid":0,"kind":"exception"},
{"op":"offer","t":1000003,"all_free":true,"offers":[["2","h1",2,1]]},
{"op":"offer","t":1000004,"all_free":true,"offers":[["1","h2",4]]}]}`

const taskSetMore = `"task_max_task_attempts_per_executor":1,"spark.dynamicAllocation.enabled":"true","spark.excludeOnFailure.task.maxTaskAttemptsPerNode":"5",
"profiles":[{"profile":0,"task_cpus":1},{"profile":1,"task_cpus":2}],
"fairscheduler_xml":"<allocations><pool name=\"a\"><schedulingMode>FAIR</schedulingMode></pool></allocations>"`

// recorded is the case with what this program answers as the recorded answers.
func recordedTaskSets(t *testing.T, more string) *taskSetCase {
	t.Helper()
	c := &taskSetCase{schedulable: true}
	if err := json.Unmarshal([]byte(strings.Replace(taskSetText, "MORE", more, 1)), c); err != nil {
		t.Fatal(err)
	}
	r, why := newTaskSetRun(c)
	if why != "" {
		t.Fatal(why)
	}
	for i := range c.Events {
		e := &c.Events[i]
		if why := r.apply(e); why != "" {
			t.Fatal(why)
		}
		e.Launched, e.Kills, e.Upcalls, e.Pending, e.State = r.launched, r.kills, r.upcalls, r.pending, r.status()
	}
	return c
}

func TestTaskSetsWithProfilesPoolsAndLimits(t *testing.T) {
	c := recordedTaskSets(t, taskSetMore)
	if n := len(c.Events[4].Launched) + len(c.Events[5].Launched); n != 0 || len(c.Events[1].Launched) != 2 {
		t.Errorf("launched %d tasks on executors of another profile or excluded ones, and %+v", n, c.Events[1].Launched)
	}
	last := c.Events[4].Upcalls
	i := slices.IndexFunc(last, func(u upcall) bool { return u.DAG == unschedulableAdded && *u.Stage == 3 && *u.Attempt == 0 })
	if i < 0 {
		t.Fatalf("nobody is told that the set cannot be scheduled: %s", golden.Text(last))
	}
	count := func() golden.Results {
		var out golden.Results
		runTaskSets(c, &out)
		return out
	}
	if out := count(); out.Equal != 1 {
		t.Errorf("its own answers: %+v", out)
	}
	other := int32(9)
	last[i].Stage = &other
	if out := count(); out.Different != 1 {
		t.Errorf("another stage in the call: %+v", out)
	}
	c.Events[4].Upcalls = slices.Delete(last, i, i+1)
	if out := count(); out.Different != 1 {
		t.Errorf("a call that was not made: %+v", out)
	}
	c.schedulable = false
	if out := count(); out.Equal != 1 {
		t.Errorf("a recorder without such calls: %+v", out)
	}
}

func TestTaskSetsThatAreNotSupported(t *testing.T) {
	for _, tt := range []struct{ more, want string }{
		{`"shuffles":1`, "conf has shuffles, which is not read"},
		{`"spark.no.such.key":"1"`, "spark.no.such.key"},
		{`"profiles":[]`, "event 0: resource profile 1 is not in conf"},
		{`"fairscheduler_xml":"<allocations"`, "fairscheduler.xml"},
	} {
		path := filepath.Join(t.TempDir(), "a.jsonl")
		if err := os.WriteFile(path, []byte(strings.ReplaceAll(strings.Replace(taskSetText, "MORE", tt.more, 1), "\n", "")), 0o644); err != nil {
			t.Fatal(err)
		}
		in, err := golden.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		var out golden.Results
		if err := taskSetManager.Run(in, &out); err != nil {
			t.Fatal(err)
		}
		in.Close()
		if out.Unsupported != 1 || !strings.Contains(out.Reasons[0], tt.want) {
			t.Errorf("%s: got %+v, want %q", tt.more, out, tt.want)
		}
	}
}
