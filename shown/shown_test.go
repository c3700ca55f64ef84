package shown

import (
	"bytes"
	"encoding/json"
	"testing"
)

func TestBytes(t *testing.T) {
	for in, want := range map[string]string{
		"plain, größer, 漢字\n\ttoo":        "plain, größer, 漢字\n\ttoo",
		"\x1b[31mred\x1b[0m":              `\u001b[31mred\u001b[0m`,
		"\x1b]0;title\a\r":                `\u001b]0;title\u0007\u000d`,
		"a\u202egnp.exe\u2066":            `a\u202egnp.exe\u2066`,
		"\u009b31m\x7f\ufeff\u200b\u061c": `\u009b31m\u007f\ufeff\u200b\u061c`,
	} {
		if got := string(Bytes([]byte(in))); got != want {
			t.Errorf("%q is shown as %q, want %q", in, got, want)
		}
		for cut := range len(in) { // in two writes
			var b bytes.Buffer
			w := Writer{Out: &b}
			w.Write([]byte(in[:cut]))
			w.Write([]byte(in[cut:]))
			if b.String() != want {
				t.Errorf("%q in two writes at %d is %q, want %q", in, cut, b.String(), want)
			}
		}
	}
}

// JSON means the same before and after.
func TestJSON(t *testing.T) {
	name := "a\u202e\x1b\u009b\x7fb"
	text, err := json.Marshal(name)
	if err != nil {
		t.Fatal(err)
	}
	var got string
	if err := json.Unmarshal(Bytes(text), &got); err != nil || got != name {
		t.Errorf("%q is read back as %q (%v)", name, got, err)
	}
}

func TestCell(t *testing.T) {
	for in, want := range map[string]string{
		"now": "now", "": "", "=1+1": "'=1+1", "+1": "'+1", "-x": "'-x", "@SUM(A1)": "'@SUM(A1)", "\t=1": "'\t=1", " =1": "' =1", "a=b": "a=b", "\x1b=": `\u001b=`,
	} {
		if got := Cell(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}
