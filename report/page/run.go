package page

import (
	"replay/report/figure"
	"replay/report/metric"
	"replay/report/quantity"
)

// Run returns report.html of a replay with its pictures.
func Run(s *metric.Summary, ps []figure.Picture) ([]byte, error) {
	p := Page{Title: "Replay of " + s.Manifest.Subject(), About: s.Manifest.Elsewhere, Facts: s.Facts(), Modelled: s.Manifest.Modelled, Warnings: s.Warnings()}
	p.Verdict = []Paragraph{Outcome(s.Outcome(), "")}
	p.Verdict = append(p.Verdict, Paragraph{Findings: s.News()})
	said, others := s.Headline()
	for _, v := range said {
		label := v.Plain
		if of := v.Of(); of != "" {
			label += ", of " + of
		}
		p.Cards = append(p.Cards, Card{label, v.Unit.Amount(v.Number), v.About})
	}
	if len(others) > 0 {
		p.Verdict = append(p.Verdict, Paragraph{Lead: "Headline values left out here", Findings: others})
	}
	for _, g := range s.Groups {
		t := Table{Title: g.Title, Head: []string{"metric", "value", "of"}}
		for _, v := range g.Values {
			t.Rows = append(t.Rows, Row{Name: v.Name, About: v.About, Cells: []Cell{{Text: v.Amount(), Label: "value"}, {Text: quantity.OrDash(v.Of()), Label: "of"}}})
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
