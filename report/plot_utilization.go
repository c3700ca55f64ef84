package report

import (
	"math"

	"gonum.org/v1/plot/plotter"
)

// steps turns bins into a step line; NaN bins leave the line at its last value.
func steps(width, unit float64, values []float64) plotter.XYs {
	var xys plotter.XYs
	for b, v := range values {
		if math.IsNaN(v) {
			continue
		}
		xys = append(xys, plotter.XY{X: float64(b) * width / unit, Y: v}, plotter.XY{X: (float64(b) + 1) * width / unit, Y: v})
	}
	return xys
}

// seriesBins is how many steps a line over time has.
const seriesBins = 240

// quotient returns a/b by bin, NaN where b is 0.
func quotient(a, b []float64) []float64 {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = over(a[i], b[i])
	}
	return out
}

const notSampled = "the cluster was not sampled"

var plotUtilization = Plot{"utilization", "Utilization over time", func(r *Result) (*figure, string) {
	t := r.Queues.Over[""]
	if t == nil {
		return nil, notSampled
	}
	width, bins := t.Rebin(seriesBins, r.Queues.End)
	unit, ms := timeScale(float64(r.Queues.End))
	f := newPlot("How much of the cluster was in use", "simulated time ("+unit+")", "share of the cluster")
	any := false
	for i, l := range []struct {
		name     string
		num, den int
	}{
		{"memory allocated", usedMem, capacityMem},
		{"vcores allocated", usedVCores, capacityVCores},
		{"vcores running tasks", busyCores, capacityVCores},
	} {
		if xys := steps(float64(width), ms, quotient(bins[l.num], bins[l.den])); len(xys) > 0 {
			any = true
			f.line(l.name, i, xys)
		}
	}
	if !any {
		return nil, "the cluster had no capacity"
	}
	f.X.Tick.Marker, f.Y.Tick.Marker = evenTicks{6}, percentTicks{}
	f.X.Min, f.X.Max, f.Y.Min = 0, max(float64(r.Queues.End), 1)/ms, 0
	f.Y.Max = max(f.Y.Max, 1.01)
	return f, ""
}}
