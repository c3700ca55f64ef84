package report

import (
	"bytes"
	"fmt"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Plot is one kind of picture of a replay.
type Plot struct {
	Name  string // file name without its ending
	Title string
	// Draw returns the picture, or the reason why there is none.
	Draw func(*Result) (*figure, string)
}

// Plots are all pictures of a result, in the order of the page.
var Plots = []Plot{
	plotLocality,
	plotLocalityTime,
	plotJobWaits,
	plotWaitParts,
	plotContainerWaits,
	plotTaskWaits,
	plotTaskNodes,
	plotUtilization,
	plotQueueShares,
	plotTimelineApps,
	plotTimelineNodes,
}

// linePoints is how many points a line has at most.
const linePoints = 2000

// Figures are made for a column of a page: readable at the width of a phone, and large on a laptop.
const (
	figureWidth  = 5.4 * vg.Inch
	figureHeight = 3.6 * vg.Inch
	fontSize     = 10
)

// palette is Okabe and Ito's, which readers with any colour vision can tell apart.
var palette = []color.RGBA{
	{0x00, 0x72, 0xb2, 0xff}, // blue
	{0xd5, 0x5e, 0x00, 0xff}, // vermilion
	{0x00, 0x9e, 0x73, 0xff}, // green
	{0xcc, 0x79, 0xa7, 0xff}, // purple
	{0xe6, 0x9f, 0x00, 0xff}, // orange
	{0x56, 0xb4, 0xe9, 0xff}, // sky
	{0x8a, 0x7f, 0x00, 0xff}, // olive
	{0x44, 0x44, 0x44, 0xff}, // dark grey
}

// dashes go with the palette, so that lines differ in print too.
var dashes = [][]vg.Length{nil, {6, 3}, {2, 2}, {8, 3, 2, 3}, {4, 2}, {10, 3}, {1, 2}, {6, 2, 2, 2}}

var (
	ink   = color.RGBA{0x22, 0x22, 0x22, 0xff}
	faint = color.RGBA{0xe3, 0xe3, 0xe3, 0xff}
	grey  = color.RGBA{0xb5, 0xb5, 0xb5, 0xff}
)

// figure is a plot with its legend below the data, in rows.
type figure struct {
	*plot.Plot
	legend []legendEntry
	height vg.Length
}

type legendEntry struct {
	name   string
	color  color.Color
	dashes []vg.Length
	box    bool // an area rather than a line
}

// style returns a text style of our font. It is never bold: the PDF canvas cannot embed bold fonts.
func style(size float64) text.Style {
	f := font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Length(size)}
	return text.Style{Color: ink, Font: f, Handler: plot.DefaultTextHandler}
}

// newPlot returns an empty figure in the look of all our plots.
func newPlot(title, x, y string) *figure {
	p := plot.New()
	p.BackgroundColor = color.White
	p.Title.Text = title
	s := style(fontSize + 2)
	s.XAlign, s.YAlign = draw.XCenter, draw.YTop
	p.Title.TextStyle = s
	p.Title.Padding = 6
	p.X.Label.Text, p.Y.Label.Text = x, y
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		s := style(fontSize)
		s.XAlign, s.YAlign = a.Label.TextStyle.XAlign, a.Label.TextStyle.YAlign
		s.Rotation = a.Label.TextStyle.Rotation
		a.Label.TextStyle = s
		a.Label.Padding = 3
		t := style(fontSize - 1)
		t.XAlign, t.YAlign = a.Tick.Label.XAlign, a.Tick.Label.YAlign
		a.Tick.Label = t
		a.Tick.LineStyle.Color = ink
		a.LineStyle.Color = ink
		a.LineStyle.Width = .6
		a.Tick.LineStyle.Width = .6
		a.Tick.Length = 4
		a.Padding = 0
	}
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = faint, faint
	grid.Horizontal.Width, grid.Vertical.Width = .5, .5
	p.Add(grid)
	return &figure{Plot: p, height: figureHeight}
}

// drawable replaces what no picture can hold: control characters, which are not allowed in SVG.
func drawable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == utf8.RuneError {
			return '?'
		}
		return r
	}, s)
}

// line adds a line in the i-th colour and dash.
func (f *figure) line(name string, i int, xys plotter.XYs) {
	f.styled(name, palette[i%len(palette)], dashes[i%len(dashes)], 1.6, xys)
}

// styled adds a line; without a name it is not in the legend.
func (f *figure) styled(name string, c color.Color, dash []vg.Length, width vg.Length, xys plotter.XYs) {
	l, err := plotter.NewLine(xys)
	if err != nil {
		panic(fmt.Sprintf("report: line %q: %v", name, err)) // our own points: none or NaN is a bug
	}
	l.Color, l.Dashes, l.Width = c, dash, width
	f.Add(l)
	if name != "" {
		f.legend = append(f.legend, legendEntry{name: drawable(name), color: c, dashes: dash})
	}
}

// area adds a filled polygon.
func (f *figure) area(name string, c color.Color, xys plotter.XYs) {
	p, err := plotter.NewPolygon(xys)
	if err != nil {
		panic(fmt.Sprintf("report: area %q: %v", name, err))
	}
	p.Color, p.LineStyle.Width = c, 0
	f.Add(p)
	if name != "" {
		f.legend = append(f.legend, legendEntry{name: drawable(name), color: c, box: true})
	}
}

const (
	margin     = 8
	legendRow  = fontSize * 1.5
	legendMark = 22
)

// legendRows lays the legend out in rows of the given width.
func (f *figure) legendRows(width vg.Length) (rows [][]legendEntry) {
	s := style(fontSize - 1)
	var used vg.Length
	for _, e := range f.legend {
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

func (f *figure) draw(c draw.Canvas) {
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	c = draw.Crop(c, margin, -margin-4, margin, -margin)
	rows := f.legendRows(c.Max.X - c.Min.X)
	below := vg.Length(len(rows)) * legendRow
	if below > 0 {
		below += 6
	}
	f.Plot.Draw(draw.Crop(c, 0, 0, below, 0))
	s := style(fontSize - 1)
	s.YAlign = draw.YCenter
	for i, row := range rows {
		y := c.Min.Y + below - 6 - (vg.Length(i)+.5)*legendRow
		x := c.Min.X + 4
		for _, e := range row {
			if e.box {
				c.FillPolygon(e.color, []vg.Point{{X: x, Y: y - 4}, {X: x + legendMark, Y: y - 4}, {X: x + legendMark, Y: y + 4}, {X: x, Y: y + 4}})
			} else {
				c.StrokeLine2(draw.LineStyle{Color: e.color, Width: 1.8, Dashes: e.dashes}, x, y, x+legendMark, y)
			}
			c.FillText(s, vg.Point{X: x + legendMark + 5, Y: y}, e.name)
			x += legendMark + 6 + s.Width(e.name) + 14
		}
	}
}

// Formats returns the formats of plots.
func Formats() []string { return sortedKeys(renderers) }

// renderers give the bytes of a figure in a format; equal figures give equal bytes.
var renderers = map[string]func(*figure) ([]byte, error){
	"svg": func(f *figure) ([]byte, error) {
		c := vgsvg.New(figureWidth, f.height)
		f.draw(draw.New(c))
		var b bytes.Buffer
		_, err := c.WriteTo(&b)
		return bytes.ReplaceAll(b.Bytes(), []byte("font-family:Liberation Sans;"), []byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif;")), err
	},
	"png": func(f *figure) ([]byte, error) {
		c := vgimg.NewWith(vgimg.UseWH(figureWidth, f.height), vgimg.UseDPI(192))
		f.draw(draw.New(c))
		var b bytes.Buffer
		_, err := vgimg.PngCanvas{Canvas: c}.WriteTo(&b)
		return b.Bytes(), err
	},
	"pdf": func(f *figure) ([]byte, error) {
		c := vgpdf.New(figureWidth, f.height)
		f.draw(draw.New(c))
		var b bytes.Buffer
		_, err := c.WriteTo(&b)
		return undated(b.Bytes()), err
	},
}

var pdfDate = regexp.MustCompile(`/(CreationDate|ModDate) \(D:[0-9]{14}[^)]*\)`)

// undated replaces the dates that the PDF writer puts in by one of the same length, so that
// offsets in the file stay true and equal plots have equal bytes.
func undated(pdf []byte) []byte {
	return pdfDate.ReplaceAllFunc(pdf, func(m []byte) []byte {
		at := bytes.Index(m, []byte("(D:")) + 3
		out := bytes.Clone(m)
		copy(out[at:at+14], "20000101000000")
		return out
	})
}

// picture is a drawn plot of a result.
type picture struct {
	Plot
	figure *figure
	reason string // why there is no figure
}

func (r *Result) pictures() (ps []picture) {
	for _, p := range Plots {
		f, reason := p.Draw(r)
		ps = append(ps, picture{p, f, reason})
	}
	return ps
}

// writePictures writes plots/ and report.html.
func (r *Result) writePictures(dir string, o Options) error {
	if len(o.Formats) == 0 && !o.HTML {
		return nil
	}
	pictures := r.pictures()
	if err := writePlots(filepath.Join(dir, "plots"), pictures, o.Formats); err != nil {
		return err
	}
	if !o.HTML {
		return nil
	}
	page, err := r.page(pictures)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "report.html"), page, 0o644)
}

func writePlots(dir string, pictures []picture, formats []string) error {
	if len(formats) == 0 {
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, p := range pictures {
		if p.figure == nil {
			continue
		}
		for _, format := range formats {
			b, err := renderers[format](p.figure)
			if err != nil {
				return fmt.Errorf("plot %s as %s: %w", p.Name, format, err)
			}
			if err := os.WriteFile(filepath.Join(dir, p.Name+"."+format), b, 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

// timeScale chooses a unit for times up to ms and returns its name and ms.
func timeScale(ms float64) (string, float64) {
	switch {
	case ms <= 300_000:
		return "s", 1000
	case ms <= 5*hourMS:
		return "min", 60_000
	case ms <= 5*24*hourMS:
		return "h", hourMS
	default:
		return "d", 24 * hourMS
	}
}

// percentTicks are ticks of a share in percent.
type percentTicks struct{ plot.Ticker }

func (percentTicks) Ticks(lo, hi float64) []plot.Tick {
	step := niceStep(hi-lo, 5)
	var ts []plot.Tick
	for i := math.Ceil(lo / step); i*step <= hi*(1+1e-9); i++ {
		ts = append(ts, plot.Tick{Value: i * step, Label: strings.TrimSuffix(fmt.Sprintf("%.1f", i*step*100), ".0") + " %"})
	}
	return ts
}

// evenTicks are ticks at round numbers.
type evenTicks struct{ n int }

func (e evenTicks) Ticks(lo, hi float64) []plot.Tick {
	step := niceStep(hi-lo, e.n)
	digits := max(0, int(math.Ceil(-math.Log10(step)-1e-9)))
	var ts []plot.Tick
	for i := math.Ceil(lo/step - 1e-9); i*step <= hi+step*1e-9; i++ {
		ts = append(ts, plot.Tick{Value: i * step, Label: trim(i*step, digits)})
	}
	return ts
}

// niceStep returns 1, 2 or 5 times a power of ten, giving about n steps over a span, a few more rather than far fewer.
func niceStep(span float64, n int) float64 {
	if span <= 0 {
		return 1
	}
	raw := span / float64(n)
	base := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, m := range []float64{1, 2, 5, 10} {
		if m*base >= raw*.85 {
			return m * base
		}
	}
	return 10 * base
}

// logTimeTicks are ticks of times in ms on a log axis, in units of people: every third or so
// of a decade, all with labels where there is room.
type logTimeTicks struct{}

var logTimes = []struct {
	ms    float64
	label string
	minor bool // without a label when there are many
}{
	{1, "1 ms", false},
	{3, "3 ms", true},
	{10, "10 ms", false},
	{30, "30 ms", true},
	{100, "0.1 s", false},
	{300, "0.3 s", true},
	{1000, "1 s", false},
	{3000, "3 s", true},
	{10_000, "10 s", false},
	{30_000, "30 s", true},
	{60_000, "1 min", false},
	{180_000, "3 min", true},
	{600_000, "10 min", false},
	{1_800_000, "30 min", true},
	{hourMS, "1 h", false},
	{3 * hourMS, "3 h", true},
	{10 * hourMS, "10 h", false},
	{30 * hourMS, "30 h", true},
	{100 * hourMS, "100 h", false},
	{300 * hourMS, "300 h", true},
	{1000 * hourMS, "1000 h", false},
}

func (logTimeTicks) Ticks(lo, hi float64) (ts []plot.Tick) {
	many := hi/lo > 3000
	for _, t := range logTimes {
		if t.ms >= lo*.999 && t.ms <= hi*1.001 {
			tick := plot.Tick{Value: t.ms, Label: t.label}
			if many && t.minor {
				tick.Label = ""
			}
			ts = append(ts, tick)
		}
	}
	return ts
}

// labels writes text centred at points, white or black as reads better on the colour behind it.
func (f *figure) labels(at plotter.XYLabels, behind []color.RGBA) {
	l, err := plotter.NewLabels(at)
	if err != nil {
		panic(fmt.Sprintf("report: labels: %v", err))
	}
	for i := range l.TextStyle {
		s := style(fontSize - 1)
		if c := behind[i]; 3*int(c.R)+6*int(c.G)+int(c.B) < 1300 {
			s.Color = color.White
		}
		s.XAlign, s.YAlign = draw.XCenter, draw.YCenter
		l.TextStyle[i] = s
	}
	f.Add(l)
}

// dotMarks are round marks, filled or hollow.
type dotMarks struct{ dots []dotMark }

type dotMark struct {
	x, y   float64
	color  color.Color
	filled bool
}

// Plot implements plot.Plotter.
func (d *dotMarks) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for _, m := range d.dots {
		at := vg.Point{X: x(m.x), Y: y(m.y)}
		c.DrawGlyph(draw.GlyphStyle{Color: m.color, Radius: 3.6, Shape: draw.CircleGlyph{}}, at)
		if !m.filled {
			c.DrawGlyph(draw.GlyphStyle{Color: color.White, Radius: 2.2, Shape: draw.CircleGlyph{}}, at)
		}
	}
}
