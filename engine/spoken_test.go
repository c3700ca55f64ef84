package engine

import (
	"testing"

	"replay/engine/yarn"

	"pgregory.net/rapid"
)

// TestSpokenUntil compares the latest of heartbeats that were told ahead with each of them counted.
func TestSpokenUntil(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var told spoken
		var each []yarn.Place
		at := int64(1)
		for range rapid.IntRange(0, 6).Draw(t, "sayings") {
			x := saying{yarn.Place{AtMS: at, Order: rapid.Uint64Range(1, 3).Draw(t, "order")}, rapid.Int64Range(1, 4).Draw(t, "period"), rapid.Int64Range(1, 5).Draw(t, "n")}
			told.ahead = append(told.ahead, x)
			for i := range x.n {
				each = append(each, yarn.Place{AtMS: at + i*x.period, Order: x.first.Order})
			}
			at = each[len(each)-1].AtMS + rapid.Int64Range(1, 4).Draw(t, "pause")
		}
		now := yarn.Place{}
		for range 12 {
			now = yarn.Place{AtMS: now.AtMS + rapid.Int64Range(1, 9).Draw(t, "on"), Order: rapid.Uint64Range(1, 3).Draw(t, "place")}
			var want yarn.Place
			for _, p := range each {
				if !now.Before(p) {
					want = p
				}
			}
			if told.until(now); told.latest != want {
				t.Fatalf("at %v the latest is %v, not %v", now, told.latest, want)
			}
		}
	})
}

// TestSpokenAhead: what an application says ahead of its time counts from its time on.
func TestSpokenAhead(t *testing.T) {
	s := &sim{listens: true}
	a := &app{s: s, id: 1}
	s.left.enter(a)
	place := func(at int64) yarn.Place { return yarn.Place{AtMS: at} }
	s.now = 10
	a.say(place(9), 1, 1)
	s.ahead.on, s.now = true, 30
	a.say(place(20), 5, 3)
	s.ahead.on = false
	for _, tt := range [][2]int64{{10, 9}, {19, 9}, {20, 20}, {27, 25}, {40, 30}} {
		if s.now = tt[0]; s.Spoke(1) != place(tt[1]) {
			t.Errorf("at %d it spoke at %v last, want %d", tt[0], s.Spoke(1), tt[1])
		}
	}
	if len(a.spoken.ahead) > 0 {
		t.Errorf("%v is left", a.spoken.ahead)
	}
}
