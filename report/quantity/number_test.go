package quantity

import (
	"math"
	"testing"
)

// The numbers of a line are in the unit of the largest.
func TestScales(t *testing.T) {
	for _, tt := range []struct {
		unit       Unit
		xs         []float64
		want, last string
	}{
		{MS, []float64{12, -900}, "12.00 ms", "−900.00"},
		{MS, []float64{12, 90_000}, "0.012 s", "+90.00"},
		{MS, []float64{math.NaN(), 150_000}, "NaN", "+2.50"},
		{MS, []float64{6 * HourMS, 0}, "6.00 h", "0.00"},
		{Share, []float64{.4433, -.1}, "44.33 %", "−10.00"},
		{Count, []float64{12, 2.5}, "12", "+2.5"},
		{Index, []float64{.97, .00026}, "0.970", "+0.00026"},
		{JobsPerHour, []float64{1234.5, 1e-12}, "1,234.50 jobs/h", "0.00"},
	} {
		s := tt.unit.ScaleOf(tt.xs...)
		if got := s.Number(tt.xs[0]) + s.Suffix(); !math.IsNaN(tt.xs[0]) && got != tt.want {
			t.Errorf("%v in %s is %q, want %q", tt.xs[0], tt.unit, got, tt.want)
		}
		if got := s.Signed(tt.xs[1]); got != tt.last {
			t.Errorf("%v in %s is %q with its sign, want %q", tt.xs[1], tt.unit, got, tt.last)
		}
	}
	for x, want := range map[float64]string{2.55: "+2.5", -1234.5: "−1,234.5", .04: "0.0", -.04: "0.0", 0: "0.0"} {
		if got := Signed(x, 1); got != want {
			t.Errorf("%v with its sign is %q, want %q", x, got, want)
		}
	}
	for n, want := range map[int64]string{0: "0 jobs", 1: "1 job", 1200: "1,200 jobs"} {
		if got := Counted(n, "jobs"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestNumbersForPeople(t *testing.T) {
	for _, tt := range []struct {
		unit        Unit
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
		{"ms", 3 * HourMS, "3.00 h", "+3.00 h"},
		{"ms", -72 * HourMS, "−3.00 d", "−3.00 d"},
		{"share", .5, "50.00 %", "+50.00 pp"},
		{"share", 0, "0.00 %", "0 pp"},
		{"share", -.000012, "−0.0012 %", "−0.0012 pp"},
		{"share", 1e-13, "under 0.000001 %", "0 pp"},
		{"share", 6e-9, "0.000001 %", "0 pp"},
		{"count", 1_234_567, "1,234,567", "+1,234,567.0"},
		{"count", -2.5, "−3", "−2.5"},
		{"ratio", 2.5, "2.500", "+2.500"},
		{"index", .00012, "0.00012", "+0.00012"},
		{"jobs/h", 12345.678, "12,345.68 jobs/h", "+12,345.68 jobs/h"},
	} {
		if got := tt.unit.Amount(tt.x); got != tt.amount {
			t.Errorf("%v in %s is %q, want %q", tt.x, tt.unit, got, tt.amount)
		}
		if got := tt.unit.Difference(tt.x); got != tt.dif {
			t.Errorf("difference of %v in %s is %q, want %q", tt.x, tt.unit, got, tt.dif)
		}
	}
}
