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
	pad := float64((hi - lo) * .05)
	dot := func(v int, x, y float64, filled bool) figure.Dot {
		return figure.Dot{X: x, Y: y, Color: figure.Palette[v%len(figure.Palette)], Shape: v, Filled: filled}
	}
	var dots []figure.Dot
	var beyond []figure.Label
	for _, m := range marks {
		from, to := max(m.low, lo-pad), min(m.high, hi+pad) // what goes on beyond the ends does so to the edge
		switch text := quantity.Thousands(int64(math.Round(float64(m.x * 100)))); {
		case m.x > hi: // the mark at the end has its number beside it, and the interval ends where that begins
			beyond = append(beyond, figure.Label{Point: figure.Point{X: hi - float64(pad*2.2), Y: m.y}, Text: "+" + text + " % ›", Behind: figure.Paper})
			to = hi - float64(pad*4.2)
		case m.x < lo:
			beyond = append(beyond, figure.Label{Point: figure.Point{X: lo + float64(pad*2.2), Y: m.y}, Text: "‹ " + text + " %", Behind: figure.Paper})
			from = lo + float64(pad*4.2)
		}
		if !math.IsNaN(m.low) && from < to {
			f.Styled("", figure.Palette[m.v%len(figure.Palette)], nil, 1.2, figure.Points{{X: from, Y: m.y}, {X: to, Y: m.y}})
		}
		dots = append(dots, dot(m.v, min(max(m.x, lo), hi), m.y, m.real))
	}
	f.Dots(dots)
	if beyond != nil {
		f.Labels(beyond)
	}
	for v := 1; v < len(c.Variants); v++ {
		f.LineDotKey(c.Variants[v].Name, nil, dot(v, 0, 0, true))
	}
	f.Rows(ticks)
	f.X.Tick.Marker = figure.Percents
	f.Range(lo-pad, hi+pad, -.6, y-.4)
	f.Height = 1.3*72 + float64(15*len(ticks)*max(1, (len(c.Variants)+1)/2))
	return f, ""
}}
