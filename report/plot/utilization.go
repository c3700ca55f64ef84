package plot

import (
	"replay/report/figure"
	"replay/report/result"
	"replay/report/shares"
)

// NotSampled says why there is no picture of the cluster over time.
const NotSampled = "the cluster was not sampled"

var utilization = Plot{"utilization", "Utilization over time", func(d *result.Data) (*figure.Figure, string) {
	t := d.Queues.Over[""]
	if t == nil {
		return nil, NotSampled
	}
	width, bins := t.Rebin(figure.SeriesBins, d.Queues.End)
	f, ms := figure.OverTime("How much of the cluster was in use", "share of the cluster", float64(d.Queues.End))
	any := false
	for i, l := range []struct {
		name     string
		num, den int
	}{
		{"memory allocated", shares.UsedMem, shares.CapacityMem},
		{"vcores allocated", shares.UsedVCores, shares.CapacityVCores},
		{"vcores running tasks", shares.BusyCores, shares.CapacityVCores},
	} {
		if xys := figure.Steps(float64(width), ms, figure.Quotient(bins[l.num], bins[l.den])); len(xys) > 0 {
			any = true
			f.Line(l.name, i, xys)
		}
	}
	if !any {
		return nil, "the cluster had no capacity"
	}
	f.Y.Tick.Marker = figure.Percents
	f.X.Min, f.X.Max, f.Y.Min = 0, max(float64(d.Queues.End), 1)/ms, 0
	f.Y.Max = max(f.Y.Max, 1.01)
	return f, ""
}}
