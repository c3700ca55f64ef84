package driver

import "replay/engine/spark/allocator"

// heartbeats are those of an application master. Their times are computed, and only one that has something to do is in the
// event queue; the others pass and are counted. A heartbeat has something to do when the ResourceManager has something
// for it or the allocator has something to ask. Of one that has not, nothing is left but its place in the rhythm, and how
// many nodes the ResourceManager told of.
type heartbeats struct {
	ladder  allocator.HeartbeatLadder
	waiting bool  // the rhythm hurries, since the last one that was executed
	next    int64 // time of the next one, if the loop is not woken; never while one is executed and after the last
	queued  bool  // it is in the event queue
	last    int64 // what it is called there; it replaces those before it
	news    bool  // the ResourceManager has something to tell
	nodes   int   // in the cluster
}

// heartbeat is one turn of the AM's reporter: requests are brought up to date, the ResourceManager is
// called, and what it answered is handled. Then the loop sleeps.
//
// Source: ApplicationMaster.allocationThreadImpl, YarnAllocator.allocateResources.
func (a *asked) heartbeat() {
	a.beats.queued, a.beats.news, a.beats.next = false, false, never
	if reason := a.alloc.Fatal(a.now()); reason != "" {
		a.Fail(reason)
		return
	}
	a.alloc.Request(&a.req)
	if err := a.h.Allocate(&a.req, &a.resp); err != nil {
		a.Fail(err.Error())
		return
	}
	a.beats.nodes = a.resp.Nodes
	a.alloc.Response(a.now(), &a.resp, &a.out)
	a.carryOut(&a.out)
	a.beats.waiting = a.alloc.Waiting()
	a.beats.next = a.now() + a.beats.ladder.Pause(a.beats.waiting)
	a.expect()
}

// wake ends the sleep of the AM's loop at once and resets its pauses.
func (a *asked) wake() {
	if a.stopping {
		return
	}
	a.pass()
	a.beats.ladder.Wake()
	if a.beats.next != never {
		a.beats.next = a.now()
		a.queue()
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

// quit ends the loop.
func (a *asked) quit() {
	a.pass()
	a.beats.queued, a.beats.next = false, never
}

func (a *asked) queue() {
	a.beats.last++
	a.beats.queued = true
	a.h.At(a.beats.next, evHeartbeat, 0, a.beats.last)
}

// pass lets the heartbeats pass whose time has come without anything to do.
func (a *asked) pass() {
	b := &a.beats
	if b.queued {
		return
	}
	count := int64(0)
	for b.next < a.now() || b.next == a.now() && a.h.Passed(evHeartbeat) {
		pause := b.ladder.Pause(b.waiting)
		times := int64(1)
		if pause == b.ladder.Longest() { // so are those after it
			times = max((a.now()-b.next)/pause, 1)
		}
		b.next += times * pause
		count += times
	}
	if count > 0 {
		a.h.Heartbeats(count, 0)
		a.alloc.Nodes(b.nodes)
	}
}

func (a *asked) news() {
	a.beats.news = true
	a.expect()
}

func (a *asked) nodesChanged(n int) {
	a.pass()
	a.beats.nodes = n
}
