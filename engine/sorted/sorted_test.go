package sorted

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestFind compares with a walk over the list.
func TestFind(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.Int32Range(-50, 50), 0, 70).Draw(t, "list")
		slices.Sort(list)
		number := rapid.Int32Range(-60, 60).Draw(t, "number")
		below := 0
		for _, n := range list {
			if n < number {
				below++
			}
		}
		if got := Below(list, number); got != below {
			t.Fatalf("%d of %v are below %d, got %d", below, list, number, got)
		}
		if got, want := Find(list, number), slices.Index(list, number); got != want {
			t.Fatalf("%d is at %d of %v, got %d", number, want, list, got)
		}
	})
}
