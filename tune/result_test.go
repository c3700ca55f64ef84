package tune

import (
	"math"
	"slices"
	"strings"
	"testing"

	"replay/report/quantity"
	"replay/report/target"
	"replay/sweep"
)

// solved is a result whose winner halves each of some values, which are over n things and the goal is one of.
func solved(t *testing.T, values ...sweep.Value) *Result {
	t.Helper()
	row := func(c, u int) []Values {
		out := Values{}
		for _, v := range values {
			out[v.Name] = Number{X: float64(100+u) / float64(c+1), N: v.N, Things: v.Things, Thin: v.Thin}
		}
		return []Values{out}
	}
	r := &Result{Plan: "p", Goal: "least x", Labels: []string{"baseline", "half"}, Units: "5 seeds", Held: "5 seeds", Row: row,
		Record: &sweep.Record{Values: values}, Values: &Measure{Goal: values[0], sign: 1}}
	r.Race = &Race{Candidates: 2, Units: 5, Held: 5, Measure: func([]int, int, int) error { return nil }, Score: func(c, u int) Score {
		return r.Values.Score(row(c, u), row(Baseline, u))
	}}
	var err error
	if r.Answer, err = r.Race.Solve(); err != nil || r.Winner != 1 || !r.Better {
		t.Fatalf("%+v (%v), want the second to be better", r.Answer, err)
	}
	return r
}

// A winner that has no number on what was held out, as its jobs fail there, is no better setting, and the answer can be read by programs.
func TestAWinnerThatLosesJobsLater(t *testing.T) {
	r := solved(t, sweep.Value{Name: "wait_mean_ms", Unit: "ms", Better: "lower", N: 400, Things: "jobs"})
	row, score := r.Row, r.Race.Score
	r.Row = func(c, u int) []Values {
		values := row(c, u)
		if c == 1 && u == 7 {
			values[0]["wait_mean_ms"] = Number{X: math.NaN()}
		}
		return values
	}
	r.Race.Score = func(c, u int) Score {
		s := score(c, u)
		if c == 1 && u == 7 {
			s.Goal, s.Lost = math.NaN(), true
		}
		return s
	}
	var err error
	if r.Answer, err = r.Race.Solve(); err != nil || r.Winner != 1 || r.Better || !r.Answer.Lost {
		t.Fatalf("%+v (%v), want a winner of the race that loses jobs", r.Answer, err)
	}
	js, page := written(t, r)
	if !strings.Contains(r.Sentence(), "half came first in the race, and on what was held out (5 seeds) jobs fail under it") || !strings.Contains(js, `"is": null`) || strings.Contains(page, "NaN") {
		t.Errorf("%s\n%s", r.Sentence(), js)
	}
}

// written returns a result as JSON and as a page.
func written(t *testing.T, r *Result) (js, page string) {
	t.Helper()
	text, err := r.JSON()
	if err != nil {
		t.Fatal(err)
	}
	html, err := r.page()
	if err != nil {
		t.Fatal(err)
	}
	return string(text), string(html)
}

// What is told to get better or worse says over how many things it is, and what is over next to nothing is not told but counted.
func TestThinValuesAreNotTold(t *testing.T) {
	x := func(name string, n int64, thin bool) sweep.Value {
		return sweep.Value{Name: name, Unit: "ms", Better: "lower", Headline: name, N: n, Things: "jobs", Thin: thin}
	}
	r := solved(t, x("wait_mean_ms", 400, false), x("wait_p95_ms", 9, false), x("rare_mean_ms", 3, true))
	pays, thin := r.Pays()
	if thin != 1 || len(pays) != 2 || slices.ContainsFunc(pays, func(p Paid) bool { return p.Name == "rare_mean_ms" }) {
		t.Errorf("%d left out of %+v, want the one over next to nothing", thin, pays)
	}
	var text strings.Builder
	r.WriteText(&text)
	js, page := written(t, r)
	for _, tt := range []struct{ in, want string }{
		{text.String(), "over 400 jobs\n"}, {text.String(), "over 9 jobs: of so few, p95 is about the largest"}, {text.String(), "Left out, over next to nothing in a replay: 1 value."},
		{js, `"n": 9,`}, {js, `"left_out": 1`}, {page, "of so few, p95 is about the largest"}, {page, "over next to nothing in a replay: 1 value."},
	} {
		if !strings.Contains(tt.in, tt.want) {
			t.Errorf("no %q in\n%s", tt.want, tt.in)
		}
	}
}

// Of another cluster a share of all that it has gets neither worse nor better, which is said.
func TestAnotherClusterIsNoGain(t *testing.T) {
	share := sweep.Value{Name: "busy_share", Unit: "share", Better: "higher", Headline: "busy", MovedBy: quantity.ByNodes}
	for _, other := range []bool{false, true} {
		r := solved(t, sweep.Value{Name: "wait_mean_ms", Unit: "ms", Better: "lower", Headline: "wait"}, share)
		r.Clusters = other
		var text strings.Builder
		r.WriteText(&text)
		_, page := written(t, r)
		const said = "It does not have the same nodes as the baseline, and that by itself moves busy: neither better nor worse, and left out."
		if strings.Contains(text.String(), "  busy ") == other || strings.Contains(text.String(), said) != other || strings.Contains(page, said) != other {
			t.Errorf("another cluster: %v, in\n%s", other, text.String())
		}
	}
}

// A goal says over how many things it is where they are few.
func TestAGoalOfFewSaysSo(t *testing.T) {
	for _, tt := range []struct {
		n    int64
		thin bool
		want string
	}{{9, false, "The goal is over 9 jobs: of so few, p95 is about the largest."}, {40, true, "The goal is over next to nothing: 40 jobs in a replay."}, {40, false, ""}} {
		r := solved(t, sweep.Value{Name: "wait_p95_ms", Unit: "ms", Better: "lower", N: tt.n, Things: "jobs", Thin: tt.thin})
		if text := r.goalText(); text != tt.want {
			t.Errorf("%+v: %q", tt, text)
		}
	}
}

// By what an end decides nothing is chosen.
func TestWhatAnEndDecidesIsNoGoal(t *testing.T) {
	one := 1.0
	r := &sweep.Record{Values: []sweep.Value{{Name: "makespan_ms", Unit: "ms", Number: &one, Cut: true}, {Name: "x_ms", Unit: "ms", Number: &one}}}
	if x := ValuesOf(r); !math.IsNaN(x["makespan_ms"].X) || x["x_ms"].X != 1 {
		t.Errorf("%v, want no number where an end decides it", x)
	}
	goal, err := parseGoal("least makespan_ms")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (&Plan{Goal: goal}).Measure(r); err == nil || !strings.Contains(err.Error(), "goal least makespan_ms: --until ends replays before all jobs are over") {
		t.Errorf("goal: %v", err)
	}
	if goal, err = parseGoal("least x_ms"); err != nil {
		t.Fatal(err)
	}
	limit, err := target.Parse("makespan_ms <= +2%")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (&Plan{Goal: goal, Limits: []Limit{{Target: limit, Text: "makespan_ms <= +2%"}}}).Measure(r); err == nil || !strings.Contains(err.Error(), "limit makespan_ms <= +2%: --until ends") {
		t.Errorf("limit: %v", err)
	}
}

// A mean that is known to be at least so much keeps no limit that it is below, and breaks one that it is above.
func TestALeastValueKeepsNoLimit(t *testing.T) {
	limit, err := target.Parse("mean(wait) < 10s")
	if err != nil {
		t.Fatal(err)
	}
	m := &Measure{Goal: sweep.Value{Name: "x"}, Rules: []Rule{{Value: "wait_mean_ms", amount: 10_000, limit: limit}}, sign: 1}
	excess := func(ms float64, least bool) float64 {
		return m.Score([]Values{{"wait_mean_ms": {X: ms, Least: least}}}, []Values{{}}).Excess[0]
	}
	if x := excess(4000, false); x != -6000 {
		t.Errorf("a mean of 4 s exceeds 10 s by %v", x)
	}
	if x := excess(4000, true); !math.IsNaN(x) {
		t.Errorf("a mean of at least 4 s exceeds 10 s by %v, want nothing that is known", x)
	}
	if x := excess(14_000, true); x != 4000 {
		t.Errorf("a mean of at least 14 s exceeds 10 s by %v, want 4 s", x)
	}
}

// The page says above each of its tables what is in it: what gets better and what gets worse is no matter of their order. It and the text say why the interval
// of the goal is narrower than that of the same value among all.
func TestTablesHaveTitles(t *testing.T) {
	r := solved(t, sweep.Value{Name: "wait_mean_ms", Headline: "mean wait", Unit: "ms", Better: "lower", N: 400, Things: "jobs"},
		sweep.Value{Name: "locality_share", Headline: "locality", Unit: "share", Better: "higher", N: 400, Things: "jobs"})
	html, err := r.page()
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	r.WriteText(&text)
	for _, title := range []string{"What gets worse, on what was held out", "What gets better, on what was held out", "Places in the race"} {
		if !strings.Contains(string(html), "<h3>"+title+"</h3>") {
			t.Errorf("the page has no title %q", title)
		}
	}
	if !strings.Contains(string(html), together) || !strings.Contains(text.String(), together) {
		t.Errorf("page or text do not say %q", together)
	}
}

// A winner of the race that differs from the baseline on none of what was held out, or so rarely that no interval holds, is told so and promised nothing; who
// is equal to it is not called near.
func TestAWinnerWithHardlyADifference(t *testing.T) {
	for differing, want := range []string{"came first in the race, and is equal to it in all of what was held out", "came first in the race, and differs from it in 1 of 5 seeds held out alone", "in 2 of 5 seeds held out alone",
		"and chance explains its gain"} {
		r := solved(t, sweep.Value{Name: "wait_mean_ms", Unit: "ms", Better: "lower", N: 400, Things: "jobs"})
		r.Labels = append(r.Labels, "twin")
		row := r.Row
		r.Row = func(c, u int) []Values {
			c = min(c, 1)
			values := row(c, u)
			if v := values[0]["wait_mean_ms"]; c == 1 && u >= 5 {
				v.X = row(Baseline, u)[0]["wait_mean_ms"].X
				if u-5 < differing {
					v.X -= float64(1 + 20*(u-5))
				}
				values[0]["wait_mean_ms"] = v
			}
			return values
		}
		r.Race = &Race{Candidates: 3, Units: 5, Held: 5, Measure: func([]int, int, int) error { return nil }, Score: func(c, u int) Score {
			return r.Values.Score(r.Row(c, u), r.Row(Baseline, u))
		}}
		var err error
		if r.Answer, err = r.Race.Solve(); err != nil || r.Winner != 1 || r.Better {
			t.Fatalf("%+v (%v), want the second to be first and no better", r.Answer, err)
		}
		js, page := written(t, r)
		if !strings.Contains(r.Sentence(), want) {
			t.Errorf("%d differ: %s, want %q", differing, r.Sentence(), want)
		}
		if rare := differing == 1 || differing == 2; rare == strings.Contains(r.Sentence(), "±") || rare != strings.Contains(js, `"half_interval": null`) {
			t.Errorf("%d differ: %s\n%s", differing, r.Sentence(), js)
		}
		equal := "Equal to it in all of what was held out: twin."
		if differing == 0 {
			equal = "Equal to it in all of what was held out: twin; baseline."
		}
		if !strings.Contains(page, equal) || differing > 0 && !strings.Contains(page, "Not told apart from it: baseline.") {
			t.Errorf("%d differ: the page does not say %q, and who is near", differing, equal)
		}
	}
}

// Who exceeds a limit by the mean, and not beyond chance, stands behind who keeps it, whatever its value: it is said of it, and in the answer where its value is better than that of the first.
func TestWhoStandsBehindALimit(t *testing.T) {
	goals := []float64{100, 80, 60, 90}
	r := &Result{Plan: "p", Goal: "least x", Labels: []string{"baseline", "kept", "better", "worse"}, Units: "5 seeds", Held: "5 seeds",
		Record: &sweep.Record{Values: []sweep.Value{{Name: "x_mean_ms", Unit: "ms", Better: "lower", N: 400, Things: "jobs"}}},
		Row: func(c, u int) []Values {
			return []Values{{"x_mean_ms": Number{X: goals[c] + float64(u%2), N: 400, Things: "jobs"}}}
		}}
	r.Values = &Measure{Goal: r.Record.Values[0], sign: 1, Rules: []Rule{{Limit: "makespan_ms <= +2%"}}}
	r.Race = &Race{Candidates: 4, Units: 5, Held: 5, Measure: func([]int, int, int) error { return nil }, Score: func(c, u int) Score {
		s := Score{Goal: goals[c] + float64(u%2), Excess: []float64{-1}}
		if c == 2 {
			s.Excess[0] = []float64{-40, 50, -40, 50, 10}[u%5] // by 6 in the mean
		}
		return s
	}}
	var err error
	if r.Answer, err = r.Race.Solve(); err != nil || r.Winner != 1 {
		t.Fatalf("%+v (%v), want the one that keeps the limit to be first", r.Answer, err)
	}
	var b strings.Builder
	r.WriteText(&b)
	for _, want := range []string{
		"In the race 1 setting had a better value than the first and exceeded a limit by the mean: the list says which.",
		"exceeds makespan_ms <= +2% by the mean\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("does not say %q:\n%s", want, b.String())
		}
	}
	if n := strings.Count(b.String(), "exceeds "); n != 1 {
		t.Errorf("%d settings exceed a limit, want 1:\n%s", n, b.String())
	}
	if js, page := written(t, r); !strings.Contains(js, `"why": "exceeds makespan_ms \u003c= +2% by the mean"`) || !strings.Contains(page, "exceeds makespan_ms") {
		t.Errorf("JSON or page does not say it: %s", js)
	}
}
