package driver

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"replay/engine/model"
	"replay/engine/protocol"
	"replay/engine/record"
	"replay/trace"
)

// The pauses of the loop double from 200 ms to the heartbeat interval while something is asked for; then they are long. No more than half
// the time after which YARN gives a master up.
//
// Source: ApplicationMaster.allocationThreadImpl.
func TestHeartbeats(t *testing.T) {
	cases := []struct {
		name   string
		conf   map[string]string
		expiry int64
		grant  int64 // when the one executor comes
		want   []int64
	}{
		{"nothing comes", nil, 0, -1, []int64{0, 200, 600, 1400, 3000, 6000, 9000, 12_000}},
		{"an executor comes at 1 s", nil, 0, 1000, []int64{0, 200, 600, 1400, 4400, 7400, 10_400}},
		{"intervals of its own", keys([]string{"spark.yarn.scheduler.heartbeat.interval-ms", "5s", "spark.yarn.scheduler.initial-allocation.interval", "1s"}), 0, 5000,
			[]int64{0, 1000, 3000, 7000, 12_000}},
		{"a short patience of YARN's", nil, 1000, -1, []int64{0, 200, 600, 1100, 1600, 2100}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			conf := static(1)
			for k, v := range c.conf {
				conf[k] = v
			}
			for _, dense := range []bool{true, false} {
				a := newApp(t, jobOf(stageOf(0, 1, 1_000_000)), setup{conf: conf, expiry: c.expiry, dense: dense}).register()
				if c.grant >= 0 {
					a.Run(c.grant)
					a.executors(0)
				}
				a.Run(c.want[len(c.want)-1])
				a.Master.Finish()
				if d := cmp.Diff(c.want, a.Beats); d != "" && dense {
					t.Errorf("heartbeats (-want +got)\n%s", d)
				}
				if !dense && (len(a.Beats) > 3 || !subset(a.Beats, c.want)) {
					t.Errorf("heartbeats at %v are executed, want few of %v", a.Beats, c.want)
				}
				if a.Counted() != len(c.want)-1 {
					t.Errorf("dense %t: %d heartbeats are counted, want %d: all but the registration's", dense, a.Counted(), len(c.want)-1)
				}
			}
		})
	}
}

func subset(some, all []int64) bool {
	return !slices.ContainsFunc(some, func(t int64) bool { return !slices.Contains(all, t) })
}

// A target that changes ends the pause at once, and the short pauses begin again; so does a question for the reason of a loss, whatever the answer.
//
// Source: ApplicationMaster.resetAllocatorInterval.
func TestHeartbeatIsWoken(t *testing.T) {
	t.Run("by a target", func(t *testing.T) {
		a := newApp(t, jobOf(delayed(stageOf(0, 9, 1_000_000), 4050)), setup{dense: true, conf: dynamic("spark.dynamicAllocation.schedulerBacklogTimeout", "60s")}).register()
		a.Run(7500)
		// The manager's first tick after the stage raises the target.
		if d := cmp.Diff([]int64{0, 3000, 4100, 4300, 4700, 5500, 7100}, a.Beats); d != "" {
			t.Errorf("heartbeats (-want +got)\n%s", d)
		}
	})
	t.Run("by a question", func(t *testing.T) {
		m := instant()
		m.DisconnectMS = 10
		a := newApp(t, jobOf(stageOf(0, 1, 1_000_000)), setup{dense: true, conf: static(2), model: m}).executors(0, 1).register()
		a.Run(4000)
		a.FailNode(0)
		a.Run(6000)
		if d := cmp.Diff([]int64{0, 3000, 4010, 4210, 4610, 5410}, a.Beats); d != "" {
			t.Errorf("heartbeats (-want +got)\n%s", d)
		}
	})
	t.Run("by a question that it answers at once", func(t *testing.T) {
		m := instant()
		m.DisconnectMS = 5000
		a := newApp(t, jobOf(near(stageOf(0, 1, 1_000_000), []int32{0})), setup{dense: true, conf: dynamic("spark.dynamicAllocation.initialExecutors", "2", "spark.dynamicAllocation.executorIdleTimeout", "1000s"), model: m}).executors(0, 1).register()
		a.Run(4000)
		if got := a.asked().kill([]int32{1, 2}, false); !slices.Equal(got, []int32{2}) {
			t.Fatalf("killed %v, want 2, as 1 is busy", got)
		}
		a.Run(15_000) // its container is given back at 6 s, the application master hears of its end at 9 s, the driver notices at 11 s
		if d := cmp.Diff([]int64{0, 0, 3000, 6000, 9000, 11_000, 14_000}, a.Beats); d != "" {
			t.Errorf("heartbeats (-want +got)\n%s", d)
		}
	})
}

// A pause that was ended does not end once more, also when the heartbeat in its place was the last one.
func TestPauseThatWasEnded(t *testing.T) {
	m := instant()
	m.DriverStopMS = 60_000
	a := newApp(t, jobOf(delayed(stageOf(0, 1, 1000), 500_000)), setup{conf: static(1), model: m}).executors(0).register()
	a.Run(500) // the next heartbeat is due at 3 s
	a.Refusal = errors.New("no more")
	a.asked().wake()
	a.Run(50_000)
	if d := cmp.Diff([]int64{0, 500}, a.Beats); d != "" || a.Counted() != 1 {
		t.Errorf("%d heartbeats counted, want 1: that of the registration is not; times (-want +got)\n%s", a.Counted(), d)
	}
}

// Source: YarnSchedulerBackend.handleExecutorDisconnectedFromDriver, YarnAllocator.enqueueGetLossReasonRequest.
func TestReasonOfALoss(t *testing.T) {
	cases := []struct {
		name string
		lose func(*app)
		want []string // how the task's attempts end
	}{
		{"the master hears of it with its next heartbeat", func(a *app) { a.Crash(2, 1) }, []string{"1010 0.0 lost"}},
		{"it has heard before the driver asks", func(a *app) { a.Crash(2, 1); a.asked().wake() }, []string{"1000 0.0 lost"}},
		{"it hears when the node is found lost", func(a *app) {
			a.FailNode(0)
			a.Run(2000)
			a.LoseNode(0)
		}, []string{"2410 0.0 lost"}},
		{"nobody answers within the timeout", func(a *app) { a.FailNode(0) }, []string{"31010 0.0 lost"}},
		{"the answer comes after the timeout", func(a *app) {
			a.FailNode(0)
			a.Run(40_000)
			a.LoseNode(0)
		}, []string{"31010 0.0 lost"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			m := instant()
			m.DisconnectMS = 10
			a := newApp(t, jobOf(stageOf(0, 1, 1_000_000)), setup{conf: static(2, "spark.rpc.askTimeout", "30s"), model: m}).executors(0).register()
			a.Run(1000)
			c.lose(a)
			a.Run(60_000)
			if d := cmp.Diff(c.want, a.ends()); d != "" {
				t.Errorf("ends of attempts (-want +got)\n%s", d)
			}
			if a.d.ready != 0 {
				t.Errorf("%d executors are registered, want none", a.d.ready)
			}
		})
	}
}

// A container that is taken away while its executor starts leaves an executor that the master knows nothing of: when it goes, the
// driver takes the application to be the cause.
//
// Source: YarnAllocator.updateInternalState, YarnSchedulerBackend.handleExecutorDisconnectedFromDriver.
func TestReasonThatNobodyKnows(t *testing.T) {
	m := instant()
	m.NMStartMS, m.DisconnectMS = 5000, 10
	a := newApp(t, jobOf(stageOf(0, 1, 1_000_000)), setup{conf: static(1, "spark.task.maxFailures", "1"), model: m}).executors(0).register()
	a.Run(100)
	a.Complete(2, protocol.ExitPreempted) // which the master hears at 3 s
	a.Run(8000)
	a.Crash(2, 143)
	a.Run(8010)
	if d := cmp.Diff([]string{"8010 0.0 lost"}, a.ends()); d != "" {
		t.Errorf("ends (-want +got)\n%s", d)
	}
	if a.Outcome == nil {
		t.Errorf("log %v, want the application ended by the failure of its task", a.Log)
	}
}

// A NodeManager is called by one thread of the launcher pool at a time.
//
// Source: YarnAllocator.launcherPool.
func TestLauncherPool(t *testing.T) {
	m := instant()
	m.NMStartMS, m.ExecutorStartMS = 50, 1000
	a := newApp(t, jobOf(delayed(stageOf(0, 5, 1000), 600_000)), setup{conf: static(5, "spark.yarn.containerLauncherMaxThreads", "2"), model: m}).register()
	a.executors(0, 1, 2).Run(210)
	a.executors(3, 0).Run(3000)
	want := []string{"200 start 2 at 250", "200 start 3 at 250", "200 start 4 at 300", "600 start 5 at 650", "600 start 6 at 650"}
	if d := cmp.Diff(want, a.said("start")); d != "" {
		t.Errorf("calls (-want +got)\n%s", d)
	}
	for c, want := range map[int64]int64{2: 1250, 4: 1300, 5: 1650} {
		if got := a.Container(c).Registered; got != want {
			t.Errorf("the executor in container %d is ready at %d ms, want %d", c, got, want)
		}
	}
	if got := a.Job().FirstRegistered; got != 1250 {
		t.Errorf("the first executor is ready at %d ms, want 1250", got)
	}
}

// One thread starts executors one after the other.
func TestLauncherPoolOfOneThread(t *testing.T) {
	m := instant()
	m.NMStartMS = 50
	a := newApp(t, jobOf(stageOf(0, 1, 1000)), setup{conf: static(2, "spark.yarn.containerLauncherMaxThreads", "1"), model: m}).executors(0, 1).register()
	a.Run(3000)
	if d := cmp.Diff([]string{"0 start 2 at 50", "0 start 3 at 100"}, a.said("start")); d != "" {
		t.Errorf("calls (-want +got)\n%s", d)
	}
}

// The switch of Spark's tests changes nothing: executors are launched.
func TestExecutorsAreLaunched(t *testing.T) {
	a := newApp(t, jobOf(stageOf(0, 1, 20_000)), setup{conf: static(2, "spark.yarn.launchContainers", "false")}).executors(0, 1).register()
	a.Run(10_000)
	if d := cmp.Diff([]string{"0 ask *=2", "3000 ask *=0"}, a.said("ask")); d != "" {
		t.Errorf("asks (-want +got)\n%s", d)
	}
	if running, starting := a.asked().alloc.Executors(0); running != 2 || starting != 0 {
		t.Errorf("%d executors run and %d start, want 2 and 0", running, starting)
	}
}

// A start that no node answers gives the container back and frees its place: another one is asked for.
//
// Source: YarnAllocator.runAllocatedContainers.
func TestStartThatFails(t *testing.T) {
	m := instant()
	m.NMStartMS = 50
	a := newApp(t, jobOf(stageOf(0, 1, 1000)), setup{conf: static(1), model: m}).executors(0).register()
	a.Run(20)
	a.FailNode(0)
	a.Run(3000)
	if d := cmp.Diff([]string{"0 ask *=1", "0 start 2 at 50", "3000 ask *=1 release 2"}, a.Log); d != "" {
		t.Errorf("log (-want +got)\n%s", d)
	}
}

// The end of an application: it unregisters, its executors are told to stop, its master's process ends last. No heartbeat
// follows, which the host would not take.
//
// Source: ApplicationMaster.unregister, YarnSchedulerBackend.stop.
func TestEndOfApplication(t *testing.T) {
	m := model.DefaultModel()
	m.DriverStopMS, m.KillMS, m.StopMS = 6, 57, 354
	cases := []struct {
		name string
		tail int64
		fail bool
		want []string
	}{
		{"after the model's time", trace.Unset, false, []string{"1006 unregister", "1006 end 2 at 1063", "1006 end 3 at 1063", "1006 end of the master at 1360"}},
		{"after the time of its own code", 5000, false, []string{"6000 unregister", "6000 end 2 at 6057", "6000 end 3 at 6057", "6000 end of the master at 6354"}},
		{"at once without any", 0, false, []string{"1000 unregister", "1000 end 2 at 1057", "1000 end 3 at 1057", "1000 end of the master at 1354"}},
		{"a failure waits for no code", 5000, true, []string{"506 unregister: no more", "506 end 2 at 563", "506 end 3 at 563", "506 end of the master at 860"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			m.NMStartMS, m.ExecutorStartMS, m.DispatchMS, m.DeserializeMS, m.StatusMS, m.ResultMS = 0, 0, 0, 0, 0, 0
			j := jobOf(stageOf(0, 1, 1000))
			j.TailMS = c.tail
			a := newApp(t, j, setup{conf: static(2), model: &m}).executors(0, 1).register()
			a.Run(500)
			a.Log = nil
			if c.fail {
				a.d.Fail("no more")
				a.d.Fail("once again")
			}
			if a.d.Stopping() != c.fail {
				t.Errorf("stopping %v, want %v", a.d.Stopping(), c.fail)
			}
			a.Run(20_000)
			if d := cmp.Diff(c.want, a.said("unregister", "end")); d != "" {
				t.Errorf("log (-want +got)\n%s", d)
			}
			if !a.d.Stopping() {
				t.Error("an application that has ended does not say that it stops")
			}
			if c.tail > 0 && !c.fail && a.Until < 6000 {
				t.Errorf("work goes on until %d, want 6000 at least: the code works", a.Until)
			}
		})
	}
}

// The master's loop ends when it unregisters, or with its process, though it takes a while until YARN has taken it out.
//
// Source: ApplicationMaster.finish (reporterThread.interrupt).
func TestHeartbeatsEndWithTheMaster(t *testing.T) {
	m := instant()
	m.StopMS = 10_000
	for name, end := range map[string]func(*app){
		"it unregisters":   func(a *app) { a.Run(3100); a.asked().wake(); a.Run(3500) },
		"its process ends": func(a *app) { a.Run(3200); a.CrashMaster() },
	} {
		t.Run(name, func(t *testing.T) {
			a := newApp(t, jobOf(stageOf(0, 1, 3400)), setup{conf: static(2), model: m}).executors(0).register()
			end(a)
			counted := a.Counted()
			a.Run(13_000)
			if a.Counted() != counted {
				t.Errorf("%d heartbeats are counted afterwards, want none", a.Counted()-counted)
			}
		})
	}
}

// A failure in the time after the last stage ends the application at once, and once.
func TestFailureAfterLastStage(t *testing.T) {
	m := instant()
	m.DriverStopMS, m.StopMS = 100, 60_000
	j := jobOf(stageOf(0, 1, 1000))
	j.TailMS = 10_000
	a := newApp(t, j, setup{conf: static(1), model: m}).executors(0).register()
	a.Run(5000)
	a.Log = nil
	a.d.Fail("the master gives up")
	a.Run(30_000)
	if d := cmp.Diff([]string{"5000 unregister: the master gives up", "5000 end 2 at 5000", "5000 end of the master at 65000"}, a.Log); d != "" {
		t.Errorf("log (-want +got)\n%s", d)
	}
}

// The driver knows that a decommissioned executor is gone from itself, or from the application master's next heartbeat where it crashes: it asks nobody why,
// and no heartbeat comes early.
//
// Source: CoarseGrainedExecutorBackend.exitExecutor, CoarseGrainedSchedulerBackend.disableExecutor.
func TestDecommissionedExecutorGoes(t *testing.T) {
	for _, c := range []struct {
		name     string
		ms       int64 // of the task that it runs
		crash    bool
		gone     int64
		wakeless bool
	}{
		{"idle", 0, false, 1507, true},
		{"busy for a while", 2000, false, 2507, true},
		{"it crashes", 60_000, true, 3000, true},
		{"another crashes", 0, true, 2070, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := instant()
			m.StatusMS, m.DisconnectMS = 7, 70
			st := near(stageOf(0, 2, c.ms), []int32{0}, []int32{1})
			st.Tasks.DurationMS[1] = 100_000
			if c.ms == 0 {
				st = delayed(near(stageOf(0, 1, 1000), []int32{1}), 100_000)
			}
			a := newApp(t, jobOf(st), setup{conf: static(2), model: m}).executors(0, 1).register()
			a.Run(500)
			crashed := int32(1)
			if a.asked().Decommission(500, []int32{1}); !c.wakeless {
				crashed = 2
			}
			if c.crash {
				a.Run(2000)
				a.Crash(int64(crashed)+1, 1)
			}
			a.Run(c.gone - 1)
			if got := a.d.exec(crashed); got == nil || got.state == execRemoved || got.state == execLost {
				t.Fatalf("the executor is gone before %d ms, in state %v; heartbeats at %v", c.gone, got.state, a.Beats)
			}
			a.Run(c.gone)
			if got := a.d.exec(crashed).state; got != execRemoved {
				t.Errorf("its state is %v at %d ms, want removed; log %v, launches %v, ends %v", got, c.gone, a.Log, a.launches(), a.ends())
			}
			if woken := slices.Contains(a.Beats, 2070); woken == c.wakeless {
				t.Errorf("heartbeats at %v: woken by a question: %v, want %v", a.Beats, woken, !c.wakeless)
			}
		})
	}
}

// An executor that is decommissioned while its application stops is told to stop once.
func TestDecommissionedExecutorAsItsApplicationStops(t *testing.T) {
	m := instant()
	m.KillMS, m.StopMS = 5000, 9000
	a := newApp(t, jobOf(stageOf(0, 1, 1000)), setup{conf: static(1), model: m}).executors(0).register()
	a.Run(500)
	a.asked().Decommission(500, []int32{1})
	a.Run(20_000)
	if d := cmp.Diff([]string{"1000 end 2 at 6000", "1000 end of the master at 10000"}, a.said("end")); d != "" {
		t.Errorf("ends of processes (-want +got)\n%s", d)
	}
}

// An application without stages ends as soon as its code has begun; it has not run anything.
func TestApplicationWithoutStages(t *testing.T) {
	a := newApp(t, jobOf(), setup{conf: static(1)}).register()
	a.Run(1000)
	if a.Outcome == nil || *a.Outcome != "" || len(a.Tasks) > 0 {
		t.Errorf("log %v, want success without tasks", a.Log)
	}
}

// The process of the application master held the driver too: tasks that run are lost work, and executors end when they miss it.
func TestFailureOfTheMastersProcess(t *testing.T) {
	m := instant()
	m.DisconnectMS = 10
	a := newApp(t, jobOf(stageOf(0, 4, 5000)), setup{dense: true, conf: static(2), model: m}).executors(0, 1).register()
	a.Run(7000)
	a.Log = nil
	beats := len(a.Beats)
	a.CrashMaster()
	if d := cmp.Diff([]string{"7000 end 2 at 7010", "7000 end 3 at 7010"}, a.Log); d != "" {
		t.Errorf("log (-want +got)\n%s", d)
	}
	a.Run(8000)
	a.Master.Stop()
	a.Run(60_000)
	if len(a.Beats) > beats || a.Counted() != beats-1 || a.Outcome != nil {
		t.Errorf("%d heartbeats after the process ended, outcome %v, want none", len(a.Beats)-beats, a.Outcome)
	}
	var ends []string
	for _, r := range a.Tasks {
		ends = append(ends, r.End)
	}
	if !slices.Equal(ends, []string{record.TaskSuccess, record.TaskSuccess, record.TaskKilled, record.TaskKilled}) || a.Cores != 0 {
		t.Errorf("attempts end as %v with %d busy cores, want two successes, two killed, none busy", ends, a.Cores)
	}
	if r := a.Job(); r.TaskMS != 10_000 || r.WastedTaskMS != 4000 {
		t.Errorf("%d ms of useful and %d ms of wasted work, want 10000 and 4000", r.TaskMS, r.WastedTaskMS)
	}
}

// An attempt that the ResourceManager takes out does nothing any more, whatever was under way.
func TestStop(t *testing.T) {
	a := newApp(t, jobOf(stageOf(0, 4, 5000)), setup{conf: static(2)}).executors(0, 1).register()
	a.Run(1000)
	a.Master.Stop()
	lines, tasks, counted := len(a.Log), len(a.Tasks), a.Counted()
	a.Run(60_000)
	if a.Counted() != counted {
		t.Errorf("%d heartbeats are counted afterwards", a.Counted()-counted)
	}
	if len(a.Log) > lines || tasks != 2 || len(a.Tasks) > tasks || a.Cores != 0 {
		t.Errorf("afterwards the log goes on as %v, %d tasks were written, then %d, %d cores are busy", a.Log[lines:], tasks, len(a.Tasks), a.Cores)
	}
}

// What runs when the replay ends is written as running.
func TestFinish(t *testing.T) {
	a := newApp(t, jobOf(stageOf(0, 4, 5000)), setup{conf: static(2)}).executors(0, 1).register()
	a.Run(6000)
	a.Master.Finish()
	want := []string{"5000 0.0 success", "5000 0.1 success", "-1 0.2 running", "-1 0.3 running"}
	if d := cmp.Diff(want, a.ends()); d != "" {
		t.Errorf("ends (-want +got)\n%s", d)
	}
}

func TestExitStatus(t *testing.T) {
	const sigterm = 143
	a := newApp(t, jobOf(stageOf(0, 1, 60_000)), setup{conf: static(3)}).executors(0, 1, 2).register()
	a.Run(100)
	a.asked().Decommission(100, []int32{3})
	for c, want := range map[int64]int32{2: sigterm, 3: sigterm, 4: protocol.ExitSuccess, 99: sigterm} {
		if got := a.Master.ExitStatus(c); got != want {
			t.Errorf("container %d ends with %d, want %d", c, got, want)
		}
	}
	a.d.Fail("no more")
	if got := a.Master.ExitStatus(2); got != protocol.ExitSuccess {
		t.Errorf("as the application ends its executor ends with %d, want %d", got, protocol.ExitSuccess)
	}
}

// Source: ApplicationMaster.allocationThreadImpl, ExecutorFailureTracker.
func TestFailuresOfExecutorsEndTheApplication(t *testing.T) {
	a := newApp(t, jobOf(stageOf(0, 1, 1_000_000)), setup{conf: static(3, "spark.executor.maxNumFailures", "2", "spark.task.maxFailures", "9")}).executors(0, 1, 2).register()
	a.Run(1000)
	a.Crash(2, 1)
	a.Run(20_000)
	if a.Outcome != nil {
		t.Fatalf("one failure ends the application: %v", a.Log)
	}
	a.Crash(3, 1)
	a.Run(40_000)
	if a.Outcome == nil || !strings.Contains(*a.Outcome, "executor failures") {
		t.Errorf("two failures: log %v, want the end of the application", a.Log)
	}
	if last := a.Beats[len(a.Beats)-1]; last != 20_000 || !strings.HasPrefix(a.said("unregister")[0], "20200 ") {
		t.Errorf("log %v, the last heartbeat at %d, want the end in place of the one that follows", a.Log, last)
	}
}

// The loop looks at failures before each of its calls. The first call is made before there is a loop: an application that may have no failure, or no node, ends right behind it.
//
// Source: ApplicationMaster.createAllocator, allocationThreadImpl, YarnAllocatorNodeHealthTracker.isAllNodeExcluded.
func TestFirstCallIsMadeBeforeFailuresAreLookedAt(t *testing.T) {
	for _, c := range []struct{ key, value, reason string }{
		{"spark.executor.maxNumFailures", "0", "executor failures"},
		{"spark.yarn.exclude.nodes", "h0,h1,h2,h3", "nodes are excluded"},
	} {
		t.Run(c.key, func(t *testing.T) {
			a := newApp(t, jobOf(stageOf(0, 1, 1000)), setup{conf: static(2, c.key, c.value)}).executors(0, 1).register()
			if len(a.Beats) != 1 || a.Beats[0] != 0 || len(a.said("ask")) == 0 {
				t.Errorf("heartbeats %v, log %v, want one call that asks for executors", a.Beats, a.Log)
			}
			a.Run(1000)
			if a.Outcome == nil || !strings.Contains(*a.Outcome, c.reason) || len(a.Beats) != 1 {
				t.Errorf("heartbeats %v, log %v, want the end of the application behind the first call", a.Beats, a.Log)
			}
		})
	}
}

// An attempt that fails unregisters only when it is the last one that its application master knows of; else its process ends with what went
// wrong, and YARN begins the next. In client mode that the code fails is no failure of the application master.
//
// Source: ApplicationMaster.run (shutdown hook), YarnRMClient.getMaxRegAttempts.
func TestFailureIsTriedAgain(t *testing.T) {
	code := func(a *app) { a.d.fail("no more", exitUserClass) }
	own := func(a *app) { a.d.Fail("no more") }
	executors := func(a *app) { a.Crash(2, 1) }
	for _, c := range []struct {
		name     string
		number   int // of the attempt
		allowed  int // by YARN
		asked    string
		client   bool
		fail     func(*app)
		again    bool
		exit     int32
		inReason string
	}{
		{"the first of two", 1, 2, "", false, code, true, 15, "no more"},
		{"the last", 2, 2, "", false, code, false, 15, "no more"},
		{"one is asked for", 1, 2, "1", false, code, false, 15, "no more"},
		{"two are asked for", 2, 4, "2", false, code, false, 15, "no more"},
		{"more are asked for than YARN allows to those that ask for none", 2, 2, "5", false, code, false, 15, "no more"},
		{"executors fail", 1, 2, "", false, executors, true, 11, "executor failures"},
		{"executors fail in the last", 2, 2, "", false, executors, false, 11, "executor failures"},
		{"client mode, the code fails", 1, 2, "", true, code, false, 0, "no more"},
		{"client mode, executors fail", 1, 2, "", true, executors, true, 11, "executor failures"},
		{"client mode, the master fails", 1, 2, "", true, own, true, 10, "no more"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := setup{conf: static(2, "spark.executor.maxNumFailures", "1", "spark.submit.deployMode", "cluster"), attempts: c.allowed}
			if c.asked != "" {
				s.conf["spark.yarn.maxAppAttempts"] = c.asked
			}
			if c.client {
				s.conf["spark.submit.deployMode"] = "client"
			}
			a := newApp(t, jobOf(stageOf(0, 1, 1_000_000)), s).executors(0, 1)
			a.Number = c.number
			a.register()
			a.Run(1000)
			c.fail(a)
			a.Run(10_000)
			said := a.said("unregister", "fails")
			if len(said) != 1 || strings.Contains(said[0], " fails: ") != c.again || !strings.Contains(said[0], c.inReason) || len(a.said("end of the master")) != 1 {
				t.Errorf("log %v, want that the process of the master ends because of %q, and that it unregisters: %v", a.Log, c.inReason, !c.again)
			}
			if got := a.Master.ExitStatus(1); got != c.exit {
				t.Errorf("the process of the master returns %d, want %d", got, c.exit)
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	t.Run("a heartbeat that is refused", func(t *testing.T) {
		a := newApp(t, jobOf(near(stageOf(0, 1, 1_000_000), []int32{0})), setup{conf: dynamic("spark.dynamicAllocation.minExecutors", "2")}).executors(0).register()
		a.Refusal = errors.New("invalid ask")
		a.Run(1000)
		if a.Outcome == nil || *a.Outcome != "invalid ask" || len(a.Beats) != 2 {
			t.Errorf("log %v, %d heartbeats, want the refusal of the second one", a.Log, len(a.Beats))
		}
		if r := a.Container(2); r.Match != record.NoPreference { // the answer before it is not handled again
			t.Errorf("the container that the first one brought is %v", r.Match)
		}
	})
	t.Run("a barrier stage with dynamic allocation", func(t *testing.T) {
		a := newApp(t, jobOf(changed(stageOf(0, 1, 1000), func(st *trace.Stage) { st.Kind = trace.StageGang })), setup{conf: dynamic()}).register()
		a.Run(1000)
		if a.Outcome == nil || !strings.Contains(*a.Outcome, "barrier") {
			t.Errorf("log %v, want the barrier stage refused", a.Log)
		}
	})
}
