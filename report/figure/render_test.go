package figure

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image"
	"image/color"
	"io"
	"regexp"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
)

func TestPDFHasNoDate(t *testing.T) {
	f := New("title", "x", "y")
	f.Line("line", 0, Points{{X: 0, Y: 0}, {X: 1, Y: 1}})
	b, err := f.Render("pdf")
	if err != nil {
		t.Fatal(err)
	}
	dates := regexp.MustCompile(`\(D:([0-9]*)`).FindAllSubmatch(b, -1)
	if len(dates) == 0 {
		t.Fatal("the PDF writer puts dates elsewhere now: undated misses them")
	}
	for _, d := range dates {
		if string(d[1]) != "20000101000000" {
			t.Errorf("date %s", d[1])
		}
	}
}

// Names of users are shown in every part of a picture, whatever is in them, and an SVG is XML.
func TestHostileNames(t *testing.T) {
	name := "<b>&'\"\x1b]0;t\a\u202e\x00\xff\ufffe\n\t]]>"
	f := New("title "+name, "x "+name, "y "+name)
	f.Line("line "+name, 0, Points{{X: 0, Y: 0}, {X: 1, Y: 1}})
	f.Area("area "+name, Palette[0], Points{{X: 0, Y: 0}, {X: 1, Y: 0}, {X: 1, Y: 1}, {X: 0, Y: 1}})
	f.Labels([]Label{{Point{X: .5, Y: .5}, "label " + name, Palette[1]}})
	rows := New("", "", "")
	rows.Rows([]Tick{{Value: .5, Label: "row " + name}})
	svg, err := f.Render("svg")
	if err != nil {
		t.Fatal(err)
	}
	more, err := rows.Render("svg")
	if err != nil {
		t.Fatal(err)
	}
	svg = append(svg, bytes.Replace(more, []byte(`<?xml version="1.0"?>`), nil, 1)...)
	if at := bytes.IndexFunc(svg, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r == 0x202e || r == 0xfffe }); at >= 0 {
		t.Errorf("%q is in the picture", svg[at:at+3])
	}
	var text strings.Builder
	for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("the picture is no XML: %v", err)
		}
		if c, ok := token.(xml.CharData); ok {
			text.Write(c)
		}
	}
	for _, part := range []string{"title ", "x ", "y ", "line ", "area ", "label ", "row "} {
		if want := part + `<b>&'"\u001b]0;t\u0007\u202e\u0000` + "\ufffd" + `\ufffe\u000a\u0009]]>`; !strings.Contains(text.String(), want) {
			t.Errorf("%q is not in the picture: %q", want, text.String())
		}
	}
	for _, format := range []string{"png", "pdf"} {
		if _, err := f.Render(format); err != nil {
			t.Errorf("%s: %v", format, err)
		}
	}
}

// A name is cut between what it shows, and as long as it may be.
func TestShort(t *testing.T) {
	for _, tt := range []struct {
		name string
		n    int
		want string
	}{{"abcdef", 6, "abcdef"}, {"abcdefg", 6, "abcde…"}, {"ab\x1bcd", 10, `ab\u001bcd`}, {"ab\x1bcd", 9, `ab\u001b…`}, {"ab\x1bcd", 8, "ab…"}, {"\x1b", 3, "…"}} {
		if got := Short(tt.name, tt.n); got != tt.want {
			t.Errorf("%q in %d is %q, want %q", tt.name, tt.n, got, tt.want)
		}
	}
}

// Text on areas has no ink, which a dark page makes light while areas keep their colours; what stands aside has no area and says so.
func TestTextOnAreasStaysDark(t *testing.T) {
	draw := func(aside bool) string {
		f := HeatMap("t", "x", "y", []string{"a", "b"}, []string{"r"}, [][]float64{{1, 9}}, [][]bool{{false, aside}}, func(v float64) string { return fmt.Sprint(v) })
		b, err := f.Render("svg")
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	areas := func(svg string) int { return strings.Count(svg, `Z" style="fill:#`) }
	all, one := draw(false), draw(true)
	for _, want := range []string{`fill:#111111">1</text>`, `fill:#222222">9 ` + Aside + `</text>`} {
		if !strings.Contains(one, want) {
			t.Errorf("no %s in %s", want, one)
		}
	}
	if areas(all) != areas(one)+1 {
		t.Errorf("%d areas, and %d with one aside", areas(all), areas(one))
	}
}

// A picture of many lines keeps its plot: it grows by its legend, and no two lines look alike.
func TestManyLines(t *testing.T) {
	heights := map[int]float64{}
	for _, n := range []int{1, 60} {
		f := New("t", "x", "y")
		for i := range n {
			f.Line(fmt.Sprintf("a variant with a name of many characters, the %d.", i), i, Points{{X: 0, Y: 0}, {X: 1, Y: 1}})
		}
		_, h := Style{}.size(f)
		heights[n] = float64(h)
	}
	if heights[1] != Height || heights[60] != Height+55*legendRow {
		t.Errorf("heights %v, want that of the legend more", heights)
	}
	looks := map[string]int{}
	for i := range 64 {
		look := fmt.Sprint(i%len(Palette), Dashed(i))
		if other, ok := looks[look]; ok {
			t.Errorf("lines %d and %d look alike", other, i)
		}
		looks[look] = i
	}
}

func TestShortName(t *testing.T) {
	for _, tt := range []struct {
		name string
		n    int
		want string
	}{
		{"fair", 20, "fair"}, {"locality-wait-sharing-fair", 20, "locality-w…ring-fair"}, {"locality-wait-sharing-drf", 20, "locality-w…aring-drf"},
		{"abcdefgh", 5, "abcd…"}, {"abcdefgh", 7, "abc…fgh"}, {"a\x1b[31mbcdefgh", 9, `a\u001b[…`},
	} {
		if got := ShortName(tt.name, tt.n); got != tt.want || len([]rune(got)) > tt.n {
			t.Errorf("%q in %d: %q, want %q", tt.name, tt.n, got, tt.want)
		}
	}
}

// White is not painted on a canvas that is white, and the picture is the same as where it is; on all else it is painted.
func TestFresh(t *testing.T) {
	f := three()
	f.Area("white", Paper, Points{{X: .2, Y: .2}, {X: .8, Y: .2}, {X: .8, Y: 2}})
	for name, draw := range map[string]func(vg.Canvas){
		"figure": func(c vg.Canvas) { f.drawIn(c, Style{}, inFont) },
		"panels": func(c vg.Canvas) { Panels("title", []*Figure{three(), three()}).drawIn(c, Style{Grey: true}, inFont) },
		"white on black, as before the last change of colour": func(c vg.Canvas) {
			all := vg.Rectangle{Max: vg.Point{X: 100, Y: 100}}.Path()
			c.SetColor(color.Black)
			c.Push()
			c.SetColor(color.White)
			c.Fill(all)
			c.Pop()
			c.Fill(all)
			c.SetColor(color.White)
			c.Fill(vg.Rectangle{Max: vg.Point{X: 50, Y: 50}}.Path())
		},
	} {
		t.Run(name, func(t *testing.T) {
			plain, canvas := vgimg.New(width, Height), &fresh{Canvas: vgimg.New(width, Height), color: color.Black}
			blank := bytes.Clone(plain.Image().(*image.RGBA).Pix)
			canvas.SetColor(Paper)
			canvas.Fill(vg.Rectangle{Max: vg.Point{X: width, Y: Height}}.Path())
			if canvas.painted {
				t.Error("white is painted on white")
			}
			draw(plain)
			draw(canvas)
			want, got := plain.Image().(*image.RGBA).Pix, canvas.Image().(*image.RGBA).Pix
			if !bytes.Equal(got, want) || bytes.Equal(want, blank) {
				t.Error("the picture is another one, or blank")
			}
		})
	}
}
