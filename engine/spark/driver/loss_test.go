package driver

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"replay/engine/master"
	"replay/engine/protocol"
	"replay/engine/record"
	"replay/policy/resource"
)

// A process that ends takes with it what it has not done; what it had reported is on its way and arrives, whatever the driver
// has heard of its connection by then.
func TestTasksOfAnExecutorThatDies(t *testing.T) {
	cases := []struct {
		name             string
		died             int64
		status, result   int64 // latencies
		want, wantSecond string
	}{
		{"before the end of its task", 950, 0, 0, "1050 0.0 lost", "2050 0.0 success"},
		{"in the millisecond of its end", 1000, 0, 0, "1000 0.0 success", ""},
		{"with its end on the way", 1010, 20, 0, "1020 0.0 success", ""},
		{"with its result in the making, but gone when that is handled", 1010, 20, 300, "1110 0.0 lost", "2430 0.0 success"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			m := instant()
			m.DisconnectMS, m.StatusMS, m.ResultMS = 100, c.status, c.result
			a := newApp(t, jobOf(delayed(near(stageOf(0, 1, 1000), []int32{0}), 0)), setup{racks: []int32{0, 0}, conf: static(2, "spark.rpc.askTimeout", "9s"), model: m}).executors(0, 1).register()
			a.Run(100)
			a.End(2, c.died)
			a.Run(20_000)
			want := []string{c.want}
			if c.wantSecond != "" {
				want = append(want, c.wantSecond)
			}
			if d := cmp.Diff(want, a.ends()); d != "" {
				t.Errorf("ends (-want +got)\n%s", d)
			}
			if a.Cores != 0 || a.Outcome == nil || *a.Outcome != "" {
				t.Errorf("%d cores are busy in the end, log %v, want none and success", a.Cores, a.Log)
			}
		})
	}
}

// A loss by the application is held against tasks that the driver has heard to be running, not against those on their way there.
// Here a task launched at 0 begins at 30 ms, and the driver hears so at 50 ms.
//
// Source: TaskSetManager.executorLost (TaskInfo.launching).
func TestLossesHeldAgainstRunningTasks(t *testing.T) {
	cases := []struct {
		name             string
		died, disconnect int64
		want             bool
	}{
		{"it was heard to run", 40, 10, true},
		{"not yet", 39, 10, false},
		{"it had not begun", 29, 100, false},
		{"it had just begun", 30, 100, true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			m := instant()
			m.DispatchMS, m.StatusMS, m.DisconnectMS = 30, 20, c.disconnect
			a := newApp(t, jobOf(stageOf(0, 1, 1000)), setup{conf: static(2, "spark.task.maxFailures", "1"), model: m}).executors(0).register()
			a.Run(0)
			a.End(2, c.died)
			a.Run(2000)
			if failed := a.Outcome != nil; failed != c.want || len(a.Tasks) != 1 || a.Tasks[0].End != record.TaskLost {
				t.Errorf("the application ended: %v, want %v; ends %v", failed, c.want, a.ends())
			}
		})
		t.Run(c.name+", the master's word comes first", func(t *testing.T) {
			m := instant()
			m.DispatchMS, m.StatusMS = 30, 20
			a := newApp(t, jobOf(stageOf(0, 1, 1000)), setup{conf: static(2, "spark.task.maxFailures", "1"), model: m}).executors(0).register()
			a.KillMS = 5000
			a.Run(c.died + c.disconnect)
			a.Complete(2, protocol.ExitKilledPMem)
			a.asked().wake()
			a.Run(2000)
			if heard := c.died+c.disconnect >= 50; (a.Outcome != nil) != heard || len(a.Tasks) != 1 || a.Tasks[0].End != record.TaskLost {
				t.Errorf("the application ended: %v, want %v; ends %v", a.Outcome != nil, heard, a.ends())
			}
		})
	}
}

// All tasks that run on an executor are lost with it, whichever of them has ended before.
func TestTasksLeftOnAnExecutorThatDies(t *testing.T) {
	for first := range 3 {
		st := stageOf(0, 3, 5000)
		st.Tasks.DurationMS[first] = 1000
		j := jobOf(st)
		j.ExecVCores = 3
		a := newApp(t, j, setup{conf: static(1)}).register()
		a.Grant(0, 0, resource.R(2048, 3))
		a.Run(3000)
		a.Crash(2, 1)
		a.Run(20_000)
		ends := map[string]int{}
		for _, r := range a.Tasks {
			ends[r.End]++
		}
		if ends[record.TaskSuccess] != 1 || ends[record.TaskLost] != 2 || a.Cores != 0 {
			t.Errorf("task %d ends first: %v, %d cores are busy, want one success, two lost, none busy", first, a.ends(), a.Cores)
		}
	}
}

// Until the driver knows of a loss, tasks are launched that read from what is gone.
func TestOutputBetweenALossAndItsNews(t *testing.T) {
	cases := []struct {
		name    string
		service string
		lose    func(*app)
		want    string // end of task 4, launched at 3.5 s by executor 2
	}{
		{"the process held it", "false", func(a *app) { a.Crash(2, 1) }, "3550 1.4 failed"},
		{"the shuffle service serves it", "true", func(a *app) { a.Crash(2, 1) }, "4500 1.4 success"},
		{"the shuffle service is gone with the node", "true", func(a *app) { a.FailNode(0) }, "3550 1.4 failed"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			m := instant()
			m.DisconnectMS, m.FetchFailMS = 100, 50
			a := newApp(t, jobOf(delayed(stageOf(0, 2, 1000), 500), stageOf(1, 6, 1000, 0)), setup{conf: static(2, "spark.shuffle.service.enabled", c.service), model: m}).executors(0, 1).register()
			a.Run(3450)
			c.lose(a)
			a.Run(4500)
			if got := strings.Join(a.ends(), ", "); !strings.Contains(got, c.want) {
				t.Errorf("ends %s, want %s", got, c.want)
			}
		})
	}
}

// The scheduler of stages hears of a loss before the reason is known: a stage that is submitted then has its lost input computed first.
//
// Source: TaskSchedulerImpl.executorLost (LossReasonPending), DAGScheduler.handleExecutorLost.
func TestLossBeforeItsReasonIsKnown(t *testing.T) {
	a := newApp(t, jobOf(stageOf(0, 2, 1000), delayed(stageOf(1, 1, 1000, 0), 2000)), setup{conf: static(2, "spark.network.timeout", "100s")}).executors(0, 1).register()
	a.Run(1500)
	a.FailNode(0)
	a.Run(20_000)
	if d := cmp.Diff([]string{"3000 0.0 ex2 NO_PREF", "4000 1.0 ex2 NO_PREF"}, a.launches()[2:]); d != "" {
		t.Errorf("launches after the loss (-want +got)\n%s", d)
	}
}

// An executor whose process ends while it starts, or as its application stops, never registers.
func TestExecutorsThatNeverRegister(t *testing.T) {
	m := instant()
	m.ExecutorStartMS, m.DriverStopMS = 1000, 5000
	t.Run("its process failed", func(t *testing.T) {
		a := newApp(t, jobOf(stageOf(0, 1, 1000)), setup{conf: static(1), model: m}).executors(0).register()
		a.Run(500)
		a.Crash(2, 1)
		a.Run(20_000)
		if r := a.Container(2); r.Registered != record.None || a.d.ready != 0 || len(a.launched) > 0 {
			t.Errorf("container %+v, %d executors, launches %v, want none", r, a.d.ready, a.launches())
		}
		if d := cmp.Diff([]string{"0 ask *=1", "3000 ask *=0", "6000 ask *=1"}, a.said("ask")); d != "" {
			t.Errorf("asks (-want +got)\n%s", d)
		}
	})
	t.Run("its application stops", func(t *testing.T) {
		a := newApp(t, jobOf(stageOf(0, 1, 1000)), setup{conf: static(1), model: m}).executors(0).register()
		a.Run(500)
		a.d.Fail("no more")
		a.Run(4000)
		if r := a.Container(2); r.Registered != record.None || len(a.launched) > 0 {
			t.Errorf("container %+v, launches %v, want none", r, a.launches())
		}
	})
}

// An executor that is given back is gone for the driver when its connection drops: the reason comes with the master's next heartbeat,
// or was known by then.
//
// Source: YarnAllocator.processCompletedContainers (releasedExecutorLossReasons).
func TestExecutorsThatAreGivenBack(t *testing.T) {
	for _, c := range []struct {
		name         string
		kill, killed int64 // latency, and when the driver has heard
	}{
		{"its process ends before the master hears of its container", 50, 3060},
		{"it ends when the master has heard", 5000, 8010},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := instant()
			m.DisconnectMS = 10
			a := newApp(t, jobOf(delayed(stageOf(0, 1, 1000), 600_000)), setup{conf: static(2, "spark.network.timeout", "1000s"), model: m}).executors(0, 1).register()
			a.KillMS = c.kill
			a.Run(1000)
			a.asked().kill([]int32{1}, false)
			a.Run(c.killed - 1)
			if a.d.ready != 2 {
				t.Errorf("%d executors before %d ms, want 2", a.d.ready, c.killed)
			}
			a.Run(c.killed)
			if a.d.ready != 1 || a.d.execs[1].state != execRemoved {
				t.Errorf("%d executors at %d ms, want 1", a.d.ready, c.killed)
			}
		})
	}
}

// A host whose only executor is decommissioned is waited for no more: tasks that prefer it start elsewhere at once.
//
// Source: TaskSchedulerImpl.executorDecommission, TaskSetManager.executorDecommission.
func TestDecommissionedHostIsNotWaitedFor(t *testing.T) {
	a := newApp(t, jobOf(delayed(near(stageOf(0, 2, 5000), all(2, 0)...), 100)), setup{racks: []int32{0, 0}, conf: static(2, "spark.locality.wait", "60s")}).executors(0, 1).register()
	a.Run(300)
	a.asked().Decommission(300, []int32{1})
	a.Run(900)
	if d := cmp.Diff([]string{"100 0.0 ex1 NODE_LOCAL", "300 0.1 ex2 RACK_LOCAL"}, a.launches()); d != "" {
		t.Errorf("launches (-want +got)\n%s", d)
	}
}

// What a map task has written on an executor that is decommissioned is written again while its stage runs, with the shuffle service too, unless
// shuffle blocks move to an executor on another host before.
//
// Source: TaskSetManager.executorLost (isShuffleMapOutputAvailable), BlockManagerDecommissioner.
func TestOutputOnADecommissionedExecutor(t *testing.T) {
	for _, c := range []struct {
		name  string
		nodes []int32 // of the two executors
		conf  []string
		next  string // launched when the long task has ended
	}{
		{"left where they are", []int32{0, 1}, nil, "5100 0.0 ex1 NO_PREF"},
		{"moved", []int32{0, 1}, []string{"spark.storage.decommission.enabled", "true"}, "5100 1.0 ex1 NO_PREF"},
		{"moved, but no shuffle blocks", []int32{0, 1}, []string{"spark.storage.decommission.enabled", "true", "spark.storage.decommission.shuffleBlocks.enabled", "false"}, "5100 0.0 ex1 NO_PREF"},
		{"moved to the same host", []int32{0, 0}, []string{"spark.storage.decommission.enabled", "true"}, "5100 0.0 ex1 NO_PREF"},
	} {
		t.Run(c.name, func(t *testing.T) {
			maps := delayed(stageOf(0, 2, 1000), 100)
			maps.Tasks.DurationMS[1] = 5000
			a := newApp(t, jobOf(maps, stageOf(1, 1, 100, 0)), setup{racks: []int32{0, 0}, conf: dynamic(append(c.conf, "spark.decommission.enabled", "true",
				"spark.dynamicAllocation.initialExecutors", "2", "spark.dynamicAllocation.executorIdleTimeout", "1000s")...)}).executors(c.nodes...).register()
			a.Run(1500)
			if got := a.asked().Decommission(1500, []int32{2}); len(got) != 1 {
				t.Fatalf("decommissioned %v, want 2", got)
			}
			a.Run(5500)
			if d := cmp.Diff([]string{"100 0.0 ex2 NO_PREF", "100 0.1 ex1 NO_PREF", c.next}, a.launches()); d != "" {
				t.Errorf("launches (-want +got)\n%s", d)
			}
		})
	}
}

// A lost executor that the driver gives back, as it runs nothing any more: the loss is not the application's.
func TestLostExecutorThatIsGivenBack(t *testing.T) {
	a := newApp(t, jobOf(delayed(near(stageOf(0, 1, 20_000), []int32{0}), 100)), setup{conf: static(2, "spark.task.maxFailures", "1", "spark.rpc.askTimeout", "5s")}).executors(0, 1).register()
	a.Run(200)
	a.FailNode(0)
	a.Run(300)
	if got := a.asked().kill([]int32{1}, false); len(got) != 1 {
		t.Fatalf("killed %v, want the lost executor", got)
	}
	a.Run(60_000)
	if a.Outcome == nil || *a.Outcome != "" {
		t.Errorf("log %v, want success: the task's loss is no failure", a.Log)
	}
}

// A busy executor that the driver wants gone, and whose process fails before it can be killed: the loss is not the application's.
//
// Source: CoarseGrainedSchedulerBackend.removeExecutor (executorsPendingToRemove).
func TestExecutorThatFailsAsItIsKilled(t *testing.T) {
	for _, killed := range []bool{true, false} {
		a := newApp(t, jobOf(stageOf(0, 1, 20_000)), setup{conf: static(2, "spark.task.maxFailures", "1")}).executors(0, 1).register()
		a.Run(200)
		if killed {
			a.asked().kill([]int32{1}, true)
		}
		a.Crash(2, 1)
		a.Run(60_000)
		if failed := a.Outcome == nil || *a.Outcome != ""; failed == killed {
			t.Errorf("killed by the driver: %v, log %v, want a failed application only when it was not", killed, a.Log)
		}
	}
}

// Tasks that could run nowhere because of exclusion: an idle executor is killed to make room for another; if none comes in time
// the application ends.
//
// Source: TaskSchedulerImpl.resourceOffers (unschedulableTaskSetToExpiryTime).
func TestTasksExcludedEverywhere(t *testing.T) {
	run := func(replace bool) *app {
		st := stageOf(0, 1, 1000)
		st.Tasks.Retries = []int32{1}
		a := newApp(t, jobOf(st), setup{conf: static(1, "spark.excludeOnFailure.enabled", "true", "spark.scheduler.excludeOnFailure.unschedulableTaskSetTimeout", "4s"),
			recorded: failing(st)}).executors(0).register()
		a.Run(3100)
		if replace {
			a.executors(1)
		}
		a.Run(20_000)
		return a
	}
	a := run(false)
	if d := cmp.Diff([]string{"3000 ask *=1 release 2"}, a.said("ask")[1:]); d != "" {
		t.Errorf("asks after the first (-want +got)\n%s", d)
	}
	if a.Outcome == nil || !strings.Contains(*a.Outcome, "may run nowhere") || !strings.HasPrefix(a.said("unregister")[0], "5000 ") {
		t.Errorf("log %v, want the end of the application 4 s after the failure", a.Log)
	}
	if a := run(true); a.Outcome == nil || *a.Outcome != "" {
		t.Errorf("log %v, want success on the second executor", a.Log)
	}
}

// A failure of the application ends what goes on: no task is launched, no result handled and no heartbeat sent while it stops; what
// ran is written as killed.
func TestFailureStopsEverything(t *testing.T) {
	m := instant()
	m.DriverStopMS, m.ResultMS = 5000, 10
	a := newApp(t, jobOf(stageOf(0, 9, 1000)), setup{conf: static(2), model: m}).executors(0, 1).register()
	a.Run(1005) // two tasks have reported their end, two more run
	beats := len(a.Beats)
	a.d.Fail("no more")
	a.Run(5900)
	if len(a.launched) != 4 || a.Job().TasksSucceeded != 0 || len(a.Beats) != beats {
		t.Errorf("%d launches, %d tasks done, %d heartbeats, want 4, 0 and %d", len(a.launched), a.Job().TasksSucceeded, len(a.Beats), beats)
	}
	counted := a.Counted()
	a.Run(60_000)
	if d := cmp.Diff([]string{"6005 0.0 killed", "6005 0.1 killed", "6005 0.2 killed", "6005 0.3 killed"}, a.ends()); d != "" {
		t.Errorf("ends (-want +got)\n%s", d)
	}
	if a.Counted() != counted || a.Cores != 0 {
		t.Errorf("%d heartbeats are counted after the end, %d cores are busy, want none", a.Counted()-counted, a.Cores)
	}
}

// An offer that was asked for in the millisecond of the failure is not made. Here the wait for node 0 is over at 5.1 s, and the next
// offer of all would come at 6 s.
func TestFailureBeforeAnOffer(t *testing.T) {
	m := instant()
	m.DriverStopMS = 5000
	a := newApp(t, jobOf(delayed(near(stageOf(0, 2, 60_000), all(2, 0)...), 100)), setup{racks: []int32{0, 0}, conf: static(2, "spark.locality.wait", "5s"), model: m}).executors(0, 1).register()
	a.Run(5500)
	a.d.revive()
	a.d.Fail("no more")
	a.Run(9000)
	if d := cmp.Diff([]string{"100 0.0 ex1 NODE_LOCAL"}, a.launches()); d != "" {
		t.Errorf("launches (-want +got)\n%s", d)
	}
}

// An application that fails before its code begins runs none of its stages.
func TestFailureBeforeTheCodeBegins(t *testing.T) {
	m := instant()
	m.DriverStopMS = 60_000
	a := newApp(t, jobOf(stageOf(0, 1, 1000)), setup{conf: static(2, "spark.scheduler.minRegisteredResourcesRatio", "1", "spark.scheduler.maxRegisteredResourcesWaitingTime", "2s"), model: m}).register()
	a.Run(500)
	a.d.Fail("no more")
	a.Run(10_000)
	if n := a.Job().StageAttempts; n != 0 {
		t.Errorf("%d stages were submitted", n)
	}
}

// The wait for executors counts from the registration of the master, whenever that is.
func TestWaitCountsFromRegistration(t *testing.T) {
	a := newApp(t, jobOf(stageOf(0, 1, 1000)), setup{conf: static(2, "spark.scheduler.minRegisteredResourcesRatio", "1", "spark.scheduler.maxRegisteredResourcesWaitingTime", "2s")})
	a.Run(50_000)
	a.register().executors(0).Run(60_000)
	if got := a.Job().FirstTask; got != 52_000 {
		t.Errorf("the first task starts at %d ms, want 2 s after the registration at 50 s", got)
	}
}

// The tasks of an application that has recorded executors are killed when it fails, and no executor comes any more.
func TestFailureWithRecordedExecutors(t *testing.T) {
	m := instant()
	m.DriverStopMS = 1000
	a := withRecorded(t, jobOf(stageOf(0, 3, 5000)), setup{model: m, conf: keys([]string{"spark.task.maxFailures", "1"})},
		recordedOn(1, 0, 0, removed(2000, badNode)), recordedOn(2, 1, 0), recordedOn(3, 2, 2500))
	a.Run(60_000)
	if d := cmp.Diff([]string{"0 bring 2 on h0", "0 bring 3 on h1", "2000 return 2", "3000 unregister: stage 0, attempt 0: a task failed 1 times or may run nowhere", "3000 leave"}, a.Log); d != "" {
		t.Errorf("log (-want +got)\n%s", d)
	}
	if d := cmp.Diff([]string{"2000 0.0 lost", "3000 0.1 killed"}, a.ends()); d != "" {
		t.Errorf("ends (-want +got)\n%s", d)
	}
}

// A task whose executor is preempted each time is work that goes on, until it has begun so often that nobody believes in its end.
func TestTaskThatBeginsForEver(t *testing.T) {
	a := newApp(t, jobOf(stageOf(0, 1, 60_000)), setup{conf: static(1)}).executors(0).register()
	var until []int64
	for n := int64(0); n < master.Repeats+3; n++ {
		at := 20_000 * n
		a.Run(at + 10_000)
		if len(a.launched) != int(n)+1 {
			t.Fatalf("%d launches at %d ms, want %d", len(a.launched), at, n+1)
		}
		until = append(until, a.Until)
		c := a.d.execs[a.launched[n].exec].container
		a.Complete(c, protocol.ExitPreempted)
		a.Crash(c, protocol.ExitPreempted)
		a.Run(at + 16_000) // the master hears of it and asks again
		a.executors(0)
	}
	for n := 1; n < len(until); n++ {
		if more := until[n] > until[n-1]; more != (n < master.Repeats) {
			t.Errorf("launch %d: work goes on until %d, until %d before it", n+1, until[n], until[n-1])
		}
	}
	if got := a.Master.Waits(func(resource.Resource) string { return "" }); got != "0 of its 1 tasks are done; task 0 of stage 0 was started 103 times" {
		t.Errorf("waits: %q", got)
	}
}

// Whether the driver asks why an executor is gone is decided when its connection drops, not when its process ends: of one that was decommissioned meanwhile it asks
// nobody, of one that was decommissioned and has been killed meanwhile it asks.
//
// Source: CoarseGrainedSchedulerBackend.disableExecutor.
func TestDecommissionBetweenAnEndAndItsNotice(t *testing.T) {
	for _, c := range []struct {
		name  string
		do    func(*app)
		asked bool
		gone  int64
	}{
		{"decommissioned", func(a *app) { a.Crash(2, 1); a.asked().Decommission(2000, []int32{1}) }, false, 3000},
		{"decommissioned and killed", func(a *app) {
			a.asked().Decommission(2000, []int32{1})
			a.Crash(2, 1)
			a.asked().kill([]int32{1}, true)
		}, true, 2070},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := instant()
			m.DisconnectMS = 70
			a := newApp(t, jobOf(near(stageOf(0, 2, 100_000), []int32{0}, []int32{1})), setup{dense: true, conf: static(2), model: m}).executors(0, 1).register()
			a.Run(2000)
			c.do(a)
			if a.Run(c.gone - 1); a.d.exec(1).state == execRemoved {
				t.Errorf("it is gone before %d ms", c.gone)
			}
			if a.Run(c.gone); a.d.exec(1).state != execRemoved {
				t.Errorf("state %v at %d ms, want it removed; heartbeats %v", a.d.exec(1).state, c.gone, a.Beats)
			}
			if woken := slices.Contains(a.Beats, 2070); woken != c.asked {
				t.Errorf("heartbeats %v: the driver has asked: %v, want %v", a.Beats, woken, c.asked)
			}
		})
	}
}

// An executor that is gone without a word of its application master is given up when the driver has waited for an answer, or has heard no heartbeat of it for too long: then it
// is killed as well, and another one is asked for. The one here registers at 0 and is gone with its node at 25 s, its last heartbeat comes at 20 s.
//
// Source: HeartbeatReceiver.expireDeadHosts.
func TestSilentExecutor(t *testing.T) {
	const patient = "1h"
	for _, c := range []struct {
		name     string
		ask      string // spark.rpc.askTimeout
		conf     []string
		do       func(*app) // at 24 s
		then     func(*app) // at 26 s
		gone     int64
		released bool
	}{
		{name: "the question is given up first", ask: "120s", gone: 145_000},
		{name: "heartbeats are missed first", ask: patient, gone: 180_000, released: true},
		{name: "with looks more often", ask: patient, conf: []string{"spark.network.timeoutInterval", "1s"}, gone: 141_000, released: true},
		{name: "and fewer heartbeats", ask: patient, conf: []string{"spark.network.timeoutInterval", "1s", "spark.executor.heartbeatInterval", "15s"}, gone: 136_000, released: true},
		{name: "and less patience", ask: patient, conf: []string{"spark.network.timeoutInterval", "1s", "spark.storage.blockManagerHeartbeatTimeoutMs", "70000"}, gone: 91_000, released: true},
		{name: "of one that is decommissioned nobody is asked", ask: "1s", do: func(a *app) { a.asked().Decommission(24_000, []int32{1}) }, gone: 180_000, released: true},
		{name: "one that is decommissioned, gone and then killed", ask: patient, do: func(a *app) { a.asked().Decommission(24_000, []int32{1}) },
			then: func(a *app) { a.asked().kill([]int32{1}, true) }, gone: 180_000, released: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			st := near(stageOf(0, 2, 1_000_000), []int32{0}, []int32{1})
			a := newApp(t, jobOf(st), setup{dense: true, conf: static(2, append([]string{"spark.rpc.askTimeout", c.ask}, c.conf...)...)}).executors(0, 1).register()
			a.Run(24_000)
			if c.do != nil {
				c.do(a)
			}
			a.Run(25_000)
			a.FailNode(0)
			a.Run(26_000)
			if c.then != nil {
				c.then(a)
			}
			if a.Run(c.gone - 1); a.d.exec(1).state == execRemoved {
				t.Errorf("it is gone before %d ms", c.gone)
			}
			if a.Run(c.gone); a.d.exec(1).state != execRemoved {
				t.Errorf("its state is %v at %d ms, want removed", a.d.exec(1).state, c.gone)
			}
			a.Run(c.gone + 10_000)
			released := strings.Contains(strings.Join(a.Log, "\n"), "release 2")
			if released != c.released {
				t.Errorf("log %v; its container is given back: %v, want %v", a.Log, released, c.released)
			}
		})
	}
}

// Of two executors the one whose last heartbeat is older is given up first, although it was gone later.
func TestSilentExecutorsInOrder(t *testing.T) {
	a := newApp(t, jobOf(stageOf(0, 2, 1_000_000)), setup{dense: true, conf: static(2, "spark.rpc.askTimeout", "1h", "spark.network.timeoutInterval", "1s")}).executors(0).register()
	a.Run(17_500)
	a.Grant(1, 0, resource.R(2048, 1)) // comes at 18 s
	a.Run(26_000)
	a.FailNode(0) // heard of at 20 s
	a.Run(27_000)
	a.FailNode(1)
	for _, c := range []struct {
		at     int64
		states [2]executorState
	}{
		{138_000, [2]executorState{execLost, execLost}},
		{139_000, [2]executorState{execLost, execRemoved}},
		{141_000, [2]executorState{execRemoved, execRemoved}},
	} {
		a.Run(c.at)
		if got := [2]executorState{a.d.exec(1).state, a.d.exec(2).state}; got != c.states {
			t.Errorf("states %v at %d ms, want %v; heartbeats %v", got, c.at, c.states, a.Beats)
		}
	}
}
