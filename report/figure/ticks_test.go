package figure

import "testing"

func TestTicksAreRound(t *testing.T) {
	for _, tt := range []struct {
		lo, hi float64
		want   []string
	}{
		{0, 13, []string{"0", "2", "4", "6", "8", "10", "12"}},
		{0, .6, []string{"0.0", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6"}},
		{0, 0, []string{"0"}},
	} {
		ts := evenTicks{6}.Ticks(tt.lo, tt.hi)
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
