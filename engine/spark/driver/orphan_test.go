package driver

import (
	"slices"
	"strings"
	"testing"

	"replay/engine/master"
	"replay/engine/spark"
)

// heir registers the application master of the next attempt.
func (a *app) heir() *asked {
	m := a.asked().Heir(&noted{a.Host, a})
	a.Master = &notedMaster{m.(preferring), a}
	if err := a.Master.Register(); err != nil {
		panic(err)
	}
	return a.asked()
}

// The cases of YarnSchedulerBackend and CoarseGrainedSchedulerBackend without an application master, and of the next one's registration.
func TestOrphanedDriver(t *testing.T) {
	client := func(t *testing.T, more ...string) *app {
		c := dynamic(append([]string{"spark.submit.deployMode", "client", "spark.dynamicAllocation.initialExecutors", "3"}, more...)...)
		a := newApp(t, jobOf(stageOf(0, 12, 1_000_000)), setup{conf: c, attempts: 3}).executors(0, 1, 2).register()
		a.Run(5000)
		if got := len(a.launched); got != 3 {
			t.Fatalf("%d tasks were launched, want one on each executor", got)
		}
		return a
	}
	ended := func(a *app, how string) (n int) {
		for _, e := range a.ends() {
			if strings.HasSuffix(e, how) {
				n++
			}
		}
		return n
	}

	t.Run("it goes on, and gets no executors", func(t *testing.T) {
		a := client(t)
		beats := len(a.Beats)
		a.CrashMaster()
		a.Run(60_000)
		x := a.asked()
		if !x.GoesOn() || x.stopping || len(a.Beats) != beats || ended(a, "killed") > 0 {
			t.Errorf("%d heartbeats after %d, ends %v, log %v", len(a.Beats), beats, a.ends(), a.Log)
		}
		if x.RequestTotal(a.Now(), &spark.TotalRequest{}) || x.Kill(a.Now(), []int32{1}) != nil {
			t.Error("a request to nobody is answered")
		}
	})
	t.Run("it takes the application to be the cause of what is lost", func(t *testing.T) {
		a := client(t)
		a.CrashMaster()
		a.Run(6000)
		a.Crash(2, 1)
		a.Run(7000)
		if x := a.asked(); x.exec(1).state != execRemoved || ended(a, "lost") != 1 || x.questioning() {
			t.Errorf("executor 1 is in state %d, ends %v", x.exec(1).state, a.ends())
		}
	})
	t.Run("a question that is open when the connection drops", func(t *testing.T) {
		m := instant()
		m.DisconnectMS = 100
		a := newApp(t, jobOf(stageOf(0, 12, 1_000_000)), setup{conf: dynamic("spark.submit.deployMode", "client", "spark.dynamicAllocation.initialExecutors", "2"), attempts: 3, model: m}).executors(0, 1).register()
		a.Run(5000)
		a.CrashMaster()
		a.Crash(2, 1)
		if a.Run(5099); a.asked().exec(1).state != execAlive {
			t.Error("executor 1 is lost before its connection has dropped")
		}
		if a.Run(6000); a.asked().exec(1).state != execRemoved {
			t.Errorf("executor 1 is in state %d, want it removed", a.asked().exec(1).state)
		}
	})
	t.Run("an idle executor that it would kill gets no more tasks", func(t *testing.T) {
		a := newApp(t, jobOf(stageOf(0, 1, 2000), delayed(stageOf(1, 2, 1000, 0), 120_000)), setup{conf: dynamic("spark.submit.deployMode", "client", "spark.dynamicAllocation.initialExecutors", "2"), attempts: 3}).executors(0, 1).register()
		a.Run(10_000)
		a.CrashMaster()
		a.Run(200_000)
		if x := a.asked(); !x.exec(1).killing || len(a.launched) != 1 {
			t.Errorf("launches %v, want none behind the time-out of idle executors", a.launches())
		}
	})
	t.Run("the next application master", func(t *testing.T) {
		a := client(t, "spark.dynamicAllocation.initialExecutors", "5")
		a.CrashMaster()
		a.Run(20_000)
		old := a.asked()
		old.GoesOn()
		old.question(1, never, true) // of one that is being decommissioned
		a.Number = 2
		x := a.heir()
		if old.questioning() {
			t.Error("the driver waits for an answer of the application master that it had before")
		}
		if n := ended(a, "lost"); n != 3 || x.ready != 0 || x.free != 0 {
			t.Errorf("%d task attempts were lost with their executors, %d executors and %d cores are left, want 3, none and none", n, x.ready, x.free)
		}
		if asks := a.said("ask"); len(asks) == 0 || !strings.HasPrefix(asks[len(asks)-1], "20000 ") {
			t.Errorf("log %v, want that the first heartbeat asks for the initial number of executors", a.Log)
		}
		a.executors(3)
		a.Run(40_000)
		if i := slices.IndexFunc(a.launched, func(r run) bool { return r.launch > 20_000 }); i < 0 || a.launched[i].exec != 4 {
			t.Errorf("launches %v, want some on executor 4", a.launches())
		}
		at := len(a.Beats)
		old.Handle(evHeartbeat, 0)
		old.Handle(evExecReady, 2)
		old.Stop()
		old.AMExited()
		if x.stopping || len(a.Beats) != at || old.ExitStatus(1) != exitSIGTERM {
			t.Error("the driver listens to the application master that it had before")
		}
	})
	t.Run("executors fail", func(t *testing.T) {
		a := client(t, "spark.executor.maxNumFailures", "1")
		a.Crash(2, 1)
		a.Crash(3, 1)
		a.Run(20_000)
		if x := a.asked(); !x.lost.silent || x.ExitStatus(1) != exitExecutorFailures || len(a.said("fails")) != 1 {
			t.Errorf("the application master returns %d, log %v, want that it alone ends", x.ExitStatus(1), a.Log)
		}
	})
	t.Run("it ends", func(t *testing.T) {
		a := newApp(t, jobOf(stageOf(0, 2, 10_000)), setup{conf: dynamic("spark.submit.deployMode", "client", "spark.dynamicAllocation.initialExecutors", "2"), attempts: 3}).executors(0, 1).register()
		a.Run(5000)
		a.CrashMaster()
		a.Run(60_000)
		if a.Outcome == nil || *a.Outcome != "" || len(a.said("withdraw")) != 1 {
			t.Errorf("log %v, want that the application is withdrawn, with success", a.Log)
		}
	})
	t.Run("cluster mode", func(t *testing.T) {
		a := client(t, "spark.submit.deployMode", "cluster")
		a.CrashMaster()
		if x := a.asked(); x.GoesOn() || !x.stopping {
			t.Error("the driver goes on, which was in the same process")
		}
	})
}

var _ master.Outliver = (*asked)(nil)
