package driver

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"replay/engine/protocol"
	"replay/engine/record"
	"replay/policy/resource"
	"replay/trace"
)

// The application's code begins when enough executors have registered, which is looked at every 100 ms, or when the wait is over.
//
// In client mode the driver has waited since before it submitted the application.
//
// Source: YarnSchedulerBackend.sufficientResourcesRegistered, CoarseGrainedSchedulerBackend.isReady, TaskSchedulerImpl.waitBackendReady.
func TestWaitForRegisteredExecutors(t *testing.T) {
	const late = 1_000_000
	cases := []struct {
		name     string
		ratio    string
		wait     string
		arrivals []int64 // of five executors
		lost     int64   // when the first one fails, 0 = never
		want     int64
	}{
		{"four of five", "0.8", "30s", []int64{150, 250, 350, 450, late}, 0, 500},
		{"all of them", "1.0", "30s", []int64{150, 250, 350, 450, 1000}, 0, 1000},
		{"no more than all", "1.5", "30s", []int64{150, 250, 350, 450, 1000}, 0, 1000},
		{"none", "0", "30s", []int64{150, late, late, late, late}, 0, 150},
		{"one that is gone does not count", "0.8", "30s", []int64{150, 250, 350, 450, 1420}, 300, 1500},
		{"three are too few, the wait ends", "0.8", "30s", []int64{150, 250, 350, late, late}, 0, 30_000},
		{"a wait of its own", "0.8", "2s", []int64{150, 250, 350, late, late}, 0, 2000},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			a := newApp(t, jobOf(stageOf(0, 1, 1000)), setup{conf: static(5, "spark.scheduler.minRegisteredResourcesRatio", c.ratio, "spark.scheduler.maxRegisteredResourcesWaitingTime", c.wait),
				recorded: Recorded{Latencies: map[int64][]*Latencies{0: {{AMMS: trace.Unset, ExecutorMS: c.arrivals}}}}}).executors(0, 1, 2, 3, 0).register()
			if c.lost > 0 {
				a.Run(c.lost)
				a.Crash(2, 1)
			}
			a.Run(40_000)
			if got := a.Job().FirstTask; got != c.want {
				t.Errorf("the first task starts at %d ms, want %d", got, c.want)
			}
		})
	}
	for mode, want := range map[string]int64{"cluster": 30_000, "client": 10_000} {
		t.Run("the wait of a driver in "+mode+" mode", func(t *testing.T) {
			j := jobOf(stageOf(0, 1, 1000))
			j.SubmitMS = -20_000
			a := newApp(t, j, setup{conf: static(2, "spark.submit.deployMode", mode, "spark.scheduler.minRegisteredResourcesRatio", "1")}).executors(0).register()
			a.Run(40_000)
			if got := a.Job().FirstTask; got != want {
				t.Errorf("the first task starts at %d ms, want %d", got, want)
			}
		})
	}
	t.Run("dynamic allocation from none waits for none", func(t *testing.T) {
		a := newApp(t, jobOf(stageOf(0, 1, 1000)), setup{conf: dynamic("spark.scheduler.minRegisteredResourcesRatio", "0.8")}).register()
		if a.Job().StageAttempts != 1 {
			t.Errorf("%d stages are submitted at registration, want 1", a.Job().StageAttempts)
		}
	})
}

// What an application waits for, in words.
func TestWaits(t *testing.T) {
	why := func(r resource.Resource) string {
		return fmt.Sprintf("no room for %d MiB", r[resource.Memory])
	}
	check := func(t *testing.T, a *app, want string) {
		t.Helper()
		if got := a.Master.Waits(why); !strings.Contains(got, want) {
			t.Errorf("at %d ms it says %q, want %q", a.Now(), got, want)
		}
	}
	a := newApp(t, jobOf(near(stageOf(0, 3, 100_000), all(3, 0)...)), setup{conf: static(2, "spark.scheduler.minRegisteredResourcesRatio", "1")}).register()
	check(t, a, "it has no executor: no room for 2048 MiB") // and has not been heard asking
	a.Job().FirstAsked = 0
	check(t, a, "it waits for its first executor: no room for 2048 MiB")
	a.executors(1).Run(1000)
	check(t, a, "1 executors have registered, its code begins with 1 of 2")
	a.executors(0).Run(3500) // both run a task
	check(t, a, "0 of its 3 tasks are done")
	a.Crash(2, 1)
	a.Crash(3, 1)
	a.Run(10_000)
	check(t, a, "it has no executor")
}

func TestWaitsForAPreferredHost(t *testing.T) {
	a := newApp(t, jobOf(delayed(near(stageOf(0, 2, 5000), all(2, 0)...), 1000)), setup{conf: static(2, "spark.locality.wait", "60s")}).executors(0, 1).register()
	a.Run(2000)
	if got, want := a.Master.Waits(nil), "0 of its 2 tasks are done; tasks wait although 1 executors have free cores"; !strings.Contains(got, want) {
		t.Errorf("it says %q, want %q", got, want)
	}
	a.Run(6000) // the second task runs too: executor 2 is free, but nothing waits
	if got := a.Master.Waits(nil); got != "1 of its 2 tasks are done" {
		t.Errorf("it says %q", got)
	}
}

// Executors without a free core, and those whose connection has dropped, are none that tasks could run on.
func TestWaitsForACore(t *testing.T) {
	a := newApp(t, jobOf(stageOf(0, 3, 60_000)), setup{conf: static(2, "spark.network.timeout", "1000s")}).executors(0, 1).register()
	a.Run(2000)
	if got := a.Master.Waits(nil); got != "0 of its 3 tasks are done" {
		t.Errorf("it says %q", got)
	}
	a = newApp(t, jobOf(delayed(stageOf(0, 3, 60_000), 3000)), setup{conf: static(2, "spark.network.timeout", "1000s")}).executors(0, 1).register()
	a.Run(2000)
	a.FailNode(1)
	a.Run(4000)
	if got := a.Master.Waits(nil); got != "0 of its 3 tasks are done" {
		t.Errorf("with an executor that is lost it says %q", got)
	}
}

// A decommissioned executor gets no more tasks, looks every second whether it runs any, and ends by itself with status 0.
//
// Source: CoarseGrainedSchedulerBackend.decommissionExecutors, CoarseGrainedExecutorBackend.decommissionSelf.
func TestDecommissionExecutors(t *testing.T) {
	a := newApp(t, jobOf(delayed(stageOf(0, 5, 2400), 100)), setup{conf: dynamic("spark.dynamicAllocation.initialExecutors", "4", "spark.dynamicAllocation.executorIdleTimeout", "1000s"),
		recorded: Recorded{Latencies: map[int64][]*Latencies{0: {{AMMS: trace.Unset, ExecutorMS: []int64{0, 0, 0, 1_000_000}}}}}}).executors(0, 1, 2, 3).register()
	a.Run(50)
	if got := a.asked().Decommission(50, []int32{2, 4, 0, 9}); len(got) != 1 || got[0] != 2 { // before the stage: it is idle
		t.Fatalf("decommissioned %v, want 2: 4 has not registered, the others never were", got)
	}
	a.Run(200) // 1 and 3 run tasks
	if got := a.asked().Decommission(200, []int32{1, 2}); len(got) != 1 || got[0] != 1 {
		t.Fatalf("decommissioned %v, want 1: 2 is already", got)
	}
	a.Run(9000)
	if d := cmp.Diff([]string{"1050 end 3 at 1050", "3200 end 2 at 3200"}, a.said("end")); d != "" {
		t.Errorf("ends of processes (-want +got)\n%s", d)
	}
	for _, c := range []int64{2, 3} {
		if r := a.Container(c); r.Exit != 0 {
			t.Errorf("container %d ends with %d, want 0", c, r.Exit)
		}
	}
	for _, l := range a.launches()[2:] {
		if !strings.Contains(l, "ex3") {
			t.Errorf("a task goes to an executor on its way out: %s", l)
		}
	}
	if a.d.ready != 1 {
		t.Errorf("%d executors are registered, want 1", a.d.ready)
	}
	for _, r := range a.Tasks {
		if r.End != record.TaskSuccess {
			t.Errorf("task %d ends as %s at %d", r.Index, r.End, r.Finish)
		}
	}
}

// Decommissioned executors whose process has gone, or whose application ends, look no more.
func TestDecommissionedExecutorThatGoesFirst(t *testing.T) {
	a := newApp(t, jobOf(delayed(stageOf(0, 1, 1500), 100)), setup{conf: static(2)}).executors(0, 1).register()
	a.Run(50)
	a.asked().Decommission(50, []int32{1})
	a.Run(500)
	a.Crash(2, 1)
	a.asked().Decommission(500, []int32{2})
	a.Run(1700) // the application has ended at 1600
	if d := cmp.Diff([]string{"1600 end 3 at 1600", "1600 end of the master at 1600"}, a.said("end")); d != "" {
		t.Errorf("ends of processes (-want +got)\n%s", d)
	}
}

// Hosts that are excluded for failures of tasks go to the ResourceManager with the next target that changes, no hint names them, and
// an executor that starts there all the same is refused.
//
// Source: YarnSchedulerBackend.prepareRequestExecutors, CoarseGrainedSchedulerBackend.DriverEndpoint.receiveAndReply(RegisterExecutor).
func TestExcludedHosts(t *testing.T) {
	first := near(stageOf(0, 1, 1000), []int32{0})
	first.Tasks.Retries = []int32{1}
	second := near(stageOf(1, 4, 60_000), all(4, 0, 1)...)
	second.After = []int32{0}
	conf := dynamic("spark.dynamicAllocation.initialExecutors", "2", "spark.dynamicAllocation.minExecutors", "2", "spark.excludeOnFailure.enabled", "true",
		"spark.excludeOnFailure.application.maxFailedTasksPerExecutor", "1", "spark.excludeOnFailure.application.maxFailedExecutorsPerNode", "1")
	a := newApp(t, jobOf(delayed(first, 100), delayed(second, 100)), setup{conf: conf, recorded: failing(first)}).executors(0, 1).register()
	a.Run(7000)
	want := []string{"0 ask *=2", "3000 ask *=0", "6100 ask *=1 /r0=1 h1=1 without h0"}
	if d := cmp.Diff(want, a.said("ask")); d != "" {
		t.Errorf("asks (-want +got)\n%s\nends: %v", d, a.ends())
	}
	c := a.Grant(0, 0, resource.R(2048, 1))
	a.Run(12_000)
	if r := a.Container(c.ID.N); r.Started == record.None || r.Registered != record.None || r.Ended == record.None {
		t.Errorf("the executor on the excluded host: %+v, want started, refused and ended", r)
	}
	if got := a.Master.ExitStatus(c.ID.N); got != 1 {
		t.Errorf("it ends with status %d, want 1", got)
	}
}

// The exclusion of a host ends with the first offer after its time, also while no task waits: an executor that starts there then is taken.
//
// Source: HealthTracker.applyExcludeOnFailureTimeout, CoarseGrainedSchedulerBackend.DriverEndpoint.onStart.
func TestHostIsExcludedForATime(t *testing.T) {
	first, second := near(stageOf(0, 1, 1000), []int32{0}), stageOf(1, 1, 1000)
	first.Tasks.Retries, second.After = []int32{1}, []int32{0}
	for _, dense := range []bool{false, true} {
		for _, at := range []int64{6000, 12_000} { // of the grant; the host is excluded from 5 s to 11 s
			conf := static(3, "spark.scheduler.minRegisteredResourcesRatio", "0", "spark.excludeOnFailure.enabled", "true", "spark.excludeOnFailure.timeout", "6s",
				"spark.excludeOnFailure.application.maxFailedTasksPerExecutor", "1", "spark.excludeOnFailure.application.maxFailedExecutorsPerNode", "1")
			a := newApp(t, jobOf(delayed(first, 100), delayed(second, 60_000)), setup{conf: conf, recorded: failing(first), dense: dense}).executors(0, 1).register()
			a.Run(at)
			c := a.Grant(0, 0, resource.R(2048, 1))
			a.Run(at + 5000)
			if r := a.Container(c.ID.N); r.Started == record.None || (r.Registered != record.None) != (at > 11_000) {
				t.Errorf("an executor granted on the excluded host at %d: %+v; want it started, and taken when its host is not excluded any more", at, r)
			}
		}
	}
}

// No hint names a host that is excluded, in whichever order they came to be.
func TestHostsExcludedOneAfterTheOther(t *testing.T) {
	excluding := func(id, node int32) trace.Stage {
		st := near(stageOf(id, 1, 1000), []int32{node})
		st.Tasks.Retries = []int32{1}
		return delayed(st, 100)
	}
	first, second, third := excluding(0, 1), excluding(1, 0), delayed(near(stageOf(2, 6, 60_000), all(6, 0, 1, 2)...), 100)
	second.After, third.After = []int32{0}, []int32{1}
	conf := dynamic("spark.dynamicAllocation.initialExecutors", "3", "spark.dynamicAllocation.minExecutors", "3", "spark.excludeOnFailure.enabled", "true",
		"spark.excludeOnFailure.application.maxFailedTasksPerExecutor", "1", "spark.excludeOnFailure.application.maxFailedExecutorsPerNode", "1")
	a := newApp(t, jobOf(first, second, third), setup{conf: conf, recorded: failing(first, second, third)}).executors(1, 0, 2).register()
	a.Run(20_000)
	want := []string{"0 ask *=3", "3000 ask *=0", "14100 ask *=1 /r1=1 h2=1 without h0 without h1", "15100 ask *=3 /r1=3 h2=3"}
	if d := cmp.Diff(want, a.said("ask")); d != "" {
		t.Errorf("asks (-want +got)\n%s", d)
	}
}

// The application master may hear of the end of a container before the executor in it has registered, as its process is not gone yet. The driver knows nothing of that
// executor and takes it: it gets tasks, until its process ends.
//
// Source: CoarseGrainedSchedulerBackend.removeExecutor, receiveAndReply (RegisterExecutor).
func TestRegistrationOfAnExecutorThatIsGone(t *testing.T) {
	m := instant()
	m.ExecutorStartMS = 3500
	a := newApp(t, jobOf(stageOf(0, 1, 60_000)), setup{conf: static(1), model: m}).executors(0).register()
	a.KillMS = 2000
	a.Run(2000)
	a.Complete(2, protocol.ExitPreempted) // which the master hears at 3 s; the process has begun at 0 and ends at 4 s
	a.Run(3900)
	if d := cmp.Diff([]string{"3500 0.0 ex1 NO_PREF"}, a.launches()); d != "" {
		t.Errorf("launches (-want +got)\n%s", d)
	}
	a.Run(10_000)
	if d := cmp.Diff([]string{"4000 0.0 lost"}, a.ends()); d != "" || a.d.ready != 0 {
		t.Errorf("%d executors, want none; ends (-want +got)\n%s", a.d.ready, d)
	}
}
