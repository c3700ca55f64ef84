package report

import (
	"bytes"
	_ "embed"
	"html/template"
	"regexp"
)

//go:embed page.css
var pageCSS string

//go:embed page_run.html
var pageRun string

//go:embed page_frame.html
var pageFrame string

// pageData is what the frame of every page needs.
type pageData struct {
	Title    string
	CSS      template.CSS
	Facts    [][2]string
	Warnings []string
	Modelled []string
	Cards    []card
	Tables   []tableData
	Figures  []figureData
	Verdict  []Paragraph // of a comparison, with how it was found and its first table
	Method   string
	Headline []tableData
}

// card is one number shown large.
type card struct{ Label, Number, About string }

// tableData is one table: a first column of names with their definitions, and cells.
type tableData struct {
	Title string
	Head  []string
	Rows  []rowData
}

type rowData struct {
	Name, Code, About string // the code is the metric's name when Name says it in words
	Cells             []cellData
}

// cellData is one cell: its text, its look, a note below it, and the head of its column for
// where there is no room for a head.
type cellData struct{ Text, Class, Note, Label string }

// figureData is an inline picture, or why there is none.
type figureData struct {
	Title, Reason string
	SVG           template.HTML
}

// page returns report.html: one file without anything from elsewhere.
func (r *Result) page(ps []picture) ([]byte, error) {
	p := pageData{Title: "Replay of " + orDash(r.Manifest.TraceName), Facts: r.facts(), Modelled: r.Manifest.Modelled}
	for _, w := range r.Manifest.Warnings {
		p.Warnings = append(p.Warnings, warningText(&w))
	}
	for _, v := range r.Values {
		if v.Family == Headline {
			number := "–"
			about := v.About
			if v.Absent == "" {
				number = v.amount(v.Number)
			} else {
				about += "; none because " + v.Absent
			}
			p.Cards = append(p.Cards, card{plainNames[v.Name], number, about})
		}
	}
	for _, g := range r.groups {
		t := tableData{Title: g.Title, Head: []string{"metric", "value", "of"}}
		for _, v := range g.Values {
			t.Rows = append(t.Rows, rowData{Name: v.Name, About: v.About, Cells: []cellData{{Text: v.Text(), Label: "value"}, {Text: group3(v.N), Label: "of"}}})
		}
		p.Tables = append(p.Tables, t)
	}
	var err error
	if p.Figures, err = inline(ps); err != nil {
		return nil, err
	}
	return render(pageRun, &p)
}

// inline renders pictures for the inside of a page.
func inline(ps []picture) (out []figureData, err error) {
	for _, p := range ps {
		d := figureData{Title: p.Title, Reason: p.reason}
		if p.figure != nil {
			b, err := renderers["svg"](p.figure)
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

// render fills the frame with the body of a page.
func render(body string, p *pageData) ([]byte, error) {
	p.CSS = template.CSS(pageCSS)
	t, err := template.New("frame").Parse(pageFrame)
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
	return b.Bytes(), nil
}
