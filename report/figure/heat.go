package figure

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
)

// HeatMap draws a number for each column and row, the first row on top; NaN leaves its place white. The darker the higher; text is
// what stands in a place. Places aside have no part in the colours: they stay white, and [Aside] stands at their numbers.
func HeatMap(title, x, y string, columns, rows []string, values [][]float64, aside [][]bool, text func(float64) string) *Figure {
	f := New(title, x, y)
	low, high := math.Inf(1), math.Inf(-1)
	for r, row := range values {
		for c, v := range row {
			if !math.IsNaN(v) && !aside[r][c] {
				low, high = min(low, v), max(high, v)
			}
		}
	}
	var labels []Label
	var left []Tick
	for r, name := range rows {
		at := float64(len(rows) - 1 - r)
		left = append(left, Tick{Value: at, Label: ShortName(name, 24)})
		for c := range columns {
			v, x := values[r][c], float64(c)
			if math.IsNaN(v) {
				if aside[r][c] {
					labels = append(labels, Label{Point{X: x, Y: at}, Aside, Paper})
				}
				continue
			}
			f.Record(Datum{Series: columns[c], Row: name, X: math.NaN(), Y: v, Low: math.NaN(), High: math.NaN()})
			if aside[r][c] {
				label := Aside
				if len(columns) <= mostLabelled {
					label = text(v) + " " + Aside
				}
				labels = append(labels, Label{Point{X: x, Y: at}, label, Paper})
				continue
			}
			shade := heat(v, low, high)
			f.Area("", shade, Points{{X: x - .5, Y: at - .5}, {X: x + .5, Y: at - .5}, {X: x + .5, Y: at + .5}, {X: x - .5, Y: at + .5}})
			if len(columns) <= mostLabelled {
				labels = append(labels, Label{Point{X: x, Y: at}, text(v), shade})
			}
		}
	}
	if labels != nil {
		f.Labels(labels)
	}
	var below plot.ConstantTicks
	every := (len(columns) + mostLabelled - 1) / mostLabelled
	for c, name := range columns {
		t := Tick{Value: float64(c)}
		if c%every == 0 {
			t.Label = ShortName(name, max(4, 60/min(len(columns), mostLabelled)))
		}
		below = append(below, t)
	}
	f.Rows(left)
	f.X.Tick.Marker, f.X.Tick.Length = below, 0
	f.Height = max(90, min(float64(26*float64(len(rows)))+80, 3*Height))
	f.Range(-.5, float64(len(columns))-.5, -.5, float64(len(rows))-.5)
	return f
}

// Aside marks what has no part in a picture's comparison.
const Aside = "†"

// mostLabelled is how many columns have room for their numbers.
const mostLabelled = 10

// heat is the colour of v between low and high: from almost white to the first of the palette.
func heat(v, low, high float64) color.RGBA {
	part := .5
	if high > low {
		part = (v - low) / (high - low)
	}
	mix := func(from, to uint8) uint8 {
		return uint8(math.Round(float64(from) + float64(part*(float64(to)-float64(from)))))
	}
	to := Palette[0]
	return color.RGBA{mix(0xee, to.R), mix(0xf4, to.G), mix(0xf9, to.B), 0xff}
}
