package quantity

import "testing"

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
		{"share", 1e-13, "0.000000 %", "0 pp"},
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
