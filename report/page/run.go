package page

import (
	"replay/report/figure"
	"replay/report/metric"
	"replay/report/quantity"
)

// Run returns report.html of a replay with its pictures.
func Run(s *metric.Summary, ps []figure.Picture) ([]byte, error) {
	p := Page{Title: "Replay of " + quantity.OrDash(s.Manifest.TraceName), Facts: s.Facts(), Modelled: s.Manifest.Modelled, Warnings: s.Warnings()}
	p.Verdict = []Paragraph{Outcome(s.Outcome(), "")}
	for _, v := range s.Values {
		if v.Family == quantity.Headline {
			number := "–"
			about := v.About
			if v.Absent == "" {
				number = v.Unit.Amount(v.Number)
			} else {
				about += "; none because " + v.Absent
			}
			p.Cards = append(p.Cards, Card{v.Plain, number, about})
		}
	}
	for _, g := range s.Groups {
		t := Table{Title: g.Title, Head: []string{"metric", "value", "of"}}
		for _, v := range g.Values {
			t.Rows = append(t.Rows, Row{Name: v.Name, About: v.About, Cells: []Cell{{Text: v.Text(), Label: "value"}, {Text: quantity.Thousands(v.N), Label: "of"}}})
		}
		p.Tables = append(p.Tables, t)
	}
	var err error
	if p.Figures, err = Inline(ps); err != nil {
		return nil, err
	}
	return p.Render(run)
}

// Outcome says what became of the jobs, with the reasons of those that did not succeed; name tells variants apart.
func Outcome(o *metric.Outcome, name string) Paragraph {
	p := Paragraph{Lead: o.Text()}
	if name != "" {
		p.Lead = name + ": " + p.Lead
	}
	for i := range o.Reasons {
		p.Findings = append(p.Findings, o.Reasons[i].Text())
	}
	return p
}
