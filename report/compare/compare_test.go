package compare

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"replay/engine/record"
	"replay/report/metric"
	"replay/report/reporttest"
)

func of(t *testing.T, vs ...Variant) *Comparison {
	t.Helper()
	c, err := Of(vs)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// variant returns made-up runs with the seeds from 1 on. Their manifests are the caller's to change.
func variant(t testing.TB, m reporttest.MadeUp, name string, seeds int) Variant {
	v := Variant{Name: name, Flags: "--placement " + name}
	for k := range seeds {
		m.Seed = uint64(k + 1)
		d := *m.Data(t)
		v.Runs = append(v.Runs, metric.Of(&d))
	}
	return v
}

// threeVariants are a base, one with worse locality and longer waits, and the base again.
func threeVariants(t testing.TB, seeds int) []Variant {
	worse := reporttest.Usual
	worse.Locality, worse.WaitMS = .45, 12_000
	worse.Unequal = .5
	return []Variant{variant(t, reporttest.Usual, "locality-ratio", seeds), variant(t, worse, "none", seeds), variant(t, reporttest.Usual, "again", seeds)}
}

// threeWay compares threeVariants, once for each number of seeds. The comparison is shared.
func threeWay(t testing.TB, seeds int) *Comparison {
	t.Helper()
	if threeWays[seeds] == nil {
		c, err := Of(threeVariants(t, seeds))
		if err != nil {
			t.Fatal(err)
		}
		threeWays[seeds] = c
	}
	return threeWays[seeds]
}

var threeWays = map[int]*Comparison{}

func TestSameVariantHasNoDifference(t *testing.T) {
	for _, seeds := range []int{1, 2, 5} {
		a, b := variant(t, reporttest.Usual, "a", seeds), variant(t, reporttest.Usual, "b", seeds)
		c := of(t, a, b)
		v := c.Verdict()[0]
		if !c.Same[1] || !strings.HasPrefix(v.Lead, "No difference between b and a: every metric is equal") || len(v.Findings) != 0 {
			t.Errorf("%d seeds: verdict %+v", seeds, v)
		}
		for _, r := range c.Rows {
			if f := r.Cells[1].Finding; f != Equal && r.Cells[0].Absent == "" {
				t.Errorf("%d seeds: %s is %q", seeds, r.Name, f)
			}
		}
	}
}

// Variants that differ only by chance must not be told apart more often than the level says.
func TestChanceIsNotADifference(t *testing.T) {
	simulates(t)
	wrong, tested := 0, 0
	const rounds = 12
	for round := range uint64(rounds) {
		m := reporttest.Usual
		m.Jobs = 25
		a, b := Variant{Name: "a"}, Variant{Name: "b"}
		for k := range uint64(3) {
			m.Seed = 1000 + 10*round + k
			a.Runs = append(a.Runs, metric.Of(m.Data(t)))
			m.Seed = 5000 + 10*round + k
			b.Runs = append(b.Runs, metric.Of(m.Data(t)))
			b.Runs[k].Manifest.Seed = a.Runs[k].Manifest.Seed
		}
		c := of(t, a, b)
		found := false
		for _, r := range c.Rows {
			if !math.IsNaN(r.Cells[1].Adjusted) {
				tested++
			}
			found = found || r.Cells[1].Finding.Real()
		}
		if found {
			wrong++
		}
	}
	if wrong > 2 || tested < rounds*10 {
		t.Errorf("chance called real in %d of %d comparisons, with %d differences tested", wrong, rounds, tested)
	}
}

func TestRealDifferenceIsFound(t *testing.T) {
	for _, seeds := range []int{3, 5} {
		c := threeWay(t, seeds)
		for name, want := range map[string]Finding{
			"locality_containers_host_share":                   RealWorse,
			"locality_tasks_host_share":                        RealWorse,
			"queue_contended_dominant_share[queue=root.adhoc]": RealHigher,
		} {
			i := c.row(name)
			if i < 0 || c.Rows[i].Cells[1].Finding != want {
				t.Errorf("%d seeds: %s is %q, want %q", seeds, name, c.Rows[i].Cells[1].Finding, want)
			}
		}
	}
}

// One replay says nothing of chance: with one seed nothing is called real or is tested, and the answer says so.
func TestOneSeedHasNoVerdict(t *testing.T) {
	c := threeWay(t, 1)
	for _, r := range c.Rows {
		for v, cell := range r.Cells {
			if cell.Finding.Real() || cell.Finding == NotToldApart || !math.IsNaN(cell.Half) {
				t.Errorf("%s of variant %d is %q ± %v", r.Name, v, cell.Finding, cell.Half)
			}
		}
	}
	if text := c.Verdict()[0].Lead; !strings.Contains(text, "With one seed nothing tells a difference") || !strings.Contains(text, "--seeds 5") || !strings.Contains(text, " → ") {
		t.Errorf("the answer is %q, want that one seed says nothing of chance, and the largest difference", text)
	}
}

// Two seeds may differ alike by luck: a difference that nothing varies is real only with five or more.
func TestAlikeByLuck(t *testing.T) {
	for seeds, want := range map[int]Finding{2: NotTested, 4: NotTested, 5: RealWorse} {
		later := variant(t, reporttest.Few, "later", seeds)
		for k, r := range later.Runs {
			d := *r.Data
			d.Jobs = slices.Clone(d.Jobs)
			for i := range d.Jobs {
				if j := &d.Jobs[i]; j.Outcome == record.JobSucceeded {
					j.Finish += 1000
				}
			}
			later.Runs[k] = metric.Of(&d)
		}
		c := of(t, variant(t, reporttest.Few, "base", seeds), later)
		cell := &c.Rows[c.row("makespan_ms")].Cells[1]
		if cell.Finding != want || (cell.Untested != "") != (want == NotTested) || cell.Difference != 1000 {
			t.Errorf("%d seeds: a makespan that is 1 s longer in each is %q (%s), want %q", seeds, cell.Finding, cell.Untested, want)
		}
	}
}

// The word follows from the one interval that is shown, and p says the same.
func TestIntervalDecidesTheWord(t *testing.T) {
	for _, seeds := range []int{2, 3, 5} {
		tested := 0
		for _, r := range threeWay(t, seeds).Rows {
			for v := 1; v < len(r.Cells); v++ {
				cell := &r.Cells[v]
				low, high, ok := cell.interval()
				if !ok || cell.Finding == Equal {
					continue
				}
				tested++
				excludes := low > 0 || high < 0
				if cell.Finding.Real() != excludes || (cell.Adjusted < level) != excludes || cell.Adjusted < cell.P {
					t.Errorf("%d seeds: %s is %q, its interval %v to %v, p %v, adjusted %v", seeds, r.Name, cell.Finding, low, high, cell.P, cell.Adjusted)
				}
			}
		}
		if tested < 15 {
			t.Errorf("%d seeds: only %d differences were tested", seeds, tested)
		}
	}
}

// every keeps all jobs.
func every(int64) bool { return true }

// row returns the number of the row called name, -1 without.
func (c *Comparison) row(name string) int {
	for i := range c.Rows {
		if c.Rows[i].Name == name {
			return i
		}
	}
	return -1
}

func TestComparisonGolden(t *testing.T) {
	c := threeWay(t, 3)
	var b bytes.Buffer
	c.WriteText(&b, false)
	reporttest.Golden(t, "comparison.txt", b.Bytes())
}

func TestComparisonFormsAgree(t *testing.T) {
	c := threeWay(t, 2)
	js, err := c.JSON()
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := of(t, threeVariants(t, 2)...).JSON(); !bytes.Equal(js, again) {
		t.Error("two comparisons of the same runs have different JSON")
	}
	var out comparisonJSON
	if err := json.Unmarshal(js, &out); err != nil {
		t.Fatal(err)
	}
	if len(out.Metrics) != len(c.Rows) || len(out.Verdict) != 2 {
		t.Errorf("JSON has %d metrics and %d verdicts", len(out.Metrics), len(out.Verdict))
	}
	var b bytes.Buffer
	if err := c.WriteCSV(&b); err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(&b).ReadAll()
	if err != nil || len(lines) != 1+3*(4+len(c.Rows)) {
		t.Errorf("CSV has %d lines (%v), want %d", len(lines), err, 1+3*(4+len(c.Rows)))
	}
	if strings.Contains(string(js), "NaN") {
		t.Error("JSON has NaN")
	}
}

func TestComparisonOfWhatCannotBeCompared(t *testing.T) {
	a := variant(t, reporttest.Usual, "a", 2)
	other := variant(t, reporttest.Usual, "b", 2)
	other.Runs[1].Manifest.TraceHash = "another"
	seeds := variant(t, reporttest.Usual, "b", 2)
	seeds.Runs[0].Manifest.Seed = 9
	for _, tt := range []struct {
		name string
		vs   []Variant
		want string
	}{
		{"one variant", []Variant{a}, "two variants"},
		{"no runs", []Variant{{Name: "x"}, a}, `variant "x" has no runs`},
		{"same name", []Variant{a, a}, `two variants are called "a"`},
		{"fewer seeds", []Variant{a, variant(t, reporttest.Usual, "b", 1)}, "has 1 runs"},
		{"other trace", []Variant{a, other}, "of trace another"},
		{"other seeds", []Variant{a, seeds}, "has seed 9"},
	} {
		if _, err := Of(tt.vs); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q in it", tt.name, err, tt.want)
		}
	}
}

func TestComparisonOfNothing(t *testing.T) {
	for name, feed := range reporttest.Feeds {
		c := of(t, Variant{Name: "a", Runs: []*metric.Summary{metric.Of(reporttest.DataOf(t, feed))}}, Variant{Name: "b", Runs: []*metric.Summary{metric.Of(reporttest.DataOf(t, feed))}})
		page, err := c.page(c.pictures())
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(page, []byte("NaN")) {
			t.Errorf("%s: the page shows NaN", name)
		}
	}
}

func TestComparisonPlotsGolden(t *testing.T) {
	other := reporttest.Few
	other.Locality, other.WaitMS = .9, 3000
	c := of(t, variant(t, reporttest.Few, "base", 2), variant(t, other, "other", 2))
	for _, p := range c.pictures() {
		if p.Figure == nil {
			t.Fatalf("%s: no picture: %s", p.Name, p.Reason)
		}
		b, err := p.Figure.Render("svg")
		if err != nil {
			t.Fatal(err)
		}
		reporttest.Golden(t, p.Name+".svg", b)
	}
}

// A value that says how it follows from jobs must follow from them: otherwise the intervals
// over jobs would be about something else.
func TestPerJobGivesTheValue(t *testing.T) {
	for name, feed := range reporttest.Feeds {
		r := metric.Of(reporttest.DataOf(t, feed))
		n := len(r.Jobs)
		weight := make([]float64, n)
		for i := range weight {
			weight[i] = 1
		}
		checked := 0
		for _, v := range r.Values {
			if v.PerJob == nil {
				continue
			}
			checked++
			got := newSample(v.PerJob, r.Jobs, every, func(id int64) int { return int(id) }, n).at(weight)
			if got != v.Number && math.Abs(got-v.Number) > 1e-9*math.Abs(v.Number) && !(math.IsNaN(got) && v.Absent != "") {
				t.Errorf("%s: %s is %v, from jobs %v", name, v.Name, v.Number, got)
			}
		}
		if checked < 30 {
			t.Errorf("%s: only %d values follow from jobs", name, checked)
		}
	}
}

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
	if len(names) != len(Plots) {
		t.Fatalf("%d plots are declared, %d are in the table", len(names), len(Plots))
	}
	for i, p := range Plots {
		if p.Name != names[i] {
			t.Errorf("plot %d is %q, want %q", i, p.Name, names[i])
		}
	}
	reporttest.Goldens(t, names, ".svg")
	reporttest.Documented(t, "a plot of a comparison", "compare/plot_<name>.go")
}
