package spark

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The median is that of the sorted durations, whatever their order.
func TestMedianOfDurations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var d durations
		var sorted []int64
		for _, ms := range rapid.SliceOfN(rapid.Int64Range(0, 9), 1, 60).Draw(t, "durations") {
			d.insert(ms)
			sorted = append(sorted, ms)
			slices.Sort(sorted)
			if got, want := d.median(), sorted[len(sorted)/2]; got != want || d.count() != len(sorted) {
				t.Fatalf("%d is the median of %d, want %d of %v", got, d.count(), want, sorted)
			}
		}
	})
}
