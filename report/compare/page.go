package compare

import (
	"fmt"
	"slices"

	"replay/report/figure"
	"replay/report/page"
	"replay/report/quantity"
)

// findingClass is the look of a finding in the table.
var findingClass = map[Finding]string{
	RealBetter: "real-better", RealWorse: "real-worse", RealHigher: "real", RealLower: "real", NotToldApart: "same", Equal: "same", NotTested: "same", NoVerdict: "same",
}

// page returns the page of the comparison: one file without anything from elsewhere.
func (c *Comparison) page(ps []figure.Picture) ([]byte, error) {
	first := c.Variants[0]
	p := page.Page{Title: "Comparison on " + quantity.OrDash(first.Runs[0].Manifest.TraceName), Verdict: append(c.outcomeParagraphs(), c.Verdict()...), Method: c.Method()}
	for i, v := range c.Variants {
		as := v.Name
		if i == 0 {
			as += " (base)"
		}
		m := &v.Runs[0].Manifest
		p.Facts = append(p.Facts, [2]string{as, fmt.Sprintf("%s; scheduler %s, sharing %s, placement %s", quantity.OrDash(v.Flags), quantity.OrDash(m.Scheduler), quantity.OrDash(m.Sharing), quantity.OrDash(m.Placement))})
	}
	m := &first.Runs[0].Manifest
	p.Facts = append(p.Facts,
		[2]string{"seeds", fmt.Sprint(c.Seeds)},
		[2]string{"jobs", fmt.Sprintf("%s, %s tasks", quantity.Thousands(int64(c.Jobs)), quantity.Thousands(m.Totals.Tasks))},
		[2]string{"preferred hosts", quantity.OrDash(m.LocalitySource)}, [2]string{"task durations", quantity.OrDash(m.DurationSource)}, [2]string{"trace", quantity.OrDash(m.TraceHash)})
	p.Modelled = m.Modelled
	for _, v := range c.Variants {
		for _, r := range v.Runs {
			for _, text := range r.Warnings() {
				if !slices.Contains(p.Warnings, text) {
					p.Warnings = append(p.Warnings, text)
				}
			}
		}
	}
	p.Headline = append([]page.Table{c.outcomeTable()}, c.tables(true)...)
	p.Tables = c.tables(false)
	var err error
	if p.Figures, err = page.Inline(ps); err != nil {
		return nil, err
	}
	return p.Render(page.Comparison)
}

// tables returns the headline table, or one table a metric with all values.
func (c *Comparison) tables(headline bool) (ts []page.Table) {
	head := []string{"metric", c.Variants[0].Name}
	for _, v := range c.Variants[1:] {
		head = append(head, v.Name, "difference, 95 % intervals")
	}
	for i := range c.Rows {
		row := &c.Rows[i]
		title := row.Group
		if headline {
			if row.Family == "" {
				continue
			}
			title = "quantity.Headline metrics and queue shares"
		}
		if len(ts) == 0 || ts[len(ts)-1].Title != title {
			ts = append(ts, page.Table{Title: title, Head: head})
		}
		r := page.Row{Name: row.Name, About: row.About, Cells: []page.Cell{{Text: row.number(&row.Cells[0]), Note: row.Cells[0].Absent, Label: head[1]}}}
		if headline {
			r.Name, r.Code = row.plain(), row.Name
		}
		for v := 1; v < len(row.Cells); v++ {
			cell := &row.Cells[v]
			d := page.Cell{Text: row.against(cell), Class: findingClass[cell.Finding], Label: "difference"}
			if cell.OverSeeds != nil {
				d.Note = "seeds " + row.interval(cell.OverSeeds)
			}
			if cell.OverJobs != nil {
				if d.Note != "" {
					d.Note += " · "
				}
				d.Note += "jobs " + row.interval(cell.OverJobs)
			}
			r.Cells = append(r.Cells, page.Cell{Text: row.number(cell), Note: cell.Absent, Label: c.Variants[v].Name}, d)
		}
		t := &ts[len(ts)-1]
		t.Rows = append(t.Rows, r)
	}
	return ts
}
