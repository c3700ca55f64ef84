package compare

import (
	"slices"
	"strings"
	"testing"

	"replay/engine/record"
	"replay/report/metric"
	"replay/report/reporttest"
	"replay/report/result"
)

// ended are replays of made-up runs that end when the first of them does; jobs that cut names are not over then.
func ended(t *testing.T, name string, waitMS float64, cut func(*result.Job) bool) Variant {
	m := reporttest.Usual
	m.WaitMS = waitMS
	v := variant(t, m, name, 5)
	for k, r := range v.Runs {
		d := *r.Data
		d.Manifest.Until = 600_000
		d.Jobs = reporttest.Changed(&d, func(j *result.Job) {
			if cut(j) {
				j.Outcome, j.Finish = record.JobUnfinished, record.None
			}
		})
		v.Runs[k] = metric.Of(&d)
	}
	return v
}

// Who serves fewer until the end has no better waits for what was served.
func TestWhatAnEndDecidesIsNotTested(t *testing.T) {
	c := of(t, ended(t, "base", 8000, func(*result.Job) bool { return false }), ended(t, "starves", 5000, func(j *result.Job) bool { return j.ID%2 == 0 }))
	for _, name := range []string{"wait_container_allocation_mean_ms", "wait_task_launch_mean_ms", "makespan_ms"} {
		if cell := &c.Rows[c.row(name)].Cells[1]; cell.Finding != NotTested || cell.Untested != OthersCutOff {
			t.Errorf("%s is %q (%s), want it not tested: the end decides what it is over", name, cell.Finding, cell.Untested)
		}
	}
	if text := c.Verdict()[0].Text; !strings.HasPrefix(text, "For this trace (5 seeds), up to 10.00 min, ") {
		t.Errorf("%q does not say up to when", text)
	}
	if cell := &c.Rows[c.row("duration_job_mean_ms")].Cells[1]; cell.Untested != "" {
		t.Errorf("durations are not tested: %s", cell.Untested)
	}
	if text := c.pairedText(); !strings.Contains(text, "so these are not tested") {
		t.Errorf("%q does not say what is not tested", text)
	}
	if text := c.Verdict()[0].Text; strings.Contains(text, "by ") && strings.Contains(text, "mostly") {
		t.Errorf("%q names a part of times that are open", text)
	}
}

// Where no job is over before the end, durations are not equal: all that is known is that each is longer than all replays see.
func TestNoJobIsOver(t *testing.T) {
	all := func(*result.Job) bool { return true }
	c := of(t, ended(t, "base", 8000, all), ended(t, "other", 5000, all))
	for _, name := range []string{"duration_job_mean_ms", "slowdown_mean"} {
		row := &c.Rows[c.row(name)]
		if cell := &row.Cells[1]; cell.Finding != NotTested || !strings.Contains(row.Cells[0].Absent, "no job is over") || !strings.Contains(cell.Untested, "no job is over") {
			t.Errorf("%s is %q (%s), base %q", name, cell.Finding, cell.Untested, row.Cells[0].Absent)
		}
	}
	if cell := &c.Rows[c.row("wait_job_first_task_mean_ms")].Cells[1]; cell.Untested != "" {
		t.Errorf("waits that are over are not tested: %s", cell.Untested)
	}
	some := ended(t, "some", 5000, func(j *result.Job) bool { return j.ID > 1 })
	c = of(t, ended(t, "base", 8000, all), some)
	if text := c.Verdict()[0].Text; !strings.HasPrefix(text, "For this trace (5 seeds), up to 10.00 min, ") {
		t.Errorf("%q does not say up to when", text)
	}
	if cell := &c.Rows[c.row("duration_job_mean_ms")].Cells[1]; cell.Untested != "" {
		t.Errorf("durations of which some are over in a variant are not tested: %s", cell.Untested)
	}
}

// A job that a variant is asked to be without is not lost: the others are compared.
func TestLeftOutIsNotLost(t *testing.T) {
	base, other := variant(t, reporttest.Usual, "base", 5), variant(t, reporttest.Usual, "without", 5)
	for k, r := range other.Runs {
		d := *r.Data
		all := int64(d.Jobs.Len())
		var kept []result.Job
		for j := range r.Jobs.All() {
			if j.ID != 1 {
				kept = append(kept, *j)
			}
		}
		d.Jobs = result.JobsOf(kept)
		d.Manifest.TraceJobs = all - 1
		other.Runs[k] = metric.Of(&d)
	}
	c := of(t, base, other)
	if l := c.Losses[1]; l.any() || l.LeftOut != 5 {
		t.Errorf("%+v, want 5 left out and none lost", l)
	}
	if text := c.Verdict()[0].Text; strings.Contains(text, "does not finish") {
		t.Errorf("%q voids the verdict", text)
	}
	if text := c.pairedText(); !strings.Contains(text, "jobs that one is without (--change)") {
		t.Errorf("%q does not say that jobs are left out", text)
	}
}

// Of replays that end before the first job nothing is equal: nothing is known.
func TestNoJobIsNoAnswer(t *testing.T) {
	nothing := func(name string) Variant {
		v := Variant{Name: name}
		for range 5 {
			v.Runs = append(v.Runs, metric.Of(reporttest.DataOf(t, func(record.Sink) record.Manifest {
				return record.Manifest{Format: record.Format, FormatVersion: record.FormatVersion, TraceJobs: 3, Until: 1}
			})))
		}
		return v
	}
	c := of(t, nothing("base"), nothing("other"))
	if got, want := c.Verdict()[0].Text, "Nothing is known of other against base: no job was submitted under either."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Where jobs arrive faster in a variant, that is said before what differs.
func TestOtherArrivalsLead(t *testing.T) {
	base, other := variant(t, reporttest.Usual, "base", 5), variant(t, reporttest.Usual, "more", 5)
	for k, r := range other.Runs {
		d := *r.Data
		d.Manifest.Faster = 2
		other.Runs[k] = metric.Of(&d)
	}
	const want = "Under more jobs arrive 2 times as fast as under base "
	if text := of(t, base, other).Verdict()[0].Text; !strings.HasPrefix(text, want) {
		t.Errorf("%q, want %q first", text, want)
	}
	if text := of(t, base, variant(t, reporttest.Usual, "same", 5)).Verdict()[0].Text; strings.Contains(text, "arrive") {
		t.Errorf("%q of variants with the same arrivals", text)
	}
}

func TestEndsOfTheirOwnAreRefused(t *testing.T) {
	base, other := variant(t, reporttest.Usual, "a", 2), ended(t, "b", 8000, func(*result.Job) bool { return false })
	other.Runs = other.Runs[:2]
	want := `run 1 of variant "b" ends at 10.00 min, that of "a" with its jobs`
	if _, err := Of([]Variant{base, other}, Options{}); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %q in it", err, want)
	}
}

// What has no effect is told from what has the same metrics by luck.
func TestDecisionsAreTold(t *testing.T) {
	for _, tt := range []struct {
		first, other string
		units        int
		want         string
	}{
		{"1", "1", 1, "no decision and no metric differs in the one seed. Of other seeds nothing is known: 1 seed is no evidence (5 at least)."},
		{"1", "1", 5, "no decision and no metric differs in any of the 5 seeds. What sets them apart has no effect in these; of other seeds fewer than 46 % differ, as far as 5 alike tell (95 %)."},
		{"1", "2", 5, "every metric is equal in each of the 5 seeds, though decisions differ."},
		{"", "2", 5, "every metric is equal in each of the 5 seeds."},
	} {
		a, b := variant(t, reporttest.Usual, "a", tt.units), variant(t, reporttest.Usual, "b", tt.units)
		for k := range a.Runs {
			a.Runs[k].Manifest.DecisionHash, b.Runs[k].Manifest.DecisionHash = tt.first, tt.first
			b.Runs[k].Manifest.Config = map[string]string{"spark.locality.wait": "0s"}
		}
		b.Runs[min(3, tt.units-1)].Manifest.DecisionHash = tt.other
		if text := of(t, a, b).Verdict()[0].Text; text != "No difference between b and a: "+tt.want {
			t.Errorf("hashes %q and %q: %q", tt.first, tt.other, text)
		}
	}
}

// A variant that is told the same as the first is no other policy, and the answer says so: of what else was meant nothing was found.
func TestToldTheSame(t *testing.T) {
	told := func(name, flags string, change func(*record.Manifest)) Variant {
		v := variant(t, reporttest.Usual, name, 5)
		v.Flags = flags
		for _, r := range v.Runs {
			r.Manifest.DecisionHash = "1"
			change(&r.Manifest)
		}
		return v
	}
	now := told("now", "", func(*record.Manifest) {})
	const want = "No difference between next and now: no decision and no metric differs in any of the 5 seeds. Nothing sets them apart: what is asked of next holds under now as it is, by its files, the trace or defaults."
	for _, tt := range []struct {
		name, flags string
		change      func(*record.Manifest)
		same        bool
	}{
		{"the same", "--sharing fair", func(*record.Manifest) {}, true},
		{"a key", "", func(m *record.Manifest) { m.Config = map[string]string{"spark.locality.wait": "0s"} }, false},
		{"an engine", "", func(m *record.Manifest) { m.Engine = "another" }, false},
		{"defaults above keys of jobs", "--override", func(m *record.Manifest) { m.Override = true }, false},
	} {
		if text := of(t, now, told("next", tt.flags, tt.change)).Verdict()[0].Text; (text == want) != tt.same {
			t.Errorf("%s: %q", tt.name, text)
		}
	}
}

// A part that moved more than the whole is not most of it, and neither is one of less than half.
func TestPartsAddUp(t *testing.T) {
	c := *threeWay(t, 5)
	c.Rows = slices.Clone(c.Rows)
	set := func(name string, change float64) {
		row := &c.Rows[c.row(name)]
		row.Cells = slices.Clone(row.Cells)
		row.Cells[1].Difference = change
	}
	for i := range result.WaitParts {
		set(result.WaitParts[i].Name+"_mean_ms", 0)
	}
	mean, p95, duration := &c.Rows[c.row(ofJobs[0])], ofJobs[2], ofJobs[1]
	first := result.WaitParts[0]
	for _, tt := range []struct {
		whole, part float64
		want        string
	}{
		{1000, 3000, ", by " + first.Short + " (+3.00 s) against −2.00 s of all else"},
		{1000, 500, ", mostly by " + first.Short + " (+0.50 s)"},
		{1000, 1000, ", mostly by " + first.Short + " (+1.00 s)"},
		{1000, 400, ", the largest part of it by " + first.Short + " (+0.40 s)"},
		{1000, -400, ""},
	} {
		set(mean.Name, tt.whole)
		set(first.Name+"_mean_ms", tt.part)
		if text := c.why(mean, 1); text != tt.want {
			t.Errorf("%v of %v: %q, want %q", tt.part, tt.whole, text, tt.want)
		}
	}
	set(first.Name+"_mean_ms", 400)
	set(duration, 1000)
	set(p95, 5000)
	if text, want := c.why(&c.Rows[c.row(p95)], 1), "; of the mean wait "+first.Short+" (+0.40 s) moved most"; text != want {
		t.Errorf("%q, want %q", text, want)
	}
	if text := c.why(&c.Rows[c.row("makespan_ms")], 1); text != "" {
		t.Errorf("%q: means of jobs do not say why the last one ends later", text)
	}
}
