package cmdline

import (
	"strings"
	"testing"
)

// On a terminal the sentences of messages break between words; rows of tables, what is moved in and words without a blank stay whole.
func TestWrapped(t *testing.T) {
	const path = "/a/path/that/is/longer/than/the/terminal/is/wide"
	for text, want := range map[string]string{
		"replay: short\n":                     "replay: short\n",
		"replay: one two three four five\n":   "replay: one two\n  three four five\n",
		"replay: " + path + ": not there\n":   "replay:\n  " + path + ":\n  not there\n",
		"left out          reason and why\n":  "left out          reason and why\n",
		"    at a place of the program\n":     "    at a place of the program\n",
		"no end of a line so far, as a bar":   "no end of a line so far, as a bar",
		"ends at 50 % of it and not before\n": "ends at 50 % of it\n  and not before\n",
		"a\nwarning: this one is longer\n":    "a\nwarning: this one\n  is longer\n",
	} {
		if got := string(wrapped([]byte(text), 18)); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
	if long := strings.Repeat("word ", 40) + "\n"; strings.Join(strings.Fields(string(wrapped([]byte(long), 60))), " ") != strings.TrimSpace(strings.Trim(long, "\n")) {
		t.Error("words are lost")
	}
}
