package rm

import (
	"fmt"
	"math"

	"replay/engine/protocol"
	"replay/engine/yarn"
)

// A Timer is what the ResourceManager does by itself at a time that it has asked the [Host] for.
type Timer uint8

// The timers.
const (
	NodeExpired    Timer = iota // a silent node is found lost; number: node
	ExpiryCheck                 // the monitor of acquired containers looks
	PreemptionKill              // containers chosen by preemption are due
	Cleanup                     // empty dynamic queues go
	ReloadFile                  // an allocation file comes into force; number: its position
	ContinuousPass              // a pass of continuous scheduling
	MasterExpired               // a silent application master is found; number: application, arg: attempt
	MonitorLook                 // the monitor looks for containers to preempt
)

// loaderMS is the period of the FairScheduler's loader, which removes dynamic queues that are empty.
//
// Source: AllocationFileLoaderService.ALLOC_RELOAD_INTERVAL_MS.
const loaderMS = 10_000

// deepestQueue is how many clean-ups in a row may find something while nothing is there: each removes the lowest queues
// of a branch.
const deepestQueue = 64

// startTimers schedules what the scheduler does by itself besides updates.
func (r *RM) startTimers() {
	c := &r.config
	if _, can := r.sched.(yarn.Continuous); can && c.ContinuousMS > 0 {
		r.host.At(c.ContinuousMS, ContinuousPass, 0, 0)
	}
	if m, can := r.sched.(yarn.Monitored); can && m.Monitoring() > 0 {
		r.spares = m
		r.host.At(m.Monitoring(), MonitorLook, 0, 0) // in YARN the first one comes at once, when nothing is there
	}
	if p, can := r.sched.(yarn.Preempter); can && c.Preemption {
		r.spares = p
	}
	if _, can := r.sched.(yarn.Reloader); !can {
		return
	}
	if c.Loader {
		r.host.At(loaderMS, Cleanup, 0, 0)
	}
	for i := range c.Reloads {
		r.host.At(c.Reloads[i].AtMS, ReloadFile, int64(i), 0)
	}
}

// MoreReloads schedules the files that come into force at a time or later and are not scheduled yet.
func (r *RM) MoreReloads(from int64, scheduled func(number int64) bool) {
	for i := range r.config.Reloads {
		if l := &r.config.Reloads[i]; l.AtMS >= from && !scheduled(int64(i)) {
			r.host.At(l.AtMS, ReloadFile, int64(i), 0)
		}
	}
}

// Fire runs a timer that is due now, with what it was scheduled with.
func (r *RM) Fire(now int64, t Timer, number, arg int64) {
	switch {
	case !r.leaveOut():
	case t == ContinuousPass: // it would only find that nobody asks
		r.again(now, t, r.config.ContinuousMS, true)
		return
	case t == MonitorLook: // or that nobody has anything
		r.again(now, t, r.sched.(yarn.Monitored).Monitoring(), true)
		return
	}
	r.clock(now)
	switch t {
	case NodeExpired:
		r.nodeExpired(now, protocol.NodeID(number), arg)
	case MasterExpired:
		r.mastersExpire(now)
	case ExpiryCheck:
		r.checkExpiry(now)
	case PreemptionKill:
		p := r.sched.(yarn.Preempter)
		p.KillDue()
		r.drain(now)
		r.scheduleKill(now, p)
	case MonitorLook:
		m := r.sched.(yarn.Monitored)
		m.Look()
		r.again(now, t, m.Monitoring(), false)
	case Cleanup:
		r.sched.(yarn.Reloader).Cleanup()
		if r.idle.cleanups++; !r.Quiet() {
			r.idle.cleanups = 0
		}
		r.again(now, t, loaderMS, r.leaveOut() && r.idle.cleanups >= deepestQueue)
	case ReloadFile:
		r.reload(now, &r.config.Reloads[number])
	case ContinuousPass:
		if !r.pause(now) {
			r.sched.(yarn.Continuous).ContinuousPass()
			r.again(now, t, r.config.ContinuousMS, false)
		}
	}
	r.drain(now)
}

// reload puts an allocation file in force. Where the real class throws in the middle, what YARN has then holds.
func (r *RM) reload(now int64, l *Reload) {
	r.matter()
	if err := r.sched.(yarn.Reloader).Reload(l.File); err != nil {
		r.host.Warn("reload", fmt.Sprintf("reload of %s at %d ms: YARN's loader throws %v", l.Name, now, err))
	}
}

// Woken reports whether nodes have come or gone since the last call: that wakes the thread of fair-share updates before its time.
//
// Source: FairScheduler.addNode, removeNode, AbstractYarnScheduler.triggerUpdate.
func (r *RM) Woken() bool {
	woken := r.woken
	r.woken = false
	return woken
}

// Update runs the fair-share update, and the preemption thread after it.
func (r *RM) Update(now int64) {
	r.clock(now)
	r.sched.Update()
	r.drain(now)
	if p, does := r.sched.(yarn.Preempter); does && r.config.Preemption {
		p.Preempt()
		r.scheduleKill(now, p)
	}
}

// Spares returns from when on, ms, a container of an application may be killed by preemption at the earliest.
func (r *RM) Spares(id protocol.AppID, now int64) int64 {
	if r.spares == nil { // as most often
		return math.MaxInt64
	}
	at := r.spares.Spares(id, now+r.config.StartMS) // by its clock
	if at == math.MaxInt64 {
		return at
	}
	return at - r.config.StartMS
}

// scheduleKill asks for the time at which the first of the containers that preemption chose is due.
func (r *RM) scheduleKill(now int64, p yarn.Preempter) {
	at, ok := p.NextKill()
	if at -= r.config.StartMS; ok && at != r.killAt {
		r.killAt = at
		r.host.At(max(at, now), PreemptionKill, 0, 0)
	}
}
