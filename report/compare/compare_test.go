package compare

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"replay/engine/record"
	"replay/report/inference"
	"replay/report/metric"
	"replay/report/reporttest"
	"replay/report/result"
)

func of(t *testing.T, vs ...Variant) *Comparison {
	t.Helper()
	c, err := Of(vs, Options{Margin: DefaultMargin})
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
		c, err := Of(threeVariants(t, seeds), Options{Margin: DefaultMargin})
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
		if !c.Same[1] || !strings.HasPrefix(v.Text, "No difference between b and a: every metric is equal") || len(v.Findings) != 0 {
			t.Errorf("%d seeds: verdict %+v", seeds, v)
		}
		for _, r := range c.Rows {
			if f := r.Cells[1].Finding; f != Equal && r.Cells[0].Absent == "" {
				t.Errorf("%d seeds: %s is %q", seeds, r.Name, f)
			}
		}
	}
}

// simulates marks a test that draws many comparisons to count how often they are right; -short leaves it out.
func simulates(t *testing.T) {
	if testing.Short() {
		t.Skip("draws many comparisons")
	}
}

// madeUp returns n made-up runs whose seeds begin at from, all said to have the seeds from 1 on.
func madeUp(t *testing.T, name string, m reporttest.MadeUp, from uint64, n int) Variant {
	v := Variant{Name: name}
	for k := range n {
		m.Seed = from + uint64(k)
		d := *m.Data(t)
		d.Manifest.Seed = uint64(k + 1)
		v.Runs = append(v.Runs, metric.Of(&d))
	}
	return v
}

// Variants that differ only by chance must not be told apart more often than the level says, in the whole table.
func TestChanceIsNotADifference(t *testing.T) {
	simulates(t)
	wrong, tested, ofQueues := 0, 0, 0
	const rounds = 20
	m := reporttest.Usual
	m.Jobs = 25
	for round := range uint64(rounds) {
		c := of(t, madeUp(t, "a", m, 1000+10*round, 5), madeUp(t, "b", m, 5000+10*round, 5))
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
		if c.shiftText(1) != "" {
			ofQueues++
		}
	}
	if ofQueues > 3 {
		t.Errorf("chance made a queue lose or gain in %d of %d comparisons", ofQueues, rounds)
	}
	if wrong > 3 || tested < rounds*10 { // more than 3 of 20 have a chance of 1.6 % when 5 % are wrong
		t.Errorf("chance called real in %d of %d comparisons, with %d differences tested", wrong, rounds, tested)
	}
}

func TestRealDifferenceIsFound(t *testing.T) {
	for _, seeds := range []int{5, 8} {
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

// Four replays are no evidence: nothing is called real or is tested, and the answer says so.
func TestFewSeedsHaveNoVerdict(t *testing.T) {
	for seeds, want := range map[int]string{1: "1 seed is no evidence (5 at least)", 4: "4 seeds are too little evidence (5 at least)"} {
		c := threeWay(t, seeds)
		for _, r := range c.Rows {
			for v, cell := range r.Cells {
				if cell.Finding.Real() || cell.Finding == NotToldApart || cell.Finding == EqualWithin || !math.IsNaN(cell.Half) {
					t.Errorf("%d seeds: %s of variant %d is %q ± %v", seeds, r.Name, v, cell.Finding, cell.Half)
				}
			}
		}
		if text := c.Verdict()[0].Text; !strings.Contains(text, want) || !strings.Contains(text, " → ") {
			t.Errorf("the answer is %q, want %q in it, and the largest difference", text, want)
		}
	}
}

// later returns the made-up runs with each finish ms later.
func later(t *testing.T, seeds int, ms ...int64) Variant {
	v := variant(t, reporttest.Few, "later", seeds)
	for k, r := range v.Runs {
		d := *r.Data
		d.Jobs = reporttest.Changed(&d, func(j *result.Job) {
			if j.Outcome == record.JobSucceeded {
				j.Finish += ms[k%len(ms)]
			}
		})
		v.Runs[k] = metric.Of(&d)
	}
	return v
}

// Two seeds may differ alike by luck: a difference that nothing varies is real only with five or more, and then no width is made up.
func TestAlikeByLuck(t *testing.T) {
	for seeds, want := range map[int]Finding{2: NotTested, 4: NotTested, 5: RealWorse} {
		c := of(t, variant(t, reporttest.Few, "base", seeds), later(t, seeds, 10_000))
		cell := &c.Rows[c.row("makespan_ms")].Cells[1]
		if cell.Finding != want || (cell.Untested != "") != (want == NotTested) || cell.Difference != 10_000 {
			t.Errorf("%d seeds: a makespan that is 10 s longer in each is %q (%s), want %q", seeds, cell.Finding, cell.Untested, want)
		}
		var b bytes.Buffer
		c.WriteText(&b, false)
		if strings.Contains(b.String(), "±0.00") || strings.Contains(b.String(), "in every seed") != (want == RealWorse) {
			t.Errorf("%d seeds: no width is shown as one, or not said:\n%s", seeds, &b)
		}
		_, rows := c.Plain()
		if text := fmt.Sprint(rows); strings.Contains(text, " ± 0") || strings.Contains(text, " in every seed worse") != (want == RealWorse) || strings.Contains(text, " in every seed =") {
			t.Errorf("%d seeds: of tables for papers, no width is shown as one, or not said: %s", seeds, text)
		}
	}
}

// Where nothing is told apart, no change is named that was not tested, as it is in one seed alone.
func TestWhatIsSeenWasTested(t *testing.T) {
	for _, ms := range [][]int64{{60_000, 0, 0, 0, 0}, {9_000, -9_000, 8_000, -7_000, 6_000}} {
		text := of(t, variant(t, reporttest.Few, "base", 5), later(t, 5, ms...)).Verdict()[0].Text
		if tested := ms[1] != 0; !strings.Contains(text, "told apart from chance") || strings.Contains(text, "; seen: mean duration of a job: ") != tested {
			t.Errorf("%v ms later: %q", ms, text)
		}
	}
}

// What lies within the margin is equal, however many seeds make its interval exclude 0.
func TestWithinTheMargin(t *testing.T) {
	base, v := variant(t, reporttest.Few, "base", 6), later(t, 6, 100, 110)
	for margin, want := range map[float64]Finding{0: RealWorse, .01: EqualWithin} {
		c, err := Of([]Variant{base, v}, Options{Margin: margin})
		if err != nil {
			t.Fatal(err)
		}
		if cell := &c.Rows[c.row("makespan_ms")].Cells[1]; cell.Finding != want {
			t.Errorf("a makespan that is 0.1 s longer is %q with a margin of %v (± %v), want %q", cell.Finding, margin, cell.Half, want)
		}
		if text := c.Verdict()[0].Text; strings.Contains(text, "equal within 1 %") != (margin > 0) {
			t.Errorf("with a margin of %v the answer is %q", margin, text)
		}
	}
}

// A metric without a number in one seed is not tested, and that seed is named: it does not silently become a comparison over fewer.
func TestMissingSeedIsNamed(t *testing.T) {
	base, other := variant(t, reporttest.Usual, "base", 6), variant(t, reporttest.Usual, "other", 6)
	d := *other.Runs[3].Data
	q := *d.Queues
	q.JainMS = 0
	d.Queues = &q
	other.Runs[3] = metric.Of(&d)
	c := of(t, base, other)
	cell := &c.Rows[c.row("fairness_jain")].Cells[1]
	if cell.Finding != NotTested || !slices.Equal(cell.Missing, []string{"4"}) || !math.IsNaN(cell.Difference) || c.Rows[c.row("makespan_ms")].Cells[1].Finding != Equal {
		t.Errorf("Jain's index without a number in seed 4 is %q, missing in %v", cell.Finding, cell.Missing)
	}
	var b bytes.Buffer
	c.WriteText(&b, false)
	if text := strings.Join(strings.Fields(b.String()), " "); !strings.Contains(text, "Not tested, without a number in some seeds: Jain's index of received memory (no number for other in seed 4: never two leaf queues") {
		t.Errorf("the seed is not named:\n%s", &b)
	}
	js, err := c.JSON()
	if err != nil || !bytes.Contains(js, []byte(`"missing": [`)) {
		t.Errorf("comparison.json does not name it (%v)", err)
	}
}

// A metric that one of the variants cannot have is compared among the others, and its absence says why.
func TestMetricOfOthersIsCompared(t *testing.T) {
	without := variant(t, reporttest.Usual, "ideal", 5)
	for k, r := range without.Runs {
		d := *r.Data
		q := *d.Queues
		q.JainMS = 0
		d.Queues = &q
		without.Runs[k] = metric.Of(&d)
	}
	c := of(t, variant(t, reporttest.Usual, "base", 5), variant(t, reporttest.Usual, "other", 5), without)
	row := &c.Rows[c.row("fairness_jain")]
	if row.Thin() || row.N == 0 || row.Cells[1].Finding != Equal || row.Cells[2].Finding != NotTested {
		t.Errorf("n %d, thin %v, findings %q and %q, want those of the two that have a number", row.N, row.Thin(), row.Cells[1].Finding, row.Cells[2].Finding)
	}
	var b bytes.Buffer
	c.WriteText(&b, false)
	if text := strings.Join(strings.Fields(b.String()), " "); !strings.Contains(text, "Jain's index of received memory, of which ideal has none: never two leaf queues") {
		t.Errorf("it is not said why there is none:\n%s", &b)
	}
}

// Jobs that one of three variants loses are missing in what is said of the two others, and that is said beside the loss.
func TestLossOfOneOfThreeVariants(t *testing.T) {
	lossy := reporttest.Usual
	lossy.LostJobs = 3
	vs := []Variant{variant(t, reporttest.Usual, "base", 5), variant(t, reporttest.Usual, "other", 5), variant(t, lossy, "lossy", 5)}
	const want = "is compared without them between the other variants, too: without lossy it is over all that those finish."
	if text := of(t, vs...).lossText(2); !strings.Contains(text, want) {
		t.Errorf("no %q in %q", want, text)
	}
	if text := of(t, vs[0], vs[2]).lossText(1); strings.Contains(text, want) {
		t.Errorf("there are no others: %q", text)
	}
}

// The word follows from the one interval that is shown, and p says the same.
func TestIntervalDecidesTheWord(t *testing.T) {
	for _, seeds := range []int{5, 8} {
		tested := 0
		c := threeWay(t, seeds)
		for _, r := range c.Rows {
			for v := 1; v < len(r.Cells); v++ {
				cell := &r.Cells[v]
				low, high, ok := cell.Interval()
				if !ok || cell.Finding == Equal {
					continue
				}
				tested++
				excludes := low > 0 || high < 0
				within := max(high, -low) <= c.Margin*r.Reference()
				if cell.Finding.Real() != (excludes && !within) || (cell.Finding == EqualWithin) != within || (cell.Adjusted < inference.Level) != excludes || cell.Adjusted < cell.P {
					t.Errorf("%d seeds: %s is %q, its interval %v to %v, p %v, adjusted %v", seeds, r.Name, cell.Finding, low, high, cell.P, cell.Adjusted)
				}
				if cell.Detectable < cell.Half {
					t.Errorf("%d seeds: %s: %v would have been found, less than the interval's half %v", seeds, r.Name, cell.Detectable, cell.Half)
				}
			}
		}
		if tested < 15 {
			t.Errorf("%d seeds: only %d differences were tested", seeds, tested)
		}
	}
}

// Several traces are the sample: seeds of one trace are put together first, and what holds in one trace alone is not called real.
func TestTracesAreTheUnit(t *testing.T) {
	over := func(traces, seeds int, gain func(trace int) int64) *Comparison {
		base, v := Variant{Name: "base"}, Variant{Name: "other"}
		for n := range traces {
			for k := range seeds {
				m := reporttest.Few
				m.Seed = uint64(100*n + k)
				for _, side := range []*Variant{&base, &v} {
					d := *m.Data(t)
					d.Jobs = reporttest.Changed(&d, func(j *result.Job) {
						if side == &v && j.Outcome == record.JobSucceeded {
							j.Finish += gain(n)
						}
					})
					d.Manifest.TraceHash, d.Manifest.TraceName, d.Manifest.Seed = strings.Repeat(string(rune('a'+n)), 64), "trace-"+string(rune('a'+n)), uint64(k+1)
					side.Runs = append(side.Runs, metric.Of(&d))
				}
			}
		}
		c, err := Of([]Variant{base, v}, Options{Unit: inference.Trace, Margin: DefaultMargin})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	first := func(k int) func(int) int64 { // gains in the first k traces alone
		return func(n int) int64 { return map[bool]int64{true: 600_000 + 10_000*int64(n), false: 0}[n < k] }
	}
	all := func(n int) int64 { return 20_000 + 1000*int64(n) }
	for _, tt := range []struct {
		traces, seeds int
		gain          func(int) int64
		want          Finding
	}{{6, 1, all, RealWorse}, {6, 3, all, RealWorse}, {6, 3, first(1), NotTested}, {6, 1, first(2), NotTested}, {6, 1, first(3), NotToldApart}, {4, 3, all, NotTested}} {
		c := over(tt.traces, tt.seeds, tt.gain)
		cell := &c.Rows[c.row("duration_job_mean_ms")].Cells[1]
		if cell.Finding != tt.want || len(cell.ByUnit) != tt.traces || len(c.Units) != tt.traces || c.Units[1].Name != "trace-b" {
			t.Errorf("%d traces with %d seeds: %q over %v of %v, want %q", tt.traces, tt.seeds, cell.Finding, cell.ByUnit, c.Units, tt.want)
		}
		if text := c.Verdict()[0].Text; (tt.want == RealWorse) != strings.HasPrefix(text, "For workloads like these 6 traces, other against base is worse") {
			t.Errorf("the answer is %q", text)
		}
	}
	// What differs in one trace alone has no interval, and the text says so. It keeps nobody from knowing the rest.
	c := over(6, 1, first(1))
	var text bytes.Buffer
	c.WriteText(&text, false)
	if cell := &c.Rows[c.row("duration_job_mean_ms")].Cells[1]; cell.Estimate != nil || cell.Rare != 1 || cell.Untested != "differs in 1 of 6 traces: too rarely to say by how much" || !strings.Contains(text.String(), "Not tested, differing in one or two traces alone") {
		t.Errorf("%+v in\n%s", cell, text.String())
	}
	if p := c.Precision(); !p.Rare || p.Row != nil {
		t.Errorf("the precision is %+v", p)
	}
}

// Seeds of a variant's own are compared by position, which the text says.
func TestSeedsOfTheirOwn(t *testing.T) {
	a, b := variant(t, reporttest.Usual, "a", 5), variant(t, reporttest.Usual, "b", 5)
	for k, r := range b.Runs {
		d := *r.Data
		d.Manifest.Seed = uint64(100 + k)
		b.Runs[k] = metric.Of(&d)
	}
	if text := of(t, a, b).Method(); !strings.Contains(text, "share no random streams") {
		t.Errorf("%q does not say that the seeds differ", text)
	}
}

// More replays are wanted until headline metrics are known as precisely as asked, or there may be no more.
func TestStopByPrecision(t *testing.T) {
	worse := reporttest.Usual
	worse.WaitMS = 12_000
	a, b := variant(t, reporttest.Usual, "a", 8), variant(t, worse, "b", 8)
	same := Variant{Name: "again", Runs: a.Runs}
	for _, tt := range []struct {
		name      string
		other     Variant
		n         int
		precision float64
		limit     int
		want      inference.Stop
		said      string
	}{
		{"given", b, 8, 0, 0, inference.Given, ""},
		{"too few", b, 4, 10, 30, "", ""},
		{"too few, agree", same, 4, .03, 30, "", ""},
		{"agree", same, 5, .03, 30, inference.Agreement, ""},
		{"precise", b, 8, 5, 30, inference.Precision, "8 seeds: every headline metric is known to within 500 %."},
		{"not yet", b, 8, .0001, 30, "", ""},
		{"limit", b, 8, .0001, 8, inference.Exhausted, "8 seeds, the limit: "},
	} {
		c, err := Of([]Variant{{Name: "a", Runs: a.Runs[:tt.n]}, {Name: "b", Runs: tt.other.Runs[:tt.n]}}, Options{Precision: tt.precision, Limit: tt.limit})
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Stop(); got != tt.want || !strings.HasPrefix(c.precisionText(), tt.said) {
			t.Errorf("%s: stopped by %q, %q; want %q, %q", tt.name, got, c.precisionText(), tt.want, tt.said)
		}
	}
}

func TestComparisonGolden(t *testing.T) {
	c := threeWay(t, 5)
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
	if err := c.writeCSV(&b); err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(&b).ReadAll()
	if err != nil || len(lines) != 1+3*(5+len(c.Rows)) {
		t.Errorf("CSV has %d lines (%v), want %d", len(lines), err, 1+3*(5+len(c.Rows)))
	}
	if strings.Contains(string(js), "NaN") {
		t.Error("JSON has NaN")
	}
}

func TestComparisonOfWhatCannotBeCompared(t *testing.T) {
	a := variant(t, reporttest.Usual, "a", 2)
	other := variant(t, reporttest.Usual, "b", 2)
	other.Runs[1].Manifest.TraceHash = "another"
	missing := variant(t, reporttest.Usual, "b", 3)
	missing.Runs = slices.Delete(missing.Runs, 1, 2)
	for _, tt := range []struct {
		name string
		vs   []Variant
		want string
	}{
		{"one variant", []Variant{a}, "two variants"},
		{"no runs", []Variant{{Name: "x"}, a}, `variant "a" has 2 runs, "x" has 0`},
		{"same name", []Variant{a, a}, `two variants are called "a"`},
		{"fewer seeds", []Variant{a, variant(t, reporttest.Usual, "b", 1)}, "has 1 runs, \"a\" has 2: want the same, seed 2 of made-up is in one alone"},
		{"a seed is missing", []Variant{a, missing}, `run 2 of variant "b" has seed 3, that of "a" has 2, and both have seed 1`},
		{"other trace", []Variant{a, other}, "of the trace made-up (another)"},
	} {
		if _, err := Of(tt.vs, Options{}); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q in it", tt.name, err, tt.want)
		}
	}
}

// A value that says how it follows from jobs must follow from them: otherwise what is paired would be something else.
func TestPerJobGivesTheValue(t *testing.T) {
	for name, feed := range reporttest.Feeds {
		r := metric.Of(reporttest.DataOf(t, feed))
		var jobs []*result.Job
		for i := range r.Jobs.Len() {
			jobs = append(jobs, r.Jobs.At(i))
		}
		checked := 0
		for _, v := range r.Values {
			if v.PerJob == nil {
				continue
			}
			checked++
			got := v
			v.PerJob.Over(&got, jobs, v.Open > 0, v.PerJob.Sees(jobs))
			if got.Number != v.Number && math.Abs(got.Number-v.Number) > 1e-9*math.Abs(v.Number) && !(math.IsNaN(got.Number) && v.Absent != "") || got.Open != v.Open {
				t.Errorf("%s: %s is %v, from jobs %v", name, v.Name, v.Number, got.Number)
			}
		}
		if checked < 30 {
			t.Errorf("%s: only %d values follow from jobs", name, checked)
		}
	}
}

// A variant that lets jobs starve has no better waits for it: those that still wait count, up to what both replays can see.
func TestStarvationIsNoGain(t *testing.T) {
	base, starved := variant(t, reporttest.Usual, "base", 5), variant(t, reporttest.Usual, "starved", 5)
	for k, r := range starved.Runs {
		base.Runs[k].Manifest.Until = r.Manifest.Totals.EndMS
		d := *r.Data
		d.Manifest.Until = d.Manifest.Totals.EndMS
		d.Jobs = reporttest.Changed(&d, func(j *result.Job) {
			if j.FirstTask-j.Submit > 15_000 { // those that waited longest never launch
				j.Outcome, j.AMRegistered, j.FirstTask, j.Finish = record.JobUnfinished, record.None, record.None, record.None
			}
		})
		starved.Runs[k] = metric.Of(&d)
	}
	c := of(t, base, starved)
	for _, name := range []string{"wait_job_first_task_mean_ms", "duration_job_mean_ms", "slowdown_mean"} {
		row := c.Rows[c.row(name)]
		if cell := &row.Cells[1]; !(cell.Difference > 0) || row.N != 60 {
			t.Errorf("%s of %d jobs changes by %v (%s): jobs that starve make it better", name, row.N, cell.Difference, cell.Absent)
		}
	}
	if text := c.pairedText(); !strings.Contains(text, "count in all with at least the time so far") {
		t.Errorf("%q does not say how open times count", text)
	}
}
