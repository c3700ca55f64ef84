package driver

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"replay/engine/master"
	"replay/policy/resource"
	"replay/trace"
)

// The hints of active stages go to the allocator with the next target: a host counts once for each task that prefers it. With them
// new containers are asked for on these hosts. When a stage is done its hints are gone.
//
// Source: ExecutorAllocationManager.ExecutorAllocationListener.onStageSubmitted, onStageCompleted.
func TestHintsOfStages(t *testing.T) {
	// Eight tasks prefer node 0, four node 1, two nothing. Of the seven executors of two cores that are needed the twelve with a
	// preference need six, four on node 0 and two on node 1.
	st := near(stageOf(0, 14, 1000), append(append(all(8, 0), all(4, 1)...), all(2)...)...)
	second := delayed(near(stageOf(1, 2, 1000), []int32{3}, []int32{3}), 5000)
	second.After = []int32{0}
	j := jobOf(st, second)
	j.ExecVCores = 2
	a := newApp(t, j, setup{conf: dynamic()}).register()
	p := a.Master.(master.Preferrer)
	hinted := func() (nodes []int32) {
		for n := range int32(4) {
			if p.Prefers(n) {
				nodes = append(nodes, n)
			}
		}
		if all, _ := p.Preferred(); !slices.Equal(all, nodes) {
			t.Errorf("at %d ms: nodes %v are preferred, each by itself %v", a.Now(), all, nodes)
		}
		return nodes
	}
	if got := hinted(); !slices.Equal(got, []int32{0, 1}) {
		t.Errorf("hints at nodes %v, want 0 and 1", got)
	}
	a.Run(2500)
	// The steps are one executor, two more and four more; each asks in the ratio of what the nodes still need.
	if d := cmp.Diff([]string{"0 ask *=1 /r0=1 h0=1 h1=1", "1000 ask *=3 /r0=3 h0=3 h1=2", "2000 ask *=7 /r0=7 h0=7 h1=4"}, a.said("ask")); d != "" {
		t.Errorf("asks (-want +got)\n%s", d)
	}
	for _, node := range []int32{0, 0, 0, 0, 1, 1, 2} {
		a.Grant(node, 0, resource.R(2048, 2))
	}
	a.Run(4500)
	if got := hinted(); len(got) > 0 || len(a.Tasks) != 14 {
		t.Errorf("after %d tasks of 14 hints at nodes %v, want none", len(a.Tasks), got)
	}
	a.Run(10_000)
	if got := hinted(); len(a.Tasks) == 14 && !slices.Equal(got, []int32{3}) {
		t.Errorf("in the second stage hints at nodes %v, want 3", got)
	}
}

// The hints of a stage that is done are in no further target: the second stage asks for executors where its own tasks want to run.
func TestHintsOfAStageThatIsDone(t *testing.T) {
	second := delayed(near(stageOf(1, 3, 60_000), all(3, 3)...), 100)
	second.After = []int32{0}
	a := newApp(t, jobOf(near(stageOf(0, 1, 1000), []int32{0}), second), setup{conf: dynamic("spark.locality.wait", "0s")}).register().executors(2)
	a.Run(9000)
	want := []string{"0 ask *=1 /r0=1 h0=1", "1000 ask *=0 /r0=0 h0=0", "2100 ask *=1 /r1=1 h3=1", "3100 ask *=2 /r1=2 h3=2"}
	if d := cmp.Diff(want, a.said("ask")); d != "" {
		t.Errorf("asks (-want +got)\n%s", d)
	}
}

// A placement that reads the hosts of each task gets them: the second step asks for an executor for each of the first two tasks.
func TestHintsByTask(t *testing.T) {
	a := newApp(t, jobOf(near(stageOf(0, 3, 1000), []int32{0}, []int32{3, 1}, nil)), setup{placement: "per-task", conf: dynamic()}).register()
	a.Run(1500)
	if d := cmp.Diff([]string{"0 ask *=1 /r0=1 h0=1", "1000 ask *=3 /r0=3 /r1=1 h0=2 h1=1 h3=1"}, a.said("ask")); d != "" {
		t.Errorf("asks (-want +got)\n%s", d)
	}
}

// Stages whose submission is due in the same millisecond are submitted in the order in which they were posted, not by number.
//
// Source: DAGSchedulerEventProcessLoop.
func TestStagesInOrderOfPosting(t *testing.T) {
	// 1 waits for 0, which ends at 1000; 2 was posted at 0.
	one := delayed(stageOf(1, 1, 10_000, 0), 2000)
	a := newApp(t, jobOf(stageOf(0, 1, 1000), one, delayed(stageOf(2, 1, 10_000), 3000), delayed(stageOf(3, 1, 10_000), 500)), setup{conf: static(4)}).executors(0, 1, 2, 3).register()
	a.Run(5000)
	var order []int32
	for id := range int32(4) {
		if set := a.d.tasks.Set(id); set != nil {
			order = append(order, set.Spec.Stage)
		}
	}
	if !slices.Equal(order, []int32{3, 2, 1}) {
		t.Errorf("the stages that run were submitted in the order %v, want 3, 2, 1", order)
	}
}

// A task is ready with its stage attempt, when it failed last, or when its output was lost.
func TestTasksAreReady(t *testing.T) {
	ready := func(a *app) (got [][3]int64) {
		for _, r := range a.launched {
			got = append(got, [3]int64{int64(r.index), r.ready, r.launch})
		}
		return got
	}
	st := stageOf(0, 3, 1000)
	st.Tasks.Retries = []int32{1, 0, 0}
	a := newApp(t, jobOf(delayed(st, 300)), setup{conf: static(1), recorded: failing(st)}).executors(0).register()
	a.Run(60_000)
	if d := cmp.Diff([][3]int64{{0, 300, 300}, {1, 300, 1300}, {0, 1300, 2300}, {2, 300, 3300}}, ready(a)); d != "" {
		t.Errorf("index, ready, launch with a failure (-want +got)\n%s", d)
	}
	a = newApp(t, jobOf(stageOf(0, 4, 1000), stageOf(1, 1, 1000, 0)), setup{conf: static(2)}).executors(0, 1).register()
	a.Run(1400)
	executor := a.launched[0].exec
	a.Crash(int64(executor+1), 1) // it has done task 0 and runs another one
	a.Run(5000)
	if d := cmp.Diff([3]int64{0, 1400, 3000}, ready(a)[5]); d != "" {
		t.Errorf("index, ready, launch of the sixth launch after a loss (-want +got)\n%s\n%v", d, ready(a))
	}
	// Task 0 counts once, although it succeeds twice; its second run is no use of its own.
	a.Run(60_000)
	if j := a.Job(); j.TasksSucceeded != 5 || j.Attempts != 7 || j.TaskMS != 5000 || j.WastedTaskMS != 1400 || len(a.Tasks) != 7 {
		t.Errorf("%+v, %d rows, want 5 tasks in 7 attempts, 5000 ms of use and 1400 ms of none", j, len(a.Tasks))
	}
}

// A stage whose time is not known begins after the model's; work is known to go on until it does, and until its tasks end.
func TestDelayOfStages(t *testing.T) {
	m := instant()
	m.StageSubmitMS = 70
	st := stageOf(1, 1, 1000)
	st.After, st.DelayMS = []int32{0}, trace.Unset
	a := newApp(t, jobOf(delayed(stageOf(0, 1, 1000), 5000), st), setup{conf: static(1), model: m}).executors(0).register()
	if a.Until != 5000 {
		t.Errorf("work goes on until %d ms, want 5000: the first stage's delay", a.Until)
	}
	a.Run(5500)
	if a.Until != 6000 {
		t.Errorf("work goes on until %d ms, want 6000: the first task's end", a.Until)
	}
	a.Run(60_000)
	if d := cmp.Diff([]string{"5000 0.0 ex1 NO_PREF", "6070 1.0 ex1 NO_PREF"}, a.launches()); d != "" {
		t.Errorf("launches (-want +got)\n%s", d)
	}
}

// A stage without tasks is over as soon as it is submitted.
func TestStageWithoutTasks(t *testing.T) {
	a := newApp(t, jobOf(stageOf(0, 1, 1000), stageOf(1, 0, 0, 0), stageOf(2, 1, 1000, 1)), setup{conf: static(1)}).executors(0).register()
	a.Run(60_000)
	if a.Outcome == nil || *a.Outcome != "" || a.Job().StageAttempts != 3 || len(a.Tasks) != 2 {
		t.Errorf("log %v, %d stage attempts, %d tasks, want success, 3 and 2", a.Log, a.Job().StageAttempts, len(a.Tasks))
	}
}

// Hints of a stage are its own, whatever stages ran before it: the counts of hosts begin again.
func TestHintsBeginAgain(t *testing.T) {
	second := near(stageOf(1, 2, 1000), []int32{3}, []int32{3})
	a := newApp(t, jobOf(near(stageOf(0, 6, 60_000), all(6, 0)...), delayed(second, 500)), setup{conf: dynamic()}).register()
	a.Run(2500)
	// At 1 s eight executors are needed, six on node 0 and two on node 3, and two more are asked for; at 2 s four more.
	if d := cmp.Diff([]string{"0 ask *=1 /r0=1 h0=1", "1000 ask *=3 /r0=3 /r1=1 h0=3 h3=1", "2000 ask *=7 /r0=7 /r1=3 h0=7 h3=3"}, a.said("ask")); d != "" {
		t.Errorf("asks (-want +got)\n%s", d)
	}
}

// Output that is lost with its executor, without the shuffle service. An executor that has read for the stage attempt before tries the
// dead one for a while; one that has not learns at once that output is missing. Either way both stages are submitted again, 200 ms
// after the failure.
//
// Source: MapOutputTrackerWorker, DAGScheduler.handleTaskCompletion.
func TestLostOutput(t *testing.T) {
	cases := []struct {
		name     string
		second   int64 // when a further executor registers
		dispatch int64
		want     []string
	}{
		{"read by an executor that knows where it was", 1_000_000, 0, []string{
			"3000 1.3 ex2 NO_PREF", "3050 1.4 ex2 NO_PREF", // in vain; the second was offered before the failure of the first was handled
			"3250 0.0 ex2 NO_PREF", "4250 1.3 ex2 NO_PREF", "5250 1.4 ex2 NO_PREF", "6250 1.5 ex2 NO_PREF"}},
		{"read by a new one, which is told before it tries", 2700, 4, []string{
			"2700 1.3 ex3 NO_PREF", "2704 1.4 ex3 NO_PREF",
			"2904 0.0 ex3 NO_PREF", "3908 1.3 ex2 NO_PREF", "3908 1.4 ex3 NO_PREF", "4912 1.5 ex2 NO_PREF"}},
		{"read by a new one", 2700, 0, []string{
			"2700 1.3 ex3 NO_PREF", "2700 1.4 ex3 NO_PREF", "2700 1.5 ex3 NO_PREF",
			"2900 0.0 ex3 NO_PREF", "3900 1.3 ex2 NO_PREF", "3900 1.4 ex3 NO_PREF", "4900 1.5 ex2 NO_PREF"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			m := instant()
			m.FetchFailMS, m.DispatchMS = 50, c.dispatch
			a := newApp(t, jobOf(stageOf(0, 2, 1000), stageOf(1, 6, 1000, 0)), setup{conf: static(3), model: m,
				recorded: Recorded{Latencies: map[int64][]*Latencies{0: {{AMMS: trace.Unset, ExecutorMS: []int64{0, 0, c.second}}}}}}).executors(0, 1, 2).register()
			a.Run(2500) // of stage 1 two tasks are done and two run, task 3 on executor 1
			a.Crash(2, 1)
			a.Run(20_000)
			if d := cmp.Diff(c.want, a.launches()[6:]); d != "" {
				t.Errorf("launches after the loss (-want +got)\n%s\n%v\n%v", d, a.launches(), a.ends())
			}
			if a.Outcome == nil || *a.Outcome != "" {
				t.Errorf("log %v, want success", a.Log)
			}
		})
	}
}

// Who has read the input of a stage attempt, executor by executor.
func TestReaders(t *testing.T) {
	var r readers
	for _, set := range []int32{3, 1} {
		for exec := int32(set); exec < 200; exec += 7 {
			r.add(set, exec)
			r.add(set, exec)
		}
	}
	check := func(forgotten int32) {
		t.Helper()
		for set := range int32(6) {
			for exec := range int32(300) {
				want := (set == 1 || set == 3) && set != forgotten && exec < 200 && exec >= set && (exec-set)%7 == 0
				if got := r.has(set, exec); got != want {
					t.Fatalf("executor %d has read the input of task set %d: %v, want %v", exec, set, got, want)
				}
			}
		}
	}
	check(-1)
	r.forget(3)
	r.forget(9)
	check(3)
}
