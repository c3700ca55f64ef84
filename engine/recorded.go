package engine

import (
	"replay/engine/protocol"
	"replay/engine/record"
)

// Applications that a recording gives the containers of: no ResourceManager takes part.

// startRecorded begins such an application: its master registers at once.
func (a *app) startRecorded() {
	s := a.s
	c := a.bring(0, 0, 0)
	a.am = c.rec.Number
	c.rec.AM = true
	a.rec.AMScheduled, a.rec.AMAllocated, a.rec.FirstAsked = s.now, s.now, s.now
	a.register()
}

// bring makes a container that runs from now on.
func (a *app) bring(node int32, memMiB int64, vcores int32) *container {
	s := a.s
	c := s.newContainer()
	*c = container{process: running, node: protocol.NodeID(node), rec: record.Container{
		Job: a.rec.ID, AMAttempt: int64(a.attempt), Number: int64(len(a.containers) + 1), Node: node, Queue: a.rec.Queue, MemMiB: memMiB, VCores: int64(vcores),
		Asked: record.None, Allocated: s.now, Acquired: s.now, Started: s.now, Registered: s.now, Ended: record.None, Exited: record.None,
	}}
	a.containers = append(a.containers, c)
	a.open++
	if s.guests.on {
		s.hosted(a, c.node)
	}
	s.totals.ContainersAllocated++
	return c
}

// Bring is part of [master.Nodes].
func (a *app) Bring(node int32, memMiB int64, vcores int32) int64 {
	c := a.bring(node, memMiB, vcores)
	a.rec.Containers++
	if a.rec.FirstAllocated == record.None {
		a.rec.FirstAllocated = a.s.now
	}
	return c.rec.Number
}

// Return is part of [master.Nodes].
func (a *app) Return(n int64) {
	s := a.s
	c := a.containerOf(n)
	if c == nil || c.ended {
		return
	}
	c.ended, c.process = true, exited
	a.settle(c, settled)
	c.rec.Ended, c.rec.Exited, c.rec.End = s.now, s.now, record.EndCompleted
	a.held(c, s.now)
	s.totals.ContainersEnded++
	s.writeContainer(a, c)
}

// Leave is part of [master.Nodes].
func (a *app) Leave() {
	s := a.s
	a.rec.Finish = s.now
	a.countDone()
	for n := range a.containers {
		a.Return(int64(n + 1))
	}
	a.leaves()
	s.move()
	s.jobDone(a.rec)
}
