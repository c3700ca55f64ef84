package driver

import "replay/engine/master"

// A clock is a periodic timer of the driver. Its times are computed, and only one of them is in the event queue: the next
// at which it can do something. With [Setup.Dense] that is each of them, which is the definition of correct.
type clock struct {
	kind   master.EventKind // of class [master.Timer]
	first  int64            // of its times
	period int64

	at      int64 // the time that is in the queue, never for none
	unknown bool  // what is in the queue follows from another rule
}

// due returns the earliest time, not before t, at which the clock of a kind could do something if nothing happens before it; never
// if it could not: the later of t and of a time that does not depend on t. Too early an answer costs time, too late a one is wrong.
func (d *Driver) due(k master.EventKind, t int64) int64 {
	switch k {
	case evTick:
		return d.mgr.NextInteresting(t)
	case evGate:
		return d.gateDue(t)
	case evReviveTimer:
		return d.reviveDue(t)
	case evSpeculate:
		if due := d.tasks.SpeculationDue(); due != never {
			return max(t, due)
		}
		return never
	}
	return t
}

// strike executes the clock of a kind.
func (d *Driver) strike(k master.EventKind) {
	switch k {
	case evTick:
		d.mgr.Tick(d.now())
	case evGate:
		d.gate()
	case evReviveTimer:
		d.offerAll()
	case evSpeculate:
		d.speculate()
	}
}

// start adds a clock whose first time is in after ms.
func (d *Driver) start(c clock, after int64) {
	c.first, c.at, c.unknown = d.now()+after, never, true
	d.clocks = append(d.clocks, c)
}

// wind brings what is scheduled up to date after an event.
func (d *Driver) wind() {
	if d.stopping {
		return
	}
	now := d.now()
	if d.reviveAt == now {
		d.revived()
	}
	for i := range d.clocks {
		c := &d.clocks[i]
		due := now
		if !d.kind.Dense {
			if d.unmoved(c) && !c.unknown && c.at > now { // never, or as it is in the queue
				continue
			}
			c.unknown = false
			switch due = d.due(c.kind, now); {
			case due == never:
				c.set(d.h, never)
				continue
			case c.at != never && c.at > now && c.at-c.period < due && due <= c.at: // as it is in the queue
				continue
			}
		}
		t := c.from(due)
		if t == now && d.h.Passed(c.kind) {
			t += c.period
		}
		c.set(d.h, t)
	}
}

// unmoved reports whether nothing has happened since the last call after which a clock would run at another time.
func (d *Driver) unmoved(c *clock) bool {
	switch c.kind {
	case evTick:
		return !d.mgr.Moved()
	case evGate:
		return d.started && c.at == never
	case evReviveTimer:
		return c.at == never && d.reviveDue(0) == never
	}
	return false
}

// Expect is part of [master.Expecter].
func (d *Driver) Expect() {
	for i := range d.clocks {
		d.clocks[i].unknown = true
	}
	d.wind()
}

// set has the clock run at a time next.
func (c *clock) set(h master.Host, at int64) {
	if c.at != at {
		c.at = at
		h.Set(c.kind, at)
	}
}

// stopClocks ends all clocks.
func (d *Driver) stopClocks() {
	for i := range d.clocks {
		d.clocks[i].set(d.h, never)
	}
}

// from returns the first time of the clock at or after t.
func (c *clock) from(t int64) int64 {
	if t <= c.first {
		return c.first
	}
	return c.first + (t-c.first+c.period-1)/c.period*c.period
}

// tick executes the clock of a kind; ok is false when no clock has the kind.
func (d *Driver) tick(k master.EventKind) (ok bool) {
	for i := range d.clocks {
		if c := &d.clocks[i]; c.kind == k {
			c.at = never
			d.strike(k)
			return true
		}
	}
	return false
}
