package figure

import (
	"math"

	"replay/report/quantity"
)

// Steps turns bins into a step line; NaN bins leave the line at its last value.
func Steps(width, unit float64, values []float64) Points {
	var xys Points
	for b, v := range values {
		if math.IsNaN(v) {
			continue
		}
		xys = append(xys, Point{X: float64(b) * width / unit, Y: v}, Point{X: (float64(b) + 1) * width / unit, Y: v})
	}
	return xys
}

// SeriesBins is how many steps a line over time has.
const SeriesBins = 240

// Quotient returns a/b by bin, NaN where b is 0.
func Quotient(a, b []float64) []float64 {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = quantity.Over(a[i], b[i])
	}
	return out
}
