package compare

import (
	"fmt"

	"replay/report/figure"
	"replay/report/plot"
	"replay/report/result"
)

// utilization is of the first seed.
var utilization = Plot{"utilization", "Utilization over time", func(c *Comparison) (*figure.Figure, string) {
	end := int64(0)
	for _, v := range c.Variants {
		end = max(end, v.Runs[0].Queues.End)
	}
	f, ms := figure.OverTime("How much of the cluster was allocated", "dominant share of the cluster", float64(end))
	f.X.Label.Text += fmt.Sprintf(", seed %d", c.Variants[0].Runs[0].Manifest.Seed)
	any := false
	for i, v := range c.Variants {
		t := v.Runs[0].Queues.Over[""]
		if t == nil {
			continue
		}
		width, bins := t.Rebin(figure.SeriesBins, v.Runs[0].Queues.End)
		if xys := figure.Steps(float64(width), ms, figure.Quotient(bins[result.Dominant], bins[result.Present])); len(xys) > 0 {
			any = true
			f.Line(v.Name, i, xys)
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
