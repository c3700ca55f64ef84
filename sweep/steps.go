package sweep

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// MostSteps is how many values a range may have.
const MostSteps = 100_000

// Steps are the values from one to another. The unit is that of each, or that of the step alone; without a step it is 1, which must come to the last
// value: nobody asked for a range that ends before.
func Steps(from, to, step string) (labels []string, err error) {
	bounds := []string{from, to, step}
	if step == "" {
		bounds = bounds[:2]
	}
	xs := [3]float64{2: 1}
	unit, decimals := "", 0
	for i, text := range bounds {
		number := strings.TrimRight(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ%")
		if i > 0 && number+unit != text {
			return nil, fmt.Errorf("%q and %q have different units, want one", from, text)
		}
		unit = text[len(number):]
		x, err := strconv.ParseFloat(number, 64)
		if err != nil || math.IsInf(x, 0) || math.IsNaN(x) || text[0] == '+' { // a sign + means a change
			return nil, fmt.Errorf("%q is no number", text)
		}
		if _, after, ok := strings.Cut(number, "."); ok {
			decimals = max(decimals, len(after))
		}
		xs[i] = x
	}
	if xs[1] < xs[0] {
		return nil, fmt.Errorf("from %s down to %s, want the smaller one first", from, to)
	}
	n := (xs[1] - xs[0]) / xs[2]
	if !(xs[2] > 0) || !(n >= 1) || n > MostSteps {
		return nil, fmt.Errorf("from %s to %s by %v, want 2 to %d values", from, to, xs[2], MostSteps)
	}
	if step == "" && math.Abs(n-math.Round(n)) > 1e-9 {
		return nil, fmt.Errorf("from %s by 1 does not come to %s, want a step that does, such as %s", from, to, strconv.FormatFloat((xs[1]-xs[0])/10, 'g', 3, 64)+unit)
	}
	for i := range int(n+1e-9) + 1 {
		labels = append(labels, strconv.FormatFloat(xs[0]+float64(float64(i)*xs[2]), 'f', decimals, 64)+unit)
	}
	return labels, nil
}
