package tune

import (
	"cmp"
	"fmt"
	"slices"

	"replay/report/page"
)

// together says how wide intervals are.
const together = "Intervals are of 95 %: that of the goal alone, those of what gets worse and better all together, so these are wider."

// page returns the result as one file without anything from elsewhere.
func (r *Result) page() ([]byte, error) {
	p := page.Page{Title: "Tuning of " + r.Plan, About: "Goal: " + r.Goal, Warnings: r.Warnings.Texts(),
		Method: fmt.Sprintf("%s raced on %s; the gain and who pays for it are of %s that had no part in it. %s", settings(len(r.Labels)-1), r.Units, r.Held, together)}
	lede := page.Lede{Text: r.Sentence()}
	if r.Better {
		lede.Kind = "good"
		for _, s := range snippets(r.Sets) {
			p.Files = append(p.Files, page.File{Name: s.name(), Text: s.Text})
		}
	}
	for _, text := range []string{r.unranked(), r.arrivalsText(), r.unlike(), r.lostText(), r.goalText(), r.ownText()} {
		if text != "" {
			lede.Findings = append(lede.Findings, text)
		}
	}
	lede.Findings = append(lede.Findings, r.tiesText()...)
	if r.Winner != Baseline && r.Open != nil {
		lede.Findings = append(lede.Findings, "Kept by the mean, and not known beyond chance: "+r.limits(r.Open)+".")
	}
	p.Ledes = []page.Lede{lede}
	pays, thin := r.Pays()
	for _, side := range []struct {
		title  string
		better bool
	}{{"What gets worse", false}, {"What gets better", true}} {
		class := map[bool]string{false: "real-worse", true: "real-better"}[side.better]
		t := page.Table{Title: side.title + ", on what was held out", Head: []string{"value", "before → after (change)"}}
		for _, x := range pays {
			if x.Better == side.better {
				t.Rows = append(t.Rows, page.Row{Name: r.words(x.Name), Code: x.Name, Cells: []page.Cell{{Text: amounts(x.Unit, x.Was, x.Is, x.Half), Class: class, Note: x.over(), Label: t.Head[1]}}})
			}
		}
		switch {
		case t.Rows != nil:
			p.Headline = append(p.Headline, t)
		case r.Winner != Baseline:
			p.Notes = append(p.Notes, side.title+" with it: nothing that is known beyond chance.")
		}
	}
	if text := thinText(thin); text != "" {
		p.Notes = append(p.Notes, text)
	}
	p.Tables = []page.Table{r.finals(), r.raceTable()}
	p.Facts = [][2]string{{"replays", fmt.Sprint(r.Cells)}, {"race", r.Units}, {"held out", r.Held}}
	return p.Render(page.Tune)
}

// finals are the first of the race and who is not told from it, on what was held out.
func (r *Result) finals() page.Table {
	t := page.Table{Title: "On what was held out: " + r.words(r.Values.Goal.Name), Head: []string{"setting", "baseline → setting (change)"}}
	from, to := r.Race.Units, r.Race.Units+r.Race.Held
	was := r.goal(Baseline, from, to)
	for _, c := range append([]int{r.Winner}, r.Ties...) {
		text := r.Values.Goal.Unit.Amount(was)
		if c != Baseline {
			text = amounts(r.Values.Goal.Unit, was, r.goal(c, from, to), r.Race.change(c, Baseline).Half)
		}
		t.Rows = append(t.Rows, page.Row{Name: r.Labels[c], Cells: []page.Cell{{Text: text, Label: t.Head[1]}}})
	}
	return t
}

// raceTable is who came to the end of the race and who left when and why.
func (r *Result) raceTable() page.Table {
	t := page.Table{Title: "Places in the race", Head: []string{"setting", "place", r.words(r.Values.Goal.Name), "behind or left"}}
	row := func(c int, place, value, left string) {
		t.Rows = append(t.Rows, page.Row{Name: r.Labels[c], Cells: []page.Cell{{Text: place, Label: t.Head[1]}, {Text: value, Label: t.Head[2]}, {Text: left, Label: t.Head[3]}}})
	}
	for i, c := range r.Raced {
		row(c, fmt.Sprint(i+1), r.raced(c), cmp.Or(r.behind(c), "–"))
	}
	for _, x := range slices.Backward(r.Exits) {
		value := "–"
		if x.Why != Unscored {
			value = r.Values.Goal.Unit.Amount(r.goal(x.Candidate, 0, x.Units))
		}
		row(x.Candidate, "–", value, fmt.Sprintf("left after %d: %s", x.Units, r.left(&x)))
	}
	return t
}
