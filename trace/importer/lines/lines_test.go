package lines

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

func TestReader(t *testing.T) {
	long := strings.Repeat("x", 700_000) // more than the reader holds
	for _, tt := range []struct {
		name, text string
		want       []string
	}{
		{"nothing", "", nil},
		{"ends of both kinds, an empty line", "a\nb\r\n\nc\n", []string{"1 a true", "2 b true", "3  true", "4 c true"}},
		{"no end", "a\nbc", []string{"1 a true", "2 bc false"}},
		{"a long line", long + "\nb\n", []string{"1 " + long + " true", "2 b true"}},
	} {
		r := NewReader(strings.NewReader(tt.text))
		var got []string
		for {
			line, whole, err := r.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, fmt.Sprintf("%d %s %t", r.Line(), line, whole))
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %.200q, want %.200q", tt.name, got, tt.want)
		}
	}
}

// Read ahead there are the same lines, however the stream comes, and what broke it comes after them.
func TestAhead(t *testing.T) {
	var text strings.Builder
	for i := range 20_000 {
		fmt.Fprint(&text, "line ", i, []string{"\n", "\r\n", "\n\n"}[i%3])
		if i == 7777 {
			text.WriteString(strings.Repeat("x", 700_000) + "\n") // more than a block
		}
	}
	text.WriteString("cut")
	type line struct {
		text  string
		whole bool
	}
	var want []line
	for r := NewReader(strings.NewReader(text.String())); ; {
		l, whole, err := r.Next()
		if err != nil {
			break
		}
		want = append(want, line{string(l), whole})
	}
	broken := errors.New("broken")
	for name, r := range map[string]io.Reader{
		"whole":              strings.NewReader(text.String()),
		"halves":             iotest.HalfReader(strings.NewReader(text.String())),
		"an end with a part": iotest.DataErrReader(strings.NewReader(text.String())),
		"bytes":              iotest.OneByteReader(strings.NewReader(text.String())),
		"broken":             io.MultiReader(strings.NewReader(text.String()), iotest.ErrReader(broken)),
	} {
		blocks, free, stop := Ahead(r)
		var got []line
		var err error
		for b := range blocks {
			for _, l := range b.Lines {
				got = append(got, line{string(l.Text), l.Whole})
			}
			if err = b.Err; err == nil {
				free <- b
			}
		}
		stop()
		if !slices.Equal(got, want) {
			t.Errorf("%s: %d lines, want %d alike", name, len(got), len(want))
		}
		if wantErr := map[bool]error{true: broken, false: io.EOF}[name == "broken"]; err != wantErr {
			t.Errorf("%s: ended with %v, want %v", name, err, wantErr)
		}
	}
}

// A line of any length would take memory of any size.
func TestAheadLimits(t *testing.T) {
	blocks, free, stop := Ahead(io.MultiReader(strings.NewReader("a\nb\n"), &endless{}))
	defer stop()
	for b := range blocks {
		if b.Err != nil {
			if !strings.Contains(b.Err.Error(), "line 3 is longer than 67108864 bytes") {
				t.Error(b.Err)
			}
			return
		}
		free <- b
	}
}

type endless struct{}

func (*endless) Read(b []byte) (int, error) { clear(b); return len(b), nil }

// Reading may end before the text does.
func TestAheadStops(t *testing.T) {
	blocks, _, stop := Ahead(strings.NewReader(strings.Repeat("a\n", 10_000_000)))
	if b := <-blocks; len(b.Lines) == 0 {
		t.Error("the first block is empty")
	}
	stop()
}

// What would take much more memory or stack than its text, is refused before it is parsed.
func TestCheckJSON(t *testing.T) {
	for _, tt := range []struct {
		name, line string
		bad        string
	}{
		{"many values", "[" + strings.Repeat("0,", 1_000_000) + "0]", ""},
		{"more values", "[" + strings.Repeat("0,", 1_000_001) + "0]", "1000001 commas"},
		{"deep", strings.Repeat("[", 300) + strings.Repeat("]", 300), ""},
		{"deeper", strings.Repeat(`{"a":`, 301), "more than 300 objects and arrays within each other at byte 1500"},
		{"brackets in text", `{"a":"` + strings.Repeat("[", 1000) + `\"` + strings.Repeat("{", 1000) + `"}`, ""},
		{"after text", `{"a\\":"` + strings.Repeat("[", 10) + `\\",` + strings.Repeat("[", 300), "more than 300"},
		{"wide", strings.Repeat("[]", 1000) + strings.Repeat("]", 1000), ""},
	} {
		err := CheckJSON([]byte(tt.line))
		if tt.bad == "" && err != nil || tt.bad != "" && (err == nil || !strings.Contains(err.Error(), tt.bad)) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.bad)
		}
	}
}
