package figure

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// three is a figure with three lines, a mark and a label.
func three() *Figure {
	f := New("A title — über", "time (s)", "share")
	for i, name := range []string{"one", "two", "three"} {
		f.Line(name, i, Points{{X: 0, Y: float64(i)}, {X: 1, Y: 1 + float64(i)}})
	}
	f.Labels([]Label{{Point{X: .5, Y: .5}, "label", Palette[1]}})
	return f
}

// A figure is as wide as asked, its text as large, in the font and in greys alone; drawn again without a style it is as before.
func TestStyles(t *testing.T) {
	f := three()
	before, err := f.Render("svg")
	if err != nil {
		t.Fatal(err)
	}
	b, err := f.RenderIn("svg", Style{Width: 237.6, Size: 8, Font: "serif", Grey: true, NoTitle: true})
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(b, []byte(`width="237.6pt"`)) {
		t.Errorf("want 237.6 points of width: %.200s", b)
	}
	if bytes.Contains(b, []byte("A title")) || bytes.Contains(b, []byte("Liberation Sans")) || !bytes.Contains(b, []byte("Liberation Serif")) {
		t.Errorf("the figure has a title, or text in another font:\n%s", regexp.MustCompile(`<text[^>]*Sans[^>]*>[^<]*|.*A title.*`).FindAll(b, 3))
	}
	for _, m := range regexp.MustCompile(`#([0-9A-F]{2})([0-9A-F]{2})([0-9A-F]{2})`).FindAllStringSubmatch(string(b), -1) {
		if m[1] != m[2] || m[2] != m[3] {
			t.Fatalf("%s is no grey", m[0])
		}
	}
	dashes := map[string]bool{}
	for _, m := range regexp.MustCompile(`<path d="M[^"]*" style="fill:none;stroke:#[0-9A-F]*;stroke-width:1.6[^"]*"`).FindAllString(string(b), -1) {
		dashes[m[strings.Index(m, "stroke-width"):]] = true
	}
	if len(dashes) < 3 {
		t.Errorf("three lines have %d looks besides their colour", len(dashes))
	}
	if after, err := f.Render("svg"); err != nil || !bytes.Equal(after, before) {
		t.Errorf("drawn in a style, the figure is another one; %v", err)
	}
	for _, s := range []Style{{Width: 1}, {Size: 1}, {Font: "comic"}} {
		if _, err := f.RenderIn("svg", s); err == nil {
			t.Errorf("%+v is taken", s)
		}
	}
}

func TestGreysDiffer(t *testing.T) {
	for i := 1; i < len(greys); i++ {
		if d := int(greys[i]) - int(greys[i-1]); d > -0x40 && d < 0x40 {
			t.Errorf("greys %d and %d are %#x and %#x, want them further apart", i-1, i, greys[i-1], greys[i])
		}
	}
}

// A PDF has its title, as an update that leads back to what was there before, and its fonts.
func TestPDFHasTitleAndFonts(t *testing.T) {
	b, err := three().Render("pdf")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(b, []byte("/Title <FEFF0041002000740069")) || !bytes.Contains(b, []byte("/FontFile2")) {
		t.Error("no title or no embedded font in the PDF")
	}
	m := regexp.MustCompile(`/Info (\d+) 0 R /Prev (\d+) >>\nstartxref\n(\d+)\n%%EOF\n$`).FindSubmatch(b)
	if m == nil {
		t.Fatalf("no update at the end: %.200q", b[len(b)-200:])
	}
	number := func(i int) int { n, _ := strconv.Atoi(string(m[i])); return n }
	if !bytes.HasPrefix(b[number(3):], []byte("xref\n"+string(m[1])+" 1\n")) || !bytes.HasPrefix(b[number(2):], []byte("xref\n0 ")) {
		t.Error("the update points elsewhere")
	}
	entry := b[number(3)+len("xref\n"+string(m[1])+" 1\n"):][:10]
	at, _ := strconv.Atoi(string(entry))
	if !bytes.HasPrefix(b[at:], append(m[1], " 0 obj\n<< /Title"...)) {
		t.Errorf("the title is not at %d", at)
	}
}

// The tables of a figure have what it draws, and say what their columns are; the specification reads them.
func TestFigureAsData(t *testing.T) {
	f := three()
	f.Bar("row", "=part", true, Palette[0], .25, .5, 1, .5)
	want := "series,row,x,y,low,high\none,,0,0,,\none,,1,1,,\ntwo,,0,1,,\ntwo,,1,2,,\nthree,,0,2,,\nthree,,1,3,,\n'=part,row,,,0.25,0.5\n"
	if got := string(f.CSV()); got != want {
		t.Errorf("the table is\n%s\nwant\n%s", got, want)
	}
	b, err := f.Parquet()
	if err != nil {
		t.Fatal(err)
	}
	file, err := parquet.OpenFile(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	if about, _ := file.Lookup("columns"); !strings.Contains(about, `"x":"time (s)"`) || file.NumRows() != 7 {
		t.Errorf("%d rows, columns described as %s", file.NumRows(), about)
	}
	rows, err := parquet.Read[struct {
		Series string   `parquet:"series"`
		X      *float64 `parquet:"x"`
		High   *float64 `parquet:"high"`
	}](bytes.NewReader(b), int64(len(b)))
	if err != nil || rows[1].X == nil || *rows[1].X != 1 || rows[1].High != nil || rows[6].Series != "=part" || *rows[6].High != .5 {
		t.Errorf("rows %+v, %v", rows, err)
	}
	spec, err := three().VegaLite("three.csv")
	if err != nil {
		t.Fatal(err)
	}
	var s struct {
		Data     struct{ URL string }
		Encoding map[string]struct{ Field, Title string }
	}
	if err := json.Unmarshal(spec, &s); err != nil || s.Data.URL != "three.csv" || s.Encoding["x"].Field != "x" || s.Encoding["x"].Title != "time (s)" || s.Encoding["strokeDash"].Field != "series" {
		t.Errorf("%+v, %v", s, err)
	}
}

// Ticks may have units that labels leave out: the data say what they are in, and a specification writes shares in percent as the picture does.
func TestUnitsOfData(t *testing.T) {
	f := New("t", "wait (log scale)", "share")
	LogTimes(&f.X)
	f.Y.Tick.Marker = Percents
	f.Record(At("", "", 1000, .5))
	if got, want := f.Columns(), []Column{{"x", "wait (log scale), ms"}, {"y", "share, 1 is 100 %"}}; !slices.Equal(got, want) {
		t.Errorf("columns %q, want %q", got, want)
	}
	spec, err := f.VegaLite("f.csv")
	if err != nil {
		t.Fatal(err)
	}
	var s struct {
		Encoding map[string]struct {
			Title string
			Axis  struct{ Format string }
		}
	}
	if err := json.Unmarshal(spec, &s); err != nil || s.Encoding["x"].Title != "wait (log scale), ms" || s.Encoding["x"].Axis.Format != "" || s.Encoding["y"].Title != "share" || s.Encoding["y"].Axis.Format != "~%" {
		t.Errorf("%+v, %v", s, err)
	}
}
