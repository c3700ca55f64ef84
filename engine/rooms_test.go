package engine

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"replay/policy/resource"
)

// TestRoomsThatAreShared: what is kept of a room is what it was when it was kept, whoever else keeps it, gives it back, or keeps it after a change.
func TestRoomsThatAreShared(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const count = 70
		var p placed
		n := new(nodes)
		type held struct {
			at    int32
			words []uint64
		}
		var kept []held
		rooms := []*room{}
		for _, memory := range []int64{2, 5} {
			r := &room{size: resource.R(memory, 1)}
			r.Reset(count)
			for id := range count {
				r.Set(id, true)
			}
			rooms = append(rooms, r)
		}
		n.rooms = rooms
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			switch r := rapid.SampledFrom(rooms).Draw(t, "room"); rapid.SampledFrom([]string{"change", "put", "take"}).Draw(t, "what") {
			case "change":
				left := resource.R(rapid.Int64Range(0, 6).Draw(t, "memory"), 1)
				n.book(0, &left)
			case "put":
				kept = append(kept, held{p.put([]int32{0, 69}, true, r), r.AppendTo(nil)})
			case "take":
				if len(kept) == 0 {
					continue
				}
				i := rapid.IntRange(0, len(kept)-1).Draw(t, "which")
				if got := p.take(&kept[i].at); !slices.Equal(got.Roomy, kept[i].words) {
					t.Fatalf("what was kept as %b is %b", kept[i].words, got.Roomy)
				}
				kept = slices.Delete(kept, i, i+1)
			}
		}
	})
}
