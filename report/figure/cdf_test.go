package figure

import (
	"testing"

	"replay/report/dist"
)

// Times that are not over count: a line ends at the share of those that are, and its median is that of all.
func TestCDFOfOpenTimes(t *testing.T) {
	d := &dist.Dist{}
	for _, ms := range []int64{1000, 2000, 3000} {
		d.Add(ms)
	}
	for _, tt := range []struct {
		open   int64
		legend string
		end    float64
	}{{0, "a (median 2.00 s)", 1}, {1, "a (median 2.50 s, 1 of 4 not over)", .75}, {7, "a (median –, 7 of 10 not over)", .3}} {
		l := CDFLine{Name: "a", Dist: d, Open: tt.open}
		if got := l.legend(); got != tt.legend {
			t.Errorf("%d open: legend %q, want %q", tt.open, got, tt.legend)
		}
		points := cdfPoints(d, l.over(), 1, 5000)
		if got := points[len(points)-1].Y; got != tt.end {
			t.Errorf("%d open: the line ends at %v, want %v", tt.open, got, tt.end)
		}
	}
}
