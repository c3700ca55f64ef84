package dist

import (
	"math"
	"slices"

	"github.com/montanaflynn/stats"
)

// LeastOf is how many things a percentile p wants for one of them to lie beyond it: of fewer it is about the largest.
func LeastOf(p int) int { return 100 / (100 - p) }

// Percentiles returns the type 7 percentiles of values, 0 to 100, NaN when empty. Products are rounded before they are added,
// unlike the library's, so that every processor gives the same.
func Percentiles(values []float64, percents ...float64) []float64 {
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	return SortedPercentiles(sorted, percents...)
}

// SortedPercentiles is [Percentiles] of values that rise.
func SortedPercentiles(sorted []float64, percents ...float64) []float64 {
	out := make([]float64, len(percents))
	for i, p := range percents {
		if len(sorted) == 0 {
			out[i] = math.NaN()
			continue
		}
		rank := float64(p / 100 * float64(len(sorted)-1))
		k := int(rank)
		out[i] = sorted[k]
		if part := rank - float64(k); part > 0 {
			out[i] += float64(part * (sorted[k+1] - sorted[k]))
		}
	}
	return out
}

// StandardDeviation returns that of a sample of two values or more, on every processor the same.
func StandardDeviation(values []float64) float64 {
	mean, squares := Mean(values), 0.0
	for _, v := range values {
		squares += float64((v - mean) * (v - mean))
	}
	return math.Sqrt(squares / float64(len(values)-1))
}

// Mean returns the arithmetic mean, NaN when empty.
func Mean(values []float64) float64 {
	v, err := stats.Mean(values)
	if err != nil {
		return math.NaN()
	}
	return v
}
