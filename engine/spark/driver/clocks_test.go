package driver

import (
	"slices"
	"testing"

	"replay/engine/master"
)

// TestClocks: an application that waits for 20 s for its executor and then runs one task for a minute. The dense engine
// executes each time of each clock; the fast one those at which there is something to do. What the application does is the same.
func TestClocks(t *testing.T) {
	play := func(dense bool) *app {
		a := newApp(t, jobOf(stageOf(0, 1, 60_000)), setup{dense: dense, conf: dynamic("spark.dynamicAllocation.initialExecutors", "1",
			"spark.scheduler.minRegisteredResourcesRatio", "1.0", "spark.scheduler.maxRegisteredResourcesWaitingTime", "50s")}).register()
		a.Run(20_000)
		a.executors(0).Run(100_000)
		return a
	}
	fast, dense := play(false), play(true)
	if !slices.Equal(fast.Log, dense.Log) {
		t.Errorf("fast\n%v, dense\n%v", fast.Log, dense.Log)
	}
	for k, name := range map[master.EventKind]string{evGate: "registration", evTick: "allocation", evReviveTimer: "revive"} {
		if f, d := fast.clocks[k], dense.clocks[k]; f*10 > d || f == 0 && k == evGate {
			t.Errorf("%s: the fast engine has %d times of %d", name, f, d)
		}
	}
}

// TestClocksKeepTheirTimes: a clock that was still while nothing was to do comes at the times that it always had, and at each of them
// once, although what it does wakes the application master in the same millisecond.
func TestClocksKeepTheirTimes(t *testing.T) {
	for _, dense := range []bool{false, true} {
		a := newApp(t, jobOf(delayed(stageOf(0, 9, 1_000_000), 4050)), setup{dense: dense, conf: dynamic("spark.dynamicAllocation.schedulerBacklogTimeout", "5s")}).register()
		a.Run(20_000)
		i := slices.IndexFunc(a.ticks, func(at int64) bool { return at > 4100 })
		if !dense && (i < 0 || a.ticks[i] != 9100) {
			t.Errorf("with a backlog of 5 s from 4050 ms on the manager looks at %v, want 9100 to be the first after 4100", a.ticks)
		}
		for i := range a.ticks[1:] {
			if a.ticks[i+1] <= a.ticks[i] {
				t.Errorf("dense %t: a look at %d ms comes after that at %d", dense, a.ticks[i+1], a.ticks[i])
			}
		}
	}
}
