package main

import (
	"strings"
	"testing"
)

// least is what the tests of the project have time for. The command asks everything.
var least = effort{kinds: []string{"../../traces/fair-weights"}, pool: 40, draws: 40, generated: 30, worlds: worlds[:1], truth: 12, doublings: doublings[:1], doubled: 6}

func TestPromises(t *testing.T) {
	for _, q := range questions {
		if q.name == "coverage" || q.name == "effects" {
			continue
		}
		var b strings.Builder
		kept, err := q.ask(t.Context(), least, &b)
		if err != nil {
			t.Fatal(err)
		}
		if !kept || strings.Count(b.String(), "kept") < 3 {
			t.Errorf("%s:\n%s", q.name, b.String())
		}
	}
}

// Intervals that hold the truth too rarely are found out.
func TestBrokenPromises(t *testing.T) {
	ts := tallies{"makespan_ms": {held: 92, of: 100}, "slowdown_mean": {held: 93, of: 100}}
	var b strings.Builder
	if ts.write(&b, "5") {
		t.Errorf("92 of 100 intervals are enough:\n%s", b.String())
	}
	if got := b.String(); strings.Count(got, mark(false)) != 1 || strings.Count(got, mark(true)) != 1 {
		t.Errorf("want one kept and one not:\n%s", got)
	}
}
