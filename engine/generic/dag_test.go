package generic

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"replay/engine/master/mastertest"
	"replay/engine/model"
	"replay/engine/protocol"
	"replay/engine/record"
	"replay/policy/resource"
	"replay/trace"
)

var gib = resource.R(1024, 1)

// kindOf is the kind with a model in which what is not under test takes no time.
func kindOf() *Kind {
	return NewKind(Setup{Model: &model.Model{NMStartMS: 50, ReadMiBPerS: 100, RackPenalty: 1.5, AnyPenalty: 2}, Types: []string{"memory-mb", "vcores", "gpu"}})
}

// stageOf makes a stage of tasks of 1 GiB and one core with these durations.
func stageOf(id int32, parents []int32, ms ...int64) trace.Stage {
	s := trace.NewStage(id, trace.StageShuffle, parents...)
	s.TaskVCores, s.TaskMemMiB = 1, 1024
	s.Tasks = trace.NewTasks(len(ms))
	copy(s.Tasks.DurationMS, ms)
	return s
}

func jobOf(stages ...trace.Stage) *trace.Job {
	j := trace.NewJob(trace.KindGeneric)
	j.Stages, j.AMMemMiB, j.AMVCores = stages, 1024, 1
	return j
}

// begun registers the master of a job on nodes of these racks.
func begun(t *testing.T, j *trace.Job, racks ...int32) *mastertest.Host {
	h := mastertest.New(t, kindOf(), j, racks...)
	h.Register()
	return h
}

// logged are the calls that begin with a word.
func logged(h *mastertest.Host, words ...string) (list []string) {
	for _, line := range h.Log {
		if _, call, _ := strings.Cut(line, " "); slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(call, w) }) {
			list = append(list, line)
		}
	}
	return list
}

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if g, w := fmt.Sprint(got), fmt.Sprint(want); g != w {
		t.Errorf("%s:\n%s\nwant\n%s", what, g, w)
	}
}

// told writes task attempts as stage.task#attempt launch-finish END.
func told(h *mastertest.Host) (list []string) {
	for _, r := range h.Tasks {
		list = append(list, fmt.Sprintf("%d.%d#%d %d-%d %s", r.Stage, r.Index, r.Attempt, r.Launch, r.Finish, r.End))
	}
	return list
}

// A task is asked for on its hosts, their racks and anywhere; a container goes to a task that prefers its host, then to one that
// prefers its rack, then to the one that has waited the longest.
func TestLocality(t *testing.T) {
	st := stageOf(0, nil, 1000, 1000, 1000)
	st.Tasks.SetPrefs([][]int32{nil, {1}, {2}})
	st.Tasks.InputBytes = []int64{0, 100 << 20, 100 << 20}
	h := begun(t, jobOf(st), 0, 0, 1, 1)
	h.Run(0)
	same(t, "ask", logged(h, "ask"), []string{"0 ask 2:*=3 2:/r0=1 2:/r1=1 2:h1=1 2:h2=1"})
	for _, node := range []int32{0, 3, 1} { // nowhere, on the rack of task 2, on the host of task 1
		h.Grant(node, 2, gib)
	}
	h.Run(5000)
	same(t, "starts", logged(h, "start"), []string{"1000 start 4 at 1050", "1000 start 3 at 1050", "1000 start 2 at 1050"})
	var levels []string
	for _, r := range h.Tasks {
		levels = append(levels, fmt.Sprintf("%d on %d %v %d ms", r.Index, r.Node, r.Level, r.PenaltyMS))
	}
	same(t, "levels", levels, []string{"0 on 0 NO_PREF 0 ms", "1 on 1 NODE_LOCAL 0 ms", "2 on 3 RACK_LOCAL 500 ms"})
	if h.Outcome == nil || *h.Outcome != "" || h.Job().ContainersPreferred != 1 || h.Job().ContainersRackPreferred != 1 || h.Job().ContainersPreferring != 2 {
		t.Errorf("%+v", h.Job())
	}
}

// In a diamond the two in the middle run beside each other, and the last when both have ended. Stages nearer to the end are asked for with a priority of their
// own, as Tez gives it.
func TestDiamond(t *testing.T) {
	h := begun(t, jobOf(stageOf(0, nil, 1000), stageOf(1, []int32{0}, 2000), stageOf(2, []int32{0}, 5000), stageOf(3, []int32{1, 2}, 100)), 0)
	h.Run(500)
	h.Grant(0, 11, gib)
	h.Run(3500)
	h.Grant(0, 26, gib)
	h.Grant(0, 29, gib)
	h.Run(10_500)
	h.Grant(0, 44, gib)
	h.Run(20_000)
	same(t, "asks", logged(h, "ask", "unregister"), []string{
		"0 ask 11:*=1", "2000 ask 11:*=0", "3000 ask 29:*=1 26:*=1", "5000 ask 29:*=0 26:*=0", "10000 ask 44:*=1", "11150 unregister"})
}

// What the container of a task is asked with: the priority of the stage if it has one, its further resources, milli-vcores rounded up, a request id for
// each size of a priority.
func TestSizes(t *testing.T) {
	a, b := stageOf(0, nil, 1, 1, 1), stageOf(1, nil, 1)
	a.Priority, b.Priority = 7, 7
	a.Extra = []trace.NamedValue{{Name: "gpu", Value: 2}}
	a.Tasks.MemMiB, a.Tasks.VCores = []int64{trace.Unset, 2048, trace.Unset}, []int32{trace.Unset, trace.Unset, trace.Unset}
	b.TaskMilliVCores = 1500
	set, err := kindOf().settings(jobOf(a, b))
	if err != nil {
		t.Fatal(err)
	}
	gpu := func(mem int64) resource.Resource { r := resource.R(mem, 1); r[2] = 2; return r }
	same(t, "keys", set.stages, []layout{
		{7, 7, []key{{7, 0, gpu(1024)}, {7, 1, gpu(2048)}, {7, 0, gpu(1024)}}},
		{7, 7, []key{{7, 2, resource.R(1024, 2)}}},
	})
	c := stageOf(0, nil, 1)
	c.Extra = []trace.NamedValue{{Name: "fpga", Value: 1}}
	if _, err := kindOf().Plan(jobOf(c)); err == nil || !strings.Contains(err.Error(), `1 of "fpga"`) {
		t.Errorf("a resource that no node has: %v", err)
	}
	h := mastertest.New(t, kindOf(), jobOf(stageOf(0, nil, 1)), 0)
	h.Largest = resource.R(512, 4)
	h.Register()
	same(t, "too large", *h.Outcome, "tasks of stage 0 ask for 1024 MiB, the largest container has 512 MiB")
}

// A task fails half-way as often as its recorded retries say, and then ends. What failed is asked for with a higher priority.
func TestRetries(t *testing.T) {
	st := stageOf(0, nil, 1000)
	st.Tasks.Retries = []int32{2}
	h := begun(t, jobOf(st), 0)
	for i := range int64(3) {
		h.Run(i*3000 + 500)
		h.Grant(0, []int32{2, 1, 1}[i], gib)
	}
	h.Run(20_000)
	same(t, "attempts", told(h), []string{"0.0#0 1050-1550 failed", "0.0#1 4050-4550 failed", "0.0#2 7050-8050 success"})
	same(t, "asks", logged(h, "ask", "unregister"), []string{"0 ask 2:*=1", "2000 ask 2:*=0 1:*=1", "5000 ask 1:*=1", "8000 ask 1:*=0", "8050 unregister"})
	if j := h.Job(); j.TaskMS != 1000 || j.WastedTaskMS != 1000 || j.TasksSucceeded != 1 {
		t.Errorf("%+v", j)
	}
}

// With a limit of its own a job ends when a task has failed so often; without one it may fail as often as it is recorded to have.
func TestMaxFailures(t *testing.T) {
	for _, tt := range []struct {
		conf []trace.KeyValue
		want string
	}{
		{nil, ""},
		{[]trace.KeyValue{{Key: keyMaxFailures, Value: "3"}}, "task 0 of stage 0 failed 3 times (tez.am.task.max.failed.attempts)"},
	} {
		st := stageOf(0, nil, 100)
		st.Tasks.Retries = []int32{6}
		j := jobOf(st)
		j.Conf = tt.conf
		h := begun(t, j, 0)
		for i := range int64(7) {
			h.Run(i*3000 + 500)
			if h.Outcome == nil {
				h.Grant(0, []int32{2, 1}[min(i, 1)], gib)
			}
		}
		h.Run(30_000)
		if h.Outcome == nil || *h.Outcome != tt.want {
			t.Errorf("%v: %v, want %q", tt.conf, h.Log, tt.want)
		}
	}
	j := jobOf(stageOf(0, nil, 1))
	j.Conf = []trace.KeyValue{{Key: keyMaxFailures, Value: "none"}}
	if _, err := kindOf().Plan(j); err == nil || err.Error() != `tez.am.task.max.failed.attempts is "none", want a whole number from 1 to 2147483647` {
		t.Error(err)
	}
}

// What a container that was taken away ran is lost and asked for again, without end and as before: it is no failure. A container that can't be started is one.
func TestLoss(t *testing.T) {
	h := begun(t, jobOf(stageOf(0, nil, 5000)), 0, 0)
	for i := range int64(6) {
		h.Run(i*4000 + 500)
		c := h.Grant(0, 2, gib)
		h.Run(i*4000 + 2500)
		h.Complete(c.ID.N, protocol.ExitPreempted)
	}
	h.Run(24_500)
	c := h.Grant(0, 2, gib)
	h.FailNode(0)
	h.Run(26_500)
	same(t, "asks", logged(h, "ask")[12:], []string{"24000 ask 2:*=1", fmt.Sprintf("26000 ask 2:*=0 1:*=1 release %d", c.ID.N)})
	h.Grant(1, 1, gib)
	h.Run(40_000)
	if n := len(h.Tasks); n != 7 || h.Tasks[0].End != record.TaskLost || h.Tasks[6].End != record.TaskSuccess || *h.Outcome != "" {
		t.Errorf("%v", told(h))
	}
}

// A stage with a start fraction begins when so many tasks of its parents have ended. Its work begins when all have.
func TestStartFraction(t *testing.T) {
	child := stageOf(1, []int32{0}, 700)
	child.StartFraction = 0.5
	h := begun(t, jobOf(stageOf(0, nil, 1000, 1000, 9000), child), 0)
	h.Run(500)
	for range 3 {
		h.Grant(0, 5, gib)
	}
	h.Run(3500)
	h.Grant(0, 14, gib)
	h.Run(20_000)
	same(t, "attempts", told(h), []string{"0.0#0 1050-2050 success", "0.1#0 1050-2050 success", "0.2#0 1050-10050 success", "1.0#0 4050-10750 success"})
	same(t, "asks", logged(h, "ask"), []string{"0 ask 5:*=3", "2000 ask 5:*=0", "3000 ask 14:*=1", "5000 ask 14:*=0"})
}

// A stage waits for the end of those that it names without reading them, then for its pause. The application ends after its tail.
func TestPauses(t *testing.T) {
	late := stageOf(1, nil, 100)
	late.After, late.DelayMS = []int32{0}, 2500
	j := jobOf(stageOf(0, nil, 1000), late, stageOf(2, nil))
	j.TailMS = 3000
	h := begun(t, j, 0)
	h.Run(500)
	h.Grant(0, 8, gib)
	h.Run(5500)
	h.Grant(0, 20, gib)
	h.Run(20_000)
	same(t, "attempts", told(h), []string{"0.0#0 1050-2050 success", "1.0#0 6050-6150 success"})
	same(t, "calls", logged(h, "ask", "unregister"), []string{"0 ask 8:*=1", "2000 ask 8:*=0", "5000 ask 20:*=1", "9150 unregister"})
}

// A container that nobody waits for is given back.
func TestSurplus(t *testing.T) {
	h := begun(t, jobOf(stageOf(0, nil, 5000)), 0)
	h.Run(500)
	h.Grant(0, 2, gib)
	extra := h.Grant(0, 2, gib)
	h.Run(2500)
	same(t, "release", logged(h, "ask")[1:], []string{"2000 ask 2:*=0 release 3"})
	if c := h.Container(extra.ID.N); c.Match != record.Unmatched || c.End != record.EndUnused {
		t.Errorf("%+v", c)
	}
}
