package page

import (
	"bytes"
	"html/template"
	"regexp"
	"strings"

	"replay/report/figure"
)

// Figure is an inline picture.
type Figure struct {
	Name, Title string
	SVG         template.HTML
}

// Inline renders the pictures that there are for the inside of a page; what there is no picture of is left out.
func Inline(ps []figure.Picture) (out []Figure, err error) {
	for _, p := range ps {
		if p.Figure == nil {
			continue
		}
		b, err := p.Figure.Render("svg")
		if err != nil {
			return nil, err
		}
		out = append(out, Figure{p.Name, p.Title, template.HTML(inlineSVG(b, p.Title))})
	}
	return out, nil
}

var svgSize = regexp.MustCompile(`<svg width="[^"]*" height="[^"]*"`)

// themed gives what a figure draws in its own colours those of the page, which are others in the dark: paper, ink, grid and the
// lines of the palette. Areas keep theirs, and so does the text on them.
var themed = strings.NewReplacer(paletteRules()...)

func paletteRules() (rules []string) {
	hex := func(c interface{ RGBA() (r, g, b, a uint32) }) string {
		const digits = "0123456789ABCDEF"
		r, g, b, _ := c.RGBA()
		out := []byte("#")
		for _, v := range []uint32{r >> 8, g >> 8, b >> 8} {
			out = append(out, digits[v>>4], digits[v&15])
		}
		return string(out)
	}
	ink := hex(figure.Ink)
	rules = []string{"fill:" + ink, "fill:var(--ink)", "stroke:" + ink, "stroke:var(--ink)", "stroke:" + hex(figure.Faint), "stroke:var(--line)", "fill:" + hex(figure.Faint), "fill:var(--line)"}
	for i, c := range figure.Palette {
		rules = append(rules, "stroke:"+hex(c), "stroke:var(--c"+string(rune('0'+i))+")")
	}
	return append(rules, `Z" style="fill:#FFFFFF"`, `Z" style="fill:var(--paper)"`, "font-family:Liberation Sans,Arial,Helvetica,sans-serif;font-variant:normal;font-weight:normal;font-style:normal;", "")
}

// inlineSVG drops the XML prologue and the fixed size, so that the picture fills its column,
// and names it for those who do not see it.
func inlineSVG(b []byte, title string) []byte {
	if i := bytes.Index(b, []byte("<svg")); i > 0 {
		b = b[i:]
	}
	b = svgSize.ReplaceAll(b, []byte(`<svg role="img" aria-label="`+template.HTMLEscapeString(title)+`"`))
	return []byte(themed.Replace(string(b)))
}
