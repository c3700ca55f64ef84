package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"math"
	"strings"
	"testing"
)

func compare(t *testing.T, vs ...Variant) *Comparison {
	t.Helper()
	c, err := Compare(vs)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestSameVariantHasNoDifference(t *testing.T) {
	for _, seeds := range []int{1, 2, 5} {
		a, b := usual.variant(t, "a", seeds), usual.variant(t, "b", seeds)
		c := compare(t, a, b)
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
	wrong, tested := 0, 0
	const rounds = 12
	for round := range uint64(rounds) {
		m := usual
		m.jobs = 25
		a, b := Variant{Name: "a"}, Variant{Name: "b"}
		for k := range uint64(3) {
			m.seed = 1000 + 10*round + k
			a.Runs = append(a.Runs, m.result(t))
			m.seed = 5000 + 10*round + k
			b.Runs = append(b.Runs, m.result(t))
			b.Runs[k].Manifest.Seed = a.Runs[k].Manifest.Seed
		}
		c := compare(t, a, b)
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
	for _, seeds := range []int{1, 3, 5} {
		vs := threeVariants(t, seeds)
		c := compare(t, vs...)
		for name, want := range map[string]Finding{
			"locality_containers_host_share": RealWorse,
			"locality_tasks_host_share":      RealWorse,
			"wait_job_first_task_mean_ms":    RealWorse,
		} {
			i := c.row(name)
			if i < 0 || c.Rows[i].Cells[1].Finding != want {
				t.Errorf("%d seeds: %s is %q, want %q", seeds, name, c.Rows[i].Cells[1].Finding, want)
			}
		}
		shares := c.row("queue_contended_dominant_share[queue=root.adhoc]")
		want := RealHigher
		if seeds == 1 {
			want = NotTested
		}
		if got := c.Rows[shares].Cells[1].Finding; got != want {
			t.Errorf("%d seeds: share of adhoc is %q, want %q", seeds, got, want)
		}
	}
}

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
	c := compare(t, threeVariants(t, 3)...)
	var b bytes.Buffer
	c.WriteText(&b, false)
	golden(t, "comparison.txt", b.Bytes())
}

func TestSummaryGolden(t *testing.T) {
	var b bytes.Buffer
	resultOf(t, byHand).WriteText(&b, true)
	golden(t, "summary.txt", b.Bytes())
	golden(t, "summary.json", resultOf(t, byHand).SummaryJSON())
}

func TestComparisonFormsAgree(t *testing.T) {
	c := compare(t, threeVariants(t, 2)...)
	js, err := c.JSON()
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := compare(t, threeVariants(t, 2)...).JSON(); !bytes.Equal(js, again) {
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
	if err != nil || len(lines) != 1+3*len(c.Rows) {
		t.Errorf("CSV has %d lines (%v), want %d", len(lines), err, 1+3*len(c.Rows))
	}
	if strings.Contains(string(js), "NaN") {
		t.Error("JSON has NaN")
	}
}

func TestComparisonOfWhatCannotBeCompared(t *testing.T) {
	a := usual.variant(t, "a", 2)
	other := usual.variant(t, "b", 2)
	other.Runs[1].Manifest.TraceHash = "another"
	seeds := usual.variant(t, "b", 2)
	seeds.Runs[0].Manifest.Seed = 9
	for _, tt := range []struct {
		name string
		vs   []Variant
		want string
	}{
		{"one variant", []Variant{a}, "two variants"},
		{"no runs", []Variant{{Name: "x"}, a}, `variant "x" has no runs`},
		{"same name", []Variant{a, a}, `two variants are called "a"`},
		{"fewer seeds", []Variant{a, usual.variant(t, "b", 1)}, "has 1 runs"},
		{"other trace", []Variant{a, other}, "of trace another"},
		{"other seeds", []Variant{a, seeds}, "has seed 9"},
	} {
		if _, err := Compare(tt.vs); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q in it", tt.name, err, tt.want)
		}
	}
}

func TestComparisonOfNothing(t *testing.T) {
	for name, feed := range feeds {
		c := compare(t, Variant{Name: "a", Runs: []*Result{resultOf(t, feed)}}, Variant{Name: "b", Runs: []*Result{resultOf(t, feed)}})
		page, err := c.page(c.pictures())
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(page, []byte("NaN")) {
			t.Errorf("%s: the page shows NaN", name)
		}
	}
}
