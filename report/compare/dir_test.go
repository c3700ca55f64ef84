package compare

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"replay/report/reporttest"
)

// A name from a user stays text, and nothing is fetched from elsewhere.
func TestPageIsSelfContained(t *testing.T) {
	c := of(t, variant(t, reporttest.Few, "<b>base", 2), variant(t, reporttest.Usual, "other", 2))
	page, err := c.page(c.pictures())
	if err != nil {
		t.Fatal(err)
	}
	reporttest.SelfContained(t, page)
	if bytes.Contains(page, []byte("<b>base")) {
		t.Error("the name of a variant is taken for HTML")
	}
}

func TestWriteDir(t *testing.T) {
	parent := t.TempDir()
	dir, run := filepath.Join(parent, "c"), filepath.Join(parent, "run")
	if err := os.MkdirAll(run, 0o755); err != nil {
		t.Fatal(err)
	}
	c := of(t, variant(t, reporttest.Few, "a", 2), variant(t, reporttest.Few, "b", 2))
	for _, more := range []map[string]string{nil, {"runs/a": run}} { // the second replaces the first
		if err := CheckDir(dir, more != nil); err != nil {
			t.Fatal(err)
		}
		if err := c.WriteDir(dir, []string{"svg"}, more); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"comparison.json", "comparison.csv", "comparison.txt", "report.html", "plots/differences.svg", "runs/a"} {
		if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name))); err != nil {
			t.Error(err)
		}
	}
	if err := CheckDir(dir, false); err == nil {
		t.Error("a comparison without runs may replace one that has them")
	}
}

func TestWriteDirKeepsWhatIsNotAComparison(t *testing.T) {
	dir := t.TempDir()
	mine := filepath.Join(dir, "thesis.txt")
	if err := os.WriteFile(mine, []byte("years of work"), 0o644); err != nil {
		t.Fatal(err)
	}
	c := of(t, variant(t, reporttest.Few, "a", 1), variant(t, reporttest.Few, "b", 1))
	if err := c.WriteDir(dir, nil, nil); err == nil || !strings.Contains(err.Error(), "not an earlier result") {
		t.Errorf("error %v, want a refusal to replace a directory with other files", err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("%v are there (%v), want the one that was", entries, err)
	}
}

// A plot is added by one file, one line and one golden picture.
func TestEachPlotIsAFileAndALine(t *testing.T) {
	names := reporttest.Table(t, "Plot", "Plots", "plot_")
	reporttest.Listed(t, "plot", names, len(Plots), func(i int) string { return Plots[i].Name })
	reporttest.Goldens(t, names, ".svg")
	reporttest.Documented(t, "a plot of a comparison", "compare/plot_<name>.go")
}
