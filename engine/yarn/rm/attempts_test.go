package rm_test

import (
	"fmt"
	"slices"
	"testing"

	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/engine/yarn/rm"
	"replay/policy/resource"
)

// first submits application 1, whose master's container is allocated on node 0.
func (w *world) first(asked int) {
	w.t.Helper()
	if err := w.r.Submit(0, yarn.AppSpec{ID: 1, Queue: "root.q", AMSize: size, MaxAttempts: asked}); err != nil {
		w.t.Fatal(err)
	}
	w.master(1)
}

// master lets the master's container of an attempt of application 1 be allocated on node 0.
func (w *world) master(attempt int32) {
	id := protocol.NewContainerID(1, attempt, 1)
	w.pull = &protocol.Container{ID: id}
	w.beat(0, 0, func() { w.allocated(id, 0) })
	w.pull, w.log = nil, nil
}

// again is what is logged when the master ended with exit and the next attempt of the application begins.
func again(exit int32) []string {
	return []string{"clock 1001", "node 0: launched [], completed []", "remove attempt 1", fmt.Sprintf("attempt 1 ended: false, %d, again", exit),
		"add attempt 1", "allocate 1: [{0 -1 0 1 [1024 1 0 0] true false}]"}
}

// The master of an application ends again and again: it gets as many attempts as it may, those that did not fail not counted, and
// stays the same application to the scheduler.
func TestNumberOfAttempts(t *testing.T) {
	failed := []int32{1, 0, 137}
	free := []int32{protocol.ExitPreempted, protocol.ExitAborted, protocol.ExitDisksFailed, protocol.ExitKilledByRM}
	for _, tt := range []struct { // 2 attempts unless asked for, 3 at most
		asked int
		exits []int32
		want  int
	}{
		{0, failed, 2}, {-1, failed, 2}, {1, failed, 1}, {2, failed, 2}, {3, failed, 3}, {9, failed, 3},
		{1, free, 1}, // one attempt is one, whatever ended it
		{2, append(slices.Clone(free), failed...), 6},
	} {
		w := newWorld(t, plain)
		w.node(0)
		w.first(tt.asked)
		n := int32(1)
		for ; ; n++ {
			exit := tt.exits[n-1]
			w.beat(1, 0, func() {
				w.ended(protocol.NewContainerID(1, n, 1), 0, exit, false)
				w.ended(protocol.NewContainerID(1, n, 1), 0, exit, false) // not the next attempt's
			})
			if !slices.Equal(w.log, again(exit)) {
				w.want("the last attempt", "clock 1001", "node 0: launched [], completed []", "remove application 1", fmt.Sprintf("attempt 1 ended: false, %d", exit))
				break
			}
			w.master(n + 1)
		}
		if int(n) != tt.want {
			t.Errorf("asked for %d, exits %v: %d attempts, want %d", tt.asked, tt.exits, n, tt.want)
		}
	}
}

// What is left of the first attempt is not the second's: neither its ends nor the watch over what it acquired.
func TestNextAttemptBeginsAnew(t *testing.T) {
	w := newWorld(t, plain)
	w.node(0)
	w.first(2)
	old := cid(1, 2)
	w.beat(0, 0, func() { w.allocated(old, 0) })
	var resp protocol.AllocateResponse
	w.onAsk = func(resp *protocol.AllocateResponse) {
		resp.Allocated = append(resp.Allocated, protocol.Container{ID: old})
	}
	if err := w.r.Allocate(0, 1, &protocol.AllocateRequest{}, &resp); err != nil {
		t.Fatal(err)
	}
	w.onAsk, w.log = nil, nil
	w.onRemove = func(protocol.AppID) { w.ended(old, 0, protocol.ExitAborted, false) }
	w.beat(1, 0, func() { w.ended(cid(1, 1), 0, 1, false) })
	w.want("the next attempt", again(1)...)
	w.onRemove = nil
	w.master(2)
	w.run(protocol.NewContainerID(1, 2, 1), 0)
	if err := w.r.Allocate(2, 1, &protocol.AllocateRequest{}, &resp); err != nil || len(resp.Completed) > 0 {
		t.Errorf("the second attempt is told of %v, error %v", resp.Completed, err)
	}
	w.log = nil
	w.r.Fire(5000, rm.ExpiryCheck, 0, 0)
	w.want("nothing expires", "clock 6000")
}

// The scheduler refuses the ask for the second master: the application leaves.
func TestNextAttemptRefused(t *testing.T) {
	w := newWorld(t, plain)
	w.node(0)
	w.first(2)
	w.askErr = errScheduler
	w.beat(1, 0, func() { w.ended(cid(1, 1), 0, 1, false) })
	w.want("refused", append(again(1), "remove application 1", "application 1 is refused: refused by the scheduler")...)
}

// A node that registers again goes and comes before anything follows from its going. Where attempts fail with it, all leave before the next ones come.
func TestAttemptsThatFailTogether(t *testing.T) {
	w := newWorld(t, plain)
	w.node(0)
	w.first(2)
	if err := w.r.Submit(0, yarn.AppSpec{ID: 2, Queue: "root.q", AMSize: size, MaxAttempts: 2}); err != nil {
		t.Fatal(err)
	}
	w.pull = &protocol.Container{ID: cid(2, 1)}
	w.beat(0, 0, func() { w.allocated(cid(2, 1), 0) })
	w.pull, w.log = nil, nil
	w.onAny = func() {
		w.ended(cid(1, 1), 0, protocol.ExitAborted, false)
		w.ended(cid(2, 1), 0, protocol.ExitAborted, false)
	}
	w.r.AddNode(1, yarn.NodeSpec{ID: 0, Total: resource.R(4096, 4)})
	w.want("both", "clock 1001", "remove node 0", "add node 0 of [4096 4 0 0]",
		"remove attempt 1", "attempt 1 ended: false, -100, again", "remove attempt 2", "attempt 2 ended: false, -100, again",
		"add attempt 1", "allocate 1: [{0 -1 0 1 [1024 1 0 0] true false}]", "add attempt 2", "allocate 2: [{0 -1 0 1 [1024 1 0 0] true false}]")
}

// What the ask for a master's container was cut to, as no node was larger, later attempts ask for, whatever there is by then.
func TestMasterStaysAsSmallAsItWasCut(t *testing.T) {
	w := newWorld(t, plain)
	w.node(0)
	w.first(3)
	fails := func(attempt int32) string {
		w.log = nil
		w.beat(1, 0, func() { w.ended(protocol.NewContainerID(1, attempt, 1), 0, 1, false) })
		return w.log[len(w.log)-1]
	}
	const small = "allocate 1: [{0 -1 0 1 [512 1 0 0] true false}]"
	most := w.most
	w.most = resource.R(512, 8)
	if got := fails(1); got != small {
		t.Errorf("with small nodes: %s, want %s", got, small)
	}
	w.most = most
	w.master(2)
	if got := fails(2); got != small {
		t.Errorf("with large nodes again: %s, want %s", got, small)
	}
}

// A client ends an application at any time, but for one that has unregistered: that one ends when its master's container does.
func TestWithdraw(t *testing.T) {
	w := newWorld(t, plain)
	w.node(0)
	w.first(2)
	w.r.Withdraw(0, 1)
	w.want("while its master runs", "clock 1000", "remove application 1", "attempt 1 ended: true, -100")
	w.first(2)
	w.r.Unregister(0, 1)
	w.r.Withdraw(0, 1)
	w.want("once it has unregistered")
	w.beat(1, 0, func() { w.ended(cid(1, 1), 0, 0, false) })
	w.want("with its master", "clock 1001", "node 0: launched [], completed []", "remove application 1", "attempt 1 ended: true, 0")
}

// fails has the master of an attempt of application 1, which runs on node 0, end at a time, and returns what followed beside the heartbeat.
func (w *world) fails(now int64, attempt, exit int32) []string {
	w.t.Helper()
	w.log = nil
	w.beat(now, 0, func() { w.ended(protocol.NewContainerID(1, attempt, 1), 0, exit, false) })
	return w.log[2:]
}

// Failures that are longer ago than an application says count no more among its attempts.
func TestFailuresGrowOld(t *testing.T) {
	w := newWorld(t, plain)
	w.node(0)
	if err := w.r.Submit(0, yarn.AppSpec{ID: 1, Queue: "root.q", AMSize: size, MaxAttempts: 2, FailuresValidityMS: 500}); err != nil {
		t.Fatal(err)
	}
	for i, at := range []int64{100, 601, 1102, 1602} { // 501, 501 and 500 ms after the one before
		attempt := int32(i + 1)
		w.master(attempt)
		last := slices.Contains(w.fails(at, attempt, 1), "remove application 1")
		if want := at == 1602; last != want {
			t.Errorf("it fails for the %d. time at %d: the application ends is %v, want %v", attempt, at, last, want)
		}
	}
}

// Masters are kept from nodes on which earlier ones have failed, unless it was not the node's fault, while these are fewer than a part of the nodes.
func TestMastersAvoidNodes(t *testing.T) {
	for _, tt := range []struct {
		of     float32
		nodes  protocol.NodeID
		exit   int32
		avoids bool
	}{
		{0.5, 3, 1, true}, {0.5, 2, 1, false}, // one of two is not less than a half
		{1, 2, 1, true}, {1, 1, 1, false}, {0, 9, 1, false}, {0.2, 4, 1, false}, {0.2, 5, 1, true}, // a float of 0.2 is more than a fifth
		{1, 2, protocol.ExitKilledPMem, false}, {1, 2, protocol.ExitKilledVMem, false}, {1, 2, protocol.ExitPreempted, false},
		{1, 2, protocol.ExitAborted, false}, {1, 2, protocol.ExitDisksFailed, false}, {1, 2, protocol.ExitSuccess, false}, {1, 2, protocol.ExitKilledByRM, false},
		{1, 2, protocol.ExitKilledAfterApp, false}, {1, 2, protocol.ExitKilledByAM, false}, {1, 2, 137, true},
	} {
		for _, enabled := range []bool{true, false} {
			c := config
			c.AvoidsFailed, c.AvoidsAtMost = enabled, tt.of
			w := newWorldOf(t, c, plain)
			for id := range tt.nodes {
				w.node(id)
			}
			w.first(3)
			got := slices.Contains(w.fails(1, 1, tt.exit), "not on [10]")
			if want := enabled && tt.avoids; got != want {
				t.Errorf("%+v, enabled %v: kept from the node is %v, want %v", tt, enabled, got, want)
			}
		}
	}
	c := config
	c.AvoidsFailed, c.AvoidsAtMost = true, 1
	w := newWorldOf(t, c, plain)
	w.node(0)
	w.node(1)
	w.first(3)
	w.fails(1, 1, 1)
	w.master(2)
	if got := w.fails(2, 2, protocol.ExitPreempted); !slices.Contains(got, "not on [10]") {
		t.Errorf("after another one that was preempted: %q, want that the third is kept from the node of the first", got)
	}
}
