package figure

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Formats returns the formats of plots.
func Formats() []string { return slices.Sorted(maps.Keys(renderers)) }

// CheckFormats returns an error that names the first format that is not known.
func CheckFormats(formats []string) error {
	for _, f := range formats {
		if renderers[f] == nil {
			return fmt.Errorf("unknown plot format %q (known: %v)", f, Formats())
		}
	}
	return nil
}

// Render returns the bytes of the figure in one of [Formats].
func (f *Figure) Render(format string) ([]byte, error) { return f.RenderIn(format, Style{}) }

// RenderIn is Render in a style.
func (f *Figure) RenderIn(format string, s Style) ([]byte, error) {
	render, ok := renderers[format]
	if !ok {
		return nil, fmt.Errorf("format is %q, want one of %s", format, strings.Join(Formats(), ", "))
	}
	if err := s.Check(); err != nil {
		return nil, err
	}
	return render(f, s)
}

// families are the fonts that a browser takes where it has not ours.
var families = strings.NewReplacer("font-family:Liberation Sans;", "font-family:Liberation Sans,Arial,Helvetica,sans-serif;",
	"font-family:Liberation Serif;", "font-family:Liberation Serif,Times New Roman,Times,serif;",
	"font-family:Liberation Mono;", "font-family:Liberation Mono,Courier New,Courier,monospace;")

// renderers give the bytes of a figure in a format; equal figures give equal bytes.
var renderers = map[string]func(*Figure, Style) ([]byte, error){
	"svg": func(f *Figure, s Style) ([]byte, error) {
		w, h := s.size(f)
		c := vgsvg.New(w, h)
		f.drawIn(c, s, whole)
		var b bytes.Buffer
		_, err := c.WriteTo(&b)
		return []byte(families.Replace(b.String())), err
	},
	"png": func(f *Figure, s Style) ([]byte, error) {
		w, h := s.size(f)
		c := vgimg.NewWith(vgimg.UseWH(w, h), vgimg.UseDPI(192))
		f.drawIn(&fresh{Canvas: c, color: color.Black}, s, inFont)
		var b bytes.Buffer
		_, err := vgimg.PngCanvas{Canvas: c}.WriteTo(&b)
		return b.Bytes(), err
	},
	"pdf": pdf,
}

// fresh is a canvas that is white to begin with: grounds that are white need not be painted on it, pixel by pixel, until something else has been.
type fresh struct {
	*vgimg.Canvas
	color   color.Color // nil when it is not known
	painted bool
}

// SetColor implements vg.Canvas.
func (c *fresh) SetColor(to color.Color) {
	c.color = to
	c.Canvas.SetColor(to)
}

// Pop implements vg.Canvas: the colour is the one as of Push again.
func (c *fresh) Pop() {
	c.color = nil
	c.Canvas.Pop()
}

// Fill implements vg.Canvas.
func (c *fresh) Fill(p vg.Path) {
	if !c.painted && c.color != nil && color.RGBAModel.Convert(c.color) == Paper {
		return
	}
	c.painted = true
	c.Canvas.Fill(p)
}

// Stroke implements vg.Canvas.
func (c *fresh) Stroke(p vg.Path) {
	c.painted = true
	c.Canvas.Stroke(p)
}

// FillString implements vg.Canvas.
func (c *fresh) FillString(f font.Face, at vg.Point, text string) {
	c.painted = true
	c.Canvas.FillString(f, at, text)
}

// DrawImage implements vg.Canvas.
func (c *fresh) DrawImage(in vg.Rectangle, img image.Image) {
	c.painted = true
	c.Canvas.DrawImage(in, img)
}

// Picture is a drawn figure with its place among others.
type Picture struct {
	Name   string // file name without its ending
	Title  string
	Figure *Figure
	Reason string // why there is no figure
}

// Files are the files that [WriteAll] writes to the folder plots of a directory, as outdir.Kind has them.
func Files() (patterns []string) {
	for _, format := range Formats() {
		patterns = append(patterns, "plots/*."+format)
	}
	return patterns
}

// WriteAll writes the pictures that there are to dir, in each format.
func WriteAll(dir string, pictures []Picture, formats []string) error {
	if len(formats) == 0 {
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, p := range pictures {
		if p.Figure == nil {
			continue
		}
		for _, format := range formats {
			b, err := p.Figure.Render(format)
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
