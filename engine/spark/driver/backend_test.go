package driver

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"replay/engine/protocol"
	"replay/engine/record"
	"replay/policy/resource"
	"replay/trace"
)

// zoo is an application with an executor in each state, at 1 s: 1 is idle, 2 runs a task without end, 3 is lost (its node is
// silent, nobody has said why), 4 was removed, 5 is being started. Executor n has container n+1.
func zoo(t *testing.T) *app {
	t.Helper()
	starts := &Latencies{AMMS: trace.Unset, ExecutorMS: []int64{0, 0, 0, 0, 1_000_000}}
	a := newApp(t, jobOf(delayed(near(stageOf(0, 1, 1_000_000), []int32{1}), 100)), setup{conf: static(5, "spark.network.timeout", "1000s"),
		recorded: Recorded{Latencies: map[int64][]*Latencies{0: {starts}}}}).executors(0, 1, 2, 3, 0).register()
	a.Run(500)
	a.FailNode(2)
	a.Crash(5, 1)
	a.Run(1000)
	return a
}

func TestKillExecutors(t *testing.T) {
	cases := []struct {
		name  string
		ids   []int32
		force bool
		want  []int32
	}{
		{"an idle one", []int32{1}, false, []int32{1}},
		{"a busy one is spared", []int32{2}, false, nil},
		{"unless forced", []int32{2}, true, []int32{2}},
		{"a lost one runs nothing any more", []int32{3}, false, []int32{3}},
		{"one that is gone", []int32{4}, true, nil},
		{"one that has not registered", []int32{5}, true, nil},
		{"one that never was", []int32{-1, 0, 6, 99}, true, nil},
		{"in the order of the question, each once", []int32{3, 2, 1, 3}, true, []int32{3, 2, 1}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			a := zoo(t)
			a.Log = nil
			if got := a.asked().kill(c.ids, c.force); !slices.Equal(got, c.want) {
				t.Fatalf("kill %v, force %v: %v, want %v", c.ids, c.force, got, c.want)
			}
			if again := a.asked().kill(c.ids, c.force); len(again) > 0 {
				t.Errorf("kill again: %v, want none", again)
			}
			a.Run(10_000)
			var released, wanted []string
			for _, l := range a.Log {
				if _, list, ok := strings.Cut(l, " release "); ok {
					released = append(released, strings.Split(list, " release ")...)
				}
			}
			for _, id := range slices.Sorted(slices.Values(c.want)) {
				wanted = append(wanted, fmt.Sprint(id+1))
			}
			if !slices.Equal(released, wanted) {
				t.Errorf("containers %v are given back, want %v", released, wanted)
			}
		})
	}
}

// An executor that lets its tasks end before it goes is killed with them where failures exclude it. It is lost as one that was killed.
//
// Source: CoarseGrainedSchedulerBackend.killExecutors, removeExecutor, disableExecutor.
func TestKillOfADecommissionedExecutor(t *testing.T) {
	a := newApp(t, jobOf(near(stageOf(0, 2, 100_000), []int32{0}, []int32{1})), setup{conf: static(2)}).executors(0, 1).register()
	a.Run(500)
	a.asked().Decommission(500, []int32{1})
	for _, c := range []struct {
		force bool
		want  int
	}{{false, 0}, {true, 1}, {true, 0}} {
		if got := a.asked().kill([]int32{1}, c.force); len(got) != c.want {
			t.Fatalf("kill with force %v: %v, want %d executors", c.force, got, c.want)
		}
	}
	a.Run(10_000)
	if e := a.d.exec(1); e.state != execRemoved || a.Container(2).Exit == protocol.ExitSuccess {
		t.Errorf("state %v, exit %d, want it removed and its process stopped", e.state, a.Container(2).Exit)
	}
	for _, r := range a.Tasks {
		if r.Container == 2 && r.End != record.TaskLost {
			t.Errorf("its task ends as %s, want lost", r.End)
		}
	}
}

// Dynamic allocation kills without force.
//
// Source: ExecutorAllocationClient.killExecutors.
func TestKillOfDynamicAllocationSparesTheBusy(t *testing.T) {
	if got := zoo(t).asked().Kill(1000, []int32{1, 2, 3, 4, 5}); !slices.Equal(got, []int32{1, 3}) {
		t.Errorf("killed %v, want 1 and 3", got)
	}
}

// Only executors that have registered and that nobody wants away get tasks.
//
// Source: CoarseGrainedSchedulerBackend.isExecutorActive.
func TestOffersOfActiveExecutorsOnly(t *testing.T) {
	a := newApp(t, jobOf(delayed(stageOf(0, 10, 10_000), 2000)), setup{conf: static(6, "spark.network.timeout", "1000s"),
		recorded: Recorded{Latencies: map[int64][]*Latencies{0: {{AMMS: trace.Unset, ExecutorMS: []int64{0, 0, 0, 0, 0, 1_000_000}}}}}}).executors(0, 0, 1, 1, 2, 0).register()
	a.Run(1500)
	a.Crash(2, 1)                            // 1 is removed
	a.asked().kill([]int32{2}, false)        // 2 is being killed
	a.asked().Decommission(1500, []int32{3}) // 3 is being decommissioned
	a.FailNode(2)                            // 5 is lost
	a.Run(2500)
	if d := cmp.Diff([]string{"2000 0.0 ex4 NO_PREF"}, a.launches()); d != "" {
		t.Errorf("launches (-want +got)\n%s", d)
	}
}

func TestSlots(t *testing.T) {
	own := changed(stageOf(1, 1, 1_000_000), func(st *trace.Stage) { st.Profile, st.ExecVCores, st.TaskVCores = 1, 6, 2 })
	cases := []struct {
		name string
		conf map[string]string
		want [2]int // of profiles 0 and 1
	}{
		// Profile 0: tasks of 1 core, 4 at a time; profile 1: tasks of 2 cores, 3 at a time (or 2, of the executors that are there).
		{"with dynamic allocation executors serve their own profile", dynamic("spark.dynamicAllocation.initialExecutors", "4"), [2]int{2 * 4, 1 * 3}},
		{"with static allocation there are no others", static(5), [2]int{3 * 4, 3 * 2}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			st := own
			if c.conf["spark.executor.instances"] != "" {
				st.ExecVCores = 4
			}
			j := jobOf(stageOf(0, 20, 1_000_000), st)
			j.ExecVCores = 4
			size, starts := resource.R(2048, 4), &Latencies{AMMS: trace.Unset, ExecutorMS: []int64{0, 0, 0, 0, 1_000_000}}
			a := newApp(t, j, setup{conf: c.conf, recorded: Recorded{Latencies: map[int64][]*Latencies{0: {starts}}}}).register()
			a.Run(1500)
			for i := range int32(5) {
				p := int32(0)
				if i == 2 && st.ExecVCores == 6 {
					p = 1
				}
				a.Grant(i%4, p, size)
			}
			a.Run(10_000)
			a.asked().kill([]int32{4}, true)
			if got := [2]int{a.d.Slots(0), a.d.Slots(1)}; got != c.want {
				t.Errorf("slots %v, want %v: of the executors that are there, no one in its start or on its way out", got, c.want)
			}
		})
	}
}

// A barrier stage of a profile that says something of tasks only finds its slots on executors of the default profile.
//
// Source: ResourceProfileManager.canBeScheduled, DAGScheduler.checkBarrierStageWithNumSlots.
func TestBarrierStageOfTaskProfile(t *testing.T) {
	run := func(tasks int) *app {
		st := changed(stageOf(0, tasks, 1000), func(st *trace.Stage) { st.Kind, st.Profile, st.TaskVCores = trace.StageGang, 1, 2 })
		j := jobOf(st)
		j.ExecVCores = 4
		a := newApp(t, j, setup{conf: static(2, "spark.scheduler.barrier.maxConcurrentTasksCheck.interval", "10s", "spark.scheduler.barrier.maxConcurrentTasksCheck.maxFailures", "2",
			"spark.scheduler.minRegisteredResourcesRatio", "1")}).executors(0, 1).register()
		a.Run(60_000)
		return a
	}
	if a := run(4); a.Outcome == nil || *a.Outcome != "" || len(a.Tasks) != 4 {
		t.Errorf("4 tasks of 2 cores on 2 executors of 4: log %v, want success", a.Log)
	}
	if a := run(5); a.Outcome == nil || !strings.Contains(*a.Outcome, "finds 4 slots") {
		t.Errorf("5 tasks of 2 cores on 2 executors of 4: log %v, want too few slots", a.Log)
	}
}

// The loss of an executor is held against the tasks that ran there only where the application is to blame: with at most one failure
// of a task, such a loss ends the application.
//
// Source: CoarseGrainedSchedulerBackend.removeExecutor, TaskSetManager.executorLost.
func TestLossesHeldAgainstTasks(t *testing.T) {
	cases := []struct {
		name string
		lose func(*app)
		want bool
	}{
		{"the process failed", func(a *app) { a.Crash(2, 1) }, true},
		{"it was killed by a signal", func(a *app) { a.Crash(2, 143) }, true},
		{"too much memory", func(a *app) { a.Complete(2, protocol.ExitKilledPMem) }, true},
		{"preempted", func(a *app) { a.Complete(2, protocol.ExitPreempted) }, false},
		{"its node was lost", func(a *app) { a.FailNode(0); a.LoseNode(0) }, false},
		{"nobody says why, as its node is silent", func(a *app) { a.FailNode(0) }, true},
		{"killed by the driver", func(a *app) { a.asked().kill([]int32{1}, true) }, false},
		{"killed by the driver, then failed", func(a *app) { a.asked().kill([]int32{1}, true); a.Crash(2, 1) }, false},
		{"decommissioned, then failed", func(a *app) { a.asked().Decommission(a.Now(), []int32{1}); a.Crash(2, 1) }, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			a := newApp(t, jobOf(delayed(near(stageOf(0, 1, 20_000), []int32{0}), 100)), setup{conf: static(2, "spark.task.maxFailures", "1", "spark.rpc.askTimeout", "5s")}).executors(0, 1).register()
			a.Run(200)
			if d := cmp.Diff([]string{"100 0.0 ex1 NODE_LOCAL"}, a.launches()); d != "" {
				t.Fatalf("launches (-want +got)\n%s", d)
			}
			c.lose(a)
			a.Run(60_000)
			want := []string{"lost", "success"}
			if c.want {
				want = []string{"lost"}
			}
			var got []string
			for _, r := range a.Tasks {
				got = append(got, r.End)
			}
			if !slices.Equal(got, want) {
				t.Errorf("the task's attempts end as %v, want %v", got, want)
			}
			if failed := a.Outcome != nil && *a.Outcome != ""; failed != c.want {
				t.Errorf("the application failed: %v, want %v; log %v", failed, c.want, a.Log)
			}
			if a.Cores != 0 {
				t.Errorf("%d cores are busy in the end", a.Cores)
			}
		})
	}
}
