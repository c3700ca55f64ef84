package sums

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestTimelineKeepsSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := NewTimeline(2)
		held, counted, end := 0.0, 0.0, int64(0)
		for range rapid.IntRange(1, 30).Draw(t, "n") {
			from := rapid.Int64Range(0, 1<<24).Draw(t, "from")
			to := from + rapid.Int64Range(0, 1<<22).Draw(t, "ms")
			v := float64(rapid.IntRange(0, 100).Draw(t, "v"))
			l.Hold(0, from, to, v)
			l.Count(1, from, v)
			held += v * float64(to-from)
			counted += v
			end = max(end, to+1)
		}
		width, bins := l.Rebin(rapid.IntRange(1, 300).Draw(t, "bins"), end)
		sums := []float64{0, 0}
		for c := range bins {
			for _, v := range bins[c] {
				sums[c] += v
			}
		}
		if sums[0] != held || sums[1] != counted || width%l.width != 0 {
			t.Fatalf("sums %v, want %v and %v; width %d of buckets of %d", sums, held, counted, width, l.width)
		}
		if n := len(l.sums) / l.columns; n > mostBuckets {
			t.Fatalf("%d buckets", n)
		}
		l.Restore(l.WidthMS(), [][]float64{l.Column(1), l.Column(0)})
		if _, turned := l.Rebin(len(bins[0]), end); !slices.Equal(turned[1], bins[0]) || !slices.Equal(turned[0], bins[1]) {
			t.Fatalf("columns that change places: %v, want %v", turned, bins)
		}
	})
}

func TestTimelineByHand(t *testing.T) {
	l := NewTimeline(1)
	l.Hold(0, 50, 250, 2) // buckets of 100 ms
	if got := l.Column(0); !slices.Equal(got, []float64{100, 200, 100}) {
		t.Errorf("buckets %v", got)
	}
}
