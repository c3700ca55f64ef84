package compare

import (
	"testing"

	"replay/report/metric"
	"replay/report/quantity"
)

// A difference is a part of what the base has, up to all of it; one that is larger, or of nothing, is an amount.
func TestSizeText(t *testing.T) {
	for _, tt := range []struct {
		unit    quantity.Unit
		base, x float64
		want    string
	}{
		{quantity.MS, 1000, 30, "3 %"},
		{quantity.MS, 1000, 1000, "100 %"},
		{quantity.MS, 990, 70_800, "70.80 s"},
		{quantity.MS, 0, 70_800, "70.80 s"},
		{quantity.Ratio, 1, 2.5, "2.500"},
		{quantity.Share, .01, .5, "50 pp"},
		{quantity.Index, .1, .5, "0.5"},
	} {
		row := &Row{Value: metric.Value{Quantity: quantity.Quantity{Unit: tt.unit}}, Cells: []Cell{{Number: tt.base}, {}}}
		if got := row.sizeText(tt.x); got != tt.want {
			t.Errorf("%v of %v %s is %q, want %q", tt.x, tt.base, tt.unit, got, tt.want)
		}
	}
}
