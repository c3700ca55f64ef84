package mapreduce

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// A list yields what is in it in the order in which that came, whatever left it, and has few more empty places than others.
func TestListOfAttempts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l list
		var want []*attempt
		for serial := range int64(rapid.IntRange(0, 100).Draw(t, "steps")) {
			if n := len(want); n > 0 && rapid.Bool().Draw(t, "leaves") {
				i := rapid.IntRange(0, n-1).Draw(t, "which")
				a := want[i]
				l.remove(a)
				l.remove(a) // it is in none
				want = slices.Delete(want, i, i+1)
			} else {
				a := &attempt{serial: serial}
				l.add(a)
				want = append(want, a)
			}
			if got := slices.Collect(l.all); !slices.Equal(got, want) || l.n != len(want) {
				t.Fatalf("%d attempts, counted as %d, are not the %d that are in the list, or in another order", len(got), l.n, len(want))
			}
			if empty := len(l.places) - l.n; empty > l.n+1 {
				t.Fatalf("%d places are empty, %d are not", empty, l.n)
			}
		}
	})
}
