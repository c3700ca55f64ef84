package rm_test

import (
	"fmt"
	"testing"

	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/policy/resource"
)

// A node that is drained has no room but for what runs on it, and goes when that has ended.
func TestDrainedNodeGoesWhenItIsEmpty(t *testing.T) {
	w := newWorld(t, plain)
	w.node(0)
	w.app(1)
	w.beat(0, 0, func() { w.allocated(cid(1, 2), 0) })
	w.run(cid(1, 1), 0)
	w.run(cid(1, 2), 0)
	w.beat(1, 0, nil)
	w.want("not yet", "clock 1001", "node 0: launched [], completed []")
	w.r.Drain(0, -1)
	w.want("the node is not told before its heartbeat", nil...)
	w.beat(2, 0, nil)
	w.want("both", "clock 1002", "node 0: launched [], completed []", "node 0 has [2048 2 0 0]")
	w.beat(1<<40, 0, func() { w.ended(cid(1, 2), 0, 0, false) })
	w.want("one, and no end of patience", "clock 1099511628776", "node 0: launched [], completed []", "node 0 has [1024 1 0 0]")
	w.r.ProcessExited(0, cid(1, 1), 0)
	w.r.ProcessExited(0, cid(1, 2), 0)
	w.r.Unregister(0, 1)
	w.beat(1<<40, 0, func() { w.ended(cid(1, 1), 0, 0, false) })
	w.want("the scheduler has none, and the node reports both ends", "clock 1099511628776", "node 0: launched [], completed [1-1:0 1-2:0]",
		"remove application 1", "attempt 1 ended: true, 0", "node 0 has [0 0 0 0]")
	w.beat(1<<40, 0, nil)
	w.want("gone, with no look at what it reports", "clock 1099511628776", "remove node 0", "node 0 is gone")
}

// A container whose end the node has not reported keeps its room.
func TestDrainCountsWhatTheNodeHasNotReported(t *testing.T) {
	w := newWorld(t, plain)
	w.node(0)
	w.app(1)
	w.run(cid(1, 1), 0)
	w.beat(0, 0, func() { w.allocated(cid(1, 2), 0) })
	w.run(cid(1, 2), 0)
	w.r.Drain(0, -1)
	w.beat(1, 0, func() { w.ended(cid(1, 2), 0, 137, true) })
	w.want("held", "clock 1001", "node 0: launched [], completed []", "node 0 has [2048 2 0 0]")
	w.r.ProcessExited(0, cid(1, 2), 137)
	w.beat(2, 0, nil)
	w.want("reported", "clock 1002", "node 0: launched [], completed [1-2:137]", "node 0 has [1024 1 0 0]")
}

// What a node is given while it drains has no place in its total before the next heartbeat.
func TestDrainedNodeIsGivenMore(t *testing.T) {
	w := newWorld(t, plain)
	w.node(0)
	w.app(1)
	w.run(cid(1, 1), 0)
	w.r.Drain(0, -1)
	w.beat(1, 0, func() { w.allocated(cid(1, 2), 0) })
	w.want("as of before", "clock 1001", "node 0: launched [], completed []", "node 0 has [1024 1 0 0]")
	w.beat(2, 0, nil)
	w.want("with it", "clock 1002", "node 0: launched [], completed []", "node 0 has [2048 2 0 0]")
}

// running is a node on which the master of an application runs.
func running(t *testing.T) *world {
	w := newWorld(t, plain)
	w.node(0)
	w.app(1)
	w.run(cid(1, 1), 0)
	return w
}

// Patience is counted from the first heartbeat as a draining node.
func TestDrainGivesUpAtItsTime(t *testing.T) {
	w := running(t)
	w.beat(0, 0, func() { w.allocated(cid(1, 2), 0) })
	w.run(cid(1, 2), 0)
	w.r.Drain(0, 500)
	w.beat(300, 0, nil)
	w.want("its time begins", "clock 1300", "node 0: launched [], completed []", "node 0 has [2048 2 0 0]")
	w.beat(799, 0, nil)
	w.want("a millisecond left", "clock 1799", "node 0: launched [], completed []")
	w.r.ProcessExited(0, cid(1, 2), 0)
	w.beat(800, 0, nil)
	w.want("time is up, and nobody hears of the end", "kill 1-1 at 800", "clock 1800", "remove node 0", "node 0 is gone")

	// A time that is up at once is one, too.
	w = running(t)
	w.r.Drain(0, 0)
	w.beat(0, 0, nil)
	w.want("no patience", "kill 1-1 at 0", "clock 1000", "remove node 0", "node 0 is gone")

	// More patience does not begin anew, nor does a decommission right after another.
	w = running(t)
	w.r.Drain(0, 500)
	w.beat(100, 0, nil)
	w.r.Drain(0, 700)
	w.beat(700, 0, nil)
	w.r.Undrain(700, 0)
	w.r.Drain(0, 700)
	w.beat(799, 0, nil)
	w.log = nil
	w.beat(800, 0, nil)
	w.want("time is up", "kill 1-1 at 800", "clock 1800", "remove node 0", "node 0 is gone")

	// One after another does, once the node has sent a heartbeat in between.
	w = running(t)
	w.r.Drain(0, 700)
	w.beat(100, 0, nil)
	w.r.Undrain(790, 0)
	w.beat(799, 0, nil)
	w.r.Drain(0, 700)
	w.beat(900, 0, nil)
	w.beat(1599, 0, nil)
	w.log = nil
	w.beat(1600, 0, nil)
	w.want("time is up", "kill 1-1 at 1600", "clock 2600", "remove node 0", "node 0 is gone")
}

// What the node waits for is what it had reported before the heartbeat, and masters that the scheduler has there, not what else it was given.
func TestDrainWaitsForWhatWasReported(t *testing.T) {
	start := func() *world {
		w := newWorld(t, plain)
		w.node(0)
		w.node(1)
		w.app(1) // its master is allocated on node 0
		w.beat(0, 1, func() { w.allocated(cid(1, 2), 1) })
		w.log = nil
		return w
	}
	gone := func(node int) []string {
		return []string{"clock 1001", fmt.Sprintf("remove node %d", node), fmt.Sprintf("node %d is gone", node)}
	}
	w := start()
	w.r.Drain(1, -1)
	w.beat(1, 1, func() { t.Error("a node that goes is scheduled on") })
	w.want("a container that was not started", gone(1)...)

	w = start()
	w.r.ContainerStarted(1, cid(1, 2))
	w.r.Drain(1, -1)
	w.beat(1, 1, nil)
	w.want("a container that was started and not reported: it goes on until the node is told", append([]string{"kill 1-2 at 1001"}, gone(1)...)...)

	w = start()
	w.r.ContainerStarted(1, cid(1, 2))
	w.r.ProcessExited(1, cid(1, 2), 0)
	w.beat(0, 1, nil)
	w.r.Drain(1, -1)
	w.log = nil
	w.beat(1, 1, nil)
	w.want("one that was reported when it had ended", "clock 1001", "node 1: launched [], completed []", "node 1 has [1024 1 0 0]")

	w = start()
	w.r.Drain(0, -1)
	w.beat(1, 0, nil)
	w.want("a master that was not started: nothing runs", gone(0)...)

	w = start()
	w.r.ContainerStarted(0, cid(1, 1))
	w.r.Drain(0, -1)
	w.beat(1, 0, nil)
	w.want("a master that was started and not reported", "clock 1001", "node 0: launched [1-1], completed []", "node 0 has [1024 1 0 0]")

	w = start()
	w.r.ContainerStarted(0, cid(1, 1))
	w.beat(0, 0, func() { w.ended(cid(1, 1), 0, protocol.ExitPreempted, true) })
	w.r.Drain(0, -1)
	w.log = nil
	w.beat(1, 0, nil)
	w.want("a master of an application that has ended runs still", "clock 1001", "node 0: launched [], completed []", "kill 1-1 at 1", "node 0 has [1024 1 0 0]")
	w.r.ProcessExited(0, cid(1, 1), 0)
	w.beat(1, 0, nil)
	w.want("it runs no more", gone(0)...)
}

// A new capacity holds until the next heartbeat. In service again the node has what it had before.
func TestResizeWhileDraining(t *testing.T) {
	w := newWorld(t, plain)
	w.node(0)
	w.app(1)
	w.run(cid(1, 1), 0)
	w.r.Drain(0, -1)
	w.beat(1, 0, nil)
	w.want("draining", "clock 1001", "node 0: launched [], completed []", "node 0 has [1024 1 0 0]")
	w.r.SetNodeTotal(2, 0, resource.R(4096, 4))
	w.want("a new capacity", "clock 1002", "node 0 has [4096 4 0 0]")
	w.beat(2, 0, nil)
	w.want("forgotten", "clock 1002", "node 0: launched [], completed []", "node 0 has [1024 1 0 0]")
	w.r.Undrain(3, 0)
	w.want("in service with what it had", "clock 1003", "node 0 has [8192 8 0 0]")
	w.r.Undrain(4, 0)
	w.want("it is in service", nil...)
	w.beat(5, 0, nil)
	w.want("as any node", "clock 1005", "node 0: launched [], completed []")

	w.r.Drain(0, -1)
	w.r.RemoveNode(6, 0)
	w.log = nil
	w.r.Undrain(7, 0)
	w.want("a node that is gone has no capacity and drains no more", nil...)
}

// Changes of size are not containers: the ResourceManager counts neither them nor their room.
func TestGrowthIsNoContainer(t *testing.T) {
	w := newWorld(t, plain)
	w.node(0)
	w.app(1)
	w.run(cid(1, 1), 0)
	w.beat(1, 0, func() { w.grown(cid(1, 2), 0, cid(1, 1)) })
	w.r.Drain(0, -1)
	w.log = nil
	w.beat(2, 0, nil)
	w.want("the master alone", "clock 1002", "node 0: launched [], completed []", "node 0 has [1024 1 0 0]")
}

// A scheduler that looks at it hears when a decommission begins, is taken back and ends with the node.
func TestSchedulerHearsOfDecommissioning(t *testing.T) {
	w := newWorld(t, func(s scheduler) yarn.Scheduler { return drainer{s} })
	w.node(0)
	w.app(1)
	w.r.Drain(0, -1)
	w.want("begun", "node 0 is being decommissioned: true")
	w.r.Drain(0, 900)
	w.want("it knows", nil...)
	w.r.Undrain(1, 0)
	w.want("taken back", "clock 1001", "node 0 is being decommissioned: false", "node 0 has [8192 8 0 0]")
	w.r.Drain(0, -1)
	w.log = nil
	w.r.RemoveNode(2, 0)
	w.want("gone", "clock 1002", "remove node 0", "node 0 is being decommissioned: false")
}

// A node on which an application has run stays while the application goes on, even when nothing runs there: shuffle files lie on it.
func TestDrainWaitsForApplications(t *testing.T) {
	w := newWorld(t, plain)
	w.node(0)
	w.node(1)
	w.app(1)
	w.run(cid(1, 1), 0)
	w.beat(0, 1, func() { w.allocated(cid(1, 2), 1) })
	w.run(cid(1, 2), 1)
	w.r.ProcessExited(1, cid(1, 2), 0)
	w.beat(1, 1, func() { w.ended(cid(1, 2), 1, 0, false) })
	w.r.Drain(1, -1)
	w.log = nil
	w.beat(2, 1, nil)
	w.want("it waits", "clock 1002", "node 1: launched [], completed []", "node 1 has [0 0 0 0]")
	w.r.ProcessExited(0, cid(1, 1), 0)
	w.r.Unregister(0, 1)
	w.beat(3, 0, func() { w.ended(cid(1, 1), 0, 0, false) })
	w.log = nil
	w.beat(4, 1, nil)
	w.want("the application has ended", "clock 1004", "remove node 1", "node 1 is gone")
}

// The new total of a draining node comes with an overcommit timeout of 0, behind all that the heartbeat led to. What is too much before that goes first.
func TestDrainEndsWhatIsTooMuch(t *testing.T) {
	w := newWorld(t, func(s scheduler) yarn.Scheduler { return ender{s} })
	w.node(0)
	w.app(1)
	w.run(cid(1, 1), 0)
	w.beat(0, 0, func() { w.allocated(cid(1, 2), 0) })
	w.run(cid(1, 2), 0)
	if err := w.r.Submit(0, yarn.AppSpec{ID: 2, Queue: "root.q", AMSize: size, MaxAttempts: 1}); err != nil {
		t.Fatal(err)
	}
	w.r.ProcessExited(0, cid(1, 2), 0)
	w.r.Drain(0, -1)
	w.log, w.pull = nil, &protocol.Container{ID: cid(2, 1)}
	w.beat(1, 0, func() { w.ended(cid(1, 2), 0, 0, false); w.allocated(cid(2, 1), 0) })
	w.want("a master comes", "clock 1001", "node 0: launched [], completed [1-2:0]", "pull master of 2", "launch 2 as 2-1",
		"node 0 has [1024 1 0 0]", "find what is too much on node 0", "end what is too much on node 0")
	w.beat(2, 0, nil)
	w.want("it is still too much, and then it is not", "clock 1002", "find what is too much on node 0", "node 0: launched [], completed []", "end what is too much on node 0", "find what is too much on node 0",
		"node 0 has [2048 2 0 0]", "find what is too much on node 0", "end what is too much on node 0")
	w.beat(3, 0, nil)
	w.want("the same total", "clock 1003", "find what is too much on node 0", "node 0: launched [], completed []", "end what is too much on node 0", "find what is too much on node 0")
	w.r.Undrain(4, 0)
	w.want("back in service", "clock 1004", "node 0 has [8192 8 0 0]", "find what is too much on node 0", "end what is too much on node 0")
	w.r.SetNodeTotal(5, 0, size)
	w.want("a total that has no timeout", "clock 1005", "node 0 has [1024 1 0 0]")
	w.onAny = func() { w.onAny = func() { w.ended(cid(1, 1), 0, protocol.ExitPreempted, true) } }
	w.beat(6, 0, nil)
	w.want("that of before holds, and its consequences follow", "clock 1006", "find what is too much on node 0", "node 0: launched [], completed []", "end what is too much on node 0", "find what is too much on node 0",
		"remove application 1", "attempt 1 ended: false, -102")
	w.r.RemoveNode(7, 0)
	w.node(0)
	w.beat(8, 0, nil)
	w.want("a node that comes again has none", "clock 1008", "node 0: launched [], completed []")
}

// A node whose total has changed keeps no reservation, with a scheduler that takes it anew then.
func TestNothingStaysReservedWithAnotherTotal(t *testing.T) {
	w := newWorld(t, func(s scheduler) yarn.Scheduler { return unreserver{ender{s}} })
	w.node(0)
	w.app(1)
	w.run(cid(1, 1), 0)
	w.r.SetNodeTotal(1, 0, resource.R(8192, 8))
	w.want("the same total", "clock 1001", "node 0 has [8192 8 0 0]")
	w.r.SetNodeTotal(2, 0, resource.R(4096, 4))
	w.want("another total", "clock 1002", "node 0 has [4096 4 0 0]", "nothing stays reserved on node 0")
	w.r.Drain(0, -1)
	w.beat(3, 0, nil)
	w.want("draining", "clock 1003", "node 0: launched [], completed []", "node 0 has [1024 1 0 0]", "find what is too much on node 0", "nothing stays reserved on node 0", "end what is too much on node 0")
	w.r.Undrain(4, 0)
	w.want("back in service", "clock 1004", "node 0 has [4096 4 0 0]", "find what is too much on node 0", "nothing stays reserved on node 0", "end what is too much on node 0")
	w.r.Drain(0, -1)
	w.r.Undrain(5, 0)
	w.want("as if nothing had been", "clock 1005", "node 0 has [4096 4 0 0]")
}

// The total that a heartbeat of a draining node leads to comes before the end of an attempt that has failed in it, as that is stored first, and behind that of one whose application has ended. What is too much
// is found with the total and ends behind both.
func TestTotalComesBeforeTheEndOfAnAttemptThatFailed(t *testing.T) {
	for _, ended := range []bool{false, true} {
		w := newWorld(t, func(s scheduler) yarn.Scheduler { return ender{s} })
		w.node(0)
		w.first(2)
		w.run(cid(1, 1), 0)
		w.r.Drain(0, -1)
		w.r.ProcessExited(0, cid(1, 1), 3)
		total, find, end := "node 0 has [0 0 0 0]", "find what is too much on node 0", "end what is too much on node 0"
		want := append([]string{"clock 1001", "node 0: launched [], completed [1-1:3]", total, find}, append(again(3)[2:], end)...)
		if ended {
			w.r.Unregister(0, 1)
			want = []string{"clock 1001", "node 0: launched [], completed [1-1:3]", "remove application 1", "attempt 1 ended: true, 3", total, find, end}
		}
		w.beat(1, 0, func() { w.ended(cid(1, 1), 0, 3, true) })
		w.want(fmt.Sprintf("the application has ended: %v", ended), want...)
	}
}

// A NodeManager that registers again waits, when it drains, for the applications that ran there before it did.
func TestDrainWaitsForWhatRanBeforeTheNodeRegisteredAgain(t *testing.T) {
	for _, removed := range []bool{false, true} {
		w := newWorld(t, plain)
		w.node(0)
		w.node(1)
		w.app(1)
		w.beat(0, 1, func() { w.allocated(cid(1, 2), 1) })
		w.run(cid(1, 2), 1)
		w.onAny = func() { w.ended(cid(1, 2), 1, protocol.ExitAborted, true) }
		if removed {
			w.r.RemoveNode(1, 1)
		}
		w.node(1)
		w.r.Drain(1, -1)
		w.beat(2, 1, nil)
		if gone := !w.r.Registered(1); gone != removed {
			t.Errorf("the node was found lost before: %v, it has gone: %v", removed, gone)
		}
	}
}
