package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The short form of every claim holds, or differs as is known, and each curve with a claim is drawn.
func TestClaims(t *testing.T) {
	if testing.Short() {
		t.Skip("replays every claim")
	}
	out := t.TempDir()
	var table strings.Builder
	ok, err := run(t.Context(), &table, "*", out, true)
	if err != nil || !ok {
		t.Fatalf("%v\n%s", err, table.String())
	}
	for name := range curves {
		if _, err := os.Stat(filepath.Join(out, name+".svg")); err != nil {
			t.Error(err)
		}
	}
	if n := strings.Count(table.String(), "\n"); n != len(claims())+1 {
		t.Errorf("%d lines, want one for each of %d claims", n, len(claims()))
	}
}

// The formulas give the numbers that the papers print.
func TestFormulas(t *testing.T) {
	for _, tt := range []struct{ got, want float64 }{
		{sticky(5), 0.931}, {sticky(10), 0.718}, {sticky(20), 0.460}, {sticky(50), 0.215}, {found(10), 0.651}, {found(40), 0.985},
		{erlang(0.8), 0.2046}, // C(10, 8) = 0.4092, over 10 × 0.2
	} {
		if math.Abs(tt.got-tt.want) > 6e-4 {
			t.Errorf("%v, want %v", tt.got, tt.want)
		}
	}
}

// A result is as claimed, as is known, or wrong.
func TestHolds(t *testing.T) {
	c := claim{expected: 1, tolerance: 0.1, known: 2, because: "of a reason"}
	bound := claim{expected: 1, tolerance: 0.1, atLeast: true}
	for _, tt := range []struct {
		c              claim
		got            float64
		holds, differs bool
	}{{c, 1.05, true, false}, {c, 2.05, false, true}, {c, 1.5, false, false}, {bound, 5, true, false}, {bound, 0.8, false, false}, {c, math.NaN(), false, false}} {
		if tt.c.holds(tt.got) != tt.holds || tt.c.differs(tt.got) != tt.differs {
			t.Errorf("%v: holds %v, differs %v", tt.got, tt.c.holds(tt.got), tt.c.differs(tt.got))
		}
	}
}
