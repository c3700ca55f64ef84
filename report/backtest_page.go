package report

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

//go:embed page_backtest.html
var pageBacktest string

// JSON returns the comparison as documented for `replay backtest --json`.
func (b *Backtest) JSON() ([]byte, error) {
	data, err := json.MarshalIndent(b, "", " ")
	return append(data, '\n'), err
}

// WriteDir writes backtest.json, backtest.txt, the plots, model.txt with what was fitted, and report.html to dir, whole or not at all.
func (b *Backtest) WriteDir(dir string, formats []string) error {
	if err := replaceable(dir, "backtest.json", backtestFiles); err != nil {
		return err
	}
	temp, err := beside(dir)
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	pictures := b.pictures()
	if err := writePlots(filepath.Join(temp, "plots"), pictures, formats); err != nil {
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
	}{{"backtest.json", js}, {"backtest.txt", text.Bytes()}, {"report.html", page}, {"model.txt", ModelFile(b.Fit)}} {
		if f.name == "model.txt" && len(b.Fit) == 0 {
			continue
		}
		if err := os.WriteFile(filepath.Join(temp, f.name), f.b, 0o644); err != nil {
			return err
		}
	}
	return install(temp, dir)
}

// page is report.html: errors, the scatter plot, and every job and stage of every application.
func (b *Backtest) page(ps []picture) ([]byte, error) {
	p := pageData{Title: "Prediction and recording", Warnings: b.Warnings}
	s := &b.Summary
	for _, c := range []struct {
		label string
		r     Ratio
		about string
	}{
		{"median error, applications", s.Median, "median of |predicted - recorded| / recorded of application times"},
		{"90 % are below", s.P90, "90th percentile of the same"},
		{"worst error", s.Worst, "largest of the same"},
		{"median error, stages", s.Stages.Median, "the same of stages, from first submission to last end"},
	} {
		p.Cards = append(p.Cards, card{c.label, absText(c.r), c.about})
	}
	head := []string{"", "recorded", "predicted", "error"}
	cells := func(recorded, predicted int64, e Ratio) []cellData {
		return []cellData{{Text: msText(recorded), Label: head[1]}, {Text: msText(predicted), Label: head[2]}, {Text: percentText(e), Label: head[3]}}
	}
	apps := tableData{Title: "Applications", Head: head}
	for i := range b.Applications {
		a := &b.Applications[i]
		about := "application " + a.ID
		for _, w := range a.Why {
			about += "; " + w
		}
		apps.Rows = append(apps.Rows, rowData{Name: a.Recording + ", " + a.Name, About: about, Cells: cells(a.RecordedMS, a.PredictedMS, a.Error)})
		t := tableData{Title: a.Recording + ", " + a.Name + ": jobs and stages", Head: head}
		for _, j := range a.Jobs {
			t.Rows = append(t.Rows, rowData{Name: "job " + strconv.Itoa(int(j.Job)), About: "a Spark job, from its submission to its end", Cells: cells(j.RecordedMS, j.PredictedMS, j.Error)})
		}
		for _, s := range a.Stages {
			t.Rows = append(t.Rows, rowData{Name: fmt.Sprintf("stage %d", s.Stage), Code: s.Name,
				About: fmt.Sprintf("of job %d, %d tasks, %d recorded attempts", s.Job, s.Tasks, s.Attempts), Cells: cells(s.RecordedMS, s.PredictedMS, s.Error)})
		}
		p.Tables = append(p.Tables, t)
	}
	p.Headline = []tableData{apps}
	for i := range b.Clusters {
		p.Tables = append(p.Tables, b.Clusters[i].table())
	}
	for i := range b.Noise {
		n := &b.Noise[i]
		p.Facts = append(p.Facts, [2]string{"noise floor", fmt.Sprintf("%s and %s, two recordings of one plan: %s in the median, %s at most", n.First, n.Second, absText(n.Errors.Median), absText(n.Errors.Worst))})
	}
	for _, k := range sortedKeys(b.Settings) {
		p.Facts = append(p.Facts, [2]string{k, b.Settings[k]})
	}
	for _, k := range sortedKeys(b.Model) {
		p.Facts = append(p.Facts, [2]string{"model: " + k, b.Model[k]})
	}
	var err error
	if p.Figures, err = inline(ps); err != nil {
		return nil, err
	}
	return render(pageBacktest, &p)
}

// table shows shares and waits of a cluster.
func (c *BacktestCluster) table() tableData {
	t := tableData{Title: c.Recording + ": shares and waits", Head: []string{"", "recorded", "predicted"}}
	row := func(name, about, recorded, predicted string) {
		t.Rows = append(t.Rows, rowData{Name: name, About: about, Cells: []cellData{{Text: recorded, Label: "recorded"}, {Text: predicted, Label: "predicted"}}})
	}
	for _, s := range []struct {
		name string
		*BacktestShares
	}{{"containers", &c.Containers}, {"tasks", &c.Tasks}} {
		for i, l := range s.Levels {
			row(s.name+" "+l, "share of all "+s.name, fmt.Sprintf("%.1f %%", share64(s.Recorded, i)), fmt.Sprintf("%.1f %%", share64(s.Predicted, i)))
		}
	}
	for _, w := range c.Waits {
		row(w.Name, fmt.Sprintf("median of %d and %d", w.RecordedN, w.PredictedN), numberText(w.RecordedMS)+" ms", numberText(w.PredictedMS)+" ms")
	}
	return t
}
