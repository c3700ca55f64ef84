package scenario

import "testing"

// The sample that a time belongs to is found as by going through them.
func TestSamplesTo(t *testing.T) {
	sc := &Scenario{}
	sc.SeriesMS = 10
	for _, n := range []int64{1, 4090, 4096, 8191} {
		from := int64(7)
		for at := from + 1; at < from+500; at++ {
			want, time := int64(0), from
			for time < at {
				time += sc.BetweenSamples(n + want)
				want++
			}
			if got, when := sc.SamplesTo(n, from, at); got != want || when != time {
				t.Fatalf("sample %d is at %d: %d is seen %d samples later at %d, want %d at %d", n, from, at, got, when, want, time)
			}
		}
	}
}
