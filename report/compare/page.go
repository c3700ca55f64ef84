package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"replay/report/figure"
	"replay/report/inference"
	"replay/report/metric"
	"replay/report/page"
	"replay/report/quantity"
)

// findingClass is the look of a finding in the table.
var findingClass = map[Finding]string{
	RealBetter: "real-better", RealWorse: "real-worse", RealHigher: "real", RealLower: "real", NotToldApart: "same", EqualWithin: "same", Equal: "same", NotTested: "same", NoVerdict: "same",
}

// page returns the page of the comparison: one file without anything from elsewhere.
func (c *Comparison) page(ps []figure.Picture) ([]byte, error) {
	m := c.study.manifest(0)
	p := page.Page{Title: "Comparison on " + c.subject(), About: m.Elsewhere, Ledes: c.answers(), Method: c.Method()}
	p.Chips = []string{c.Unit.Counted(len(c.Units)), quantity.Counted(int64(c.Jobs), "jobs"), quantity.Counted(int64(len(c.Variants)), "variants")}
	for i, v := range c.Variants {
		as := v.Name
		if i == 0 {
			as += " (base)"
		}
		m := c.study.manifest(i)
		p.Facts = append(p.Facts, [2]string{as, fmt.Sprintf("%s; scheduler %s, sharing %s, placement %s", quantity.OrDash(v.Flags), quantity.OrDash(m.Scheduler), quantity.OrDash(m.Sharing), quantity.OrDash(m.Placement))})
	}
	var tables []page.Table
	if f := c.Front; f != nil {
		p.Title, p.Ledes, tables = f.Title, append(slices.Clone(f.Ledes), p.Ledes...), f.Headline
	}
	p.Facts = append(p.Facts,
		[2]string{"inferred", c.Unit.Scope(len(c.Units))}, [2]string{"seeds", c.seedsText()},
		[2]string{"jobs", fmt.Sprintf("%s, %s tasks", quantity.Thousands(int64(c.Jobs)), quantity.Thousands(m.Totals.Tasks))},
		[2]string{"preferred hosts", quantity.OrDash(m.LocalitySource)}, [2]string{"task durations", quantity.OrDash(m.DurationSource)}, [2]string{"trace", quantity.OrDash(m.TraceHash)})
	p.Modelled = m.Modelled
	for _, text := range slices.Concat([]string{c.shortText(), c.precisionText()}, c.notes(), []string{c.Unlike(), c.bandsText()}) {
		if text != "" {
			p.Notes = append(p.Notes, text)
		}
	}
	p.Method += " In the pictures, each metric has a scale of its own: the line is no difference, the grey band the margin, the tinted side the better one, a filled dot a real difference."
	if text := c.pairedText(); text != "" {
		p.Method = text + " " + p.Method
	}
	if made := c.Made; made != nil {
		p.MadeBy(made.Command, len(c.traces()))
	}
	for v := range c.study.sides {
		for _, text := range c.Warnings(v) {
			if !slices.Contains(p.Warnings, text) {
				p.Warnings = append(p.Warnings, text)
			}
		}
	}
	own := append([]page.Table{c.outcomeTable()}, c.headline()...)
	if c.Front == nil { // a gate has a table of its own
		for _, v := range c.others() {
			own = append(own, c.queueTable(v)...)
		}
	}
	for i := range own {
		own[i].Heading = tables != nil || len(own) > 2 // what stands first has headings of its own, and so have tables of many variants
	}
	p.Headline = append(slices.Clone(tables), own...)
	p.Tables = c.tables()
	var err error
	if p.Figures, err = page.Inline(ps); err != nil {
		return nil, err
	}
	return p.Render(page.Comparison)
}

// notes say of each variant what was not tested or not found.
func (c *Comparison) notes() (texts []string) {
	for v := 1; v < len(c.Variants); v++ {
		for _, text := range []string{c.missingText(v), c.rareText(v), c.powerText(v)} {
			if text != "" && len(c.Variants) > 2 {
				text = c.Variants[v].Name + ": " + text
			}
			texts = append(texts, text)
		}
	}
	return texts
}

// bandsText says how far predicted times were off, or that nobody measured it.
func (c *Comparison) bandsText() string {
	m := c.study.manifest(0)
	return metric.BandsText(m.Bands, m.DurationSource)
}

// subject names what was replayed.
func (c *Comparison) subject() string {
	m := c.study.manifest(0)
	if c.Unit == inference.Trace {
		return c.Unit.Counted(len(c.Units))
	}
	return m.Subject()
}

// seedsText lists the seeds of runs, by variant where they have their own.
func (c *Comparison) seedsText() string {
	var texts []string
	for i, v := range c.Variants {
		var seeds []string
		for _, seed := range c.study.seedsOf(i) {
			seeds = append(seeds, fmt.Sprint(seed))
		}
		if !c.study.unpaired {
			return strings.Join(seeds, ", ")
		}
		texts = append(texts, v.Name+": "+strings.Join(seeds, ", "))
	}
	return strings.Join(texts, "; ")
}

// widestTable is how many variants one table holds beside the first.
const widestTable = 2

// headline returns the headline table, or one for each variant where they are too many for one.
func (c *Comparison) headline() (ts []page.Table) {
	others := c.others()
	if len(others) <= widestTable {
		return c.headlineOf("Headline metrics", others)
	}
	for _, v := range others {
		ts = append(ts, c.headlineOf(c.Variants[v].Name+" against "+c.Variants[0].Name, []int{v})...)
	}
	return ts
}

// headlineOf returns the headline table of some variants against the first, none when it has no row. Rows without a number, or over next to nothing, are left out and
// counted.
func (c *Comparison) headlineOf(title string, vs []int) []page.Table {
	t := page.Table{Title: title, Head: c.head(vs)}
	unlisted, text := c.unlisted(vs...)
	left := 0
	for i := range c.Rows {
		row := &c.Rows[i]
		switch {
		case row.Family == "" || unlisted[row]:
		case row.Thin() || !slices.ContainsFunc(vs, func(v int) bool { return !math.IsNaN(row.Cells[v].Difference) }):
			left++
		default:
			t.Rows = append(t.Rows, c.pageRow(row, vs, true))
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	if left > 0 {
		t.Rows = append(t.Rows, page.Row{Name: fmt.Sprintf("%s left out", quantity.Counted(int64(left), "metrics")),
			About: "without a number in both variants, or over next to nothing; all metrics stand below"})
	}
	if text != "" {
		t.About = text + " All metrics stand below."
	}
	return []page.Table{t}
}

// head returns the columns of a table of some variants against the first.
func (c *Comparison) head(vs []int) []string {
	head := []string{"metric", c.Variants[0].Name}
	for _, v := range vs {
		head = append(head, c.Variants[v].Name, "change")
	}
	return append(head, "n")
}

// others are the variants beside the first.
func (c *Comparison) others() (vs []int) {
	for v := 1; v < len(c.Variants); v++ {
		vs = append(vs, v)
	}
	return vs
}

// tables returns one table a metric with all values of all variants.
func (c *Comparison) tables() (ts []page.Table) {
	others, out, left := c.others(), c.ofOtherQueues(), 0
	for i := range c.Rows {
		row := &c.Rows[i]
		if len(ts) == 0 || ts[len(ts)-1].Title != row.Group {
			ts, left = append(ts, page.Table{Title: row.Group, Head: c.head(others)}), 0
		}
		t := &ts[len(ts)-1]
		if out[row] {
			left++
			t.About = fmt.Sprintf("Of each metric those queues are listed that differ most: %s of the others stand in comparison.csv and comparison.json beside this page.",
				quantity.Counted(int64(left), "rows"))
			continue
		}
		t.Rows = append(t.Rows, c.pageRow(row, others, false))
	}
	return ts
}

// pageRow is a metric in a table of some variants against the first.
func (c *Comparison) pageRow(row *Row, vs []int, headline bool) page.Row {
	s := row.Unit.ScaleOf(numbers(row)...)
	cell := func(x *Cell, v int) page.Cell {
		text := "–"
		if x.Absent == "" {
			text = s.Number(x.Number) + s.Suffix()
		}
		note := x.Absent
		if note == "" && headline {
			note = metric.BandNote(c.study.manifest(v).Bands, row.Name)
		}
		return page.Cell{Text: text, Note: note, Label: c.Variants[v].Name}
	}
	r := page.Row{Name: row.Name, About: row.About, Cells: []page.Cell{cell(&row.Cells[0], 0)}}
	if headline {
		r.Name, r.Code = row.Words(), row.Name
	}
	for _, v := range vs {
		x := &row.Cells[v]
		d := page.Cell{Text: "–", Class: findingClass[x.Finding], Label: "change"}
		if headline {
			d.Picture = c.intervalPicture(row, x)
		}
		if !math.IsNaN(x.Difference) {
			d.Text = s.Signed(x.Difference)
			switch {
			case !math.IsNaN(x.Half) && x.Half == 0:
				d.Note = fmt.Sprintf("%s · in every %s", x.Finding, c.Unit)
			case !math.IsNaN(x.Half):
				d.Text += " ± " + s.Number(x.Half)
				d.Note = fmt.Sprintf("%s · p %s · adjusted %s", x.Finding, chance(x.P), chance(x.Adjusted))
				if x.Finding == NotToldApart {
					d.Note += " · would have been found: " + row.sizeText(x.Detectable)
				}
			case x.Finding != NotTested && x.Finding != First:
				d.Note = string(x.Finding)
			}
		}
		r.Cells = append(r.Cells, cell(x, v), d)
	}
	n := page.Cell{Text: "–", Label: "n"}
	if row.Things != "" {
		n.Text = row.Of()
	}
	r.Cells = append(r.Cells, n)
	return r
}

// numbers returns the values of a row, by variant.
func numbers(row *Row) (xs []float64) {
	for i := range row.Cells {
		xs = append(xs, row.Cells[i].Number)
	}
	return xs
}
