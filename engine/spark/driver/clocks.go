package driver

import "replay/engine/master"

// A clock is a periodic timer of the driver. Its times are computed, and only one of them is in the event queue: the next
// at which it can do something. With [Setup.Dense] that is each of them, which is the definition of correct.
type clock struct {
	kind   master.EventKind // of class [master.Timer]
	first  int64            // of its times
	period int64

	at      int64 // the time that is in the queue, but for a tick in a span, never for none
	unknown bool  // what is in the queue follows from another rule
}

// clocks are the clocks that a driver may have.
type clocks struct {
	tick, gate, revive, speculate clock

	within bool // each time of revive is one of tick
	alone  bool // none but tick is in the queue or may get there before a task waits and a core is free
}

// all yields the clocks that the driver has.
func (l *clocks) all(yield func(*clock) bool) {
	for _, c := range [...]*clock{&l.tick, &l.gate, &l.revive, &l.speculate} {
		if c.period > 0 && !yield(c) {
			return
		}
	}
}

// tick executes the clock of a kind; ok is false when no clock has the kind.
func (d *Driver) tick(k master.EventKind) (ok bool) {
	l := &d.clocks
	switch k {
	case evTick:
		l.tick.at = never
		d.mgr.Tick(d.now())
	case evGate:
		l.gate.at = never
		d.gate()
	case evReviveTimer:
		l.revive.at = never
		d.offerAll()
	case evSpeculate:
		l.speculate.at = never
		d.speculate()
	default:
		return false
	}
	return true
}

// start begins with a clock whose first time is in after ms.
func (d *Driver) start(c *clock, k master.EventKind, period, after int64) {
	*c = clock{kind: k, period: period, first: d.now() + after, at: never, unknown: true}
	d.clocks.alone = false
	t, r := &d.clocks.tick, &d.clocks.revive
	d.clocks.within = t.period > 0 && r.period > 0 && r.first >= t.first && (r.first-t.first)%t.period == 0 && r.period%t.period == 0
}

// wind brings what is scheduled up to date after an event. A clock is due at the earliest time at which it could do something if nothing happens before, never
// if it could not: now, or a time that does not depend on now. Too early a time costs time, too late a one is wrong.
func (d *Driver) wind() {
	if d.stopping || d.still() {
		return
	}
	now, l := d.now(), &d.clocks
	if d.reviveAt == now {
		d.revived()
	}
	if d.kind.Dense {
		for c := range l.all {
			d.schedule(c, now)
		}
		return
	}
	// A clock of which nothing has moved is as it is in the queue, or is not there; and no other time comes before one that is its next.
	if c := &l.tick; c.period > 0 && (d.mgr.Told() || c.unknown || c.at <= now) && !c.isNext(now) && (d.mgr.Moved() || c.unknown || c.at <= now) {
		d.expectAt(c, d.mgr.NextInteresting(now))
	}
	if c := &l.revive; c.period > 0 && (d.tasks.OffersMatter() || c.at != never || c.unknown || len(d.fresh) > 0) {
		if due := d.reviveDue(now); due != never || c.at != never || c.unknown {
			d.expectAt(c, due)
		}
	}
	if c := &l.gate; c.period > 0 && (!d.started || c.unknown || c.at != never) {
		d.expectAt(c, d.gateDue(now))
	}
	if c := &l.speculate; c.period > 0 {
		due := d.tasks.SpeculationDue()
		if due != never {
			due = max(now, due)
		}
		d.expectAt(c, due)
	}
	r, g := &l.revive, &l.gate
	l.alone = l.tick.period > 0 && !l.tick.unknown && r.at == never && !r.unknown && (g.period == 0 || d.started && g.at == never && !g.unknown) && l.speculate.period == 0 &&
		!d.tasks.MayExclude() && !d.set.coreless
}

// still reports whether it is easily seen that nothing that is scheduled has to change, as behind most events: a task has ended, and another one has its core or none waits for it.
func (d *Driver) still() bool {
	l, now := &d.clocks, d.now()
	return l.alone && l.tick.at > now && d.reviveAt != now && !d.mgr.Told() && (d.free <= 0 || !d.tasks.Pending())
}

// undisturbed reports whether neither an offer of all executors nor a clock may come between now and a time.
func (d *Driver) undisturbed(to int64) bool {
	if d.still() {
		return d.clocks.tick.at >= to
	}
	return d.reviveAt != d.now() && !d.ticksBefore(to)
}

// ticksBefore reports whether a clock that may be due has one of its times between now and a time.
func (d *Driver) ticksBefore(at int64) bool {
	now, l := d.now(), &d.clocks
	return l.tick.has(now, at) || !l.within && l.revive.has(now, at) || l.speculate.has(now, at) || !d.started && l.gate.has(now, at)
}

// has reports whether one of the clock's times is at a time or behind it, and before another.
func (c *clock) has(from, to int64) bool { return c.period > 0 && c.from(from) < to }

// isNext reports whether the time of the clock that is in the queue is the next one that it has.
func (c *clock) isNext(now int64) bool { return c.at > now && c.at-c.period < now && !c.unknown }

// expectAt has a clock run when it is due.
func (d *Driver) expectAt(c *clock, due int64) {
	c.unknown = false
	now := d.now()
	switch {
	case due == never:
		d.setClock(c, never)
	case c.at != never && c.at > now && c.at-c.period < due && due <= c.at: // as it is in the queue
	default:
		d.schedule(c, due)
	}
}

// schedule has a clock run at its first time that is due.
func (d *Driver) schedule(c *clock, due int64) {
	t, now := c.from(due), d.now()
	if t == now && d.h.Passed(c.kind) {
		t += c.period
	}
	d.setClock(c, t)
}

// Expect is part of [master.Expecter].
func (d *Driver) Expect() {
	for c := range d.clocks.all {
		c.unknown = true
	}
	d.clocks.alone = false
	d.wind()
}

// setClock has the clock run at a time next. Ticks come by themselves in a span, see [Driver.statuses].
func (d *Driver) setClock(c *clock, at int64) {
	if c.at != at {
		if c.at = at; d.span == nil || c.kind != evTick {
			d.h.Set(c.kind, at)
		}
	}
}

// stopClocks ends all clocks.
func (d *Driver) stopClocks() {
	for c := range d.clocks.all {
		d.setClock(c, never)
	}
}

// from returns the first time of the clock at or after t.
func (c *clock) from(t int64) int64 {
	if t <= c.first {
		return c.first
	}
	return c.first + (t-c.first+c.period-1)/c.period*c.period
}
