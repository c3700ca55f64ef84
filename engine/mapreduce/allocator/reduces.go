package allocator

import (
	"cmp"
	"math"
	"slices"

	"replay/policy/resource"
)

// reduces thinks over which reduces are asked for, if something has changed.
func (a *Allocator) reduces(now int64) {
	a.pass = Pass{}
	maps, reduces := a.job.Completed()
	if done := maps + reduces; done != a.lastCompleted || a.sched.maps.len() > 0 {
		a.lastCompleted = done
		a.recalculate = true
	}
	if !a.recalculate {
		return
	}
	a.pass.Ran = true
	a.pass.Preempted = a.preemptIfNeeded(now)
	if !a.pass.Preempted {
		a.schedule(maps)
	}
	a.recalculate = false
}

// NeedsHeadroom reports whether the next heartbeat could decide by the headroom or by how long maps wait, even if nothing else has changed.
func (a *Allocator) NeedsHeadroom() bool {
	if a.sched.maps.len() == 0 {
		return false
	}
	return a.assigned.maps.len() == 0 && !a.reduceSize.IsNone() || len(a.pending) > 0 && (a.reduceStarted || a.slowStartReached())
}

// Due reports whether the next heartbeat has something to send or to think over, whatever its answer.
func (a *Allocator) Due() bool {
	maps, reduces := a.job.Completed()
	return a.recalculate || maps+reduces != a.lastCompleted || len(a.asks.ask)+len(a.asks.release)+len(a.asks.blackAdd)+len(a.asks.blackRemove) > 0 ||
		len(a.asks.raised) > 0 || a.NeedsHeadroom()
}

// total is what the job has and may get, by the sizes that were asked for.
func (a *Allocator) total() resource.Resource {
	return a.headroom.Add(a.mapSize.Mul(float64(a.assigned.maps.len())).Add(a.reduceSize.Mul(float64(a.assigned.reduces.len()))))
}

// preemptIfNeeded takes reduces back when maps wait and none has a container: after a time whatever the headroom, and at once (or after another
// time) if the headroom has no room for a map beside the reduces that are asked for.
func (a *Allocator) preemptIfNeeded(now int64) bool {
	if a.reduceSize.IsNone() || a.assigned.maps.len() > 0 || a.sched.maps.len() == 0 {
		return false
	}
	// Java multiplies the seconds as a 32-bit number.
	if u := int64(1000 * a.conf.UnconditionalPreemptS); u >= 0 {
		if n := a.hanging(now, u); n > 0 {
			a.preemptFor(n)
			return true
		}
	}
	free := a.headroom.Sub(a.reduceSize.Mul(float64(a.sched.reduces.len())))
	if a.room(free, a.mapSize) > 0 {
		return false
	}
	n := a.hanging(now, int64(1000*a.conf.PreemptDelayS))
	if n == 0 {
		return false
	}
	a.preemptFor(n)
	return true
}

// hanging counts maps that wait for longer than a time, all if it is 0 or less.
func (a *Allocator) hanging(now, longerThan int64) (n int) {
	if longerThan <= 0 {
		return a.sched.maps.len()
	}
	for _, r := range a.sched.maps.all {
		if now-r.created > longerThan {
			n++
		}
	}
	return n
}

// preemptFor takes back all reduces that are asked for, and kills running ones for a number of maps: those with the least progress. Attempts that
// are being killed count again with each heartbeat until a map has room.
func (a *Allocator) preemptFor(maps int) {
	a.rampDown(All)
	one := a.needed(a.mapSize, a.reduceSize)
	most := a.needed(a.total().Mul(float64(a.conf.PreemptionLimit)), a.reduceSize)
	every := a.needed(a.mapSize.Mul(float64(maps)), a.reduceSize)
	type running struct {
		Attempt
		progress float32
	}
	var list []running
	for at := range a.assigned.reduces.all {
		list = append(list, running{at, a.job.Progress(at)})
	}
	slices.SortStableFunc(list, func(x, y running) int { return cmp.Compare(x.progress, y.progress) })
	for i := range min(min(max(one, most), every), len(list)) {
		a.tell(Event{Kind: RampDownKill, Attempt: list[i].Attempt})
	}
}

func (a *Allocator) slowStartReached() bool {
	done, _ := a.job.Completed()
	maps, _ := a.job.Totals()
	return done >= int(resource.F2I(math.Ceil(float64(a.conf.SlowStart*float32(maps)))))
}

// schedule asks for reduces, or for fewer, so that maps keep their part of what the job may have.
func (a *Allocator) schedule(completedMaps int) {
	s := &a.sched
	if len(a.pending) == 0 {
		return
	}
	if !a.reduceStarted {
		if !a.slowStartReached() {
			return
		}
		a.reduceStarted = true
	}
	if s.maps.len() == 0 {
		a.pass.Ramps = append(a.pass.Ramps, Ramp{Everything, len(a.pending)})
		a.moveUp(len(a.pending))
		return
	}
	done := float32(1)
	if maps, _ := a.job.Totals(); maps != 0 {
		done = float32(completedMaps) / float32(maps)
	}
	total := a.total()
	forReduces := total.Mul(float64(min(done, a.conf.RampUpLimit)))
	forMaps := total.Sub(forReduces)
	maps := s.maps.len() + a.assigned.maps.len()
	if a.room(forMaps, a.mapSize) >= maps {
		forReduces = forReduces.Add(forMaps.Sub(a.mapSize.Mul(float64(maps))))
	}
	have := a.reduceSize.Mul(float64(s.reduces.len() + a.assigned.reduces.len()))
	if up := a.room(forReduces.Sub(have), a.reduceSize); up > 0 {
		up = min(up, len(a.pending))
		a.pass.Ramps = append(a.pass.Ramps, Ramp{Up, up})
		a.moveUp(up)
	} else if up < 0 {
		a.rampDown(min(-up, s.reduces.len()))
	}
}

// moveUp asks for the first n pending reduces.
func (a *Allocator) moveUp(n int) {
	for _, r := range a.pending[:n] {
		a.sched.reduces.put(r.attempt, r)
		a.asks.add(r)
	}
	a.pending = slices.Delete(a.pending, 0, n)
}

// rampDown takes the oldest n reduces back that are asked for; they come behind those that are not.
func (a *Allocator) rampDown(n int) {
	a.pass.Ramps = append(a.pass.Ramps, Ramp{Down, n})
	for range min(n, a.sched.reduces.len()) {
		r := a.sched.reduces.removeFirst()
		a.asks.remove(r)
		a.pending = append(a.pending, r)
	}
}
