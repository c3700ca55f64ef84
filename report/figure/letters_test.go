package figure

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"
)

// drawnIn are the texts of a PDF, in the bytes that its fonts are for.
func drawnIn(t *testing.T, pdf []byte) (texts []string) {
	t.Helper()
	for _, s := range regexp.MustCompile(`(?s)stream\r?\n(.*?)\r?\nendstream`).FindAllSubmatch(pdf, -1) {
		r, err := zlib.NewReader(bytes.NewReader(s[1]))
		if err != nil {
			continue
		}
		page, err := io.ReadAll(r)
		if err != nil {
			continue
		}
		for _, m := range regexp.MustCompile(`\(([^()]*)\) ?Tj`).FindAllSubmatch(page, -1) {
			texts = append(texts, string(m[1]))
		}
	}
	return texts
}

// The texts of a PDF are in the code page of its fonts: as the bytes of UTF-8 each character but ASCII would be two others.
func TestTextsOfAPDF(t *testing.T) {
	f := New("A title — über …", "x ≤ 5", "y")
	f.Line("队列 − ж", 0, Points{{X: 0, Y: 0}, {X: 1, Y: 1}})
	b, err := f.Render("pdf")
	if err != nil {
		t.Fatal(err)
	}
	texts := drawnIn(t, b)
	for _, want := range []string{"A title \x97 \xfcber \x85", "x <= 5", "?? \x96 ?"} {
		found := false
		for _, got := range texts {
			found = found || got == want
		}
		if !found {
			t.Errorf("no %q among %q", want, texts)
		}
	}
}

// A PNG has a box for each character that its font has not, and is as wide as that; an SVG has the characters.
func TestLettersOfAFont(t *testing.T) {
	s := style(fontSize)
	for name, want := range map[string]string{"root.ж−é": "root.ж−é", "root.队列": "root.□□", "עברית": "□□□□□"} {
		if got := inFont.of(name, s.Font); got != want || inFont.of(got, s.Font) != want {
			t.Errorf("%s is drawn as %q, want %q", name, got, want)
		}
	}
	boxed := s
	boxed.Handler = inFont
	if got, want := boxed.Width("队列"), s.Width("□□"); got != want {
		t.Errorf("two boxes are %v wide, want %v", got, want)
	}
	svg, err := New("队列", "x", "y").Render("svg")
	if err != nil || !bytes.Contains(svg, []byte("队列")) {
		t.Errorf("the SVG has not its title: %v\n%s", err, svg)
	}
}

// Titles and keys that are longer than a figure is wide keep both ends.
func TestLongNames(t *testing.T) {
	name := func(i int) string { return fmt.Sprintf("root.%s.%d", strings.Repeat("q", 190), i) }
	panel := func(i int) *Figure {
		f, _ := OverTime(name(i), "y", 1000)
		f.Line(name(i), i, Points{{X: 0, Y: 0}, {X: 1, Y: 1}})
		return f
	}
	f := Panels(name(0), []*Figure{panel(1), panel(2)})
	svg, err := f.Render("svg")
	if err != nil {
		t.Fatal(err)
	}
	endings, n := map[string]bool{}, 0
	for _, m := range regexp.MustCompile(`>\s*(root\.q[^<]*)<`).FindAllStringSubmatch(string(svg), -1) {
		got := strings.TrimSpace(m[1])
		if n++; style(smallSize).Width(got) > width || !strings.Contains(got, "…") {
			t.Errorf("%s is wider than the figure", got)
		}
		endings[got[len(got)-2:]] = true
	}
	if n != 5 || len(endings) != 3 {
		t.Errorf("%d texts with %d endings, want the title, two panels and two keys, with three endings", n, len(endings))
	}
	if f.Title.Text != name(0) || f.panels[0].Title.Text != name(1) {
		t.Error("the figure has other titles once it is drawn")
	}
}
