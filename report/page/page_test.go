package page

import (
	"bytes"
	"html/template"
	"strings"
	"testing"

	"replay/report/figure"
	"replay/report/metric"
	"replay/report/plot"
	"replay/report/reporttest"
)

// A name from a user stays text, nothing is fetched from elsewhere, and every value is shown.
func TestRunIsSelfContained(t *testing.T) {
	d := reporttest.DataOf(t, reporttest.Few.Feed)
	d.Jobs.At(0).Name = `<script>alert("job")</script>`
	d.Manifest.TraceName = `<img src=x>`
	s := metric.Of(d)
	b, err := Run(s, plot.Draw(d))
	if err != nil {
		t.Fatal(err)
	}
	if again, err := Run(s, plot.Draw(d)); err != nil || !bytes.Equal(again, b) {
		t.Errorf("made twice, the page differs; %v", err)
	}
	reporttest.SelfContained(t, b)
	for _, v := range s.Values {
		if !strings.Contains(string(b), ">"+strings.NewReplacer("+", "&#43;").Replace(v.Name)+"<") {
			t.Errorf("the page does not show %s", v.Name)
		}
	}
}

func TestRunOfAnyResult(t *testing.T) {
	for name, feed := range reporttest.Feeds {
		d := reporttest.DataOf(t, feed)
		b, err := Run(metric.Of(d), plot.Draw(d))
		if err != nil {
			t.Fatal(err)
		}
		b, _, _ = bytes.Cut(b, []byte("<script"))
		if bytes.Contains(b, []byte("NaN")) || bytes.Contains(b, []byte("Inf")) {
			t.Errorf("%s: the page shows NaN or Inf", name)
		}
	}
}

// Where the first containers alone are drawn, the page knows from when on others are missing; where all are, none is.
func TestContainersThatAreNotDrawn(t *testing.T) {
	drawn := reporttest.Usual.Data(t).Containers.Spans
	for more, want := range map[int64]int64{0: 0, 1_000_000: drawn[len(drawn)-1].From} {
		d := reporttest.DataOf(t, reporttest.Usual.Feed)
		d.Containers.N += more
		lanes := over(d).Lanes
		if got := lanes[len(lanes)-1].Until; got != want {
			t.Errorf("with %d containers more they are drawn until %d, want %d", more, got, want)
		}
	}
}

// What has no number is told with its reason after the numbers, and not among what came out.
func TestLeftOutAfterTheNumbers(t *testing.T) {
	s := metric.Of(reporttest.DataOf(t, reporttest.Feeds["unfinished"]))
	_, others := s.Headline()
	b, err := Run(s, nil)
	if err != nil {
		t.Fatal(err)
	}
	before, after, _ := strings.Cut(string(b), `<details class="left">`)
	if len(others) == 0 || strings.Contains(before, others[0]) || !strings.Contains(after, template.HTMLEscapeString(others[0])) {
		t.Errorf("%q are not told after the numbers", others)
	}
}

// A mark that is not filled is hollow on a page too, on its paper.
func TestHollowMarks(t *testing.T) {
	f := figure.New("t", "x", "y")
	f.Dots([]figure.Dot{{X: 1, Y: 1, Color: figure.Palette[0]}})
	f.Range(0, 2, 0, 2)
	got, err := Inline([]figure.Picture{{Name: "a", Title: "t", Figure: f}})
	if err != nil || len(got) != 1 || strings.Count(string(got[0].SVG), "fill:var(--paper)") < 2 { // the paper, and within the mark
		t.Errorf("%v (%v)", got, err)
	}
}

// Rows are the same bytes as a template of html/template would make of them.
func TestRowsAreEscapedAsByATemplate(t *testing.T) {
	const text = `{{range .Rows}}<tr><th scope="row" class="name">{{if .About}}<details class="about"><summary>{{.Name}}</summary>{{.About}}</details>{{else}}{{.Name}}{{end}}` +
		`{{if .Code}}<small>{{.Code}}</small>{{end}}</th>{{range .Cells}}<td{{if .Class}} class="{{.Class}}"{{end}} data-label="{{.Label}}">{{.Picture}}{{.Text}}` +
		"{{if .Note}}<small>{{.Note}}</small>{{end}}</td>{{end}}</tr>\n{{end}}"
	words := []string{"", "plain", "+5 % 'a' \"b\" `c`", "<script>&amp;</script>", "\x00\u00e9\u2028=\\/{{.}}\n"}
	var table Table
	for i, name := range words {
		r := Row{Name: name, About: words[(i+1)%len(words)], Code: words[(i+2)%len(words)]}
		for k, cell := range words {
			r.Cells = append(r.Cells, Cell{Text: cell, Class: words[(i+k)%len(words)], Note: words[(i+k+1)%len(words)], Label: words[(i+k+2)%len(words)], Picture: "<svg></svg>"})
		}
		table.Rows = append(table.Rows, r)
	}
	var want bytes.Buffer
	if err := template.Must(template.New("").Parse(text)).Execute(&want, table); err != nil {
		t.Fatal(err)
	}
	if got := string(table.Body()); got != want.String() {
		t.Errorf("rows are\n%s\nwant\n%s", got, want.String())
	}
}

// A command that is copied from a page asks for the directories of its traces, which it has by name.
func TestMadeBy(t *testing.T) {
	for _, tt := range []struct {
		traces  int
		command []string
		want    string
		facts   int
	}{
		{1, []string{"run", "spark-eventlog, 20 applications", "--seed", "3"}, "replay run TRACE --seed 3", 1},
		{2, []string{"compare", "a b", "c", "--variant", "x: --load 2"}, "replay compare TRACE1 TRACE2 --variant 'x: --load 2'", 2},
	} {
		var p Page
		p.MadeBy(tt.command, tt.traces)
		if p.Command != tt.want || len(p.Facts) != tt.facts || !strings.HasSuffix(p.Facts[0][1], tt.command[1]) {
			t.Errorf("%q is %q with %q, want %q", tt.command, p.Command, p.Facts, tt.want)
		}
	}
}

// A job without a name is called as it was where it was recorded, as in every text; without that by its number alone.
func TestNamesOfJobs(t *testing.T) {
	d := reporttest.DataOf(t, reporttest.Few.Feed)
	j := d.Jobs.At(0)
	for _, tt := range []struct{ name, external, want string }{{"daily", "app_1", "0 daily"}, {"", "app_1", "0 app_1"}, {"", "", "0"}} {
		j.ID, j.Name, j.ExternalID = 0, tt.name, tt.external
		if got := jobName(j); got != tt.want {
			t.Errorf("a job called %q, recorded as %q: %q, want %q", tt.name, tt.external, got, tt.want)
		}
	}
}
