package sweep

import (
	"fmt"
	"math"
	"strings"

	"replay/report/figure"
	"replay/report/page"
	"replay/report/quantity"
)

// mostListed is how many cells a table of the page has.
const mostListed = 200

// page returns the page of a merge: one file without anything from elsewhere.
func (m *Merged) page(pictures [][]figure.Picture) ([]byte, error) {
	p := page.Page{Title: "Sweep of " + m.Plan, Warnings: m.Warnings.Texts(), Method: "An interval is of 95 % over the seeds, from five seeds on. " + chosen}
	for _, t := range m.Traces {
		p.Facts = append(p.Facts, [2]string{"trace " + t.Name, t.Hash})
	}
	for i := range m.dims {
		d := &m.dims[i]
		p.Facts = append(p.Facts, [2]string{d.name, figure.Short(strings.Join(d.levels, ", "), 400)})
	}
	choices, left := m.choices()
	p.Notes = append(p.Notes, left...)
	extremes := page.Table{Title: "Best and worst", Head: []string{m.overText(), "best", "worst", "the two"}}
	compared := m.extremes(choices)
	if answers := m.answers(compared); answers != nil {
		p.Ledes = append(p.Ledes, page.Lede{Text: strings.Join(answers, " ")})
	}
	p.Ledes = append(p.Ledes, page.Lede{Text: m.Sentence(), Findings: m.notes()})
	for k := range compared {
		e := &compared[k]
		h := &m.Metrics[e.metric]
		cell := func(c *Choice, alike []*Choice, label string) page.Cell {
			return page.Cell{Text: h.amount(c.means[e.metric]), Note: named(c, alike), Label: label}
		}
		row := page.Row{Name: h.Plain, Code: h.Name, About: h.Better + " is better", Cells: []page.Cell{cell(e.best, e.good, "best"), cell(e.worst, e.bad, "worst")}}
		told := page.Cell{Text: "told apart", Label: extremes.Head[3]}
		switch {
		case math.IsNaN(e.half):
			told.Text = "not known"
		case !e.apart():
			told.Text = "not told apart"
		}
		row.Cells = append(row.Cells, told)
		extremes.Rows = append(extremes.Rows, row)
	}
	if extremes.Rows != nil {
		p.Headline = []page.Table{extremes}
		if text := m.apartText(compared, "Not told apart"); text != "" {
			p.Notes = append([]string{text}, p.Notes...)
		}
	}
	all := page.Table{Title: "Means by cell", Head: []string{"cell", "seeds"}}
	if m.Lost > 0 {
		all.Head = append(all.Head, "jobs that do not succeed")
	}
	for i := range m.Metrics {
		all.Head = append(all.Head, m.Metrics[i].Plain)
	}
	for _, g := range m.Points[:min(len(m.Points), mostListed)] {
		r := page.Row{Name: m.label(g, everything), Cells: []page.Cell{{Text: fmt.Sprint(len(g.Seeds)), Label: "seeds"}}}
		if m.Lost > 0 {
			lost := int64(0)
			for k := range g.Lost {
				lost += g.Lost[k].Unexpected
			}
			r.Cells = append(r.Cells, page.Cell{Text: quantity.Thousands(lost), Label: "jobs that do not succeed"})
		}
		for i := range m.Metrics {
			r.Cells = append(r.Cells, page.Cell{Text: m.Metrics[i].amount(g.mean(i)), Label: m.Metrics[i].Plain})
		}
		all.Rows = append(all.Rows, r)
	}
	if n := len(m.Points); n > mostListed {
		all.Title += fmt.Sprintf(", the first %d of %d; all of them are in values.csv", mostListed, n)
	}
	p.Tables = []page.Table{all}
	var flat []figure.Picture
	for _, ps := range pictures {
		flat = append(flat, ps...)
	}
	var err error
	if p.Figures, err = page.Inline(flat); err != nil {
		return nil, err
	}
	return p.Render(page.Comparison)
}
