package prediction

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"replay/counted"
	"replay/outdir"
	"replay/report/dist"
	"replay/report/figure"
	"replay/report/page"
	"replay/shown"
)

// JSON returns the comparison as documented for `replay backtest --json`.
func (b *Report) JSON() ([]byte, error) {
	r := *b
	r.LeftOut = append([]LeftOut{}, b.LeftOut...) // none is a list too
	data, err := json.MarshalIndent(r, "", " ")
	return append(data, '\n'), err
}

// dir is what a directory of a backtest consists of.
var dir = outdir.Kind{Mark: "backtest.json", Files: append(figure.Files(), "backtest.json", "backtest.txt", "model.txt", "report.html", "tasks.parquet")}

// WriteDir writes backtest.json, backtest.txt, tasks.parquet, the plots, model.txt with what was fitted, and report.html
// to path, whole or not at all.
func (b *Report) WriteDir(path string, formats []string) error {
	d, err := dir.Begin(path)
	if err != nil {
		return err
	}
	defer d.Abort()
	pictures := b.pictures()
	if err := figure.WriteAll(d.Path("plots"), pictures, formats); err != nil {
		return err
	}
	if err := b.writeTasks(d.Path("tasks.parquet")); err != nil {
		return err
	}
	page, err := b.page(pictures)
	if err != nil {
		return err
	}
	js, err := b.JSON()
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := b.WriteText(&text, 2); err != nil {
		return err
	}
	for _, f := range []struct {
		name string
		b    []byte
	}{{"backtest.json", js}, {"backtest.txt", shown.Bytes(text.Bytes())}, {"report.html", page}, {"model.txt", modelFile(b.Fit)}} {
		if f.name == "model.txt" && len(b.Fit) == 0 {
			continue
		}
		if err := d.WriteFile(f.name, f.b); err != nil {
			return err
		}
	}
	return d.Install()
}

// page is report.html: errors, the scatter plot, and every job and stage of every application.
func (b *Report) page(ps []figure.Picture) ([]byte, error) {
	p := page.Page{Title: "Prediction and recording", Warnings: Grouped(b.Warnings)}
	if text, of := b.failed(); text != "" {
		p.Ledes = []page.Lede{{Kind: "bad", Text: text + ".", Findings: of}}
	}
	p.Ledes = append(p.Ledes, page.Lede{Text: b.sentence(), Findings: b.Caveats})
	s := &b.Summary
	p90 := "90th percentile of the same"
	if s.N > 0 && s.N < dist.LeastOf(90) {
		p90 += "; of so few applications it is about the largest"
	}
	for _, c := range []struct {
		label string
		r     Ratio
		about string
	}{
		{"median error, applications", s.Median, "median of |predicted - recorded| / recorded of application times"},
		{"90 % are below", s.P90, p90},
		{"worst error", s.Worst, "largest of the same"},
		{"median error, stages", s.Stages.Median, "the same of stages, from first submission to last end"},
	} {
		p.Cards = append(p.Cards, page.Card{Label: c.label, Number: absText(c.r), About: c.about})
	}
	head := []string{"", "recorded", "predicted", "error"}
	cells := func(recorded, predicted int64, e Ratio) []page.Cell {
		return []page.Cell{{Text: msText(recorded), Label: head[1]}, {Text: msText(predicted), Label: head[2]}, {Text: percentText(e), Label: head[3]}}
	}
	apps := page.Table{Title: "Applications", Head: head}
	for i := range b.Applications {
		a := &b.Applications[i]
		about := "application " + a.ID
		for _, w := range a.Why {
			about += "; " + w
		}
		apps.Rows = append(apps.Rows, page.Row{Name: a.Recording + ", " + a.Name, About: about, Cells: cells(a.RecordedMS, a.PredictedMS, a.Error)})
		if a.Failed() {
			apps.Rows[len(apps.Rows)-1].Cells[1].Text = a.Outcome
			p.Warnings = append(p.Warnings, fmt.Sprintf("%s, %s: %s in the replay, and in no error: %s", a.Recording, a.Name, a.Outcome, a.Reason))
		}
		t := page.Table{Title: a.Recording + ", " + a.Name + ": jobs and stages", Head: head}
		for _, j := range a.Jobs {
			t.Rows = append(t.Rows, page.Row{Name: "job " + strconv.Itoa(int(j.Job)), About: "a Spark job, from its submission to its end", Cells: cells(j.RecordedMS, j.PredictedMS, j.Error)})
		}
		for _, s := range a.Stages {
			t.Rows = append(t.Rows, page.Row{Name: fmt.Sprintf("stage %d", s.Stage), Code: s.Name,
				About: fmt.Sprintf("of job %d, %s, %s", s.Job, counted.Of(s.Tasks, "tasks"), counted.Of(s.Attempts, "recorded attempts")), Cells: cells(s.RecordedMS, s.PredictedMS, s.Error)})
		}
		p.Tables = append(p.Tables, t)
	}
	p.Headline = []page.Table{apps}
	if len(b.LeftOut) > 0 {
		left := page.Table{Title: "Left out", Head: []string{"", "reason", "why"}}
		for _, l := range b.LeftOut {
			left.Rows = append(left.Rows, page.Row{Name: l.Path, Cells: []page.Cell{{Text: l.Reason, Label: "reason"}, {Text: l.Why, Label: "why"}}})
		}
		p.Headline = append(p.Headline, left)
	}
	for i := range b.Clusters {
		p.Tables = append(p.Tables, b.Clusters[i].table())
	}
	for i := range b.Noise {
		n := &b.Noise[i]
		p.Facts = append(p.Facts, [2]string{"noise floor", fmt.Sprintf("%s and %s, two recordings of one plan: %s in the median, %s at most", n.First, n.Second, absText(n.Errors.Median), absText(n.Errors.Worst))})
	}
	for _, k := range slices.Sorted(maps.Keys(b.Settings)) {
		p.Facts = append(p.Facts, [2]string{k, b.Settings[k]})
	}
	for _, k := range slices.Sorted(maps.Keys(b.Model)) {
		p.Facts = append(p.Facts, [2]string{"model: " + k, b.Model[k]})
	}
	var err error
	if p.Figures, err = page.Inline(ps); err != nil {
		return nil, err
	}
	return p.Render(page.Backtest)
}

// table shows shares and waits of a cluster.
func (c *Cluster) table() page.Table {
	t := page.Table{Title: c.Recording + ": shares and waits", Head: []string{"", "recorded", "predicted"}}
	row := func(name, about, recorded, predicted string) {
		t.Rows = append(t.Rows, page.Row{Name: name, About: about, Cells: []page.Cell{{Text: recorded, Label: "recorded"}, {Text: predicted, Label: "predicted"}}})
	}
	for _, s := range []struct {
		name string
		*Shares
	}{{"containers", &c.Containers}, {"tasks", &c.Tasks}} {
		for i, l := range s.Levels {
			row(s.name+" "+l, "share of all "+s.name, shareText(s.Recorded, i), shareText(s.Predicted, i))
		}
	}
	for _, w := range c.Waits {
		row(w.Name, fmt.Sprintf("median of %d and %d", w.RecordedN, w.PredictedN), numberText(w.RecordedMS)+" ms", numberText(w.PredictedMS)+" ms")
	}
	return t
}
