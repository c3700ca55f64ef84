package dist

import (
	"math"
	"slices"

	"github.com/montanaflynn/stats"
)

// Percentiles returns the type 7 percentiles of values, NaN when empty.
// Unlike the library's function it sorts once for all of them.
func Percentiles(values []float64, percents ...float64) []float64 {
	out := make([]float64, len(percents))
	sorted := stats.Float64Data(slices.Sorted(slices.Values(values)))
	for i, p := range percents {
		v, err := stats.Percentile(sorted, p)
		if err != nil {
			v = math.NaN()
		}
		out[i] = v
	}
	return out
}

// Mean returns the arithmetic mean, NaN when empty.
func Mean(values []float64) float64 {
	v, err := stats.Mean(values)
	if err != nil {
		return math.NaN()
	}
	return v
}
