package engine

import (
	"slices"

	"replay/engine/master"
	"replay/engine/protocol"
	"replay/engine/yarn"
)

// spoken are the heartbeats of an application master that the ResourceManager has not heard because they ask for nothing. A scheduler that is a
// [yarn.Listener] may want to know when the latest was. They are told when they have passed, and of an application that has run ahead before.
type spoken struct {
	latest yarn.Place
	ahead  []saying // in their order
}

// saying are heartbeats one period after the other.
type saying struct {
	first     yarn.Place
	period, n int64
}

// say notes n heartbeats.
func (a *app) say(first yarn.Place, period, n int64) {
	s := a.s
	if !s.listens {
		return
	}
	x := saying{first, period, n}
	if s.ahead.on {
		a.spoken.ahead = append(a.spoken.ahead, x)
		return
	}
	if len(a.spoken.ahead) > 0 {
		a.spoken.until(s.Place())
	}
	a.spoken.take(x)
}

// last is the place of the last of them.
func (x *saying) last() yarn.Place {
	return yarn.Place{AtMS: x.first.AtMS + (x.n-1)*x.period, Order: x.first.Order}
}

func (t *spoken) take(x saying) {
	if last := x.last(); t.latest.Before(last) {
		t.latest = last
	}
}

// until takes what was told ahead and has come by now.
func (t *spoken) until(now yarn.Place) {
	t.ahead = slices.DeleteFunc(t.ahead, func(x saying) bool {
		all := x.n
		if now.Before(x.last()) {
			if x.n = 0; x.period > 0 {
				x.n = (now.AtMS-x.first.AtMS)/x.period + 1
			}
		}
		if x.n > 0 && now.Before(x.last()) { // of this millisecond, and behind
			x.n--
		}
		if x.n > 0 {
			t.take(x)
		}
		return x.n == all
	})
}

// The simulation is what a scheduler asks.
var _ yarn.Masters = (*sim)(nil)

// Place is part of [yarn.Masters].
func (s *sim) Place() yarn.Place { return yarn.Place{AtMS: s.now, Order: s.reached} }

// Spoke is part of [yarn.Masters].
func (s *sim) Spoke(id protocol.AppID) yarn.Place {
	a := s.left.latest(id)
	if a == nil {
		return yarn.Place{}
	}
	if p, ok := a.master.(master.Passer); ok {
		p.Pass()
	}
	a.spoken.until(s.Place())
	return a.spoken.latest
}

func (a *app) HeartbeatsPass(k master.EventKind, first, period, n int64) {
	a.s.totals.AMHeartbeats += n
	kind := numKinds + eventKind(k)
	a.say(yarn.Place{AtMS: first, Order: order(a.kind.rows[kind].class, int64(a.id), kind, 0)}, period, n)
}

func (a *app) HeartbeatsHear(n int) { a.s.rm.Heard(a.id, a.attempt, n) }

func (a *app) HeartbeatNow() { a.say(a.s.Place(), 0, 1) }
