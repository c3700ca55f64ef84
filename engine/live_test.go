package engine

import (
	"testing"

	"pgregory.net/rapid"

	"replay/engine/protocol"
)

// TestLiveApplications compares the window with a map, for attempts that come and go in any order.
func TestLiveApplications(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l live
		var left []*app
		last := map[protocol.AppID]int32{}
		next := protocol.AppID(1)
		for range rapid.IntRange(0, 60).Draw(t, "steps") {
			switch step := rapid.IntRange(0, 3).Draw(t, "step"); {
			case step == 0 && len(left) > 0: // another attempt
				id := rapid.SampledFrom(left).Draw(t, "app").id
				last[id]++
				a := &app{id: id, attempt: last[id]}
				left = append(left, a)
				l.enter(a)
			case step < 2 || len(left) == 0:
				next += protocol.AppID(rapid.IntRange(0, 2).Draw(t, "recorded elsewhere"))
				a := &app{id: next, attempt: 1}
				last[next] = 1
				next++
				left = append(left, a)
				l.enter(a)
			default:
				i := rapid.IntRange(0, len(left)-1).Draw(t, "leaves")
				l.leave(left[i])
				left = append(left[:i], left[i+1:]...)
			}
			want := map[protocol.AppID]*app{}
			for _, a := range left {
				if got := l.of(protocol.NewContainerID(a.id, a.attempt, 3)); got != a {
					t.Fatalf("attempt %d of application %d is %v", a.attempt, a.id, got)
				}
				if b := want[a.id]; b == nil || b.attempt < a.attempt {
					want[a.id] = a
				}
			}
			for id := protocol.AppID(0); id <= next; id++ {
				if got := l.latest(id); got != want[id] {
					t.Fatalf("application %d is %v, want %v", id, got, want[id])
				}
			}
		}
	})
}
