package figure

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Dot is a mark, filled or hollow.
type Dot struct {
	X, Y   float64
	Color  color.Color
	Shape  int // place in the shapes, so that marks differ in print too
	Filled bool
}

// shapes of dots: round, square, with the point up, with the point down.
var shapes = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}, turned{}}

// turned is a triangle with its point down.
type turned struct{}

// DrawGlyph implements draw.GlyphDrawer.
func (turned) DrawGlyph(c *draw.Canvas, s draw.GlyphStyle, at vg.Point) {
	r := vg.Length(s.Radius * 1.15)
	c.FillPolygon(s.Color, []vg.Point{{X: at.X - r, Y: at.Y + vg.Length(r*.75)}, {X: at.X + r, Y: at.Y + vg.Length(r*.75)}, {X: at.X, Y: at.Y - r}})
}

// Dots adds marks.
func (f *Figure) Dots(dots []Dot) { f.Add(dotMarks(dots)) }

// Scatter adds marks that are all that the figure says: its tables have them alone, as data.
func (f *Figure) Scatter(dots []Dot, data []Datum) {
	f.Dots(dots)
	f.data, f.scatter = data, true
}

type dotMarks []Dot

// Plot implements plot.Plotter.
func (d dotMarks) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for _, m := range d {
		m.draw(c, vg.Point{X: x(m.X), Y: y(m.Y)})
	}
}

func (d *Dot) draw(c draw.Canvas, at vg.Point) {
	shape := shapes[(d.Shape+d.Shape/len(Palette))%len(shapes)] // beside the colour of the i-th, another one for each of 32
	c.DrawGlyph(draw.GlyphStyle{Color: d.Color, Radius: 3.6, Shape: shape}, at)
	if !d.Filled {
		c.DrawGlyph(draw.GlyphStyle{Color: color.White, Radius: 2.2, Shape: shape}, at)
	}
}
