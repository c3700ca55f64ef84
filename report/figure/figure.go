// Package figure draws: axes, lines, bars, marks and legends in the one look of all plots, as SVG, PNG or PDF. Equal
// figures give equal bytes.
package figure

import (
	"cmp"
	"fmt"
	"image/color"
	"slices"
	"strings"
	"unicode/utf8"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"replay/shown"
)

// LinePoints is how many points a line has at most.
const LinePoints = 2000

// Figures are made for a column of a page: readable at the width of a phone, and large on a laptop. Lengths are
// points, 72 to an inch; Height is the usual one.
const (
	width    = 5.4 * 72
	Height   = 3.6 * 72
	fontSize = 10
)

// sizes are all sizes of text: of titles, of axes, and of what stands at ticks, in legends and beside marks.
var sizes = []float64{largeSize, fontSize, smallSize}

const (
	largeSize = fontSize + 2
	smallSize = fontSize - 1
)

// Palette is Okabe and Ito's, which readers with any colour vision can tell apart.
var Palette = []color.RGBA{
	{0x00, 0x72, 0xb2, 0xff}, // blue
	{0xd5, 0x5e, 0x00, 0xff}, // vermilion
	{0x00, 0x9e, 0x73, 0xff}, // green
	{0xcc, 0x79, 0xa7, 0xff}, // purple
	{0xe6, 0x9f, 0x00, 0xff}, // orange
	{0x56, 0xb4, 0xe9, 0xff}, // sky
	{0x8a, 0x7f, 0x00, 0xff}, // olive
	{0x44, 0x44, 0x44, 0xff}, // dark grey
}

// Dash is the pattern of a line, nil for a solid one.
type Dash = []vg.Length

// Dashes go with the palette, so that lines differ in print too.
var Dashes = []Dash{nil, {6, 3}, {2, 2}, {8, 3, 2, 3}, {4, 2}, {10, 3}, {1, 2}, {6, 2, 2, 2}}

// Colours besides the palette.
var (
	Ink   = color.RGBA{0x22, 0x22, 0x22, 0xff}
	black = color.RGBA{0x11, 0x11, 0x11, 0xff} // of text on areas, whose colours stay where a page is dark and its ink is light
	Paper = color.RGBA{0xff, 0xff, 0xff, 0xff}
	Faint = color.RGBA{0xe3, 0xe3, 0xe3, 0xff}
	Grey  = color.RGBA{0xb5, 0xb5, 0xb5, 0xff}
)

// Figure is a plot with its legend below the data, in rows.
type Figure struct {
	*plot.Plot
	Height  float64
	legend  []entry
	labels  []*plotter.Labels
	panels  []*Figure // below one another, in place of a plot of its own
	data    []Datum
	scatter bool
	variant string       // of the font of the legend
	texts   text.Handler // of the legend; nil = whole
}

type entry struct {
	name  string
	color color.Color
	dash  Dash
	box   bool // an area rather than a line
	mark  *Dot // on the line
	bare  bool // the mark without a line
}

// Points of a line, or the corners of an area.
type (
	Points = plotter.XYs
	Point  = plotter.XY
)

// style returns a text style of our font. It is never bold: the PDF canvas cannot embed bold fonts.
func style(size float64) text.Style {
	f := font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Length(size)}
	return text.Style{Color: Ink, Font: f, Handler: plot.DefaultTextHandler}
}

// New returns an empty figure in the look of all our plots.
func New(title, x, y string) *Figure {
	p := plot.New()
	p.BackgroundColor = color.White
	p.Title.Text = Drawable(title)
	s := style(largeSize)
	s.XAlign, s.YAlign = draw.XCenter, draw.YTop
	p.Title.TextStyle = s
	p.Title.Padding = 6
	p.X.Label.Text, p.Y.Label.Text = Drawable(x), Drawable(y)
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		s := style(fontSize)
		s.XAlign, s.YAlign = a.Label.TextStyle.XAlign, a.Label.TextStyle.YAlign
		s.Rotation = a.Label.TextStyle.Rotation
		a.Label.TextStyle = s
		a.Label.Padding = 3
		t := style(smallSize)
		t.XAlign, t.YAlign = a.Tick.Label.XAlign, a.Tick.Label.YAlign
		a.Tick.Label = t
		a.Tick.LineStyle.Color = Ink
		a.LineStyle.Color = Ink
		a.LineStyle.Width = .6
		a.Tick.LineStyle.Width = .6
		a.Tick.Length = 4
		a.Padding = 0
	}
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = Faint, Faint
	grid.Horizontal.Width, grid.Vertical.Width = .5, .5
	p.Add(grid)
	return &Figure{Plot: p, Height: Height}
}

// OverTime returns an empty figure over simulated time up to end ms, and how many ms the unit of its axis has.
func OverTime(title, y string, end float64) (f *Figure, ms float64) {
	unit, ms := TimeScale(end)
	f = New(title, "simulated time ("+unit+")", y)
	f.X.Tick.Marker = Even(6)
	return f, ms
}

// Drawable returns a name as one line in which nothing steers who shows it (see [shown.Bytes]), and only characters that
// XML allows, so that an SVG is one.
func Drawable(s string) string {
	s = string(shown.Bytes([]byte(strings.ToValidUTF8(s, "\ufffd"))))
	return lineEnds.Replace(s)
}

var lineEnds = strings.NewReplacer("\n", `\u000a`, "\t", `\u0009`, "\ufffe", `\ufffe`, "\uffff", `\uffff`)

// Short cuts s to n characters that can be drawn. A character that is escaped stays whole or goes.
func Short(s string, n int) string {
	whole := Drawable(s)
	if utf8.RuneCountInString(whole) <= n {
		return whole
	}
	var b strings.Builder
	used := 0
	for _, r := range s {
		c := Drawable(string(r))
		if used += utf8.RuneCountInString(c); used > n-1 {
			break
		}
		b.WriteString(c)
	}
	return b.String() + "…"
}

// ShortName is [Short] for a name among others like it, which begin alike and end alike as often: it keeps both ends.
func ShortName(s string, n int) string {
	whole := []rune(s)
	if utf8.RuneCountInString(Drawable(s)) <= n || len(whole) < n || n < 6 {
		return Short(s, n)
	}
	end := (n - 1) / 2
	short := string(whole[:n-1-end]) + "…" + string(whole[len(whole)-end:])
	return Short(short, n)
}

// Dashed is the dash of the i-th line: with the colour of the i-th, another one for each of 64.
func Dashed(i int) Dash { return Dashes[(i+i/len(Palette))%len(Dashes)] }

// Line adds a line in the i-th colour and dash.
func (f *Figure) Line(name string, i int, xys Points) {
	f.Styled(name, Palette[i%len(Palette)], Dashed(i), 1.6, xys)
}

// recordLine keeps the points of a line for the tables of the figure.
func (f *Figure) recordLine(name string, xys Points) {
	for _, p := range xys {
		f.Record(At("", name, p.X, p.Y))
	}
}

// Styled adds a line; without a name it is not in the legend.
func (f *Figure) Styled(name string, c color.Color, dash Dash, width float64, xys Points) {
	l, err := plotter.NewLine(xys)
	if err != nil {
		panic(fmt.Sprintf("figure: line %q: %v", name, err)) // our own points: none or NaN is a bug
	}
	l.Color, l.Dashes, l.Width = c, dash, vg.Length(width)
	f.Add(l)
	if name != "" {
		f.LineKey(name, c, dash)
		f.recordLine(name, xys)
	}
}

// Bar draws the part called series of a row, from and to along the horizontal axis, of a height around y. The first of a series says
// in the legend what its colour means.
func (f *Figure) Bar(row, series string, first bool, c color.Color, from, to, y, height float64) {
	name := series
	if !first {
		name = ""
	}
	f.Area(name, c, Points{{X: from, Y: y - height/2}, {X: to, Y: y - height/2}, {X: to, Y: y + height/2}, {X: from, Y: y + height/2}})
	f.Record(between(row, series, from, to))
}

// Area adds a filled polygon.
func (f *Figure) Area(name string, c color.Color, xys Points) {
	p, err := plotter.NewPolygon(xys)
	if err != nil {
		panic(fmt.Sprintf("figure: area %q: %v", name, err))
	}
	p.Color, p.LineStyle.Width = c, 0
	f.Add(p)
	if name != "" {
		f.AreaKey(name, c)
	}
}

// LineKey adds a line to the legend.
func (f *Figure) LineKey(name string, c color.Color, dash Dash) {
	f.legend = append(f.legend, entry{name: Drawable(name), color: c, dash: dash})
}

// LineDotKey adds a line to the legend with marks like the given one.
func (f *Figure) LineDotKey(name string, dash Dash, like Dot) {
	f.legend = append(f.legend, entry{name: Drawable(name), color: like.Color, dash: dash, mark: &like})
}

// DotKey adds marks like the given one to the legend.
func (f *Figure) DotKey(name string, like Dot) {
	f.legend = append(f.legend, entry{name: Drawable(name), color: like.Color, mark: &like, bare: true})
}

// AreaKey adds an area to the legend.
func (f *Figure) AreaKey(name string, c color.Color) {
	f.legend = append(f.legend, entry{name: Drawable(name), color: c, box: true})
}

// SortLegend puts the legend in the order of its names.
func (f *Figure) SortLegend() {
	slices.SortFunc(f.legend, func(a, b entry) int { return cmp.Compare(a.name, b.name) })
}

// Tick is a name at a place of an axis.
type Tick = plot.Tick

// Rows names the rows of a figure whose vertical axis counts rows.
func (f *Figure) Rows(names []Tick) {
	for i := range names {
		names[i].Label = Drawable(names[i].Label)
	}
	f.Y.Tick.Marker, f.Y.Tick.Length = plot.ConstantTicks(names), 0
}

// Range sets the ends of both axes.
func (f *Figure) Range(x0, x1, y0, y1 float64) {
	f.X.Min, f.X.Max, f.Y.Min, f.Y.Max = x0, x1, y0, y1
}

// OverSettings sets the ends of both axes of curves over settings, with room beside the first and the last one, whose intervals would lie on the axis, and ticks at round numbers.
func (f *Figure) OverSettings(x0, x1, y0, y1 float64) {
	side := float64((x1 - x0) * .03)
	f.Range(x0-side, x1+side, y0, y1)
	f.X.Tick.Marker, f.Y.Tick.Marker = Even(6), Even(5)
}

const (
	margin     = 8
	legendRow  = fontSize * 1.5
	legendMark = 22
)

// legendRows lays the legend out in rows of the given width.
func (f *Figure) legendRows(width vg.Length) (rows [][]entry) {
	s := f.small()
	var used vg.Length
	for _, e := range f.legend {
		e.name = fit(s, e.name, width-legendMark-6)
		w := legendMark + 6 + s.Width(e.name) + 14
		if len(rows) == 0 || used+w > width {
			rows = append(rows, nil)
			used = 0
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], e)
		used += w
	}
	return rows
}

func (f *Figure) draw(c draw.Canvas) {
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	c = draw.Crop(c, margin, -margin-4, margin, -margin)
	rows := f.legendRows(c.Max.X - c.Min.X)
	below := vg.Length(vg.Length(len(rows)) * legendRow)
	if below > 0 {
		below += 6
	}
	f.drawPlots(draw.Crop(c, 0, 0, below, 0))
	s := f.small()
	s.YAlign = draw.YCenter
	for i, row := range rows {
		y := c.Min.Y + below - 6 - vg.Length((vg.Length(i)+.5)*legendRow)
		x := c.Min.X + 4
		for _, e := range row {
			if e.box {
				c.FillPolygon(e.color, []vg.Point{{X: x, Y: y - 4}, {X: x + legendMark, Y: y - 4}, {X: x + legendMark, Y: y + 4}, {X: x, Y: y + 4}})
			} else if !e.bare {
				c.StrokeLine2(draw.LineStyle{Color: e.color, Width: 1.8, Dashes: e.dash}, x, y, x+legendMark, y)
			}
			if e.mark != nil {
				e.mark.draw(c, vg.Point{X: x + legendMark/2, Y: y})
			}
			c.FillText(s, vg.Point{X: x + legendMark + 5, Y: y}, e.name)
			x += legendMark + 6 + s.Width(e.name) + 14
		}
	}
}

// small is the style of text in the legend.
func (f *Figure) small() text.Style {
	s := style(smallSize)
	if f.variant != "" {
		s.Font.Variant = font.Variant(f.variant)
	}
	if f.texts != nil {
		s.Handler = f.texts
	}
	return s
}

// Label is text centred at a point, white or black as reads better on the colour behind it.
type Label struct {
	Point
	Text   string
	Behind color.RGBA
}

// Labels writes text.
func (f *Figure) Labels(labels []Label) {
	var at plotter.XYLabels
	for _, l := range labels {
		at.XYs, at.Labels = append(at.XYs, l.Point), append(at.Labels, Drawable(l.Text))
	}
	p, err := plotter.NewLabels(at)
	if err != nil {
		panic(fmt.Sprintf("figure: labels: %v", err))
	}
	for i := range p.TextStyle {
		s := style(smallSize)
		switch c := labels[i].Behind; {
		case c == Paper:
		case 3*int(c.R)+6*int(c.G)+int(c.B) < 1300:
			s.Color = color.White
		default:
			s.Color = black
		}
		s.XAlign, s.YAlign = draw.XCenter, draw.YCenter
		p.TextStyle[i] = s
	}
	f.labels = append(f.labels, p)
	f.Add(p)
}
