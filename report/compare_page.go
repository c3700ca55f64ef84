package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

//go:embed page_compare.html
var pageCompare string

// WriteDir writes the comparison to a directory: comparison.json, .csv and .txt, report.html,
// and plots in the formats given. The directory must be absent, empty, or an earlier comparison
// that it then replaces; it appears whole or not at all. More names files or directories to
// move into it (such as the results of the runs), by their name there.
func (c *Comparison) WriteDir(dir string, formats []string, more map[string]string) error {
	_, runs := more["runs"]
	if err := CheckComparisonDir(dir, runs); err != nil {
		return err
	}
	temp, err := beside(dir)
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	pictures := c.pictures()
	if err := writePlots(filepath.Join(temp, "plots"), pictures, formats); err != nil {
		return err
	}
	page, err := c.page(pictures)
	if err != nil {
		return err
	}
	js, err := c.JSON()
	if err != nil {
		return err
	}
	var text, csv bytes.Buffer
	c.WriteText(&text, true)
	if err := c.WriteCSV(&csv); err != nil {
		return err
	}
	for _, f := range []struct {
		name string
		b    []byte
	}{{"comparison.json", js}, {"comparison.csv", csv.Bytes()}, {"comparison.txt", text.Bytes()}, {"report.html", page}} {
		if err := os.WriteFile(filepath.Join(temp, f.name), f.b, 0o644); err != nil {
			return err
		}
	}
	for _, name := range sortedKeys(more) {
		to := filepath.Join(temp, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		if err := os.Rename(more[name], to); err != nil {
			return err
		}
	}
	return install(temp, dir)
}

// findingClass is the look of a finding in the table.
var findingClass = map[Finding]string{
	RealBetter: "real-better", RealWorse: "real-worse", RealHigher: "real", RealLower: "real", NotToldApart: "same", Equal: "same", NotTested: "same",
}

// page returns the page of the comparison: one file without anything from elsewhere.
func (c *Comparison) page(ps []picture) ([]byte, error) {
	first := c.Variants[0]
	p := pageData{Title: "Comparison on " + orDash(first.Runs[0].Manifest.TraceName), Verdict: c.Verdict(), Method: c.Method()}
	for i, v := range c.Variants {
		as := v.Name
		if i == 0 {
			as += " (base)"
		}
		m := &v.Runs[0].Manifest
		p.Facts = append(p.Facts, [2]string{as, fmt.Sprintf("%s; scheduler %s, sharing %s, placement %s", orDash(v.Flags), orDash(m.Scheduler), orDash(m.Sharing), orDash(m.Placement))})
	}
	m := &first.Runs[0].Manifest
	p.Facts = append(p.Facts,
		[2]string{"seeds", fmt.Sprint(c.Seeds)},
		[2]string{"jobs", fmt.Sprintf("%s, %s tasks", group3(int64(c.Jobs)), group3(m.Totals.Tasks))},
		[2]string{"preferred hosts", orDash(m.LocalitySource)}, [2]string{"task durations", orDash(m.DurationSource)}, [2]string{"trace", orDash(m.TraceHash)})
	p.Modelled = m.Modelled
	for _, v := range c.Variants {
		for _, r := range v.Runs {
			for _, w := range r.Manifest.Warnings {
				if text := w.Text + " (" + w.Code + ")"; !slices.Contains(p.Warnings, text) {
					p.Warnings = append(p.Warnings, text)
				}
			}
		}
	}
	p.Headline = c.tables(true)
	p.Tables = c.tables(false)
	var err error
	if p.Figures, err = inline(ps); err != nil {
		return nil, err
	}
	return render(pageCompare, &p)
}

// tables returns the headline table, or one table a metric with all values.
func (c *Comparison) tables(headline bool) (ts []tableData) {
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
			title = "Headline metrics and queue shares"
		}
		if len(ts) == 0 || ts[len(ts)-1].Title != title {
			ts = append(ts, tableData{Title: title, Head: head})
		}
		r := rowData{Name: row.Name, About: row.About, Cells: []cellData{{Text: row.number(&row.Cells[0]), Note: row.Cells[0].Absent, Label: head[1]}}}
		if headline {
			r.Name, r.Code = row.plain(), row.Name
		}
		for v := 1; v < len(row.Cells); v++ {
			cell := &row.Cells[v]
			d := cellData{Text: row.against(cell), Class: findingClass[cell.Finding], Label: "difference"}
			if cell.OverSeeds != nil {
				d.Note = "seeds " + row.interval(cell.OverSeeds)
			}
			if cell.OverJobs != nil {
				if d.Note != "" {
					d.Note += " · "
				}
				d.Note += "jobs " + row.interval(cell.OverJobs)
			}
			r.Cells = append(r.Cells, cellData{Text: row.number(cell), Note: cell.Absent, Label: c.Variants[v].Name}, d)
		}
		t := &ts[len(ts)-1]
		t.Rows = append(t.Rows, r)
	}
	return ts
}
