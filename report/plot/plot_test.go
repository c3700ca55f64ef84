package plot

import (
	"bytes"
	"encoding/xml"
	"io"
	"regexp"
	"testing"

	"replay/report/figure"
	"replay/report/reporttest"
)

func TestPlotsGolden(t *testing.T) {
	for _, p := range Draw(reporttest.Few.Data(t)) {
		if p.Figure == nil {
			t.Fatalf("%s: no picture: %s", p.Name, p.Reason)
		}
		reporttest.GoldenPicture(t, p.Name, p.Figure)
	}
}

// A plot must work for any result: draw, or say why not. Lines have at most figure.LinePoints points.
func TestPlotsOfAnyResult(t *testing.T) {
	moves := regexp.MustCompile(`[ML][0-9.-]`)
	for name, feed := range reporttest.Feeds {
		for _, p := range Draw(reporttest.DataOf(t, feed)) {
			if (p.Figure == nil) != (p.Reason != "") {
				t.Errorf("%s: %s: figure %v with reason %q", name, p.Name, p.Figure != nil, p.Reason)
			}
			if p.Figure == nil {
				continue
			}
			b, err := p.Figure.Render("svg")
			if err != nil {
				t.Fatal(err)
			}
			if err := xml.NewDecoder(bytes.NewReader(b)).Decode(&struct{}{}); err != nil {
				t.Errorf("%s: %s is not XML: %v", name, p.Name, err)
			}
			if bytes.Contains(b, []byte("NaN")) {
				t.Errorf("%s: %s has NaN in it", name, p.Name)
			}
			for _, path := range bytes.Split(b, []byte("<path")) {
				if n := len(moves.FindAll(path, -1)); n > figure.LinePoints {
					t.Errorf("%s: %s has a line of %d points", name, p.Name, n)
				}
			}
		}
	}
}

// Names come from users: whatever they hold, every format is written, and SVG stays XML.
func TestPlotsOfOddNames(t *testing.T) {
	odd := reporttest.Few
	odd.Queues = []string{"root.\x01control\xff", "root.日本語 & <b>"}
	r := reporttest.DataOf(t, odd.Feed)
	r.Jobs.At(0).Name = "emoji 🎉 \x00 <tag> \"quoted\""
	for _, p := range Draw(r) {
		for _, format := range figure.Formats() {
			b, err := p.Figure.Render(format)
			if err != nil {
				t.Fatalf("%s as %s: %v", p.Name, format, err)
			}
			if format != "svg" {
				continue
			}
			d := xml.NewDecoder(bytes.NewReader(b))
			for {
				if _, err := d.Token(); err == io.EOF {
					break
				} else if err != nil {
					t.Fatalf("%s: %v", p.Name, err)
				}
			}
		}
	}
}

// A plot is added by one file, one line and one golden picture.
func TestEachPlotIsAFileAndALine(t *testing.T) {
	names := reporttest.Table(t, "Plot", "Plots", "")
	reporttest.Listed(t, "plot", names, len(Plots), func(i int) string { return Plots[i].Name })
	reporttest.Goldens(t, names, ".svg")
	reporttest.Documented(t, "a plot", "plot/<name>.go")
}
