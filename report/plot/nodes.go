package plot

import (
	"replay/report/figure"
	"replay/report/result"
	"replay/report/shares"
)

var nodes = Plot{"nodes", "Nodes over time", func(d *result.Data) (*figure.Figure, string) {
	t := d.Queues.Over[""]
	if t == nil {
		return nil, NotSampled
	}
	width, bins := t.Rebin(figure.SeriesBins, d.Queues.End)
	f, ms := figure.OverTime("How many nodes there were", "nodes in the cluster", float64(d.Queues.End))
	xys := figure.Steps(float64(width), ms, figure.Quotient(bins[shares.InCluster], bins[shares.Present]))
	if len(xys) == 0 {
		return nil, NotSampled
	}
	f.Line("nodes", 0, xys)
	f.X.Min, f.X.Max, f.Y.Min = 0, max(float64(d.Queues.End), 1)/ms, 0
	f.Y.Max = max(f.Y.Max, 1)
	f.Y.Tick.Marker = figure.Whole(5)
	return f, ""
}}
