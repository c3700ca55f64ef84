package fair

import (
	"container/heap"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The leaves that are due at an offer or before are all visited, each once, and the visit ends where it is told to.
func TestDuesToAnOffer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var d dues
		var all []*queue
		for _, due := range rapid.SliceOfN(rapid.Int64Range(0, 9), 0, 20).Draw(t, "dues") {
			q := &queue{}
			q.found.due = due
			all = append(all, q)
			heap.Push(&d, q)
		}
		offer := rapid.Int64Range(-1, 10).Draw(t, "offer")
		most := rapid.IntRange(0, 20).Draw(t, "most")
		want := 0
		for _, q := range all {
			if q.found.due <= offer {
				want++
			}
		}
		var met []*queue
		on := d.to(offer, 0, func(q *queue) bool {
			if q.found.due > offer || slices.Contains(met, q) {
				t.Fatalf("a leaf that is due at %d is visited at %d, or again", q.found.due, offer)
			}
			met = append(met, q)
			return len(met) <= most
		})
		if on != (want <= most) || len(met) != min(want, most+1) {
			t.Fatalf("%d of %d leaves are visited, at most %d wanted, and it says %v", len(met), want, most+1, on)
		}
	})
}
