package pictures

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"replay/report/compare"
	"replay/report/figure"
	"replay/report/metric"
	"replay/report/reporttest"
)

// variant returns two made-up runs.
func variant(t *testing.T, m reporttest.MadeUp, name string) compare.Variant {
	v := compare.Variant{Name: name, Flags: "--placement " + name}
	for _, m.Seed = range []uint64{1, 2} {
		d := *m.Data(t)
		v.Runs = append(v.Runs, metric.Of(&d))
	}
	return v
}

// comparison compares the small made-up runs with others.
func comparison(t *testing.T, other reporttest.MadeUp) *compare.Comparison {
	c, err := compare.Of([]compare.Variant{variant(t, reporttest.Few, "base"), variant(t, other, "other")}, compare.Options{Margin: compare.DefaultMargin})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestPlotsGolden(t *testing.T) {
	other := reporttest.Few
	other.Locality, other.WaitMS = .9, 3000
	c := comparison(t, other)
	for _, p := range Of(c) {
		if p.Figure == nil {
			t.Fatalf("%s: no picture: %s", p.Name, p.Reason)
		}
		reporttest.GoldenPicture(t, p.Name, p.Figure)
	}
}

// A difference beyond the ends of the picture stands there as a number, and is not drawn as if it were the end.
func TestDifferencesBeyondTheEnds(t *testing.T) {
	other := reporttest.Few
	other.WaitMS *= 30
	c := comparison(t, other)
	f, reason := differences.Draw(c)
	if f == nil {
		t.Fatal(reason)
	}
	b, err := f.Render("svg")
	if err != nil {
		t.Fatal(err)
	}
	if n := len(regexp.MustCompile(`>\+[0-9],[0-9]{3} % ›<`).FindAll(b, -1)); n == 0 {
		t.Errorf("no difference of more than 1,000 %% is written in\n%s", b)
	}
}

// A variant has one colour on a page: that of its lines is that of its differences.
func TestAVariantHasOneColour(t *testing.T) {
	other := reporttest.Few
	other.WaitMS = 3000
	c := comparison(t, other)
	hex := func(i int) string {
		p := figure.Palette[i]
		return fmt.Sprintf("#%02X%02X%02X", p.R, p.G, p.B)
	}
	for _, p := range []Plot{differences, jobWaits} {
		f, reason := p.Draw(c)
		if f == nil {
			t.Fatal(reason)
		}
		b, err := f.Render("svg")
		if err != nil {
			t.Fatal(err)
		}
		if base := strings.Contains(string(b), hex(0)); !strings.Contains(string(b), hex(1)) || base != (p.Name == jobWaits.Name) {
			t.Errorf("%s: the other variant is not in its own colour, or in the base's", p.Name)
		}
	}
}

// A plot is added by one file, one line and one golden picture.
func TestEachPlotIsAFileAndALine(t *testing.T) {
	names := reporttest.Table(t, "Plot", "Plots", "")
	reporttest.Listed(t, "plot", names, len(Plots), func(i int) string { return Plots[i].Name })
	reporttest.Goldens(t, names, ".svg")
	reporttest.Documented(t, "a plot of a comparison", "compare/pictures/<name>.go")
}
