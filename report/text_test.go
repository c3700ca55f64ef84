package report

import (
	"math"
	"testing"
)

func TestNumbersForPeople(t *testing.T) {
	for _, tt := range []struct {
		unit        string
		x           float64
		amount, dif string
	}{
		{"ms", 0, "0 s", "0 s"},
		{"ms", 12, "12 ms", "+12 ms"},
		{"ms", -12.34, "−12.3 ms", "−12.3 ms"},
		{"ms", .0123, "0.012 ms", "+0.012 ms"},
		{"ms", 1500, "1.50 s", "+1.50 s"},
		{"ms", 119_999, "120.00 s", "+120.00 s"},
		{"ms", 150_000, "2.50 min", "+2.50 min"},
		{"ms", 3 * hourMS, "3.00 h", "+3.00 h"},
		{"ms", -72 * hourMS, "−3.00 d", "−3.00 d"},
		{"share", .5, "50.00 %", "+50.00 pp"},
		{"share", 0, "0.00 %", "0 pp"},
		{"share", -.000012, "−0.0012 %", "−0.0012 pp"},
		{"share", 1e-13, "0.000000 %", "0 pp"},
		{"count", 1_234_567, "1,234,567", "+1,234,567.0"},
		{"count", -2.5, "−3", "−2.5"},
		{"ratio", 2.5, "2.500", "+2.500"},
		{"index", .00012, "0.00012", "+0.00012"},
		{"jobs/h", 12345.678, "12,345.68 jobs/h", "+12,345.68 jobs/h"},
	} {
		v := Value{Unit: tt.unit}
		if got := v.amount(tt.x); got != tt.amount {
			t.Errorf("%v in %s is %q, want %q", tt.x, tt.unit, got, tt.amount)
		}
		if got := v.difference(tt.x); got != tt.dif {
			t.Errorf("difference of %v in %s is %q, want %q", tt.x, tt.unit, got, tt.dif)
		}
	}
	absent := Value{Unit: "ms", Number: math.NaN(), Absent: "nobody waited"}
	if got := absent.Text(); got != "- (nobody waited)" {
		t.Errorf("absent value is %q", got)
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
