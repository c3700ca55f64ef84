package rm_test

import (
	"fmt"
	"testing"

	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/engine/yarn/conf"
	"replay/engine/yarn/jvm"
	"replay/engine/yarn/rm"
	"replay/policy/resource"
)

func TestExpiryOfContainers(t *testing.T) {
	w := newWorld(t, plain)
	w.node(0)
	w.app(1) // its master was pulled at 0
	w.onAsk = func(resp *protocol.AllocateResponse) {
		resp.Allocated = nil
		for n := int64(2); n <= 4; n++ {
			resp.Allocated = append(resp.Allocated, protocol.Container{ID: cid(1, n)})
		}
	}
	var resp protocol.AllocateResponse
	if err := w.r.Allocate(100, 1, &protocol.AllocateRequest{}, &resp); err != nil {
		t.Fatal(err)
	}
	w.want("a look is due already", "clock 1100", "allocate 1: []")
	w.onAsk = nil
	w.r.Fire(600, rm.ExpiryCheck, 0, 0)
	w.want("not yet", "clock 1600", "expiry check at 800: 0 0")
	w.run(cid(1, 2), 0) // reported as running
	w.r.ContainerStarted(0, cid(1, 4))
	w.onExpire = func(id protocol.ContainerID) { w.ended(id, 0, protocol.ExitAborted, false) }
	w.r.Fire(700, rm.ExpiryCheck, 0, 0)
	w.want("the master's time is up, that of the others not", "clock 1700", "1-1 was not started in time", "expire 1-1",
		"expiry check at 800: 0 0", "remove application 1", "attempt 1 ended: false, -100")
	w.r.Fire(800, rm.ExpiryCheck, 0, 0)
	w.want("they have left with the application", "clock 1800")

	w.app(2)
	w.r.Fire(601, rm.ExpiryCheck, 0, 0)
	w.want("a millisecond over", "clock 1601", "2-1 was not started in time", "expire 2-1", "remove application 2", "attempt 2 ended: false, -100")
}

// What has run or ended is not watched, and the next container is looked after again.
func TestWatchEnds(t *testing.T) {
	w := newWorld(t, plain)
	w.node(0)
	w.app(1)
	w.run(cid(1, 1), 0)
	w.onAsk = func(resp *protocol.AllocateResponse) {
		resp.Allocated = []protocol.Container{{ID: cid(1, 2)}, {ID: cid(1, 3)}}
	}
	var resp protocol.AllocateResponse
	for _, now := range []int64{0, 250} {
		if err := w.r.Allocate(now, 1, &protocol.AllocateRequest{}, &resp); err != nil {
			t.Fatal(err)
		}
		w.onAsk = nil
	}
	w.beat(300, 0, func() { w.ended(cid(1, 2), 0, 0, false) })
	w.log = nil
	w.r.Fire(601, rm.ExpiryCheck, 0, 0)
	w.want("the third alone", "clock 1601", "1-3 was not started in time", "expire 1-3")
	w.onAsk = func(resp *protocol.AllocateResponse) { resp.Allocated = []protocol.Container{{ID: cid(1, 9)}} }
	if err := w.r.Allocate(799, 1, &protocol.AllocateRequest{}, &resp); err != nil {
		t.Fatal(err)
	}
	w.want("another look", "clock 1799", "allocate 1: []", "expiry check at 800: 0 0")
}

// The monitor of nodes looks every 300 ms and finds a node lost that was silent for more than 900.
func TestExpiryOfNodes(t *testing.T) {
	for last, want := range map[int64]int64{0: 1200, 299: 1200, 300: 1500, 301: 1500} {
		w := newWorld(t, plain)
		w.node(0)
		w.r.NodeSilent(last, 0, last)
		w.want(fmt.Sprint("silent since ", last), fmt.Sprintf("node expires at %d: 0 2", want))
	}
	w := newWorld(t, plain)
	w.node(0)
	w.node(1)
	w.r.NodeSilent(5000, 1, 10)
	w.want("long ago", "node expires at 5000: 1 2")
	w.r.Fire(5000, rm.NodeExpired, 1, 1)
	w.want("an old timer", "clock 6000")
	w.r.Fire(5001, rm.NodeExpired, 1, 2)
	w.want("lost", "clock 6001", "clock 6001", "remove node 1", "node 1 is gone")
	w.r.Fire(5002, rm.NodeExpired, 1, 2)
	w.want("lost once", "clock 6002")
	w.r.AddNode(6000, yarn.NodeSpec{ID: 1, Total: size})
	w.log = nil
	w.r.Fire(6001, rm.NodeExpired, 1, 2)
	w.want("it is back", "clock 7001")
}

// A node that comes back with less than the smallest container is refused, and stays in the cluster until it is found lost if it is there.
func TestRefusedNodesAreFoundLost(t *testing.T) {
	c := config
	c.LeastNode = resource.R(1024, 2)
	w := newWorldOf(t, c, plain)
	w.node(0)
	w.r.NodeSilent(10, 0, 10)
	w.log = nil
	if refused := w.r.AddNode(20, yarn.NodeSpec{ID: 0, Total: resource.R(8192, 1)}); len(refused) != 1 || !w.r.Registered(0) {
		t.Errorf("refused %v, registered %v", refused, w.r.Registered(0))
	}
	w.want("nothing happens", "clock 1020")
	w.r.Fire(1200, rm.NodeExpired, 0, 2)
	w.want("it has been silent", "clock 2200", "clock 2200", "remove node 0", "node 0 is gone")
	if refused := w.r.AddNode(1300, yarn.NodeSpec{ID: 0, Total: resource.R(8192, 1)}); len(refused) != 1 || w.r.Registered(0) {
		t.Errorf("refused %v, registered %v", refused, w.r.Registered(0))
	}
}

// Looks are a third of the interval apart, at least a millisecond.
func TestLooksOfShortIntervals(t *testing.T) {
	c := config
	c.NodeExpiryMS, c.ContainerExpiryMS = 2, 1
	w := newWorldOf(t, c, plain)
	w.node(0)
	w.r.NodeSilent(10, 0, 10)
	w.want("silent", "node expires at 13: 0 2")
	if err := w.r.Submit(0, yarn.AppSpec{ID: 1, AMSize: size}); err != nil {
		t.Fatal(err)
	}
	w.log, w.pull = nil, &protocol.Container{ID: cid(1, 1)}
	w.beat(7, 0, func() { w.allocated(cid(1, 1), 0) })
	w.want("acquired", "clock 1007", "node 0: launched [], completed []", "pull master of 1", "expiry check at 8: 0 0", "launch 1 as 1-1")
}

func TestPreemption(t *testing.T) {
	c := config
	c.Preemption = true
	w := newWorldOf(t, c, func(s scheduler) yarn.Scheduler { return preempter{s} })
	w.r.Update(5)
	w.want("nobody is starved", "clock 1005", "update", "preempt")
	w.kills = []int64{16_000}
	w.r.Update(6)
	w.want("somebody is", "clock 1006", "update", "preempt", "preemption kill at 15000: 0 0")
	w.r.Update(7)
	w.want("and a time is set for that", "clock 1007", "update", "preempt")
	w.kills = []int64{17_000}
	w.r.Fire(15_000, rm.PreemptionKill, 0, 0)
	w.want("killed", "clock 16000", "kill what is due", "preemption kill at 16000: 0 0")
	w.kills = []int64{1500}
	w.r.Update(16_000)
	w.want("overdue", "clock 17000", "update", "preempt", "preemption kill at 16000: 0 0")

	w = newWorld(t, func(s scheduler) yarn.Scheduler { return preempter{s} })
	w.kills = []int64{16_000}
	w.r.Update(5)
	w.want("without preemption", "clock 1005", "update")
	w = newWorldOf(t, c, plain)
	w.r.Update(5)
	w.want("a scheduler that can't", "clock 1005", "update")
}

func TestTimersOfTheScheduler(t *testing.T) {
	c := config
	c.ContinuousMS, c.Loader, c.Dense = 5, true, true // elide_test.go has what is left out while nothing is there
	c.Reloads = []rm.Reload{{AtMS: 100, Name: "a.xml", File: &conf.Allocations{}}, {AtMS: 200, Name: "b.xml", File: &conf.Allocations{}}}
	w := newWorldOf(t, c, func(s scheduler) yarn.Scheduler { return reloader{s} })
	w.want("at the start", "pass at 5: 0 0", "cleanup at 10000: 0 0", "reload at 100: 0 0", "reload at 200: 1 0")
	w.r.Fire(5, rm.ContinuousPass, 0, 0)
	w.want("a pass and the next", "clock 1005", "pass", "pass at 10: 0 0")
	w.r.Fire(10_000, rm.Cleanup, 0, 0)
	w.want("a clean-up and the next", "clock 11000", "cleanup", "cleanup at 20000: 0 0")
	w.r.Fire(100, rm.ReloadFile, 0, 0)
	w.want("a file", "clock 1100", "reload")
	w.reloadErr = &yarn.Exception{Class: "NullPointerException"}
	w.r.Fire(200, rm.ReloadFile, 1, 0)
	w.want("a file that YARN stumbles over", "clock 1200", "reload", "reload: reload of b.xml at 200 ms: YARN's loader throws NullPointerException")

	newWorldOf(t, c, plain).want("a scheduler that can't", nil...)
	c.ContinuousMS, c.Loader, c.Reloads = 0, false, nil
	newWorldOf(t, c, func(s scheduler) yarn.Scheduler { return reloader{s} }).want("nothing to do", nil...)
}

// What the scheduler does in a timer is handled at once, too.
func TestNothingWaitsForTheNextTimer(t *testing.T) {
	c := config
	c.ContinuousMS = 5
	c.Reloads = []rm.Reload{{File: &conf.Allocations{}}}
	for _, timer := range []rm.Timer{rm.ContinuousPass, rm.Cleanup, rm.ReloadFile} {
		w := newWorldOf(t, c, func(s scheduler) yarn.Scheduler { return reloader{s} })
		w.node(0)
		w.app(1)
		ended := false
		w.onRemove = func(protocol.AppID) { ended = true }
		w.onAny = func() { w.ended(cid(1, 1), 0, 1, false) }
		if w.r.Fire(9, timer, 0, 0); !ended {
			t.Errorf("%s: the application is still there", timers[timer])
		}
	}
}

// A master that is silent expires when the monitor looks and more than the interval has passed since its last call, or what the host knows of a later sign of it.
// One that has unregistered has nothing more to say.
func TestSilentMastersExpire(t *testing.T) {
	start := func() *world {
		w := newWorld(t, plain)
		w.node(0)
		w.first(2)
		return w
	}
	ask := func(w *world, now int64) {
		t.Helper()
		var resp protocol.AllocateResponse
		if err := w.r.Allocate(now, 1, &protocol.AllocateRequest{}, &resp); err != nil {
			t.Fatal(err)
		}
		w.log = nil
	}
	w := start()
	ask(w, 450)
	w.r.MasterSilent(600, 1, 300)
	w.want("since its last call", "master expires at 2000: 1 1") // 1650 and the look after it
	w.r.MasterSilent(600, 1, 799)
	w.want("1999 and the look after it", "master expires at 2000: 1 1")
	w.r.MasterSilent(600, 1, 800)
	w.want("2000 is not more than the interval", "master expires at 2400: 1 1")
	w.r.MasterSilent(600, 9, 800)
	w.want("nobody", nil...)
	w.r.Fire(2000, rm.MasterExpired, 1, 1)
	w.want("its attempt has failed", "clock 3000", "remove attempt 1", "attempt 1 ended: false, -1000, again", "add attempt 1", "allocate 1: [{0 -1 0 1 [1024 1 0 0] true false}]")
	w.r.Fire(2400, rm.MasterExpired, 1, 1)
	w.want("that of an attempt that has ended", "clock 3400")
	w.r.MasterSilent(2400, 1, 1200)
	w.log = nil
	w.r.Fire(2800, rm.MasterExpired, 1, 2)
	w.want("the failures count", "clock 3800", "remove application 1", "attempt 1 ended: false, -1000")

	w = start()
	ask(w, 450)
	w.r.Unregister(500, 1)
	ask(w, 700)
	w.r.MasterSilent(800, 1, 790)
	w.want("since it unregistered", "master expires at 2000: 1 1")
	w.r.Fire(2000, rm.MasterExpired, 1, 1)
	w.want("it had ended", "clock 3000", "remove application 1", "attempt 1 ended: true, -1000")
}

// Masters that are found silent at one look expire in the order of the monitor's table, which has grown with what it watched at one time, and those that have unregistered
// behind them in the order of theirs. All attempts have ended before the next ones begin.
func TestMastersExpireInTheOrderOfTheTable(t *testing.T) {
	w := newWorld(t, plain)
	w.node(0)
	var running, done jvm.HashMap[protocol.AppID, bool]
	hash := func(id protocol.AppID) int32 { return jvm.AttemptHash(jvm.AppHash(startMS, int32(id)), 1) }
	const apps = 30
	for id := protocol.AppID(1); id <= apps; id++ {
		w.appOf(id, 2)
	}
	start := func(id protocol.AppID) {
		w.r.ContainerStarted(0, cid(id, 1))
		running.Put(id, hash(id), true)
	}
	for id := protocol.AppID(apps); id > 1; id-- { // the last one starts first
		start(id)
	}
	for id := protocol.AppID(5); id < 15; id++ {
		w.r.Unregister(0, id)
		running.Remove(id, hash(id))
		done.Put(id, hash(id), true)
	}
	for _, id := range []protocol.AppID{3, 25} {
		w.r.Withdraw(0, id)
		running.Remove(id, hash(id))
	}
	start(1)
	for id := protocol.AppID(1); id <= apps; id++ {
		w.r.MasterSilent(0, id, 0)
	}
	w.log = nil
	w.r.Fire(1600, rm.MasterExpired, 1, 1)
	want := []string{"clock 2600"}
	var next []string
	for id := range running.All {
		want = append(want, fmt.Sprintf("remove attempt %d", id), fmt.Sprintf("attempt %d ended: false, -1000, again", id))
		next = append(next, fmt.Sprintf("add attempt %d", id), fmt.Sprintf("allocate %d: [{0 -1 0 1 [1024 1 0 0] true false}]", id))
	}
	for id := range done.All {
		want = append(want, fmt.Sprintf("remove application %d", id), fmt.Sprintf("attempt %d ended: true, -1000", id))
	}
	w.want("in the order of the tables", append(want, next...)...)
	w.r.Fire(1600, rm.MasterExpired, 2, 1)
	w.want("each once", "clock 2600")
}

// Nodes that come and go wake the update thread, once; other changes of theirs don't.
func TestNodesWakeTheUpdateThread(t *testing.T) {
	w := newWorld(t, plain)
	w.node(0)
	if !w.r.Woken() || w.r.Woken() {
		t.Error("a node that came did not wake it once")
	}
	w.r.SetNodeTotal(1, 0, size)
	w.r.Drain(0, -1)
	w.r.Undrain(1, 0)
	w.r.RemoveNode(1, 7)
	if w.r.Woken() {
		t.Error("no node came or went, and it was woken")
	}
	w.r.RemoveNode(2, 0)
	if !w.r.Woken() {
		t.Error("a node that went did not wake it")
	}
}
