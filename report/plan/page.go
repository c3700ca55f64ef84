package plan

import (
	"fmt"

	"replay/report/figure"
	"replay/report/metric"
	"replay/report/page"
	"replay/report/quantity"
)

// page returns report.html of the plan with its curves.
func (p *Plan) page(curves []figure.Picture) ([]byte, error) {
	l := page.Lede{Kind: "good", Text: p.Sentence()}
	if p.Best < 0 {
		l.Kind = "bad"
	}
	out := page.Page{Title: "Plan for " + p.Subject, Ledes: []page.Lede{l}, Warnings: p.Warnings}
	out.Chips = []string{p.Setting + " from " + p.Labels[0] + " to " + p.Labels[len(p.Labels)-1], quantity.Counted(int64(p.Replays), "replays"), fmt.Sprintf("%d of %d values", len(p.Points), len(p.Labels))}
	for _, text := range append([]string{p.Caveat, p.advice(), p.brokenText()}, p.notes()...) {
		if text != "" {
			out.Notes = append(out.Notes, text)
		}
	}
	t := page.Table{Title: "What was replayed", Head: []string{p.Setting, "seeds"}}
	for _, m := range p.Metrics {
		t.Head = append(t.Head, m.Words)
	}
	if p.Costs != nil {
		t.Head = append(t.Head, p.costHead())
	}
	if p.loses() {
		t.Head = append(t.Head, lostHead)
	}
	t.Head = append(t.Head, "targets")
	for i := range p.Points {
		pt := &p.Points[i]
		row := page.Row{Name: p.Labels[pt.Value], Cells: []page.Cell{{Text: fmt.Sprint(len(pt.Excess)), Class: "n", Label: "seeds"}}}
		for k, m := range p.Metrics {
			row.Cells = append(row.Cells, page.Cell{Text: p.cell(pt, k), Class: "n", Label: m.Words, Note: metric.BandNote(p.Bands, m.Name)})
		}
		if p.Costs != nil {
			row.Cells = append(row.Cells, page.Cell{Text: p.cost(pt.Value), Class: "n", Label: p.costHead()})
		}
		if p.loses() {
			row.Cells = append(row.Cells, page.Cell{Text: quantity.Thousands(p.Lost[pt.Value].Jobs), Class: "n", Label: lostHead, Note: p.Lost[pt.Value].Why})
		}
		class := map[Status]string{Holds: "real-better", Fails: "real-worse", Open: "same"}[pt.Status]
		last := page.Cell{Text: string(pt.Status), Class: class, Label: "targets"}
		if pt.Value == p.Best {
			last.Note = "the answer"
		}
		row.Cells = append(row.Cells, last)
		t.Rows = append(t.Rows, row)
	}
	out.Headline = []page.Table{t}
	out.Method = "Each value is the mean over its seeds, with the half interval of 95 % around it; all values have the same seeds. Filled dots in a curve hold, the dashed line is the limit."
	var err error
	if out.Figures, err = page.Inline(curves); err != nil {
		return nil, err
	}
	if p.Made != nil {
		out.MadeBy(p.Made.Command, 1)
	}
	return out.Render(page.Plan)
}
