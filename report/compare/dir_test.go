package compare_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"replay/report/compare"
	"replay/report/compare/pictures"
	"replay/report/metric"
	"replay/report/reporttest"
)

// written returns the page of a comparison that is written to a directory.
func written(t *testing.T, c *compare.Comparison) []byte {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "c")
	if err := c.WriteDir(dir, pictures.Of(c), nil, nil); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(dir, "report.html"))
	if err != nil {
		t.Fatal(err)
	}
	return page
}

// A name from a user stays text, and nothing is fetched from elsewhere.
func TestPageIsSelfContained(t *testing.T) {
	c := compare.Compared(t, compare.MadeUp(t, reporttest.Few, "<b>base", 2), compare.MadeUp(t, reporttest.Usual, "other", 2))
	page := written(t, c)
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
	c := compare.Compared(t, compare.MadeUp(t, reporttest.Few, "a", 2), compare.MadeUp(t, reporttest.Few, "b", 2))
	for _, more := range []map[string]string{nil, {"runs/a": run}} { // the second replaces the first
		if err := compare.CheckDir(dir, more != nil); err != nil {
			t.Fatal(err)
		}
		if err := c.WriteDir(dir, pictures.Of(c), []string{"svg"}, more); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"comparison.json", "comparison.csv", "comparison.txt", "report.html", "plots/differences.svg", "runs/a"} {
		if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name))); err != nil {
			t.Error(err)
		}
	}
	if err := compare.CheckDir(dir, false); err == nil {
		t.Error("a comparison without runs may replace one that has them")
	}
}

func TestWriteDirKeepsWhatIsNotAComparison(t *testing.T) {
	dir := t.TempDir()
	mine := filepath.Join(dir, "thesis.txt")
	if err := os.WriteFile(mine, []byte("years of work"), 0o644); err != nil {
		t.Fatal(err)
	}
	c := compare.Compared(t, compare.MadeUp(t, reporttest.Few, "a", 1), compare.MadeUp(t, reporttest.Few, "b", 1))
	if err := c.WriteDir(dir, pictures.Of(c), nil, nil); err == nil || !strings.Contains(err.Error(), "not an earlier result") {
		t.Errorf("error %v, want a refusal to replace a directory with other files", err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("%v are there (%v), want the one that was", entries, err)
	}
}

func TestComparisonOfNothing(t *testing.T) {
	for name, feed := range reporttest.Feeds {
		c := compare.Compared(t, compare.Variant{Name: "a", Runs: []*metric.Summary{metric.Of(reporttest.DataOf(t, feed))}}, compare.Variant{Name: "b", Runs: []*metric.Summary{metric.Of(reporttest.DataOf(t, feed))}})
		if bytes.Contains(written(t, c), []byte("NaN")) {
			t.Errorf("%s: the page shows NaN", name)
		}
	}
}
