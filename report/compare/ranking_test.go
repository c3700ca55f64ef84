package compare

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"replay/report/dist"
	"replay/report/metric"
	"replay/report/quantity"
	"replay/report/reporttest"
)

// narrow is a terminal of so many columns.
type narrow struct {
	bytes.Buffer
	columns int
}

func (n *narrow) Columns() int { return n.columns }

// Several variants are ranked, the best first, with how many times faster each is; two are not.
func TestRanking(t *testing.T) {
	slow, fast := reporttest.Few, reporttest.Few
	slow.WaitMS, fast.WaitMS = 80_000, 20_000
	base, quick := variant(t, slow, "base", 8), variant(t, fast, "quick", 8)
	c := of(t, base, quick, variant(t, slow, "same", 8))
	texts := c.rankingTexts()
	if len(texts) != 2 {
		t.Fatalf("%d rankings, want by wait and by duration: %q", len(texts), texts)
	}
	row := &c.Rows[c.row(metric.Ranking[0])]
	times := row.Cells[0].Number / row.Cells[1].Number
	if want := fmt.Sprintf(", %.2f (", times); times < 2 || !strings.HasPrefix(texts[0], "By mean wait for the first task, the best first: quick ") || !strings.Contains(texts[0], want) ||
		!strings.Contains(texts[0], " times faster than base; ") || !strings.Contains(texts[0], ", as base") {
		t.Errorf("%q, want %q in it", texts[0], want)
	}
	if texts := of(t, base, quick).rankingTexts(); texts != nil {
		t.Errorf("two variants are ranked: %q", texts)
	}
}

// How many times faster a variant is has an interval with the number in it, above 1 where the variant is faster for sure. Where the variant takes next to
// nothing the interval has a low end alone.
func TestRankingIntervals(t *testing.T) {
	c := of(t, variant(t, reporttest.Few, "base", 8), variant(t, reporttest.Few, "quick", 8), variant(t, reporttest.Few, "slow", 8))
	row := &c.Rows[c.row(metric.Ranking[0])]
	set := func(v int, xs ...float64) {
		row.Cells[v].ByUnit, row.Cells[v].Number = xs, dist.Mean(xs)
		row.Cells[v].differ(&row.Cells[0], v == 0)
	}
	set(0, 9000, 10000, 11000, 9000, 10000, 11000, 9000, 11000)
	c.Tested[quantity.Headline] = 2
	for _, tt := range []struct {
		name  string
		quick []float64
		want  string
	}{
		{"half in every unit", []float64{4500, 5000, 5500, 4500, 5000, 5500, 4500, 5500}, "quick 5.00 s, 2.00 (2.00 to 2.00) times faster than base"},
		{"nothing but for some", []float64{0, 0, 0, 0, 0, 0, 0, 800}, "quick 0.10 s, 100.00 (at least 26.96) times faster than base"},
	} {
		set(1, tt.quick...)
		set(2, 19000, 21000, 19000, 21000, 19000, 21000, 19000, 21000)
		for v := 1; v <= 2; v++ {
			row.Cells[v].infer(&row.Cells[0], c.Unit, .02)
			row.Cells[v].Finding = row.Cells[v].find(row, c.Margin)
		}
		text := c.rankingTexts()[0]
		if !strings.Contains(text, tt.want) || !strings.Contains(text, " times slower than base") || strings.Contains(text, "±") {
			t.Errorf("%s: %q, want %q", tt.name, text, tt.want)
		}
	}
}

// An order says which neighbours in it are not told apart; those next to the base have their word already.
func TestRankingNamesNeighboursThatAreAlike(t *testing.T) {
	at := func(name string, ms float64) Variant {
		m := reporttest.Few
		m.WaitMS = ms
		return variant(t, m, name, 8)
	}
	c := of(t, at("base", 80_000), at("quick", 20_000), at("also-quick", 20_000), at("middle", 50_000))
	for _, text := range c.rankingTexts() {
		if want := " Not told apart: quick and also-quick."; !strings.HasSuffix(text, want) {
			t.Errorf("%q, want %q at its end", text, want)
		}
	}
}

// On a terminal of 80 columns a comparison takes 80, and where there is no terminal 100.
func TestAsWideAsTheTerminal(t *testing.T) {
	few := reporttest.Few
	few.WaitMS = 20_000
	c := of(t, variant(t, reporttest.Few, "now", 6), variant(t, few, "a-longer-name-of-a-variant-than-there-is-room-for", 6))
	for _, tt := range []struct{ columns, most int }{{80, 80}, {200, 100}, {0, 100}} {
		w := &narrow{columns: tt.columns}
		c.WriteText(w, false)
		longest := ""
		for line := range strings.Lines(w.String()) {
			if line = strings.TrimRight(line, "\n"); utf8.RuneCountInString(line) > utf8.RuneCountInString(longest) {
				longest = line
			}
		}
		if n := utf8.RuneCountInString(longest); n > tt.most || n < tt.most-12 {
			t.Errorf("on %d columns the longest line has %d, want up to %d: %s", tt.columns, n, tt.most, longest)
		}
	}
}
