package ideal

import (
	"math/rand/v2"
	"testing"
)

// TestEndsComeInOrder takes ends of near and far times, pushed before and between: by time, and as they were pushed.
func TestEndsComeInOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	h := ends{soonest: never}
	left, last := map[end]bool{}, end{}
	pushed := int32(0)
	for range 20_000 {
		if r.IntN(2) == 0 || len(left) == 0 {
			e := end{at: last.at + r.Int64N(1<<r.IntN(42)), slot: pushed}
			pushed++
			left[e] = true
			h.push(e)
			continue
		}
		at := h.next()
		e := h.pop()
		if !left[e] || e.at != at || e.at < last.at || e.at == last.at && e.slot < last.slot {
			t.Fatalf("%+v after %+v, next said %d", e, last, at)
		}
		delete(left, e)
		for other := range left {
			if other.at < e.at {
				t.Fatalf("%+v before %+v", e, other)
			}
			break
		}
		last = e
	}
	for range left {
		h.pop()
	}
	if h.next() != never {
		t.Errorf("next is %d with nothing left", h.next())
	}
}
