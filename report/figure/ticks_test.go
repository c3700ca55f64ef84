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
}
