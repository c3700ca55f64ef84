package figure

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
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
func (f *Figure) Render(format string) ([]byte, error) {
	render, ok := renderers[format]
	if !ok {
		return nil, fmt.Errorf("format is %q, want one of %s", format, strings.Join(Formats(), ", "))
	}
	return render(f)
}

// renderers give the bytes of a figure in a format; equal figures give equal bytes.
var renderers = map[string]func(*Figure) ([]byte, error){
	"svg": func(f *Figure) ([]byte, error) {
		c := vgsvg.New(width, vg.Length(f.Height))
		f.draw(draw.New(c))
		var b bytes.Buffer
		_, err := c.WriteTo(&b)
		return bytes.ReplaceAll(b.Bytes(), []byte("font-family:Liberation Sans;"), []byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif;")), err
	},
	"png": func(f *Figure) ([]byte, error) {
		c := vgimg.NewWith(vgimg.UseWH(width, vg.Length(f.Height)), vgimg.UseDPI(192))
		f.draw(draw.New(c))
		var b bytes.Buffer
		_, err := vgimg.PngCanvas{Canvas: c}.WriteTo(&b)
		return b.Bytes(), err
	},
	"pdf": pdf,
}

// Picture is a drawn figure with its place among others.
type Picture struct {
	Name   string // file name without its ending
	Title  string
	Figure *Figure
	Reason string // why there is no figure
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
