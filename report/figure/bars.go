package figure

import (
	"fmt"
	"image/color"

	"replay/report/quantity"
)

// Level is one part of a stacked share.
type Level struct {
	Name  string
	Color color.RGBA
	Count float64
}

// Total returns the count of all levels.
func Total(ls []Level) (n float64) {
	for _, l := range ls {
		n += l.Count
	}
	return n
}

// Bar is one row of stacked shares.
type Bar struct {
	Name   string
	Levels []Level
}

// StackedBars draws rows of shares from 0 to 100 %, the first row on top, with the share
// written into each part that has room.
func StackedBars(title, x string, bars []Bar) *Figure {
	f := New(title, x, "")
	shown := map[string]bool{}
	var labels []Label
	var ticks []Tick
	for i, b := range bars {
		y := float64(len(bars) - 1 - i)
		ticks = append(ticks, Tick{Value: y, Label: fmt.Sprintf("%s (%s)", b.Name, quantity.Thousands(int64(Total(b.Levels))))})
		from, all := 0.0, Total(b.Levels)
		for _, l := range b.Levels {
			if l.Count == 0 {
				continue
			}
			to := from + l.Count/all
			f.Bar(b.Name, l.Name, !shown[l.Name], l.Color, from, to, y, .72)
			shown[l.Name] = true
			if to-from > .07 {
				labels = append(labels, Label{Point{X: (from + to) / 2, Y: y}, quantity.Decimals((to-from)*100, 0) + " %", l.Color})
			}
			from = to
		}
	}
	if len(labels) > 0 {
		f.Labels(labels)
	}
	f.Rows(ticks)
	f.X.Tick.Marker = Percents
	f.Range(0, 1, -.5, float64(len(bars))-.5)
	return f
}
