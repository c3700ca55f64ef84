package compare

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"replay/outdir"
	"replay/report"
	"replay/report/figure"
	"replay/shown"
)

// dir is what a directory of a comparison consists of.
var dir = outdir.Kind{Mark: "comparison.json", Files: append(figure.Files(), "comparison.json", "comparison.csv", "comparison.txt", "report.html")}

// CheckDir reports why a comparison cannot be written to path; runs says that it brings the results of its
// runs, which then may replace those of an earlier comparison.
func CheckDir(path string, runs bool) error { return kind(runs).Check(path) }

func kind(runs bool) outdir.Kind {
	k := dir
	if runs {
		for _, f := range report.Files() { // of a variant, on one of several traces or on the only one
			k.Files = append(slices.Clip(k.Files), "runs/*/*/"+f, "runs/*/*/*/"+f)
		}
	}
	return k
}

// WriteDir writes the comparison to a directory: comparison.json, .csv and .txt, report.html,
// and its pictures (those of package pictures) in the formats given. The directory must be absent, empty, or an earlier comparison
// that it then replaces; it appears whole or not at all. More names files or directories to
// move into it (such as the results of the runs), by their name there.
func (c *Comparison) WriteDir(path string, pictures []figure.Picture, formats []string, more map[string]string) error {
	_, runs := more["runs"]
	d, err := kind(runs).Begin(path)
	if err != nil {
		return err
	}
	defer d.Abort()
	if err := figure.WriteAll(d.Path("plots"), pictures, formats); err != nil {
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
	if err := c.writeCSV(&csv); err != nil {
		return err
	}
	for _, f := range []struct {
		name string
		b    []byte
	}{{"comparison.json", js}, {"comparison.csv", csv.Bytes()}, {"comparison.txt", shown.Bytes(text.Bytes())}, {"report.html", page}} {
		if err := d.WriteFile(f.name, f.b); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(more)) {
		to := d.Path(name)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		if err := os.Rename(more[name], to); err != nil {
			return err
		}
	}
	return d.Install()
}
