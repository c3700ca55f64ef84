package gate

import (
	"strings"

	"replay/report/page"
	"replay/report/quantity"
)

// Front is what stands first on the page of the comparison: the verdict, its conditions, the queues and the applications that are hit hardest.
func (v *Verdict) Front() *page.Page {
	l := page.Lede{Kind: "good", Text: v.Sentence()}
	if v.Failed() {
		l.Kind = "bad"
	}
	p := &page.Page{Title: "Gate: " + v.Word(), Ledes: []page.Lede{l}}
	if len(v.Conditions) > 0 {
		t := page.Table{Title: "Conditions", Heading: true, Head: []string{"condition", "", "what became of it"}}
		for i := range v.Conditions {
			j := &v.Conditions[i]
			must := "fails if"
			if j.Must {
				must = "must hold"
			}
			class := map[Status]string{Kept: "real-better", Broken: "real-worse", Open: "same"}[j.Status]
			t.Rows = append(t.Rows, page.Row{Name: j.Text, About: j.Row.About, Cells: []page.Cell{{Text: must, Label: "the gate"}, {Text: upper(j.Say()), Class: class, Label: "what became of it"}}})
		}
		t.Head[1] = "the gate"
		p.Headline = append(p.Headline, t)
	}
	if v.Same {
		return p
	}
	if len(v.Queues) > 0 {
		t := page.Table{Title: "Queues", Heading: true, About: strings.Join(v.aboutQueues(), " "), Head: []string{"queue", "p95 wait for the first task", "mean duration of a job", "jobs"}}
		for i := range v.Queues {
			q := &v.Queues[i]
			t.Rows = append(t.Rows, page.Row{Name: q.Name, Cells: []page.Cell{
				{Text: q.Wait.Text(), Class: q.Wait.Look(), Label: t.Head[1]}, {Text: q.Duration.Text(), Class: q.Duration.Look(), Label: t.Head[2]}, {Text: q.Jobs(), Label: "jobs"}}})
		}
		p.Headline = append(p.Headline, t)
	}
	if len(v.Hit) > 0 {
		t := page.Table{Title: "Applications hit hardest, " + v.means(), Heading: true, Head: []string{"application", "queue", "from " + v.Since + " to finish", "to its first task", "longer by"}}
		for i := range v.Hit {
			h := &v.Hit[i]
			d, wait := quantity.MS.ScaleOf(h.Base, h.Head), quantity.MS.ScaleOf(h.WaitBase, h.WaitHead)
			t.Rows = append(t.Rows, page.Row{Name: h.Label, Cells: []page.Cell{{Text: h.Queue, Label: "queue"},
				{Text: d.Number(h.Base) + " → " + d.Number(h.Head) + d.Suffix(), Label: t.Head[2]}, {Text: wait.Number(h.WaitBase) + " → " + wait.Number(h.WaitHead) + wait.Suffix(), Label: t.Head[3]},
				{Text: quantity.MS.Amount(h.Head - h.Base), Label: "longer by"}}})
		}
		p.Headline = append(p.Headline, t)
	}
	return p
}
