package figure

import (
	"fmt"
	"image/color"
	"slices"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Style is how a figure is fitted into what it is printed in. The zero style is that of all plots of results.
type Style struct {
	Width   float64 // points; 0 is the usual width
	Size    float64 // of the text of axes, points; 0 is the usual one
	Font    string  // one of [Fonts]; empty is the first
	Grey    bool    // greys in place of colours
	NoTitle bool
}

// Fonts are those that are embedded: Liberation's, which are as wide as Arial, Times and Courier.
var Fonts = []string{"sans", "serif", "mono"}

// Check returns an error that says what of the style cannot be.
func (s Style) Check() error {
	switch {
	case s.Font != "" && !slices.Contains(Fonts, s.Font):
		return fmt.Errorf("font is %q, want one of %s", s.Font, strings.Join(Fonts, ", "))
	case s.Width != 0 && (s.Width < 100 || s.Width > 2000):
		return fmt.Errorf("width is %.4g points, want 100 to 2000 (1.4 to 27 inches)", s.Width)
	case s.Size != 0 && (s.Size < 4 || s.Size > 40):
		return fmt.Errorf("size of text is %g points, want 4 to 40", s.Size)
	}
	return nil
}

// variant is the name of the font in the collection.
func (s Style) variant() string {
	name := s.Font
	if name == "" {
		name = Fonts[0]
	}
	return strings.ToUpper(name[:1]) + name[1:]
}

// scale is what lengths of a figure are multiplied by: all of it is as large as its text.
func (s Style) scale() float64 {
	if s.Size == 0 {
		return 1
	}
	return s.Size / fontSize
}

// legendRoom is how many rows of a legend a figure has room for; it grows by what there are more.
const legendRoom = 5

// size returns how large the figure is in the style, points. Figures without rows keep their shape.
func (s Style) size(f *Figure) (w, h vg.Length) {
	w, h = vg.Length(width*s.scale()), vg.Length(f.Height*s.scale())
	if s.Width != 0 {
		w = vg.Length(s.Width)
		if f.Height == Height {
			h = vg.Length(max(Height*s.Width/width, 1.6*72*s.scale()))
		}
	}
	if more := len(f.legendRows(vg.Length(float64(w)/s.scale()-2*margin))) - legendRoom; more > 0 {
		h += vg.Length(float64(more) * legendRow * s.scale())
	}
	return w, h
}

// drawIn draws the figure on a canvas of its size in the style, its texts as the handler does.
func (f *Figure) drawIn(c vg.Canvas, s Style, texts text.Handler) {
	if s.Grey {
		c = inGrey{c}
	}
	w, h := s.size(f)
	k := vg.Length(s.scale())
	if k != 1 {
		c.Scale(float64(k), float64(k))
	}
	title := f.Title.Text
	f.setFont(s.variant(), texts)
	if f.Title.Text = fit(f.Title.TextStyle, title, w/k-2*margin); s.NoTitle {
		f.Title.Text = ""
	}
	f.draw(draw.NewCanvas(c, w/k, h/k))
	f.setFont(Style{}.variant(), whole)
	f.Title.Text = title
}

// setFont sets the font of all text, and what draws it.
func (f *Figure) setFont(variant string, texts text.Handler) {
	f.variant, f.texts = variant, texts
	for _, a := range []*text.Style{&f.Title.TextStyle, &f.X.Label.TextStyle, &f.Y.Label.TextStyle, &f.X.Tick.Label, &f.Y.Tick.Label} {
		a.Font.Variant, a.Handler = font.Variant(variant), texts
	}
	for _, l := range f.labels {
		for i := range l.TextStyle {
			l.TextStyle[i].Font.Variant, l.TextStyle[i].Handler = font.Variant(variant), texts
		}
	}
	for _, p := range f.panels {
		p.setFont(variant, texts)
	}
}

// inGrey draws in greys: colours of the palette in greys that can be told apart, others as bright as they are.
type inGrey struct{ vg.Canvas }

// greys are those of the palette, by place; neighbours are far from one another.
var greys = [...]uint8{0x14, 0x8c, 0x4b, 0xb4, 0x64, 0xd2, 0x32, 0xa0}

// SetColor implements vg.Canvas.
func (c inGrey) SetColor(to color.Color) {
	if to != nil {
		to = greyOf(to)
	}
	c.Canvas.SetColor(to)
}

func greyOf(c color.Color) color.Color {
	for i, p := range Palette {
		if p == c {
			return color.RGBA{greys[i], greys[i], greys[i], 0xff}
		}
	}
	r, g, b, a := c.RGBA()
	y := uint8((299*r + 587*g + 114*b) / 1000 >> 8)
	return color.RGBA{y, y, y, uint8(a >> 8)}
}
