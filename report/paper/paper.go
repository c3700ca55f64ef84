// Package paper makes what goes from stored results into a paper: figures in its width, font and colours with their data and a
// Vega-Lite specification, tables in LaTeX and Markdown, and all values as one long table. Equal results and styles give equal bytes.
package paper

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"strings"

	"replay/outdir"
	"replay/report/compare"
	"replay/report/compare/pictures"
	"replay/report/figure"
	"replay/report/metric"
	"replay/report/plot"
	"replay/report/quantity"
)

// Paper is what is put into one.
type Paper struct {
	Pictures []figure.Picture
	About    string // what all of it is of, for captions
	// Intervals and Method say what those of a comparison are, and what the words of its table mean; "" for a replay.
	Intervals, Method string
	Head              []string
	Rows              [][]string // the headline metrics
	Runs              []Run
}

// Run is a replay among the values.
type Run struct {
	Name, Variant string
	*metric.Summary
}

// Options say how it is put.
type Options struct {
	figure.Style
	Formats  []string
	Captions bool
}

// OfRun returns what is told of one replay called name.
func OfRun(name string, s *metric.Summary) *Paper {
	m := &s.Manifest
	p := &Paper{Pictures: plot.Draw(s.Data), Head: []string{"metric", "value", "of"}, Runs: []Run{{name, name, s}}}
	p.About = fmt.Sprintf("Trace %s, %s scheduler, sharing %s, placement %s, %s on %s, seed %d.", m.Subject(), quantity.OrDash(m.Scheduler), quantity.OrDash(m.Sharing),
		quantity.OrDash(m.Placement), quantity.Counted(int64(s.Jobs.Len()), "jobs"), quantity.Counted(m.Nodes, "nodes"), m.Seed)
	said, _ := s.Headline()
	for _, v := range said {
		p.Rows = append(p.Rows, []string{v.Plain, v.Unit.Amount(v.Number), v.Of()})
	}
	return p
}

// OfComparison returns what is told of variants that were compared.
func OfComparison(c *compare.Comparison, variants []compare.Variant) *Paper {
	p := &Paper{Pictures: pictures.Of(c), About: c.About(), Intervals: c.Intervals(), Method: c.Method()}
	p.Head, p.Rows = c.Plain()
	for _, v := range variants {
		for i, r := range v.Runs {
			p.Runs = append(p.Runs, Run{fmt.Sprintf("%s/%d", v.Name, i+1), v.Name, r})
		}
	}
	return p
}

// Figure is a figure among what was written.
type Figure struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	Rows  int    `json:"rows"` // of its data
}

// Figures are the figures that there are.
func (p *Paper) Figures() []Figure {
	out := []Figure{}
	for _, picture := range p.Pictures {
		if f := picture.Figure; f != nil {
			out = append(out, Figure{picture.Name, f.Title.Text, f.Data()})
		}
	}
	return out
}

// dir is what a directory of figures consists of.
var dir = outdir.Kind{Mark: "values.csv", Files: []string{"figures/*.svg", "figures/*.png", "figures/*.pdf", "figures/*.csv", "figures/*.parquet", "figures/*.vl.json", "figures.tex", "figures.md", "metrics.tex", "metrics.md", "values.csv", "values.parquet"}}

// Write writes all of it to path, which must be absent, empty, or figures that it then replaces; it appears whole or not at all.
func (p *Paper) Write(path string, o Options) error {
	if err := o.Check(); err != nil {
		return err
	}
	d, err := dir.Begin(path)
	if err != nil {
		return err
	}
	defer d.Abort()
	if err := os.Mkdir(d.Path("figures"), 0o755); err != nil {
		return err
	}
	var tex, md bytes.Buffer
	columns := [][]string{{"figure", "column", "about"}}
	for _, picture := range p.Pictures {
		if picture.Figure == nil {
			continue
		}
		if err := p.figure(d, picture, o); err != nil {
			return fmt.Errorf("figure %s: %w", picture.Name, err)
		}
		p.include(&tex, &md, picture, o)
		for _, c := range picture.Figure.Columns() {
			columns = append(columns, []string{picture.Name, c.Name, c.About})
		}
	}
	var abouts bytes.Buffer
	if err := csv.NewWriter(&abouts).WriteAll(columns); err != nil {
		return err
	}
	values, err := p.parquet()
	if err != nil {
		return err
	}
	for _, f := range []struct {
		name string
		b    []byte
	}{{"figures/columns.csv", abouts.Bytes()}, {"figures.tex", tex.Bytes()}, {"figures.md", md.Bytes()}, {"metrics.tex", append(p.latex(), p.note(o, "% ", "")...)}, {"metrics.md", append(p.markdown(), p.note(o, "\n*", "*")...)}, {"values.csv", p.csv()}, {"values.parquet", values}} {
		if err := d.WriteFile(f.name, f.b); err != nil {
			return err
		}
	}
	return d.Install()
}

// figure writes a figure in all formats, with its data and specification.
func (p *Paper) figure(d *outdir.Partial, picture figure.Picture, o Options) error {
	name := "figures/" + picture.Name
	for _, format := range o.Formats {
		b, err := picture.Figure.RenderIn(format, o.Style)
		if err != nil {
			return err
		}
		if err := d.WriteFile(name+"."+format, b); err != nil {
			return err
		}
	}
	table, err := picture.Figure.Parquet()
	if err != nil {
		return err
	}
	spec, err := picture.Figure.VegaLite(picture.Name + ".csv")
	if err != nil {
		return err
	}
	for _, f := range []struct {
		name string
		b    []byte
	}{{".csv", picture.Figure.CSV()}, {".parquet", table}, {".vl.json", spec}} {
		if err := d.WriteFile(name+f.name, f.b); err != nil {
			return err
		}
	}
	return nil
}

// include writes how a document includes a picture, with its caption if there are any.
func (p *Paper) include(tex, md *bytes.Buffer, picture figure.Picture, o Options) {
	title := picture.Figure.Title.Text
	caption := ""
	if o.Captions {
		caption = title + ". " + p.About
		if picture.Name == "differences" {
			caption += " " + p.Intervals
		}
	}
	format := o.Formats[0]
	fmt.Fprintf(tex, "\\begin{figure}\n  \\centering\n  \\includegraphics{figures/%s}\n", picture.Name)
	if o.Captions {
		fmt.Fprintf(tex, "  \\caption{%s}\n", escapeLaTeX(caption))
	}
	fmt.Fprintf(tex, "  \\label{fig:%s}\n\\end{figure}\n\n", picture.Name)
	for _, f := range o.Formats {
		if f == "svg" || f == "png" { // Markdown shows no PDF
			format = f
		}
	}
	fmt.Fprintf(md, "![%s](figures/%s.%s)\n", escapeMarkdown(title), picture.Name, format)
	if o.Captions {
		fmt.Fprintf(md, "\n*%s*\n", escapeMarkdown(caption))
	}
	md.WriteByte('\n')
}

// note is what stands below the table of metrics: what its intervals and words mean. LaTeX has it as a comment, since where notes of tables go is the paper's to say.
func (p *Paper) note(o Options, before, after string) []byte {
	if !o.Captions || p.Method == "" {
		return nil
	}
	text := p.Method
	if after != "" {
		text = escapeMarkdown(text)
	}
	return []byte(before + text + after + "\n")
}

// latex returns the table of headline metrics for the package booktabs.
func (p *Paper) latex() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "\\begin{tabular}{l%s}\n\\toprule\n", strings.Repeat("r", len(p.Head)-1))
	line := func(cells []string) {
		for i, c := range cells {
			if i > 0 {
				b.WriteString(" & ")
			}
			b.WriteString(escapeLaTeX(c))
		}
		b.WriteString(" \\\\\n")
	}
	line(p.Head)
	b.WriteString("\\midrule\n")
	for _, row := range p.Rows {
		line(row)
	}
	b.WriteString("\\bottomrule\n\\end{tabular}\n")
	return b.Bytes()
}

// markdown returns the same table.
func (p *Paper) markdown() []byte {
	var b bytes.Buffer
	line := func(cells []string) {
		for _, c := range cells {
			b.WriteString("| " + escapeMarkdown(c) + " ")
		}
		b.WriteString("|\n")
	}
	line(p.Head)
	b.WriteString("|---|" + strings.Repeat("---:|", len(p.Head)-1) + "\n")
	for _, row := range p.Rows {
		line(row)
	}
	return b.Bytes()
}

var latexEscapes = strings.NewReplacer(`\`, `\textbackslash{}`, `&`, `\&`, `%`, `\%`, `$`, `\$`, `#`, `\#`, `_`, `\_`, `{`, `\{`, `}`, `\}`, `~`, `\textasciitilde{}`, `^`, `\textasciicircum{}`,
	"−", `$-$`, "±", `$\pm$`, "≈", `$\approx$`, "→", `$\to$`, "<", `$<$`, ">", `$>$`, "–", "--", "…", `\dots{}`)

func escapeLaTeX(s string) string { return latexEscapes.Replace(figure.Drawable(s)) }

var markdownEscapes = strings.NewReplacer(`\`, `\\`, "|", `\|`, "*", `\*`, "_", `\_`, "`", "\\`", "<", `\<`, "[", `\[`, "]", `\]`)

func escapeMarkdown(s string) string { return markdownEscapes.Replace(figure.Drawable(s)) }
