package yarn_test

import (
	"testing"

	"pgregory.net/rapid"

	"replay/engine/yarn"
)

// TestCycle asks for heartbeats in any order, near the last one and far from it: what is known of the cycle of the last one changes no answer.
func TestCycle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		count := rapid.Int64Range(1, 9).Draw(t, "count")
		var c yarn.Cycle
		c.Reset(int(count))
		for h := int64(0); len(rapid.SliceOfN(rapid.Bool(), 0, 8).Draw(t, "more")) > 0; {
			h = max(h+rapid.Int64Range(-3*count, 3*count).Draw(t, "step"), 0)
			if got := c.Rank(h); int64(got) != h%count || c.Number() != h/count {
				t.Fatalf("heartbeat %d of cycles of %d has rank %d in cycle %d", h, count, got, c.Number())
			}
			rank := rapid.IntRange(0, int(count)-1).Draw(t, "rank")
			if next := c.After(h, rank); next < h || next >= h+count || next%count != int64(rank) {
				t.Fatalf("the heartbeat of rank %d from %d on is %d, of cycles of %d", rank, h, next, count)
			}
		}
	})
}
