package figure

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Block is a horizontal bar between two places of the X axis, at least a hairline wide.
type Block struct {
	From, To, Y, Height float64
	Color               color.Color
	Row, What           string
}

// Blocks adds blocks.
func (f *Figure) Blocks(blocks []Block) {
	f.Add(blockMarks(blocks))
	for _, b := range blocks {
		f.Record(between(b.Row, b.What, b.From, b.To))
	}
}

type blockMarks []Block

// Plot implements plot.Plotter.
func (s blockMarks) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for _, b := range s {
		x0, x1 := x(b.From), max(x(b.To), x(b.From)+.4)
		y0, y1 := y(b.Y), y(b.Y+b.Height)
		c.FillPolygon(b.Color, c.ClipPolygonXY([]vg.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}}))
	}
}
