package engine

import (
	"replay/engine/spark"
)

// heartbeat is one turn of the AM's reporter: requests are brought up to date, the ResourceManager is
// called, and what it answered is handled. Then the loop sleeps.
//
// Source: ApplicationMaster.allocationThreadImpl, YarnAllocator.allocateResources.
func (d *driver) heartbeat() {
	s, a := d.s, d.a
	if d.stopping {
		return
	}
	if reason := d.alloc.Fatal(s.now); reason != "" {
		d.fail(reason)
		return
	}
	d.alloc.Request(&d.req)
	a.asked(s, &d.req)
	if err := s.rm.Allocate(s.now, a.id, &d.req, &d.resp); err != nil {
		d.fail(err.Error())
		return
	}
	for i := range d.resp.Allocated {
		a.containerOf(d.resp.Allocated[i].ID.N).rec.Acquired = s.now
	}
	s.watchExpiry()
	d.alloc.Response(s.now, &d.resp, &d.out)
	d.carryOut(&d.out)
	d.beat++
	s.pushApp(s.now+d.ladder.Pause(d.alloc.Waiting()), evAM, a, 0, d.beat)
}

// wake ends the sleep of the AM's loop at once and resets its pauses.
func (d *driver) wake() {
	if d.stopping {
		return
	}
	d.ladder.Wake()
	d.beat++
	d.s.pushApp(d.s.now, evAM, d.a, 0, d.beat)
}

// carryOut does what the allocator decided about granted and completed containers.
func (d *driver) carryOut(out *spark.Outcome) {
	for i := range out.Grants {
		d.matched(&out.Grants[i])
	}
	for _, l := range out.Launches {
		d.launch(l)
	}
	for _, r := range out.Removals {
		d.removeExecutor(r.Executor, lossOf(r.Reason))
	}
	for _, r := range out.Answers {
		d.removeExecutor(r.Executor, lossOf(r.Reason))
	}
}

func lossOf(r spark.LossReason) spark.Loss {
	return spark.Loss{Kind: spark.LossExited, ByApp: r.ByApp}
}

// amDied is the end of the process that holds both AM and driver: executors lose their driver and end.
func (d *driver) amDied() {
	if d.stopping {
		return
	}
	d.stop()
	for i := range d.execs {
		if n := d.execs[i].container; n > 0 {
			d.s.endProcess(d.a, n, d.s.now+d.s.sc.Model.DisconnectMS)
		}
	}
}
