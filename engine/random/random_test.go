package random

import (
	"fmt"
	"slices"
	"testing"
)

// TestStreamIsPinned holds the mapping of seed and name: results of other versions stay comparable.
func TestStreamIsPinned(t *testing.T) {
	r := Stream(1, "node-heartbeat-phase")
	if got, want := fmt.Sprint(r.Int64N(1000), r.Int64N(1000), r.Int64N(1000)), "787 73 953"; got != want {
		t.Errorf("stream begins with %s, want %s", got, want)
	}
	m := NewMomentary(1, "offers-0")
	if got, want := fmt.Sprint(m.At(0).Perm(5), m.At(1000).Perm(5)), "[4 1 0 3 2] [1 2 3 4 0]"; got != want {
		t.Errorf("orders of offers are %s, want %s", got, want)
	}
}

// What is drawn at a time does not depend on what was drawn before.
func TestMomentaryForgets(t *testing.T) {
	a, b := NewMomentary(7, "x"), NewMomentary(7, "x")
	for now := range int64(50) {
		a.At(now * 3).Perm(9)
	}
	if x, y := a.At(1234).Perm(20), b.At(1234).Perm(20); !slices.Equal(x, y) {
		t.Errorf("after other draws %v, without them %v", x, y)
	}
	other := NewMomentary(7, "y")
	if x, y := a.At(1234).Perm(20), other.At(1234).Perm(20); slices.Equal(x, y) {
		t.Errorf("two purposes draw %v alike", x)
	}
}

// Each position is equally likely at neighbouring times: over 40,000 of them each of 4 executors comes first a quarter of
// the time, within 5 standard deviations.
func TestMomentaryIsUniform(t *testing.T) {
	const n, k = 40_000, 4
	m := NewMomentary(3, "offers-1")
	var first [k]int
	for now := range int64(n) {
		order := []int{0, 1, 2, 3}
		m.At(now).Shuffle(k, func(i, j int) { order[i], order[j] = order[j], order[i] })
		first[order[0]]++
	}
	for e, c := range first {
		if d := c - n/k; d*d > 25*n*(k-1)/(k*k) {
			t.Errorf("executor %d comes first %d times of %d: %v", e, c, n, first)
		}
	}
}
