package sweep

import (
	"fmt"

	"replay/report/figure"
	"replay/report/page"
)

// mostListed is how many cells a table of the page has.
const mostListed = 200

// page returns the page of a merge: one file without anything from elsewhere.
func (m *Merged) page(pictures [][]figure.Picture) ([]byte, error) {
	p := page.Page{Title: "Sweep of " + m.Plan, Warnings: m.Warnings, Method: "An interval is of 95 % over the seeds, from five seeds on. " + chosen}
	p.Ledes = []page.Lede{{Text: m.Sentence(), Findings: m.notes()}}
	for _, t := range m.Traces {
		p.Facts = append(p.Facts, [2]string{"trace " + t.Name, t.Hash})
	}
	for i := range m.dims {
		d := &m.dims[i]
		p.Facts = append(p.Facts, [2]string{d.name, figure.Short(fmt.Sprint(d.levels), 400)})
	}
	choices, left := m.choices()
	p.Notes = append(p.Notes, left...)
	extremes := page.Table{Title: "Best and worst", Head: []string{m.overText(), "best", "worst"}}
	for i := range m.Metrics {
		h := &m.Metrics[i]
		best, worst := m.extremes(i, choices)
		if best == nil {
			continue
		}
		cell := func(c *Choice, label string) page.Cell {
			return page.Cell{Text: h.amount(c.means[i]), Note: c.Label, Label: label}
		}
		extremes.Rows = append(extremes.Rows, page.Row{Name: h.Plain, Code: h.Name, About: h.Better + " is better", Cells: []page.Cell{cell(best, "best"), cell(worst, "worst")}})
	}
	if extremes.Rows != nil {
		p.Headline = []page.Table{extremes}
	}
	all := page.Table{Title: "Means by cell", Head: []string{"cell", "seeds"}}
	for i := range m.Metrics {
		all.Head = append(all.Head, m.Metrics[i].Plain)
	}
	for _, g := range m.Points[:min(len(m.Points), mostListed)] {
		r := page.Row{Name: m.label(g, everything), Cells: []page.Cell{{Text: fmt.Sprint(len(g.Seeds)), Label: "seeds"}}}
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
