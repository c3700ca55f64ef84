package pictures

import (
	"fmt"

	"replay/report/compare"
	"replay/report/figure"
	"replay/report/plot"
	"replay/report/shares"
)

// utilization is of the first replay.
var utilization = Plot{"utilization", "Utilization over time", func(c *compare.Comparison) (*figure.Figure, string) {
	end := int64(0)
	for _, s := range c.Pooled() {
		end = max(end, s.EndMS)
	}
	f, ms := figure.OverTime("How much of the cluster was allocated", "dominant share of the cluster", float64(end))
	f.X.Label.Text += fmt.Sprintf(", %s %s", c.Unit, c.Units[0].Name)
	any := false
	for i, s := range c.Pooled() {
		if s.Allocated == nil {
			continue
		}
		width, bins := s.Allocated.Rebin(figure.SeriesBins, s.EndMS)
		if xys := figure.Steps(float64(width), ms, figure.Quotient(bins[shares.Dominant], bins[shares.Present])); len(xys) > 0 {
			any = true
			f.Line(s.Name, i, xys)
		}
	}
	if !any {
		return nil, plot.NotSampled
	}
	f.Y.Tick.Marker = figure.Percents
	f.X.Min, f.X.Max, f.Y.Min = 0, max(float64(end), 1)/ms, 0
	f.Y.Max = max(f.Y.Max, 1.01)
	return f, ""
}}
