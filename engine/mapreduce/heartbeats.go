package mapreduce

import (
	"errors"
	"math"

	"replay/engine/mapreduce/allocator"
	"replay/engine/protocol"
	"replay/engine/record"
)

// never is a time that does not come.
const never = math.MaxInt64

// quit ends heartbeats and scans.
func (j *job) quit() {
	j.beats.Quit()
	j.scan.queued, j.scan.next = false, never
}

// heartbeat is one call of the ResourceManager, and what follows from its answer.
func (j *job) heartbeat() {
	j.beats.Begin()
	now := j.h.Now()
	j.alloc.Build(&j.req)
	if err := j.h.Allocate(&j.req, &j.resp); err != nil {
		j.refusal(err)
		return
	}
	j.answered = record.None
	events, _, err := j.alloc.Received(now, &j.resp, nil)
	if err != nil {
		j.h.Broken("job %d: %v", j.job.ID, err)
		return
	}
	if !j.set.uber {
		j.carryOut(events)
	}
	j.look()
	j.beats.Expect()
	j.expectScan()
}

// refusal is a call that the ResourceManager has not taken. It is made again with each heartbeat, and all that there is to tell with it, until it has not been taken for
// a time: then the master ends without unregistering.
//
// Source: RMContainerAllocator.getResources, JobImpl.InternalRebootTransition.
func (j *job) refusal(err error) {
	var invalid protocol.InvalidAsk
	if !errors.As(err, &invalid) {
		j.Fail(err.Error())
		return
	}
	if j.answered == record.None {
		j.answered = max(j.h.Now()-j.set.HeartbeatMS, j.registered)
	}
	if j.h.Now()-j.answered < j.set.RefusedMS {
		j.beats.Expect()
		return
	}
	j.over = true
	j.quit()
	j.end(record.TaskKilled)
	j.h.Fails(err.Error())
	j.h.EndAM(j.h.Now() + j.k.Model.MRStopMS)
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
			j.Unmatched(e.Container.ID.Number())
		}
	}
}
