package shown

import (
	"bytes"
	"testing"
)

// Text is as wide as the terminal, within bounds; where nobody says how wide it is it has the most.
func TestWidth(t *testing.T) {
	for _, tt := range []struct{ columns, want int }{{0, 100}, {-1, 100}, {20, 60}, {60, 60}, {75, 75}, {100, 100}, {200, 100}} {
		if got := Width(&screen{columns: tt.columns}); got != tt.want {
			t.Errorf("a terminal of %d columns: %d, want %d", tt.columns, got, tt.want)
		}
	}
	if got := Width(&bytes.Buffer{}); got != 100 {
		t.Errorf("no terminal: %d, want 100", got)
	}
}

func TestWrap(t *testing.T) {
	for _, tt := range []struct {
		name, text, indent string
		columns            int
		want               string
	}{
		{"what fits is one line", "one two three", "  ", 13, "one two three\n"},
		{"a word that does not begins the next", "one two three", "  ", 12, "one two\n  three\n"},
		{"the indent counts", "one two three four", "    ", 12, "one two\n    three\n    four\n"},
		{"a longer word keeps a line to itself", "one longer-than-a-line two", "", 8, "one\nlonger-than-a-line\ntwo\n"},
		{"a number keeps its unit", "it is 12 % now", "", 9, "it is\n12 % now\n"},
		{"blanks between words stay", "one  two", "", 20, "one  two\n"},
		{"blanks before the first word stay", "  one two", "> ", 6, "  one\n> two\n"},
		{"wide characters take two columns", "漢字 漢字", "", 8, "漢字\n漢字\n"},
		{"without columns all is one line", "one two  three", "  ", 0, "one two  three\n"},
		{"nothing is an empty line", "", "  ", 10, "\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var b bytes.Buffer
			Wrap(&b, tt.text, tt.indent, tt.columns)
			if b.String() != tt.want {
				t.Errorf("%q, want %q", b.String(), tt.want)
			}
		})
	}
}

func TestHang(t *testing.T) {
	s := &screen{columns: 60}
	Hang(s, "warning: ", "         ", "the first of these sentences takes more than what is left of a line")
	if want := "warning: the first of these sentences takes more than what\n         is left of a line\n"; s.String() != want {
		t.Errorf("%q, want %q", s.String(), want)
	}
	s = &screen{columns: 60}
	Paragraph(s, "the first of these sentences takes more than what is left of a line", "  ")
	if want := "the first of these sentences takes more than what is left of\n  a line\n"; s.String() != want {
		t.Errorf("%q, want %q", s.String(), want)
	}
}
