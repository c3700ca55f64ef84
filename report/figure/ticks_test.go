package figure

import (
	"math"
	"strings"
	"testing"
)

// Things that are counted have no halves.
func TestWholeTicks(t *testing.T) {
	for hi, want := range map[float64]int{1: 2, 2: 3, 5: 6, 60: 4} {
		ticks := Whole(5).Ticks(0, hi)
		for _, tick := range ticks {
			if tick.Value != math.Trunc(tick.Value) || strings.Contains(tick.Label, ".") {
				t.Errorf("up to %v: a tick at %v, %q", hi, tick.Value, tick.Label)
			}
		}
		if len(ticks) != want {
			t.Errorf("up to %v: %d ticks, want %d", hi, len(ticks), want)
		}
	}
}

func TestTicksAreRound(t *testing.T) {
	for _, tt := range []struct {
		lo, hi float64
		want   []string
	}{
		{0, 13, []string{"0", "2", "4", "6", "8", "10", "12"}},
		{0, .6, []string{"0.0", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6"}},
		{0, 0, []string{"0"}},
	} {
		ts := evenTicks{n: 6}.Ticks(tt.lo, tt.hi)
		var got []string
		for _, x := range ts {
			got = append(got, x.Label)
		}
		if len(got) != len(tt.want) {
			t.Errorf("ticks of %v to %v are %q, want %q", tt.lo, tt.hi, got, tt.want)
			continue
		}
		for i := range got {
			if got[i] != tt.want[i] {
				t.Errorf("ticks of %v to %v are %q, want %q", tt.lo, tt.hi, got, tt.want)
				break
			}
		}
	}
}

// Ticks of small shares differ from each other.
func TestSmallPercents(t *testing.T) {
	for hi, want := range map[float64]string{1: "0 % 20 % 40 % 60 % 80 % 100 %", 0.01: "0 % 0.2 % 0.4 % 0.6 % 0.8 % 1 %", 2e-6: "0 % 0.00005 % 0.00010 % 0.00015 % 0.00020 %"} {
		var labels []string
		for _, k := range Percents.Ticks(0, hi) {
			labels = append(labels, k.Label)
		}
		if got := strings.Join(labels, " "); got != want {
			t.Errorf("up to %v: %s, want %s", hi, got, want)
		}
	}
	var labels []string
	for _, k := range Percents.Ticks(-20, 20) {
		labels = append(labels, k.Label)
	}
	if got, want := strings.Join(labels, " "), "−2,000 % −1,000 % 0 % 1,000 % 2,000 %"; got != want {
		t.Errorf("of changes: %s, want %s", got, want)
	}
}

// However narrow an axis of times is, two labels stand on it at least, and at what they say.
func TestTimesAreReadable(t *testing.T) {
	for _, tt := range []struct {
		lo, hi float64
		want   string
	}{
		{1, 100, "1 ms 3 ms 10 ms 30 ms 0.1 s"},
		{900, 11_000, "1 s 3 s 10 s"},
		{5346, 14_950, "6 s 8 s 10 s 12 s 14 s"},
		{310, 520, "350 ms 400 ms 450 ms 500 ms"},
		{1.1e7, 1.9e7, "3.5 h 4.0 h 4.5 h 5.0 h"},
		{4000, 4004, "4.000 s 4.001 s 4.002 s 4.003 s 4.004 s"},
	} {
		var labels []string
		for _, k := range (logTimeTicks{}).Ticks(tt.lo, tt.hi) {
			if k.Value < tt.lo*.999 || k.Value > tt.hi*1.001 {
				t.Errorf("from %v to %v: %s stands at %v", tt.lo, tt.hi, k.Label, k.Value)
			}
			labels = append(labels, k.Label)
		}
		if got := strings.Join(labels, " "); got != tt.want {
			t.Errorf("from %v to %v: %s, want %s", tt.lo, tt.hi, got, tt.want)
		}
	}
}
