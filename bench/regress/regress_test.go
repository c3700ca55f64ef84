package regress

import (
	"encoding/xml"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"replay/engine/record"

	"replay/report/ci"
)

// trailOf is a trail of n decisions, of which one, from 1, is another than usual; 0 for none.
func trailOf(n, changed, want int64) *Trail {
	t := NewTrail(want)
	for i := int64(1); i <= n; i++ {
		d := record.Decision{Seq: i, Time: 10 * i, Kind: "allocate", Job: i % 7}
		if i == changed {
			d.Node = 5
		}
		t.Decision(&d)
	}
	return t
}

// Two trails part at the row that differs, or among the rows of its mark, whatever their lengths.
func TestTrailsPart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(1, 30_000).Draw(t, "rows")
		changed := rapid.Int64Range(1, n).Draw(t, "changed")
		more := rapid.Int64Range(0, 20_000).Draw(t, "more rows")
		a, b := trailOf(n, 0, 0).Marks(), trailOf(n+more, changed, 0).Marks()
		first, last, ok := a.parts(b)
		if !ok || first > changed || last < changed || last-first >= max(a.Every, b.Every) {
			t.Fatalf("rows %d to %d, %v; want row %d, a mark every %d and %d", first, last, ok, changed, a.Every, b.Every)
		}
	})
	same := trailOf(9000, 0, 0).Marks()
	if first, last, ok := same.parts(same); ok {
		t.Errorf("a trail parts from itself at %d to %d", first, last)
	}
	if _, _, ok := same.parts(Marks{Text: "?"}); ok {
		t.Error("a trail parts from one that can't be read")
	}
	if got := trailOf(9, 4, 4).Row(); !strings.HasPrefix(got, "decision 4 at 40 ms: allocate container 0 of job 4 on node 5") {
		t.Errorf("row 4 is %q", got)
	}
}

func entry(name string) *Entry {
	return &Entry{Case: name, Input: "aaaa", Hash: "h1", Trail: trailOf(10, 0, 0).Marks(), CPUMS: 12, PeakBytes: 3e6,
		Counts: []Count{{Unit: "tasks", N: 5}, {Unit: "events", N: 100, Cost: true}}, Times: History{{1, 1, 1, 1, 1, 1}}}
}

func changed(change func(*Entry)) *Entry {
	e := entry("a")
	change(e)
	return e
}

// Decisions come before work and work before speed; more work fails and less does not.
func TestCompare(t *testing.T) {
	for _, tt := range []struct {
		name   string
		old    *Entry
		now    *Entry
		failed bool
		say    string
	}{
		{"as it was", entry("a"), entry("a"), false, "as before: +0.0 % CPU (a slow-down from 5.0 % on is seen)"},
		{"first time", nil, entry("a"), false, "not in the baseline"},
		{"decisions", entry("a"), changed(func(e *Entry) { e.Hash, e.Counts, e.Times = "h2", nil, History{{9, 9, 9, 9, 9, 9}} }), true, "decides differently: hash h2, was h1"},
		{"input", entry("a"), changed(func(e *Entry) { e.Input, e.Hash = "bbbb", "h2" }), true, "the input is another one"},
		{"more work", entry("a"), changed(func(e *Entry) { e.Counts[1].N = 101 }), true, "more work: events 101, were 100; as before"},
		{"less work", entry("a"), changed(func(e *Entry) { e.Counts[1].N = 99 }), false, "less work: events 99, were 100 (--save"},
		{"another count", entry("a"), changed(func(e *Entry) { e.Counts[0].N = 6 }), true, "counts differ: tasks 6, were 5"},
		{"a count that is gone", entry("a"), changed(func(e *Entry) { e.Counts = e.Counts[:1] }), true, "counts differ: events -1, were 100"},
		{"slower", entry("a"), changed(func(e *Entry) { e.Times = History{{1.1, 1.1, 1.1, 1.1, 1.1, 1.1}} }), true, "slower: +10.0 % CPU, beyond +5.0 % of the history"},
		{"faster", entry("a"), changed(func(e *Entry) { e.Times = History{{0.9, 0.9, 0.9, 0.9, 0.9, 0.9}} }), false, "faster: -10.0 % CPU"},
		{"open", entry("a"), changed(func(e *Entry) { e.Times = History{{0.9, 1.2, 1, 1, 1, 1}} }), false, "speed not known: +0.0 % CPU, and the interval of 6 samples, -10.0 to +20.0 %, reaches over the limits -5.0 and +5.0 %"},
		{"too few samples", entry("a"), changed(func(e *Entry) { e.Times = History{{1, 1.1, 1, 1, 1}} }), false, "speed not known: +0.0 % CPU, and no interval of fewer than 6 samples holds their median with 95 %: there are 5"},
		{"one sample", entry("a"), changed(func(e *Entry) { e.Times = History{{1}} }), false, "speed not known: +0.0 % CPU, and no interval of fewer than 6 samples holds their median with 95 %: there are 1"},
	} {
		r := Compare(tt.old, tt.now, true)
		if r.Failed() != tt.failed || !strings.HasPrefix(r.Say(), tt.say) {
			t.Errorf("%s: failed %v, %q; want %v, %q", tt.name, r.Failed(), r.Say(), tt.failed, tt.say)
		}
	}
	if r := Compare(entry("a"), changed(func(e *Entry) { e.Times = History{{9, 9, 9, 9, 9, 9}} }), false); r.Failed() {
		t.Errorf("times beside another loop: %q", r.Say())
	}
}

// A baseline keeps the history of what stays as it is and forgets that of what does not.
func TestBaseline(t *testing.T) {
	b := &Baseline{Format: Format, FormatVersion: FormatVersion}
	b.Put(entry("a"))
	b.Put(entry("b"))
	b.Put(changed(func(e *Entry) { e.Times = History{{2}} }))
	b.Put(&Entry{Case: "b", Hash: "h9", Times: History{{3}}})
	path := filepath.Join(t.TempDir(), "b.json")
	if err := b.Write(path); err != nil {
		t.Fatal(err)
	}
	got, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := got.Entry("a"), got.Entry("b"); len(got.Entries) != 2 || len(a.Times) != 2 || a.Times[1][0] != 2 || len(b.Times) != 1 || got.Entry("c") != nil {
		t.Errorf("%+v, %+v", a, b)
	}
	for text, want := range map[string]string{"{": "unexpected end", `{"format":"x"}`: `format is "x", version 0; want "replay-bench", version 2`,
		`{"format":"replay-bench","format_version":2,"cases":[null]}`: "case 0 has no name"} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(path); err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), path) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// What machines read: JUnit's XML parses, annotations stay on their line, cells in their row.
func TestOutputs(t *testing.T) {
	odd := "a|b%,:"
	bad := changed(func(e *Entry) { e.Case, e.Hash = odd, "h2" })
	old := entry("a")
	results := []*Result{Compare(old, entry("a"), true), Compare(old, bad, true), Compare(nil, entry("new"), true)}
	results[1].Where = "row 3:\n100 %"
	var junit, github, markdown strings.Builder
	checks := Checks(results)
	if ci.WriteJUnit(&junit, "replay bench", checks) != nil || ci.WriteGitHub(&github, "replay bench", checks) != nil || WriteMarkdown(&markdown, results) != nil {
		t.Fatal("a builder fails")
	}
	var s struct {
		Failures int `xml:"failures,attr"`
		Cases    []struct {
			Name    string    `xml:"name,attr"`
			Failure *struct{} `xml:"failure"`
		} `xml:"testcase"`
	}
	if err := xml.Unmarshal([]byte(junit.String()), &s); err != nil || s.Failures != 1 || len(s.Cases) != 3 || s.Cases[1].Failure == nil || s.Cases[0].Failure != nil || s.Cases[1].Name != odd {
		t.Errorf("%v: %+v\n%s", err, s, junit.String())
	}
	want := "::error title=replay bench a|b%25%2C%3A::decides differently: hash h2, was h1; row 3:%0A100 %25; if that is meant, --save makes it the baseline\n::warning title=replay bench new::not in the baseline\n"
	if github.String() != want {
		t.Errorf("%q, want %q", github.String(), want)
	}
	rows := strings.Split(strings.TrimSpace(markdown.String()), "\n")
	if len(rows) != 5 || !strings.Contains(rows[3], `| a\|b%,: | **regression** | **differ** |`) || strings.Count(rows[2], "|") != 8 {
		t.Errorf("%s", markdown.String())
	}
}
