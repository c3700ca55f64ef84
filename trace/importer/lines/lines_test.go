package lines

import (
	"bytes"
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

// Read ahead there are the same lines, checked and as far as they are kept, and what broke the stream comes after them.
func TestAhead(t *testing.T) {
	var text strings.Builder
	for i := range 100_000 {
		fmt.Fprintln(&text, "line", i)
	}
	broken := errors.New("broken")
	blocks, free, stop := Ahead(io.MultiReader(strings.NewReader(text.String()), iotest.ErrReader(broken)), func(line []byte) ([]byte, error) {
		if strings.HasSuffix(string(line), "77777") {
			return line, errors.New("bad")
		}
		return bytes.TrimSuffix(line, []byte("8")), nil
	})
	defer stop()
	n, bad := 0, 0
	var err error
	for b := range blocks {
		start := 0
		for _, l := range b.Lines {
			text := fmt.Sprint("line ", n)
			if got, want := string(b.Text[start:l.End]), strings.TrimSuffix(text, "8"); got != want || !l.Whole || l.Bytes != len(text) {
				t.Fatalf("line %d is %q of %d bytes, whole %t", n, got, l.Bytes, l.Whole)
			}
			if l.Bad != nil {
				bad++
			}
			start = l.End
			n++
		}
		if err = b.Err; err == nil {
			free <- b
		}
	}
	if n != 100_000 || bad != 1 || err != broken {
		t.Errorf("%d lines, %d bad, the stream ended with %v", n, bad, err)
	}
}

// Reading may end before the text does.
func TestAheadStops(t *testing.T) {
	blocks, _, stop := Ahead(strings.NewReader(strings.Repeat("a\n", 10_000_000)), func(line []byte) ([]byte, error) { return line, nil })
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
