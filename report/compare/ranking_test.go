package compare

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

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
	row := &c.Rows[0]
	for i := range c.Rows {
		if c.Rows[i].Name == rankedBy[0] {
			row = &c.Rows[i]
		}
	}
	times := row.Cells[0].Number / row.Cells[1].Number
	if want := fmt.Sprintf(", %.2f ± ", times); times < 2 || !strings.HasPrefix(texts[0], "By mean wait for the first task, the best first: quick ") || !strings.Contains(texts[0], want) ||
		!strings.Contains(texts[0], " times faster than base; ") || !strings.Contains(texts[0], ", as base") {
		t.Errorf("%q, want %q in it", texts[0], want)
	}
	if texts := of(t, base, quick).rankingTexts(); texts != nil {
		t.Errorf("two variants are ranked: %q", texts)
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
