package driver

import (
	"errors"
	"fmt"

	"replay/engine/master"
	"replay/engine/protocol"
	"replay/engine/spark/allocator"
)

// heartbeats are those of an application master. Their times are computed, and only one that has something to do is in the
// event queue; the others pass and are counted. A heartbeat has something to do when the ResourceManager has something
// for it or the allocator has something to ask. Of one that has not, nothing is left but its place in the rhythm, and how
// many nodes the ResourceManager told of.
type heartbeats struct {
	ladder  allocator.HeartbeatLadder
	waiting bool  // the rhythm hurries, since the last one that was executed
	next    int64 // time of the next one, if the loop is not woken; never while one is executed and after the last
	queued  bool  // it is in the event queue
	ahead   bool  // it is for now, after others of this time have passed: it comes before what is of a later kind
	news    bool  // the ResourceManager has something to tell
	nodes   int   // in the cluster
}

// heartbeat is one turn of the AM's reporter: requests are brought up to date, the ResourceManager is
// called, and what it answered is handled. Then the loop sleeps. The first one is none of the loop, which begins behind it.
//
// Source: ApplicationMaster.createAllocator, allocationThreadImpl, YarnAllocator.allocateResources.
func (a *asked) heartbeat(first bool) {
	a.beats.queued, a.beats.ahead, a.beats.news, a.beats.next = false, false, false, never
	if !first && a.givesUp() {
		return
	}
	a.alloc.Request(&a.req)
	if err := a.h.Allocate(&a.req, &a.resp); err == nil {
		a.beats.ladder.Called(true)
		a.beats.nodes = a.resp.Nodes
		a.alloc.Response(a.now(), &a.resp, &a.out)
		a.carryOut(&a.out)
	} else if reason, exit := a.refusal(err, first); reason != "" {
		a.masterFails(reason, exit)
		return
	}
	a.beats.waiting = a.alloc.Waiting()
	a.beats.next = a.now() + a.beats.ladder.Pause(a.beats.waiting)
	a.expect()
}

// givesUp ends the application if too many executors have failed or no node is left for them, which the loop looks at before each call.
func (a *asked) givesUp() bool {
	reason := a.alloc.Fatal(a.now())
	if reason != "" {
		a.masterFails(reason, exitExecutorFailures)
	}
	return reason != ""
}

// refusal returns why the application fails as the ResourceManager has not taken a call, with the exit status of its application master; "" if that goes on: it
// makes the call again, some times in a row. The first call is none of the loop.
//
// Source: ApplicationMaster.createAllocator, allocationThreadImpl.
func (a *asked) refusal(err error, first bool) (reason string, exit int32) {
	var invalid protocol.InvalidAsk
	if !errors.As(err, &invalid) {
		return err.Error(), exitReporter
	}
	exit = exitUncaught
	if !first {
		exit = exitReporter
		if !a.beats.ladder.Called(false) {
			return "", 0
		}
	}
	largest := a.h.MaxAllocation()
	for i := range a.req.Asks {
		if k := &a.req.Asks[i]; !k.Size.FitsIn(largest) {
			more, most := k.Size.Over(largest, a.kind.Types)
			return fmt.Sprintf("an executor of resource profile %d asks for %s, the largest allocation of queue %s is %s", k.Priority, more, a.rec.Queue, most), exit
		}
	}
	return err.Error(), exit
}

// wake ends the sleep of the AM's loop at once and resets its pauses. Whether there is something to do is looked at anew.
func (a *asked) wake() {
	if a.stopping {
		return
	}
	b := &a.beats
	if a.woken(); b.next == never {
		return
	}
	was := b.queued
	b.queued = false
	if a.expect(); was && !b.queued {
		a.h.Set(evHeartbeat, never)
	}
}

// woken ends the sleep of the AM's loop.
func (a *asked) woken() {
	a.pass()
	b := &a.beats
	b.ladder.Wake()
	if b.next == never {
		return
	}
	b.next, b.ahead = a.now(), a.h.Passed(evHeartbeat)
	if b.ahead {
		a.h.HeartbeatNow()
	}
	b.waiting = a.alloc.Waiting() // as the heartbeat will find it
}

// Finish is part of [master.Master]. The replay ends behind all of this time, so a heartbeat that is ahead has come.
func (a *asked) Finish() {
	a.beats.ahead = false
	a.Driver.Finish()
}

// Handle is part of [master.Master].
func (a *asked) Handle(k master.EventKind, arg int64) {
	if a.lost.left && !ofDriver(k) {
		return
	}
	if k > evHeartbeat {
		a.beats.ahead = false
	}
	a.Driver.Handle(k, arg)
	if len(a.questions) > 0 {
		a.answered()
	}
}

// expect puts the next heartbeat into the event queue if it has something to do. It comes after each change of what decides that.
func (a *asked) expect() {
	if a.beats.queued || a.beats.next == never || !a.kind.Dense && !a.beats.news && !a.alloc.Due(a.now()) {
		return
	}
	a.pass()
	a.queue()
}

// Expect is part of [master.Expecter].
func (a *asked) Expect() {
	a.Driver.Expect()
	a.expect()
}

// quit ends the loop.
func (a *asked) quit() {
	a.pass()
	a.beats.queued, a.beats.next = false, never
	a.h.Set(evHeartbeat, never)
	a.questions = a.questions[:0]
	a.h.Set(evAskTimeout, never)
}

func (a *asked) queue() {
	a.beats.queued = true
	a.h.Set(evHeartbeat, a.beats.next)
}

// pass lets the heartbeats pass whose time has come without anything to do.
func (a *asked) pass() {
	if a.beats.pass(a.h) {
		a.alloc.Nodes(a.beats.nodes)
	}
}

// pass reports whether any has passed.
func (b *heartbeats) pass(h master.Host) (any bool) {
	if b.queued {
		return false
	}
	now := h.Now()
	for b.next < now || b.next == now && !b.ahead && h.Passed(evHeartbeat) {
		b.ahead = false
		pause := b.ladder.Pause(b.waiting)
		times := int64(1)
		if pause == b.ladder.Longest() { // so are those after it
			times = max((now-b.next+pause-1)/pause, 1)
		}
		h.HeartbeatsPass(evHeartbeat, b.next, pause, times)
		b.next += times * pause
		any = true
	}
	return any
}

// Pass is part of [master.Passer].
func (a *asked) Pass() { a.pass() }

// Talks is part of [master.Talker].
func (a *asked) Talks() int64 {
	if a.stopping {
		return 0
	}
	a.pass()
	return a.beats.next
}

// Hears is part of [master.Hearer].
func (a *asked) Hears(k master.EventKind, at int64) (gives []protocol.ContainerID, ok bool) {
	if k != evHeartbeat {
		return nil, false
	}
	return a.alloc.Gives(at)
}

func (a *asked) news() {
	if a.beats.news = true; !a.beats.queued {
		a.expect()
	}
}

func (a *asked) nodesChanged(n int) {
	if n == a.beats.nodes {
		return
	}
	a.pass()
	a.beats.nodes = n
}
