// Package page makes HTML pages: one file each, that opens without anything from elsewhere.
package page

import (
	"bytes"
	_ "embed"
	"html/template"
	"regexp"

	"replay/report/figure"
	"replay/shown"
)

//go:embed page.css
var css string

//go:embed frame.html
var frame string

//go:embed run.html
var run string

// Bodies of the pages that other rooms fill.
var (
	//go:embed comparison.html
	Comparison string

	//go:embed backtest.html
	Backtest string
)

// Page is what the frame of every page needs.
type Page struct {
	Title    string
	About    string       // a sentence below the title
	CSS      template.CSS // set by Render
	Facts    [][2]string
	Warnings []string
	Modelled []string
	Cards    []Card
	Tables   []Table
	Figures  []Figure
	Verdict  []Paragraph // of a comparison, with how it was found and its first table
	Method   string
	Headline []Table
}

// Card is one number shown large.
type Card struct{ Label, Number, About string }

// Table is one table: a first column of names with their definitions, and cells.
type Table struct {
	Title string
	Head  []string
	Rows  []Row
}

// Row is a row of a table.
type Row struct {
	Name, Code, About string // the code is the metric's name when Name says it in words
	Cells             []Cell
}

// Cell is one cell: its text, its look, a note below it, and the head of its column for
// where there is no room for a head.
type Cell struct{ Text, Class, Note, Label string }

// Figure is an inline picture, or why there is none.
type Figure struct {
	Title, Reason string
	SVG           template.HTML
}

// Paragraph is a sentence and a list of findings under it.
type Paragraph struct {
	Lead     string
	Findings []string
}

// Inline renders pictures for the inside of a page.
func Inline(ps []figure.Picture) (out []Figure, err error) {
	for _, p := range ps {
		d := Figure{Title: p.Title, Reason: p.Reason}
		if p.Figure != nil {
			b, err := p.Figure.Render("svg")
			if err != nil {
				return nil, err
			}
			d.SVG = template.HTML(inlineSVG(b, p.Title))
		}
		out = append(out, d)
	}
	return out, nil
}

var svgSize = regexp.MustCompile(`<svg width="[^"]*" height="[^"]*"`)

// inlineSVG drops the XML prologue and the fixed size, so that the picture fills its column,
// and names it for those who do not see it.
func inlineSVG(b []byte, title string) []byte {
	if i := bytes.Index(b, []byte("<svg")); i > 0 {
		b = b[i:]
	}
	return svgSize.ReplaceAll(b, []byte(`<svg role="img" aria-label="`+template.HTMLEscapeString(title)+`"`))
}

// Render returns the page: the frame with a body.
func (p *Page) Render(body string) ([]byte, error) {
	p.CSS = template.CSS(css)
	t, err := template.New("frame").Parse(frame)
	if err != nil {
		return nil, err
	}
	if _, err := t.New("body").Parse(body); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := t.Execute(&b, p); err != nil {
		return nil, err
	}
	return shown.Bytes(b.Bytes()), nil
}
