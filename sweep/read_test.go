package sweep

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	p, err := Read("plan.yaml", []byte(`# comment
traces: [a, "b/*"]
seeds: 1..3
loads: 0.5..1 step 0.25
flags: --placement none
variants:
  fair:
  drf: --sharing drf
grid:
  nodes: [4, "8..9"]
  conf:
    spark.locality.wait: [0s, 3s, ~]
zip:
  - {config-dir: [../x, y], model: {am_start: [1, 2]}}
exclude:
  - {variant: drf, load: ["0.50", 0.75], conf: {spark.locality.wait: ~}}
  - {trace: a, seed: 2}
`))
	if err != nil {
		t.Fatal(err)
	}
	var settings []string
	for _, s := range p.Settings() {
		settings = append(settings, s.String())
	}
	if want := []string{"load", "nodes", "conf spark.locality.wait", "config-dir", "model am_start"}; !slices.Equal(settings, want) {
		t.Errorf("settings %q, want %q", settings, want)
	}
	points, err := p.Points()
	if err != nil || len(points) != 2*3*2*3*2 {
		t.Fatalf("%d points (%v), want 72", len(points), err)
	}
	if got := fmt.Sprint(points[1].Values); got != "[{0.50 4 false} {4 10 false} {0s 12 false} {y 14 false} {2 14 false}]" {
		t.Errorf("the second point is %s, want the last axis first to go on", got)
	}
	if words := points[71].Settings[1].Words(points[71].Values[1]); !slices.Equal(words, []string{"--nodes=8..9"}) {
		t.Errorf("what is in quotes is taken for %q", words)
	}
	if words := points[5].Settings[2].Words(points[5].Values[2]); words != nil {
		t.Errorf("null sets %q", words)
	}
	if err := p.CheckExclude([]string{"a", "b"}); err != nil {
		t.Error(err)
	}
	left := 0
	for i := range points {
		pt := &points[i]
		want := pt.Variant.Name == "drf" && pt.Values[0].Value != "1.00" && pt.Values[2].Unset
		if got := p.Excluded("b", pt, 2); got != want {
			t.Errorf("%v is left out: %t, want %t", pt, got, want)
		}
		if want {
			left++
		}
		if !p.Excluded("a", pt, 2) {
			t.Errorf("%v of trace a with seed 2 is there", pt)
		}
	}
	if left != 8 {
		t.Errorf("%d points left out, want 8", left)
	}
}

// Every error says the file, the line, the key, the value and what is wanted.
func TestReadErrors(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"", "plan.yaml: is empty, want traces"},
		{"flags: ''\ntraces: " + strings.Repeat("[", 5000), "plan.yaml: line 2: is nested too deep, want at most 32"},
		{"seeds: 1", "plan.yaml: traces is missing, want a list of trace folders"},
		{"traces: a\nseed: 1", "plan.yaml: line 2: seed: is no key of a plan, want one of traces, flags, variants"},
		{"traces: a\ntraces: b", `plan.yaml: line 2: traces: mapping key "traces" already defined`},
		{"traces: [a", "plan.yaml: line 1: ["},
		{"traces: {a: b}", `plan.yaml: line 1: traces: is "{a: b}", want a single value`},
		{"traces: []", "plan.yaml: line 1: traces: is an empty list"},
		{"traces: ~", "plan.yaml: line 1: traces: has one without a name"},
		{"traces:", "plan.yaml: line 1: traces: has no value"},
		{"traces: a\nseeds: -1", `plan.yaml: line 2: seeds: is "-1", want whole numbers of 0 or more`},
		{"traces: a\nseeds: [1, 2, 1]", `plan.yaml: line 2: seeds: has "1" twice`},
		{"traces: a\nloads: 0.5..2", `plan.yaml: line 2: loads: is "0.5..2": from 0.5 by 1 does not come to 2, want a step that does, such as 0.15`},
		{"traces: a\nseeds: 5..1", `plan.yaml: line 2: seeds: is "5..1": from 5 down to 1, want the smaller one first`},
		{"traces: a\ngrid:\n  nodes: 4..8s", `plan.yaml: line 3: grid.nodes: is "4..8s": "4" and "8s" have different units`},
		{"traces: a\ngrid:\n  spark.locality.wait: [0s, 3s]", "plan.yaml: line 3: grid.spark.locality.wait: is no flag; a key of Spark or YARN stands below conf, as in conf: {spark.locality.wait: VALUES}"},
		{"traces: a\ngrid:\n  conf spark.locality.wait: [0s, 3s]", "plan.yaml: line 3: grid.conf spark.locality.wait: is no flag, want conf: {spark.locality.wait: VALUES}"},
		{"traces: a\ngrid: [x]", `plan.yaml: line 2: grid: is "[x]", want keys with values`},
		{"traces: a\ngrid: {conf: [x]}", `plan.yaml: line 2: grid.conf: is "[x]", want keys with values`},
		{"traces: a\nloads: [1, 2]\ngrid: {load: [3]}", "plan.yaml: line 3: load: stands in two places"},
		{"traces: a\nvariants: {a b: --x}", "plan.yaml: line 2: variants.a b: is no name"},
		{"traces: a\nvariants: {" + strings.Repeat("a", 41) + ": --x}", "is no name, want 1 to 40 letters from a to z"},
		{"traces: a\nvariants: {a: --x, A: --y}", "plan.yaml: line 2: variants.A: is given twice"},
		{"traces: a\nvariants: {a: [--x]}", `plan.yaml: line 2: variants.a: is "[--x]", want a single value`},
		{"traces: a\nzip: {nodes: [1, 2], load: [1]}", "plan.yaml: line 2: zip.load: has 1 values, want 2 as nodes has"},
		{"traces: a\nzip: {nodes: [1, 2]}", "plan.yaml: line 2: zip: has 1 settings, want two or more"},
		{"traces: a\nexclude: {trace: a}", `plan.yaml: line 2: exclude: is "{trace: a}", want a list`},
		{"traces: a\nexclude: [{}]", "plan.yaml: line 2: exclude: names nothing"},
		{"traces: &x a\nflags: *x", `plan.yaml: line 1: traces: is "&x a", want a single value`},
	} {
		if _, err := Read("plan.yaml", []byte(tt.text)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: error %v, want %s", tt.text, err, tt.want)
		}
	}
	for text, want := range map[string]string{
		"{variant: c}":           `plan.yaml: line 3: exclude.variant: is "c", want one of a, b`,
		"{seed: 9}":              `plan.yaml: line 3: exclude.seed: is "9", want one of 1`,
		"{trace: z}":             `plan.yaml: line 3: exclude.trace: is "z", want one of x`,
		"{nodes: 4}":             "plan.yaml: line 3: exclude: names nodes, want trace, variant, seed or a setting",
		"{conf: {spark.x: [4]}}": "plan.yaml: line 3: exclude: names conf spark.x, want trace",
	} {
		p, err := Read("plan.yaml", []byte("traces: x\nvariants: {a: , b: }\nexclude: ["+text+"]"))
		if err != nil {
			t.Fatal(err)
		}
		if err := p.CheckExclude([]string{"x"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", text, err, want)
		}
	}
	p, err := Read("plan.yaml", []byte("traces: x\ngrid: {nodes: 1..100000, until: 1..100000}"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Points(); err == nil || !strings.Contains(err.Error(), "more than 1000000 cells") {
		t.Errorf("ten billion cells: error %v", err)
	}
}

func FuzzRead(f *testing.F) {
	for _, text := range []string{"traces: a\nseeds: 1..3", "traces: [a]\ngrid: {conf: {k: [1, ~]}, nodes: 1..4 step 2}\nexclude: [{nodes: 1}]", "traces: a\nzip: [{a: 1..2, b: [3, 4]}]", "a: &b [*b]", "? [a]\n: b"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Read("plan.yaml", []byte(text))
		if err != nil {
			return
		}
		if p.Traces == nil || len(p.Seeds) == 0 || len(p.Variants) == 0 {
			t.Errorf("%q: a plan of nothing: %+v", text, p)
		}
		n := 1
		for i := range p.Axes {
			n *= len(p.Axes[i].Rows)
		}
		if n < 10_000 {
			if points, err := p.Points(); err != nil || len(points) != n*len(p.Variants) {
				t.Errorf("%q: %d points (%v), want %d", text, len(points), err, n*len(p.Variants))
			}
		}
	})
}

// One seed that may be meant as so many is doubted, and no other way to give seeds.
func TestReadDoubtsOneSeed(t *testing.T) {
	for text, want := range map[string]int{"5": 1, "[5]": 0, "1": 0, "1..5": 0, "0": 0, "20261121": 0} {
		if p, err := Read("plan.yaml", []byte("traces: a\nseeds: "+text)); err != nil || len(p.Doubts) != want {
			t.Errorf("seeds: %s: %v, %v", text, p.Doubts, err)
		}
	}
}

// A plan that a program wrote has its ranges in quotes.
func TestReadRangesInQuotes(t *testing.T) {
	p, err := Read("plan.json", []byte(`{"traces": ["a"], "seeds": "1..3", "loads": ["0.5", "1..2"], "grid": {"nodes": ["1..2"]}}`))
	if err != nil {
		t.Fatal(err)
	}
	points, err := p.Points()
	if err != nil || len(points) != 3 || len(p.Seeds) != 3 {
		t.Errorf("%d points, seeds %v, %v; want 3 loads with 1..2 as the one number of nodes, and 3 seeds", len(points), p.Seeds, err)
	}
}
