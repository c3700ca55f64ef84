package plot

import (
	"replay/report/figure"
	"replay/report/result"
	"replay/report/shares"
)

// ShownQueues is how many queues the plots of queues show: those with the most use.
const ShownQueues = 6

var fairDashes = figure.Dash{1.5, 2.5}

var queueShares = Plot{"queue_shares", "Queue shares over time", func(d *result.Data) (*figure.Figure, string) {
	names := d.Queues.Largest(ShownQueues)
	if len(names) == 0 {
		return nil, "no queue was sampled"
	}
	title := "Dominant share of each queue, and its fair share"
	if len(d.Queues.Names) > len(names) {
		title = "Dominant share of the six largest queues, and fair shares"
	}
	var panels []*figure.Figure
	most := .05
	for _, name := range names {
		width, bins := d.Queues.Over[name].Rebin(figure.SeriesBins, d.Queues.End)
		f, ms := figure.OverTime(name, "of the cluster", float64(d.Queues.End))
		if xys := figure.Steps(float64(width), ms, figure.Quotient(bins[shares.FairDominant], bins[shares.Present])); d.Queues.ByQueue[name].HasFair && len(xys) > 0 {
			f.Styled("its fair share", figure.Ink, fairDashes, 1.1, xys)
		}
		if xys := figure.Steps(float64(width), ms, figure.Quotient(bins[shares.Dominant], bins[shares.Present])); len(xys) > 0 {
			f.Styled("dominant share of the cluster", figure.Palette[0], nil, 1.6, xys)
		}
		f.Y.Tick.Marker = figure.FewPercents
		f.X.Min, f.X.Max, f.Y.Min = 0, max(float64(d.Queues.End), 1)/ms, 0
		most = max(most, f.Y.Max*1.02)
		panels = append(panels, f)
	}
	for _, f := range panels {
		f.Y.Max = most
	}
	return figure.Panels(title, panels), ""
}}
