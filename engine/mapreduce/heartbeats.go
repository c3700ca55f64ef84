package mapreduce

import (
	"math"

	"replay/engine/mapreduce/allocator"
)

// never is a time that does not come.
const never = math.MaxInt64

// beats are the heartbeats of the application master. Their times are computed; one is in the event queue if it has something to do: something to
// send, or to think over with each answer, or the ResourceManager has something to tell. The others pass and are counted.
type beats struct {
	next   int64 // time of the next one; never after the last
	queued bool
	last   int64 // what it is called in the queue; it replaces those before it
	news   bool  // the ResourceManager has something to tell
}

// expect puts the next heartbeat into the event queue if it has something to do. It comes after each change of what decides that.
func (j *job) expect() {
	b := &j.beats
	if b.queued || b.next == never || j.alloc == nil || !j.k.Dense && !b.news && (j.set.uber || !j.alloc.Due()) {
		return
	}
	j.pass()
	b.last++
	b.queued = true
	j.h.At(b.next, evHeartbeat, 0, b.last)
}

// pass lets the heartbeats pass whose time has come without anything to do.
func (j *job) pass() {
	b := &j.beats
	if b.queued || b.next == never {
		return
	}
	now := j.h.Now()
	if b.next < now {
		n := (now - b.next + j.set.HeartbeatMS - 1) / j.set.HeartbeatMS
		b.next += n * j.set.HeartbeatMS
		j.h.Heartbeats(n, 0)
	}
	if b.next == now && j.h.Passed(evHeartbeat) {
		b.next += j.set.HeartbeatMS
		j.h.Heartbeats(1, 0)
	}
}

// quit ends heartbeats and scans.
func (j *job) quit() {
	j.pass()
	j.beats.queued, j.beats.next = false, never
	j.scan.queued, j.scan.next = false, never
}

// heartbeat is one call of the ResourceManager, and what follows from its answer.
func (j *job) heartbeat() {
	b := &j.beats
	b.queued, b.news = false, false
	b.next = j.h.Now() + j.set.HeartbeatMS
	j.h.Heartbeats(1, 1)
	now := j.h.Now()
	j.alloc.Build(&j.req)
	if err := j.h.Allocate(&j.req, &j.resp); err != nil {
		j.Fail(err.Error())
		return
	}
	events, _, err := j.alloc.Received(now, &j.resp, nil)
	if err != nil {
		j.h.Broken("job %d: %v", j.job.ID, err)
		return
	}
	if !j.set.uber {
		j.carryOut(events)
	}
	j.look()
	j.expect()
	j.expectScan()
}

// carryOut acts on what the allocator says. Its next calls end the list, so it is taken over first.
func (j *job) carryOut(list []allocator.Event) {
	todo := make([]allocator.Event, len(list))
	copy(todo, list)
	for i := range todo {
		e := &todo[i]
		a := j.byID[e.Attempt]
		switch e.Kind {
		case allocator.NodesChanged:
			j.nodesChanged()
		case allocator.NodeKill:
			j.kill(a, e.Reschedule)
		case allocator.RampDownKill, allocator.PreemptionKill:
			j.kill(a, false)
		case allocator.ContainerKilled:
			j.containerGone(a, true)
		case allocator.ContainerCompleted:
			j.containerGone(a, false)
		case allocator.Assigned:
			j.assigned(a, e)
		case allocator.Unassigned:
			j.unassigned(e)
		}
	}
}
