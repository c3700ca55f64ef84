// Package page makes HTML pages: one file each, that opens without anything from elsewhere. Everything that a page says stands
// in its HTML, with tables cut short and pictures as they are printed; with scripts on, tables sort, search and open their rows,
// and what goes over time can be zoomed. Tables and series for that are embedded compressed, and drawn when they are seen.
package page

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"html/template"
	"strings"

	"replay/shown"
)

//go:embed assets
var assets embed.FS

// Bodies of pages, by the name of their file.
const (
	Comparison = "comparison"
	Backtest   = "backtest"
	Plan       = "plan"
	Portrait   = "portrait"
	Tune       = "tune"
	run        = "run"
)

// Page is what the frame of every page needs.
type Page struct {
	Title    string
	About    string // a sentence below the title
	Chips    []string
	Ledes    []Lede // what came out, and why: the first thing that is read
	Notes    []string
	Numbers  []Numbers
	LeftOut  []string // numbers that are not among them, with the reason
	Cards    []Card
	Headline []Table
	Method   string
	Over     Over // what goes over time
	Figures  []Figure
	Grids    []*Grid
	Command  string
	Facts    [][2]string
	Files    []File // configuration files, as text
	Warnings []string
	Modelled []string
	Tables   []Table
}

// Lede is a sentence on what came out, what caused it, and the findings behind it. Good and bad outcomes look so, and say so in words.
type Lede struct {
	Kind     string // good, bad, or empty where neither
	Text     string
	Cause    string
	Findings []string
}

// Long reports whether the sentence is one to read rather than one to see.
func (l Lede) Long() bool { return len(l.Text) > 90 }

// Numbers are values that belong together.
type Numbers struct {
	Title  string
	Better string // which way all of them are better; empty where they differ
	Values []Number
}

// Number is one value with what it is over.
type Number struct{ Amount, Name, Of, Better, About string }

// Card is one number shown large.
type Card struct{ Label, Number, About string }

// Table is one table: a first column of names with their definitions, and cells.
type Table struct {
	Title   string
	Heading bool // the title stands above it for all to see, not for screen readers alone
	Head    []string
	Rows    []Row
	About   string // a sentence below it
}

// HeadClass is the look of a column's head: that of its cells where they are numbers, below which it stands.
func (t Table) HeadClass(column int) string {
	for i := range t.Rows {
		if c := t.Rows[i].Cells; column < 1 || column > len(c) || c[column-1].Class != "n" {
			return ""
		}
	}
	return "n"
}

// Row is a row of a table.
type Row struct {
	Name, Code, About string // the code is the metric's name when Name says it in words
	Cells             []Cell
}

// Cell is one cell: its text, its look, a note below it, and the head of its column for
// where there is no room for a head.
type Cell struct {
	Text, Class, Note, Label string
	Picture                  template.HTML
}

// escaper escapes text for HTML and for its quoted attributes, as html/template does.
var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;", "+", "&#43;", "\x00", "\uFFFD")

// Body is the rows of the table as HTML. A template takes ten times as long, and there may be tens of thousands.
func (t Table) Body() template.HTML {
	var b strings.Builder
	put := func(before, text, after string) {
		b.WriteString(before)
		escaper.WriteString(&b, text) // a Builder takes everything
		b.WriteString(after)
	}
	for i := range t.Rows {
		if i == 1 { // rows are of about the same length
			b.Grow(b.Len() * len(t.Rows))
		}
		r := &t.Rows[i]
		b.WriteString(`<tr><th scope="row" class="name">`)
		if r.About != "" {
			put(`<details class="about"><summary>`, r.Name, "</summary>")
			put("", r.About, "</details>")
		} else {
			put("", r.Name, "")
		}
		if r.Code != "" {
			put("<small>", r.Code, "</small>")
		}
		b.WriteString("</th>")
		for k := range r.Cells {
			c := &r.Cells[k]
			b.WriteString("<td")
			if c.Class != "" {
				put(` class="`, c.Class, `"`)
			}
			put(` data-label="`, c.Label, `">`)
			b.WriteString(string(c.Picture))
			put("", c.Text, "")
			if c.Note != "" {
				put("<small>", c.Note, "</small>")
			}
			b.WriteString("</td>")
		}
		b.WriteString("</tr>\n")
	}
	return template.HTML(b.String())
}

// File is a file that a page shows as text.
type File struct{ Name, Text string }

// framed is a page in its frame.
type framed struct {
	*Page
	CSS     template.CSS
	Script  template.JS
	Allowed string // hash of the script: no other one runs
	Data    template.HTML
}

// Render returns the page: the frame with the body of a name.
func (p *Page) Render(body string) ([]byte, error) {
	t, err := template.ParseFS(assets, "assets/frame.html", "assets/parts.html")
	if err != nil {
		return nil, err
	}
	text, err := assets.ReadFile("assets/" + body + ".html")
	if err != nil {
		return nil, err
	}
	if _, err := t.New("body").Parse(string(text)); err != nil {
		return nil, err
	}
	data, err := p.data()
	if err != nil {
		return nil, err
	}
	js := script()
	sum := sha256.Sum256(js)
	f := framed{p, template.CSS(asset("uplot/uPlot.min.css") + asset("page.css")), template.JS(js), "sha256-" + base64.StdEncoding.EncodeToString(sum[:]), template.HTML(data)}
	var b bytes.Buffer
	if err := t.ExecuteTemplate(&b, "frame.html", f); err != nil {
		return nil, err
	}
	return shown.Bytes(b.Bytes()), nil
}

// script is what runs in a page: uPlot under its licence, and ours.
func script() []byte {
	var b bytes.Buffer
	b.WriteString("/*\n" + asset("uplot/LICENSE") + "*/\n" + asset("uplot/uPlot.iife.min.js") + "\n(() => {\n\"use strict\";\n")
	for _, name := range []string{"base.js", "grid.js", "time.js", "start.js"} {
		b.WriteString(asset(name))
	}
	b.WriteString("})();\n")
	return b.Bytes()
}

func asset(name string) string {
	b, err := assets.ReadFile("assets/" + name)
	if err != nil {
		panic(err) // it is embedded
	}
	return string(b)
}
