package pictures

import (
	"replay/report/compare"
	"replay/report/figure"
	"replay/report/plot"
	"replay/report/quantity"
)

// queueShares draws the dominant share of each queue by variant.
var queueShares = Plot{"queue_shares", "Queue shares", func(c *compare.Comparison) (*figure.Figure, string) {
	f := figure.New("Share of each queue while two or more were waiting", "dominant share of the cluster, mean over that time", "")
	var ticks []figure.Tick
	var rows []*compare.Row
	for i := range c.Rows {
		if c.Rows[i].Family == quantity.Shares && len(rows) < 2*plot.ShownQueues {
			rows = append(rows, &c.Rows[i])
		}
	}
	hi, any := 0.0, false
	n := float64(len(c.Variants))
	shown := make([]bool, len(c.Variants))
	for i, row := range rows {
		y := float64(len(rows) - 1 - i)
		ticks = append(ticks, figure.Tick{Value: y, Label: figure.ShortName(row.Short, 20)})
		for v := range row.Cells {
			cell := &row.Cells[v]
			if cell.Absent != "" {
				continue
			}
			any = true
			hi = max(hi, cell.Number)
			h := .8 / n
			top := y + .4 - float64(float64(v)*h)
			f.Bar(row.Short, c.Variants[v].Name, !shown[v], figure.Palette[v%len(figure.Palette)], 0, cell.Number, top-float64(h*.45), h*.9)
			shown[v] = true
		}
	}
	if !any {
		return nil, "no two queues ever waited at the same time"
	}
	f.Rows(ticks)
	f.X.Tick.Marker = figure.Percents
	f.Range(0, max(hi*1.05, .01), -.5, float64(len(rows))-.5)
	f.Height = 1.4*72 + float64(14*n*float64(len(rows)))
	return f, ""
}}
