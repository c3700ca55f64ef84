package pictures

import (
	"math"

	"replay/report/compare"
	"replay/report/figure"
	"replay/report/quantity"
)

// differences draws each headline difference in percent of the first variant's value, of shares and indexes in points, with its
// interval and the margin within which a difference does not count.
var differences = Plot{"differences", "Differences", func(c *compare.Comparison) (*figure.Figure, string) {
	f := figure.New("Difference to "+figure.ShortName(c.Variants[0].Name, 24)+", with its interval", "% of its value; shares, indexes in points (filled: real, grey: margin)", "")
	var ticks []figure.Tick
	lo, hi, y := -.01, .01, 0.0
	type mark struct {
		x, y, low, high float64
		v               int
		real            bool
	}
	var marks []mark
	for i := len(c.Rows) - 1; i >= 0; i-- {
		row := &c.Rows[i]
		if row.Family != quantity.Headline || row.Cells[0].Absent != "" || row.Reference() == 0 || row.Thin() {
			continue
		}
		any := false
		for v := 1; v < len(row.Cells); v++ {
			cell := &row.Cells[v]
			if math.IsNaN(cell.Difference) {
				continue
			}
			any = true
			scale := row.Reference()
			m := mark{cell.Difference / scale, y + (float64(len(row.Cells))/2-float64(v))*.8/float64(len(row.Cells)), math.NaN(), math.NaN(), v, cell.Finding.Real()}
			if low, high, ok := cell.Interval(); ok {
				m.low, m.high = low/scale, high/scale
			}
			lo, hi = min(lo, m.x), max(hi, m.x)
			if !math.IsNaN(m.low) {
				lo, hi = min(lo, m.low), max(hi, m.high)
			}
			marks = append(marks, m)
			f.Record(figure.Datum{Series: c.Variants[v].Name, Row: row.Short, X: m.x, Y: math.NaN(), Low: m.low, High: m.high})
		}
		if any {
			ticks = append(ticks, figure.Tick{Value: y, Label: row.Short})
			y++
		}
	}
	if len(marks) == 0 {
		return nil, "no headline metric has a number in both variants"
	}
	lo, hi = max(lo, -2), min(hi, 5)
	if m := min(c.Margin, -lo, hi); m > 0 {
		f.Area("", figure.Faint, figure.Points{{X: -m, Y: -.6}, {X: m, Y: -.6}, {X: m, Y: y - .4}, {X: -m, Y: y - .4}})
	}
	f.Styled("", figure.Ink, nil, .8, figure.Points{{X: 0, Y: -.6}, {X: 0, Y: y - .4}})
	clip := func(x float64) float64 { return min(max(x, lo), hi) }
	var dots []figure.Dot
	for _, m := range marks {
		if !math.IsNaN(m.low) {
			f.Styled("", figure.Palette[(m.v-1)%len(figure.Palette)], nil, 1.2, figure.Points{{X: clip(m.low), Y: m.y}, {X: clip(m.high), Y: m.y}})
		}
		dots = append(dots, figure.Dot{X: clip(m.x), Y: m.y, Color: figure.Palette[(m.v-1)%len(figure.Palette)], Shape: m.v - 1, Filled: m.real})
	}
	f.Dots(dots)
	for v := 1; v < len(c.Variants); v++ {
		f.LineKey(c.Variants[v].Name, figure.Palette[(v-1)%len(figure.Palette)], nil)
	}
	f.Rows(ticks)
	f.X.Tick.Marker = figure.Percents
	pad := float64((hi - lo) * .05)
	f.Range(lo-pad, hi+pad, -.6, y-.4)
	f.Height = 1.3*72 + float64(15*len(ticks)*max(1, (len(c.Variants)+1)/2))
	return f, ""
}}
